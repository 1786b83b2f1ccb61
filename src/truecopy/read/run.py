"""Sources to Readings: a pool of threads over chunks of files, handed over in order, with bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Generic, TypeVar, cast

from truecopy.model import Reading
from truecopy.progress import SILENT, Progress
from truecopy.read.archives import CHUNK_BYTES, CHUNK_DOCUMENTS, Job, opened
from truecopy.read.documents import DocumentReader, Remainder
from truecopy.read.file_types import TEXT_TYPES, suffix_of
from truecopy.read.places import Archive
from truecopy.read.recognize import Recognizer
from truecopy.read.settings import ReadSettings
from truecopy.read.sources import Source
from truecopy.read.workers import ParserPool
from truecopy.stopping import cleaning_up
from truecopy.threads import Pool, result_of

_AHEAD_BYTES = 32 << 20
_AHEAD_JOBS = 8
_AT_ONCE = 1 << 20
"""Bytes of a single text that are read without a thread for it, at most."""
_TEXTS_FOR_ONE = 4
"""How many plain texts count as much as one document that has to be parsed: what each chunk costs by itself is worth
more of them.
"""
T = TypeVar("T")


def read(sources: Iterable[Source], settings: ReadSettings, progress: Progress = SILENT) -> Iterator[list[Reading]]:
    """Read every source, in order, in batches of about 2 MB, 64 documents or 256 plain texts."""
    return read_then(sources, settings, list, progress)


def read_then(
    sources: Iterable[Source],
    settings: ReadSettings,
    then: Callable[[list[Reading]], T],
    progress: Progress = SILENT,
    is_utf8: Callable[[bytes], bool] | None = None,
) -> Generator[T, None, None]:
    """Read every source and give, in order, what `then` makes of each batch.

    It is called in the thread that has read the batch, while the bytes are still in the processor's caches.
    `is_utf8` replaces Python's own check, which lets no other thread run meanwhile.
    """
    listed = list(sources)
    progress.start("read", sum(source.size for source in listed) or None, "bytes")
    parsers = ParserPool(settings)
    recognizer = Recognizer(settings) if settings.ocr else None
    reader = DocumentReader(settings, parsers, is_utf8, recognizer)
    # For one small text no thread is started: where many ask, it would have to wait for its turn in Python.
    small = len(listed) == 1 and listed[0].size <= _AT_ONCE and suffix_of(listed[0].path) in TEXT_TYPES
    pool = _Here() if small else Pool(settings.threads, "truecopy-read")
    try:
        with cleaning_up(parsers.kill), cleaning_up(recognizer.kill if recognizer else parsers.kill):
            yield from _in_order(_source_jobs(listed, reader), reader, _Runner(pool, then), progress)
    finally:
        # Parsers first: a user who stops halfway should not wait for a slow document.
        reader.stop()
        parsers.close()
        if recognizer is not None:
            recognizer.close()
        pool.close()
        progress.finish()


class _Here:
    """A pool without threads: what is handed in is done at once."""

    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Do a piece of work."""
        future: Future[T] = Future()
        future.set_result(work(*arguments))
        return future

    def close(self) -> None:
        """Nothing waits."""


@dataclass(frozen=True, slots=True)
class _Runner(Generic[T]):
    """Runs jobs in threads; runs of readings are turned into what was asked for at once."""

    pool: Pool | _Here
    then: Callable[[list[Reading]], T]

    def submit(self, job: Job) -> Future[list[_Done[T] | Archive | Remainder]]:
        return self.pool.submit(self._run, job)

    def _run(self, job: Job) -> list[_Done[T] | Archive | Remainder]:
        out: list[_Done[T] | Archive | Remainder] = []
        for is_reading, group in groupby(job.run(), lambda outcome: isinstance(outcome, Reading)):
            if is_reading:
                out.append(_Done(self.then(cast("list[Reading]", list(group)))))
            else:
                out += cast("list[Archive | Remainder]", list(group))
        return out


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What became of a run of readings."""

    made: T


@dataclass(slots=True)
class _Within:
    """Progress inside an archive: it adds up to the archive's size, whatever sizes its members declare."""

    outer: Progress
    left: int

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Archives are not a stage of their own."""

    def advance(self, units: int) -> None:
        """More bytes are done, but never more than the archive has."""
        units = min(units, self.left)
        self.left -= units
        if units > 0:
            self.outer.advance(units)

    def finish(self) -> None:
        """Archives are not a stage of their own."""


def _source_jobs(sources: list[Source], reader: DocumentReader) -> Iterator[Job]:
    chunk: list[Source] = []
    size = taken = 0
    for source in sources:
        if chunk and (size + source.size > CHUNK_BYTES or taken >= CHUNK_DOCUMENTS * _TEXTS_FOR_ONE):
            yield Job(partial(reader.sources, chunk), size, size)
            chunk, size, taken = [], 0, 0
        chunk.append(source)
        size += source.size
        taken += 1 if suffix_of(source.path) in TEXT_TYPES else _TEXTS_FOR_ONE
    if chunk:
        yield Job(partial(reader.sources, chunk), size, size)


def _in_order(jobs: Iterator[Job], reader: DocumentReader, runner: _Runner[T], progress: Progress) -> Iterator[T]:
    """What all jobs give, in the jobs' order; an archive's members take its place."""
    waiting: deque[tuple[Future[list[_Done[T] | Archive | Remainder]], Job]] = deque()
    ahead = 0
    threads = reader.settings.threads
    for job in jobs:
        while len(waiting) >= threads and (ahead + job.weight > _AHEAD_BYTES or len(waiting) >= threads * _AHEAD_JOBS):
            ahead -= waiting[0][1].weight
            yield from _outcomes(*waiting.popleft(), reader, runner, progress)
        waiting.append((runner.submit(job), job))
        ahead += job.weight
    while waiting:
        yield from _outcomes(*waiting.popleft(), reader, runner, progress)


def _outcomes(
    future: Future[list[_Done[T] | Archive | Remainder]],
    job: Job,
    reader: DocumentReader,
    runner: _Runner[T],
    progress: Progress,
) -> Iterator[T]:
    done = job.done
    for outcome in result_of(future):
        if isinstance(outcome, Archive):
            # Progress counts the bytes of files on the disk: an archive's as its members are read.
            outermost = not outcome.place.parent
            done -= outcome.size if outermost else 0
            within = _Within(progress, outcome.size if outermost else 0)
            with opened(outcome, reader) as jobs:
                yield from _in_order(jobs, reader, runner, within)
            within.advance(within.left)  # names, headers, and what was skipped
        elif isinstance(outcome, Remainder):
            rest = Job(partial(reader.documents, outcome.entries), 0, 0)
            yield from _in_order(iter([rest]), reader, runner, progress)
        else:
            yield outcome.made
    if done > 0:
        progress.advance(done)
