"""Families against the stored pairs: which passages chains of pairs connect, and how many pairs dense families lack.

The pairs of a family that is not dense are all stored, so its passages are exactly those that chains of them connect.
A dense family was joined by pairs that were not stored, too. Of these only two things can be told: no stored pair leads
out of it (`sql/rules.py`), and what it is said to lack, at most, is not less than what its texts can have without what
is stored.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truecopy.array_types import I64
from truecopy.group.families import Families
from truecopy.match.relations import RELATION_NAMES, relation_named
from truecopy.matter.state import State
from truecopy.pairing import finder_of
from truecopy.stopping import check


def wrong_families(state: State) -> Iterator[str]:
    """Passages that are not in the family that their pairs make, and dense families that lack other pairs than said."""
    for relation in RELATION_NAMES:
        check()
        rows, ends, left_out = (
            state.families.every(relation),
            state.pairs.ends(relation),
            state.families.dense(relation),
        )
        passages, families = rows[:, 0], rows[:, 1]
        ends = ends[np.isin(ends, passages).all(axis=1)]  # others are named by the rules
        wrong = (_connected(passages, ends) != families) & ~np.isin(families, list(left_out))
        for passage in passages[wrong].tolist():
            yield f"the table families has passage {passage} in another family of {relation} than its pairs make"
        yield from _wrong_counts(state, relation, rows, ends, left_out)


def _connected(passages: I64, ends: I64) -> I64:
    """The first of all passages that chains of pairs connect each with."""
    families = Families(len(passages))
    families.join(np.searchsorted(passages, ends[:, 0]), np.searchsorted(passages, ends[:, 1]))
    first: I64 = passages[families.first]
    return first


def _wrong_counts(state: State, relation: str, rows: I64, ends: I64, left_out: dict[int, int]) -> Iterator[str]:
    every, floor = state.passages.every(), relation_named(relation).floor_of(state.facts.settings())
    begins = rows[np.searchsorted(rows[:, 0], ends[:, 0]), 1]
    for family, said in left_out.items():
        check()
        of = np.isin(every[:, 0], rows[rows[:, 1] == family, 0])
        most = finder_of(relation).most(every[of, 2], every[of, 3], floor)
        if not most - int((begins == family).sum()) <= said <= most:
            yield f"the table dense_families has another number of pairs left out of family {family} than there are"
