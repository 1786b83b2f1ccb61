"""letters: exact counts, exact distances, flags for other scripts, and projections that keep what they promise."""

from __future__ import annotations

import math
import operator
import random
import string
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collections_data import collection
from truecopy.errors import BadSetting, SpecMismatch
from truecopy.sign import letters, projections
from truecopy.sign.code_points import letters_and_numbers
from truecopy.sign.signatures import Signatures
from truecopy.text.unicode_tables import UNICODE

ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits
RUSSIAN = "Арендатор обязуется вносить плату до пятого числа каждого месяца."
CHINESE = "承租人应当在每月五日之前支付租金。"
ARABIC = "يلتزم المستأجر بدفع الإيجار قبل الخامس من كل شهر."
LONG = "The Lessee shall pay £1,000 on the 5th day of each month – in full. " * 300
"""Longer than the texts that are counted by the character."""


def mixed(value: int) -> int:
    mask = (1 << 64) - 1
    for _ in range(2):
        value = (value ^ value >> 32) * 0xD6E8FEB86659FD93 & mask
    return value ^ value >> 32


def is_counted(character: str) -> bool:
    """By the shipped tables, which a test below holds to Python's."""
    return bool(letters_and_numbers()[ord(character)])


def slowly(text: str, alphabet: str) -> list[int]:
    counts = [0] * (62 if alphabet == "latin" else 256)
    for character, often in Counter(text).items():
        if character in ALPHABET:
            counts[ALPHABET.index(character)] += often
        elif alphabet == "extended" and is_counted(character):
            counts[62 + mixed(ord(character)) % 194] += often
    return counts


def counts_of(texts: list[str], alphabet: str = "latin") -> Signatures:
    return letters.sign(texts, letters.spec(alphabet))


def of_counts(*rows: list[int]) -> Signatures:
    values = np.zeros((len(rows), 62), np.uint32)
    for row, given_row in enumerate(rows):
        values[row, : len(given_row)] = given_row
    return Signatures(letters.spec(), values, np.ones(len(rows), bool), tuple(map(str, range(len(rows)))))


def test_counts_stand_in_the_order_of_the_page() -> None:
    """A to Z, then a to z, then 0 to 9; everything else is not counted."""
    (row,) = counts_of(["AAb Z\n00 9!é_@[`{/:"]).values
    assert {ALPHABET[place]: int(row[place]) for place in np.flatnonzero(row)} == {
        "A": 2, "b": 1, "Z": 1, "0": 2, "9": 1,
    }  # fmt: skip
    assert row.dtype == np.uint32
    assert len(row) == 62


TEXTS = [
    "", " ", "a", "Z", "é", "😀", "𝒜𝟘", "e\u0301", "\0\0a\0", "Straße ½ ™ Ⓐ ﬁ ١٢", "\u00ad\u200d", "x" * 1_000_001,
    RUSSIAN, CHINESE, ARABIC, LONG, LONG + RUSSIAN * 40, "é" * 20_000, "1234567é" * 3, "\x7f\x80\u07ff\uffff\U0010ffff",
]  # fmt: skip


@pytest.mark.parametrize("alphabet", ["latin", "extended"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_hostile_texts_are_counted_as_slowly(text: str, alphabet: str) -> None:
    """Whatever a text holds and however long it is, its counts are those of the plain count."""
    spec = letters.spec(alphabet)
    found = letters.sign([text, LONG, text], spec)
    assert letters.value(found, 0) == slowly(text, alphabet) == letters.value(found, 2)
    assert letters.value(found, 1) == slowly(LONG, alphabet)


@settings(deadline=None)
@given(st.lists(st.text(max_size=60), max_size=4))
def test_any_texts_are_counted_as_slowly(texts: list[str]) -> None:
    """The same for texts of any code points, as str and as bytes, one after the other in a buffer."""
    for alphabet in ("latin", "extended"):
        found = letters.sign(texts, letters.spec(alphabet))
        assert found.values.tolist() == [slowly(text, alphabet) for text in texts]
        as_bytes = letters.sign([text.encode() for text in texts], letters.spec(alphabet))
        assert np.array_equal(as_bytes.values, found.values)
        assert np.array_equal(as_bytes.reliable, found.reliable)


@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, ARABIC])
def test_other_scripts_are_flagged_under_latin_only(text: str) -> None:
    """A text without Latin letters is unreliable under latin, and is signed under extended."""
    assert counts_of([text]).reliable.tolist() == [False]
    found = letters.sign([text], letters.spec("extended"))
    assert found.reliable.tolist() == [True]
    assert found.values.sum() == sum(map(is_counted, text))


