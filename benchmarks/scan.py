"""From files to candidate pairs: truecopy beside gaoya, rensa and datasketch, on the same files in one run.

    python benchmarks/scan.py --scale full

Kernels are compiled and modules imported before the clock starts; everyone has two cores. Recall is measured
for everyone at 80 % word-level similarity against brute force. Further rows: the whole `truecopy scan` as a
command (start-up, verification, store and report included), and the exact join alone at several thresholds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import peers
from candidates import Words, find_candidates, read_words
from common import CORES, Collection, Contender, arguments, collection, race, scan_process, use_cores
from results import Result, Table, Target, megabytes, publish
from truth import recall, similar_pairs

THRESHOLD = 80
BANDS_RECALL = 0.999
FLOORS = (80, 70)
JOINED_AT = (90, 80, 70, 60)
SMALL = {"policies": 300, "licenses": 400}
WHOLE_SCAN_PROMISED = "policies"
"""Where the whole scan is promised to end before rensa has its candidates."""
PROMISED = {"gaoya": 4, "rensa": 10, "datasketch": 30}
ROUNDS = {"truecopy overlap": 7, "truecopy bands": 7, "gaoya": 5, "rensa": 3, "datasketch": 2}


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores()
    result = Result("scan", asked)
    missing = [name for name in peers.PAIRS if not peers.installed(name)]
    result.figures = {
        "threshold": THRESHOLD,
        "missing": missing,
        "collections": {},
        "whole_scan": {},
        "join": {},
    }
    for name, part in SMALL.items():
        texts = collection(name, asked.data, part if asked.small else None)
        if texts.generated:
            result.generated.add(name)
        _candidates(result, texts, [peer for peer in peers.PAIRS if peer not in missing])
        _whole_scan(result, texts)
        _join(result, texts)
    if not asked.small:
        bills = collection("bills", asked.data)
        if not bills.generated:
            _join(result, bills)
    publish(result)


# --- candidates ------------------------------------------------------------------------------------------


def _candidates(result: Result, texts: Collection, others: list[str]) -> None:
    """Race everyone from files to candidate pairs at the threshold."""
    runs: dict[str, Callable[[Collection], Any]] = {
        "truecopy overlap": lambda part: find_candidates(part.given, THRESHOLD, 1, CORES),
        "truecopy bands": lambda part: find_candidates(part.given, THRESHOLD, BANDS_RECALL, CORES),
    }
    for name in others:
        runs[name] = partial(_peer, name)
    few = texts.files[:8]
    warm = Collection(texts.name, few, few, texts.generated, 0)
    for run in runs.values():  # compiles kernels, imports modules, starts thread pools
        run(warm)
    rounds = {name: min(ROUNDS[name], 2) if result.arguments.small else ROUNDS[name] for name in runs}
    timings = race([Contender(name, partial(run, texts), rounds[name]) for name, run in runs.items()])
    true = similar_pairs(texts.texts(), THRESHOLD)
    tools: dict[str, dict[str, Any]] = {}
    for name, timing in timings.items():
        ours = name.startswith("truecopy")
        codes = timing.given.codes(texts.files) if ours else peers.neighbor_codes(timing.given)
        tools[name] = {
            "seconds": round(timing.best, 4),
            "all_seconds": [round(seconds, 4) for seconds in timing.seconds],
            "megabytes_a_second": round(texts.size / 1e6 / timing.best, 1),
            "candidates": len(codes),
            "recall": round(recall(codes, true), 6),
        }
        if ours:
            stages = {stage: round(seconds, 4) for stage, seconds in timing.given.seconds.items()}
            tools[name] |= {"generator": timing.given.generator, "stated_recall": timing.given.recall}
            tools[name] |= {"stages_of_last_round": stages}
    ratios = {
        ours: {other: round(tools[other]["seconds"] / tools[ours]["seconds"], 2) for other in others}
        for ours in ("truecopy overlap", "truecopy bands")
    }
    result.figures["collections"][texts.name] = {
        "documents": len(texts.files),
        "bytes": texts.size,
        "true_pairs": len(true),
        "tools": tools,
        "ratios": ratios,
    }
    _candidates_table(result, texts, len(true), tools, ratios)


def _peer(name: str, texts: Collection) -> peers.Neighbors:
    return peers.PAIRS[name](texts.files)


def _candidates_table(
    result: Result, texts: Collection, true: int, tools: dict[str, Any], ratios: dict[str, dict[str, float]]
) -> None:
    exact = ratios["truecopy overlap"]
    rows = []
    for name, tool in tools.items():
        times = f"{exact[name]:.1f} x" if name in exact else ""
        rows.append((name, f"{tool['seconds']:.3f}", f"{tool['candidates']:,}", f"{tool['recall']:.4f}", times))
        if name in exact and result.arguments.scale == "full":
            what = f"{texts.name}: times as fast as {name}"
            result.targets.append(Target.at_least(what, PROMISED[name], exact[name]))
    result.tables.append(
        Table(
            f"Files to candidate pairs at {THRESHOLD} %: {texts.name}, {len(texts.files):,} documents, "
            f"{megabytes(texts.size)} MB, {true:,} true pairs",
            ("tool", "seconds", "candidates", "recall", "exact truecopy is faster by"),
            rows,
        )
    )
    best = max((tool["recall"] for name, tool in tools.items() if name in exact), default=0.0)
    for ours in ratios:
        result.targets.append(Target.at_least(f"{texts.name}: recall, {ours}", best, tools[ours]["recall"]))


# --- the whole scan --------------------------------------------------------------------------------------


def _whole_scan(result: Result, texts: Collection) -> None:
    """The command, from its start to its end, with verification, store and report."""
    rounds = 1 if result.arguments.small else 3
    runs = {
        str(floor): partial(scan_process, texts.given, "--threshold", str(THRESHOLD), "--floor", str(floor))
        for floor in FLOORS
    }
    runs[str(FLOORS[0])]()  # compiles what is not compiled yet
    timings = race([Contender(floor, run, rounds) for floor, run in runs.items()])
    figures = {floor: round(timing.best, 3) for floor, timing in timings.items()}
    result.figures["whole_scan"][texts.name] = {
        "seconds_by_floor": figures,
        "stages_of_last_round": {
            floor: json.loads(timing.given.printed)["seconds"] for floor, timing in timings.items()
        },
    }
    rows = [(f"truecopy scan --threshold 80 --floor {floor}", f"{seconds:.2f}") for floor, seconds in figures.items()]
    tools = result.figures["collections"][texts.name]["tools"]
    if "rensa" in tools:
        candidates_alone = tools["rensa"]["seconds"]
        result.figures["whole_scan"][texts.name]["rensa_candidates_alone"] = candidates_alone
        rows.append(("rensa, candidates alone", f"{candidates_alone:.2f}"))
        if texts.name == WHOLE_SCAN_PROMISED and not result.arguments.small:
            what = f"{texts.name}: seconds of the whole scan at floor 80 (rensa's candidates alone)"
            result.targets.append(Target.at_most(what, candidates_alone, figures[str(FLOORS[0])]))
    title = f"The whole scan, as a command: {texts.name}"
    note = "Wall time from the start of the process to its end; kernels compiled before."
    result.tables.append(Table(title, ("run", "seconds"), rows, note))


# --- the exact join --------------------------------------------------------------------------------------


def _join(result: Result, texts: Collection) -> None:
    """The exact join alone, from bags of words to candidates, at several thresholds."""
    words = read_words(texts.given, CORES)
    rounds = 1 if result.arguments.small or len(texts.files) > 5000 else 3
    runs = [Contender(str(threshold), partial(_join_once, words, threshold), rounds) for threshold in JOINED_AT]
    timings = race(runs)
    result.figures["join"][texts.name] = {
        threshold: {"seconds": round(timing.best, 4), "candidates": timing.given}
        for threshold, timing in timings.items()
    }
    rows = [(f"{name} %", f"{timing.best:.3f}", f"{timing.given:,}") for name, timing in timings.items()]
    title = f"The exact join alone: {texts.name}, {len(texts.files):,} documents"
    result.tables.append(Table(title, ("threshold", "seconds", "candidates"), rows))


def _join_once(words: Words, threshold: int) -> int:
    from truecopy.index.choose import ExactJoin

    join = ExactJoin(words.bags, threshold)
    a, _ = join.pairs(np.ones(len(words.streams), np.bool_), CORES)
    return len(a)


if __name__ == "__main__":
    main()
