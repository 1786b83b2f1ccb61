"""The answers on real collections equal brute force: no pair missed, none extra, every figure the same.

The texts are those that were extracted; words, distances and shingles are computed anew by other means
(tests/naive.py: `unicodedata`, rapidfuzz, sorted numbers), from every two documents.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import naive
import truecopy as tc
from collections_data import collection

SOON = ("licenses", "site-policy", "copyright-files")
LATER = ("policies", "agreements", "contracts", "policies-long", "policies-languages", "ocr")
LARGE = ("bills", "notices", "mail-scanned", "mail-list")
FLOORS = {"licenses": 80, "policies": 80}
"""Where pairs are not stored from 70 on but only from here on: candidates are then found in another way."""

Found = dict[tuple[int, int], float]


@dataclass(frozen=True)
class Scanned:
    """A collection, scanned, with its words by the naive tokenizer: text i is that of document i + 1."""

    name: str
    matter: tc.Matter
    coded: list[str]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("oracle")


def scanned(name: str, workplace: Path) -> Scanned:
    folder, floor = collection(name), FLOORS.get(name, 70)
    matter = tc.scan(folder, workplace / name, threshold=80, floor=floor, recall="exact", report=False)
    assert matter.recall() == 1
    codes = naive.WordCodes()
    return Scanned(name, matter, [codes.of(matter.text(document)) for document in matter.documents()])


@pytest.fixture(scope="module", params=SOON)
def soon(request: pytest.FixtureRequest, workplace: Path) -> Scanned:
    return scanned(request.param, workplace)


@pytest.fixture(scope="module", params=LATER)
def later(request: pytest.FixtureRequest, workplace: Path) -> Scanned:
    return scanned(request.param, workplace)


@pytest.fixture(scope="module", params=LARGE)
def large(request: pytest.FixtureRequest, workplace: Path) -> Scanned:
    return scanned(request.param, workplace)


def similar(matter: tc.Matter, threshold: float) -> Found:
    """What the product says: similarities to 4 decimals by the places of the documents."""
    answer = matter.pairs(threshold, "similar", expand=True)
    assert answer.complete
    found = {}
    for pair in answer.pairs:
        assert pair.scores.similarity is not None
        found[pair.a.number - 1, pair.b.number - 1] = round(pair.scores.similarity, 4)
    assert len(found) == len(answer.pairs), "no pair is listed twice"
    return found


def expected(scanned: Scanned, distances: naive.Distances, percent: int) -> Found:
    """What brute force says, at a threshold that is not below the one it was run at."""
    longer = {pair: max(len(scanned.coded[pair[0]]), len(scanned.coded[pair[1]])) for pair in distances}
    return {
        pair: round(100 * (longer[pair] - distance) / longer[pair], 4)
        for pair, distance in distances.items()
        if 100 * distance <= (100 - percent) * longer[pair]
    }


def assert_equal(said: Found, truth: Found, name: str) -> None:
    missed, extra = sorted(truth.keys() - said.keys()), sorted(said.keys() - truth.keys())
    assert not missed, f"{name}: {len(missed)} of {len(truth)} pairs missed: {missed[:5]}"
    assert not extra, f"{name}: {len(extra)} pairs that are none: {extra[:5]}"
    unlike = [(pair, said[pair], truth[pair]) for pair in truth if said[pair] != truth[pair]]
    assert not unlike, f"{name}: {len(unlike)} similarities differ: {unlike[:5]}"


def check_similar(scanned: Scanned) -> None:
    floor = FLOORS.get(scanned.name, 70)
    distances = naive.naive_similar(scanned.coded, floor)
    for threshold in {floor, 80, 90}:
        truth = expected(scanned, distances, threshold)
        assert_equal(similar(scanned.matter, threshold), truth, f"{scanned.name} at {threshold}")
    assert distances, "a collection without a pair shows nothing"


def contained(matter: tc.Matter) -> dict[tuple[int, int], tuple[float, float, float]]:
    """What the product says at 80: resemblance and both containments, to 4 decimals."""
    found = {}
    for pair in matter.pairs(80, "contains", expand=True).pairs:
        measures = (pair.scores.resemblance, *pair.scores.containment)
        found[pair.a.number - 1, pair.b.number - 1] = tuple(round(measure, 4) for measure in measures)
    return found  # type: ignore[return-value]


def expected_contained(shared: naive.Shared) -> dict[tuple[int, int], tuple[float, float, float]]:
    return {
        pair: (round(100 * both / (a + b - both), 4), round(100 * both / a, 4), round(100 * both / b, 4))
        for pair, (both, a, b) in shared.items()
    }


def check_contained(scanned: Scanned) -> None:
    said, truth = contained(scanned.matter), expected_contained(naive.naive_containing(scanned.coded, 80))
    missed, extra = sorted(truth.keys() - said.keys()), sorted(said.keys() - truth.keys())
    assert not missed, f"{scanned.name}: {len(missed)} of {len(truth)} containments missed: {missed[:5]}"
    assert not extra, f"{scanned.name}: {len(extra)} containments that are none: {extra[:5]}"
    unlike = [(pair, said[pair], truth[pair]) for pair in truth if said[pair] != truth[pair]]
    assert not unlike, f"{scanned.name}: {len(unlike)} containments differ: {unlike[:5]}"


@pytest.mark.alone
def test_similar_pairs_equal_brute_force(soon):
    check_similar(soon)


@pytest.mark.alone
def test_contained_pairs_equal_brute_force(soon):
    check_contained(soon)


@pytest.mark.alone
def test_texts_and_counts_of_words_are_those_of_the_files(soon):
    """Plain text reaches the matter as it stands in the file, and every word of it is counted."""
    for document, coded in zip(soon.matter.documents(), soon.coded, strict=True):
        assert document.words == len(coded), document.path
        file = Path(document.root) / document.path
        if file.suffix in (".txt", ".md"):
            assert soon.matter.text(document) == _own_text(file), document.path


def _own_text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        pytest.fail(f"{file.name} is not UTF-8: leave it out of this test by name")


@pytest.mark.alone
def test_statuses_follow_from_the_words(soon):
    """Empty, too short, and equal texts are found as such, and the first document of equal ones is the original."""
    first: dict[str, int] = {}
    for i, (document, coded) in enumerate(zip(soon.matter.documents(), soon.coded, strict=True)):
        if document.status in ("unreadable", "too-large", "excluded"):
            continue
        assert (document.status == "empty") == (not coded), document.path
        if not coded or document.status == "numbers-only":
            continue
        original = first.setdefault(coded, i)
        assert (document.status in ("same-file", "same-text")) == (original != i), document.path
        if original == i:
            assert (document.status == "too-short") == (len(coded) < 10), document.path


@pytest.mark.alone
@pytest.mark.parametrize("name", ["licenses", pytest.param("site-policy", marks=pytest.mark.soak)])
def test_bands_find_what_was_asked_for(name: str, workplace: Path) -> None:
    """With recall 0.999 asked for at the floor, at least 0.99 of the pairs are found, and no pair is wrong."""
    matter = tc.scan(
        collection(name), workplace / f"{name} in bands", threshold=80, floor=80, recall=0.999, report=False
    )
    assert 0.999 <= matter.recall() < 1
    codes = naive.WordCodes()
    whole = Scanned(name, matter, [codes.of(matter.text(document)) for document in matter.documents()])
    truth = expected(whole, naive.naive_similar(whole.coded, 80), 80)
    said = similar(matter, 80)
    assert said.items() <= truth.items()
    print(f"{name}: {len(said)} of {len(truth)} pairs, recall {len(said) / len(truth):.4f}")
    assert len(said) >= 0.99 * len(truth)


@pytest.mark.soak
def test_similar_pairs_equal_brute_force_everywhere(later):
    check_similar(later)


@pytest.mark.soak
def test_contained_pairs_equal_brute_force_everywhere(later):
    check_contained(later)


def _sample(large: Scanned, seed: int) -> list[int]:
    with_words = [i for i, coded in enumerate(large.coded) if coded]
    return sorted(random.Random(seed).sample(with_words, 300))


def _of_queries(found: Mapping[tuple[int, int], object], queries: list[int]) -> Iterator[tuple[int, int]]:
    chosen = set(queries)
    return (pair for pair in found if not chosen.isdisjoint(pair))


@pytest.mark.soak
def test_a_sample_of_a_large_collection_equals_brute_force(large, seed):
    """300 documents against all others: the same pairs with the same similarities."""
    queries = _sample(large, seed)
    said = similar(large.matter, 80)
    truth = expected(large, naive.naive_similar(large.coded, 80, queries, bags=True), 80)
    assert_equal({pair: said[pair] for pair in _of_queries(said, queries)}, truth, large.name)


@pytest.mark.soak
def test_containments_of_a_sample_of_a_large_collection_equal_brute_force(large, seed):
    queries = _sample(large, seed)
    said = contained(large.matter)
    truth = expected_contained(naive.naive_containing(large.coded, 80, queries))
    assert {pair: said[pair] for pair in _of_queries(said, queries)} == truth
