"""Papers as PDF: text in the base fonts, several pages, compressed streams.

Streams are compressed with LZW, which every reader must know (ISO 32000, 7.4.4), because the bytes that
zlib makes differ between its builds, and the demo is the same to the byte everywhere.
Characters outside WinAnsi (Windows code page 1252) cannot be shown with the base fonts and are refused.
"""

from __future__ import annotations

from functools import cache

from truecopy.demo.paper import Paper, printed

WIDTH, HEIGHT, MARGIN = 595, 842, 72
_CLEAR, _END = 256, 257
# Advance widths of Times-Roman, code 32 to 126, in thousandths of the size (Adobe's font metrics).
_TIMES = (
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444,
    921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
    556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500,
    333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500,
    500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
)  # fmt: skip
# style -> font, size, left indent, space before, centered
_LAYOUT = {
    "title": ("F2", 15.0, 0, 24, True),
    "center": ("F1", 11.0, 0, 8, True),
    "heading": ("F2", 11.0, 0, 12, False),
    "item": ("F1", 10.5, 36, 5, False),
}
_NORMAL = ("F1", 10.5, 0, 6, False)


@cache
def _advance(word: str) -> int:
    return sum(_TIMES[ord(sign) - 32] if 32 <= ord(sign) <= 126 else 500 for sign in word)


def _wrapped(text: str, thousandths: float) -> list[str]:
    """The text in lines that are no wider than this, broken at spaces only."""
    lines: list[str] = []
    line: list[str] = []
    used = 0
    for word in text.split():
        wide = _advance(word)
        if line and used + 250 + wide > thousandths:
            lines.append(" ".join(line))
            line, used = [], 0
        used += wide + (250 if line else 0)
        line.append(word)
    lines.append(" ".join(line))
    return lines


def _shown(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _pages(paper: Paper) -> list[str]:
    """The content stream of every page."""
    pages: list[list[str]] = [[]]
    top = float(HEIGHT - MARGIN)
    for paragraph in paper.paragraphs:
        font, size, indent, before, centered = _LAYOUT.get(paragraph.style, _NORMAL)
        scale = size * (1.07 if font == "F2" else 1.0) / 1000  # bold letters are wider
        room = (WIDTH - 2 * MARGIN - indent) / scale
        leading = size * 1.25
        top -= before
        if paragraph.style == "heading" and top < MARGIN + 4 * leading:  # no heading alone at a page's foot
            top = 0.0
        start = f"/{font} {size:.1f} Tf {leading:.1f} TL "
        for line in _wrapped(printed(paragraph), room):
            if top < MARGIN + leading:
                pages.append([])
                start = f"/{font} {size:.1f} Tf {leading:.1f} TL "
                top = float(HEIGHT - MARGIN)
            top -= leading
            if not start and not centered:
                pages[-1].append(f"({_shown(line)})'")
                continue
            left = MARGIN + indent + ((room - _advance(line)) * scale / 2 if centered else 0.0)
            pages[-1].append(f"{start}1 0 0 1 {left:.0f} {top:.0f} Tm ({_shown(line)}) Tj")
            start = ""
    return ["BT\n" + "\n".join(page) + "\nET\n" for page in pages]


def _bits(codes: list[int], width: int) -> str:
    return "".join(map(f"{{:0{width}b}}".format, codes))


def _lzw(data: bytes) -> bytes:
    """The data as PDF's LZW: codes of 9 to 12 bits, high bit first.

    A code gets wider when the reader, who is one entry behind, is one entry short of needing it
    (`EarlyChange`, the default); the table starts again before it is full.
    """
    bits = [f"{_CLEAR:09b}"]
    table: dict[int, int] = {}  # code of the known bytes and one byte more -> code
    free, width = _END + 1, 9
    pending: list[int] = []  # codes of the present width, not yet written
    known = data[0] if data else _END
    for value in data[1:]:
        longer = known << 8 | value
        code = table.get(longer)
        if code is not None:
            known = code
            continue
        pending.append(known)
        table[longer] = free
        free += 1
        known = value
        if free == 4095:
            bits.append(_bits([*pending, _CLEAR], width))
            table, free, width, pending = {}, _END + 1, 9, []
        elif free == 1 << width:
            bits.append(_bits(pending, width))
            width, pending = width + 1, []
    bits.append(_bits([*pending, known], width))
    if data:
        bits.append(_bits([_END], width + (free + 1 == 1 << width)))
    joined = "".join(bits)
    joined += "0" * (-len(joined) % 8)
    return int(joined, 2).to_bytes(len(joined) // 8, "big")


def pdf(paper: Paper) -> bytes:
    """The paper as a PDF of A4 pages."""
    contents = [_lzw(page.encode("cp1252")) for page in _pages(paper)]
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(contents)))
    fonts = [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in ("Times-Roman", "Times-Bold")
    ]
    stamp = f"D:{paper.date.replace('-', '')}090000Z"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(contents)} /Kids [{kids}] >>".encode(),
        *fonts,
        b"<< /Title (" + _shown(paper.title).encode("cp1252") + f") /CreationDate ({stamp}) >>".encode(),
    ]
    for number, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {7 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(content)} /Filter /LZWDecode >>\nstream\n".encode() + content + b"\nendstream")
    return assembled(objects, "/Info 5 0 R")


def assembled(objects: list[bytes], trailer: str) -> bytes:
    """The file of these objects, numbered from 1, with its cross-reference table."""
    parts = [b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"]
    offsets = []
    position = len(parts[0])
    for number, content in enumerate(objects, 1):
        part = f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
        offsets.append(position)
        position += len(part)
        parts.append(part)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    parts.append(f"xref\n0 {count}\n0000000000 65535 f \n{table}".encode())
    parts.append(f"trailer\n<< /Size {count} /Root 1 0 R {trailer} >>\n".encode())
    parts.append(f"startxref\n{position}\n%%EOF\n".encode())
    return b"".join(parts)
