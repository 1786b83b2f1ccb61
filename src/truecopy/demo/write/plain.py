"""Papers as plain text."""

from __future__ import annotations

import textwrap

from truecopy.demo.paper import Paper, printed


def plain(paper: Paper, width: int = 0) -> bytes:
    """The paper as UTF-8 text, a blank line between paragraphs; wrapped where a width is given."""
    return joined([printed(paragraph) for paragraph in paper.paragraphs], width)


def joined(paragraphs: list[str], width: int = 0) -> bytes:
    """Paragraphs as UTF-8 text; wrapped where a width is given, never inside a word."""
    if width:
        paragraphs = [
            "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)) for text in paragraphs
        ]
    return ("\n\n".join(paragraphs) + "\n").encode()
