"""Lists: filters, order, limits, files; the headline and every count agree; every table at every width."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import cli_room
import pytest
from rich.cells import cell_len

import truecopy as tc
from truecopy.cli import export
from truecopy.cli.commands import documents as documents_command
from truecopy.cli.commands import groups as groups_command
from truecopy.cli.commands import pairs as pairs_command
from truecopy.cli.commands import similar as similar_command
from truecopy.errors import BadSetting
from truecopy.model import STATUSES

LISTS = {
    "documents": ["documents"],
    "groups": ["groups"],
    "pairs": ["pairs", "--expand"],
    "similar": ["similar", "draft v1.txt"],
}
LISTS = {
    name: [word.replace("draft v1.txt", f"{cli_room.LONG} - draft v1.txt") for word in line]
    for name, line in LISTS.items()
}
KEYS = {"documents": "documents", "groups": "groups", "pairs": "pairs", "similar": "hits"}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    return cli_room.make_matter(tmp_path_factory.mktemp("lists"))


def ids(answer: Any) -> list[str]:
    return [one["id"] for one in answer["documents"]]


# The headline


def test_the_headline_adds_up_and_agrees_with_what_the_lists_say(ask: Any) -> None:
    """Each figure is the length of the list that it names, and the five of them are all documents."""
    said = ask("status")
    counts = said["counts"]
    assert sum(counts.values()) == said["documents"] == sum(said["statuses"].values()) == 21
    for name in ("copies", "near-copies", "to-read"):
        assert ask("documents", "--status", name)["total"] == counts[name.replace("-", "_")]
    not_searched = ask("documents", "--status", "not-searched")["documents"]
    assert sum(one["copy_of"] is None for one in not_searched) == counts["not_searched"] == 3
    assert sum(one["copy_of"] is not None for one in not_searched) == 1
    assert counts == {"copies": 4, "near_copies": 2, "to_read": 11, "not_searched": 3, "empty": 1}
    assert said["grouping"]["groups"] == ask("groups")["total"]


def test_nobody_can_misread_copies_of_what_was_not_searched(cli: Any, opened: tc.Matter) -> None:
    """The headline says 3, the list has 4, and both say why."""
    out = cli("status", "--matter", str(opened.path)).out
    assert re.search(r"not searched +3 +no text was read from them; 1 more is a copy and counted as such", out)
    assert out.count("not a valid DOCX") == 4
    listed = cli("documents", "--status", "not-searched", "--matter", str(opened.path)).out
    assert listed.endswith("4 documents: 3 not searched, and 1 copy.\n")


def test_statuses_and_groups_of_one_screen_agree_with_the_headline(cli: Any, opened: tc.Matter) -> None:
    """Copies under any status are said beside it, and groups without a principal are told from those with one."""
    out = cli("status", "--matter", str(opened.path)).out
    copies = int(re.search(r"^copies +(\d+)", out, re.MULTILINE)[1])
    in_statuses = [int(n) for n in re.findall(r"^same-(?:file|text) +(\d+)", out, re.MULTILINE)]
    in_statuses += [int(n) for n in re.findall(r"; (\d+) of them (?:a copy|copies)$", out, re.MULTILINE)]
    assert copies == sum(in_statuses) == 4
    assert re.search(r"^groups +2: 1 with a principal, 1 of copies of a text without letters", out, re.MULTILINE)


def test_the_exception_list_can_be_asked_for_in_two_ways(ask: Any) -> None:
    found = ask("documents", "--not-searched")
    assert found == ask("documents", "--status", "not-searched")
    assert all(one["reason"] for one in found["documents"])


# documents


def test_a_path_is_found_in_any_case_and_nothing_found_is_said(ask: Any, cli: Any, opened: tc.Matter) -> None:
    assert ids(ask("documents", "--path", "*.TXT")) == ids(ask("documents", "--path", "*.txt")) != []
    out = cli("documents", "--path", "*.nothing", "--matter", str(opened.path)).out
    assert out == "None of the 21 documents is what was asked for.\n"


def test_every_document_is_listed_once_with_everything_that_is_known(ask: Any, opened: tc.Matter) -> None:
    answer = ask("documents")
    every = {document.id: document for document in opened.documents()}
    assert ids(answer) == list(every)
    for one in answer["documents"]:
        document = every[one["id"]]
        assert one["hashes"]["sha256"] == document.sha256
        for name in ("path", "root", "wave", "status", "words", "size", "media"):
            assert one[name] == getattr(document, name)
        for name in ("reason", "copy_of", "date", "parent"):
            assert one[name] == (getattr(document, name) or None)


def test_group_similarity_and_kind_are_those_of_groups(ask: Any) -> None:
    """A copy of a member shows its similarity to the principal, as `groups` and `compare` do."""
    listed = {one["id"]: one for one in ask("documents")["documents"]}
    grouped = set()
    for group in ask("groups")["groups"]:
        principal = listed[group["principal"]["id"]]
        assert (principal["group"], principal["principal"], principal["similarity"]) == (
            group["id"],
            principal["id"],
            None,
        )
        grouped.add(principal["id"])
        for member in group["members"]:
            one = listed[member["id"]]
            grouped.add(one["id"])
            assert (one["group"], one["principal"]) == (group["id"], principal["id"])
            assert {name: one[name] for name in member} == member
    assert all((one["group"] is None) == (name not in grouped) for name, one in listed.items())


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["--status", "empty"], ["empty.txt"]),
        (["--status", "empty", "--status", "too-short"], ["note.txt", "empty.txt"]),
        (["--wave", "production 2"], ["05 Leases/lease.txt", "damaged.docx"]),
        (["--wave", "production 2", "--status", "unreadable"], ["damaged.docx"]),
        (["--path", "*.docx", "--wave", "wave 1"], ["damaged again.docx", "damaged.docx", "other.docx"]),
        (["--path", "05 Leases/**", "--wave", "wave 1"], ["05 Leases/excerpt.txt", "05 Leases/lease.txt"]),
        (
            ["--path", "05 Leases", "--path", "note.*", "--wave", "wave 1"],
            ["05 Leases/excerpt.txt", "05 Leases/lease.txt", "note.txt"],
        ),
        (["--path", "nothing*"], []),
    ],
)
def test_filters_are_combined_and_may_be_repeated(words: list[str], paths: list[str], ask: Any) -> None:
    answer = ask("documents", *words)
    assert sorted(one["path"] for one in answer["documents"]) == sorted(paths)
    assert answer["total"] == len(paths)


def test_kinds_are_those_towards_the_principal(ask: Any) -> None:
    every = ask("documents")["documents"]
    kinds = Counter(one["kind"] for one in every if one["kind"])
    assert len(kinds) >= 2
    for kind, count in kinds.items():
        found = ask("documents", "--kind", kind)
        assert found["total"] == count
        assert {one["kind"] for one in found["documents"]} == {kind}
    assert ask("documents", *(word for kind in kinds for word in ("--kind", kind)))["total"] == sum(kinds.values())


def test_every_status_can_be_asked_for_and_they_add_up(ask: Any) -> None:
    assert sum(ask("documents", "--status", status)["total"] for status in STATUSES) == 21


# Every list: order, limit, files


@pytest.mark.parametrize("name", sorted(LISTS))
def test_a_limit_cuts_and_the_total_says_so(name: str, ask: Any, cli: Any, opened: tc.Matter) -> None:
    whole, cut = ask(*LISTS[name]), ask(*LISTS[name], "--limit", "1")
    assert cut[KEYS[name]] == whole[KEYS[name]][:1]
    assert cut["total"] == whole["total"] == len(whole[KEYS[name]]) > 1
    assert f"1 of {whole['total']} " in cli(*LISTS[name], "--limit", "1", "--matter", str(opened.path)).out


@pytest.mark.parametrize("name", sorted(LISTS))
@pytest.mark.parametrize("also", [[], ["--threshold", "95"], ["--sort", "path"], ["--reverse"]])
def test_a_limit_that_no_database_can_count_to_is_refused(name: str, also: list[str], cli: Any, opened: Any) -> None:
    """In one sentence, however the list is made; the largest number below lists everything."""
    if name == "documents" and "--threshold" in also:
        pytest.skip("documents have no threshold")
    also = ["--sort", {"pairs": "a"}.get(name, "path")] if "--sort" in also else also
    asked = *LISTS[name], *also, "--matter", str(opened.path), "--json", "--limit"
    for limit in (2**63, 10**30):
        refused = cli(*asked, str(limit))
        assert refused.code == 2
        error = refused.json["error"]
        assert error["message"] == f"The limit is {limit}, but it must be a whole number from 1 to {2**63 - 1}."
    assert len(cli(*asked, str(2**63 - 1)).json[KEYS[name]]) > 1


@pytest.mark.parametrize("limit", [2**63, 0, -1, 2.5, "2"])
@pytest.mark.parametrize("page", ["document_page", "group_page", "linked_page", "pair_page", "largest_groups"])
def test_a_page_has_a_limit_that_can_be_counted(page: str, limit: Any, opened: tc.Matter) -> None:
    """In Python too; a number below 0 would be no limit at all."""
    with pytest.raises(BadSetting, match="The limit is"):
        getattr(opened, page)(limit=limit)
    getattr(opened, page)(limit=2**63 - 1)


def test_statistics_take_no_more_threads_than_other_commands(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a text of some words")
    built = cli("stats", "build", str(tmp_path), "--out", str(tmp_path / "b.statistics"), "--threads", str(2**63))
    assert (built.code, "must be from 1 to 256" in built.err) == (2, True)


FIELDS = {
    "documents": tuple(documents_command.FIELDS),
    "groups": groups_command.SORTS,
    "pairs": tuple(pairs_command.FIELDS),
    "similar": tuple(similar_command.FIELDS),
}


@pytest.mark.parametrize(("name", "field"), [(name, field) for name, fields in FIELDS.items() for field in fields])
def test_every_field_sorts_both_ways(name: str, field: str, ask: Any, opened: tc.Matter) -> None:
    """What has no value comes last; --reverse and -FIELD mean the same, and undo each other."""
    up = ask(*LISTS[name], "--sort", field)[KEYS[name]]
    down = ask(*LISTS[name], "--sort", f"-{field}")[KEYS[name]]
    assert down == ask(*LISTS[name], "--sort", field, "--reverse")[KEYS[name]]
    assert up == ask(*LISTS[name], "--sort", f"-{field}", "--reverse")[KEYS[name]]
    assert (
        Counter(map(json.dumps, up))
        == Counter(map(json.dumps, down))
        == Counter(map(json.dumps, ask(*LISTS[name])[KEYS[name]]))
    )
    values = [value_of(name, field, one, opened) for one in up]
    known = [value for value in values if value is not None]
    assert known == sorted(known)
    assert values[: len(known)] == known
    backwards = [value_of(name, field, one, opened) for one in down]
    assert backwards[: len(known)] == sorted(known, reverse=True)


def value_of(name: str, field: str, one: dict[str, Any], opened: tc.Matter) -> Any:
    """What JSON says of a field, or the matter where JSON has it not."""
    if name == "documents":
        return one["hashes"].get(field, one.get(field))
    if name == "groups":
        least = min(member["similarity"] for member in one["members"])
        return {
            "id": one["id"],
            "path": one["principal"]["path"],
            "documents": len(one["members"]),
            "similarity": least,
        }[field]
    if name == "pairs":
        if field in ("a_in_b", "b_in_a"):
            return one["containment"][field == "b_in_a"]
        found = re.fullmatch("([ab])_(root|wave)", field)
        return getattr(opened.document(one[f"{found[1]}_id"]), found[2]) if found else one[field]
    return one[field] if field in one else getattr(opened.document(one["id"]), field) or None


def read_csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


@pytest.mark.parametrize("name", sorted(LISTS))
def test_csv_has_every_row_and_every_field(name: str, ask: Any, tmp_path: Path) -> None:
    """A mark at its beginning tells Excel that it is UTF-8."""
    file = tmp_path / "list.csv"
    answer = ask(*LISTS[name], "--csv", str(file))
    assert answer["written"] == [str(file)]
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = read_csv(file)
    if name == "groups":
        expected = [one["id"] for group in answer["groups"] for one in (group["principal"], *group["members"])]
        assert [row["id"] for row in rows] == expected + [one["id"] for one in answer["linked"]]
        assert set(rows[0]) == set(groups_command.FIELDS)
    else:
        key = "a_id" if name == "pairs" else "id"
        assert [row[key] for row in rows] == [one[key] for one in answer[KEYS[name]]]
        assert set(rows[0]) == set(FIELDS[name])
    assert not list(tmp_path.glob(".*")), "nothing is left beside it"


def test_csv_keeps_what_json_says(ask: Any, tmp_path: Path) -> None:
    """Measures, empty cells, and names with commas, brackets and other scripts."""
    answer = ask("documents", "--csv", str(tmp_path / "d.csv"))
    for row, one in zip(read_csv(tmp_path / "d.csv"), answer["documents"], strict=True):
        assert row["copy_of"] == (one["copy_of"] or "")
        assert (float(row["similarity"]) if row["similarity"] else None) == pytest.approx(one["similarity"], abs=1e-4)
        assert row["path"].replace("'", "") == one["path"].replace("'", "")
        assert row["sha256"] == one["hashes"]["sha256"]


def test_no_cell_of_a_csv_file_can_be_run_as_a_formula(ask: Any, tmp_path: Path) -> None:
    """Neither as it is, nor split at semicolons as spreadsheets do where a comma is the decimal sign."""
    ask("documents", "--csv", str(tmp_path / "d.csv"))
    content = (tmp_path / "d.csv").read_text(encoding="utf-8-sig")
    paths = [row["path"] for row in read_csv(tmp_path / "d.csv")]
    assert {"'=cmd|' !A1.txt", "'-minus.txt", "'@sum.txt", "a;'=b.txt"} <= set(paths)
    for delimiter in ",;\t":
        for line in csv.reader(io.StringIO(content), delimiter=delimiter):
            assert not any(
                cell.lstrip("\"' \t").startswith("=") and not cell.lstrip('" \t').startswith("'") for cell in line
            )


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", " =1", "＝1", "＋1", "－1", "＠1"])
def test_cells_that_begin_like_a_formula_get_an_apostrophe(cell: str) -> None:
    assert export.harmless(cell).startswith("'")


@pytest.mark.parametrize("cell", ["a=1", "TC-000001", "1.txt", "", None, -5, 98.25])
def test_other_cells_stay_as_they_are(cell: Any) -> None:
    assert export.harmless(cell) is cell or export.harmless(cell) == cell


def test_a_name_that_is_no_unicode_is_written_with_escapes(tmp_path: Path) -> None:
    export.write_csv(tmp_path / "x.csv", {"path": "text"}, [{"path": "a\udcff.txt"}])
    assert read_csv(tmp_path / "x.csv") == [{"path": "a\\udcff.txt"}]


@pytest.mark.parametrize("name", sorted(LISTS))
def test_parquet_has_the_same_rows_with_types(name: str, ask: Any, tmp_path: Path) -> None:
    """Names as they are, numbers as numbers, nothing as null."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'arrow' is not installed")
    ask(*LISTS[name], "--csv", str(tmp_path / "x.csv"), "--parquet", str(tmp_path / "x.parquet"))
    table = parquet.read_table(tmp_path / "x.parquet")
    rows, texts = table.to_pylist(), read_csv(tmp_path / "x.csv")
    assert table.column_names == list(texts[0])
    assert len(rows) == len(texts)
    for row, text in zip(rows, texts, strict=True):
        for field, value in row.items():
            plain = "" if value is None else str(value)
            assert text[field] in (plain, export.harmless(plain))
    assert all(isinstance(row["similarity"], float | None) for row in rows)


