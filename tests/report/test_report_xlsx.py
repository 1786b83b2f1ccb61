"""The workbook: the same tables, whole, and nothing in it runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import load_workbook
from report_fake import FakeMatter, FakePairs, document, pair

from truecopy.errors import TruecopyError
from truecopy.model import Group, Grouping, Link, Linked, Member
from truecopy.report import write_xlsx, xlsx

NAMES = (
    "=cmd|' /C calc'!A0",
    "+1+2",
    "-3",
    "@SUM(A1)",
    "https://example.org/x",
    "007",
    "caf\udce9\x01",
    "{=1+1}",
)


def sample() -> FakeMatter:
    documents = [
        document(1, "form.txt", "principal"),
        document(2, "=HYPERLINK(1)", "member"),
        document(3, "linked.txt", "linked", copy_of="TC-000002"),
        *(document(10 + n, name, "unreadable", "=1+1") for n, name in enumerate(NAMES)),
    ]
    grouping = Grouping(
        80.0,
        "longest",
        (Group("TC-000001", documents[0], (Member(documents[1], 99.99999, "revision"),)),),
        (Linked(documents[2], (Link("TC-000002", 83.25),)),),
    )
    return FakeMatter(
        documents,
        grouping,
        similar=FakePairs((pair(documents[0], documents[1], 5), pair(documents[1], documents[2], 150))),
        contains=FakePairs((pair(documents[2], documents[0], -1, relation="contains"),)),
    )


def rows(path: Path, sheet: str) -> list[tuple[object, ...]]:
    return list(load_workbook(path)[sheet].iter_rows(values_only=True))


def test_the_sheets_are_there_in_order_with_frozen_heads_and_widths(tmp_path: Path) -> None:
    book = load_workbook(write_xlsx(sample(), tmp_path / "report.xlsx"))
    assert book.sheetnames == ["Summary", "Documents", "Linked", "Contained", "Method"]
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref
        assert sheet.column_dimensions["A"].width >= 10


def test_names_that_look_like_formulas_numbers_or_links_stay_text(tmp_path: Path) -> None:
    book = load_workbook(write_xlsx(sample(), tmp_path / "report.xlsx"))
    paths = [row[1] for row in book["Documents"].iter_rows(min_row=5)]
    assert [cell.value for cell in paths] == [*NAMES[:6], "caf�␁", NAMES[7]]
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f"
                assert cell.hyperlink is None
                assert isinstance(cell.value, (str, int, float, datetime, type(None)))


def test_every_document_has_one_row_with_what_it_is_to_its_principal(tmp_path: Path) -> None:
    matter = sample()
    table = rows(write_xlsx(matter, tmp_path / "report.xlsx"), "Documents")
    head = table[0]
    assert [row[0] for row in table[1:]] == [one.id for one in matter.documents_]
    first, second, third = (dict(zip(head, row, strict=True)) for row in table[1:4])
    assert (first["Group"], first["Principal"], first["Similarity, %"], first["Kind"]) == (
        "TC-000001", "TC-000001", None, None,
    )  # fmt: skip
    assert (second["Group"], second["Principal"], second["Similarity, %"], second["Kind"]) == (
        "TC-000001", "TC-000001", 99.9999, "revision",
    )  # fmt: skip
    assert second["SHA-256"] == matter.documents_[1].sha256
    assert second["Words"] == 100
    assert (third["Group"], third["Copy of"], third["Status"]) == (None, "TC-000002", "linked")
    assert dict(zip(head, table[4], strict=True))["Reason"] == "=1+1"


def test_dates_are_dates_in_utc_and_what_no_spreadsheet_knows_stays_text(tmp_path: Path) -> None:
    dates = ("2021-03-04", "2021-03-04T23:30:00-02:00", "1215-06-15", "", "some day")
    documents = [replace(document(n + 1), date=value) for n, value in enumerate(dates)]
    book = load_workbook(write_xlsx(FakeMatter(documents), tmp_path / "report.xlsx"))
    head = [cell.value for cell in book["Documents"][1]]
    column = head.index("Date, UTC")
    cells = [row[column] for row in book["Documents"].iter_rows(min_row=2)]
    assert [cell.value for cell in cells] == [
        datetime(2021, 3, 4), datetime(2021, 3, 5, 1, 30), "1215-06-15", None, "some day",
    ]  # fmt: skip
    assert [cell.is_date for cell in cells[:2]] == [True, True]


def test_measures_are_numbers_and_pairs_are_there_only_when_asked_for(tmp_path: Path) -> None:
    path = write_xlsx(sample(), tmp_path / "report.xlsx", pairs=True)
    pairs = rows(path, "Pairs")
    assert [row[0] for row in pairs[1:]] == ["similar", "similar", "contains"]
    assert pairs[1][5:10] == (99.5, 89.1089, 94.7368, 93.75, 88.8889)
    assert pairs[3][5] is None  # a contained text's similarity was not computed
    assert "Pairs" not in load_workbook(write_xlsx(sample(), tmp_path / "without.xlsx")).sheetnames
    assert rows(path, "Linked")[1] == (
        "TC-000003",
        "linked.txt",
        "TC-000002",
        "=HYPERLINK(1)",
        "TC-000001",
        83.25,
    )
    assert rows(path, "Contained")[1] == ("TC-000003", "linked.txt", 100, "TC-000001", "form.txt", 100, 94.7368,
        "contained")  # fmt: skip


def test_statuses_in_the_summary_add_up(tmp_path: Path) -> None:
    table = rows(write_xlsx(sample(), tmp_path / "report.xlsx"), "Summary")
    numbers = {str(row[0]): row[1] for row in table[1:]}
    statuses = [value for name, value in numbers.items() if name.startswith("Status: ")]
    assert sum(value for value in statuses if isinstance(value, int)) == numbers["Documents"] == 11
    parts = [numbers[part] for part in ("Copies", "Near copies", "To read", "Not searched", "Empty")]
    assert parts == [1, 1, 1, 8, 0]


def test_a_full_sheet_goes_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_MOST_ROWS", 4)
    book = load_workbook(write_xlsx(FakeMatter([document(n) for n in range(1, 10)]), tmp_path / "report.xlsx"))
    sheets = [name for name in book.sheetnames if name.startswith("Documents")]
    assert sheets == ["Documents", "Documents 2", "Documents 3"]
    ids = [row[0] for name in sheets for row in book[name].iter_rows(min_row=2, values_only=True)]
    assert ids == [f"TC-{n:06d}" for n in range(1, 10)]
    told = [row for name in book.sheetnames if name.startswith("Summary") for row in book[name].values]
    assert [row[3] for row in told if row[0] == "Sheet Documents"] == [
        "More rows than the 4 that one sheet holds: the table goes on in the sheets up to Documents 3"
    ]


def test_progress_counts_every_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_TOLD", 10)

    class Told:
        rows = 0
        stages: tuple[str, ...] = ()

        def start(self, stage: str, total: int | None, unit: str) -> None:
            self.stages += (stage,)

        def advance(self, units: int) -> None:
            self.rows += units

        def finish(self) -> None:
            self.stages += ("finished",)

    told = Told()
    path = write_xlsx(FakeMatter([document(n) for n in range(1, 26)]), tmp_path / "report.xlsx", told)
    assert told.stages == ("report", "finished")
    assert told.rows == sum(sheet.max_row - 1 for sheet in load_workbook(path))


def test_the_same_matter_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_xlsx(sample(), tmp_path / "a.xlsx").read_bytes()
    assert write_xlsx(sample(), tmp_path / "b.xlsx").read_bytes() == first


def test_a_workbook_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "report.xlsx").mkdir()
    with pytest.raises(TruecopyError, match="could not be written"):
        write_xlsx(FakeMatter(), tmp_path / "report.xlsx")


def test_ten_thousand_documents_take_seconds(tmp_path: Path) -> None:
    """Five seconds of one processor at most; the clock on the wall is not asked, since others use the machine too."""
    documents = [document(n, f"folder {n % 90}/sub/agreement {n} of the room.docx", "member") for n in range(1, 10_001)]
    groups = tuple(
        Group(first.id, first, tuple(Member(one, 90.0, "revision") for one in documents[at + 1 : at + 5]))
        for at, first in enumerate(documents)
        if at % 5 == 0
    )
    start = time.process_time()
    write_xlsx(FakeMatter(documents, Grouping(80.0, "longest", groups, ())), tmp_path / "report.xlsx")
    assert time.process_time() - start < 5


FAILING = """
import resource, sys
from dataclasses import replace
from pathlib import Path
from test_report_xlsx import sample
from truecopy.errors import TruecopyError
from truecopy.report import write_xlsx
matter, limit = sample(), int(sys.argv[2])
one = matter.documents()[-1]
many = [replace(one, number=number, id=f"X{number}") for number in range(100, 4000)]
matter = replace(matter, documents_=[*matter.documents(), *many])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    write_xlsx(matter, Path(sys.argv[1]))
except TruecopyError as error:
    print(error.message)
