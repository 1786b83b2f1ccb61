"""Files → signatures: what `truecopy sign` does with paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truecopy.progress import SILENT, Progress
from truecopy.read import ReadSettings, discover, read
from truecopy.sign.collect import Unread
from truecopy.sign.families import dated, family, make_spec
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Statistics


def sign_files(
    paths: Sequence[str | Path],
    method: str,
    statistics: Statistics | None = None,
    *,
    settings: ReadSettings | None = None,
    progress: Progress = SILENT,
    **parameters: Any,
) -> tuple[Signatures, list[Unread]]:
    """Read documents and sign them; their paths are the ids. What cannot be read is listed with the reason."""
    settings = settings or ReadSettings()
    make_spec(method, statistics, **{"mean_length": 1, **parameters})  # complain before reading anything
    sources = discover(paths, settings, frozenset())
    texts: list[bytes] = []
    ids: list[str] = []
    dates: list[str] = []
    unsigned: list[Unread] = []
    for batch in read(sources, settings, progress):
        for reading in batch:
            if reading.status:
                unsigned.append(Unread(reading.path, reading.reason))
            else:
                texts.append(reading.text)
                ids.append(reading.path)
                dates.append(reading.date)
    mean = sum(map(len, texts)) / max(len(texts), 1)
    spec = make_spec(method, statistics, **{"mean_length": mean, **parameters})
    progress.start("sign", None, "texts")
    more = {"threads": settings.threads, "ids": ids, **dated(method, dates)}
    signatures: Signatures = family(method).sign(texts, spec, statistics, **more)
    progress.finish()
    return signatures, unsigned
