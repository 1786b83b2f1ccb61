"""What a user may set about reading: limits against bad files, and what to leave out."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field

from truecopy.errors import BadSetting

MIB = 1 << 20
GIB = 1 << 30


@functools.cache  # a question about a file asks for it too, and the system takes longer to tell than to read one
def _cores() -> int:
    return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Limits of reading. A document over a limit gets a status and a reason; it is never lost."""

    max_bytes: int = 512 * MIB
    """Files (and members of archives) over this many bytes are `too-large` and not read."""
    max_text: int = 256 * MIB
    """Documents whose extracted text is longer (in UTF-8) are `too-large`."""
    seconds: float = 60.0
    """How long a parser may take over one file."""
    memory: int = 2 * GIB
    """How much memory a parser's process may take."""
    threads: int = field(default_factory=_cores)
    ocr: bool = False
    """Recognize the text of scanned pages and images; needs an OCR engine on the machine."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths to list but not read: `*.log` at any depth, `drafts/**` from the root on."""
    follow_links: bool = False
    """Read what links below a given folder lead to, wherever it is; otherwise they are listed as `excluded`."""
    encoding: tuple[str, ...] = ()
    """What plain texts are in, where they do not say it themselves: `cp1255`, or `hebrew/**=cp1255`; the last that
    matches a path counts."""
    every_digest: bool = True
    """MD5 and SHA-1 of plain texts too, which exports need; SHA-256 is always made."""
    depth: int = 3
    """How deep archives may be nested."""
    max_members: int = 250_000
    """How many documents may come out of one archive, mailbox or e-mail, with all that is nested in it."""
    max_unpacked: int = 16 * GIB
    """How many bytes an archive, with the archives in it, may unpack to."""

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
                raise BadSetting(
                    f"{name} is {value!r}, but it must be a number of at least {least}.",
                    f"Set {name} to {least} or more.",
                )
        if not isinstance(self.follow_links, bool):
            raise BadSetting(
                f"follow_links is {self.follow_links!r}, but it must be True or False.", "Leave it out for False."
            )
        if not isinstance(self.exclude, tuple) or not all(isinstance(p, str) and p for p in self.exclude):
            raise BadSetting(
                f"exclude is {self.exclude!r}, but it must be a tuple of patterns.",
                'Give patterns such as ("*.log", "drafts/**").',
            )
        if not isinstance(self.encoding, tuple):
            raise BadSetting(
                f"encoding is {self.encoding!r}, but it must be a tuple of names or rules.",
                'Give for example ("cp1252", "hebrew/**=cp1255").',
            )
        if self.encoding:
            from truecopy.read.encodings.rules import as_rules

            as_rules(self.encoding)


_LEAST = {
    "max_bytes": 1,
    "max_text": 1,
    "seconds": 0.1,
    "memory": 256 * MIB,
    "threads": 1,
    "depth": 0,
    "max_members": 1,
    "max_unpacked": 1,
}
