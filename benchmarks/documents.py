"""Made-up documents of about 2 KB in any number, from sentences of real ones, and what the collection is like.

    python benchmarks/documents.py --write FOLDER --documents 100000 --waves 10
    python benchmarks/documents.py --scale full                 the properties, measured

Each document is a family's own text or a version of it. A family's text is put together from short runs of real
sentences, whose names and numbers are replaced by the family's own. So strangers have a few sentences in common, and
never half of them, however many there are:

families       sizes have a long tail, the same in every 10,000 documents: most families have one to three documents,
               some ten to fifty, a few more; versions are 70 to 100 % alike, some are copies, some are excerpts
near misses    a constant share of the families is made from the text of a family before: 50 to 70 % is the same
vocabulary     as in the real texts, and names, numbers and misspellings of which there are more and more

A document is a function of the seed and its number alone, so that ten thousand are the beginning of a million. The
documents of a family come one after the other. Waves are cut between families, unless they are to be spread.
"""

from __future__ import annotations

import argparse
import bisect
import hashlib
import math
import os
import random
import re
import sys
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from common import CORES, KEPT, Arguments, arguments, collection
from results import Result, Table, Target, publish

SOURCES = {"bills": 0.3, "mail-scanned": 0.25, "mail-list": 0.15, "agreements": 0.15, "policies": 0.15}
"""The collections whose sentences are used, and what share of the families is made from each."""
CHARACTERS = 20_000_000
"""Taken from each collection at most."""
SEED = "documents"
BLOCK = 10_000
"""Documents among which families have the same sizes, in another order."""
FOLDER = 1000
"""Documents of one folder, or one container."""
LARGEST = 240
"""Documents of the largest family of a block."""
FORMS = ("files", "zip", "mbox")

_LARGE = (130, 90, 60)
_MIDDLE = (50, 45, 40, 36, 33, 30, 28, 26, 24, 22, 21, 20, 19, 18, 17, 16, 15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10)
_OFTEN = {9: 12, 8: 16, 7: 22, 6: 32, 5: 48, 4: 80, 3: 400, 2: 1100}
"""Families of so many documents, in a block; those that are missing are single documents."""

_KIN = 0.45
"""Of the families, those that are made from the text of another."""
_UNIT = 30
"""Words of a unit of sentences, at least."""
_LONGEST_SENTENCE = 60
_MEAN_UNITS = 7.3
_NAMES, _NUMBERS = 6, 10
"""Of a family's own."""
_TAIL = 0.75
"""Among n names that are drawn, so many are different: n to this power."""

_NAME, _NUMBER = "\x01", "\x02"
_SLOTS = re.compile("[\x01\x02]")
_IS_NUMBER = re.compile(r"\d{3,}|(?<=[$#])\d+")
_IS_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_BETWEEN = re.compile(r"(?<=[.;:?!])\s+(?=[A-Z(\"§\d])|\n\s*\n")
_NOT_PRINTED = re.compile(r"[\x00-\x1f\x7f]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w+")
_SYLLABLES = [
    a + b for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "or", "us", "en")
]
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


# --- sentences -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pool:
    """Units of a few real sentences, in the order of their documents, with slots for names and numbers."""

    units: list[list[str]]
    """Of each source."""
    shares: list[float]
    """Of the families, up to and with each source."""


def make_pool(data: Path) -> Path:
    """The file of units, made once for each set of collections."""
    made_by = hashlib.sha256(Path(__file__).read_bytes())
    for name in SOURCES:  # where there is none of them, the data are the same wherever they were looked for
        there = (data / name).is_dir() or (data / f"{name}.tar.xz").is_file()
        made_by.update(f"{name} {data.resolve() if there else ''}\n".encode())
    kept = KEPT / f"units-{made_by.hexdigest()[:20]}.txt"
    if kept.is_file():
        return kept
    KEPT.mkdir(exist_ok=True)
    seen: set[bytes] = set()
    units, heads = [], []
    for name in SOURCES:
        found = collection(name, data)
        units.append([unit for text in _sampled(found.files) for unit in _units(text, seen)])
        heads.append(f"{name} {len(units[-1])} {int(found.generated)}")
    part = kept.with_suffix(f".{os.getpid()}.part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\t".join(heads) + "\n")
        file.writelines(f"{unit}\n" for some in units for unit in some)
    part.replace(kept)
    return kept


