"""Every call that writes fails once, or from then on: the matter opens as before or after, and what is said is so.

The library in `whole_faults.c` lets the chosen call fail in a real run of a command: writes, flushes, cuts, renames and
new files, with "no space left" or an error of the disk, at once or after half of the bytes.
"""

from __future__ import annotations

import errno
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from whole_faulty import Fault, Faulty, Ran
from whole_state import state

import truecopy as tc
from truecopy.errors import MatterError, NotFound

WORDS = ["lessee", "lessor", "premises", "rent", "deposit", "insurance", "assignment", "governing", "law", "notice"]
KINDS = {
    "full": Fault(error=errno.ENOSPC, lasting=True),
    "full-once": Fault(error=errno.ENOSPC),
    "half": Fault(error=errno.ENOSPC, lasting=True, half=True),
    "quota": Fault(error=errno.EDQUOT, lasting=True),
    "broken": Fault(error=errno.EIO, lasting=True),
    "broken-once": Fault(error=errno.EIO),
}
SAID = {
    "full": {"full"},
    "half": {"full"},
    "quota": {"full"},
    "full-once": {"full", "unreachable"},  # by the time that SQLite's vague error is looked into, there is room
    "broken": {"unreachable"},
    "broken-once": {"unreachable"},
}


@dataclass(frozen=True)
class Case:
    """A command, and what must be true of it."""

    name: str
    words: tuple[str, ...]
    fails: bool = True
    """Whether a fault may make it fail; what only reads must answer."""
    new: bool = False
    """Whether it makes the matter."""
    files: tuple[str, ...] = field(default=())
    """What it writes beside the matter's own files: whole or not at all."""


CASES = (
    Case("scan", ("scan", "{room}", "--matter", "{matter}"), new=True),
    Case("add", ("add", "{later}", "--matter", "{matter}")),
    Case("sign", ("sign", "--method", "mod", "--matter", "{matter}")),
    Case("replace", ("sign", "--method", "letters", "--replace", "--matter", "{matter}")),
    Case("rebuild", ("index", "rebuild", "--matter", "{matter}")),
    Case("floor", ("floor", "60", "--matter", "{matter}")),
    Case("report", ("report", "--matter", "{matter}"), files=("matter/report.html",)),
    Case("similar", ("similar", "1.txt", "--contains", "--matter", "{matter}"), fails=False),
    Case("near", ("similar", "1.txt", "--method", "letters", "--matter", "{matter}"), fails=False),
    Case("status", ("status", "--matter", "{matter}"), fails=False),
    Case("list", ("documents", "--csv", "{place}/list.csv", "--matter", "{matter}"), files=("list.csv",)),
    Case("signatures", ("sign", "{room}", "--method", "letters", "--out", "{place}/s"), files=("s",)),
    Case("statistics", ("stats", "build", "{room}", "--out", "{place}/t"), files=("t",)),
)
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


