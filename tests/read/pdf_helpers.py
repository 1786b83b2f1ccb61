"""Makes small PDF files: pages of text, of a picture, of a drawing, and blank ones."""

from __future__ import annotations

import random
import zlib

Page = tuple[str, bytes]
BLANK: Page = ("blank", b"")
DRAWING: Page = ("drawing", b"")
PICTURE: Page = ("picture", bytes((x * 7) % 256 for x in range(200 * 40)))

_SCANNED = random.Random(7).randbytes(300 * 400)


def text_page(words: str) -> Page:
    """A page with a line of ASCII."""
    return "text", words.encode()


def png_page(png: bytes) -> Page:
    """A page that shows a black and white PNG picture."""
    return "png", png


def pdf(*pages: Page) -> bytes:
    """A PDF of the given pages; "stamped" is a picture over a page with two words, "letterhead" a small one."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for what, content in pages:
        resources = b"/Font << /F1 3 0 R >>"
        stream = {"drawing": b"100 100 m 300 400 l 5 w S"}.get(what, b"")
        if what == "text":
            stream = b"BT /F1 12 Tf 72 700 Td (" + content + b") Tj ET"
        elif what != "drawing" and what != "blank":
            objects.append(
                _png_image(content) if what == "png" else _image(content, 40) if content else _image(_SCANNED, 400)
            )
            resources += b" /XObject << /Im1 %d 0 R >>" % len(objects)
            place = {"stamped": b"500 0 0 700 40 60", "letterhead": b"60 0 0 12 40 800"}.get(what, b"400 0 0 90 72 600")
            stream = b"q " + place + b" cm /Im1 Do Q"
            if what in ("stamped", "letterhead"):
                stream += b" BT /F1 12 Tf 400 20 Td (ABC 000123) Tj ET"
        objects.append(_stream(b"", stream))
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << %s >> /Contents %d 0 R >>"
        objects.append(page % (resources, len(objects)))
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    return _file(objects)


def _image(dots: bytes, height: int) -> bytes:
    head = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8"
    return _stream(head % (len(dots) // height, height) + b" /Filter /FlateDecode", zlib.compress(dots))


def _png_image(png: bytes) -> bytes:
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    start = png.index(b"IDAT")
    body = png[start + 4 : start + 4 + int.from_bytes(png[start - 4 : start], "big")]
    head = (
        f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 1"
        f" /Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns {width} /BitsPerComponent 1 >>"
    )
    return _stream(head.encode(), body)


def _stream(head: bytes, data: bytes) -> bytes:
    return b"<< " + head + b" /Length %d >>\nstream\n" % len(data) + data + b"\nendstream"


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
