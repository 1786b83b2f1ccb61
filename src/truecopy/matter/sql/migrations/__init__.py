"""Older formats, brought forward in numbered steps: each brings a matter from one format to the next.

All steps that a matter needs are one transaction, under the writers' lock: killed or failing at any moment, the matter
is as it was or as it is after. New segments have names that no row has yet; those that no row names any more are swept
away afterwards. Each step leaves an entry in the audit log, and the log before it stays as it is.

Steps are written with SQLAlchemy Core, so that another database can share them; what only SQLite has is in `sqlite.py`.
A step is never changed to follow a later format: once `tables.py` describes that one, the step gets a copy of the
tables that it makes, as `sql/format_6.py` is.

pages    rows of a former table, some at a time, with their cells checked
sqlite   what only SQLite has
to_6/    passages have numbers of their own; texts are in segments; groups, families and tallies are kept up
to_7     waves say which document and which passage are their last; groups are counted
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from sqlalchemy.schema import CreateIndex

from truecopy.errors import MatterError, TruecopyError, Unwritable
from truecopy.hints import pasted
from truecopy.matter.sql import tables
from truecopy.matter.sql.unseen import THE_TABLE

if TYPE_CHECKING:
    from truecopy.matter.state import State
    from truecopy.matter.store import Store

Covered = tuple[str, int, int]
"""A block that an index had, and that has to be made again: the index, its first wave and its last."""
Step = Callable[["State"], list[Covered]]

_FORMER = re.compile(r"wave-[0-9]{4,9}\.(?:streams|vocabulary)\.segment")
"""Names that only segments of format 5 have."""
_SERIAL = re.compile(r"(?:index|wave)-.*\.([0-9]{6,15})\.segment")
"""A segment's name ends with the number of the entry in the audit log that it was written with."""


def make_tables(connection: Connection) -> None:
    """Make what is not there; an earlier version that was stopped may have left a table without its indexes."""
    tables.metadata.create_all(connection)
    for table in tables.metadata.tables.values():
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True), execution_options=THE_TABLE)


def sweep_former(folder: Path, named: Collection[str]) -> None:
    """Remove segments with names of an older format that no row names; only the writer may call this."""
    for file in folder.glob("wave-*.segment"):
        if _FORMER.fullmatch(file.name) and file.name not in named and not file.is_dir():
            with contextlib.suppress(PermissionError):  # Windows: somebody still reads it; a later writer sweeps
                file.unlink(missing_ok=True)


def bring_forward(store: Store, number: int) -> None:
    """Bring a matter of an older format, which the store must have been opened for, to the newest one."""
    try:
        _bring(store)
    except Unwritable as error:
        raise Unwritable(
            f"The matter {store.folder} has format {number} and must be brought forward to format {tables.FORMAT}, "
            "but it cannot be written to.",
            f"Copy its folder to a place that you can write to, and run any command there, such as "
            f"{pasted('status', '--matter', 'COPY')}.",
        ) from error
    finally:
        store.close()


def _bring(store: Store) -> None:
    """One process brings the matter forward; others wait for the lock, and find that nothing is left to do."""
    with store.writing() as state:
        try:
            changed = _take_steps(state)
        except TruecopyError:
            state.connection.rollback()
            _remove_new(store, state)
            raise
    if changed:
        _tidy(store)


def _take_steps(state: State) -> bool:
    """Every step that is still to be taken; whether there was one."""
    from truecopy.matter.change.indexes import store_block

    before = int(state.facts.every()["format"])
    if before >= tables.FORMAT:
        return False  # another process was quicker
    _check_whole(state, before)
    steps, covered = _steps(), list[Covered]()
    for number in range(before, tables.FORMAT):
        covered += steps[number](state)
        state.facts.set_format(number + 1)
        if number + 1 == tables.FORMAT:
            for name, first, last in covered:
                store_block(state, name, first, last)
        state.audit.record("migrate", {"from": number, "to": number + 1})
    return True


def _remove_new(store: Store, state: State) -> None:
    """Remove the segments that were written for a matter which was then refused, and nothing else of it."""
    named, serial = state.files.names(), state.audit.next_number()
    for file in store.folder.glob("*.segment"):
        written = _SERIAL.fullmatch(file.name)
        if written and int(written[1]) >= serial and file.name not in named and not file.is_dir():
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def _steps() -> dict[int, Step]:
    """The step that each format is left by; loaded only where one has to be taken."""
    from truecopy.matter.sql.migrations import to_6, to_7

    return {5: to_6.bring, 6: to_7.bring}


def _check_whole(state: State, number: int) -> None:
    """Refuse a matter that lacks a table of the format that it says it has."""
    from truecopy.matter.sql.guard import missing_tables

    missing = missing_tables(state.connection, number)
    if missing:
        raise MatterError(
            f"The database of the matter {state.place} has no {missing[0]}, so it is damaged.",
            "Restore it from a backup, or scan again.",
        )


def _tidy(store: Store) -> None:
    """Remove what the newest format has no use for; whatever cannot be removed now stays until a wave is added."""
    from truecopy.matter.change.spool import sweep_spools
    from truecopy.matter.sql.migrations.sqlite import compact

    with contextlib.suppress(MatterError), store.writing() as state:
        store.sweep(state)
        sweep_spools(store.folder)
    store.close()
    compact(store.folder)
