"""Settings and fixtures of the tests of the whole product."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # collections_data.py, naive.py


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this run's own, or the one in `TRUECOPY_SEED`; printed, and so shown when a test fails."""
    import os
    import secrets

    chosen = int(os.environ.get("TRUECOPY_SEED") or secrets.randbelow(1_000_000))
    print(f"\n{request.node.name}: TRUECOPY_SEED={chosen}")
    return chosen
