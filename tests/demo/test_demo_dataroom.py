"""The folder and its truth: what is written, where, and when it is refused."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections import Counter
from pathlib import Path

import pytest
from demo_measures import content_of, read_truth

from truecopy.demo import write_dataroom
from truecopy.demo.dataroom import furnished
from truecopy.demo.room import RELATION
from truecopy.errors import BadSetting, UsageError

# Changes with the bank and the recipes; must not change with the machine or the Python version.
KNOWN = "db8d8b8578cbf1b73c5586b52b86e5d0e50522b7c7f2830e27bf115a0eb9b6f2"


def fingerprint(folder: Path, truth: Path) -> str:
    digest = hashlib.sha256(truth.read_bytes())
    for path in sorted(folder.rglob("*"), key=lambda path: path.as_posix()):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def test_the_same_seed_gives_the_same_bytes_everywhere(folder):
    """A room of 60 documents has the bytes that it had on the machine on which this test was written."""
    written = write_dataroom(folder, documents=60, seed=7)
    assert fingerprint(folder, written.truth) == KNOWN


def test_another_seed_gives_other_documents(folder, tmp_path):
    """No agreement of one seed is an agreement of another."""
    a = {entry.content for entry in furnished(60, 1).entries if entry.kind_of_document == "agreement"}
    b = {entry.content for entry in furnished(60, 2).entries if entry.kind_of_document == "agreement"}
    assert a
    assert not a & b


@pytest.mark.parametrize("documents", [50, 51, 58, 73, 101])
def test_it_holds_as_many_documents_as_were_asked_for(folder, documents):
    """Files and attachments add up to the number, and to the formats."""
    written = write_dataroom(folder, documents=documents)
    truth = read_truth(written.truth)
    assert written.documents == documents == len(truth["documents"]) == sum(written.by_format.values())
    listed = {entry["path"] for entry in truth["documents"]}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files <= listed
    assert all(path.rpartition("/")[0] in files for path in listed - files), "only attachments are no files"


def test_every_format_and_every_kind_is_there(dataroom):
    """All formats, all kinds that the demo promises, and the folders of a data room."""
    assert set(dataroom.dataroom.by_format) == {"docx", "eml", "pdf", "txt"}
    assert {pair["kind"] for pair in dataroom.truth["pairs"]} == set(RELATION)
    tops = {entry["path"].split("/")[0] for entry in dataroom.truth["documents"]}
    assert {top[:2] for top in tops} == {f"0{number}" for number in range(1, 10)}


def test_the_truth_lies_beside_the_folder_and_names_real_documents(dataroom):
    """Every pair is of two listed documents of one family, with its kind's relation; none comes twice."""
    assert dataroom.dataroom.truth.name == "room-truth.json"
    assert dataroom.dataroom.truth.parent == dataroom.dataroom.folder.parent
    for pair in dataroom.truth["pairs"]:
        assert dataroom.families[pair["a"]] == dataroom.families[pair["b"]]
        assert pair["relation"] == RELATION[pair["kind"]]
    twos = Counter(frozenset((pair["a"], pair["b"])) for pair in dataroom.truth["pairs"])
    assert set(twos.values()) == {1}


def test_every_document_of_a_family_is_in_a_pair(dataroom):
    """A document that was derived from another has its pair in the truth."""
    sizes = Counter(dataroom.families.values())
    paired = {path for pair in dataroom.truth["pairs"] for path in (pair["a"], pair["b"])}
    for path, family in dataroom.families.items():
        assert (path in paired) == (sizes[family] > 1), path


def test_copies_of_a_file_are_its_bytes(dataroom):
    """`same-file` pairs have equal bytes, attachments included; `same-text` pairs do not."""
    folder = dataroom.dataroom.folder
    for pair in dataroom.truth["pairs"]:
        same = content_of(folder, pair["a"]) == content_of(folder, pair["b"])
        assert same == (pair["kind"] == "same-file"), pair


