"""ZIP files and mailboxes: their members, in order, a few at a time, with nothing written to the disk.

A ZIP file's members are read one by one from the file, up to the size that they declare; their
number and the sum of those sizes are checked against the limits before anything is unpacked. A mailbox is cut
into its messages while it is read (`mailboxes.py`). An archive or mailbox that holds more than the limit is
a document itself, `too-large`, and says how many of its members were not read: none is lost without a word.

Archives are written by strangers, and Python's reader of ZIP files was not written for those: it may raise anything. So
whatever goes wrong costs the archive, while its members are listed, or the one member, and never the scan.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from lzma import LZMAError
from typing import BinaryIO

from truecopy.model import Reading
from truecopy.read.decode import decode_alike
from truecopy.read.documents import EXCLUDED, DocumentReader, Loaded, Outcome
from truecopy.read.files import digest
from truecopy.read.links import open_file
from truecopy.read.mailboxes import messages
from truecopy.read.names import UniqueNames, member_name
from truecopy.read.places import Archive, DocumentPlace

CHUNK_BYTES = 2 << 20
CHUNK_DOCUMENTS = 64
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    OverflowError,
)


@dataclass(frozen=True, slots=True)
class Job:
    """Work for a thread: what to run, how many bytes it takes, how much progress it makes."""

    run: Callable[[], list[Outcome]]
    weight: int
    done: int


@contextmanager
def opened(archive: Archive, reader: DocumentReader) -> Iterator[Iterator[Job]]:
    """The jobs that read an archive's members, to be done before the archive is left again.

    An archive that cannot be opened is one document itself.
    """
    with ExitStack() as stack:
        yield _jobs(archive, reader, stack)


def _jobs(archive: Archive, reader: DocumentReader, stack: ExitStack) -> Iterator[Job]:
    if archive.place.archives > reader.settings.depth:
        reason = f"an archive more than {reader.settings.depth} archives deep"
        yield _single(_whole(archive, "unreadable", reason))
    elif archive.reader == "zip":
        yield from _zip_jobs(archive, reader, stack)
    else:
        yield from _mbox_jobs(archive, reader)


def _single(reading: Reading) -> Job:
    return Job(lambda: [reading], 0, reading.size)


def _whole(archive: Archive, status: str, reason: str) -> Reading:
    """The archive as a document of its own, without text."""
    place = archive.place
    md5, sha1, sha256 = digest(archive.location, archive.data, archive.guard)
    media = "application/zip" if archive.reader == "zip" else "application/mbox"
    return Reading(
        place.root, place.path, archive.size, md5, sha1, sha256, b"", status, reason, "", place.parent, media
    )


def _zip_jobs(archive: Archive, reader: DocumentReader, stack: ExitStack) -> Iterator[Job]:
    listed = _listed(archive, reader, stack)
    if isinstance(listed, Reading):
        yield _single(listed)
        return
    chunk: list[tuple[DocumentPlace, zipfile.ZipInfo]] = []
    size = 0
    for name, member in listed.members:
        if chunk and (size + member.file_size > CHUNK_BYTES or len(chunk) >= CHUNK_DOCUMENTS):
            yield _zip_job(reader, listed.file, chunk, size)
            chunk, size = [], 0
        chunk.append((archive.place.inside(name, archives=1), member))
        size += min(member.file_size, reader.settings.max_bytes)
    yield _zip_job(reader, listed.file, chunk, size)


@dataclass(frozen=True, slots=True)
class _Listed:
    """An open ZIP file and its members, each with the name that it gets."""

    file: zipfile.ZipFile
    members: list[tuple[str, zipfile.ZipInfo]]


def _listed(archive: Archive, reader: DocumentReader, stack: ExitStack) -> _Listed | Reading:
    """What is in a ZIP file; where it is not to be unpacked, the file as a document of its own."""
    try:
        file = zipfile.ZipFile(stack.enter_context(_stream(archive)))
        stack.callback(file.close)
        members = [member for member in file.infolist() if not _is_folder(member)]
        problem = _zip_problem(archive, members, reader)
        return problem or _Listed(file, list(zip(_member_names(members), members, strict=True)))
    except _BROKEN:
        reason = "not a valid ZIP: it is damaged or cut off"
    except RuntimeError:
        reason = "a kind of ZIP that there is no reader for"
    except MemoryError:
        reason = "a ZIP whose list of files needs more memory than there is"
    except Exception:  # see above: no archive may stop a scan
        reason = "a ZIP whose list of files cannot be read"
    return _whole(archive, "unreadable", reason)


def _is_folder(member: zipfile.ZipInfo) -> bool:
    """Whether a member is only a folder: one that holds bytes is a document, whatever its name ends with.

    Not `is_dir`, which in Python 3.11 fails on a member that has no name.
    """
    return member.filename.endswith("/") and not member.file_size


def _stream(archive: Archive) -> BinaryIO:
    """An archive's bytes, from the disk or from memory."""
    if not archive.location:
        return io.BytesIO(archive.data)
    return os.fdopen(open_file(archive.location, archive.guard), "rb")


