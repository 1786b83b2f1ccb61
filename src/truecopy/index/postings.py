"""`postings`: sets by inverted lists; exact resemblance, containment either way, and shared terms, for any share.

For `mod`, `bsw`, the shingles of texts and `terms`. kernels/postings says how it finds every hit, and why lists that
hold nearly all rows cost next to nothing.

A block's arrays: `keys`, its distinct entries, mixed, in order; `slots`, where the keys of each run of high bits begin;
`starts`, where the list of each key begins; `owners`, the rows in each list; and `depths`, how many of its row's
entries are rarer than this one, as a share of all. That is 6 bytes for an entry and 12 to 14 for a distinct one.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import I64, U32, U64, Places, Stored
from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.found import Found
from truecopy.index.index import Advance, Index
from truecopy.index.limits import Limit, Share
from truecopy.index.rows import Rows
from truecopy.kernels import postings
from truecopy.kernels.arrays import read_only
from truecopy.kernels.secret import SECRET
from truecopy.sign.hashes import mixed
from truecopy.threads import Pool
from truecopy.threshold import WHOLE, ten_thousandths

_WHOLES = {
    "either": postings.EITHER,
    "query": postings.QUERY,
    "row": postings.ROW,
    "smaller": postings.SMALLER,
    "longer": postings.LONGER,
}
_DTYPES = {"keys": np.uint64, "slots": np.uint32, "starts": np.uint32, "owners": np.int32, "depths": np.uint16}
_MOST_ENTRIES = (1 << 32) - 1
_KEYS_IN_A_SLOT = 2
_CHUNKS = 64
_LEAST_ROOM = 1 << 14


class Postings(Index):
    """Finds sets that share enough of their entries."""

    name = "postings"
    accepts = (Share,)

    def build(self, rows: Rows) -> dict[str, Stored]:
        """Lists of the rows that have each entry, in order of how early it comes in the row, rarest entries first."""
        if not ascending(rows):
            raise _out_of_order()
        values, offsets = _entries(rows)
        if len(values) > _MOST_ENTRIES:
            raise BadSetting(f"{len(values):,} entries do not fit into one block.", "Add the rows in several parts.")
        keys = _keys(values)
        slots = _slots(keys)
        places = np.empty(len(values), np.int64)
        postings.find_keys(values, read_only(keys), read_only(slots), _bits(slots), places)
        starts = np.zeros(len(keys) + 1, np.int64)
        np.cumsum(np.bincount(places, minlength=len(keys)), out=starts[1:])
        owners, depths = np.empty(len(values), np.int32), np.empty(len(values), np.uint16)
        postings.fill_lists(places, offsets, starts[:-1].copy(), owners)
        postings.fill_depths(_by_rarity(starts, values, places), starts, offsets, owners, depths)
        return {"keys": keys, "slots": slots, "starts": starts.astype(np.uint32), "owners": owners, "depths": depths}

    def sound(self, block: Block) -> bool:
        """Whether lists and their keys fit each other and the rows."""
        arrays, rows = block.arrays, block.rows
        if set(arrays) != set(_DTYPES) or rows.offsets is None:
            return False
        if any(arrays[name].dtype != dtype or arrays[name].ndim != 1 for name, dtype in _DTYPES.items()):
            return False
        keys, slots, starts, owners, depths = (arrays[name] for name in _DTYPES)
        if len(owners) != len(rows.values) or len(depths) != len(owners) or len(starts) != len(keys) + 1:
            return False
        if len(slots) < 2 or (len(slots) - 1) & (len(slots) - 2) or not _runs(slots, len(keys)):
            return False
        if not _runs(starts, len(owners)) or not bool((starts[1:] > starts[:-1]).all()):
            return False
        if len(owners) and not 0 <= int(owners.min()) <= int(owners.max()) < len(rows):
            return False
        if not np.array_equal(np.bincount(owners, minlength=len(rows)), np.diff(rows.offsets)):
            return False
        within = np.ones(len(depths), np.bool_)
        within[starts[:-1]] = False  # a list may begin less deep than the one before it ends
        in_order = bool((depths[1:] >= depths[:-1])[within[1:]].all())
        heads_fit = rows.heads is None or rows.heads.shape[1] == 2
        return in_order and heads_fit and bool((keys[1:] > keys[:-1]).all()) and ascending(rows)

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:  # noqa: ARG002
        """Read the lists of each query's rarest entries, and measure the rows that come early enough in them."""
        return _near(block, queries, limit, once=False, first=0, last=len(queries))

    def join(self, block: Block, limit: Limit, threads: int, advance: Advance | None) -> Found:
        """The same for all rows; each pair is found once, by the larger row."""
        chunk = max(1, -(-len(block) // _CHUNKS))

        def some(first: int) -> Found:
            last = min(first + chunk, len(block))
            found = _near(block, block.rows, limit, once=True, first=first, last=last)
            if advance:
                advance(last - first)
            return found

        with Pool(max(threads, 1)) as pool:
            found = Found.together(list(pool.map(some, range(0, len(block), chunk))))
        lower, higher = np.minimum(found.query, found.place), np.maximum(found.query, found.place)
        return Found(lower, higher, found.value, found.whole, found.examined)


def ascending(rows: Rows) -> bool:
    """Whether the entries of each row are in order, none twice."""
    assert rows.offsets is not None
    rising = rows.values[1:] > rows.values[:-1]
    begins = rows.offsets[1:-1]
    begins = begins[(begins > 0) & (begins < len(rows.values))]
    rising[begins - 1] = True
    return bool(rising.all())


def _out_of_order() -> BadSetting:
    return BadSetting("A row has entries that are not in order.", "Give each entry once, the smallest first.")


def _near(block: Block, queries: Rows, limit: Limit, *, once: bool, first: int, last: int) -> Found:
    """The kernel's answers for some queries, in as many calls as its room for hits requires."""
    assert isinstance(limit, Share)
    if limit.of not in _WHOLES:
        raise BadSetting(f"The postings index was asked for a share of {limit.of}.", f"Ask of: {', '.join(_WHOLES)}.")
    asked, asked_offsets = _entries(queries)
    values, offsets = _entries(block.rows)
    keys, slots, starts, owners, depths = (read_only(block.arrays[name]) for name in _DTYPES)
    of_what, filters = _WHOLES[limit.of], _filters(limit)
    room = max(len(block), _LEAST_ROOM)
    out = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    parts = []
    while first < last:
        first, found, examined = postings.find_near(
            asked, asked_offsets, _heads(queries), values, offsets, _heads(block.rows),
            keys, slots, _bits(slots), starts, owners, depths,
            of_what, limit.least, filters, SECRET, once, first, last, *out,
        )  # fmt: skip
        if first < 0:
            raise _out_of_order()
        query, place, shared = (column[:found].copy() for column in out)
        sizes = asked_offsets[query + 1] - asked_offsets[query], offsets[place + 1] - offsets[place]
        parts.append(Found(query, place, shared, limit.whole(shared, *sizes), examined))
    return Found.together(parts)


def _entries(rows: Rows) -> tuple[U64, I64]:
    """The entries of all rows, and where those of each begin, as kernels take them."""
    assert rows.offsets is not None
    return read_only(np.asarray(rows.values, np.uint64)), read_only(np.asarray(rows.offsets, np.int64))


def _heads(rows: Rows) -> I64:
    """Length and day of each row; none where rows do not know them."""
    if rows.heads is None:
        return read_only(np.empty((0, 2), np.int64))
    if rows.heads.shape != (len(rows), 2):
        raise BadSetting("Rows were given without a length and a day for each.", "Give both, or neither.")
    return read_only(np.asarray(rows.heads, np.int64))


def _filters(limit: Share) -> I64:
    """The least that the shorter length may be of the longer, and the most days between dates; -1 for any."""
    shortest = -1
    if limit.length is not None:
        shortest = WHOLE - (ten_thousandths(limit.length, "length") if limit.length else 0)
    return np.array([shortest, -1 if limit.weeks is None else 7 * limit.weeks], np.int64)


def _keys(values: U64) -> U64:
    """Distinct entries, mixed, in order."""
    keys = mixed(values)
    keys.sort()
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def _by_rarity(starts: I64, values: U64, places: I64) -> Places:
    """The keys from the rarest on; equally common ones in order of their entries, as queries have them."""
    entries, classes = np.empty(len(starts) - 1, np.uint64), np.empty(len(starts) - 1, np.uint16)
    entries[places] = values
    postings.fill_classes(starts, classes)
    order = np.argsort(entries)
    ordered: Places = order[np.argsort(classes[order], kind="stable")]
    return ordered


def _slots(keys: U64) -> U32:
    """Where the keys with each value of their first bits begin; a few keys share one."""
    bits = max(0, (len(keys) // _KEYS_IN_A_SLOT).bit_length())
    edges = (np.arange(1, 1 << bits, dtype=np.uint64) << np.uint64(64 - bits)) if bits else np.empty(0, np.uint64)
    inner = np.searchsorted(keys, edges)
    return np.concatenate([[0], inner, [len(keys)]]).astype(np.uint32)


def _bits(slots: Stored) -> int:
    return (len(slots) - 1).bit_length() - 1


def _runs(begins: Stored, end: int) -> bool:
    """Whether places rise from 0 to the end."""
    return bool(len(begins) and begins[0] == 0 and begins[-1] == end and (begins[1:] >= begins[:-1]).all())
