"""Statistics of files: from paths to tables, and a list of what could not be read.

collect      the statistics of all documents below some paths
each_text    the texts below some paths, a batch at a time, in the threads that read them
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from truecopy.errors import UnreadableInput
from truecopy.model import Reading
from truecopy.progress import SILENT, Progress
from truecopy.read import ReadSettings, discover, read_then
from truecopy.sign.statistics import Statistics, counted, new_counter
from truecopy.text.batches import is_utf8


@dataclass(frozen=True, slots=True)
class Unread:
    """A document that has no text to count or to sign, and why."""

    path: str
    reason: str


def collect(
    paths: Sequence[str | Path],
    *,
    ngram: int = 4,
    profile: str = "verbatim",
    settings: ReadSettings | None = None,
    progress: Progress = SILENT,
) -> tuple[Statistics, list[Unread]]:
    """The statistics of all documents below some paths, and the documents that have no text to count.

    Every document counts, copies too. One that could not be read, or has no text, is named with the reason.
    """
    counter = new_counter(ngram, profile)
    unread = each_text(paths, counter.add, settings=settings, progress=progress)
    if not counter.documents:
        raise UnreadableInput(
            f"None of the {len(unread):,} documents given has a text, so there is nothing to count.",
            "Give folders or files with texts.",
        )
    return counted(counter), unread


def each_text(
    paths: Sequence[str | Path],
    then: Callable[[list[bytes]], None],
    *,
    settings: ReadSettings | None = None,
    progress: Progress = SILENT,
) -> list[Unread]:
    """Hand on the texts of all documents below some paths, in UTF-8; returns those that have none.

    `then` is called from several threads.
    """
    settings = replace(settings or ReadSettings(), every_digest=False)

    def take(readings: list[Reading]) -> list[Unread]:
        then([reading.text for reading in readings if reading.text])
        return [Unread(one.path, one.reason or "no text in it") for one in readings if not one.text]

    batches = read_then(discover(paths, settings), settings, take, progress, is_utf8)
    return [unread for batch in batches for unread in batch]
