"""How much memory joining texts may take: what was asked for, else half of what there is."""

from __future__ import annotations

import re
from pathlib import Path

from truecopy.errors import BadSetting

LEAST = 100_000_000
"""Bytes below which a run would spend its time on cutting work into pieces."""
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
_SIZE = re.compile(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([KMGT]I?)?B?\s*", re.IGNORECASE | re.ASCII)
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says how much a container may use."""


def memory_allowed(memory: int | str | None) -> int:
    """Bytes: a number of them, or a size such as 4GB; half of the machine's memory if nothing is said.

    >>> memory_allowed("1.5 GB")
    1500000000
    """
    if memory is None:
        return max(machine_memory() // 2, LEAST)
    found = _SIZE.fullmatch(str(memory)) if not isinstance(memory, bool) else None
    if found is None:
        raise BadSetting(f"The memory is {memory!r}, but a size was expected.", "Give one such as 4GB or 800MB.")
    size = int(float(found[1]) * _UNITS[(found[2] or "").upper()])
    if size < LEAST:
        raise BadSetting(
            f"The memory is {memory}, but joining texts needs at least {LEAST // 10**6} MB.",
            "Allow more, or leave it out.",
        )
    return size


def machine_memory() -> int:
    """Bytes of memory that this machine has, or that this process may use of it."""
    import psutil

    return min([int(psutil.virtual_memory().total), *_contained()])


def _contained() -> list[int]:
    """What the container that this process is in may use, if it is in one."""
    found = []
    for path in _LIMITS:
        try:
            said = Path(path).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
        if said.isdigit() and int(said) > 0:  # without a limit it says "max", or a number that no machine has
            found.append(int(said))
    return found
