"""Sources to Readings: a pool of threads over chunks of files, handed over in order, with bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from truecopy.model import Reading
from truecopy.progress import SILENT, Progress
from truecopy.read.archives import CHUNK_BYTES, CHUNK_DOCUMENTS, Job, opened
from truecopy.read.documents import DocumentReader, Outcome, Remainder
from truecopy.read.places import Archive
from truecopy.read.settings import ReadSettings
from truecopy.read.sources import Source
from truecopy.read.workers import ParserPool

_BATCH_BYTES = 8 << 20
_BATCH_DOCUMENTS = 512
_AHEAD_BYTES = 32 << 20
_AHEAD_JOBS = 8


def read(sources: Iterable[Source], settings: ReadSettings, progress: Progress = SILENT) -> Iterator[list[Reading]]:
    """Read every source, in order, in batches of about 8 MB or 512 documents."""
    listed = list(sources)
    progress.start("read", sum(source.size for source in listed) or None, "bytes")
    parsers = ParserPool(settings)
    reader = DocumentReader(settings, parsers)
    pool = ThreadPoolExecutor(settings.threads, "truecopy-read")
    batch: list[Reading] = []
    size = 0
    try:
        for reading in _in_order(_source_jobs(listed, reader), reader, pool, progress):
            batch.append(reading)
            size += len(reading.text)
            if size >= _BATCH_BYTES or len(batch) >= _BATCH_DOCUMENTS:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch
    finally:
        # Parsers first: whoever stops halfway should not wait for a slow document.
        parsers.close()
        pool.shutdown(cancel_futures=True)
        progress.finish()


def _source_jobs(sources: list[Source], reader: DocumentReader) -> Iterator[Job]:
    chunk: list[Source] = []
    size = 0
    for source in sources:
        if chunk and (size + source.size > CHUNK_BYTES or len(chunk) >= CHUNK_DOCUMENTS):
            yield Job(partial(reader.sources, chunk), size, size)
            chunk, size = [], 0
        chunk.append(source)
        size += source.size
    if chunk:
        yield Job(partial(reader.sources, chunk), size, size)


def _in_order(
    jobs: Iterator[Job], reader: DocumentReader, pool: ThreadPoolExecutor, progress: Progress
) -> Iterator[Reading]:
    """The readings of all jobs, in the jobs' order; an archive's members stand in its place."""
    waiting: deque[tuple[Future[list[Outcome]], Job]] = deque()
    ahead = 0
    threads = reader.settings.threads
    for job in jobs:
        while len(waiting) >= threads and (ahead + job.weight > _AHEAD_BYTES or len(waiting) >= threads * _AHEAD_JOBS):
            ahead -= waiting[0][1].weight
            yield from _outcomes(*waiting.popleft(), reader, pool, progress)
        waiting.append((pool.submit(job.run), job))
        ahead += job.weight
    while waiting:
        yield from _outcomes(*waiting.popleft(), reader, pool, progress)


def _outcomes(
    future: Future[list[Outcome]],
    job: Job,
    reader: DocumentReader,
    pool: ThreadPoolExecutor,
    progress: Progress,
) -> Iterator[Reading]:
    done = job.done
    for outcome in future.result():
        if isinstance(outcome, Archive):
            # Progress counts the bytes of files on the disk: an archive's as its members are read.
            outermost = not outcome.place.parent
            done -= outcome.size if outermost else 0
            with opened(outcome, reader) as jobs:
                yield from _in_order(jobs, reader, pool, progress if outermost else SILENT)
        elif isinstance(outcome, Remainder):
            rest = Job(partial(reader.documents, outcome.entries), 0, 0)
            yield from _in_order(iter([rest]), reader, pool, progress)
        else:
            yield outcome
    if done > 0:
        progress.advance(done)
