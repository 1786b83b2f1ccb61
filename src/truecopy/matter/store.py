"""A matter's folder: its database, its segments, the writers' lock. It hands out states (`state.py`).

Any number of processes may read while one writes (SQLite's WAL). Whatever a killed process leaves behind is either
invisible (an open transaction) or swept away (a file that no row names). Connections for reading are kept between two
questions: opening one, with all its checks, costs more than most answers.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, DisconnectionError
from sqlalchemy.pool import NullPool, QueuePool

from truecopy.access import PRIVATE, check_access, make_empty, make_folder, mode_in
from truecopy.errors import DiskTrouble, MatterBusy, MatterError, NotFound, UsageError
from truecopy.hints import pasted
from truecopy.locks import held
from truecopy.matter.arrays import Arrays
from truecopy.matter.folder import (
    OWN,
    give_access,
    has_database,
    is_foreign,
    not_free,
    refuse_network_drive,
    there_already,
)
from truecopy.matter.opened import Opened
from truecopy.matter.sql import guard, migrations, readers, tables, unseen, writers
from truecopy.matter.sql.facts import FactTable
from truecopy.matter.sql.guard import (
    ADDING,
    DATABASE,
    LOCK,
    SCANNING,
    check_files,
    check_format,
    clear_beginning,
    is_barely_begun,
    is_format,
    missing_tables,
    watch,
)
from truecopy.matter.sql.outcome import Outcome, Seen, is_still, look, state_of
from truecopy.matter.state import State
from truecopy.matter.troubles import in_doubt, is_about, not_made, not_read, not_written, unwritable
from truecopy.settings import MatterSettings
from truecopy.stopping import check
from truecopy.troubles import forbidden

_LOCKS = (LOCK, SCANNING, ADDING)
PATIENCE = 10.0
"""Seconds that a writer waits for another one: most are done in less."""
LONGER = 60
"""How many times as long a change waits that has been computed before: what took minutes is not thrown away soon."""
_LOOK = 0.003
_READERS = 16
"""Connections for reading that are kept."""


class Store:
    """One matter's folder."""

    def __init__(self, folder: Path, *, older: bool = False) -> None:
        """`older`: the matter may have an older format, and is to be brought forward."""
        self.folder = folder
        self._older = older
        self.arrays = Arrays(folder)
        self.opened = Opened()
        self._engine = _engine(folder / DATABASE, older=older)
        self._without_locks = 0
        """Readers of this store that no lock protects from a writer (`sql/readers.py`)."""
        self._snapshot: ContextVar[State | None] = ContextVar("snapshot", default=None)
        self.nonce: str | None = None
        """The random number of the scan that makes this matter now: its wave's entry in the log repeats it."""
        self._closing = weakref.finalize(self, self._engine.dispose)  # at the latest when the process ends

    @classmethod
    def create(cls, folder: Path, settings: MatterSettings, access: str = PRIVATE) -> Store:
        """Make a new matter for those who may read it; a folder that holds anything else is refused."""
        check_access(access)
        refuse_network_drive(folder)
        try:
            there, foreign = has_database(folder), is_foreign(folder)
        except PermissionError as error:
            raise not_made(folder, error) from error
        if there and _facts(folder):
            raise there_already(folder)
        if foreign:
            raise not_free(folder)
        try:
            make_folder(folder, access)
            clear_beginning(folder)
            give_access(folder, access)
            store = cls(folder)
            with store.writing() as state:
                migrations.make_tables(state.connection)
                if state.facts.every():
                    raise there_already(folder)  # somebody else made it since we looked
                state.facts.begin(settings)
        except (OSError, DiskTrouble) as error:
            raise not_made(folder, error) from error
        return store

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open a matter; one of an older format is brought forward, an unknown or newer one is refused."""
        try:
            there = has_database(folder)
            foreign = not there and is_foreign(folder)
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
        refuse_network_drive(folder)
        facts = _facts(folder)
        if not facts:
            raise NotFound(
                f"The matter in {folder} was never finished.",
                f"Make it again with {pasted('scan', 'PATH', matter=folder)} or {pasted('init', matter=folder)}.",
            )
        _check_facts(folder, facts)
        check_format(folder, facts["format"])
        if int(facts["format"]) < tables.FORMAT:
            migrations.bring_forward(cls(folder, older=True), int(facts["format"]))
        _check_whole(folder)
        return cls(folder)

    def close(self) -> None:
        """Close the connections that are kept; the next question opens others."""
        self._engine.dispose()

    @contextlib.contextmanager
    def reading(self) -> Iterator[State]:
        """One state of the matter: the snapshot's, if one is open."""
        opened = self._snapshot.get()
        if opened is not None:
            yield opened
            return
        with self._reading_now() as state:
            yield state

    @contextlib.contextmanager
    def _reading_now(self) -> Iterator[State]:
        """The matter's last state, whatever snapshot is open."""
        try:
            with self._engine.connect() as connection:
                driver = connection.connection.dbapi_connection
                bare = readers.is_without_locks(driver)
                if bare:
                    connection.detach()  # what it read must not have changed: it is good for one question
                self._without_locks += bare
                try:
                    readers.begin(driver)
                    yield State(connection, self.arrays, self.opened, self.folder)
                finally:
                    self._without_locks -= bare
                    readers.must_be_still(driver, self.folder)
        except (DatabaseError, sqlite3.Error) as error:
            raise not_read(self.folder / DATABASE, error) from error

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[State]:
        """Everything that this thread reads inside sees one state of the matter."""
        with self.reading() as state:
            token = self._snapshot.set(state)
            try:
                yield state
            finally:
                self._snapshot.reset(token)

    @contextlib.contextmanager
    def adding(self, *, waits: bool = True) -> Iterator[None]:
        """Be the only one that writes a wave. Others may still write anything else.

        Whoever rewrites all pairs or documents of the matter takes this lock too, because that would delete rows which
        a wave has written ahead. It is always taken before the writers' lock, so that no two processes wait for each
        other.
        """
        self.must_be_outside_snapshot()
        with _locked(self.folder, ADDING, PATIENCE * LONGER if waits else 0):
            yield

    def must_be_outside_snapshot(self) -> None:
        """Refuse to change a matter inside a snapshot of it: all that a change looks at would be of an older state."""
        if self._snapshot.get() is not None:
            raise UsageError(
                f"The matter {self.folder} is to be changed inside a snapshot of it, which shows one state to its end.",
                "Change the matter after the snapshot's with statement.",
            )

    def must_be_writable(self) -> None:
        """Refuse a matter that cannot be written to, before hours of work."""
        self.must_be_outside_snapshot()
        if not _writable(self.folder / DATABASE) and (self.folder / DATABASE).exists():
            raise unwritable(self.folder)

    @contextlib.contextmanager
    def writing(self, *, longer: bool = False, unseen: bool = False) -> Iterator[State]:
        """The one writer's state: everything that is changed in it becomes visible at its end, or nothing does.

        `longer`: what is to be written took long to compute, so it is worth waiting for others. `unseen`: only rows
        that nobody sees yet are written, so nobody has to wait until they are on the disk.
        """
        self.must_be_writable()
        if self._without_locks:  # a by-product of reading, such as an index, must not spoil what is being read
            raise MatterBusy(f"The matter {self.folder} is being read without locks.", "Run the same command again.")
        with _locked(self.folder, LOCK, PATIENCE * LONGER if longer else PATIENCE):
            before: Seen = None
            try:
                with _writer(self.folder / DATABASE, older=self._older).connect() as connection:
                    before = _state(connection)
                    if unseen:
                        writers.flush_later(connection.connection.dbapi_connection)
                    # The driver begins by itself only before rows are changed: tables would be made one by one.
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    yield State(connection, self.arrays, self.opened, self.folder)
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
                if isinstance(error, OSError) and not is_about(self.folder, error):
                    raise
                still = is_still(self.folder / DATABASE, before)
                self._sweep_quietly()  # nothing was committed: what was written only fills the disk
                said = "; it is as it was before" if still else ""
                raise not_written(self.folder / DATABASE, error, said) from error
        self._move_log(waits=longer)

    def _move_log(self, *, waits: bool) -> None:
        """Copy a long write-ahead log to the database, now that others may write; if it fails, a later writer does it.

        Unless told to wait (`waits`), leave it to whoever is adding documents, if anybody is.
        """
        if writers.has_long_log(self.folder / DATABASE) and (waits or not self._is_added_to()):
            with contextlib.suppress(Exception), self._engine.connect() as connection:
                writers.move_log(connection.connection.dbapi_connection)

    def _is_added_to(self) -> bool:
        """Whether somebody is writing a wave."""
        if not (self.folder / ADDING).exists():
            return False
        try:
            with held(self.folder / ADDING) as free:
                return not free
        except OSError:
            return False

    def _ended(self, before: Seen, uncertain: _UncertainError) -> MatterError:
        """What to say after a commit that failed: only what was seen."""
        database, error = self.folder / DATABASE, uncertain.error
        outcome, stored = look(database, before, uncertain.after, error)
        if outcome is not Outcome.BEFORE:
            return in_doubt(database, error, stored)
        self._sweep_quietly()
        return not_written(database, error, "; it is as it was before")

    def remove_if_empty(self) -> None:
        """Remove the matter if it has no documents and nobody is adding any: then only its own files are there."""
        self.must_be_outside_snapshot()
        # Without waiting: whoever holds a lock is working with the matter.
        with contextlib.suppress(MatterBusy), _locked(self.folder, ADDING, 0), _locked(self.folder, LOCK, 0):
            with self._reading_now() as state:
                empty = not state.waves.any()
            if empty and not is_foreign(self.folder):
                self.close()
                self._remove()

    def _remove(self) -> None:
        for name in OWN:
            with contextlib.suppress(*([PermissionError] if name in _LOCKS else [])):  # Windows keeps what is held
                (self.folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # something else is in it
            self.folder.rmdir()

    def sweep(self, state: State, into: Path | None = None) -> None:
        """Remove segments that no row names: a killed writer left them. Only the writer may call this.

        They go `into` a folder that is removed later, if one is given: to remove large files takes time.
        """
        self.arrays.sweep(state.files.names(), into)
        migrations.sweep_former(self.folder, state.files.names())

    def _sweep_quietly(self) -> None:
        """Remove what a stopped writer has written; the next writer sweeps away what cannot be removed now."""
        with contextlib.suppress(Exception), self._reading_now() as state:
            self.sweep(state)  # a snapshot's older state would not name what was committed since


class _UncertainError(Exception):
    """A commit failed: what it was to store may be there or not."""

    def __init__(self, after: Seen, error: DatabaseError) -> None:
        super().__init__()
        self.after = after
        self.error = error


def _state(connection: Connection) -> Seen:
    driver: Any = connection.connection.dbapi_connection
    return state_of(driver)


def _engine(path: Path, *, older: bool = False) -> Engine:
    """For reading: it answers also where nothing can be written."""
    check_files(path.parent)

    def connect() -> sqlite3.Connection:
        return readers.connect(path, not path.exists() or _writable(path))

    # The connection that was used last comes first: its pages are in memory, and in the processor's caches.
    kept = {"poolclass": QueuePool, "pool_size": _READERS, "max_overflow": -1, "pool_use_lifo": True}
    engine = create_engine("sqlite://", creator=connect, **kept)

    @event.listens_for(engine, "checkout")
    def checked_out(connection: Any, record: Any, proxy: Any) -> None:  # noqa: ARG001
        """A connection that was kept is good as long as the database is the file that it opened."""
        now = _identity(path)
        if record.info.setdefault("truecopy.file", now) != now:
            raise DisconnectionError

    return watch(engine, path, _nothing if older else unseen.hide, older=older)


def _writer(path: Path, *, older: bool = False) -> Engine:
    """For writing, and for making the database."""
    check_files(path.parent)

    def connect() -> sqlite3.Connection:
        return guard.connect(path, 30, guard.Wary, "mode=rw")  # a matter that was removed meanwhile is not made again

    engine = create_engine("sqlite://", poolclass=NullPool, creator=connect)

    def configure(connection: sqlite3.Connection) -> None:
        writers.configure(connection)
        if not older:
            unseen.hide(connection)

    return watch(engine, path, configure, older=older)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _nothing(connection: sqlite3.Connection) -> None:
    """What a connection needs that only reads."""


def _writable(path: Path) -> bool:
    """Whether the database and its folder can be written to."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


@contextlib.contextmanager
def _once(folder: Path, *, older: bool = False) -> Iterator[Connection]:
    """A connection for one look."""
    engine = _engine(folder / DATABASE, older=older)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _facts(folder: Path) -> dict[str, str]:
    """What the database says of itself; nothing if its making was interrupted."""
    if is_barely_begun(folder):
        return {}
    try:
        with _once(folder, older=True) as connection:
            return FactTable(connection).every()
    except DatabaseError as error:
        raise not_read(folder / DATABASE, error) from error


def _check_facts(folder: Path, facts: dict[str, str]) -> None:
    """Refuse a matter that does not say what it is."""
    if not is_format(facts.get("format", "")) or "settings" not in facts:
        raise MatterError(
            f"The matter {folder} does not say which format it has, or how it was made.",
            "Give another folder with --matter, or restore this one from a backup.",
        )


def _check_whole(folder: Path) -> None:
    """Refuse a matter that lacks a table of its format."""
    try:
        with _once(folder) as connection:
            missing = missing_tables(connection)
    except DatabaseError as error:
        raise not_read(folder / DATABASE, error) from error
    if missing:
        raise MatterError(
            f"The database of the matter {folder} has no {missing[0]}, so it is damaged.",
            "Restore it from a backup, or scan again.",
        )


@contextlib.contextmanager
def _locked(folder: Path, name: str, patience: float) -> Iterator[None]:
    """Hold a lock of the writers, once it is free; the system frees it when the process ends, however it ends."""
    check_files(folder)
    with contextlib.ExitStack() as stack:
        try:
            make_empty(folder / name, mode_in(folder))
            end = time.monotonic() + patience
            while not (free := stack.enter_context(held(folder / name))) and time.monotonic() < end:
                check()
                time.sleep(_LOOK)
        except OSError as error:
            raise not_written(folder / DATABASE, error) from error
        if not free:
            raise MatterBusy(
                f"Another truecopy is writing to the matter {folder}.",
                "Wait until it is done, then run this again.",
            )
        yield