def _zip_problem(archive: Archive, members: list[zipfile.ZipInfo], reader: DocumentReader) -> Reading | None:
    if not members:
        return _whole(archive, "", "archive with no files")
    if all(member.flag_bits & _ENCRYPTED for member in members):
        return _whole(archive, "unreadable", "password-protected ZIP")
    unpacked = sum(member.file_size for member in members)
    if not archive.place.budget.spend(len(members), unpacked):
        if len(members) > archive.place.budget.members:
            reason = f"holds {len(members):,} files: {_more_than(reader)}; none of them was read"
        else:
            reason = f"unpacks to {len(members):,} files of {unpacked:,} bytes, more than is allowed"
        return _whole(archive, "too-large", reason)._replace(members_not_read=len(members))
    return None


def _more_than(reader: DocumentReader) -> str:
    """Which limit was met, and how it is set."""
    return f"with it more than the {reader.settings.max_members:,} documents that --max-members allows"


def _member_names(members: list[zipfile.ZipInfo]) -> list[str]:
    """Harmless names, each once. Old archives do not name an encoding: it is found from all names together."""
    raw = {at: name for at, member in enumerate(members) if (name := _undecoded(member)) is not None}
    decoded = dict(zip(raw, decode_alike(list(raw.values())) or (), strict=False))
    taken = UniqueNames()
    return [
        taken.take(member_name(decoded.get(at, member.filename), f"member-{at + 1}"))
        for at, member in enumerate(members)
    ]


def _undecoded(member: zipfile.ZipInfo) -> bytes | None:
    """The bytes of a name in an encoding that nobody states; None where it is known to be Unicode.

    `zipfile` takes such names for code page 437, in which every byte is some character, so they can be had back.
    """
    if member.flag_bits & _UTF8_NAME:
        return None
    try:
        return member.filename.encode("cp437")
    except UnicodeEncodeError:  # later versions of Python take it from a field that is always UTF-8
        return None


def _zip_job(
    reader: DocumentReader, file: zipfile.ZipFile, chunk: list[tuple[DocumentPlace, zipfile.ZipInfo]], size: int
) -> Job:
    def run() -> list[Outcome]:
        return reader.documents([_zip_member(reader, file, place, member) for place, member in chunk])

    return Job(run, size, sum(member.compress_size for _, member in chunk))


def _zip_member(
    reader: DocumentReader, file: zipfile.ZipFile, place: DocumentPlace, member: zipfile.ZipInfo
) -> Outcome | Loaded:
    size = member.file_size
    if reader.excluded(place.path):
        return place.without_bytes(size, "excluded", EXCLUDED)
    if member.flag_bits & _ENCRYPTED:
        return place.without_bytes(size, "unreadable", "password-protected in its ZIP")
    if size > reader.settings.max_bytes:
        return place.without_bytes(size, "too-large", f"larger than {reader.settings.max_bytes:,} bytes")
    try:
        with file.open(member) as stream:
            data = stream.read()
    except _BROKEN:
        reason = "damaged in its ZIP"
    except RuntimeError:
        reason = "packed in its ZIP in a way that there is no reader for"
    except MemoryError:
        reason = "needs more memory than there is to be unpacked from its ZIP"
    except Exception:  # see above: no member may stop a scan
        reason = "cannot be unpacked from its ZIP"
    else:
        return Loaded(place, data)
    return place.without_bytes(size, "unreadable", reason)


def _mbox_jobs(archive: Archive, reader: DocumentReader) -> Iterator[Job]:
    number = over = size = 0
    chunk: list[tuple[DocumentPlace, int, bytes | None]] = []
    failed = ""
    try:
        with _stream(archive) as stream:
            for length, message in messages(stream, reader.settings.max_bytes):
                if over or not archive.place.budget.spend(1, 0):
                    over += 1
                    continue
                number += 1
                if chunk and (size + length > CHUNK_BYTES or len(chunk) >= CHUNK_DOCUMENTS):
                    yield _mbox_job(reader, chunk, size)
                    chunk, size = [], 0
                chunk.append((archive.place.inside(f"{number:06d}.eml", archives=1), length, message))
                size += length
    except OSError:
        failed = "vanished or became unreadable while being read"
    except MemoryError:
        failed = "a mailbox with a message that needs more memory than there is"
    except Exception:  # as with ZIP files: no mailbox may stop a scan
        failed = "a mailbox that cannot be taken apart"
    if chunk:
        yield _mbox_job(reader, chunk, size)
    if failed:
        yield _single(_whole(archive, "unreadable", failed)._replace(members_not_read=over))
    elif over:
        reason = f"holds {number + over:,} messages: {_more_than(reader)}; the last {over:,} were not read"
        yield _single(_whole(archive, "too-large", reason)._replace(members_not_read=over))
    elif not number:
        yield _single(_whole(archive, "", "mailbox with no messages"))


def _mbox_job(reader: DocumentReader, chunk: list[tuple[DocumentPlace, int, bytes | None]], size: int) -> Job:
    def run() -> list[Outcome]:
        return reader.documents([_mbox_message(reader, *each) for each in chunk])

    return Job(run, size, size)


def _mbox_message(reader: DocumentReader, place: DocumentPlace, length: int, message: bytes | None) -> Outcome | Loaded:
    if reader.excluded(place.path):
        return place.without_bytes(length, "excluded", EXCLUDED)
    if message is None:
        return place.without_bytes(length, "too-large", f"larger than {reader.settings.max_bytes:,} bytes")
    return Loaded(place, message)
