"""Where a report goes, and which format it has; and what happens to a matter's reports when documents are added.

A path that cannot work is refused before a long scan, not after it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from truecopy.access import access_for, narrower, readable_by
from truecopy.errors import DiskTrouble, NotFound, TruecopyError, UsageError
from truecopy.plainfiles import other_than_file
from truecopy.troubles import not_written

if TYPE_CHECKING:
    from truecopy import Matter
    from truecopy.progress import Progress

NAMES = {"html": "report.html", "xlsx": "report.xlsx"}
"""Where the reports of a matter are, in its folder, unless another place is given."""

FORMATS = {".html": "html", ".htm": "html", ".xlsx": "xlsx"}
"""The end of a file's name -> the format of the report in it."""
_PIECE = 1 << 20
_OVERLAP = 64
"""Bytes of a head of the audit log, which two pieces may share."""
_MOST = 1 << 30
"""No page or sheet of ours is longer."""


def checked_output(given: Path, suffixes: tuple[str, ...] = ()) -> Path:
    """The file that was asked for, if it can be written and its name ends as it must."""
    if given.is_dir():
        name = f"report{suffixes[0] if suffixes else '.html'}"
        raise UsageError(f"{given} is a folder, but a file was expected.", f"Give a name such as {given / name}.")
    if suffixes and given.suffix.lower() not in suffixes:
        raise UsageError(
            f"The name {given.name} does not end in {' or '.join(suffixes)}.",
            f"Give a name such as {given.with_suffix(suffixes[0]).name}.",
        )
    if not given.absolute().parent.is_dir():
        raise NotFound(f"There is no folder {given.absolute().parent} for the report.", "Make it first.")
    return given


def report_format(output: Path | None, xlsx: bool) -> str:
    """html or xlsx: as the name of the file says; without one, as asked for."""
    if output is None or output.is_dir():
        return "xlsx" if xlsx else "html"
    suffix = output.suffix.lower()
    if suffix not in FORMATS:
        raise UsageError(
            f"The name {output.name} does not name a report format: {suffix or 'no ending'}.",
            "Use a name that ends in .html (a page) or .xlsx (a workbook).",
        )
    if xlsx and FORMATS[suffix] != "xlsx":
        raise UsageError(
            f"--xlsx was given, but {output.name} is the name of a page.", "Name a .xlsx file, or leave --xlsx out."
        )
    return FORMATS[suffix]


def _names_any(file: Path, heads: Sequence[str]) -> bool:
    """Whether a report names one of these heads of the audit log, as each report names the one it was written at."""
    import zipfile
    import zlib

    wanted = [head.encode() for head in heads]
    with contextlib.suppress(OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError):
        if file.suffix != ".xlsx":
            with file.open("rb") as page:
                return _holds_any(page, wanted)
        with zipfile.ZipFile(file) as book:
            for part in book.infolist():
                with book.open(part) as sheet:
                    if _holds_any(sheet, wanted):
                        return True
    return False


def _holds_any(stream: IO[bytes], wanted: Sequence[bytes]) -> bool:
    """Whether one of some short words is in a stream, which is read piece by piece."""
    tail, left = b"", _MOST
    while left > 0 and (piece := stream.read(_PIECE)):
        if any(word in tail + piece for word in wanted):
            return True
        tail, left = piece[-_OVERLAP:], left - len(piece)
    return False


@dataclass(frozen=True, slots=True)
class Reports:
    """What happened to the reports in a matter."""

    renewed: tuple[Path, ...] = ()
    outdated: tuple[Path, ...] = ()
    seconds: float = 0.0


def settle_reports(matter: Matter, wave: str, documents: int, *, renew: bool, progress: Progress) -> Reports:
    """After a wave: update the matter's reports, or leave them and mark the page as out of date.

    Where nothing was new, the same is done with reports that do not know the last wave: whoever added it was stopped
    before the reports were written.
    """
    every = [(form, matter.path / name) for form, name in NAMES.items()]
    there = [(form, file) for form, file in every if file.is_file() and not other_than_file(file)]
    if there and not documents and (waves := matter.waves()):
        heads = matter.heads_since_wave()
        there = [(form, file) for form, file in there if not _names_any(file, heads)]
        wave, documents = waves[-1].name, waves[-1].documents
    if not there or not documents:
        return Reports()
    from truecopy.hints import command
    from truecopy.report import mark_outdated, write_html, write_xlsx

    start = time.perf_counter()
    files = tuple(file for _, file in there)
    # Nobody was asked: those may read the new report who could read the old one, if they may read the matter at all.
    readers = {file: narrower(readable_by(file), access_for(file, matter.path)) for file in files}
    try:
        for form, file in there:
            if form == "html":  # marked first: if the new page cannot be written, nobody mistakes the old one for it
                mark_outdated(file, matter.path, wave, documents, readers[file])
        if not renew:
            return Reports(outdated=files)
        with matter.snapshot():
            for form, file in there:
                (write_html if form == "html" else write_xlsx)(matter, file, progress, access=readers[file])
    except (OSError, TruecopyError) as error:
        error = error if isinstance(error, TruecopyError) else not_written(file, error)
        kind = type(error) if isinstance(error, DiskTrouble) else TruecopyError
        told = error.message
        raise kind(
            f"The wave {wave!r} was added, but the report could not be updated: {told}",
            f"Write it with `{command('truecopy', 'report', '--matter', matter.path)}` once it can be written.",
        ) from error
    return Reports(renewed=files, seconds=time.perf_counter() - start)
