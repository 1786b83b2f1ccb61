"""Before a matter's database is read: is it a file, and does it hold nothing but what truecopy puts there?

A matter may come from somebody else. SQLite opens by name, and follows links; it keeps files beside the database, and
believes them; and a schema can hold views, triggers and virtual tables, which are code. So everything that SQLite
would open must be a regular file, and the schema must be ours to the letter. Both cost one look at the folder and one
read of the schema, at every connection.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, MetaData, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from truecopy.errors import MatterBusy, MatterError
from truecopy.hints import pasted
from truecopy.matter.sql import tables
from truecopy.plainfiles import other_than_file, other_than_regular

DATABASE = "matter.sqlite"
LOCK = "matter.lock"
UNFINISHED = "scan.unfinished"
SCANNING = "scan.lock"
ADDING = "wave.lock"
_LOCKS = (LOCK, SCANNING, ADDING)
_BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside the database, and writes to."""
_NEVER = (f"{DATABASE}-journal", *(f"{lock}{end}" for lock in _LOCKS for end in ("-journal", *_BESIDE)))
"""What SQLite would believe if it were there, and what it leaves in no matter: a journal can name files elsewhere."""
_ONE_PAGE = 4096
"""A database that is not larger has no table yet."""
_MOST_ENTRIES = 200
_PATIENCE = "truecopy.patience"
_TICK = 1_000_000
"""Steps of SQLite's machine between two looks at how many a statement has taken."""
_FREE_TICKS = 10
_STEPS_A_BYTE = 20
"""A statement that takes more steps than this for each byte of the database goes in circles. Of a sound matter none
takes a twentieth of that, whatever its size: steps grow as rows do.
"""
_FREE_TEXT = 64 << 20
_TEXT_A_BYTE = 2
"""A statement that gives more text than this for each byte of the database is given the same text again and again."""
_FEW_ROWS = 256
_SHORT_CELL = 1 << 14
"""So many rows with cells of so many bytes at most are read without counting their text."""
_LONGEST_CELL = 1_000_000_000
"""What SQLite itself allows."""
_LIMITS = {
    "SQLITE_LIMIT_ATTACHED": 0,
    "SQLITE_LIMIT_TRIGGER_DEPTH": 1,
    "SQLITE_LIMIT_WORKER_THREADS": 0,
}
_SWITCHES = {
    "SQLITE_DBCONFIG_DEFENSIVE": True,
    "SQLITE_DBCONFIG_ENABLE_TRIGGER": False,
    "SQLITE_DBCONFIG_ENABLE_VIEW": False,
    "SQLITE_DBCONFIG_TRUSTED_SCHEMA": False,
    "SQLITE_DBCONFIG_DQS_DDL": False,
    "SQLITE_DBCONFIG_DQS_DML": False,
    "SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION": False,
}
"""Where Python has a name for them (3.12)."""
_HINT = "Do not use a matter that somebody has changed by hand: restore it from a backup, or scan again."


def check_files(folder: Path) -> None:
    """Refuse a matter whose own files are anything but files; never opens one, which would free SQLite's locks."""
    for name in (DATABASE, *(DATABASE + end for end in _BESIDE), *_LOCKS, UNFINISHED, *_NEVER):
        found = other_than_file(folder / name)
        if found:
            raise MatterError(f"{name} in the matter {folder} is {found}, but a file was expected.", _HINT)
    for end in _BESIDE:
        _refuse_second_name(folder, DATABASE + end)
    for name in _LOCKS:
        if _size(folder / name):
            raise MatterError(f"{name} in the matter {folder} should be empty, and it is not.", "Remove that file.")
    for name in _NEVER:
        if (folder / name).exists() and not is_barely_begun(folder):
            raise MatterError(f"{name} is in the matter {folder}, and truecopy leaves no such file.", _HINT)


def is_barely_begun(folder: Path) -> bool:
    """Whether the process that makes a matter was ended at its very beginning: a journal, and no table yet."""
    return (folder / f"{DATABASE}-journal").exists() and _size(folder / DATABASE) <= _ONE_PAGE


