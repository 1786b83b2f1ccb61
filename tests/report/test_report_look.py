"""The look of the report, as far as a machine can judge it: contrast, and a script that runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from report_fake import FakeMatter, document

from truecopy.model import Group, Grouping, Member
from truecopy.report import html, write_html

READ_ON = (
    ("ink", "page"), ("ink", "raised"), ("ink", "faint"), ("soft", "page"), ("soft", "faint"),
    ("soft", "raised"),     ("accent", "page"), ("accent", "raised"), ("accent", "faint"),
    ("ins", "ins-on"), ("del", "del-on"), ("move", "move-on"), ("page", "ink"),
)  # fmt: skip


def palettes() -> dict[str, dict[str, str]]:
    """The colors of each theme; what a theme does not set, it has from the first."""
    style = html._template_text("report.css")
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


def test_the_script_runs_in_a_browser_under_the_pages_own_policy(tmp_path: Path) -> None:
    """Skipped by name where there is no Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    name = "a" * 240 + ".txt"
    principal, member = document(1, name, "principal"), document(2, "<b>" + name, "same-text")
    grouping = Grouping(80.0, "longest", (Group("TC-000001", principal, (Member(member, 100.0, "same-text"),)),), ())
    report = write_html(FakeMatter([principal, member], grouping), tmp_path / "report.html")
    shot = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update",
         f"--user-data-dir={tmp_path / 'profile'}",
         "--window-size=500,900", "--dump-dom", report.as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if "<html" not in shot.stdout:
        pytest.skip("Chromium does not start on this machine")
    assert '<html lang="en" class="scripted">' in shot.stdout
