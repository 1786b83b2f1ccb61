"""Compiles every kernel that the tests use, on two processes: what is in the cache already costs a second.

Without it, two workers that start on an empty cache would each compile most kernels for themselves.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TEXTS = ["The Lessee shall pay the rent of 5 € on each first day, in full. " * 9, "Été: 条 " * 40, "a b c"]
PARTS = ("signatures", "indexes")


def signatures() -> None:
    """Every family with every hash, and statistics."""
    from truecopy.sign import METHODS, family
    from truecopy.sign.statistics import build

    statistics = build(TEXTS)
    statistics.merged(statistics).filtered()
    for method in METHODS:
        module = family(method)
        choices = {parameter.name: parameter.choices for parameter in module.describe().parameters}
        for name, values in ({"": ("",)} | choices).items():
            for value in values:
                spec = module.spec(**({name: value} if name else {}))
                made = module.sign(TEXTS, spec)
                compare = module.similarities if hasattr(module, "similarities") else module.distances
                compare(made, made)
        if "statistics" in choices:
            module.sign(TEXTS, module.spec(statistics=statistics), statistics)


def indexes() -> None:
    """What `scan` needs, and every index: built, searched and joined."""
    sys.path.insert(0, str(Path(__file__).with_name("index")))
    import numpy as np
    from index_cases import CASES

    from truecopy.prepare import prepare

    prepare()
    for case in CASES:
        rows = case.rows(np.random.default_rng(1), 20)
        index = case.make()
        index.add(rows)
        index.search_all(rows, case.limits[-1])
        index.pairs(case.for_pairs[-1])


def main() -> None:
    if len(sys.argv) > 1:
        {"signatures": signatures, "indexes": indexes}[sys.argv[1]]()
        return
    running = [subprocess.Popen([sys.executable, "-P", __file__, part]) for part in PARTS]
    codes = [process.wait() for process in running]
    sys.exit(max(map(abs, codes)))


if __name__ == "__main__":
    main()
