"""Lists as files: CSV that a spreadsheet can open without harm, and Parquet for programs.

A file name from the other side may begin with `=`, and a spreadsheet would run it as a formula: such cells of a CSV
file get an apostrophe in front. Parquet and JSON hold names as they are.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truecopy.access import PRIVATE, file_mode
from truecopy.errors import MissingExtra, NotFound, UsageError
from truecopy.plainfiles import replacing

TEXT, INTEGER, NUMBER = "text", "integer", "number"
Row = Mapping[str, Any]
"""One line of a list: a value for each field, None where there is none."""

# Spreadsheets skip white space before a formula, and know its signs in full width too.
_FORMULA = re.compile(r"^\s*[=+\-@＝＋－＠]|^[\t\r\n]")
# In countries with a decimal comma, spreadsheets split lines of a CSV file at semicolons, quoted or not.
_LATER = re.compile(r"([;\t\r\n]\s*)(?=[=+\-@＝＋－＠])")


def harmless(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers stay numbers.

    >>> harmless("=1+1.txt"), harmless("a.txt"), harmless(-5)
    ("'=1+1.txt", 'a.txt', -5)
    """
    if not isinstance(value, str):
        return value
    text = _LATER.sub(r"\1'", value)
    return f"'{text}" if _FORMULA.match(text) else text


def check_target(path: Path | None, ending: str, option: str) -> None:
    """Before the work, not after it, refuse a file that cannot be written."""
    if path is None:
        return
    if path.is_dir():  # an empty name, too: it means the folder that one is in
        raise UsageError(
            f"{path} is a folder, but {option} expects a file.", f"Give a name such as {path / 'list'}{ending}."
        )
    if path.suffix.lower() != ending:
        raise UsageError(
            f"{option} was given {path}, but a file name that ends in {ending} was expected.",
            f"Give for example {path.with_suffix(ending)}.",
        )
    if not path.absolute().parent.is_dir():
        raise NotFound(f"There is no folder {path.absolute().parent} for {path.name}.", "Make it first.")


def check_parquet() -> None:
    """Refuse Parquet where the library for it is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "Parquet files need the extra part 'arrow', which is not installed.",
            "Install it with: pip install 'truecopy[arrow]'; or write a CSV file with --csv.",
        ) from None


def write_csv(path: Path, fields: Mapping[str, str], rows: Sequence[Row], access: str = PRIVATE) -> None:
    """Write rows as CSV: UTF-8 with a mark at its beginning, so that Excel reads it correctly."""
    with (
        replacing(path, file_mode(access)) as part,
        part.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(fields)
        writer.writerows([harmless(row[name]) for name in fields] for row in rows)


def write_parquet(path: Path, fields: Mapping[str, str], rows: Sequence[Row], access: str = PRIVATE) -> None:
    """Write rows as Parquet; a column has the type of its field, and may hold nulls."""
    import pyarrow
    import pyarrow.parquet

    types = {TEXT: pyarrow.string(), INTEGER: pyarrow.int64(), NUMBER: pyarrow.float64()}
    columns = [pyarrow.array([_storable(row[name]) for row in rows], types[kind]) for name, kind in fields.items()]
    with replacing(path, file_mode(access)) as part:
        pyarrow.parquet.write_table(pyarrow.table(columns, names=list(fields)), part)


def _storable(value: Any) -> Any:
    """Text with half a surrogate (a name that is not Unicode) is written with escapes."""
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value
