"""What the tests of `read/` share: one call from paths to readings, and makers of small files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from truecopy.model import Reading
from truecopy.read import ReadSettings, discover, read


def all_readings(*paths: str | Path, **settings: Any) -> list[Reading]:
    """Everything below the paths, in the order in which `read` gives it."""
    chosen = ReadSettings(**{"threads": 2, **settings})
    return [reading for batch in read(discover(paths, chosen), chosen) for reading in batch]


def by_path(*paths: str | Path, **settings: Any) -> dict[str, Reading]:
    """The readings by their path; a path that comes twice is a failure."""
    listed = all_readings(*paths, **settings)
    found = {reading.path: reading for reading in listed}
    assert len(found) == len(listed), "a path came twice"
    return found


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP file of the members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str, **parts: str) -> bytes:
    """A DOCX file with the given body XML (prefix `w`); `footnotes="..."` and the like add parts."""
    members = {
        "[Content_Types].xml": b"<Types/>",
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'.encode(),
    }
    for name, xml in parts.items():
        members[f"word/{name}.xml"] = f'<w:part xmlns:w="{WORD}">{xml}</w:part>'.encode()
    return zipped(members)


def paragraph(text: str) -> str:
    """A paragraph of WordprocessingML."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
