"""The part of a text that another one stands in: cut from texts of which the true place is known."""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from match_streams import collect, numbered_texts

from collections_data import collection
from naive import naive_first_place
from truecopy.errors import BadSetting
from truecopy.match.part import in_text, part, parts
from truecopy.text import words
from truecopy.text.numbers import numbered
from truecopy.text.streams import Streams

HASHES = np.random.default_rng(1).integers(0, 1 << 64, 60_000, np.uint64)
"""Of words that are numbers here; the last thousands are new words."""
NEW = 50_000


def place(contained: Sequence[int], containing: Sequence[int]) -> tuple[int, int]:
    """The part of one text of word numbers that another one stands in."""
    return part(HASHES[list(contained)], HASHES[list(containing)])


def changed(text: Sequence[int], every: int, dice: random.Random) -> list[int]:
    """About one word in `every` replaced, left out or put in, never two within half of that distance."""
    out: list[int] = []
    waiting = dice.randrange(every)
    for word in text:
        waiting -= 1
        if waiting >= 0:
            out.append(word)
            continue
        waiting = dice.randrange(every // 2, 3 * every // 2)
        what = dice.randrange(3)
        if what:
            out.append(dice.randrange(NEW, len(HASHES)))
        if what == 2:
            out.append(word)
    return out


# --- excerpts --------------------------------------------------------------------------------------------


@given(st.integers(0, 1 << 32), st.integers(20, 400), st.sampled_from((20, 50, 10**6)))
def test_an_excerpt_is_found_where_it_was_cut_from_its_first_to_its_last_word_that_is_left(
    seed: int, length: int, every: int
) -> None:
    dice = random.Random(seed)
    text = dice.sample(range(NEW), length + dice.randrange(2000))
    first = dice.randrange(len(text) - length + 1)
    excerpt = changed(text[first : first + length], every, dice)
    kept = {*excerpt}
    left = [word in kept for word in text]
    assert place(excerpt, text) == (left.index(True), len(text) - left[::-1].index(True))


@given(st.integers(0, 1 << 32))
def test_words_that_were_changed_at_an_end_are_bridged(seed: int) -> None:
    """A change takes three shingles away; words between it and the end of the excerpt are found all the same."""
    dice = random.Random(seed)
    text = dice.sample(range(NEW), 500)
    excerpt = text[100:300]
    at_head, at_tail = dice.randrange(1, 4), dice.randrange(1, 4)
    excerpt[at_head] = NEW
    del excerpt[-1 - at_tail]
    assert place(excerpt, text) == (100, 300)


def test_common_phrases_elsewhere_do_not_stretch_the_part() -> None:
    """A phrase that stands in every paragraph, a heading that is repeated, and both in the excerpt."""
    dice = random.Random(3)
    phrase, heading = list(range(8)), list(range(10, 40))
    text = list(heading)
    for _ in range(60):
        text += [*dice.sample(range(100, NEW), 40), *phrase, *heading[: dice.randrange(30)]]
    first, last = 1000, 1600
    assert place(text[first:last], text) == (first, last)
    assert place([*heading, *text[first:last]], text) == (first, last)
    excerpt = changed(text[first:last], 25, dice)
    found = place(excerpt, text)
    assert abs(found[0] - first) <= 30 >= abs(found[1] - last)


def test_phrases_that_a_strange_ending_shares_with_the_text_do_not_stretch_the_part() -> None:
    dice = random.Random(4)
    text = dice.sample(range(NEW), 6000)
    ending = dice.sample(range(NEW, len(HASHES)), 300)
    for at in range(0, 300, 60):
        ending[at : at + 8] = text[3100 + 9 * at : 3108 + 9 * at]
    assert place([*text[1000:3000], *ending], text) == (1000, 3000)
    assert place([*ending[::-1], *text[1000:3000]], text) == (1000, 3000)


def test_three_words_here_and_there_do_not_stretch_the_part_however_many() -> None:
    dice = random.Random(14)
    text = dice.sample(range(NEW), 6000)
    strange = [word for at in range(40) for word in (*text[2000 + 90 * at : 2003 + 90 * at], NEW + at, NEW + 50 + at)]
    assert place([*text[1000:1200], *strange], text) == (1000, 1200)


@pytest.mark.parametrize("share", [15, 25])
def test_a_text_that_was_changed_much_is_found_near_its_ends(share: int) -> None:
    dice = random.Random(share)
    text = dice.sample(range(NEW), 4000)
    excerpt = [word if dice.randrange(100) >= share else NEW + i for i, word in enumerate(text[1000:2000])]
    first, last = place(excerpt, text)
    assert abs(first - 1000) <= 20 >= abs(last - 2000)


# --- passages that occur more than once --------------------------------------------------------------------


def test_of_equal_passages_the_first_is_taken_and_of_unlike_ones_the_best() -> None:
    dice = random.Random(5)
    passage, *between = (dice.sample(range(NEW), 300) for _ in range(4))
    other = changed(passage, 15, dice)
    assert place(passage, [*between[0], *passage, *between[1], *passage]) == (300, 600)
    found = place(passage, [*between[0], *other, *between[1], *passage, *between[2], *passage])
    assert found == (600 + len(other), 900 + len(other))
    shorter = [*passage[:150], *passage[175:]]
    assert place(passage, [*shorter, *between[0], *passage]) == (575, 875)
    assert place(shorter, [*passage, *between[0], *shorter]) == (600, 875)


def test_the_order_of_words_decides_between_passages_of_the_same_words() -> None:
    """A form that is repeated: a part that begins in the middle of one copy holds the same shingles."""
    form = random.Random(6).sample(range(NEW), 200)
    text = [*form[100:], *form, *form, *form]
    assert place(form, text) == (100, 300)
    assert place([*form[150:], *form[:150]], text) == (50, 250)
    blocks = [form[at : at + 20] for at in range(0, 200, 20)]
    turned = [word for block in blocks[::-1] for word in block]
    excerpt = [word for block in blocks for word in (NEW, *block[1:])]
    assert place(excerpt, [*turned, *range(NEW + 1, NEW + 100), *form]) == (300, 499)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(1, 60), st.integers(0, 60))