def test_letters_and_numbers_are_the_categories() -> None:
    """Every code point that this Python knows is taken as its category says; a newer Python may know more."""
    found = letters_and_numbers()
    newer = tuple(map(int, unicodedata.unidata_version.split("."))) > tuple(map(int, UNICODE.split(".")))
    for point in range(0x110000):
        category = unicodedata.category(chr(point))
        if category != "Cn" and found[point] != (category[0] in "LN"):
            assert newer, f"U+{point:04X} is {category}"
            assert not found[point], f"U+{point:04X} is {category}"


def test_half_of_the_letters_is_enough() -> None:
    """Fewer than half is unreliable, half is not; a text without any letter or digit is unreliable everywhere."""
    assert counts_of(["абab", "абвab", "абв1b2", "… !", ""]).reliable.tolist() == [True, False, True, False, False]
    extended = letters.sign(["абab", "абвab", "… !", ""], letters.spec("extended"))
    assert extended.reliable.tolist() == [True, True, False, False]


def test_distance_is_euclids() -> None:
    """By hand: differences 3 and 4 are 5 apart; the matrix says the same."""
    found = counts_of(["aaa", "bbbb", ""])
    assert letters.distance(found, 0, found, 1) == 5
    assert letters.distances(found, found).tolist() == [[0, 5, 3], [5, 0, 4], [3, 4, 0]]
    two, one = letters.norms(counts_of(["aaabbbb"]))
    assert (two[0], one[0]) == (5, 7)


def test_extreme_counts_do_not_overflow() -> None:
    """Two texts of the greatest length with no letter in common: the squared distance is just below 2^63."""
    most = (1 << 31) - 1
    found = of_counts([most], [0, most])
    exact = math.sqrt(2 * most * most)
    assert 2 * most * most < 1 << 63
    assert letters.distance(found, 0, found, 1) == exact
    assert letters.distances(found, found)[0, 1] == exact
    assert letters.norms(found)[0].tolist() == [most, most]
    assert not letters.within(found, 0, found, 1, 1.4)
    assert letters.within(found, 0, found, 1, 1.5)


def test_a_pair_exactly_at_gamma_is_in() -> None:
    """The query is the first: 1 letter off 40 is exactly 0.025, though no machine number is 0.025."""
    found = of_counts([40], [41], [42], [39])
    assert letters.within(found, 0, found, 1)
    assert letters.within(found, 0, found, 3)
    assert not letters.within(found, 0, found, 2)
    assert not letters.within(found, 3, found, 0), "1 is more than 0.025 of 39"
    assert letters.within(found, 0, found, 2, 0.05)
    assert letters.within(found, 0, found, 0, 0)


def test_lone_surrogates_and_broken_bytes() -> None:
    """Half a character in a str is no letter; bytes that are not UTF-8 are refused."""
    for alphabet in ("latin", "extended"):
        assert counts_of(["\ud800a\udfff" * 9], alphabet).values.sum() == 9
    with pytest.raises(BadSetting):
        letters.sign([b"a\xff"], letters.spec())


def test_threads_give_the_same() -> None:
    """In any number of threads the counts are the same."""
    texts = [LONG[k:] + RUSSIAN * (k % 3) for k in range(60)]
    one, two = counts_of(texts), letters.sign(texts, letters.spec(), threads=2)
    assert np.array_equal(one.values, two.values)
    assert np.array_equal(one.reliable, two.reliable)


def test_unlike_alphabets_refuse_each_other() -> None:
    """Counts of 62 and of 256 places are not compared."""
    latin, extended = counts_of(["a"]), letters.sign(["a"], letters.spec("extended"))
    for compare in (letters.distance, letters.within):
        with pytest.raises(SpecMismatch):
            compare(latin, 0, extended, 0)
    with pytest.raises(SpecMismatch):
        letters.distances(latin, extended)


