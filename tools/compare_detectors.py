"""Compare detectors of encodings on the samples of the tests: how many are read right, and how long each takes.

    python tools/compare_detectors.py [--old FOLDER]

Reads the collection `policies-languages` (see `tests/collections_data.py`) and our own sentences. Other detectors take
part if they are installed: charset-normalizer, chardet, cchardet, chardetng_py. `--old` names the `src` folder of an
earlier truecopy. The table is in `docs/explanation/reading-files.md`.
"""

from __future__ import annotations

import importlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "read")]
SEED = 20_261
Detector = Callable[[bytes], str | None]


def main(arguments: list[str]) -> None:
    """Print the table."""
    if arguments[:1] == ["--old"]:
        sys.path.insert(0, arguments[1])
        print(row("truecopy before", _old()))
        return
    sys.path.insert(0, str(ROOT / "src"))
    print(f"{'':22} {'long':>7} {'short':>7} {'ms a text':>10}")
    for name, detector in detectors():
        print(row(name, detector))


def row(name: str, detector: Detector) -> str:
    """One line of the table."""
    from encoding_samples import LONG

    counts = {True: [0, 0], False: [0, 0]}
    taken = 0.0
    every = all_samples()
    for sample in every:
        start = time.process_time()
        text = detector(sample.data)
        taken += time.process_time() - start
        counts[sample.lines == LONG][0] += text == sample.text
        counts[sample.lines == LONG][1] += 1
    shares = [100 * counts[long][0] / counts[long][1] for long in (True, False)]
    return f"{name:22} {shares[0]:6.1f}% {shares[1]:6.1f}% {1000 * taken / len(every):10.2f}"


def all_samples() -> list[Any]:
    """The samples of the tests."""
    from encoding_samples import OWN, POLICIES, own_lines, policy_lines, samples

    from collections_data import find_collection

    policies = find_collection("policies-languages")
    texts = {language: own_lines(language) for language in OWN}
    if policies is not None:
        texts = {language: policy_lines(policies, language) for language in POLICIES} | texts
    return list(samples(texts, random.Random(SEED), long=2, short=2))


def _old() -> Detector:
    from truecopy.read.decode import to_utf8

    def detector(data: bytes) -> str | None:
        found = to_utf8(data)
        return None if found is None else found.decode()

    return detector


def by_name(detect: Callable[[bytes], str | None]) -> Detector:
    """A detector that names an encoding."""

    def detector(data: bytes) -> str | None:
        try:
            return data.decode(detect(data) or "utf-8").removeprefix("\ufeff")
        except (UnicodeError, LookupError, ValueError):
            return None

    return detector


def _encoding(match: object) -> str | None:
    return getattr(match, "encoding", None)


def detectors() -> Iterator[tuple[str, Detector]]:
    """Ours, and all others that are installed."""
    yield "truecopy", _old()
    for module, name, detect in (
        ("charset_normalizer", "charset-normalizer", lambda m: lambda data: _encoding(m.from_bytes(data).best())),
        ("chardet", "chardet", lambda m: lambda data: m.detect(data)["encoding"]),
        ("cchardet", "cchardet (uchardet)", lambda m: lambda data: m.detect(data)["encoding"]),
        ("chardetng_py", "chardetng", lambda m: m.detect),
    ):
        try:
            yield name, by_name(detect(importlib.import_module(module)))
        except ImportError:
            print(f"{name:22} is not installed", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
