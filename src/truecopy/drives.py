"""Is a folder on a network drive? Each system has its own way to say so.

Linux    /proc/mounts names the file system of each mount
macOS    `mount` prints it
Windows  a path `\\\\server\\share` says it itself; of a drive letter, GetDriveTypeW knows
"""

from __future__ import annotations

import ctypes
import ntpath
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

_NETWORK = ("nfs", "cifs", "smb", "9p", "afs", "fuse.sshfs", "ncpfs", "ceph", "glusterfs", "webdav", "macfuse")
_ESCAPED = re.compile(r"\\([0-7]{3})")
_MACOS_MOUNT = re.compile(r"^.* on (/.*) \((\w+)(?:,.*)?\)$")
_REMOTE = 4
"""What GetDriveTypeW answers for a network drive."""


def network_drive(folder: Path) -> str:
    """The type of network drive that a folder is on; "" for a local disk, or if the system does not say."""
    if sys.platform == "win32":
        # As it was given, and where that leads: a link may cross to the network, a drive letter may hide it.
        forms = (os.path.abspath(folder), os.path.realpath(folder))  # noqa: PTH100
        return next(filter(None, (on_windows(form, _drive_type) for form in forms)), "")
    target = os.path.realpath(folder)
    try:
        if sys.platform == "darwin":
            return on_macos(target, _macos_mounts())
        return on_linux(target, Path("/proc/mounts").read_text("utf-8", "replace"))
    except (OSError, subprocess.SubprocessError):
        return ""


def on_linux(target: str, mounts: str) -> str:
    """The network file system of a path, by the lines of /proc/mounts."""
    points = []
    for line in mounts.splitlines():
        parts = line.split()
        if len(parts) >= 3:
            points.append((_ESCAPED.sub(lambda found: chr(int(found[1], 8)), parts[1]), parts[2]))
    return _network(target, points)


def on_macos(target: str, mounts: str) -> str:
    """The same by the lines of `mount`: `//me@server/share on /Volumes/share (smbfs, nodev, nosuid)`."""
    found = (_MACOS_MOUNT.match(line) for line in mounts.splitlines())
    return _network(target, [(one[1], one[2]) for one in found if one])


def on_windows(target: str, drive_type: Callable[[str], int]) -> str:
    """The same by the form of the path, or by the type of its drive."""
    plain = target.replace("/", "\\")
    for prefix, instead in (("\\\\?\\UNC\\", "\\\\"), ("\\\\?\\", ""), ("\\\\.\\", "")):
        if plain.upper().startswith(prefix):
            plain = instead + plain[len(prefix) :]
            break
    drive = ntpath.splitdrive(plain)[0]
    if drive.startswith("\\\\"):
        return "a network share"
    return "a mapped network drive" if drive and drive_type(f"{drive}\\") == _REMOTE else ""


def _network(target: str, points: list[tuple[str, str]]) -> str:
    """The file system of the innermost mount that holds the path, if it is one of a network."""
    best, type_ = "", ""
    for point, system in points:
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two mounts at one point the later one is seen
            best, type_ = point, system
    return type_ if type_.startswith(_NETWORK) else ""


def _macos_mounts() -> str:
    return subprocess.run(["/sbin/mount"], check=True, capture_output=True, timeout=10).stdout.decode(errors="replace")


def _drive_type(root: str) -> int:
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    return int(kernel.GetDriveTypeW(ctypes.c_wchar_p(root)))
