"""Everything from paths to texts: bytes in any common format become Readings, each with a text or a reason.

settings      limits and exclusions that a user may set
sources       paths → files, in an order that never varies
patterns      path patterns, for exclusions and for naming files
originals     what is read is never written over
links         files and folders that are reached by no link
native        the system's own paths, and what documents make of them
names         names as documents carry them, harmless whatever an archive claims
places        where a document is, what it is part of, what its container may still unpack
one           one file → its Reading
run           the pool of threads: sources → batches of Readings, in order
files         files and standard input → bytes and hashes, or the reason why there are none
file_types    what a file is, by its first bytes or its name
documents     bytes → Readings: plain text here, other formats through a parser's process
decode        bytes of a plain text, in any common encoding → text
encodings/    which encoding a text is in, and how sure that is
archives      the members of ZIP files and mailboxes
mailboxes     an mbox file → its messages
workers       the parser processes, as the parent sees them: started, limited, replaced
ending        a parser ends, and with it what it has started
answers       what a parser answers, checked like the data of a stranger
worker        a parser's process, from the inside
private       what it has for itself: a fresh folder as temporary folder and home, and its variables
landlock      it gives up writing anywhere else
limits        what a parser's process may take, and what enforces it on each system
frames        messages between the two
parsers       which parser takes a file, and its failures in our words
markup        HTML → text
mail          an e-mail → text and attachments
word          DOCX → text
word97        DOC → text
ole           OLE compound files (DOC, MSG)
opendocument  ODT, ODP → text
rtf           RTF → text
packages      office files as archives of XML parts
pages         PDF → text, page by page, and the pages without any
sheets        XLSX, PPTX → text
drawings      shapes, charts, diagrams, pictures and embedded files of office files
legacy        whether XLS and PPT files without a word hold something
pictures      picture files: their type, size and pages
ocr           the OCR engine: where it is, its languages, whether it works, how to install it
recognize     pictures → text, as the reading threads see it
tesseract     the same inside a parser's process
unsearched    what of a file was not searched, in words that anybody understands

`from truecopy.read import ReadSettings, Source, discover, read, read_then`: names are loaded when they are first used,
because a parser's process needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truecopy.read.run import read, read_then
    from truecopy.read.settings import ReadSettings
    from truecopy.read.sources import Source, discover

_WHERE = {
    "ReadSettings": "truecopy.read.settings",
    "Source": "truecopy.read.sources",
    "discover": "truecopy.read.sources",
    "read": "truecopy.read.run",
    "read_then": "truecopy.read.run",
}

__all__ = ["ReadSettings", "Source", "discover", "read", "read_then"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)
