"""Files and folders that are reached by no link: what a scan reads is what is in the folder that it was given.

A link below a scanned folder may lead anywhere: to a private folder of the reader, if a stranger has made it. So links
are listed and not followed, unless the user asks for it. What the user names is followed: the name was the choice.

Between listing and reading, somebody may put a link in the place of a file or of a folder above it. A file is therefore
read only if it is the very file that was listed (by device and inode). If it is another one (an editor has saved it
again, say), it is opened anew, folder by folder from the one that was given, and no step may be a link. Folders are
listed in that way from the start. Windows has no such steps: there the path is looked at for links before it is opened.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

NOT_FOLLOWED = "a link, not followed: --follow-links follows it"
"""The reason of a link that was found below a folder."""
READ_ALREADY = "a link, not followed: the folder that it leads to is read already"
"""The reason of a link where links are followed: it leads back, or to where another path has led."""
LEFT_OUT = "a link, not followed: it leads to the matter, which is left out"
CIRCLE = "a link, not followed: it leads back to itself"
SKIPPED_LINKS = frozenset({NOT_FOLLOWED, READ_ALREADY, LEFT_OUT, CIRCLE})
"""All reasons of links that were not followed."""
# Non-blocking, so that a pipe that has since taken the file's place cannot block the run; binary, because Windows
# would end a file at Ctrl-Z and change its line ends. A system without a flag does not need it.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"):
    _FLAGS |= getattr(os, _name, 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS_NO_LINK = _FLAGS | _NO_LINK
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_STEPS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and bool(_NO_LINK)
"""Whether the system opens a file relative to an open folder."""
_SURROGATE = 0x20000000
"""The bit of Windows' reparse tags that says that a name stands for another one: links and junctions have it, files
that are fetched from a cloud when they are opened do not."""


class LinkInTheWayError(OSError):
    """A link is where a file or folder was."""


class Guard(NamedTuple):
    """What a file must be when it is opened: the one that was listed, or one below the folder, reached by no link."""

    folder: str
    below: str
    """Its path below the folder, as the system has it."""
    device: int
    inode: int


def is_link(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder is a link; on Windows also a junction."""
    if entry.is_symlink():
        return True
    return os.name == "nt" and _is_reparsed(entry.stat(follow_symlinks=False))


def _is_reparsed(about: os.stat_result) -> bool:
    return bool(getattr(about, "st_reparse_tag", 0) & _SURROGATE)


def open_file(location: str, guard: Guard | None) -> int:
    """A handle for reading; without a guard, links are followed."""
    return open_known(location, guard)[0]


def open_known(location: str, guard: Guard | None) -> tuple[int, os.stat_result]:
    """The same, and what the system says of what was opened: whoever needs that need not ask again."""
    if guard is None:
        return _known(os.open(location, _FLAGS))
    if not _STEPS:
        _refuse_links(guard)
    try:
        handle = os.open(location, _FLAGS_NO_LINK)
    except OSError:
        if not _STEPS:
            raise
        return _known(_stepped(guard.folder, guard.below, 0))  # which says what is wrong, if anything still is
    known = _known(handle)
    about = known[1]
    if not _STEPS or (about.st_ino == guard.inode and about.st_dev == guard.device):
        return known
    os.close(handle)
    return _known(_stepped(guard.folder, guard.below, 0))


def _known(handle: int) -> tuple[int, os.stat_result]:
    try:
        return handle, os.fstat(handle)
    except OSError:
        os.close(handle)
        raise


@contextlib.contextmanager
def open_folder(root: str, below: str, location: str, follow: bool) -> Iterator[int | str]:
    """A folder to be listed: a handle, where the system can go to it step by step, else its path."""
    if follow or not _STEPS:
        yield location
        return
    handle = _stepped(root, below, _FOLDER)
    try:
        yield handle
    finally:
        os.close(handle)


def _stepped(folder: str, below: str, last: int) -> int:
    """Open what is below a folder, step by step; no step but the folder itself may be a link."""
    steps = below.split("/") if below else []
    handle = os.open(folder, _FLAGS | _FOLDER)
    try:
        for place, name in enumerate(steps, 1):
            more = last if place == len(steps) else _FOLDER
            try:
                inner = os.open(name, _FLAGS_NO_LINK | more, dir_fd=handle)
            except OSError:
                if stat.S_ISLNK(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
                    raise LinkInTheWayError from None
                raise
            os.close(handle)
            handle = inner
    except BaseException:
        os.close(handle)
        raise
    return handle


def _refuse_links(guard: Guard) -> None:
    """Raise if a step to a file is a link by now. Whoever is quick can still put one there afterwards."""
    path = guard.folder
    for name in guard.below.split("/"):
        path = os.path.join(path, name)  # noqa: PTH118
        about = os.lstat(path)
        if stat.S_ISLNK(about.st_mode) or _is_reparsed(about):
            raise LinkInTheWayError
