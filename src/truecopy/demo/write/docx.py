"""Papers as Word documents: the smallest package that Word, LibreOffice and every reader accept.

Members are stored, not deflated: deflated bytes differ between builds of zlib, and the demo is the same
to the byte everywhere.
"""

from __future__ import annotations

import io
import zipfile
from html import escape

from truecopy.demo.paper import Paper, printed

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"

_CONTENT_TYPES = (
    f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_TYPE}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
    '<Override PartName="/docProps/core.xml" '
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
)
_RELATIONS = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" '
    'Target="docProps/core.xml"/></Relationships>'
)
_DOCUMENT_RELATIONS = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
)


def _style(name: str, title: str, paragraph: str, run: str) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/>'
        f'<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:pPr>{paragraph}</w:pPr>'
        f"<w:rPr>{run}</w:rPr></w:style>"
    )


_STYLES = (
    f'{_HEAD}<w:styles xmlns:w="{_WORD}"><w:docDefaults><w:rPrDefault><w:rPr>'
    '<w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman" w:cs="Times New Roman"/>'
    '<w:sz w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr>'
    '</w:pPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal">'
    '<w:name w:val="Normal"/></w:style>'
    + _style("Title", "Title", '<w:spacing w:before="480" w:after="240"/><w:jc w:val="center"/>',
             '<w:b/><w:caps/><w:sz w:val="32"/>')
    + _style("Center", "Centered", '<w:jc w:val="center"/>', "")
    + _style("Heading1", "heading 1",
             '<w:keepNext/><w:spacing w:before="240" w:after="120"/><w:outlineLvl w:val="0"/>', "<w:b/>")
    + _style("Item", "Item", '<w:ind w:left="720"/>', "")
    + _style("Signature", "Signature line", '<w:keepLines/><w:spacing w:before="120"/>', "")
    + "</w:styles>"
)  # fmt: skip
_STYLE_OF = {
    "title": "Title",
    "center": "Center",
    "heading": "Heading1",
    "item": "Item",
    "signature": "Signature",
}


def _paragraph(style: str, text: str) -> str:
    name = _STYLE_OF.get(style)
    properties = f'<w:pPr><w:pStyle w:val="{name}"/></w:pPr>' if name else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{escape(text, quote=False)}</w:t></w:r></w:p>'


def docx(paper: Paper) -> bytes:
    """The paper as a Word document."""
    body = "".join(_paragraph(paragraph.style, printed(paragraph)) for paragraph in paper.paragraphs)
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" '
    page += 'w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>'
    return _zipped(
        {
            "[Content_Types].xml": _CONTENT_TYPES,
            "_rels/.rels": _RELATIONS,
            "docProps/core.xml": _properties(paper),
            "word/_rels/document.xml.rels": _DOCUMENT_RELATIONS,
            "word/document.xml": (f'{_HEAD}<w:document xmlns:w="{_WORD}"><w:body>{body}{page}</w:body></w:document>'),
            "word/styles.xml": _STYLES,
        }
    )


def _properties(paper: Paper) -> str:
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(paper.title, quote=False)}</dc:title>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{paper.date}T09:00:00Z</dcterms:created>'
        "</cp:coreProperties>"
    )


def _zipped(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as package:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 0  # otherwise the file depends on the system that wrote it
            entry.external_attr = 0
            package.writestr(entry, content.encode())
    return buffer.getvalue()
