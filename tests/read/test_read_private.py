"""A parser has a folder of its own: it loads nothing that others left, writes nowhere else, and leaves nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from pdf_helpers import pdf, text_page
from read_helpers import docx

from truecopy import fresh
from truecopy.read import ReadSettings, landlock
from truecopy.read.file_types import DOCX, HTML, PDF
from truecopy.read.private import environment
from truecopy.read.workers import ParserPool

PAGE = pdf(text_page("read by the real library"))
SOMEBODY = 65534
PLANTED = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void taken_over(void) {
    close(open(MARKER, O_CREAT | O_WRONLY, 0666));
    abort();
}
"""
"""A library that leaves a mark as soon as it is loaded, and ends the process: one or the other is seen."""

HOSTILE = """
import json, os, shutil, subprocess, sys, threading
from pathlib import Path
from truecopy.read import worker
from truecopy.read.parsers import Parsed

def tried(what):
    try:
        what()
    except OSError:
        return False
    return True

def parse(label, media, data):
    outside, own = Path(data.decode()), Path.cwd()
    here = {
        "make": lambda place: (place / "new").write_text("x"),
        "change": lambda place: (place / "file").write_text("x"),
        "append": lambda place: (place / "file").open("a").close(),
        "cut": lambda place: os.truncate(place / "file", 0),
        "rename": lambda place: (place / "file").rename(place / "other"),
        "folder": lambda place: (place / "folder").mkdir(),
        "link": lambda place: (place / "link").symlink_to("x"),
        "remove": lambda place: (place / "second").unlink(),
    }
    for name in ("file", "second"):
        (own / name).write_text("x")
    inside = {name: tried(lambda: act(own)) for name, act in here.items()}
    beyond = {name: tried(lambda: act(outside)) for name, act in here.items()}
    beyond["pipe"] = tried(lambda: os.mkfifo(own / "pipe"))
    beyond["move out"] = tried(lambda: (own / "new").rename(outside / "moved"))
    beyond["start a program"] = tried(lambda: subprocess.run(["/bin/true"]))
    beyond["signal the parent"] = tried(lambda: os.kill(os.getppid(), 0))
    home = {name: os.environ[name] for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    threads = threading.active_count(), len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1
    return Parsed(json.dumps({"inside": inside, "beyond": beyond, "home": home, "own": str(own), "threads": threads}))

worker.parse = parse
worker.run(int(sys.argv[1]), Path(sys.argv[2]).resolve())
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder for everyone, as /tmp is, that belongs to the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    fresh._sweep_once.cache_clear()
    return folder


@pytest.fixture
def parsers() -> Iterator[ParserPool]:
    made = ParserPool(ReadSettings(threads=1, seconds=20))
    yield made
    made.close()


def text_of(parsers: ParserPool, file_type: Any, data: bytes) -> tuple[str, bytes]:
    (answer,) = parsers.parse_many([(file_type, data)])
    return answer.reason, answer.text.strip()


def left_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture(scope="module")
def real_size(tmp_path_factory: pytest.TempPathFactory) -> int:
    """The size of the library that kreuzberg unpacks."""
    folder = tmp_path_factory.mktemp("unpacked")
    script = "import kreuzberg, sys; kreuzberg.extract_bytes_sync(sys.stdin.buffer.read(), 'application/pdf')"
    subprocess.run([sys.executable, "-c", script], input=PAGE, env={**os.environ, "TMPDIR": str(folder)}, check=True)
    (library,) = folder.rglob("*pdfium*.*")
    return library.stat().st_size


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory, real_size: int) -> Path:
    """A library of the right size that shows when it is loaded; its mark is beside it."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("there is no C compiler, or the library is called otherwise")
    folder = tmp_path_factory.mktemp("planted")
    folder.chmod(0o777)
    source, library = folder / "planted.c", folder / "libpdfium.so"
    source.write_text(f'#define MARKER "{folder / "loaded"}"\n{PLANTED}')
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    with library.open("ab") as file:
        file.truncate(real_size)
    library.chmod(0o755)
    return library


def plant(library: Path, place: Path) -> None:
    place.mkdir(parents=True)
    shutil.copy(library, place / library.name)


