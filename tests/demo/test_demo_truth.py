"""The truth holds: pairs measure as their kind says, and what is unrelated stays far apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from demo_measures import containment, shingles, similarity
from rapidfuzz.distance import Levenshtein

# kind -> lowest and highest similarity of the words
BOUNDS = {
    "same-file": (100, 100),
    "same-text": (100, 100),
    "execution-copy": (95, 99.99),
    "near-identical": (85, 99.9),
    "same-form": (85, 99.9),
    "insertion": (80, 98),
    "elaboration": (80, 98),
    "revision": (70, 99),
    "excerpt": (0, 69.9),
    "scan": (20, 69.9),
    "unrelated": (0, 40),
}


def of_kind(dataroom, kind):
    return [
        (dataroom.words[pair["a"]], dataroom.words[pair["b"]])
        for pair in dataroom.truth["pairs"]
        if pair["kind"] == kind
    ]


@pytest.mark.parametrize("kind", BOUNDS)
def test_the_similarity_of_pairs_fits_their_kind(dataroom, kind):
    """Word similarity, measured on the texts as read from the files, is within the bounds of the kind."""
    low, high = BOUNDS[kind]
    measured = [similarity(a, b) for a, b in of_kind(dataroom, kind)]
    assert measured
    assert low <= min(measured)
    assert max(measured) <= high


@pytest.mark.parametrize("kind", ["insertion", "elaboration"])
def test_additions_only_add(dataroom, kind):
    """The shorter text is the longer one less whole runs of words."""
    for a, b in of_kind(dataroom, kind):
        assert {op.tag for op in Levenshtein.editops(a, b)} == {"insert"}


def test_an_insertion_stays_within_paragraphs_and_an_elaboration_adds_some():
    """As many paragraphs as before, or more."""
    from truecopy.demo import edits
    from truecopy.demo.agreements import AGREEMENTS
    from truecopy.demo.compose import compose
    from truecopy.demo.dice import Dice

    for kind in AGREEMENTS:
        form = compose(kind, Dice("blocks", kind.name))
        longer = edits.insertion(form, Dice("i"), 6)
        assert [paragraph.label for paragraph in longer.paragraphs] == [
            paragraph.label for paragraph in form.paragraphs
        ]
        assert longer != form
        extended = edits.elaboration(form, Dice("e"), 8)
        assert [paragraph for paragraph in extended.paragraphs if paragraph in form.paragraphs] == list(form.paragraphs)
        added = [paragraph for paragraph in extended.paragraphs if paragraph not in form.paragraphs]
        assert {paragraph.style for paragraph in added} == {"clause"}


def test_an_excerpt_is_contained_in_its_source(dataroom):
    """At least 95 % of its shingles, of which there are 50 or more, in a text 1.25 times as long."""
    for a, b in of_kind(dataroom, "excerpt"):
        short, long = sorted((a, b), key=len)
        assert len(shingles(short)) >= 50
        assert len(long) >= 1.25 * len(short)
        assert containment(shingles(short), shingles(long)) >= 95


def test_a_bad_scan_is_alike_in_characters_but_not_in_words(dataroom):
    """What the relation `scanned` is for."""
    for a, b in of_kind(dataroom, "scan"):
        assert Levenshtein.normalized_similarity(" ".join(a), " ".join(b)) >= 0.7


def test_a_form_differs_in_short_places_only(dataroom):
    """Every replaced span has at most 15 words, all together at most 15 % (contract: same-form)."""
    for a, b in of_kind(dataroom, "same-form"):
        spans = [op for op in Levenshtein.opcodes(a, b) if op.tag != "equal"]
        assert max(op.src_end - op.src_start for op in spans) <= 15
        assert sum(op.src_end - op.src_start for op in spans) <= 0.15 * len(a)


def test_an_execution_copy_differs_in_blanks_only(dataroom):
    """The unsigned text is the signed one less what was filled in."""
    for a, b in of_kind(dataroom, "execution-copy"):
        assert {op.tag for op in Levenshtein.editops(a, b)} == {"insert"}
        assert len(b) - len(a) <= 40


def test_a_revision_deletes_and_adds(dataroom):
    """Neither text is the other plus something, so that no simpler kind applies."""
    for a, b in of_kind(dataroom, "revision"):
        assert len({op.tag for op in Levenshtein.editops(a, b)}) > 1


def test_drafts_drift_apart(dataroom):
    """The first draft is less like the last than like the second."""
    paths = sorted(path for path in dataroom.words if " - draft v" in path)
    families = {dataroom.families[path] for path in paths}
    assert families
    for family in families:
        texts = [dataroom.words[path] for path in paths if dataroom.families[path] == family]
        measured = [similarity(texts[0], later) for later in texts[1:]]
        assert measured == sorted(measured, reverse=True)


def test_documents_of_unlike_families_are_far_apart(dataroom):
    """No two of them are 60 % similar, and none contains 80 % of another."""
    texts = {path: text for path, text in sorted(dataroom.words.items()) if len(text) >= 10}
    sets = {path: shingles(text) for path, text in texts.items()}
    numbers = {word: number for number, word in enumerate(sorted(set().union(*texts.values())))}
    bags = {path: np.bincount([numbers[word] for word in text], minlength=len(numbers)) for path, text in texts.items()}
    for a, b in combinations(texts, 2):
        if dataroom.families[a] == dataroom.families[b]:
            continue
        assert containment(sets[a], sets[b]) < 80, (a, b)
        # Similarity is at most the words in common, in whatever order, over the longer length.
        if np.minimum(bags[a], bags[b]).sum() >= 0.6 * max(len(texts[a]), len(texts[b])):
            assert similarity(texts[a], texts[b]) < 60, (a, b)


def test_odd_ones_are_what_their_status_says(dataroom):
    """Empty, too short, numbers only, unreadable: each is there, and its words are so."""
    texts = {
        entry["status"]: dataroom.words.get(entry["path"]) for entry in dataroom.truth["documents"] if "status" in entry
    }
    assert texts["empty"] == []
    assert 0 < len(texts["too-short"]) < 10
    assert len(texts["numbers-only"]) >= 10
    assert not any(letter.isalpha() for word in texts["numbers-only"] for letter in word)
    assert texts["unreadable"] is None
