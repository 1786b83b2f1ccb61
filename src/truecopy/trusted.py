"""Can anybody but this user change what is found under a path? Asked before code is loaded from a folder.

A path is as safe as its weakest level: whoever may write one of the folders on the way can put another folder in the
place of the next. So the way is walked from the root down, and every level is looked at without following links. It
must belong to this user or to root, and nobody else may write it. A folder for everyone with the sticky bit (`/tmp`)
may be on the way, because there only the owner of an entry can move it; the next level then shows whose it is. At the
end it may not be, because there anybody can add entries. A link counts if this user or root made it, and what it points
at is walked in the same way: a `/home` that is a link stays usable.

A group that may write counts as others, but for the group of one that many systems give each user, with a umask that
lets it write. Whether it is one, the system's lists of users and groups say; a directory service that does not list its
users is believed about those that it names. A folder with an access list (POSIX ACL) is no such case: there the bits of
the group are the most that anybody on the list can have.

Looking first and using afterwards leaves no gap: once a level is found safe, nobody else can exchange the one below.

Windows has no owners and modes that could be read like this. There, folders of the user's profile are private by
default, and nothing is checked. The access lists of macOS and of NFSv4 stand beside the modes, and are not read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

_LINKS = 40
"""Links on one way; as many as Linux follows."""
_GROUP, _EVERYONE = 0o020, 0o002
_ACCESS_LIST = "system.posix_acl_access"


class Distrust(OSError):
    """Somebody else could change what is found there; its text says which folder, and why."""


def checks_owners() -> bool:
    """Whether this system tells who may write a folder."""
    return hasattr(os, "getuid")


def walked(path: Path, *, make: bool = False, shared: bool = False) -> Path:
    """The same folder, without links, if every level of the way to it is safe; raises `Distrust` if not.

    `make` makes the levels that are missing, for this user alone. `shared` allows the last one to be a folder for
    everyone or a group with the sticky bit, to make folders in.
    """
    if not checks_owners():
        if make:
            path.mkdir(parents=True, exist_ok=True)
        return path.resolve(strict=True)
    here = Path(path.absolute().anchor)
    found = here.lstat()
    _look_at(here, found)
    waiting = list(reversed(path.absolute().parts[1:]))
    links = 0
    while waiting:
        name = waiting.pop()
        if name == "..":
            here = here.parent  # looked at on the way down
            found = here.lstat()
            continue
        below = here / name
        found = _made(below) if make else below.lstat()
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if links > _LINKS or found.st_uid not in (0, os.getuid()):
                raise Distrust(f"{below} is a link that somebody else made")
            target = below.readlink()
            here = Path(target.anchor) if target.is_absolute() else here
            waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            continue
        _look_at(below, found)
        here = below
    if not shared:
        _look_at_writers(here, found)
    return here


def is_ours(found: os.stat_result) -> bool:
    """Whether a file is a regular one that this user wrote and nobody else may write."""
    if not checks_owners():
        return True
    ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid()
    return ours and not found.st_mode & (_GROUP | _EVERYONE)


def _made(folder: Path) -> os.stat_result:
    try:
        return folder.lstat()
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):  # somebody was faster: it is looked at like any other
            folder.mkdir(mode=0o700)
        return folder.lstat()


def _look_at(folder: Path, found: os.stat_result) -> None:
    if not stat.S_ISDIR(found.st_mode):
        raise Distrust(f"{folder} is not a folder")
    if found.st_uid not in (0, os.getuid()):
        raise Distrust(f"{folder} belongs to another user")
    if not found.st_mode & stat.S_ISVTX:
        _look_at_writers(folder, found)


def _look_at_writers(folder: Path, found: os.stat_result) -> None:
    if found.st_mode & _EVERYONE:
        raise Distrust(f"everyone may write to {folder}")
    if not found.st_mode & _GROUP:
        return  # nor does an access list let anybody write: where there is one, this bit is the most that it can give
    if _has_access_list(folder):
        raise Distrust(f"an access list may let others write to {folder}")
    if not _is_a_group_of_one(found.st_gid):
        raise Distrust(f"a group may write to {folder}")


def _has_access_list(folder: Path) -> bool:
    """Whether the bits for the group stand for users and groups that a list names (POSIX ACL), not for the group."""
    if not hasattr(os, "getxattr"):
        return False
    try:
        return bool(os.getxattr(folder, _ACCESS_LIST, follow_symlinks=False))
    except OSError as error:
        # What cannot be asked counts as a list.
        return error.errno not in (errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP)


def _is_a_group_of_one(group: int) -> bool:
    """Whether a group has this user alone: many systems give everyone such a group, and let groups write by default.

    Users belong to a group because it lists them, or because it is the one that they start with, which no list shows.
    """
    try:
        import grp
        import pwd

        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
        users, groups = pwd.getpwall(), grp.getgrall()
    except (ImportError, KeyError, OSError):
        return False
    if group != user.pw_gid or found.gr_name != user.pw_name:
        return False
    listed = {name for one in (found, *groups) if one.gr_gid == group for name in one.gr_mem}
    return listed <= {user.pw_name} and all(one.pw_uid == user.pw_uid for one in users if one.pw_gid == group)
