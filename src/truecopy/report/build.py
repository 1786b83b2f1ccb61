"""Matter -> Page: every figure and table of the report, once for all its forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from truecopy.model import NOT_SEARCHED, STATUSES, Counts, Document, Group, Grouping, Linked, Member, Pair
from truecopy.report import shown
from truecopy.report.contained import contained_texts
from truecopy.report.meanings import (
    KIND,
    MEASURES,
    PART,
    RULE,
    SETTING,
    STATUS,
    generator_sentence,
)
from truecopy.report.page import (
    Bar,
    Count,
    KindRow,
    MatterFacts,
    Method,
    Page,
    ReportSource,
    Setting,
    StatusList,
    StatusRow,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIZES = ((2, 2), (3, 3), (4, 4), (5, 5), (6, 10), (11, 20), (21, 50), (51, 100), (101, 1000), (1001, 0))
"""Documents in a group, from and to; 0 for no end."""
_MOST_BARS = 40
_PLAIN = ("principal", "member", "linked", "unique")
"""Statuses that need no reason: if there is one, it is a remark."""
_REASONED = ("numbers-only", "same-file", "same-text", "too-short")
"""Statuses of searched documents that come with a reason."""


def build_page(matter: ReportSource, *, with_pairs: bool = False) -> Page:
    """Everything that the report says about a matter, except its redlines; with every stored pair if asked for."""
    documents = tuple(matter.documents())
    grouping = matter.groups(complete=False)
    groups = _largest_first(grouping)
    linked = tuple(sorted(grouping.linked, key=lambda one: one.document.number))
    group_of = _group_of(groups)
    contained, together = contained_texts(matter.containments(), grouping, documents)
    distances, left_out = matter.distances()
    counts = matter.counts()
    return Page(
        title=shown.name(matter.path.name),
        matter=matter.path.absolute(),
        threshold=grouping.threshold,
        floor=matter.settings.floor,
        contains_floor=matter.settings.contains_floor,
        documents=documents,
        several_roots=len({document.root for document in documents}) > 1,
        counts=counts,
        parts=_parts(counts),
        statuses=_statuses(documents),
        not_searched=tuple(one for one in documents if one.status in NOT_SEARCHED),
        remarked=tuple((one, said) for one in documents if (said := remark(one)) and said != one.doubt),
        doubted=tuple(one for one in documents if one.doubt),
        listings=_listings(documents, group_of, linked),
        kinds=_kinds(groups),
        groups=groups,
        members=sum(len(group.members) for group in groups),
        copied=sum(bool(member.document.copy_of) for group in groups for member in group.members),
        contained=contained,
        together=together,
        linked=linked,
        rule=grouping.rule,
        stored=len(distances),
        left_out=left_out,
        pairs=_every_pair(matter) if with_pairs else (),
        similarities=similarity_bars(distances, matter.settings.floor, grouping.threshold),
        sizes=size_bars(groups),
        group_of=group_of,
        method=_method(matter, matter.facts(), left_out),
    )


def _every_pair(matter: ReportSource) -> tuple[Pair, ...]:
    similar = matter.pairs(matter.settings.floor).pairs
    return *similar, *matter.pairs(matter.settings.contains_floor, relation="contains").pairs


def _largest_first(grouping: Grouping) -> tuple[Group, ...]:
    """Groups by size, members by similarity; ties in order of addition."""
    groups = (Group(group.id, group.principal, _most_similar_first(group)) for group in grouping.groups)
    return tuple(sorted(groups, key=lambda group: (-len(group.members), group.principal.number)))


def _most_similar_first(group: Group) -> tuple[Member, ...]:
    """Members by similarity, a copy right after the member that it is a copy of."""
    members = {member.document.id: member for member in group.members}

    def order(member: Member) -> tuple[float, int, int]:
        first = members.get(member.document.copy_of, member)
        return -first.similarity, first.document.number, member.document.number

    return tuple(sorted(group.members, key=order))


def _group_of(groups: Sequence[Group]) -> dict[str, str]:
    found = {}
    for group in groups:
        found[group.principal.id] = group.id
        for member in group.members:
            found[member.document.id] = group.id
    return found


def _count(part: int, total: int) -> Count:
    return Count(part, 100.0 * part / total if total else 0.0)


def _statuses(documents: Sequence[Document]) -> tuple[StatusRow, ...]:
    counts = Counter(document.status for document in documents)
    copies = Counter(document.status for document in documents if document.copy_of)
    return tuple(
        StatusRow(status, _count(counts[status], len(documents)), copies[status], STATUS[status])
        for status in STATUSES
        if counts[status]
    )


def _parts(counts: Counts) -> tuple[tuple[str, Count], ...]:
    sums = (counts.copies, counts.near_copies, counts.to_read, counts.not_searched, counts.empty)
    return tuple((part, _count(documents, sum(sums))) for part, documents in zip(PART, sums, strict=True))


def remark(one: Document) -> str:
    """What must be said about a document that was searched, such as pages that are pictures; "" for nothing.

    The reason of a status comes first, and a remark after it.
    """
    if one.status in _PLAIN:
        return one.reason
    return one.reason.partition("; ")[2] if one.status in _REASONED else ""


def _listings(
    documents: Sequence[Document], group_of: Mapping[str, str], linked: Sequence[Linked]
) -> tuple[StatusList, ...]:
    """Every document that no other list shows, by status."""
    elsewhere = {one.document.id for one in linked} | group_of.keys()
    by_status: dict[str, list[Document]] = {}
    for document in documents:
        if document.id not in elsewhere and document.status not in NOT_SEARCHED:
            by_status.setdefault(document.status, []).append(document)
    return tuple(
        StatusList(status, STATUS[status], tuple(by_status[status])) for status in STATUSES if status in by_status
    )


def _kinds(groups: Sequence[Group]) -> tuple[KindRow, ...]:
    counts = Counter(member.kind for group in groups for member in group.members)
    return tuple(KindRow(kind, counts[kind], meaning) for kind, meaning in KIND.items() if counts[kind])


def similarity_bars(distances: NDArray[np.int64], floor: float, threshold: float) -> tuple[Bar, ...]:
    """How many stored pairs are in each band of similarity, from the floor up, in integers.

    `distances` has a row for each pair: the distance and the words of the longer text.
    """
    start = min(int(floor), 99)
    width = -(-(100 - start) // _MOST_BARS) or 1
    longer = distances[:, 1].clip(1)
    bands = ((100 * (longer - distances[:, 0]) // longer).clip(start, 99) - start) // width
    counts = Counter(bands.tolist())
    return tuple(
        Bar(f"{low} to {min(low + width, 100)}", counts[index], marked=low >= threshold)
        for index, low in enumerate(range(start, 100, width))
    )


def size_bars(groups: Sequence[Group]) -> tuple[Bar, ...]:
    """How many groups there are of each size; sizes above the largest group are left out."""
    sizes = [1 + len(group.members) for group in groups]
    largest = max(sizes, default=0)
    return tuple(
        Bar(_size_label(low, high), sum(low <= size <= (high or size) for size in sizes))
        for low, high in _SIZES
        if low <= largest
    )


def _size_label(low: int, high: int) -> str:
    if low == high:
        return str(low)
    return f"{low}–{high}" if high else f"over {low - 1}"


def _method(matter: ReportSource, facts: MatterFacts, left_out: int) -> Method:
    from truecopy.index.cuts import curve_by_similarity

    return Method(
        version=facts.version,
        unicode=facts.unicode,
        made=facts.made,
        audit_head=facts.audit_head,
        generator=generator_sentence(facts.generator),
        recall=tuple(facts.recall.items()),
        curve=tuple(
            (shown.threshold(similarity), _share(chance))
            for similarity, chance in curve_by_similarity(facts.generator, matter.settings.floor)
        ),
        settings=tuple(
            Setting(key, _setting_value(key, value), SETTING.get(key, "")) for key, value in facts.settings.items()
        ),
        measures=MEASURES,
        waves=tuple(matter.waves()),
        seconds=tuple(facts.seconds.items()),
        dense=_dense(left_out, matter.left_out("contains"), matter.settings.nearest),
    )


def _share(chance: float) -> str:
    """A share in percent, rounded down: never more than is promised.

    >>> _share(0.99999), _share(1.0)
    ('99.99', '100')
    """
    return "100" if chance >= 1 else f"{int(chance * 10_000) / 100:.2f}"


def _setting_value(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ((), []):
        return "exact where affordable" if name == "recall" else "none"
    if isinstance(value, (int, float)):
        return shown.threshold(value)
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return RULE.get(str(value), str(value)) if name == "rule" else str(value)


def _dense(left_out: int, contains_left_out: int, nearest: int) -> str:
    if not left_out and not contains_left_out:
        return "No family is large enough to be stored in part: every pair at the floor or above is stored."
    return (
        "The collection holds a dense family: thousands of texts of one form. For its members the pair with "
        "the principal (of contained texts: with the longest text) and those with the "
        f"{shown.count(nearest)} nearest are stored; up to {shown.plural(left_out, 'further pair')} of similar texts "
        f"and {shown.count(contains_left_out)} of contained ones are not, and are computed when asked for. Linked "
        "documents of such a family are shown with their stored links. No other pair was left out."
    )
