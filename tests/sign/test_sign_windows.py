"""mod, min, sketch and bsw, held to plain versions that were written from docs/reference/signatures.md."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truecopy.errors import BadSetting, SpecMismatch
from truecopy.sign import bsw, mod, sketch, windows
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec

least = importlib.import_module("truecopy.sign.min")
FAMILIES: dict[str, Any] = {"mod": mod, "min": least, "sketch": sketch, "bsw": bsw}
ALL = (1 << 64) - 1
G, K = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
POLYNOMIAL = 1 << 64 | windows.POLYNOMIAL


def mix(x: int) -> int:
    for _ in range(2):
        x = (x ^ x >> 32) * K & ALL
    return x ^ x >> 32


def word(h: int, j: int) -> int:
    z = h + j * G & ALL
    z = (z ^ z >> 32) * K & ALL
    z = (z ^ z >> 29) * K & ALL
    return z ^ z >> 32


def bytes_hash(data: bytes) -> int:
    h = len(data)
    for at in range(0, len(data), 8):
        h = (h ^ int.from_bytes(data[at : at + 8], "little")) * G & ALL
        h ^= h >> 32
    h = h * K & ALL
    return h ^ h >> 32


def remainder(value: int, by: int = POLYNOMIAL) -> int:
    while value.bit_length() >= by.bit_length():
        value ^= by << (value.bit_length() - by.bit_length())
    return value


def fingerprint(window: bytes, hash: str) -> int:
    if hash == "rabin":
        return remainder(int.from_bytes(window, "big") << 64)
    r = 0
    for byte in window:
        r = (r * G + byte + 1) & ALL
    return mix(r)


def prints(text: bytes, window: int, hash: str) -> list[int]:
    if len(text) <= window:
        return [fingerprint(text, hash)] if text else []
    return [fingerprint(text[at : at + window], hash) for at in range(len(text) - window + 1)]


def plain_bsw(text: bytes, window: int, n: int, hash: str, chunks: str) -> list[int]:
    found, chunk, start = set(), [], 0
    every = prints(text, window, hash)
    for at, value in enumerate(every):
        chunk.append(value)
        if value % n == 0 or at == len(every) - 1:
            end = min(at + window, len(text))
            found.add(min(chunk) if chunks == "smallest" else bytes_hash(text[start:end]))
            chunk, start = [], end
    return sorted(found)


def pick(value: int, n: int) -> int:
    return (value >> 32) * n >> 32


def plain_sketch(text: bytes, window: int, n: int, hash: str, form: str) -> list[int]:
    every = prints(text, window, hash)
    if not every:
        return [2**32 - 1] * n
    if form == "n-hash":
        values = [mix(value) >> 32 for value in every]
        low = 2**32 - 1
        return [min((v ^ word(1, i) & low) * (word(2, i) & low | 1) & low for v in values) for i in range(n)]
    places: dict[int, int] = {}
    for value in every:
        place = pick(value, n)
        places[place] = min(places.get(place, ALL), value & 0xFFFFFFFF)
    row = []
    for p in range(n):
        asked = [p] + [pick(word(p, t), n) for t in range(1, 65)] + [(p + i) % n for i in range(n)]
        row.append(next(places[q] for q in asked if q in places))
    return row


def expected(spec: Spec, text: str | bytes) -> list[int]:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    p: dict[str, Any] = dict(spec.parameters)
    if spec.method == "mod":
        return sorted({value for value in prints(data, p["window"], p["hash"]) if value % p["n"] == 0})
    if spec.method == "min":
        return sorted(set(prints(data, p["window"], p["hash"])))[: p["n"]]
    return (plain_bsw if spec.method == "bsw" else plain_sketch)(data, **p)


SPECS = [
    family.spec(window=window, n=n, hash=hash, **others)
    for hash in windows.HASHES
    for window, n in ((20, 3), (1, 2), (64, 1), (5, 7), (20, 8))
    for family, others in (
        (mod, {}),
        (least, {}),
        (sketch, {}),
        (sketch, {"form": "n-hash"}),
        (bsw, {}),
        (bsw, {"chunks": "whole"}),
    )
]
HOSTILE = [
    "",
    "a",
    "\0",
    "nineteen characters",
    "exactly twenty bytes",
    "twenty-one bytes here",
    "\U0001f4dc\U0001f58b" * 9,
    "été à la forêt " * 7,
    "-" * 300,
    "\0" * 300,
    "\ud800 alone, which is no character",
    "ab" * 200,
    "The lessee shall keep the premises in good repair, reasonable wear and tear excepted. " * 2,
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_signatures_equal_the_plain_version(spec: Spec) -> None:
    """Every family gives what the page says, also for texts that are empty, short, or one byte over and over."""
    family = FAMILIES[spec.method]
    made = family.sign(HOSTILE, spec)
    for place, text in enumerate(HOSTILE):
        assert family.value(made, place) == expected(spec, text), (place, len(text))
    empty = [not family.value(made, place) or not text for place, text in enumerate(HOSTILE)]
    assert made.reliable.tolist() == [not nothing for nothing in empty]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=90), st.text("ab", max_size=200)), max_size=5),
    st.sampled_from(SPECS),
)
def test_any_texts_equal_the_plain_version(texts: list[str], spec: Spec) -> None:
    """The same for texts that nobody thought of."""
    family = FAMILIES[spec.method]
    made = family.sign(texts, spec)
    assert [family.value(made, place) for place in range(len(texts))] == [expected(spec, text) for text in texts]


def made(family: Any, *sets: list[int], **parameters: Any) -> Signatures:
    """Signatures with entries made by hand."""
    offsets = np.cumsum([0, *map(len, sets)])
    values = np.array([entry for entries in sets for entry in entries], np.uint64)
    reliable = np.array([bool(entries) for entries in sets])
    return Signatures(family.spec(**parameters), values, reliable, tuple(map(str, range(len(sets)))), offsets)


def test_rabins_polynomial_is_irreducible() -> None:
    """x^(2^64) = x, and x^(2^32) - x has no factor in common with it: Rabin's own test, 64 having one prime factor."""

    def squared(value: int) -> int:
        spread = int(f"{value:b}".replace("0", "00").replace("1", "01"), 2)
        return remainder(spread)

    power = 2
    for step in range(1, 65):
        power = squared(power)
        if step == 32:
            a, b = POLYNOMIAL, power ^ 2
            while b:
                a, b = b, remainder(a, b)
            assert a == 1
    assert power == 2


