"""What a new user waits for: the kernels of an ordinary scan, of a second wave, and of asking for groups, pairs and
what is similar to a file are compiled beforehand, for the arrays that these have.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_RUN = """
import json, sys
from pathlib import Path
import truecopy as tc
from truecopy import prepare
for part in prepare.PARTS:
    prepare.compile_part(part)

def compiled():
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("truecopy.kernels."):
            for function in vars(module).values():
                if hasattr(function, "nopython_signatures") and function.__module__ == name:
                    found[f"{name}.{function.__name__}"] = len(function.nopython_signatures)
    return found

before = compiled()
folder = Path(sys.argv[1])
matter = tc.scan(folder / "one", matter=folder / "matter", report=False)
matter.add(folder / "two")
matter.similar(folder / "two" / "3.txt")
matter.groups()
list(matter.pairs())
after = compiled()
print(json.dumps([before, {name: count for name, count in after.items() if count > before.get(name, 0)}]))
"""


def test_nothing_is_compiled_that_was_not_prepared(tmp_path: Path) -> None:
    """In two waves with similar texts and texts that contain others, groups, pairs, and what is similar to a file; no
    dense family, no recall below 1, no `contains` from outside: their kernels are compiled when they are first used.
    """
    for place, wave in enumerate(("one", "two")):
        (tmp_path / wave).mkdir()
        for text in range(6):
            words = [f"word{(7 * text + place + i) % 211}" for i in range(60 + 40 * text)]
            (tmp_path / wave / f"{text}.txt").write_text(" ".join(words), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", _RUN, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    prepared, compiled = json.loads(done.stdout.splitlines()[-1])
    assert len(prepared) > 30
    assert compiled == {}, "each of these was compiled while the user waited for something else"
