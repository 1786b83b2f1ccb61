"""Signatures: arrays with the spec they were made by, the documents they belong to, and whether to rely on them.

Families of fixed size have one row for each text in `values`; families whose signatures are sets have all entries one
after the other, and `offsets` tells them apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np

from truecopy.access import PRIVATE
from truecopy.array_types import I64, Flags, Stored, Values
from truecopy.errors import BadSetting, DamagedSegment, DiskTrouble, MatterError
from truecopy.segments import check_target as check_file_target
from truecopy.segments import read_file, save
from truecopy.spec import Spec


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of some texts."""

    spec: Spec
    values: Values
    reliable: Flags
    """False for each text whose signature says little: nothing to sign, too short, another script."""
    ids: Sequence[str]
    """A name for each text: control numbers, paths, or places counted from 0."""
    offsets: I64 | None = None
    """For sets: the entries of text i are values[offsets[i]:offsets[i + 1]]."""

    def __len__(self) -> int:
        return len(self.reliable)

    def __getitem__(self, text: int) -> Values:
        """The row or the set of one text."""
        if not -len(self) <= text < len(self):
            raise IndexError(f"There are {len(self)} signatures, but number {text} was asked for.")
        text %= max(len(self), 1)
        if self.offsets is None:
            row: Values = self.values[text]
            return row
        return self.values[self.offsets[text] : self.offsets[text + 1]]

    @property
    def statistics(self) -> str | None:
        """The id of the statistics that they were made with."""
        found = dict(self.spec.parameters).get("statistics")
        return None if found is None else str(found)

    def joined(self, other: Signatures) -> Signatures:
        """These signatures and then those of another set made by the same spec."""
        self.spec.must_equal(other.spec)
        offsets = None
        if self.offsets is not None and other.offsets is not None:
            offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        values = np.concatenate([self.values, other.values])
        reliable = np.concatenate([self.reliable, other.reliable])
        return Signatures(self.spec, values, reliable, (*self.ids, *other.ids), offsets)

    def slice(self, first: int, last: int) -> Signatures:
        """Those of some texts in a row."""
        ids, reliable = self.ids[first:last], self.reliable[first:last]
        if self.offsets is None:
            return Signatures(self.spec, self.values[first:last], reliable, ids)
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        return Signatures(self.spec, self.values[begin:end], reliable, ids, self.offsets[first : last + 1] - begin)

    def arrays(self) -> dict[str, Stored]:
        """As they are stored."""
        arrays = {"values": self.values, "reliable": self.reliable}
        if self.offsets is not None:
            arrays["offsets"] = self.offsets
        return arrays

    def save(self, path: str | Path, access: str = PRIVATE) -> None:
        """Write them to a file: whole, with spec and checksum, or not at all; no other kind of file is replaced.

        `access` says who may read it: private, group or all.
        """
        check_target(path)
        save(Path(path), {"signatures": self.spec.as_json()}, {**self.arrays(), **_stored_ids(self.ids)}, access)

    @classmethod
    def load(cls, path: str | Path) -> Signatures:
        """Read a file that `save` wrote; a damaged one is refused."""
        header, arrays = read_file(Path(path))
        if "signatures" not in header:
            raise MatterError(f"{Path(path).name} is a file of truecopy, but not of signatures.", "Give another file.")
        try:
            spec, ids = Spec.from_json(header["signatures"]), _read_ids(arrays["ids"], arrays["id_ends"])
            loaded = cls(spec, arrays["values"], arrays["reliable"], ids, arrays.get("offsets"))
            whole = loaded.whole()
        except (AssertionError, KeyError, TypeError, ValueError):
            whole = False
        if not whole:
            raise DamagedSegment(f"{Path(path).name} does not hold what it says it holds.", "Sign the texts again.")
        return loaded

    def whole(self) -> bool:
        """Whether the arrays are what the spec says; checked before a kernel sees what was read."""
        from truecopy.sign.families import row_form

        dtype, width = row_form(self.spec)
        texts = len(self.ids)
        if self.reliable.shape != (texts,) or self.reliable.dtype != np.bool_ or self.values.dtype != dtype:
            return False
        if self.offsets is None or width is not None:
            return self.offsets is None and self.values.shape == (texts, width)
        places = self.offsets
        if places.shape != (texts + 1,) or places.dtype != np.int64 or self.values.ndim != 1:
            return False
        return bool(places[0] == 0 and places[-1] == len(self.values) and (np.diff(places) >= 0).all())


def _stored_ids(ids: Sequence[str]) -> dict[str, Stored]:
    """The ids as arrays: UTF-8 one after the other, and where each ends. A header has room for few."""
    encoded = [each.encode("utf-8", "surrogatepass") for each in ids]
    ends = np.cumsum(np.array([len(each) for each in encoded], np.int64), dtype=np.int64)
    return {"ids": np.frombuffer(b"".join(encoded), np.uint8), "id_ends": ends}


def _read_ids(letters: Stored, ends: Stored) -> tuple[str, ...]:
    """The same back; ValueError where they are not that."""
    if letters.dtype != np.uint8 or ends.dtype != np.int64 or letters.ndim != 1 or ends.ndim != 1:
        raise ValueError("ids of another type")
    places = [0, *ends.tolist()]
    if places[-1] != len(letters) or any(a > b for a, b in itertools.pairwise(places)):
        raise ValueError("ids that do not follow one another")
    joined = letters.tobytes()
    return tuple(joined[a:b].decode("utf-8", "surrogatepass") for a, b in itertools.pairwise(places))


def check_target(path: str | Path) -> None:
    """Refuse a place where signatures cannot be saved, or where they would replace something else."""
    path = Path(path)
    check_file_target(path, "signatures")
    if path.exists() and path.stat().st_size:
        try:
            Signatures.load(path)
        except DiskTrouble:
            raise
        except MatterError as error:
            raise BadSetting(
                f"{path} exists and does not hold signatures, so it is not replaced.", "Name another file."
            ) from error


class PlaceNames(Sequence[str]):
    """Places counted from 0 as names, without a string for each."""

    def __init__(self, texts: int) -> None:
        self._places = range(texts)

    def __len__(self) -> int:
        return len(self._places)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        found = self._places[place]
        return str(found) if isinstance(found, int) else tuple(map(str, found))


def names(ids: Sequence[str] | None, texts: int) -> Sequence[str]:
    """The given names, or places counted from 0."""
    if ids is None:
        return PlaceNames(texts)
    if len(ids) != texts:
        raise BadSetting(f"{len(ids)} ids were given for {texts} texts.", "Give one id for each text, or none.")
    return tuple(ids)
