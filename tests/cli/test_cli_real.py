"""The commands with the real library, from a folder of files to every answer, held to the schemas."""

from __future__ import annotations

import io
import json
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

import truecopy as tc
from truecopy import schemas
from truecopy.cli.app import commands
from truecopy.cli.commands.scan import scan_data, show_scan
from truecopy.settings import MatterSettings

NOUNS = ("agreement", "party", "notice", "term", "fee", "service", "record", "office", "claim", "order")
VERBS = ("grants", "delivers", "pays", "ends", "renews", "assigns", "limits", "serves", "keeps", "settles")


def text(seed: int, words: int = 240) -> str:
    """Sentences of a text that is like no text of another seed."""
    dice = random.Random(seed)

    def thing() -> str:
        return f"{dice.choice(NOUNS)}{dice.randrange(40)}"

    return " ".join(f"{thing()} {dice.choice(VERBS)} {thing()}." for _ in range(words // 3))


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "room"
    folder.mkdir()
    base = text(1)
    (folder / "base.txt").write_text(base)
    (folder / "draft.txt").write_text(base.replace("party1 ", "party two ").replace("pays", "owes") + " The end.")
    (folder / "copy.txt").write_text(base)
    (folder / "layout.txt").write_text(base.upper())
    (folder / "other [red].txt").write_text(text(2))
    (folder / "large.txt").write_text(text(3) + "\n\n" + base + "\n\n" + text(4))
    (folder / "empty.txt").write_text("")
    (folder / "ledger.txt").write_text("1 2 3 4 5")
    (folder / "damaged.docx").write_bytes(b"PK\x03\x04 this is no archive")
    (folder.parent / "form.txt").write_text(base.replace("pays", "owes"))
    return folder


@pytest.fixture(scope="module")
def matter(room: Path) -> Path:
    return room.parent / "matter"


@pytest.fixture(scope="module")
def scanned(room: Path, matter: Path) -> dict[str, Any]:
    """One scan for all tests, in a process of its own: nothing but the object may be printed."""
    command = [
        "scan",
        str(room),
        "--matter",
        str(matter),
        "--against",
        str(room.parent / "form.txt"),
        "--json",
    ]
    ended = subprocess.run([sys.executable, "-m", "truecopy", *command], capture_output=True, check=False, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stderr == ""
    loaded: dict[str, Any] = json.loads(ended.stdout)
    return loaded


def check(name: str, value: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schemas.schema(name)).validate(value)


def test_scan_keeps_to_its_schema_and_its_statuses_add_up(scanned, matter):
    check("scan", scanned)
    assert scanned["documents"] == sum(scanned["statuses"].values()) == 9
    assert scanned["statuses"]["unreadable"] == 1
    assert scanned["statuses"]["same-file"] == 1
    assert scanned["statuses"]["same-text"] == 1
    assert Path(scanned["report"]) == matter / "report.html"
    assert Path(scanned["report"]).read_text(encoding="utf-8").startswith("<!")
    best = scanned["against"]["hits"][0]
    assert best["path"] == "draft.txt"
    assert best["similarity"] > 90


def test_status_says_the_same_as_scan(scanned, matter, cli):
    said = cli("status", "--matter", str(matter), "--json").json
    check("status", said)
    assert said["documents"] == scanned["documents"]
    assert said["statuses"] == scanned["statuses"]
    assert said["grouping"] == {"threshold": 80.0, "rule": "longest", "groups": scanned["groups"]}


def test_groups_hold_copies_as_members(scanned, matter, cli):
    said = cli("groups", "--matter", str(matter), "--json").json
    check("groups", said)
    assert len(said["groups"]) == scanned["groups"] == 1
    group = said["groups"][0]
    paths = {group["principal"]["path"], *(member["path"] for member in group["members"])}
    assert paths == {"base.txt", "copy.txt", "layout.txt", "draft.txt"}


def test_pairs_of_both_relations(scanned, matter, cli):
    similar = cli("pairs", "--matter", str(matter), "--threshold", "80", "--json").json
    check("pairs", similar)
    assert len(similar["pairs"]) == scanned["pairs"] == 1
    expanded = cli("pairs", "--matter", str(matter), "--threshold", "80", "--expand", "--json").json
    check("pairs", expanded)
    assert len(expanded["pairs"]) == 6, "four documents, every two of them"
    contains = cli("pairs", "--matter", str(matter), "--threshold", "80", "--relation", "contains", "--json").json
    check("pairs", contains)
    assert any("large.txt" in (pair["a"], pair["b"]) for pair in contains["pairs"])


def test_similar_takes_an_id_a_path_and_a_file_from_outside(scanned, room, matter, cli):
    for document in ("base.txt", str(room.parent / "form.txt")):
        said = cli("similar", document, "--matter", str(matter), "--json").json
        check("similar", said)
        similarities = [hit["similarity"] for hit in said["hits"]]
        assert similarities == sorted(similarities, reverse=True)
        assert "draft.txt" in {hit["path"] for hit in said["hits"]}


def test_compare_of_files_equals_the_library_and_the_matter(scanned, room, matter, cli):
    a, b = str(room / "base.txt"), str(room / "draft.txt")
    said = cli("compare", a, b, "--json").json
    check("compare", said)
    library = tc.compare(a, b)
    assert said["similarity"] == round(library.similarity, 4)
    assert len(said["differences"]) == len(library.differences) > 0
    assert cli("compare", "base.txt", "draft.txt", "--matter", str(matter), "--json").json == said
    shown = cli("compare", a, b).out
    assert "{+" in shown
    assert "[-" in shown


def test_report_and_workbook(scanned, matter, tmp_path, cli):
    page = cli("report", "--matter", str(matter), "--output", str(tmp_path / "page.html"), "--json").json
    check("report", page)
    assert (tmp_path / "page.html").stat().st_size > 1000
    book = cli("report", "--matter", str(matter), "--xlsx", "--output", str(tmp_path / "b.xlsx"), "--json").json
    check("report", book)
    assert (tmp_path / "b.xlsx").read_bytes()[:2] == b"PK"


def test_a_report_into_a_folder_that_is_not_there_is_refused_before_the_scan(room, tmp_path, cli):
    ran = cli(
        "scan",
        str(room),
        "--matter",
        str(tmp_path / "m"),
        "--report",
        str(tmp_path / "no" / "r.html"),
        "--json",
    )
    assert ran.code == 1
    assert not (tmp_path / "m").exists()


def test_a_second_scan_into_the_same_matter_is_refused_with_a_hint(scanned, room, matter, cli):
    ran = cli("scan", str(room), "--matter", str(matter), "--json")
    assert ran.code == 2
    assert "truecopy add" in ran.json["error"]["hint"]


def test_doctor_verifies_the_matter(scanned, matter, cli):
    ran = cli("doctor", "--matter", str(matter), "--json")
    assert ran.code == 0, ran.out
    check("doctor", ran.json)
    assert ran.json["checks"][-1]["name"] == "matter"


def test_init_then_add_in_waves(room, tmp_path, cli):
    made = cli("init", "--matter", str(tmp_path / "m"), "--threshold", "85", "--recall", "exact", "--json").json
    check("init", made)
    assert (made["threshold"], made["recall"]) == (85.0, 1.0)
    added = cli("add", str(room), "--matter", str(tmp_path / "m"), "--wave", "first", "--json").json
    check("add", added)
    assert (added["documents"], added["wave"], added["already"]) == (9, "first", 0)
    again = cli("add", str(room), "--matter", str(tmp_path / "m"), "--json").json
    check("add", again)
    assert again["already"] == 9


def test_floor_lowers_what_can_be_asked_for(room, tmp_path, cli):
    cli("scan", str(room), "--matter", str(tmp_path / "m"), "--threshold", "95", "--floor", "95", "--json")
    assert cli("pairs", "--matter", str(tmp_path / "m"), "--threshold", "75", "--json").json["ok"] is False
    lowered = cli("floor", "75", "--matter", str(tmp_path / "m"), "--json").json
    check("floor", lowered)
    assert (lowered["before"], lowered["floor"]) == (95.0, 75.0)
    found = cli("pairs", "--matter", str(tmp_path / "m"), "--threshold", "75", "--json").json["pairs"]
    assert len(found) == lowered["pairs"] > 0


def test_a_wave_has_a_headline_of_its_own_beside_the_matters(room, tmp_path, cli):
    matter = str(tmp_path / "waves")
    first = cli("scan", str(room), "--matter", matter, "--no-report", "--json").json
    copies = tmp_path / "copies"
    copies.mkdir()
    (copies / "again.txt").write_bytes((room / "base.txt").read_bytes())
    (copies / "damaged.docx").write_bytes(b"PK\x03\x04 no archive at all")
    said = cli("add", str(copies), "--matter", matter, "--wave", "two", "--json").json
    check("add", said)
    assert said["counts"] == {"copies": 1, "near_copies": 0, "to_read": 0, "not_searched": 1, "empty": 0}
    assert said["matter_counts"] == cli("status", "--matter", matter, "--json").json["counts"]
    assert sum(said["matter_counts"].values()) == first["documents"] + 2
    listed = cli("documents", "--status", "not-searched", "--wave", "two", "--matter", matter, "--json").json
    assert [one["path"] for one in listed["documents"]] == ["damaged.docx"]


def test_a_person_who_adds_a_wave_sees_what_was_not_searched(room, tmp_path, cli):
    matter = str(tmp_path / "waves")
    cli("scan", str(room), "--matter", matter, "--no-report")
    late = tmp_path / "late"
    late.mkdir()
    (late / "damaged.docx").write_bytes(b"PK\x03\x04 no archive at all")
    out = cli("add", str(late), "--matter", matter, "--wave", "late").out
    assert "damaged.docx" in out
    assert "truecopy documents --status not-searched --wave late --matter" in out
    assert "in the whole matter" in out


def test_adding_what_is_there_makes_no_wave_and_says_so(room, tmp_path, cli):
    """A name that no wave has would be refused by the next command."""
    matter = str(tmp_path / "waves")
    first = cli("scan", str(room), "--matter", matter, "--no-report", "--json").json
    again = cli("add", str(room), "--matter", matter, "--json").json
    check("add", again)
    assert (again["documents"], again["wave"], again["already"]) == (0, None, first["documents"])
    assert sum(again["counts"].values()) == 0
    out = cli("add", str(room), "--matter", matter).out
    assert out.startswith(
        f"Nothing is new: {first['documents']} documents are in the matter already. No wave was made."
    )
    assert len(cli("status", "--matter", matter, "--json").json["waves"]) == 1


def test_contained_texts_are_counted_and_listed_whatever_the_threshold(room, tmp_path, cli):
    """The matter's threshold is one of similarity, and says nothing about containment."""
    matter = str(tmp_path / "contains")
    scanned = cli("scan", str(room), "--matter", matter, "--threshold", "95", "--no-report", "--json").json
    check("scan", scanned)
    listed = cli("pairs", "--relation", "contains", "--matter", matter, "--json").json["pairs"]
    assert scanned["contains"] == len(listed) > 0
    assert scanned["only_contained"] == sum(pair["similarity"] < 95 for pair in listed) > 0
    assert all(max(pair["containment"]) >= 80 for pair in listed)
    out = cli("pairs", "--relation", "contains", "--matter", matter).out
    assert out.endswith(f"{len(listed)} pairs at 80 % containment.\n")
    said = cli("scan", str(room), "--matter", str(tmp_path / "again"), "--no-report").out
    assert f"truecopy pairs --relation contains --matter {tmp_path / 'again'}" in said


def test_a_scan_says_how_many_pairs_of_a_very_large_family_are_not_stored(tmp_path):
    """Forty forms that differ in a name: 780 pairs, of which a family kept small stores a part."""
    room = tmp_path / "forms"
    room.mkdir()
    for number in range(40):
        (room / f"{number}.txt").write_text(f"{text(9)} signed by party{number}")
    matter = tc.scan(room, tmp_path / "m", settings=MatterSettings(dense=20, nearest=3), report=False)
    said = scan_data(matter)
    assert len(matter.pairs(expand=True)) == 40 * 39 // 2
    assert said["pairs"] < 780 <= said["pairs"] + said["left_out"]
    console = Console(file=io.StringIO(), width=200)
    show_scan(console, matter)
    assert f"{said['pairs']} stored at 80 % or more; up to {said['left_out']} more" in console.file.getvalue()


def test_an_archive_over_the_limit_is_seen_and_the_limit_can_be_set(tmp_path, cli):
    """Scan and add say how many members were not read, and the document says which option reads them."""
    room = tmp_path / "room"
    room.mkdir()
    with zipfile.ZipFile(room / "delivery.zip", "w") as packed:
        for number in range(30):
            packed.writestr(f"{number}.txt", text(number))
    (room / "other.txt").write_text(text(99))
    limited = ("--max-members", "29", "--no-report")
    scanned = cli("scan", str(room), "--matter", str(tmp_path / "m"), *limited, "--json").json
    assert (scanned["documents"], scanned["members_not_read"]) == (2, 30)
    assert scanned["statuses"]["too-large"] == 1
    (one,) = cli("documents", "--status", "too-large", "--matter", str(tmp_path / "m"), "--json").json["documents"]
    assert "--max-members" in one["reason"]
    said = cli("scan", str(room), "--matter", str(tmp_path / "n"), *limited).out
    assert "30 files or messages of archives and mailboxes not read" in said
    added = cli("add", str(room), "--matter", str(tmp_path / "m"), "--max-members", "30", "--json").json
    assert (added["documents"], added["already"], added["members_not_read"]) == (30, 1, 0)
    assert cli("scan", str(room), "--matter", str(tmp_path / "o"), "--max-members", "0").code == 2


def test_a_folder_without_files_is_refused_and_changes_nothing(room, tmp_path, cli):
    """Somebody has named the wrong folder: a matter of nothing would say that nothing is similar."""
    nothing, matter = tmp_path / "nothing", tmp_path / "matter"
    (nothing / "deeper").mkdir(parents=True)
    ran = cli("scan", str(nothing), "--matter", str(matter))
    assert ran.code == 1
    assert ran.err.startswith(f"No file was found in {nothing}.")
    assert not matter.exists()
    cli("scan", str(room), "--matter", str(matter), "--no-report")
    before = cli("status", "--matter", str(matter), "--json").json
    assert cli("add", str(nothing), "--matter", str(matter)).code == 1
    assert cli("status", "--matter", str(matter), "--json").json == before
    assert cli("add", str(room), "--matter", str(matter)).code == 0, "all of it is there already"


def test_similar_says_which_document_it_took(scanned, room, matter, cli):
    given = ("similar", "base.txt", "--matter", str(matter))
    said = cli(*given, "--json").json["asked"]
    assert said["path"] == "base.txt"
    assert f"{said['id']} (base.txt)" in cli(*given).out
    assert f"{said['id']} (base.txt)" in cli(*given, "--contains").out
    outside = cli("similar", str(room / "base.txt"), "--matter", str(matter), "--json").json["asked"]
    assert outside == {"id": None, "path": str(room / "base.txt")}
    ran = cli("similar", "", "--matter", str(matter))
    assert (ran.code, ran.err.splitlines()[0]) == (2, "An empty name was given, but one document was expected.")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("groups", "--limit", "x"), "Invalid value for '--limit': 'x' is not a whole number."),
        (("groups", "--limit", "0"), "Invalid value for '--limit': 0 was given, but 1 or more was expected."),
        (("similar", "1", "--distance", "q"), "Invalid value for '--distance': 'q' is not a whole number."),
        (("groups", "--nope"), "There is no option --nope."),
    ],
)
def test_what_typer_refuses_is_said_in_plain_words(given, sentence, cli):
    ran = cli(*given)
    assert (ran.code, ran.err.splitlines()[0]) == (2, sentence)


