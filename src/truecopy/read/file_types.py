"""What a file is: by its first bytes where they say it, by its name otherwise.

A type names the reader that takes it:

    plain      text as it is
    parsed     a parser's process (`parsers.py`): documents, pages, e-mails
    zip, mbox  a container of documents
    image      a picture: no text unless OCR is asked for
    none       no reader
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from truecopy.read.decode import is_text, looks_binary
from truecopy.read.pictures import MEDIA, OTHER_MEDIA, type_of
from truecopy.read.pictures import SIGNED as PICTURE_SIGNATURES


@dataclass(frozen=True, slots=True)
class FileType:
    """A file's type: which reader takes it, what users call it, its media type."""

    reader: str
    label: str
    media: str


PLAIN = FileType("plain", "text", "text/plain")
NONE = FileType("none", "", "application/octet-stream")
ZIP = FileType("zip", "ZIP", "application/zip")
MBOX = FileType("mbox", "mbox", "application/mbox")
MAIL = FileType("parsed", "e-mail", "message/rfc822")
HTML = FileType("parsed", "HTML", "text/html")

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."


def _parsed(label: str, media: str) -> FileType:
    return FileType("parsed", label, media)


PDF = _parsed("PDF", "application/pdf")
DOC = _parsed("DOC", "application/msword")
DOCX = _parsed("DOCX", _OOXML + "wordprocessingml.document")
XLS = _parsed("XLS", "application/vnd.ms-excel")
XLSX = _parsed("XLSX", _OOXML + "spreadsheetml.sheet")
PPT = _parsed("PPT", "application/vnd.ms-powerpoint")
PPTX = _parsed("PPTX", _OOXML + "presentationml.presentation")
RTF = _parsed("RTF", "application/rtf")
ODT = _parsed("ODT", _ODF + "text")
ODS = _parsed("ODS", _ODF + "spreadsheet")
ODP = _parsed("ODP", _ODF + "presentation")
EPUB = _parsed("EPUB", "application/epub+zip")
MSG = _parsed("MSG", "application/vnd.ms-outlook")
PST = _parsed("PST", "application/vnd.ms-outlook-pst")

_BY_SUFFIX = {
    **dict.fromkeys(("pdf",), PDF),
    **dict.fromkeys(("doc", "dot"), DOC),
    **dict.fromkeys(("docx", "docm", "dotx", "dotm"), DOCX),
    **dict.fromkeys(("xls", "xlt"), XLS),
    **dict.fromkeys(("xlsx", "xlsm", "xltx"), XLSX),
    **dict.fromkeys(("ppt", "pps", "pot"), PPT),
    **dict.fromkeys(("pptx", "pptm", "ppsx", "potx"), PPTX),
    **dict.fromkeys(("rtf",), RTF),
    **dict.fromkeys(("odt", "ott"), ODT),
    **dict.fromkeys(("ods", "ots"), ODS),
    **dict.fromkeys(("odp", "otp"), ODP),
    **dict.fromkeys(("epub",), EPUB),
    **dict.fromkeys(("msg",), MSG),
    **dict.fromkeys(("pst", "ost"), PST),
    **dict.fromkeys(("html", "htm", "xhtml", "xht"), HTML),
    **dict.fromkeys(("eml", "mht", "mhtml"), MAIL),
    **dict.fromkeys(("mbox", "mbx"), MBOX),
    **dict.fromkeys(("zip",), ZIP),
}
_CONTAINERS = frozenset(suffix for suffix, file_type in _BY_SUFFIX.items() if file_type in (ZIP, MBOX))
_PICTURES = {name: FileType("image", name, media) for name, media in {**MEDIA, **OTHER_MEDIA}.items()}
_IMAGES = {
    suffix: _PICTURES[name]
    for name, suffixes in {
        "PNG": ("png",),
        "JPEG": ("jpg", "jpeg", "jpe", "jfif"),
        "GIF": ("gif",),
        "BMP": ("bmp", "dib"),
        "TIFF": ("tif", "tiff"),
        "WEBP": ("webp",),
        "HEIC": ("heic", "heif"),
        "AVIF": ("avif",),
        "JPEG 2000": ("jp2", "j2k", "jpx"),
        "JPEG XL": ("jxl",),
        "Photoshop": ("psd",),
        "DjVu": ("djvu", "djv"),
        "EMF": ("emf",),
        "WMF": ("wmf",),
        "icon": ("ico",),
        "JBIG2": ("jb2", "jbig2"),
    }.items()
    for suffix in suffixes
}
_NEVER_TEXT = (PDF, DOC, DOCX, XLS, XLSX, PPT, PPTX, ODT, ODS, ODP, EPUB, MSG, PST, RTF)
_MEDIA_OF_TEXT = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "xml": "application/xml",
}
TEXT_TYPES = {
    **{suffix: FileType("plain", "text", media) for suffix, media in _MEDIA_OF_TEXT.items()},
    **dict.fromkeys(("txt", "text", "log"), PLAIN),
}
"""Names under which a file is plain text unless its first bytes are a signature."""