class Trials:
    """Runs a case on a fresh copy of the same matter for each fault, and looks at what came of it."""

    def __init__(self, faulty: Faulty, base: Path) -> None:
        self._faulty = faulty
        self._base = base
        self._place = base / "place"
        for name, numbers in (("room", range(1, 7)), ("later", range(7, 10))):
            (base / name).mkdir()
            for number in numbers:
                family = number // 2
                words = [f"{WORDS[(family * k) % 10]} shall {WORDS[(family + k) % 10]} clause{k}" for k in range(90)]
                (base / name / f"{number}.txt").write_text(" ".join([*words, f"signed by party {number}"]))
        tc.scan(base / "room", base / "made" / "matter").sign("letters")
        self.fresh(new=False)
        self._before = self._look()

    def fresh(self, *, new: bool) -> None:
        """Put everything back."""
        shutil.rmtree(self._place, ignore_errors=True)
        if new:
            self._place.mkdir()
        else:
            shutil.copytree(self._base / "made", self._place)

    def run(self, case: Case, fault: Fault) -> Ran:
        names = {"place": self._place, "matter": self._place / "matter"}
        names |= {"room": self._base / "room", "later": self._base / "later"}
        return self._faulty.run(self._place, [word.format(**names) for word in case.words], fault)

    def whole(self, case: Case) -> tuple[int, object, dict[str, bytes]]:
        """Without a fault: how many calls there are, the matter afterwards, and the files."""
        self.fresh(new=case.new)
        ran = self.run(case, Fault())
        assert ran.code == 0, ran
        return ran.calls, self._look(), self._files(case)

    def check(self, case: Case, kind: str, fault: Fault, after: object, files: dict[str, bytes]) -> str:
        """One fault; returns what became of the command."""
        self.fresh(new=case.new)
        old = self._files(case)
        ran = self.run(case, fault)
        about = (case.name, kind, fault, ran)
        if ran.code:
            error = ran.answer["error"]
            said = f"{error['message']} {error['hint']}"
            assert case.fails, about
            assert error["code"] in SAID[kind], about
            assert "damaged" not in said, about
            assert "backup" not in said, about
        state_now = self._look()
        before = None if case.new else self._before
        assert state_now in (before, after), about
        if ran.code:
            if "it is as it was before" in said:
                assert state_now == before, about
            if "is stored" in said and "whether" not in said:
                assert state_now == after, about
            assert "not known" in said or "is stored" in said or case.new or state_now == before or not self._in(case)
        elif case.fails:
            assert state_now == after, about
        for name, content in self._files(case).items():
            assert content in (old.get(name), files[name]) or b"This report is out of date" in content, about
        if ran.code or not case.new:
            again = self.run(case, Fault())
            assert again.code == 0, (about, again)
        if case.fails:
            assert self._look() == after, about
        assert not [file for file in self._place.rglob("*") if file.name.endswith(".part")], about
        return "failed" if ran.code else "done"

    def _in(self, case: Case) -> bool:
        """Whether a failed command must leave the matter as it was: its report may fail after the wave is in."""
        return case.name in ("sign", "replace", "rebuild", "floor")

    def _files(self, case: Case) -> dict[str, bytes]:
        return {name: (self._place / name).read_bytes() for name in case.files if (self._place / name).exists()}

    def _look(self) -> object:
        """What the matter says; None where it holds nothing."""
        try:
            matter = tc.open(self._place / "matter")
        except NotFound:
            return None
        except MatterError as error:
            if "has not ended" not in error.message:
                raise
            return None
        if not matter.waves():
            return None
        assert [one for one in matter.verify() if "make it again" not in one] == []
        signed = [(method, matter.signatures(method).values.tolist()) for method in matter.signings()]
        return state(matter), signed, matter.settings


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    faulty = Faulty(tmp_path_factory.mktemp("library"))
    try:
        yield Trials(faulty, tmp_path_factory.mktemp("faults"))
    finally:
        faulty.close()


def tried(trials: Trials, case: Case, seed: int = 0, many: int = 0) -> None:
    """Each call with each fault, or some of them by chance."""
    calls, after, files = trials.whole(case)
    assert calls > 0
    every = [(at, kind) for at in range(1, calls + 1) for kind in KINDS]
    outcomes = []
    for at, kind in random.Random(seed).sample(every, min(many, len(every))) if many else every:
        form = KINDS[kind]
        outcomes.append(trials.check(case, kind, Fault(at, form.error, form.lasting, form.half), after, files))
    print(f"{case.name}: {calls} calls, {len(outcomes)} faults, {outcomes.count('failed')} failed")


@pytest.mark.slow
@cases
def test_some_faults(case: Case, trials: Trials, seed: int) -> None:
    """A few calls by chance."""
    tried(trials, case, seed, 4)


@pytest.mark.soak
@cases
def test_all_faults(case: Case, trials: Trials) -> None:
    """Every call, with every fault."""
    tried(trials, case)
