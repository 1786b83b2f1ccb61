"""Two texts: every measure of the contract, the kind with its sentence, and the differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.secret import number_keys
from truecopy.match.characters import character_distance
from truecopy.match.differences import differences
from truecopy.match.judge import Floors, grew, kinds, moments, relations
from truecopy.match.kinds import decide, describe, dropped_words, found_name
from truecopy.match.measures import distinct_shingles, shared_shingles, shared_terms
from truecopy.match.verify import edit_distances
from truecopy.model import SHORTEST_CONTAINED, Comparison, Scores
from truecopy.text.breaks import breaks
from truecopy.text.content import content_words
from truecopy.text.marks import figure_marks
from truecopy.text.streams import Signs
from truecopy.text.tokens import Tokenizer
from truecopy.text.vocabulary import Vocabulary

DEFAULT_FLOORS = Floors()
A, B = np.array([0], np.int32), np.array([1], np.int32)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The two texts as the stages take them."""

    words: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]
    signs: Signs


def compare(
    a: str,
    b: str,
    same_file: bool = False,
    *,
    floors: Floors = DEFAULT_FLOORS,
    dates: tuple[str, str] = ("", ""),
    written: tuple[str, str] | None = None,
) -> Comparison:
    """Compare two texts; `same_file` says that the files they come from are equal, byte for byte.

    `dates` are the documents' (ISO 8601), if they are known. `written` are the texts whose differences are
    shown, if these are copies of a and b: with the same words and figure marks, but a layout of their own.

    >>> found = compare("The tenant shall pay the rent.", "The tenant must pay the rent.")
    >>> round(found.similarity, 1), found.kind
    (83.3, 'revision')
    """
    pair = _read(a, b)
    scores = _measure(pair)
    kind, why = _kind(pair, scores, same_file, floors, dates)
    shown = (a, b) if written is None else written
    distance, longer = character_distance(*shown)
    return Comparison(
        similarity=scores.similarity or 0.0,
        character_similarity=100.0 if longer == 0 else 100.0 * (longer - distance) / longer,
        resemblance=scores.resemblance,
        containment=scores.containment,
        terminology=scores.terminology,
        kind=kind,
        why=why,
        differences=differences(*shown),
    )


def _read(a: str, b: str) -> _Pair:
    texts = [text.encode("utf-8", "surrogatepass") for text in (a, b)]
    offsets = np.array([0, len(texts[0]), len(texts[0]) + len(texts[1])], np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    tokens = Tokenizer()(data, offsets, spelling=True)
    vocabulary = Vocabulary(room=len(tokens.hashes) // 4)
    numbers = vocabulary.number(tokens)
    signs = Signs(breaks(data, offsets, tokens), *figure_marks(data, offsets, tokens))
    return _Pair(numbers, tokens.offsets, vocabulary.letters, vocabulary.letter_starts, signs)


def _measure(pair: _Pair) -> Scores:
    lengths = np.diff(pair.offsets)
    longer = int(lengths.max())
    stream = (pair.words, pair.offsets)
    distance = int(edit_distances(*stream, A, B, np.array([longer], np.int64), 1)[0])
    keys = number_keys(len(pair.starts) - 1)
    shared = int(shared_shingles(*stream, keys, A, B, 1)[0])
    sizes = distinct_shingles(*stream, keys, np.array([0, 1], np.int32), 1)
    bags = [np.unique(pair.words[low:high]) for low, high in zip(pair.offsets, pair.offsets[1:], strict=False)]
    bag_offsets = np.array([0, len(bags[0]), len(bags[0]) + len(bags[1])], np.int64)
    content = content_words(pair.letters, pair.starts)
    terms, fewer = shared_terms(np.concatenate(bags), bag_offsets, content, A, B, 1)
    return Scores(distance, longer, shared, int(sizes[0]), int(sizes[1]), int(terms[0]), int(fewer[0]))


def _kind(pair: _Pair, scores: Scores, same_file: bool, floors: Floors, dates: tuple[str, str]) -> tuple[str, str]:
    """The first kind that holds, and why."""
    dropped = dropped_words(pair.letters, pair.starts)
    found = decide(pair.words, pair.offsets, pair.signs, dropped, A, B, 1)
    lengths = np.diff(pair.offsets)
    measured = (scores.distance, scores.longer, scores.shared_shingles, scores.a_shingles, scores.b_shingles)
    distance, longest, shared, *sizes = (np.array([value], np.int64) for value in measured)
    holds = relations(distance, longest, shared, (sizes[0], sizes[1]), floors)
    when = moments(list(dates))
    later = grew((lengths[:1], lengths[1:]), (when[:1], when[1:]))
    kind = "same-file" if same_file else kinds(found, holds, later)[0]
    shorter, longer = sorted(lengths.tolist())
    facts = {
        "shorter": _words(shorter),
        "added": _words(longer - shorter),
        "times": _figure(longer / max(shorter, 1)),
        "similarity": _figure(scores.similarity or 0.0),
        "containment": _figure(max(scores.containment)),
        "shingles": f"{min(scores.a_shingles, scores.b_shingles):,}",
        "least": str(SHORTEST_CONTAINED),
    }
    inside = max(scores.containment) >= floors.contains
    return kind, describe(kind, found_name(int(found[0])), facts, inside)


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count:,} words"


def _figure(value: float) -> str:
    """Two decimals at most, never rounded up: what is under a floor must not be shown as at it."""
    return f"{int(value * 100) / 100:g}"
