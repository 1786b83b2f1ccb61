"""Real damaged, encrypted and odd files: every one ends in a status, and nobody hears the libraries' noise."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from whole_process import Watched, watch

import truecopy as tc
from collections_data import collection
from truecopy.model import STATUSES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Watched, Path]:
    folder = tmp_path_factory.mktemp("formats")
    matter = folder / "matter"
    return watch(folder, "scan", str(collection("formats")), "--matter", str(matter), "--json", timeout=600), matter


def test_the_scan_ends_and_prints_one_object_and_no_noise(ran):
    watched, _ = ran
    assert watched.code == 0
    assert watched.err == ""
    assert watched.out.count("\n") == 1
    assert json.loads(watched.out)["ok"] is True
    print(f"formats: {watched.seconds:.1f} s, {watched.all_peak / 1e6:.0f} MB with its parsers")


def test_statuses_add_up_to_the_documents(ran):
    watched, matter = ran
    said = json.loads(watched.out)
    documents = tc.open(matter).documents()
    assert sum(said["statuses"].values()) == said["documents"] == len(documents)
    assert set(said["statuses"]) <= set(STATUSES)


def test_every_file_is_there_with_a_status_and_a_reason_where_it_was_not_read(ran):
    """A file is a document, or the container of documents that name it."""
    _, matter = ran
    documents = tc.open(matter).documents()
    seen = {document.path for document in documents} | {document.parent for document in documents}
    root = collection("formats")
    files = {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()}
    missing = {file for file in files if file not in seen and not any(path.startswith(file) for path in seen)}
    assert missing == set()
    for document in documents:
        assert document.status in STATUSES
        if document.status in ("unreadable", "too-large", "excluded", "empty"):
            assert document.reason, document.path
            assert "Traceback" not in document.reason


def test_files_with_a_password_are_unreadable_and_say_so(ran):
    """What cannot be read without a password is never passed off as empty; other members of its archive are read."""
    _, matter = ran
    by_path = {document.path: document for document in tc.open(matter).documents()}
    with (collection("formats") / "manifest.csv").open(encoding="utf-8", newline="") as file:
        locked = [
            row["path"] for row in csv.DictReader(file) if "password" in row["note"] or "Encrypted" in row["path"]
        ]
    assert len(locked) >= 5
    for path in locked:
        found = [document for name, document in by_path.items() if name.startswith(path)]
        assert found, path
        refused = [document for document in found if document.status == "unreadable"]
        assert refused, path
        for document in refused:
            assert "password" in document.reason or "encrypted" in document.reason, (path, document.reason)
