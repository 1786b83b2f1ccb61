"""Whose documents are: one name for all, or a part of each path."""

from __future__ import annotations

import re
from collections.abc import Callable

from truecopy.errors import BadSetting
from truecopy.settings import check_text

_FIELD = "{custodian}"
_PARTS = re.compile(r"(\{custodian\}|\*\*/?|\*|\?)")
_MEANS = {"{custodian}": "(?P<custodian>[^/]+)", "**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
_HINT = "Give for example --custodian-from '{custodian}/**'."


def custodian_of(name: str, pattern: str | None) -> Callable[[str], str]:
    """A function that says whose a document is, by its path; one that the pattern does not match has the name.

    >>> custodian_of("", "mail/{custodian}/**")("mail/Lee Ann/sent/1.eml")
    'Lee Ann'
    """
    check_text(name, "The custodian", "Give another name with --custodian.")
    if pattern is None:
        return lambda _: name
    check_text(pattern, "The pattern of --custodian-from", _HINT)
    if pattern.count(_FIELD) != 1:
        said = f"The pattern {pattern!r} must have {_FIELD} once, to say which part of a path is the name."
        raise BadSetting(said, _HINT)
    spelled = "".join(_MEANS.get(part, re.escape(part)) for part in _PARTS.split(pattern) if part)
    matches = re.compile(spelled, re.DOTALL)

    def custodian(path: str) -> str:
        found = matches.fullmatch(path)
        return name if found is None else found["custodian"]

    return custodian
