"""Words that are made to share a hash are told apart by their spelling, and cost no more than any others."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from test_text_words import LANGUAGES, texts

from forged import ACCOUNTS, colliding_words
from naive import naive_digest, naive_words
from truecopy.kernels.secret import number_keys
from truecopy.kernels.vocabulary import LONGEST
from truecopy.text import tokenize
from truecopy.text.batches import number_texts
from truecopy.text.content import arena, content_words
from truecopy.text.marks import marked_numbers
from truecopy.text.numbers import numbered
from truecopy.text.tokens import spelled
from truecopy.text.vocabulary import Vocabulary

LONG = [letter * (LONGEST + 9) for letter in "xyж"]


def old_check(word: str) -> int:
    """The second hash of words in formats 1 to 4."""
    whole, data, check = (1 << 64) - 1, word.encode(), 0x2545F4914F6CDD1D
    for at in range(0, len(data), 8):
        check = (check ^ int.from_bytes(data[at : at + 8], "little")) * 0xA0761D6478BD642F & whole
        check ^= check >> 29
    return (check * 0xE7037ED1A0B428DB & whole) >> 32


def vocabulary_of(words: list[str]) -> Vocabulary:
    """A vocabulary that took these words in, in this order."""
    vocabulary = Vocabulary()
    vocabulary.absorb(number_texts([" ".join(words).encode()]).vocabulary)
    return vocabulary


def spelling(vocabulary: Vocabulary) -> list[str]:
    """The words of a vocabulary by number."""
    letters, starts = vocabulary.letters.tobytes(), vocabulary.letter_starts.tolist()
    return [letters[begin:end].decode() for begin, end in itertools.pairwise(starts)]


def test_the_forged_account_numbers_share_both_hashes_of_earlier_versions() -> None:
    first, second = tokenize([word.encode() for word in ACCOUNTS]).hashes.tolist()
    assert first == second
    assert old_check(ACCOUNTS[0].lower()) == old_check(ACCOUNTS[1].lower())
    assert ACCOUNTS[0].lower() != ACCOUNTS[1].lower()


def test_colliding_words_have_numbers_of_their_own_everywhere() -> None:
    """In a batch, when a matter's vocabulary absorbs it, when it is read again, and when words are looked up."""
    words = [*colliding_words(300), *map(str.lower, ACCOUNTS), "ordinary", "words"]
    made = number_texts([" ".join(words).encode(), " ".join(reversed(words)).encode()])
    assert made.words.tolist() == [*range(304), *range(303, -1, -1)]
    assert len(set(made.vocabulary.hashes.tolist())) == 4
    vocabulary = Vocabulary()
    assert vocabulary.absorb(made.vocabulary).tolist() == list(range(304))
    assert spelling(vocabulary) == words
    again = Vocabulary(vocabulary.hashes.copy(), vocabulary.letters.copy(), vocabulary.letter_ends.copy())
    assert again.absorb(made.vocabulary).tolist() == again.find(made.vocabulary).tolist() == list(range(304))
    other = vocabulary_of([words[7], colliding_words(512)[-1], words[301]])
    assert again.find(other).tolist() == [7, -1, 301]


def test_words_longer_than_are_kept_are_told_apart_by_their_sha256() -> None:
    """Also if they come again in another batch, between others."""
    vocabulary = Vocabulary()
    for batch in (LONG, [LONG[2].upper(), "short", LONG[0], LONG[1]]):
        made = number_texts([" ".join(batch).encode(), b"and more words"])
        numbers = vocabulary.absorb(made.vocabulary)[made.words]
    assert numbers[:4].tolist() == [2, 6, 0, 1]
    assert len(vocabulary) == 7


def test_comparing_two_texts_numbers_their_words_by_spelling() -> None:
    """For alignment, for marks, and for differences of layout."""
    one, other = (f"Pay to {account} now" for account in ACCOUNTS)
    first, second = numbered(one, other)
    assert (first == second).tolist() == [True, True, False, True]
    first, second = marked_numbers(one, other)
    assert (first == second).tolist() == [True, True, False, True]
    assert spelled(one) != spelled(other)


def test_stems_are_told_apart_by_their_spelling() -> None:
    """Every word of letters only has the stem that it is spelled with, however many there are."""
    words = ["".join(random.Random(number).choices("bcdfgh", k=12)) for number in range(3000)]
    found = content_words(*arena(words)).tolist()
    assert len(set(found)) == len(set(words))
    assert 0 not in found


def test_keys_of_word_numbers_are_never_shared() -> None:
    keys = number_keys(1_000_000)
    assert len(np.unique(keys)) == 1_000_000
    assert np.array_equal(number_keys(2_500_000)[:1_000_000], keys), "a word has one key in a process"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hash_of_words_is_of_the_words(language: str) -> None:
    """SHA-256 of the folded words, each ended by a line feed; of each text of a batch."""
    text, _ = LANGUAGES[language]
    given = [text, "", text.upper(), f"{text} {text}", "\u0301", "plain words in a line that is long enough " * 3]
    made = number_texts([one.encode() for one in given])
    assert made.digests == [naive_digest(one) for one in given]


@settings(max_examples=200, deadline=None)
@given(texts)
def test_the_hash_of_words_is_the_naive_one_and_numbers_are_those_of_the_words(text: str) -> None:
    made = number_texts([b"before it", text.encode(), b"after it"])
    assert made.digests[1] == naive_digest(text)
    words = ["before", "it", *(word for word, _, _ in naive_words(text)), "after", "it"]
    first: dict[str, int] = {}
    assert made.words.tolist() == [first.setdefault(word, len(first)) for word in words]
    assert spelling(made.vocabulary) == list(first)


def least_seconds(work: Callable[[], object]) -> float:
    """The processor's time that some work takes: the least of several."""
    taken = []
    for _ in range(5):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.alone
def test_words_of_one_hash_cost_no_more_than_others() -> None:
    """Numbering and absorbing 16,384 of them, against as many random words of their length."""
    words = colliding_words(1 << 14)
    dice = random.Random(5)
    others = ["".join(dice.choices("abcdefghij", k=len(words[0]))) for _ in words]

    def work(text: bytes) -> None:
        vocabulary = Vocabulary()
        made = number_texts([text])
        vocabulary.absorb(made.vocabulary)
        assert len(vocabulary) == 1 << 14

    forged, ordinary = " ".join(words).encode(), " ".join(others).encode()
    work(ordinary)
    assert least_seconds(lambda: work(forged)) < 3 * least_seconds(lambda: work(ordinary))
