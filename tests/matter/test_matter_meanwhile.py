"""What others write to a matter while a wave is computed: no lock is held, nothing of either is lost, and the end is
the same as if they had come one after the other.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.errors import BelowFloor, MatterBusy, TruecopyError, UsageError
from truecopy.matter.matter import Matter
from truecopy.matter.store import LONGER, Store
from truecopy.pipeline import compute_wave
from truecopy.progress import Silent

SENTENCE = "The parties agree that clause {n} of this agreement binds Acme and its successors in every respect. "
BASE = "".join(SENTENCE.format(n=n) for n in range(40))


def write(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


@pytest.fixture
def rooms(tmp_path: Path) -> dict[str, Path]:
    """What the matter is made of, what one process adds, and what another one does."""
    words = BASE.split()
    cut = len(words) * 3 // 4
    return {
        "first": write(tmp_path / "first", {"a": BASE, "b": BASE.replace("clause 7 ", "section 7 "), "c": BASE}),
        "mine": write(
            tmp_path / "mine",
            {
                "half": " ".join([*words[:cut], *(f"own{n}" for n in range(len(words) - cut))]),
                "d": BASE.replace("clause 9 ", "section nine ") + "This is mine.",
                "copy": BASE,
            },
        ),
        "theirs": write(
            tmp_path / "theirs",
            {f"t{n}": BASE.replace(f"clause {n} ", f"paragraph {n} ") + f"{n} at last." for n in (3, 5)}
            | {"copy of d": BASE.replace("clause 9 ", "section nine ") + "This is mine."},
        ),
    }


SETTINGS: dict[str, Any] = {"floor": 90, "threshold": 90, "report": False}
OTHERS: dict[str, Callable[[tc.Matter, dict[str, Path]], object]] = {
    "a wave": lambda other, rooms: other.add(rooms["theirs"], wave="theirs"),
    "two waves": lambda other, rooms: [other.add(file) for file in sorted(rooms["theirs"].iterdir())],
    "a lower floor": lambda other, _: other.lower_floor(60),
    "a lower floor of contains": lambda other, _: other.lower_floor(40, "contains"),
    "signatures": lambda other, _: other.sign("letters"),
    "other signatures": lambda other, _: other.sign("simhash", bits=128, replace=True),
    "indexes": lambda other, _: other.rebuild_indexes(),
    "the same files": lambda other, rooms: other.add(rooms["mine"], wave="theirs"),
    "some of the same files": lambda other, rooms: other.add(rooms["mine"] / "d.txt", wave="theirs"),
    "all of these": lambda other, rooms: (
        other.add(rooms["theirs"], wave="theirs"),
        other.sign("letters"),
        other.lower_floor(60),
        other.rebuild_indexes(),
    ),
}


def begun(folder: Path, rooms: dict[str, Path]) -> tc.Matter:
    """A matter of three waves that is signed."""
    matter = tc.scan(rooms["first"], folder, **SETTINGS)
    matter.sign("simhash", bits=64)
    for n in (1, 2):
        later = rooms["first"].parent / f"later{n}"
        matter.add(later if later.exists() else write(later, {f"l{n}": BASE.replace(f"clause {n} ", f"no {n} ")}))
    return matter


def state_of(matter: tc.Matter) -> dict[str, Any]:
    """Everything that two matters with the same history have in common."""
    settings = matter.settings
    with matter.snapshot():
        return {
            "settings": settings,
            "waves": [(wave.name, wave.documents) for wave in matter.waves()],
            "documents": [(one.id, one.path, one.wave, one.status, one.copy_of) for one in matter.documents()],
            "similar": matter.pairs(settings.floor, expand=True),
            "contains": matter.pairs(settings.contains_floor, "contains", expand=True),
            "groups": matter.groups(),
            "counts": (matter.counts(), matter.statuses()),
            "signed": {method: matter.signatures(method).values.tolist() for method in matter.signings()},
            "near": [hit.document.id for hit in matter.near("a.txt", "simhash").hits],
        }


@pytest.mark.parametrize("what", OTHERS)
def test_what_others_write_while_a_wave_is_computed_is_kept(
    what: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents, pairs, groups, signatures and indexes are those of the same changes one after the other."""
    after = begun(tmp_path / "after", rooms)
    OTHERS[what](after, rooms)
    after.add(rooms["mine"])

    mine = begun(tmp_path / "beside", rooms)
    computed: list[int] = []

    def compute_and_let_others_in(*given: Any, **named: Any) -> Any:
        result = compute_wave(*given, **named)
        computed.append(result.after)
        if len(computed) == 1:
            OTHERS[what](tc.open(tmp_path / "beside"), rooms)
        return result

    monkeypatch.setattr("truecopy.matter.change.add.compute_wave", compute_and_let_others_in)
    mine.add(rooms["mine"])
    assert computed
    beside = tc.open(tmp_path / "beside")
    assert state_of(beside) == state_of(tc.open(tmp_path / "after"))
    assert beside.verify() == []
    for index in beside.indexes():
        waves = [wave for block in index.blocks for wave in range(block.waves[0], block.waves[1] + 1)]
        assert len(waves) == len(set(waves)), index.name
        assert index.name == "shingles" or not (index.missing or index.damaged), index.name


