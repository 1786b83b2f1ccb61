"""Whether others can change what is found under a path: every level counts, links count as what they are."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from truecopy.trusted import Distrust, is_ours, walked

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no user numbers")
AS_ROOT = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
SOMEBODY = 65534


def test_missing_levels_are_made_for_this_user_alone(tmp_path: Path) -> None:
    """Whatever the umask says."""
    before = os.umask(0)
    try:
        made = walked(tmp_path / "a" / "b", make=True)
    finally:
        os.umask(before)
    assert made == tmp_path.resolve() / "a" / "b"
    assert [stat.S_IMODE(level.stat().st_mode) for level in (made, made.parent)] == [0o700, 0o700]


def test_a_path_that_is_not_there_is_not_made_unless_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        walked(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o702])
@pytest.mark.parametrize("level", ["a", "a/b", "a/b/c"])
def test_a_level_that_everyone_may_write_is_refused(tmp_path: Path, level: str, mode: int) -> None:
    """The folder itself, its parent, or one further up: each can be exchanged by whoever may write the one above."""
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / level).chmod(mode)
    with pytest.raises(Distrust, match=f"{Path(level).name}$"):
        walked(tmp_path / "a/b/c")


@AS_ROOT
def test_a_level_that_a_group_of_several_may_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o770)
    os.chown(tmp_path / "a", 0, 12345)
    with pytest.raises(Distrust, match="a group may write"):
        walked(tmp_path / "a")


@pytest.fixture
def group_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A folder that its group may write, and lists of users and groups in which this user has that group alone."""
    grp, pwd = pytest.importorskip("grp"), pytest.importorskip("pwd")
    folder = tmp_path / "a"
    folder.mkdir()
    folder.chmod(0o770)
    gid = folder.stat().st_gid
    user = SimpleNamespace(pw_name="me", pw_uid=os.getuid(), pw_gid=gid)
    group = SimpleNamespace(gr_name="me", gr_gid=gid, gr_mem=[])
    lists = SimpleNamespace(folder=folder, gid=gid, users=[user], groups=[group])
    monkeypatch.setattr(pwd, "getpwuid", lambda _: user)
    monkeypatch.setattr(grp, "getgrgid", lambda _: group)
    monkeypatch.setattr(pwd, "getpwall", lambda: lists.users)
    monkeypatch.setattr(grp, "getgrall", lambda: lists.groups)
    return lists


def test_a_level_that_a_group_of_one_may_write_is_accepted(group_of_one: SimpleNamespace) -> None:
    """A umask of 002 and a group for each user are the default of many systems."""
    assert walked(group_of_one.folder) == group_of_one.folder.resolve()


def test_a_group_with_which_another_user_starts_is_not_one_of_one(group_of_one: SimpleNamespace) -> None:
    """The group does not list who has it as the primary one."""
    group_of_one.users.append(SimpleNamespace(pw_name="other", pw_uid=os.getuid() + 1, pw_gid=group_of_one.gid))
    with pytest.raises(Distrust, match="a group may write"):
        walked(group_of_one.folder)


def test_a_group_that_lists_another_user_under_a_second_name_is_not_one_of_one(group_of_one: SimpleNamespace) -> None:
    group_of_one.groups.append(SimpleNamespace(gr_name="us", gr_gid=group_of_one.gid, gr_mem=["me", "other"]))
    with pytest.raises(Distrust, match="a group may write"):
        walked(group_of_one.folder)


@pytest.mark.parametrize("failure", [None, errno.EIO, errno.EACCES])
def test_a_level_with_an_access_list_is_refused_if_anybody_on_it_may_write(
    group_of_one: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, failure: int | None
) -> None:
    """With a list, the bits of the group are those of everybody on it. One that cannot be asked for may be there."""
    asked: list[str] = []

    def getxattr(_path: object, name: str, *, follow_symlinks: bool = True) -> bytes:
        asked.append(name)
        if failure is not None:
            raise OSError(failure, "")
        return struct.pack("<I", 2)

    monkeypatch.setattr(os, "getxattr", getxattr, raising=False)
    with pytest.raises(Distrust, match="an access list may let others write"):
        walked(group_of_one.folder)
    assert set(asked) == {"system.posix_acl_access"}
    group_of_one.folder.chmod(0o700)
    assert walked(group_of_one.folder) == group_of_one.folder.resolve(), "nobody on the list may write"