def test_writing_again_replaces_an_earlier_data_room(folder):
    """The second room is what a first one would have been: nothing of the earlier is left."""
    write_dataroom(folder, documents=90, seed=3)
    again = write_dataroom(folder, documents=60, seed=7)
    assert fingerprint(folder, again.truth) == KNOWN
    assert all(any(path.iterdir()) for path in folder.rglob("*") if path.is_dir()), "no empty folder is left"


def test_a_folder_with_other_files_is_refused_and_left_alone(folder):
    """A stranger's file stops it, in an empty-looking and in an earlier demo folder; nothing is touched."""
    folder.mkdir()
    (folder / "will.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        write_dataroom(folder, documents=60)
    assert [path.name for path in folder.parent.rglob("*")] == ["room", "will.txt"]

    (folder / "will.txt").unlink()
    written = write_dataroom(folder, documents=60)
    (folder / "01 Corporate" / "will.txt").write_text("mine")
    before = fingerprint(folder, written.truth)
    with pytest.raises(UsageError, match="not empty"):
        write_dataroom(folder, documents=60, seed=8)
    assert fingerprint(folder, written.truth) == before


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"made_by": "me", "documents": []}', "\x00"])
def test_a_truth_file_that_is_something_else_is_refused(folder, content):
    """It would be overwritten."""
    truth = folder.with_name("room-truth.json")
    truth.write_text(content)
    with pytest.raises(UsageError):
        write_dataroom(folder, documents=60)
    assert truth.read_text() == content


def test_a_file_in_the_folder_s_place_is_refused(folder):
    """The message says that it is a file."""
    folder.write_text("mine")
    with pytest.raises(UsageError, match="is a file"):
        write_dataroom(folder, documents=60)


@pytest.mark.parametrize("documents", [-1, 0, 49, 10_001])
def test_too_few_or_too_many_documents_are_refused(folder, documents):
    """The message names what was given and what is possible."""
    with pytest.raises(BadSetting, match=f"{documents}.*50 to 10,000"):
        write_dataroom(folder, documents=documents)
    assert not folder.exists()


def test_an_interrupted_data_room_is_completed_by_the_next_run(folder):
    """Files that are missing from an earlier room do not make it a stranger's."""
    written = write_dataroom(folder, documents=60)
    for path in sorted(folder.rglob("*.pdf")):
        path.unlink()
    assert fingerprint(folder, write_dataroom(folder, documents=60).truth) == KNOWN
    assert json.loads(written.truth.read_bytes())["seed"] == 7


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no modes")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_the_room_is_as_public_as_other_files_and_its_matter_is_private(
    tmp_path: Path, umask: int, mode: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its documents are invented: the umask decides. What is made from documents is for their owner alone."""
    from truecopy.cli.run import run

    before = os.umask(umask)
    try:
        assert run(["demo", str(tmp_path / "room"), "--documents", "50", "--scan", "--json"]) == 0
    finally:
        os.umask(before)
    assert json.loads(capsys.readouterr().out)["ok"]
    room = [path for path in (tmp_path / "room").rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in [*room, tmp_path / "room-truth.json"]} == {mode}
    matter = tmp_path / "room-matter"
    assert stat.S_IMODE(matter.stat().st_mode) == 0o700
    assert (matter / "report.html").is_file()
    assert {stat.S_IMODE(path.stat().st_mode) for path in matter.iterdir()} == {0o600}


def test_the_truth_is_never_written_through_a_link(tmp_path: Path) -> None:
    """In a folder that others may write, somebody may have put a link where the truth is going to be written."""
    (tmp_path / "theirs").write_text("untouched")
    for name in (".room-truth.json.part", "room-truth.json.part"):
        (tmp_path / name).symlink_to(tmp_path / "theirs")
    written = write_dataroom(tmp_path / "room", documents=50)
    assert read_truth(written.truth)["documents"]
    assert (tmp_path / "theirs").read_text() == "untouched"
    assert not written.truth.is_symlink()
    assert (tmp_path / ".room-truth.json.part").is_symlink()
