"""A process gives up writing everywhere but in one folder (Linux, Landlock), for good.

Documents can take a parser over. The process that parses needs to read its libraries, fonts and language files, and
to write temporary files. So before it sees the first document it tells the kernel to refuse everything else: making,
changing, removing or renaming files outside its own folder, starting programs, TCP connections, and signals to
processes outside. Programs that it might start would be held to the same. Root is held to it too.

Landlock does not know of: modes, owners and times of files (they can still be changed), and sockets that are files. The
kernel's interface is described in https://docs.kernel.org/userspace-api/landlock.html; the C library has no functions
for it, so the system calls are made by their numbers, which are the same on every processor but one.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION, _BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38

_EXECUTE, _WRITE = 1 << 0, 1 << 1
_REMOVE = 1 << 4 | 1 << 5
_MAKE_FOLDER, _MAKE_FILE, _MAKE_LINK = 1 << 7, 1 << 8, 1 << 12
_MAKE_OTHERS = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11
"""Devices, sockets, pipes."""
_MOVE, _TRUNCATE, _DEVICE = 1 << 13, 1 << 14, 1 << 15
"""Rights that later versions of Landlock know: 2, 3, 5."""
_TCP = 1 << 0 | 1 << 1
_SOCKETS_AND_SIGNALS = 1 << 0 | 1 << 1


def version() -> int:
    """The version of Landlock that this kernel has and lets a process use; 0 for none."""
    if not sys.platform.startswith("linux") or platform.machine() == "alpha":
        return 0
    return max(0, _call(_CREATE, None, 0, _VERSION))


def confine(folder: Path | None) -> bool:
    """Let this thread, and all that it starts, write below the folder and nowhere else; False where nothing was done.

    It must be called before the process has other threads, which would stay free.
    """
    known = version()
    if known < 1:
        return False
    later = (_MOVE if known >= 2 else 0) | (_TRUNCATE if known >= 3 else 0)
    inside = _WRITE | _REMOVE | _MAKE_FOLDER | _MAKE_FILE | _MAKE_LINK | later
    handled = inside | _MAKE_OTHERS | _EXECUTE | (_DEVICE if known >= 5 else 0)
    ruleset = _call(_CREATE, *_ruleset(known, handled), 0)
    if ruleset < 0:
        return False
    try:
        allowed = _allow(ruleset, os.devnull, _WRITE | (later & _TRUNCATE))
        if folder is not None:
            allowed = allowed and _allow(ruleset, str(folder), inside)
        libc = ctypes.CDLL(None, use_errno=True)
        if not allowed or libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        return _call(_RESTRICT, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _ruleset(known: int, handled: int) -> tuple[ctypes.Array[ctypes.c_char], int]:
    """What the kernel is to look at, in the form of the version that it has, and how long that is."""
    fields = [handled]
    if known >= 4:
        fields.append(_TCP)
    if known >= 6:
        fields.append(_SOCKETS_AND_SIGNALS)
    packed = struct.pack(f"={len(fields)}Q", *fields)
    return ctypes.create_string_buffer(packed, len(packed)), len(packed)


def _allow(ruleset: int, path: str, rights: int) -> bool:
    place = os.open(path, os.O_PATH)
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        return _call(_ADD_RULE, ruleset, _BENEATH, rule, 0) == 0
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return int(libc.syscall(ctypes.c_long(number), *given))