def test_the_polynomial_was_not_picked_by_hand() -> None:
    """It is one of word(3, 0) | 1, word(3, 1) | 1 …"""
    assert word(3, 33) | 1 == windows.POLYNOMIAL


@pytest.mark.parametrize("hash", windows.HASHES)
@pytest.mark.parametrize("window", [1, 8, 20, 65, 300, 4096])
def test_rolling_gives_the_fingerprint_of_each_window(hash: str, window: int) -> None:
    """Over several blocks, and where the last block has one window or an odd number, rolling equals hashing anew."""
    rng = np.random.default_rng(window)
    block = windows.Fingerprints.of(window, hash).block
    for count in (1, block + 1) if window == 4096 else (1, 2, block - 1, block, block + 1, 2 * block + 7):
        data = rng.integers(0, 128, count + window - 1, np.uint8).tobytes()
        every = mod.sign([data], mod.spec(window=window, n=1, hash=hash))[0]
        for at in {0, count // 2, (count - 1) // 2, count - 1, min(block, count - 1), min(block - 1, count - 1)}:
            assert fingerprint(data[at : at + window], hash) in every
        assert len(every) == (count if window > 8 else len({data[at : at + window] for at in range(count)}))


@pytest.mark.parametrize("n", [1, 2, 3, 6, 15, 16, 17, 100, 1 << 20, (1 << 32) - 1, 1 << 32])
def test_divisibility_is_told_without_division(n: int) -> None:
    """The product with the inverse, rotated, is small just for multiples of n: also at both ends of the 64 bits."""
    inverse, turn, limit = map(int, windows.divisor(n))
    last = ALL // n * n
    for value in (0, n, 2 * n, last, last - n, n - 1, n + 1, last - 1, last + 1, ALL, ALL // 2, word(5, n)):
        value &= ALL
        product = value * inverse & ALL
        turned = (product >> turn | product << (64 - turn)) & ALL
        assert (turned <= limit) == (value % n == 0)


@pytest.mark.parametrize("family", [mod, least, sketch, bsw])
@pytest.mark.parametrize("hash", windows.HASHES)
def test_a_megabyte_in_any_number_of_threads(family: Any, hash: str) -> None:
    """Long texts, short ones and many of them give the same in one thread, in three, and each by itself."""
    rng = np.random.default_rng(3)
    long = rng.integers(32, 127, 1 << 20, np.uint8).tobytes()
    repeated = b"All rights reserved. " * 40_000
    short = [long[at : at + at % 47] for at in range(2000)]
    texts = [long, *short, repeated, b"", long[500_000:], *short]
    spec = family.spec(hash=hash)
    once = family.sign(texts, spec)
    thrice = family.sign(texts, spec, threads=3)
    assert np.array_equal(once.values, thrice.values)
    assert once.ids == thrice.ids
    for place in (0, 1, 46, 2000, 2001, 2002, 2003, len(texts) - 1):
        assert family.value(family.sign([texts[place]], spec), 0) == family.value(once, place)
    if family is not bsw:  # its chunks at both ends differ
        assert family.value(once, 2001) == expected(spec, repeated[:300])


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1 << 32])
def test_one_window_in_n_is_kept(n: int) -> None:
    """Over a megabyte of unlike windows, mod keeps one in n, within five standard deviations; bsw cuts at each."""
    text = np.random.default_rng(11).integers(32, 127, 1 << 20, np.uint8).tobytes()
    mean = (len(text) - 19) / n
    for hash in windows.HASHES:
        kept = len(mod.sign([text], mod.spec(n=n, hash=hash)).values)
        assert abs(kept - mean) <= 5 * (mean * (1 - 1 / n)) ** 0.5 + 1e-9
        assert kept <= len(bsw.sign([text], bsw.spec(n=n, hash=hash)).values) <= kept + 1


