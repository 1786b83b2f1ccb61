"""Forged matters: a small real one, changed in every way that its checksums allow, and what commands do with it.

An attacker makes every checksum right, so each forged segment gets a right one, in the file and in the database. Forged
cells are written past SQLite's own constraints. Run as a program, this makes one matter, loads truecopy once, and
forks for each trial; so a crash by a signal, a hang, or too much memory ends one trial and is told with its seed:

    python tests/matter/forge.py KIND,… TRIALS SEED FOLDER

prints a line of JSON for each thing that went wrong, and a last line with what was done.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import itertools
import json
import os
import random
import resource
import select
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from whole.whole_room import document

METHODS = ("words", "simhash", "mod", "terms", "letters", "fingerprint")
KINDS = ("streams", "vocabulary", "signatures", "statistics", "index", "cells", "texts", "pages")
SEGMENTS = ("streams", "vocabulary", "signatures", "statistics", "index")
SECONDS = 10.0
"""Of processor time that a command may take."""
HANG = 60.0
"""Seconds after which a command hangs, however busy the machine is."""
MEMORY = 1 << 30
SAMPLE = 8
"""One trial in this many runs five commands; the others run one."""


# The matter


def make_matter(folder: Path) -> Path:
    """A matter of two waves with copies, versions, excerpts and a dense family; signed, indexed; and files beside."""
    import truecopy as tc
    from truecopy.settings import MatterSettings

    first, second, third = (folder / name for name in ("first", "second", "third"))
    for place in (first, second, third):
        place.mkdir(parents=True)
    shapes = ("base", "copy", "layout", "light", "heavy", "excerpt", "longer", "moved")
    for family in range(2):
        for shape in shapes:
            text = document(7, family, shape)
            (first / f"{family}-{shape}.txt").write_text(text, encoding="utf-8")
            fees = f"{text}\n\nThe fee is $1,{family}00.50, payable within 30 days; interest of 5 % applies."
            (second if shape < "h" else first).joinpath(f"{family}-{shape}-fee.txt").write_text(fees, encoding="utf-8")
    (first / "short.txt").write_text("Signed and sealed.", encoding="utf-8")
    (first / "figures.txt").write_text("1 2 3\n4 5 6\n", encoding="utf-8")
    (first / "empty.txt").write_text("", encoding="utf-8")
    (second / "figures again.txt").write_text("1 2 3\n4 5 6\n", encoding="utf-8")
    (second / "Übersicht.txt").write_text("Die Gebühr beträgt 5 €. " + document(7, 3, "base"), encoding="utf-8")
    (third / "new.txt").write_text(document(7, 0, "light", 2), encoding="utf-8")
    (third / "newer.txt").write_text(document(7, 5, "base"), encoding="utf-8")
    matter = folder / "matter"
    made = tc.scan(first, matter, settings=MatterSettings(dense=5, nearest=2), threads=1)
    made.add(second, threads=1, custodian="Lee Ann")
    for method in METHODS:
        made.sign(method, threads=1)
        made.near("TC-000001", method)
    made.containing("TC-000001")
    with sqlite3.connect(matter / "matter.sqlite") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return matter


def commands(matter: Path, dice: random.Random) -> list[list[str]]:
    """Every command that reads or writes a matter, each as a user would call it."""
    given = ["--matter", str(matter)]
    outside = str(matter.parent / "outside.txt")
    method = dice.choice(METHODS)
    one, other = (f"TC-{dice.randint(1, 36):06d}" for _ in range(2))
    return [
        ["status", *given],
        ["groups", *given],
        ["groups", "--threshold", "90", *given],
        ["pairs", *given, "--expand"],
        ["pairs", *given, "--relation", "contains"],
        ["documents", *given],
        ["similar", one, *given],
        ["similar", one, *given, "--method", method],
        ["similar", outside, *given],
        ["similar", outside, *given, "--method", method],
        ["similar", outside, *given, "--contains"],
        ["similar", one, *given, "--contained-in"],
        ["compare", one, other, *given],
        ["report", *given],
        ["report", *given, "--xlsx"],
        ["add", str(matter.parent / "third"), *given, "--threads", "1"],
        ["sign", "--method", method, *given],
        ["index", "status", *given],
        ["index", "rebuild", *given],
        ["floor", "60", *given],
        ["doctor", *given],
    ]


# Forged segments


def write_forged(path: Path, header: Any, arrays: list[tuple[dict[str, Any], bytes]], length: int | None = None) -> str:
    """A segment with any header and any bytes, and a right checksum."""
    table, body = [], b""
    for entry, data in arrays:
        table.append({"place": len(body), **entry})
        body += data + b"\0" * (-len(data) % 64)
    text = header if isinstance(header, bytes) else json.dumps({"spec": header, "arrays": table}).encode()
    lead = b"TCSEG\0" + (1).to_bytes(2, "little") + (len(text) if length is None else length).to_bytes(8, "little")
    lead += text
    lead += b"\0" * (-len(lead) % 64)
    whole = lead + body
    digest = hashlib.sha256(whole)
    path.write_bytes(whole + digest.digest())
    return digest.hexdigest()


def read_any(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The spec and the arrays of a segment that is whole; not with truecopy's own code."""
    data = path.read_bytes()
    length = int.from_bytes(data[8:16], "little")
    header = json.loads(data[16 : 16 + length])
    start = -(-(16 + length) // 64) * 64
    arrays = {}
    for entry in header["arrays"]:
        dtype, begin = np.dtype(entry["dtype"]), start + entry["place"]
        count = int(np.prod(entry["shape"], dtype=np.int64))
        found = np.frombuffer(data, dtype, count, begin).reshape(entry["shape"])
        arrays[entry["name"]] = found.copy()
    return header["spec"], arrays


def extreme(dice: random.Random, dtype: Any, near: int) -> Any:
    """A hostile value of a type: an end of its range, a small one, or one beside a bound."""
    if dtype.kind == "f":
        return dice.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30])
    if dtype.kind == "c":
        return complex(dice.choice([np.nan, np.inf, 0.0, -1.0]))
    if dtype.kind == "S":
        return dice.choice([b"", b"\xff\xff\xff\xff", b"0"])
    if dtype.kind == "b":
        return bool(dice.getrandbits(1))
    info = np.iinfo(dtype)
    value = dice.choice(
        [info.min, info.max, 0, 1, -1, near, near - 1, near + 1, 2 * near, 1 << 31, 1 << 40, dice.randrange(1 << 16)]
    )
    return max(min(value, int(info.max)), int(info.min))