PLACES = {
    "the shared folder": "kreuzberg-pdfium",
    "a folder that an earlier version kept": "truecopy-parsers-{uid}/kreuzberg-pdfium",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("whose", ["ours", "another user's"])
def test_a_planted_pdf_library_is_not_loaded(
    temporary: Path, parsers: ParserPool, planted: Path, place: str, whose: str
) -> None:
    """Not from the shared temporary folder, nor from a folder that a parser could have written in an earlier run."""
    top = temporary / PLACES[place].format(uid=os.getuid()).split("/")[0]
    plant(planted, temporary / PLACES[place].format(uid=os.getuid()))
    top.chmod(0o700 if whose == "ours" else 0o755)
    if whose != "ours":
        if os.getuid() != 0:
            pytest.skip("only root can give files away")
        for path in (top, *top.rglob("*")):
            os.chown(path, SOMEBODY, SOMEBODY)
    assert text_of(parsers, PDF, PAGE) == ("", b"read by the real library")
    assert not (planted.parent / "loaded").exists()


def test_a_planted_library_is_loaded_where_nothing_keeps_it_away(temporary: Path, planted: Path) -> None:
    """The library as it is, without our folder: this is what the tests above would see."""
    plant(planted, temporary / "kreuzberg-pdfium")
    script = "import kreuzberg, sys; kreuzberg.extract_bytes_sync(sys.stdin.buffer.read(), 'application/pdf')"
    done = subprocess.run([sys.executable, "-c", script], input=PAGE, check=False, capture_output=True)
    assert done.returncode != 0
    assert (planted.parent / "loaded").exists()
    (planted.parent / "loaded").unlink()


def test_parsers_share_no_folder(temporary: Path) -> None:
    """One that a document has taken over cannot leave code for another."""
    pool = ParserPool(ReadSettings(threads=2, seconds=20))
    first, second = pool._take(), pool._take()
    assert first.folder.path.parent != second.folder.path.parent
    for worker in (first, second):
        pool._give_back(worker, sound=True)
    pool.close()
    assert left_in(temporary) == []


def test_the_folder_goes_with_the_pool(temporary: Path) -> None:
    pool = ParserPool(ReadSettings(threads=1, seconds=20))
    assert text_of(pool, PDF, PAGE)[0] == ""
    assert [name for name in left_in(temporary) if name.endswith("libpdfium.so")], "in the meantime it is there"
    pool.close()
    assert left_in(temporary) == []


def test_the_folder_of_a_parser_that_was_killed_goes_too(temporary: Path, parsers: ParserPool) -> None:
    assert text_of(parsers, PDF, PAGE)[0] == ""
    (worker,) = parsers._idle
    worker.process.kill()
    worker.process.wait()
    assert text_of(parsers, HTML, b"<p>next</p>") == ("", b"next")
    assert len(list(temporary.iterdir())) == 1, "that of the next parser"


def test_folders_go_when_a_command_is_stopped(temporary: Path, parsers: ParserPool) -> None:
    """`kill` is called right before the process ends."""
    assert text_of(parsers, PDF, PAGE)[0] == ""
    parsers.kill()
    assert left_in(temporary) == []


@pytest.mark.parametrize("state", ["idle", pytest.param("at work", marks=pytest.mark.slow)])
def test_nothing_is_left_when_the_parent_was_killed(temporary: Path, tmp_path: Path, state: str) -> None:
    """The parser empties its folder when it notices, and the next run removes it."""
    slow = tmp_path / "slow.docx"
    slow.write_bytes(docx("<w:p/>" * 3_000_000))
    page = tmp_path / "page.pdf"
    page.write_bytes(PAGE)
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from truecopy.read import ReadSettings\n"
        "from truecopy.read.file_types import DOCX, PDF\n"
        "from truecopy.read.workers import ParserPool\n"
        "pool = ParserPool(ReadSettings(threads=1, seconds=1))\n"
        "pool.parse_many([(PDF, Path(sys.argv[1]).read_bytes())])\n"
        "print('read', flush=True)\n"
        "if len(sys.argv) > 2: pool.parse_many([(DOCX, Path(sys.argv[2]).read_bytes())])\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(page), *([str(slow)] if state == "at work" else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"read\n"
        time.sleep(0.2)
        workers = psutil.Process(parent.pid).children()
        parent.kill()
    assert len(workers) == 1
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []
    if state == "idle":
        assert [path.name for path in temporary.rglob("*") if path.is_file()] == ["owner.lock"]
    next_run = ParserPool(ReadSettings(threads=1, seconds=20))
    assert text_of(next_run, HTML, b"<p>next</p>") == ("", b"next")
    next_run.close()
    assert left_in(temporary) == []


def test_a_parser_knows_no_other_home_and_no_other_temporary_folder(tmp_path: Path) -> None:
    """Settings and caches of its libraries are in its own folder."""
    given = {
        "HOME": "/home/her",
        "XDG_CONFIG_HOME": "/home/her/.config",
        "KREUZBERG_CACHE_DIR": "/srv/shared",
        "A": "b",
    }
    found = environment(tmp_path, tmp_path / "package", given)
    own = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP", "SQLITE_TMPDIR")
    folders = ("CACHE", "CONFIG", "DATA", "STATE")
    assert {found[name] for name in (*own, *(f"XDG_{folder}_HOME" for folder in folders))} == {str(tmp_path)}
    assert "KREUZBERG_CACHE_DIR" not in found
    assert found["A"] == "b"


def test_an_empty_entry_of_the_import_path_is_not_the_working_folder(tmp_path: Path) -> None:
    """`PYTHONPATH=/x:` means /x and the working folder, which may be evidence."""
    given = os.pathsep.join(["", str(tmp_path), "", "lib", ""])
    found = environment(tmp_path, tmp_path / "package", {"PYTHONPATH": given})["PYTHONPATH"]
    assert found.split(os.pathsep) == [str(tmp_path / "package"), str(tmp_path), str(Path.cwd() / "lib")]


def test_packages_in_the_home_are_still_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pip install --user` puts them there."""
    monkeypatch.setattr("site.ENABLE_USER_SITE", True)
    monkeypatch.setattr("site.getuserbase", lambda: "/home/her/.local")
    assert environment(tmp_path, tmp_path, {})["PYTHONUSERBASE"] == "/home/her/.local"


@pytest.fixture
def confined(temporary: Path, tmp_path: Path) -> tuple[dict[str, Any], Path]:
    """What a document that has taken over its parser could do."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("file", "second"):
        (outside / name).write_text("as it was")
    settings = ReadSettings(threads=1, seconds=20)
    pool = ParserPool(settings, [sys.executable, "-P", "-c", HOSTILE, str(settings.memory), "."])
    reason, text = text_of(pool, HTML, str(outside).encode())
    pool.close()
    assert reason == ""
    assert left_in(temporary) == []
    return json.loads(text), outside


def test_a_parser_cannot_write_outside_its_folder(confined: tuple[dict[str, Any], Path]) -> None:
    """Where the kernel has Landlock; also as root."""
    if landlock.version() == 0:
        pytest.skip("this kernel has no Landlock")
    said, outside = confined
    assert said["inside"] == dict.fromkeys(said["inside"], True), "what libraries need still works"
    refused = dict(said["beyond"])
    if landlock.version() < 6:
        refused["signal the parent"] = False  # it is not known to older kernels
    assert refused == dict.fromkeys(refused, False)
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"file": "as it was", "second": "as it was"}


def test_a_parser_is_at_home_in_its_folder_and_has_one_thread_when_it_is_confined(
    confined: tuple[dict[str, Any], Path],
) -> None:
    """Landlock holds the thread that asks for it and those that it starts: no other may be there before."""
    said, _ = confined
    assert set(said["home"].values()) == {said["own"]}
    # The one beside it is the timer that ends a process without a parent; Python does not count it.
    assert said["threads"][0] == 1
    assert said["threads"][1] <= 2


def test_where_no_temporary_folder_is_safe_no_parser_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the document says so."""
    monkeypatch.setattr(fresh, "_candidates", lambda: iter([tmp_path / "missing"]))
    pool = ParserPool(ReadSettings(threads=1, seconds=20))
    assert text_of(pool, DOCX, b"PK")[0] == "the machine could not start a parser for it"
    pool.close()