def test_sets_grow_beyond_what_was_expected() -> None:
    """One byte over and over is one entry; and many more entries than one in n bytes have room, in their places."""
    zeros = mod.sign([b"\0" * 600_000], mod.spec(n=1 << 32, hash="rabin"))
    assert zeros[0].tolist() == [0]
    texts = [chr(32 + place % 90) for place in range(30_000)]
    chunks = bsw.sign(texts, bsw.spec(n=1 << 32))
    assert np.array_equal(chunks.offsets, np.arange(len(texts) + 1))
    assert chunks.values.tolist() == [fingerprint(text.encode(), "fast") for text in texts]


def test_resemblance_on_sets_made_by_hand() -> None:
    """The paper's estimator and the unbiased one, counted by hand."""
    a = made(mod, [1, 2, 3, 4], [], [7])
    b = made(mod, [3, 4, 5, 6, 8, 9], [])
    for estimator in windows.ESTIMATORS:
        assert mod.similarity(a, 0, b, 0, estimator) == 25
        assert mod.similarity(a, 0, a, 0, estimator) == 100
        assert mod.similarity(a, 1, b, 1, estimator) == 0
        assert mod.similarities(a, b, estimator).tolist() == [[25, 0], [0, 0], [0, 0]]
    assert mod.containment(a, 0, b, 0) == 50
    assert mod.containment(b, 0, a, 0) == pytest.approx(100 / 3)
    assert mod.containment(a, 1, b, 0) == 0
    c, d = made(least, [1, 2, 5, 9], n=4), made(least, [2, 3, 5, 6], n=4)
    # Together 1 2 3 5 6 9: of the first four, 2 and 5 are in both; of all six, the same two.
    assert least.similarity(c, 0, d, 0) == 50
    assert least.similarity(c, 0, d, 0, "paper") == pytest.approx(100 / 3)
    short = made(least, [1, 2], [2, 3, 4], n=4)
    assert least.similarity(short, 0, short, 1) == 25
    e, f = made(bsw, [1, 2, 3]), made(bsw, [3, 4])
    assert bsw.similarity(e, 0, f, 0) == 25
    assert bsw.containment(f, 0, e, 0) == 50


def test_resemblance_of_sketches_is_the_share_of_equal_places() -> None:
    """Three of four places; empty texts resemble nothing, not even each other."""
    rows = np.array([[1, 2, 3, 4], [1, 2, 3, 9], [2**32 - 1] * 4], np.uint32)
    a = Signatures(sketch.spec(n=4), rows, np.array([True, True, False]), ("0", "1", "2"))
    assert sketch.similarity(a, 0, a, 1) == 75
    assert sketch.similarities(a, a, "paper").tolist() == [[100, 75, 0], [75, 100, 0], [0, 0, 0]]


