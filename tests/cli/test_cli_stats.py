"""`truecopy stats`: from a folder of files to statistics and back, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from truecopy import schemas
from truecopy.sign.statistics import SHIPPED, Statistics, build, shipped

TEXTS = {
    "a.txt": "The lessee pays the rent. " * 3,
    "b.txt": "The lessor keeps the premises in repair. " * 3,
    "copy of a.txt": "The lessee pays the rent. " * 3,
    "sub/c.md": "Die Mieterin zahlt 500 Euro. " * 3,
}


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder of four texts and two files that cannot be read."""
    folder = tmp_path / "room"
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of a PDF follows")
    (folder / "empty.txt").touch()
    return folder


def said(cli: Any, *arguments: str | Path) -> dict[str, Any]:
    """What a command says with --json, held to its schema."""
    ran = cli("stats", *map(str, arguments), "--json")
    jsonschema.Draft202012Validator(schemas.schema(f"stats-{arguments[0]}")).validate(ran.json)
    assert ran.err == ""
    assert (ran.code == 0) is ran.json["ok"]
    return ran.json


def test_build_counts_every_document_and_names_what_cannot_be_read(cli, room, tmp_path):
    out = tmp_path / "room.statistics"
    found = said(cli, "build", room, "--out", out, "--keep-all", "--threads", "2")
    made = build([text for _, text in sorted(TEXTS.items())])
    assert Statistics.load(out).id == found["id"] == made.id
    assert (found["documents"], found["file"], found["filter"]) == (4, str(out), None)
    assert (found["words"], found["grams"]) == (len(made.words), len(made.grams))
    assert (found["total_words"], found["total_grams"]) == (made.words.total, made.grams.total)
    unread = {one["path"]: one["reason"] for one in found["unreadable"]}
    assert set(unread) == {"broken.pdf", "empty.txt"}
    assert unread["empty.txt"] == "the file is empty"
    shown = cli("stats", "build", str(room), "--out", str(out))
    assert shown.code == 0
    assert "not counted             2 documents" in shown.out
    assert "broken.pdf" in shown.out


def test_build_filters_as_the_paper_unless_all_is_to_be_kept(cli, room, tmp_path):
    out = tmp_path / "room.statistics"
    found = said(cli, "build", room, "--out", out)
    assert found["filter"] == {"letters_only": True, "shortest": 3, "least": 5, "least_grams": 5}
    assert Statistics.load(out).words.texts() == ["lessee", "pays", "rent", "the"]
    assert found["total_words"] == 5 * 3 + 7 * 3 + 5 * 3 + 5 * 3


def test_build_takes_another_length_and_profile(cli, room, tmp_path):
    out = tmp_path / "room.statistics"
    found = said(cli, "build", room, "--out", out, "--keep-all", "--ngram", "2", "--profile", "plain")
    assert (found["ngram"], found["profile"]) == (2, "plain")
    assert found["id"] == build(list(TEXTS.values()), ngram=2, profile="plain").id


def test_merging_parts_gives_what_building_from_all_gives(cli, room, tmp_path):
    whole, first, second, both = (tmp_path / f"{name}.statistics" for name in ("whole", "first", "second", "both"))
    kept = said(cli, "build", room, "--out", whole, "--keep-all")
    filtered = said(cli, "build", room, "--out", whole)
    said(cli, "build", room / "a.txt", room / "b.txt", "--out", first, "--keep-all")
    said(cli, "build", room / "sub", room / "copy of a.txt", "--out", second, "--keep-all")
    merged = said(cli, "merge", second, first, "--out", both)
    assert (merged["id"], merged["merged"], merged["documents"]) == (kept["id"], 2, 4)
    assert said(cli, "merge", first, second, "--out", both, "--filter")["id"] == filtered["id"]
    refused = said(cli, "merge", whole, first, "--out", both)
    assert refused["error"]["code"] == "bad-setting"
    assert "Filtered statistics cannot be merged" in refused["error"]["message"]


def test_show_lists_what_is_most_frequent(cli, room, tmp_path):
    out = tmp_path / "room.statistics"
    said(cli, "build", room, "--out", out, "--keep-all")
    found = said(cli, "show", out, "--top", "2")
    assert found["top"]["words"][0] == {"text": "the", "df": 3, "cf": 18, "idf": 0.25193}
    assert [len(rows) for rows in found["top"].values()] == [2, 2]
    assert found["top"]["grams"][0] == {"text": " les", "df": 3, "cf": 9, "idf": 0.25193}
    assert said(cli, "show", out, "--top", "0")["top"] == {"words": [], "grams": []}
    shown = cli("stats", "show", str(out))
    assert shown.code == 0
    assert "“ les”" in shown.out


