"""Finding the verified pairs of a wave: at once, or part by part where its texts and those that they touch do not fit
into memory.

The pairs are the same: those outside of dense families, which `wave.dense` then adds what is kept of these to. How the
pairs of each relation are found is what `pairing.FINDERS` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import I64, Flags
from truecopy.group.families import Families
from truecopy.match.relations import ALL_INDEXED, RELATIONS
from truecopy.pairing import Collected, Paired, Verified, at_places, finder_of, shingles_of
from truecopy.progress import Progress, during
from truecopy.settings import MatterSettings
from truecopy.wave.looked import LookedAt
from truecopy.wave.parts import PartedTexts, PartIndexes, cut_in_parts, offsets_of
from truecopy.wave.room import Room
from truecopy.wave.stopwatch import Stopwatch


@dataclass(frozen=True, slots=True)
class Joining:
    """What finding the pairs takes."""

    looked_at: LookedAt
    families: Mapping[str, Families]
    """By relation: those of all passages that are looked at, as they were before the wave."""
    settings: MatterSettings
    threads: int
    progress: Progress
    watch: Stopwatch

    def at_once(self) -> tuple[dict[str, Paired[Verified]], I64]:
        """Every pair with a fresh text, by relation; and the distinct shingles of each text."""
        return self._pairs(np.arange(len(self.looked_at)), self.looked_at.fresh, self.families)

    def in_parts(
        self, parts: Sequence[tuple[int, int]], fresh: PartedTexts, touched: Sequence[I64], room: Room
    ) -> tuple[dict[str, Paired[Verified]], I64]:
        """The same, part by part: each with the texts, stored or of earlier parts, that its own may be paired with; and
        with some of these at a time, if they are more than there is room for.

        `touched` are the stored ones, for each part.
        """
        indexes = PartIndexes(self.settings, room.arrays, self.threads)
        every = len(self.looked_at)
        stored, shingles = every - len(fresh), np.zeros(every, np.int64)
        families, collected = dict(self.families), {name: Collected[Verified]() for name in self.families}
        paired: dict[str, Paired[Verified]] = {}
        for number, (first, last) in enumerate(parts):
            part = fresh.some(first, last)
            with self.watch.stage("touch"), during(self.progress, "touch"):
                earlier = indexes.touched_by(part) if ALL_INDEXED else np.arange(first)
            old = np.searchsorted(self.looked_at.numbers, touched[number])
            others, own = np.concatenate([old, stored + earlier]), np.arange(stored + first, stored + last)
            for paired in self._with_others(others, own, room.words, families, shingles):
                for name, one in paired.items():
                    families[name] = one.families
                    collected[name].add(one.pairs, one.families)
            if number + 1 < len(parts):
                with self.watch.stage("touch"), during(self.progress, "touch"):
                    indexes.append(part, first)
        # What has found the pairs of the last part has found those of the others.
        found = {
            name: replace(one, pairs=collected[name].all(families[name]), families=families[name], shingles=None)
            for name, one in paired.items()
        }
        return found, shingles

    def _with_others(
        self, others: I64, own: I64, room: int, families: Mapping[str, Families], shingles: I64
    ) -> Iterator[dict[str, Paired[Verified]]]:
        """Every pair of the texts at some places, with each other and with others, of which some are read at a time.

        `families` may become others between two of these; `shingles` gets the distinct shingles of all texts.
        """
        lengths = self.looked_at.lengths
        left = max(room - int(lengths[own].sum()), room // 2)  # if one text is longer than half of the room
        for begin, end in cut_in_parts(offsets_of(lengths[others]), left):
            places = np.concatenate([others[begin:end], own])
            fresh = np.arange(len(places)) >= end - begin
            some = {name: one.some(places) for name, one in families.items()}
            paired, shingles[places] = self._pairs(places, fresh, some)
            for name, one in paired.items():
                # Pairs of its own texts were found with the first others.
                pairs = one.pairs.take(np.flatnonzero(~fresh[one.pairs.a])) if begin else one.pairs
                paired[name] = replace(one, pairs=at_places(pairs, places), families=one.families.whole)
            yield paired

    def _pairs(
        self, places: I64, fresh: Flags, families: Mapping[str, Families]
    ) -> tuple[dict[str, Paired[Verified]], I64]:
        """Every pair of the texts at some places of which one is marked as fresh; and the shingles of these texts."""
        settings, threads, progress = self.settings, self.threads, self.progress
        with self.watch.stage("text"), during(progress, "text"):
            texts, bags = self.looked_at.with_bags(places, threads)
        found: dict[str, Paired[Verified]] = {}
        for relation in RELATIONS:
            with self.watch.stage(relation.name):
                found[relation.name] = finder_of(relation.name).find(
                    texts.streams, bags, relation.floor_of(settings), relation.recall_of(settings), fresh, threads,
                    progress, families[relation.name],
                )  # fmt: skip
        return found, shingles_of(found.values(), texts.streams, threads)
