"""Plain text in any common encoding becomes the right UTF-8, and binary data is told from it."""

from __future__ import annotations

import random
import struct
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truecopy.read.decode import decode, to_utf8

TEXTS = {
    "English": "The “Agreement” – as amended – is made on 5 May 2020; it’s binding. § 5 applies. ",
    "French": "Le présent contrat entre en vigueur à la date de sa signature et s’applique dès l’été. ",
    "German": "Dieser Vertrag tritt mit Unterzeichnung in Kraft; die Vergütung beträgt für Übungen nichts. ",
    "Polish": "Niniejsza umowa wchodzi w życie z dniem podpisania i obowiązuje do wykonania zobowiązań. ",
    "Czech": "Tato smlouva nabývá účinnosti dnem podpisu a platí do úplného splnění závazků, čili řádně. ",
    "Turkish": "Bu sözleşme her iki tarafın imzaladığı tarihte yürürlüğe girer ve geçerlidir. ",
    "Russian": "Настоящий договор вступает в силу с момента подписания обеими сторонами. ",
    "Greek": "Η παρούσα σύμβαση τίθεται σε ισχύ από την υπογραφή της και από τα δύο μέρη. ",
    "Hebrew": "הסכם זה נכנס לתוקף ביום חתימתו על ידי שני הצדדים ויעמוד בתוקף עד לקיומו. ",
    "Arabic": "يسري هذا العقد اعتبارا من تاريخ توقيعه من قبل الطرفين ويظل ساريا. ",
    "Japanese": "本契約は、両当事者が署名した日から効力を生じ、義務が完全に履行されるまで有効とする。",
    "Chinese": "本合同自双方签字之日起生效，至双方义务全部履行完毕之日止。甲方应当支付货款。",
    "Traditional": "本合約自雙方簽字之日起生效，至雙方義務全部履行完畢之日止。甲方應當支付貨款。",
    "Korean": "본 계약은 양 당사자가 서명한 날부터 효력이 발생하며 이행될 때까지 유효하다. ",
}
PAGES = {
    "English": ["cp1252"],
    "French": ["cp1252"],
    "German": ["latin-1", "cp1252"],
    "Polish": ["cp1250", "iso8859-2"],
    "Czech": ["cp1250", "iso8859-2"],
    "Turkish": ["cp1254"],
    "Russian": ["cp1251", "koi8-r", "cp866", "iso8859-5"],
    "Greek": ["cp1253"],
    "Hebrew": ["cp1255"],
    "Arabic": ["cp1256"],
    "Japanese": ["cp932", "euc-jp", "iso2022_jp"],
    "Chinese": ["gbk", "gb18030"],
    "Traditional": ["big5"],
    "Korean": ["euc-kr"],
}
UNICODE = ["utf-8", "utf-8-sig", *(f"utf-{w}{e}" for w in (16, 32) for e in ("", "-le", "-be"))]


@pytest.mark.parametrize("times", [1, 40])
@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, page) for language, pages in PAGES.items() for page in [*pages, *UNICODE]],
)
def test_the_encoding_is_found(language: str, encoding: str, times: int) -> None:
    text = TEXTS[language] * times + "\r\n1. \r\n"
    assert to_utf8(text.encode(encoding)) == text.encode()


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        ("iso-8859-1", "cp1252", "it’s “quoted”"),
        ("us-ascii", "cp1252", "naïve – €"),
        ("gb2312", "gb18030", "合同朱镕基"),
        ("ks_c_5601-1987", "cp949", "계약 똠방각하"),
        ("koi8-r", "koi8-r", "да"),
        ("x-sjis", "cp932", "本契約は、両当事者が署名した日から効力を生じる。"),
        *((name, "cp1252", "naïve café") for name in ("hex", "zlib", "rot13", "idna", "punycode", "no-such", "\0")),
        ("raw-unicode-escape", "cp1252", "naïve \\u0041"),
        ("utf-8", "cp1252", "naïve café"),
    ],
)
def test_a_declared_encoding_is_taken_as_it_is_meant(declared: str, encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), declared) == text


def test_one_odd_byte_does_not_change_the_alphabet() -> None:
    assert to_utf8(b"Price: \x80 5") == "Price: € 5".encode()
    assert to_utf8(b"caf\xe9 society") == "café society".encode()


def test_bytes_without_meaning_in_the_code_page_stay_control_characters() -> None:
    text = "Die Vergütung für Öl \x81 und Gas beträgt 5 Euro; die Größe der Räume gilt als gewährt.\n"
    assert to_utf8(text.encode("latin-1") * 3) == text.encode() * 3


def test_line_ends_and_zero_bytes_stay() -> None:
    text = b"first line of many\r\nsecond\rthird\n with a \0 in it"
    assert to_utf8(text) == text
    assert to_utf8(text + b".") == text + b"."


