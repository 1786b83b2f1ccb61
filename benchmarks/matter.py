"""A large matter: added in waves, scanned at once, asked by commands and by programs, and used while it grows.

    python benchmarks/matter.py --scale full --documents 1000000 --work DIR --into docs/explanation/measured
    python benchmarks/matter.py --documents 10000 --parts waves,commands

The documents come from benchmarks/documents.py: 2 KB each, in families, with as many near misses for each however many
there are. Every command is a process of its own. The parts, of which `--parts` chooses some:

waves       the documents in ten waves, by `truecopy add`; then a thousand more, three times
scan        the first tenth, three tenths and all of them, by `truecopy scan` without a report
peers       `truecopy scan` beside gaoya: its candidates, which nobody has verified, from the same files
commands    questions as commands, each in a fresh process
open        questions in an open matter, by one thread and by eight at once
recall      the answers about a sample, against brute force by rapidfuzz
busy        a tenth more is added, while one process writes and eight ask

`commands` and those after it ask the matter that `waves` has made, else one that `scan` has made. With `--work`, texts
and matters stay there, and texts that are there are used again. Memory is looked at twenty times a second, of a process
with its children: what they have for themselves, and what is resident with the files that they have mapped.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asking import BETWEEN_WRITES, FLOOR, PAGE, THREADS, WRITES, document_id, summary
from common import CORES, Arguments, Watched, arguments, end_group, use_cores, watch_process
from documents import FORMS, LARGEST, SEED, Making, Written, made_up, make_pool, planned, slope
from results import Result, Table, Target, megabytes, publish

WAVES = 10
FEW = 1000
SMALL, FULL = 600, 100_000
PEER_SIZES = (100_000, 300_000)
PEER_FLOORS = (70, 80)
READERS = 8
HELPER, WRITER = Path(__file__).with_name("asking.py"), Path(__file__).with_name("documents.py")

LATER_WAVES = 1.3
FEW_SECONDS = 3
GIGABYTES = 3
RATE = 5000
SLOPE = 1.1
COMMAND_SECONDS = 0.6
OPEN_MS = 100
ANSWER_MS = 10
THRESHOLD_MS = 5
WRITE_MS = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What this benchmark is asked beside what all are."""

    documents: int
    parts: tuple[str, ...]
    work: Path
    making: Making
    peer_sizes: tuple[int, ...]
    rounds: int
    questions: int
    sample: int
    seconds: float
    """How long any process may take."""
    write: str


class Run:
    """One run: its texts, its matters, and what it has found."""

    def __init__(self, result: Result, asked: Asked) -> None:
        self.result = result
        self.asked = asked
        self.added = asked.work / "added"
        self.scanned = asked.work / "scanned"
        self.texts = self.written("texts", 0, asked.documents, WAVES)

    def written(self, name: str, first: int, count: int, waves: int = 1) -> Written:
        """Documents from a number on, in a folder of their own; those that are there are used again."""
        folder = self.asked.work / name
        plan = planned(folder, self.asked.making, first, first + count, waves)
        mark = folder.with_suffix(".whole")
        said = f"{self.asked.making} {first} {count} {waves}\n"
        if mark.is_file() and mark.read_text(encoding="utf-8") == said:
            return plan
        remove(folder)
        making = self.asked.making
        watch_process(
            [
                sys.executable, str(WRITER), "--write", str(folder), "--documents", str(count), "--first", str(first),
                "--waves", str(waves), "--form", making.form, "--seed", making.seed, "--largest", str(making.largest),
                "--data", str(self.result.arguments.data), *(["--spread"] if making.spread else []),
            ],
            self.asked.seconds,
        )  # fmt: skip
        mark.write_text(said, encoding="utf-8")
        return plan

    def matter(self) -> Path:
        """The matter to ask."""
        for folder in (self.added, self.scanned):
            if folder.is_dir():
                return folder
        self.truecopy("scan", str(self.texts.folder), "--no-report", matter=self.scanned)
        return self.scanned

    def truecopy(self, *typed: str, matter: Path) -> Watched:
        """Run a command, watched."""
        return watch_process([*command(*typed), "--matter", str(matter), "--json"], self.asked.seconds)

    def helper(self, mode: str, *typed: str) -> dict[str, Any]:
        """Run asking.py, and what it says."""
        done = watch_process([sys.executable, str(HELPER), mode, *typed], self.asked.seconds)
        said: dict[str, Any] = json.loads(done.printed)
        return said | {"memory_own": done.memory.own, "memory_resident": done.memory.resident}

    def asked_files(self) -> list[str]:
        """Files that are not in the matter: versions of documents that are."""
        folder = self.asked.work / "asked"
        folder.mkdir(exist_ok=True)
        files = [folder / f"asked-{place}.txt" for place in range(5)]
        if not files[-1].is_file():
            self.helper("files", "--files", *map(str, files), *self.about_texts())
        return list(map(str, files))

    def about_texts(self) -> list[str]:
        """How asking.py makes the documents."""
        making, documents = self.asked.making, str(self.asked.documents)
        return [
            "--documents", documents, "--pool", str(making.pool), "--text-seed", making.seed,
            "--largest", str(making.largest),
        ]  # fmt: skip

    def at_most(self, name: str, wanted: float, measured: float) -> None:
        self.result.targets.append(Target.at_most(name, wanted, measured))

    def at_least(self, name: str, wanted: float, measured: float) -> None:
        self.result.targets.append(Target.at_least(name, wanted, measured))


