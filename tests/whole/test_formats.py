"""Real damaged, encrypted and odd files: every one ends in a status, and nobody hears the libraries' noise."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from whole_process import Watched, watch

import truecopy as tc
from collections_data import collection
from truecopy.model import NOT_SEARCHED, SHORTEST_PAIRED, STATUSES, Document

pytestmark = pytest.mark.slow

NO_READER = ("wpd/tika_testWordPerfect.wpd",)
"""A person with an office suite reads these; this program says that it has no reader for them."""
LOOKED_AT = json.loads(Path(__file__).with_name("formats_statuses.json").read_text(encoding="utf-8"))["files"]
"""What somebody who looked at each file, without this program, says of it."""


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
        if document.status in (*NOT_SEARCHED, "empty"):
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


def seen_as(document: Document) -> str:
    """A document's status as far as it follows from the document alone: a text, or one that is too short."""
    if document.status in (*NOT_SEARCHED, "empty", "numbers-only"):
        return document.status
    return "too-short" if document.words < SHORTEST_PAIRED else "text"


def test_every_file_has_the_status_that_a_person_gave_it(ran):
    """Files that only hold others have no status of their own; some inner documents are not taken out of theirs."""
    _, matter = ran
    by_path = {document.path: document for document in tc.open(matter).documents()}
    wrong, compared = [], 0
    for looked in LOOKED_AT:
        document = by_path.get(looked["path"])
        if looked.get("container") or (looked.get("inner") and document is None):
            continue
        assert document is not None, looked["path"]
        compared += 1
        if looked["path"] in NO_READER:
            assert (document.status, "no reader" in document.reason) == ("unreadable", True), document.reason
            continue
        if seen_as(document) not in (looked["status"], *(looked.get("or") or ())):
            wrong.append(f"{document.path}: {document.status}, {document.words} words; a person: {looked['status']}")
    assert compared >= 150
    assert wrong == []


def test_nothing_is_called_empty_that_has_content(ran):
    _, matter = ran
    looked_at = {looked["path"]: looked for looked in LOOKED_AT}
    for document in tc.open(matter).documents():
        if document.status == "empty" and document.path in looked_at:
            looked = looked_at[document.path]
            assert "empty" in (looked["status"], *(looked.get("or") or ())), (document.path, looked["why"])