def random_pairs(many: int, seed: int) -> tuple[list[bytes], list[bytes]]:
    """Texts, and each again with a tenth to all of it written anew."""
    rng = np.random.default_rng(seed)
    first, second = [], []
    for pair in range(many):
        text = rng.integers(32, 127, 4000, np.uint8)
        other = text.copy()
        anew = 400 + 3600 * pair // many
        other[:anew] = rng.integers(32, 127, anew, np.uint8)
        first.append(text.tobytes())
        second.append(other.tobytes())
    return first, second


@pytest.mark.parametrize("hash", windows.HASHES)
def test_estimates_have_no_bias_where_it_is_said(hash: str) -> None:
    """Mean errors over 600 pairs are within 3.5 standard errors of 0; the paper's for min is far below, as we say."""
    first, second = random_pairs(600, 17)
    x, y = mod.sign(first, mod.spec(n=1)), mod.sign(second, mod.spec(n=1))
    exact = np.array([mod.similarity(x, i, y, i) for i in range(len(x))])

    def mean_error(family: Any, estimator: str, **parameters: Any) -> float:
        spec = family.spec(hash=hash, **parameters)
        a, b = family.sign(first, spec), family.sign(second, spec)
        errors = np.array([family.similarity(a, i, b, i, estimator) for i in range(len(a))]) - exact
        return float(errors.mean() / (errors.std(ddof=1) / len(errors) ** 0.5))

    assert abs(mean_error(mod, "unbiased", n=40)) < 3.5
    assert abs(mean_error(least, "unbiased")) < 3.5
    assert abs(mean_error(sketch, "unbiased")) < 3.5
    assert abs(mean_error(sketch, "unbiased", form="n-hash")) < 3.5
    assert mean_error(least, "paper") < -5


def test_sketches_of_short_texts_have_no_bias() -> None:
    """With fewer windows than places, most places borrow, and the share of equal ones still is the resemblance."""
    rng = np.random.default_rng(23)
    spec, every, errors = sketch.spec(), mod.spec(n=1), []
    for _ in range(1500):
        text = rng.integers(32, 127, 60, np.uint8).tobytes()
        texts = [text[:45], text[10:]]
        a, exact = sketch.sign(texts, spec), mod.sign(texts, every)
        errors.append(sketch.similarity(a, 0, a, 1) - mod.similarity(exact, 0, exact, 1))
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / len(errors) ** 0.5


def test_bsw_refuses_an_unbiased_estimate() -> None:
    """There is none, and the sentence says why; its limits say so too."""
    a = made(bsw, [1])
    with pytest.raises(BadSetting, match=r"unbiased .* depends on the neighbors"):
        bsw.similarity(a, 0, a, 0, "unbiased")
    assert any("unbiased" in limit for limit in bsw.describe().limits)


@pytest.mark.parametrize("family", [least, sketch])
def test_containment_is_refused_with_the_papers_reason(family: Any) -> None:
    """The smallest of a part may be none of the smallest of the whole."""
    a = family.sign(["some text, long enough for a window"], family.spec())
    with pytest.raises(BadSetting, match=r"cannot tell containment: the .*smallest .* none in common .* mod or bsw"):
        family.containment(a, 0, a, 0)
    assert not family.describe().containment


def test_a_part_is_contained_in_its_whole() -> None:
    """mod finds all of a part in the whole, bsw almost all, and neither finds the whole in the part."""
    rng = np.random.default_rng(5)
    whole = rng.integers(32, 127, 80_000, np.uint8).tobytes()
    for family, part_at_least in ((mod, 100), (bsw, 97)):
        spec = family.spec()
        a = family.sign([whole[20_000:40_000], whole], spec)
        assert family.containment(a, 0, a, 1) >= part_at_least
        assert 15 <= family.containment(a, 1, a, 0) <= 35


BAD = [
    {"window": 0},
    {"window": 4097},
    {"window": -1},
    {"window": 2.5},
    {"window": True},
    {"n": 0},
    {"n": -5},
    {"n": (1 << 32) + 1},
    {"n": 1.5},
    {"n": "many"},
    {"hash": "md5"},
]


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_parameters_get_one_sentence(family: Any, bad: dict[str, Any]) -> None:
    """It names the parameter, what was given and what is allowed."""
    (name, given) = next(iter(bad.items()))
    with pytest.raises(BadSetting) as caught:
        family.spec(**bad)
    said = caught.value.message
    assert said.startswith(f"The parameter {name} was given as {given!r}, but it must be ")
    assert said.count(". ") == 0
    assert said.endswith(".")
    assert caught.value.hint