def change_values(dice: random.Random, arrays: dict[str, Any]) -> None:
    """A few entries of one array."""
    name = dice.choice(sorted(arrays))
    flat = arrays[name].reshape(-1)
    for _ in range(dice.choice([1, 1, 3, 50])):
        if len(flat):
            place = dice.choice([0, len(flat) - 1, dice.randrange(len(flat))])
            with np.errstate(over="ignore"):  # of half floats
                flat[place] = extreme(dice, flat.dtype, len(flat))


def shift_values(dice: random.Random, arrays: dict[str, Any]) -> None:
    """A whole array by a constant, reversed, shuffled, or all the same."""
    name = dice.choice(sorted(arrays))
    array = np.atleast_1d(arrays[name])
    how = dice.randrange(4)
    if how == 0 and array.dtype.kind in "iu":
        with np.errstate(all="ignore"):
            arrays[name] = (array + np.array(dice.choice([1, 1000, 1 << 20])).astype(array.dtype)).astype(array.dtype)
    elif how == 1:
        arrays[name] = array[::-1].copy()
    elif how == 2 and array.size:
        arrays[name] = np.full_like(array, extreme(dice, array.dtype, array.size))
    else:
        random_order = np.random.default_rng(dice.getrandbits(32)).permutation(len(array))
        arrays[name] = array[random_order]