@AS_ROOT
@pytest.mark.parametrize("how", ["setfacl", "setxattr"])
def test_a_real_access_list_is_seen(group_of_one: SimpleNamespace, how: str) -> None:
    """Which lets one other user write."""
    folder = group_of_one.folder
    folder.chmod(0o700)
    if how == "setfacl":
        if shutil.which("setfacl") is None:
            pytest.skip("setfacl is not installed")
        subprocess.run(["setfacl", "-m", f"u:{SOMEBODY}:rwx", str(folder)], check=True)
    else:
        nobody = 0xFFFFFFFF
        entries = [(1, 7, nobody), (2, 7, SOMEBODY), (4, 0, nobody), (16, 7, nobody), (32, 0, nobody)]
        packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
        try:
            os.setxattr(folder, "system.posix_acl_access", packed)
        except (AttributeError, OSError):
            pytest.skip("the file system has no access lists")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o770
    with pytest.raises(Distrust, match="an access list may let others write"):
        walked(folder)


@AS_ROOT
@pytest.mark.parametrize("level", ["a", "a/b"])
def test_a_level_of_another_user_is_refused(tmp_path: Path, level: str) -> None:
    (tmp_path / "a/b").mkdir(parents=True, mode=0o700)
    os.chown(tmp_path / level, SOMEBODY, SOMEBODY)
    with pytest.raises(Distrust, match="belongs to another user"):
        walked(tmp_path / "a/b")


def test_a_folder_for_everyone_with_the_sticky_bit_may_be_on_the_way_but_not_at_its_end(tmp_path: Path) -> None:
    """As /tmp is: there, nobody can move what is somebody else's."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert walked(shared / "own", make=True) == shared.resolve() / "own"
    assert walked(shared, shared=True) == shared.resolve()
    with pytest.raises(Distrust, match="everyone may write"):
        walked(shared)


@AS_ROOT
@pytest.mark.parametrize(("mode", "who"), [(0o1770, "a group"), (0o1775, "a group"), (0o1702, "everyone")])
def test_a_sticky_folder_that_a_group_may_write_is_refused_at_the_end_too(tmp_path: Path, mode: int, who: str) -> None:
    """On the way it is as good as /tmp; at the end others could add entries to it."""
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chown(shared, 0, 12345)
    shared.chmod(mode)
    assert walked(shared / "own", make=True) == shared.resolve() / "own"
    with pytest.raises(Distrust, match=f"{who} may write"):
        walked(shared)
    with pytest.raises(Distrust, match=f"{who} may write"):
        walked(shared, make=True)


@AS_ROOT
def test_what_others_have_made_in_a_shared_folder_first_is_refused(tmp_path: Path) -> None:
    """A folder or a link under the name that would be made."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "folder").mkdir(mode=0o700)
    (tmp_path / "theirs").mkdir()
    (shared / "link").symlink_to(tmp_path / "theirs")
    for name in ("folder", "link"):
        os.chown(shared / name, SOMEBODY, SOMEBODY, follow_symlinks=False)
        with pytest.raises(Distrust):
            walked(shared / name / "kernels", make=True)
    assert list((tmp_path / "theirs").iterdir()) == []


def test_links_of_this_user_are_followed_and_what_they_lead_to_is_looked_at(tmp_path: Path) -> None:
    """A home that is a link works; a link to a folder that others may write does not."""
    (tmp_path / "disk" / "home").mkdir(parents=True)
    (tmp_path / "home").symlink_to("disk/home")
    (tmp_path / "disk" / "up").symlink_to("../home")
    assert walked(tmp_path / "home" / "cache", make=True) == tmp_path.resolve() / "disk/home/cache"
    assert walked(tmp_path / "disk" / "up" / "cache") == tmp_path.resolve() / "disk/home/cache"
    (tmp_path / "disk").chmod(0o777)
    with pytest.raises(Distrust, match=r"disk$"):
        walked(tmp_path / "home" / "cache")


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(Distrust):
        walked(tmp_path / "a" / "x", make=True)


def test_only_files_that_nobody_else_may_write_are_ours(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.touch(0o600)
    link.symlink_to(file)
    assert is_ours(file.lstat())
    assert not is_ours(link.lstat())
    for mode in (0o620, 0o602):
        file.chmod(mode)
        assert not is_ours(file.lstat())


@AS_ROOT
def test_a_file_of_another_user_is_not_ours(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch(0o600)
    os.chown(file, SOMEBODY, SOMEBODY)
    assert not is_ours(file.lstat())