def clear_beginning(folder: Path) -> None:
    """Remove what such a process left, so that the matter can be made."""
    if is_barely_begun(folder):
        for name in (f"{DATABASE}-journal", DATABASE):
            (folder / name).unlink(missing_ok=True)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _taken(path: Path) -> int:
    """The bytes that a file takes on the disk: a file with holes may be said to have any size."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    return min(found.st_size, 512 * getattr(found, "st_blocks", found.st_size))


def _refuse_second_name(folder: Path, name: str) -> None:
    """A file that SQLite writes to, under a second name, is a file elsewhere."""
    try:
        found = (folder / name).lstat()
    except OSError:
        return
    if not other_than_regular(found) and found.st_nlink > 1:
        raise MatterError(f"{name} in the matter {folder} is a second name of a file elsewhere.", "Copy the matter.")


class Wary(sqlite3.Connection):
    """A connection that was made wary before its first statement: even the schema can be a trap."""

    patience: _Patience

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        """Run a statement; the first one reads the schema, and a message about a name in it need not be UTF-8."""
        try:
            return super().execute(sql, *given)
        except UnicodeDecodeError as error:
            raise _corrupt("its schema is not text") from error

    def few(self, sql: str, values: Sequence[Any]) -> list[Any]:
        """The rows of a statement that mostly gives few and short ones.

        Their text need not be counted cell by cell, which costs more than reading it; what follows them is. Where a
        cell is longer, or is no text, the statement is run again, and every cell is looked at.
        """
        self.patience.begin()
        self.text_factory = str
        longest = self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _SHORT_CELL)
        try:
            cursor = self.execute(sql, values)
            found = cursor.fetchmany(_FEW_ROWS)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_TOOBIG) != sqlite3.SQLITE_TOOBIG:
                raise
            cursor = None
        finally:
            self.text_factory = self.patience.text
            self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        if cursor is None:
            self.patience.begin()
            return self.execute(sql, values).fetchall()
        if len(found) == _FEW_ROWS:
            found += cursor.fetchall()
        return found


W = TypeVar("W", bound=Wary)


def connect(path: Path, timeout: float, kind: type[W], how: str = "") -> W:
    """A wary connection to a database; `how` are options of SQLite's, as in an address."""
    place = f"{path.absolute().as_uri()}?{how}" if how else str(path)
    connection = sqlite3.connect(place, uri=bool(how), timeout=timeout, check_same_thread=False, factory=kind)
    for name, most in _LIMITS.items():
        connection.setlimit(getattr(sqlite3, name), most)
    setconfig = getattr(connection, "setconfig", None)
    if setconfig is not None:
        for name, value in _SWITCHES.items():
            setconfig(getattr(sqlite3, name), value)
    connection.patience = patience = _Patience(path)
    connection.set_progress_handler(patience.look, _TICK)
    connection.text_factory = patience.text
    return connection


def watch(
    engine: Engine, path: Path, configure: Callable[[sqlite3.Connection], None], *, older: bool = False
) -> Engine:
    """Guard every connection of an engine before it is configured and used.

    `older` lets a matter of an older format in as well: for a look at its facts, and for bringing it forward.
    """

    @event.listens_for(engine, "connect")
    def connected(connection: Any, record: Any) -> None:
        try:
            # What SQLite sorts, and what a connection has for itself, is in memory: a question makes no file anywhere.
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY"):
                connection.execute(f"PRAGMA {pragma}").close()
            _check_schema(connection, path.parent, older)
            record.info[_PATIENCE] = connection.patience
            configure(connection)
        except BaseException:
            connection.close()
            raise

    @event.listens_for(engine, "before_cursor_execute")
    def begins(connection: Connection, *_: Any) -> None:
        connection.info[_PATIENCE].begin()

    return engine


