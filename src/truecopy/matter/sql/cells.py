"""What each cell of the database may hold; checked wherever a cell is read.

SQLite keeps any value in any column: text where a number belongs, a blob, nothing at all. A matter that somebody
else has made may hold such cells. So every column has a rule here, and the columns' types check it on the way from the
database to the code (`apply`), whichever query reads them. `pairs` is checked as columns of numbers (`sql/pairs.py`),
because there may be millions of rows. `doctor/examined.py` holds every row to the same rules.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Float, Integer, LargeBinary, MetaData, String, Text
from sqlalchemy.types import TypeEngine

from truecopy.errors import MatterError
from truecopy.match.kinds import KIND_NAMES
from truecopy.match.relations import RELATION_NAMES
from truecopy.model import STATUSES, UNITS
from truecopy.settings import RULES

MOST = 1 << 40
"""No number of a document, a word or a byte is larger."""
HINT = "Restore the matter from a backup, or scan again; the doctor names every row and file that is wrong."


@dataclass(frozen=True, slots=True)
class Rule:
    """What a column may hold."""

    type: type
    least: float = 0
    most: float = MOST
    empty: bool = False
    """Whether there may be nothing."""
    form: re.Pattern[str] | None = None
    """How text is spelled."""
    choices: frozenset[str] = frozenset()
    digits: int = 0
    """Text is so many hexadecimal digits, or nothing; the same as its form, and looked at faster."""

    def holds(self, value: Any) -> bool:
        """Whether a value is allowed."""
        if value is None:
            return self.empty
        if type(value) is not self.type:
            return False
        found: Any = value
        if self.type is str:
            if self.choices:
                return found in self.choices
            return "\0" not in found and (self.form is None or self.form.fullmatch(found) is not None)
        return self.type is bytes or bool(self.least <= found <= self.most)


def _number(least: int = 0, most: int = MOST, empty: bool = False) -> Rule:
    return Rule(int, least, most, empty)


def _text(form: str = "", empty: bool = False) -> Rule:
    return Rule(str, empty=empty, form=re.compile(form) if form else None)


def _digest(digits: int) -> Rule:
    return Rule(str, form=re.compile(rf"(?:[0-9a-f]{{{digits}}})?"), digits=digits)


def _one_of(*choices: str) -> Rule:
    return Rule(str, choices=frozenset(choices))


_NUMBER, _TEXT = _number(), _text()
_LINE = re.compile(r".+")
_HEX = {"md5": 32, "sha1": 40, "sha256": 64, "words_sha256": 64, "figures_sha256": 64}

RULES_OF: dict[str, dict[str, Rule]] = {
    "waves": {
        "number": _number(1, 10**6),
        "name": _TEXT,
        "added": _TEXT,
        "documents": _NUMBER,
        "last_document": _NUMBER,
        "last_passage": _NUMBER,
        "details": _TEXT,
    },
    "documents": {
        "number": _number(1),
        "id": Rule(str, form=_LINE),
        "wave": _number(1, 10**6),
        "status": _one_of(*STATUSES, ""),  # none yet, while a wave is added
        "size": _number(0, 1 << 60),
        **{name: _digest(digits) for name, digits in _HEX.items()},
        "confidence": _number(0, 100, empty=True),
        "passage": _number(1, empty=True),
        "copy_of": _number(1, empty=True),
        "text": _number(1, empty=True),
    },
    "passages": {"number": _number(1), "unit": _one_of(*UNITS), "document": _number(1)},
    "segments": {
        "wave": _number(0, 10**6),
        "last": _number(-1),
        "checksum": _text(r"[0-9a-f]{64}"),
        "unit": _one_of(*UNITS, ""),
    },
    "signings": {"statistics": _text(r"[0-9a-f]{16}", empty=True)},
    "pairs": {
        "unit": _one_of(*UNITS),
        "relation": _one_of(*RELATION_NAMES),
        "a": _number(1),
        "b": _number(1),
        "distance": _number(-1),
        "kind": _one_of(*KIND_NAMES),
    },
    "groupings": {"unit": _one_of(*UNITS), "threshold": Rule(float, 0, 100), "rule": _one_of(*RULES)},
    "group_members": {"passage": _number(1), "principal": _number(1)},
    "groups": {"principal": _number(1), "documents": _number(1)},
    "tallies": {
        "wave": _number(1, 10**6),
        "status": _one_of(*STATUSES),
        "copied": _number(0, 1),
        "doubted": _number(0, 1),
    },
    "families": {"relation": _one_of(*RELATION_NAMES), "passage": _number(1), "family": _number(1)},
    "dense_families": {
        "relation": _one_of(*RELATION_NAMES),
        "family": _number(1),
        "left_out": _number(0, 1 << 60),
    },
    "audit": {"number": _number(1, 10**15), "previous": _text(r"[0-9a-f]{64}"), "hash": _text(r"[0-9a-f]{64}")},
}
"""Table → column → rule; a column without one has what follows from its type."""
_HEXADECIMAL = b"0123456789abcdef"
_USUAL = ((Integer, _NUMBER), (Float, Rule(float, -1e300, 1e300)), (LargeBinary, Rule(bytes)), (String, _TEXT))
_AS_COLUMNS = ("pairs",)
_SUMMED = ("left_out", "last", "documents")
"""Columns whose sum or greatest value is asked for; of no rows it is nothing."""


def apply(metadata: MetaData) -> None:
    """Let every column check what is read from it."""
    for table in metadata.tables.values():
        for column in table.columns:
            rule = rule_of(table.name, column)
            if table.name in _AS_COLUMNS and rule.type is int:
                continue
            # The greatest number of an empty table is nothing; a primary key of SQLite's own is always a number.
            least = rule.empty or (column.primary_key and rule.type is int) or column.name in _SUMMED
            column.type = _checking(column.type, f"{table.name}.{column.name}", rule, least)


def rule_of(table: str, column: Any) -> Rule:
    """The rule for a column."""
    given = RULES_OF.get(table, {}).get(column.name)
    if given is not None:
        return given
    usual = next(rule for kind, rule in _USUAL if isinstance(column.type, kind))
    return Rule(usual.type, usual.least, usual.most, bool(column.nullable), usual.form)


def _checking(kind: TypeEngine[Any], name: str, rule: Rule, empty: bool) -> TypeEngine[Any]:
    base = next(one for one in (Integer, Float, LargeBinary, Text, String) if isinstance(kind, one))
    return _checking_type(base)(_check(name, rule, empty))


@functools.cache
def _checking_type(base: type[TypeEngine[Any]]) -> Callable[[Callable[[Any], Any]], TypeEngine[Any]]:
    """One class for each of SQLAlchemy's types: making a class for every column took longer than opening a matter."""

    class Checking(base):  # type: ignore[misc, valid-type]
        """A column that looks at what comes from the database."""

        cache_ok = True

        def __init__(self, process: Callable[[Any], Any]) -> None:
            super().__init__()
            self.process = process  # named as the parameter: SQLAlchemy tells types apart by it

        def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:  # noqa: ARG002
            return self.process

    return Checking


