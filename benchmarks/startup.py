"""Start-up: `truecopy --help`, and the first scan on a machine, which has to compile the kernels.

python benchmarks/startup.py --scale full
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common import Contender, arguments, collection, race, run_process, scan_process, use_cores
from results import Result, Table, Target, publish

DOCUMENTS = 60
"""Enough that a scan has pairs of every relation, and so needs every kernel."""
HELP_ROUNDS = 10
SECOND_ROUNDS = 3
PROMISED_HELP = 0.3
PROMISED_PREPARING = 15


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores()
    result = Result("startup", asked)
    help_seconds = race([Contender("help", lambda: run_process([*_command(), "--help"]), HELP_ROUNDS)])["help"].best
    texts = collection("licenses", asked.data, DOCUMENTS)
    if texts.generated:
        result.generated.add("licenses")
    with tempfile.TemporaryDirectory() as cache:
        first = scan_process(texts.given, TRUECOPY_CACHE=cache)
        again = [scan_process(texts.given, TRUECOPY_CACHE=cache) for _ in range(SECOND_ROUNDS)]
        kernels = sum(file.stat().st_size for file in Path(cache).rglob("*") if file.is_file())
    second = min(again, key=lambda run: run.seconds)
    preparing = first.seconds - second.seconds
    result.figures = {
        "help_seconds": round(help_seconds, 4),
        "first_scan_seconds": round(first.seconds, 2),
        "second_scan_seconds": round(second.seconds, 2),
        "preparing_seconds": round(preparing, 2),
        "preparing_processor_seconds": round(first.processor_seconds - second.processor_seconds, 2),
        "preparing_seconds_as_said": json.loads(first.printed)["seconds"].get("preparing"),
        "kernel_bytes": kernels,
    }
    rows = [
        ("truecopy --help, warm, best of 10", f"{help_seconds:.3f}"),
        (f"first scan of {DOCUMENTS} licenses, no kernel compiled", f"{first.seconds:.2f}"),
        ("second scan, best of 3", f"{second.seconds:.2f}"),
        ("preparing: the first less the second", f"{preparing:.2f}"),
    ]
    result.tables.append(Table("Start-up", ("what", "seconds"), rows))
    result.targets.append(Target.at_most("seconds of truecopy --help", PROMISED_HELP, help_seconds))
    result.targets.append(Target.at_most("seconds of preparing for scan", PROMISED_PREPARING, preparing))
    publish(result)


def _command() -> list[str]:
    """The installed command, else the module."""
    installed = Path(sys.executable).parent / "truecopy"
    return [str(installed)] if installed.is_file() else [sys.executable, "-m", "truecopy"]


if __name__ == "__main__":
    main()
