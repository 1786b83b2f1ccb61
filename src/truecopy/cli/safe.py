"""Text of documents and names of files, made harmless before it reaches a terminal.

A file name may hold an escape sequence that recolors, clears or retitles the terminal, or a bidirectional
control that shows `cod.exe` as `exe.doc`. Both are shown as what they are, never executed.
"""

from __future__ import annotations

import unicodedata

# Format characters that writing systems and emoji need, and that cannot reorder or hide a line.
_NEEDED = frozenset("\u00ad\u200c\u200d\ufe0e\ufe0f")
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class _Visible(dict[int, str]):
    """For `str.translate`: decides on each code point once, and remembers it."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _NEEDED or unicodedata.category(character) not in _HARMFUL:
            shown = character
        elif code < 0x20:
            shown = chr(0x2400 + code)  # the control pictures: ␛ for ESC
        elif code == 0x7F:
            shown = "␡"
        else:
            shown = f"⟨U+{code:04X}⟩"
        self[code] = shown
        return shown


_VISIBLE = _Visible()
_VISIBLE_LINES = _Visible({ord("\n"): "\n", ord("\t"): "\t"})


def safe(text: str) -> str:
    """One line of text with every control character made visible.

    >>> safe("a\\x1b[31mb")
    'a␛[31mb'
    """
    return text.translate(_VISIBLE)


def safe_lines(text: str) -> str:
    """The same for text of several lines: line ends and tabs stay, a carriage return alone does not."""
    return text.replace("\r\n", "\n").translate(_VISIBLE_LINES)
