"""Stored runs against brute force: whatever contains a fresh text, is inside one, or is similar to one, is touched."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import bags_of, streams_of
from rapidfuzz.distance import Levenshtein
from touched_cases import Texts, edited, make_texts, split_collections

from truecopy.errors import BadSetting
from truecopy.index import run_lists, touched_runs
from truecopy.index.overlap_lists import as_given, put_in_order
from truecopy.index.rows import rows_of_bags
from truecopy.index.run_lists import ARRAYS, RunLists, build_lists, merge_lists, sound
from truecopy.index.runs import Runs
from truecopy.index.touched_runs import BagsOf, Examined, mark_touched
from truecopy.kernels.secret import seeded_keys
from truecopy.kernels.touch_runs import PART
from truecopy.matter.change.scratch import Scratch
from truecopy.pairing import find_contained, find_similar
from truecopy.segments import write_segment
from truecopy.threshold import WHOLE, ten_thousandths

FLOORS = [5.0, 50.0, 80.0, 95.0, 100.0]
KEYS = seeded_keys(1 << 16, b"a seed")


def block_of(texts: Texts, contains: float, similar: float = 70.0, threads: int = 2) -> RunLists:
    streams = streams_of(texts)
    return build_lists(streams.words, streams.offsets, KEYS, contains, similar, threads)


def bags_for(fresh: Texts, *stored: Texts) -> BagsOf:
    ordered = [put_in_order(rows_of_bags(bags_of(streams_of(texts))), 1) for texts in stored]
    return BagsOf(as_given(rows_of_bags(bags_of(streams_of(fresh)))), ordered)


def ask(
    block: RunLists,
    fresh: Texts,
    known: Any,
    threads: int = 2,
    contains: float | None = None,
    similar: float | None = None,
    *,
    stored: Texts,
) -> Examined:
    """`stored` are the texts of the block."""
    streams, bags = streams_of(fresh), bags_for(fresh, stored)
    return mark_touched(
        [block], (streams.words, streams.offsets, KEYS), bags, [known], threads, contains=contains, similar=similar
    )


def touched(block: RunLists, fresh: Texts, threads: int = 2, **asked: Any) -> list[bool]:
    known = np.zeros(len(block), np.bool_)
    ask(block, fresh, known, threads, **asked)
    return known.tolist()


def shingles(text: list[int]) -> set[tuple[int, ...]]:
    return {tuple(text[i : i + 3]) for i in range(len(text) - 2)}


def expected(stored: Texts, fresh: Texts, floor: float) -> list[bool]:
    """By comparing every two sets of shingles."""
    asking, least = [shingles(text) for text in fresh], ten_thousandths(floor)

    def matters(own: set[tuple[int, ...]], other: set[tuple[int, ...]]) -> bool:
        smaller = min(len(own), len(other))
        return smaller >= 50 and len(own & other) * WHOLE >= least * smaller

    return [any(matters(shingles(text), other) for other in asking) for text in stored]


def expected_similar(stored: Texts, fresh: Texts, floor: float) -> list[bool]:
    """By the distance of every two texts."""
    least = ten_thousandths(floor)

    def similar(own: list[int], other: list[int]) -> bool:
        longer = max(len(own), len(other))
        if min(len(own), len(other)) < 10:
            return False
        return (longer - Levenshtein.distance(own, other)) * WHOLE >= least * longer

    return [any(similar(text, other) for other in fresh) for text in stored]


def missed(wanted: list[bool], found: list[bool]) -> list[int]:
    return [i for i, (want, have) in enumerate(zip(wanted, found, strict=True)) if want and not have]


def same(one: RunLists, other: RunLists) -> bool:
    floors = (one.contains, one.similar) == (other.contains, other.similar)
    return floors and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


@given(split_collections(longest=160), *(st.sampled_from(FLOORS) for _ in range(4)))
@settings(max_examples=300)
def test_nothing_is_missed(
    collection: tuple[Texts, list[int]], floor: float, asked: float, listed: float, least: float
) -> None:
    """In one block or several, asked together or merged, for one relation or both."""
    texts, places = collection
    floor, asked, listed, least = min(floor, asked), max(floor, asked), min(listed, least), max(listed, least)
    fresh = [text for text, place in zip(texts, places, strict=True) if place < 0]
    blocks, order, parts = [], [], []
    for number in range(max([-1, *places]) + 1):
        own = [text for text, place in zip(texts, places, strict=True) if place == number]
        parts.append(own)
        block = block_of(own, floor, listed)
        assert sound(block, len(own))
        assert same(block, block_of(own, floor, listed, 1)), "threads change nothing"
        contains, similar = expected(own, fresh, asked), expected_similar(own, fresh, least)
        assert missed(contains, touched(block, fresh, contains=asked, stored=own)) == []
        assert missed(similar, touched(block, fresh, 1, similar=least, stored=own)) == []
        assert missed(contains, touched(block, fresh, contains=asked, similar=least, stored=own)) == []
        blocks.append(block)
        order += own
    both = zip(expected(order, fresh, asked), expected_similar(order, fresh, least), strict=True)
    wanted = [any(one) for one in both]
    known = [np.zeros(len(block), np.bool_) for block in blocks]
    streams = streams_of(fresh)
    bags = bags_for(fresh, *parts)
    mark_touched(blocks, (streams.words, streams.offsets, KEYS), bags, known, 2, contains=asked, similar=least)
    assert missed(wanted, np.concatenate([np.zeros(0, np.bool_), *known]).tolist()) == []
    if blocks:
        merged = merge_lists(blocks, 2)
        assert sound(merged, len(order))
        assert missed(wanted, touched(merged, fresh, contains=asked, similar=least, stored=order)) == []


def test_every_text_with_a_similar_fresh_one_is_touched(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole join finds no pair of a stored and a fresh text whose stored one is not touched, in any batches."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 500, 5000, 300)
    streams, fresh = streams_of(texts), random.random(500) < 0.3
    similar = find_similar(streams, bags_of(streams), 70, 1, fresh, 2).pairs
    mixed = fresh[similar.a] != fresh[similar.b]
    partners = np.where(fresh[similar.a], similar.b, similar.a)[mixed]
    assert len(partners) > 20
    stored = np.flatnonzero(~fresh)
    for at_once, largest in ((1 << 18, 1 << 14), (700, 1 << 14), (1 << 18, 3)):
        monkeypatch.setattr(touched_runs, "_ASKED_AT_ONCE", at_once)
        monkeypatch.setattr(touched_runs, "_LARGEST", largest)
        known = np.zeros(500, np.bool_)
        own = [texts[i] for i in stored]
        known[stored] = touched(
            block_of(own, 80, 65), [texts[i] for i in np.flatnonzero(fresh)], similar=70, stored=own
        )
        assert known[partners].all()
        assert known.sum() < 2 * len(np.unique(partners)) + 20, "few others"


def test_every_text_with_a_fresh_partner_is_touched(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole join finds no pair of a stored and a fresh text whose stored one is not touched, in any batches."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 500, 5000, 400)
    streams, fresh = streams_of(texts), random.random(500) < 0.3
    contained = find_contained(streams, 70, fresh, 2).pairs
    mixed = fresh[contained.a] != fresh[contained.b]
    partners = np.where(fresh[contained.a], contained.b, contained.a)[mixed]
    assert len(partners) > 20
    stored = np.flatnonzero(~fresh)
    block = block_of([texts[i] for i in stored], 70)
    for largest in (1 << 14, 3):
        monkeypatch.setattr(touched_runs, "_LARGEST", largest)
        known = np.zeros(500, np.bool_)
        own = [texts[i] for i in stored]
        known[stored] = touched(block, [texts[i] for i in np.flatnonzero(fresh)], contains=70, stored=own)
        assert known[partners].all()
        assert known.sum() < 2 * len(np.unique(partners)) + 20, "few others"


@pytest.mark.parametrize("parts", [1 << 17, 40, 3])
def test_long_runs_lose_nothing(parts: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of the same few paragraphs share every shingle with hundreds of others, some of them marked already."""
    # There is room for what all fresh texts meet, for some of them together, or not even for what one of them meets.
    monkeypatch.setattr(touched_runs, "_NOTED", parts * PART)
    random = np.random.default_rng(seed)
    paragraphs = [random.integers(0, 2000, random.integers(30, 90)).tolist() for _ in range(6)]

    def some_text() -> list[int]:
        chosen = random.permutation(6)[: random.integers(1, 5)]
        return [word for one in chosen for word in edited(random, paragraphs[one], 2000)]

    stored, fresh = [some_text() for _ in range(400)], [some_text() for _ in range(60)]
    block = merge_lists([block_of(stored[:150], 60), block_of(stored[150:], 60)], 2)
    for floor in (60, 80, 95):
        wanted = expected(stored, fresh, floor)
        assert any(wanted)
        assert missed(wanted, touched(block, fresh, contains=floor, stored=stored)) == []
        wanted = expected_similar(stored, fresh, max(floor, 70))
        assert any(wanted)
        assert missed(wanted, touched(block, fresh, similar=max(floor, 70), stored=stored)) == []


