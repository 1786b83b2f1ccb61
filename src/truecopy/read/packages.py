"""Office files are archives of XML parts: the parts of one, and a walk over their elements by plain names."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from typing import Self
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

BROKEN = (
    *(zipfile.BadZipFile, zlib.error, LZMAError, ElementTree.ParseError),
    *(KeyError, OSError, EOFError, ValueError, RuntimeError),
)
"""What a damaged package raises (RuntimeError covers encryption and unknown compression)."""


class Package:
    """An office file's parts."""

    def __init__(self, data: bytes) -> None:
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = self._archive.namelist()
        self._have = frozenset(self.names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def has(self, name: str) -> bool:
        """Whether there is a part of that name."""
        return name in self._have

    def read(self, name: str) -> bytes:
        """A part's bytes; KeyError where there is no such part."""
        return self._archive.read(name)

    def xml(self, name: str) -> Element:
        """A part's root element; KeyError where there is no such part."""
        return parse_xml(self._archive.read(name))


def parse_xml(part: bytes) -> Element:
    """The root element of a part."""
    return ElementTree.fromstring(part)  # noqa: S314 (in a process of its own, with limits)


def local(element: Element) -> str:
    """The element's name without its namespace: strict and transitional files differ only in that."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """An attribute's value, whatever its namespace; "" where it is not there."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def events(root: Element, skipped: frozenset[str]) -> Iterator[tuple[bool, str, Element]]:
    """Every element as (starts, name, element), without recursion, at any depth.

    Those in `skipped` are left out with all that is in them, but end: text may follow them.
    """
    stack: list[tuple[bool, Element]] = [(True, root)]
    while stack:
        starts, element = stack.pop()
        name = local(element)
        if not starts:
            yield False, name, element
            continue
        stack.append((False, element))
        if name in skipped:
            continue
        yield True, name, element
        stack.extend((True, child) for child in reversed(element))
