"""The same documents give the same answers, to the byte: in any order, with any threads, in any process."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from whole_room import write_room
from whole_state import groups_json, pairs_json

import truecopy as tc
from collections_data import find_collection

REAL = [pytest.param(name, marks=pytest.mark.slow) for name in ("licenses", "policies-languages")]


@pytest.fixture(scope="module", params=["made-up", *REAL])
def documents(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of documents: made-up ones, and real ones where they are at hand."""
    if request.param == "made-up":
        return write_room(tmp_path_factory.mktemp("determinism") / "room", 5, range(20))
    folder = find_collection(request.param)
    if folder is None:
        pytest.skip(f"the collection {request.param!r} is not there")
    return folder


def answers(matter: tc.Matter) -> list[str]:
    """Pairs and groups, as the command line gives them, in one order."""
    asked = [
        pairs_json(matter, relation, expand=expand) for relation in ("similar", "contains") for expand in (False, True)
    ]
    return [*asked, groups_json(matter), groups_json(matter, 90)]


def scanned(paths: Path | Sequence[Path], matter: Path, threads: int) -> list[str]:
    return answers(tc.scan(paths, matter, threads=threads, report=False))


@pytest.fixture(scope="module")
def first(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    said = scanned(documents, tmp_path_factory.mktemp("first") / "matter", 2)
    assert len(json.loads(said[0])["pairs"]) > 20
    return said


def test_a_second_run_says_the_same(documents, first, tmp_path):
    assert scanned(documents, tmp_path / "matter", 2) == first


def test_one_thread_says_the_same_as_two(documents, first, tmp_path):
    assert scanned(documents, tmp_path / "matter", 1) == first


def test_seven_threads_say_the_same_as_two(documents, first, tmp_path):
    assert scanned(documents, tmp_path / "matter", 7) == first


def test_arguments_in_any_order_say_the_same(documents, first, tmp_path, seed):
    """Every file as an argument of its own, shuffled."""
    files = [file for file in documents.rglob("*") if file.is_file()]
    random.Random(seed).shuffle(files)
    assert scanned(files, tmp_path / "matter", 2) == first


@pytest.mark.parametrize("hash_seed", ["1", pytest.param("2718", marks=pytest.mark.soak)])
def test_a_fresh_process_with_another_hash_seed_says_the_same(documents, first, tmp_path, hash_seed):
    """Through the command line: what it prints is what this process says."""

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "truecopy", *arguments, "--matter", str(tmp_path / "matter"), "--json"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    run("scan", str(documents), "--no-report")
    similar = json.loads(run("pairs", "--threshold", "70", "--expand"))
    assert similar["pairs"] == json.loads(first[1])["pairs"]
    contains = json.loads(run("pairs", "--threshold", "80", "--relation", "contains", "--expand"))
    assert contains["pairs"] == json.loads(first[3])["pairs"]
    groups = json.loads(run("groups"))
    assert {"groups": groups["groups"], "linked": groups["linked"]} == json.loads(first[4])


def test_bands_say_the_same_with_any_threads(documents, tmp_path):
    """The approximate generator is as repeatable as the exact one."""
    said = [
        answers(tc.scan(documents, tmp_path / str(threads), threads=threads, recall=0.99, report=False))
        for threads in (1, 2)
    ]
    assert said[0] == said[1]
