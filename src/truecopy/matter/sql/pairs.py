"""Rows of verified pairs ↔ columns of numbers: of one passage, of a relation, of the groups."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, case, func, select, type_coerce, union_all
from sqlalchemy.types import NullType

from truecopy.array_types import I64
from truecopy.match.kinds import KIND_NAMES
from truecopy.match.relations import GROUPED, RELATION_NAMES, SIMILARITY, Measure, relation_named
from truecopy.matter.sql import tables
from truecopy.matter.sql.bulk import indexed_late
from truecopy.matter.sql.cells import MOST, check_column, check_rows, wrong_cell
from truecopy.matter.sql.plain import MANY, Statement
from truecopy.matter.sql.unseen import THE_TABLE
from truecopy.model import DOCUMENT, MEASURED, Scores
from truecopy.threshold import WHOLE, ten_thousandths

if TYPE_CHECKING:
    from truecopy.match.judge import Judged


PairRow = tuple[Any, ...]
"""A pair to be written: a value for each of `_INSERTED`."""
_TABLE = tables.pairs
_VALUES_AT_ONCE = 500
_ROWS_AT_ONCE = 20_000
"""How many pairs are in memory as Python objects at a time."""
_INSERTED = ("unit", "relation", "a", "b", *MEASURED, "kind")
# The driver's own statement: for a million rows it is several times as fast as the compiler's.
_INSERT = f"INSERT INTO main.pairs ({', '.join(_INSERTED)}) VALUES ({', '.join('?' * len(_INSERTED))})"  # noqa: S608


@dataclass(frozen=True, slots=True)
class PairRows:
    """Stored pairs of one relation, as columns: a < b are passages."""

    relation: str
    columns: I64
    """a, b, then the integers of `model.MEASURED`."""
    kinds: list[str]

    def __len__(self) -> int:
        return len(self.kinds)

    def scores(self, row: int) -> Scores:
        """The measures of one pair."""
        return Scores(*self.columns[row, 2:].tolist())

    def similarity(self, row: int) -> float:
        """The similarity of one pair (`Scores.similarity`), which must be known."""
        return _similarity(*self.columns[row, 2:4].tolist())

    def similarities(self) -> list[float]:
        """The same of every pair."""
        return [_similarity(distance, longer) for distance, longer in self.columns[:, 2:4].tolist()]


def _similarity(distance: int, longer: int) -> float:
    assert distance >= 0
    return 100.0 * (longer - distance) / longer if longer else 100.0


@dataclass(frozen=True, slots=True)
class Containments:
    """Every stored pair of `contains`, as columns: there can be millions."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    """The numbers of the first documents of the two passages."""
    shared: NDArray[np.int32]
    a_shingles: NDArray[np.int32]
    b_shingles: NDArray[np.int32]
    similar: NDArray[np.bool_]
    """Whether the two are similar at the matter's threshold."""
    kinds: NDArray[np.int8]
    """Places in `names`."""
    names: tuple[str, ...]


