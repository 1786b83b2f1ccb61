"""Files made to break a reader: each maker takes seeded dice and returns a name's ending and the bytes."""

from __future__ import annotations

import io
import itertools
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial

EXTENSIONS = (
    "txt md csv html htm xml json eml msg mbox doc docx xls xlsx ppt pptx odt ods odp rtf pdf epub zip pst wpd "
    "png jpg tif exe unknown"
).split()
HEADS = {
    "pdf": b"%PDF-1.7\n",
    "docx": b"PK\x03\x04",
    "xlsx": b"PK\x03\x04",
    "odt": b"PK\x03\x04",
    "epub": b"PK\x03\x04",
    "zip": b"PK\x03\x04",
    "doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "msg": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "pst": b"!BDN",
    "rtf": b"{\\rtf1\\ansi ",
    "html": b"<html><body>",
    "eml": b"From: a@example.org\r\nSubject: s\r\nMIME-Version: 1.0\r\n",
    "mbox": b"From a@example.org Mon Jan  1 00:00:00 2024\n",
    "wpd": b"\xffWPC",
}
SENTENCE = "the seller delivers the goods to the buyer and the buyer pays the price to the seller"

Made = tuple[str, bytes]
Maker = Callable[[random.Random], Made]


def _noise(extension: str, dice: random.Random) -> Made:
    """Noise, which in half of the files begins as such a file should."""
    head = HEADS.get(extension, b"") if dice.random() < 0.5 else b""
    return extension, head + dice.randbytes(dice.choice([1, 7, 511, 4096, 50_000]))


def _packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return out.getvalue()


def zip_bomb(dice: random.Random) -> Made:
    """Forty megabytes of one letter in forty kilobytes, several times."""
    return "zip", _packed({f"{i}.txt": b"a" * (40 << 20) for i in range(dice.randint(2, 3))})


def zip_nested_bomb(dice: random.Random) -> Made:
    """Archives in archives, deeper than anyone packs."""
    data = _packed({"deep.txt": SENTENCE.encode() * 3})
    for level in range(dice.randint(5, 30)):
        data = _packed({f"{level}.zip": data, f"{level}-b.zip": data} if level < 6 else {f"{level}.zip": data})
    return "zip", data


def zip_wrong_names(dice: random.Random) -> Made:
    """Members that climb out, stand at the root, or have no name to speak of."""
    names = [
        "../../outside.txt",
        "/etc/root.txt",
        "a\\..\\b.txt",
        "con.txt",
        " ",
        ".",
        "x" * 300 + ".txt",
        "new\nline.txt",
    ]
    dice.shuffle(names)
    return "zip", _packed({name: f"{SENTENCE} {name!r}".encode() for name in names})


def zip_lying_sizes(dice: random.Random) -> Made:
    """A directory that promises other sizes than it holds."""
    data = bytearray(_packed({"a.txt": SENTENCE.encode() * 20}))
    at = data.find(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, dice.choice([0, 1, 0xFFFFFFFF]))
    return "zip", bytes(data)


def zip_cut(dice: random.Random) -> Made:
    """A document that ends in the middle."""
    data = _packed({"word/document.xml": b"<w:document>" + SENTENCE.encode() * 400, "[Content_Types].xml": b"<Types/>"})
    return dice.choice(["docx", "zip", "odt"]), data[: dice.randint(1, len(data) - 1)]


def docx_deep(dice: random.Random) -> Made:
    """Elements in elements, ten thousands of them."""
    depth = dice.choice([1_000, 30_000])
    body = b"<w:p>" * depth + SENTENCE.encode() + b"</w:p>" * depth
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return "docx", _packed(
        {
            "[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "word/document.xml": b"<w:document " + space + b"><w:body>" + body + b"</w:body></w:document>",
        }
    )


def xml_laughs(dice: random.Random) -> Made:
    """Entities that each stand for ten of the one before."""
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    text = f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "laugh ">{levels}]><d>&l9;</d>'
    return dice.choice(["xml", "html"]), text.encode()


def html_deep(dice: random.Random) -> Made:
    depth = dice.choice([5_000, 100_000])
    return "html", b"<div>" * depth + SENTENCE.encode() + (b"</div>" * depth if dice.random() < 0.5 else b"")


def json_deep(dice: random.Random) -> Made:
    depth = dice.choice([5_000, 200_000])
    return "json", b"[" * depth + json.dumps(SENTENCE).encode() + b"]" * depth


def rtf_deep(dice: random.Random) -> Made:
    depth = dice.choice([2_000, 60_000])
    return "rtf", b"{\\rtf1 " + b"{\\b " * depth + SENTENCE.encode() + b"}" * dice.randint(0, depth)


def eml_deep(dice: random.Random) -> Made:
    """Mails in mails in mails."""
    head = "From: a@example.org\r\nSubject: s\r\nMIME-Version: 1.0\r\n"
    message = f"{head}Content-Type: text/plain\r\n\r\n{SENTENCE}\r\n"
    for level in range(dice.choice([40, 300])):
        bound = f"b{level}"
        message = (
            f'{head}Content-Type: multipart/mixed; boundary="{bound}"\r\n\r\n--{bound}\r\n'
            f"Content-Type: message/rfc822\r\n\r\n{message}\r\n--{bound}--\r\n"
        )
    return "eml", message.encode()


