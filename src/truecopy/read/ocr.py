"""The OCR engine: where it is, which languages it knows, whether it works, and how to install it.

kreuzberg has Tesseract built in. What a machine must add are Tesseract's language files (`eng.traineddata` and so on),
which come with every installation of Tesseract.

find        the language files on this machine
probe       really recognize a small picture, in a parser's process like any other
require     refuse to start without a working engine
install     the command that installs one here
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from truecopy.errors import MissingExtra, UsageError

SAMPLE = Path(__file__).with_name("ocr-sample.png")
SAMPLE_SAYS = "1847"
"""Figures that are written in the sample: every language has them."""
LANGUAGES = "TRUECOPY_OCR_LANGUAGES"
"""The environment variable that chooses languages, such as `eng+deu`."""
_MOST_LANGUAGES = 4
"""Every language takes time: if more than these are installed, only English is used unless others are chosen."""
# Not languages: page orientation, equations.
_NO_LANGUAGE = frozenset(("osd", "equ"))
_UNIX = (
    *("/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata"),
    *("/usr/share/tesseract/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata"),
    *("/opt/local/share/tessdata", "/home/linuxbrew/.linuxbrew/share/tessdata"),
)
_LINUX_INSTALL = {
    "apt-get": "sudo apt-get install tesseract-ocr",
    "dnf": "sudo dnf install tesseract",
    "zypper": "sudo zypper install tesseract-ocr",
    "pacman": "sudo pacman -S tesseract tesseract-data-eng",
    "apk": "sudo apk add tesseract-ocr tesseract-ocr-data-eng",
}


@dataclass(frozen=True, slots=True)
class Engine:
    """An installed engine."""

    folder: Path
    """Where the language files are."""
    installed: tuple[str, ...]
    languages: tuple[str, ...]
    """The languages that texts are read in."""

    @property
    def sees_rotation(self) -> bool:
        """Whether it can tell that a page lies on its side."""
        return (self.folder / "osd.traineddata").is_file()


@dataclass(frozen=True, slots=True)
class Probe:
    """What became of an attempt to recognize the sample."""

    engine: Engine | None
    works: bool
    version: str = ""
    problem: str = ""


def find() -> Engine | None:
    """The engine on this machine; None where there is none."""
    for folder in _folders():
        try:
            names = sorted(path.name.removesuffix(".traineddata") for path in folder.glob("*.traineddata"))
        except OSError:
            continue
        installed = tuple(name for name in names if name not in _NO_LANGUAGE)
        if installed:
            return Engine(folder, installed, _chosen(installed))
    return None


def _folders() -> list[Path]:
    given = os.environ.get("TESSDATA_PREFIX")
    if given:
        return [Path(given), Path(given) / "tessdata"]
    folders = [Path(place) for place in _UNIX] if os.name != "nt" else []
    for variable in ("ProgramFiles", "ProgramFiles(x86)", "ProgramData"):
        if variable in os.environ:
            folders.append(Path(os.environ[variable]) / "Tesseract-OCR" / "tessdata")
    if "LOCALAPPDATA" in os.environ:
        folders.append(Path(os.environ["LOCALAPPDATA"]) / "Programs" / "Tesseract-OCR" / "tessdata")
    program = shutil.which("tesseract")
    if program:
        # Other installers (conda, scoop, nix) put it beside the program.
        home = Path(program).resolve().parent
        folders += [home / "tessdata", home.parent / "share" / "tessdata"]
    return folders


def _chosen(installed: tuple[str, ...]) -> tuple[str, ...]:
    chosen = tuple(name for name in _asked() if name in installed)
    if chosen:
        return chosen
    # English first: Tesseract prefers the first where two fit.
    ordered = sorted(installed, key=lambda name: (name != "eng", name))
    return tuple(ordered if len(ordered) <= _MOST_LANGUAGES else ordered[:1])


def _asked() -> list[str]:
    return [name for name in re.split(r"[+,\s]+", os.environ.get(LANGUAGES, "")) if name]


def install() -> str:
    """The command that installs an engine on this machine."""
    if sys.platform == "win32":
        return "winget install UB-Mannheim.TesseractOCR"
    if sys.platform == "darwin":
        return "brew install tesseract"
    for manager, command in _LINUX_INSTALL.items():
        if shutil.which(manager):
            return command
    return _LINUX_INSTALL["apt-get"]


def probe() -> Probe:
    """Recognize the sample, in the way that documents are."""
    from truecopy.read.file_types import file_type_of
    from truecopy.read.recognize import Recognizer
    from truecopy.read.settings import ReadSettings
    from truecopy.read.unsearched import Beside, Picture

    engine = find()
    if engine is None:
        return Probe(None, False, problem="not installed")
    sample = SAMPLE.read_bytes()
    recognizer = Recognizer(ReadSettings(threads=1, ocr=True))
    try:
        text, _ = recognizer.complete(file_type_of(SAMPLE.name, sample), sample, b"", Beside((Picture(""),)))
    finally:
        recognizer.close()
    if SAMPLE_SAYS not in text.decode():
        return Probe(engine, False, engine_version(), "it does not recognize the text of a test picture")
    return Probe(engine, True, engine_version())


def require() -> None:
    """Refuse to start where pictures cannot be read: better now than after a night's run."""
    found = probe()
    missing = [name for name in _asked() if found.engine is not None and name not in found.engine.installed]
    if missing and found.engine is not None:
        raise UsageError(
            f"{LANGUAGES} asks for {', '.join(missing)}, but installed are: {', '.join(found.engine.installed)}.",
            f"Install the language, or choose others with {LANGUAGES}.",
        )
    if found.works:
        return
    if found.engine is None:
        raise MissingExtra(
            "OCR was asked for, but no OCR engine (Tesseract) is installed on this machine.",
            f"Install one with: {install()}",
        )
    raise MissingExtra(
        f"OCR was asked for, but the engine in {found.engine.folder} does not work: {found.problem}.",
        f"Install it again with: {install()}",
    )


def engine_version() -> str:
    """The engine and its version, as far as it is known."""
    from importlib import metadata

    return f"Tesseract, built into kreuzberg {metadata.version('kreuzberg')}"