class PairTable:
    """The pairs of one state of a matter, of one unit."""

    def __init__(self, connection: Connection, unit: str = DOCUMENT) -> None:
        self._connection = connection
        self._unit = unit

    def of(self, passage: int, relation: str, threshold: float) -> PairRows:
        """The stored pairs of one passage, at a threshold of a relation's measure."""
        given = {"unit": self._unit, "passage": passage, "least": ten_thousandths(threshold)}
        # b's pairs have a lower a: after ordering, all are in order.
        return _few(relation, _OF[relation].rows(self._connection, **given))

    def at(self, relation: str, threshold: float) -> PairRows:
        """Every stored pair of a relation at a threshold."""
        query = _columns().where(self._of(relation), _reaches(relation, threshold)).order_by(_TABLE.c.a, _TABLE.c.b)
        return _rows(relation, self._connection.execute(query).partitions(_ROWS_AT_ONCE))

    def page(
        self, relation: str, threshold: float, after: tuple[int, int] = (0, 0), limit: int | None = None
    ) -> PairRows:
        """Pairs after the pair of two passages, in order."""
        a, b = after
        following = (_TABLE.c.a > a) | ((_TABLE.c.a == a) & (_TABLE.c.b > b))
        query = _columns().where(self._of(relation), _TABLE.c.a >= a, following, _reaches(relation, threshold))
        query = query.order_by(_TABLE.c.a, _TABLE.c.b).limit(limit)
        return _rows(relation, self._connection.execute(query).partitions(_ROWS_AT_ONCE))

    def of_groups(self, grouping: str, threshold: float) -> PairRows:
        """The pairs that a grouping shows: of members with principals, and of linked documents."""
        documents, passages = tables.documents, tables.passages
        every = self._with_principals(grouping)
        found = _rows(GROUPED, self._connection.execute(every).partitions(_ROWS_AT_ONCE))
        linked = select(passages.c.number).join(documents, documents.c.number == passages.c.document)
        linked = linked.where(documents.c.status == "linked", passages.c.unit == self._unit)
        if self._connection.execute(linked.limit(1)).first() is None:
            return found
        links = _columns().where(self._of(GROUPED), _reaches(GROUPED, threshold))
        links = links.where(_TABLE.c.a.in_(linked) | _TABLE.c.b.in_(linked)).order_by(_TABLE.c.a, _TABLE.c.b)
        others = _rows(GROUPED, self._connection.execute(links).partitions(_ROWS_AT_ONCE))
        return PairRows(GROUPED, np.concatenate([found.columns, others.columns]), found.kinds + others.kinds)

    def of_members(self, grouping: str, principals: Iterable[int]) -> list[tuple[int, int, float | None, str]]:
        """The passages of some groups, each with its principal, and similarity and kind of the two; None where they
        have no pair, as a principal has none with itself.
        """
        rows = _OF_PRINCIPALS.many(self._connection, sorted(principals), unit=self._unit, grouping=grouping)
        return _checked_members(rows)

    def with_principals(self, grouping: str, passages: Iterable[int]) -> list[tuple[int, int, float | None, str]]:
        """The same of some passages of any groups."""
        rows = _OF_PASSAGES.many(self._connection, sorted(passages), unit=self._unit, grouping=grouping)
        return _checked_members(rows)

    def _with_principals(self, grouping: str) -> Select[Any]:
        # Not in order of the pairs' columns: SQLite would go through the pairs.
        return _of_members(self._unit, grouping).order_by(*_ends_of_members())

    def count_from(self, relation: str, passages: list[int]) -> int:
        """How many stored pairs of a relation have one of some passages as their first."""
        query, found = select(func.count()).select_from(_TABLE).where(self._of(relation)), 0
        for first in range(0, len(passages), _VALUES_AT_ONCE):
            some = passages[first : first + _VALUES_AT_ONCE]
            found += self._connection.execute(query.where(_TABLE.c.a.in_(some))).scalar_one()
        return found

    def count(self, relation: str, threshold: float) -> int:
        """How many stored pairs of a relation reach a threshold."""
        query = select(func.count()).select_from(_TABLE).where(self._of(relation), _reaches(relation, threshold))
        return int(self._connection.execute(query).scalar_one())

    def only_contained(self, threshold: float) -> int:
        """How many stored pairs of `contains` are not similar at a threshold."""
        unlike = (_TABLE.c.distance < 0) | ~_at(SIMILARITY, threshold)
        query = select(func.count()).select_from(_TABLE).where(self._of("contains"), unlike)
        return int(self._connection.execute(query).scalar() or 0)

    def distances(self) -> I64:
        """Distance and longer length of every stored pair that is similar."""
        query = select(_TABLE.c.distance, _TABLE.c.longer).where(self._of(GROUPED))
        found = self._numbers(query, 2)
        if ((found[:, 0] < 0) | (found[:, 0] > found[:, 1])).any():
            raise wrong_cell("pairs.distance")
        return found

    def ends(self, relation: str) -> I64:
        """The two passages of every stored pair of a relation, as two columns."""
        return self._numbers(select(_TABLE.c.a, _TABLE.c.b).where(self._of(relation)), 2)

    def containments(self, threshold: float) -> Containments:
        """Every stored pair of `contains`, and whether it is similar at a threshold too."""
        similar = and_(_TABLE.c.distance >= 0, _at(SIMILARITY, threshold))
        kind = case({name: place for place, name in enumerate(KIND_NAMES)}, value=_TABLE.c.kind)
        x, y = tables.passages.alias("x"), tables.passages.alias("y")
        query = select(
            type_coerce(x.c.document, NullType()), type_coerce(y.c.document, NullType()),
            _TABLE.c.shared_shingles, _TABLE.c.a_shingles, _TABLE.c.b_shingles, similar, kind,
        )  # fmt: skip
        query = query.select_from(_TABLE).outerjoin(x, x.c.number == _TABLE.c.a)
        query = query.outerjoin(y, y.c.number == _TABLE.c.b)  # a passage that is not there is no number, and refused
        found = self._numbers(query.where(self._of("contains")).order_by(_TABLE.c.a, _TABLE.c.b), 7)
        if found.min(initial=0) < 0 or found.max(initial=0) >= 1 << 31:
            raise wrong_cell("pairs.a to b_shingles")
        a, b, shared, a_shingles, b_shingles, alike, kinds = found.astype(np.int32).T
        return Containments(a, b, shared, a_shingles, b_shingles, alike.astype(bool), kinds.astype(np.int8), KIND_NAMES)

    def insert_all(self, parts: Sequence[Judged], numbers: I64) -> None:
        """Write pairs, in parts; `numbers` are the passages that their places mean."""
        with indexed_late(self._connection, _TABLE, sum(map(len, parts))):
            for part in parts:
                self.insert(part, numbers)

    def insert(self, pairs: Judged, numbers: I64) -> None:
        """Write pairs, a row for each relation that holds; `numbers` are the passages that their places mean."""
        self.insert_rows(rows_by_relation(pairs, numbers, self._unit))

    def insert_rows(self, some: Iterable[list[PairRow]]) -> None:
        """Write rows that were made before."""
        for rows in some:
            self._connection.exec_driver_sql(_INSERT, rows)

    def forget(self) -> None:
        """Take all pairs out."""
        statement = _TABLE.delete().where(_TABLE.c.unit == self._unit)
        self._connection.execute(statement, execution_options=THE_TABLE)

    def _of(self, relation: str) -> ColumnElement[bool]:
        return _is(self._unit, relation)

    def _numbers(self, query: Select[Any], width: int) -> I64:
        parts = [np.empty((0, width), np.int64)]
        for some in self._connection.execute(query).partitions(_ROWS_AT_ONCE):
            parts.append(whole_numbers(some))
        return np.concatenate(parts)


