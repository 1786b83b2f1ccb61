"""A process that gets ready, waits for a line, and then adds to a matter or scans: made to be killed.

    python whole_adder.py add|scan MATTER PATH…

It says `ready` once everything is loaded, so that a moment after the line falls into the work itself and not
into starting Python; `began` when the work begins; and `done` when it has ended.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main() -> None:
    action, matter, *paths = sys.argv[1:]
    import truecopy as tc

    with tempfile.TemporaryDirectory() as warm:
        file = Path(warm) / "warm.txt"
        file.write_text("words enough for a text that is long enough to be compared with another one")
        tc.scan(file, Path(warm) / "matter", report=False).add(file)
    print("ready", flush=True)
    sys.stdin.readline()
    print("began", flush=True)
    if action == "add":
        tc.open(matter).add(paths)
    else:
        tc.scan(paths, matter, report=False)
    print("done", flush=True)


if __name__ == "__main__":
    main()