def _check(name: str, rule: Rule, empty: bool) -> Callable[[Any], Any]:
    """A function that lets allowed values through; the usual ones quickly."""
    of, least, most = rule.type, rule.least, rule.most
    if of is int:

        def number(value: Any) -> Any:
            if (type(value) is int and least <= value <= most) or (empty and value is None):
                return value
            raise wrong_cell(name)

        return number
    if of is str and rule.form is None and not rule.choices:

        def text(value: Any) -> Any:
            if (type(value) is str and "\0" not in value) or (empty and value is None):
                return value
            raise wrong_cell(name)

        return text

    def other(value: Any) -> Any:
        if rule.holds(value) or (empty and value is None):
            return value
        raise wrong_cell(name)

    return other


def check_column(column: Any, values: Sequence[Any]) -> None:
    """Hold many cells of one column to its rule, without a call for each."""
    rule = _rule(column)
    if len(values) == 1:
        if rule.holds(values[0]):
            return
    elif _all_hold(rule, [value for value in values if value is not None] if rule.empty else values):
        return
    raise wrong_cell(f"{column.table.name}.{column.name}")


def check_columns(columns: tuple[Any, ...], values: Sequence[Sequence[Any]]) -> None:
    """The same for several columns: all that have one rule are held to it together."""
    for rule, places in _by_rule(columns):
        together = list(itertools.chain.from_iterable(values[place] for place in places))
        if not _all_hold(rule, [value for value in together if value is not None] if rule.empty else together):
            for column, cells in zip(columns, values, strict=True):
                check_column(column, cells)


@functools.cache
def _by_rule(columns: tuple[Any, ...]) -> list[tuple[Rule, list[int]]]:
    """The places of columns that have one rule."""
    found: dict[Rule, list[int]] = {}
    for place, column in enumerate(columns):
        found.setdefault(_rule(column), []).append(place)
    return list(found.items())


def check_rows(columns: Sequence[Any], rows: Sequence[Sequence[Any]]) -> None:
    """Hold rows to the rules of their columns; None stands for one that was held to them before."""
    for column, values in zip(columns, zip(*rows, strict=True), strict=False):
        if column is not None:
            check_column(column, values)


@functools.cache
def _rule(column: Any) -> Rule:
    return rule_of(column.table.name, column)


def _all_hold(rule: Rule, values: Sequence[Any]) -> bool:
    if not values:
        return True
    if rule.type is str:
        if rule.choices:
            return rule.choices.issuperset(values)
        try:
            letters = "".join(values)
        except TypeError:  # not all of them are text
            return False
        if rule.digits:
            long = {0, rule.digits}.issuperset(map(len, values))
            return long and letters.isascii() and not letters.encode().translate(None, _HEXADECIMAL)
        if rule.form is _LINE:
            return "\0" not in letters and "\n" not in letters and all(values)
        return "\0" not in letters and (rule.form is None or all(map(rule.form.fullmatch, set(values))))
    if set(map(type, values)) != {rule.type}:
        return False
    return rule.type is bytes or bool(rule.least <= min(values) and max(values) <= rule.most)


def wrong_cell(name: str) -> MatterError:
    """The error for a value that a column (`table.column`) cannot hold."""
    table, _, column = name.partition(".")
    return MatterError(f"The matter's table {table} holds a value in {column} that cannot be there.", HINT)
