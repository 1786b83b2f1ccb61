"""What a group says of a member is what `compare` says of the member and the principal, for copies too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import truecopy as tc
from collections_data import collection
from truecopy.demo.dataroom import write_dataroom

SAMPLE = 500


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    folder = tmp_path_factory.mktemp("demo")
    write_dataroom(folder / "room")
    return tc.scan(folder / "room", folder / "matter", report=False)


def rows(matter: tc.Matter, threshold: float | None = None) -> list[tuple[tc.Document, object]]:
    return [(group.principal, member) for group in matter.groups(threshold).groups for member in group.members]


def check(matter: tc.Matter, found: list[tuple[tc.Document, object]]) -> None:
    sides = {}
    for principal, member in found:
        for document in (principal, member.document):
            if document.id not in sides:
                sides[document.id] = matter.sides(document, document)[0]
        said = matter.compare(sides[principal.id], sides[member.document.id])
        assert (member.similarity, member.kind) == (said.similarity, said.kind), (principal.path, member.document.path)
        turned = matter.compare(sides[member.document.id], sides[principal.id])
        assert (turned.similarity, turned.kind) == (said.similarity, said.kind)


@pytest.mark.parametrize("threshold", [None, 70, 95])
def test_every_row_of_the_demo_is_what_compare_says(demo: tc.Matter, threshold: float | None) -> None:
    found = rows(demo, threshold)
    assert len(found) > 100
    check(demo, found)


def test_copies_of_members_are_not_copies_of_the_principal(demo: tc.Matter) -> None:
    """Each names its own original, and is called the same as the principal only if that is the original."""
    copies = [(principal, member) for principal, member in rows(demo) if member.copy_of]
    of_members = [(principal, member) for principal, member in copies if member.similarity < 100]
    assert of_members, "the demo has copies of members"
    texts = {document.id: document for document in demo.documents()}
    for principal, member in copies:
        original = texts[member.copy_of]
        assert original.number < member.document.number
        assert original.sha256 == member.document.sha256 or original.figures_sha256 == member.document.figures_sha256
        same = member.document.figures_sha256 == principal.figures_sha256
        assert (member.kind in ("same-file", "same-text")) == same


def test_copies_in_groups_and_in_counts_are_the_same(demo: tc.Matter) -> None:
    documents = demo.documents()
    grouped = {member.document.id for _, member in rows(demo) if member.copy_of}
    textless = {document.id for document in documents if document.copy_of and not document.words}
    assert grouped | textless == {document.id for document in documents if document.copy_of}
    assert demo.counts().copies == len(grouped | textless)
    assert demo.counts().near_copies == sum(not member.copy_of for _, member in rows(demo))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["licenses", "site-policy", "copyright-files"])
def test_rows_of_real_collections_are_what_compare_says(name: str, tmp_path: Path) -> None:
    matter = tc.scan(collection(name), tmp_path / "matter", report=False)
    found = rows(matter)
    check(matter, random.Random(10).sample(found, min(SAMPLE, len(found))))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["bills", "mail-list", "notices", "policies", "policies-languages"])
def test_rows_of_large_collections_are_what_compare_says(name: str, tmp_path: Path) -> None:
    matter = tc.scan(collection(name), tmp_path / "matter", report=False)
    found = rows(matter)
    check(matter, random.Random(11).sample(found, min(SAMPLE, len(found))))
