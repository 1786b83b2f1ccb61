"""Questions to a matter, asked in a process of their own for benchmarks/matter.py; each prints one JSON object.

open      how long opening and every question takes, by one thread and by eight at once
reader    asks until its standard input ends, while others write
writer    writes until its standard input ends, while a wave is read
files     writes files that are like documents of the matter, and are not in it
recall    whether the answers about a sample of documents are those of brute force
gaoya     files to gaoya's candidates
pairs     the same files to truecopy's verified pairs, by its own functions, without a matter
found     which of a matter's pairs are among candidates
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from common import CORES
from documents import Documents, read_pool

THREADS = 8
PAGE = 50
THRESHOLDS = (75, 80, 85, 90, 95)
WARM = 5
"""Questions that are not timed, of each kind."""
PAUSE = 0.02
"""Seconds between two questions of a reader."""
BETWEEN_WRITES = 0.25
FLOOR = 70

Question = Callable[[int], object]
"""Asks about the document at a place of a list."""


def document_id(number: int) -> str:
    """The id of a document by its number, which counts from 1."""
    return f"TC-{number:06d}"


# --- an open matter --------------------------------------------------------------------------------------


def ask_open(given: argparse.Namespace) -> dict[str, Any]:
    """Open a matter, then ask each question, first by one thread, then by eight at once."""
    import truecopy

    def opened() -> float:
        start = time.perf_counter()
        truecopy.open(given.matter)
        return 1000 * (time.perf_counter() - start)

    opening = [opened() for _ in range(6)]
    matter = truecopy.open(given.matter)
    dice = random.Random(given.seed)
    numbers = [dice.randrange(1, given.documents) for _ in range(given.questions)]
    ids, next_ids = list(map(document_id, numbers)), [document_id(number + 1) for number in numbers]
    files = [Path(file) for file in given.files]
    steps = len(THRESHOLDS)
    questions: dict[str, Question | None] = {
        "statuses": lambda _: matter.statuses(),
        "document": lambda place: matter.document(ids[place]),
        "document_page": _page(matter, "document_page"),
        "group_page": _page(matter, "group_page"),
        "similar, a document": lambda place: matter.similar(ids[place]),
        "similar, a file": lambda place: matter.similar(files[place % len(files)]),
        "compare": lambda place: matter.compare(ids[place], next_ids[place]),
        "another threshold": lambda place: matter.similar(ids[place // steps], THRESHOLDS[place % steps]),
    }
    answers: dict[str, Any] = {}
    for name, question in questions.items():
        if question is None:
            continue
        start = time.perf_counter()
        question(0)
        first = 1000 * (time.perf_counter() - start)
        asked_at_once(question, WARM, 1, given.seconds)  # compiles what is not compiled yet
        answers[name] = {
            "first_ms": round(first, 3),
            "one": summary(asked_at_once(question, len(ids), 1, given.seconds)),
            "eight": summary(asked_at_once(question, len(ids), THREADS, given.seconds)),
        }
    missing = [name for name, question in questions.items() if question is None]
    return {"first_open_ms": opening[0], "open_ms": opening[1:], "questions": answers, "missing": missing}


def _page(matter: Any, name: str) -> Question | None:
    """A page from the beginning, or none where this version has no pages."""
    ask = getattr(matter, name, None)
    return None if ask is None else lambda _: ask(limit=PAGE)


def asked_at_once(question: Question, count: int, threads: int, seconds: float) -> list[float]:
    """Milliseconds of each of so many questions, asked by several threads until the time is over."""
    until = time.perf_counter() + seconds
    taken: list[float] = []
    together = threading.Barrier(threads)

    def work(places: range) -> None:
        together.wait()
        for place in places:
            start = time.perf_counter()
            question(place)
            end = time.perf_counter()
            taken.append(1000 * (end - start))
            if end > until:
                return

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, range(thread, count, threads)) for thread in range(threads)]:
            done.result()
    return taken


def summary(taken: Iterable[float]) -> dict[str, float]:
    """Median, 95th percentile and the longest of some times."""
    ordered = sorted(taken)
    if not ordered:
        return {"asked": 0, "p50": 0.0, "p95": 0.0, "most": 0.0}
    late = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    found = {"p50": statistics.median(ordered), "p95": late, "most": ordered[-1]}
    return {"asked": len(ordered), **{name: round(value, 3) for name, value in found.items()}}


# --- while others write ----------------------------------------------------------------------------------


def ask_while_busy(given: argparse.Namespace) -> dict[str, Any]:
    """One reader: questions with pauses, until the standard input ends; an answer that is refused is counted."""
    import truecopy

    matter = truecopy.open(given.matter)
    dice = random.Random(given.seed)

    def once() -> None:
        number = document_id(dice.randrange(1, given.documents))
        dice.choice((matter.statuses, lambda: matter.document(number), lambda: matter.similar(number)))()

    return _until_told(once, PAUSE)


def _until_told(once: Callable[[], None], pause: float) -> dict[str, Any]:
    """Do something again and again: milliseconds of each time that it was done, and why it was not."""
    once()
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    sys.stderr.write("ready\n")
    sys.stderr.flush()
    taken, refused = [], []
    while not over.wait(pause):
        start = time.perf_counter()
        try:
            once()
            taken.append(1000 * (time.perf_counter() - start))
        except Exception as error:  # whatever it is, it was not done
            refused.append(f"{type(error).__name__}: {error}")
    return {"taken": taken, "refused": refused}


def _record(matter: Any, _: argparse.Namespace) -> None:
    """The least that a writer can do: take the lock, add an entry to the audit log, commit."""
    with matter._store.writing() as state:
        if hasattr(state, "audit"):
            state.audit.record("note", {"by": "benchmark"})
        else:
            from truecopy.matter.audit import record

            record(state, "note", {"by": "benchmark"})


_added = itertools.count(1)


def _add(matter: Any, given: argparse.Namespace) -> None:
    """Add one document as a wave of its own."""
    file = Path(given.files[0]).with_name(f"added-{time.time_ns()}.txt")
    file.write_text(f"One more document, number {next(_added)}: {' '.join(map(str, range(100)))}\n", encoding="utf-8")
    matter.add(file)


WRITES: dict[str, Callable[[Any, argparse.Namespace], None]] = {"record": _record, "add": _add}


def write_while_busy(given: argparse.Namespace) -> dict[str, Any]:
    """One writer."""
    import truecopy

    matter = truecopy.open(given.matter)
    return _until_told(lambda: WRITES[given.write](matter, given), BETWEEN_WRITES)


# --- texts -----------------------------------------------------------------------------------------------


def write_files(given: argparse.Namespace) -> dict[str, Any]:
    """Versions of documents, from all over the collection."""
    documents = _documents(given)
    for place, file in enumerate(given.files):
        words = documents.text(given.documents * place // len(given.files)).split(" ")
        words[3:6] = ["something", "else", f"number{place}"]
        Path(file).write_text(" ".join(words), encoding="utf-8")
    return {"files": len(given.files)}


def _documents(given: argparse.Namespace) -> Documents:
    return Documents(read_pool(Path(given.pool)), given.text_seed, given.largest)


# --- nothing is missed -----------------------------------------------------------------------------------


def recall_of_sample(given: argparse.Namespace) -> dict[str, Any]:
    """Of the similar pairs in a sample of documents, by brute force, the share that `similar` gives; and what it
    gives that brute force does not.
    """
    from truth import similar_pairs

    import truecopy

    matter = truecopy.open(given.matter)
    documents = _documents(given)
    dice = random.Random(given.seed)
    run = max(1, given.sample // 10)
    sample = {dice.randrange(given.documents) for _ in range(given.sample // 2)}
    for _ in range(5):
        start = dice.randrange(given.documents)
        sample.update(range(start, min(start + run, given.documents)))
    numbers = sorted(sample)
    codes = similar_pairs([documents.text(number).encode() for number in numbers], FLOOR)
    true = {(numbers[code // len(numbers)], numbers[code % len(numbers)]) for code in codes.tolist()}
    until = time.perf_counter() + given.seconds
    asked, found = set(), set()
    for number in dice.sample(numbers, len(numbers)):
        asked.add(number)
        for hit in matter.similar(document_id(number + 1), FLOOR):
            other = hit.document.number - 1
            if other in sample:
                found.add((min(number, other), max(number, other)))
        if time.perf_counter() > until:
            break
    true = {pair for pair in true if asked & set(pair)}
    return {
        "sample": len(numbers),
        "asked": len(asked),
        "true_pairs": len(true),
        "recall": len(true & found) / len(true) if true else 1.0,
        "not_true": len(found - true),
    }


# --- gaoya -----------------------------------------------------------------------------------------------


def gaoya_candidates(given: argparse.Namespace) -> dict[str, Any]:
    """Files to candidates, in seconds by stage; modules are imported and threads started before."""
    import numpy as np
    import peers

    files = [Path(line) for line in Path(given.list).read_text(encoding="utf-8").splitlines()]
    peers.gaoya_pairs(files[:8])
    start, used = time.perf_counter(), time.process_time()
    found = peers.gaoya_pairs(files)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    codes = peers.neighbor_codes(found)
    np.save(given.codes, codes)
    return {"seconds": seconds, "processor_seconds": used, "candidates": len(codes), "documents": len(files)}


def verified_pairs(given: argparse.Namespace) -> dict[str, Any]:
    """The same files to verified pairs, as an engine without a store finds them; copies are among them."""
    import numpy as np
    from candidates import read_words

    from truecopy.index.choose import ExactJoin
    from truecopy.index.pieces import PieceJoin
    from truecopy.pairing import find_similar

    def found(given_paths: list[Path], floor: float) -> tuple[int, dict[str, float]]:
        words = read_words(given_paths, CORES)
        start = time.perf_counter()
        every = np.ones(len(words.streams), np.bool_)
        pairs = find_similar(words.streams, words.bags, floor, 1, every, CORES).pairs
        return len(pairs), words.seconds | {"pairs": time.perf_counter() - start}

    folders = list(map(Path, given.files))
    few = sorted(folders[0].rglob("*.txt"))[:50]
    found(few, given.floor)
    words = read_words(few, CORES)
    PieceJoin(words.streams, ExactJoin(words.bags, given.floor).ordered, given.floor, CORES).pairs(
        np.ones(len(words.streams), np.bool_), CORES
    )
    start, used = time.perf_counter(), time.process_time()
    pairs, stages = found(folders, given.floor)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    return {"seconds": seconds, "processor_seconds": used, "pairs": pairs, "stages": stages}


def found_by_peer(given: argparse.Namespace) -> dict[str, Any]:
    """The share of a matter's verified pairs that is among a peer's candidates."""
    import numpy as np
    from truth import as_codes, recall

    import truecopy

    matter = truecopy.open(given.matter)
    codes = np.load(given.codes)
    each = getattr(matter, "each_pair", None) or matter.pairs
    columns = [(pair.a.number - 1, pair.b.number - 1, pair.scores.similarity) for pair in each(FLOOR)]
    pairs = np.array(columns, np.float64).reshape(-1, 3)
    shares = {}
    for threshold in (FLOOR, 80, 90):
        some = pairs[pairs[:, 2] >= threshold]
        shares[str(threshold)] = recall(codes, as_codes(some[:, 0], some[:, 1], given.documents))
    return {"pairs": len(pairs), "recall": shares}


MODES: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "open": ask_open,
    "reader": ask_while_busy,
    "writer": write_while_busy,
    "files": write_files,
    "recall": recall_of_sample,
    "gaoya": gaoya_candidates,
    "pairs": verified_pairs,
    "found": found_by_peer,
}


def main() -> None:
    """Ask."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("matter", nargs="?")
    parser.add_argument("--documents", type=int, help="documents of the matter that may be asked about")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10, help="after so long, no further question is asked")
    parser.add_argument("--seed", default="asking")
    parser.add_argument("--write", choices=WRITES, default="record")
    parser.add_argument("--files", nargs="*", default=[], help="files to ask about")
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--pool")
    parser.add_argument("--text-seed")
    parser.add_argument("--largest", type=int)
    parser.add_argument("--list", help="a file that lists files")
    parser.add_argument("--floor", type=float, default=FLOOR)
    parser.add_argument("--codes", help="where a peer's candidates are kept")
    given = parser.parse_args()
    sys.stdout.write(json.dumps(MODES[given.mode](given)) + "\n")


if __name__ == "__main__":
    main()
