"""Documents that come in waves: the same pairs as all at once, and what has been given out stays."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from whole_room import document, write_room
from whole_state import state

import truecopy as tc
from truecopy.model import Pair

SEED = 23
Key = frozenset[str]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents below one root, so that a path means the same in one wave and in three."""
    folder = tmp_path_factory.mktemp("waves") / "room"
    write_room(folder / "one", SEED, range(0, 14))
    write_room(folder / "two", SEED, range(7, 21), range(1, 3))
    write_room(folder / "three", SEED, range(14, 24), range(3, 4))
    return folder


def files(room: Path, *waves: str) -> list[Path]:
    """A wave's documents, and a file at the top that makes `room` the root of every wave."""
    anchor = room / "anchor.txt"
    anchor.write_text("a note that holds the root")
    return [anchor, *(file for wave in waves for file in (room / wave).rglob("*") if file.is_file())]


@pytest.fixture(scope="module")
def at_once(room: Path) -> tc.Matter:
    return tc.scan(files(room, "one", "two", "three"), room.parent / "at-once", report=False)


@pytest.fixture(scope="module")
def in_waves(room: Path) -> tuple[tc.Matter, list[tc.Grouping], list[list[tc.Document]]]:
    """A matter of three waves, and what it said after each."""
    matter = tc.create(room.parent / "in-waves")
    groupings, documents = [], []
    for wave in ("one", "two", "three"):
        added = matter.add(files(room, wave), wave=f"wave {wave}")
        assert added.wave == f"wave {wave}"
        assert sum(added.statuses.values()) == added.documents
        groupings.append(matter.groups())
        documents.append(matter.documents())
    return matter, groupings, documents


def measures(pair: Pair, first: str) -> tuple[object, ...]:
    """The measures of a pair, seen from the document at a path."""
    scores = pair.scores
    ways = scores.containment if pair.a.path == first else scores.containment[::-1]
    return scores.distance, scores.resemblance, ways, scores.terminology


def by_paths(matter: tc.Matter, relation: str) -> dict[Key, tuple[object, ...]]:
    found = {}
    for pair in matter.pairs(80, relation, expand=True).pairs:
        first = min(pair.a.path, pair.b.path)
        found[frozenset({pair.a.path, pair.b.path})] = measures(pair, first)
    return found


@pytest.mark.parametrize("relation", ["similar", "contains"])
def test_pairs_are_those_of_one_wave(at_once, in_waves, relation):
    """Who came in which wave changes no pair and no measure."""
    expected = by_paths(at_once, relation)
    assert len(expected) > 100
    assert by_paths(in_waves[0], relation) == expected


def test_views_at_another_threshold_are_those_of_one_wave(at_once, in_waves):
    """A view is computed from the pairs alone; its groups have the same principals and members by path."""

    def shape(matter: tc.Matter) -> dict[str, frozenset[str]]:
        return {
            group.principal.words_sha256: frozenset(member.document.path for member in group.members)
            | {group.principal.path}
            for group in matter.groups(90).groups
        }

    assert set(map(frozenset, shape(in_waves[0]).values())) == set(map(frozenset, shape(at_once).values()))


def test_groups_ids_and_principals_of_earlier_waves_stay(in_waves):
    """A later wave only adds: no group goes, none changes its principal or loses a member."""
    _, groupings, _ = in_waves
    for earlier, later in itertools.pairwise(groupings):
        after = {group.id: group for group in later.groups}
        for group in earlier.groups:
            assert group.id in after
            assert after[group.id].principal.id == group.principal.id
            before = {member.document.id: member.similarity for member in group.members}
            now = {member.document.id: member.similarity for member in after[group.id].members}
            assert before.items() <= now.items()


def test_documents_of_earlier_waves_keep_their_ids(in_waves):
    _, _, documents = in_waves
    for earlier, later in itertools.pairwise(documents):
        assert [(d.id, d.path, d.sha256, d.wave) for d in earlier] == [
            (d.id, d.path, d.sha256, d.wave) for d in later[: len(earlier)]
        ]


def test_newcomers_join_by_the_contract(in_waves):
    """Each wave's texts, in rule order, go to the most similar principal that exists, else to a star of their own."""
    matter, _, _ = in_waves
    threshold = matter.settings.threshold
    similarity = {
        (a, b): pair.scores.similarity
        for pair in matter.pairs(threshold, "similar").pairs
        for a, b in ((pair.a.id, pair.b.id), (pair.b.id, pair.a.id))
    }
    set_aside = ("unreadable", "excluded", "empty", "numbers-only", "same-file", "same-text", "too-short")
    principals: list[str] = []
    expected: dict[str, set[str]] = {}
    for wave in matter.waves():
        newcomers = [d for d in matter.documents() if d.wave == wave.name and d.status not in set_aside]
        new: list[str] = []
        for newcomer in sorted(newcomers, key=lambda d: (-d.words, d.number)):
            for old in (principals, new):
                near = {other: similarity[newcomer.id, other] for other in old if (newcomer.id, other) in similarity}
                if near:
                    best = max(near.values())
                    expected[newcomer.id] = {other for other, value in near.items() if value == best}
                    break
            else:
                new.append(newcomer.id)
        principals += new
    said = {
        member.document.id: group.principal.id
        for group in matter.groups().groups
        for member in group.members
        if member.document.status == "member"
    }
    assert said.keys() == expected.keys()
    assert len(said) > 20
    for member, principal in said.items():
        assert principal in expected[member], member


