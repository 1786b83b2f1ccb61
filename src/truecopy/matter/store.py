"""The matter's folder: the database, the writers' lock, and the sweep of files that no row names.

Two processes may read while one writes (SQLite's WAL). A wave is one transaction at its end; whatever a
killed process leaves behind is either invisible (an open transaction) or swept away (a file without a row).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, select
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from truecopy.access import PRIVATE, check_access, file_mode, folder_mode, make_folder, mode_in, touch
from truecopy.drives import network_drive
from truecopy.errors import DiskTrouble, MatterBusy, MatterError, NotFound, UsageError
from truecopy.hints import pasted
from truecopy.locks import held
from truecopy.matter import guard, readers, tables
from truecopy.matter.filenames import SEGMENT
from truecopy.matter.guard import (
    DATABASE,
    LOCK,
    UNFINISHED,
    check_files,
    clear_beginning,
    is_barely_begun,
    missing_tables,
    watch,
)
from truecopy.matter.outcome import Outcome, State, is_still, look, state_of
from truecopy.matter.stored_json import stored_settings
from truecopy.matter.troubles import in_doubt, not_made, not_read, not_written, unwritable
from truecopy.plainfiles import PART, set_mode
from truecopy.settings import MatterSettings
from truecopy.stopping import check
from truecopy.troubles import forbidden

_LOCK = LOCK
_OWN = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", _LOCK, UNFINISHED)
_KEPT = "truecopy.kept"


T = TypeVar("T")


class Store:
    """One matter's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = _engine(folder / DATABASE)
        self._without_locks = 0
        """Readers of this store that no lock protects from a writer (`matter/readers.py`)."""
        self._snapshot: ContextVar[Connection | None] = ContextVar("snapshot", default=None)

    @classmethod
    def create(cls, folder: Path, settings: MatterSettings, access: str = PRIVATE) -> Store:
        """Make a new matter for those who may read it; a folder that holds anything else is refused."""
        check_access(access)
        _refuse_network_drive(folder)
        try:
            there, foreign = _has_database(folder), _is_foreign(folder)
        except PermissionError as error:
            raise not_made(folder, error) from error
        if there and _facts(folder):
            raise _there_already(folder)
        if foreign:
            raise UsageError(
                f"{folder} exists and is neither empty nor a matter.",
                "Give a new or empty folder with --matter.",
            )
        try:
            make_folder(folder, access)
            clear_beginning(folder)
            give_access(folder, access)
            store = cls(folder)
            with store.writing() as connection:
                _make_tables(connection)
                if connection.execute(select(tables.facts)).first():
                    raise _there_already(folder)  # somebody else made it since we looked
                facts = {
                    "format": str(tables.FORMAT),
                    "settings": json.dumps(settings.as_json(), sort_keys=True),
                }
                connection.execute(
                    tables.facts.insert(), [{"name": name, "value": value} for name, value in facts.items()]
                )
        except (OSError, DiskTrouble) as error:
            raise not_made(folder, error) from error
        return store

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open a matter; an unknown or newer format is refused."""
        try:
            there = _has_database(folder)
            foreign = not there and _is_foreign(folder)
        except PermissionError as error:
            raise forbidden(f"the matter {folder}") from error
        if not there:
            if foreign:
                what = "a folder with other files" if folder.is_dir() else "a file"
                raise NotFound(
                    f"{folder} is {what}, not a matter.",
                    f"Give the matter's folder with --matter; {pasted('scan', 'PATH')} makes one.",
                )
            raise NotFound(
                f"There is no matter in {folder}.",
                f"Make one with {pasted('scan', 'PATH', matter=folder)} or {pasted('init', matter=folder)}.",
            )
        _refuse_network_drive(folder)
        facts = _facts(folder)
        if not facts:
            raise NotFound(
                f"The matter in {folder} was never finished.",
                f"Make it again with {pasted('scan', 'PATH', matter=folder)} or {pasted('init', matter=folder)}.",
            )
        _check_facts(folder, facts)
        if int(facts["format"]) < tables.OLDEST:
            raise MatterError(
                f"The matter {folder} has format {facts['format']}, made by an earlier truecopy that could take "
                "unlike texts for copies.",
                f"Scan its documents again into a new matter: {pasted('scan', 'PATH', '--matter', 'NEW')}.",
            )
        if int(facts["format"]) > tables.FORMAT:
            raise MatterError(
                f"The matter {folder} has format {facts['format']}, "
                f"and this truecopy knows formats up to {tables.FORMAT}.",
                "Install a newer truecopy.",
            )
        _check_whole(folder)
        return cls(folder)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the matter: the snapshot's, if one is open."""
        opened = self._snapshot.get()
        if opened is not None:
            yield opened
            return
        try:
            with self.engine.connect() as connection:
                driver = connection.connection.dbapi_connection
                bare = readers.is_without_locks(driver)
                self._without_locks += bare
                try:
                    # The driver begins no transaction before it writes, so each statement would see its own state.
                    connection.exec_driver_sql("BEGIN")
                    yield connection
                finally:
                    self._without_locks -= bare
                    readers.must_be_still(driver, self.folder)
        except DatabaseError as error:
            raise not_read(self.folder / DATABASE, error) from error

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything that this thread reads inside sees one state of the matter."""
        with self.reading() as connection:
            connection.exec_driver_sql("SELECT 1 FROM facts LIMIT 1")  # now, and not with the first question
            connection.info[_KEPT] = {}
            token = self._snapshot.set(connection)
            try:
                yield
            finally:
                self._snapshot.reset(token)

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """The one writer's connection: everything in it becomes visible at its end, or nothing does."""
        if not _writable(self.folder / DATABASE) and (self.folder / DATABASE).exists():
            raise unwritable(self.folder)
        if self._without_locks:  # a by-product of reading, such as an index, must not spoil what is being read
            raise MatterBusy(f"The matter {self.folder} is being read without locks.", "Run the same command again.")
        with _locked(self.folder):
            before: State = None
            try:
                with _writer(self.folder / DATABASE).connect() as connection:
                    before = _state(connection)
                    # The driver begins by itself only before rows are changed: tables would be made one by one.
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    yield connection
                    check()  # the last moment: if the user has asked to stop, the matter stays as it was
                    after = _state(connection)
                    try:
                        connection.commit()
                    except DatabaseError as error:
                        raise _UncertainError(after, error) from error
            except KeyboardInterrupt:
                self._sweep_quietly()
                raise
            except _UncertainError as uncertain:
                raise self._ended(before, uncertain) from uncertain.error
            except (DatabaseError, sqlite3.Error, OSError) as error:
                if isinstance(error, OSError) and not _about(self.folder, error):
                    raise
                still = is_still(self.folder / DATABASE, before)
                self._sweep_quietly()  # nothing was committed: what was written only fills the disk
                said = "; it is as it was before" if still else ""
                raise not_written(self.folder / DATABASE, error, said) from error

    def _ended(self, before: State, uncertain: _UncertainError) -> MatterError:
        """What to say after a commit that failed: only what was seen."""
        database, error = self.folder / DATABASE, uncertain.error
        outcome, stored = look(database, before, uncertain.after, error)
        if outcome is not Outcome.BEFORE:
            return in_doubt(database, error, stored)
        self._sweep_quietly()
        return not_written(database, error, "; it is as it was before")

    def remove(self) -> None:
        """Remove the database and its side files, and the folder if nothing else is in it."""
        for name in _OWN:
            (self.folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # something else is in it
            self.folder.rmdir()

    def settings(self) -> MatterSettings:
        """What the matter was made with."""
        return stored_settings(_facts(self.folder)["settings"])

    def set_settings(self, connection: Connection, settings: MatterSettings) -> None:
        """Change the settings that the matter is made with."""
        connection.execute(
            tables.facts.update()
            .where(tables.facts.c.name == "settings")
            .values(value=json.dumps(settings.as_json(), sort_keys=True))
        )

    def sweep(self, connection: Connection) -> None:
        """Remove segment files that no row names: a killed writer left them. Only the writer may call this."""
        named = set(connection.execute(select(tables.segments.c.name)).scalars())
        for file in [*self.folder.glob("*.segment"), *self.folder.glob("*.part")]:
            ours = SEGMENT.fullmatch(file.name) or PART.fullmatch(file.name)
            if ours and file.name not in named and not file.is_dir():
                with contextlib.suppress(PermissionError):  # Windows: somebody still reads it; a later writer sweeps
                    file.unlink(missing_ok=True)

    def _sweep_quietly(self) -> None:
        """Remove what a stopped writer has written; the next writer sweeps away what cannot be removed now."""
        with contextlib.suppress(Exception), self.engine.connect() as connection:
            self.sweep(connection)


def _make_tables(connection: Connection) -> None:
    """Make what is not there; an earlier version that was stopped may have left a table without its indexes."""
    tables.metadata.create_all(connection)
    for table in tables.metadata.tables.values():
        for index in table.indexes:
            index.create(connection, checkfirst=True)


def _there_already(folder: Path) -> UsageError:
    return UsageError(
        f"There is a matter in {folder} already.",
        f"Add documents to it with {pasted('add', 'PATH', matter=folder)}, or give another folder with --matter.",
    )


def give_access(folder: Path, access: str) -> None:
    """Let only these read a matter: its folder, and all files that it has or will have."""
    set_mode(folder, folder_mode(access))
    mode = file_mode(access)
    touch(folder / DATABASE, mode)  # now: SQLite gives the files beside the database the mode that it has
    for file in folder.iterdir():
        if file.is_file() and not file.is_symlink():
            set_mode(file, mode)


def _has_database(folder: Path) -> bool:
    """Whether a folder holds a matter's database; raises where the user may not look."""
    try:
        return stat.S_ISREG((folder / DATABASE).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False


def _is_foreign(folder: Path) -> bool:
    """Whether there is something other than a folder, or than what a matter begins with."""
    return folder.exists() and (not folder.is_dir() or bool({entry.name for entry in folder.iterdir()} - set(_OWN)))


def kept(connection: Connection, key: str, read: Callable[[], T]) -> T:
    """Reads once for a whole snapshot; without one, reads now."""
    have: dict[str, T] | None = connection.info.get(_KEPT)
    if have is None:
        return read()
    if key not in have:
        have[key] = read()
    return have[key]


class _UncertainError(Exception):
    """A commit failed: what it was to store may be there or not."""

    def __init__(self, after: State, error: DatabaseError) -> None:
        super().__init__()
        self.after = after
        self.error = error


def _state(connection: Connection) -> State:
    driver: Any = connection.connection.dbapi_connection
    return state_of(driver)


def _about(folder: Path, error: OSError) -> bool:
    """Whether an error of the system is about the matter's own files; writing names no file."""
    return error.filename is None or folder.absolute() in Path(os.fsdecode(error.filename)).absolute().parents


def _engine(path: Path) -> Engine:
    """For reading: it answers also where nothing can be written."""
    check_files(path.parent)

    def connect() -> sqlite3.Connection:
        return readers.connect(path, not path.exists() or _writable(path))

    return watch(create_engine("sqlite://", poolclass=NullPool, creator=connect), path, _nothing)


def _writer(path: Path) -> Engine:
    """For writing, and for making the database."""
    check_files(path.parent)

    def connect() -> sqlite3.Connection:
        return guard.connect(path, 30, guard.Wary)

    engine = create_engine("sqlite://", poolclass=NullPool, creator=connect)

    def configure(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    return watch(engine, path, configure)


def _nothing(connection: sqlite3.Connection) -> None:
    """What a connection needs that only reads."""


def _writable(path: Path) -> bool:
    """Whether the database and its folder can be written to."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _facts(folder: Path) -> dict[str, str]:
    """What the database says of itself; nothing if its making was interrupted."""
    if is_barely_begun(folder):
        return {}
    try:
        with _engine(folder / DATABASE).connect() as connection:
            if not connection.dialect.has_table(connection, "facts"):
                return {}
            return {row.name: row.value for row in connection.execute(select(tables.facts))}
    except DatabaseError as error:
        raise not_read(folder / DATABASE, error) from error


def _check_facts(folder: Path, facts: dict[str, str]) -> None:
    """Refuse a matter that does not say what it is."""
    if not re.fullmatch(r"[0-9]{1,6}", facts.get("format", "")) or "settings" not in facts:
        raise MatterError(
            f"The matter {folder} does not say which format it has, or how it was made.",
            "Give another folder with --matter, or restore this one from a backup.",
        )


def _check_whole(folder: Path) -> None:
    """Refuse a matter that lacks a table of its format."""
    try:
        with _engine(folder / DATABASE).connect() as connection:
            missing = missing_tables(connection)
    except DatabaseError as error:
        raise not_read(folder / DATABASE, error) from error
    if missing:
        raise MatterError(
            f"The database of the matter {folder} has no {missing[0]}, so it is damaged.",
            "Restore it from a backup, or scan again.",
        )


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the writers' lock; the system frees it when the process ends, however it ends."""
    check_files(folder)
    with contextlib.ExitStack() as stack:
        try:
            touch(folder / _LOCK, mode_in(folder))
            free = stack.enter_context(held(folder / _LOCK))
        except OSError as error:
            raise not_written(folder / DATABASE, error) from error
        if not free:
            raise MatterBusy(
                f"Another truecopy is writing to the matter {folder}.",
                "Wait until it is done, then run this again.",
            )
        yield


def _refuse_network_drive(folder: Path) -> None:
    """SQLite's WAL needs shared memory, which network drives do not have."""
    kind = network_drive(folder)
    if kind:
        raise MatterError(
            f"The matter {folder} is on a network drive ({kind}), but its database needs a local disk.",
            "Give a folder on a local disk with --matter.",
        )
