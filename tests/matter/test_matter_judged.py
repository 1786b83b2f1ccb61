"""One judge: what two texts are to each other, by the contract's table of kinds, in every answer and at every floor."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.matter.matter import Matter
from truecopy.matter.store import Store
from truecopy.settings import MatterSettings

BASE = [f"clause{n % 97} binds party{n} and its successors{n % 13}" for n in range(60)]
"""Sentences of six words; any three words in a row are met once."""
FLOORS = (50, 60, 65, 66, 70, 80, 90, 95)


def rtf(text: str, day: int) -> str:
    """A document with a date of its own."""
    spelled = text.replace("\n\n", "\\par\\par ")
    return f"{{\\rtf1\\ansi{{\\info{{\\revtim\\yr2024\\mo3\\dy{day}}}}} {spelled}}}"


def text(sentences: list[str]) -> str:
    """Paragraphs of ten sentences."""
    return "\n\n".join(". ".join(sentences[at : at + 10]) + "." for at in range(0, len(sentences), 10))


def other(sentences: list[str], words: int) -> list[str]:
    """So many words of them replaced, spread over all."""
    flat = " ".join(sentences).split(" ")
    for n in range(words):
        flat[n * len(flat) // words] = f"new{n}"
    return [" ".join(flat[at : at + 6]) for at in range(0, len(flat), 6)]


PAPERS = {
    "base.rtf": rtf(text(BASE), 10),
    "near.rtf": rtf(text(other(BASE, 3)), 11),
    "far.rtf": rtf(text(other(BASE, 126)), 12),  # exactly 65 % similar
    "early excerpt.rtf": rtf(text(BASE[10:40]), 1),
    "late excerpt.rtf": rtf(text(BASE[10:40]).upper() + " And so on, at the end.", 20),
    "excerpt.txt": text(BASE[20:45]),
    "short.txt": " ".join(BASE[3:7]),  # 24 words of the base, too few to be contained
    "longer.rtf": rtf(text(BASE) + "\n\n" + text([f"more{n} is said here now" for n in range(30)]), 25),
    "inside.txt": text(BASE).replace(f"{BASE[4]}. ", f"{BASE[4]}. In between, something else is said. "),
    "articles.txt": text(BASE).replace("binds party7 ", "binds the party7 "),
    "figures.txt": text(BASE).replace("party9 ", "$party9 "),
    "moved.txt": text([*BASE[30:], *BASE[:30]]),
    "stranger.txt": text([f"nothing{n} of this is known" for n in range(60)]),
    "copy.rtf": rtf(text(BASE).lower(), 28),
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "room"
    folder.mkdir()
    for name, content in PAPERS.items():
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module", params=FLOORS)
def matter(request: pytest.FixtureRequest, room: Path) -> Matter:
    """A matter at each floor; that of `contains` is as usual."""
    floor = float(request.param)
    made = Matter(Store.create(room.parent / f"m{floor:g}", MatterSettings(max(floor, 80.0), floor)))
    made.add(room)
    for method in ("letters", "simhash", "words"):
        made.sign(method)
    return made


def kinds_with(matter: Matter, name: str) -> dict[str, str]:
    """What `compare` says of a document and each other one."""
    return {one.path: matter.compare(name, one).kind for one in matter.documents() if one.path != name}


def test_kinds_are_those_of_the_table(matter: Matter) -> None:
    """Only what needs the relation `similar` depends on its floor."""
    found, floor = kinds_with(matter, "base.rtf"), matter.settings.floor
    assert found == {
        "near.rtf": "revision",
        "far.rtf": "revision" if floor <= 65 else "unrelated",
        "early excerpt.rtf": "elaboration",  # the longer one is later
        "late excerpt.rtf": "excerpt",
        "excerpt.txt": "excerpt",
        "short.txt": "unrelated",
        "longer.rtf": "elaboration",
        "inside.txt": "insertion",
        "articles.txt": "same-words",
        "figures.txt": "revision",
        "moved.txt": "revision" if floor <= 50 else "contained",
        "stranger.txt": "unrelated",
        "copy.rtf": "same-text",
    }


def test_every_answer_has_the_measures_and_the_kind_of_compare(matter: Matter, room: Path) -> None:
    """Pairs of both relations, groups at every threshold, `similar` by words and signatures, inside and outside."""
    checked = 0
    floor = matter.settings.floor

    def must_be(a: tc.Document, b: tc.Document, kind: str, similarity: float | None) -> None:
        nonlocal checked
        compared = matter.compare(a, b)
        assert (kind, similarity) == (compared.kind, compared.similarity), (a.path, b.path)
        checked += 1

    for relation, least in (("similar", floor), ("contains", 80)):
        for pair in matter.pairs(least, relation, expand=True):
            must_be(pair.a, pair.b, pair.kind, pair.scores.similarity)
            assert pair.scores.containment == matter.compare(pair.a, pair.b).containment
    for threshold in {None, floor, 96.0}:
        for group in matter.groups(threshold).groups:
            for member in group.members:
                must_be(group.principal, member.document, member.kind, member.similarity)
    for asked in matter.documents():
        for name in (asked, room / asked.path):
            if isinstance(name, Path) and asked.copy_of:
                continue  # in a matter, a copy has its original's date
            hits = list(matter.similar(name, floor))
            hits += matter.near(name, "letters", gamma=3.0).hits + matter.near(name, "simhash", distance=30).hits
            hits += matter.near(name, "words", resemblance=2).hits
            hits += matter.containing(name, 20).hits + matter.containing(name).hits
            hits += matter.contained_in(name, 20).hits + matter.contained_in(name).hits
            for hit in hits:
                if hit.document != asked:
                    must_be(asked, hit.document, hit.kind, hit.similarity)
    assert checked > 100


def test_a_form_is_judged_as_a_document(matter: Matter, room: Path, tmp_path: Path) -> None:
    """`scan --against` says of a form what `compare` says of the same document."""
    settings = replace(matter.settings)
    form = tmp_path / "form.rtf"
    shutil.copy(room / "base.rtf", form)
    scanned = tc.scan(room, tmp_path / "m", settings=settings, against=form, report=False)
    assert scanned.scanned is not None
    said = {hit.document.path: hit for hit in scanned.scanned.against.hits}
    assert said.keys() == PAPERS.keys()
    assert said.pop("base.rtf").kind == "same-file"
    for name, hit in said.items():
        compared = matter.compare("base.rtf", name)
        assert (hit.kind, hit.similarity, hit.containment) == (
            compared.kind,
            compared.similarity,
            compared.containment,
        ), name


def test_kinds_of_pairs_change_with_the_floor_only_where_a_relation_begins_or_ends(room: Path, tmp_path: Path) -> None:
    """From one floor to the next lower one, a pair that was stored keeps its measures and its kind, unless its kind
    was that of the relation `contains` and it is similar now.
    """
    made = Matter(Store.create(tmp_path / "m", MatterSettings(95.0, 95.0)))
    made.add(room)
    listed = [stored(made)]
    for floor in sorted(FLOORS, reverse=True)[1:]:
        made.lower_floor(floor)
        listed.append(stored(made))
    for before, after in pairwise(listed):
        for pair, (kind, scores) in before.items():
            now, again = after[pair]
            assert again == scores
            assert now == kind or (kind, now) == ("contained", "revision"), pair


def stored(matter: tc.Matter) -> dict[tuple[str, ...], tuple[str, object]]:
    return {
        (relation, pair.a.path, pair.b.path): (pair.kind, pair.scores)
        for relation, floor in (("similar", matter.settings.floor), ("contains", matter.settings.contains_floor))
        for pair in matter.pairs(floor, relation)
    }


def test_a_text_that_is_too_short_is_told_to_be_unrelated_wherever_it_is_asked_for(tmp_path: Path) -> None:
    """A matter stores no pair of it; no other answer speaks of a relation either."""
    nine = "The owner lets the house to the tenant today"
    (tmp_path / "room").mkdir()
    for name, words in {"nine": nine, "ten": f"{nine} again"}.items():
        (tmp_path / "room" / f"{name}.txt").write_text(words)
    matter = tc.scan(tmp_path / "room", tmp_path / "m", report=False)
    assert matter.statuses() == {"too-short": 1, "unique": 1}
    assert not matter.pairs(70, expand=True)
    assert not matter.pairs(80, "contains", expand=True)
    assert list(matter.similar("nine.txt")) == []
    assert matter.compare("nine.txt", "ten.txt").kind == "unrelated"
    found = [matter.containing("nine.txt"), matter.contained_in("ten.txt", 10)]
    matter.sign("simhash")
    found.append(matter.near("nine.txt", "simhash", distance=64))
    assert {hit.kind for answer in found for hit in answer.hits} == {"unrelated"}


def test_a_file_is_similar_to_no_text_that_is_too_short_however_it_is_looked_for(tmp_path: Path) -> None:
    """By the stored runs, and by the bags of words where the runs are lost: the judge has the last word."""
    nine = "The owner lets the house to the tenant today"
    (tmp_path / "room").mkdir()
    for name, words in {"nine": nine, "ten": f"{nine} again", "another ten": f"{nine} anew"}.items():
        (tmp_path / "room" / f"{name}.txt").write_text(words)
    matter = tc.scan(tmp_path / "room", tmp_path / "m", report=False)
    asked = tmp_path / "asked.txt"
    asked.write_text(f"{nine} once")
    assert sorted(hit.document.path for hit in matter.similar(asked)) == ["another ten.txt", "ten.txt"]
    (runs,) = (tmp_path / "m").glob("index-runs*")
    runs.unlink()
    assert sorted(hit.document.path for hit in matter.similar(asked)) == ["another ten.txt", "ten.txt"]
    asked.write_text(nine)
    assert [(hit.document.path, hit.kind) for hit in matter.similar(asked)] == [("nine.txt", "same-file")]


def test_the_rules_about_lengths_are_the_rows_of_the_table() -> None:
    """Questions ask the table: no module beside it and the judge says from how many shingles on a text is contained."""
    package = Path(tc.__file__).parent
    told = [
        place.relative_to(package).as_posix()
        for folder in ("matter/ask", "group", "wave")
        for place in sorted((package / folder).rglob("*.py"))
        if "SHORTEST_CONTAINED" in place.read_text(encoding="utf-8")
    ]
    assert told == []
