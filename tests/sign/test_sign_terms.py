"""terms and fingerprint: by hand on made-up statistics, against a slow version, and on real texts."""

from __future__ import annotations

import datetime
import hashlib
import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collections_data import collection
from truecopy.errors import BadSetting, SpecMismatch
from truecopy.kernels.secret import SECRET
from truecopy.kernels.terms import PADDING, UNUSED, sign_terms
from truecopy.sign import fingerprint, statistics, terms
from truecopy.sign.code_points import NOTHING, NUMBER, number_classes
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Frequencies, Statistics
from truecopy.sign.term_table import must_be_few_enough, term_table
from truecopy.text import word_texts, words
from truecopy.text.tokens import tokenize

RUSSIAN = "Арендатор обязуется вносить плату до пятого числа каждого месяца. " * 10
CHINESE = "承租人应当在每月五日之前支付租金。" * 10
ARABIC = "يلتزم المستأجر بدفع الإيجار قبل الخامس من كل شهر. " * 10


def made(frequencies: dict[str, tuple[int, int]], documents: int = 1000) -> Statistics:
    """Statistics with these document and collection frequencies."""
    entries = sorted((word.encode(), *both) for word, both in frequencies.items())
    letters = np.frombuffer(b"".join(entry[0] for entry in entries), np.uint8)
    ends = np.cumsum([len(entry[0]) for entry in entries], dtype=np.int64)
    columns = [np.array([entry[place] for entry in entries], np.int64) for place in (1, 2)]
    nothing = Frequencies(np.empty(0, np.uint8), *(np.empty(0, np.int64) for _ in range(3)), 0)
    return Statistics(documents, Frequencies(letters, ends, *columns, int(columns[1].sum())), nothing)


FEW = made(
    {
        "lessee": (50, 90), "lessor": (50, 80), "estoppel": (2, 5), "novation": (9, 12), "the": (999, 9999),
        "of": (990, 9000), "hapax": (1, 4), "x25": (3, 30), "42": (7, 70), "straße": (4, 6), "été": (4, 9),
    }
)  # fmt: skip
"""Numbers: estoppel 0, été 1, novation 2, lessee 3, lessor 4, the 5; the others are not eligible."""

WORDS = ["".join(letters) for letters in itertools.product("bdfg", "aeio", "klmn", "aeio")]
MANY = made({word: (1 + place, 10) for place, word in enumerate(WORDS)})
"""256 eligible words, numbered in this order."""


def of_words(numbers: list[int], repeat: int = 1) -> str:
    return " ".join(WORDS[number] for number in numbers for _ in range(repeat))


def signed(texts: list[str], known: Statistics = MANY, size: int | None = None, **more: object) -> Signatures:
    return terms.sign(texts, terms.spec(size, statistics=known), known, **more)  # type: ignore[arg-type]


def low(word: str) -> int:
    """The padding entry of a word."""
    return PADDING + min(int(words(word).hashes[0]) % PADDING, PADDING - 2)


def slowly(text: str, known: Statistics, size: int) -> list[int]:
    """The entries of a text, straight from the definition."""
    data = text.encode()
    found = tokenize([data])
    tokens = list(
        zip(word_texts(data, found.starts, found.ends, found.hashes), (int(h) for h in found.hashes), strict=True)
    )
    table = term_table(known)
    numbers = {table.word(number): number for number in range(len(table.words))}
    entries = sorted({numbers[word] for word, _ in tokens if word in numbers})[:size]
    for word, number in tokens:
        entry = PADDING + min(number % PADDING, PADDING - 2)
        if word not in numbers and entry not in entries and len(entries) < size:
            entries.append(entry)
    return entries


def test_entries_are_the_rarest_words() -> None:
    """Ascending by document frequency, ties by code points, however often and in whatever order they occur."""
    found = signed(["The Lessor, the LESSEE; novation of Estoppel été"], FEW, 6)
    assert terms.value(found, 0) == [0, 1, 2, 3, 4, 5]
    assert terms.value(signed(["lessor lessor the lessee"], FEW, 2), 0) == [3, 4]
    assert [term_table(FEW).word(number) for number in range(6)] == "estoppel été novation lessee lessor the".split()


