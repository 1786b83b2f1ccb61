"""`truecopy similar` by signatures and by containment, and `truecopy index`: real matters, and their JSON."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import truecopy as tc
from truecopy import schemas
from truecopy.matter import indexing

CLAUSES = [
    f"Clause {i}. The lessee{i} shall pay rent{i} on day{i} of month{i} to lessor{i} without delay{i}."
    for i in range(60)
]


@pytest.fixture(scope="module")
def matter(tmp_path_factory: pytest.TempPathFactory) -> str:
    room = tmp_path_factory.mktemp("similar") / "room"
    room.mkdir()
    (room / "lease.txt").write_text("\n".join(CLAUSES))
    (room / "version.txt").write_text("\n".join([*CLAUSES[:30], "Another clause.", *CLAUSES[31:]]))
    (room / "part.txt").write_text("\n".join(CLAUSES[20:40]))
    (room / "other.txt").write_text("Quite another text about the weather in spring. " * 20)
    made = tc.scan(room, room.parent / "m", report=False)
    for method in ("letters", "simhash", "mod"):
        made.sign(method)
    return str(made.path)


def checked(name: str, value: dict) -> dict:
    jsonschema.Draft202012Validator(schemas.schema(name)).validate(value)
    return value


def test_by_letters(cli, matter: str):
    ran = cli("similar", "lease.txt", "--matter", matter, "--method", "letters", "--gamma", "0.05", "--json")
    data = checked("similar", ran.json)
    assert [hit["path"] for hit in data["hits"]] == ["version.txt"]
    assert data["method"] == data["spec"]["method"] == "letters"
    assert data["hits"][0]["distance"] > 0
    assert data["examined"] >= 1
    assert data["seconds"] > 0
    assert data["recall"] == 1
    plain = checked("similar", cli("similar", "lease.txt", "--matter", matter, "--json").json)
    assert [hit["similarity"] for hit in plain["hits"]] == [hit["similarity"] for hit in data["hits"]]


def test_by_bits(cli, matter: str):
    near = cli("similar", "lease.txt", "--matter", matter, "--method", "simhash", "--distance", "9", "--json").json
    every = cli("similar", "lease.txt", "--matter", matter, "--method", "simhash", "--distance", "64", "--json").json
    assert {hit["path"] for hit in every["hits"]} == {"version.txt", "part.txt", "other.txt"}
    assert near["hits"] == [hit for hit in every["hits"] if hit["distance"] <= 9]
    assert 0 < len(near["hits"]) < 3


def test_what_contains_and_what_is_contained(cli, matter: str):
    """The part's offsets are those of the containing text: the first clause that was cut out begins there."""
    data = checked("similar", cli("similar", "part.txt", "--matter", matter, "--contains", "--json").json)
    lease = "\n".join(CLAUSES)
    hits = {hit["path"]: hit for hit in data["hits"]}
    assert set(hits) == {"lease.txt", "version.txt"}
    assert hits["lease.txt"]["containment"][0] == 100
    start, end = hits["lease.txt"]["part"]
    assert lease[start:end] == "\n".join(CLAUSES[20:40]).rstrip(".")
    back = checked("similar", cli("similar", "lease.txt", "--matter", matter, "--contained-in", "--json").json)
    inside = {hit["path"]: hit for hit in back["hits"]}["part.txt"]
    assert inside["part"] == [start, end]
    assert inside["containment"] == hits["lease.txt"]["containment"][::-1]
    by_mod = checked(
        "similar", cli("similar", "part.txt", "--matter", matter, "--contains", "--method", "mod", "--json").json
    )
    assert "lease.txt" in {hit["path"] for hit in by_mod["hits"]}


