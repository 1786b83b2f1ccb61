"""Names that are not UTF-8: folders are scanned under what is shown of them; values to be stored are refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.errors import BadSetting, UsageError
from truecopy.settings import MatterSettings

TEXT = "The lessee returns the premises in the condition in which they were received, and pays for every repair."
posix = pytest.mark.skipif(sys.platform == "win32", reason="names on Windows are Unicode")
NO_TEXT = ["w\udcff", "\ud800", "a\0b"]


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A folder whose name is not UTF-8, with two files, of which one has such a name too."""
    folder = tmp_path / "r\udcff"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    (folder / "list\udcfe.csv").write_text(f"{TEXT} Twice.")
    return folder


@posix
def test_a_folder_whose_name_is_not_utf8_is_scanned(room: Path, tmp_path: Path) -> None:
    """The matter, its report and its audit log are whole, and a second wave finds every document there already."""
    matter = tc.scan(room, tmp_path / "m")
    assert [(one.root, one.path) for one in matter.documents()] == [
        (f"{tmp_path}/r\\xff", "a.txt"),
        (f"{tmp_path}/r\\xff", "list\\xfe.csv"),
    ]
    assert matter.verify() == []
    again = matter.add(room)
    assert (again.documents, again.already, again.wave) == (0, 2, "")
    (room / "a.txt").write_text(f"{TEXT} Thrice.")
    assert matter.add([room / "a.txt"]).documents == 1


@posix
def test_a_matter_in_such_a_folder_is_made_by_default(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(room)
    matter = tc.scan(".")
    assert len(matter.documents()) == 2
    assert "./../" in (room / "truecopy-matter" / "report.html").read_text()


@posix
def test_an_original_whose_name_is_not_utf8_is_not_written_over(room: Path, tmp_path: Path) -> None:
    matter = tc.scan(room, tmp_path / "m", report=False)
    for name in ("a.txt", "list\udcfe.csv"):
        with pytest.raises(UsageError, match="originals are never written over"):
            matter.spare(room / name)
    matter.spare(Path(os.fspath(tmp_path), "list\udcfe.csv"))


@pytest.mark.parametrize("name", NO_TEXT)
def test_the_name_of_a_wave_must_be_text(name: str, tmp_path: Path) -> None:
    """Before anything is read, in one sentence, and no wave is left behind."""
    (tmp_path / "a.txt").write_text(TEXT)
    matter = tc.create(tmp_path / "m")
    with pytest.raises(BadSetting, match=r"The name of the wave is .*, but it must be valid Unicode") as refused:
        matter.add(tmp_path / "a.txt", name)
    refused.value.message.encode()
    assert (refused.value.exit_code, matter.waves()) == (2, [])
    assert "--wave" in refused.value.hint


@pytest.mark.parametrize("name", NO_TEXT)
def test_the_names_of_principals_must_be_text(name: str) -> None:
    with pytest.raises(BadSetting, match=r"A name in the list of principals is .*, but it must be valid Unicode"):
        MatterSettings(rule="given", given=("TC-000001", name))
