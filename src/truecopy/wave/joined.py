"""Which groups the new texts of a wave join or found, and the statuses that follow.

Groups of earlier waves stay as they are (`group/star.py`), so only the new texts, what they are similar to, and the
principals of these have to be looked at: what this costs follows the wave, not the matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from truecopy.array_types import I64
from truecopy.group.principal import Candidate, principal_order
from truecopy.group.star import star


class Earlier(NamedTuple):
    """A passage of an earlier wave, as far as groups are concerned."""

    document: int
    words: int
    date: str
    status: str
    principal: int
    """Its own number, if it is one."""


class StarsOfFamilies(Protocol):
    """Groups the passages of dense families."""

    families: list[I64]
    """The passages of each."""

    def stars(self, order: I64, settled: Mapping[int, int], aside: tuple[I64, I64]) -> tuple[I64, I64]:
        """The principals of passages that are given in rule order; and of those that are linked a passage that shows
        it, -1 for the others. `aside` are those that are in no group, of earlier waves and new ones.
        """


@dataclass(frozen=True, slots=True)
class Stars:
    """The star algorithm over some passages: each one's principal, and those that are linked."""

    principals: dict[int, int]
    linked: set[int]
    shown: dict[int, int]
    """Linked passages of dense families, each with one that it is similar to."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What a wave does to the matter's own grouping."""

    principals: dict[int, int]
    """Of each new passage that can be in a group."""
    statuses: dict[int, str]
    """Of new passages' first documents, by passage."""
    changed: dict[int, str]
    """Passages of earlier waves whose first documents have another status now."""
    shown: dict[int, int]
    """Linked passages of dense families, each with one that it is similar to."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Documents of each group that was founded or joined, by its principal."""
    founded: int = 0
    joined: int = 0
    """Documents that joined groups of earlier waves, without copies of earlier documents."""


def run_stars(
    candidates: Sequence[Candidate],
    links: I64,
    rule: str,
    given: Sequence[int],
    settled: Mapping[int, int],
    dense: StarsOfFamilies | None = None,
    linked_before: Iterable[int] = (),
    aside_before: Iterable[int] = (),
) -> Stars:
    """Group passages by the pairs that reach the threshold.

    `links` has a row for each pair: passages a, b, distance, longer; of dense families, which `dense` groups, none are
    needed. `settled` has the principals of earlier waves, each among the candidates, and `linked_before` those that
    were linked. Passages that are no candidates have no letter: they are in no group, but a candidate that is alone and
    similar to one of them is linked. `aside_before` has those of earlier waves.
    """
    numbers = np.array([one.number for one in candidates], np.int64)
    order = np.array(principal_order(candidates, rule, given), np.int64)
    ends = np.isin(links[:, :2], numbers)
    kept = links[ends.all(axis=1)]
    a, b = np.searchsorted(numbers, kept[:, 0]), np.searchsorted(numbers, kept[:, 1])
    before = np.array([settled.get(number, -1) for number in numbers.tolist()], np.int64)
    known = before >= 0
    before[known] = np.searchsorted(numbers, before[known])
    stars = star(order, a, b, kept[:, 2], kept[:, 3], before if known.any() else None)
    principals = dict(zip(numbers.tolist(), numbers[stars.principal].tolist(), strict=True))
    grouped = {number for edge in principals.items() if edge[0] != edge[1] for number in edge}
    beside = set(links[:, :2][ends & ~ends[:, ::-1]].tolist())
    linked = set(numbers[stars.linked].tolist()) | (beside - grouped)
    were_aside = np.fromiter(aside_before, np.int64)
    shows: dict[int, int] = {}
    for family in dense.families if dense is not None else []:
        assert dense is not None
        members = numbers[order][np.isin(numbers[order], family)]
        others = np.setdiff1d(family, members)
        is_old = np.isin(others, were_aside)
        heads, shown = dense.stars(members, settled, (others[is_old], others[~is_old]))
        principals.update(zip(members.tolist(), heads.tolist(), strict=True))
        shows.update(zip(members[shown >= 0].tolist(), shown[shown >= 0].tolist(), strict=True))
        # Those of earlier waves that were linked still are, unless they have got members.
        alone = set(members[heads == members].tolist()) - set(heads[heads != members].tolist())
        were = alone & set(linked_before)
        linked = (linked - set(members.tolist())) | set(members[shown >= 0].tolist()) | were
    return Stars(principals, linked, shows)


def join_groups(
    fresh: Mapping[int, Candidate],
    short: set[int],
    earlier: Mapping[int, Earlier],
    links: I64,
    rule: str,
    given: Sequence[int],
    dense: StarsOfFamilies | None,
    copied: set[int],
) -> Joined:
    """Put new passages into the matter's own grouping, and say which statuses follow.

    `short` are those that are too short to be compared. `earlier` has the passages of earlier waves that the new ones
    are similar to or copies of, the principals of these, and all of dense families. `copied` are passages that the wave
    brings copies of.
    """
    old = [Candidate(number, one.words, one.date) for number, one in earlier.items() if one.principal]
    candidates = sorted([*fresh.values(), *old], key=lambda one: one.number)
    settled = {number: one.principal for number, one in earlier.items() if one.principal}
    were = [number for number, one in earlier.items() if one.status == "linked"]
    aside = [number for number, one in earlier.items() if not one.principal]
    stars = run_stars(candidates, links, rule, given, settled, dense, were, aside)
    heads = {head for passage, head in stars.principals.items() if passage != head}
    statuses: dict[int, str] = {}
    for passage, head in stars.principals.items():
        before = earlier[passage].status if passage in earlier else ""
        if passage in short or before == "too-short":
            continue
        if passage != head:
            statuses[passage] = "member"
        elif passage in heads or passage in copied or before == "principal":
            statuses[passage] = "principal"
        else:
            statuses[passage] = "linked" if passage in stars.linked or before == "linked" else "unique"
    return Joined(
        principals={passage: stars.principals[passage] for passage in fresh},
        statuses={passage: status for passage, status in statuses.items() if passage in fresh},
        changed={
            passage: status
            for passage, status in statuses.items()
            if passage in earlier and earlier[passage].status != status
        },
        shown=stars.shown,
    )


def with_sizes(
    joined: Joined,
    documents: Sequence[tuple[int, bool]],
    principals: Mapping[int, int],
    sizes: Mapping[int, int],
    first: int,
) -> Joined:
    """The same with the sizes of the groups that a wave's documents are in.

    `documents` has the passage of each document with words, and whether it repeats a document of an earlier wave;
    `principals` those of passages of earlier waves, `sizes` the groups as they were; `first` is the first new passage.
    """
    known = {**principals, **joined.principals}
    heads = [known.get(passage, passage) for passage, _ in documents]
    new = Counter(heads)
    grown = {head: sizes.get(head, 0 if head >= first else 1) + count for head, count in sorted(new.items())}
    grown = {head: size for head, size in grown.items() if size > 1}
    return Joined(
        joined.principals, joined.statuses, joined.changed, joined.shown, grown,
        founded=sum(head not in sizes for head in grown),
        joined=sum(head in sizes for head, (_, repeats) in zip(heads, documents, strict=True) if not repeats),
    )  # fmt: skip
