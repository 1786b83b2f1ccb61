"""A page that no longer says what the matter holds: marked as such, in the file itself.

The mark is plain HTML at the head of the page, so that everyone who opens the file sees it, wherever it was copied to.
Updating the report removes it.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from truecopy.access import PRIVATE
from truecopy.hints import command
from truecopy.report import shown
from truecopy.report.files import write_bytes

_PLACE = re.compile(rb"<!--outdated-->.*?<!--/outdated-->", re.DOTALL)
_BODY = re.compile(rb"<body[^>]*>")


def mark_outdated(page: Path, matter: Path, wave: str, documents: int, access: str = PRIVATE) -> bool:
    """Put a banner on a report that was written before a wave; False where the file is not a page of ours."""
    content = page.read_bytes()
    mark = _banner(matter, wave, documents).encode("utf-8", "replace")
    if _PLACE.search(content):
        marked = _PLACE.sub(lambda _: b"<!--outdated-->" + mark + b"<!--/outdated-->", content, count=1)
    elif found := _BODY.search(content):  # a page of an earlier version
        marked = content[: found.end()] + b"<!--outdated-->" + mark + b"<!--/outdated-->" + content[found.end() :]
    else:
        return False
    write_bytes(page, marked, access)
    return True


def _banner(matter: Path, wave: str, documents: int) -> str:
    said = (
        f"This report is out of date: the wave “{shown.name(wave)}” ({shown.plural(documents, 'document')}) was added "
        "to the matter after it was written. Update it with"
    )
    renew = escape(shown.name(command("truecopy", "report", "--matter", matter.absolute())))
    return f'<div class="outdated" role="alert"><p>{escape(said)} <code class="command">{renew}</code></p></div>'
