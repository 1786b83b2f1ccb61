"""What counts as a finding, and how it is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlalchemy.exc import SQLAlchemyError

from truecopy.errors import DiskTrouble, TruecopyError
from truecopy.matter.sql.files import File
from truecopy.stopping import check

WRONG = (
    TruecopyError, AssertionError, SQLAlchemyError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError,
    RecursionError,
)  # fmt: skip
"""What reading a forged matter may raise, also where no check has foreseen it; each is a finding. Trouble with the disk
says nothing about the matter: it must be let through before these.
"""
MOST = 20
"""How many findings of one sort are listed."""


def first_of(findings: Iterator[str]) -> list[str]:
    """The first findings; the rest is only said to be there, because a forged matter can have any number."""
    found = []
    for finding in findings:
        found.append(finding)
        if len(found) == MOST:
            return [*found, "there is more of this"]
    return found


def about_each(
    files: Iterable[File],
    look: Callable[[File], Iterator[str]],
    said: Callable[[File, BaseException], str] | None = None,
) -> Iterator[str]:
    """What is found in some files; one that cannot be read to its end is a finding, and the next one is read."""
    for file in files:
        check()
        try:
            yield from look(file)
        except DiskTrouble:
            raise
        except WRONG as error:
            yield (said or _said)(file, error)


def _said(file: File, error: BaseException) -> str:
    if isinstance(error, TruecopyError) and file.name in error.message:
        return error.message
    return f"The matter's file {file.name} does not hold what it says it holds ({type(error).__name__})."
