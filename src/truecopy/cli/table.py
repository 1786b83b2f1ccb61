"""Aligned columns on a terminal of any width, quick for many thousands of rows; nothing that tells rows apart is cut.

Where everything fits, a row is a line. Where it does not, paths lose the folders that all of them share, and what is
still too wide wraps within its column. Where a column would get too narrow for that, a row becomes a few lines: the
short cells, then each wide cell on lines of its own, with the id that belongs to it before it.

Rich's own table takes half a millisecond a row; here only its styles and its measure of wide characters are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truecopy.cli.safe import safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.style import Style

GAP = "  "
INDENT = "    "
NARROWEST_PATH, NARROWEST_TEXT = 40, 20
"""A wide column with less than this, and less than it needs, is put below the others."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, and how its cells look."""

    title: str
    style: str = ""
    right: bool = False
    path: bool = False
    """A wide one of paths: shared folders are left out where the terminal is narrow; the rest wraps at slashes."""
    text: bool = False
    """A wide one of sentences: wraps at spaces."""
    label: bool = False
    """Belongs to the wide column after it, and goes with it where that is put below the others."""

    @property
    def wide(self) -> bool:
        """Whether it may wrap."""
        return self.path or self.text


def print_table(console: Console, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Write a header and the rows; cells may hold anything, they are made harmless here."""
    cells = [[safe(cell) for cell in row] for row in rows]  # one without cells is an empty line
    layout = _Layout(columns, cells, console.width, plain=console.color_system is None)
    write = console.file.write
    for line in layout.header():
        write(line)
    for row in cells:
        for line in layout.lines(row) if row else "\n":
            write(line)


def without_shared(paths: Sequence[str]) -> list[str]:
    """Paths without the folders that all of them are in.

    >>> without_shared(["room/a/x.txt", "room/b/x.txt"])
    ['…/a/x.txt', '…/b/x.txt']
    """
    some = [path for path in paths if path]
    if not some:
        return list(paths)
    first, last = min(some), max(some)
    shared = 0
    for place, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            break
        if one == "/":
            shared = place + 1
    # A path that is the shared folder itself would be left empty.
    if shared < 2 or any(len(path) <= shared for path in some):
        return list(paths)
    return [f"…/{path[shared:]}" if path else path for path in paths]


def wrapped(text: str, width: int, path: bool = False) -> list[str]:
    """A cell as lines of at most `width` columns; nothing is left out but spaces at line ends.

    >>> wrapped("contracts/2021/master services agreement.docx", 20, path=True)
    ['contracts/2021/', 'master services', 'agreement.docx']
    """
    if _width(text) <= width:
        return [text]
    lines, line, used = [], "", 0
    for piece in _pieces(text, path):
        size = _width(piece)
        if used and used + _width(piece.rstrip(" ")) > width:
            lines.append(line.rstrip(" "))
            line, used = "", 0
        while size > width and _width(piece.rstrip(" ")) > width:
            head = _cut(piece, width)
            lines.append(head)
            piece = piece[len(head) :]
            size = _width(piece)
        line, used = line + piece, used + size
    return [*lines, line.rstrip(" ")] if line.strip(" ") else lines


_AT_SLASHES = re.compile(r"[^/]*/+|[^/]+")
_AT_SPACES = re.compile(r" *[^ ]+ *|^ +$")
_AT_SIGNS = re.compile(r"[^ _\-]*[ _\-]+|[^ _\-]+")


def _pieces(text: str, path: bool) -> Iterator[str]:
    """Parts after which a line may end: at slashes and then at spaces and signs for paths, at spaces for sentences."""
    if not path:
        yield from _AT_SPACES.findall(text)
        return
    for folder in _AT_SLASHES.findall(text):
        yield from _AT_SIGNS.findall(folder)


def _cut(text: str, width: int) -> str:
    """As much of the beginning as fits, at least one character."""
    if text.isascii():
        return text[:width]
    used = 0
    for place, character in enumerate(text):
        used += _width(character)
        if used > width and place:
            return text[:place]
    return text


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


class _Layout:
    """Where each cell of a table goes."""

    def __init__(self, columns: Sequence[Column], cells: list[list[str]], width: int, plain: bool) -> None:
        self._columns = columns
        self._width = width
        self._styles = [None if plain or not column.style else _style(column.style) for column in columns]
        self._heading = None if plain else _style("dim")
        rows = [row for row in cells if row]
        natural = self._natural_widths(rows)
        if _total(natural) > width:
            # Over all columns of paths together: two documents of one row must not look alike either.
            places = [i for i, column in enumerate(columns) if column.path]
            short = iter(without_shared([row[i] for row in rows for i in places]))
            for row in rows:
                for i in places:
                    row[i] = next(short)
            natural = self._natural_widths(rows)
        self._below = self._put_below(natural)
        """Places of the wide columns that get lines of their own."""
        self._widths = self._fit(natural)

    def _natural_widths(self, cells: list[list[str]]) -> list[int]:
        return [
            max([_width(column.title), *(_width(row[i]) for row in cells)]) for i, column in enumerate(self._columns)
        ]

    def _put_below(self, natural: list[int]) -> list[int]:
        """The wide columns that do not get a width that can be read beside the others."""
        wide = [i for i, column in enumerate(self._columns) if column.wide]
        least = [
            min(size, NARROWEST_PATH if self._columns[i].path else NARROWEST_TEXT) if i in wide else size
            for i, size in enumerate(natural)
        ]
        below: list[int] = []
        # Sentences go first: a list is read by its paths.
        for i in sorted(wide, key=lambda i: (self._columns[i].path, -i)):
            if _total([size for j, size in enumerate(least) if j not in self._gone(below)]) <= self._width:
                break
            below.append(i)
        if any(self._columns[i].path for i in below):
            below = [i for i in wide if self._columns[i].path or i in below]  # a and b are read one below the other
        return sorted(below)

    def _gone(self, below: list[int]) -> set[int]:
        """Those columns, with the labels before them."""
        return set(below) | {i - 1 for i in below if i and self._columns[i - 1].label}

    def _fit(self, natural: list[int]) -> list[int]:
        """Widths of the columns that stay side by side: wide ones give way, the widest first."""
        gone = self._gone(self._below)
        beside = [i for i in range(len(natural)) if i not in gone]
        fitted = [min(size, self._width) for size in natural]
        excess = _total([fitted[i] for i in beside]) - self._width
        wide = [i for i in beside if self._columns[i].wide]
        while excess > 0 and wide:
            widest = max(wide, key=lambda i: fitted[i])
            if fitted[widest] <= 1:
                break
            fitted[widest] -= 1
            excess -= 1
        return fitted

    def header(self) -> Iterator[str]:
        """The titles, laid out as the cells are."""
        yield from self._laid_out([column.title for column in self._columns], [self._heading] * len(self._columns))

    def lines(self, row: Sequence[str]) -> Iterator[str]:
        """One row."""
        yield from self._laid_out(row, self._styles)

    def _laid_out(self, row: Sequence[str], looks: Sequence[Style | None]) -> Iterator[str]:
        gone = self._gone(self._below)
        beside = [i for i in range(len(row)) if i not in gone]
        yield from self._beside(row, beside, looks)
        for i in self._below:
            yield from self._under(row, i, looks)

    def _beside(self, row: Sequence[str], places: list[int], looks: Sequence[Style | None]) -> Iterator[str]:
        """Cells side by side; what is too wide goes on below itself, and columns that do not fit on the next line."""
        for line in self._runs(places):
            parts = {i: wrapped(row[i], self._widths[i], self._columns[i].path) for i in line}
            for depth in range(max(map(len, parts.values()), default=0)):
                said = [self._cell(i, part[depth] if depth < len(part) else "", looks[i]) for i, part in parts.items()]
                text = GAP.join(said).rstrip()
                if text or depth == 0:
                    yield text + "\n"

    def _runs(self, places: list[int]) -> Iterator[list[int]]:
        """Columns by the line that they fit on."""
        run: list[int] = []
        for i in places:
            if run and _total([self._widths[j] for j in [*run, i]]) > self._width:
                yield run
                run = []
            run.append(i)
        if run:
            yield run

    def _under(self, row: Sequence[str], i: int, looks: Sequence[Style | None]) -> Iterator[str]:
        """One wide cell on lines of its own, its label before it."""
        label = i - 1 if i and self._columns[i - 1].label else None
        if not row[i] and (label is None or not row[label]):
            return
        before = INDENT if label is None else INDENT + self._cell(label, row[label], looks[label]) + GAP
        indent = len(INDENT) if label is None else len(INDENT) + self._widths[label] + len(GAP)
        if self._width - indent < NARROWEST_PATH and label is not None:
            yield before.rstrip() + "\n"
            before, indent = INDENT, len(INDENT)
        for text in wrapped(row[i], max(1, self._width - indent), self._columns[i].path):
            look = looks[i]
            yield before + (text if look is None or not text else look.render(text)) + "\n"
            before = " " * indent

    def _cell(self, i: int, text: str, look: Style | None) -> str:
        space = " " * (self._widths[i] - _width(text))
        if look is not None and text:
            text = look.render(text)
        return space + text if self._columns[i].right else text + space


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * max(0, len(widths) - 1)


def _style(definition: str) -> Style:
    from rich.style import Style

    return Style.parse(definition)
