"""Which parts of a file were not searched, and why, in words that anybody understands.

A file holds more than the text that a parser finds: scanned pages, pictures, drawings, embedded files. Users who rely
on a search must know of them. `Beside` counts them; `told` turns the count into the sentence that a document carries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

OFF = "OCR is off"
MISSING = "OCR is not installed"
_ANY_WORD = re.compile(rb"[0-9A-Za-z]")
_ANY_LETTER = re.compile(r"[^\W_]")
_MOST_RANGES = 4


@dataclass(frozen=True, slots=True)
class Picture:
    """A page or picture that OCR may read."""

    name: str
    """The number of the page (from 1), or the name of the part; "" for a file that is itself a picture."""
    at: int = 0
    """Where its text belongs: an offset into the UTF-8 form of the text."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a file holds beside the text that was found."""

    pictures: tuple[Picture, ...] = ()
    pages: int = 0
    """How many pages it has, where pictures are pages; else 0."""
    others: str = ""
    """What else was not searched, such as "2 embedded files"; "" for nothing."""


NOTHING = Beside()


@dataclass(frozen=True, slots=True)
class Recognized:
    """What OCR made of the pictures: the names of those that it has read, found wordless, or failed on."""

    read: list[str] = field(default_factory=list)
    wordless: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def has_word(text: str | bytes) -> bool:
    """Whether there is a letter or a digit in a text."""
    if isinstance(text, bytes):
        # Nearly every text has one among its first bytes; only the others are decoded.
        return _ANY_WORD.search(text) is not None or _ANY_LETTER.search(text.decode("utf-8", "replace")) is not None
    return _ANY_LETTER.search(text) is not None


def told(beside: Beside, words: bool, why: str, recognized: Recognized | None = None) -> str:
    """Why words may be in the file that were not found; "" where nothing else is in it.

    `words`: whether it has any. `why` says why there was no OCR, if there was none.
    """
    if recognized is None:
        return _not_tried(beside, words, why)
    sentences = []
    if not words:
        # Nothing was read: one sentence for the whole file is enough.
        outcome = "OCR failed" if recognized.failed else "OCR found no text"
        return _whole(beside, outcome)
    if recognized.read:
        sentences.append(f"{_subject(beside, recognized.read)}read by OCR")
    if recognized.failed:
        sentences.append(f"OCR failed on {_named(beside, recognized.failed)}")
    if recognized.wordless:
        sentences.append(f"OCR found no text on {_named(beside, recognized.wordless)}")
    if beside.others:
        sentences.append(f"not searched: {beside.others}")
    return "; ".join(sentences)


def _not_tried(beside: Beside, words: bool, why: str) -> str:
    if not words:
        return _whole(beside, why)
    names = [picture.name for picture in beside.pictures]
    if names and beside.pages:
        pages = f"{_named(beside, names)} {_is(names)} {_as_pictures(names)}; {why}"
        return f"{pages}; not searched: {beside.others}" if beside.others else pages
    unsearched = [f"{_pictures(names)} ({why})"] if names else []
    unsearched += [beside.others] if beside.others else []
    return "not searched: " + " and ".join(unsearched) if unsearched else ""


def _whole(beside: Beside, outcome: str) -> str:
    names = [picture.name for picture in beside.pictures]
    if not names:
        return f"nothing in it but {beside.others}, and no text" if beside.others else ""
    if names == [""]:
        what = "a picture"
    elif beside.pages == len(names):
        what = "its page is a picture" if beside.pages == 1 else f"no text on its {beside.pages:,} pages, only pictures"
    elif beside.pages:
        what = f"{_named(beside, names)} {_is(names)} {_as_pictures(names)}, the others are blank"
    else:
        what = "nothing in it but " + _pictures(names)
    return f"{what}{f' and {beside.others}' if beside.others else ''}; {outcome}"


def _subject(beside: Beside, names: Sequence[str]) -> str:
    return "" if names == [""] else f"{_named(beside, names)} "


def _named(beside: Beside, names: Sequence[str]) -> str:
    if names == [""]:
        return "the picture"
    return page_list([int(name) for name in names], beside.pages) if beside.pages else _pictures(names)


def _pictures(names: Sequence[str]) -> str:
    return "a picture" if len(names) == 1 else f"{len(names):,} pictures"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _as_pictures(names: Sequence[str]) -> str:
    return "a picture" if len(names) == 1 else "pictures"


def page_list(pages: Sequence[int], of: int) -> str:
    """Pages as a person names them: "page 3", "pages 2 to 9", "pages 1, 4 and 6 to 9", "70 of its 200 pages"."""
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    if len(ranges) > _MOST_RANGES:
        return f"{len(pages):,} of its {of:,} pages"
    spelled = []
    for first, last in ranges:
        if last - first == 1:
            spelled += [f"{first:,}", f"{last:,}"]
        else:
            spelled.append(f"{first:,}" if first == last else f"{first:,} to {last:,}")
    listed = spelled[0] if len(spelled) == 1 else ", ".join(spelled[:-1]) + " and " + spelled[-1]
    return f"{'page' if len(pages) == 1 else 'pages'} {listed}"
