"""Finding and verifying pairs: what is given stays as it is, what is learned comes back, nothing else is counted."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).with_name("index")))

from index_texts import bags_of, streams_of

from truecopy import stages
from truecopy.group.families import Families
from truecopy.model import Reading
from truecopy.pairing import FINDERS
from truecopy.wave.intake import prepare_batch, take_in
from truecopy.wave.settled import Known, KnownFile, KnownText, settle


@pytest.mark.parametrize("dense", [None, 3])
@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("name", FINDERS)
def test_families_that_are_given_stay_and_those_that_are_made_come_back(
    seed: int, name: str, part: bool, dense: int | None
) -> None:
    """Also where the texts are some of many: the families of all texts come back with them."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 500, 120).tolist()
    streams = streams_of([[*form[:-4], *random.integers(500, 900, 4).tolist()] for _ in range(12)])
    every = Families(40, dense)
    every.join(np.array([30]), np.array([31]))
    places = np.arange(20, 32)
    given = every.some(places) if part else Families(12, dense)
    before = given.whole.first.tolist(), given.labels.tolist()
    found = FINDERS[name].find(streams, bags_of(streams), 80, 1, np.ones(12, np.bool_), 1, families=given)
    assert (given.whole.first.tolist(), given.labels.tolist()) == before
    first = 20 if part else 0
    assert set(found.families.whole.first[first : first + 12].tolist()) == {first}, "they are one family"
    assert set(found.families.labels.tolist()) == ({0} if dense else {-1})
    assert len(found.pairs) == (0 if dense else 66)


def test_a_wave_is_settled_again_from_what_was_known_before_it() -> None:
    """Settling a wave remembers its documents for itself alone."""
    texts = ["one two three four", "one two three four", "five six", ""]
    readings = [Reading("", str(i), 0, "", "", str(i % 3), text.encode()) for i, text in enumerate(texts)]
    arrivals = take_in([prepare_batch(readings)]).arrivals
    known = Known({"9": KnownFile(1, "TC-000001", 1, 1)}, {"8": KnownText(1, "TC-000001", 1)}, {}, 1, 1, 1)
    before = copy.deepcopy(known)
    first = settle(arrivals, known)
    assert known == before
    assert [(one.number, one.passage, one.copy_of) for one in first][:2] == [(2, 2, None), (3, 2, 2)]
    assert settle(arrivals, known) == first


def test_verifying_contained_texts_looks_at_no_others(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shingles are counted of the texts in the pairs, and of none where their numbers are given."""
    random = np.random.default_rng(seed)
    texts = [random.integers(0, 900, 150).tolist() for _ in range(30)]
    streams = streams_of([*texts, texts[3][10:90], texts[5]])
    counted: list[int] = []
    count = stages.distinct_shingles

    def counting(*given: Any) -> Any:
        counted.extend(given[3].tolist())
        return count(*given)

    monkeypatch.setattr(stages, "distinct_shingles", counting)
    a, b = np.array([3, 4, 5]), np.array([30, 30, 31])
    found = stages.verify_contained(streams, a, b, 80)
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(3, 30), (5, 31)]
    assert counted == [3, 4, 5, 30, 31]
    shingles = count(streams.words, streams.offsets, streams.keys, np.arange(32, dtype=np.int32), 1)
    again = stages.verify_contained(streams, a, b, 80, shingles=shingles)
    assert len(counted) == 5
    for name, column in found.columns().items():
        assert again.columns()[name].tolist() == column.tolist()