class _Patience:
    """Ends a statement that takes far more steps, or gives far more text, than a database of its size can hold.

    The pages of a database can be linked so that a walk over them never ends, or so that every row has the same text.
    """

    __slots__ = ("_most_text", "_text", "_ticks", "path")  # text is asked for every cell

    def __init__(self, path: Path) -> None:
        self.path = path
        """The database whose size counts."""
        self._ticks = 0
        self._text = 0
        self._most_text = _FREE_TEXT

    def begin(self) -> None:
        """A statement begins."""
        self._ticks = self._text = 0

    def look(self) -> int:
        """1 where it is enough."""
        self._ticks += 1
        if self._ticks <= _FREE_TICKS:
            return 0
        return int(self._ticks - _FREE_TICKS > self._size() * _STEPS_A_BYTE // _TICK)

    def text(self, data: bytes) -> str:
        """The text of a cell, unless there is too much of it."""
        self._text += len(data)
        if self._text > self._most_text:
            self._most_text = _FREE_TEXT + _TEXT_A_BYTE * self._size()
            if self._text > self._most_text:
                raise _corrupt("its rows hold more text than its file")
        try:
            return str(data, "utf-8")
        except UnicodeDecodeError as error:
            raise _corrupt("a text in it is not UTF-8") from error

    def longest(self) -> int:
        """How long a cell can be that is in the file."""
        return min(_FREE_TEXT + self._size(), _LONGEST_CELL)

    def _size(self) -> int:
        # A database that was opened takes some room: where it seems to take none, the disk does not count.
        return (_taken(self.path) or _size(self.path)) + _taken(self.path.with_name(f"{self.path.name}-wal"))


def _corrupt(said: str) -> sqlite3.DatabaseError:
    """What SQLite would raise, had it looked."""
    error = sqlite3.DatabaseError(said)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _check_schema(connection: sqlite3.Connection, folder: Path, older: bool) -> None:
    """Refuse views, triggers, virtual tables, and any table or index that is not ours to the letter."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ?"
    entries = connection.execute(query, (_MOST_ENTRIES,)).fetchall()
    foreign = _foreign(entries, tables.metadata)
    if not foreign:
        return
    if _has_facts(entries):  # another format has other tables, and only this one always
        stored = _stored_format(connection, folder)
        form = _form(stored)
        if form is not None and not _foreign(entries, form):
            if older:
                return
            raise MatterBusy(
                f"The matter {folder} has format {stored} now, and had another one when it was opened.",
                "Run the same command again.",
            )
    raise MatterError(
        f"The database of the matter {folder} holds the {foreign[:80]!r}, which truecopy has not made.", _HINT
    )


def _foreign(entries: list[Any], metadata: MetaData) -> str:
    """The first entry of a schema that is not one of some tables or indexes of ours; nothing where all are."""
    known = _expected(metadata)
    for kind, name, table, sql in entries:
        if not (
            _is_own(kind, name, table, metadata) if sql is None else known.get((kind, name)) == _plain(sql, metadata)
        ):
            return f"{kind} {name}" if isinstance(kind, str) and isinstance(name, str) else "entry"
    return ""


def _has_facts(entries: list[Any]) -> bool:
    """Whether there is one table of facts, and it is ours."""
    known = _expected(tables.metadata)["table", "facts"]
    found = [_plain(sql, tables.metadata) for kind, name, _, sql in entries if (kind, name) == ("table", "facts")]
    return found == [known]


def _stored_format(connection: sqlite3.Connection, folder: Path) -> int | None:
    """The format that a matter says it has; one that is too old or too new is refused."""
    stored = connection.execute("SELECT value FROM facts WHERE name = 'format'").fetchone()
    if stored is None or not isinstance(stored[0], str) or not is_format(stored[0]):
        return None
    check_format(folder, stored[0])
    return int(stored[0])


def is_format(stored: str) -> bool:
    """Whether a text says which format a matter has."""
    return re.fullmatch(r"[0-9]{1,6}", stored) is not None


def check_format(folder: Path, stored: str) -> None:
    """Refuse a format that is too old or too new for this version."""
    if int(stored) < tables.OLDEST:
        raise MatterError(
            f"The matter {folder} has format {stored}, made by an earlier truecopy that could take "
            "unlike texts for copies.",
            f"Scan its documents again into a new matter: {pasted('scan', 'PATH', '--matter', 'NEW')}.",
        )
    if int(stored) > tables.FORMAT:
        raise MatterError(
            f"The matter {folder} has format {stored}, and this truecopy knows formats up to {tables.FORMAT}.",
            "Install a newer truecopy.",
        )


def missing_tables(connection: Any, number: int = tables.FORMAT) -> list[str]:
    """The tables and indexes that a finished matter of a format has and this one has not."""
    query = "SELECT type, name FROM sqlite_master LIMIT ?"
    there = {(kind, name) for kind, name in connection.exec_driver_sql(query, (_MOST_ENTRIES,))}
    return sorted(name for kind, name in _expected(_form(number) or tables.metadata) if (kind, name) not in there)


def _is_own(kind: Any, name: Any, table: Any, metadata: MetaData) -> bool:
    """Whether this is an index that SQLite makes by itself, for a primary key or a unique column."""
    if kind != "index" or not isinstance(table, str) or table not in metadata.tables:
        return False
    return isinstance(name, str) and re.fullmatch(rf"sqlite_autoindex_{table}_[1-9]", name) is not None


@functools.cache
def _expected(metadata: MetaData) -> dict[tuple[str, str], str]:
    """What each table and index of a format is made with."""
    dialect, found = sqlite.dialect(), {}
    for table in metadata.tables.values():
        found["table", table.name] = _plain(str(CreateTable(table).compile(dialect=dialect)), metadata)
        for index in table.indexes:
            found["index", str(index.name)] = _plain(str(CreateIndex(index).compile(dialect=dialect)), metadata)
    return found


def _plain(sql: Any, metadata: MetaData) -> str:
    """A statement without what has no meaning: white space, and quotes around our own names.

    Around any other word quotes have a meaning: `"NOT" NULL` is a type of its own, and lets everything in.
    """
    if not isinstance(sql, str):
        return ""
    unquoted = re.sub(r'"(\w+)"', lambda found: found[1] if found[1] in _names(metadata) else found[0], sql)
    return " ".join(re.findall(r"\w+|[^\w\s]", unquoted))


@functools.cache
def _names(metadata: MetaData) -> frozenset[str]:
    """What the tables, columns and indexes of a format are called."""
    every = metadata.tables.values()
    return frozenset(str(named.name) for table in every for named in (table, *table.columns, *table.indexes))


def _form(number: int | None) -> MetaData | None:
    """The tables of a format that can be read, if only to be brought forward."""
    if number == tables.FORMAT:
        return tables.metadata
    if number is None or not tables.OLDEST <= number < tables.FORMAT:
        return None
    from truecopy.matter.sql import format_5, format_6

    return {5: format_5.metadata, 6: format_6.metadata}[number]
