"""Words are found in a list by hash and spelling, and forged hashes neither hide nor confuse them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import naive_listed
from truecopy.text.word_lists import WordList

HASHES = st.integers(0, 3) | st.integers((1 << 64) - 2, (1 << 64) - 1) | st.integers(0, (1 << 64) - 1)
WORDS = st.binary(min_size=1, max_size=3) | st.sampled_from([b"a", b"ab", b"abc", b"b", b"\xc3\xa9"])
Entry = tuple[int, bytes]


def arrays_of(entries: list[Entry]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hashes, letters, and where each word begins and the last one ends."""
    hashes = np.array([one for one, _ in entries], np.uint64)
    letters = np.frombuffer(b"".join(word for _, word in entries), np.uint8)
    return hashes, letters, np.cumsum([0, *(len(word) for _, word in entries)]).astype(np.int64)


@settings(deadline=None)
@given(
    st.lists(st.tuples(HASHES, WORDS), max_size=40, unique=True), st.lists(st.tuples(HASHES, WORDS), max_size=20),
    st.integers(0, 99),
)  # fmt: skip
def test_words_are_found_by_hash_and_spelling(known: list[Entry], others: list[Entry], first: int) -> None:
    """As by going through the list, whatever hashes words share; what was found before stays as it is."""
    hashes, letters, starts = arrays_of(known)
    listed = WordList.of(hashes, letters, starts[1:])
    wanted = [*known[::2], *others]
    hashes, letters, starts = arrays_of(wanted)
    found = np.full(len(wanted), -1, np.int64)
    found[1::3] = 7
    missing = listed.find(hashes, letters, starts[:-1], starts[1:], first, found)
    expected = [first + number if number >= 0 else -1 for number in naive_listed(known, wanted)]
    expected[1::3] = [7] * len(expected[1::3])
    assert found.tolist() == expected
    assert missing == expected.count(-1)


def test_a_list_in_which_no_word_is_looked_for_spells_the_same() -> None:
    hashes, letters, starts = arrays_of([(3, b"one"), (1, b"two"), (2, b"three")])
    numbers = np.array([2, 0, 1])
    one, two = (make(hashes, letters, starts[1:]).spelled(numbers) for make in (WordList.of, WordList.unsorted))
    assert one[0].tobytes() == two[0].tobytes() == b"threeonetwo"
    assert one[1].tolist() == two[1].tolist() == [5, 8, 11]
