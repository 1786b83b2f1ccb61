"""An invented relation, as somebody would add one: a row in each of the two tables, and a finder. Run by
`test_relations.py` in a process of its own, because tables are read once.

`opens` holds where the first ten words of two texts are equal, and a tenth of the shingles of one is in the other. Its
pairs are found by comparing every two texts. Given are a folder with a folder for each wave, and how many texts a
family may have before it is dense; printed are the pairs that `truecopy pairs` lists.
"""

from __future__ import annotations

import importlib.util
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROWS = {
    "truecopy.match.relations": (
        ")\nRELATION_NAMES =",
        '    Relation("opens", CONTAINMENT, "openings", floor=10.0, only=whole_invented.open_alike),\n',
    ),
    "truecopy.match.kinds": (
        '    Kind(\n        "unrelated",\n        ("short",),',
        '    Kind("opening", ("opens",), "Alike."),\n',
    ),
}


def open_alike(streams: Any, a: Any, b: Any) -> Any:
    """Whether the texts a[i] and b[i] begin with the same ten words."""
    first = [streams.words[begin : begin + 10].tolist() for begin in streams.offsets[:-1]]
    return np.array([first[x] == first[y] for x, y in zip(a.tolist(), b.tolist(), strict=True)], np.bool_)


class Openings:
    """Finds the pairs of the invented relation."""

    def find(self, streams, bags, floor, recall, fresh, threads, progress=None, families=None):
        """Every pair with a fresh text, but for those inside a dense family."""
        from truecopy.group.families import Families
        from truecopy.pairing import Paired, every_shingle

        families = Families(len(streams)) if families is None else families.copy()
        pairs = [(a, b) for a, b in combinations(range(len(streams)), 2) if fresh[a] or fresh[b]]
        a, b = np.array(pairs, np.int32).reshape(-1, 2).T
        found = self.verify(streams, (a, b), every_shingle(streams, threads), floor, threads)
        families.join(found.a, found.b)
        return Paired(found.take(~families.inside(found.a, found.b)), families, "openings")

    def verify(self, streams, pairs, shingles, floor, threads):
        """Those that the relation holds for."""
        from truecopy.match.measures import shared_shingles
        from truecopy.pairing import Verified

        a, b = pairs
        shared = shared_shingles(streams.words, streams.offsets, streams.keys, a, b, threads)
        holds = (100 * shared >= floor * np.minimum(shingles[a], shingles[b])) & open_alike(streams, a, b)
        return Verified(a[holds], b[holds])

    def most(self, lengths, shingles, floor):
        """As many as there are pairs of texts."""
        return len(lengths) * (len(lengths) - 1) // 2


def add_rows() -> None:
    """Execute each of the two modules with one row more in its table, before anybody else reads it."""
    sys.modules["whole_invented"] = sys.modules[__name__]
    for name, (before, row) in ROWS.items():
        spec = importlib.util.find_spec(name)
        source = Path(spec.origin).read_text(encoding="utf-8")
        assert source.count(before) == 1
        assert name not in sys.modules
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        module.__dict__["whole_invented"] = sys.modules[__name__]
        exec(compile(source.replace(before, row + before), spec.origin, "exec"), module.__dict__)


def main(folder: Path, dense: int, words: int) -> None:
    """Scan the first wave, add the others, let the doctor look, list the pairs."""
    add_rows()
    import truecopy as tc
    from truecopy import pairing
    from truecopy.cli.run import run
    from truecopy.errors import BadSetting
    from truecopy.matter.change import room

    pairing.FINDERS["openings"] = Openings()
    if words:
        room.FEWEST_WORDS, room.BYTES_A_WORD = words, 1 << 62
    first, *others = sorted(one for one in folder.iterdir() if one.name.startswith("wave"))
    place = folder / f"matter-{dense}-{words}"
    matter = tc.scan(first, place, report=False, settings=tc.MatterSettings(dense=dense, nearest=1))
    for wave in others:
        matter.add(wave)
    matter.lower_floor(60)
    with pytest.raises(BadSetting, match="cannot be lowered"):
        matter.lower_floor(5, "opens")
    assert matter.verify() == []
    assert tc.compare(*sorted(first.iterdir())[:2]).kind == "opening"
    sys.exit(run(["pairs", "--relation", "opens", "--expand", "--matter", str(place), "--json"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
