"""The reference page of all commands, made from the commands themselves so that it cannot be behind.

`python -m truecopy.cli.reference > docs/reference/commands.md` writes it; a test compares the two.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

OPENING = """# Commands

<!-- Made by `python -m truecopy.cli.reference`; a test fails when it is behind the code. -->

Every command has `--json`: it then prints one object, `{"ok": true, …}`, or
`{"ok": false, "error": {"code", "message", "hint"}}`, and nothing else on standard output.
`truecopy schema NAME` prints the JSON Schema that a command's object keeps to.

Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped. Ctrl-C stops a command within a second (so do
Ctrl-Break, SIGTERM and a closed terminal); a second Ctrl-C does not wait for it to tidy up. Nothing is lost:
run the same command again.

`--debug` may stand anywhere, and `TRUECOPY_DEBUG=1` means the same: an unexpected error then shows where in
the code it happened (what it prints may hold text of documents). `NO_COLOR=1` turns colors off. Progress is
shown on standard error when that is a terminal.
"""


def reference() -> str:
    """The page as Markdown."""
    from truecopy.cli.app import commands

    return "\n".join([OPENING, *(_command(name, command) for name, command in commands().items())])


def _command(name: str, command: Any) -> str:
    prose, _, example = inspect.cleandoc(command.help).partition("\b\nExample:\n")
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    usage = " ".join([f"truecopy {name}", *(_usage(argument) for argument in arguments), "[OPTIONS]"])
    lines = [f"## {name}", "", prose.strip(), "", "```", usage, "```", "", "For example:", "", "```"]
    lines += [*inspect.cleandoc(example).splitlines(), "```", "", "| | meaning | default |", "|---|---|---|"]
    lines += [_row(argument.metavar, argument) for argument in arguments]
    lines += [_row(_spelled(option), option) for option in options]
    return "\n".join(lines) + "\n"


def _usage(argument: Any) -> str:
    text = f"{argument.metavar}{'...' if argument.nargs == -1 else ''}"
    return text if argument.required else f"[{text}]"


def _spelled(option: Any) -> str:
    return " ".join([*option.opts, *([] if option.is_flag or not option.metavar else [option.metavar])])


def _row(what: str, param: Any) -> str:
    default = param.default
    shown = "" if default is None or default is False or param.required else f"`{default}`"
    what = what.replace("|", "\\|")
    return f"| `{what}` | {(param.help or '').replace('|', chr(92) + '|')} | {shown} |"


if __name__ == "__main__":
    sys.stdout.write(reference())
