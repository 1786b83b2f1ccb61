"""Judging the pairs that were found in a wave: at once, or some at a time where not all texts fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from truecopy.array_types import I32, I64
from truecopy.match.judge import Judged, Passages
from truecopy.match.relations import floors_of
from truecopy.pairing import Contained, Similar, judge_pairs
from truecopy.progress import Progress
from truecopy.settings import MatterSettings
from truecopy.wave.looked import LookedAt
from truecopy.wave.parts import cut_in_parts, offsets_of

P = TypeVar("P", Similar, Contained)


def judge_found(
    looked_at: LookedAt,
    found: tuple[Similar, Contained],
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
    for places, similar, contained in _with_their_texts(looked_at, *found, room):
        texts, bags = looked_at.with_bags(places, threads)
        wanted = np.unique(np.concatenate([similar.a, similar.b, contained.a, contained.b]))
        dates = dates_of(texts.numbers, texts.numbers[wanted])
        passages = Passages.of(texts.streams, texts.signs, dates, texts.vocabulary, bags)
        for judged in judge_pairs(passages, similar, contained, floors_of(settings), threads, progress):
            pairs.append(replace(judged, a=places[judged.a].astype(np.int32), b=places[judged.b].astype(np.int32)))
    return pairs


def _with_their_texts(
    looked_at: LookedAt, similar: Similar, contained: Contained, room: int
) -> Iterator[tuple[I64, Similar, Contained]]:
    """Pairs, as pairs of the texts at some places: as many, one after the other, as there is room for the texts of."""
    if looked_at.whole is not None:
        yield np.arange(len(looked_at)), similar, contained
        return
    codes = [found.a.astype(np.int64) * len(looked_at) + found.b for found in (similar, contained)]
    every = np.union1d(*codes)
    lengths = looked_at.lengths
    words = lengths[every // len(looked_at)] + lengths[every % len(looked_at)]
    for first, last in cut_in_parts(offsets_of(words), room):
        if first == last:
            continue  # there are no pairs
        bounds = every[first], every[last - 1] + 1
        near, inside = (
            similar.take(np.arange(*np.searchsorted(codes[0], bounds))),
            contained.take(np.arange(*np.searchsorted(codes[1], bounds))),
        )
        places = np.unique(np.concatenate([near.a, near.b, inside.a, inside.b])).astype(np.int64)
        yield places, _among(near, places), replace(_among(inside, places), sizes=contained.sizes[places])


def _among(found: P, places: I64) -> P:
    """Pairs of texts by where these are among some places."""
    return replace(found, a=_where(found.a, places), b=_where(found.b, places))


def _where(texts: I32, places: I64) -> I32:
    return np.searchsorted(places, texts).astype(np.int32)