def command(*typed: str) -> list[str]:
    return [sys.executable, "-m", "truecopy", *typed]


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


# --- waves -----------------------------------------------------------------------------------------------


def waves(run: Run) -> None:
    """All documents in ten waves, then a thousand more, three times."""
    remove(run.added)
    run.truecopy("init", matter=run.added)
    rows = []
    for number, (folder, numbers) in enumerate(zip(run.texts.waves, run.texts.numbers, strict=True), 1):
        done = run.truecopy("add", str(folder), "--wave", f"wave {number}", "--no-report", matter=run.added)
        rows.append(_wave(f"wave {number}", len(numbers), done))
    few = min(FEW, max(10, run.asked.documents // 10))
    more = []
    for number in range(1 if run.result.arguments.small else 3):
        texts = run.written(f"more-{number + 1}", run.asked.documents + number * few, few)
        done = run.truecopy("add", str(texts.folder), "--wave", f"more {number + 1}", "--no-report", matter=run.added)
        more.append(_wave(f"{few:,} more", few, done))
    later, later_cpu = _later(rows, "seconds"), _later(rows, "processor_seconds")
    few_seconds = statistics.median(one["seconds"] for one in more)
    run.result.figures["waves"] = {
        "waves": rows,
        "more": more,
        "later_by_first": round(later, 3),
        "later_by_first_processor": round(later_cpu, 3),
        "merge_seconds": round(sum(one["stages"].get("merge", 0.0) for one in rows), 3),
        "few_seconds": round(few_seconds, 3),
    }
    table = _stages_table(f"Ten waves, {run.asked.documents:,} documents, and {few:,} more", "wave", [*rows, *more])
    note = (
        f"Waves 8 to 10 against waves 1 to 3, for each document: {later:.2f} times the seconds, {later_cpu:.2f} times "
        "the processor seconds, merges left out."
    )
    run.result.tables.append(Table(table.title, table.columns, table.rows, note))
    run.at_most("waves 8 to 10: times the seconds of waves 1 to 3, without merges", LATER_WAVES, later)
    run.at_most("waves 8 to 10: times the processor seconds of waves 1 to 3, without merges", LATER_WAVES, later_cpu)
    run.at_most(f"seconds of {few:,} more documents, the median of {len(more)}", FEW_SECONDS, few_seconds)
    _memory_target(run, "add", [*rows, *more])


def _wave(name: str, documents: int, done: Watched) -> dict[str, Any]:
    said = json.loads(done.printed)
    if said["documents"] != documents:
        raise SystemExit(f"{name}: {said['documents']} documents were read, not {documents}.")
    return {
        "name": name,
        "documents": documents,
        "seconds": round(done.seconds, 3),
        "processor_seconds": round(done.processor_seconds, 3),
        "stages": said["seconds"],
        "pairs": said.get("pairs"),
        "memory_own": done.memory.own,
        "memory_resident": done.memory.resident,
    }


def _later(rows: list[dict[str, Any]], what: str) -> float:
    """Seconds a document of the last three waves, by those of the first three; without merges."""

    def mean(some: list[dict[str, Any]]) -> float:
        spent = sum(one[what] - one["stages"].get("merge", 0.0) for one in some)
        return float(spent) / sum(one["documents"] for one in some)

    return mean(rows[7:10]) / mean(rows[:3])


def _stages_table(title: str, first: str, rows: list[dict[str, Any]]) -> Table:
    stages = list(dict.fromkeys(stage for one in rows for stage in one["stages"] if stage != "preparing"))
    columns = (first, "documents", "seconds", "processor s", *stages, "own MB", "resident MB")
    cells = [
        (
            one["name"], f"{one['documents']:,}", f"{one['seconds']:.2f}", f"{one['processor_seconds']:.2f}",
            *(f"{one['stages'].get(stage, 0.0):.2f}" for stage in stages), megabytes(one["memory_own"]),
            megabytes(one["memory_resident"]),
        )
        for one in rows
    ]  # fmt: skip
    return Table(title, columns, cells)


def _memory_target(run: Run, name: str, rows: list[dict[str, Any]]) -> None:
    most = max(one["memory_own"] for one in rows) / 1e9
    run.at_most(f"{name}: GB of a process's own, at the peak", GIGABYTES, most)


# --- scan ------------------------------------------------------------------------------------------------


def scan(run: Run) -> None:
    """A tenth, three tenths and all of the documents."""
    rows = []
    for tenths in (1, 3, WAVES):
        given = run.texts.waves[:tenths] if tenths < WAVES else [run.texts.folder]
        documents = sum(map(len, run.texts.numbers[:tenths]))
        done: list[dict[str, Any]] = []
        for _ in range(run.asked.rounds):
            remove(run.scanned)
            scanned = run.truecopy("scan", *map(str, given), "--no-report", matter=run.scanned)
            done.append(_wave(f"{documents:,}", documents, scanned))
        rows.append(min(done, key=lambda one: one["seconds"]))
    rate = rows[-1]["documents"] / rows[-1]["seconds"]
    growth = {what: slope([(one["documents"], one[what]) for one in rows]) for what in ("seconds", "processor_seconds")}
    idle = CORES * rows[-1]["documents"] / rows[-1]["processor_seconds"]
    run.result.figures["scan"] = {
        "scans": rows,
        "documents_a_second": round(rate),
        "documents_a_second_at_most": round(idle),
        "slope": growth,
    }
    same = _same_pairs(run)
    if same is not None:
        run.result.figures["scan"]["same_pairs_as_waves"] = same
    table = _stages_table("Scans", "scan", rows)
    columns = (*table.columns, "documents a second", "pairs at 80 %")
    cells = [
        (*cell, f"{one['documents'] / one['seconds']:,.0f}", f"{one['pairs']:,}")
        for cell, one in zip(table.rows, rows, strict=True)
    ]
    note = (
        f"Slope of the logarithms of seconds by documents: {growth['seconds']:.2f}; of processor seconds: "
        f"{growth['processor_seconds']:.2f}. By the processor seconds, {CORES} cores that had nothing else to do would "
        f"read {idle:,.0f} a second at most. Best of {run.asked.rounds}."
    )
    run.result.tables.append(Table(table.title, columns, cells, note))
    if not run.result.arguments.small:
        run.at_least("scan: documents a second", RATE, rate)
        run.at_most("scan: slope of seconds by documents", SLOPE, growth["seconds"])
        run.at_most("scan: slope of processor seconds by documents", SLOPE, growth["processor_seconds"])
    _memory_target(run, "scan", rows)


def _same_pairs(run: Run) -> bool | None:
    """Whether ten waves found as many pairs as one scan; None where they were not asked for, or more was added."""
    more = run.result.figures.get("waves")
    if more is None:
        return None
    counts = []
    for matter in (run.added, run.scanned):
        code = (
            "import sys, truecopy; m = truecopy.open(sys.argv[1]); n = int(sys.argv[2]); "
            "each = getattr(m, 'each_pair', None) or m.pairs; "
            f"print(sum(p.a.number <= n >= p.b.number for p in each({FLOOR})), m.left_out())"
        )
        done = watch_process(
            [sys.executable, "-c", code, str(matter), str(run.asked.documents)], run.asked.seconds
        ).printed.split()
        counts.append((int(done[0]), int(done[1])))
    (one, left_out), (two, left_out_too) = counts
    if not left_out and not left_out_too:
        run.at_least("pairs found in ten waves, by those of one scan", 1, one / two if two else 1.0)
    return one == two


# --- peers -----------------------------------------------------------------------------------------------


def peers(run: Run) -> None:
    """truecopy's verified pairs beside gaoya's candidates, taking turns."""
    run.result.figures["peers"] = {}
    if run.asked.making.form != "files" or find_spec("gaoya") is None:
        run.result.figures["peers"]["missing"] = "gaoya"
        return
    rows = []
    for size in run.asked.peer_sizes:
        texts = run.texts if size <= run.asked.documents else run.written(f"texts-{size}", 0, size)
        given, documents = texts.first(size)
        files = [file for folder in given for file in sorted(folder.rglob("*.txt"))]
        listed, codes = run.asked.work / "peer-files.txt", run.asked.work / "peer-codes.npy"
        listed.write_text("".join(f"{file}\n" for file in files), encoding="utf-8")
        matter = run.asked.work / "beside"
        ours: list[Watched] = []
        theirs: list[dict[str, Any]] = []
        alone: dict[int, list[dict[str, Any]]] = {floor: [] for floor in PEER_FLOORS}
        for _ in range(run.asked.rounds):
            remove(matter)
            ours.append(run.truecopy("scan", *map(str, given), "--no-report", matter=matter))
            theirs.append(run.helper("gaoya", "--list", str(listed), "--codes", str(codes)))
            for floor, done in alone.items():
                done.append(run.helper("pairs", "--files", *map(str, given), "--floor", str(floor)))
        share = run.helper("found", str(matter), "--codes", str(codes), "--documents", str(documents))
        remove(matter)
        codes.unlink()
        best, peer = min(ours, key=lambda one: one.seconds), min(theirs, key=lambda one: one["seconds"])
        run.result.figures["peers"][str(size)] = {
            "documents": documents,
            "truecopy_seconds": round(best.seconds, 3),
            "truecopy_processor_seconds": round(best.processor_seconds, 3),
            "truecopy_stages": json.loads(best.printed)["seconds"],
            "truecopy_own": best.memory.own,
            "pairs": share["pairs"],
            "gaoya_seconds": round(peer["seconds"], 3),
            "gaoya_processor_seconds": round(peer["processor_seconds"], 3),
            "gaoya_own": peer["memory_own"],
            "gaoya_candidates": peer["candidates"],
            "gaoya_recall": share["recall"],
            "ratio": round(best.seconds / peer["seconds"], 3),
        }
        pairs_alone = {floor: min(done, key=lambda one: one["seconds"]) for floor, done in alone.items()}
        run.result.figures["peers"][str(size)]["pairs_alone"] = pairs_alone
        rows += [
            (
                f"{documents:,}", "truecopy scan", f"{best.seconds:.2f}", f"{best.processor_seconds:.2f}",
                f"{share['pairs']:,} verified pairs", "1.0000", "1.0000", megabytes(best.memory.own),
            ),
            *(
                (
                    f"{documents:,}", f"truecopy, pairs at {floor} %", f"{one['seconds']:.2f}",
                    f"{one['processor_seconds']:.2f}", f"{one['pairs']:,} verified pairs",
                    "1.0000" if floor <= FLOOR else "", "1.0000", megabytes(one["memory_own"]),
                )
                for floor, one in pairs_alone.items()
            ),
            (
                f"{documents:,}", "gaoya", f"{peer['seconds']:.2f}", f"{peer['processor_seconds']:.2f}",
                f"{peer['candidates']:,} candidates", f"{share['recall']['70']:.4f}", f"{share['recall']['80']:.4f}",
                megabytes(peer["memory_own"]),
            ),
        ]  # fmt: skip
        what = f"{documents:,} documents: seconds of truecopy's"
        if not run.result.arguments.small:
            for floor, one in pairs_alone.items():
                named = f"{what} pairs at {floor} %, by those of gaoya's candidates"
                run.at_most(named, 1, one["seconds"] / peer["seconds"])
            run.at_most(f"{what} whole scan, by those of gaoya's candidates", 1, best.seconds / peer["seconds"])
    columns = ("documents", "tool", "seconds", "processor s", "found", "of the pairs at 70 %", "at 80 %", "own MB")
    note = (
        "truecopy scan: the whole command at 70 %, with what texts contain, from its start to a matter on disk. The "
        "others: from files to pairs, or to the answers of gaoya's bulk query, modules imported before, copies among "
        f"them; gaoya's bands are made for 80 %. Best of {run.asked.rounds}."
    )
    run.result.tables.append(Table("Verified pairs beside a peer's candidates", columns, rows, note))


# --- questions -------------------------------------------------------------------------------------------


def commands(run: Run) -> None:
    """Each question as a command."""
    matter, files = run.matter(), run.asked_files()
    middle = run.asked.documents // 2
    asked = {
        "status": ("status",),
        f"documents --limit {PAGE}": ("documents", "--limit", str(PAGE)),
        f"groups --limit {PAGE}": ("groups", "--limit", str(PAGE)),
        "similar ID": ("similar", document_id(middle)),
        "similar FILE": ("similar", files[0]),
        "compare ID ID": ("compare", document_id(middle), document_id(middle + 1)),
    }
    rounds = 1 if run.result.arguments.small else 7
    figures, rows = {}, []
    for name, typed in asked.items():
        whole = [*command(*typed), "--matter", str(matter), "--json"]
        first = watch_process(whole, run.asked.seconds, look=0.01)  # reads and compiles what later ones need not
        taken = [watch_process(whole, run.asked.seconds) for _ in range(rounds)]
        best, median = min(one.seconds for one in taken), statistics.median(one.seconds for one in taken)
        figures[name] = {"best": round(best, 3), "median": round(median, 3), "memory_own": first.memory.own}
        rows.append((f"`truecopy {name}`", f"{best:.3f}", f"{median:.3f}", megabytes(first.memory.own)))
        run.at_most(f"truecopy {name}: seconds, median", COMMAND_SECONDS, median)
    run.result.figures["commands"] = figures
    note = f"From the start of the process to its end, {rounds} times."
    run.result.tables.append(Table("Questions as commands", ("command", "best s", "median s", "own MB"), rows, note))


def asked_open(run: Run) -> None:
    """Questions in an open matter."""
    budget = "1" if run.result.arguments.small else "15"
    said = run.helper(
        "open", str(run.matter()), "--documents", str(run.asked.documents), "--questions", str(run.asked.questions),
        "--seconds", budget, "--files", *run.asked_files(),
    )  # fmt: skip
    run.result.figures["open"] = said
    opening = statistics.median(said["open_ms"])
    rows = [("opening", f"{said['first_open_ms']:.1f}", f"{opening:.1f}", "", "", "")]
    run.at_most("opening a matter: ms", OPEN_MS, opening)
    for name, taken in said["questions"].items():
        one, eight = taken["one"], taken["eight"]
        rows.append(
            (
                name, f"{taken['first_ms']:.1f}", f"{one['p50']:.2f}", f"{one['p95']:.2f}", f"{eight['p50']:.2f}",
                f"{eight['p95']:.2f}",
            )
        )  # fmt: skip
        wanted = THRESHOLD_MS if name == "another threshold" else ANSWER_MS
        run.at_most(f"{name}: ms at the 95th percentile", wanted, one["p95"])
        if name != "another threshold":
            run.at_most(f"{name}, {THREADS} threads at once: ms at the 95th percentile", wanted, eight["p95"])
    columns = ("question", "first ms", "p50 ms", "p95 ms", f"p50 ms, {THREADS} threads", f"p95 ms, {THREADS} threads")
    missing = f" Not in this version: {', '.join(said['missing'])}." if said["missing"] else ""
    note = f"Documents at random, up to {run.asked.questions} of them.{missing}"
    run.result.tables.append(Table("Questions in an open matter", columns, rows, note))


def recall(run: Run) -> None:
    """A sample of answers against brute force."""
    if run.asked.making.spread:
        raise SystemExit("The recall of a sample is looked at where families are not spread.")
    said = run.helper(
        "recall", str(run.matter()), "--sample", str(run.asked.sample), "--seconds", "120", *run.about_texts()
    )
    run.result.figures["recall"] = said
    row = (f"{said['sample']:,}", f"{said['asked']:,}", f"{said['true_pairs']:,}", f"{said['recall']:.4f}")
    columns = ("sample", "asked about", "pairs by brute force", "recall", "pairs that are none")
    title = f"Answers of `similar` at {FLOOR} % against brute force"
    run.result.tables.append(Table(title, columns, [(*row, f"{said['not_true']:,}")]))
    run.at_least("recall of similar", 1, said["recall"])
    run.at_most("pairs of similar that are none", 0, said["not_true"])


# --- while it grows --------------------------------------------------------------------------------------


def busy(run: Run) -> None:
    """A wave is added, while one process writes and eight ask."""
    matter, files = run.matter(), run.asked_files()
    status = json.loads(run.truecopy("status", matter=matter).printed)
    first = max(run.asked.documents, int(status["documents"]))
    remove(run.asked.work / "busy")
    (run.asked.work / "busy.whole").unlink(missing_ok=True)
    texts = run.written("busy", first, max(10, run.asked.documents // 10))
    shared = [str(matter), "--documents", str(run.asked.documents), "--write", run.asked.write, "--files", *files]
    helpers = [_started("writer", *shared)]
    helpers += [_started("reader", *shared, "--seed", f"reader {number}") for number in range(READERS)]
    try:
        for one in helpers:
            assert one.stderr is not None
            if one.stderr.readline() != "ready\n":
                raise SystemExit(f"A reader or writer could not begin: {one.stderr.read()[-2000:]}")
        done = run.truecopy("add", str(texts.folder), "--wave", f"busy {time.time_ns()}", "--no-report", matter=matter)
        said = [json.loads(one.communicate(timeout=120)[0]) for one in helpers]
    finally:
        for one in helpers:
            if one.poll() is None:
                end_group(one)
    wave = _wave("the wave", texts.documents, done)
    writer, readers = said[0], said[1:]
    refused = [why for one in readers for why in one["refused"]]
    figures = {
        "wave": wave,
        "write": run.asked.write,
        "writes": summary(writer["taken"]),
        "writes_refused": writer["refused"][:10],
        "answers": summary(taken for one in readers for taken in one["taken"]),
        "answers_refused": len(refused),
        "refused": sorted(set(refused))[:10],
    }
    run.result.figures["busy"] = figures
    rows = [
        (
            name,
            f"{taken['asked']:,}",
            f"{taken['p50']:.1f}",
            f"{taken['p95']:.1f}",
            f"{taken['most']:.1f}",
            f"{refusals:,}",
        )
        for name, taken, refusals in (
            (f"writes of one process ({run.asked.write})", figures["writes"], len(writer["refused"])),
            (f"answers to {READERS} processes", figures["answers"], len(refused)),
        )
    ]
    note = f"The wave took {wave['seconds']:.1f} s. A write every {BETWEEN_WRITES:g} s at most; two cores for everyone."
    title = f"While a wave of {texts.documents:,} documents is added"
    run.result.tables.append(Table(title, ("what", "times", "p50 ms", "p95 ms", "longest ms", "refused"), rows, note))
    run.at_most("ms of a write while a wave is added, the longest", WRITE_MS, figures["writes"]["most"])
    run.at_most("writes refused while a wave is added", 0, len(writer["refused"]))
    run.at_most("answers refused while a wave is added", 0, len(refused))


def _started(mode: str, *typed: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(HELPER), mode, *typed],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


# --- the whole -------------------------------------------------------------------------------------------


STEPS: dict[str, Callable[[Run], None]] = {
    "waves": waves,
    "scan": scan,
    "peers": peers,
    "commands": commands,
    "open": asked_open,
    "recall": recall,
    "busy": busy,
}
"""In this order."""


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--documents", type=int, help=f"{SMALL:,} at small scale, {FULL:,} at full scale if left out")
    own.add_argument("--parts", default=",".join(STEPS), help=f"some of {','.join(STEPS)}")
    own.add_argument("--work", type=Path, metavar="DIR", help="where texts and matters stay; thrown away if left out")
    own.add_argument("--form", choices=FORMS, default="files")
    own.add_argument("--spread", action="store_true", help="families are spread over the waves")
    own.add_argument("--largest", type=int, default=LARGEST, help="documents of the largest family of each 10,000")
    own.add_argument("--seed", default=SEED)
    own.add_argument("--peer-documents", help="beside gaoya, such as 100000,300000")
    own.add_argument("--rounds", type=int, help="of scans and peers, of which the best counts")
    own.add_argument("--write", choices=WRITES, default="record", help="what is written while a wave is added")
    own.add_argument("--seconds", type=float, default=7200, help="a process that takes longer is ended")
    typed = sys.argv[1:] if given is None else list(given)
    if "-h" in typed or "--help" in typed:
        own.print_help()
    read, rest = own.parse_known_args(typed)
    shared = arguments(__doc__ or "", rest)
    use_cores()
    with tempfile.TemporaryDirectory() as thrown_away:
        work = read.work or Path(thrown_away)
        work.mkdir(parents=True, exist_ok=True)
        publish(_measured(shared, _asked(read, shared, work.resolve())))


def _asked(read: argparse.Namespace, shared: Arguments, work: Path) -> Asked:
    documents = read.documents or (SMALL if shared.small else FULL)
    parts = tuple(part for part in STEPS if part in read.parts.split(","))
    if unknown := set(read.parts.split(",")) - set(STEPS):
        raise SystemExit(f"No such part: {', '.join(sorted(unknown))}. There are {', '.join(STEPS)}.")
    if read.peer_documents:
        sizes = tuple(int(size) for size in read.peer_documents.split(","))
    else:
        sizes = (documents,) if shared.small else PEER_SIZES
    making = Making(make_pool(shared.data), read.seed, read.largest, read.form, read.spread)
    rounds = read.rounds or (1 if documents >= FULL or shared.small else 2)
    questions, sample = (40, 120) if shared.small else (400, 2000)
    return Asked(documents, parts, work, making, sizes, rounds, questions, sample, read.seconds, read.write)


def _measured(shared: Arguments, asked: Asked) -> Result:
    result = Result("matter", shared)
    result.figures = {"documents": asked.documents, "parts": list(asked.parts)}
    result.generated.update(made_up(asked.making.pool))
    run = Run(result, asked)
    for part in asked.parts:
        start = time.perf_counter()
        STEPS[part](run)
        if not shared.small:
            sys.stderr.write(f"{part}: {time.perf_counter() - start:,.1f} s\n")
    return result


if __name__ == "__main__":
    main()
