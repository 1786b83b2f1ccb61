"""One data room for all tests of the demo, written and read once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from demo_measures import content_of, extracted, read_truth, words

from truecopy.demo import Dataroom, write_dataroom


@dataclass(frozen=True)
class Read:
    """A data room with its truth and the words of every document that can be read."""

    dataroom: Dataroom
    truth: dict[str, Any]
    words: dict[str, list[str]]
    families: dict[str, str]


@pytest.fixture(scope="session")
def dataroom(tmp_path_factory: pytest.TempPathFactory) -> Read:
    written = write_dataroom(tmp_path_factory.mktemp("demo") / "room", documents=160)
    truth = read_truth(written.truth)
    texts = {
        entry["path"]: words(extracted(entry["path"], content_of(written.folder, entry["path"])))
        for entry in truth["documents"]
        if entry.get("status") != "unreadable"
    }
    families = {entry["path"]: entry["family"] for entry in truth["documents"]}
    return Read(written, truth, texts, families)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "room"
