"""What signatures say of two texts is right on average: no estimate of resemblance is biased, and Hamming distances
follow the angle between the counts of n-grams.

The texts are made from a fixed seed and share nothing from pair to pair, so errors are independent, and a mean of
errors that is more than three standard errors from 0 is a bias (one in 370 would be chance; the seed was not chosen).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from sign_checks import family, sign
from sign_pairs import pairs

import naive_signatures as naive

pytestmark = pytest.mark.slow

PAIRS = 3000
ESTIMATORS: list[tuple[str, dict[str, Any]]] = [("words", {}), ("words", {"slots": 64})]
for each_hash in ("fast", "rabin"):
    ESTIMATORS += [
        ("mod", {"hash": each_hash, "n": 10}),
        ("min", {"hash": each_hash, "n": 100}),
        ("sketch", {"hash": each_hash, "n": 100}),
        ("sketch", {"hash": each_hash, "n": 1000}),
        ("sketch", {"hash": each_hash, "n": 100, "form": "n-hash"}),
    ]


Known = tuple[list[str], list[str], list[float], list[float]]


@pytest.fixture(scope="module", params=[250, 30])
def known_pairs(request: pytest.FixtureRequest) -> Known:
    """Texts of so many words, their partners, and how they resemble each other in shingles and in byte windows."""
    words = request.param
    made = list(pairs(PAIRS, words))
    shingles = [[{tuple(text[i : i + 3]) for i in range(words - 2)} for text in pair] for pair in made]
    first, second = ([" ".join(pair[side]) for pair in made] for side in (0, 1))
    in_words = [naive.naive_resemblance(*pair) for pair in shingles]
    in_windows = [
        naive.naive_resemblance(naive.naive_windows(a, 20), naive.naive_windows(b, 20))
        for a, b in zip(first, second, strict=True)
    ]
    return first, second, in_words, in_windows


def off_center(errors: Sequence[float]) -> tuple[float, float]:
    """The mean error, and its standard error."""
    mean = sum(errors) / len(errors)
    return mean, math.sqrt(sum((error - mean) ** 2 for error in errors) / (len(errors) - 1) / len(errors))


@pytest.mark.parametrize(("name", "parameters"), ESTIMATORS)
def test_resemblance_is_estimated_without_bias(name, parameters, known_pairs):
    """In every decile; with texts of 30 words, most places of a sketch are borrowed."""
    first, second, in_words, in_windows = known_pairs
    truth = in_words if name == "words" else in_windows
    a, b = sign(name, first, **parameters), sign(name, second, **parameters)
    errors: dict[int, list[float]] = {decile: [] for decile in range(10)}
    for i, true in enumerate(truth):
        if 0.05 <= true <= 0.99:
            errors[int(10 * true)].append(family(name).similarity(a, i, b, i) / 100 - true)
    assert sum(map(len, errors.values())) >= 2000
    for decile, some in errors.items():
        assert len(some) >= 60
        mean, standard_error = off_center(some)
        assert abs(mean) <= 3 * standard_error, f"decile {decile}: {mean:+.5f} ± {standard_error:.5f}"


@cache
def known_angles() -> tuple[list[str], list[str], list[float]]:
    """Texts, their partners, and the angle between their counts of 4-grams, as a share of half a turn."""
    made = [(" ".join(a), " ".join(b)) for a, b in pairs(1500, 250, ascii_only=False)]
    angles = [naive.naive_angle(naive.naive_grams(a, 4), naive.naive_grams(b, 4)) / math.pi for a, b in made]
    return [a for a, _ in made], [b for _, b in made], angles


def by_angle(name: str, bits: int, **parameters: Any) -> dict[int, list[tuple[float, float]]]:
    """(share of unlike bits, angle) of every pair, by tenths of a right angle."""
    first, second, angles = known_angles()
    a, b = sign(name, first, bits=bits, **parameters), sign(name, second, bits=bits, **parameters)
    found: dict[int, list[tuple[float, float]]] = {tenth: [] for tenth in range(10)}
    for i, angle in enumerate(angles):
        if 0.002 <= angle < 0.5:
            found[int(20 * angle)].append((family(name).distance(a, i, b, i) / bits, angle))
    assert all(len(some) >= 30 for some in found.values())
    return found


@pytest.mark.parametrize("bits", [64, 1024])
@pytest.mark.parametrize("hash", ["fast", "shake256"])
def test_hamming_distances_of_simhash_follow_the_angle(hash, bits):
    """On average in every bin; and they scatter as much as if every bit were drawn by itself, not more."""
    found = by_angle("simhash", bits, hash=hash)
    for tenth, some in found.items():
        mean, standard_error = off_center([share - angle for share, angle in some])
        assert abs(mean) <= 3 * standard_error, f"bin {tenth}: {mean:+.5f} ± {standard_error:.5f}"
    every = [pair for some in found.values() for pair in some]
    scatter = sum((share - angle) ** 2 / (angle * (1 - angle) / bits) for share, angle in every) / len(every)
    assert abs(scatter - 1) <= 4 * math.sqrt(2 / len(every))


@pytest.mark.parametrize(("bits", "density"), [(64, None), (1024, None), (1024, 1.0)])
def test_hamming_distances_of_topsig_nearly_follow_the_angle(bits, density):
    """With entries that are mostly 0, few n-grams decide each bit, and sums are often 0: within 0.01 of the angle,
    beyond chance. With entries that are never 0, exactly."""
    allowed = 0 if density == 1.0 else 0.01
    for tenth, some in by_angle("topsig", bits, density=density).items():
        mean, standard_error = off_center([share - angle for share, angle in some])
        assert abs(mean) <= 3 * standard_error + allowed, f"bin {tenth}: {mean:+.5f} ± {standard_error:.5f}"
