"""OLE compound files (DOC, MSG), as far as we need to look into them ourselves.

Format: [MS-CFB], Compound File Binary File Format. Chains of sectors in damaged and hostile files may loop
or lead outside the file; every walk here is bounded by the number of sectors there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import unpack_from

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END = 0xFFFF_FFFA
_NONE = 0xFFFF_FFFF
_STORAGES = (1, 5)
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    entry_type: int
    left: int
    right: int
    child: int
    start: int
    size: int


class CompoundFile:
    """The storages and streams of a compound file; ValueError where it is none."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(_MAGIC) or len(data) < 512:
            raise ValueError("not a compound file")
        self._data = data
        shift, mini_shift = unpack_from("<HH", data, 30)
        if not 7 <= shift <= 16 or not 2 <= mini_shift < shift:
            raise ValueError("sector sizes out of range")
        self._sector, self._mini = 1 << shift, 1 << mini_shift
        self._count = len(data) // self._sector
        first_directory, _, self._cutoff, first_mini = unpack_from("<IIII", data, 48)
        self._fat = self._table(self._fat_sectors())
        self._mini_fat = self._table(self._chain(first_mini, self._fat))
        self._entries = self._directory(b"".join(map(self._at, self._chain(first_directory, self._fat))))
        root = self._entries[0]
        self._mini_stream = b"".join(map(self._at, self._chain(root.start, self._fat)))

    def children(self, storage: int = 0) -> dict[str, int]:
        """The names in a storage (the root: 0) and their numbers."""
        found: dict[str, int] = {}
        seen: set[int] = set()
        waiting = [self._entries[storage].child]
        while waiting:
            number = waiting.pop()
            if number >= len(self._entries) or number in seen:
                continue
            seen.add(number)
            entry = self._entries[number]
            found[entry.name] = number
            waiting += [entry.left, entry.right]
        return found

    def is_storage(self, number: int) -> bool:
        """Whether an entry holds others."""
        return self._entries[number].entry_type in _STORAGES

    def stream(self, number: int) -> bytes:
        """The bytes of a stream, as far as they are there."""
        entry = self._entries[number]
        if entry.size >= self._cutoff:
            pieces = (self._at(at) for at in self._chain(entry.start, self._fat))
        else:
            mini, source = self._mini, self._mini_stream
            pieces = (source[at * mini : (at + 1) * mini] for at in self._chain(entry.start, self._mini_fat))
        return b"".join(pieces)[: entry.size]

    def _at(self, sector: int) -> bytes:
        return self._data[(sector + 1) * self._sector : (sector + 2) * self._sector]

    def _fat_sectors(self) -> list[int]:
        sectors = list(unpack_from("<109I", self._data, 76))
        following = unpack_from("<I", self._data, 68)[0]
        per_sector = self._sector // 4
        for _ in range(self._count):
            if following >= self._count:
                break
            more = self._numbers(self._at(following), per_sector)
            sectors += more[:-1]
            following = more[-1] if more else _NONE
        return [sector for sector in sectors if sector < self._count]

    def _table(self, sectors: list[int]) -> list[int]:
        table: list[int] = []
        for sector in sectors[: self._count]:
            table += self._numbers(self._at(sector), self._sector // 4)
        return table

    @staticmethod
    def _numbers(block: bytes, most: int) -> list[int]:
        return list(unpack_from(f"<{min(most, len(block) // 4)}I", block))

    def _chain(self, start: int, table: list[int]) -> list[int]:
        chain: list[int] = []
        most = len(self._data) // self._mini
        while start < len(table) and start < _END and len(chain) < most:
            chain.append(start)
            start = table[start]
        return chain

    @staticmethod
    def _directory(raw: bytes) -> list[_Entry]:
        entries = []
        for at in range(0, len(raw) - 127, 128):
            length = min(unpack_from("<H", raw, at + 64)[0], 64)
            name = raw[at : at + max(length - 2, 0)].decode("utf-16-le", "replace")
            left, right, child = unpack_from("<III", raw, at + 68)
            start, size = unpack_from("<IQ", raw, at + 116)
            # Old writers leave rubbish in the upper half of the size.
            entries.append(_Entry(name, raw[at + 66], left, right, child, start, size & 0xFFFF_FFFF))
        if not entries:
            raise ValueError("no directory")
        return entries


def doc_problem(data: bytes) -> str:
    """Why a DOC file cannot be read, where its header says so; "" where it does not."""
    if data[:2] in (b"\xdb\xa5", b"\x31\xbe", b"\xdc\xa5"):
        return "a document of Word 2.0 or 6.0: no reader for it"
    if not data.startswith(_MAGIC):
        return "not a valid DOC: something else under its name"
    try:
        file = CompoundFile(data)
        header = file.stream(file.children()["WordDocument"])
    except (ValueError, KeyError, IndexError):
        return "not a valid DOC: it is damaged or cut off"
    if len(header) > 12 and header[11] & 0x01:
        return "password-protected DOC"
    if header[:2] == b"\xdc\xa5" and header[10:11] and header[10] & 0x04:
        return "a document of Word 6.0 or 95, saved in pieces: no reader for it"
    return ""


def msg_attachments(data: bytes) -> list[tuple[str, bytes]]:
    """The attachments of an Outlook message: name and bytes; an attached message as an e-mail of its text."""
    try:
        file = CompoundFile(data)
        return _attachments(file, 0, 0)
    except (ValueError, IndexError):
        return []


def _attachments(file: CompoundFile, storage: int, depth: int) -> list[tuple[str, bytes]]:
    parts: list[tuple[str, bytes]] = []
    for name, number in sorted(file.children(storage).items()):
        if not name.startswith("__attach_version1.0_") or depth > _DEEPEST:
            continue
        inside = file.children(number)
        called = _text(file, inside, "3707") or _text(file, inside, "3704") or _text(file, inside, "3001")
        content = inside.get("__substg1.0_37010102")
        message = inside.get("__substg1.0_3701000D")
        if content is not None and not file.is_storage(content):
            parts.append((called or f"attachment-{len(parts) + 1}.bin", file.stream(content)))
        elif message is not None:
            parts.append(((called or "message") + ".eml", _as_mail(file, message)))
            parts += _attachments(file, message, depth + 1)
    return parts


def _as_mail(file: CompoundFile, storage: int) -> bytes:
    inside = file.children(storage)
    fields = (("From", "0C1A"), ("To", "0E04"), ("Cc", "0E03"), ("Subject", "0037"))
    heading = [f"{name}: {' '.join(value.split())}" for name, tag in fields if (value := _text(file, inside, tag))]
    plain = "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit"
    return "\n".join([*heading, plain, "", _text(file, inside, "1000")]).encode("utf-8", "replace")


def _text(file: CompoundFile, inside: dict[str, int], tag: str) -> str:
    """A property of text: Unicode, else in a code page."""
    wide = inside.get(f"__substg1.0_{tag}001F")
    if wide is not None:
        return file.stream(wide).decode("utf-16-le", "replace").rstrip("\0")
    narrow = inside.get(f"__substg1.0_{tag}001E")
    return "" if narrow is None else file.stream(narrow).decode("cp1252", "replace").rstrip("\0")
