"""Writes the synthetic data room: a folder of documents, and beside it the truth about them.

The same seed gives the same bytes on every machine and under every Python version.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from truecopy.demo import families
from truecopy.demo.agreements import AGREEMENTS, AgreementType
from truecopy.demo.families import Recipe, open_case
from truecopy.demo.mail import thread
from truecopy.demo.odd import COUNT, odd_ones
from truecopy.demo.room import RELATION, DataRoom
from truecopy.errors import BadSetting, UsageError
from truecopy.plainfiles import make_new, part_of
from truecopy.stopping import check, cleaning_up
from truecopy.troubles import writing

MADE_BY = "truecopy demo"
PUBLIC = 0o666
"""What the umask takes from: nothing here is confidential, so these files have the modes of any other file. The matter
that a scan makes of them is private like every matter."""
FEWEST, MOST = 50, 10_000
# One round of recipes, each with the number of its documents; rounds follow until the room is full.
ROUND: tuple[tuple[Recipe, int], ...] = (
    (families.negotiation, 8),
    (families.single, 1),
    (families.copies, 4),
    (families.single, 1),
    (families.forms, 5),
    (families.single, 1),
    (thread, 6),
    (families.single, 1),
    (families.renewals, 3),
    (families.excerpts, 3),
    (families.single, 1),
    (families.scans, 3),
    (families.inserted, 2),
    (families.single, 1),
    (families.elaborated, 2),
)
# What is signed by many on one form, and what is renewed: nobody renews a settlement.
FITTING: dict[Recipe, tuple[str, ...]] = {
    families.forms: ("employment", "nda", "distribution"),
    families.renewals: ("lease", "licence", "services", "supply", "loan"),
}


@dataclass(frozen=True, slots=True)
class Dataroom:
    """What was written: the folder to scan, and the truth beside it."""

    folder: Path
    truth: Path
    documents: int
    """As a scan counts them: files and attachments of e-mails."""
    by_format: dict[str, int]


def write_dataroom(folder: Path, documents: int = 400, seed: int = 7) -> Dataroom:
    """Writes this many documents into the folder, and `FOLDER-truth.json` beside it.

    An earlier demo data room in the same folder is replaced; any other content is refused.
    """
    if not FEWEST <= documents <= MOST:
        raise BadSetting(
            f"A demo data room of {documents} documents was asked for; it has {FEWEST} to {MOST:,}.",
            f"Give a number from {FEWEST} to {MOST:,}.",
        )
    folder = Path(folder).resolve()
    truth = folder.with_name(f"{folder.name}-truth.json")
    earlier = _earlier_files(folder, truth)
    room = furnished(documents, seed)
    for path in earlier:
        path.unlink()
    # The truth first: whatever is in the folder when we are interrupted is listed in it.
    with writing(folder):
        _write_truth(truth, _truth(room))
        for entry in room.entries:
            check()
            if entry.content is not None:
                path = folder / entry.path
                path.parent.mkdir(parents=True, exist_ok=True)
                with make_new(path, PUBLIC) as file:
                    file.write(entry.content)
    _remove_empty_folders(folder)
    formats = Counter(PurePosixPath(entry.path).suffix[1:] for entry in room.entries)
    return Dataroom(folder, truth, len(room.entries), dict(sorted(formats.items())))


def _write_truth(truth: Path, content: bytes) -> None:
    truth.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(truth)
    try:
        with cleaning_up(lambda: part.unlink(missing_ok=True)):
            with make_new(part, PUBLIC) as file:
                file.write(content)
            part.replace(truth)
    finally:
        part.unlink(missing_ok=True)


def furnished(documents: int, seed: int) -> DataRoom:
    """The room with this many documents, not yet written."""
    room = DataRoom(seed)
    odd_ones(room)
    left = documents - COUNT
    case = step = 0
    while left:
        check()
        recipe, size = ROUND[step % len(ROUND)]
        if size > left:
            recipe, size = families.single, 1
        recipe(open_case(room, case, _agreement_for(recipe, case, step // len(ROUND))))
        left -= size
        case, step = case + 1, step + 1
    return room


def _agreement_for(recipe: Recipe, case: int, round_: int) -> AgreementType:
    """The types of agreement that fit the recipe take turns; each round starts with the next one."""
    fitting = FITTING.get(recipe)
    if fitting is None:
        return AGREEMENTS[(case + round_) % len(AGREEMENTS)]
    wanted = fitting[round_ % len(fitting)]
    return next(agreement for agreement in AGREEMENTS if agreement.name == wanted)


def _truth(room: DataRoom) -> bytes:
    documents = [
        {"path": entry.path, "family": entry.family, "kind_of_document": entry.kind_of_document}
        | ({"status": entry.status} if entry.status else {})
        for entry in sorted(room.entries, key=lambda entry: entry.path)
    ]
    pairs = [{"a": a, "b": b, "kind": kind, "relation": RELATION[kind]} for a, b, kind in sorted(room.pairs)]
    content = {"made_by": MADE_BY, "seed": room.seed, "documents": documents, "pairs": pairs}
    return (json.dumps(content, indent=1) + "\n").encode()


def _earlier_files(folder: Path, truth: Path) -> list[Path]:
    """The files of an earlier demo data room; refuses a folder or a truth that is something else."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; a folder was expected.", "Give a new or an empty folder.")
    found = sorted(folder.rglob("*")) if folder.exists() else []
    files = [path for path in found if path.is_symlink() or not path.is_dir()]
    if not files and not truth.exists():
        return []
    listed = _listed(truth)
    if {path.relative_to(folder).as_posix() for path in files} - listed or not listed:
        raise UsageError(
            f"{folder} is not empty and holds more than an earlier demo data room.",
            "Give a new or an empty folder.",
        )
    return files


def _listed(truth: Path) -> set[str]:
    """The paths that an earlier demo wrote; none where the file is something else."""
    try:
        content = json.loads(truth.read_bytes())
        if content["made_by"] == MADE_BY:
            return {document["path"] for document in content["documents"]}
    except (ValueError, KeyError, TypeError, OSError):
        pass
    return set()


def _remove_empty_folders(folder: Path) -> None:
    """Folders that only an earlier data room needed."""
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
