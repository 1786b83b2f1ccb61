"""Every signature family equals a slow, independent version of its definition, bit for bit."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sign_checks import as_plain, assert_same, expected, family, polynomial, sign
from sign_texts import SHORT, aligned_texts, long_text, made_texts, real_texts, some_texts

import naive_signatures as naive

SIZES = (16, 32, 64, 128, 256, 512, 1024)
HASHES = ("fast", "shake256", "sha512")
DENSITIES = (None, 1 / 256, 0.002, 0.1, 0.25, 0.3, 0.5, 0.75, 0.999, 1.0)
LENGTHS = (1, 2, 7, 20, 64, 65, 200)
DIVISORS = (1, 2, 3, 100, 1 << 32)
PLACES = (1, 2, 3, 100, 1000)
CLAUSES = [
    "The Lessee shall pay the rent on the first day of each month; the Lessor shall keep the premises in good repair.",
    "Der Mieter zahlt die Miete im Voraus, spätestens am 3. Werktag; die Kündigungsfrist beträgt drei Monate. ẞß ﬁ",
    "Арендатор обязуется вносить арендную плату ежемесячно. 契約は2024年4月1日に終了する。 👩‍⚖️ e\u0301 a\u0308\u0323",
]
each = settings(max_examples=120, deadline=None)

windows = st.fixed_dictionaries(
    {"window": st.sampled_from(LENGTHS) | st.integers(1, 70), "hash": st.sampled_from(["fast", "rabin"])}
)


# --- bit signatures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.parametrize("hash", HASHES)
def test_simhash_of_short_and_aligned_texts(bits, hash):
    """Every size and hash, on texts that are shorter than an n-gram or lie across any boundary of eight bytes."""
    assert_same("simhash", [*SHORT, *CLAUSES], bits=bits, hash=hash)
    assert_same("simhash", aligned_texts()[:: 1 if bits <= 64 else 9], bits=bits, hash=hash, ngram=3)


@pytest.mark.parametrize("ngram", range(1, 9))
@pytest.mark.parametrize("profile", ["verbatim", "plain"])
def test_bit_signatures_of_every_length_of_n_gram(ngram, profile):
    texts = [*SHORT, *CLAUSES, *aligned_texts()[::5]]
    for hash in HASHES:
        assert_same("simhash", texts, ngram=ngram, profile=profile, hash=hash)
    assert_same("simhash", texts, ngram=ngram, profile=profile, bits=128)
    assert_same("topsig", texts, ngram=ngram, profile=profile)
    assert_same("minhash4", texts, ngram=ngram, profile=profile)


@given(some_texts, st.sampled_from(SIZES[:5]), st.sampled_from(HASHES), st.integers(1, 8), st.booleans())
@each
def test_simhash_of_made_texts(texts, bits, hash, ngram, plain):
    assert_same("simhash", texts, bits=bits, hash=hash, ngram=ngram, profile="plain" if plain else "verbatim")


@pytest.mark.parametrize("bits", SIZES)
def test_topsig_of_every_size_density_and_seed(bits):
    texts = [*SHORT, *CLAUSES, *aligned_texts()[::11]]
    for density in DENSITIES if bits <= 128 else (None, 0.3):
        assert_same("topsig", texts, bits=bits, density=density)
    for seed in (0, 2, 12345, (1 << 63) - 1):
        assert_same("topsig", CLAUSES, bits=bits, seed=seed)


@given(some_texts, st.sampled_from(SIZES[:5]), st.integers(1, 8), st.integers(0, (1 << 63) - 1), st.floats(1 / 256, 1))
@each
def test_topsig_of_made_texts(texts, bits, ngram, seed, density):
    assert_same("topsig", texts, bits=bits, ngram=ngram, seed=seed, density=density)


@pytest.mark.parametrize("bits", SIZES)
def test_minhash4_of_every_size(bits):
    """Digests that are shorter than a quarter of the signature are extended."""
    assert_same("minhash4", [*SHORT, *CLAUSES, *aligned_texts()[::3]], bits=bits)


@given(some_texts, st.sampled_from(SIZES), st.integers(1, 8), st.booleans())
@each
def test_minhash4_of_made_texts(texts, bits, ngram, plain):
    assert_same("minhash4", texts, bits=bits, ngram=ngram, profile="plain" if plain else "verbatim")


def test_bit_signatures_of_real_texts():
    texts = real_texts(2000)
    for hash in HASHES:
        assert_same("simhash", texts, hash=hash)
    assert_same("simhash", texts, profile="plain", bits=128)
    assert_same("topsig", texts)
    assert_same("topsig", texts, profile="plain", bits=32, seed=9)
    assert_same("minhash4", texts, bits=256)
    assert_same("simhash", texts[::4], bits=1024)
    assert_same("topsig", texts[::4], bits=1024)


# --- weights ---------------------------------------------------------------------------------------------


@cache
def both_statistics(ngram: int, profile: str) -> tuple[Any, naive.NaiveStatistics]:
    """Statistics of a few texts, by the package and by the oracle."""
    from truecopy.sign import statistics

    texts = [*CLAUSES, *SHORT, *(clause * 2 for clause in CLAUSES), " ".join(CLAUSES), "the rent of the premises"]
    return statistics.build(texts, ngram=ngram, profile=profile), naive.naive_frequencies(texts, ngram, profile)


@pytest.mark.parametrize("ngram", [1, 2, 4, 8])
@pytest.mark.parametrize("profile", ["verbatim", "plain"])
def test_weighted_signatures(ngram, profile):
    """Weights of n-grams that the statistics have, and of those that they do not have."""
    made, known = both_statistics(ngram, profile)
    texts = [*SHORT, *CLAUSES, "unseen words only: quorum", *(clause[5:60] + "!!!!!" for clause in CLAUSES)]
    given = {"statistics": made, "naive_statistics": known, "ngram": ngram, "profile": profile}
    for bits in (16, 64, 256):
        for hash in HASHES:
            assert_same("simhash", texts, bits=bits, hash=hash, **given)
        for negative in ("keep", "drop"):
            assert_same("topsig", texts, bits=bits, negative=negative, **given)
    assert_same("topsig", texts, bits=64, seed=5, density=0.5, negative="drop", **given)


@given(some_texts, st.sampled_from(["keep", "drop"]))
@each
def test_weighted_signatures_of_made_texts(texts, negative):
    made, known = both_statistics(4, "verbatim")
    assert_same("topsig", texts, made, known, bits=64, negative=negative)
    assert_same("simhash", texts, made, known, bits=64)


# --- windows ---------------------------------------------------------------------------------------------


def test_the_polynomial_is_irreducible():
    """x^(2^64) = x modulo it, and it shares no divisor with x^(2^32) + x (Rabin's test; 2 is 64's one prime)."""
    whole = 1 << 64 | polynomial()

    def remainder(a: int, b: int) -> int:
        while a.bit_length() >= b.bit_length():
            a ^= b << a.bit_length() - b.bit_length()
        return a

    def squared(a: int) -> int:
        return remainder(int(bin(a)[2:], 4), whole)  # squaring puts a 0 between any two coefficients

    powers = [2]
    for _ in range(64):
        powers.append(squared(powers[-1]))
    assert powers[64] == 2
    a, b = whole, powers[32] ^ 2
    while b:
        a, b = b, remainder(a, b)
    assert a == 1


@pytest.mark.parametrize("window", LENGTHS)
@pytest.mark.parametrize("hash", ["fast", "rabin"])
def test_window_families_of_short_texts(window, hash):
    """Every window, sampling and form, on texts shorter than the window and across boundaries."""
    texts = [*SHORT, *CLAUSES, *aligned_texts()[::7], "ab" * 150, "\0" * 300, "x" * 64, "y" * 65, "z" * 200]
    given = {"window": window, "hash": hash}
    for n in DIVISORS:
        assert_same("mod", texts, n=n, **given)
        for chunks in ("smallest", "whole"):
            assert_same("bsw", texts, n=n, chunks=chunks, **given)
    for n in PLACES:
        assert_same("min", texts, n=n, **given)
        assert_same("sketch", texts if n <= 100 else texts[::5], n=n, form="one-permutation", **given)
        assert_same("sketch", texts if n < 100 else texts[:: n // 10], n=n, form="n-hash", **given)


@pytest.mark.parametrize("hash", ["fast", "rabin"])
def test_the_longest_windows(hash):
    text = CLAUSES[2] * 30
    assert len(text.encode()) > 4096
    shorter = text.encode()[:4095].decode("utf-8", "ignore")
    for window in (255, 256, 1000, 4096):
        assert_same("min", [shorter[:300], shorter, text[:3000]], window=window, hash=hash, n=5)
        assert_same("bsw", [shorter[:300], shorter, text[:3000]], window=window, hash=hash, n=3, chunks="whole")


@given(some_texts, windows, st.sampled_from(DIVISORS) | st.integers(1, 50))
@each
def test_mod_and_bsw_of_made_texts(texts, given, n):
    assert_same("mod", texts, n=n, **given)
    assert_same("bsw", texts, n=n, **given)
    assert_same("bsw", texts, n=n, chunks="whole", **given)


@given(some_texts, windows, st.sampled_from(PLACES) | st.integers(1, 50))
@each
def test_min_and_sketch_of_made_texts(texts, given, n):
    assert_same("min", texts, n=n, **given)
    assert_same("sketch", texts, n=n, **given)
    assert_same("sketch", texts, n=min(n, 50), form="n-hash", **given)


def test_window_families_of_real_texts():
    texts = real_texts()
    for hash in ("fast", "rabin"):
        for n in (7, 100):
            for name in ("mod", "min", "sketch", "bsw"):
                assert_same(name, texts, n=n, hash=hash)
        assert_same("bsw", texts, n=50, chunks="whole", hash=hash)
        assert_same("sketch", texts, n=8, form="n-hash", hash=hash)


@given(made_texts, made_texts, made_texts, st.sampled_from(["mod", "min", "sketch", "bsw"]), st.integers(1, 30))
@each
def test_resemblance_and_containment_are_what_the_signatures_share(start, a, b, name, n):
    """By both estimators, of texts that share their beginning."""
    texts = [start + a, start + b]
    signatures = sign(name, texts, n=n, window=5)
    first, second = (expected(name, text, n=n, window=5) for text in texts)
    module, scale = family(name), 100.0
    either, both = set(first) | set(second), set(first) & set(second)
    paper = unbiased = scale * len(both) / len(either) if either else 0.0
    if name == "min" and either:
        smallest = sorted(either)[:n]
        unbiased = scale * len(both.intersection(smallest)) / len(smallest)
    if name == "sketch":
        same = sum(x == y for x, y in zip(first, second, strict=True))
        paper = unbiased = scale * same / n if all(texts) else 0.0
    assert module.similarity(signatures, 0, signatures, 1, estimator="paper") == pytest.approx(paper)
    if name != "bsw":
        assert module.similarity(signatures, 0, signatures, 1) == pytest.approx(unbiased)
    if name in ("mod", "bsw"):
        contained = scale * len(both) / len(first) if first else 0.0
        assert module.containment(signatures, 0, signatures, 1) == pytest.approx(contained)


# --- words, terms, fingerprint ---------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [1, 2, 16, 256])
def test_words_of_short_texts(slots):
    assert_same("words", [*SHORT, *CLAUSES, *aligned_texts()[::13], "one", "one two", "one two three"], slots=slots)


@given(some_texts, st.integers(1, 300))
@each
def test_words_of_made_texts(texts, slots):
    assert_same("words", texts, slots=slots)


@cache
def word_statistics() -> tuple[Any, naive.NaiveStatistics]:
    """Statistics in which many words are eligible, some are too rare, too short or not letters only."""
    from truecopy.sign import statistics

    words = [
        f"{start}{end}" for start in "re in aus пре кон der".split() for end in "pair form ст gang wort nir".split()
    ]
    words += [
        "ab",
        "a1b2",
        "2024",
        "über",
        "e\u0301te\u0301",
        "x\u0323\u0323yz",
        "हिन्दी",
        "合",
        "the",
        "lessee",
        "shall",
        "rent",
    ]
    texts = [" ".join(words[i % 7 :: 1 + i % 5]) for i in range(60)] + ["once upon rare words", *CLAUSES]
    return statistics.build(texts), naive.naive_frequencies(texts)


def word_texts() -> list[str]:
    """Texts with more, fewer and no eligible words, repeated words, and mostly numbers."""
    vocabulary = list(word_statistics()[1].words)
    return [
        *SHORT,
        *CLAUSES,
        " ".join(vocabulary),
        " ".join(reversed(vocabulary * 2)),
        " ".join(vocabulary[::3]) + " unseen 17 words at 2024 the end of unseen text",
        " ".join(vocabulary[:25]) + " 1 2 3" * 20,
        " ".join(vocabulary[:24]) + " 4" * 24,
        " ".join(f"new{i}" for i in range(100)),
        "word " * 70_000,
    ]


@pytest.mark.parametrize("unit", ["document", "clause"])
@pytest.mark.parametrize("terms", [None, 1, 2, 7, 60, 200])
def test_terms_of_short_texts(terms, unit):
    assert_same("terms", word_texts(), *word_statistics(), terms=terms, unit=unit)


@pytest.mark.parametrize("rarest", [0.0, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("bin", [0, 1, 3, 10, 25, 10_000])
def test_fingerprints_of_short_texts(bin, rarest):
    for terms in (1, 2, 6, 64):
        assert_same("fingerprint", word_texts(), *word_statistics(), terms=terms, bin=bin, rarest=rarest)


def test_terms_keep_dates_as_days_since_1980():
    made, known = word_statistics()
    dates = [None, date(1980, 1, 1), date(1980, 1, 2), date(2024, 2, 29), date(1979, 12, 31), date(2400, 1, 1)]
    days = [0, 1, 2, (date(2024, 2, 29) - date(1979, 12, 31)).days, 0, 0]
    terms = family("terms")
    signatures = terms.sign([CLAUSES[0]] * len(dates), terms.spec(statistics=made), made, dates=dates)
    for i, number in enumerate(days):
        assert as_plain("terms", signatures, i) == expected("terms", CLAUSES[0], known, days=number)


@given(st.data())
@each
def test_terms_and_fingerprints_of_made_texts(data):
    """Words of the statistics among any others."""
    known = st.lists(st.sampled_from(sorted(word_statistics()[1].words)), max_size=40).map(" ".join)
    texts = data.draw(st.lists(st.builds("{} {} {}".format, known, made_texts, known), max_size=4))
    terms = data.draw(st.none() | st.integers(1, 80))
    assert_same(
        "terms", texts, *word_statistics(), terms=terms, unit=data.draw(st.sampled_from(["document", "clause"]))
    )
    bin, rarest = data.draw(st.integers(0, 30)), data.draw(st.floats(0, 1))
    assert_same("fingerprint", texts, *word_statistics(), terms=min(terms or 6, 64), bin=bin, rarest=rarest)


def test_terms_and_fingerprints_of_real_texts():
    from truecopy.sign import statistics

    texts = real_texts()
    both = statistics.build(texts), naive.naive_frequencies(texts)
    assert_same("terms", texts, *both)
    assert_same("terms", texts, *both, unit="clause")
    for bin in (0, 10, 25):
        assert_same("fingerprint", texts, *both, bin=bin)
    assert_same("words", texts)


# --- letters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alphabet", ["latin", "extended"])
def test_letters_of_short_and_real_texts(alphabet):
    assert_same("letters", [*SHORT, *CLAUSES, *aligned_texts(), "a 中", "a 中中", "1½"], alphabet=alphabet)
    assert_same("letters", real_texts(), alphabet=alphabet)


@given(some_texts, st.sampled_from(["latin", "extended"]))
@each
def test_letters_of_made_texts(texts, alphabet):
    assert_same("letters", texts, alphabet=alphabet)


@pytest.mark.parametrize("kind", ["rademacher", "gaussian"])
@pytest.mark.parametrize("dimension", [62, 256])
def test_projections(kind, dimension):
    """Every entry of every vector, to the last bit, and τ0."""
    from truecopy.sign import projections

    for m, seed in ((8, 1), (1, 0), (20, 12345)):
        made = projections.projections(m, dimension, seed, kind)
        assert made.vectors.tolist() == naive.naive_projection(dimension, m, seed, kind)
    assert projections.tau0() == pytest.approx(naive.naive_tau(), rel=1e-15)


# --- statistics ------------------------------------------------------------------------------------------


def assert_same_statistics(texts: list[str], ngram: int, profile: str) -> None:
    """Entries, frequencies and totals of words and n-grams equal the oracle's."""
    from truecopy.sign import statistics

    made, known = statistics.build(texts, ngram=ngram, profile=profile), naive.naive_frequencies(texts, ngram, profile)
    assert (made.documents, made.ngram, made.profile) == (known.documents, ngram, profile)
    for found, wanted, total in (
        (made.words, known.words, known.words_total),
        (made.grams, known.grams, known.grams_total),
    ):
        assert found.texts() == list(wanted)
        assert list(zip(found.documents.tolist(), found.occurrences.tolist(), strict=True)) == list(wanted.values())
        assert found.total == total
    idf = [naive.naive_idf(known.documents, documents) for documents, _ in known.words.values()]
    assert made.idf().tolist() == pytest.approx(idf, rel=1e-12, abs=1e-12)
    letters = {word for word in known.words if naive.naive_letters_only(word)}
    assert set(made.filtered(least=1).words.texts()) == letters
    assert set(made.filtered().words.texts()) == set(naive.naive_eligible(known))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40))
