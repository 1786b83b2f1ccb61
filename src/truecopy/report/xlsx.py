"""Page -> a workbook with the report's tables, for sorting and filtering.

What comes from documents and file names is written as text, never as formula, number or link: a file that
is called `=cmd|…` stays a name. Rows are written as they come (constant memory); a sheet that is full goes
on in the next.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from truecopy.access import access_for
from truecopy.fresh import FreshFolder
from truecopy.progress import SILENT, Progress
from truecopy.report import shown
from truecopy.report.build import build_page
from truecopy.report.files import write_whole
from truecopy.report.page import Page, ReportSource
from truecopy.report.sheets import Row, Sheet, sheets
from truecopy.stopping import check, cleaning_up

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format

_MOST_ROWS = 1_000_000
"""Rows of a sheet; Excel's own limit is 1,048,576."""
_LONGEST = 32_767
"""Characters that a cell holds."""
_TOLD = 1_000
"""Rows between two reports of progress."""
_LOOKS = {
    "text": {},
    "count": {"num_format": "#,##0"},
    "percent": {"num_format": "0.0###"},
    "date": {"num_format": "yyyy-mm-dd"},
}


def write_xlsx(
    matter: ReportSource,
    path: Path,
    progress: Progress = SILENT,
    *,
    pairs: bool = False,
    access: str | None = None,
) -> Path:
    """Write the report's tables of a matter as a workbook, with every stored pair if asked for; returns its path.

    In the matter's folder those who may read the matter may read it, elsewhere only you, unless `access` says
    otherwise: private, group or all.
    """
    matter.spare(path)
    with matter.snapshot():
        page = build_page(matter, with_pairs=pairs)
    progress.start("report", None, "rows")

    def write(part: Path) -> None:
        # xlsxwriter keeps every sheet in temporary files, and leaves them there when something goes wrong.
        with FreshFolder("workbook") as folder, cleaning_up(folder.remove):
            _write(page, part, folder.path, progress, pairs)

    written = write_whole(path, write, access or access_for(path, matter.path))
    progress.finish()
    return written


def _write(page: Page, part: Path, folder: Path, progress: Progress, pairs: bool) -> None:
    # Imported here: only the workbook needs it.
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError

    target = _Target(part)
    book = Workbook(
        cast("Any", target),
        {
            "constant_memory": True,
            "tmpdir": str(folder),
            "strings_to_formulas": False,
            "strings_to_numbers": False,
            "strings_to_urls": False,
        },
    )
    book.set_properties(
        {
            "title": f"{page.title} – truecopy report",
            "comments": f"truecopy {page.method.version}",
            "created": _created(page.method.made),
        }
    )
    looks = {look: book.add_format({"valign": "top", **how}) for look, how in _LOOKS.items()}
    looks["head"] = book.add_format({"bold": True, "bottom": 1, "valign": "top", "text_wrap": True})
    try:
        for sheet in sheets(page, _MOST_ROWS, pairs):
            _write_sheet(book, looks, sheet, progress)
        book.close()
    except FileCreateError as error:
        # It wraps the system's error, which says what is wrong.
        raise OSError(*getattr(error.args[0], "args", ())) from error
    finally:
        target.close()
        for made in book.worksheets():
            with contextlib.suppress(OSError):  # on a full disk, not even the rest of a buffer can be written
                made.row_data_fh.close()


class _Target:
    """The workbook's file. After an error it takes all that comes and drops it.

    Whatever happens, `zipfile` writes an end to the file, and complains on the terminal if it cannot.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._failed = False

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        try:
            while view and not self._failed:
                view = view[self._file.write(view) :]
        except OSError:
            self._failed = True
            raise
        return len(data)

    def tell(self) -> int:
        return 0 if self._failed else self._file.tell()

    def seek(self, to: int, whence: int = 0) -> int:
        return to if self._failed else self._file.seek(to, whence)

    def flush(self) -> None:
        """Nothing waits to be written."""

    def close(self) -> None:
        """From now on, drop everything."""
        self._failed = True
        self._file.close()


def _created(made: str) -> datetime:
    """The matter's own time, so that the same matter gives the same bytes."""
    try:
        return datetime.fromisoformat(made).astimezone(UTC)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=UTC)


def _write_sheet(book: Workbook, looks: dict[str, Format], sheet: Sheet, progress: Progress) -> None:
    rows = iter(sheet.rows)
    first: Row | None = next(rows, None)
    number = 1
    while first is not None or number == 1:
        made = book.add_worksheet(sheet.title if number == 1 else f"{sheet.title} {number}")
        made.freeze_panes(1, 0)
        for at, column in enumerate(sheet.columns):
            made.set_column(at, at, column.width, looks[column.look])
            made.write_string(0, at, column.head, looks["head"])
        last = 0
        part = islice(chain((first,), rows), _MOST_ROWS) if first is not None else iter(())
        for last, row in enumerate(part, start=1):
            for at, value in enumerate(row):
                # Numbers and dates look as their column does.
                if isinstance(value, str):
                    if value:
                        made.write_string(last, at, shown.name(value)[:_LONGEST])
                elif isinstance(value, date):
                    made.write_datetime(last, at, value)
                elif value is not None:
                    made.write_number(last, at, value)
            if last % _TOLD == 0:
                check()
                progress.advance(_TOLD)
        progress.advance(last % _TOLD)
        made.autofilter(0, 0, last, len(sheet.columns) - 1)
        first = next(rows, None)
        number += 1