def change_length(dice: random.Random, arrays: dict[str, Any]) -> None:
    """An array that is cut, doubled, emptied, or larger by one."""
    name = dice.choice(sorted(arrays))
    array = np.atleast_1d(arrays[name])
    arrays[name] = dice.choice([array[:-1], array[:0], np.concatenate([array, array]), array[: len(array) // 2]])
    if dice.random() < 0.3 and len(array):
        arrays[name] = np.concatenate([array, array[-1:]])


def change_type(dice: random.Random, arrays: dict[str, Any]) -> None:
    """An array of another type: converted, or the same bytes seen as another."""
    name = dice.choice(sorted(arrays))
    other = np.dtype(dice.choice(["u1", "i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?", "f2", "c16", "S4", ">i8"]))
    with contextlib.suppress(ValueError, TypeError), np.errstate(all="ignore"):
        array = np.ascontiguousarray(arrays[name])
        arrays[name] = array.view(other) if dice.random() < 0.5 else array.astype(other)


def change_shape(dice: random.Random, arrays: dict[str, Any]) -> None:
    """An array with another number of dimensions."""
    name = dice.choice(sorted(arrays))
    array = arrays[name]
    choices = [(1, -1), (-1, 1), (array.size,), (1, 1, -1)]
    if array.ndim == 2:
        choices.append(array.shape[::-1])
    arrays[name] = array.reshape(dice.choice(choices)) if array.size else array.reshape(0, 3)
    if dice.random() < 0.2 and array.size:
        arrays[name] = array.reshape(-1)[0].reshape(())


def change_names(dice: random.Random, arrays: dict[str, Any]) -> None:
    """An array that is missing, one too many, or two that have changed places."""
    names = sorted(arrays)
    name, other = dice.choice(names), dice.choice(names)
    how = dice.randrange(3)
    if how == 0:
        del arrays[name]
    elif how == 1:
        arrays[dice.choice(["extra", "offsets", "gone", "counts", "heads", "index.order"])] = arrays[name].copy()
    else:
        arrays[name], arrays[other] = arrays[other], arrays[name]


CHANGES = (change_values,) * 5 + (shift_values, change_length, change_length, change_type, change_shape, change_names)


def change_header(dice: random.Random, path: Path, spec: Any, arrays: dict[str, Any]) -> str:
    """A header that lies about the file, is no JSON, or is deeper than any parser wants."""
    entries = [
        ({"name": name, "dtype": a.dtype.str, "shape": list(a.shape)}, a.tobytes()) for name, a in arrays.items()
    ]
    entry = dice.choice(entries)[0]
    how = dice.randrange(10)
    if how == 0:
        entry["dtype"] = dice.choice(["O", "|O", "V8", "<U4", "m8", ">i8", "f2", "", None, 5, [["a", "i8"]], "i8,i8"])
    elif how == 1:
        entry["shape"] = dice.choice([[-1], [1 << 62], [1 << 40, 1 << 40], [2.5], ["3"], None, 7, [[1]], [0] * 40])
    elif how == 2:
        entry["place"] = dice.choice([-64, 1, 1 << 40, 1 << 70, None, "0", 0.5, True])
    elif how == 3:
        other = next((one["name"] for one, _ in entries if one is not entry), "other")
        entry["name"] = dice.choice([None, 5, "", "x" * 100_000, "../../x", other])
    elif how == 4:
        spec = dice.choice([None, [], "x", {}, {"method": 1}, {**spec, "version": 10**30}, {**spec, "parameters": []}])
    elif how == 5:
        nested = b"[" * 100_000 + b"]" * 100_000
        return write_forged(path, b'{"spec": {}, "arrays": ' + nested + b"}", entries)
    elif how == 6:
        return write_forged(path, spec, entries, dice.choice([0, 1, 1 << 40, (1 << 64) - 1, 10_000_000]))
    elif how == 7:
        return write_forged(
            path, dice.choice([b"", b"null", b"[]", b"\xff\xfe", b"{", b'{"arrays": {}}', b"1" * 5000]), []
        )
    elif how == 8:
        entries += [({**entry, "place": 0}, b"")] * dice.choice([len(entries), 2000])
    else:
        size = dice.choice([10**6, 10**9, 10**18])
        entry["shape"] = [size, *entry["shape"][1:]]
    return write_forged(path, spec, entries)


def read_words(matter: Path) -> None:
    """Read all words of a matter, as a question does that is about all of them."""
    import truecopy as tc
    from truecopy.matter.texts import all_texts

    with tc.open(matter).asking() as state:
        all_texts(state)


def put_arrays(matter: Path, name: str, arrays: dict[str, Any], **cells: Any) -> None:
    """Put other arrays into a segment, with a right checksum everywhere, and other values into its row."""
    spec, _ = read_any(matter / name)
    entries = [({"name": one, "dtype": a.dtype.str, "shape": list(a.shape)}, a.tobytes()) for one, a in arrays.items()]
    cells["checksum"] = write_forged(matter / name, spec, entries)
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    connection.execute(
        f"UPDATE segments SET {', '.join(f'{cell} = ?' for cell in cells)} WHERE name = ?", (*cells.values(), name)
    )
    connection.close()


def put_bodies(matter: Path, bodies: dict[int, bytes]) -> None:
    """Put something in the place of some stored texts, by number."""
    connection = sqlite3.connect(matter / "matter.sqlite")
    files = connection.execute("SELECT name, first, last FROM segments WHERE kind = 'texts'").fetchall()
    connection.close()
    for name, first, last in files:
        mine = {number: body for number, body in bodies.items() if first <= number <= last}
        if mine:
            _, arrays = read_any(matter / name)
            stored = {first + place: body for place, body in enumerate(bodies_in(arrays))} | mine
            packed = [stored[number] for number in range(first, last + 1)]
            ends = np.cumsum([0, *map(len, packed)], dtype=np.int64)
            put_arrays(matter, name, {"bodies": np.frombuffer(b"".join(packed), np.uint8), "offsets": ends})


def bodies_in(arrays: dict[str, Any]) -> list[bytes]:
    """The stored texts in the arrays of a segment."""
    offsets = arrays["offsets"].tolist()
    return [arrays["bodies"][begin:end].tobytes() for begin, end in itertools.pairwise(offsets)]


def unpacked_bodies(arrays: dict[str, Any]) -> list[bytes] | None:
    """The same, unpacked; None where they cannot be."""
    import zstandard

    if set(arrays) != {"bodies", "offsets"} or any(array.ndim != 1 for array in arrays.values()):
        return None
    try:
        decompressor = zstandard.ZstdDecompressor()
        return [decompressor.decompress(body, allow_extra_data=False) for body in bodies_in(arrays)]
    except (zstandard.ZstdError, TypeError, ValueError, MemoryError):
        return None


def forge_segment(kind: str, matter: Path, dice: random.Random) -> str:
    """Change one segment of a kind, make its checksum right, and say what was done."""
    connection = sqlite3.connect(matter / "matter.sqlite")
    names = [
        name
        for name, of in connection.execute("SELECT name, kind FROM segments ORDER BY name")
        if of == kind or of.startswith(f"{kind}-")
    ]
    name = dice.choice(names)
    spec, arrays = read_any(matter / name)
    if dice.random() < 0.15:
        said = f"{name}: change_header"
        checksum = change_header(dice, matter / name, spec, arrays)
    else:
        changes = [dice.choice(CHANGES) for _ in range(dice.choice([1, 1, 2]))]
        said = f"{name}: {', '.join(change.__name__ for change in changes)}"
        before = {each: array.copy() for each, array in arrays.items()}
        for change in changes:
            if arrays:
                change(dice, arrays)
        if same(before, arrays) or (kind == "texts" and is_no_other_text(before, arrays)):
            said = ""
        entries = [
            ({"name": each, "dtype": a.dtype.str, "shape": list(a.shape)}, a.tobytes()) for each, a in arrays.items()
        ]
        checksum = write_forged(matter / name, spec, entries)
    connection.execute("UPDATE segments SET checksum = ? WHERE name = ?", (checksum, name))
    connection.commit()
    connection.close()
    return said


def same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether nothing has changed."""
    return set(before) == set(after) and all(
        one.dtype == after[name].dtype and one.shape == after[name].shape and one.tobytes() == after[name].tobytes()
        for name, one in before.items()
    )


def is_no_other_text(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether texts are packed in another way and are the same: zstd has bits without a meaning."""
    if set(before) != set(after) or before["offsets"].tobytes() != after["offsets"].tobytes():
        return False
    whole = after["bodies"].dtype == before["bodies"].dtype and after["bodies"].shape == before["bodies"].shape
    return whole and unpacked_bodies(before) == unpacked_bodies(after)


# Forged cells


HOSTILE: tuple[Any, ...] = (
    None, 0, -1, 1, 2, 5, 36, 37, 10**6, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63), 0.5, 1e300, float("inf"), "", "x",
    "5", "-1", "../../etc/passwd", "a\0b", "\ud7ff", "x" * 100_000, "0" * 64, "f" * 64, b"", b"\xff\0\xfe", b"5",
    "[" * 50_000, "{}", "null", "[]", '{"recall": NaN}', '{"recall": "x", "seconds": {}, "generator": 1}', "1" * 5000,
    "wave-0001.streams.000001.segment", "../matter.lock", "/dev/zero", "C:\\x",
    "index-overlap.0001-999999999.000001.segment",
    '{"threshold": 1e999}', '{"threshold": "80"}', '{"dense": -5}', '{"given": 5}', "same-file", "member", "contains",
    "9999-99-99", "2024-01-01T00:00:00+99:99", "0001-01-01", "9999-12-31T23:59:59+00:00",
)  # fmt: skip


def forge_cell(matter: Path, dice: random.Random) -> str:
    """Put a hostile value into a cell, past every constraint, and say where; "" where it changed nothing."""
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    tables = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall())
    table = dice.choice(sorted(tables))
    columns = [(row[1], row[5]) for row in connection.execute(f"PRAGMA table_info({table})")]
    column, _ = dice.choice(columns)
    rowed = "WITHOUT ROWID" not in tables[table]
    keys = ["rowid"] if rowed else [name for name, key in columns if key]
    rows = connection.execute(f'SELECT {", ".join(keys)}, "{column}" FROM {table}').fetchall()
    if not rows:
        connection.close()
        return ""
    *key, old = dice.choice(rows)
    value = dice.choice(HOSTILE) if dice.random() < 0.8 else dice.choice(rows)[-1]
    if isinstance(value, str) and dice.random() < 0.05:
        value = value.encode("utf-16")
    every = dice.random() < 0.1  # the whole column
    bad_text = dice.random() < 0.03
    connection.execute("PRAGMA writable_schema = ON")
    relaxed = tables[table].replace(" NOT NULL", "")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", (relaxed, table))
    connection.close()
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    where = "" if every else " WHERE " + " AND ".join(f"{name} = ?" for name in keys)
    new = "CAST(x'c3286162' AS TEXT)" if bad_text else "?"
    try:
        given = ([] if bad_text else [value]) + ([] if every else key)
        connection.execute(f'UPDATE OR IGNORE {table} SET "{column}" = {new}{where}', given)
    except sqlite3.Error:
        pass  # a number where SQLite itself allows nothing else
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", (tables[table], table))
    connection.close()
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    try:
        now = connection.execute(f'SELECT {", ".join(keys)}, "{column}" FROM {table}').fetchall()
    except sqlite3.Error:
        now = None
    connection.close()
    return "" if now == rows else f"{table}.{column}: {value!r:.60} in place of {old!r:.60}{' everywhere' * every}"


def forge_text(matter: Path, dice: random.Random) -> str:
    """Change the segment of texts like any other, or put something into it that zstd may or may not take for a text."""
    if dice.random() < 0.5:
        return forge_segment("texts", matter, dice)
    pack, stream = packers()
    plain = document(9, dice.randrange(9), "base").encode()
    bodies: dict[str, bytes] = {
        "another text": pack.compress(plain),
        "no size": stream.compress(plain),
        "two frames": pack.compress(plain) + pack.compress(plain),
        "something behind it": pack.compress(plain) + b"x",
        "not UTF-8": pack.compress(b"\xff\xfe" * 100),
        "nothing": b"",
        "an empty text": pack.compress(b""),
        "noise": dice.randbytes(200),
        "cut": pack.compress(plain)[: dice.randrange(5, 100)],
        "a skippable frame": b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"xxxx",
        "one byte changed": changed_byte(pack.compress(plain), dice),
        **bombs(),
    }
    how = dice.choice(sorted(bodies))
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    numbers = [number for (number,) in connection.execute("SELECT DISTINCT text FROM documents WHERE text IS NOT NULL")]
    connection.close()
    some = dice.sample(numbers, dice.choice([1, 1, 5]))
    put_bodies(matter, dict.fromkeys(some, bodies[how]))
    return f"texts {some}: {how}"


def packers() -> tuple[Any, Any]:
    """Two compressors: one states the size of a text, one does not."""
    import zstandard

    return zstandard.ZstdCompressor(level=1), zstandard.ZstdCompressor(level=1, write_content_size=False)


@functools.cache
def bombs() -> dict[str, bytes]:
    """Small texts that unpack to large ones; made once, because that takes a second."""
    pack, stream = packers()
    lying = bytearray(pack.compress(b"a" * (1 << 26)))
    lying[6:10] = (100).to_bytes(4, "little")
    return {
        "a lying size": bytes(lying),
        "a bomb": pack.compress(bytes(1 << 29)),
        "a bomb without a size": stream.compress(bytes(1 << 28)),
    }


def changed_byte(data: bytes, dice: random.Random) -> bytes:
    place = dice.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << dice.randrange(8))]) + data[place + 1 :]


