"""Collection statistics: in how many documents words and n-grams occur, and how often; they tell what is rare.

Conrad, Guo and Schriber, Online Duplicate Document Detection (CIKM 2003), sections 5 and 6.

    idf = ln((D + 0.5) / df) / ln(D + 1)                                                      (1)

for a word that is in df of D documents. The paper's table keeps words of letters only, of at least three letters,
that occur at least five times (`filtered`); here, marks on letters belong to the letters. Words are truecopy's: folded,
so `Lessee` and `LESSEE` are one. We also keep collection frequencies and n-grams, which Roegiest 2019 uses as weights.

Signatures that were made with statistics name them by their id, so statistics never change: building, merging and
filtering make new ones. The id is a hash of the content: it does not depend on the order of the texts, on threads, or
on whether parts were counted separately. A copy of a document counts again, as it does in the paper.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from truecopy.access import PRIVATE
from truecopy.array_types import F64, I64, U64, Flags, Places, Stored, Values
from truecopy.errors import BadSetting, DamagedSegment, DiskTrouble, MatterError, NotFound, SpecMismatch
from truecopy.hints import pasted
from truecopy.kernels.arrays import read_only
from truecopy.kernels.fold import LETTER, MARK, SOLO
from truecopy.kernels.grams import entry_hashes
from truecopy.kernels.ngrams import LONGEST as LONGEST_NGRAM
from truecopy.segments import check_target as check_file_target
from truecopy.segments import read_file, save
from truecopy.sign.counting import Counter, Frequencies, joined, pieces
from truecopy.sign.family import between, choose, whole
from truecopy.sign.parts import SPARE, Text
from truecopy.text.profiles import VERSIONS
from truecopy.text.tokens import code_point_places
from truecopy.text.unicode_tables import UNICODE, word_classes
from truecopy.threads import Pool

__all__ = ["SHIPPED", "Frequencies", "Statistics", "WordFilter", "build", "find", "shipped"]

SHIPPED = "legal-english"
"""The name of the table inside the package."""
VERSION = 1
_AT_ONCE = 1 << 22
"""How many bytes of text a thread counts at a time."""
_COLUMNS = ("documents", "occurrences")


@dataclass(frozen=True, slots=True)
class WordFilter:
    """What was left out of the tables."""

    letters_only: bool
    shortest: int
    """Letters of the shortest words kept; marks on letters are not counted."""
    least: int
    """Occurrences of the rarest words kept."""
    least_grams: int
    """Occurrences of the rarest n-grams kept."""

    def by_spelling(self) -> bool:
        """Whether it looks at the words only and not at how often they occur."""
        return self.least <= 1 and self.least_grams <= 1

    def with_other(self, other: WordFilter) -> WordFilter:
        """The filter that keeps what both of them keep."""
        return WordFilter(
            self.letters_only or other.letters_only,
            max(self.shortest, other.shortest),
            max(self.least, other.least),
            max(self.least_grams, other.least_grams),
        )


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of a collection; they never change."""

    documents: int
    words: Frequencies
    grams: Frequencies
    ngram: int = 4
    profile: str = "verbatim"
    filter: WordFilter | None = None
    """What was left out; None: nothing."""
    unicode: str = UNICODE

    @functools.cached_property
    def id(self) -> str:
        """Sixteen hex digits of a SHA-256 over all that they hold."""
        digest = hashlib.sha256(json.dumps(self._head(), sort_keys=True).encode())
        for table in (self.words, self.grams):
            digest.update(f"{len(table)} {table.total} ".encode())
            digest.update(table.letters.tobytes())
            for column in (table.ends, table.documents, table.occurrences):
                digest.update(column.astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def idf(self) -> F64:
        """The normalized inverse document frequency of each word, by formula (1).

        >>> found = build(["lessee pays", "lessor pays"])
        >>> dict(zip(found.words.texts(), found.idf().round(4).tolist(), strict=True))
        {'lessee': 0.834, 'lessor': 0.834, 'pays': 0.2031}
        """
        return idf(self.words.documents, self.documents)

    @functools.cached_property
    def word_hashes(self) -> U64:
        """The tokenizer's hash of each word."""
        return _hashes(self.words, True)

    @functools.cached_property
    def gram_hashes(self) -> U64:
        """`bytes_hash` of each n-gram."""
        return _hashes(self.grams, False)

    def filtered(
        self, letters_only: bool = True, shortest: int = 3, least: int = 5, least_grams: int | None = None
    ) -> Statistics:
        """Only words of letters, not too short, and only words and n-grams that occur often enough.

        The defaults are the paper's. `least_grams` is as `least` unless given. Totals stay those of the collection.
        """
        whole("shortest", shortest, 0, 1 << 31)
        between("least", least, 0, 1 << 62)
        asked = WordFilter(letters_only, shortest, least, least if least_grams is None else least_grams)
        between("least_grams", asked.least_grams, 0, 1 << 62)
        keep = self.words.occurrences >= asked.least
        if letters_only or shortest > 0:
            only, count = _letters(self.words)
            keep = keep & (count >= shortest)
            keep = keep & only if letters_only else keep
        return replace(
            self,
            words=self.words.taken(np.flatnonzero(keep)),
            grams=self.grams.taken(np.flatnonzero(self.grams.occurrences >= asked.least_grams)),
            filter=asked if self.filter is None else self.filter.with_other(asked),
        )

    def merged(self, *others: Statistics) -> Statistics:
        """The statistics of this collection and others together, as if they had been built from all texts at once.

        A document that is in two of the collections counts twice. Statistics that were filtered by frequency are
        refused: a word that occurs three times in each of two collections is in neither, and would be lost.
        """
        every = (self, *others)
        for other in others:
            if (other.ngram, other.profile, other.unicode) != (self.ngram, self.profile, self.unicode):
                raise SpecMismatch(
                    f"Statistics with {self._said()} cannot be merged with some with {other._said()}.",
                    "Build both in the same way.",
                )
        filters = {each.filter for each in every}
        if others and (len(filters) > 1 or (self.filter is not None and not self.filter.by_spelling())):
            raise BadSetting(
                "Filtered statistics cannot be merged: what is rare in each part may not be rare in all, and is gone.",
                "Build the parts with --keep-all (library: build without filtered), merge them, and filter the result.",
            )
        words, grams = joined(each.words for each in every), joined(each.grams for each in every)
        return replace(self, documents=sum(each.documents for each in every), words=words, grams=grams)

    def save(self, path: str | Path, access: str = PRIVATE) -> None:
        """Write them to a file: whole, with a checksum, or not at all; no other kind of file is replaced.

        `access` says who may read it: private, group or all.
        """
        check_target(path)
        save(Path(path), *self.stored(), access)

    def stored(self) -> tuple[dict[str, Any], dict[str, Values]]:
        """The header and the arrays that a file of them has."""
        arrays: dict[str, Values] = {}
        for name, table in (("words", self.words), ("grams", self.grams)):
            arrays[f"{name}.letters"] = table.letters
            arrays[f"{name}.lengths"] = _smallest(np.diff(table.ends, prepend=0))
            for column in _COLUMNS:
                arrays[f"{name}.{column}"] = _smallest(getattr(table, column))
        totals = {"words": self.words.total, "grams": self.grams.total}
        return {"statistics": {"version": VERSION, "id": self.id, "totals": totals, **self._head()}}, arrays

    @classmethod
    def load(cls, path: str | Path) -> Statistics:
        """Read a file that `save` wrote; a damaged one is refused."""
        path = Path(path)
        if path.is_dir():
            raise BadSetting(f"{path} is a folder, but a file of statistics was expected.", "Give a file.")
        if not path.exists():
            raise NotFound(
                f"There are no statistics at {path}.",
                f"Make them with {pasted('stats', 'build', 'PATH', '--out', path)}, "
                f"or use {SHIPPED}, which comes with truecopy.",
            )
        header, arrays = read_file(path)
        stored = header.get("statistics")
        if stored is None:
            raise MatterError(f"{path.name} is a file of truecopy, but not of statistics.", "Give another file.")
        damaged = DamagedSegment(f"{path.name} does not hold what it says it holds.", "Build the statistics again.")
        if not isinstance(stored, dict) or type(stored.get("version")) is not int:
            raise damaged
        if stored["version"] > VERSION:
            raise MatterError(
                f"{path.name} has version {stored['version']} of statistics, and this truecopy knows {VERSION}.",
                "Install a newer truecopy.",
            )
        try:
            _check_head(stored)
            _check_form(arrays)
            words, grams = (
                _table(arrays, name, stored["totals"][name], stored["documents"]) for name in ("words", "grams")
            )
            used = None if stored["filter"] is None else WordFilter(**stored["filter"])
            loaded = cls(stored["documents"], words, grams, stored["ngram"], stored["profile"], used, stored["unicode"])
            agrees = loaded.id == stored["id"]
        except (LookupError, TypeError, ValueError, OverflowError):
            agrees = False
        if not agrees:
            raise damaged
        return loaded

    def _head(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "ngram": self.ngram,
            "profile": self.profile,
            "unicode": self.unicode,
            "filter": None if self.filter is None else asdict(self.filter),
        }

    def _said(self) -> str:
        return f"{self.ngram}-grams of {self.profile} texts (Unicode {self.unicode})"


def build(texts: Sequence[Text], *, threads: int = 1, ngram: int = 4, profile: str = "verbatim") -> Statistics:
    """The statistics of texts, given as str or as UTF-8; each counts, even if it is a copy of another.

    >>> found = build(["The lessee pays.", "The lessor pays."])
    >>> found.documents, found.words.texts(), found.words.documents.tolist()
    (2, ['lessee', 'lessor', 'pays', 'the'], [1, 1, 2, 2])
    """
    counter = new_counter(ngram, profile)
    with Pool(max(threads, 1)) as pool:
        list(pool.map(counter.add, pieces(texts, _AT_ONCE)))
    return counted(counter)


def new_counter(ngram: int = 4, profile: str = "verbatim") -> Counter:
    """A counter of texts, for `counted`; use it where the texts do not fit into memory at once."""
    choose("ngram", ngram, range(1, LONGEST_NGRAM + 1))
    choose("profile", profile, sorted(VERSIONS))
    return Counter(int(ngram), profile)


def counted(counter: Counter) -> Statistics:
    """The statistics of all texts that a counter has seen."""
    return Statistics(counter.documents, counter.words(), counter.grams(), counter.ngram, counter.profile)


@functools.lru_cache(maxsize=1)
def shipped() -> Statistics:
    """The general legal-English table inside the package; `tools/make_legal_english.py` makes it."""
    with as_file(files("truecopy.sign") / f"{SHIPPED}.statistics") as path:
        return Statistics.load(path)


def find(name: str | Path) -> Statistics:
    """The statistics in a file, or those inside the package by their name."""
    return shipped() if str(name) == SHIPPED else Statistics.load(name)


def check_target(path: str | Path) -> None:
    """Refuse a place where statistics cannot be saved, or where they would replace something else."""
    path = Path(path)
    check_file_target(path, "statistics")
    if path.exists() and path.stat().st_size:
        try:
            Statistics.load(path)
        except DiskTrouble:
            raise
        except MatterError as error:
            raise BadSetting(
                f"{path} exists and does not hold statistics, so it is not replaced.", "Name another file."
            ) from error


def idf(documents: I64, of: int) -> F64:
    """Formula (1): the normalized inverse document frequency of what is in some of `of` documents."""
    if of == 0:
        return np.zeros(len(documents))
    found: F64 = np.log((of + 0.5) / documents) / np.log(of + 1.0)
    return found


def _hashes(table: Frequencies, as_words: bool) -> U64:
    out = np.empty(len(table), np.uint64)
    padded = np.concatenate([table.letters, np.zeros(SPARE, np.uint8)])
    entry_hashes(padded, read_only(table.ends), as_words, out)
    return out


def _letters(words: Frequencies) -> tuple[Flags, I64]:
    """Of each word: whether it is letters only (with their marks), and its length, marks not counted."""
    text = words.letters.tobytes().decode("utf-8", "surrogatepass")
    classes = word_classes(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4"))
    ends = code_point_places(words.letters)[words.ends]

    def count(which: Flags) -> I64:
        return np.diff(np.concatenate([[0], np.cumsum(which)])[ends], prepend=0)

    length = count(classes != MARK)
    return count((classes & ~SOLO) == LETTER) == length, length


def _smallest(column: Places) -> Values:
    """A column in the smallest type that holds it."""
    most = int(column.max(initial=0))
    return column.astype(next(kind for kind in ("<u1", "<u2", "<u4", "<u8") if most <= np.iinfo(kind).max))


def _check_head(stored: dict[str, Any]) -> None:
    """Raise a ValueError where a header holds what nobody could have built."""
    documents, ngram, used = stored["documents"], stored["ngram"], stored["filter"]
    if type(documents) is not int or not 0 <= documents < 1 << 53 or type(ngram) is not int:
        raise ValueError("an impossible number of documents")
    if not 1 <= ngram <= LONGEST_NGRAM or stored["profile"] not in VERSIONS or not isinstance(stored["unicode"], str):
        raise ValueError("n-grams that nobody counts")
    if used is not None:
        numbers = [value for name, value in used.items() if name != "letters_only"]
        if type(used["letters_only"]) is not bool or not all(type(value) in (int, float) for value in numbers):
            raise ValueError("a filter of other things than numbers")


def _check_form(arrays: dict[str, Stored]) -> None:
    """Raise a ValueError unless these are the arrays of two tables, each a column of whole numbers.

    A column of another shape would be spread over the others by NumPy: a square of all entries.
    """
    columns = ("letters", "lengths", *_COLUMNS)
    if set(arrays) != {f"{name}.{column}" for name in ("words", "grams") for column in columns}:
        raise ValueError("an array is missing, or one is there that should not be")
    if any(array.ndim != 1 or array.dtype.kind != "u" for array in arrays.values()):
        raise ValueError("a column has another shape or type")


def _table(arrays: dict[str, Values], name: str, total: int, of: int) -> Frequencies:
    """A table as it is stored. Kernels rely on these checks: a checksum does not tell who made a file."""
    lengths = np.array(arrays[f"{name}.lengths"], np.int64)
    size = len(arrays[f"{name}.letters"])
    if len(lengths) and not 1 <= lengths.min() <= lengths.max() <= size:
        raise ValueError("an entry has no letter, or more than there are")
    ends = np.cumsum(lengths)
    documents, occurrences = (np.array(arrays[f"{name}.{column}"], np.int64) for column in _COLUMNS)
    letters = np.array(arrays[f"{name}.letters"], np.uint8)
    if not len(ends) == len(documents) == len(occurrences) or len(letters) != (ends[-1] if len(ends) else 0):
        raise ValueError("the columns of a table differ in length")
    letters.tobytes().decode("utf-8", "surrogatepass")  # a ValueError where it is not UTF-8
    if len(ends) and ((letters[ends - lengths] & 0xC0) == 0x80).any():
        raise ValueError("an entry begins in the middle of a character")
    counts = len(ends) == 0 or (1 <= documents.min() <= documents.max() <= of and (documents <= occurrences).all())
    if not isinstance(total, int) or not counts or int(occurrences.sum()) > total:
        raise ValueError("an entry has an impossible count")
    return Frequencies(letters, ends, documents, occurrences, total)
