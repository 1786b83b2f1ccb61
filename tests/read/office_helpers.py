"""Makes small office files with drawings and pictures, as the programs write them, and pictures to put into them."""

from __future__ import annotations

import struct
import zlib

from read_helpers import docx, zipped

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = f'xmlns:a="{DRAWING}" xmlns:p="{SLIDE}" xmlns:r="{RELATION}"'
CENTIMETER = 360_000


def png(width: int = 60, height: int = 40) -> bytes:
    """A gray picture with a pattern."""
    rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(width)) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def relations(**targets: str) -> bytes:
    """The part that names what another part refers to."""
    listed = "".join(f'<Relationship Id="{key}" Type="x" Target="{target}"/>' for key, target in targets.items())
    return f"<Relationships>{listed}</Relationships>".encode()


def picture(width: float, height: float, relation: str = "r1") -> str:
    """A picture of so many centimeters, as DrawingML places it."""
    size = f'cx="{int(width * CENTIMETER)}" cy="{int(height * CENTIMETER)}"'
    return (
        f'<p:pic><p:blipFill><a:blip r:embed="{relation}"/></p:blipFill>'
        f"<p:spPr><a:xfrm><a:ext {size}/></a:xfrm></p:spPr></p:pic>"
    )


def shape(text: str, placeholder: bool = False) -> str:
    """A shape with a text."""
    kind = "<p:nvSpPr><p:nvPr><p:ph/></p:nvPr></p:nvSpPr>" if placeholder else ""
    return f"<p:sp>{kind}<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def docx_with(body: str, parts: dict[str, bytes], **targets: str) -> bytes:
    """A DOCX file with further parts, and what its body refers to."""
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(docx(f"<w:p {SPACES}><w:r>{body}</w:r></w:p>"))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**members, "word/_rels/document.xml.rels": relations(**targets), **parts})


def pptx(slide: str, parts: dict[str, bytes] | None = None, **targets: str) -> bytes:
    """A PPTX file with one slide."""
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "ppt/presentation.xml": f'<p:presentation {SPACES}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
            "</p:presentation>".encode(),
            "ppt/_rels/presentation.xml.rels": relations(r1="slides/slide1.xml"),
            "ppt/slides/slide1.xml": f"<p:sld {SPACES}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>".encode(),
            "ppt/slides/_rels/slide1.xml.rels": relations(**targets),
            **(parts or {}),
        }
    )


def xlsx(cells: str = "", parts: dict[str, bytes] | None = None) -> bytes:
    """An XLSX file with one sheet of the given rows."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>'
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return zipped(
        {
            "[Content_Types].xml": types.encode(),
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{office}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>'.encode(),
            "xl/workbook.xml": f'<workbook {space} xmlns:r="{office}"><sheets>'
            '<sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>'.encode(),
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
            f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'.encode(),
            "xl/worksheets/sheet1.xml": f"<worksheet {space}><sheetData>{cells}</sheetData></worksheet>".encode(),
            **(parts or {}),
        }
    )
