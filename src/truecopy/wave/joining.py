"""Finding the verified pairs of a wave: at once, or part by part where its texts and those that they touch do not fit
into memory.

The pairs are the same: those outside of dense families, which `wave.dense` then adds what is kept of these to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import I64, Flags
from truecopy.group.families import Families
from truecopy.pairing import Collected, Contained, Similar, at_places, find_contained, find_similar
from truecopy.progress import Progress, during
from truecopy.settings import MatterSettings
from truecopy.wave.looked import LookedAt
from truecopy.wave.parts import PartedTexts, PartIndexes, cut_in_parts, offsets_of
from truecopy.wave.room import Room
from truecopy.wave.stopwatch import Stopwatch

_NO_FIRSTS = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Joining:
    """What finding the pairs takes."""

    looked_at: LookedAt
    families: Mapping[str, Families]
    """By relation; they become those of all passages that are looked at."""
    settings: MatterSettings
    threads: int
    progress: Progress
    watch: Stopwatch

    def at_once(self) -> tuple[Similar, Contained]:
        """Every pair with a fresh text."""
        return self._pairs(np.arange(len(self.looked_at)), self.looked_at.fresh, self.families)

    def in_parts(
        self, parts: Sequence[tuple[int, int]], fresh: PartedTexts, touched: Sequence[I64], room: Room
    ) -> tuple[Similar, Contained]:
        """The same, part by part: each with the texts, stored or of earlier parts, that its own may be paired with; and
        with some of these at a time, if they are more than there is room for.

        `touched` are the stored ones, for each part.
        """
        indexes = PartIndexes(self.settings, room.arrays, self.threads)
        every = len(self.looked_at)
        stored, sizes = every - len(fresh), np.zeros(every, np.int64)
        similar: Collected[Similar] | None = None
        contained: Collected[Contained] | None = None
        for number, (first, last) in enumerate(parts):
            part = fresh.some(first, last)
            with self.watch.stage("touch"), during(self.progress, "touch"):
                earlier = indexes.touched_by(part)
            old = np.searchsorted(self.looked_at.numbers, touched[number])
            others, own = np.concatenate([old, stored + earlier]), np.arange(stored + first, stored + last)
            for near, inside in self._with_others(others, own, room.words, sizes):
                if similar is None or contained is None:
                    nothing = replace(inside.take(own[:0]), sizes=sizes)
                    similar = Collected(near.take(own[:0]), self.families["similar"], every)
                    contained = Collected(nothing, self.families["contains"], every)
                similar.add(near)
                contained.add(inside)
            if number + 1 < len(parts):
                with self.watch.stage("touch"), during(self.progress, "touch"):
                    indexes.append(part, first)
        assert similar is not None  # there is at least one part
        assert contained is not None
        return similar.all(), contained.all()

    def _with_others(self, others: I64, own: I64, room: int, sizes: I64) -> Iterator[tuple[Similar, Contained]]:
        """Every pair of the texts at some places, with each other and with others, of which some are read at a time.

        `sizes` gets the distinct shingles of all of them.
        """
        lengths = self.looked_at.lengths
        left = max(room - int(lengths[own].sum()), room // 2)  # if one text is longer than half of the room
        for begin, end in cut_in_parts(offsets_of(lengths[others]), left):
            places = np.concatenate([others[begin:end], own])
            fresh = np.arange(len(places)) >= end - begin
            some = {name: one.some(places) for name, one in self.families.items()}
            near, inside = self._pairs(places, fresh, some)
            sizes[places] = inside.sizes
            if begin:  # pairs of its own texts were found with the first others
                near = near.take(np.flatnonzero(~fresh[near.a]))
                inside = inside.take(np.flatnonzero(~fresh[inside.a]))
            yield at_places(near, places), at_places(inside, places)

    def _pairs(self, places: I64, fresh: Flags, families: Mapping[str, Families]) -> tuple[Similar, Contained]:
        """Every pair of the texts at some places of which one is marked as fresh."""
        settings, threads, progress = self.settings, self.threads, self.progress
        with self.watch.stage("text"), during(progress, "text"):
            texts, bags = self.looked_at.with_bags(places, threads)
        with self.watch.stage("similar"):
            similar = find_similar(
                texts.streams, bags, settings.floor, settings.recall, fresh, threads, progress, families["similar"]
            )
        with self.watch.stage("contains"):
            contained = find_contained(
                texts.streams, settings.contains_floor, fresh, threads, progress, families["contains"]
            )
        return similar, replace(contained, firsts=_NO_FIRSTS)