def test_words_that_are_not_eligible_only_pad() -> None:
    """Two letters, digits, fewer than five occurrences, unseen; ß is spelled ss, and the table's straße never met."""
    text = "of 42 hapax x25 unseen Straße lessee of 42"
    padding = [low(word) for word in ("of", "42", "hapax", "x25", "unseen", "strasse")]
    assert terms.value(signed([text], FEW), 0) == [3, *padding]
    assert terms.value(signed([text], FEW, 3), 0) == [3, *padding[:2]], "in order of first appearance"
    assert terms.value(signed([text], FEW, 1), 0) == [3]


def test_bytes_are_the_papers() -> None:
    """184 bytes: two of length, two of date, three an entry; little-endian, unused entries all ones."""
    day = datetime.date(1980, 1, 1)
    found = signed(["lessor " * 300 + "of"], FEW, dates=[day])
    (row,) = found.values
    assert len(row) == 184 == terms.describe().bytes
    assert row[:4].tolist() == [301 % 256, 301 // 256, 1, 0]
    assert bytes(row[4:10]) == (4).to_bytes(3, "little") + low("of").to_bytes(3, "little")
    assert set(row[10:].tolist()) == {255}
    assert (terms.length(found, 0), terms.date(found, 0)) == (301, day)


def test_dates_that_do_not_fit_are_none() -> None:
    """Two bytes hold 1 January 1980 to 5 June 2159; a long text's length is kept as 65,535."""
    given_dates = [datetime.date(*day) for day in ((1979, 12, 31), (2159, 6, 6), (2159, 6, 5), (2024, 2, 29))]
    found = signed(["a"] * 5, dates=[*given_dates, None])
    assert [terms.date(found, text) for text in range(5)] == [None, None, *given_dates[2:], None]
    assert terms.length(signed(["a " * 70_000]), 0) == 65535


def test_a_hash_of_ones_is_not_taken_for_an_unused_entry() -> None:
    """The greatest 23 bits would be the entry for none: it becomes the one below, and is kept once."""
    hashes = np.array([PADDING - 1, (5 << 23) + PADDING - 2, 7], np.uint64)
    rows, reliable = np.empty((1, 13), np.uint8), np.empty(1, bool)
    zeros, places = np.zeros(PADDING >> 6, np.uint64), np.array([0, 1, 2], np.uint32)
    one = np.zeros(1, np.uint64)
    sign_terms(
        np.frombuffer(bytearray(b"abc" + bytes(32)), np.uint8), np.array([0, 3]), hashes, places, places + np.uint32(1),
        np.array([0, 3]), np.zeros(8, np.uint64), np.zeros(8, np.uint32), SECRET, number_classes(), one, one.copy(),
        np.empty(1, np.uint32), zeros, np.zeros(1, np.int64), 20, rows, reliable,
    )  # fmt: skip
    found = Signatures(terms.spec(3, statistics=MANY), rows, reliable, ("0",))
    assert terms.value(found, 0) == [UNUSED - 1, PADDING + 7]
    assert not zeros.any(), "left as it was for the next text"


@pytest.mark.parametrize(("unit", "least", "size"), [("document", 20, 60), ("clause", 10, 30)])
def test_few_eligible_words_are_flagged(unit: str, least: int, size: int) -> None:
    """Padding does not make a signature reliable; 20 eligible words do, for clauses 10."""
    texts = [of_words(list(range(least - 1))) + " unseen" * 50, of_words(list(range(least)), 3), ""]
    spec = terms.spec(unit=unit, statistics=MANY)
    found = terms.sign(texts, spec, MANY)
    assert found.reliable.tolist() == [False, True, False]
    assert found.values.shape[1] == 4 + 3 * size
    small = terms.sign(texts, terms.spec(5, unit, MANY), MANY)
    assert small.reliable.tolist() == [False, True, False], "however few entries are kept"


@pytest.mark.parametrize("number", ["7", "1234567890123", "٤٢", "½", "3\u00ad4", "²", "𝟘"])
def test_mostly_numbers_are_flagged(number: str) -> None:
    """More words of digits than others is unreliable, as many is not, in any script's digits."""
    text = of_words(list(range(30)))
    each = len(words(number).hashes)
    assert signed([text + f" {number}" * (30 // each)]).reliable.tolist() == [True]
    assert signed([text + f" {number}" * (30 // each + 1)]).reliable.tolist() == [False]


@pytest.mark.parametrize("other", ["7a", "a7", "x", "7é", "é", "Ⅷ", "7\u0301", "㎏", "中"])
def test_other_words_are_not_numbers(other: str) -> None:
    """A word with a letter or a mark in it is not a number."""
    assert signed([of_words(list(range(30))) + f" {other}" * 100]).reliable.tolist() == [True]


def test_number_kinds_of_code_points() -> None:
    """Digits and fractions are numbers, ignorable code points nothing, the rest neither."""
    kinds = {character: int(number_classes()[ord(character)]) for character in "7½①٤ⅷ\u00ad\u200bA™é"}
    assert kinds == {
        "7": NUMBER, "½": NUMBER, "①": NUMBER, "٤": NUMBER, "ⅷ": 0, "\u00ad": NOTHING, "\u200b": NOTHING,
        "A": 0, "™": 0, "é": 0,
    }  # fmt: skip


@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, ARABIC])
def test_scripts_that_the_statistics_do_not_know_are_flagged(text: str) -> None:
    """They are padded by their own words, and said to be unreliable."""
    found = signed([text])
    assert not found.reliable[0]
    assert min(terms.value(found, 0)) >= PADDING
    assert terms.value(found, 0) == slowly(text, MANY, 60)


HOSTILE = [
    "", " ", "a", "é", "😀", "𝒜𝟘", "e\u0301", "\0\0a\0 bake\0", "Straße ½ ™ Ⓐ ﬁ ١٢", "\u00ad\u200d", "bake " * 200_000,
    "x" * 1_000_000, " ".join(map(str, range(100_000))), of_words(list(range(255, -1, -1)), 40), "\u0301\u0301 bake",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_signed_as_slowly(text: str) -> None:
    """Whatever a text holds, its entries are those of the definition; texts beside it do not matter."""
    found = signed([of_words([9, 3]), text, of_words([9, 3])])
    assert terms.value(found, 1) == slowly(text, MANY, 60)
    assert terms.value(found, 0) == terms.value(found, 2) == [3, 9]
    assert terms.length(found, 1) == min(len(words(text).hashes), 65535)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([*WORDS[::5], "of", "42", "é", "Z"]) | st.text(max_size=4)), max_size=4))
def test_any_texts_are_signed_as_slowly(texts: list[list[str]]) -> None:
    """The same for made texts, for few and many entries."""
    joined = [" ".join(text) for text in texts]
    for size in (1, 7, 60, 300):
        found = signed(joined, MANY, size)
        assert [terms.value(found, text) for text in range(len(texts))] == [slowly(text, MANY, size) for text in joined]


def test_similarity_is_of_the_one_that_has_more() -> None:
    """By hand: 3 shared of 4 and 6 entries are 50; padding counts; nothing in common with nothing."""
    found = signed([of_words([1, 2, 3, 4]), of_words([2, 3, 4, 5, 6, 7]), "of", "of 42", ""])
    assert terms.similarity(found, 0, found, 1) == terms.similarity(found, 1, found, 0) == 50
    assert terms.similarity(found, 2, found, 3) == 50
    assert terms.similarity(found, 4, found, 4) == terms.similarity(found, 0, found, 4) == 0
    assert terms.similarities(found, found)[:2, :2].tolist() == [[100, 50], [50, 100]]
    assert not terms.compare(found, 4, found, 4, 1).similar


def test_comparing_ends_as_soon_as_it_is_certain() -> None:
    """Of 10 entries 8 are needed: it ends at the eighth shared, or after the third that is not."""
    found = signed([of_words(list(range(10))), of_words(list(range(100, 110))), of_words([*range(8), 30, 31])])
    assert terms.compare(found, 0, found, 0) == terms.Compared(True, 8, None)
    assert terms.compare(found, 0, found, 1) == terms.Compared(False, 3, None)
    assert terms.compare(found, 0, found, 2) == terms.Compared(True, 8, None)
    assert terms.compare(found, 0, found, 2, 81) == terms.Compared(False, 10, None)
    every = terms.compare_all(found, found)
    assert every.similar.tolist() == [[True, False, True], [False, True, False], [True, False, True]]
    assert (every.pairs, every.mean, every.mean_unlike) == (9, (5 * 8 + 4 * 3) / 9, 3)


def test_comparing_padding_ends_early_too() -> None:
    """Padding is compared in any order, from either side, with the same bounds."""
    other = ["of", "at", "by", "in", "to", "on", "up", "an", "as", "be"]
    texts = [
        " ".join(other),
        " ".join(reversed(other)),
        " ".join([*other[:7], "ax", "ox", "ex"]),
        "no so go 1 2 3 4 5 6 7",
    ]
    found = signed(texts)
    assert terms.compare(found, 0, found, 1) == terms.Compared(True, 8, None)
    assert not terms.compare(found, 0, found, 2).similar
    assert terms.compare(found, 0, found, 2, 70).similar
    assert terms.compare(found, 0, found, 3) == terms.Compared(False, 3, None)


def test_lengths_and_dates_are_filtered_first() -> None:
    """± 20 % in integers, a pair exactly there is in; dates only where asked for and both have one."""
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 2, 12), datetime.date(2024, 2, 13), None]
    found = signed(["bake " * count for count in (100, 80, 79, 100)], dates=days)
    assert terms.compare(found, 0, found, 1).similar
    refused = terms.compare(found, 0, found, 2)
    assert (refused.similar, refused.compared) == (False, 0)
    assert refused.reason == "Their lengths differ by more than 20 %."
    assert terms.compare(found, 2, found, 0, length=21).similar
    assert terms.compare(found, 0, found, 3, length=0).similar
    assert terms.compare(found, 0, found, 1, weeks=6).similar, "42 days"
    late = terms.compare(found, 0, found, 2, length=50, weeks=6)
    assert (late.similar, late.reason) == (False, "Their dates are more than 6 weeks apart.")
    assert terms.compare(found, 3, found, 2, length=50, weeks=0).similar
    assert terms.compare_all(found, found).pairs == 16 - 4


def test_lengths_that_are_kept_as_65535_lose_no_pair() -> None:
    """Of a text of 80,000 words one of 64,000 is within 20 %, though only 65,535 is kept."""
    found = signed(["bake " * count for count in (80_000, 64_000, 300_000, 52_000)])
    assert terms.compare(found, 0, found, 1).similar
    assert terms.compare(found, 0, found, 2).similar
    assert terms.compare(found, 0, found, 3).reason is not None


def test_comparing_agrees_with_the_similarity() -> None:
    """Early exit never changes the answer, over 2,500 pairs of texts with and without padding."""
    chance = random.Random(11)
    texts = []
    for _ in range(50):
        numbers = chance.sample(range(30), chance.randrange(25))
        texts.append(of_words(numbers) + " " + " ".join(chance.sample("of at by in to on up an as be".split(), 5)))
    found = signed([*texts, ""], size=20)
    exact = terms.similarities(found, found)
    for threshold in (1, 37.5, 50, 80, 90, 100):
        every = terms.compare_all(found, found, threshold, length=100)
        assert np.array_equal(every.similar, exact >= threshold)
        assert np.array_equal(every.similar, every.similar.T)
    for i, j in itertools.product(range(0, 51, 7), repeat=2):
        assert terms.similarity(found, i, found, j) == exact[i, j]
        assert terms.compare(found, i, found, j, 50, length=100).similar == (exact[i, j] >= 50)


def test_lone_surrogates_separate_words() -> None:
    """Half a character in a str is in no word."""
    found = signed([f"{WORDS[3]}\ud800{WORDS[5]}\udfff"])
    assert (terms.value(found, 0), terms.length(found, 0)) == ([3, 5], 2)


def test_threads_give_the_same() -> None:
    """In any number of threads signatures are the same."""
    chance = random.Random(5)
    texts = [of_words([chance.randrange(256) for _ in range(9000)]) for _ in range(30)] + ["of 42"] * 5
    for family, spec in ((terms, terms.spec(statistics=MANY)), (fingerprint, fingerprint.spec(statistics=MANY))):
        one, two = family.sign(texts, spec, MANY), family.sign(texts, spec, MANY, threads=2)
        assert np.array_equal(one.values, two.values)
        assert np.array_equal(one.reliable, two.reliable)


BAD: list[Callable[[], object]] = [
    lambda: terms.spec(0, statistics=MANY),
    lambda: terms.spec(65536, statistics=MANY),
    lambda: terms.spec(1.5, statistics=MANY),  # type: ignore[arg-type]
    lambda: terms.spec(unit="page", statistics=MANY),
    lambda: signed(["a"], dates=[]),
    lambda: terms.compare(signed(["a"]), 0, signed(["a"]), 0, 101),
    lambda: terms.compare(signed(["a"]), 0, signed(["a"]), 0, length=-1),
    lambda: terms.compare(signed(["a"]), 0, signed(["a"]), 0, weeks=-1),
    lambda: fingerprint.spec(bin=-1, statistics=MANY),
    lambda: fingerprint.spec(bin=2.5, statistics=MANY),  # type: ignore[arg-type]
    lambda: fingerprint.spec(terms=0, statistics=MANY),
    lambda: fingerprint.spec(terms=65, statistics=MANY),
    lambda: fingerprint.spec(rarest=2, statistics=MANY),
    lambda: must_be_few_enough(PADDING + 1),
]


@pytest.mark.parametrize("call", BAD)
def test_bad_parameters_get_one_sentence(call: Callable[[], object]) -> None:
    """What was given and what was expected, in one sentence, and a hint."""
    with pytest.raises(BadSetting) as caught:
        call()
    assert caught.value.message.count(". ") == 0
    assert caught.value.message.endswith(".")
    assert caught.value.hint


def test_as_many_words_as_there_are_numbers_are_taken() -> None:
    """2^23 eligible words are the most; the first that is too many is refused."""
    must_be_few_enough(PADDING)
    with pytest.raises(BadSetting):
        must_be_few_enough(PADDING + 1)


@pytest.mark.parametrize("family", [terms, fingerprint])
def test_other_statistics_are_refused(family: object) -> None:
    """Signing with statistics that the spec does not name says both ids; signatures of unlike statistics too."""
    made_by = family.spec(statistics=MANY)  # type: ignore[attr-defined]
    with pytest.raises(SpecMismatch, match=f"{MANY.id}.*{FEW.id}"):
        family.sign(["a"], made_by, FEW)  # type: ignore[attr-defined]
    few = family.sign(["a"], family.spec(statistics=FEW), FEW)  # type: ignore[attr-defined]
    many = family.sign(["a"], made_by, MANY)  # type: ignore[attr-defined]
    assert (few.statistics, many.statistics) == (FEW.id, MANY.id)
    with pytest.raises(SpecMismatch):
        family.similarity(few, 0, many, 0)  # type: ignore[attr-defined]
    with pytest.raises(SpecMismatch):
        family.similarities(few, many)  # type: ignore[attr-defined]


@pytest.mark.parametrize("family", [terms, fingerprint])
def test_the_packages_statistics_are_taken_where_none_are_given(family: object) -> None:
    """A spec and a signature without statistics are those of the package; a spec of others is refused then."""
    made_by = family.spec()  # type: ignore[attr-defined]
    text = "The indemnification survives the termination of this sublease."
    found = family.sign([text], made_by)  # type: ignore[attr-defined]
    assert found.statistics == statistics.shipped().id
    assert np.array_equal(found.values, family.sign([text], made_by, statistics.shipped()).values)  # type: ignore[attr-defined]
    with pytest.raises(SpecMismatch, match=MANY.id):
        family.sign([text], family.spec(statistics=MANY))  # type: ignore[attr-defined]


def printed(text: str, known: Statistics = FEW, **parameters: float) -> list[str | int]:
    spec = fingerprint.spec(statistics=known, **parameters)  # type: ignore[arg-type]
    return fingerprint.value(fingerprint.sign([text], spec, known), 0)


def key(written: str) -> str:
    return hashlib.sha1(written.encode()).hexdigest()


TEXT = "Now the lessor and the lessee, by novation and estoppel, été."


def test_fingerprint_is_the_papers() -> None:
    """Rarest first, with places relative to the first of those chosen; idf over 0.8 (estoppel: 0.9) passed over."""
    assert printed(TEXT, terms=5) == [key("été[9] novation[6] lessee[4] lessor[1] the[0]"), 11]
    assert printed(TEXT, terms=2) == [key("été[3] novation[0]"), 11]
    assert printed(TEXT, terms=5, rarest=1) == [key("estoppel[7] été[8] novation[5] lessee[3] lessor[0]"), 11]
    assert printed("lessor " * 9 + "novation lessor", terms=2) == [key("novation[9] lessor[0]"), 11]


@pytest.mark.parametrize(("size", "offsets"), [(0, (9, 10, 0)), (10, (10, 10, 0)), (25, (25, 25, 0)), (4, (12, 12, 0))])
def test_offsets_are_rounded_up_to_bins(size: int, offsets: tuple[int, ...]) -> None:
    """An offset at a bin's limit stays, one above goes to the next limit, 0 stays 0."""
    text = "lessor of of of of of of of of novation lessee"
    written = " ".join(
        f"{word}[{offset}]" for word, offset in zip(("novation", "lessee", "lessor"), offsets, strict=True)
    )
    assert printed(text, terms=3, bin=size) == [key(written), 11]


def test_fingerprint_bytes_and_flags() -> None:
    """24 bytes; with fewer words than asked for it is flagged, and equal to none, itself included."""
    spec = fingerprint.spec(3, statistics=FEW)
    found = fingerprint.sign(["lessor novation lessee", "lessor novation", "", "of", TEXT], spec, FEW)
    assert found.values.shape == (5, 24)
    assert fingerprint.describe().bytes == 24
    assert found.reliable.tolist() == [True, False, False, False, True]
    assert fingerprint.value(found, 2) == [key(""), 0]
    equal = fingerprint.similarities(found, found)
    assert equal.tolist() == np.diag([100, 0, 0, 0, 100]).tolist()
    for i, j in itertools.product(range(5), repeat=2):
        assert fingerprint.similarity(found, i, found, j) == equal[i, j]
    assert fingerprint.similarity(found, -1, found, 4) == 100


def test_equal_keys_need_nearly_equal_lengths() -> None:
    """5 per cent of the longer, unless another share is given."""
    spec = fingerprint.spec(3, statistics=FEW)
    texts = ["lessor novation lessee" + " of" * more for more in (97, 92, 91)]
    found = fingerprint.sign(texts, spec, FEW)
    assert fingerprint.similarities(found, found).tolist() == [[100, 100, 0], [100, 100, 100], [0, 100, 100]]
    assert fingerprint.similarity(found, 0, found, 2, length=6) == 100
    assert fingerprint.similarity(found, 0, found, 1, length=0) == 0


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_get_fingerprints(text: str) -> None:
    """Whatever a text holds: the key of the definition, and its length."""
    data = text.encode()
    found = tokenize([data])
    tokens = word_texts(data, found.starts, found.ends, found.hashes)
    table = term_table(MANY)
    numbers = {table.word(n): n for n in range(len(table.words)) if table.idf[n] <= 0.8}
    chosen = sorted({word for word in tokens if word in numbers}, key=numbers.__getitem__)[:6]
    places = {word: tokens.index(word) for word in chosen}
    written = " ".join(f"{word}[{places[word] - min(places.values())}]" for word in chosen)
    assert printed(text, MANY) == [key(written), len(tokens)]


def test_real_versions_are_found_with_few_comparisons() -> None:
    """On policies, with statistics of other texts: early exit agrees, and about 15 terms tell that two are unlike."""
    folder = collection("agreements")
    others = sorted(path for path in folder.rglob("*") if path.is_file())[:150]
    known = statistics.build([path.read_text(errors="replace") for path in others])
    paths = sorted(path for path in collection("policies").rglob("*") if path.is_file())
    texts = [path.read_text(errors="replace") for path in random.Random(3).sample(paths, 300)]
    found = signed(texts, known)
    every = terms.compare_all(found, found, length=100)
    assert np.array_equal(every.similar, terms.similarities(found, found) >= 80)
    assert 10 < every.mean_unlike < 20
    assert every.similar.sum() > len(texts), "versions of one policy are in the sample"
