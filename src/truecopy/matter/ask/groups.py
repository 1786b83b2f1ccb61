"""Groups: the matter's own, looked up page by page, or those at any other threshold, made from the stored pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64
from truecopy.group.principal import Candidate
from truecopy.match.relations import GROUPED
from truecopy.matter.ask.naming import kept_of_all, numbers_of
from truecopy.matter.ask.pairs import completing, first_documents
from truecopy.matter.ask.views import SET_ASIDE, Register, equal_kind, read_register
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.sql.groups import OWN, check_principals
from truecopy.matter.sql.pairs import PairRows
from truecopy.matter.state import State
from truecopy.model import Document, Filter, Group, Grouping, Link, Linked, Member, from_columns
from truecopy.settings import MatterSettings, thread_count


def grouping_at(state: State, threshold: float, complete: bool) -> Grouping:
    """Groups at a threshold: the matter's own grouping, or a view computed from the stored pairs.

    Unless `complete`, linked documents of dense families come with the links that are stored, at least one of each.
    """
    settings = state.facts.settings()
    register = read_register(state)
    own = threshold == settings.threshold
    stored = state.pairs.of_groups(OWN, threshold) if own else state.pairs.at(GROUPED, threshold)
    families = state.families.incomplete()
    register.check(stored.columns[:, :2], "pairs.a")
    if own:
        principals = state.groups.every()
        check_principals(principals, np.fromiter(register.copies, np.int64))
        linked = {number for number in principals if register.first(number).status == "linked"}
    else:
        principals, linked = _view(state, register, stored, threshold, settings, families)
    links = None
    if families:
        stored = stored if own else _with_edges(state, stored, families, principals)
        links = _with_links(state, stored, families, linked, threshold) if complete else None
    links = stored.columns[:, :4] if links is None else links
    groups = make_groups(register.copies, principals, _to_principals(stored, principals))
    return Grouping(threshold, settings.rule, groups, _linked(register.copies, principals, links))


def _to_principals(stored: PairRows, principal_of: Mapping[int, int]) -> dict[int, tuple[float, str]]:
    """Similarity and kind of members to their principals, as far as they are stored."""
    found: dict[int, tuple[float, str]] = {}
    ends = stored.columns[:, :2].tolist()
    for (a, b), similarity, kind in zip(ends, stored.similarities(), stored.kinds, strict=True):
        for one, other in ((a, b), (b, a)):
            if principal_of.get(one) == other:
                found[one] = similarity, kind
    return found


def group_of(state: State, passages: Iterable[int]) -> list[Group]:
    """The groups of the matter's own grouping that some principals head, in order; nothing else is read."""
    heads = sorted(set(passages))
    principals = {head: head for head in heads}
    known: dict[int, tuple[float, str]] = {}
    for passage, principal, similarity, kind in state.pairs.of_members(OWN, heads):
        if passage not in principals:
            principals[passage] = principal
            if similarity is not None:
                known[passage] = similarity, kind
    wanted = principals.keys()
    copies: dict[int, list[Document]] = {passage: [] for passage in sorted(wanted)}
    for kept in state.documents.of_passages(wanted):
        copies[kept.passage or 0].append(kept.document)
    if any(not family for family in copies.values()):
        raise wrong_cell("group_members.passage")
    return list(make_groups(copies, principals, known))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document is in a grouping."""

    group: str
    """The group's id."""
    principal: str
    """The principal's id."""
    similarity: float | None = None
    """To the principal; None for the principal itself."""
    kind: str | None = None


def group_places(state: State, documents: Sequence[Document]) -> dict[int, Place]:
    """The places of some documents in the matter's own grouping, by their numbers; those in no group are left out."""
    passages = {number: kept.passage for number, kept in kept_of_all(state, documents).items()}
    known = {passage for passage in passages.values() if passage is not None}
    heads = {passage: passage for passage in known} | state.groups.principals(known)
    grouped = state.groups.sizes(heads.values())
    first = first_documents(state, set(grouped))
    members = state.pairs.with_principals(OWN, {passage for passage, head in heads.items() if passage != head})
    to_head = {passage: (similarity, kind) for passage, _, similarity, kind in members if similarity is not None}
    found: dict[int, Place] = {}
    for one in documents:
        passage = passages[one.number]
        if passage is None or heads[passage] not in grouped:
            continue
        head = heads[passage]
        principal = first[head].document
        if passage != head:
            if passage not in to_head:
                raise wrong_cell("group_members.principal")
            found[one.number] = Place(principal.id, principal.id, *to_head[passage])
        elif one.number == principal.number:
            found[one.number] = Place(principal.id, principal.id)
        else:
            found[one.number] = Place(principal.id, principal.id, 100.0, equal_kind(principal, one))
    return found


def linked_page(state: State, threshold: float, after: int = 0, limit: int | None = None) -> list[Linked]:
    """Linked documents after a number, each with its links."""
    page = state.documents.page(Filter(("linked",)), after, limit)
    passages = [kept.passage for kept in page if kept.passage is not None]
    if len(passages) < len(page):
        raise wrong_cell("documents.passage")
    dense = {passage: family for passage in passages if (family := state.families.dense_of(passage)) is not None}
    links = _completed_links(state, dense, threshold)
    for passage in passages:
        if passage not in dense:
            stored = state.pairs.of(passage, GROUPED, threshold)
            others = [b if a == passage else a for a, b in stored.columns[:, :2].tolist()]
            links[passage] = dict(zip(others, stored.similarities(), strict=True))
    first = first_documents(state, {other for found in links.values() for other in found})
    return [
        Linked(kept.document, tuple(sorted(_links(links[passage], first), key=_nearest)))
        for kept, passage in zip(page, passages, strict=True)
    ]


