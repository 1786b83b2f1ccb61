"""OCR inside a parser's process: the pictures of one file, by the Tesseract that kreuzberg has built in.

Two settings matter. Its cache is off, because it keeps the texts of documents on the disk. Its own turning of pages is
off, because it ends the process; a page that cannot be read is tried again with Tesseract's own detection.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from truecopy.read.ocr import Engine, find
from truecopy.read.packages import BROKEN, Package
from truecopy.read.parsers import Refused
from truecopy.read.pictures import MEDIA, frame, size_of, type_of

_AS_DRAWN, _ON_ITS_SIDE = 3, 1
"""Tesseract's page segmentation modes: automatic; automatic, with the direction of the script."""
_SURE, _GUESSED = 60, 40
"""Mean confidence of words (0 to 100): below the first another direction is tried, below the second it is not text."""
_SMALL = 1_700
"""A picture of a page with fewer dots on its longer side is enlarged: its letters are too small for Tesseract."""
_UNSCALED, _ENLARGED = 72, 200


def recognize(label: str, data: bytes, names: Sequence[str]) -> list[tuple[str, str]]:
    """The texts of a file's pictures, by their names; those that OCR fails on are left out."""
    engine = find()
    if engine is None:
        raise Refused("OCR is not installed")
    os.environ["TESSDATA_PREFIX"] = str(engine.folder)
    found = []
    for name, picture in _pictures(label, data, names):
        text = _text(picture, engine)
        if text is not None:
            found.append((name, text))
    return found


def _pictures(label: str, data: bytes, names: Sequence[str]) -> list[tuple[str, bytes]]:
    if label == "PDF":
        from truecopy.read.pages import page_pictures

        pages = page_pictures(data, [int(name) for name in names])
        return [(str(number), picture) for number, picture in pages.items()]
    if type_of(data):
        return [(name, frame(data, int(name)) if name else data) for name in names]
    found = []
    try:
        with Package(data) as package:
            for name in names:
                found.append((name, package.read(name)))
    except BROKEN:
        pass  # what could be unpacked is read
    return found


def _text(picture: bytes, engine: Engine) -> str | None:
    """What is written in a picture; None where OCR fails."""
    size = size_of(picture)
    if size is None:
        return None
    dots = _UNSCALED if max(size) >= _SMALL else _ENLARGED
    best = _attempt(picture, engine, dots, _AS_DRAWN)
    if (best is None or best[0] < _SURE) and engine.sees_rotation:
        again = _attempt(picture, engine, dots, _ON_ITS_SIDE)
        best = max(filter(None, (best, again)), default=None)
    if best is None:
        return None
    confidence, text = best
    return text if confidence >= _GUESSED else ""


def _attempt(picture: bytes, engine: Engine, dots: int, mode: int) -> tuple[float, str] | None:
    import kreuzberg

    languages = "+".join(engine.languages)
    tesseract = kreuzberg.TesseractConfig(
        language=languages,
        psm=mode,
        output_format="text",
        enable_table_detection=False,
        use_cache=False,
        preprocessing=kreuzberg.ImagePreprocessingConfig(target_dpi=dots, auto_rotate=False, deskew=False),
    )
    config = kreuzberg.ExtractionConfig(  # type: ignore[call-arg] # its stubs do not know disable_ocr
        output_format="plain",
        use_cache=False,
        disable_ocr=False,
        enable_quality_processing=False,
        ocr=kreuzberg.OcrConfig(language=languages, tesseract_config=tesseract),
    )
    try:
        result = kreuzberg.extract_bytes_sync(picture, MEDIA[type_of(picture)], config)
    except (kreuzberg.KreuzbergError, RuntimeError, ValueError, OSError, KeyError):
        return None
    return _confidence(result.metadata), str(result.content)


def _confidence(metadata: Any) -> float:
    """How sure Tesseract is of the words; sure where it does not say."""
    value = metadata.get("mean_text_conf") if hasattr(metadata, "get") else None
    return float(value) if isinstance(value, int | float) else 100.0
