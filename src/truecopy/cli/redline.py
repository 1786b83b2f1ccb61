"""A comparison as words on a terminal: what was taken out, what was put in, what was moved.

Colors are never the only sign: deletions are struck through and insertions underlined, and where there is
no color at all they are in [-brackets-] and {+braces+}.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from truecopy.cli.safe import safe_lines
from truecopy.cli.summary import count_said

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from truecopy.match.redline import RedlinePiece

STYLES = {
    "equal": "",
    "delete": "red strike",
    "insert": "green underline",
    "move": "blue underline2",
    "layout": "dim underline",
    "skip": "dim italic",
}
SIGNS = {
    "delete": ("[-", "-]"),
    "insert": ("{+", "+}"),
    "move": ("[>", "<]"),
    "layout": ("[~", "~]"),
}


def redline_text(pieces: Iterable[RedlinePiece], colored: bool, layout: bool = True) -> Text:
    """The pieces as one text, every control character in them made visible.

    Without `layout`, differences of case, spaces or punctuation are shown as they are in b, unmarked. A carriage
    return is half of a line end and never shown.
    """
    from rich.text import Text

    text = Text()
    skipped = False
    for piece in pieces:
        op = "equal" if piece.op == "layout" and not layout else piece.op
        style = STYLES[op] if colored else ""
        if piece.op == "skip":
            start = "\n" if text else ""
            text.append(f"{start}  … {count_said(piece.words, 'word')} alike …\n", style=style)
            skipped = True
            continue
        before, after = ("", "") if colored else SIGNS.get(op, ("", ""))
        words = safe_lines(piece.text.replace("\r", ""))
        if not words:
            continue
        if skipped:
            words, skipped = words.lstrip(" "), False
        text.append(f"{before}{words}{after}", style=style)
    return text


def print_redline(console: Console, pieces: Iterable[RedlinePiece], layout: bool = True) -> None:
    """Write a redline in color where the terminal has it, in signs elsewhere."""
    console.print(redline_text(pieces, console.color_system is not None, layout), soft_wrap=False)
