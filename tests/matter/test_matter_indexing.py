"""Indexes of a matter: they answer what the texts say, right after a wave is added, and never from a damaged file."""

from __future__ import annotations

import concurrent.futures
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import truecopy as tc
from truecopy.errors import BadSetting, NotFound, UnreadableInput
from truecopy.index.linear import Linear
from truecopy.index.methods import Asked, limit_for
from truecopy.locks import held
from truecopy.match.compare import compare
from truecopy.matter import touching
from truecopy.matter.indexing import FAN, OF_WORDS, OVERLAP, RUNS, TWINS
from truecopy.matter.state import State
from truecopy.sign import METHODS
from truecopy.sign.windows import one

WORDS = """lessee lessor premises rent deposit insurance assignment governing law notice term renewal option repair
sublet default remedy waiver clause schedule exhibit party agreement landlord tenant payment month year day""".split()


def text(seed: int, words: int = 400) -> str:
    """A text of its own for each seed, with words of its own among common ones."""
    random = np.random.default_rng(seed)
    common = random.choice(WORDS, words)
    own = np.array([f"own{seed}x{place}" for place in random.integers(0, 60, words)])
    return " ".join(np.where(random.random(words) < 0.6, common, own).tolist())


def changed(given: str, seed: int, many: int) -> str:
    """The same with some words replaced."""
    random, words = np.random.default_rng(seed), given.split()
    for place in random.choice(len(words), many, replace=False).tolist():
        words[place] = "changed"
    return " ".join(words)


