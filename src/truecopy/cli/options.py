"""The options that commands share: one name, one meaning, one sentence of help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from truecopy.access import check_access
from truecopy.errors import BadSetting, NotFound, UnreadableInput, UsageError
from truecopy.hints import DEFAULT_MATTER as _DEFAULT

DEFAULT_MATTER = _DEFAULT


def percent(name: str) -> Callable[[str | float], float]:
    """A parser of thresholds, such as `80`, `80%` or `92.5`; refusals name what was given."""

    def parse(given: str | float) -> float:
        from truecopy.threshold import percentage

        return percentage(given, name)

    return parse


def share(given: str | float) -> float:
    """A percentage that is not a threshold, as typed: it may be small."""
    try:
        return float(str(given).strip().removesuffix("%"))
    except ValueError:
        raise BadSetting(f"{given!r} is not a number.", "Give a percentage such as 5 or 20.") from None


def decimal(given: str | float) -> float:
    """A number that is not a percentage, as typed."""
    try:
        return float(given)
    except ValueError:
        raise BadSetting(f"{given!r} is not a number.", "Give a number such as 0.05.") from None


def matter_folder(given: str | Path) -> Path:
    """The folder of a matter, as typed. An empty name would be the current folder, and mostly is a
    variable of the shell that was never set.
    """
    if given == "":
        raise UsageError("--matter was given an empty name.", "Give the matter's folder; . is the current one.")
    return Path(given)


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Folders, files, glob patterns, .zip or .mbox files; - reads one text from standard input.",
        show_default=False,
    ),
]
Matter = Annotated[Path, typer.Option("--matter", metavar="DIR", parser=matter_folder, help="The matter's folder.")]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="T",
        parser=percent("threshold"),
        help="Similarity in percent, 80 or 80%; the matter's own if left out.",
    ),
]
NewThreshold = Annotated[
    float,
    typer.Option(
        "--threshold",
        metavar="T",
        parser=percent("threshold"),
        help="Documents at least this similar (percent) are grouped.",
    ),
]
Floor = Annotated[
    float | None,
    typer.Option(
        "--floor",
        metavar="F",
        parser=percent("floor"),
        help="Pairs at least this similar are stored, so no later threshold can be lower; "
        "70, or the threshold where that is lower, if left out.",
    ),
]
Recall = Annotated[
    str | None,
    typer.Option(
        "--recall",
        metavar="exact|R",
        help="'exact', or the share of similar pairs to be found, such as 0.999; "
        "if left out, exact where that is affordable.",
    ),
]
Rule = Annotated[
    str,
    typer.Option(
        "--rule",
        metavar="longest|earliest|latest|given",
        help="Which document of a group is its principal; 'given' takes them from --principals.",
    ),
]
Principals = Annotated[
    Path | None,
    typer.Option(
        "--principals", metavar="FILE", help="For --rule given: ids or paths, one per line, first choice first."
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="GLOB", help="Listed as excluded and not compared; may be repeated."),
]
FollowLinks = Annotated[
    bool,
    typer.Option("--follow-links", help="Read what links in folders lead to; otherwise they are listed as excluded."),
]
Encoding = Annotated[
    list[str] | None,
    typer.Option(
        "--encoding",
        metavar="NAME|GLOB=NAME",
        help="What plain texts are in where they do not say it: cp1252, or 'hebrew/**=cp1255' for some paths; "
        "may be repeated, the last that matches counts.",
    ),
]
Ocr = Annotated[bool, typer.Option("--ocr", help="Read scanned pages with OCR (slow).")]
NewAccess = Annotated[
    str,
    typer.Option(
        "--access",
        metavar="private|group|all",
        parser=check_access,
        help="Who may read the matter and its reports: only you, your group too, or everyone.",
    ),
]
Access = Annotated[
    str,
    typer.Option(
        "--access",
        metavar="private|group|all",
        parser=check_access,
        help="Who may read the file that is written: only you, your group too, or everyone.",
    ),
]
MaxMembers = Annotated[
    int | None,
    typer.Option(
        "--max-members",
        metavar="N",
        min=1,
        help="How many documents may come out of one archive or mailbox; 250,000 if left out.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="How many threads; one for each processor if left out."),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="How much memory joining texts may take, such as 4GB; half of the machine's if left out. Texts that need "
        "more are joined in parts, with the same result. Reading and storing them takes some hundred MB besides.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def principals_from(file: Path | None) -> list[str]:
    """The ids and paths in a file of principals, without blank lines."""
    if file is None:
        return []
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise NotFound(f"There is no file of principals at {file}.", "Give one id or path per line.") from None
    except IsADirectoryError:
        raise UsageError(f"{file} is a folder, not a file of principals.", "Give one id or path per line.") from None
    except PermissionError:
        raise UnreadableInput(
            f"You have no permission to read the file of principals {file}.", "Change its permissions."
        ) from None
    except UnicodeDecodeError:
        raise UnreadableInput(f"The file of principals {file} is not UTF-8 text.", "Save it as UTF-8.") from None
    return [line.strip() for line in lines if line.strip()]
