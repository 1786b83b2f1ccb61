"""Redlines that the page has no room for, as pages in a folder beside it.

For a page that goes to people without truecopy. The folder is named after the page: report.html has report-files/.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from truecopy.errors import TruecopyError
from truecopy.model import Group, Member
from truecopy.plainfiles import other_than_file
from truecopy.progress import Progress
from truecopy.report.files import write_text
from truecopy.report.page import ComparingSource
from truecopy.report.redline_page import redline_page
from truecopy.stopping import check


def folder_of(page: Path) -> Path:
    """The folder that belongs to a page."""
    return page.with_name(f"{page.stem}-files")


def write_beside(
    matter: ComparingSource, wanted: Sequence[tuple[Group, Member]], page: Path, progress: Progress, access: str
) -> dict[str, str]:
    """Write a redline page for each member with its principal; returns their addresses, by the member's id."""
    folder = folder_of(page)
    if other_than_file(folder) == "a link":  # it may lead anywhere
        raise TruecopyError(f"{folder} is a link, but a folder was expected.", "Remove it, or name another page.")
    progress.start("redlines", len(wanted), "pages")
    written = {}
    for group, member in wanted:
        check()
        sides = matter.sides(group.principal, member.document)
        name = re.sub(r"[^\w.-]+", "-", f"{group.principal.id}-{member.document.id}.html", flags=re.ASCII)
        file = folder / name
        write_text(file, redline_page(*sides, matter.compare(*sides), file), access)
        written[member.document.id] = f"./{quote(folder.name)}/{quote(name)}"
        progress.advance(1)
    progress.finish()
    return written