def test_merging_is_building(seed: int) -> None:
    """Entries of merged blocks are those of all texts; what is listed was chosen in each block, and stays exact."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 300, 4000, 300)
    whole, parts = block_of(texts, 80), [block_of(texts[i : i + 100], 80) for i in (0, 100, 200)]
    merged = merge_lists(parts, 2)
    listed = np.uint64(3 << 30)
    assert np.array_equal(np.unique(merged.entries | listed), np.unique(whole.entries | listed))
    assert np.array_equal(merged.sizes, whole.sizes)
    assert np.array_equal(merged.lengths, whole.lengths)
    assert sound(merged, 300)
    assert same(merge_lists(parts[:1], 1), parts[0])


def test_parts_that_are_merged_while_written_are_the_whole(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the counts of all texts, the file of merged parts is, byte by byte, that of a block of all texts."""
    monkeypatch.setattr(run_lists, "_MERGED_AT_ONCE", 5000)
    random = np.random.default_rng(seed)
    streams, index = streams_of(make_texts(random, 300, 4000, 300)), Runs(80, 70)
    words, offsets, numbers = streams.words, streams.offsets, np.arange(300, dtype=np.int64)
    counts = run_lists.count_runs(words, offsets, KEYS, 2)
    parts = []
    for first, last in itertools.pairwise([0, *sorted(random.choice(299, 3, replace=False) + 1), 300]):
        some, own = words[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first]
        parts.append(index.make_block(some, own, KEYS, numbers[first:last], 2, counts))
    write_segment(tmp_path / "whole", {}, index.make_block(words, offsets, KEYS, numbers, 2).stored())
    write_segment(tmp_path / "merged", {}, index.merged(parts, 2))
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()