@pytest.mark.parametrize(
    "call",
    [
        lambda: letters.spec("x"),
        lambda: letters.within(of_counts([1]), 0, of_counts([1]), 0, -1),
        lambda: letters.within(of_counts([1]), 0, of_counts([1]), 0, math.nan),
        lambda: letters.sign(["a"], letters.spec(), object()),
        lambda: projections.projections(m=0),
        lambda: projections.projections(m=1.5),
        lambda: projections.projections(distribution="x"),
        lambda: projections.projections(seed=-1),
        lambda: projections.tau0(delta=0),
        lambda: projections.tau0(neighbors=0),
        lambda: projections.reach(-1),
        lambda: projections.project(of_counts([1]), projections.projections(dimension=256)),
    ],
)
def test_bad_parameters_get_one_sentence(call: object) -> None:
    """What was given and what was expected, in one sentence, and a hint."""
    assert callable(call)
    with pytest.raises(BadSetting) as caught:
        call()
    assert caught.value.message.count(". ") == 0
    assert caught.value.message.endswith(".")
    assert caught.value.hint


def test_description_gives_the_bytes() -> None:
    """A signature has as many bytes as the description says."""
    assert letters.describe().bytes == counts_of(["a"]).values.nbytes == 248


def test_tau0_is_the_papers() -> None:
    """ln(2 · 10 / 0.1) + √ln(2 · 10 / 0.1), and the reach of a projection from it."""
    assert projections.tau0() == pytest.approx(5.298317 + 2.301807, abs=1e-5)
    assert projections.tau0(c1=2, c2=0) == pytest.approx(2 * math.log(200))
    assert projections.reach(math.sqrt(62)) == pytest.approx(projections.tau0())
    assert projections.reach(3, dimension=9, tau=2) == 2


@pytest.mark.parametrize("distribution", ["rademacher", "gaussian"])
def test_vectors_have_mean_0_and_variance_one_over_d(distribution: str) -> None:
    """Within five standard errors, over 62,000 entries; another seed gives other vectors."""
    vectors = projections.projections(1000, distribution=distribution).vectors
    entries = vectors.size
    assert abs(vectors.mean()) < 5 / math.sqrt(62 * entries)
    assert abs(62 * (vectors**2).mean() - 1) < 5 * math.sqrt(2 / entries)
    assert not np.array_equal(vectors, projections.projections(1000, seed=2, distribution=distribution).vectors)
    few = projections.projections(3, distribution=distribution).vectors
    assert np.array_equal(few, vectors[:3])
    if distribution == "rademacher":
        assert set(np.round(vectors * math.sqrt(62), 12).flat) == {-1, 1}


@pytest.mark.parametrize("distribution", ["rademacher", "gaussian"])
def test_projections_are_exact(distribution: str) -> None:
    """Also for the greatest counts, a projection is the product in whole numbers, rounded at the end."""
    onto = projections.projections(distribution=distribution)
    found = of_counts([(1 << 31) - 1], [3, 1, 4, 1, 5], [0] * 61 + [(1 << 31) - 1])
    sums = [[sum(map(operator.mul, row, vector)) for vector in onto.whole.tolist()] for row in found.values.tolist()]
    expected = [[float(Fraction(onto.grain) * total) / math.sqrt(62) for total in row] for row in sums]
    assert np.allclose(projections.project(found, onto), expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("distribution", ["rademacher", "gaussian"])
def test_projections_of_real_texts_keep_near_pairs(distribution: str) -> None:
    """Differences of projections stay within τ₀ r / √d for pairs within r, and their squares mean |x − q|² / d."""
    paths = sorted(path for path in collection("policies").rglob("*") if path.is_file())
    found = counts_of([path.read_bytes() for path in random.Random(7).sample(paths, 250)])
    d, m = 62, 64
    projected = projections.project(found, projections.projections(m, distribution=distribution))
    apart = letters.distances(found, found)
    query, other = np.nonzero(np.triu(apart > 0, 1))
    distance = apart[query, other]
    differences = np.abs(projected[query] - projected[other])
    reach = projections.tau0() * distance / math.sqrt(d)
    lost = (differences > reach[:, None]).any(axis=1).mean()
    assert lost < 0.001, "with r the pair's own distance: the hardest case"
    ratios = (differences**2).mean(axis=1) / (distance**2 / d)
    assert abs(ratios.mean() - 1) < 0.2, "pairs share the 64 vectors: the mean of all has an error of about √(2/64)"
    assert 0.5 < np.median(ratios) < 1.5
