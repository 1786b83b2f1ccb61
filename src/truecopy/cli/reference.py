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

`--debug` can be given anywhere, and `TRUECOPY_DEBUG=1` means the same: an unexpected error then shows where in
the code it happened (what it prints may hold text of documents). `NO_COLOR=1` turns colors off. Progress is
shown on standard error when that is a terminal.

A document of a matter has several names: its id in full or short (`TC-000177`, `tc-177`, `177`), its path, its file
name, or the end of its path from a folder on (`board/minutes.docx`). The id comes first, then the path, then file name
and end; a name that several documents have is refused, and the choices are listed. Where a file on disk and a document
of the matter have the same name, the document of the matter is meant; `./minutes.docx` or a full path is always the
file.

A threshold is a percentage above 1 and up to 100, `80` or `80%`; 0.8 is refused, because 80 may be meant.

Every list (`documents`, `groups`, `pairs`, `similar`) has `--limit`, `--sort` and `--reverse`, and goes to a file with
`--csv` (for spreadsheets: UTF-8 with a mark at the beginning, and an apostrophe before a cell that would be run as a
formula) or `--parquet` (names as they are; `pip install 'truecopy[arrow]'`). `documents`, `groups` and `pairs` can be
read page by page: `--limit 50`, then `--limit 50 --after ID` with the `next` of the page before. Tables fit the
terminal: folders that all rows share are shown as `…/`, and what is still too wide wraps; nothing is cut. Into a pipe
or a file, a row is one line.
"""


def reference() -> str:
    """The page as Markdown."""
    from truecopy.cli.app import PARTS, commands

    found = commands()
    contents = []
    for heading, parts in PARTS.items():
        links = [f"[{name}](#{name.replace(' ', '-')})" for name in found if name.split()[0] in parts]
        contents += [f"**{heading}:** {', '.join(links)}.", ""]
    return "\n".join([OPENING, *contents, *(_command(name, command) for name, command in found.items())])


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
