"""The shipped Unicode tables are what the tool makes of the Unicode Character Database."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path

import numpy as np
import pytest

from truecopy.text import UNICODE
from truecopy.text.unicode_tables import tables

TOOL = Path(__file__).parents[2] / "tools" / "make_unicode_tables.py"


def test_the_tool_makes_the_shipped_tables() -> None:
    """From a folder of the database, named by TRUECOPY_UCD, the tool makes the very same tables."""
    if "TRUECOPY_UCD" not in os.environ:
        pytest.skip(f"TRUECOPY_UCD does not name a folder of the Unicode Character Database {UNICODE}")
    description = importlib.util.spec_from_file_location("make_unicode_tables", TOOL)
    assert description is not None
    assert description.loader is not None
    tool = importlib.util.module_from_spec(description)
    description.loader.exec_module(tool)
    database = tool.Database(Path(os.environ["TRUECOPY_UCD"]))
    assert database.version == UNICODE
    assert np.array_equal(tool.tables(database), tables())


@pytest.mark.alone
def test_tables_load_quickly() -> None:
    """Loading the tables takes less than ten milliseconds of work."""
    taken = []
    for _ in range(5):
        tables.cache_clear()
        begun = time.process_time()
        assert len(tables()) > 40_000
        taken.append(time.process_time() - begun)
    assert min(taken) < 0.010
