"""From arguments to exit code: the one place that prints, and the one form that errors have.

Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped by the user (Ctrl-C, or a signal that asks to end).
With `--json`, standard output is one object, whatever happens.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import sys
import threading
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Failure, Reply
from truecopy.cli.safe import safe
from truecopy.errors import TruecopyError
from truecopy.hints import pasted
from truecopy.stopping import check, holding
from truecopy.troubles import HINTS, Trouble, trouble

if TYPE_CHECKING:
    from rich.console import Console

STOPPED = "stopped; nothing is lost: run the same command again"
PROGRAM = "truecopy"
_EXIT_STOPPED = 130
_PLAINER = (
    (r"not a valid int(?:eger)?(?: range)?\.", "not a whole number."),
    (r"not a valid float(?: range)?\.", "not a number."),
    (r"(\S+) is not in the range x>=(\d+)\.", r"\1 was given, but \2 or more was expected."),
    (r"^No such option: (\S+)$", r"There is no option \1."),
    (
        r"^No such option: (\S+) (?:\(Possible options:|Did you mean) (.+?)[)?]$",
        r"There is no option \1; did you mean \2?",
    ),
    (r"^Got unexpected extra argument\S* \((.+)\)$", r"\1 was given, but nothing more was expected."),
)
"""What Typer says in the words of programmers, and what a user reads."""
_ITEMS_AT_ONCE = 2_000
"""How many items of a list become JSON at a time: no signal is heard meanwhile."""


@dataclass(slots=True)
class _Turn:
    """Decides who may print: the command or, if it does not end in time, the thread that ends the process."""

    as_json: bool = False
    printing: bool = False
    """Whether the command has begun to print."""
    stopped: bool = False
    """Whether it says itself that it was stopped."""
    taken: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, as_json: bool) -> None:
        """A command begins."""
        self.as_json, self.printing, self.stopped, self.taken = as_json, False, False, threading.Lock()

    def take(self, *, stopped: bool = False) -> None:
        """The command begins to print, or an error comes in between."""
        if not self.printing and not self.taken.acquire(blocking=False):
            threading.Event().wait()  # the process is ending, and the user has been told
        self.printing, self.stopped = True, stopped


_turn = _Turn()


def last_words() -> None:
    """Say that the command was stopped, if it does not say so itself; nothing here waits for its thread."""
    free = _turn.taken.acquire(blocking=False)
    if not free and _turn.stopped:
        return
    if free and _turn.as_json:
        os.write(1, _json_text({"ok": False, "error": _error("stopped", STOPPED, "")}).encode())
    else:
        os.write(2, f"{STOPPED}\n".encode())


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    _never_fail_on_characters()
    options, debug = _without_debug(arguments)
    as_json = "--json" in _before_separator(options)
    _turn.begin(as_json)
    if not options:
        options = ["--help"]
    try:
        check()
        with holding() as put_off:
            code = _answer(options, as_json, debug)
            sys.stdout.flush()
            if code == _EXIT_STOPPED:
                put_off.clear()
    except (Exception, KeyboardInterrupt) as error:
        if not _nobody_reads(error):
            return _fail(error, as_json, debug)
        # The reader of our output has seen enough. What is left in the buffer must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code if arguments else 2


def _nobody_reads(error: BaseException) -> bool:
    """Whether our output goes to a pipe that was closed; Windows calls that an invalid argument."""
    if isinstance(error, BrokenPipeError):
        return True
    invalid = isinstance(error, OSError) and error.errno == errno.EINVAL and not error.filename
    return os.name == "nt" and invalid


def _answer(options: list[str], as_json: bool, debug: bool) -> int:
    import typer

    from truecopy.cli.app import app

    # Typer 0.2x brings its own copy of Click; this finds the class of usage errors in either.
    usage_error: type[Exception] = typer.BadParameter.__mro__[1]
    try:
        with progress_for(as_json):  # a kernel that is compiled on its first use says so, whatever the command
            given = _never_asking_paths(typer.main.get_command(app)).main(
                args=options, prog_name=PROGRAM, standalone_mode=False
            )
    except usage_error as error:
        return _fail_usage(error, as_json)
    except TruecopyError as error:  # a value that our own parsers refuse
        return _fail(error, as_json, debug)
    except typer.Abort as stop:
        return _fail(KeyboardInterrupt() if isinstance(stop.__cause__, KeyboardInterrupt) else stop, as_json, debug)
    if isinstance(given, Failure):
        return _fail(given.error, as_json, debug)
    if isinstance(given, Reply):
        if given.as_json:
            text = _json_text(given.envelope())
            _turn.take()
            sys.stdout.write(text)
        else:
            # Whole or not at all, like JSON: whoever stops a command must not be left with half an answer.
            held = _Held()
            given.show(console(held))
            _turn.take()
            sys.stdout.write(held.getvalue())
        return given.exit_code
    if given == _EXIT_STOPPED:
        return _fail(KeyboardInterrupt(), as_json, debug)
    return given if isinstance(given, int) else 0


def _never_asking_paths(command: Any) -> Any:
    """The same commands, which tell themselves if a path cannot be read: Typer would call that wrong use."""
    for parameter in command.params:
        if hasattr(parameter.type, "readable"):
            parameter.type.readable = False
    for inner in getattr(command, "commands", {}).values():
        _never_asking_paths(inner)
    return command


class _Held(io.StringIO):
    """An answer on its way to standard output: it looks like that, and keeps what is written."""

    def isatty(self) -> bool:
        return sys.stdout.isatty()

    def fileno(self) -> int:
        return sys.stdout.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stdout.encoding


def console(held: _Held) -> Console:
    """Where people read the answer. Into a file or a pipe nothing is cut to a width."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else 1_000_000
    return Console(file=held, highlight=False, markup=False, emoji=False, width=wide)