def test_the_table_that_comes_with_the_package_has_a_name(cli):
    found = said(cli, "show", SHIPPED, "--top", "1")
    assert found["id"] == shipped().id
    assert found["top"]["words"][0]["text"] == "the"


def test_compare_tells_how_far_two_tables_agree(cli, room, tmp_path):
    one, other = tmp_path / "one.statistics", tmp_path / "other.statistics"
    build(["lease rent"] * 4 + ["lease term"] * 5 + ["only"] * 6).save(one)
    build(["lease rent"] * 9 + ["lease term"] * 5 + ["added"]).save(other)
    found = said(cli, "compare", one, other)
    assert (found["terms"], found["only_a"], found["only_b"]) == (3, 1, 1)
    assert found["spearman"] == 0.5
    assert {"documents", "changed", "unreadable"}.isdisjoint(found)
    assert found["a"] != found["b"]
    (room / "d.txt").write_text("The lease has a term and a rent.")
    found = said(cli, "compare", one, other, room / "d.txt", room / "a.txt", room / "empty.txt")
    assert found["documents"] == 2
    assert found["unreadable"] == [{"path": "empty.txt", "reason": "the file is empty"}]
    assert [change["length"] for change in found["changed"]] == list(range(1, 31))
    # Rent is too rare for the first table. a.txt: nothing against rent; d.txt: term in both, then lease against rent.
    assert [change["changed"] for change in found["changed"]] == [1] + [2] * 29
    assert [change["share"] for change in found["changed"]] == [0.5] + [1.0] * 29
    shown = cli("stats", "compare", str(one), str(other), str(room))
    assert shown.code == 0
    assert "Spearman's coefficient  0.5000" in shown.out


def test_a_table_agrees_with_itself_and_changes_no_signature(cli, room):
    found = said(cli, "compare", SHIPPED, SHIPPED, room)
    assert found["spearman"] == 1.0
    assert (found["only_a"], found["only_b"]) == (0, 0)
    assert {change["changed"] for change in found["changed"]} == {0}


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code", "sentence"),
    [
        (["build", "--out", "{tmp}/x"], "usage", 2, "Missing argument 'PATH'."),
        (["build", "{room}"], "usage", 2, "Missing option '--out'."),
        (["build", "{room}", "--out", "{tmp}/x", "--ngram", "0"], "bad-setting", 2, "given as 0, but it must be"),
        (["build", "{room}", "--out", "{tmp}/x", "--ngram", "9"], "bad-setting", 2, "one of 1, 2, 3, 4, 5, 6, 7, 8"),
        (["build", "{room}", "--out", "{tmp}/x", "--profile", "p"], "bad-setting", 2, "one of plain, verbatim"),
        (["build", "{room}", "--out", "{room}"], "bad-setting", 2, "is a folder"),
        (["build", "{room}", "--out", "{tmp}/no/x"], "not-found", 1, "does not exist"),
        (["build", "{room}", "--out", "{room}/a.txt"], "bad-setting", 2, "does not hold statistics"),
        (["build", "{tmp}/nowhere", "--out", "{tmp}/x"], "not-found", 1, "nowhere"),
        (["build", "{room}/empty.txt", "--out", "{tmp}/x"], "unreadable", 1, "there is nothing to count"),
        (["merge", "--out", "{tmp}/x"], "usage", 2, "Missing argument 'FILE'."),
        (["merge", "{room}", "--out", "{tmp}/x"], "bad-setting", 2, "is a folder"),
        (["show", "{room}"], "bad-setting", 2, "is a folder"),
        (["show", "legal-french"], "not-found", 1, "There are no statistics at legal-french."),
        (["show", "{room}/a.txt"], "damaged", 1, "was not written by truecopy"),
        (["show", "legal-english", "--top", "-1"], "usage", 2, "--top"),
        (["compare", "legal-english"], "usage", 2, "Missing argument 'B'."),
        (["compare", "legal-english", "legal-french"], "not-found", 1, "There are no statistics at legal-french."),
        (["compare", "legal-english", "legal-english", "{tmp}/nowhere"], "not-found", 1, "nowhere"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said_in_one_sentence(arguments, code, exit_code, sentence, cli, room, tmp_path):
    ran = cli("stats", *(word.format(tmp=tmp_path, room=room) for word in arguments), "--json")
    jsonschema.Draft202012Validator(schemas.schema(f"stats-{arguments[0]}")).validate(ran.json)
    assert ran.json["error"]["code"] == code
    assert ran.code == exit_code
    assert sentence in ran.json["error"]["message"]
    assert ran.json["error"]["hint"]
    assert not (tmp_path / "x").exists()