def rows_by_relation(
    pairs: Judged, numbers: I64, unit: str = DOCUMENT, at_once: int | None = None
) -> Iterator[list[PairRow]]:
    """The rows of pairs, one for each relation that holds, some at a time."""
    step = at_once or _ROWS_AT_ONCE
    for first in range(0, len(pairs), step):
        some = pairs.take(slice(first, first + step))
        for relation in RELATION_NAMES:
            part = some.take(np.flatnonzero(some.holds[relation]))
            ends = numbers[part.a].tolist(), numbers[part.b].tolist()
            measured = (part.measured[name].tolist() for name in MEASURED)
            found = list(zip(repeat(unit), repeat(relation), *ends, *measured, part.kinds))
            if found:
                yield found


def _columns() -> Select[Any]:
    return select(_TABLE.c.a, _TABLE.c.b, *(_TABLE.c[name] for name in MEASURED), _TABLE.c.kind)


def _is(unit: Any, relation: Any) -> ColumnElement[bool]:
    return and_(_TABLE.c.unit == unit, _TABLE.c.relation == relation)


def _of_passage(relation: str) -> Any:
    """The pairs of one passage, on either side."""
    reaches = _from(relation_named(relation).measure, bindparam("least"))
    sides = (
        _columns().where(_is(bindparam("unit"), relation), side == bindparam("passage"), reaches)
        for side in (_TABLE.c.a, _TABLE.c.b)
    )
    return union_all(*sides)


def _of_members(unit: Any, grouping: Any) -> Select[Any]:
    """The pairs of members with their principals."""
    members = tables.group_members
    joined = _columns().select_from(members).join(_TABLE, _is_with_principal(unit))
    return joined.where(members.c.grouping == grouping)


def _members_with_pairs(unit: Any, grouping: Any, known: ColumnElement[int]) -> Select[Any]:
    """Members that are known by many principals or passages, with what a group shows of each one's pair."""
    members, shown = tables.group_members, (_TABLE.c.distance, _TABLE.c.longer, _TABLE.c.kind)
    query = select(members.c.passage, members.c.principal, *shown).select_from(members)
    joined = query.outerjoin(_TABLE, _is_with_principal(unit))
    return joined.where(members.c.grouping == grouping, known.in_(MANY))


def _checked_members(rows: Sequence[Any]) -> list[tuple[int, int, float | None, str]]:
    """Members with what a group shows of each one's pair, held to the rules of their columns."""
    paired = [row for row in rows if row[4] is not None]
    check_rows((tables.group_members.c.passage, tables.group_members.c.principal), rows)
    check_rows((None, None, _TABLE.c.distance, _TABLE.c.longer, _TABLE.c.kind), paired)
    if any(not 0 <= distance <= longer for _, _, distance, longer, _ in paired):
        raise wrong_cell("pairs.distance")
    return [
        (passage, principal, None, "")
        if kind is None
        else (passage, principal, _similarity(distance, longer), sys.intern(kind))
        for passage, principal, distance, longer, kind in rows
    ]


