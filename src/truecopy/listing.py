"""What every result can do: be counted, looped over and sliced, print itself in a line, and become a table.

Tabular        the table: `rows()`, `to_pandas()`, `to_arrow()`, Arrow's stream, HTML for notebooks
Listing        a result that holds entries, and is a sequence of them
ListedEntries  a result that is nothing but its entries, and is used like a list
Slice          some entries of a Listing
TableColumn    one column of the table: name, type, meaning

A result says which columns it has (`COLUMNS`) and which values an entry gives; the rest follows here. Nothing heavy is
imported: pandas and pyarrow are only needed where they are asked for, and Arrow's stream needs neither.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from truecopy.errors import MissingExtra

T = TypeVar("T")
Value = str | int | float | bool | None
Row = tuple[Value, ...]

SHOWN_ROWS = 20
"""Rows of the table that a notebook shows."""
_PANDAS = {"string": "string", "int64": "int64", "float64": "float64", "bool": "bool"}
_PANDAS_OPTIONAL = {**_PANDAS, "int64": "Int64", "bool": "boolean"}
# Control characters, and marks that turn the reading direction around: file names come from others.
_ODD = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of a result's table."""

    name: str
    type: str
    """"string", "int64", "float64" or "bool"."""
    meaning: str
    optional: bool = False
    """Whether a row may have None here."""
    shown: bool = False
    """Whether notebooks show it."""


class Tabular:
    """A result that is a table: for its columns see `COLUMNS`."""

    __slots__ = ()
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = ()

    def _table(self) -> tuple[TableColumn, ...]:
        return self.COLUMNS

    def _values(self) -> Iterator[Row]:
        """The rows of the table, each a value for each column."""
        raise NotImplementedError

    def _height(self) -> int:
        """How many rows the table has."""
        raise NotImplementedError

    def _summary(self) -> str:
        """How many entries there are, and of what."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"

    def rows(self) -> list[dict[str, Value]]:
        """The table as one dictionary for each row; what a row does not have is None."""
        names = [column.name for column in self._table()]
        return [dict(zip(names, row, strict=True)) for row in self._values()]

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame, with the same types whether it has rows or not. Needs pandas."""
        pandas = _imported("pandas", "pip install pandas")
        columns = self._table()
        values = list(zip(*self._values(), strict=True)) or [()] * len(columns)
        series = {
            column.name: pandas.Series(
                list(column_values), dtype=(_PANDAS_OPTIONAL if column.optional else _PANDAS)[column.type]
            )
            for column, column_values in zip(columns, values, strict=True)
        }
        return pandas.DataFrame(series, columns=[column.name for column in columns])

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table. Needs pyarrow; whatever else reads Arrow streams takes the result itself."""
        pyarrow = _imported("pyarrow", 'pip install "truecopy[arrow]"')
        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table as Arrow's PyCapsule interface hands it over; the types are ours, whatever is requested."""
        from truecopy.arrow import Field, stream

        fields = [Field(column.name, column.type, column.optional) for column in self._table()]
        return stream(fields, self._values())

    def _repr_html_(self) -> str:
        """A small table for notebooks: the first rows, and how many more there are."""
        from html import escape

        columns = self._table()
        shown = [place for place, column in enumerate(columns) if column.shown]
        lines = [f"<table>\n<caption>{escape(repr(self)[1:-1])}</caption>", "<thead><tr>"]
        lines += [f"<th>{escape(columns[place].name)}</th>" for place in shown]
        lines.append("</tr></thead>\n<tbody>")
        for row in islice(self._values(), SHOWN_ROWS):
            lines.append(f"<tr>{''.join(f'<td>{_cell(row[place])}</td>' for place in shown)}</tr>")
        lines.append("</tbody>\n</table>")
        more = self._height() - SHOWN_ROWS
        if more > 0:
            lines.append(f"<p>{counted(more, 'more row')}: rows(), to_pandas() and to_arrow() have all of them.</p>")
        return "\n".join(lines)


if TYPE_CHECKING:
    _Sequence = Sequence