@example([(0, 0), (1, 1)])
@each
def test_spearman_with_ties(values):
    """Formula (2) of Conrad 2003; with all values of a list equal, there is no order to compare."""
    from truecopy.sign.stability import spearman

    a, b = ([float(pair[side]) for pair in values] for side in (0, 1))
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert spearman(a, b) is None
    else:
        assert spearman(a, b) == pytest.approx(naive.naive_spearman(a, b), abs=1e-12)


@given(some_texts, some_texts, st.integers(1, 8))
@each
def test_merged_statistics_are_those_of_all_texts(first, second, ngram):
    from truecopy.sign import statistics

    merged = statistics.build(first, ngram=ngram).merged(statistics.build(second, ngram=ngram))
    known = naive.naive_frequencies([*first, *second], ngram)
    assert merged.id == statistics.build([*first, *second], ngram=ngram).id
    assert [merged.documents, merged.words.total, merged.grams.total] == [
        known.documents,
        known.words_total,
        known.grams_total,
    ]
    assert dict(zip(merged.grams.texts(), merged.grams.documents.tolist(), strict=True)) == {
        gram: documents for gram, (documents, _) in known.grams.items()
    }


@given(some_texts, st.integers(1, 8), st.sampled_from(["verbatim", "plain"]))
@example([], 4, "verbatim")
@example([""], 4, "plain")
@each
def test_statistics_of_made_texts(texts, ngram, profile):
    assert_same_statistics(texts, ngram, profile)