"""


def write_without_room(folder: Path, limit: int) -> None:
    """Nothing is left, in the report's folder or the temporary one, and nothing is said but one sentence."""
    (folder / "temporary").mkdir()
    (folder / "out" / "report.xlsx").write_bytes(b"the old one")
    paths = [str(Path(__file__).parent), str(Path(xlsx.__file__).parents[2])]
    done = subprocess.run(
        [sys.executable, "-c", FAILING, str(folder / "out" / "report.xlsx"), str(limit)],
        env={**os.environ, "TMPDIR": str(folder / "temporary"), "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "report.xlsx' could not be written" in done.stdout
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert [path.name for path in (folder / "temporary").rglob("*")] == []
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == {"report.xlsx": b"the old one"}


@pytest.mark.parametrize("limit", [0, 5_000, 60_000])
def test_a_workbook_whose_temporary_files_find_no_room_leaves_nothing_behind(tmp_path: Path, limit: int) -> None:
    pytest.importorskip("resource")
    (tmp_path / "out").mkdir()
    write_without_room(tmp_path, limit)


def test_a_workbook_that_finds_no_room_itself_leaves_nothing_behind(tmp_path: Path) -> None:
    """On a disk that is full when the sheets are put together."""
    pytest.importorskip("resource")
    (tmp_path / "out").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "none", str(tmp_path / "out")]
    if not hasattr(os, "getuid") or os.getuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("only root can make a disk that is full")
    try:
        write_without_room(tmp_path, 1 << 30)
    finally:
        subprocess.run(["umount", str(tmp_path / "out")], check=True)


def test_the_temporary_files_of_a_workbook_are_in_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold names of documents; while they are there, nobody else can enter their folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    seen: list[tuple[Path, int]] = []
    real = xlsx._write_sheet

    def look(*arguments: object) -> None:
        real(*arguments)
        (top,) = temporary.iterdir()
        seen.append((top, top.stat().st_mode & 0o777))
        assert [path for path in top.rglob("*") if path.is_file() and path.name != "owner.lock"]

    monkeypatch.setattr(xlsx, "_write_sheet", look)
    write_xlsx(sample(), tmp_path / "report.xlsx")
    assert len({top for top, _ in seen}) == 1
    assert os.name != "posix" or {mode for _, mode in seen} == {0o700}
    assert list(temporary.iterdir()) == []