def test_a_path_that_is_not_there_leaves_no_matter_behind(tmp_path, cli):
    assert cli("scan", str(tmp_path / "no"), "--matter", str(tmp_path / "m"), "--json").code == 1
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["status", "--matter", "nowhere"], "not-found"),
        (["floor", "99", "--matter", "{matter}"], "bad-setting"),
        (["scan", "nowhere", "--matter", "{tmp}/m"], "not-found"),
        (["init", "--matter", "{tmp}/m", "--threshold", "101"], "bad-setting"),
        (["init", "--matter", "{tmp}/m", "--threshold", "nan"], "bad-setting"),
        (["init", "--matter", "{tmp}/m", "--recall", "most"], "bad-setting"),
        (["init", "--matter", "{tmp}/m", "--rule", "prettiest"], "bad-setting"),
        (["groups", "--matter", "{matter}", "--threshold", "10"], "below-floor"),
        (["pairs", "--matter", "{matter}", "--relation", "likes"], "usage"),
        (["similar", "nothing", "--matter", "{matter}"], "not-found"),
        (["compare", "nothing", "nowhere"], "not-found"),
    ],
)
def test_failures_of_the_library_keep_to_the_schema(arguments, code, scanned, matter, tmp_path, cli):
    filled = [word.format(tmp=tmp_path, matter=matter) for word in arguments]
    ran = cli(*filled, "--json")
    check(arguments[0], ran.json)
    assert ran.json["error"]["code"] == code
    assert ran.code == (1 if code == "not-found" else 2)
    assert ran.err == ""


def test_every_command_that_a_message_names_exists():
    """A hint such as "run `truecopy add`" must not lead nowhere."""
    known = {name.split()[0] for name in commands()}
    every: set[str] = set()
    for source in Path(tc.__file__).parent.rglob("*.py"):
        named = re.findall(r"[`'\"]truecopy ([a-z]+)", source.read_text(encoding="utf-8"))
        assert set(named) <= known, source.name
        every |= set(named)
    assert {"add", "floor", "sign"} <= every, "messages are found at all"