def _links(similarities: Mapping[int, float], first: Mapping[int, Kept]) -> Iterator[Link]:
    return (Link(first[other].document.id, similarity) for other, similarity in similarities.items())


def _view(
    state: State,
    register: Register,
    stored: PairRows,
    threshold: float,
    settings: MatterSettings,
    families: list[I64],
) -> tuple[dict[int, int], set[int]]:
    """The star algorithm at another threshold, over all passages that can be in a group."""
    from truecopy.matter.texts import some_texts
    from truecopy.wave.dense import DenseStars
    from truecopy.wave.joined import run_stars

    dense = None
    if families:
        texts, threads = some_texts(state, np.unique(np.concatenate(families))), thread_count(None)
        dense = DenseStars(texts, texts.bags(threads), families, threshold, threads)
    given: list[int] = []
    if settings.rule == "given":
        numbers = numbers_of(register.documents.values(), settings.given)
        listed = dict.fromkeys(number for name in settings.given for number in numbers[name])
        own = {family[0].number: passage for passage, family in register.copies.items()}
        given = [own[number] for number in listed if number in own]
    candidates = [
        Candidate(passage, family[0].words, family[0].date)
        for passage, family in sorted(register.copies.items())
        if family[0].status not in SET_ASIDE
    ]
    stars = run_stars(candidates, stored.columns[:, :4], settings.rule, given, {}, dense)
    return stars.principals, stars.linked


def _with_edges(state: State, stored: PairRows, families: list[I64], principals: Mapping[int, int]) -> PairRows:
    """Stored pairs with those of members and principals of dense families; of the own grouping all are stored."""
    dense = set(np.concatenate(families).tolist())
    have = set(map(tuple, stored.columns[:, :2].tolist()))
    edges = [(min(pair), max(pair)) for pair in principals.items() if pair[0] in dense and pair[0] != pair[1]]
    missing = np.array([edge for edge in edges if edge not in have], np.int64)
    return completing(state, families).edges(stored, missing) if len(missing) else stored


def _with_links(state: State, stored: PairRows, families: list[I64], linked: set[int], threshold: float) -> I64 | None:
    """Every link of linked documents, also of dense families; None where all are stored."""
    wanted = np.array(sorted(linked & set(np.concatenate(families).tolist())), np.int64)
    if not len(wanted):
        return None
    links = completing(state, families).links(families, wanted, threshold)
    return np.unique(np.concatenate([links, stored.columns[:, :4]]), axis=0)


def _completed_links(state: State, dense: Mapping[int, int], threshold: float) -> dict[int, dict[int, float]]:
    """Of some passages, which are given with their dense families: every link with its similarity, stored or not.

    Each family is read and compared once, however many of its documents are asked about.
    """
    found: dict[int, dict[int, float]] = {passage: {} for passage in dense}
    for family in sorted(set(dense.values())):
        members = [state.families.members(GROUPED, [family])]
        own = np.array(sorted(passage for passage, of in dense.items() if of == family), np.int64)
        for a, b, distance, longer in completing(state, members).links(members, own, threshold).tolist():
            for one, other in ((a, b), (b, a)):
                if one in found:
                    found[one][other] = 100.0 * (longer - distance) / longer
    return found


def make_groups(
    copies: Mapping[int, list[Document]],
    principal_of: Mapping[int, int],
    known: Mapping[int, tuple[float, str]],
) -> tuple[Group, ...]:
    """Groups with copies as members, from each passage's principal, and similarity and kind of members to theirs.

    `copies` has the documents of each passage, the first one first.
    """
    heads: list[int] = []
    own: list[Document] = []
    similarities: list[float] = []
    kinds: list[str] = []
    alone = {number: number for number, family in copies.items() if len(family) > 1} | dict(principal_of)
    for number, principal in sorted(alone.items()):
        family = copies[number]
        original, repeated = family[0], family[1:]
        similarity, kind = 100.0, ""
        if number != principal:
            if number not in known:
                raise wrong_cell("group_members.principal")
            similarity, kind = known[number]
            repeated = family
        # A copy has its original's relation to the principal.
        for one in repeated:
            heads.append(principal)
            own.append(one)
            similarities.append(similarity)
            kinds.append(kind or equal_kind(original, one))
    members: dict[int, list[Member]] = {}
    for principal, member in zip(heads, from_columns(Member, [own, similarities, kinds]), strict=True):
        members.setdefault(principal, []).append(member)
    principals = [copies[principal][0] for principal in sorted(members)]
    best_first = [tuple(sorted(found, key=_best_first)) for _, found in sorted(members.items())]
    return tuple(from_columns(Group, [[one.id for one in principals], principals, best_first]))


def _linked(copies: Mapping[int, list[Document]], principal_of: Mapping[int, int], links: I64) -> tuple[Linked, ...]:
    """Documents similar to some others, but to no principal, with their links, best first."""
    heads = {principal for number, principal in principal_of.items() if number != principal}
    alone = {
        number
        for number, principal in principal_of.items()
        if number == principal and number not in heads and len(copies[number]) == 1
    }
    found: dict[int, list[Link]] = {}
    for a, b, distance, longer in links.tolist():
        for one, other in ((a, b), (b, a)):
            if one in alone:
                similarity = 100.0 * (longer - distance) / longer
                found.setdefault(one, []).append(Link(copies[other][0].id, similarity))
    return tuple(
        Linked(copies[number][0], tuple(sorted(links_here, key=_nearest)))
        for number, links_here in sorted(found.items())
    )


def _nearest(link: Link) -> tuple[float, str]:
    return -link.similarity, link.id


def _best_first(member: Member) -> tuple[float, int]:
    return -member.similarity, member.document.number