_SUFFIX_FOR = {
    "text/calendar": "ics",
    "text/vcard": "vcf",
    **{file_type.media: suffix for suffix, file_type in reversed({**_BY_SUFFIX, **_IMAGES, **TEXT_TYPES}.items())},
}

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_SIGNED: tuple[tuple[bytes, FileType], ...] = (
    (b"%PDF-", PDF),
    (b"{\\rtf", RTF),
    (b"!BDN", PST),
    *((signature, _PICTURES[name]) for signature, name in PICTURE_SIGNATURES),
    (b"\x1f\x8b", NONE),
    (b"7z\xbc\xaf\x27\x1c", NONE),
    (b"Rar!\x1a\x07", NONE),
    (b"\x7fELF", NONE),
)
SIGNATURES = (_OLE, *_ZIPPED, *(signature for signature, _ in _SIGNED))
"""First bytes that tell a file's type, whatever its name."""
_HTML_START = re.compile(rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MBOX_START = re.compile(rb"From \S+.*\d\d:\d\d.*\r?\n[!-9;-~]+:")


def suffix_of(path: str) -> str:
    """The name's ending in lower case, without the dot; "" where there is none."""
    stem, _, suffix = path.rpartition(".")
    return "" if not stem or "/" in suffix or stem[-1] == "/" else suffix.lower()


def file_type_of(path: str, data: bytes) -> FileType:
    """The type of a file; where the first bytes contradict the name, the bytes are right."""
    suffix = suffix_of(path)
    named = _BY_SUFFIX.get(suffix) or _IMAGES.get(suffix)
    if data.startswith(SIGNATURES):
        return _by_signature(data, named)
    if named is PDF and b"%PDF-" in data[:1024]:
        return PDF
    # What is named like a text is one unless it has control bytes; only then may it be something else.
    if (named is None or named.reader == "image") and (named is not None or looks_binary(data)):
        picture = type_of(data)
        if picture:
            return _PICTURES[picture]
        if data[257:262] == b"ustar":
            return NONE
    if named is None:
        return _text_type(suffix, data)
    # Web pages and plain texts saved as .doc, .xls or .jpg are common: without the signature it is not one.
    if (named in _NEVER_TEXT or named.reader == "image") and data and is_text(data):
        return _text_type("", data)
    return named


def suffix_for(media: str) -> str:
    """A usual ending for a media type, without the dot; our own table, because the system's differ."""
    return _SUFFIX_FOR.get(media, "txt" if media.startswith("text/") else "bin")


def names_container(suffix: str) -> bool:
    """Whether the name is an archive's or a mailbox's."""
    return suffix in _CONTAINERS


def _text_type(suffix: str, data: bytes) -> FileType:
    if suffix in TEXT_TYPES:
        return TEXT_TYPES[suffix]
    if data[:1] in b"<F \t\r\n":
        if _HTML_START.match(data[:4096]):
            return HTML
        if not suffix and _MBOX_START.match(data[:4096]):
            return MBOX
    return PLAIN


def _by_signature(data: bytes, named: FileType | None) -> FileType:
    for signature, file_type in _SIGNED:
        if data.startswith(signature):
            return file_type
    if data.startswith(_OLE):
        return _ole_type(data, named)
    return _zipped_type(data, named)


def _zipped_type(data: bytes, named: FileType | None) -> FileType:
    """Office files are archives too; the names of their parts, at both ends of the file, tell which."""
    ends = data[:65_536] + data[-65_536:]
    start = data[:200]
    for file_type in (ODT, ODS, ODP, EPUB):
        if b"mimetype" + file_type.media.encode() in start:
            return file_type
    if b"[Content_Types].xml" in ends:
        for part, file_type in ((b"word/document", DOCX), (b"xl/workbook", XLSX), (b"ppt/presentation", PPTX)):
            if part in ends:
                return file_type
    return named if named in (DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB) else ZIP


_OLE_NAMES = tuple(
    (name.encode("utf-16-le"), file_type)
    for name, file_type in (
        ("__properties_version1.0", MSG),
        ("WordDocument", DOC),
        ("PowerPoint Document", PPT),
        ("Workbook", XLS),
        ("Book", XLS),
    )
)


def _ole_type(data: bytes, named: FileType | None) -> FileType:
    if named in (DOC, XLS, PPT, MSG) or "EncryptedPackage".encode("utf-16-le") in data:
        return named or DOC
    for name, file_type in _OLE_NAMES:
        if name in data:
            return file_type
    return named if named in _NEVER_TEXT else NONE
