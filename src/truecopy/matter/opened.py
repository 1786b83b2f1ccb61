"""What a matter keeps open between two questions: indexes, words and streams, mapped from their segments.

Every question first checks whether the database still names the same segments, so that it finds what another process
added a moment ago. Any number of threads may ask.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from truecopy.errors import MatterError
from truecopy.index.index import Index
from truecopy.match.kinds import dropped_words
from truecopy.matter import tables
from truecopy.matter.cells import HINT
from truecopy.matter.indexing import keep, kinds, open_index
from truecopy.matter.store import Store
from truecopy.matter.texts import load_vocabulary, stream_parts
from truecopy.text.batches import NumberedTexts
from truecopy.text.streams import Signs, Streams
from truecopy.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Words:
    """Every word of a matter, to be looked up."""

    vocabulary: Vocabulary
    dropped: Array
    """1 for each word that the kind `same-words` leaves out."""

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> Words:
        """Ready to be looked up."""
        return cls(vocabulary, dropped_words(vocabulary.letters, vocabulary.letter_starts))

    def numbers(self, other: Vocabulary) -> Array:
        """The number of each word of another vocabulary; unknown words get the next numbers."""
        found = self.vocabulary.find(other)
        unknown = np.flatnonzero(found < 0)
        found[unknown] = len(self.vocabulary) + np.arange(len(unknown))
        return found


@dataclass(frozen=True, slots=True)
class Some:
    """A few distinct texts of a matter, and one more at the end: the query."""

    streams: Streams
    signs: Signs
    dropped: Array

    @property
    def query(self) -> int:
        """The place of the query."""
        return len(self.streams) - 1


class OpenMatter:
    """The open files of one matter."""

    def __init__(self, store: Store) -> None:
        self.rebuilt: set[str] = set()
        """Segments that were found damaged, and made again."""
        self._store = store
        self._kept: dict[str, tuple[Hashable, Any]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def index(self, kind: str) -> tuple[Index, list[str]]:
        """An index as it is now, and the names of the segments that had to be made again for it."""
        with self._opening(kind):
            with self._store.reading() as connection:
                every = tuple(kinds(connection))
                key = (self._named(connection, f"index-{kind}"), self._named(connection, "streams"), every)
                have = self._kept.get(kind)
                if have is not None and have[0] == key:
                    index: Index = have[1]
                    return index, []
                opened = open_index(self._store.folder, connection, kind)
            if opened.made:
                keep(self._store, kind, opened)
            self._kept[kind] = (key, opened.index)
            self.rebuilt.update(opened.damaged)
            return opened.index, opened.damaged

    def words(self, connection: Connection) -> Words:
        """Every word of the matter."""
        return self._once(connection, "vocabulary", lambda: Words.of(load_vocabulary(self._store.folder, connection)))

    def some(self, connection: Connection, numbers: Sequence[int], query: int | NumberedTexts) -> Some:
        """The streams of some texts, by their first documents, and the query's stream."""
        words = self.words(connection)
        hashes, dropped = words.vocabulary.hashes, words.dropped
        wanted = [*numbers, query] if isinstance(query, int) else [*numbers]
        parts, signs = self._streams(connection, wanted)
        if not isinstance(query, int):
            named = words.numbers(query.vocabulary)
            fresh = np.flatnonzero(named >= len(hashes))
            own = query.vocabulary
            hashes = np.concatenate([hashes, own.hashes[fresh]])
            dropped = np.concatenate([dropped, dropped_words(own.letters, own.letter_starts)[fresh]])
            parts.append(named[query.words].astype(np.uint32))
            signs.append(query.signs)
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        streams = Streams(np.concatenate(parts), offsets, np.ascontiguousarray(hashes))
        return Some(streams, _together(signs), dropped)

    def _streams(self, connection: Connection, numbers: Sequence[int]) -> tuple[list[Array], list[Signs]]:
        """The words, and what is between them, of texts by number."""
        known = len(self.words(connection).vocabulary)
        stored: list[dict[str, Array]] = self._once(
            connection, "streams", lambda: stream_parts(self._store.folder, connection, known)
        )
        firsts = [int(part["numbers"][0]) if len(part["numbers"]) else 1 << 62 for part in stored]
        words, signs = [], []
        for number in numbers:
            # A wave without a new text holds no streams: numbers grow from wave to wave.
            wave = max((place for place, first in enumerate(firsts) if first <= number), default=0)
            part = stored[wave] if stored else {"numbers": np.empty(0, np.int64)}
            text = int(np.searchsorted(part["numbers"], number))
            if part["numbers"][text : text + 1].tolist() != [number]:
                raise MatterError(f"The matter holds no words of document {number}.", HINT)
            here = slice(int(part["offsets"][text]), int(part["offsets"][text + 1]))
            words.append(part["words"][here])
            begin, end = part["mark_offsets"][text : text + 2].tolist()
            signs.append(Signs(part["breaks"][here], part["marks"][begin:end], np.array([0, end - begin], np.int64)))
        return words, signs

    def _once(self, connection: Connection, kind: str, read: Callable[[], T]) -> T:
        """What segments of a kind hold, read again only where the database names others or a file has changed."""
        key = self._named(connection, kind)
        with self._opening(kind):
            have = self._kept.get(kind)
            if have is None or have[0] != key:
                have = (key, read())
                self._kept[kind] = have
            found: T = have[1]
            return found

    def _opening(self, kind: str) -> threading.Lock:
        """A lock for each kind: no question waits for an index that it does not need."""
        with self._lock:
            return self._locks.setdefault(kind, threading.Lock())

    def _named(self, connection: Connection, kind: str) -> tuple[Hashable, ...]:
        """The segments of a kind as the database names them, and their files as they are.

        If a file has changed since it was mapped, its checksum no longer belongs to it.
        """
        table, folder = tables.segments, self._store.folder
        query = select(table.c.name, table.c.checksum).where(table.c.kind == kind).order_by(table.c.wave, table.c.name)
        return tuple((row.name, row.checksum, _state(folder / row.name)) for row in connection.execute(query))


def _together(signs: list[Signs]) -> Signs:
    """The arrays of several texts as one."""
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(one.mark_offsets) for one in signs)])
    breaks, marks = (np.concatenate([getattr(one, name) for one in signs]) for name in ("breaks", "marks"))
    return Signs(breaks, marks, np.cumsum(counts))


def _state(file: Path) -> tuple[int, int, int] | None:
    """What shows that a file was written to; None where it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
