"""Names of members and patterns of paths."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truecopy.read.names import UniqueNames, member_name, name_shown, spellings
from truecopy.read.patterns import excluder


@given(st.text())
def test_no_member_name_leads_anywhere(name: str) -> None:
    safe = member_name(name, "fallback")
    safe.encode()
    assert safe
    assert not safe.startswith("/")
    assert all(part not in ("", ".", "..") for part in safe.split("/"))
    assert "\\" not in safe.replace("\\x", "")
    assert all(letter.isprintable() or letter == "/" or ord(letter) > 0x9F for letter in safe)


@given(st.binary(max_size=40))
def test_any_file_name_is_shown_as_valid_unicode(raw: bytes) -> None:
    name = name_shown(raw.decode("utf-8", "surrogateescape"))
    assert name.encode().decode() == name


@pytest.mark.skipif(sys.platform == "win32", reason="names on Windows are Unicode")
@given(st.binary(max_size=40))
def test_the_name_of_a_file_is_among_the_spellings_of_what_is_shown(raw: bytes) -> None:
    """Unless an escape is spelled out in a name that also has stray bytes."""
    name = raw.decode("utf-8", "surrogateescape")
    if "\\x" not in name:
        assert name in spellings(name_shown(name))
    assert spellings("plain \\xe") == ("plain \\xe",)


@given(st.lists(st.sampled_from(["a", "a.txt", "a (2).txt", "b/a.txt", ".x", "a (2)"]), max_size=30))
def test_every_name_is_given_once(names: list[str]) -> None:
    unique = UniqueNames()
    taken = [unique.take(name) for name in names]
    assert len(set(taken)) == len(taken)
    assert [name for name in dict.fromkeys(names) if name in taken] == list(dict.fromkeys(names))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.log", ["a.log", "x/y/a.log", "a.log/inner.txt"], ["a.logs", "log"]),
        ("drafts", ["drafts", "drafts/a.txt", "x/drafts/b/c.txt"], ["drafts2/a.txt", "mydrafts"]),
        ("drafts/**", ["drafts/a.txt", "drafts/x/b.txt"], ["x/drafts/a.txt"]),
        ("**/temp/*.txt", ["temp/a.txt", "x/y/temp/a.txt"], ["temp/x/a.txt"]),
        ("/a.txt", ["a.txt"], ["x/a.txt"]),
        ("a?.txt", ["ab.txt", "x/a1.txt"], ["a.txt", "a/.txt"]),
        ("[0-9]*", ["1", "x/9a"], ["a1"]),
        ("[!a].txt", ["b.txt"], ["a.txt"]),
        ("a+(b).txt", ["a+(b).txt"], ["aab.txt"]),
        ("[", ["["], ["a"]),
    ],
)
def test_patterns_of_exclusion(pattern: str, yes: list[str], no: list[str]) -> None:
    excluded = excluder((pattern,))
    assert [path for path in yes if not excluded(path)] == []
    assert [path for path in no if excluded(path)] == []
