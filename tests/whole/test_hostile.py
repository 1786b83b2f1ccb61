"""Files that were made to break a reader: no crash, no hang, bounded memory, and every one has its status."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from whole_hostile import hostile_files, one_line
from whole_process import Watched, watch

import truecopy as tc
from truecopy.model import STATUSES

OWN_MEMORY = 1000 << 20
"""What the process itself may take, whatever it is given, beside 1.5 times the text."""
PARSERS_MEMORY = 2 * (2 << 30)
"""Two parser processes at their limit."""


def write(folder: Path, count: int, seed: int, *, slow: bool) -> int:
    """Write hostile files; how many there are."""
    folder.mkdir()
    for number, (ending, data) in enumerate(hostile_files(count, seed, slow=slow)):
        (folder / f"{number:03d}.{ending}").write_bytes(data)
    return len(list(folder.iterdir()))


def write_odd_places(folder: Path) -> int:
    """Names and things in a folder that are no ordinary files."""
    folder.mkdir()
    (folder / "loop").symlink_to(folder)
    (folder / "gone.txt").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe.txt")
    names = [
        b"not-utf-8-\xff.txt",
        b"new\nline.txt",
        "right\u202eto-left.txt".encode(),
        b"-o.txt",
        b"$(reboot).txt",
        b"[red].txt",
    ]
    for name in names:
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(b"a text in a file with an odd name " + name)
    deep = folder
    for _ in range(60):
        deep = deep / "deeper"
    deep.mkdir(parents=True)
    (deep / "deep.txt").write_text("a text that lies very deep below everything else there is")
    return len(names) + 4


def check(ran: Watched, folder: Path, matter: Path, files: int) -> None:
    """The scan ended well, said nothing but its answer, and every file has a status."""
    assert ran.code == 0, ran.err[-2000:] + ran.out[-2000:]
    assert ran.err == ""
    said = json.loads(ran.out)
    documents = tc.open(matter).documents()
    assert sum(said["statuses"].values()) == said["documents"] == len(documents)
    assert set(said["statuses"]) <= set(STATUSES)
    paths = [document.path for document in documents]
    tops = {path.split("/")[0] for path in paths}
    lost = [file.name for file in folder.iterdir() if file.is_file() and file.name not in tops]
    assert not lost, f"files without a document: {lost[:5]}"
    assert len(documents) >= files
    assert tc.open(matter).verify() == []
    print(
        f"{files} files, {len(documents)} documents, {said['statuses']}: {ran.seconds:.0f} s, "
        f"{ran.peak / 1e6:.0f} MB, with parsers {ran.all_peak / 1e6:.0f} MB"
    )
    text = sum(document.size for document in documents if document.words)
    assert 0 < ran.peak <= OWN_MEMORY + 1.5 * text
    assert ran.all_peak <= OWN_MEMORY + 1.5 * text + PARSERS_MEMORY


@pytest.mark.slow
def test_hostile_files_end_in_statuses(tmp_path, seed):
    files = write(tmp_path / "files", 60, seed, slow=False)
    matter = tmp_path / "matter"
    ran = watch(tmp_path / "run", "scan", str(tmp_path / "files"), "--matter", str(matter), "--json", timeout=180)
    check(ran, tmp_path / "files", matter, files)


def test_odd_names_and_things_that_are_no_files_end_in_statuses(tmp_path):
    """Loops, dead links, pipes, and names of any bytes: each is listed once, and none is waited for."""
    files = write_odd_places(tmp_path / "files")
    matter = tmp_path / "matter"
    ran = watch(tmp_path / "run", "scan", str(tmp_path / "files"), "--matter", str(matter), "--json", timeout=60)
    assert ran.code == 0, ran.err
    documents = tc.open(matter).documents()
    assert len(documents) == files
    by_status = {document.path: document.status for document in documents}
    assert by_status["gone.txt"] == by_status["loop"] == "excluded"  # links are listed, and not followed
    assert by_status["pipe.txt"] == "unreadable"
    assert sum(status not in ("excluded", "unreadable") for status in by_status.values()) == files - 3
    json.dumps(sorted(by_status)).encode("utf-8")


@pytest.mark.soak
def test_500_hostile_files_end_in_statuses(tmp_path, seed):
    """Among them single lines of 50 MB."""
    files = write(tmp_path / "files", 500, seed, slow=True)
    dice = random.Random(seed)
    for number in range(3):
        ending, data = one_line(dice, 50 << 20)
        (tmp_path / "files" / f"long-{number}.{ending}").write_bytes(data)
    matter = tmp_path / "matter"
    ran = watch(tmp_path / "run", "scan", str(tmp_path / "files"), "--matter", str(matter), "--json", timeout=3600)
    check(ran, tmp_path / "files", matter, files + 3)
