"""Make the Unicode tables that truecopy ships, from the files of the Unicode Character Database.

    python tools/make_unicode_tables.py UCD_FOLDER [--output FOLDER]

UCD_FOLDER holds UnicodeData.txt, DerivedNormalizationProps.txt and Scripts.txt of one version (from
unicode.org, or a package such as Debian's unicode-data). The version is read from the files and stands in
the name of the result, `unicode-VERSION.npz`. Python's own `unicodedata` is not used: it changes with Python.

What the numbers mean stands in `truecopy/kernels/fold.py`, which reads them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

LAST = 0x10FFFF
PAGE = 128
YPOGEGRAMMENI = 0x345
"""The one mark whose folded form is a letter (iota); see kernels/fold.py."""
SCRIPTS_WITHOUT_SPACES = {"Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"}
LETTER, MARK, NUMBER, SOLO, QUICK = 1, 2, 3, 4, 8
DELTA_BIAS = 1 << 21
HANGUL_FIRST, HANGUL_COUNT = 0xAC00, 11172


def rows(path: Path) -> Iterator[tuple[range, list[str]]]:
    """The code points and the other fields of each line of a UCD property file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields[0]:
            first, _, last = fields[0].partition("..")
            yield range(int(first, 16), int(last or first, 16) + 1), fields[1:]


def code_points(field: str) -> tuple[int, ...]:
    """A field such as "0066 0069" as numbers."""
    return tuple(int(point, 16) for point in field.split())


class Database:
    """The properties that folding and words need, by code point."""

    def __init__(self, folder: Path) -> None:
        self.category: dict[int, str] = {}
        self.combining: dict[int, int] = {}
        self.canonical: dict[int, tuple[int, ...]] = {}
        self.folded: dict[int, tuple[int, ...]] = {}
        self.excluded: set[int] = set()
        self.composes_backward: set[int] = set()
        self.without_spaces: set[int] = set()
        self.version = self._read_version(folder / "Scripts.txt")
        self._read_characters(folder / "UnicodeData.txt")
        self._read_normalization(folder / "DerivedNormalizationProps.txt")
        for points, (script,) in rows(folder / "Scripts.txt"):
            if script in SCRIPTS_WITHOUT_SPACES:
                self.without_spaces.update(points)

    @staticmethod
    def _read_version(path: Path) -> str:
        found = re.match(r"# Scripts-(\d+\.\d+\.\d+)\.txt", path.read_text(encoding="utf-8"))
        if not found:
            raise SystemExit(f"{path} does not name its version in its first line, as files of the UCD do.")
        return found[1]

    def _read_characters(self, path: Path) -> None:
        first = 0
        for points, fields in rows(path):
            name, category, combining, decomposition = fields[0], fields[1], int(fields[2]), fields[4]
            if name.endswith(", First>"):
                first = points[0]
                continue
            covered = range(first, points[-1] + 1) if name.endswith(", Last>") else points
            for point in covered:
                self.category[point] = category
            if combining:
                self.combining[points[0]] = combining
            if decomposition and not decomposition.startswith("<"):
                self.canonical[points[0]] = code_points(decomposition)

    def _read_normalization(self, path: Path) -> None:
        for points, fields in rows(path):
            if fields[0] == "NFKC_CF":
                self.folded.update(dict.fromkeys(points, code_points(fields[1])))
            elif fields[0] == "Full_Composition_Exclusion":
                self.excluded.update(points)
            elif fields == ["NFC_QC", "M"]:
                self.composes_backward.update(points)

    def fold(self, point: int) -> tuple[int, ...]:
        """NFKC_Casefold of one code point."""
        return self.folded.get(point, (point,))

    def decompose(self, point: int) -> tuple[int, ...]:
        """The full canonical decomposition; Hangul syllables stay, the kernel computes theirs."""
        if point not in self.canonical:
            return (point,)
        return tuple(part for piece in self.canonical[point] for part in self.decompose(piece))

    def expand(self, point: int) -> tuple[int, ...]:
        """What takes the code point's place before reordering: folded and decomposed, U+0345 kept."""
        result: list[int] = []
        for piece in self.decompose(point):
            if piece == YPOGEGRAMMENI:
                result.append(piece)
                continue
            for folded in self.fold(piece):
                result.extend(self.decompose(folded))
        return tuple(result)

    def word_class(self, point: int) -> int:
        """Letter, mark, number or 0; bases of scripts without spaces carry SOLO."""
        kind = {"L": LETTER, "M": MARK, "N": NUMBER}.get(self.category.get(point, "Cn")[0], 0)
        return kind | SOLO if kind in (LETTER, NUMBER) and point in self.without_spaces else kind

    def is_quick(self, point: int) -> bool:
        """Folds to one code point that never reorders or composes with what stands before it."""
        folded = self.fold(point)
        return (
            len(folded) == 1
            and YPOGEGRAMMENI not in self.decompose(point)
            and folded[0] not in self.composes_backward
            and not self.combining.get(self.decompose(folded[0])[0], 0)
        )


