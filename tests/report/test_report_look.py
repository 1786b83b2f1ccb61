"""The colors of the pages: every text can be read on its ground."""

from __future__ import annotations

import re

import pytest

from truecopy.report import html

READ_ON = (
    ("ink", "page"), ("ink", "raised"), ("ink", "faint"), ("soft", "page"), ("soft", "faint"),
    ("soft", "raised"), ("accent", "page"), ("accent", "raised"), ("accent", "faint"),
    ("ins", "ins-on"), ("del", "del-on"), ("move", "move-on"), ("page", "ink"), ("ink", "hit"), ("del", "page"),
)  # fmt: skip


def palettes() -> dict[str, dict[str, str]]:
    """The colors of each theme; what a theme does not set, it has from the first."""
    style = html._template_text("base.css")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colors = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block)) for block in blocks]
    assert len(colors) == 3
    return {"light": colors[0], "dark": colors[0] | colors[1], "print": colors[0] | colors[2]}


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_text_has_a_contrast_of_four_and_a_half(theme: str) -> None:
    colors = palettes()[theme]
    for text, ground in READ_ON:
        high, low = sorted((luminance(colors[text]), luminance(colors[ground])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)
