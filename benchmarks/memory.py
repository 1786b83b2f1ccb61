"""Memory: the peak of a whole `truecopy scan`, in a process of its own.

    python benchmarks/memory.py --scale full

The constant is the peak of a scan of one short document: the interpreter, its libraries and the kernels. Made-up
documents of 2 KB (`documents.py`) show what many short texts take.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common import Collection, arguments, collection, run_process, scan_process, use_cores
from documents import made_up, make_pool
from results import Result, Table, Target, megabytes, publish

SMALL = {"policies": 300, "agreements": 120}
FULL = ("policies", "agreements", "bills")
MADE_UP = {"small": 300, "full": 100_000}
"""How many made-up documents."""
TIMES_TEXT = 2.5
"""Words, bags and what is listed of them; the index of runs is made out of memory."""
BYTES_A_DOCUMENT = 2560
BYTES_A_PAIR = 100
STATED_CONSTANT = 300 << 20
"""What the documentation says that the runtime needs, whatever the collection."""


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores()
    result = Result("memory", asked)
    constant = _constant()
    scans, rows = {}, []
    made = tempfile.TemporaryDirectory()
    names = SMALL if asked.small else FULL
    every = [collection(name, asked.data, SMALL[name] if asked.small else None) for name in names]
    every.append(_made(asked.data, Path(made.name) / "texts", MADE_UP[asked.scale]))
    for texts in every:
        name = texts.name
        if texts.generated:
            result.generated.add(name)
        done = scan_process(texts.given)
        documents, said = len(texts.files), json.loads(done.printed)
        pairs = said["pairs"] + said["contains"]
        over = done.peak - TIMES_TEXT * texts.size - BYTES_A_DOCUMENT * documents - BYTES_A_PAIR * pairs
        scans[name] = {
            "documents": documents,
            "text_bytes": texts.size,
            "pairs": pairs,
            "peak_bytes": done.peak,
            "over_constant_by_text": round((done.peak - constant) / texts.size, 3),
            "constant_needed_bytes": round(over),
            "seconds": round(done.seconds, 2),
        }
        ratio = f"{(done.peak - constant) / texts.size:.2f}"
        rows.append(
            (
                name,
                f"{documents:,}",
                megabytes(texts.size),
                f"{pairs:,}",
                megabytes(done.peak),
                ratio,
                megabytes(round(over)),
            )
        )
        what = f"{name}: MB over {TIMES_TEXT:g} times the text, 2.5 KB a document and 100 bytes a pair"
        result.targets.append(Target.at_most(what, STATED_CONSTANT / 1e6, over / 1e6))
    made.cleanup()
    result.generated.update(made_up(make_pool(asked.data)))  # not earlier: this process is to stay small
    result.figures = {"constant_bytes": constant, "stated_constant_bytes": STATED_CONSTANT, "scans": scans}
    columns = (
        "collection",
        "documents",
        "text MB",
        "pairs",
        "peak MB",
        "(peak - constant) / text",
        "constant needed MB",
    )
    note = f"Constant, measured with one short document: {megabytes(constant)} MB. The report is included."
    result.tables.append(Table("Peak memory of a whole scan", columns, rows, note))
    publish(result)


def _made(data: Path, folder: Path, documents: int) -> Collection:
    """So many made-up documents, written by a process of its own: scans begin with the memory of this one."""
    writes = str(Path(__file__).with_name("documents.py"))
    asked = ["--data", str(data), "--write", str(folder), "--documents", str(documents)]
    run_process([sys.executable, writes, *asked])
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    size = sum(file.stat().st_size for file in files)
    return Collection("made-up documents", files, [folder], generated=False, size=size)


def _constant() -> int:
    """The peak of a scan of one short document, kernels compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "short.txt").write_text("The parties agree that this text is short. " * 3)
        scan_process([Path(folder)])
        return scan_process([Path(folder)]).peak


if __name__ == "__main__":
    main()