def test_every_document_is_in_one_status_and_statuses_add_up(in_waves):
    matter, _, _ = in_waves
    assert sum(matter.statuses().values()) == len(matter.documents())
    assert sum(wave.documents for wave in matter.waves()) == len(matter.documents())
    grouping = matter.groups()
    members = [member.document.id for group in grouping.groups for member in group.members]
    assert len(members) == len(set(members)), "no document is in two groups"
    said = {d.id: d.status for d in matter.documents()}
    assert {group.principal.id for group in grouping.groups} == {
        id_ for id_, status in said.items() if status == "principal"
    } | {d.copy_of for d in matter.documents() if said.get(d.copy_of) in ("too-short", "numbers-only")}
    counts = matter.counts()
    assert counts.documents == len(matter.documents())
    assert counts.copies == sum(bool(d.copy_of) for d in matter.documents())
    assert {linked.document.id for linked in grouping.linked} == {
        id_ for id_, status in said.items() if status == "linked"
    }


def test_the_same_files_again_add_nothing(room, tmp_path):
    """No document, no wave, no change."""
    matter = tc.scan(files(room, "one"), tmp_path / "matter", report=False)
    before = state(matter)
    again = matter.add(files(room, "one"))
    assert (again.documents, again.already) == (0, len(matter.documents()))
    assert again.statuses == {}
    assert state(matter) == before


def test_a_changed_file_at_the_same_path_is_a_new_document(tmp_path):
    """The old one stays with its text; the new one has its own number and is paired with it."""
    folder = tmp_path / "room"
    folder.mkdir()
    file = folder / "contract.txt"
    file.write_text(document(1, 1, "base"))
    (folder / "other.txt").write_text(document(1, 2, "base"))
    matter = tc.scan(folder, tmp_path / "matter", report=False)
    file.write_text(document(1, 1, "light"))
    added = matter.add(folder)
    assert (added.documents, added.already) == (1, 1)
    versions = [d for d in matter.documents() if d.path == "contract.txt"]
    assert [matter.text(version) for version in versions] == [document(1, 1, "base"), document(1, 1, "light")]
    assert [(pair.a.id, pair.b.id) for pair in matter.pairs(80).pairs] == [(versions[0].id, versions[1].id)]


def test_a_second_root_with_the_same_paths_is_told_apart(tmp_path):
    for root in ("left", "right"):
        (tmp_path / root).mkdir()
        (tmp_path / root / "contract.txt").write_text(document(1, 1, "base"))
    matter = tc.scan([tmp_path / "left", tmp_path / "right"], tmp_path / "matter", report=False)
    assert [(d.path, Path(d.root).name, d.status) for d in matter.documents()] == [
        ("contract.txt", "left", "principal"),
        ("contract.txt", "right", "same-file"),
    ]


def test_copies_of_an_earlier_wave_join_its_group(tmp_path):
    """A copy in a later wave turns a unique document into a principal, and the copy is its member at 100."""
    for wave, shape in (("one", "base"), ("two", "copy"), ("three", "layout")):
        (tmp_path / wave).mkdir()
        (tmp_path / wave / f"{shape}.txt").write_text(document(1, 1, shape))
    matter = tc.scan(tmp_path / "one", tmp_path / "matter", report=False)
    assert matter.statuses() == {"unique": 1}
    matter.add(tmp_path / "two")
    matter.add(tmp_path / "three")
    assert matter.statuses() == {"same-file": 1, "same-text": 1, "principal": 1}
    (group,) = matter.groups().groups
    assert [(m.document.path, m.similarity, m.kind) for m in group.members] == [
        ("copy.txt", 100.0, "same-file"),
        ("layout.txt", 100.0, "same-text"),
    ]


def test_a_wave_name_that_is_taken_is_refused(room, tmp_path):
    matter = tc.create(tmp_path / "matter")
    matter.add(files(room, "one"), wave="first")
    with pytest.raises(tc.TruecopyError, match="'first'"):
        matter.add(files(room, "two"), wave="first")
    assert [wave.name for wave in matter.waves()] == ["first"]
