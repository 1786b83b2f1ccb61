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

    from truecopy.match.redline import Segment

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


def redline_text(segments: Iterable[Segment], colored: bool, layout: bool = True) -> Text:
    """The segments as one text, every control character in them made visible.

    Without `layout`, differences of case, spaces or punctuation are shown as they are in b, unmarked. A carriage
    return is half of a line end and never shown.
    """
    from rich.text import Text

    text = Text()
    skipped = False
    for segment in segments:
        kind = "equal" if segment.kind == "layout" and not layout else segment.kind
        style = STYLES[kind] if colored else ""
        if segment.kind == "skip":
            start = "\n" if text else ""
            text.append(f"{start}  … {count_said(segment.words, 'word')} alike …\n", style=style)
            skipped = True
            continue
        before, after = ("", "") if colored else SIGNS.get(kind, ("", ""))
        words = safe_lines(segment.text.replace("\r", ""))
        if not words:
            continue
        if skipped:
            words, skipped = words.lstrip(" "), False
        text.append(f"{before}{words}{after}", style=style)
    return text


def print_redline(console: Console, segments: Iterable[Segment], layout: bool = True) -> None:
    """Write a redline in color where the terminal has it, in signs elsewhere."""
    console.print(redline_text(segments, console.color_system is not None, layout), soft_wrap=False)