def _fail(error: BaseException, as_json: bool, debug: bool) -> int:
    if debug and not isinstance(error, KeyboardInterrupt):
        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, KeyboardInterrupt):
        return _say("stopped", STOPPED, "", _EXIT_STOPPED, as_json)
    if isinstance(error, TruecopyError):
        return _say(error.code, error.message, error.hint, error.exit_code, as_json)
    if isinstance(error, OSError) and error.strerror:
        where = f": {os.fsdecode(error.filename)}" if error.filename else ""
        if (found := trouble(error)) in (Trouble.FULL, Trouble.UNREACHABLE):
            said = {Trouble.FULL: "The disk is full", Trouble.UNREACHABLE: "The disk or drive does not answer"}[found]
            return _say(found.value, f"{said}{where or '.'}", HINTS[found], 1, as_json)
        hint = "Check the path, its permissions and the free disk space."
        return _say("system", f"The operating system refused: {error.strerror}{where}", hint, 1, as_json)
    if isinstance(error, MemoryError):
        hint = f"Add the documents in smaller waves with {pasted('add', 'PATH')}, or close other programs."
        return _say("memory", "There is not enough memory for this.", hint, 1, as_json)
    message = f"Something went wrong inside truecopy (error {_error_id(error)})."
    hint = "Run with --debug for details, and report the error's id."
    return _say("internal", message, hint, 1, as_json)


def _fail_usage(error: Exception, as_json: bool) -> int:
    """Typer's own complaints, in our form: one sentence and what to do."""
    message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    for theirs, ours in _PLAINER:
        message = re.sub(theirs, ours, message)
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else PROGRAM
    hint = f"Run '{command} --help' to see how it is used."
    if re.match("There is no option -[^-]", message):
        hint += " A file name that begins with - is given behind --, or as ./-NAME."
    return _say("usage", message, hint, 2, as_json)


def _error(code: str, message: str, hint: str) -> dict[str, str]:
    return {"code": code, "message": message, "hint": hint}


def _say(code: str, message: str, hint: str, exit_code: int, as_json: bool) -> int:
    _turn.take(stopped=exit_code == _EXIT_STOPPED)
    if as_json:
        try:
            sys.stdout.write(_json_text({"ok": False, "error": _error(code, message, hint)}))
            sys.stdout.flush()
        except OSError:  # standard output failed: say it where somebody can see it
            sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 # nothing more is written to it, not even at the end
        else:
            return exit_code
    colored = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    red, plain = ("\x1b[31m", "\x1b[0m") if colored and exit_code != _EXIT_STOPPED else ("", "")
    sys.stderr.write(f"{red}{safe(message)}{plain}\n")
    if hint:
        sys.stderr.write(f"{safe(hint)}\n")
    return exit_code


def _json_text(value: dict[str, Any]) -> str:
    """An object as one line, its long lists a few items at a time: making JSON blocks every other thread.

    ASCII: no encoding of the terminal or the pipe can break it, and names stay harmless.
    """

    def pieces(one: Any) -> list[str]:
        if not isinstance(one, list) or len(one) <= _ITEMS_AT_ONCE:
            return [json.dumps(one, ensure_ascii=True, allow_nan=False)]
        parts = (one[first : first + _ITEMS_AT_ONCE] for first in range(0, len(one), _ITEMS_AT_ONCE))
        return ["[", ", ".join(json.dumps(part, ensure_ascii=True, allow_nan=False)[1:-1] for part in parts), "]"]

    members = (f"{json.dumps(name)}: {''.join(pieces(one))}" for name, one in value.items())
    return f"{{{', '.join(members)}}}\n"


def _error_id(error: BaseException) -> str:
    """Names the place in the code, so that one mistake has one id; nothing of the documents is in it."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
    return hashlib.sha256("|".join([type(error).__name__, *places]).encode()).hexdigest()[:8]


def _before_separator(arguments: Sequence[str]) -> Sequence[str]:
    """What comes before the first `--` that is not the value of an option, as Click reads it."""
    if "--" not in arguments:
        return arguments
    import typer

    from truecopy.cli.app import app

    command: Any = typer.main.get_command(app)
    place = 0
    while place < len(arguments) and arguments[place] != "--":
        word = arguments[place]
        place += 1
        if word in getattr(command, "commands", {}):
            command = command.commands[word]
        for option in command.params:
            if word in option.opts and not getattr(option, "is_flag", True):
                place += option.nargs
    return arguments[:place]


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """`--debug` can be given anywhere, so that it can be put after a command that failed."""
    count = len(_before_separator(arguments))
    kept = [word for i, word in enumerate(arguments) if i >= count or word != "--debug"]
    return kept, len(kept) < len(arguments) or bool(os.environ.get("TRUECOPY_DEBUG"))


def _never_fail_on_characters() -> None:
    """Show names escaped if the terminal's encoding cannot show them."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
