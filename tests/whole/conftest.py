"""Settings and fixtures of the tests of the whole product."""

from __future__ import annotations

import os
import secrets

import pytest


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this run's own, or the one in `TRUECOPY_SEED`; printed, and so shown when a test fails."""
    chosen = int(os.environ.get("TRUECOPY_SEED") or secrets.randbelow(1_000_000))
    print(f"\n{request.node.name}: TRUECOPY_SEED={chosen}")
    return chosen