@example([0, 1, 1, 0, 1], 1, 1)
def test_a_text_of_repeated_words_is_found_where_the_other_begins(unit: list[int], times: int, more: int) -> None:
    """Not at words in another order: in 0 1 1 0 1 0 1 1 0 1, from the fifth word on, the shingles are the same."""
    assert place(unit * times, unit * (times + more)) == (0, len(unit) * times)


@given(st.data(), st.integers(0, 8), st.integers(1, 100))
def test_a_text_that_is_there_word_for_word_is_found_where_it_first_is(
    data: st.DataObject, letters: int, length: int
) -> None:
    """However often its words and shingles are repeated, in it and around it."""
    word = st.integers(0, letters)
    contained = data.draw(st.lists(word, min_size=length, max_size=length))
    around = st.lists(st.one_of(word.map(lambda one: [one]), st.just(contained[: length // 2])), max_size=40)
    before, behind = (list(itertools.chain(*data.draw(around))) for _ in range(2))
    containing = [*before, *contained, *behind]
    assert place(contained, containing) == naive_first_place(contained, containing)


def test_every_short_text_of_two_words_is_found_in_every_other_that_holds_it() -> None:
    """All of up to six words in all of up to nine: whatever orders of two words there are."""
    texts = [list(text) for length in range(1, 10) for text in itertools.product((0, 1), repeat=length)]
    short = sum(len(text) <= 6 for text in texts)
    pairs = [(a, b) for a in range(short) for b in range(len(texts)) if len(texts[b]) >= len(texts[a])]
    numbers, offsets = collect(texts)
    a, b = np.array(pairs).T
    found = parts(Streams(numbers, offsets, HASHES), a, b).tolist()
    wrong = []
    for (one, other), (first, last) in zip(pairs, found, strict=True):
        expected = naive_first_place(texts[one], texts[other])
        if expected is not None and (first, last) != expected:
            wrong.append((texts[one], texts[other], (first, last)))
    assert not wrong


# --- texts from several places -----------------------------------------------------------------------------


def test_a_text_from_two_places_spans_both() -> None:
    text = random.Random(7).sample(range(NEW), 5000)
    assert place([*text[500:800], *text[3000:3200]], text) == (500, 3200)
    assert place([*text[3000:3200], *text[500:800]], text) == (500, 3200)


def test_a_small_piece_from_far_away_is_not_spanned() -> None:
    text = random.Random(8).sample(range(NEW), 5000)
    assert place([*text[4000:4030], *text[500:1000]], text) == (500, 1000)


def test_a_text_that_leaves_passages_out_or_moved_them_has_one_part() -> None:
    text = random.Random(9).sample(range(NEW), 5000)
    assert place([*text[500:900], *text[1100:1500]], text) == (500, 1500)
    assert place([*text[900:1500], *text[500:900]], text) == (500, 1500)
    assert place([*text[500:900], *range(NEW, NEW + 200), *text[900:1500]], text) == (500, 1500)


# --- small and odd texts -----------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=1, max_size=200))
def test_a_text_is_the_whole_of_itself(text: list[int]) -> None:
    assert place(text, text) == (0, len(text))


def test_a_text_that_is_longer_than_the_other_holds_all_of_it() -> None:
    text = random.Random(10).sample(range(NEW), 900)
    assert place(text, text[300:500]) == (0, 200)
    assert place([*range(NEW, NEW + 500), *text[300:500]], text[300:500]) == (0, 200)


@pytest.mark.parametrize(
    ("contained", "containing", "expected"),
    [
        ([], [], (0, 0)),
        ([], [1, 2, 3], (0, 0)),
        ([1, 2, 3], [], (0, 0)),
        ([1, 2, 3, 4], [5, 6, 7, 8, 9], (0, 0)),
        ([7], [5, 6, 7, 8, 7], (2, 3)),
        ([7], [7], (0, 1)),
        ([7, 8], [8, 7, 8, 7, 8], (1, 3)),
        ([6, 7, 8], [7], (0, 1)),
        ([7, 8, 9], [5, 7, 8, 9, 7, 8, 9], (1, 4)),
        ([1, 7, 2], [5, 7, 5], (1, 2)),
    ],
)
def test_the_smallest_texts(contained: list[int], containing: list[int], expected: tuple[int, int]) -> None:
    assert place(contained, containing) == expected


def held(contained: list[int], places: list[tuple[int, ...] | None]) -> int:
    """Shingles of the contained text that stand at some places, each as often as both have it."""
    have = Counter(zip(contained, contained[1:], contained[2:], strict=False))
    there = Counter(shingle for shingle in places if shingle is not None)
    return sum(min(times, there[shingle]) for shingle, times in have.items())


@given(st.data(), st.integers(1, 12))
def test_the_part_of_any_two_texts_lies_in_the_text_and_holds_most_of_what_they_share(
    data: st.DataObject, letters: int
) -> None:
    texts = st.lists(st.integers(0, letters), max_size=120)
    contained, containing = data.draw(texts), data.draw(texts)
    first, last = place(contained, containing)
    assert 0 <= first <= last <= len(containing)
    assert (first < last) == bool({*contained} & {*containing})
    if first < last:
        assert {containing[first], containing[last - 1]} <= {*contained}
    mine = {*zip(contained, contained[1:], contained[2:], strict=False)}
    places = [s if s in mine else None for s in zip(containing, containing[1:], containing[2:], strict=False)]
    least = min(4, len(contained) - 2)
    solid = "".join("x" if shingle else " " for shingle in places).split(" ")
    kept, at = list(places), 0
    for row in solid:
        if len(row) < least:
            kept[at : at + len(row)] = [None] * len(row)
        at += len(row) + 1
    if 2 * held(contained, kept) < held(contained, places):
        kept = places
    assert held(contained, kept[first : max(first, last - 2)]) >= 0.7 * held(contained, kept)


# --- many pairs, large texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_many_pairs_give_what_each_gives_alone(threads: int) -> None:
    dice = random.Random(11)
    texts = [dice.sample(range(2000), dice.randrange(1, 800)) for _ in range(12)]
    texts += [changed(text[len(text) // 4 : -len(text) // 4], 30, dice) for text in texts] + [[]]
    numbers, offsets = collect(texts)
    a = np.array([dice.randrange(25) for _ in range(200)])
    b = np.array([dice.randrange(25) for _ in range(200)])
    found = parts(Streams(numbers, offsets, HASHES), a, b, threads)
    assert [tuple(row) for row in found.tolist()] == [place(texts[x], texts[y]) for x, y in zip(a, b, strict=True)]


def test_no_pair_has_no_part_and_a_text_that_is_not_there_is_refused() -> None:
    streams = Streams(np.zeros(3, np.uint32), np.array([0, 3]), HASHES)
    assert parts(streams, np.empty(0, np.int64), np.empty(0, np.int64)).shape == (0, 2)
    for a, b in ((0, 1), (-1, 0)):
        with pytest.raises(BadSetting, match="there are 1"):
            parts(streams, np.array([a]), np.array([b]))


def test_a_hundred_thousand_words_are_found_in_a_million() -> None:
    """Of texts that repeat themselves too, in which every shingle stands everywhere."""
    dice = np.random.default_rng(12)
    text = HASHES[(NEW * dice.random(1_000_000) ** 3).astype(np.int64)]
    excerpt = text[400_000:500_000].copy()
    excerpt[dice.random(len(excerpt)) < 0.05] = HASHES[-1]
    first, last = part(excerpt, text)
    assert abs(first - 400_000) <= 10 >= abs(last - 500_000)
    assert part(text[:1][[0] * 100_000], text[:1][[0] * 1_000_000]) == (0, 100_000)
    assert part(np.tile(text[:7], 15_000), np.tile(text[:7], 150_000)) == (0, 105_000)


def test_excerpts_of_contracts_are_found_within_a_twentieth_of_their_length() -> None:
    texts = [text for text in numbered_texts(collection("contracts") / "txt", 40) if len(text) > 400]
    dice = random.Random(13)
    wrong = []
    for text in texts:
        for every in (20, 50, 10**6):
            length = dice.randrange(80, len(text) // 2)
            first = dice.randrange(len(text) - length)
            excerpt = changed(text[first : first + length], every, dice)
            found = part(excerpt, text)
            if max(abs(found[0] - first), abs(found[1] - first - length)) > length / 20:
                wrong.append((text[found[0] : found[1]] == text[first : first + length], found, first, length))
    assert not [place for same, *place in wrong if not same]
    assert len(texts) > 20


# --- places in the original text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "inside", "behind"),
    [
        ("The Lessor lets. ", "The Lessee shall pay the rent, monthly", ". No pets."),
        ("「甲」は、", "乙に対して賃料を毎月支払う", "ものとする。😀"),
        ("𝔘nder — ", "die Größe der Räume beträgt", " 12 m²"),
        ("e\u0301te\u0301 ", "le lo\u0301cataire paie l\u2019e\u0301tat des lieux", " a\u0301 la fin"),
        ("über ", unicodedata.normalize("NFD", "die Verträge über Räume für Bäcker"), " ö"),
        ("Nr. ", "½ Jahr ㍿ oder ﬁnal", " 7"),
        ("", "nothing but the text itself", ""),
        ("ผู้เช่า ", "ต้องชำระค่าเช่า", " ๒๕๖๐"),
    ],
)
def test_code_points_of_the_original_text(before: str, inside: str, behind: str) -> None:
    """Whatever is more than a byte or a code point before or in the part; case and composition may differ."""
    text = before + inside + behind
    for asked in (inside, unicodedata.normalize("NFC", inside).upper()):
        start, end = in_text(words(text), part(*numbered(asked, text)))
        assert text[start:end] == inside


def test_no_part_is_at_no_code_point() -> None:
    assert in_text(words("a b c"), (0, 0)) == (0, 0)
    assert in_text(words(""), (0, 0)) == (0, 0)