def test_other_bad_calls_get_one_sentence() -> None:
    """Forms, chunks, estimators, statistics, mean lengths, and more places than a sketch may have."""
    a = made(mod, [1])
    calls: list[tuple[Any, str]] = [
        (lambda: sketch.spec(form="two"), "one of one-permutation, n-hash"),
        (lambda: bsw.spec(chunks="half"), "one of smallest, whole"),
        (lambda: sketch.spec(n=65_537), "1 to 65,536"),
        (lambda: least.spec(n=65_537), "1 to 65,536"),
        (lambda: mod.similarity(a, 0, a, 0, "best"), "one of unbiased, paper"),
        (lambda: mod.spec(n="auto"), "without a mean length"),
        (lambda: mod.spec(n="auto", mean_length=-1), "a number of bytes from 0 on"),
        (lambda: bsw.spec(n="auto", mean_length=float("nan")), "a number of bytes from 0 on"),
        (lambda: mod.sign([], mod.spec(), object()), "mod signatures have no weights"),
        (lambda: mod.sign([], bsw.spec()), "given to the family mod"),
        (lambda: mod.sign([], Spec.make("mod", 1, n=100)), "other parameters than mod signatures"),
        (lambda: mod.sign([], Spec.make("mod", 1, n=0, window=20, hash="fast")), "1 to 4,294,967,296"),
        (lambda: sketch.sign([], Spec.make("sketch", 1, n=9, window=20, hash="fast", form="?")), "n-hash"),
        (lambda: bsw.similarities(a, a), "given to the family bsw"),
        (lambda: mod.sign(["a"], mod.spec(), ids=["a", "b"]), "2 ids were given for 1 texts"),
        (lambda: mod.sign([b"\xff"], mod.spec()), "not UTF-8"),
    ]
    for call, said in calls:
        with pytest.raises(BadSetting) as caught:
            call()
        assert said in caught.value.message
        assert caught.value.message.count(". ") == 0


def test_unlike_specs_refuse_each_other() -> None:
    """By name, whatever parameter differs; and so does a version that is not this one."""
    with pytest.raises(SpecMismatch, match=r"mod/1\(hash=fast, n=100, window=20\).*n=50"):
        mod.similarity(made(mod, [1]), 0, made(mod, [1], n=50), 0)
    with pytest.raises(SpecMismatch):
        sketch.similarities(sketch.sign(["a"], sketch.spec()), sketch.sign(["a"], sketch.spec(form="n-hash")))
    with pytest.raises(SpecMismatch, match="mod/2"):
        mod.sign(["a"], Spec("mod", 2, mod.spec().parameters))


def test_sampling_is_the_papers_rule_of_thumb() -> None:
    """A hundred entries a document: n = 500 for documents of 50 KB, as the paper chooses; never below 1."""
    assert [windows.sampling(length) for length in (50_000, 0, 49, 149, 150, 251.0)] == [500, 1, 1, 1, 2, 3]
    assert mod.spec(n="auto", mean_length=50_000) == mod.spec(n=500)
    assert bsw.spec(n="auto", mean_length=1e15) == bsw.spec(n=1 << 32)


@pytest.mark.parametrize("form", sketch.FORMS)
def test_greatest_sketch_of_shortest_text(form: str) -> None:
    """65,536 places of a text of one byte: all are filled, and soon."""
    a = sketch.sign(["a", "b"], sketch.spec(n=65_536, form=form))
    assert sketch.similarity(a, 0, a, 0) == 100
    assert sketch.similarity(a, 0, a, 1) < 1
    assert (a[0] < 2**32 - 1).mean() > 0.99


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_descriptions_agree_with_specs(family: Any) -> None:
    """Every parameter of the spec is described, with the default that it has; sizes are those of real signatures."""
    about = family.describe()
    assert {p.name: p.default for p in about.parameters} == dict(family.spec().parameters)
    assert about.name == family.spec().method
    if about.bytes is not None:
        a = family.sign([bytes(np.random.default_rng(1).integers(32, 127, 5000, np.uint8))], family.spec())
        assert a.values.nbytes == about.bytes


def test_no_texts() -> None:
    """Nothing to sign gives no signatures, and comparing them an empty matrix."""
    for family in FAMILIES.values():
        a = family.sign([], family.spec())
        assert len(a) == 0
        assert family.similarities(a, a).shape == (0, 0)
