"""Words: the kernel equals the naive version, on made, random, real and hostile texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_checks import assert_same_fold, assert_same_words, known

from collections_data import collection
from naive import naive_hash, naive_words
from truecopy.text import tokenize, words

CHARS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
KNOWN = [char for char in CHARS if known(char)]
MARKS = [char for char in KNOWN if unicodedata.category(char)[0] == "M"]
DECOMPOSED = [char for char in KNOWN if unicodedata.normalize("NFKD", char) != char]
BULK = ("CJK UNIFIED", "HANGUL SYLLABLE", "TANGUT IDEOGRAPH", "CUNEIFORM", "EGYPTIAN", "YI SYLLABLE")

pieces = st.one_of(
    st.sampled_from(KNOWN),
    st.sampled_from(MARKS),
    st.sampled_from(DECOMPOSED),
    st.sampled_from("aeiou AZ09.,=<>\u0338\u0327\u0323\u0301ßﬁſ½"),
    st.sampled_from("\u00ad\u200b\u200c\u200d\ufe0f\ufeff\u2060\u034f\u061c\u3164"),
    st.sampled_from("αιωΑΩᾳᾼῃ\u0345\u0301\u0342\u0313"),
    st.integers(0x1100, 0x11FF).map(chr),
    st.integers(0xAC00, 0xD7A3).map(chr),
    st.sampled_from("علي\u064e\u0651\u0670ﷺﻻمسـ"),
    st.sampled_from("กำไ\u0e48\u0e38๑ກ\u0ebaកាမြန်"),
    st.sampled_from("かガｶﾞﾊﾟー々日本〇㌖㍿\u3099\u309a"),
    st.sampled_from(["plain words, plain signs; ", "x" * 70, "don’t ", "naïve ", "\n\n"]),
)
texts = st.lists(pieces, max_size=60).map("".join)

LANGUAGES = {
    "english": ("The Lessee's rent is $1,000.", "the lessee s rent is 1 000"),
    "german": ("Die Größe der STRASSE (Straße)", "die grösse der strasse strasse"),
    "french": ("L’été où l’œuvre coûta 5 €", "l été où l œuvre coûta 5"),
    "greek": ("ΤΟ ΣΥΜΒΌΛΑΙΟ τοῦ Ὀδυσσεύς ᾳ", "το συμβόλαιο τοῦ ὀδυσσεύσ αι"),
    "russian": ("ДОГОВОР № 5 Ёлка й", "договор no 5 ёлка й"),
    "arabic": ("العَقْدُ رقم ٥ — ﻻ", "العَقْدُ رقم ٥ لا"),
    "chinese": ("合同第5条,甲方A公司", "合 同 第 5 条 甲 方 a 公 司"),
    "japanese": ("契約ガ ｶﾞ コーヒー", "契 約 ガ ガ コ ー ヒ ー"),
    "thai": ("สัญญาที่", "สั ญ ญ า ที่"),
    "hindi": ("अनुबंध क़ानून", "अनुबंध क़ानून"),
    "korean": ("계약서 \u1100\u1161\u11a8", "계약서 각"),
    "vietnamese": ("Hợp đồng Hơ\u0323p", "hợp đồng hợp"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_each_language(language: str) -> None:
    """Each language's words are those that its readers expect, written out here by hand."""
    text, expected = LANGUAGES[language]
    expected_words = [unicodedata.normalize("NFC", word) for word in expected.split(" ")]
    assert [word for word, _, _ in naive_words(text)] == expected_words
    assert_same_words(text)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("½", [(0, 1), (0, 1)]),
        ("a\u00adb\u00ad c", [(0, 3), (5, 6)]),
        ("=\u0338", []),
        ("=\u0323\u0338\u0301", []),
        ("x=\u0338y", [(0, 1), (3, 4)]),
        ("e\u200d\u0301t\u0301\u0323", [(0, 6)]),
        ("\ufeffBOM", [(1, 4)]),
        ("\u0301a", [(1, 2)]),
        ("\u0301", []),
        ("a \u0301\u0323b", [(0, 1), (4, 5)]),
        ("5%\u20e3, 5\u20e3", [(0, 1), (5, 7)]),
        ("(\u0e48ก\u0e48)", [(2, 4)]),
        ("日\ufe00本語a1あ", [(0, 1), (2, 3), (3, 4), (4, 6), (6, 7)]),
        ("ᾳ\u0301", [(0, 2)]),
        ("\0a\0\ue000b\U0010ffffc", [(1, 2), (4, 5), (6, 7)]),
        ("𝐀𝟙 😀", [(0, 2)]),
        ("", []),
        (" \n", []),
    ],
)
def test_spans_cover_the_original(text: str, spans: list[tuple[int, int]]) -> None:
    """A span holds every code point of its word, also dropped ones inside, and no others at its ends."""
    found = words(text)
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == spans
    assert_same_words(text)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_words_and_folding_equal_the_naive_ones(text: str) -> None:
    """On any text, hashes, spellings, spans and folded code points are those of the naive version."""
    assert_same_fold(text)
    assert_same_words(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(texts, max_size=8), st.integers(0, 80))
