"""What is stored and must never change silently: hashes, the Unicode version, profile specs."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from naive import naive_hash
from truecopy.errors import BadSetting
from truecopy.text import UNICODE, profiles, tokenize, words
from truecopy.text.unicode_tables import tables

KNOWN_ANSWERS = {
    "a": 0xCEB5A05A7A92499D,
    "lessee": 0xF7ABA7F742D2E84A,
    "12345678": 0x1DA948FD8D0A2F3C,
    "123456789": 0x2F45C970E094B4A9,
    "indemnification": 0x4CCFBCF48C9B7D02,
    "öffnung": 0x832DEE4B81CAFB40,
    "договор": 0xFC7E23D755FA6899,
    "ὀδυσσεύσ": 0xB653DF7C8A041A11,
    "العَقْدُ": 0x1C0368D7C66656AA,
    "契": 0xCE1B0654CFE61B27,
    "ガ": 0x3B96047E51B8A62D,
    "각": 0xA13D70A8E63F619B,
    "abababababababababababababababababababab": 0xA24FBB9DCE17E001,
}


@pytest.mark.parametrize("word", KNOWN_ANSWERS)
def test_known_answers(word: str) -> None:
    """The hash of these words is the one that stored signatures were made of."""
    assert int(words(word).hashes[0]) == KNOWN_ANSWERS[word]
    assert naive_hash(word) == KNOWN_ANSWERS[word]


def test_the_shipped_tables_are_the_ones_of_their_version() -> None:
    """The tables are part of the format: other tables need another Unicode version and a new digest here."""
    assert UNICODE == "15.0.0"
    digest = hashlib.sha256(tables().astype("<i4").tobytes()).hexdigest()
    assert digest == "130626fe7b60ac4e6283badb02f5a1bf63178497fe7e55f031ab1aad1711d3ba"


def test_specs_name_profile_version_and_unicode() -> None:
    """A spec tells profiles, their versions and the Unicode version apart."""
    assert profiles.spec("plain") == "plain/2 unicode-15.0.0" == profiles.plain("x").spec
    assert profiles.spec("verbatim") == "verbatim/1 unicode-15.0.0"


def test_an_unknown_profile_is_refused_by_name() -> None:
    """The message names what was given, the hint what there is."""
    with pytest.raises(BadSetting, match=r"'loose' does not exist.*plain, verbatim"):
        profiles.spec("loose")


def test_short_words_never_collide() -> None:
    """The hash of words of up to eight bytes can be undone, so that no two share one."""
    whole = (1 << 64) - 1

    def unshift(value: int, shift: int) -> int:
        result = value
        for _ in range(64 // shift):
            result = value ^ result >> shift
        return result

    for word in ("a", "lessee", "12345678", "öffnen", "дом", "日"):
        value = unshift(int(words(word).hashes[0]), 33)
        for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD):
            value = unshift(value * pow(factor, -1, 1 << 64) & whole, 33)
        value = unshift(value, 32) * pow(0xD6E8FEB86659FD93, -1, 1 << 64) & whole
        assert (value ^ 0x9E3779B97F4A7C15).to_bytes(8, "little").rstrip(b"\0").decode() == word


def test_keys_are_independent_of_hashes_and_say_which_words_are_long() -> None:
    """Over a million words, neither hashes nor keys repeat, and the bits that tables use have nothing in common."""
    found = tokenize([" ".join(f"clause{number}of{number * 7}" for number in range(1_000_000)).encode()])
    assert len(set(found.hashes.tolist())) == len(set(found.keys.tolist())) == 1_000_000
    same_low_bits = (found.hashes & 0xFFFF) == (found.keys & 0xFFFF)
    assert same_low_bits.sum() < 60  # 15 are expected
    lengths = found.ends - found.starts
    assert np.array_equal(found.keys >> np.uint64(63) == 1, lengths > 8)
    assert np.array_equal(found.keys >> np.uint64(62) == 3, lengths > 16)