def test_a_person_reads_the_same(cli, matter: str):
    ran = cli("similar", "lease.txt", "--matter", matter, "--method", "letters", "--gamma", "0.05")
    assert "version.txt" in ran.out
    assert "1 document" in ran.out + ran.err
    ran = cli("similar", "part.txt", "--matter", matter, "--contains")
    assert "100.0 / " in ran.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--contains", "--contained-in"], "Both"),
        (["--gamma", "0.1"], "--gamma was given"),
        (["--method", "simhash", "--gamma", "0.1"], "simhash signatures do not have"),
        (["--method", "letters", "--gamma", "-1"], "gamma was given as -1"),
        (["--method", "simhash", "--distance", "-2"], "distance was given as -2"),
        (["--method", "nonsense"], "no signature method"),
        (["--method", "shingles", "--resemblance", "50"], "no signature method"),
        (["--method", "overlap", "--contains"], "no signature method"),
        (["--method", "simhash", "--distance", "65"], "signatures have 64 bits"),
        (["--method", "mod", "--resemblance", "0"], "resemblance is 0"),
        (["--method", "letters", "--gamma", "abc"], "is not a number"),
        (["--method", "topsig"], "no topsig signatures"),
        (["--method", "letters", "--contains"], "cannot tell containment"),
        (["--contains", "--threshold", "0"], "threshold is 0"),
        (["--contains", "--distance", "3"], "--distance was given"),
        (["--method", "letters", "--threshold", "101"], "threshold is 101"),
    ],
)
def test_wrong_use_gets_one_sentence(given: list[str], said: str, cli, matter: str):
    ran = cli("similar", "lease.txt", "--matter", matter, *given, "--json")
    assert ran.code in (1, 2)
    assert said in checked("similar", ran.json)["error"]["message"]
    assert ran.json["error"]["hint"]


def test_index_commands(cli, matter: str):
    """Status names every index, and what is not made yet: a question makes nothing; a file that is cut off is named by
    verify, and made again by rebuild.
    """
    cli("similar", "part.txt", "--matter", matter, "--contains", "--json")
    data = checked("index-status", cli("index", "status", "--matter", matter, "--json").json)
    assert {one["index"]: (one["texts"], one["missing"]) for one in data["indexes"] if one["missing"]} == {
        "shingles": (0, 1)
    }
    assert "1 wave not indexed yet" in cli("index", "status", "--matter", matter).out
    assert cli("index", "rebuild", "shingles", "--matter", matter).code == 0
    data = checked("index-status", cli("index", "status", "--matter", matter, "--json").json)
    assert [one["index"] for one in data["indexes"]] == [
        "overlap",
        "runs",
        "shingles",
        "letters",
        "mod",
        "simhash",
    ]
    assert [one["structure"] for one in data["indexes"]] == [
        "overlap",
        "runs",
        "postings",
        "projections",
        "postings",
        "hamming",
    ]
    assert all(one["texts"] == 4 and one["missing"] == 0 for one in data["indexes"])
    checked("index-verify", cli("index", "verify", "--matter", matter, "--json").json)
    file = Path(matter) / data["indexes"][3]["blocks"][0]["file"]
    file.write_bytes(file.read_bytes()[:-40])
    ran = cli("index", "verify", "--matter", matter, "--json")
    assert ran.code == 1
    assert file.name in ran.json["error"]["message"]
    assert "index rebuild" in ran.json["error"]["hint"]
    assert "1 damaged" in cli("index", "status", "--matter", matter).out
    rebuilt = checked("index-rebuild", cli("index", "rebuild", "letters", "--matter", matter, "--json").json)
    assert rebuilt["rebuilt"] == ["letters"]
    assert cli("index", "verify", "--matter", matter).code == 0
    wrong = cli("index", "rebuild", "nonsense", "--matter", matter, "--json")
    assert wrong.code == 2
    assert "nonsense" in wrong.json["error"]["message"]
    assert cli("index", "rebuild", "--matter", matter).code == 0


def test_an_excerpt_that_is_like_nothing_points_to_what_contains_it(cli, matter: str):
    """On the terminal and in JSON; with a hit that is no copy, or with nothing that contains it, nothing is said."""
    ran = cli("similar", "part.txt", "--matter", matter)
    assert "Similar to TC-000003 (part.txt) at 80 %: no document." in ran.out
    assert f"2 documents contain most of it: truecopy similar part.txt --contains --matter {matter}" in ran.out
    hint = checked("similar", cli("similar", "part.txt", "--matter", matter, "--json").json)["hint"]
    assert hint == f"2 documents contain most of it: `truecopy similar part.txt --contains --matter {matter}`"
    for name in ("lease.txt", "other.txt"):
        assert "hint" not in checked("similar", cli("similar", name, "--matter", matter, "--json").json)


