"""Settings of reading are checked when they are made."""

from __future__ import annotations

import os

import pytest

from truecopy.errors import BadSetting
from truecopy.read import ReadSettings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_bytes", 0),
        ("max_text", -1),
        ("seconds", 0),
        ("seconds", float("nan")),
        ("memory", 1000),
        ("threads", 0),
        ("threads", True),
        ("depth", -1),
        ("max_members", 0),
        ("max_unpacked", "much"),
        ("exclude", ("",)),
        ("exclude", "*.log"),
    ],
)
def test_a_bad_value_is_refused_by_its_name(name: str, value: object) -> None:
    with pytest.raises(BadSetting, match=name):
        ReadSettings(**{name: value})  # type: ignore[arg-type]


def test_as_many_threads_as_cores_by_default() -> None:
    assert ReadSettings().threads == os.cpu_count()
