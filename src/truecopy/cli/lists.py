"""What every list has: `--limit`, `--sort`, `--reverse`, `--csv`, `--parquet`, and names that tell documents apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from truecopy.cli import export, summary
from truecopy.cli.export import Row
from truecopy.errors import BadSetting, UsageError
from truecopy.troubles import writing

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy import Matter
    from truecopy.model import Document

T = TypeVar("T")

Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N, after sorting; all if left out.")
]
After = Annotated[
    str | None,
    typer.Option("--after", metavar="ID", help="Go on after this id: the `next` of the page before."),
]
Sort = Annotated[
    str | None,
    typer.Option("--sort", metavar="FIELD", help="Sort by a field; -FIELD reverses the order."),
]
Reverse = Annotated[bool, typer.Option("--reverse", help="Reverse the order.")]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write the list to this .csv file, for spreadsheets, instead."),
]
Parquet = Annotated[
    Path | None,
    typer.Option("--parquet", metavar="FILE", help="Write it to this .parquet file (needs the extra 'arrow')."),
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the user wants a list; what cannot be done is refused before any work."""

    fields: Sequence[str]
    """What it can be sorted by."""
    limit: int | None = None
    sort: str | None = None
    reverse: bool = False
    csv: Path | None = None
    parquet: Path | None = None
    access: str = "private"
    """Who may read the files."""
    after: object = None
    """Where the page before ended."""

    def __post_init__(self) -> None:
        from truecopy.settings import checked_limit

        checked_limit(self.limit)
        if self.sort is not None and self._field not in self.fields:
            raise BadSetting(
                f"The list has no field {self._field!r} to sort by.", f"Give one of: {', '.join(self.fields)}."
            )
        if self.after is not None and not self.in_order:
            raise UsageError(
                "--after goes on in the order of addition, and another order was asked for.",
                "Leave out --after, or --sort and --reverse.",
            )
        export.check_target(self.csv, ".csv", "--csv")
        export.check_target(self.parquet, ".parquet", "--parquet")
        if self.parquet is not None:
            export.check_parquet()

    @property
    def _field(self) -> str:
        return (self.sort or "").removeprefix("-")

    @property
    def in_order(self) -> bool:
        """Whether the list is in the order in which the matter keeps it: then it is read page by page."""
        return self.sort is None and not self.reverse

    @property
    def backwards(self) -> bool:
        """Whether what has most of the field comes first."""
        return (self.sort or "").startswith("-") != self.reverse

    def following(self, ids: Sequence[T]) -> T | None:
        """What the next page comes after; None if this may be the last one, or the list has no pages."""
        return ids[-1] if self.in_order and self.limit is not None and len(ids) == self.limit else None

    @property
    def to_files(self) -> bool:
        """Whether the list goes to files and not to the terminal."""
        return self.csv is not None or self.parquet is not None

    def opened(self, matter: Path) -> Matter:
        """The matter that the list is of; a file that is a document of it is refused."""
        import truecopy as tc

        opened = tc.open(matter)
        for target in (self.csv, self.parquet):
            if target is not None:
                opened.spare(target)
        return opened

    def arranged(self, items: Iterable[T], value: Callable[[T, str], Any]) -> list[T]:
        """Sorted and cut; items without a value come last, and equal ones stay in order."""
        ordered = list(items)
        if self.sort is not None:
            known = [item for item in ordered if value(item, self._field) is not None]
            unknown = [item for item in ordered if value(item, self._field) is None]
            ordered = sorted(known, key=lambda item: value(item, self._field), reverse=self.backwards) + unknown
        elif self.reverse:
            ordered.reverse()
        return ordered[: self.limit]

    def write(self, types: Mapping[str, str], rows: Sequence[Row]) -> list[str]:
        """Write the files that were asked for; returns their names."""
        if self.csv is not None:
            with writing(self.csv):
                export.write_csv(self.csv, types, rows, self.access)
        if self.parquet is not None:
            with writing(self.parquet):
                export.write_parquet(self.parquet, types, rows, self.access)
        return [str(path) for path in (self.csv, self.parquet) if path is not None]


def print_written(console: Console, files: Sequence[str], rows: int) -> None:
    """Say what was written."""
    for file in files:
        summary.print_line(console, "written", f"{file} ({summary.count_said(rows, 'row')})", path=True)


def shown_of(shown: int, total: int, thing: str) -> str:
    """How many things are listed.

    >>> shown_of(5, 5, "group"), shown_of(5, 1234, "group")
    ('5 groups', '5 of 1,234 groups')
    """
    said = summary.count_said(total, thing)
    return said if shown == total else f"{shown:,} of {said}"


def check_choices(given: Sequence[str] | None, choices: Sequence[str], option: str) -> list[str]:
    """The values of an option that may be repeated, each one of the choices."""
    for value in given or ():
        if value not in choices:
            known = f"Give one of: {', '.join(choices)}." if choices else "The matter has none yet."
            raise UsageError(f"{option} was given {value!r}, which is not one of the choices.", known)
    return list(given or ())


def names(documents: Sequence[Document]) -> dict[int, str]:
    """Each document's path by its number, with root or wave where another of the list has the same path."""
    from truecopy.matter.ask.naming import told_apart

    distinct = list({document.number: document for document in documents}.values())
    return dict(zip((document.number for document in distinct), told_apart(distinct), strict=True))
