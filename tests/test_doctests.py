"""The examples in docstrings give what they say."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import truecopy

PACKAGE = Path(truecopy.__file__).parent
MODULES = sorted(
    ".".join(("truecopy", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for file in PACKAGE.rglob("*.py")
    if ">>> " in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name: str):
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0