def forge_page(matter: Path, dice: random.Random) -> str:
    """Change bytes of the database's file itself."""
    path = matter / "matter.sqlite"
    data = bytearray(path.read_bytes())
    for _ in range(dice.choice([1, 3, 20])):
        page = dice.randrange(len(data) // 4096)
        place = 4096 * page + dice.choice([dice.randrange(12), dice.randrange(200), dice.randrange(4096)])
        data[place] = dice.choice([0, 0xFF, 1, 0x80, dice.randrange(256)])
    path.write_bytes(data)
    return "pages"


def forge(kind: str, matter: Path, dice: random.Random) -> str:
    """Change a matter; "" where nothing has changed after all."""
    if kind in SEGMENTS:
        return forge_segment(kind, matter, dice)
    forged: dict[str, Callable[[Path, random.Random], str]] = {
        "cells": forge_cell,
        "texts": forge_text,
        "pages": forge_page,
    }
    return forged[kind](matter, dice)


# Trials


def trial(kind: str, base: Path, place: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Forge a copy of the matter, run commands on it in a process of their own, and yield what went wrong."""
    dice = random.Random(f"{kind} {seed}")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    matter = place / "matter"
    shutil.copytree(base / "matter", matter)
    shutil.copytree(base / "third", place / "third")
    (place / "outside.txt").write_text(document(7, 0, "light", 3), encoding="utf-8")
    canary = place / "canary"
    canary.mkdir()
    (canary / "file").write_text("untouched")
    said = forge(kind, matter, dice)
    every = commands(matter, dice)
    chosen = dice.sample(every, 5) if seed % SAMPLE == 0 else [dice.choice(every)]
    if said and seed % SAMPLE == 1 and not any(command[0] == "doctor" for command in chosen):
        chosen.append(["doctor", "--matter", str(matter)])
    chosen.sort(key=lambda command: command[0] != "doctor")  # first: others make a forged index again
    before = outside(place)
    for result in run_apart(chosen, place / "output"):
        wrong = judged(kind, said, result)
        if wrong:
            yield {"seed": seed, "kind": kind, "forged": said, **result, "wrong": wrong}
    if outside(place) != before:
        yield {"seed": seed, "kind": kind, "forged": said, "wrong": "something outside the matter was touched"}


def outside(place: Path) -> dict[str, str]:
    """Everything beside the matter, and what it holds."""
    found = {}
    for file in sorted(place.rglob("*")):
        own = file.relative_to(place)
        if own.parts[0] not in ("matter", "output"):
            found[str(own)] = file.read_text(encoding="utf-8") if file.is_file() else ""
    return found


def judged(kind: str, said: str, result: dict[str, Any]) -> str:
    """What is wrong with what a command did; "" if nothing is."""
    if "ended" in result:
        return f"ended by signal {-result['ended']}" if result["ended"] < 0 else f"ended with {result['ended']}"
    if result.get("hang"):
        return "hangs"
    output = result["output"]
    if result["seconds"] > SECONDS:
        return f"took {result['seconds']:.1f} s"
    if result["memory"] > MEMORY:
        return f"took {result['memory'] >> 20} MB"
    if result["code"] not in (0, 1, 2):
        return f"exit code {result['code']}"
    if "Traceback" in output or "Something went wrong" in output or "not enough memory" in output:
        return "no sentence of ours"
    named = result["code"] == 1 and "BROKEN" in output
    if result["command"][0] == "doctor" and said and kind in (*SEGMENTS, "texts") and not named:
        return "the doctor finds nothing"
    return ""


def run_apart(chosen: list[list[str]], output: Path) -> Iterator[dict[str, Any]]:
    """Run commands one after the other in a forked process with limits; yields what each did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _as_child(chosen, output, writer)
    os.close(writer)
    done: list[dict[str, Any]] = []
    rest = b""
    begun = time.monotonic()
    hang = False
    while True:
        ready, _, _ = select.select([reader], [], [], 1)
        if ready:
            data = os.read(reader, 1 << 20)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            done += map(json.loads, lines)
            begun = time.monotonic()
        elif time.monotonic() - begun > HANG:
            os.kill(child, signal.SIGKILL)
            hang = True
            break
    os.close(reader)
    _, status, _ = os.wait4(child, 0)
    yield from done
    if status:
        text = output.read_text(errors="replace") if output.exists() else ""
        told = {"hang": True} if hang else {"ended": os.waitstatus_to_exitcode(status)}
        yield {"command": chosen[len(done)], "output": text[-2000:], **told}


def _as_child(chosen: list[list[str]], output: Path, writer: int) -> None:
    """In the forked process: limits, then each command; never returns."""
    code = 70
    try:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (size + (3 << 30), size + (3 << 30)))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        from truecopy.cli.run import run

        for command in chosen:
            resource.setrlimit(resource.RLIMIT_CPU, (int(_cpu() + 3 * SECONDS), resource.RLIM_INFINITY))
            handle = os.open(output, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            os.close(handle)
            start = _cpu()
            try:
                result = run(command)
            except BaseException as error:
                result = f"raised {error!r:.500}"
            sys.stdout.flush()
            sys.stderr.flush()
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            text = output.read_text(errors="replace")
            told = {"command": command, "code": result, "seconds": _cpu() - start, "memory": memory, "output": text}
            told["output"] = text[:1000] + text[-3000:] if len(text) > 4000 else text
            os.write(writer, json.dumps(told).encode() + b"\n")
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def warm_up(base: Path, place: Path) -> None:
    """Run every command once on the real matter, so that all is loaded and compiled; each must work."""
    import typer

    from truecopy.cli import checks
    from truecopy.cli.run import run

    # What has nothing to do with the matter, and would take half of the time of a trial.
    checks.check_machine = lambda _: []
    typer.main.get_command = functools.cache(typer.main.get_command)
    shutil.copytree(base / "matter", place / "matter")
    shutil.copytree(base / "third", place / "third")
    (place / "outside.txt").write_text(document(7, 0, "light", 3), encoding="utf-8")
    before = os.dup(1), os.dup(2)
    with (place / "said").open("wb") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        for seed in range(2 * len(METHODS)):
            dice = random.Random(seed)
            every = commands(place / "matter", dice)
            for command in every if seed == 0 else [command for command in every if "--method" in command]:
                code = run(command)
                assert code in (0, 1), command
                assert command[0] not in ("status", "doctor", "report") or code == 0, command
    for place_of, kept in enumerate(before, 1):
        os.dup2(kept, place_of)
        os.close(kept)
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy every page that the two share


def main() -> None:
    """Run trials of one kind, or of several one after the other."""
    kinds, trials, seed, folder = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    base = folder / "base"
    if not base.exists():
        make_matter(base)
    os.environ["TMPDIR"] = str(folder)
    warm = folder / f"warm-{kinds[0]}"
    shutil.rmtree(warm, ignore_errors=True)
    warm.mkdir()
    warm_up(base, warm)
    wrong = 0
    for kind in kinds:
        for number in range(seed, seed + trials):
            for found in trial(kind, base, folder / f"trial-{kinds[0]}", number):
                wrong += 1
                print(json.dumps(found), flush=True)
            if (number - seed) % 500 == 499:
                print(f"{kind}: {number - seed + 1} trials, {wrong} wrong", file=sys.stderr, flush=True)
    print(json.dumps({"kinds": kinds, "trials": trials, "seed": seed, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main()