def test_runs_that_are_gathered_out_of_memory_are_the_block(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many parts there are, and behind a stored block: byte by byte what is built, or merged, of all."""
    monkeypatch.setattr(run_lists, "_MERGED_AT_ONCE", 5000)
    random = np.random.default_rng(seed)
    streams, index = streams_of([*make_texts(random, 300, 4000, 300), [], [7] * 9000]), Runs(80, 70)
    words, offsets, numbers = streams.words, streams.offsets, np.arange(302, dtype=np.int64)
    block = index.make_block(words, offsets, KEYS, numbers, 2)
    write_segment(tmp_path / "whole", {}, block.stored())
    write_segment(tmp_path / "merged", {}, index.merged([block, replace(block, numbers=numbers + 302)], 2))
    for at_once, most in ((1 << 18, 128), (3000, 128), (1000, 5)):
        monkeypatch.setattr(run_lists, "_WORDS_AT_ONCE", at_once)
        monkeypatch.setattr(run_lists, "_MOST_PARTS", most)
        with (tmp_path / "scratch").open("w+b") as file:
            gathered = index.gather(words, offsets, KEYS, numbers, 2, Scratch(file).keep)
            assert len(gathered.lists.kept) <= most
            write_segment(tmp_path / "gathered", {}, index.merged([gathered], 2))
            assert (tmp_path / "gathered").read_bytes() == (tmp_path / "whole").read_bytes()
            behind = replace(gathered, numbers=numbers + 302)
            write_segment(tmp_path / "gathered", {}, index.merged([block, behind], 2))
            assert (tmp_path / "gathered").read_bytes() == (tmp_path / "merged").read_bytes()


def test_a_merge_never_holds_all_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory at a time does not grow with what is merged."""
    monkeypatch.setattr(run_lists, "_MERGED_AT_ONCE", 1 << 16)
    random = np.random.default_rng(7)
    blocks = [block_of([random.integers(0, 4000, 400).tolist() for _ in range(500)], 80) for _ in range(6)]
    merging = run_lists.Merging.of(blocks, 2)
    sizes = [len(piece) for piece in merging.entries()]
    assert sum(sizes) == merging.total == sum(len(block.entries) for block in blocks)
    assert max(sizes) < 3 << 16
    assert merging.starts()[-1] == merging.total


@pytest.mark.parametrize("fresh_inside", [False, True])
def test_a_family_is_marked_by_few_texts(fresh_inside: bool, seed: int) -> None:
    """2,000 fresh copies of a form meet 4,000 stored ones, and nobody counts eight million pairs."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 3000, 300).tolist()
    more = random.integers(3000, 6000, 60).tolist()
    stored = [edited(random, form, 3000) + (more if fresh_inside else []) for _ in range(4_000)]
    fresh = [edited(random, form, 3000) + ([] if fresh_inside else more) for _ in range(2_000)]
    known = np.zeros(4_000, np.bool_)
    examined = ask(block_of(stored, 70), fresh, known, contains=70, stored=stored)
    assert known.mean() > 0.99
    assert examined.met < 40 * 4_000


def test_a_similar_family_is_marked_by_few_texts(seed: int) -> None:
    """Each of 2,000 fresh texts is similar to each of 4,000 stored ones, and nobody counts eight million pairs."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 300, 200).tolist()
    texts = [edited(random, form, 300) for _ in range(6_000)]
    known = np.zeros(4_000, np.bool_)
    examined = ask(block_of(texts[:4_000], 80), texts[4_000:], known, similar=70, stored=texts[:4_000])
    assert known.all()
    assert examined.met < 40 * 4_000


def test_boilerplate_is_not_read_for_every_text(seed: int) -> None:
    """A notice that all 3,000 stored texts end with costs nothing: no text is listed under it, none asks for it."""
    random = np.random.default_rng(seed)
    notice = random.integers(0, 500, 100).tolist()
    texts = [random.integers(500, 60_000, 200).tolist() + notice for _ in range(4_000)]
    block, known = block_of(texts[:3_000], 80), np.zeros(3_000, np.bool_)
    assert ask(block, texts[3_000:], known, contains=80, stored=texts[:3_000]).read < 10 * 4_000
    examined = ask(block, texts[3_000:], known, similar=70, stored=texts[:3_000])
    assert examined.read < 1000 * 3_000 // 2, "by single words, which ten have"
    assert not known.any()


def test_threads_unmark_nothing_that_others_have_marked(seed: int) -> None:
    """Two threads find partners of the same stored texts, one just as the other compares them in vain."""
    random = np.random.default_rng(seed)
    forms = [random.integers(0, 3000, 700).tolist() for _ in range(8)]
    stored = [edited(random, forms[i % 8], 3000) for i in range(400)]

    def close_by(form: list[int]) -> list[int]:
        """Just as often above as below the threshold."""
        text = list(form)
        for place in random.choice(700, int(random.integers(60, 90)), replace=False):
            text[place] = int(random.integers(3000, 6000))
        return text

    fresh = [close_by(forms[i % 8]) for i in range(160)]
    block = block_of(stored, 80)
    alone = touched(block, fresh, similar=90, stored=stored)
    assert sum(alone) > 0
    for _ in range(60):
        assert touched(block, fresh, similar=90, stored=stored, threads=4) == alone


def test_what_is_known_is_passed_over() -> None:
    text = list(range(100))
    known = np.ones(5, np.bool_)
    examined = ask(block_of([text] * 5, 80), [text] * 3, known, contains=80, similar=70, stored=[text] * 5)
    assert known.all()
    assert (examined.read, examined.met) == (0, 0)


def test_shares_of_just_the_floor_are_in() -> None:
    """80 of 100 shingles are 80 %, to the integer; both ways round."""
    inside = list(range(102))
    whole = [*range(82), *range(1000, 1100)]
    for stored, fresh in ((inside, whole), (whole, inside)):
        assert touched(block_of([stored], 80), [fresh], contains=80, stored=[stored]) == [True]
        assert touched(block_of([stored], 80), [fresh], contains=80, stored=[stored]) == expected([stored], [fresh], 80)


def test_shares_of_just_the_floor_are_in_among_hundreds() -> None:
    """The same where every shingle that counts is one that 200 texts have."""
    excerpt = list(range(102))
    wholes = [[*range(82), *range(1000 + 100 * i, 1100 + 100 * i)] for i in range(200)]
    assert touched(block_of(wholes, 80), [excerpt], contains=80, stored=wholes) == [True] * 200
    assert touched(block_of([excerpt] * 200, 80), wholes[:1], contains=80, stored=[excerpt] * 200) == [True] * 200


def test_similarity_of_just_the_floor_is_in() -> None:
    """30 edits of 100 words leave 70 %, to the integer; both ways round, wherever the edits are."""
    text = list(range(100))
    every_third = [1000 + i if i % 3 == 0 and i < 90 else i for i in text]
    longer = [word for i in range(70) for word in ([i, 1000 + i] if i % 7 < 3 else [i])]
    for one, other in ((text, every_third), (list(range(70)), longer), (text, text[30:])):
        for stored, fresh in ((one, other), (other, one)):
            assert expected_similar([stored], [fresh], 70) == [True]
            assert touched(block_of([stored], 80), [fresh], similar=70, stored=[stored]) == [True]


def test_repeated_words_lose_nothing(seed: int) -> None:
    """Two words again and again make few shingles: a text may lack both and still lose hardly any."""
    random = np.random.default_rng(seed)
    whole = random.integers(10, 5000, 120).tolist()
    for repeated in ([1, 2], [1], [1, 2, 3], [1, 1, 2, 2], [1, 2, 1, 3]):
        for often in (1, 2, 3, 40):
            inside = (
                whole[:50]
                + [word for n in range(8) for word in [100 * n + one for one in repeated] * often]
                + whole[50:]
            )
            for floor in (60.0, 80.0, 90.0):
                for stored, fresh in ((inside, whole + whole[::-1]), (whole + whole[::-1], inside)):
                    found = touched(block_of([stored], floor), [fresh], contains=floor, stored=[stored])
                    assert missed(expected([stored], [fresh], floor), found) == []


def test_short_texts_are_not_touched() -> None:
    """Texts of fewer than ten words are paired by equality only."""
    texts = [list(range(9)), list(range(10))]
    assert touched(block_of(texts, 50, 50), texts[:1], similar=50, stored=texts) == [False, False]
    assert touched(block_of(texts, 50, 50), texts[1:], similar=50, stored=texts) == [False, True]


def test_wrong_questions_are_refused() -> None:
    text = list(range(90))
    block, known = block_of([text], 80), np.zeros(1, np.bool_)
    with pytest.raises(BadSetting, match="listed for 80 and above"):
        ask(block, [text], known, contains=79.9999, stored=[text])
    with pytest.raises(BadSetting, match="listed for 70 and above"):
        ask(block, [text], known, similar=69.9999, stored=[text])
    with pytest.raises(BadSetting, match="known"):
        ask(block, [text], np.zeros(2, np.bool_), contains=80, stored=[text])
    for stored in ([], [text, text]):
        with pytest.raises(BadSetting, match="bags"):
            ask(block, [text], known, similar=80, stored=stored)
    for other in (block_of([text], 90), block_of([text], 80, 60)):
        with pytest.raises(BadSetting, match="floors"):
            merge_lists([block, other], 1)
    with pytest.raises(BadSetting, match="floors"):
        merge_lists([], 1)


def changed(array: Any, place: int, value: int) -> Any:
    out = array.copy()
    out[place] = value
    return out


HOSTILE = {
    "no floor": lambda b: replace(b, contains=0),
    "another floor": lambda b: replace(b, contains=500_000),
    "no floor of similarity": lambda b: replace(b, similar=0),
    "a lower floor of similarity": lambda b: replace(b, similar=200_000),
    "fewer pieces": lambda b: replace(b, pieces=changed(b.pieces, int(b.lengths.argmax()), 1)),
    "another length": lambda b: replace(b, lengths=changed(b.lengths, int(b.lengths.argmax()), 1)),
    "more runs": lambda b: replace(b, runs=b.runs + np.int32(1)),
    "no lengths": lambda b: replace(b, lengths=b.lengths[:0]),
    "an owner that is not there": lambda b: replace(b, entries=changed(b.entries, -1, (1 << 64) - 1)),
    "entries out of order": lambda b: replace(b, entries=b.entries[::-1].copy()),
    "an entry less": lambda b: replace(b, entries=b.entries[:-1]),
    "another text's entry": lambda b: replace(b, entries=changed(b.entries, 5, int(b.entries[5]) ^ 1)),
    "entries of another type": lambda b: replace(b, entries=b.entries.astype(np.int64)),
    "sizes that do not fit": lambda b: replace(b, sizes=changed(b.sizes, 0, 1)),
    "a negative size": lambda b: replace(b, sizes=changed(b.sizes, 0, -1)),
    "wider sizes": lambda b: replace(b, sizes=b.sizes.astype(np.int64)),
    "a text less": lambda b: replace(b, sizes=b.sizes[:-1]),
    "starts beyond the end": lambda b: replace(b, starts=changed(b.starts, 3, 1 << 40)),
    "negative starts": lambda b: replace(b, starts=changed(b.starts, 0, -1)),
    "starts of other slots": lambda b: replace(b, starts=changed(b.starts, 3, int(b.starts[4]) + 1)),
    "a slot less": lambda b: replace(b, starts=np.delete(b.starts, 3)),
    "no starts": lambda b: replace(b, starts=b.starts[:0]),
    "a table of starts": lambda b: replace(b, starts=b.starts[:, None]),
}


@pytest.mark.parametrize("damage", HOSTILE)
def test_damaged_arrays_are_refused(damage: str) -> None:
    texts = make_texts(np.random.default_rng(3), 60, 900, 200)
    block = block_of(texts, 80)
    assert sound(block, 60)
    assert not sound(HOSTILE[damage](block), 60)
    assert not sound(block, 61)
