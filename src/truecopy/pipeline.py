"""The whole run as one readable function: what a wave brings in, what is to be stored of it out.

    discover → read → words → candidates → verified pairs → groups

Reading is `read/` and `wave/intake.py`; the rest is here, one stage after the other, over arrays. Nothing is written
and no lock is held: `matter/change/add.py` spools what comes out of it and commits it in one short transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from truecopy.group.principal import Candidate
from truecopy.match.dates import moment
from truecopy.match.judge import Judged, Passages
from truecopy.match.relations import RELATION_NAMES, floors_of
from truecopy.pairing import Contained, Similar, find_contained, find_similar, judge_pairs
from truecopy.progress import Progress, during
from truecopy.settings import MatterSettings
from truecopy.text.streams import Bags
from truecopy.text.texts import Texts
from truecopy.text.vocabulary import Vocabulary
from truecopy.threshold import limits
from truecopy.wave.dense import DenseStars, KnownFamilies, family_changes, keep_dense
from truecopy.wave.fresh import FreshTexts, fresh_texts
from truecopy.wave.intake import Arrival, Intake
from truecopy.wave.joined import Earlier, Joined, join_groups, with_sizes
from truecopy.wave.result import NewText, WaveResult
from truecopy.wave.settled import Known, Settled, settle
from truecopy.wave.stopwatch import Stopwatch
from truecopy.wave.touched import Touched

I64 = NDArray[np.int64]


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

    def touched(self, fresh: FreshTexts, settings: MatterSettings, threads: int) -> Touched:
        """What of the matter the new texts of a wave touch."""

    def with_fresh(self, passages: I64, fresh: FreshTexts) -> Texts:
        """The texts of some passages, and the new ones of a wave."""

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
) -> WaveResult:
    """All that is to be stored of the documents that were taken in, as they follow on what there is."""
    with watch.stage("text"), during(progress, "text"):
        documents = settle(intake.arrivals, before.known(intake.arrivals))
        own = [one for one in documents if one.own]
        streams = np.array([one.arrival.stream for one in own], np.int64)
        fresh = fresh_texts(intake, streams, before.words, before.find, threads)
    with watch.stage("touch"), during(progress, "touch"):
        touched = before.touched(fresh, settings, threads)
    with watch.stage("text"), during(progress, "text"):
        texts = before.with_fresh(touched.passages, fresh)
        bags = texts.bags(threads)
    is_fresh = texts.numbers > before.passages
    known = {name: KnownFamilies.of(touched.labels(name, texts.numbers), settings.dense) for name in RELATION_NAMES}
    with watch.stage("similar"):
        similar = find_similar(
            texts.streams, bags, settings.floor, settings.recall, is_fresh, threads, progress,
            known["similar"].families,
        )  # fmt: skip
    with watch.stage("contains"):
        contained = find_contained(
            texts.streams, settings.contains_floor, is_fresh, threads, progress, known["contains"].families
        )
    with watch.stage("group"), during(progress, "group"):
        dense = _dense_stars(known["similar"], texts, bags, settings, threads)
        joined, principals = _join(before, documents, texts, similar, settings, dense)
        stored = keep_dense(
            texts, known, (similar, contained), is_fresh, principals, dense.shown if dense else {}, settings, threads
        )
    with watch.stage("measure"):
        pairs = _judge(before, own, texts, bags, stored, settings, threads, progress)
    return WaveResult(
        after=before.wave,
        documents=documents,
        texts=_new_texts(documents),
        first_passage=before.passages + 1,
        fresh=fresh,
        shingles=contained.sizes[is_fresh],
        joined=joined,
        pairs=pairs,
        numbers=texts.numbers,
        families=family_changes(texts, known, stored, before.count_pairs, settings),
        generator=similar.generator,
        recall=similar.recall,
    )


def _dense_stars(
    known: KnownFamilies, texts: Texts, bags: Bags, settings: MatterSettings, threads: int
) -> DenseStars | None:
    """What groups the passages of dense families; None where there are none."""
    families = [texts.numbers[family] for family in known.families.dense()]
    return DenseStars(texts, bags, families, settings.threshold, threads) if families else None


def _join(
    before: Before,
    documents: Sequence[Settled],
    texts: Texts,
    similar: Similar,
    settings: MatterSettings,
    dense: DenseStars | None,
) -> tuple[Joined, dict[int, int]]:
    """What the wave does to the matter's groups; and the principals of all passages that were looked at."""
    last, numbers = before.passages, texts.numbers
    at_threshold = similar.take(np.flatnonzero(similar.distance <= limits(similar.longer, settings.threshold)))
    columns = (numbers[at_threshold.a], numbers[at_threshold.b], at_threshold.distance, at_threshold.longer)
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
    # A text without letters is compared for equality only: its copies make it no principal.
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


def _judge(
    before: Before,
    own: Sequence[Settled],
    texts: Texts,
    bags: Bags,
    stored: tuple[Similar, Contained],
    settings: MatterSettings,
    threads: int,
    progress: Progress,
) -> list[Judged]:
    """Every measure, relation and kind of the pairs."""
    wanted = texts.numbers[np.unique(np.concatenate([part for found in stored for part in (found.a, found.b)]))]
    fresh = {one.passage: moment(one.arrival.reading.date) for one in own if one.passage is not None}
    dates = before.dates(texts.numbers, wanted, fresh)
    passages = Passages.of(texts.streams, texts.signs, dates, texts.vocabulary, bags)
    return list(judge_pairs(passages, *stored, floors_of(settings), threads, progress))


def _new_texts(documents: Sequence[Settled]) -> list[NewText]:
    """The texts that the wave stores: those that no earlier document has."""
    found: dict[int, NewText] = {}
    for one in documents:
        if one.new_text and one.text is not None:
            found.setdefault(one.text, NewText(one.text, one.arrival.body, one.number, one.arrival.reading.date))
    return [found[number] for number in sorted(found)]