def test_statistics_of_real_texts():
    texts = real_texts()
    assert_same_statistics(texts, 4, "verbatim")
    assert_same_statistics(texts, 3, "plain")


# --- long ones -------------------------------------------------------------------------------------------


SIZES_OF_LONG = [pytest.param(100_000, marks=pytest.mark.slow), pytest.param(1_000_000, marks=pytest.mark.soak)]


@pytest.mark.parametrize("size", SIZES_OF_LONG)
def test_a_text_of_a_megabyte(size):
    """Counts do not overflow, and nothing is left out at the end, of one long text between two short ones."""
    texts = ["a", long_text(size), "b"]
    assert len(texts[1].encode()) >= size - 10
    for name in ("simhash", "topsig", "minhash4", "mod", "min", "bsw", "sketch", "letters", "words"):
        assert_same(name, texts)
    assert_same("bsw", texts, chunks="whole")
    assert_same("sketch", texts, form="n-hash", n=2)
    assert_same("letters", texts, alphabet="extended")


@pytest.mark.parametrize("size", SIZES_OF_LONG)
def test_long_repeats(size):
    """Many bytes of few distinct features, with a Rabin hash too."""
    texts = [CLAUSES[2] * (size // 250), "a" * size, "\0" * (size // 3), "ab😀" * (size // 10)]
    for name in ("simhash", "topsig", "minhash4", "letters", "words"):
        assert_same(name, texts)
    for hash in ("fast", "rabin"):
        for name in ("mod", "min", "sketch", "bsw"):
            assert_same(name, texts, hash=hash, n=10)
        assert_same("bsw", texts, hash=hash, n=10, chunks="whole")
