"""The fake library of the other tests is no kinder than the real one."""

from __future__ import annotations

import dataclasses
import inspect

import cli_fake
import pytest

import truecopy as tc
from truecopy import pipeline
from truecopy.matter.views import Pairs
from truecopy.matter.wave import Added
from truecopy.settings import MatterSettings

PROMISED = (
    (cli_fake.Scan, pipeline.Scan),
    (cli_fake.Against, pipeline.Against),
    (cli_fake.Added, Added),
    (cli_fake.Pairs, Pairs),
    (cli_fake.Settings, MatterSettings),
)


def test_the_fake_answers_nothing_that_a_matter_does_not():
    methods = [name for name, _ in inspect.getmembers(cli_fake.Matter, inspect.isfunction) if name[0] != "_"]
    assert len(methods) > 10
    assert [name for name in methods if not callable(getattr(tc.Matter, name, None))] == []


@pytest.mark.parametrize(("fake", "real"), PROMISED, ids=lambda one: one.__name__)
def test_the_fakes_answers_have_no_field_that_real_ones_lack(fake, real):
    """A command that reads a field finds it in the real answer too."""
    there = {field.name for field in dataclasses.fields(real)}
    assert {field.name for field in dataclasses.fields(fake)} - there == set()


def test_a_call_that_a_matter_would_refuse_is_refused(library):
    assert library.groups(90).threshold == 90
    for name, given in (("groups", {"thresold": 90}), ("similar", {"one": "TC-000001"}), ("add", {"wav": "2"})):
        with pytest.raises(TypeError):
            getattr(library, name)(**given)
    with pytest.raises(TypeError):
        tc.create("m", thresold=80)
