"""Memory: the peak of a whole `truecopy scan`, in a process of its own.

    python benchmarks/memory.py --scale full

The constant is the peak of a scan of one short document: the interpreter, its libraries and the kernels.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from common import arguments, collection, scan_process, use_cores
from results import Result, Table, Target, megabytes, publish

SMALL = {"policies": 300, "agreements": 120}
FULL = ("policies", "agreements", "bills")
TIMES_TEXT = 1.5
"""Words, bags and what is listed of them; the index of runs is made out of memory."""
BYTES_A_DOCUMENT = 2048
STATED_CONSTANT = 300 << 20
"""What the documentation says that the runtime needs, whatever the collection."""


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores()
    result = Result("memory", asked)
    constant = _constant()
    scans, rows = {}, []
    for name in SMALL if asked.small else FULL:
        texts = collection(name, asked.data, SMALL[name] if asked.small else None)
        if texts.generated:
            result.generated.add(name)
        done = scan_process(texts.given)
        documents = len(texts.files)
        over = done.peak - TIMES_TEXT * texts.size - BYTES_A_DOCUMENT * documents
        scans[name] = {
            "documents": documents,
            "text_bytes": texts.size,
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
                megabytes(done.peak),
                ratio,
                megabytes(round(over)),
            )
        )
        what = f"{name}: MB over {TIMES_TEXT:g} times the text and 2 KB a document"
        result.targets.append(Target.at_most(what, STATED_CONSTANT / 1e6, over / 1e6))
    result.figures = {"constant_bytes": constant, "stated_constant_bytes": STATED_CONSTANT, "scans": scans}
    columns = (
        "collection",
        "documents",
        "text MB",
        "peak MB",
        "(peak - constant) / text",
        "constant needed MB",
    )
    note = f"Constant, measured with one short document: {megabytes(constant)} MB. The report is included."
    result.tables.append(Table("Peak memory of a whole scan", columns, rows, note))
    publish(result)


def _constant() -> int:
    """The peak of a scan of one short document, kernels compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "short.txt").write_text("The parties agree that this text is short. " * 3)
        scan_process([Path(folder)])
        return scan_process([Path(folder)]).peak


if __name__ == "__main__":
    main()