def test_a_text_from_outside_points_to_what_contains_it_too(cli, matter: str, tmp_path: Path):
    """Found by the stored runs of words; of a text with fewer than 50 shingles nothing is said."""
    (tmp_path / "some clauses.txt").write_text("\n".join(CLAUSES[23:29]))
    ran = cli("similar", str(tmp_path / "some clauses.txt"), "--matter", matter)
    command = f"truecopy similar '{tmp_path}/some clauses.txt' --contains --matter {matter}"
    assert f"3 documents contain most of it: {command}" in ran.out
    (tmp_path / "one clause.txt").write_text(CLAUSES[25])
    assert "contain" not in cli("similar", str(tmp_path / "one clause.txt"), "--matter", matter).out


def test_no_index_is_made_for_a_hint(cli, matter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What contains a short or unique text is said where it is stored, and costs nothing where it is not."""
    made: list[str] = []
    real = indexing.make_block

    def make_block(state: Any, name: str, *given: Any, **named: Any) -> Any:
        made.append(name)
        return real(state, name, *given, **named)

    monkeypatch.setattr(indexing, "make_block", make_block)
    copy = tmp_path / "m"
    shutil.copytree(matter, copy)
    texts = {"clause": CLAUSES[7], "unique": "Nobody knows these words of ours. " * 20, "part": "\n".join(CLAUSES[3:9])}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    for name in ("other.txt", "part.txt", *(str(tmp_path / f"{one}.txt") for one in texts)):
        assert ("contain" in cli("similar", name, "--matter", copy).out) == ("part" in name)
    assert made == []
    for file in copy.glob("index-runs.*.segment"):
        file.write_bytes(file.read_bytes()[:-40])
    assert "contain" not in cli("similar", str(tmp_path / "part.txt"), "--matter", copy).out
    assert "2 documents contain most of it" in cli("similar", "part.txt", "--matter", copy).out
    assert made == []


def test_a_hint_counts_what_is_listed(tmp_path: Path):
    """Copies of what contains it count, its own copies do not; in dense families too, by the stored runs."""
    room = tmp_path / "room"
    room.mkdir()
    for n in range(6):
        (room / f"whole{n}.txt").write_text("\n".join([*CLAUSES[:40], f"This is the end of number{n}."]))
    for name, text in {"copy": (room / "whole0.txt").read_text(), "part": "\n".join(CLAUSES[5:15])}.items():
        (room / f"{name}.txt").write_text(text)
        (room / f"{name} again.txt").write_text(text)
    for dense in (2000, 3):
        made = tc.create(tmp_path / f"m{dense}")
        made.change_settings(replace(made.settings, dense=dense, nearest=1))
        made.add(room)
        own = {one.number for one in made.documents() if one.path.startswith("part")}
        listed = [hit for hit in made.containing("part.txt").hits if hit.document.number not in own]
        assert made.count_containing("part.txt") == len(listed) == 8
        assert made.count_containing(room / "part.txt") == 8
        assert made.count_containing("whole1.txt") == len(made.containing("whole1.txt").hits)


def test_a_short_clause_is_never_called_unrelated_to_what_contains_it(cli, matter: str, tmp_path: Path):
    """It has too few shingles for the relation, and so no kind; the table shows that it has none."""
    (tmp_path / "clause.txt").write_text(CLAUSES[7])
    out = cli("similar", str(tmp_path / "clause.txt"), "--matter", matter, "--contains").out
    assert "100.0 / " in out
    assert "unrelated" not in out


@pytest.mark.parametrize("given", [[], ["--contains"], ["--contained-in"], ["--method", "letters"]])
def test_a_document_without_text_is_refused_with_its_reason(given: list[str], cli, tmp_path: Path):
    """Not answered with an empty list, as if nothing were like it."""
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "cut off.docx").write_bytes(b"PK\x03\x04 this is no archive")
    (tmp_path / "room" / "other.txt").write_text("\n".join(CLAUSES))
    tc.scan(tmp_path / "room", tmp_path / "m", report=False).sign("letters")
    ran = cli("similar", "1", "--matter", str(tmp_path / "m"), *given, "--json")
    assert ran.code == 1
    error = checked("similar", ran.json)["error"]
    assert error["code"] == "unreadable"
    assert error["message"].startswith("TC-000001 (cut off.docx) has no text to compare: it is unreadable (not a valid")
