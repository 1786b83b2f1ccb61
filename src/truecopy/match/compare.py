"""Two texts: every measure of the contract, the kind with its sentence, and the differences."""

from __future__ import annotations

import numpy as np

from truecopy.kernels.arrays import read_only
from truecopy.match.characters import character_distance
from truecopy.match.dates import moments
from truecopy.match.differences import differences
from truecopy.match.judge import Passages, judge
from truecopy.match.kinds import KINDS, Kind
from truecopy.match.relations import CONTAINS, DEFAULT_FLOORS, Floors
from truecopy.match.spans import Spans, spans_of
from truecopy.model import SHORTEST_PAIRED, Comparison, Scores
from truecopy.text.breaks import breaks
from truecopy.text.marks import figure_marks
from truecopy.text.streams import Signs, Streams
from truecopy.text.tokens import Tokenizer
from truecopy.text.vocabulary import Vocabulary

A, B = np.array([0], np.int32), np.array([1], np.int32)
_NEAR = 92
"""Texts with so many per cent of their words in common differ in few of their code points."""


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

    >>> rent = "The tenant shall pay the rent on the first day of every month."
    >>> found = compare(rent, rent.replace("shall", "must"))
    >>> round(found.similarity, 1), found.kind
    (92.3, 'revision')
    """
    passages, spans = _read(a, b, dates)
    judged = judge(passages, A, B, floors, 1)
    kind = KINDS[0] if same_file else KINDS[judged.rows[0]]
    scores = judged.scores(0)
    shown = (a, b) if written is None else written
    distance, longer = character_distance(*shown, near=(scores.similarity or 0.0) >= _NEAR)
    return Comparison(
        similarity=scores.similarity or 0.0,
        character_similarity=100.0 if longer == 0 else 100.0 * (longer - distance) / longer,
        resemblance=scores.resemblance,
        containment=scores.containment,
        terminology=scores.terminology,
        kind=kind.name,
        why=_why(kind, scores, passages),
        differences=differences(*shown, spans if shown == (a, b) else None),
    )


def _read(a: str, b: str, dates: tuple[str, str]) -> tuple[Passages, Spans]:
    """Two texts as the judge takes them, and where their words are."""
    texts = [text.encode("utf-8", "surrogatepass") for text in (a, b)]
    offsets = np.array([0, len(texts[0]), len(texts[0]) + len(texts[1])], np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    tokens = Tokenizer()(data, offsets, spelling=True)
    vocabulary = Vocabulary(room=len(tokens.hashes) // 4)
    numbers = vocabulary.number(tokens)
    marks = figure_marks(data, offsets, tokens)
    signs = Signs(breaks(data, offsets, tokens), *marks)
    streams = Streams(read_only(numbers), read_only(tokens.offsets), vocabulary.hashes)
    letters = vocabulary.letters, vocabulary.letter_starts
    spans = spans_of((a, b), data, offsets, tokens, numbers, marks)
    return Passages.of(streams, signs, moments(list(dates)), letters), spans


def _why(kind: Kind, scores: Scores, passages: Passages) -> str:
    """The sentence of a kind, with the figures of the pair."""
    shorter, longer = sorted(passages.streams.lengths.tolist())
    return kind.why.format(
        shorter=_words(shorter),
        added=_words(longer - shorter),
        times=_figure(longer / max(shorter, 1)),
        similarity=_figure(scores.similarity or 0.0),
        containment=_figure(max(scores.containment)),
        shingles=f"{min(scores.a_shingles, scores.b_shingles):,}",
        least=CONTAINS.least,
        shortest=SHORTEST_PAIRED,
    )


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count:,} words"


def _figure(value: float) -> str:
    """Two decimals at most, never rounded up: what is under a floor must not be shown as at it."""
    return f"{int(value * 100) / 100:g}"
