"""Whose fault is it? An error that nobody foresaw is explained by the matter, if the matter is wrong.

Questions check what they read. Where a forged matter still leads to an error deep inside, the whole matter is examined;
if something is wrong with it, the user is told that, and not that truecopy has a mistake. If nothing is, the error goes
on as it is: then it is ours.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from sqlalchemy.exc import InvalidRequestError

from truecopy.errors import MatterError, TruecopyError
from truecopy.matter.sql.cells import HINT

C = TypeVar("C")

_NOT_FORESEEN = (
    AssertionError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError,
    InvalidRequestError,
)  # fmt: skip
_SEEN = "_truecopy_examined"
_NOT_WORK = ("snapshot", "asking", "verify")
"""Methods that only open something, or examine by themselves."""


def explained_methods(cls: type[C]) -> type[C]:
    """Let every public method of a matter explain errors that nobody foresaw."""
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType) and not name.startswith("_") and name not in _NOT_WORK:
            setattr(cls, name, _explained(method))
    return cls


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except TruecopyError:
            raise
        except _NOT_FORESEEN as error:
            if not hasattr(error, _SEEN):  # one method calls another
                setattr(error, _SEEN, True)
                wrong = _wrong(self)
                if wrong:
                    raise MatterError(f"The matter {self.path} is damaged: {wrong}", HINT) from error
            raise

    return called


def _wrong(matter: Any) -> str:
    """The first thing that is wrong with a matter; "" if nothing is."""
    from truecopy.matter.doctor.examined import examine

    found = examine(matter._store, thorough=False) or examine(matter._store)
    return found[0] if found else ""
