"""Texts in thirty encodings and more are read right, or the doubt is said; nothing is misread in silence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from encoding_samples import ENCODINGS, LONG, OWN, POLICIES, Sample, own_lines, policy_lines, samples

from collections_data import collection
from truecopy.read.decode import Decoded, declared_text, read_text
from truecopy.read.encodings.found import CERTAIN, DOUBTFUL

SEED = 20_261


def read(sample: Sample) -> tuple[bool, Decoded | None]:
    """Whether a sample was read right, and what was read."""
    found = read_text(sample.data)
    return found is not None and found.text.decode() == sample.text.removeprefix("\ufeff"), found


def measured(every: Iterable[Sample]) -> tuple[Counter[str], list[str]]:
    """How many long and short samples there are, were right, and were doubted; and each that was wrong in silence."""
    counts: Counter[str] = Counter()
    silent = []
    for sample in every:
        right, found = read(sample)
        size = "long" if sample.lines == LONG else "short"
        counts[size] += 1
        counts[f"{size} right"] += right
        counts[f"{size} right, doubted"] += bool(right and found and found.doubt)
        if not right and not (found is not None and found.doubt):
            silent.append(f"{sample}: read as {found and found.encoding}")
    return counts, silent


@pytest.mark.slow
def test_samples_of_real_policies_and_our_own_sentences_are_read_right() -> None:
    """Of 800 samples at least 97 % of the long ones are right, few of those doubted, and no error is silent."""
    policies = collection("policies-languages")
    texts = {language: policy_lines(policies, language) for language in POLICIES}
    texts |= {language: own_lines(language) for language in OWN}
    every = list(samples(texts, random.Random(SEED), long=2, short=2))
    assert len(every) >= 800
    assert len({sample.encoding for sample in every}) >= 30
    assert len({sample.language for sample in every}) >= 15
    counts, silent = measured(every)
    assert silent == [], f"seed {SEED}"
    assert counts["long right"] >= 0.97 * counts["long"], f"seed {SEED}: {counts}"
    assert counts["long right, doubted"] <= 0.03 * counts["long"], f"seed {SEED}: {counts}"
    assert counts["short right"] >= 0.95 * counts["short"], f"seed {SEED}: {counts}"


def test_our_own_sentences_are_read_right() -> None:
    """The same with sentences that are here in every case: all long ones right, no error in silence."""
    texts = {language: own_lines(language) for language in OWN}
    counts, silent = measured(samples(texts, random.Random(SEED), long=1, short=1))
    assert silent == [], f"seed {SEED}"
    assert counts["long right"] == counts["long"], f"seed {SEED}: {counts}"


SENTENCES = {
    **{language: "\n".join(own_lines(language)[:16]) + "\n" for language in OWN},
    "de": "Der Mieter trägt die Kosten für Strom, Wasser und Müll; die Vergütung beträgt 500 Euro jährlich.\n" * 4,
    "fr": "Le présent contrat est conclu à durée déterminée ; le locataire s'engage à régler les échéances dès l'été.\n"
    * 4,
    "es": "El arrendatario pagará la renta el día primero de cada mes; la garantía será devuelta después del año.\n"
    * 4,
    "pl": "Niniejsza umowa wchodzi w życie z dniem podpisania i obowiązuje do wykonania zobowiązań przez strony.\n" * 4,
    "ru": "Настоящий договор вступает в силу с момента подписания обеими сторонами и действует три года.\n" * 4,
    "zh": "本合同自双方签字之日起生效，至双方义务全部履行完毕之日止。甲方应当按时支付货款。\n" * 4,
    "ja": "本契約は、両当事者が署名した日から効力を生じ、義務が完全に履行されるまで有効とする。\n" * 4,
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("he", "cp1255"),
        ("he", "cp862"),
        ("cs", "iso8859-2"),
        ("cs", "cp852"),
        ("hu", "cp852"),
        ("pl", "cp852"),
        *((language, page) for language in ("de", "fr", "es") for page in ("cp437", "cp850", "mac-roman")),
        ("th", "cp874"),
        ("uk", "koi8-u"),
        ("ru", "mac-cyrillic"),
        *((language, page) for language in ("de", "fr", "es") for page in ("cp037", "cp500", "cp1140")),
        ("tr", "cp857"),
        ("el", "cp737"),
        *((language, "utf-7") for language in ("de", "ru", "he", "zh")),
        *((language, f"utf-16-{end}") for language in ("zh", "tw", "ja", "ko") for end in ("le", "be")),
        ("ko", "iso2022_kr"),
        ("zh", "hz"),
    ],
)
def test_what_was_misread_is_read_right(language: str, encoding: str) -> None:
    """Encodings that used to be taken for others, in texts of a few lines."""
    text = SENTENCES[language].encode(encoding, "ignore").decode(encoding)
    if encoding.startswith("utf-16"):
        text = "".join(text.split())  # no space, no line end, no figure: nothing has a zero byte
        text = "".join(character for character in text if character > "\x7f")
    found = read_text(text.encode(encoding))
    assert found is not None
    assert found.text.decode() == text
    assert found.doubt == "" or encoding.startswith("cp"), found


@pytest.mark.parametrize("page", ["cp1252", "iso8859-1"])
def test_utf_8_and_latin_1_in_one_file_are_both_read(page: str) -> None:
    """Each line by what its bytes are, and the mixture is said."""
    lines = [
        "Le présent contrat est conclu à durée déterminée entre les parties désignées.",
        "Der Mieter trägt die Kosten für Öl und Gas; die Vergütung beträgt jährlich 500 Euro.",
        "Les échéances dues à l'étranger sont réglées dès réception.",
    ]
    data = b"\n".join(line.encode("utf-8" if place % 2 else page) for place, line in enumerate(lines * 3))
    found = read_text(data)
    assert found is not None
    assert found.text.decode() == "\n".join(lines * 3)
    assert found.encoding == "utf-8+cp1252"
    assert "mixed" in found.doubt
    assert found.confidence < DOUBTFUL


def test_what_is_certain_says_so() -> None:
    """Marks, ASCII and valid UTF-8 have a confidence of 100 and no doubt."""
    for data, encoding in (
        (b"plain words", "utf-8"),
        ("né à Genève".encode(), "utf-8"),
        ("né à Genève".encode("utf-8-sig"), "utf-8"),
        ("né à Genève".encode("utf-16"), "utf-16-le"),
        (b"\xfe\xff" + "né".encode("utf-16-be"), "utf-16-be"),
        ("né à Genève".encode("utf-32"), "utf-32-le"),
    ):
        found = read_text(data)
        assert found is not None
        assert (found.encoding, found.confidence, found.doubt) == (encoding, CERTAIN, "")


def test_pages_that_give_the_same_text_leave_no_doubt() -> None:
    """German in Latin-1 is the same in six pages: it does not matter which it is."""
    text = SENTENCES["de"]
    found = read_text(text.encode("latin-1"))
    assert found is not None
    assert found.text.decode() == text
    assert found.doubt == ""
    assert found.encoding == "cp1252"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"A\xa4 B", "with doubt"),
        ("The “Agreement”".encode()[:-1], "cut off"),
        ("Настоящий договор. ".encode() * 20 + b"\xff" + "Настоящий договор. ".encode() * 20, "damaged"),
        (bytes(range(0x81, 0xFF)) * 3 + b" and some words", "with doubt"),
        (b"before \xed\xa0\x80 after", "halves"),
    ],
    ids=["one sign", "cut off", "damaged", "every byte", "surrogates"],
)
def test_what_may_be_wrong_is_said(data: bytes, said: str) -> None:
    """A text that may be other than it was read comes with a sentence about it."""
    found = read_text(data)
    assert found is not None
    assert said in found.doubt


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("naïve café, “quoted” – it’s", "cp1252"), ("§ 5 gilt; Größe 5 m²", "cp1252"), ("Price: € 5, £ 3", "cp1252")],
)
def test_a_few_signs_in_ascii_are_western(text: str, encoding: str) -> None:
    """One or two characters beyond ASCII are read as the commonest page has them."""
    found = read_text(text.encode(encoding))
    assert found is not None
    assert found.text.decode() == text


ROMANIAN = """Prezentul contract intră în vigoare la data semnării de către ambele părți și este valabil trei ani.
Chiriașul este obligat să plătească chiria în prima zi a fiecărei luni, fără nicio întârziere.
Toate litigiile vor fi soluționate de instanțele competente din București, potrivit legii române.
"""
CEDILLAS = ROMANIAN.translate(str.maketrans("șțȘȚ", "şţŞŢ"))


@pytest.mark.parametrize("lines", [1, 8])
def test_ukrainian_of_dos_is_read_right(lines: int) -> None:
    """Code page 1125 has other letters where code page 866 has those of Belarusian: it was read as that in silence."""
    text = "\n".join(own_lines("uk")[:lines]) + "\n"
    found = read_text(text.encode("cp1125"))
    assert found is not None
    assert (found.text.decode(), found.encoding, found.doubt) == (text, "cp1125", "")
    russian = read_text(SENTENCES["ru"].encode("cp866"))
    assert russian is not None
    assert (russian.text.decode(), russian.doubt) == (SENTENCES["ru"], "")


def test_romanian_with_commas_or_cedillas_is_doubted_where_nothing_tells_them_apart() -> None:
    """The letters are at the same bytes of two pages; signs that only one of them has tell which it is."""
    for encoding, text in (("iso8859-16", ROMANIAN), ("cp1250", CEDILLAS)):
        found = read_text(text.encode(encoding))
        assert found is not None
        assert found.text.decode() == CEDILLAS
        assert "iso8859-16" in found.doubt
    quoted = CEDILLAS.replace("prima zi", "„prima zi”")
    found = read_text(quoted.encode("cp1250"))
    assert found is not None
    assert (found.text.decode(), found.doubt) == (quoted, "")
    quoted = ROMANIAN.replace("prima zi", "„prima zi”")
    found = read_text(quoted.encode("iso8859-16"))
    assert found is not None
    assert (found.text.decode(), found.encoding) == (quoted, "iso8859-16")


def test_few_random_bytes_are_seldom_a_text() -> None:
    """A third of them were a text with doubt; with a control byte and no language, they are none."""
    generator = random.Random(SEED)
    taken = sum(read_text(generator.randbytes(generator.randrange(16, 101))) is not None for _ in range(300))
    assert taken <= 0.12 * 300, f"seed {SEED}: {taken}"


def test_short_texts_are_never_refused() -> None:
    """In all encodings, rare ones that there are no tables of too, cut anywhere; and with an end of file of DOS."""
    rare = ("johab", "big5hkscs", "shift_jisx0213", "kz1048", "koi8-t", "cp864", "hp-roman8")
    generator = random.Random(SEED)
    for language in OWN:
        for encoding in (*ENCODINGS[language], *rare):
            data = generator.choice(own_lines(language)).encode(encoding, "ignore")[: generator.randrange(8, 150)]
            assert read_text(data) is not None, f"seed {SEED}: {data!r}"
            assert read_text(data + b"\x1a") is not None, f"seed {SEED}: {data!r}"


def test_a_document_that_lies_about_its_encoding_is_found_out() -> None:
    """What is declared is believed, unless its letters clearly say otherwise; then the doubt is said."""
    text = SENTENCES["ru"]
    honest = declared_text(text.encode("koi8-r"), "koi8-r")
    assert honest is not None
    assert (honest.text.decode(), honest.encoding, honest.confidence, honest.doubt) == (text, "koi8-r", 100, "")
    lying = declared_text(text.encode("cp1251"), "iso-8859-1")
    assert lying is not None
    assert lying.text.decode() == text
    assert lying.encoding == "cp1251"
    assert "says that it is in cp1252" in lying.doubt


CONCORDANCE = "þDOCIDþ\x14þCUSTODIANþ\x14þDATEþ\x14þSUBJECTþ\r\n" + "".join(
    f"þABC{number:06d}þ\x14þMüller, Jürgenþ\x14þþ\x14þVergütung für Óscar Nº {number}þ\r\n" for number in range(1, 40)
)
EMPTY_FIELDS = "\x14".join(["þþ"] * 30) + "\r\n" + "\x14".join(["þABC-1þ", *["þþ"] * 29]) + "\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("text", [CONCORDANCE, EMPTY_FIELDS * 4], ids=["records", "mostly empty fields"])
def test_load_files_of_concordance_are_texts(text: str, encoding: str) -> None:
    """þ around fields and U+0014 between them do not make a load file binary."""
    found = read_text(text.encode(encoding))
    assert found is not None
    assert found.text.decode() == text


@pytest.mark.parametrize("between", ["\0", "\x1f", "\x1e", "\x1d", "\x1c", "\x14", "\x01", "\x1f\x1e"])
@pytest.mark.parametrize(
    ("language", "encoding"), [("de", "cp1252"), ("ru", "cp1251"), ("he", "cp1255"), ("zh", "gbk")]
)
def test_control_characters_between_fields_divide_texts_in_any_encoding(
    language: str, encoding: str, between: str
) -> None:
    """Fields of a few words with NUL or a separator between them are a text, in ASCII letters or in others."""
    words = SENTENCES[language].replace("，", " ").split()
    text = between.join(" ".join(words[at : at + 2]) for at in range(0, len(words), 2)) + "\n"
    found = read_text(text.encode(encoding))
    assert found is not None
    assert found.text.decode() == text


@pytest.mark.parametrize(
    ("language", "encoding"), [("de", "cp1252"), ("ru", "cp1251"), ("el", "cp1253"), ("he", "cp1255")]
)
def test_records_that_are_padded_with_nul_are_texts(language: str, encoding: str) -> None:
    """Records of a fixed length whose fields are filled up with NUL."""
    words = [word for word in SENTENCES[language].split() if len(word) < 24]
    data = b"".join(word.encode(encoding).ljust(24, b"\0") for word in words * 3)
    found = read_text(data)
    assert found is not None
    assert found.text == "".join(word.ljust(24, "\0") for word in words * 3).encode()


def test_binary_files_of_this_machine_are_no_texts() -> None:
    """Programs, libraries, compiled modules, arrays and compressed files are not taken for texts."""
    import importlib.util
    import sys

    import numpy

    folder = Path(numpy.__file__).parent
    spec = importlib.util.find_spec("zlib")
    files = [Path(sys.executable), *sorted(folder.rglob("*.so"))[:8], *sorted(folder.rglob("*.pyc"))[:30]]
    files += [Path(spec.origin)] if spec and spec.origin and spec.origin != "built-in" else []
    assert len(files) > 8
    for file in files:
        data = file.read_bytes()[:300_000]
        assert read_text(data) is None, file


def test_binary_files_of_the_formats_collection_are_no_texts() -> None:
    """Office files, pictures and archives are no plain texts, whatever they are called."""
    import zipfile

    signs = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"!BDN", b"\x1f\x8b")
    count = 0
    for file in sorted(collection("formats").rglob("*")):
        data = file.read_bytes() if file.is_file() else b""
        if data.startswith(signs) and len(data) > 2_000 and not _stored(file, zipfile):
            count += 1
            assert read_text(data) is None, file
    assert count > 20


def _stored(file: Path, zipfile: object) -> bool:
    """Whether an archive holds texts that are not compressed."""
    import zipfile as archives

    assert zipfile is archives
    if not archives.is_zipfile(file):
        return False
    with archives.ZipFile(file) as archive:
        return any(one.compress_type == archives.ZIP_STORED and one.file_size > 500 for one in archive.infolist())
