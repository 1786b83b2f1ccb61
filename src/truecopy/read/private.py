"""What a parser's process has for itself: a fresh folder as temporary folder, home and working folder.

kreuzberg unpacks its PDF library into the temporary folder, and loads a library that is there already if it has the
right size; it makes caches in the home. Others look for settings in the working folder, which may be evidence. So
each process gets a folder of its own, which nobody else can enter and which goes with the process.

One folder for each process, not one for all: a document that takes over its parser could otherwise leave a library for
the next. Unpacking it again costs each process that reads PDFs about ten milliseconds.
"""

from __future__ import annotations

import os
import site
from collections.abc import Mapping
from pathlib import Path

from truecopy.read.ocr import find

_TEMPORARY = ("TMPDIR", "TEMP", "TMP", "SQLITE_TMPDIR")
_HOME = (
    *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
)
_DROPPED = ("KREUZBERG_", "HF_", "ORT_")
"""Settings of libraries that name other folders and files."""
_NOWHERE = "http://127.0.0.1:9"


def environment(folder: Path, package: Path, given: Mapping[str, str], *, ocr: bool = False) -> dict[str, str]:
    """The variables of a parser's process, made from those of its parent."""
    kept = {name: value for name, value in given.items() if not name.startswith(_DROPPED)}
    if ocr and (engine := find()) is not None:  # it may be in the home that the process does not know
        kept["TESSDATA_PREFIX"] = str(engine.folder.absolute())
    if site.ENABLE_USER_SITE:  # and so may the packages
        kept["PYTHONUSERBASE"] = site.getuserbase()
    return {
        **kept,
        **dict.fromkeys((*_TEMPORARY, *_HOME), str(folder)),
        "PYTHONPATH": os.pathsep.join([str(package), *_import_paths(given.get("PYTHONPATH", ""))]),
        # Several processes share the machine: none may start a thread for each core.
        "RAYON_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
        "MALLOC_ARENA_MAX": "2",
        # No model is fetched over the network, even where the process cannot give it up by itself.
        "HF_HUB_OFFLINE": "1",
        "HF_ENDPOINT": _NOWHERE,
        "HTTP_PROXY": _NOWHERE,
        "HTTPS_PROXY": _NOWHERE,
        "ALL_PROXY": _NOWHERE,
    }


def _import_paths(given: str) -> list[str]:
    """The folders of PYTHONPATH; an empty entry means the working folder, and is hardly ever meant."""
    return [os.path.abspath(path) for path in given.split(os.pathsep) if path]  # noqa: PTH100 (links stay)