def write(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir()
    for name, body in texts.items():
        (folder / f"{name}.txt").write_text(body)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter of two waves, signed with every method: versions, copies, an excerpt, a file without words."""
    base = tmp_path_factory.mktemp("indexing")
    first = {f"a{i}": text(i) for i in range(6)}
    first |= {f"a{i}-v2": changed(text(i), i, 5) for i in range(6)}
    first |= {"copy": text(0), "case": text(0).upper(), "dots": "...", "short": "rent is due"}
    second = {f"a{i}-v3": changed(text(i), 90 + i, 30) for i in range(6)}
    second |= {"excerpt": " ".join(text(3).split()[100:220]), "other": text(77)}
    matter = tc.scan(write(base / "one", first), base / "m", report=False)
    for method in METHODS:
        matter.sign(method)
    matter.add(write(base / "two", second))
    return base / "m"


@pytest.fixture
def matter(made: Path, tmp_path: Path) -> tc.Matter:
    shutil.copytree(made, tmp_path / "m")
    return tc.open(tmp_path / "m")


@pytest.mark.parametrize("method", METHODS)
def test_near_is_what_a_scan_of_all_signatures_finds(method: str, matter: tc.Matter) -> None:
    """Hits are those of linear, with the similarity that comparing the texts gives; copies stand beside them."""
    signatures = matter.signatures(method)
    oracle = Linear(signatures.spec)
    oracle.add(signatures)
    limit = limit_for(signatures.spec, Asked())
    owners = matter.text_owners()
    hits = expected = 0
    for place in range(0, len(signatures), 3):
        asked = matter.document(signatures.ids[place])
        if not asked.words:
            continue
        answer = matter.near(asked, method)
        near = {signatures.ids[i] for i in oracle.search(one(signatures, place), limit).numbers.tolist()}
        truth = {name for name, owner in owners.items() if owner in near} - {asked.id}
        found = {hit.document.id for hit in answer.hits}
        assert found == truth if answer.recall == 1 else found <= truth
        assert (answer.method, answer.spec) == (method, signatures.spec)
        for hit in answer.hits:
            if hit.document.words:
                compared = matter.compare(asked, hit.document)
                assert (hit.similarity, hit.kind) == (compared.similarity, compared.kind)
        keys = [(-hit.similarity, hit.distance, hit.document.number) for hit in answer.hits]
        assert keys == sorted(keys)
        hits, expected = hits + len(found), expected + len(truth)
    assert hits >= 0.9 * expected
    assert expected or method == "fingerprint"


def test_a_threshold_may_come_with_a_method(matter: tc.Matter) -> None:
    every = matter.near("a1.txt", "letters", gamma=2.0).hits
    some = matter.near("a1.txt", "letters", 98, gamma=2.0).hits
    assert [hit for hit in every if hit.similarity >= 98] == list(some)
    assert 0 < len(some) < len(every)


def test_a_file_from_outside_is_signed_in_the_matters_way(matter: tc.Matter, tmp_path: Path) -> None:
    """Each method finds the documents with the very same text, at distance 0."""
    (tmp_path / "outside.txt").write_text(text(4))
    for method in METHODS:
        hits = {hit.document.path: hit.distance for hit in matter.near(tmp_path / "outside.txt", method).hits}
        if method != "fingerprint":  # texts with few words of the table have none
            assert hits["a4.txt"] == 0, method


def test_what_is_similar_to_a_file_is_what_comparing_all_finds(matter: tc.Matter, tmp_path: Path) -> None:
    for seed, many in ((2, 20), (5, 60), (300, 0)):
        file = tmp_path / f"{seed}-{many}.txt"
        file.write_text(changed(text(seed), 7, many))
        long = [document for document in matter.documents() if document.words >= 10]
        every = {document.id: compare(file.read_text(), matter.text(document)).similarity for document in long}
        for threshold in (70, 80, 95, 100):
            truth = {name: similarity for name, similarity in every.items() if similarity >= threshold}
            assert {hit.document.id: hit.similarity for hit in matter.similar(file, threshold)} == truth


def test_short_files_are_paired_by_equality_only(matter: tc.Matter, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("Rent is due!")
    assert [hit.document.path for hit in matter.similar(tmp_path / "s.txt", 70)] == ["short.txt"]
    (tmp_path / "t.txt").write_text("Rent is due now")
    assert matter.similar(tmp_path / "t.txt", 70) == []


def test_containment_both_ways_with_the_part(matter: tc.Matter) -> None:
    """The excerpt is in three versions of its source; the part is where it was cut."""
    answer = matter.containing("excerpt.txt")
    assert {hit.document.path for hit in answer.hits} >= {"a3.txt", "a3-v2.txt"}
    best = next(hit for hit in answer.hits if hit.document.path == "a3.txt")
    assert best.containment is not None
    assert best.containment[0] == 100
    assert best.part is not None
    source = matter.text(best.document)
    assert source[slice(*best.part)] == matter.text(matter.document("excerpt.txt"))
    inside = matter.contained_in("a3.txt", 80)
    hit = next(hit for hit in inside.hits if hit.document.path == "excerpt.txt")
    assert hit.containment == (best.containment[1], best.containment[0])
    assert hit.part == best.part
    assert {hit.document.path for hit in matter.contained_in("excerpt.txt", 80).hits} == set()


@pytest.mark.parametrize("method", ["mod", "bsw"])
def test_containment_by_signatures(method: str, matter: tc.Matter) -> None:
    """Found by the estimate; what is shown is counted on the words."""
    answer = matter.containing("excerpt.txt", 20, method)
    exact = {hit.document.id: hit.containment for hit in matter.containing("excerpt.txt", 1.0001).hits}
    assert answer.method == method
    assert "a3.txt" in {hit.document.path for hit in answer.hits}
    for hit in answer.hits:
        assert hit.containment == exact[hit.document.id]


def test_methods_that_cannot_tell_containment_say_so(matter: tc.Matter) -> None:
    with pytest.raises(BadSetting, match="letters signatures cannot tell containment"):
        matter.containing("excerpt.txt", method="letters")


def test_every_wave_is_found_at_once(matter: tc.Matter, tmp_path: Path) -> None:
    """By the object that is open, by another one, and by another process; with few blocks for many waves."""
    matter.rebuild_indexes("shingles")  # it is kept up from then on
    other = tc.open(matter.path)
    assert "a1-v9.txt" not in {hit.document.path for hit in other.near("a1.txt", "letters").hits}
    for wave in range(4):
        matter.add(write(tmp_path / f"wave{wave}", {f"a1-v{9 + wave}": changed(text(1), 40 + wave, 3)}))
        for opened in (matter, other):
            paths = {hit.document.path for hit in opened.near("a1.txt", "letters").hits}
            assert f"a1-v{9 + wave}.txt" in paths
            assert f"a1-v{9 + wave}.txt" in {hit.document.path for hit in opened.containing("a1.txt", 60).hits}
    code = "import sys, truecopy as tc; print(tc.open(sys.argv[1]).near('a1.txt', 'simhash').hits)"
    ran = subprocess.run([sys.executable, "-c", code, str(matter.path)], capture_output=True, text=True, check=True)
    assert "a1-v12.txt" in ran.stdout
    assert all(len(index.blocks) < FAN and not index.missing and not index.damaged for index in matter.indexes())
    assert matter.verify() == []


def test_many_small_waves_make_few_blocks(tmp_path: Path) -> None:
    """Blocks of about one size become one: there are fewer than `FAN` of each size, and every wave is in one."""
    matter = tc.create(tmp_path / "m")
    for wave in range(2 * FAN + 2):
        matter.add(write(tmp_path / f"wave{wave}", {f"v{wave}": changed(text(1), wave, 3)}))
    matter.sign("letters")
    matter.add(write(tmp_path / "last", {"last": changed(text(1), 99, 3)}))
    for index in matter.indexes():
        if index.name == "shingles":
            continue  # it is made by `index rebuild`
        waves = [wave for block in index.blocks for wave in range(block.waves[0], block.waves[1] + 1)]
        assert sorted(waves) == list(range(1, 2 * FAN + 4)), index.name
        assert len(waves) == len(set(waves))
        assert len(index.blocks) <= 2 + 3, index.name
    assert len(matter.similar("last.txt", 90)) == 2 * FAN + 2
    assert matter.verify() == []


def test_one_block_after_rebuilding(matter: tc.Matter) -> None:
    before = matter.near("a1.txt", "words").hits
    assert matter.rebuild_indexes() == [*OF_WORDS, *sorted(METHODS)]
    assert {len(index.blocks) for index in matter.indexes()} == {1}
    assert matter.near("a1.txt", "words").hits == before
    assert matter.verify() == []


def waves_of(matter: tc.Matter, name: str) -> list[tuple[int, int]]:
    """The waves that each block of an index covers."""
    return [block.waves for index in matter.indexes() if index.name == name for block in index.blocks]


def test_blocks_of_runs_and_of_bags_cover_the_same_waves(tmp_path: Path) -> None:
    """Else each question would put bags together for every block: after waves, merges, and rebuilding either one."""
    matter = tc.create(tmp_path / "m")
    for wave in range(3 * FAN):
        matter.add(write(tmp_path / f"wave{wave}", {f"v{wave}": changed(text(1), wave, 3)}))
        assert waves_of(matter, OVERLAP) == waves_of(matter, RUNS)
        if wave in (2, 6):
            assert matter.rebuild_indexes(TWINS[wave == 2]) == list(TWINS)
            assert waves_of(matter, OVERLAP) == waves_of(matter, RUNS) == [(1, wave + 1)]
    matter.lower_floor(60)
    assert waves_of(matter, OVERLAP) == waves_of(matter, RUNS)


@pytest.mark.parametrize("only", TWINS)
def test_a_matter_whose_bags_and_runs_are_in_other_blocks_answers_as_before(
    only: str, matter: tc.Matter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One was rebuilt without the other by earlier versions. Bags are put together once; new blocks are alike again."""
    late = write(tmp_path / "late", {"late": changed(text(1), 8, 20), "part": " ".join(text(2).split()[50:300])})
    even = tc.open(shutil.copytree(matter.path, tmp_path / "even"))
    with monkeypatch.context() as patched:
        patched.setattr("truecopy.matter.change.indexes.together_with", lambda _, only: [only])
        matter.rebuild_indexes(only)
    assert waves_of(matter, OVERLAP) != waves_of(matter, RUNS)
    gathered: list[int] = []
    gather = touching._gathered

    def counted(blocks: object, passages: np.ndarray, threads: int) -> object:
        gathered.append(len(passages))
        return gather(blocks, passages, threads)  # type: ignore[arg-type]

    monkeypatch.setattr(touching, "_gathered", counted)
    for _ in range(3):
        assert matter.containing("excerpt.txt").hits == even.containing("excerpt.txt").hits
        assert matter.containing("a3.txt").hits == even.containing("a3.txt").hits
    assert len(gathered) == len(waves_of(matter, RUNS))
    for opened in (matter, even):
        opened.add(late)
    assert waves_of(matter, OVERLAP)[-1] == waves_of(matter, RUNS)[-1]
    for relation in ("similar", "contains"):
        assert matter.pairs(80, relation) == even.pairs(80, relation)
    for wave in range(FAN):
        matter.add(write(tmp_path / f"wave{wave}", {f"more{wave}": changed(text(1), 60 + wave, 3)}))
    for name in TWINS:
        assert sorted(wave for one in waves_of(matter, name) for wave in range(one[0], one[1] + 1)) == [*range(1, 8)]
    fresh = [[one for one in waves_of(matter, name) if one[0] > 2] for name in TWINS]
    assert fresh == [[(3, 6), (7, 7)]] * 2
    assert matter.verify() == []
    matter.rebuild_indexes(only)
    assert waves_of(matter, OVERLAP) == waves_of(matter, RUNS)


def damage(file: Path, how: str) -> None:
    whole = file.read_bytes()
    if how == "gone":
        file.unlink()
    elif how == "short":
        file.write_bytes(whole[: len(whole) // 2])
    elif how == "empty":
        file.write_bytes(b"")
    else:
        at = {"header": 40, "values": len(whole) // 2, "checksum": len(whole) - 5}[how]
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])


KINDS = ["overlap", "runs", "shingles", "letters", "simhash", "words", "mod", "terms"]


def answer(opened: tc.Matter, kind: str, file: Path) -> tuple[object, tuple[str, ...]]:
    """What is found by an index, and the files of it that could not be used; `similar` does not name them."""
    if kind == "overlap":
        return opened.similar(file, 70), ()
    least = {"runs": 80, "shingles": 30}  # below the floor, all shingles are looked at
    found = opened.containing("excerpt.txt", least[kind]) if kind in least else opened.near("a1.txt", kind)
    return found.hits, found.rebuilt


@pytest.mark.parametrize("how", ["gone", "short", "empty", "header", "values", "checksum"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_named_never_searched_and_made_again_by_rebuilding(
    how: str, kind: str, matter: tc.Matter, tmp_path: Path
) -> None:
    """The answer is that of the whole index, and nothing is written for it; `verify` names the file and the command
    that stores it again, and then all is whole.
    """
    (tmp_path / "q.txt").write_text(changed(text(1), 3, 9))
    if kind == "shingles":
        matter.rebuild_indexes(kind)
    truth = answer(tc.open(matter.path), kind, tmp_path / "q.txt")[0]
    assert truth
    files = [block.file for index in matter.indexes() if index.name == kind for block in index.blocks]
    assert files
    for name in files:
        damage(matter.path / name, how)
    before = segments(matter)
    assert next(index for index in matter.indexes() if index.name == kind).damaged == tuple(files)
    opened = tc.open(matter.path)
    again, rebuilt = answer(opened, kind, tmp_path / "q.txt")
    assert again == truth
    assert rebuilt == (() if kind == "overlap" else tuple(files))
    assert segments(matter) == before
    said = opened.verify()
    assert len(said) == len(files)
    for name, sentence in zip(files, said, strict=True):
        assert name in sentence
        assert "truecopy index rebuild" in sentence
    assert opened.rebuild_indexes(kind) == (list(TWINS) if kind in TWINS else [kind])
    mended = next(index for index in opened.indexes() if index.name == kind)
    assert not mended.damaged
    assert not mended.missing
    assert opened.verify() == []
    assert answer(opened, kind, tmp_path / "q.txt") == (truth, ())


@pytest.mark.parametrize("how", ["gone", "values"])
def test_a_wave_that_comes_to_damaged_indexes_is_stored_as_to_whole_ones(
    how: str, matter: tc.Matter, tmp_path: Path
) -> None:
    """Documents, pairs and groups are the same, and everything in the new wave is found."""
    late = write(tmp_path / "late", {"late": changed(text(1), 8, 20), "part": " ".join(text(2).split()[50:300])})
    whole = tc.open(shutil.copytree(matter.path, tmp_path / "whole"))
    whole.add(late)
    for index in matter.indexes():
        for block in index.blocks:
            damage(matter.path / block.file, how)
    damaged = tc.open(matter.path)
    damaged.add(late)
    assert damaged.documents() == whole.documents()
    assert damaged.pairs(70) == whole.pairs(70)
    assert damaged.pairs(80, "contains") == whole.pairs(80, "contains")
    assert damaged.groups() == whole.groups()
    assert [hit.document.path for hit in damaged.near("late.txt", "letters").hits] == [
        hit.document.path for hit in whole.near("late.txt", "letters").hits
    ]
    damaged.rebuild_indexes()
    assert damaged.verify() == []


def segments(matter: tc.Matter) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in matter.path.glob("*.segment")}


def test_a_matter_that_cannot_be_written_to_answers_too(matter: tc.Matter) -> None:
    """A damaged index of a read-only matter is made in memory, and the files stay as they are."""
    truth = matter.near("a1.txt", "letters").hits
    file = next(block.file for index in matter.indexes() if index.name == "letters" for block in index.blocks)
    damage(matter.path / file, "values")
    before = segments(matter)
    with held(matter.path / "matter.lock") as free:  # as if another process were writing
        assert free
        answer = tc.open(matter.path).near("a1.txt", "letters")
    assert answer.hits == truth
    assert answer.rebuilt == (file,)
    assert segments(matter) == before


def test_signing_anew_replaces_the_index(matter: tc.Matter) -> None:
    """Signatures of 128 bits are never searched in an index of 64."""
    matter.sign("simhash", replace=True, bits=128)
    answer = matter.near("a1.txt", "simhash", distance=128)
    assert answer.spec.parameter("bits") == 128
    assert {hit.document.id for hit in answer.hits} == {*matter.text_owners()} - {matter.document("a1.txt").id}
    assert max(hit.distance for hit in answer.hits) <= 128
    assert answer.hits[0].document.path == "a1-v2.txt"
    assert matter.verify() == []


def test_threads_ask_at_the_same_time(matter: tc.Matter, tmp_path: Path) -> None:
    """Eight threads with thresholds of their own, beside one that adds: each gets what it gets alone."""
    gammas = [0.01, 0.025, 0.05, 0.1, 0.3, 0.5, 1.0, 2.0]
    alone = {gamma: {hit.document.id for hit in matter.near("a1.txt", "letters", gamma=gamma).hits} for gamma in gammas}
    stranger = write(tmp_path / "late", {"late": text(4242, 4000)})
    with concurrent.futures.ThreadPoolExecutor(9) as pool:
        adding = pool.submit(tc.open(matter.path).add, stranger)
        asked = [(g, pool.submit(matter.near, "a1.txt", "letters", gamma=g)) for _ in range(4) for g in gammas]
        late = {document.id for document in tc.open(matter.path).documents()} - set(matter.text_owners())
        for gamma, future in asked:
            found = {hit.document.id for hit in future.result().hits if hit.document.path != "late.txt"}
            assert found - late == alone[gamma]
        assert adding.result().documents == 1


def test_what_cannot_be_asked_is_refused(matter: tc.Matter, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="has no text to compare"):
        matter.near("dots.txt", "letters")
    with pytest.raises(NotFound, match=r"no document with the id, path or file name 'nothing\.txt'"):
        matter.near("nothing.txt", "letters")
    with pytest.raises(BadSetting, match="--gamma was given, which simhash"):
        matter.near("a1.txt", "simhash", gamma=0.1)
    with pytest.raises(BadSetting, match="'nonsense'"):
        matter.near("a1.txt", "nonsense")
    unsigned = tc.scan(write(tmp_path / "few", {"a": text(1)}), tmp_path / "u", report=False)
    with pytest.raises(NotFound, match="no letters signatures") as refused:
        unsigned.near("a.txt", "letters")
    assert "truecopy sign" in refused.value.hint


@pytest.mark.parametrize("how", ["short", "values"])
def test_a_file_that_is_damaged_while_it_is_open_is_noticed(how: str, matter: tc.Matter) -> None:
    """What was mapped is compared with what lies there now, before each question."""
    truth = matter.near("a1.txt", "letters", gamma=0.3).hits
    files = [block.file for index in matter.indexes() if index.name == "letters" for block in index.blocks]
    for name in files:
        damage(matter.path / name, how)
    answer = matter.near("a1.txt", "letters", gamma=0.3)
    assert answer.hits == truth
    assert answer.rebuilt == tuple(files)
    assert matter.rebuilt() == sorted(files)


def test_a_full_disk_does_not_stop_an_answer(matter: tc.Matter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written for an answer, also where an index has to be made for it."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for index in matter.indexes():
        for block in index.blocks:
            damage(matter.path / block.file, "gone")
    for place in ("truecopy.segments.write_segment", "truecopy.matter.arrays.write_segment"):
        monkeypatch.setattr(place, full)
    assert matter.containing("excerpt.txt").hits
    assert matter.near("a1.txt", "letters").hits
    monkeypatch.undo()
    matter.rebuild_indexes()
    assert matter.verify() == []


def test_searches_do_not_wait_for_an_index_they_do_not_ask(matter: tc.Matter, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread opens the index of letters, another is answered from that of simhash."""
    from truecopy.matter import indexing

    matter.near("a1.txt", "simhash")
    opening, answered = threading.Event(), threading.Event()
    real = indexing.open_index

    def slow(state: State, name: str) -> object:
        opening.set()
        assert answered.wait(60)
        return real(state, name)

    monkeypatch.setattr(indexing, "open_index", slow)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(matter.near, "a1.txt", "letters")
        assert opening.wait(60)
        assert matter.near("a1.txt", "simhash").method == "simhash"
        answered.set()
        assert waiting.result().hits


def test_damaged_index_files_are_told_with_the_command_that_mends_them(matter: tc.Matter) -> None:
    (file,) = [block.file for index in matter.indexes() if index.name == "mod" for block in index.blocks][:1]
    damage(matter.path / file, "gone")
    (said,) = matter.verify()
    assert file in said
    assert "truecopy index rebuild" in said


def test_a_folder_among_the_segments_stops_nothing(matter: tc.Matter, tmp_path: Path) -> None:
    (matter.path / "x.segment").mkdir()
    assert matter.add(write(tmp_path / "late", {"late": text(31)})).documents == 1


def about(matter: tc.Matter, files: list[Path]) -> list[tuple[str, float, str]]:
    """What is similar to some files, at the floor and above."""
    return [
        (hit.document.id, hit.similarity, hit.kind)
        for file in files
        for threshold in (70, 80, 100)
        for hit in matter.similar(file, threshold)
    ]


@pytest.mark.parametrize("how", ["gone", "short", "values"])
@pytest.mark.parametrize("index", ["runs", "overlap"])
def test_what_is_similar_to_a_file_does_not_depend_on_the_index(
    index: str, how: str, matter: tc.Matter, tmp_path: Path
) -> None:
    """Stored runs answer; where one is missing or damaged, bags of words do, with the same hits and nothing else."""
    bodies = {f"v{i}": changed(text(i), 200 + i, 40) for i in range(6)}
    bodies |= {"same": text(2), "short": "Rent is due", "nobody": text(4711), "half": " ".join(text(1).split()[:290])}
    write(tmp_path / "asked", bodies)
    files = sorted((tmp_path / "asked").iterdir())
    truth = []
    for file in files:
        for threshold in (70, 80, 100):
            compared = [(one, matter.compare(file, one)) for one in matter.documents() if one.words]
            near = [(one.id, c.similarity, c.kind) for one, c in compared if c.similarity >= threshold]
            truth += [hit for hit in near if file.stem != "short" or hit[1] == 100]
    assert sorted(about(matter, files)) == sorted(truth)
    assert len(truth) > 30
    first = next(block.file for one in matter.indexes() if one.name == index for block in one.blocks)
    damage(matter.path / first, how)
    assert sorted(about(matter, files)) == sorted(truth), "by a process that had it open"
    assert sorted(about(tc.open(matter.path), files)) == sorted(truth)


def test_a_file_is_found_without_the_bags_of_words(
    matter: tc.Matter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a rule one index is opened for it, that of runs, and no thread is started to read it."""
    from truecopy.matter.ask import near
    from truecopy.read import run

    def refused(*_: object) -> object:
        raise AssertionError

    file = tmp_path / "asked.txt"
    file.write_text(changed(text(1), 9, 20))
    truth = about(matter, [file])
    assert truth
    monkeypatch.setattr(near, "search_index", refused)
    monkeypatch.setattr(run, "Pool", refused)
    assert about(matter, [file]) == truth


def test_a_name_that_nobody_has_is_looked_up_and_no_more(matter: tc.Matter, monkeypatch: pytest.MonkeyPatch) -> None:
    """`find` does not go through all paths for what may have been meant, as the message of an error does."""
    from truecopy.matter.ask import naming as module

    def refused(*_: object) -> object:
        raise AssertionError

    monkeypatch.setattr(module, "not_named", refused)
    assert matter.find("nobody.txt") is None
    assert matter.find("a1.txt") == matter.document("a1.txt")
