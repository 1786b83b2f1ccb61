"""Hostile input: the tokenizer stays linear, stays inside its buffers, and says what it refuses."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable

import numpy as np
import pytest

from naive import naive_hash
from truecopy.errors import UsageError
from truecopy.kernels.vocabulary import LONGEST
from truecopy.text import fold, tokenize, tokenize_buffer, words
from truecopy.text.batches import number_texts
from truecopy.text.profiles import plain
from truecopy.text.vocabulary import Vocabulary

MANY = 1_000_000
HOSTILE: dict[str, Callable[[int], str]] = {
    "marks of one class": lambda n: "a" + "\u0301" * n,
    "marks in the wrong order": lambda n: "a" + "\u0301\u0323" * (n // 2),
    "marks in falling order": lambda n: "a" + "".join(c * (n // 4) for c in "\u0301\u0323\u3099\u0338"),
    "iotas below": lambda n: "α" + "\u0345\u0301" * (n // 2),
    "ignorable code points": lambda n: "a" + "\u00ad" * n + "b",
    "jamo": lambda n: "\u1100\u1161\u11a8" * (n // 3),
    "long expansions": lambda n: "\ufdfa" * (n // 3),
    "words out of one character": lambda n: "㌖" * (n // 3),
    "one long word": lambda n: "x" * n,
    "one long word and a mark": lambda n: "x" * n + "\u0301",
    "short words": lambda n: "a " * (n // 2),
    "line ends": lambda n: "\n" * n,
    "zero bytes": lambda n: "\0" * n,
    "right-to-left marks": lambda n: "\u200fא" * (n // 2),
    "to and fro between ASCII and others": lambda n: ("plain text " + "é" + " ") * (n // 14),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    """A million code points of each kind take no longer than linear work can, whatever the machine's load."""
    text = HOSTILE[name](MANY)
    words("warm é\u0301")
    begun = time.process_time()
    found = words(text)
    assert time.process_time() - begun < 2.0
    assert np.all(found.starts < found.ends)
    assert np.all(found.ends <= len(text))


def test_a_million_marks_are_in_canonical_order() -> None:
    """A run of marks in the wrong order is sorted by combining class, and the base takes what it can."""
    half = MANY // 2
    folded = fold("a" + "\u0301\u0323" * half)
    assert folded.text == "ạ" + "\u0323" * (half - 1) + "\u0301" * half
    assert words("a" + "\u0301\u0323" * half).hashes[0] == naive_hash(folded.text)
    assert plain("a" + "\u0301\u0323" * half).span(0, 2) == (0, 5)


def test_any_bytes_are_survived() -> None:
    """Bytes that are not UTF-8 give words inside their own text; what stands around them changes nothing."""
    seed = 20_260_101
    print("seed", seed)
    dice = random.Random(seed)
    parts = [
        b"\xf4\x9f\xbf\xbf",
        b"\xf7\xbf",
        b"\xed\xa0\x80",
        b"\xe0",
        b"\x80",
        b"\xcc\x81",
        b"plain text " * 7,
    ]
    for _ in range(500):
        batch = [
            b"".join(
                dice.choice(parts) if dice.random() < 0.6 else dice.randbytes(5) for _ in range(dice.randint(0, 20))
            )
            for _ in range(3)
        ]
        found = tokenize(batch)
        for number, text in enumerate(batch):
            part = slice(found.offsets[number], found.offsets[number + 1])
            assert np.all(found.starts[part] < found.ends[part])
            assert np.all(found.ends[part] <= len(text))
            assert np.array_equal(found.hashes[part], tokenize([text]).hashes)


@pytest.mark.parametrize("offsets", [[], [0, 9], [-1, 3], [0, 3, 2], [4, 4, 9]])
def test_offsets_outside_the_buffer_are_refused(offsets: list[int]) -> None:
    """Offsets that do not cut the buffer into texts are refused before anything is read."""
    with pytest.raises(UsageError, match="do not cut a buffer of 5 bytes"):
        tokenize_buffer(np.zeros(5, np.uint8), np.array(offsets, np.int64))


def test_arrays_take_24_bytes_a_word_at_most() -> None:
    """Room that was not needed is given back."""
    found = tokenize([b"word " * 100_000, b"", b"12 34"])
    arrays = (found.hashes, found.keys, found.starts, found.ends)
    assert sum(array.nbytes for array in arrays) == 24 * 100_002
    assert all(array.base is None for array in arrays)
    assert found.letters.tolist() == [1, 0, 0]
    assert found.offsets.tolist() == [0, 100_000, 100_000, 100_002]


def test_words_of_many_kilobytes_take_no_room_and_stay_unlike() -> None:
    """The vocabulary keeps a stand-in for them: a file of 50 MB can be one word."""
    size = LONGEST + 1
    texts = [b"x" * LONGEST, b"x" * size, b"y" * size, ("ж" * size).encode(), ("Ж" * size).encode()]
    vocabulary = Vocabulary()
    made = number_texts(texts)
    numbers = vocabulary.absorb(made.vocabulary)[made.words].tolist()
    assert numbers == [0, 1, 2, 3, 3]
    long = [b"x" * size, b"y" * size, ("ж" * size).encode()]
    named = ["#" + hashlib.sha256(word).hexdigest() for word in long]
    assert np.diff(vocabulary.letter_ends, prepend=0).tolist() == [LONGEST, 65, 65, 65]
    assert vocabulary.letters[LONGEST:].tobytes().decode() == "".join(named)
    digests = [hashlib.sha256(word + b"\n").hexdigest() for word in long]
    assert made.digests[1:] == [*digests, digests[-1]]
