"""A process with everything loaded that starts children to add or to scan, and kills them when it is told to.

For each request (a JSON list: action, matter, paths) on standard input it forks a child and says `began`; on
`kill` it kills the child, on `wait` it lets it end; then it says `ended` and how. A child begins with its work at
once, so that a moment of its life is a moment of the work and not of starting Python.

With the argument `ahead` a small wave is written as a large one is: its rows ahead of it, here a few in a transaction.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from pathlib import Path


def work(action: str, matter: str, paths: list[str]) -> None:
    """What the child does."""
    import truecopy as tc

    if action == "add":
        tc.open(matter).add(paths)
    else:
        tc.scan(paths, matter, report=False)


def warm() -> None:
    """Load every module and kernel that the children need."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.txt" for number in range(3)]
        for number, file in enumerate(files):
            file.write_text(" ".join(f"word{i + number // 2}" for i in range(80)))
        matter = str(Path(folder) / "matter")
        work("scan", matter, [str(file) for file in files[:2]])
        work("add", matter, [str(files[2])])


def write_few_at_once() -> None:
    """Write the rows of every wave, but a matter's first, ahead of it, and few of them in each transaction."""
    from truecopy.matter.change import ahead, rows

    ahead.MANY, ahead.SHARE, rows._ROWS_AT_ONCE = 1, 0.0, 4


def main() -> None:
    if sys.argv[1:] == ["ahead"]:
        write_few_at_once()
    warm()
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            try:
                work(*request)
            finally:
                os._exit(0)
        print("began", flush=True)
        if sys.stdin.readline() == "kill\n":
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(f"ended {'killed' if os.WIFSIGNALED(status) else 'itself'}", flush=True)


if __name__ == "__main__":
    main()
