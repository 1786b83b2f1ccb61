"""What `truecopy doctor` looks at; each check says what it found and what to do about it."""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from truecopy._version import __version__
from truecopy.cli.summary import count_said
from truecopy.drives import network_drive
from truecopy.errors import DiskTrouble, MatterBusy, MatterError

LITTLE_DISK = 1 << 30
FEW_FILES = 512
EXTRAS = ("arrow", "serve", "postgres", "spark", "lab")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: str
    """ok; note: works, but could be better; broken: truecopy cannot work like this."""
    value: str
    hint: str = ""


def check_machine(folder: Path) -> list[Check]:
    """Everything about this machine; `folder` is where a matter would be."""
    return [
        Check("Python", "ok", f"{platform.python_version()} ({sys.executable})"),
        Check("platform", "ok", platform.platform()),
        Check("truecopy", "ok", __version__),
        *_dependencies(),
        *_extras(),
        _kernels(),
        _disk(folder),
        *_sqlite(),
        _open_files(),
        _ocr(),
        *_parsers(),
    ]


def check_matter(folder: Path) -> list[Check]:
    """Every stored file and every row of a matter."""
    import truecopy as tc

    hint = "Restore the matter from a backup, or scan again."
    try:
        opened = tc.open(folder)
        problems = opened.verify()
        unseen = 0 if problems else opened.unfinished_rows()
    except (DiskTrouble, MatterBusy) as error:  # the disk, and not the matter
        return [Check("matter", "broken", error.message, error.hint)]
    except MatterError as error:  # it cannot be opened, and its hint may lead back here
        problems = [error.message]
        hint = hint if "doctor" in error.hint else error.hint
    if not problems:
        whole = Check("matter", "ok", f"{folder}: every file and every row is as it should be")
        return [whole, _unfinished(unseen)] if unseen else [whole]
    return [Check("matter", "broken", problem, hint) for problem in problems]


def _unfinished(rows: int) -> Check:
    """A wave that was stopped, or is being written just now."""
    said = f"{count_said(rows, 'row')} of a wave that is not complete; they count for nothing"
    return Check("unfinished wave", "note", said, "If nobody is adding documents now, the next add removes them.")


def _required(extra: str | None) -> list[str]:
    """The distributions that truecopy or one of its extras needs."""
    names = []
    for line in metadata.requires("truecopy") or []:
        marker = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
        if (marker.group(1) if marker else None) == extra:
            match = re.match(r"[\w.-]+", line)
            names.append(match.group(0) if match else line)
    return sorted(names)


def _missing(distribution: str) -> str:
    """Why a distribution cannot be used; "" if it can."""
    try:
        importlib.import_module(distribution.replace("-", "_"))
    except Exception as error:  # a damaged binary may raise anything
        return f"cannot be imported: {error}"
    return ""


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown version"


def _dependencies() -> Iterator[Check]:
    for name in _required(None):
        problem = _missing(name)
        if problem:
            yield Check(name, "broken", problem, f"pip install --force-reinstall {name}")
        else:
            yield Check(name, "ok", _version_of(name))


def _extras() -> Iterator[Check]:
    for extra in EXTRAS:
        missing = [name for name in _required(extra) if _missing(name)]
        if missing:
            yield Check(f"extra {extra}", "note", "not installed", f"pip install 'truecopy[{extra}]'")
        else:
            yield Check(f"extra {extra}", "ok", "installed")


def _kernels() -> Check:
    from truecopy.caches import cache_folder
    from truecopy.kernels.jit import kernel_folder, refused

    folder = kernel_folder()
    reason = refused()
    if folder is None or reason:
        hint = "Set TRUECOPY_CACHE to a folder that only you can write, or every run compiles again."
        return Check("kernel cache", "note", reason or f"{cache_folder()} cannot be written", hint)
    count = len(list(folder.glob("*.nbi")))
    found = f"{folder}: writable, {count or 'no'} kernels compiled yet"
    return Check("kernel cache", "ok", found, "" if count else "The first scan compiles them.")


def _disk(folder: Path) -> Check:
    place = folder.absolute()
    while not os.path.exists(place):  # noqa: PTH110 # a path that may not be looked at raises nothing here
        place = place.parent
    free = shutil.disk_usage(place).free
    value = f"{free / (1 << 30):.1f} GB free at {place}"
    remote = network_drive(place)
    if remote:
        hint = "Documents may be there; give a folder on a local disk for the matter."
        return Check("disk", "note", f"{value}, on a network drive ({remote})", hint)
    if free < LITTLE_DISK:
        return Check("disk", "note", value, "A matter takes about twice the text; choose another folder.")
    return Check("disk", "ok", value)


def _sqlite() -> Iterator[Check]:
    yield Check("SQLite", "ok", sqlite3.sqlite_version)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        yield Check("SQLite FTS5", "ok", "available")
    except sqlite3.OperationalError:
        yield Check("SQLite FTS5", "note", "not compiled in", "Full-text search needs a SQLite with FTS5.")
    finally:
        connection.close()


def _ocr() -> Check:
    """Whether a picture is really recognized, by what, and in which languages."""
    from truecopy.read import ocr

    found = ocr.probe()
    if found.engine is None:
        return Check("OCR", "note", "not installed", f"To read scans and pictures with --ocr: {ocr.install()}")
    languages = ", ".join(found.engine.languages)
    value = f"{found.version}; languages: {languages} (of {len(found.engine.installed)} in {found.engine.folder})"
    if not found.works:
        return Check("OCR", "note", f"{value}; {found.problem}", f"To install it again: {ocr.install()}")
    return Check("OCR", "ok", f"{value}; a test picture was recognized")


def _open_files() -> Check:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return Check("open files", "ok", "no limit")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return Check("open files", "ok", "no limit")
    if limit < FEW_FILES:
        return Check("open files", "note", f"{limit} at once", "Raise it with: ulimit -n 1024")
    return Check("open files", "ok", f"{limit:,} at once")


def _parsers() -> Iterator[Check]:
    """What enforces the parsers' limits here; all are tried in a separate process."""
    from truecopy.read import limits

    held = limits.probe()
    if held.memory:
        yield Check("parser limits", "ok", "memory enforced by the kernel, time by truecopy")
    elif limits.kernel_limits_memory():
        hint = "Scan in a container or virtual machine with a limit of its own."
        yield Check(
            "parser limits", "note", "time enforced by truecopy; memory not: the kernel ignores its limit", hint
        )
    else:
        often = f"looked at every {limits.LOOK * 1000:.0f} ms, because this system has no limit for it"
        yield Check("parser limits", "ok", f"memory and time enforced by truecopy; memory is {often}")
    if held.network:
        yield Check("parser network", "ok", "given up by each parser")
    else:
        value = "not given up: this system does not let a process do so; addresses of models point nowhere"
        hint = "For files from hostile sources, scan in a container or virtual machine without network."
        yield Check("parser network", "note", value, hint)
    yield _parser_files(held.files)


def _parser_files(confined: bool) -> Check:
    """Where parsers may write, and whether the kernel sees to it."""
    from truecopy.fresh import temporary_folder

    try:
        place = temporary_folder()
    except OSError as error:
        hint = "Set TMPDIR to a folder that only you can write; until then, only plain text can be read."
        return Check("parser files", "broken", str(error), hint)
    if confined:
        return Check("parser files", "ok", f"a fresh folder in {place} for each parser, and nowhere else (Landlock)")
    value = f"each parser has a fresh folder in {place}; this system does not keep it from writing elsewhere"
    hint = "For files from hostile sources, scan in a container or virtual machine."
    return Check("parser files", "note", value, hint)