else:

    class _Sequence:
        """Not the abstract class: polars reads any `Sequence` item by item, before it looks for an Arrow stream."""

        __slots__ = ()
        __class_getitem__ = classmethod(lambda cls, _: cls)


class Listing(Tabular, _Sequence[T]):
    """A result that holds entries: `len`, loops, `in`, indexes from either end; a slice gives a `Slice`."""

    __slots__ = ()
    UNIT: ClassVar[str] = ""
    """What an entry is called."""

    def _entries(self) -> tuple[T, ...]:
        raise NotImplementedError

    @staticmethod
    def _rows_of(entry: Any) -> Iterator[Row]:
        """The rows that one entry has in the table."""
        raise NotImplementedError

    @staticmethod
    def _count_of(entry: Any) -> int:  # noqa: ARG004 - one row, unless a result says otherwise
        """How many rows those are."""
        return 1

    def _whole(self) -> tuple[type[Listing[T]], int]:
        """Which result this is, or is a part of, and how many entries that has."""
        return type(self), len(self)

    def _table(self) -> tuple[TableColumn, ...]:
        return self._whole()[0].COLUMNS

    def _values(self) -> Iterator[Row]:
        rows_of = self._whole()[0]._rows_of
        for entry in self._entries():
            yield from rows_of(entry)

    def _height(self) -> int:
        return sum(map(self._whole()[0]._count_of, self._entries()))

    def _summary(self) -> str:
        return counted(len(self), self.UNIT)

    def __len__(self) -> int:
        return len(self._entries())

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries())

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._entries())

    def __contains__(self, entry: object) -> bool:
        return entry in self._entries()

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Slice[T]: ...
    def __getitem__(self, place: int | slice) -> T | Slice[T]:
        if isinstance(place, slice):
            return Slice(self._entries()[place], *self._whole())
        return self._entries()[place]

    def index(self, entry: Any, start: int = 0, stop: int = sys.maxsize) -> int:
        """The place of an entry."""
        return self._entries().index(entry, start, stop)

    def count(self, entry: Any) -> int:
        """How often an entry is there."""
        return self._entries().count(entry)


class ListedEntries(Listing[T]):
    """A result that is nothing but its entries: equal to a list or tuple of the same, and used like one."""

    __slots__ = ("_held",)

    def __init__(self, entries: Iterable[T] = ()) -> None:
        self._held = tuple(entries)

    def _entries(self) -> tuple[T, ...]:
        return self._held

    def __eq__(self, other: object) -> bool:
        return self._held == tuple(other) if isinstance(other, ListedEntries | list | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._held)

    def __add__(self, other: Iterable[T]) -> list[T]:
        return [*self._held, *other]

    def __radd__(self, other: Iterable[T]) -> list[T]:
        return [*other, *self._held]


class Slice(ListedEntries[T]):
    """Some entries of a result, with the same table.

    What a result says about the whole (`complete`, `recall`, `linked`) need not be true of a part: a slice has
    none of these.
    """

    __slots__ = ("_of",)

    def __init__(self, entries: Iterable[T], result: type[Listing[T]], total: int) -> None:
        super().__init__(entries)
        self._of = (result, total)

    def _whole(self) -> tuple[type[Listing[T]], int]:
        return self._of

    def _summary(self) -> str:
        result, total = self._of
        return f"{len(self):,} of {counted(total, result.UNIT)}"


def counted(number: int, unit: str) -> str:
    """A number with its unit.

    >>> counted(1, "group"), counted(1204, "pair")
    ('1 group', '1,204 pairs')
    """
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def _cell(value: Value) -> str:
    """A value as a notebook shows it: harmless, and a similarity that is not 100 never as 100."""
    from html import escape

    if value is None:
        return ""
    if isinstance(value, float):
        return f"{min(value, 99.9) if value < 100 else value:,.1f}"
    if isinstance(value, str):
        return escape(_ODD.sub(lambda odd: f"[U+{ord(odd[0]):04X}]", value))
    return escape(f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value))


def _imported(module: str, command: str) -> Any:
    """A library that is asked for, if it is there."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(
            f"{module} is needed for this, but cannot be imported.",
            f"Install it with `{command}`, or use rows(), which needs nothing.",
        ) from None
