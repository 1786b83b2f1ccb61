"""What every result can do: be counted, walked through, sliced, printed in a line, and become a table."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from api_results import EMPTY, FULL, answer, document, documents, group, grouping, pairs, similar

import truecopy as tc
from truecopy.errors import MissingExtra
from truecopy.listing import Listing, Slice, Tabular
from truecopy.model import Documents, Grouping, Link, from_columns

DOCS = Path(__file__).parents[2] / "docs"
TYPES = {"string": str, "int64": int, "float64": float, "bool": bool}
RESULTS = (tc.Grouping, tc.Pairs, tc.Answer, tc.SimilarHits, tc.Documents)


@pytest.mark.parametrize(
    ("result", "entries"),
    [
        (grouping(), grouping().groups),
        (pairs(), pairs().pairs),
        (answer(), answer().hits),
        (similar(), tuple(similar())),
        (documents(), (document(1), document(2), document(3))),
    ],
    ids=["grouping", "pairs", "answer", "similar", "documents"],
)
def test_a_result_is_a_sequence_of_its_entries(result: Listing[Any], entries: tuple[Any, ...]):
    """Length, loop, index from either end, slice, membership and reversal are those of the tuple of its entries."""
    assert len(result) == len(entries) == 3
    assert tuple(result) == entries
    assert [result[0], result[2], result[-1], result[-3]] == [entries[0], entries[2], entries[-1], entries[-3]]
    assert entries[1] in result
    assert document(77) not in result
    assert tuple(reversed(result)) == entries[::-1]
    assert (result.index(entries[1]), result.count(entries[1])) == (1, 1)
    for place in (slice(1, None), slice(None, -1), slice(None, None, 2), slice(5, 9)):
        assert tuple(result[place]) == entries[place]
    with pytest.raises(IndexError):
        result[3]


def test_an_empty_result_is_false_and_a_full_one_true():
    assert [name for name, result in EMPTY.items() if result] == []
    assert [name for name, result in FULL.items() if not result] == []


def test_a_slice_says_how_much_of_the_whole_it_is():
    """It has the table of its entries, and nothing that is only true of the whole."""
    part = grouping(7)[2:4]
    assert isinstance(part, Slice)
    assert repr(part) == "<Slice: 2 of 7 groups>"
    assert part.rows() == [row for row in grouping(7).rows() if row["group"] in ("TC-000021", "TC-000031")]
    assert repr(part[1:]) == "<Slice: 1 of 7 groups>"
    assert not hasattr(part, "linked")


def test_documents_and_hits_are_equal_to_lists_and_add_up_with_them():
    """Code that was written for lists goes on working."""
    assert documents() == [document(1), document(2), document(3)]
    assert [document(1), document(2), document(3)] == documents()
    assert documents()[:2] == [document(1), document(2)]
    assert documents() != [document(1)]
    more = [document(9)]
    assert documents() + more == [document(1), document(2), document(3), document(9)]
    assert more + documents() == [document(9), document(1), document(2), document(3)]
    assert similar(0) == []
    assert sorted(documents(), key=lambda one: -one.number)[0] == document(3)
    assert len({documents(), documents(2), documents()}) == 2


@pytest.mark.parametrize("name", FULL)
def test_results_can_be_copied_and_pickled(name: str):
    result = FULL[name]
    for made in (copy.copy(result), pickle.loads(pickle.dumps(result))):
        assert made == result
        assert repr(made) == repr(result)


def test_old_names_of_the_fields_stay():
    one = grouping()
    assert (one.threshold, one.rule, len(one.groups), one.linked[0].links[0].id) == (80.0, "longest", 3, "TC-000002")
    assert (pairs().pairs[0].relation, pairs().complete, pairs().left_out) == ("contains", True, 0)
    assert (answer().hits[0].part, answer().method) == ((10, 250), "simhash")


# Printing


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (grouping(76, 1), "<Grouping: 76 groups, 1 linked at 80 %>"),
        (Grouping(72.5, "longest", (group(1),), ()), "<Grouping: 1 group at 72.5 %>"),
        (pairs(1204), "<Pairs: 1,204 pairs>"),
        (tc.Pairs((), False, 1_234_567), "<Pairs: 0 pairs, up to 1,234,567 more not stored>"),
        (answer(2), "<Answer: 2 hits by simhash, recall 100 %>"),
        (similar(1), "<SimilarHits: 1 hit at 85 %>"),
        (documents(50_000), "<Documents: 50,000 documents>"),
        (group(1, 5000), "<Group TC-000001: 'Verträge/1.docx' with 5,000 members>"),
    ],
)
def test_a_result_prints_itself_in_one_short_line(result: object, said: str):
    assert repr(result) == str(result) == said


def test_a_recall_below_one_is_never_said_to_be_whole():
    import dataclasses

    nearly = dataclasses.replace(answer(), recall=0.99999)
    assert repr(nearly) == "<Answer: 3 hits by simhash, recall at least 99.99 %>"


def test_notebooks_show_twenty_rows_and_say_how_many_more_there_are():
    page = documents(5000)._repr_html_()
    assert page.count("<tr>") == 21  # with the heading
    assert "4,980 more rows" in page
    assert "TC-000020" in page
    assert "TC-000021" not in page
    assert "more row" not in documents(20)._repr_html_()
    assert grouping(10, 2)._repr_html_().count("<tr>") == 21
    assert "12 more rows" in grouping(10, 2)._repr_html_()


def test_names_in_notebooks_are_harmless():
    """Markup is escaped, and marks that turn the reading direction around are shown."""
    odd = Documents([document(1, '<script>alert("x")</script>/a\u202egpj.exe\n\x1b[31m.txt')])
    page = odd._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "a[U+202E]gpj.exe[U+000A][U+001B][31m.txt" in page


def test_a_similarity_that_is_not_100_is_never_shown_as_100():
    nearly = tc.SimilarHits([tc.Hit(document(1), 99.96, "revision"), tc.Hit(document(2), 100.0, "same-text")], 80)
    assert re.findall(r"<td>([\d.]+)</td><td>(?:revision|same-text)", nearly._repr_html_()) == ["99.9", "100.0"]


# Tables


@pytest.mark.parametrize("name", FULL)
def test_rows_have_the_stated_columns_and_types(name: str):
    """Every row has every column, in order; None only where the column is optional; each type is met somewhere."""
    result = FULL[name]
    columns = result._table()
    rows = result.rows()
    assert rows
    for row in rows:
        assert list(row) == [column.name for column in columns]
        for column in columns:
            value = row[column.name]
            assert (column.optional and value is None) or type(value) is TYPES[column.type], column.name
    assert result._height() == len(rows)


@pytest.mark.parametrize("name", EMPTY)
def test_empty_results_have_no_rows(name: str):
    assert EMPTY[name].rows() == []
    assert "<th>id</th>" in EMPTY[name]._repr_html_() or name == "pairs"


def test_the_rows_of_a_grouping_are_its_documents():
    """Principals, members and linked documents, each once, with what the groups say of them."""
    rows = grouping(1, 1).rows()
    assert [(row["group"], row["role"], row["id"], row["principal"]) for row in rows] == [
        ("TC-000001", "principal", "TC-000001", "TC-000001"),
        ("TC-000001", "member", "TC-000002", "TC-000001"),
        ("TC-000001", "member", "TC-000003", "TC-000001"),
        (None, "linked", "TC-000900", None),
    ]
    assert [row["similarity"] for row in rows] == [None, 98.96, 97.96, None]
    assert rows[3]["linked_to"] == "TC-000002; TC-000001"
    assert rows[3]["copy_of"] == "TC-000899"


def test_the_rows_of_pairs_hold_every_measure():
    far, near = pairs(2).rows()
    assert (far["relation"], far["similarity"], far["a_in_b"], far["b_in_a"]) == ("contains", None, 100.0, 15.0)
    assert (near["a_id"], near["b_id"], near["similarity"], near["terminology"]) == (
        "TC-000002", "TC-000003", 95.0, 90.0,
    )  # fmt: skip
    assert near["resemblance"] == pytest.approx(100 * 80 / 108)


def test_the_rows_of_an_answer_say_where_the_part_is():
    first, second = answer(2).rows()
    assert (first["of_asked"], first["of_hit"], first["start"], first["end"]) == (99.0, 12.5, 10, 250)
    assert (second["of_asked"], second["start"], second["distance"]) == (None, None, 2.0)


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_what_is_not_installed_is_named_with_the_command_that_installs_it(
    library: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match="pip install") as refused:
        documents().to_pandas() if library == "pandas" else documents().to_arrow()
    assert library in refused.value.message


# What a matter gives


@pytest.fixture(scope="module")
def matter(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    room = tmp_path_factory.mktemp("room")
    text = " ".join(f"The parties agree that clause {n} binds Acme and its successors." for n in range(40))
    (room / "a.txt").write_text(text)
    (room / "b.txt").write_text(text.replace("clause 7 ", "section seven "))
    (room / "c.txt").write_text(text)
    (room / "d.txt").write_text("Nothing of this is said anywhere else, and so the letter stays alone.")
    return tc.scan(room, room.parent / "matter", report=False)


def test_a_matter_answers_with_results(matter: tc.Matter):
    """Every question has an answer that can be counted and become a table."""
    matter.sign("simhash", bits=64)
    answers: list[Tabular] = [
        matter.documents(), matter.groups(), matter.pairs(), matter.similar("a.txt"), matter.contained_in("a.txt"),
        matter.near("a.txt", "simhash"),
    ]  # fmt: skip
    assert [type(one) for one in answers] == [
        tc.Documents, tc.Grouping, tc.Pairs, tc.SimilarHits, tc.Answer, tc.Answer,
    ]  # fmt: skip
    assert [row["path"] for row in matter.documents().rows()] == ["a.txt", "b.txt", "c.txt", "d.txt"]
    assert [(row["path"], row["role"]) for row in matter.groups().rows()] == [
        ("a.txt", "principal"), ("c.txt", "member"), ("b.txt", "member"),
    ]  # fmt: skip
    assert [(row["path"], row["kind"]) for row in matter.similar("a.txt").rows()] == [
        ("c.txt", "same-file"), ("b.txt", "revision"),
    ]  # fmt: skip
    assert len(matter.pairs()) == 1


def test_a_number_names_a_document_too(matter: tc.Matter):
    assert matter.document(2).id == "TC-000002"
    assert matter.text(2) == matter.text("TC-000002") == matter.text("2") != ""


def test_a_redline_is_a_page_of_html(matter: tc.Matter, tmp_path: Path):
    """Of two documents, of a document and a file, of two files; names and texts are escaped."""
    inside = tc.redline("a.txt", "b.txt", matter)
    assert re.search(r"<del\b[^>]*>clause 7</del>", inside)
    assert re.search(r"<ins\b[^>]*>section seven</ins>", inside)
    assert tc.redline("a.txt", "b.txt", matter.path) == inside
    outside = tmp_path / "<b> & co.txt"
    outside.write_text("The <b>parties</b> agree & sign this letter today in Berlin.")
    other = tmp_path / "other.txt"
    other.write_text("The <i>parties</i> agree & sign this letter today in Paris.")
    page = tc.redline(outside, other)
    assert re.search(r"<ins\b[^>]*>Paris</ins>", page)
    assert "&lt;b&gt; &amp; co.txt" in page
    assert "<b>parties" not in page
    assert "<b> &" not in page
    assert "a.txt" in tc.redline("a.txt", outside, matter)
    with pytest.raises(tc.TruecopyError, match="Give the matter too"):
        tc.redline(matter.documents()[0], outside)


# The page that describes them


@pytest.mark.parametrize("result", RESULTS, ids=lambda one: one.__name__)
def test_every_column_is_in_the_reference_with_its_type(result: type[Listing[Any]]):
    """The table under a result's heading is that of the code, row by row."""
    page = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    section = page.split(f"### Columns of `{result.__name__}`\n")[1].split("\n#")[0]
    described = re.findall(r"^\| `(\w+)` \| (\w+)(, may be none)? \| (.+) \|$", section, re.MULTILINE)
    assert described == [
        (column.name, column.type, ", may be none" if column.optional else "", column.meaning)
        for column in result.COLUMNS
    ]


def test_records_are_not_made_from_unequal_columns() -> None:
    """With the longer one cut off, records were lost; with the shorter one, a field was never set."""
    for columns in ([["a", "b"], [1.0]], [["a"], [1.0, 2.0]], [["a"]], [["a"], [1.0], [2.0]]):
        with pytest.raises(ValueError, match=r"column|zip"):
            from_columns(Link, columns)


@dataclass(frozen=True, slots=True)
class Checked:
    """A record that looks at what it is made of."""

    size: int

    def __post_init__(self) -> None:
        assert self.size > 0


def test_records_that_look_at_their_fields_are_not_made_from_columns() -> None:
    with pytest.raises(AssertionError, match="would not be run"):
        from_columns(Checked, [[-1]])
