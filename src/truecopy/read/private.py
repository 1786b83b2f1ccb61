"""A temporary folder of our own for parser processes.

kreuzberg unpacks its PDF library into the temporary folder and loads a library that is there already if it has the
right size. If users share that folder, one of them could leave a library there for another to run.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def temporary_folder() -> dict[str, str]:
    """The variable that sends a process to a folder that belongs to this user and that no other user may enter.

    Nothing where each user has a private temporary folder, as on Windows.
    """
    if not hasattr(os, "getuid"):
        return {}
    folder = Path(tempfile.gettempdir()) / f"truecopy-parsers-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    except OSError:
        ours = False
    return {"TMPDIR": str(folder) if ours else tempfile.mkdtemp(prefix="truecopy-parsers-")}
