"""Keywords that a function does not have are refused by name, with the one that was probably meant.

Python's own message names the keyword too, but not every version suggests another, and it is not a `TruecopyError`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from types import FunctionType
from typing import ParamSpec, TypeVar

from truecopy.errors import UnknownKeyword

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")

_TAKES_ANY = 0x08
"""The flag of a function with `**parameters`."""


def suggestion(given: str, known: Iterable[str], also: Iterable[str] = ()) -> str:
    """What to do about an unknown name: the nearest known one, if any is near, and the full list.

    `also` are names that may have been meant, but are not in the list.

    >>> suggestion("treshold", ["floor", "threshold"])
    'Did you mean threshold? It has: floor, threshold.'
    >>> suggestion("colour", ["floor"])
    'It has: floor.'
    """
    names = list(known)
    near = get_close_matches(given, [*names, *also], 1)
    return f"{f'Did you mean {near[0]}? ' if near else ''}It has: {', '.join(names)}."


def strict(function: Callable[P, R]) -> Callable[P, R]:
    """The function, refusing keywords that it does not have before it does anything.

    >>> @strict
    ... def scan(paths, *, threshold=80): ...
    >>> scan("dataroom", treshold=70)
    Traceback (most recent call last):
    truecopy.errors.UnknownKeyword: scan() has no keyword 'treshold'. Did you mean threshold? It has: paths, threshold.
    """
    code = function.__code__
    if code.co_flags & _TAKES_ANY:
        return function
    every = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = [name for name in every[code.co_posonlyargcount :] if name != "self"]

    @functools.wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        for name in named:
            if name not in known:
                raise UnknownKeyword(f"{function.__name__}() has no keyword {name!r}.", suggestion(name, known))
        return function(*arguments, **named)

    return called


def strict_methods(one: type[C]) -> type[C]:
    """A class whose public methods are `strict`."""
    for name, value in list(vars(one).items()):
        if not name.startswith("_") and isinstance(value, FunctionType):
            setattr(one, name, strict(value))
    return one
