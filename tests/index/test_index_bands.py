"""Bands: parameters follow from threshold and recall, and the recall is met."""

from __future__ import annotations

import numpy as np
import pytest
from index_texts import bags_of, streams_of

from truecopy.errors import BadSetting
from truecopy.index.bands import band_candidates, derive_bands, least_resemblance, recall_at
from truecopy.index.choose import choose_generator
from truecopy.sign.words import sign_streams


@pytest.mark.parametrize("threshold", [70, 75, 80, 90, 95])
@pytest.mark.parametrize("recall", [0.9, 0.99, 0.999])
def test_derived_bands_reach_their_recall(threshold: float, recall: float) -> None:
    """The stated recall is at least what was asked for, by the formula, with the places there are."""
    cut = derive_bands(threshold, recall)
    assert cut.bands * cut.rows <= 256
    assert cut.recall == recall_at(least_resemblance(threshold), cut.bands, cut.rows) >= recall


def test_a_recall_that_no_cut_reaches_is_refused() -> None:
    """Under two thirds an edit may have touched every shingle: nothing can be promised, and that is said."""
    with pytest.raises(BadSetting, match="exact"):
        derive_bands(60, 0.9)


def test_measured_recall() -> None:
    """Of 400 pairs at 80 % with edits spread as badly as can be, the share found is at least the one asked for."""
    random = np.random.default_rng(3)
    texts = []
    for _ in range(400):
        text = random.integers(0, 50_000, 300)
        changed = text.copy()
        changed[::5] = random.integers(50_000, 99_999, 60)  # every fifth word: the most shingles are lost
        texts += [text.tolist(), changed.tolist()]
    streams = streams_of(texts)
    cut = derive_bands(80, 0.99)
    everything = np.ones(len(texts), np.bool_)
    a, b = band_candidates(sign_streams(streams, 2), cut, everything, everything)
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    met = sum((2 * i, 2 * i + 1) in pairs for i in range(400))
    assert met / 400 >= 0.98


def test_recall_chooses_the_generator() -> None:
    """Exact unless a lower recall is asked for; both say what they are."""
    streams = streams_of([list(range(20)), list(range(20, 45))])
    bags = bags_of(streams)
    assert str(choose_generator(streams, bags, 80, None)) == "overlap"
    assert choose_generator(streams, bags, 80, 1.0).recall == 1.0
    bands = choose_generator(streams, bags, 80, 0.99)
    assert str(bands).startswith("bands(")
    assert 0.99 <= bands.recall < 1