def compositions(database: Database) -> list[tuple[int, int, int]]:
    """Sorted (first, second, composite) of every primary composite but Hangul."""
    return sorted(
        (parts[0], parts[1], composite)
        for composite, parts in database.canonical.items()
        if len(parts) == 2 and composite not in database.excluded
    )


def check(database: Database, pairs: list[tuple[int, int, int]]) -> None:
    """Refuse a database that breaks what the kernel relies on."""
    for point in range(LAST + 1):
        for piece in database.fold(point):
            if database.fold(piece) != (piece,):
                raise SystemExit(f"The folded form of U+{point:04X} is not stable under folding.")
    for *parts, composite in pairs:
        if all(database.fold(part) == (part,) for part in parts) and database.fold(composite) != (composite,):
            raise SystemExit(f"U+{composite:04X} is composed of folded code points but is not folded.")
    if max(database.combining.values()) != database.combining[YPOGEGRAMMENI]:
        raise SystemExit("U+0345 no longer sorts behind every other mark.")


def flatten(sections: list[list[int]]) -> np.ndarray:
    """One array: where each section begins, then where the last one ends, then the sections."""
    begins = np.cumsum([len(sections) + 1] + [len(section) for section in sections])
    return np.concatenate([begins, *sections]).astype(np.int32)


def tables(database: Database) -> np.ndarray:
    """The tables of kernels/fold.py as one array."""
    pool: list[int] = []
    seen: dict[tuple[int, ...], int] = {}

    def place(points: tuple[int, ...]) -> int:
        """Where the sequence stands in the pool: offset << 5 | length."""
        if points not in seen:
            seen[points] = len(pool) << 5 | len(points)
            pool.extend(point | database.combining.get(point, 0) << 21 for point in points)
        return seen[points]

    info = np.zeros(LAST + 1, np.int32)
    composed: dict[int, int] = {}
    for point in range(LAST + 1):
        folded = database.fold(point)
        kind = database.word_class(folded[0]) if len(folded) == 1 else 0
        if database.is_quick(point):
            info[point] = (folded[0] - point + DELTA_BIAS) << 8 | QUICK | kind
            if folded[0] in database.canonical:
                composed[folded[0]] = place(database.decompose(folded[0]))
        else:
            info[point] = place(database.expand(point)) << 8 | kind
    pages, numbers = np.unique(info.reshape(-1, PAGE), axis=0, return_inverse=True)
    pairs = compositions(database)
    check(database, pairs)
    rows = sorted([*pairs, *((point, 0, composed[point]) for point in composed)])
    return flatten(
        [
            (numbers.reshape(-1) * PAGE).tolist(),
            pages.reshape(-1).tolist(),
            pool,
            [number for row in [*rows, (0, 0, 0)] for number in row],
        ]
    )


def main() -> None:
    """Read the folder that was named and write the tables beside the code that loads them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ucd", type=Path, metavar="UCD_FOLDER")
    default = Path(__file__).parents[1] / "src" / "truecopy" / "text"
    parser.add_argument("--output", type=Path, default=default, metavar="FOLDER")
    given = parser.parse_args()
    database = Database(given.ucd)
    target = given.output / f"unicode-{database.version}.npz"
    np.savez_compressed(target, tables=tables(database))
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