@pytest.mark.parametrize("only", [None, "runs", "shingles"])
@pytest.mark.parametrize("shingles", [False, True])
def test_indexes_that_are_rebuilt_while_a_wave_merges_hold_every_wave(
    only: str | None, shingles: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wave that merges the blocks of small waves takes nothing away from one that holds a large wave too."""

    def grown(folder: Path) -> tc.Matter:
        matter = tc.scan(rooms[0], folder, **SETTINGS)
        if shingles:
            matter.rebuild_indexes("shingles")
        for room in rooms[1:4]:
            matter.add(room)
        return matter

    def blocks(folder: Path) -> dict[str, list[tuple[int, int]]]:
        return {index.name: [block.waves for block in index.blocks] for index in tc.open(folder).indexes()}

    sizes = (20, 1, 1, 1, 1)
    rooms = [
        write(tmp_path / f"room{n}", {f"r{n}t{i}": f"{BASE} Wave {n}, text {i}." for i in range(size)})
        for n, size in enumerate(sizes)
    ]
    after = grown(tmp_path / "after")
    after.rebuild_indexes(only)
    after.add(rooms[4])

    mine = grown(tmp_path / "beside")
    done: list[int] = []

    def compute_and_rebuild(*given: Any, **named: Any) -> Any:
        result = compute_wave(*given, **named)
        done.append(1)
        if len(done) == 1:
            tc.open(tmp_path / "beside").rebuild_indexes(only)
        return result

    monkeypatch.setattr("truecopy.matter.change.add.compute_wave", compute_and_rebuild)
    mine.add(rooms[4])
    assert done
    assert blocks(tmp_path / "beside") == blocks(tmp_path / "after")
    assert all(not index.missing or index.name == "shingles" for index in tc.open(tmp_path / "beside").indexes())
    assert state_of_pairs(tmp_path / "beside") == state_of_pairs(tmp_path / "after")


def state_of_pairs(folder: Path) -> Any:
    """What two matters that are not signed have in common."""
    matter = tc.open(folder)
    return [(one.id, one.path, one.status) for one in matter.documents()], matter.pairs(expand=True), matter.groups()


def test_one_writer_at_a_time(rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants to commit while another process keeps writing is told so; readers see the state before; nothing of the
    wave stays behind, and the same command adds it afterwards.
    """
    monkeypatch.setattr("truecopy.matter.store.PATIENCE", 0.3 / LONGER)
    matter = tc.scan(rooms["first"], tmp_path / "m", **SETTINGS)
    before = sorted(file.name for file in matter.path.glob("*.segment"))
    with Store.open(tmp_path / "m").writing():
        with pytest.raises(MatterBusy, match="Another truecopy"):
            matter.add(rooms["mine"])
        assert len(matter.documents()) == 3
    assert sorted(file.name for file in matter.path.glob("*.segment")) == before
    assert [file for file in matter.path.iterdir() if file.is_dir()] == []
    assert matter.add(rooms["mine"]).documents == 3


def test_a_commit_waits_for_another_one_that_is_short(rooms: dict[str, Path], tmp_path: Path) -> None:
    """What another process writes for a moment costs a wave that moment, and not the work of hours."""
    matter = tc.scan(rooms["first"], tmp_path / "m", **SETTINGS)
    writing, asked = threading.Event(), threading.Event()

    def write_slowly() -> None:
        with Store.open(tmp_path / "m").writing() as state:
            writing.set()
            asked.wait(10)
            time.sleep(0.3)
            state.audit.record("floor", {"relation": "similar", "from": 90, "to": 90, "pairs": 0})

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(write_slowly)
        writing.wait(10)
        asked.set()
        assert matter.add(rooms["mine"]).documents == 3
        other.result()
    assert len(matter.documents()) == 6


CHANGES: dict[str, Callable[[tc.Matter], object]] = {
    "sign": lambda matter: matter.sign("letters"),
    "sign anew": lambda matter: matter.sign("simhash", bits=256, replace=True),
    "rebuild": lambda matter: matter.rebuild_indexes(),
    "rebuild one": lambda matter: matter.rebuild_indexes("simhash"),
}
COMPUTES = {"sign": "signing.sign_texts", "rebuild": "indexes.make_block"}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("what", [what for what in OTHERS if what != "all of these"])
def test_what_others_write_while_signatures_or_indexes_are_made_is_kept(
    change: str, what: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signing and rebuilding hold no lock while they compute; the end is that of one after the other."""
    after = begun(tmp_path / "after", rooms)
    OTHERS[what](after, rooms)
    CHANGES[change](after)

    mine = begun(tmp_path / "beside", rooms)
    name = f"truecopy.matter.change.{COMPUTES[change.split(maxsplit=1)[0]]}"
    module, _, function = name.rpartition(".")
    real, done = getattr(importlib.import_module(module), function), []

    def compute_and_let_others_in(*given: Any, **named: Any) -> Any:
        result = real(*given, **named)
        done.append(1)
        if len(done) == 1:
            OTHERS[what](tc.open(tmp_path / "beside"), rooms)
        return result

    monkeypatch.setattr(name, compute_and_let_others_in)
    CHANGES[change](mine)
    assert done
    beside = tc.open(tmp_path / "beside")
    assert state_of(beside) == state_of(tc.open(tmp_path / "after"))
    assert beside.signings() == tc.open(tmp_path / "after").signings()
    assert beside.verify() == []
    for index in beside.indexes():
        assert index.name == "shingles" or not (index.missing or index.damaged), index.name
    assert [file for file in beside.path.iterdir() if file.is_dir()] == []


@pytest.mark.parametrize("change", CHANGES)
def test_who_always_comes_late_computes_while_nobody_else_writes(
    change: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often others are quicker, signing and rebuilding come to an end."""
    matter = begun(tmp_path / "m", rooms)
    others = iter(range(1000))
    snapshot = Store.snapshot

    @contextlib.contextmanager
    def snapshot_then_others(self: Store) -> Iterator[Any]:
        with snapshot(self) as state:
            yield state
        if self is matter._store:
            file = tmp_path / f"more{next(others)}.txt"
            file.write_text(BASE + file.name)
            tc.open(tmp_path / "m").add(file)

    monkeypatch.setattr(Store, "snapshot", snapshot_then_others)
    CHANGES[change](matter)
    monkeypatch.undo()
    assert next(others) == 3
    again = tc.open(tmp_path / "m")
    assert again.verify() == []
    assert again.sign("simhash", bits=256 if change == "sign anew" else 64).signed == 0


@pytest.mark.parametrize("change", CHANGES)
def test_signatures_and_indexes_wait_for_others_as_waves_do(
    change: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that was computed waits longer than a setting; in the end it is refused too, and leaves nothing."""
    matter = begun(tmp_path / "m", rooms)
    monkeypatch.setattr("truecopy.matter.store.PATIENCE", 0.3 / LONGER)
    before = sorted(file.name for file in matter.path.iterdir())
    with Store.open(tmp_path / "m").writing():
        start = time.monotonic()
        with pytest.raises(MatterBusy, match="Another truecopy"):
            CHANGES[change](matter)
        assert time.monotonic() - start >= 0.3
        start = time.monotonic()
        with pytest.raises(MatterBusy, match="Another truecopy"), Store.open(tmp_path / "m").writing():
            pass
        assert time.monotonic() - start < 0.3
    left = sorted(file.name for file in matter.path.iterdir())
    assert [name for name in left if name not in before and not name.startswith("matter.sqlite-")] == []
    CHANGES[change](matter)


@pytest.mark.parametrize("threshold", [90, 60])
def test_a_scan_into_a_matter_that_another_scan_is_making_is_refused(
    threshold: float, rooms: dict[str, Path], tmp_path: Path
) -> None:
    """The same scan or another one: the first keeps its settings, and holds what it has read and nothing else."""
    refused = []

    class Interfering(Silent):
        """Scans into the matter at every stage of the first scan."""

        def start(self, stage: str, total: int | None, unit: str) -> None:
            with pytest.raises(MatterBusy, match=r"Another scan into the matter .* is still running"):
                tc.scan(rooms["theirs"], tmp_path / "matter", threshold=threshold, report=False)
            refused.append(stage)

    first = tc.scan(rooms["first"], tmp_path / "matter", threshold=90, floor=80, progress=Interfering())
    assert {"read", "store", "report"} <= set(refused)
    assert (first.scanned.documents, sum(first.scanned.statuses.values())) == (3, 3)
    opened = tc.open(tmp_path / "matter")
    assert (opened.settings.threshold, opened.settings.floor) == (90, 80)
    assert len(opened.waves()) == 1
    with pytest.raises(UsageError, match="already"):
        tc.scan(rooms["first"], tmp_path / "matter", threshold=90, floor=80, report=False)


def test_two_scans_that_begin_at_once_do_not_share_a_matter(rooms: dict[str, Path], tmp_path: Path) -> None:
    """One of them makes it; the other one is refused, however close they are."""

    def scan(name: str, threshold: float) -> tc.Matter | TruecopyError:
        try:
            return tc.scan(rooms[name], tmp_path / "matter", threshold=threshold, report=False)
        except TruecopyError as error:
            return error

    with ThreadPoolExecutor() as pool:
        ended = list(pool.map(scan, ["first", "theirs"], [95, 60]))
    (made,) = (one for one in ended if isinstance(one, tc.Matter))
    (refused,) = (one for one in ended if isinstance(one, TruecopyError))
    assert "Another scan" in refused.message or "already" in refused.message
    opened = tc.open(tmp_path / "matter")
    assert opened.counts().documents == made.scanned.documents == 3
    assert opened.settings == made.settings


def test_a_scan_tells_of_one_state_though_others_add_meanwhile(rooms: dict[str, Path], tmp_path: Path) -> None:
    """Documents and statuses agree: both are of the matter as it was when the scan looked."""

    class Adding(Silent):
        """Adds a wave once the scan's is stored, before it counts."""

        def finish(self) -> None:
            if not added and committed():
                added.append(tc.open(tmp_path / "matter").add(rooms["theirs"]))

    def committed() -> bool:
        return (tmp_path / "matter" / "matter.sqlite").exists() and bool(
            Matter(Store.open(tmp_path / "matter")).waves()
        )

    added: list[Any] = []
    scanned = tc.scan(rooms["first"], tmp_path / "matter", report=False, progress=Adding()).scanned
    assert added
    assert scanned.documents == sum(scanned.statuses.values()) == scanned.counts.documents == 6


def test_a_wave_that_is_there_already_is_nothing_new_by_its_name_too(rooms: dict[str, Path], tmp_path: Path) -> None:
    """Killed after its commit and run again, a command with a name does not hear that its own name is taken."""
    matter = tc.scan(rooms["first"], tmp_path / "matter", **SETTINGS)
    matter.add(rooms["mine"], wave="w1")
    again = matter.add(rooms["mine"], wave="w1")
    assert (again.documents, again.already, again.wave) == (0, 3, "")
    assert [wave.name for wave in matter.waves()] == ["wave 1", "w1"]


def test_a_name_that_is_taken_is_refused_at_the_first_new_document(rooms: dict[str, Path], tmp_path: Path) -> None:
    """Before the rest is read, and before anything is computed."""
    matter = tc.scan(rooms["first"], tmp_path / "matter", **SETTINGS)
    stages = []

    class Noting(Silent):
        def start(self, stage: str, total: int | None, unit: str) -> None:
            stages.append(stage)

    with pytest.raises(UsageError, match="has a wave named 'wave 1' already"):
        matter.add([rooms["first"], rooms["mine"]], wave="wave 1", progress=Noting())
    assert set(stages) <= {"read", "kernels"}
    assert len(matter.waves()) == 1
    assert not list((tmp_path / "matter").glob("spool-*"))


def test_a_wave_whose_name_is_taken_meanwhile_gets_the_next_free_one(
    rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that was computed is thrown away for a name, and the answer says so."""
    matter = tc.scan(rooms["first"], tmp_path / "matter", **SETTINGS)
    theirs = sorted(rooms["theirs"].iterdir())
    matter.add(theirs[0], wave="w1 (2)")
    module = importlib.import_module("truecopy.matter.change.add")

    computations: list[int] = []

    def late(*given: Any) -> Any:
        computations.append(1)
        computed = compute_wave(*given)
        if len(computations) == 1:
            tc.open(tmp_path / "matter").add(theirs[1], wave="w1")
        return computed

    monkeypatch.setattr(module, "compute_wave", late)
    added = matter.add(rooms["mine"], wave="w1")
    assert (added.wave, added.name_taken, added.documents) == ("w1 (3)", "w1", 3)
    assert [wave.name for wave in matter.waves()] == ["wave 1", "w1 (2)", "w1", "w1 (3)"]
    assert matter.verify() == []


def test_a_matter_that_is_open_answers_by_the_floors_that_others_have_set(
    rooms: dict[str, Path], tmp_path: Path
) -> None:
    """Another process lowers both floors: every question uses those of the state that answers it."""
    tc.scan(rooms["first"], tmp_path / "m", **SETTINGS).add(rooms["mine"])
    open_before, other = tc.open(tmp_path / "m"), tc.open(tmp_path / "m")
    with open_before.snapshot():
        other.lower_floor(40)
        other.lower_floor(30, "contains")
        assert (open_before.settings.floor, open_before.settings.contains_floor) == (90, 80)
        assert open_before.compare("a.txt", "half.txt").kind == "unrelated"
        with pytest.raises(BelowFloor, match="floor of 90"):
            open_before.pairs(50)
    fresh = tc.open(tmp_path / "m")
    assert open_before.settings == fresh.settings == other.settings
    assert (fresh.settings.floor, fresh.settings.contains_floor) == (40, 30)
    questions: list[Callable[[tc.Matter], Any]] = [
        lambda m: m.compare("a.txt", "half.txt"),
        lambda m: m.similar("half.txt", 50),
        lambda m: m.pairs(50),
        lambda m: m.pair_page(50),
        lambda m: m.count_pairs(50),
        lambda m: m.groups(50),
        lambda m: m.threshold_for("contains", None),
        lambda m: list(m.each_pair(relation="contains")),
        lambda m: [m.facts().settings, m.facts().recall],
    ]
    for question in questions:
        assert question(open_before) == question(fresh)
    found = {pair.kind for pair in fresh.pairs(50).pairs if "half.txt" in (pair.a.path, pair.b.path)}
    assert open_before.compare("a.txt", "half.txt").kind in found


@pytest.mark.parametrize("name", ["each_document", "each_group", "each_pair"])
def test_a_list_that_is_read_to_its_last_page_asks_for_no_other(
    name: str, rooms: dict[str, Path], tmp_path: Path
) -> None:
    """A wave that came while the last page was read gave a list that no state ever had."""
    matter = tc.scan(rooms["first"], tmp_path / "m", report=False)
    every = getattr(matter, name)
    before = list(every())
    found = every()
    read = [next(found) for _ in before]
    matter.add(rooms["mine"])
    assert [*read, *found] == before
    assert len(list(every())) >= len(before)


@pytest.mark.parametrize("page", [1, 2, 3])
def test_an_iteration_inside_a_snapshot_sees_one_state(
    page: int, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many pages it has."""
    matter = tc.scan(rooms["first"], tmp_path / "m", report=False)
    monkeypatch.setattr("truecopy.matter.matter._PAGE", page)
    before = list(matter.each_document())
    assert before == list(matter.documents())
    with matter.snapshot():
        found = matter.each_document()
        first = next(found)
        with ThreadPoolExecutor(1) as other:
            other.submit(tc.open(matter.path).add, rooms["mine"]).result()
        assert [first, *found] == before
    assert len(list(matter.each_document())) > len(before)
