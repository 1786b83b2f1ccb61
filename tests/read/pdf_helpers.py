"""Makes small PDF files: pages of text, of a picture, of a drawing, and blank ones."""

from __future__ import annotations

import zlib


def pdf(*pages: tuple[str, bytes]) -> bytes:
    """A PDF of pages: ("text", words), ("picture", gray dots of 40 rows), ("drawing", b""), ("blank", b"")."""
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for what, content in pages:
        resources = b"/Font << /F1 3 0 R >>"
        stream = b""
        if what == "text":
            stream = b"BT /F1 12 Tf 72 700 Td (" + content + b") Tj ET"
        elif what == "drawing":
            stream = b"100 100 m 300 400 l 5 w S"
        elif what == "picture":
            width = len(content) // 40
            head = (
                f"/Type /XObject /Subtype /Image /Width {width} /Height 40 /ColorSpace /DeviceGray /BitsPerComponent 8"
            )
            objects.append(_stream(head.encode() + b" /Filter /FlateDecode", zlib.compress(content)))
            resources += f" /XObject << /Im1 {len(objects)} 0 R >>".encode()
            stream = b"q 400 0 0 100 72 600 cm /Im1 Do Q"
        objects.append(_stream(b"", stream))
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << %s >> /Contents %d 0 R >>"
        objects.append(page % (resources, len(objects)))
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    return _file(objects)


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
