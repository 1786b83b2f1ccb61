"""Judging the pairs that were found in a wave: at once, or some at a time where not all texts fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from truecopy.array_types import I32, I64
from truecopy.match.judge import Judged, Passages
from truecopy.match.relations import floors_of
from truecopy.pairing import P, Verified, judge_pairs
from truecopy.progress import Progress
from truecopy.settings import MatterSettings
from truecopy.wave.dense import Stored
from truecopy.wave.looked import LookedAt
from truecopy.wave.parts import cut_in_parts, offsets_of


def judge_found(
    looked_at: LookedAt,
    stored: Stored,
    dates_of: Callable[[I64, I64], I64],
    settings: MatterSettings,
    room: int,
    threads: int,
    progress: Progress,
) -> list[Judged]:
    """Every measure, relation and kind of the pairs, in order.

    `dates_of` gives the dates of those of some passages that are wanted; `room` is how many words of texts may be in
    memory at once.
    """
    pairs = []
    for places, found in _with_their_texts(looked_at, list(stored.pairs.values()), room):
        texts, bags = looked_at.with_bags(places, threads)
        wanted = _ends(found)
        dates = dates_of(texts.numbers, texts.numbers[wanted])
        passages = Passages.of(texts.streams, texts.signs, dates, texts.vocabulary, bags)
        shingles = stored.shingles[places]
        for judged in judge_pairs(passages, found, floors_of(settings), threads, progress, shingles):
            pairs.append(replace(judged, a=places[judged.a].astype(np.int32), b=places[judged.b].astype(np.int32)))
    return pairs


def _with_their_texts(looked_at: LookedAt, found: list[Verified], room: int) -> Iterator[tuple[I64, list[Verified]]]:
    """Pairs, as pairs of the texts at some places: as many, one after the other, as there is room for the texts of."""
    if looked_at.whole is not None:
        yield np.arange(len(looked_at)), found
        return
    codes = [one.a.astype(np.int64) * len(looked_at) + one.b for one in found]
    every = np.unique(np.concatenate(codes))
    lengths = looked_at.lengths
    words = lengths[every // len(looked_at)] + lengths[every % len(looked_at)]
    for first, last in cut_in_parts(offsets_of(words), room):
        if first == last:
            continue  # there are no pairs
        bounds = every[first], every[last - 1] + 1
        some = [one.take(np.arange(*np.searchsorted(code, bounds))) for one, code in zip(found, codes, strict=True)]
        places = _ends(some).astype(np.int64)
        yield places, [_among(one, places) for one in some]


def _ends(found: list[Verified]) -> I32:
    """The texts that are in a pair, in order."""
    return np.unique(np.concatenate([end for one in found for end in (one.a, one.b)]))


def _among(found: P, places: I64) -> P:
    """Pairs of texts by where these are among some places."""
    return replace(found, a=_where(found.a, places), b=_where(found.b, places))


def _where(texts: I32, places: I64) -> I32:
    return np.searchsorted(places, texts).astype(np.int32)