def _is_with_principal(unit: Any) -> ColumnElement[bool]:
    low, high = _ends_of_members()
    return _is(unit, GROUPED) & (_TABLE.c.a == low) & (_TABLE.c.b == high)


def _ends_of_members() -> tuple[ColumnElement[int], ColumnElement[int]]:
    members = tables.group_members.c
    return func.min(members.passage, members.principal), func.max(members.passage, members.principal)


_OF = {name: Statement(lambda name=name: _of_passage(name)) for name in RELATION_NAMES}  # type: ignore[misc]
_OF_PRINCIPALS, _OF_PASSAGES = (
    Statement(lambda known=known: _members_with_pairs(bindparam("unit"), bindparam("grouping"), known))  # type: ignore[misc]
    for known in (tables.group_members.c.principal, tables.group_members.c.passage)
)


def _reaches(relation: str, threshold: float) -> ColumnElement[bool]:
    """Whether a stored pair reaches a threshold of its relation's measure."""
    return _at(relation_named(relation).measure, threshold)


def _at(measure: Measure, threshold: float) -> ColumnElement[bool]:
    """Whether a measure of a stored pair, where it is known, is at least a threshold; compared in integers."""
    return _from(measure, ten_thousandths(threshold))


def _from(measure: Measure, least: Any) -> ColumnElement[bool]:
    part, whole = (formula(_TABLE.c, _lesser) for formula in (measure.part, measure.whole))
    found: ColumnElement[bool] = part * WHOLE >= whole * least
    return found


def _lesser(one: ColumnElement[int], other: ColumnElement[int]) -> ColumnElement[int]:
    return case((one < other, one), else_=other)


def whole_numbers(rows: Any) -> I64:
    """Rows of whole numbers as an array; anything else is refused."""
    try:
        found = np.array([tuple(row) for row in rows])
    except (ValueError, OverflowError) as error:
        raise wrong_cell("pairs.a to fewer_terms") from error
    if found.dtype.kind != "i":  # NumPy takes the type that holds every cell
        raise wrong_cell("pairs.a to fewer_terms")
    return found.astype(np.int64)


def _rows(relation: str, parts: Any) -> PairRows:
    columns: list[I64] = [np.empty((0, 2 + len(MEASURED)), np.int64)]
    kinds: list[str] = []
    for rows in _some(parts):
        columns.append(whole_numbers([row[:-1] for row in rows]))
        _check_order(columns)
        kinds += [sys.intern(row[-1]) for row in rows]
    return PairRows(relation, _checked(np.concatenate(columns), relation), kinds)


def _few(relation: str, rows: list[Any]) -> PairRows:
    """Pairs as the driver gives them."""
    if not rows:
        return PairRows(relation, np.empty((0, 2 + len(MEASURED)), np.int64), [])
    check_column(_TABLE.c.kind, [row[-1] for row in rows])
    try:
        rows.sort()
    except TypeError as error:
        raise wrong_cell("pairs.a to fewer_terms") from error
    return _rows(relation, [rows])


def _some(parts: Any) -> Iterator[Any]:
    yield from parts


def _check_order(parts: list[I64]) -> None:
    """Refuse pairs that do not come in order, each once: the database's pages may lead in a circle."""
    here = np.concatenate([parts[-2][-1:, :2], parts[-1][:, :2]])
    a, b = here[:, 0], here[:, 1]
    if not ((a[1:] > a[:-1]) | ((a[1:] == a[:-1]) & (b[1:] > b[:-1]))).all():
        raise wrong_cell("pairs.a")


def _checked(columns: I64, relation: str) -> I64:
    """Stored pairs, if the numbers of each fit one another: a, b, distance, longer, shared and own shingles, terms."""
    a, b, distance, longer, shared, a_shingles, b_shingles, shared_terms, fewer_terms = columns.T
    # The distance may be unknown of texts that are not similar.
    least = 0 if relation_named(relation).measure is SIMILARITY else -1
    rules = {
        "a": (a < 1) | (a >= b) | (b > MOST),
        "distance": (distance < least) | (distance > longer) | (longer < 1) | (longer > MOST),
        "shared_shingles": (shared < 0) | (shared > np.minimum(a_shingles, b_shingles)),
        "a_shingles": np.maximum(a_shingles, b_shingles) > MOST,
        "shared_terms": (shared_terms < 0) | (shared_terms > fewer_terms) | (fewer_terms > MOST),
    }
    for name, wrong in rules.items():
        if wrong.any():
            raise wrong_cell(f"pairs.{name}")
    return columns
