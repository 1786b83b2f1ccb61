"""Two texts: every measure of the contract, the kind with its sentence, and the differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truecopy.errors import WordCollision
from truecopy.match.characters import character_distance
from truecopy.match.differences import differences
from truecopy.match.kinds import decide, describe, dropped_words, found_name
from truecopy.match.measures import distinct_shingles, shared_shingles, shared_terms
from truecopy.match.verify import edit_distances
from truecopy.model import SHORTEST_CONTAINED, SHORTEST_PAIRED, Comparison, Scores
from truecopy.text import tokenize_buffer, word_texts
from truecopy.text.breaks import breaks
from truecopy.text.content import arena, content_words
from truecopy.threshold import reaches

SIMILAR_FLOOR = 70
CONTAINS_FLOOR = 80
A, B = np.array([0], np.int32), np.array([1], np.int32)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The two texts as the stages take them."""

    words: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]
    breaks: NDArray[np.uint8]


def compare(a: str, b: str, same_file: bool = False) -> Comparison:
    """Compare two texts; `same_file` says that the files they come from are equal, byte for byte.

    >>> found = compare("The tenant shall pay the rent.", "The tenant must pay the rent.")
    >>> round(found.similarity, 1), found.kind
    (83.3, 'revision')
    """
    pair = _read(a, b)
    scores = _measure(pair)
    kind, why = _kind(pair, scores, same_file)
    distance, longer = character_distance(a, b)
    return Comparison(
        similarity=scores.similarity or 0.0,
        character_similarity=100.0 if longer == 0 else 100.0 * (longer - distance) / longer,
        resemblance=scores.resemblance,
        containment=scores.containment,
        terminology=scores.terminology,
        kind=kind,
        why=why,
        differences=differences(a, b),
    )


def _read(a: str, b: str) -> _Pair:
    texts = [text.encode("utf-8", "surrogatepass") for text in (a, b)]
    offsets = np.array([0, len(texts[0]), len(texts[0]) + len(texts[1])], np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    tokens = tokenize_buffer(data, offsets)
    hashes, first, numbers = np.unique(tokens.hashes, return_index=True, return_inverse=True)
    if (tokens.checks != tokens.checks[first][numbers]).any():
        raise WordCollision(
            "Two unlike words of these texts share a 64-bit hash, so the texts cannot be compared.",
            "Please report this with the truecopy version.",
        )
    in_b = first >= tokens.offsets[1]
    places = offsets[:-1][in_b.astype(np.int64)]
    starts, ends = tokens.starts[first] + places, tokens.ends[first] + places
    letters, letter_starts = arena(word_texts(data.tobytes(), starts.tolist(), ends.tolist(), hashes))
    return _Pair(
        numbers.astype(np.uint32), tokens.offsets, hashes, letters, letter_starts, breaks(data, offsets, tokens)
    )


def _measure(pair: _Pair) -> Scores:
    lengths = np.diff(pair.offsets)
    longer = int(lengths.max())
    stream = (pair.words, pair.offsets)
    distance = int(edit_distances(*stream, A, B, np.array([longer], np.int64), 1)[0])
    shared = int(shared_shingles(*stream, pair.hashes, A, B, 1)[0])
    sizes = distinct_shingles(*stream, pair.hashes, np.array([0, 1], np.int32), 1)
    bags = [np.unique(pair.words[low:high]) for low, high in zip(pair.offsets, pair.offsets[1:], strict=False)]
    bag_offsets = np.array([0, len(bags[0]), len(bags[0]) + len(bags[1])], np.int64)
    content = content_words(pair.letters, pair.starts)
    terms, fewer = shared_terms(np.concatenate(bags), bag_offsets, content, A, B, 1)
    return Scores(distance, longer, shared, int(sizes[0]), int(sizes[1]), int(terms[0]), int(fewer[0]))


def _kind(pair: _Pair, scores: Scores, same_file: bool) -> tuple[str, str]:
    """The first kind that holds, and why."""
    dropped = dropped_words(pair.letters, pair.starts)
    found = found_name(int(decide(pair.words, pair.offsets, pair.breaks, dropped, A, B, 1)[0]))
    shorter, longer = sorted(int(length) for length in np.diff(pair.offsets))
    similar = scores.longer == 0 or reaches(longer - scores.distance, longer, SIMILAR_FLOOR)
    fewer = min(scores.a_shingles, scores.b_shingles)
    contains = fewer >= SHORTEST_CONTAINED and reaches(scores.shared_shingles, fewer, CONTAINS_FLOOR)
    # Any two texts can be compared: beyond equality, a description is worth giving only of texts that are related.
    holds = dict.fromkeys(("same-text", "same-words"), True)
    holds |= dict.fromkeys(("insertion", "elaboration"), similar or contains)
    holds["excerpt"] = shorter >= SHORTEST_PAIRED
    if same_file:
        kind = "same-file"
    elif holds.get(found, False):
        kind = found
    elif similar:
        kind = "revision"
    else:
        kind = "contained" if contains else "unrelated"
    facts = {
        "shorter": _words(shorter),
        "added": _words(longer - shorter),
        "times": _figure(longer / max(shorter, 1)),
        "similarity": _figure(scores.similarity or 0.0),
        "containment": _figure(max(scores.containment)),
    }
    return kind, describe(kind, facts)


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count:,} words"


def _figure(value: float) -> str:
    """Two decimals at most, never rounded up: what is under a floor must not be shown as at it."""
    return f"{int(value * 100) / 100:g}"