def read_pool(kept: Path) -> Pool:
    """The units that were kept."""
    head, *lines = kept.read_text(encoding="utf-8").split("\n")
    ends = list(accumulate((int(source.split()[1]) for source in head.split("\t")), initial=0))
    return Pool([lines[start:end] for start, end in pairwise(ends)], list(accumulate(SOURCES.values())))


def made_up(kept: Path) -> list[str]:
    """Sources that were missing, so that texts were generated in their place."""
    with kept.open(encoding="utf-8") as file:
        sources = [source.split() for source in file.readline().split("\t")]
    return [name for name, _, generated in sources if int(generated)]


def _sampled(files: list[Path]) -> Iterator[str]:
    """Texts from all over a collection, as many as are wanted."""
    files = [file for file in files if file.suffix in (".txt", ".md", ".eml")]
    left = CHARACTERS
    order = list(range(len(files)))
    random.Random("files").shuffle(order)
    for place in order:
        text = files[place].read_text(encoding="utf-8", errors="replace")
        if files[place].suffix == ".eml":
            text = text.partition("\n\n")[2].replace("\n>", "\n")
        yield text[: CHARACTERS // 20]
        left -= len(text)
        if left < 0:
            return


def _units(text: str, seen: set[bytes]) -> Iterator[str]:
    """Sentences that were not seen before, a few together; names and numbers are slots."""
    gathered: list[str] = []
    for sentence in _BETWEEN.split(text):
        words = _NOT_PRINTED.sub(" ", sentence).split()[:_LONGEST_SENTENCE]
        if len(words) < 4:
            continue
        letters = " ".join(_LETTERS.findall(" ".join(words).lower()))
        digest = hashlib.blake2b(letters.encode(), digest_size=8).digest()
        if digest in seen:
            continue
        seen.add(digest)
        gathered += words
        if len(gathered) >= _UNIT:
            yield _IS_NUMBER.sub(_NUMBER, _IS_NAME.sub(_slot_or_name, " ".join(gathered)))
            gathered = []


def _slot_or_name(name: re.Match[str]) -> str:
    """Every other name stays."""
    return _NAME if zlib.crc32(name[0].encode()) % 2 else name[0]


# --- documents -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Member:
    """Where a document is: the block, the family in it, and the place in the family."""

    block: int
    family: int
    place: int


class Documents:
    """Every document of a seed."""

    def __init__(self, pool: Pool, seed: str = SEED, largest: int = LARGEST) -> None:
        self._pool = pool
        self._seed = seed
        self._largest = largest
        self._starts: Callable[[int], list[int]] = lru_cache(4)(self._block)
        self._own: Callable[[int, int], list[str]] = lru_cache(8)(self._units_of)
        self._words: Callable[[int, int], list[str]] = lru_cache(4)(self._words_of)

    def member(self, number: int) -> Member:
        """Where a document is."""
        block, place = divmod(number, BLOCK)
        starts = self._starts(block)
        family = bisect.bisect_right(starts, place) - 1
        return Member(block, family, place - starts[family])

    def text(self, number: int) -> str:
        """A document."""
        member = self.member(number)
        return self._version(member.block, member.family, member.place)

    def is_kin(self, block: int, family: int) -> bool:
        """Whether a family is made from the text of one before."""
        return family > 0 and self._dice(block, family, "kin").random() < _KIN

    def root(self, block: int, family: int) -> int:
        """The family whose text a family is made from: itself, if it is no kin."""
        while self.is_kin(block, family):
            family -= 1
        return family

    def _dice(self, *what: object) -> random.Random:
        return random.Random(f"{self._seed}/{'/'.join(map(str, what))}")

    def _block(self, block: int) -> list[int]:
        """Where each family of a block begins."""
        sizes = [self._largest, *_LARGE, *_MIDDLE]
        sizes += [size for size, often in _OFTEN.items() for _ in range(often)]
        sizes += [1] * (BLOCK - sum(sizes))
        self._dice(block, "sizes").shuffle(sizes)
        return list(accumulate(sizes[:-1], initial=0))

    def _units_of(self, block: int, family: int) -> list[str]:
        """A family's text, in units."""
        dice = self._dice(block, family)
        chance = dice.random
        if self.is_kin(block, family):
            units = list(self._own(block, self.root(block, family)))
            share = 0.36 + 0.16 * chance()
            other = self._drawn(dice, max(1, round(share * len(units))), headed=False)
            for place, unit in zip(dice.sample(range(len(units)), len(other)), other, strict=True):
                units[place] = unit
            return units
        count = min(30, max(3, round(_MEAN_UNITS * math.exp(0.4 * dice.gauss(0, 1) - 0.08))))
        return self._drawn(dice, count, headed=dice.random() < 0.5)

    def _drawn(self, dice: random.Random, count: int, headed: bool) -> list[str]:
        """So many units of one source, with the names and numbers of one family in them."""
        chance = dice.random
        units = self._pool.units[bisect.bisect(self._pool.shares, chance() * self._pool.shares[-1])]
        names = [_name(_rank(chance())) for _ in range(_NAMES)]
        numbers = [str(1 + _rank(chance())) for _ in range(_NUMBERS)]

        def fill(slot: re.Match[str]) -> str:
            return names[int(chance() * _NAMES)] if slot[0] == _NAME else numbers[int(chance() * _NUMBERS)]

        out: list[str] = []
        if headed:
            day, month = 1 + int(28 * chance()), _MONTHS[int(12 * chance())]
            out.append(f"Re: {names[0]} and {names[1]}, No. {numbers[0]}, {day} {month} {1990 + int(30 * chance())}.")
        while len(out) < count:
            place = int(chance() * len(units))
            run = 1 + (chance() < 0.4)
            out += [_SLOTS.sub(fill, unit) for unit in units[place : place + run]]
        return out[:count]

    def _words_of(self, block: int, family: int) -> list[str]:
        """The words of a family's text; the last of a paragraph has the break."""
        return "\n\n ".join(self._own(block, family)).split(" ")

    def _version(self, block: int, family: int, place: int) -> str:
        words = self._words(block, family)
        while place:
            dice = self._dice(block, family, place)
            chance = dice.random
            what = chance()
            if what >= 0.18:
                break
            place = int(chance() * place)  # a copy of an earlier one
        if not place:
            return _laid_out(words)
        if what < 0.24:
            length = max(20, int(len(words) * (0.35 + 0.4 * chance())))
            first = int(chance() * (len(words) - length))
            return _laid_out(words[first : first + length])
        out = list(words)
        share = chance()
        if what < 0.5:
            changes = 1 + int(6 * share)
        elif what < 0.82:
            changes = int(len(words) * (0.02 + 0.06 * share))
        else:
            changes = int(len(words) * (0.08 + 0.07 * share))
        self._change(out, changes, dice)
        if chance() < 0.1:
            for _ in range(len(out) // 80):
                _misspell(out, chance)
        return _laid_out(out)

    def _change(self, words: list[str], changes: int, dice: random.Random) -> None:
        """Change about so many words: half of them in clauses, half one by one."""
        chance = dice.random
        left = changes
        while left > 0:
            at = int(chance() * len(words))
            what = chance()
            if what < 0.12 and left > 6:
                length = 3 + int(10 * chance())
                length = min(length, left)
                left -= length
                if what < 0.04 and len(words) > 4 * length:
                    del words[at : at + length]
                    continue
                units = self._pool.units[int(chance() * len(self._pool.units))]
                other = units[int(chance() * len(units))].replace(_NAME, "Party").replace(_NUMBER, "1").split(" ")
                words[at : at + (length if what < 0.08 else 0)] = other[:length]
                continue
            left -= 1
            if what < 0.35:
                words[at] = str(1 + _rank(chance()))
            elif what < 0.55:
                words[at] = _name(_rank(chance()))
            elif what < 0.75:
                words[at] = words[int(chance() * len(words))].strip()
            elif what < 0.85 and len(words) > 20:
                del words[at]
            elif what < 0.9:
                _misspell(words, chance)
            else:
                words.insert(at, words[int(chance() * len(words))].strip())


def _laid_out(words: list[str]) -> str:
    return " ".join(words).replace("\n ", "\n").strip() + "\n"


def _rank(chance: float) -> int:
    """A name's rank: the tail is as heavy as that of names and numbers in real texts."""
    return min(10**9, int(20 * ((1 - chance) ** (-1 / _TAIL) - 1)))


@lru_cache(100_000)
def _name(rank: int) -> str:
    """The name of a rank."""
    rank += len(_SYLLABLES)
    out = ""
    while rank:
        rank, syllable = divmod(rank, len(_SYLLABLES))
        out += _SYLLABLES[syllable]
    return out.capitalize()


def _misspell(words: list[str], chance: Callable[[], float]) -> None:
    """One letter of one word is another."""
    at = int(chance() * len(words))
    word = words[at]
    place = int(chance() * len(word))
    if word[place : place + 1].isalpha():
        words[at] = word[:place] + _ALPHABET[int(26 * chance())] + word[place + 1 :]


# --- writing ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """A collection on disk."""

    folder: Path
    waves: list[Path]
    """What to hand to truecopy for each wave."""
    numbers: list[range]
    """The documents of each wave, in the order in which they are read."""
    seconds: float

    @property
    def documents(self) -> int:
        return sum(map(len, self.numbers))

    def first(self, count: int) -> tuple[list[Path], int]:
        """Folders or containers of the first documents, so many or a few more, and how many they are."""
        given, documents = [], 0
        for wave, numbers in zip(self.waves, self.numbers, strict=True):
            if documents + len(numbers) <= count:
                given.append(wave)
                documents += len(numbers)
                continue
            for chunk, at in zip(sorted(wave.iterdir()), range(0, len(numbers), FOLDER), strict=True):
                if documents >= count:
                    return given, documents
                given.append(chunk)
                documents += len(numbers[at : at + FOLDER])
        return given, documents


@dataclass(frozen=True, slots=True)
class Making:
    """How a collection is made."""

    pool: Path
    seed: str = SEED
    largest: int = LARGEST
    form: str = "files"
    spread: bool = False


_made: tuple[Making, Documents] | None = None
"""What this process has made documents with; reading the units takes a second."""


def cut(documents: Documents, first: int, last: int, waves: int) -> list[range]:
    """The documents of each wave; no family is in two, but for the one that is cut by the first or the last number."""
    ends = [first]
    for wave in range(1, waves):
        end = max(first + (last - first) * wave // waves, ends[-1])
        while end < last and documents.member(end).place:
            end += 1
        ends.append(end)
    ends.append(last)
    return [range(start, end) for start, end in pairwise(ends)]


def planned(folder: Path, making: Making, first: int, last: int, waves: int = 1) -> Written:
    """What `write` writes, without writing it."""
    if making.spread:
        numbers = [range(first + wave, last, waves) for wave in range(waves)]
    else:
        families = Documents(Pool([], []), making.seed, making.largest)  # which documents are in which needs no units
        numbers = cut(families, first, last, waves)
    folders = [folder / f"wave-{wave + 1:02d}" for wave in range(waves)] if waves > 1 else [folder]
    return Written(folder, folders, numbers, 0.0)


def write(folder: Path, making: Making, first: int, last: int, waves: int = 1, processes: int = CORES) -> Written:
    """Write documents from a number up to another, in several processes."""
    start = time.perf_counter()
    _begin(making)  # the processes inherit it where they are forked
    plan = planned(folder, making, first, last, waves)
    tasks = []
    for target, some in zip(plan.waves, plan.numbers, strict=True):
        target.mkdir(parents=True, exist_ok=True)
        for chunk, at in enumerate(range(0, len(some), FOLDER)):
            tasks.append((target / f"{chunk:04d}", some[at : at + FOLDER], making))
    with ProcessPoolExecutor(processes, initializer=_begin, initargs=(making,)) as pool:
        for _ in pool.map(_write_some, tasks):
            pass
    return replace(plan, seconds=time.perf_counter() - start)


def _begin(making: Making) -> Documents:
    global _made  # noqa: PLW0603
    if _made is None or _made[0] != making:
        _made = making, Documents(read_pool(making.pool), making.seed, making.largest)
    return _made[1]


def _write_some(task: tuple[Path, range, Making]) -> None:
    target, numbers, making = task
    documents, form = _begin(making), making.form
    if form == "files":
        target.mkdir()
        for number in numbers:
            descriptor = os.open(f"{target}/{number:07d}.txt", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            os.write(descriptor, documents.text(number).encode())
            os.close(descriptor)
    elif form == "zip":
        with zipfile.ZipFile(target.with_suffix(".zip"), "x", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for number in numbers:
                packed.writestr(zipfile.ZipInfo(f"{number:07d}.txt", (2020, 1, 1, 0, 0, 0)), documents.text(number))
    else:
        with target.with_suffix(".mbox").open("xb") as file:
            file.writelines(_message(number, documents.text(number)) for number in numbers)


def _message(number: int, text: str) -> bytes:
    body = re.sub(r"^(>*From )", r">\1", text, flags=re.MULTILINE)
    head = (
        f"From sender@example.com Wed Jan  1 00:00:00 2020\nFrom: sender@example.com\nSubject: {number:07d}\n"
        f"Message-ID: <{number}@example.com>\nDate: Wed, 01 Jan 2020 00:00:00 +0000\nMIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    )
    return (head + body + "\n").encode()


# --- what they are like ----------------------------------------------------------------------------------


def vocabulary(texts: Iterator[str]) -> tuple[int, int, int]:
    """Texts' words, distinct words, and bytes."""
    words, size = 0, 0
    distinct: set[str] = set()
    for text in texts:
        found = _WORD.findall(text.lower())
        words += len(found)
        size += len(text.encode())
        distinct.update(found)
    return words, len(distinct), size


def sizes(documents: Documents, count: int) -> Counter[str]:
    """How many documents are in families of each size."""
    families = Counter((member.block, member.family) for member in map(documents.member, range(count)))
    bounds = (1, 2, 3, 9, 50, 200, 2000, BLOCK)
    labels = ("1", "2", "3", "4 to 9", "10 to 50", "51 to 200", "201 to 2,000", "more")
    found: Counter[str] = Counter(dict.fromkeys(labels, 0))
    for size in families.values():
        found[labels[bisect.bisect_left(bounds, size)]] += 1
    return found


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of a line through the logarithms of several points, by least squares."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(max(y, 1e-9)) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    across = sum((one - x) ** 2 for one in xs)
    return sum((one - x) * (two - y) for one, two in zip(xs, ys, strict=True)) / across if across else math.nan


def properties(making: Making, counts: Sequence[int], work: Path) -> list[dict[str, Any]]:
    """Pairs, near misses and words of the first so many documents, by truecopy's own pairs at a floor of 50."""
    import truecopy

    measured = []
    for count in counts:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            written = write(Path(folder) / "texts", making, 0, count)
            start = time.perf_counter()
            truecopy.scan(written.waves, Path(folder) / "matter", floor=50, threshold=80, report=False)
            seconds = time.perf_counter() - start
            matter = truecopy.open(Path(folder) / "matter")
            pairs = {floor: matter.count_pairs(floor) for floor in (50, 60, 70, 80, 90)}
            statuses, left_out = matter.statuses(), matter.left_out()
        documents = Documents(read_pool(making.pool), making.seed, making.largest)
        words, distinct, size = vocabulary(documents.text(number) for number in range(count))
        measured.append(
            {
                "documents": count,
                "bytes": size,
                "words": words,
                "distinct_words": distinct,
                "pairs": pairs,
                "left_out": left_out,
                "near_misses": pairs[50] - pairs[70],
                "statuses": statuses,
                "written_seconds": round(written.seconds, 2),
                "scan_seconds": round(seconds, 2),
            }
        )
    return measured


def main(given: Sequence[str] | None = None) -> None:
    """Write a collection, or say what collections are like."""
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--write", type=Path, metavar="FOLDER", help="write documents into this folder, and do no more")
    own.add_argument("--documents", type=int, default=10_000, help="how many to write")
    own.add_argument("--first", type=int, default=0, help="the number of the first")
    own.add_argument("--waves", type=int, default=1, help="folders to write them into, one for each wave")
    own.add_argument("--spread", action="store_true", help="families are spread over the waves")
    own.add_argument("--form", choices=FORMS, default="files", help="files, or containers of a thousand")
    own.add_argument("--seed", default=SEED)
    own.add_argument("--largest", type=int, default=LARGEST, help="documents of the largest family of each 10,000")
    own.add_argument("--processes", type=int, default=CORES)
    own.add_argument("--counts", help="collections to look at, such as 10000,30000,100000")
    if given is None:
        given = sys.argv[1:]
    if "-h" in given or "--help" in given:
        own.print_help()
    read, rest = own.parse_known_args(given)
    asked = arguments(__doc__ or "", rest)
    making = Making(make_pool(asked.data), read.seed, read.largest, read.form, read.spread)
    if read.write is not None:
        last = read.first + read.documents
        written = write(read.write, making, read.first, last, read.waves, read.processes)
        rate = written.documents / written.seconds
        sys.stdout.write(f"{written.documents:,} documents in {written.seconds:.1f} s: {rate:,.0f} a second\n")
        return
    chosen = read.counts or ("300,1000" if asked.small else "10000,30000,100000")
    publish(_result(asked, making, [int(count) for count in chosen.split(",")]))


def _result(asked: Arguments, making: Making, counts: list[int]) -> Result:
    result = Result("documents", asked)
    pool = read_pool(making.pool)
    result.generated.update(made_up(making.pool))
    with tempfile.TemporaryDirectory() as work:
        measured = properties(making, counts, Path(work))
    families = {count: sizes(Documents(pool, making.seed, making.largest), count) for count in counts}
    growth = {
        what: round(slope([(one["documents"], one[what]) for one in measured]), 3)
        for what in ("near_misses", "distinct_words")
    }
    growth["pairs_70"] = round(slope([(one["documents"], one["pairs"][70]) for one in measured]), 3)
    result.figures = {
        "units": sum(map(len, pool.units)),
        "measured": measured,
        "families": {str(count): dict(found) for count, found in families.items()},
        "growth": growth,
    }
    columns = (
        "documents", "bytes each", "words each", "distinct words", "pairs of 70 % a document",
        "near misses (50 to 70 %) a document", "made a second",
    )  # fmt: skip
    rows = [
        (
            f"{one['documents']:,}", f"{one['bytes'] / one['documents']:,.0f}",
            f"{one['words'] / one['documents']:,.0f}",
            f"{one['distinct_words']:,}", f"{one['pairs'][70] / one['documents']:.2f}",
            f"{one['near_misses'] / one['documents']:.2f}", f"{one['documents'] / one['written_seconds']:,.0f}",
        )
        for one in measured
    ]  # fmt: skip
    note = (
        f"Growth with the documents (slope of the logarithms): pairs {growth['pairs_70']:.2f}, near misses "
        f"{growth['near_misses']:.2f}, distinct words {growth['distinct_words']:.2f}."
    )
    result.tables.append(Table("What the documents are like", columns, rows, note))
    labels = list(families[counts[-1]])
    rows = [(f"{count:,}", *(f"{found[label]:,}" for label in labels)) for count, found in families.items()]
    result.tables.append(Table("Families, by their documents", ("documents", *labels), rows))
    result.targets.append(Target.at_most("growth of near misses with the documents", 1.1, growth["near_misses"]))
    return result


if __name__ == "__main__":
    main()
