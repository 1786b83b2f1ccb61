"""The command line: the library's functions, one command each.

run          from arguments to exit code: one JSON envelope, one form of error
signals      Ctrl-C: an answer at once, and an end within a second
app          the Typer application: every command is added here
options      the options that commands share
reply        what a command hands back: data for `--json`, and how to show it to a person
shapes       the model as JSON, in the contract's shapes
commands/    one file for each command
progress     progress bars on the terminal
lists        what every list has: order, limit, files, names that tell documents apart
export       lists as CSV and Parquet
safe         text that cannot do anything to a terminal
table        aligned columns at any width, quick for many thousands of rows
summary      what several commands tell a person in the same words
redline      a comparison as colored words
report_file  where a report goes
checks       what `doctor` looks at
reference    the reference page, made from the commands
"""

from __future__ import annotations

import gc
import sys

_BETWEEN_COLLECTIONS = (700_000, 5, 100)
"""A command imports half a million objects that it keeps to its end. Python by itself would search them for garbage
again and again, which takes a tenth of a short scan. A question ends before it has made as many more, and searches
none."""


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    from truecopy.cli.signals import Watch

    watch = Watch()
    watch.listen()
    gc.set_threshold(*_BETWEEN_COLLECTIONS)
    from truecopy.cli.run import last_words, run

    code = watch.run(lambda: run(sys.argv[1:]), last_words)
    gc.freeze()  # otherwise the interpreter searches them all once more before it ends
    sys.exit(code)
