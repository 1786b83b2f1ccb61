"""The fake matter of the other tests is held to the real class, so that what is tested against it is true of both."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import cli_fake as fake
import pytest

from truecopy.matter import matter as real_module
from truecopy.matter.ask.index_status import IndexStatus
from truecopy.matter.ask.sides import Side
from truecopy.matter.change.add import Added
from truecopy.matter.matter import Matter
from truecopy.model import Document, Filter

METHODS = sorted(name for name, value in vars(fake.Matter).items() if callable(value) and not name.startswith("_"))
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "document": ("TC-000001",),
    "find": ("TC-000001",),
    "text": ("TC-000001",),
    "add": ("room",),
    "similar": ("TC-000001",),
    "sides": ("TC-000001", "TC-000002"),
    "compare": ("TC-000001", "TC-000002"),
    "lower_floor": (60.0,),
    "count_pairs": (80.0,),
    "document_count": (Filter(),),
    "group_places": ([fake.A, fake.C],),
    "spare": (Path("list.csv"),),
    "threshold_for": ("similar", 80.0),
}


def hints(function: Callable[..., Any], names: dict[str, Any]) -> dict[str, Any]:
    """The types that a method takes and returns."""
    only_checked = {"Added": Added, "IndexStatus": IndexStatus, "Side": Side}
    return typing.get_type_hints(function, globalns=names, localns=only_checked)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_the_fake_takes_what_the_real_one_takes(name: str) -> None:
    """The same names, in the same order, of the same kinds and with the same defaults."""
    real = inspect.signature(getattr(Matter, name)).parameters.values()
    faked = inspect.signature(getattr(fake.Matter, name)).parameters.values()
    assert [(one.name, one.kind, one.default) for one in faked] == [(one.name, one.kind, one.default) for one in real]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_the_fake_has_the_types_of_the_real_one(name: str) -> None:
    """Compared as types, not as they are spelled."""
    real = hints(getattr(Matter, name), vars(real_module))
    assert hints(getattr(fake.Matter, name), vars(fake)) == real


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_the_fake_returns_what_it_says(name: str) -> None:
    """What it says is what the real one says; a list is looked into, and a context is entered."""
    said = hints(getattr(fake.Matter, name), vars(fake))["return"]
    value = getattr(fake.Matter(), name)(*ARGUMENTS.get(name, ()))
    if isinstance(value, AbstractContextManager):
        with value as entered:
            assert typing.get_args(said) == (entered,)
        return
    assert isinstance(value, said if isinstance(said, types.UnionType) else typing.get_origin(said) or said)
    if typing.get_origin(said) is list:
        assert all(isinstance(each, typing.get_args(said)[0]) for each in value)


def test_the_fake_has_the_attributes_of_the_real_matter_and_their_types() -> None:
    assert isinstance(fake.Matter().path, hints(Matter.path.fget, vars(real_module))["return"])  # type: ignore[attr-defined]
    assert isinstance(fake.Matter().settings, real_module.MatterSettings)
    assert all(isinstance(one, Document) for one in (fake.A, fake.B, fake.C, fake.UNREADABLE))


def test_the_fake_is_a_whole_matter() -> None:
    """Its counts, its statuses and its scan are about the same six documents."""
    assert fake.COUNTS.documents == sum(fake.STATUSES.values()) == fake.SCAN.documents == 6
