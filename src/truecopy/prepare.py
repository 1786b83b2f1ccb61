"""Compiling the kernels before their first use, once for each installation, on two processes at a time.

A kernel that meets its first call compiles for a second or so. Doing all that a command needs beforehand
keeps the wait in one place, where it can be named ("preparing, first run only"), and lets two processes
share it: each runs a part of the pipeline on a few words, and what it compiles is kept in the cache.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from truecopy.kernels.jit import kernel_folder
from truecopy.progress import SILENT, Progress

PARTS = ("text", "match")
_TEXT = b"One two three four five six seven eight nine ten. \xc3\xa9 \xe6\xa2\x81"


def prepare(progress: Progress = SILENT) -> None:
    """Compile what `scan` and `add` need, unless that was done before."""
    folder = kernel_folder()
    if folder is None or (folder / "ready").exists():
        return
    progress.start("preparing", None, "kernels")
    other = subprocess.Popen(
        [sys.executable, "-m", "truecopy.prepare", PARTS[1]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    compile_part(PARTS[0])
    if other.wait() == 0:
        (folder / "ready").touch()
    progress.finish()


def compile_part(part: str) -> None:
    """Run a part of the pipeline on a few words."""
    import numpy as np

    if part == "text":
        from truecopy.index.overlap import OverlapJoin
        from truecopy.matter.intake import Known, take_in
        from truecopy.matter.texts import with_wave
        from truecopy.model import Reading
        from truecopy.text.vocabulary import Vocabulary

        readings = [Reading("", str(i), 0, "", "", str(i), _TEXT + b" %d" % i) for i in range(2)]
        vocabulary = Vocabulary()
        intake = take_in([readings], Known(), vocabulary, lambda _: None, 1)
        texts, _ = with_wave([], intake, vocabulary)
        OverlapJoin(texts.bags(), texts.streams.lengths, 70, len(vocabulary)).compile()
        return

    from truecopy.group.families import thin
    from truecopy.group.star import star
    from truecopy.pairing import Similar, find_contained, measure
    from truecopy.text.streams import Streams, bags, frequencies

    one, none = np.zeros(1, np.int32), np.zeros(0, np.int64)
    words = np.arange(64, dtype=np.uint32)
    streams = Streams(np.tile(words, 2), np.array([0, 64, 128], np.int64), words.astype(np.uint64) + np.uint64(1))
    bag = bags(streams.words, streams.offsets, *frequencies(streams.words, streams.offsets, 64))
    vocabulary_letters = (np.full(64, 97, np.uint8), np.arange(65, dtype=np.int64))
    contained = find_contained(streams, 80, np.ones(2, np.bool_), 1)
    similar = Similar(one, one + np.int32(1), one.astype(np.int64), one.astype(np.int64) + 64, "", 1.0)
    from truecopy.match.verify import edit_distances

    edit_distances(streams.words, streams.offsets, one, one + np.int32(1), np.full(1, 9, np.int64), 1)
    measure(streams, bag, np.zeros(128, np.uint8), vocabulary_letters, similar, contained, 1)
    star(np.arange(2), similar.a, similar.b, similar.distance, similar.longer)
    thin(
        similar.a,
        similar.b,
        similar.distance,
        similar.longer,
        np.zeros(2, np.int64),
        9,
        9,
        none.reshape(0, 2),
    )


def ready() -> bool:
    """Whether the kernels are compiled already."""
    folder: Path | None = kernel_folder()
    return folder is not None and (folder / "ready").exists()


if __name__ == "__main__":
    compile_part(sys.argv[1])