def eml_wrong_encodings(dice: random.Random) -> Made:
    """Headers and bodies in encodings that do not exist or do not fit."""
    charset = dice.choice(["utf-7", "x-none", "utf-8", "idna", "rot13", "unicode_escape", "hex"])
    return "eml", (
        f"From: =?{charset}?Q?=FF=FE?= <a@example.org>\r\nDate: never\r\nContent-Transfer-Encoding: base64\r\n"
        f'Content-Type: text/plain; charset="{charset}"\r\n\r\n%%%not base64%%%\xff\r\n'
    ).encode("latin-1")


def mbox_of_nothing(dice: random.Random) -> Made:
    return "mbox", b"From a@example.org Mon Jan  1 00:00:00 2024\n" * dice.randint(1_000, 20_000)


def one_line(dice: random.Random, size: int = 2 << 20) -> Made:
    """One line and, in some, one word."""
    word = dice.choice(["a", "clause ", "𝔠", "本", "é", "ﷺ", "ß"])
    return dice.choice(["txt", "md", "csv"]), (word * (size // len(word.encode()))).encode()


def marks_on_one_letter(dice: random.Random) -> Made:
    """A letter with a hundred thousand accents, in no order."""
    marks = "\u0301\u0323\u0300\u0327\u0345\u05b0\u0e38"
    return "txt", ("e" + "".join(dice.choice(marks) for _ in range(100_000)) + f" {SENTENCE}").encode()


def surrogates(dice: random.Random) -> Made:
    """Halves of pairs, in UTF-8 and in UTF-16."""
    text = "".join(dice.choice(["word ", "\ud800", "\udfff", "\udc00\ud800"]) for _ in range(2_000))
    return "txt", text.encode(dice.choice(["utf-8", "utf-16-le", "utf-16"]), "surrogatepass")


def nulls(dice: random.Random) -> Made:
    step = dice.choice([1, 3, 17])
    return dice.choice(["txt", "md", "html", "csv"]), b"".join(
        SENTENCE[i : i + step].encode() + b"\0" for i in range(0, 80, step)
    )


def right_to_left(dice: random.Random) -> Made:
    """Marks that turn the line around, never closed."""
    marks = "\u200f\u202e\u2067\u200e\u202a\u061c\u2066"
    return "txt", "".join(word + dice.choice(marks) for word in (SENTENCE + " ").split(" ") * 200).encode()


def ignorables(dice: random.Random) -> Made:
    """Nothing that can be seen."""
    return "txt", "".join(dice.choice("\u200b\u200d\u00ad\ufeff\u2060\U000e0041") for _ in range(200_000)).encode()


def empty_lines(dice: random.Random) -> Made:
    return dice.choice(["txt", "md", "csv", "html"]), dice.choice([b"\n", b"\r\n", b"\r"]) * 1_000_000


def wide_encodings(dice: random.Random) -> Made:
    """Byte order marks that promise what does not follow."""
    mark = dice.choice([b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\xef\xbb\xbf", b"+/v8"])
    return "txt", mark + SENTENCE.encode(dice.choice(["utf-8", "utf-16-be", "utf-32-le"])) + b"\xff"


def pdf_broken(dice: random.Random) -> Made:
    """Objects that name each other in a circle, and a stream that unpacks to megabytes."""
    stream = zlib.compress(b"BT /F1 12 Tf (" + b"x" * (8 << 20) + b") Tj ET")
    kids = dice.choice(["[2 0 R]", "[3 0 R]", "[" + "3 0 R " * 5_000 + "]"])
    return "pdf", (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 9999999/Kids "
        + kids.encode()
        + b"/Parent 2 0 R>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R>>endobj\n"
        + b"4 0 obj<</Filter/FlateDecode/Length "
        + str(len(stream)).encode()
        + b">>stream\n"
        + stream
        + b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
    )


def repeated_word(dice: random.Random) -> Made:
    """One word again and again, and almost the same again in other files: every shingle is equal."""
    return "txt", b" ".join([b"whereas"] * dice.randint(30_000, 31_000))


def shuffled_words(dice: random.Random) -> Made:
    """The same words as others of its kind in another order: candidates that verification throws away."""
    words = [f"w{i % 2_000}" for i in range(8_000)]
    dice.shuffle(words)
    return "txt", " ".join(words).encode()


MAKERS: tuple[Maker, ...] = (
    zip_bomb, zip_nested_bomb, zip_wrong_names, zip_lying_sizes, zip_cut, docx_deep, xml_laughs, html_deep, json_deep,
    rtf_deep, eml_deep, eml_wrong_encodings, mbox_of_nothing, one_line, marks_on_one_letter, surrogates, nulls,
    right_to_left, ignorables, empty_lines, wide_encodings, repeated_word, shuffled_words,
)  # fmt: skip
SLOW_MAKERS: tuple[Maker, ...] = (pdf_broken,)
"""Files over which a parser takes all the time that it is given."""


def hostile_files(count: int, seed: int, *, slow: bool) -> Iterator[Made]:
    """So many files: every maker once, noise under every extension, and so on."""
    dice = random.Random(seed)
    noise: list[Maker] = [partial(_noise, extension) for extension in EXTENSIONS]
    makers: list[Maker] = [*MAKERS, *(SLOW_MAKERS if slow else ()), *noise]
    for maker in itertools.islice(itertools.cycle(makers), count):
        yield maker(dice)