def test_lone_surrogates_become_replacement_characters() -> None:
    raw = "before ".encode("utf-16-le") + b"\x00\xd8" + " after".encode("utf-16-le")
    assert to_utf8(b"\xff\xfe" + raw) == "before \ufffd after".encode()
    invalid_utf8 = to_utf8(b"before \xed\xa0\x80 after")
    assert invalid_utf8 == "before \ufffd after".encode()


def test_utf8_that_is_cut_off_or_broken_in_a_place_stays_utf8() -> None:
    text = "The “Agreement” – naïve"
    assert to_utf8(text.encode()[:-1]) == "The “Agreement” – naïv".encode()
    assert to_utf8("The “Agreement”".encode()[:-1]) == "The “Agreement\ufffd".encode()
    long = "Настоящий договор вступает в силу. " * 10
    assert to_utf8(long.encode() + b"\xff" + long.encode()) == (long + "\ufffd" + long).encode()


def test_cut_off_utf16_keeps_what_is_there() -> None:
    assert to_utf8(b"\xff\xfea\0b\0c") == "ab\ufffd".encode()


def test_binary_data_is_no_text() -> None:
    seed = 20_260
    generator = random.Random(seed)
    for size in (500, 5_000, 500_000):
        assert to_utf8(generator.randbytes(size)) is None, f"seed {seed}"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_valid_utf8_is_left_as_it_is(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert to_utf8(text.encode()) == text.encode()


@given(st.binary(max_size=300))
def test_whatever_comes_out_is_valid_utf8(data: bytes) -> None:
    text = to_utf8(data)
    if text is not None:
        text.decode()


LINE = "The tenant pays the rent of §5 on the first of the month. "


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize(
    "text",
    [
        LINE * 20,
        LINE * 20 + "\x01",
        "8=FIX.4.2\x019=178\x0135=8\x0149=TENANT\x0156=OWNER§\x01" * 40,
        "\f".join([LINE * 5] * 8) + "\f",
        "".join(f"{name:\0<40}" for name in ("Smith & Söhne", "Jones", "Landlord Ltd")) * 30,
        "\0" * 500 + LINE * 20 + "\0" * 900,
    ],
    ids=["plain", "one control", "divided by U+0001", "form feeds", "padded records", "padded file"],
)
def test_control_characters_do_not_make_a_text_binary(text: str, encoding: str) -> None:
    found = to_utf8(text.encode(encoding))
    assert found is not None
    assert found.decode() == text


def test_every_control_character_may_be_in_a_text_in_utf_8() -> None:
    for code in range(32):
        for text in (f"agree{chr(code)}ment — “x”", chr(code).join(LINE.split()), chr(code) * 30 + LINE * 2):
            assert to_utf8(text.encode()) == text.encode(), code


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(1, 9)) * 400,
        struct.pack("<400I", *range(400)),
        random.Random(3).randbytes(5_000),
        b"\x7fELF\x02\x01\x01\0" + random.Random(4).randbytes(3_000),
        b"header: a text\n" * 20 + random.Random(5).randbytes(50_000),
        zlib.compress(LINE.encode() * 900, 9) + random.Random(6).randbytes(900),
    ],
    ids=["controls only", "integers", "noise", "program", "noise after a header", "compressed"],
)
def test_data_that_are_no_text_are_refused(data: bytes) -> None:
    assert to_utf8(data) is None


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 4_097, 10_000])
def test_a_file_of_padding_is_a_text_without_words(length: int) -> None:
    assert to_utf8(bytes(length)) is not None
    assert to_utf8(bytes(length) + b"\n") is not None


@given(st.binary(max_size=24))
def test_any_few_bytes_have_an_answer(data: bytes) -> None:
    for padded in (data, data + bytes(9), bytes(9) + data, data.replace(b"a", b"a\0")):
        found = to_utf8(padded)
        assert found is None or found.decode() is not None
        assert decode(padded, "utf-16") is None or isinstance(decode(padded, "utf-16"), str)


def test_three_letter_codes_that_end_in_a_zero_byte_are_no_utf_16() -> None:
    assert to_utf8(b"USD\0GBP\0EUR\0CHF\0" * 50) == b"USD\0GBP\0EUR\0CHF\0" * 50


@pytest.mark.parametrize("unit", [b"\0a", b"a\0\0", b"\x01a", b"\xff\0", b"\x1b$", b"\xc3\0"])
def test_time_grows_with_the_length_whatever_the_bytes(unit: bytes) -> None:
    def seconds(times: int) -> float:
        data = unit * times
        start = time.perf_counter()
        to_utf8(data)
        return time.perf_counter() - start

    seconds(1_000)
    # Ten times the bytes take about ten times as long; 25 allow for a busy machine, 100 would be squares.
    assert seconds(1_000_000) < 25 * max(seconds(100_000), 0.004)
