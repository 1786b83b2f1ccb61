"""The benchmarks run, on generated texts where no collection is needed, and print what they promise to."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "measured.md"
NAMES = ("scan", "sign", "memory", "startup")


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


def figures(name: str, data: Path) -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(run(name, "--json", data=data))
    assert printed["benchmark"] == name
    assert printed["scale"] == "small"
    assert printed["machine"]["python"]
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
        assert all(tool["seconds"] > 0 for tool in measured["tools"].values())
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
        assert measured["megabytes_a_second"]["truecopy"] > 0
        assert set(measured["ratios"]) == {"rensa", "datasketch"} - set(printed["missing"])
    assert all(measured["ratio"] > 0 for measured in printed["two_threads"].values())
    overall = printed["estimate"]["bins"][-1]
    assert overall["pairs"] >= 100
    assert abs(overall["mean_error"]) < 0.01


@pytest.mark.slow
def test_memory_prints_the_peak_of_each_scan_over_the_constant(tmp_path: Path) -> None:
    printed = figures("memory", tmp_path)
    for scanned in printed["scans"].values():
        assert scanned["peak_bytes"] > printed["constant_bytes"] / 2 > 10_000_000
        over = scanned["peak_bytes"] - 1.5 * scanned["text_bytes"] - 2048 * scanned["documents"]
        assert scanned["constant_needed_bytes"] == round(over)


@pytest.mark.slow
def test_startup_sees_the_kernels_compile_once(tmp_path: Path) -> None:
    printed = figures("startup", tmp_path)
    assert printed["help_seconds"] > 0
    assert printed["preparing_seconds"] > 0
    assert printed["kernel_bytes"] > 0


@pytest.mark.slow
def test_markdown_tables_go_between_the_markers_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin startup -->\nold\n<!-- end startup -->\nafter\n")
    data = tmp_path / "data"
    data.mkdir()
    printed = run("startup", "--markdown", "--into", str(page), data=data)
    text = page.read_text()
    assert text.startswith("before\n<!-- begin startup -->\n")
    assert text.endswith("\n<!-- end startup -->\nafter\n")
    assert printed.rstrip() in text
    assert "old" not in text
    assert "| truecopy --help, warm, best of 10 | " in text


def test_the_page_has_a_place_for_every_benchmark() -> None:
    text = PAGE.read_text()
    for name in NAMES:
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
