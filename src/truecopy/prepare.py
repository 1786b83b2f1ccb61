"""Compiles the kernels before their first use, once for each installation, in two processes at a time.

A kernel takes a second or so to compile at its first call. Compiling beforehand what nearly every run needs
keeps the wait in one place, where it can be named ("preparing, first run only"), and lets two processes
share it: each runs a part of the pipeline on a few words, and what it compiles is kept in the cache.

Kernels that few runs need are compiled when they are first used, and kept too: those of dense families
(`kernels/nearest`, `kernels/sketch`), of a recall below 1 (`kernels/bands`), of `--contains` and `--contained-in`
(`kernels/part`, `kernels/shingle_sets`), of signatures and of their indexes. Preparing them as well would make
every new user wait longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from truecopy.kernels.jit import kernel_folder
from truecopy.progress import SILENT, Progress
from truecopy.read.workers import OWN_GROUP
from truecopy.stopping import check, cleaning_up
from truecopy.threads import LOOK

if TYPE_CHECKING:
    from truecopy.text.streams import Streams

PARTS = ("text", "match")
_TEXT = "Été 条. " + " ".join(f"w{i}" for i in range(80))


def prepare(progress: Progress = SILENT) -> float:
    """Compile what every `scan`, `add` and question about what is similar to a file needs, unless that was done before;
    returns the seconds that it took.
    """
    folder = kernel_folder()
    if folder is None or (folder / "ready").exists():
        return 0.0
    start = time.perf_counter()
    progress.start("preparing", None, "kernels")
    # -P: the working folder may hold evidence; nothing in it must be imported.
    command = [sys.executable, "-P", "-m", "truecopy.prepare", PARTS[1]]
    same = {**os.environ, "TRUECOPY_CACHE": str(folder.parent)}  # also where it is a folder of this process
    other = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=same, **OWN_GROUP)
    try:
        with cleaning_up(other.kill):
            compile_part(PARTS[0])
            if _ended(other) == 0:
                (folder / "ready").touch(mode=0o600)
    finally:
        other.kill()  # it has ended, unless this process was interrupted
        progress.finish()
    return time.perf_counter() - start


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Waits for a process and returns its exit code; notices a stop while it waits."""
    while True:
        try:
            return process.wait(LOOK)
        except subprocess.TimeoutExpired:
            check()


def compile_part(part: str) -> None:
    """Run a part of the pipeline on a few words; the parts cost about the same."""
    (_compile_text if part == PARTS[0] else _compile_match)()


def _compile_text() -> None:
    from truecopy.index.choose import ExactJoin
    from truecopy.index.pieces import PieceJoin
    from truecopy.model import Reading
    from truecopy.text.batches import is_utf8
    from truecopy.text.streams import Streams, make_bags
    from truecopy.wave.fresh import fresh_texts
    from truecopy.wave.intake import prepare_batch, take_in

    is_utf8(_TEXT.encode())
    readings = [Reading("", str(i), 0, "", "", str(i), f"{_TEXT} {i}".encode()) for i in range(2)]
    intake = take_in([prepare_batch(readings)])
    fresh = fresh_texts(intake, np.arange(2), 0, lambda own: np.full(len(own), -1, np.int64))
    bags = make_bags(fresh.words, fresh.offsets, len(fresh.hashes))
    join = ExactJoin(bags, 70)
    join.compile()
    streams = Streams(fresh.words, fresh.offsets, fresh.hashes)
    PieceJoin(streams, join.ordered, 70, 1).pairs(np.ones(2, np.bool_), 1)
    _compile_asking(streams)


def _compile_asking(streams: Streams) -> None:
    """What finds what is similar to a file: in most matters somebody asks that soon."""
    from truecopy.index.near_one import near_one, share_enough
    from truecopy.index.run_lists import RunLists
    from truecopy.index.runs import RunBlock
    from truecopy.text.word_lists import WordList

    few, nobody = streams.words[: streams.offsets[1]], np.empty(0, np.int32)
    lists = RunLists(1, 1, np.empty(0, np.uint64), nobody, nobody, nobody, nobody, np.zeros(2, np.int64))
    near_one([RunBlock(lists, np.empty(0, np.int64))], few, streams.keys, 80)
    arrays = {"words": streams.words, "offsets": streams.offsets}
    listed = WordList.of(streams.hashes, np.full(len(streams.hashes), 97, np.uint8), 1 + np.arange(len(streams.hashes)))
    listed.find(listed.hashes, listed.letters, listed.letter_ends - 1, listed.letter_ends, 0, np.full(len(few), -1))
    share_enough((np.unique(few), np.ones(len(np.unique(few)), np.int64)), arrays, np.arange(2), 80)


def _compile_match() -> None:
    from truecopy.group.families import Families
    from truecopy.group.star import star
    from truecopy.index import run_lists, touched_runs
    from truecopy.index.overlap_lists import as_given
    from truecopy.index.rows import rows_of_bags
    from truecopy.match.align import align
    from truecopy.match.judge import Passages
    from truecopy.match.measures import distinct_shingles
    from truecopy.match.relations import DEFAULT_FLOORS
    from truecopy.match.verify import edit_distances
    from truecopy.pairing import Similar, find_contained, judge_pairs
    from truecopy.text.streams import Signs, Streams, make_bags

    words = np.arange(64, dtype=np.uint32)
    streams = Streams(np.tile(words, 2), np.array([0, 64, 128], np.int64), words.astype(np.uint64) + np.uint64(1))
    bag = make_bags(streams.words, streams.offsets, 64)
    a, b, zero = np.zeros(1, np.int32), np.ones(1, np.int32), np.zeros(1, np.int64)
    align(words, words[::-1].copy())
    find_contained(streams, 80, np.ones(2, np.bool_), 1)
    edit_distances(streams.words, streams.offsets, a, b, np.full(1, 9, np.int64), 1)
    similar = Similar(a, b, zero, zero + 64)
    vocabulary = (np.full(64, 97, np.uint8), np.arange(65, dtype=np.int64))
    signs = Signs(np.zeros(128, np.uint8), np.zeros(0, np.uint64), np.zeros(3, np.int64))
    passages = Passages.of(streams, signs, np.zeros(2, np.int64), vocabulary, bag)
    list(judge_pairs(passages, [similar], DEFAULT_FLOORS, 1, shingles=np.full(2, 62, np.int64)))
    distinct_shingles(streams.words, streams.offsets, streams.keys, np.arange(2, dtype=np.int32), 1)
    star(np.arange(2), a, b, zero, zero + 64)
    Families(2, 1).join(a, b)
    listed = run_lists.build_lists(streams.words, streams.offsets, streams.keys, 80, 70, 1)
    run_lists.sound(run_lists.merge_lists([listed, listed], 1), 4)
    texts, given = (streams.words, streams.offsets, streams.keys), as_given(rows_of_bags(bag))
    bags = touched_runs.BagsOf(given, [given])
    touched_runs.mark_touched([listed], texts, bags, [np.zeros(2, np.bool_)], 1, contains=80, similar=70)


if __name__ == "__main__":
    compile_part(sys.argv[1])
