"""Picture files, as far as they can be known without drawing them: their type, their size, the pages of a TIFF.

A picture opens if its header gives a size; one that gives none is damaged, or something else under its name.
"""

from __future__ import annotations

import struct

MEDIA = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
}
"""Types that OCR reads."""
OTHER_MEDIA = {
    "HEIC": "image/heic",
    "AVIF": "image/avif",
    "JPEG 2000": "image/jp2",
    "JPEG XL": "image/jxl",
    "Photoshop": "image/vnd.adobe.photoshop",
    "DjVu": "image/vnd.djvu",
    "EMF": "image/emf",
    "WMF": "image/wmf",
    "icon": "image/vnd.microsoft.icon",
    "JBIG2": "image/x-jbig2",
}
"""Types that OCR does not read."""
SIGNED = (
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"8BPS\0\1", "Photoshop"),
    (b"AT&TFORM", "DjVu"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
    (b"\xd7\xcd\xc6\x9a", "WMF"),
    (b"\0\0\1\0", "icon"),
    (b"\x97JB2\r\n\x1a\n", "JBIG2"),
)
_HEIC = frozenset((b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"))
_MOST_FRAMES = 10_000
# Frames of a JPEG that give its size: baseline, progressive and the like, but no tables (C4, C8, CC).
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def type_of(data: bytes) -> str:
    """The type of a picture by its first bytes; "" where it is none."""
    for signature, name in SIGNED:
        if data.startswith(signature):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data[4:8] == b"ftyp":
        return "AVIF" if data[8:12] in (b"avif", b"avis") else "HEIC" if data[8:12] in _HEIC else ""
    if data[:4] == b"\1\0\0\0" and data[40:44] == b" EMF":
        return "EMF"
    # Many texts begin with "BM" too.
    if data[:2] == b"BM" and len(data) > 26 and data[6:10] == b"\0\0\0\0" and data[15:18] == b"\0\0\0":
        return "BMP"
    return ""


def size_of(data: bytes) -> tuple[int, int] | None:
    """Width and height in dots; None where the header gives none, or is of a type that is not looked into."""
    read = {"PNG": _png, "JPEG": _jpeg, "GIF": _gif, "BMP": _bmp, "TIFF": _tiff, "WEBP": _webp}.get(type_of(data))
    if read is None:
        return None
    try:
        width, height = read(data)
    except (struct.error, IndexError):
        return None
    return (width, height) if width > 0 and height > 0 else None


def opens(data: bytes) -> bool:
    """Whether a file is a picture that could be shown, as far as its header tells."""
    return size_of(data) is not None or type_of(data) in OTHER_MEDIA


def _png(data: bytes) -> tuple[int, int]:
    return struct.unpack_from(">II", data, 16) if data[12:16] == b"IHDR" else (0, 0)


def _gif(data: bytes) -> tuple[int, int]:
    return struct.unpack_from("<HH", data, 6)


def _bmp(data: bytes) -> tuple[int, int]:
    if data[14] == 12:
        return struct.unpack_from("<HH", data, 18)
    width, height = struct.unpack_from("<ii", data, 18)
    return width, abs(height)


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # padding
            at += 1
        elif marker in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    if form == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return 0, 0


def _order(data: bytes) -> str:
    return "<" if data.startswith(b"II") else ">"


def _tiff(data: bytes) -> tuple[int, int]:
    order = _order(data)
    start = struct.unpack_from(order + "I", data, 4)[0]
    sizes = {}
    for number in range(struct.unpack_from(order + "H", data, start)[0]):
        tag, form, _, value = struct.unpack_from(order + "HHI4s", data, start + 2 + 12 * number)
        if tag in (256, 257):
            sizes[tag] = struct.unpack_from(order + ("H" if form == 3 else "I"), value)[0]
    return sizes.get(256, 0), sizes.get(257, 0)


def frames(data: bytes) -> list[int]:
    """Where the pages of a TIFF begin; damaged chains may loop, so no page counts twice."""
    order = _order(data)
    starts: list[int] = []
    seen: set[int] = set()
    try:
        start = struct.unpack_from(order + "I", data, 4)[0]
        while start and start not in seen and len(starts) < _MOST_FRAMES:
            count = struct.unpack_from(order + "H", data, start)[0]
            seen.add(start)
            starts.append(start)
            start = struct.unpack_from(order + "I", data, start + 2 + 12 * count)[0]
    except struct.error:
        pass  # cut off: the pages up to here
    return starts


def frame(data: bytes, number: int) -> bytes:
    """A TIFF that begins with the page of that number (from 1)."""
    starts = frames(data)
    if not 1 <= number <= len(starts):
        return b""
    return data[:4] + struct.pack(_order(data) + "I", starts[number - 1]) + data[8:]
