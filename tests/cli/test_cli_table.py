"""Tables fit the terminal, and nothing that tells two rows apart is cut: by property, and on every list there is."""

from __future__ import annotations

import io
import re
import time

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from truecopy.cli.table import NARROWEST_TEXT, Column, print_table, without_shared, wrapped

NAMES = st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), max_size=60)
COLUMNS = [Column("similarity", right=True, style="bold"), Column("kind"), Column("id", label=True)]
COLUMNS += [Column("document", path=True), Column("reason", text=True)]


def lines(width: int, rows: list[tuple[str, ...]], columns: list[Column] = COLUMNS) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    print_table(console, columns, rows)
    return console.file.getvalue().splitlines()


def letters(text: str) -> str:
    """What is left when layout is taken away."""
    return "".join(text.split())


@given(NAMES, st.integers(2, 80), st.booleans())
def test_a_wrapped_cell_fits_and_loses_nothing_but_spaces(text, width, path):
    parts = wrapped(text, width, path)
    assert all(cell_len(part) <= width for part in parts)
    assert letters("".join(parts)) == letters(text)


def test_paths_break_after_folders_and_between_words_and_not_before_an_ending():
    shown = wrapped("02 Contracts/Services/Agreement for services - Kestrel SAS.pdf", 30, path=True)
    assert shown == ["02 Contracts/Services/", "Agreement for services -", "Kestrel SAS.pdf"]


@given(
    st.lists(NAMES.map(lambda name: name.strip("/")), max_size=8), st.sampled_from(["", "a/", "a/b/", "long folder/"])
)
def test_paths_without_shared_folders_stay_as_different_as_they_were(names, folder):
    paths = [folder + name for name in names]
    short = without_shared(paths)
    assert len(set(short)) == len(set(paths))
    assert all(
        one == two or (two.startswith("…/") and one.endswith(two[2:])) for one, two in zip(paths, short, strict=True)
    )


def test_the_folders_that_all_share_are_left_out_and_no_others():
    assert without_shared(["r/a/x.txt", "r/a/y.txt", "r/ab/z.txt"]) == ["…/a/x.txt", "…/a/y.txt", "…/ab/z.txt"]
    assert without_shared(["x.txt", "y.txt"]) == ["x.txt", "y.txt"]
    assert without_shared(["room/x.txt", "room/x.txt"]) == ["…/x.txt", "…/x.txt"]
    assert without_shared(["mail.mbox", "mail.mbox/1"]) == ["mail.mbox", "mail.mbox/1"]


@given(
    st.integers(60, 130),
    st.lists(st.tuples(st.sampled_from(["9.5", "100.0"]), st.sampled_from(["revision", "same-text"]), NAMES, NAMES)),
)
def test_no_line_is_wider_than_the_terminal_and_every_cell_is_whole(width, given_rows):
    """Whatever is in the cells, all of it can be read back from the lines."""
    rows = [(a, b, f"TC-{i:06d}", f"shared/{c}", d) for i, (a, b, c, d) in enumerate(given_rows)]
    rows += [("9.5", "revision", f"TC-99999{i}", f"shared/{name}", "") for i, name in enumerate(("1/x", "2/x"))]
    shown = lines(width, rows)
    assert all(cell_len(line) <= width for line in shown)
    together = letters("".join(shown))
    for row in rows:
        assert row[2] in together
        for cell in row[3:]:
            # Cells that stay side by side are mixed line by line, so each is looked for by the parts between which a
            # line may end; what is too wide for its column ends anywhere.
            parts = re.split(r"[\s/_-]+", cell.removeprefix("shared/"))
            assert all(part in together for part in parts if cell_len(part) <= NARROWEST_TEXT)
            left = iter(together)
            assert all(character in left for part in parts for character in part)


def test_what_belongs_together_goes_below_together():
    """In 60 columns an id and its path get a line of their own, and the path is not cut."""
    long = "Confidentiality/Non-disclosure agreement - Yarrow Polymers Limited - draft v4.docx"
    shown = lines(60, [("98.5", "revision", "TC-000001", long, ""), ("9.0", "revision", "TC-000002", long + "x", "")])
    assert shown[:3] == ["similarity  kind", "    id         document", "    reason"]
    assert shown[3] == "      98.5  revision"
    assert shown[4].startswith("    TC-000001  …/Non-disclosure agreement")
    assert shown[5] == "               Limited - draft v4.docx"


def test_a_and_b_of_a_row_are_never_shortened_to_the_same():
    """Their folders are all that tells them apart, so those stay."""
    columns = [Column("a", path=True), Column("b", path=True)]
    shown = lines(60, [("wave one/" + "x" * 40 + ".txt", "wave two/" + "x" * 40 + ".txt")], columns)
    assert any("one/" in line for line in shown)
    assert any("two/" in line for line in shown)


def test_wide_characters_are_measured_as_they_are_shown():
    shown = lines(
        60, [("9.5", "revision", "TC-1", "契約/" + "書" * 40 + ".txt", ""), ("100.0", "same", "TC-22", "b\x1b", "")]
    )
    assert max(map(cell_len, shown)) <= 60
    assert "".join(shown).count("書") == 40
    assert "b␛" in "".join(shown)


def test_into_a_file_a_row_is_one_line_and_whole():
    shown = lines(1_000_000, [("9.5", "revision", "TC-1", "x" * 200, "r" * 200)])
    assert len(shown) == 2
    assert "x" * 200 + "  " + "r" * 200 in shown[1]


def test_tables_are_quick_for_many_rows():
    """20,000 rows in well under the ten seconds that Rich's own table takes, also where every path wraps."""
    for width in (60, 100):
        console = Console(file=io.StringIO(), width=width, force_terminal=True)
        rows = [
            ("97.3", "revision", f"TC-{i:06d}", f"a folder {i}/with a/long path/" * 4 + "x.txt", "")
            for i in range(20_000)
        ]
        begun = time.process_time()
        print_table(console, COLUMNS, rows)
        assert time.process_time() - begun < 5
        assert console.file.getvalue().count("TC-") == 20_000