def test_a_batch_gives_what_each_text_gives(batch: list[str], padding: int) -> None:
    """Neighbours in the buffer, and how near its end a text stands, change nothing."""
    given_texts = [text.encode() for text in batch] + [b"x" * padding]
    found = tokenize(given_texts)
    for number, text in enumerate(given_texts):
        alone = tokenize([text])
        part = slice(found.offsets[number], found.offsets[number + 1])
        for name in ("hashes", "keys", "starts", "ends"):
            assert np.array_equal(getattr(found, name)[part], getattr(alone, name))
        assert found.letters[number] == alone.letters[0]


def cases() -> Iterator[tuple[str, str]]:
    """Every code point that is not one of very many alike, alone and inside a word."""
    seen: dict[str, int] = {}
    for char in KNOWN:
        bulk = unicodedata.name(char, unicodedata.category(char)).startswith((*BULK, "Co"))
        kind = unicodedata.category(char) + unicodedata.name(char, "")[:8] if bulk else ""
        seen[kind] = seen.get(kind, 0) + 1
        if not bulk or seen[kind] % 101 == 1:
            yield char, f"a{char}b"


def test_every_code_point() -> None:
    """Alone and between two letters, every code point gives the words of the naive version."""
    given_texts = [text for pair in cases() for text in pair]
    found = tokenize([text.encode() for text in given_texts])
    got = found.hashes.tolist()
    assert len(given_texts) > 70_000
    for number, text in enumerate(given_texts):
        expected = [word for word, _, _ in naive_words(text)]
        part = got[found.offsets[number] : found.offsets[number + 1]]
        assert part == [naive_hash(word) for word in expected], ascii(text)
        has_letter = any(unicodedata.category(char)[0] == "L" for char in "".join(expected))
        assert found.letters[number] == has_letter, ascii(text)


def test_bulk_code_points_are_words_of_their_own_kind() -> None:
    """Han characters are words alone and cut words; Hangul and private use code points do as usual."""
    han = [chr(point) for point in range(0x4E00, 0x9FFD)] + [chr(point) for point in range(0x20000, 0x2A6DE)]
    hangul = [chr(point) for point in range(0xAC00, 0xD7A4)]
    private = [chr(point) for point in (*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE, 17))]
    for chars, count in ((han, 3), (hangul, 1), (private, 2)):
        found = tokenize([f"a{char}b".encode() for char in chars])
        assert np.all(np.diff(found.offsets) == count)
    assert words("".join(hangul)).hashes.tolist() == [naive_hash("".join(hangul))]
    assert words("".join(han)).hashes.tolist() == [naive_hash(char) for char in han]


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_normal_forms_have_the_same_words(form: str) -> None:
    """Every code point that decomposes, with marks in either order, has the words of its normal forms."""
    for before, after in (("", "\u0323\u0301"), ("x", "\u0301\u0323"), ("", "\u0345\u0301")):
        given_texts = [before + char + after for char in DECOMPOSED]
        if form[2] == "K":  # the standard folds before it reorders compatibility forms of iota below
            given_texts = [text for text in given_texts if "\u0345" not in unicodedata.normalize("NFKD", text)]
        found = tokenize([text.encode() for text in given_texts])
        same = tokenize([unicodedata.normalize(form, text).encode() for text in given_texts])
        assert np.array_equal(found.offsets, same.offsets)
        assert np.array_equal(found.hashes, same.hashes)


def test_real_texts_of_every_language() -> None:
    """Parts of real policies in every language of the collection equal the naive version."""
    folders = [folder for folder in sorted(collection("policies-languages").iterdir()) if folder.is_dir()]
    assert len(folders) >= 8
    for folder in folders:
        for path in sorted(folder.rglob("*.md"))[::40]:
            assert_same_words(path.read_bytes()[:12_000].decode("utf-8", "ignore"))
