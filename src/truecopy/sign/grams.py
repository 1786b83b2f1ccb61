"""Texts as character n-grams, for the families that count them: profiles, distinct n-grams, weights, digests."""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import F64, I64, U8, U64
from truecopy.errors import BadSetting
from truecopy.kernels.distinct import distinct_grams, enter_rows, find_rows, gram_ends, weigh_grams
from truecopy.kernels.ngrams import LONGEST
from truecopy.kernels.secret import SECRET
from truecopy.sign.family import choose, whole
from truecopy.sign.parts import Text, utf8
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec
from truecopy.text.profiles import VERSIONS, plain

NGRAM = 4
_LOGS = np.log(np.maximum(np.arange(1 << 12), 1))
"""Logarithms of small counts."""
_PORTION = 1 << 18
"""About how many bytes of text a portion has, in whole texts."""
_AT_ONCE = 1 << 16
_MOST_DIGESTS = 1 << 20
"""How many digests of n-grams are kept before they are all dropped."""


def check_grams(ngram: int | None, profile: str | None, statistics: Statistics | None) -> tuple[int, str]:
    """The n-grams that were asked for; without a request those of the statistics, else the paper's."""
    if statistics is not None and not isinstance(statistics, Statistics):
        raise BadSetting(f"Statistics were given as {statistics!r}.", "Load them with Statistics.load, or build them.")
    if ngram is None:
        ngram = NGRAM if statistics is None else statistics.ngram
    if profile is None:
        profile = "verbatim" if statistics is None else statistics.profile
    whole("ngram", ngram, 1, LONGEST)
    choose("profile", profile, sorted(VERSIONS))
    if statistics is not None and not statistics.grams.total:
        raise BadSetting(f"The statistics {statistics.id} have no n-gram.", "Build others from documents with a text.")
    if statistics is not None and (statistics.ngram, statistics.profile) != (ngram, profile):
        raise BadSetting(
            f"The statistics {statistics.id} count n-grams of {statistics.ngram} code points under the profile "
            f"{statistics.profile}, but {ngram} under {profile} were asked for.",
            "Leave ngram and profile out to take those of the statistics, or build others.",
        )
    return ngram, profile


def must_have(spec: Spec, statistics: Statistics | None) -> None:
    """Refuse to sign with other statistics than the spec names."""
    wanted = spec.parameter("statistics")
    given = None if statistics is None else statistics.id
    if wanted != given:
        said = f"the statistics {given} were given" if given else "none were given"
        expected = f"statistics {wanted}" if wanted else "no statistics"
        hint = "Give the statistics that the spec was made with." if wanted else "Leave them out."
        raise BadSetting(f"The spec {spec} is made with {expected}, but {said}.", hint)


def profiled(texts: Sequence[Text], profile: str) -> Sequence[Text]:
    """The texts under a profile."""
    if profile == "verbatim":
        return texts
    return [plain(text if isinstance(text, str) else utf8(text).decode()).text for text in texts]


@dataclass(frozen=True, slots=True)
class Grams:
    """The distinct n-grams of a run of texts, in order of first appearance."""

    hashes: U64
    counts: I64
    starts: I64
    """Where the first occurrence of each begins in the buffer."""
    offsets: I64


class _Room(threading.local):
    """Memory that a thread uses again and again: new memory takes as long to get as the work in it."""

    def __init__(self) -> None:
        self.make(1 << 16, 1 << 16)

    def make(self, grams: int, places: int) -> None:
        self.hashes, self.starts = np.empty(grams, np.uint64), np.empty(grams, np.int64)
        self.counts, self.slots = np.empty(grams, np.int64), np.empty(grams, np.int64)
        self.keys, self.tallies = np.empty(places, np.uint64), np.empty(places, np.uint32)


_ROOM = _Room()
_KEPT = 1 << 22
"""Memory is kept for texts of this many bytes."""


def distinct(data: U8, offsets: I64, ngram: int) -> Grams:
    """The distinct n-grams of the texts in a buffer; valid until this thread asks for the next."""
    size, longest = int(offsets[-1] - offsets[0]), int(np.diff(offsets).max(initial=0))
    places = 1 << (2 * longest + 1).bit_length()
    if size > len(_ROOM.hashes) or places > len(_ROOM.keys):
        _ROOM.make(max(size, len(_ROOM.hashes)), max(places, len(_ROOM.keys)))
    room, found = _ROOM, np.empty(len(offsets), np.int64)
    arrays = room.keys, room.tallies, SECRET, room.slots, room.hashes, room.counts, room.starts
    distinct_grams(data, offsets, ngram, *arrays, found)
    last = int(found[-1])
    grams = Grams(room.hashes[:last], room.counts[:last], room.starts[:last], found)
    if size > _KEPT:
        room.make(1 << 16, 1 << 16)  # one huge text must not keep its memory for ever
    return grams


def portions(offsets: I64) -> Iterator[tuple[int, int]]:
    """From, to: the texts of a buffer in portions whose n-grams fit into a core's caches."""
    cuts = np.searchsorted(offsets, np.arange(int(offsets[0]), int(offsets[-1]), _PORTION)[1:])
    return itertools.pairwise(np.unique([0, *cuts.tolist(), len(offsets) - 1]).tolist())


