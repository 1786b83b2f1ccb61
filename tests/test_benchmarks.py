"""The benchmarks run, on generated texts where no collection is needed, and print what they promise to."""

from __future__ import annotations

import contextlib
import json
import platform
import subprocess
import sys
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAGES = Path(__file__).parents[1] / "docs" / "explanation" / "measured"
NAMES = (
    "scan", "sign", "families", "statistics_growth", "range", "hamming", "bands", "sets", "containment", "growth",
    "memory", "dense", "startup", "verify", "documents", "matter",
)  # fmt: skip


def run(name: str, *options: str, data: Path) -> str:
    """What a benchmark prints; `data` is empty, so that the texts are generated."""
    command = [
        sys.executable,
        str(BENCHMARKS / f"{name}.py"),
        "--scale",
        "small",
        "--data",
        str(data),
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def figures(name: str, data: Path, *options: str) -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(run(name, "--json", *options, data=data))
    assert printed["benchmark"] == name
    assert printed["scale"] == "small"
    assert printed["machine"]["python"] == platform.python_version()
    assert all(set(target) == {"name", "wanted", "measured", "met"} for target in printed["targets"])
    return printed


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmarks' own modules can be imported, as they are when a script of that folder runs."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.slow
def test_scan_prints_speeds_ratios_and_recall_and_the_exact_join_misses_nothing(tmp_path: Path) -> None:
    printed = figures("scan", tmp_path)
    assert printed["generated"] == ["licenses", "policies"]
    for measured in printed["collections"].values():
        assert measured["true_pairs"] > 50
        assert measured["tools"]["truecopy overlap"]["recall"] == 1
        assert measured["tools"]["truecopy overlap"]["stated_recall"] == 1
        assert measured["tools"]["truecopy bands"]["recall"] >= 0.99
        peers = {"gaoya", "rensa", "datasketch"} - set(printed["missing"])
        assert set(measured["ratios"]["truecopy overlap"]) == peers
        for tool in measured["tools"].values():
            assert tool["seconds"] == min(tool["all_seconds"])
        seconds = {name: tool["seconds"] for name, tool in measured["tools"].items()}
        for ours, ratios in measured["ratios"].items():
            assert ratios == {peer: pytest.approx(seconds[peer] / seconds[ours], abs=0.01) for peer in peers}
        assert all(measured["tools"][peer]["recall"] > 0.1 for peer in peers)
    for seconds in printed["whole_scan"].values():
        assert set(seconds["seconds_by_floor"]) == {"80", "70"}
    for joined in printed["join"].values():
        found = [joined[threshold]["candidates"] for threshold in ("90", "80", "70", "60")]
        assert found == sorted(found)
        assert found[0] > 0


@pytest.mark.slow
def test_sign_prints_speeds_and_finds_the_estimate_unbiased(tmp_path: Path) -> None:
    printed = figures("sign", tmp_path)
    for measured in printed["collections"].values():
        speeds = measured["megabytes_a_second"]
        assert measured["bytes"] == measured["bytes_signed"]["truecopy"] > 100_000
        assert set(measured["ratios"]) == {"rensa", "datasketch"} - set(printed["missing"])
        for peer, ratio in measured["ratios"].items():
            assert ratio == pytest.approx(speeds["truecopy"] / speeds[peer], rel=0.2), "speeds are rounded"
    for measured in printed["two_threads"].values():
        seconds = measured["seconds"]
        assert measured["ratio"] == pytest.approx(seconds["one thread"] / seconds["two threads"], rel=0.1)
    overall = printed["estimate"]["bins"][-1]
    assert overall["pairs"] >= 100
    assert abs(overall["mean_error"]) < 0.01


@pytest.mark.slow
def test_dense_families_are_measured_against_ordinary_texts_and_miss_nothing(tmp_path: Path) -> None:
    """Every shape has its figures; a sample of answers is that of brute force; families store a part of their pairs."""
    printed = figures("dense", tmp_path)
    shapes = printed["shapes"]
    assert len(shapes) == 9
    for name, measured in shapes.items():
        assert measured["recall"] == 1, name
        assert sum(measured["statuses"].values()) == measured["documents"]
        assert measured["times_ordinary"] > 0
        assert measured["peak_bytes"] < 1_500_000_000
    for dense in ("one form, five slots", "75 to 85 % alike", "70 to 80 % alike", "lengths with a long tail"):
        assert shapes[dense]["left_out"] > 100_000, dense
    assert shapes["one form, five slots"]["true_hits"] > 10_000
    assert shapes["just below the floor"]["left_out"] == 0


@pytest.mark.soak
def test_every_family_races_plain_python_and_its_peers(tmp_path: Path) -> None:
    """No family is left out, and a peer is only where it computes the same."""
    printed = figures("families", tmp_path)
    families = {
        "simhash",
        "topsig",
        "minhash4",
        "mod",
        "min",
        "bsw",
        "sketch",
        "letters",
        "terms",
        "fingerprint",
        "words",
    }
    here = {"rensa", "datasketch", "gaoya", "simhash"} - set(printed["missing"])
    for measured in printed["collections"].values():
        assert {name.removeprefix("weighted ").split("-")[0].split()[0] for name in measured} == families
        for row in measured.values():
            speeds = row["megabytes_a_second"]
            assert row["ratios"]["plain"] == pytest.approx(speeds["truecopy"] / speeds["plain"], rel=0.2)
        raced = {name: set(row["ratios"]) - {"plain", "frugal"} for name, row in measured.items()}
        assert raced["simhash-64 fast"] == here & {"simhash", "gaoya"}
        assert raced["sketch-100 one-permutation"] == raced["words"] == here - {"simhash"}
        assert raced["letters"] == raced["simhash-64 shake256"] == set()
    assert printed["two_threads"].keys() == printed["collections"]["policies"].keys()
    for row in printed["two_threads"].values():
        assert row["ratio"] == pytest.approx(row["seconds"]["one"] / row["seconds"]["two"], rel=0.2)


@pytest.mark.slow
def test_verify_agrees_with_rapidfuzz_on_every_pair_of_its_sample(tmp_path: Path) -> None:
    printed = figures("verify", tmp_path)
    assert printed["generated"] == ["licenses", "policies"]
    assert all(target["met"] for target in printed["targets"])
    for measured in printed["collections"].values():
        assert measured["exactness"] == 1
        assert measured["candidates"] >= measured["reach_the_floor"] > 50
        assert 0 < measured["sample"] <= measured["candidates"]
        seconds = measured["seconds"]
        assert measured["ratio"] == pytest.approx(seconds["rapidfuzz"] / seconds["sample"], rel=0.2)


@pytest.mark.slow
def test_bands_keep_the_recall_that_is_asked_for(tmp_path: Path) -> None:
    """By three measures; what every two texts were compared for is the truth, and the exact join finds all of it."""
    printed = figures("bands", tmp_path)
    assert printed["generated"] == ["licenses", "policies"]
    assert all(target["met"] for target in printed["targets"])
    for measured in printed["collections"].values():
        for truth in ("similarity", "resemblance", "slots"):
            for found in measured[truth].values():
                assert found["true_pairs"] > 0
                assert all(row["stated"] >= float(asked) for asked, row in found["bands"].items())
        assert all(found["join"]["recall"] == 1 for found in measured["similarity"].values())
    chances = printed["curves"]["0.999"]
    assert chances == sorted(chances)


@pytest.mark.soak
def test_statistics_grow_towards_those_of_all_documents(tmp_path: Path) -> None:
    """More documents bring the signatures nearer to those under all; those under all are no bit away."""
    printed = figures("statistics_growth", tmp_path)
    for grown in printed["growth"].values():
        for bits in ("32", "64"):
            unweighted, *between, _, whole = grown[bits]["rows"]
            assert unweighted["documents"] == 0
            sizes = [row["documents"] for row in between]
            assert sizes == sorted(set(sizes))
            assert sizes[-1] == grown[bits]["others"]
            assert unweighted["off"] > between[0]["off"] > between[-1]["off"] > whole["off"] == 0
            assert grown[bits]["near"] > 0
            assert whole["unique"] > 0.5 * grown[bits]["held_out"]
    for compared in printed["compared"].values():
        methods = compared["methods"]
        for bits in (16, 32, 64, 128):
            assert len(methods[f"weighted topsig {bits}"]) == 5
            assert methods[f"weighted topsig {bits}"][0]["unique"] >= methods[f"minhash4 {bits}"][0]["unique"]
        assert methods["weighted simhash shake256 128"][0]["separation"] > 0.99


@pytest.mark.soak
def test_range_search_finds_all_that_is_near_and_nothing_else(tmp_path: Path) -> None:
    """Recall and precision are 1 at both γ, the paper's filter of letters loses some, and peers agree."""
    printed = figures("range", tmp_path)
    for gamma in ("0.025", "0.05"):
        ours = printed["truecopy"][gamma]
        assert (ours["recall"], ours["precision"]) == (1, 1)
        assert ours["examined"] < 0.1 * printed["vectors"]
        assert printed["neighbors"][gamma]["percentiles"][-1] > 100
        plain = printed["paper"][f"Algorithm 2, 8 projections, {gamma}"]
        filtered = printed["paper"][f"Algorithm 2, two filters, then 8 projections, {gamma}"]
        assert plain["recall"] > 0.99
        assert filtered["recall"] < plain["recall"]
        assert filtered["left"]["norm"] > filtered["left"]["letters"] > filtered["left"]["projection 8"]
    assert len(printed["peers"]) == 2 * (
        ("faiss" not in printed["missing"]) + 2 * ("sklearn" not in printed["missing"])
    )
    assert all(row["recall"] > 0.99 < row["precision"] for row in printed["peers"].values())
    assert printed["truecopy"]["memory_share"] < 0.25


@pytest.mark.soak
def test_memory_prints_the_peak_of_each_scan_over_the_constant(tmp_path: Path) -> None:
    printed = figures("memory", tmp_path)
    for scanned in printed["scans"].values():
        assert scanned["peak_bytes"] > printed["constant_bytes"] / 2 > 10_000_000
        over = scanned["peak_bytes"] - 2.5 * scanned["text_bytes"] - 2560 * scanned["documents"]
        over -= 100 * scanned["pairs"]
        assert scanned["constant_needed_bytes"] == round(over)


@pytest.mark.soak
def test_hamming_answers_as_faiss_does_and_misses_nothing(tmp_path: Path) -> None:
    printed = figures("hamming", tmp_path)
    if printed["missing"]:
        pytest.skip("faiss is not installed: without it the answers would be compared with themselves")
    assert set(printed["sets"]) == {"uniform", "clustered"}
    for measured in printed["sets"].values():
        tools, pairs = measured["tools"], measured["pairs"]
        assert len(tools) == 4
        for tool in tools.values():
            assert tool["recall"] == tool["precision"] == tool["same_answers"] == 1
            assert tool["p50_ms"] <= tool["p99_ms"]
            assert tool["ratio"] == pytest.approx(tool["mean_ms"] / tools["truecopy hamming"]["mean_ms"], rel=0.2)
        assert pairs["same_answers"]
        assert len(pairs["scaled_seconds"]) == len(tools) - 1
    assert printed["sets"]["clustered"]["pairs"]["pairs"] > 1000
    assert printed["sets"]["clustered"]["tools"]["truecopy hamming"]["hits"] > 1


@pytest.mark.usefixtures("helpers")
def test_resampled_signatures_stay_near_those_they_come_from() -> None:
    import hamming

    random = np.random.default_rng(1)
    real = hamming.uniform(random, 20)
    rows = hamming.clustered(random, real, 4000)
    nearest = np.bitwise_count(rows[:, None] ^ real[None]).min(axis=1)
    assert nearest.max() <= hamming.MOST_FLIPS
    assert 0.1 < (nearest == 0).mean() < 0.25
    assert (np.bitwise_count(hamming.flipped(random, rows, 3, 50)[:, None] ^ rows[None]).min(axis=1) <= 3).all()


@pytest.mark.soak
def test_startup_sees_the_kernels_compile_once(tmp_path: Path) -> None:
    """The first scan compiles for seconds and says so, later ones take no longer than one does."""
    printed = figures("startup", tmp_path)
    assert printed["preparing_processor_seconds"] > 5
    assert printed["second_scan_seconds"] < printed["first_scan_seconds"] / 2
    assert printed["preparing_seconds_as_said"] == pytest.approx(printed["preparing_seconds"], rel=0.5)
    assert printed["kernel_bytes"] > 1_000_000


@pytest.mark.slow
def test_sets_are_found_as_linear_finds_them_and_beside_lsh(tmp_path: Path) -> None:
    """The benchmark itself refuses answers other than linear's; LSH stands beside with the recall that it has."""
    printed = figures("sets", tmp_path)
    for label in ("policies, mod", "policies, shingles", "licenses, terms"):
        measured = printed[label]
        assert measured["entries"] > measured["rows"] > 100
        assert 6 < measured["bytes_an_entry"] < 30
        for name in measured:
            if name.startswith("search"):
                assert measured[name]["examined"] >= measured[name]["hits"] >= 1
            if name.startswith("pairs"):
                assert measured[name]["examined"] >= measured[name]["pairs"]
    if "datasketch" in printed["policies, mod"]:
        assert 0.3 < printed["policies, mod"]["datasketch"]["recall"] <= 1


@pytest.mark.slow
def test_markdown_tables_go_between_the_markers_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "sets.md"
    page.write_text("before\n<!-- begin sets -->\nold\n<!-- end sets -->\nafter\n")
    data = tmp_path / "data"
    data.mkdir()
    printed = run("sets", "--markdown", "--into", str(tmp_path), data=data)
    text = page.read_text()
    assert text.startswith("before\n<!-- begin sets -->\n")
    assert text.endswith("\n<!-- end sets -->\nafter\n")
    assert printed.rstrip() in text
    assert "old" not in text
    assert "| rows | share | seconds | pairs | rows looked at, for each pair |" in text


@pytest.mark.slow
def test_excerpts_are_found_with_their_part(tmp_path: Path) -> None:
    """Exact search finds every excerpt, on texts that are generated too, and nearly every part is where it was cut."""
    printed = figures("containment", tmp_path)
    assert all(target["met"] for target in printed["targets"] if "recall" in target["name"]), printed["targets"]


@pytest.mark.slow
def test_growth_measures_every_index(tmp_path: Path) -> None:
    printed = figures("growth", tmp_path)
    structures = {name.split()[0] for name in printed["growth"]}
    assert structures == {"linear", "equality", "hamming", "projections", "bands", "overlap", "postings"}
    for name, measured in printed["growth"].items():
        assert [one["rows"] for one in measured] == [500, 2000], name
        if not name.startswith("linear"):
            assert measured[1]["found"] > 0, name


@pytest.mark.slow
def test_a_matter_is_measured_in_every_part(tmp_path: Path) -> None:
    """Ten waves find the pairs of one scan and answer as brute force does; every part has its figures."""
    work = tmp_path / "work"
    options = ("--documents", "200", "--work", str(work), "--seconds", "120")
    printed = figures("matter", tmp_path / "data", *options)
    assert [one["documents"] for one in printed["scan"]["scans"]][-1] == 200
    assert sum(one["documents"] for one in printed["waves"]["waves"]) == 200
    assert len(printed["waves"]["waves"]) == 10
    assert printed["scan"]["same_pairs_as_waves"]
    assert printed["scan"]["scans"][-1]["pairs"] > 50
    assert printed["recall"]["recall"] == 1
    assert printed["recall"]["true_pairs"] > 5
    assert printed["recall"]["not_true"] == 0
    assert len(printed["commands"]) == 6
    for question in printed["open"]["questions"].values():
        assert 0 < question["one"]["p50"] <= question["one"]["p95"]
    assert printed["busy"]["answers"]["asked"] > 0
    assert printed["busy"]["answers_refused"] == 0
    if "missing" not in printed["peers"]:
        measured = printed["peers"]["200"]
        assert measured["gaoya_recall"]["80"] > 0.5
        assert measured["pairs_alone"]["70"]["pairs"] >= measured["pairs_alone"]["80"]["pairs"] > 50
        assert measured["pairs"] >= printed["scan"]["scans"][-1]["pairs"], "at 70 and at 80 %"
    if sys.platform == "linux":
        assert all(one["memory_resident"] > one["memory_own"] > 10_000_000 for one in printed["waves"]["waves"])
    assert not list(work.glob("*.part"))


@pytest.mark.slow
def test_documents_say_what_they_are_like(tmp_path: Path) -> None:
    printed = figures("documents", tmp_path)
    assert [one["documents"] for one in printed["measured"]] == [300, 1000]
    for one in printed["measured"]:
        assert 1200 < one["bytes"] / one["documents"] < 3000
        assert one["pairs"]["50"] > one["pairs"]["70"] > one["pairs"]["90"] > 0


def documents_of(data: Path) -> Any:
    """The documents that are made from generated texts."""
    import documents

    return documents.Making(documents.make_pool(data))


@pytest.mark.usefixtures("helpers")
def test_documents_are_a_function_of_their_number(tmp_path: Path) -> None:
    """Fewer documents are the beginning of more, whoever writes them, in whatever order, into whatever form."""
    import mailbox
    import zipfile
    from dataclasses import replace

    import documents

    making = documents_of(tmp_path)
    made = documents.Documents(documents.read_pool(making.pool))
    wanted = [made.text(number) for number in reversed(range(60))][::-1]
    assert len(set(wanted)) > 30
    few = documents.write(tmp_path / "few", making, 0, 40, processes=1)
    more = documents.write(tmp_path / "more", making, 0, 60, waves=3, processes=2)
    assert (few.documents, more.documents) == (40, 60)
    for written, count in ((few, 40), (more, 60)):
        files = sorted(written.folder.rglob("*.txt"))
        assert [file.name for file in files] == [f"{number:07d}.txt" for number in range(count)]
        assert [file.read_text(encoding="utf-8") for file in files] == wanted[:count]
    documents.write(tmp_path / "packed", replace(making, form="zip"), 0, 60)
    with zipfile.ZipFile(tmp_path / "packed" / "0000.zip") as packed:
        assert [packed.read(name).decode() for name in packed.namelist()] == wanted
    documents.write(tmp_path / "mail", replace(making, form="mbox"), 0, 60)
    with contextlib.closing(mailbox.mbox(tmp_path / "mail" / "0000.mbox")) as messages:
        bodies = [message.get_payload(decode=True).decode() for message in messages]  # type: ignore[union-attr]
    assert [body.replace("\n>From ", "\nFrom ").strip() for body in bodies] == [text.strip() for text in wanted]


@pytest.mark.usefixtures("helpers")
def test_families_are_in_one_wave_unless_they_are_spread(tmp_path: Path) -> None:
    from dataclasses import replace

    import documents

    families = documents.Documents(documents.Pool([], []))
    making = documents.Making(tmp_path)

    def waves_of(spread: bool) -> dict[tuple[int, int], set[int]]:
        found: dict[tuple[int, int], set[int]] = {}
        plan = documents.planned(tmp_path, replace(making, spread=spread), 0, 23_456, 10)
        assert sorted(number for numbers in plan.numbers for number in numbers) == list(range(23_456))
        assert max(map(len, plan.numbers)) - min(map(len, plan.numbers)) <= 2 * documents.LARGEST
        for wave, numbers in enumerate(plan.numbers):
            for number in numbers:
                member = families.member(number)
                found.setdefault((member.block, member.family), set()).add(wave)
        return found

    assert all(len(waves) == 1 for waves in waves_of(spread=False).values())
    assert sum(len(waves) > 1 for waves in waves_of(spread=True).values()) > 3000


@pytest.mark.usefixtures("helpers")
def test_families_have_the_same_long_tail_everywhere() -> None:
    import documents

    families = documents.Documents(documents.Pool([], []))
    blocks = [Counter(families.member(number).family for number in range(first, first + documents.BLOCK))
              for first in (0, 7 * documents.BLOCK)]  # fmt: skip
    sizes = [sorted(block.values()) for block in blocks]
    assert sizes[0] == sizes[1]
    assert list(blocks[0].values()) != list(blocks[1].values())
    assert sizes[0][-1] == documents.LARGEST <= 2000
    assert sum(size <= 3 for size in sizes[0]) > 0.9 * len(sizes[0])
    assert sum(10 <= size <= 50 for size in sizes[0]) > 20


@pytest.mark.slow
@pytest.mark.usefixtures("helpers")
def test_near_misses_are_among_kin_only_so_that_they_grow_as_the_documents_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By brute force: whatever is half the same was made from one text; and there are such pairs below 70 %."""
    import documents
    import truth

    made = documents.Documents(documents.read_pool(documents_of(tmp_path).pool), "near")
    monkeypatch.setattr(truth, "KEPT", tmp_path)
    counts = []
    for count in (250, 500):
        texts = [made.text(number).encode() for number in range(count)]
        codes = truth.similar_pairs(texts, 50)
        roots = [made.root(one.block, one.family) for one in map(made.member, range(count))]
        assert all(roots[code // count] == roots[code % count] for code in codes.tolist())
        near = len(codes) - len(truth.similar_pairs(texts, 70))
        counts.append(near / count)
    assert all(0.1 < near < 5 for near in counts)


def test_every_benchmark_has_a_page_with_a_place_for_its_tables() -> None:
    """And no page is left of a benchmark that is gone."""
    assert {page.stem for page in PAGES.glob("*.md")} == set(NAMES)
    for name in NAMES:
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert 0 < text.index(f"<!-- begin {name} -->") < text.index(f"<!-- end {name} -->")


@pytest.mark.usefixtures("helpers")
def test_the_truth_is_every_pair_within_the_distance_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts of ten words at 80 %: two words may differ, three may not; shorter texts are not in it."""
    import truth

    monkeypatch.setattr(truth, "KEPT", tmp_path)
    words = [f"word{i}" for i in range(10)]
    texts = [
        " ".join(words),
        " ".join(["x", "y", *words[2:]]),
        " ".join(["p", "q", "r", *words[3:]]),
        " ".join(words[:9]),
    ]
    encoded = [text.encode() for text in texts]
    assert truth.similar_pairs(encoded, 80).tolist() == [1]
    assert len(list(tmp_path.iterdir())) == 1
    assert truth.similar_pairs(encoded, 80).tolist() == [1]
    assert truth.similar_pairs(encoded, 70).tolist() == [1, 2, 6]


@pytest.mark.usefixtures("helpers")
def test_recall_is_the_share_of_true_pairs_found() -> None:
    import truth

    true = truth.as_codes([0, 3, 1], [1, 2, 5], 10)
    assert true.tolist() == [1, 23, 15]
    assert truth.recall(np.array([1, 99]), true) == pytest.approx(1 / 3)
    assert truth.recall(np.array([]), np.array([])) == 1


@pytest.mark.usefixtures("helpers")
def test_peers_answers_become_pairs_without_the_text_itself() -> None:
    import peers

    assert peers.neighbor_codes([[0, 1], [1, 0], [2]]).tolist() == [1]
    assert peers.shingles("The Lessee shall pay.") == ["the lessee shall", "lessee shall pay"]


TEXTS = (
    "The Lessee shall pay the rent, and the Lessee shall keep the premises in good repair. " * 4,
    "Das Gebäude gehört der Vermieterin; 北京 2019, № 7 — and no more than 62 letters count here.",
    "abc",
)


@pytest.mark.usefixtures("helpers")
@pytest.mark.parametrize("bits", [16, 64, 1024])
def test_plain_python_computes_what_the_families_compute(bits: int) -> None:
    """The yardstick does the same work: bit for bit where the definition leaves no choice."""
    import plain

    from truecopy.sign import minhash4, simhash

    for name, digest in (("shake256", plain.shake256), ("sha512", plain.sha512)):
        made = simhash.sign(TEXTS, simhash.spec(bits=bits, hash=name))
        for place, text in enumerate(TEXTS):
            expected = int.from_bytes(made[place].tobytes(), "little")
            assert plain.simhash(text, bits, digest) == plain.frugal_simhash(text, bits, digest) == expected
    four = minhash4.sign(TEXTS, minhash4.spec(bits=bits))
    for place, text in enumerate(TEXTS):
        assert f"{plain.minhash4(text, bits):0{bits // 4}x}" == minhash4.value(four, place)
        assert plain.minhash4(text, bits) == plain.frugal_minhash4(text, bits)


@pytest.mark.usefixtures("helpers")
def test_plain_windows_and_letters_are_those_of_the_families() -> None:
    import plain

    from truecopy.sign import bsw, letters, min, mod
    from truecopy.sign.windows import POLYNOMIAL

    for family, yardstick in ((mod, plain.mod), (min, plain.smallest), (bsw, plain.bsw)):
        made = family.sign(TEXTS, family.spec(window=20, n=5, hash="rabin"))
        for place, text in enumerate(TEXTS):
            assert yardstick(text, 5, 20, POLYNOMIAL) == made[place].tolist()
    counted = letters.sign(TEXTS, letters.spec())
    for place, text in enumerate(TEXTS):
        assert plain.letters(text) == plain.frugal_letters(text) == letters.value(counted, place)


@pytest.mark.usefixtures("helpers")
def test_plain_terms_are_those_of_the_families() -> None:
    """The same words in the same order (by their ids), and the same key."""
    import plain
    from families import as_tables

    from truecopy.sign import fingerprint
    from truecopy.sign.statistics import build

    words = "lessee lessor premises covenant indemnity guarantor escrow arbitration".split()
    collection = [" ".join(words[place:] * 5) for place in range(len(words))] + ["other text"] * 30
    statistics = build(collection)
    tables = as_tables(statistics)
    text = f"The {words[5]}, {words[2]} and {words[0]} of {' '.join(words)}"
    length, found = plain.terms(text, tables, 10)
    assert (length, found) == (14, [*words, "the", "and"])
    made = fingerprint.sign([text], fingerprint.spec(statistics=statistics), statistics)
    assert plain.fingerprint(text, tables) == made[0].tobytes()


@pytest.mark.usefixtures("helpers")
def test_frugal_topsig_is_topsig() -> None:
    import plain

    counted = plain.Tables(3, {}, {"The ": 2, " the": 9}, 100)
    dense, sparse = plain.Vectors(64), plain.SparseVectors(64)
    for text in TEXTS:
        assert plain.topsig(text, dense) == plain.frugal_topsig(text, sparse)
        weighted = plain.weighted_topsig(text, dense, counted)
        assert weighted == plain.frugal_weighted_topsig(text, sparse, counted)
    assert len(set(map(partial(plain.topsig, vectors=dense), TEXTS))) == len(TEXTS)
    filled = np.mean([entry != 0 for vector in dense.values() for entry in vector])
    assert abs(filled - 1 / 8) < 0.02


@pytest.mark.usefixtures("helpers")
def test_equal_places_of_plain_sketches_estimate_resemblance() -> None:
    """Two texts that share half of their windows, or of their shingles, agree in about a third of the places."""
    import plain

    words = [f"w{i:05d}" for i in range(900)]
    a, b = " ".join(words[:600]), " ".join(words[300:])
    for sketch, places in ((plain.sketch, 200), (plain.frugal_sketch, 200), (plain.shingle_sketch, 256)):
        share = np.mean(np.array(sketch(a, places)) == np.array(sketch(b, places)))
        assert abs(share - 1 / 3) < 0.12


@pytest.mark.usefixtures("helpers")
def test_resemblance_of_every_pair_is_exact() -> None:
    import statistics_growth

    sets = [np.array(some, np.int64) for some in ([1, 2, 3, 9], [2, 3, 4], [7], [1, 2, 3, 9])]
    expected = [[len({*a} & {*b}) / len({*a} | {*b}) for b in sets] for a in sets]
    assert np.allclose(statistics_growth.resemblances(sets), expected)


@pytest.mark.usefixtures("helpers")
def test_separation_counts_ties_half() -> None:
    import statistics_growth

    near, other = np.array([0, 1, 1]), np.array([1, 5])
    wins = sum((n < o) + (n == o) / 2 for n in near for o in other)
    assert statistics_growth.separation(near, other) == pytest.approx(wins / 6)
    assert np.isnan(statistics_growth.separation(near, other[:0]))


@pytest.mark.usefixtures("helpers")
def test_documents_are_held_out_with_their_neighbors_and_copies_are_taken_once() -> None:
    import statistics_growth

    inside, outside = statistics_growth.hold_out(95, 40)
    assert sorted(inside + outside) == list(range(95))
    assert len(inside) == 40
    assert sum(after - before == 1 for before, after in pairwise(inside)) >= 30
    assert outside != sorted(outside)
    assert (inside, outside) == statistics_growth.hold_out(95, 40)
    long = " ".join(f"word{i}" for i in range(60))
    texts = [text.encode() for text in (long, f"  {long.upper()} ", "too short", f"{long} more")]
    kept = statistics_growth.distinct_documents(texts)
    assert kept.texts == [texts[0], texts[3]]
    assert [len(some) for some in kept.shingles] == [58, 59]


@pytest.mark.usefixtures("helpers")
def test_statistics_are_enough_from_where_they_stay_as_good() -> None:
    import statistics_growth

    whole = {"unique": 100, "separation": 0.999}
    rows = [
        {"documents": size, "unique": unique, "separation": separation}
        for size, unique, separation in ((10, 99, 0.999), (30, 90, 1), (100, 99, 0.995), (300, 100, 0.999))
    ]
    assert statistics_growth.enough(rows, whole) == 100
    assert statistics_growth.enough(rows[:2], whole) is None


@pytest.mark.usefixtures("helpers")
def test_the_race_takes_turns_and_keeps_the_best_time() -> None:
    import common

    turns: list[str] = []
    runs = [common.Contender(name, partial(turns.append, name), rounds) for name, rounds in (("a", 3), ("b", 1))]
    timings = common.race(runs)
    assert turns == ["a", "b", "a", "a"]
    assert timings["a"].best == min(timings["a"].seconds)
    assert len(timings["b"].seconds) == 1


@pytest.mark.usefixtures("helpers")
def test_a_collection_is_what_lies_in_its_folders(tmp_path: Path) -> None:
    """The README and truth files beside the folders are no documents; a part is handed on as files."""
    import common

    folder = tmp_path / "policies" / "one"
    folder.mkdir(parents=True)
    (tmp_path / "policies" / "README.md").write_text("about")
    for name in ("b.txt", "a.txt"):
        (folder / name).write_text("text")
    whole = common.collection("policies", tmp_path)
    assert [file.name for file in whole.files] == ["a.txt", "b.txt"]
    assert (whole.given, whole.generated, whole.size) == ([folder], False, 8)
    assert common.collection("policies", tmp_path, 1).given == [folder / "a.txt"]


@pytest.mark.usefixtures("helpers")
def test_generated_texts_are_the_same_every_time(tmp_path: Path) -> None:
    import generated

    for name in ("a", "b"):
        generated.write_collection(tmp_path / name, 12, seed="seed")
    first, second = ([file.read_bytes() for file in sorted((tmp_path / name).iterdir())] for name in ("a", "b"))
    assert first == second
    assert len(set(first)) > 6


def test_benchmarks_know_no_place_on_this_machine() -> None:
    for file in BENCHMARKS.glob("*.py"):
        source = file.read_text()
        assert "/tmp" not in source, file.name
        assert "/work" not in source, file.name