def test_parquet_without_its_library_is_refused_with_the_command_that_installs_it(
    cli: Any, opened: tc.Matter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ran = cli("documents", "--parquet", str(tmp_path / "x.parquet"), "--matter", str(opened.path), "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "missing-extra"
    assert "pip install 'truecopy[arrow]'" in ran.json["error"]["hint"]


@pytest.mark.parametrize("option", ["csv", "parquet"])
@pytest.mark.parametrize("name", sorted(LISTS))
def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    name: str, option: str, cli: Any, tmp_path: Path
) -> None:
    """There is not even a matter: a wrong file name, a folder in its place, or none for it is said first."""
    (tmp_path / f"folder.{option}").mkdir()
    for file, said in [
        ("contract.docx", f"ends in .{option}"),
        (f"folder.{option}", "is a folder"),
        (f"no/list.{option}", "There is no folder"),
    ]:
        ran = cli(*LISTS[name], f"--{option}", str(tmp_path / file), "--matter", str(tmp_path / "none"), "--json")
        assert ran.code in (1, 2)
        assert said in ran.json["error"]["message"]
        assert ran.json["error"]["hint"]
    assert [entry.name for entry in tmp_path.iterdir()] == [f"folder.{option}"]


def test_what_was_there_stays_when_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("kept")
    with pytest.raises(KeyError):
        export.write_csv(tmp_path / "x.csv", {"path": "text"}, [{"path": "a"}, {}])
    assert (tmp_path / "x.csv").read_text() == "kept"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.csv"]


# Every table at every width


def tables(room: Path) -> dict[str, list[str]]:
    """Every command that prints a table or a list."""
    name = f"{cli_room.LONG} - draft v1.txt"
    return {
        **LISTS,
        "documents by words": ["documents", "--sort", "-words"],
        "documents by root": ["documents", "--sort", "root"],
        "not searched": ["documents", "--status", "not-searched"],
        "pairs that contain": ["pairs", "--relation", "contains"],
        "similar by containment": ["similar", "excerpt.txt", "--contains"],
        "similar by signature": ["similar", name, "--method", "letters", "--gamma", "0.5"],
        "status": ["status"],
        "compare": ["compare", name, "TC-000005"],
        "index status": ["index", "status"],
        "doctor": ["doctor"],
        "methods": ["methods"],
        "sign": ["sign", str(room), "--method", "simhash"],
        "stats show": ["stats", "show", "legal-english"],
        "stats compare": ["stats", "compare", "legal-english", "legal-english", str(room)],
        "scan": ["scan", str(room), "--no-report", "--against", str(room / "note.txt")],
        "schema": ["schema"],
    }


TABLES = sorted(tables(Path("room")))
WITHOUT_MATTER = {"methods", "sign", "stats show", "stats compare", "schema"}
PATHS = re.compile(r"^(    truecopy |(matter|report|truth|written|data room) +)")
"""Lines that are never broken, so that they can be copied."""


@pytest.fixture(scope="module")
def signed(opened: tc.Matter) -> tc.Matter:
    opened.sign("letters")
    return opened


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", TABLES)
def test_every_table_fits(
    name: str, width: int, cli: Any, signed: tc.Matter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No line is wider than the terminal; only commands and names of files are left whole."""
    line = tables(signed.path.parent / "room")[name]
    matter = [] if name in WITHOUT_MATTER else ["--matter", str(tmp_path / "m" if name == "scan" else signed.path)]
    monkeypatch.setenv("COLUMNS", str(width))
    ran = cli(*line, *matter)
    assert ran.code == 0, ran.err
    wide = [text for text in ran.out.splitlines() if cell_len(text) > width and not PATHS.match(text)]
    assert wide == []


ROW = re.compile(r"TC-\d{6}  (?!TC-)")
"""The id before a document; an id within a sentence or another column is followed by something else."""


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_two_rows_can_be_told_apart_without_their_ids(
    width: int, cli: Any, signed: tc.Matter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the two leases and the two damaged files of the same path: their roots are shown."""
    monkeypatch.setenv("COLUMNS", str(width))
    for name in ("documents", "groups", "similar"):
        ran = cli(*LISTS[name], "--matter", str(signed.path))
        rows = [" ".join(row.split()) for row in ROW.split(ran.out.rsplit("\n\n", 1)[0])[1:]]
        assert len(rows) == len(set(rows)) > 1
        if name == "documents":
            assert len(rows) == 21
            assert ran.out.count("(in") == 4
            assert ran.out.count("second") == 2


def test_into_a_pipe_every_row_is_one_line(cli: Any, signed: tc.Matter) -> None:
    ran = cli(*LISTS["pairs"], "--matter", str(signed.path))
    rows = [line for line in ran.out.splitlines() if "TC-" in line]
    assert len(rows) == len(signed.pairs(expand=True).pairs)
    assert all(len(re.findall(r"TC-\d{6}", row)) == 2 for row in rows)