class Weights:
    """Weights of n-grams by collection statistics: ln of the share in the text over the share in the collection."""

    def __init__(self, statistics: Statistics, negative: str = "keep") -> None:
        self._keys, self._logs = _table(statistics)
        self._log_total = math.log(statistics.grams.total)
        self._drop = negative == "drop"

    def of(self, grams: Grams) -> I64:
        """The weight of each distinct n-gram, in units of 1/65536."""
        out = np.empty(len(grams.hashes), np.int64)
        table = self._keys, self._logs, SECRET, _LOGS, self._log_total
        weigh_grams(grams.hashes, grams.counts, grams.offsets, *table, self._drop, out)
        return out


@functools.lru_cache(maxsize=4)
def _table(statistics: Statistics) -> tuple[U64, F64]:
    """The statistics' n-grams as a table of keys and logarithms, side by side; seen as whole numbers and as floats."""
    places = 1 << (2 * len(statistics.grams) + 16).bit_length()
    keys, numbers = np.zeros(places, np.uint64), np.zeros(places, np.uint32)
    enter_rows(np.array(statistics.gram_hashes), 0, keys, numbers, SECRET)
    both = np.zeros((places, 2), np.uint64)
    both[:, 0] = keys
    if len(statistics.grams):
        both[:, 1] = np.log(statistics.grams.occurrences)[numbers].view(np.uint64)
    flat = both.reshape(-1)
    return flat, flat.view(np.float64)


class Digests:
    """Rows of 64-bit words made from digests of n-grams: each n-gram is hashed once, however often it occurs.

    A cryptographic hash of four letters takes a hundred times as long as looking it up. Each thread has rows of its
    own, because no thread may read a table that another one writes.
    """

    def __init__(self, digest: Callable[[bytes], bytes], rows: Callable[[U8], U64], words: int) -> None:
        self._digest, self._rows, self._words = digest, rows, words
        self._of_thread = threading.local()

    def rows(self, data: U8, text_offsets: I64, grams: Grams, ngram: int) -> tuple[U64, I64]:
        """The rows of all n-grams so far, and the row of each distinct n-gram of a run of texts."""
        table = getattr(self._of_thread, "table", None)
        if table is None or table.size + len(grams.hashes) > _MOST_DIGESTS:
            table = self._of_thread.table = _Table(self._words)
        numbers = np.empty(len(grams.hashes), np.int64)
        missing = table.find(grams.hashes, numbers)
        if len(missing):
            hashes, first = np.unique(grams.hashes[missing], return_index=True)
            places = missing[first]
            starts, ends = grams.starts[places], np.empty(len(places), np.int64)
            owners = np.searchsorted(grams.offsets, places, side="right") - 1
            gram_ends(data, starts, text_offsets[owners + 1], ngram, ends)
            base, digest = int(text_offsets[0]), self._digest
            raw = data[base : int(text_offsets[-1])].tobytes()
            starts, ends = starts - base, ends - base
            for at in range(0, len(hashes), _AT_ONCE):  # each digest is an object: not too many at a time
                some = slice(at, at + _AT_ONCE)
                spans = zip(starts[some].tolist(), ends[some].tolist(), strict=True)
                made = [digest(raw[begin:end]) for begin, end in spans]
                table.add(hashes[some], self._rows(np.frombuffer(b"".join(made), np.uint8).reshape(len(made), -1)))
            table.find(grams.hashes, numbers)
        return table.rows, numbers


class _Table:
    """Hash of an n-gram → its row."""

    def __init__(self, words: int) -> None:
        self.size = 0
        self._rows = np.empty((1 << 12, words), np.uint64)
        self._hashes = np.empty(1 << 12, np.uint64)
        self._keys, self._numbers = np.zeros(1 << 14, np.uint64), np.zeros(1 << 14, np.uint32)

    @property
    def rows(self) -> U64:
        return self._rows

    def find(self, hashes: U64, numbers: I64) -> I64:
        """Fill in the row of each n-gram; returns the places of those that have none yet."""
        missing: I64 = (
            np.flatnonzero(numbers < 0) if find_rows(hashes, self._keys, self._numbers, SECRET, numbers) else _NONE
        )
        return missing

    def add(self, hashes: U64, rows: U64) -> None:
        """Enter n-grams that are not there yet."""
        before, self.size = self.size, self.size + len(hashes)
        if self.size > len(self._hashes):
            room = _power(2 * self.size)
            self._rows = np.concatenate([self._rows, np.empty((room - len(self._rows), rows.shape[1]), np.uint64)])
            self._hashes = np.concatenate([self._hashes, np.empty(room - len(self._hashes), np.uint64)])
            self._keys, self._numbers = np.zeros(4 * room, np.uint64), np.zeros(4 * room, np.uint32)
            enter_rows(self._hashes[:before], 0, self._keys, self._numbers, SECRET)
        self._rows[before : self.size] = rows
        self._hashes[before : self.size] = hashes
        enter_rows(self._hashes[before : self.size], before, self._keys, self._numbers, SECRET)


_NONE: I64 = np.empty(0, np.int64)


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


def extended(name: str, size: int) -> Callable[[bytes], bytes]:
    """A digest of this many bytes: a shorter one is followed by digests of (digest, counter)."""
    function = getattr(hashlib, name)
    if size <= function(usedforsecurity=False).digest_size:
        return lambda data: function(data, usedforsecurity=False).digest()[:size]

    def make(data: bytes) -> bytes:
        digest: bytes = function(data, usedforsecurity=False).digest()
        out, counter = digest, 1
        while len(out) < size:
            out += function(digest + counter.to_bytes(4, "big"), usedforsecurity=False).digest()
            counter += 1
        return out[:size]

    return make
