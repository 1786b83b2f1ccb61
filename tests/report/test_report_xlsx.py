"""The workbook: the same tables, whole, and nothing in it runs."""

from __future__ import annotations

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
        document(3, "linked.txt", "linked"),
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
    assert book.sheetnames == ["Summary", "Documents", "Groups", "Linked", "Pairs", "Method"]
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref
        assert sheet.column_dimensions["A"].width >= 10


def test_names_that_look_like_formulas_numbers_or_links_stay_text(tmp_path: Path) -> None:
    book = load_workbook(write_xlsx(sample(), tmp_path / "report.xlsx"))
    paths = [row[2] for row in book["Documents"].iter_rows(min_row=5)]
    assert [cell.value for cell in paths] == [*NAMES[:6], "caf�␁", NAMES[7]]
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f"
                assert cell.hyperlink is None
                assert isinstance(cell.value, (str, int, float, type(None)))


def test_every_document_has_its_row_with_group_and_hashes(tmp_path: Path) -> None:
    matter = sample()
    table = rows(write_xlsx(matter, tmp_path / "report.xlsx"), "Documents")
    head = table[0]
    assert [row[0] for row in table[1:]] == [one.id for one in matter.documents_]
    second = dict(zip(head, table[2], strict=True))
    assert second["Group"] == "TC-000001"
    assert second["SHA-256"] == matter.documents_[1].sha256
    assert second["Words"] == 100


def test_measures_are_numbers_and_only_equal_texts_are_100(tmp_path: Path) -> None:
    path = write_xlsx(sample(), tmp_path / "report.xlsx")
    groups = rows(path, "Groups")
    assert groups[1][:5] == ("TC-000001", "principal", "TC-000001", "form.txt", None)
    assert groups[2][4] == 99.9999
    pairs = rows(path, "Pairs")
    assert [row[0] for row in pairs[1:]] == ["similar", "similar", "contains"]
    assert pairs[1][5:10] == (99.5, 89.1089, 94.7368, 93.75, 88.8889)
    assert pairs[3][5] is None  # a contained text's similarity was not computed
    assert rows(path, "Linked")[1] == (
        "TC-000003",
        "linked.txt",
        "TC-000002",
        "=HYPERLINK(1)",
        "TC-000001",
        83.25,
    )


def test_statuses_in_the_summary_add_up(tmp_path: Path) -> None:
    table = rows(write_xlsx(sample(), tmp_path / "report.xlsx"), "Summary")
    numbers = {str(row[0]): row[1] for row in table[1:]}
    statuses = [value for name, value in numbers.items() if name.startswith("Status: ")]
    assert sum(value for value in statuses if isinstance(value, int)) == numbers["Documents"] == 11


def test_a_full_sheet_goes_on_in_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_MOST_ROWS", 4)
    book = load_workbook(write_xlsx(FakeMatter([document(n) for n in range(1, 10)]), tmp_path / "report.xlsx"))
    sheets = [name for name in book.sheetnames if name.startswith("Documents")]
    assert sheets == ["Documents", "Documents 2", "Documents 3"]
    ids = [row[0] for name in sheets for row in book[name].iter_rows(min_row=2, values_only=True)]
    assert ids == [f"TC-{n:06d}" for n in range(1, 10)]


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
