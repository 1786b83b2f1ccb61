"""Shingles, content words and all measures equal plain Python sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_streams import collect, numbered_texts

from collections_data import collection
from naive import naive_scores, naive_shingles, naive_stem, naive_terms, naive_words
from truecopy.match.compare import compare
from truecopy.match.measures import distinct_shingles, shared_shingles, shared_terms
from truecopy.text.content import arena, content_words
from truecopy.text.stopwords import DROPPED_WORDS, FUNCTION_WORDS

Text = list[int]
short_texts = st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=2, max_size=6)


def hashes_for(words: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    rng = np.random.default_rng(3)
    return rng.integers(1, 2**63, int(words.max(initial=0)) + 1).astype(np.uint64)


@given(short_texts)
def test_shared_and_distinct_shingles_equal_sets(texts: list[Text]) -> None:
    words, offsets = collect(texts)
    hashes = hashes_for(words)
    every = np.arange(len(texts), dtype=np.int32)
    a, b = (side.ravel().astype(np.int32) for side in np.meshgrid(every, every, indexing="ij"))
    sets = [naive_shingles(text) for text in texts]
    assert distinct_shingles(words, offsets, hashes, every, 1).tolist() == [len(one) for one in sets]
    found = shared_shingles(words, offsets, hashes, a, b, 2)
    assert found.tolist() == [len(sets[i] & sets[j]) for i, j in zip(a, b, strict=True)]


def test_a_text_of_one_or_two_words_has_no_shingle() -> None:
    words, offsets = collect([[], [1], [1, 2], [1, 2, 3]])
    every = np.arange(4, dtype=np.int32)
    assert distinct_shingles(words, offsets, hashes_for(words), every, 1).tolist() == [0, 0, 0, 1]


def test_the_order_of_words_in_a_shingle_counts() -> None:
    words, offsets = collect([[1, 2, 3], [3, 2, 1], [2, 1, 3]])
    a, b = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    assert shared_shingles(words, offsets, hashes_for(words), a, b, 1).tolist() == [0, 0]


def test_shingles_of_real_texts_equal_sets_with_any_number_of_threads() -> None:
    texts = numbered_texts(collection("licenses"), most=60)
    words, offsets = collect(texts)
    hashes = hashes_for(words)
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(texts), 1))
    sets = [naive_shingles(text) for text in texts]
    wanted = [len(sets[i] & sets[j]) for i, j in zip(a, b, strict=True)]
    for threads in (1, 3):
        assert shared_shingles(words, offsets, hashes, a, b, threads).tolist() == wanted


@pytest.mark.parametrize(
    "family",
    [
        "party parties",
        "lease leases leased leasing",
        "control controls controlled controlling",
        "agree agrees agreed agreeing",
        "exceed exceeds exceeded exceeding",
        "apply applies applied applying",
        "tax taxes taxed taxing",
        "business businesses",
        "branch branches branched",
        "call calls called calling",
    ],
)
def test_plurals_and_verb_forms_have_one_stem(family: str) -> None:
    assert len(set(content_words(*arena(family.split())).tolist())) == 1


def test_words_that_only_look_like_forms_keep_apart() -> None:
    for one, other in (("thing", "th"), ("string", "stre"), ("basis", "basin"), ("status", "state"), ("need", "net")):
        first, second = content_words(*arena([one, other])).tolist()
        assert first != second or first == 0


def test_function_words_numbers_and_short_words_are_no_content_words() -> None:
    assert not content_words(*arena(["the", "shall", "hereunder", "12", "a1b", "mp3s", "ab", "契", "é"])).any()


def test_words_in_other_scripts_are_content_words() -> None:
    assert content_words(*arena(["договор", "σύμβαση", "عقود", "हिन्दी", "größe".replace("ß", "ss")])).all()


@given(st.lists(st.from_regex(r"[a-z]{1,9}(s|es|ies|ing|ed|ied|eed|e|ss)?", fullmatch=True), min_size=1, max_size=30))
def test_stems_equal_the_naive_ones(vocabulary: list[str]) -> None:
    found = content_words(*arena(vocabulary)).tolist()
    wanted = ["" if len(word) < 3 or word in FUNCTION_WORDS else naive_stem(word) for word in vocabulary]
    for i in range(len(vocabulary)):
        assert (found[i] == 0) == (wanted[i] == "")
        for j in range(i):
            assert (found[i] == found[j]) == (wanted[i] == wanted[j]), (vocabulary[i], vocabulary[j])


def test_stems_are_numbered_in_order_of_first_appearance() -> None:
    assert content_words(*arena(["lease", "leases", "the", "rent", "term"])).tolist() == [1, 1, 0, 2, 3]


@given(short_texts)
def test_shared_terms_equal_sets(texts: list[Text]) -> None:
    """Words 0 and 1 have the same stem, word 2 another, word 3 none."""
    content = np.array([77, 77, 99, 0], np.int32)
    bags = [sorted(set(text)) for text in texts]
    terms, offsets = collect(bags)
    every = np.arange(len(texts), dtype=np.int32)
    a, b = (side.ravel().astype(np.int32) for side in np.meshgrid(every, every, indexing="ij"))
    sets = [{int(content[word]) for word in bag} - {0} for bag in bags]
    shared, fewer = shared_terms(terms, offsets, content, a, b, 2)
    assert shared.tolist() == [len(sets[i] & sets[j]) for i, j in zip(a, b, strict=True)]
    assert fewer.tolist() == [min(len(sets[i]), len(sets[j])) for i, j in zip(a, b, strict=True)]


def test_no_negation_or_quantity_is_dropped() -> None:
    """What `same-words` passes over must not change what was agreed."""
    assert not DROPPED_WORDS & {"not", "no", "nor", "never", "all", "any", "may", "shall", "must", "but", "unless"}
    assert DROPPED_WORDS < FUNCTION_WORDS


def test_compare_equals_the_contracts_formulas_on_real_texts() -> None:
    folder = collection("policies-languages")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix == ".md")
    for place in range(0, len(files) - 1, max(1, len(files) // 6)):
        a, b = (files[place + k].read_bytes().decode("utf-8", "replace") for k in (0, 1))
        found = compare(a, b)
        words_a, words_b = ([word for word, _, _ in naive_words(text)] for text in (a, b))
        wanted = naive_scores(words_a, words_b, FUNCTION_WORDS)
        assert found.similarity == pytest.approx(wanted["similarity"], abs=1e-9)
        assert found.resemblance == pytest.approx(wanted["resemblance"], abs=1e-9)
        assert list(found.containment) == pytest.approx(wanted["containment"], abs=1e-9)
        assert found.terminology == pytest.approx(wanted["terminology"], abs=1e-9)


def test_terms_of_a_text_are_counted_once() -> None:
    assert naive_terms(["leases", "lease", "the", "rent"], FUNCTION_WORDS) == {"leas", "rent"}
