"""Archives and mailboxes with changed bytes: each gives readings, and none an exception."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Iterator

import pytest
from read_helpers import zipped

from truecopy.model import Reading
from truecopy.read import ReadSettings
from truecopy.read.archives import opened
from truecopy.read.documents import DocumentReader
from truecopy.read.file_types import PLAIN
from truecopy.read.places import Archive, DocumentPlace
from truecopy.read.workers import ParserPool

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
NAMES = ("a.txt", "folder/", "folder/b.txt", "\u00e9.txt", "two\nlines.txt", "\u5951.txt")
TRIALS = [400, pytest.param(10_000, marks=pytest.mark.soak)]
SETTINGS = ReadSettings(threads=1)
BYTES = (0x00, 0x01, 0x7F, 0x80, 0xFF)
LIST_BYTES = 400
"""Where the list of members is, at the end: what is changed there does most."""


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    parsers = ParserPool(SETTINGS)
    yield DocumentReader(SETTINGS, parsers)
    parsers.close()


def unpacked(archive: Archive, reader: DocumentReader) -> list[Reading]:
    """All that comes out of an archive, with the archives in it."""
    found = []
    with opened(archive, reader) as jobs:
        for job in jobs:
            for outcome in job.run():
                if isinstance(outcome, Archive):
                    found += unpacked(outcome, reader)
                else:
                    assert isinstance(outcome, Reading)
                    found.append(outcome)
    return found


def packed(generator: random.Random) -> bytes:
    """A ZIP file with a few members, or with such a ZIP file in it."""
    names = generator.sample(NAMES, generator.randrange(1, len(NAMES)))
    data = zipped(dict.fromkeys(names, b"the words of a text " * 3), generator.choice(METHODS))
    if generator.random() < 0.2:
        return zipped({"inner.zip": data, "z.txt": b"after it"}, zipfile.ZIP_STORED)
    return data


def mailbox(generator: random.Random) -> bytes:
    """A mailbox of plain messages; the parsers of mail have tests of their own."""
    lines = (b"From a@b.example Mon Jan  1 00:00:00 2024\n", b"Subject: x\n", b"\n", b"Words.\n", b">From x\n")
    return b"".join(generator.choices(lines, k=generator.randrange(1, 30)))


def changed(data: bytes, generator: random.Random) -> bytes:
    """The same with one to four other bytes, or cut off."""
    turned = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 4))):
        near_end = generator.random() < 0.6
        at = generator.randrange(max(0, len(turned) - LIST_BYTES) if near_end else 0, len(turned))
        turned[at] = generator.choice((*BYTES, turned[at] ^ 1 << generator.randrange(8), generator.randrange(256)))
    cut = generator.random() < 0.05
    return bytes(turned[: generator.randrange(len(turned))] if cut else turned)


def holds(kind: str, data: bytes, reader: DocumentReader) -> None:
    """Readings come out, each path once, whose names and texts are valid Unicode."""
    found = unpacked(Archive(DocumentPlace("root", f"x.{kind}", SETTINGS), kind, len(data), data=data), reader)
    assert found
    assert len({reading.path for reading in found}) == len(found)
    for reading in found:
        reading.path.encode()
        reading.text.decode()
        assert reading.status in ("", "unreadable", "unsearchable", "too-large")
        assert reading.text or reading.reason


def fuzz(kind: str, make: Callable[[random.Random], bytes], seed: int, trials: int, reader: DocumentReader) -> None:
    generator = random.Random(seed)
    for trial in range(trials):
        data = changed(make(generator), generator)
        try:
            holds(kind, data, reader)
        except Exception as error:
            raise AssertionError(f"TRUECOPY_SEED={seed}, trial {trial}: {data!r}") from error


@pytest.mark.parametrize("trials", TRIALS)
def test_zip_files_with_changed_bytes_give_readings(seed: int, trials: int, reader: DocumentReader) -> None:
    """A changed byte costs a member or an archive, with its reason, and never raises; in nested archives too."""
    fuzz("zip", packed, seed, trials, reader)


@pytest.mark.parametrize("trials", TRIALS)
def test_mailboxes_with_changed_bytes_give_readings(
    seed: int, trials: int, reader: DocumentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However its messages are divided, a mailbox gives readings, and never raises."""
    monkeypatch.setattr("truecopy.read.documents.file_type_of", lambda path, data: PLAIN)  # no process for each message
    fuzz("mbox", mailbox, seed, trials, reader)
