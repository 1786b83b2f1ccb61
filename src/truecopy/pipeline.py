"""The whole run as one readable function: it takes what a wave brings and returns what the matter will store.

    discover → read → words → candidates → verified pairs → groups

Reading is `read/` and `wave/intake.py`; the rest is here, one stage after the other, over arrays. Nothing is written
and no lock is held: `matter/change/add.py` spools what comes out of it and commits it, all of it at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from truecopy.array_types import I64
from truecopy.group.families import Families
from truecopy.group.principal import Candidate
from truecopy.match.dates import moment
from truecopy.match.relations import GROUPED, RELATION_NAMES
from truecopy.pairing import Verified
from truecopy.progress import Progress, during
from truecopy.settings import MatterSettings
from truecopy.text.texts import Texts
from truecopy.text.vocabulary import Vocabulary
from truecopy.threshold import limits
from truecopy.wave.dense import DenseStars, KnownFamilies, family_changes, keep_dense
from truecopy.wave.fresh import FreshTexts, fresh_texts
from truecopy.wave.intake import Arrival, Intake
from truecopy.wave.joined import Earlier, Joined, join_groups, with_sizes
from truecopy.wave.joining import Joining
from truecopy.wave.judging import judge_found
from truecopy.wave.looked import LookedAt
from truecopy.wave.parts import cut_in_parts
from truecopy.wave.result import NewText, WaveResult
from truecopy.wave.room import IN_MEMORY, Room
from truecopy.wave.settled import Known, Settled, settle
from truecopy.wave.stopwatch import Stopwatch
from truecopy.wave.touched import Touched


class Before(Protocol):
    """What there is before the wave: a state of a matter, asked for what the wave touches."""

    wave: int
    """The last wave."""
    passages: int
    """The last passage."""

    def known(self, arrivals: Sequence[Arrival]) -> Known:
        """The documents that the files and texts of a wave may repeat."""

    @property
    def words(self) -> int:
        """How many words there are."""

    def find(self, vocabulary: Vocabulary) -> I64:
        """The number of each word of a vocabulary; -1 for words that are new."""

    def touched(self, parts: Sequence[FreshTexts], settings: MatterSettings, threads: int) -> Touched:
        """What of the matter the new texts of a wave touch, which are given in parts."""

    def texts(self, passages: I64, fresh: FreshTexts) -> Texts:
        """The texts of some passages, given in order: stored ones, and new ones of a wave."""

    def lengths(self, passages: I64) -> I64:
        """How many words some passages have, given in order."""

    def count_pairs(self, relation: str, passages: I64) -> int:
        """How many stored pairs of a relation begin with one of some passages."""

    def earlier(self, passages: Iterable[int]) -> dict[int, Earlier]:
        """Some passages and their principals, as far as groups are concerned."""

    def sizes(self, principals: Iterable[int]) -> dict[int, int]:
        """How many documents the groups of some principals have."""

    def given(self, names: Sequence[str], settled: Sequence[Settled]) -> list[int]:
        """The passages that the rule `given` lists, in its order."""

    def dates(self, numbers: I64, wanted: I64, fresh: Mapping[int, int]) -> I64:
        """The dates of some of all passages."""


def compute_wave(
    before: Before,
    intake: Intake,
    settings: MatterSettings,
    threads: int,
    progress: Progress,
    watch: Stopwatch,
    room: Room = IN_MEMORY,
) -> WaveResult:
    """All that is to be stored of the documents that were taken in, as they follow on what there is.

    Where the new texts and those that they touch are more than there is room for, pairs are found part by part; pairs
    and groups are the same.
    """
    with watch.stage("text"), during(progress, "text"):
        documents = settle(intake.arrivals, before.known(intake.arrivals))
        own = [one for one in documents if one.own]
        streams = np.array([one.arrival.stream for one in own], np.int64)
        fresh = room.texts(fresh_texts(intake, streams, before.words, before.find, threads))
    # In parts, the other half is for texts that a part is joined with.
    parts = cut_in_parts(fresh.offsets, room.words // 2)
    with watch.stage("touch"), during(progress, "touch"):
        touched = before.touched([fresh.some(*part) for part in parts], settings, threads)
    with watch.stage("text"), during(progress, "text"):
        looked_at = _looked_at(before, touched, fresh, room.words, threads)
    known = {name: KnownFamilies.of(touched.labels(name, looked_at.numbers), settings.dense) for name in RELATION_NAMES}
    families = {name: one.families for name, one in known.items()}
    join = Joining(looked_at, families, settings, threads, progress, watch)
    found, shingles = join.at_once() if looked_at.whole else join.in_parts(parts, fresh, touched.by_part, room)
    known = {name: replace(one, families=found[name].families) for name, one in known.items()}
    similar = found[GROUPED]
    with watch.stage("group"), during(progress, "group"):
        dense = _dense_stars(similar.families, looked_at, settings, threads)
        joined, principals = _join(before, documents, looked_at.numbers, similar.pairs, settings, dense)
        pairs_found = {name: one.pairs for name, one in found.items()}
        stored = keep_dense(looked_at, known, pairs_found, shingles, principals, joined.shown, settings, threads)
    with watch.stage("measure"):
        fresh_dates = {one.passage: moment(one.arrival.reading.date) for one in own if one.passage is not None}
        pairs = judge_found(
            looked_at, stored, partial(before.dates, fresh=fresh_dates), settings, room.words, threads, progress
        )
    return WaveResult(
        after=before.wave,
        documents=documents,
        texts=_new_texts(documents),
        first_passage=before.passages + 1,
        fresh=fresh,
        shingles=stored.shingles[looked_at.fresh],
        joined=joined,
        pairs=pairs,
        numbers=looked_at.numbers,
        families=family_changes(looked_at, known, stored, before.count_pairs, settings),
        generator=similar.generator,
        recall=similar.recall,
    )


def _looked_at(before: Before, touched: Touched, fresh: FreshTexts, room: int, threads: int) -> LookedAt:
    """All passages that the wave is computed over, in memory if they have no more words than there is room for."""
    new = np.arange(before.passages + 1, before.passages + 1 + len(fresh), dtype=np.int64)
    numbers = np.concatenate([touched.passages, new])
    is_fresh = numbers > before.passages
    lengths = np.concatenate([before.lengths(touched.passages), fresh.lengths])
    if int(lengths.sum()) <= room:
        texts = before.texts(numbers, fresh)
        return LookedAt.all_of(texts, texts.bags(threads), is_fresh)
    return LookedAt(numbers, lengths, is_fresh, lambda some: before.texts(some, fresh))


def _dense_stars(known: Families, looked_at: LookedAt, settings: MatterSettings, threads: int) -> DenseStars | None:
    """What groups the passages of dense families; None where there are none."""
    families = known.dense()
    if not families:
        return None
    texts, bags = looked_at.with_bags(np.unique(np.concatenate(families)), threads)
    numbers = [looked_at.numbers[family] for family in families]
    return DenseStars(texts, bags, numbers, settings.threshold, threads)


def _join(
    before: Before,
    documents: Sequence[Settled],
    numbers: I64,
    similar: Verified,
    settings: MatterSettings,
    dense: DenseStars | None,
) -> tuple[Joined, dict[int, int]]:
    """What the wave does to the matter's groups; and the principals of all passages that were looked at."""
    last = before.passages
    counted = similar.columns()  # groups are made of distances
    near = counted["distance"] <= limits(counted["longer"], settings.threshold)
    a, b, distance, longer = (counted[name][near] for name in ("a", "b", "distance", "longer"))
    columns = (numbers[a], numbers[b], distance, longer)
    links = np.stack(columns, axis=1).astype(np.int64)
    in_families = dense.families if dense else []
    touched = np.unique(np.concatenate([links[:, 0], links[:, 1], *in_families]))
    copied = {one.passage for one in documents if one.passage is not None and not one.own}
    earlier = before.earlier({*touched[touched <= last].tolist(), *(one for one in copied if one <= last)})
    fresh = {
        one.passage: Candidate(one.passage, one.arrival.words, one.arrival.reading.date)
        for one in documents
        if one.own and one.passage is not None and one.status != "numbers-only"
    }
    short = {one.passage for one in documents if one.own and one.passage is not None and one.status == "too-short"}
    given = before.given(settings.given, documents) if settings.rule == "given" else []
    # A text without letters is grouped by equality only: neither its copies nor what is similar make it a principal.
    joined = join_groups(fresh, short, earlier, links, settings.rule, given, dense, copied)
    principals = {number: one.principal for number, one in earlier.items() if one.principal}
    first = documents[0].number
    in_groups = [
        (one.passage, one.copy_of is not None and one.copy_of < first) for one in documents if one.passage is not None
    ]
    heads = {principals.get(passage, passage) for passage, _ in in_groups if passage <= last}
    heads |= {head for head in joined.principals.values() if head <= last}
    joined = with_sizes(joined, in_groups, principals, before.sizes(heads), last + 1)
    return joined, principals | joined.principals


def _new_texts(documents: Sequence[Settled]) -> list[NewText]:
    """The texts that the wave stores: those that no earlier document has."""
    found: dict[int, NewText] = {}
    for one in documents:
        if one.new_text and one.text is not None:
            found.setdefault(one.text, NewText(one.text, one.arrival.body, one.number, one.arrival.reading.date))
    return [found[number] for number in sorted(found)]
