"""A process with everything loaded that starts children which open a matter, and kills them when it is told to.

For each line on standard input, the folder of a matter, it forks a child and says `began`; on `kill` it kills the
child, on `wait` it lets it end; then it says `ended` and how. A child begins with its work at once, so that a moment of
its life is a moment of bringing the matter forward and not of starting Python. The matter that is named first is
opened by the process itself, so that all is loaded and compiled.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    import truecopy as tc

    tc.open(sys.argv[1]).documents()
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                tc.open(line.rstrip("\n"))
            finally:
                os._exit(0)
        print("began", flush=True)
        if sys.stdin.readline() == "kill\n":
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(f"ended {'killed' if os.WIFSIGNALED(status) else 'itself'}", flush=True)


if __name__ == "__main__":
    main()
