"""Settings of all tests: what runs first, what shares a worker, what hypothesis may do, and kernels compiled once.

Two workers (`pytest -n 2`) take tests from one list. Tests that share a fixture of their module or folder keep to
one worker, so that no matter is scanned twice for them. Tests marked `alone` measure time or memory, or use every
core themselves: `make test` runs them after all others, one at a time.
"""

from __future__ import annotations

import functools
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
KERNELS = Path(__file__).with_name("all_kernels.py")

# The first example of a test compiles its kernel: a time limit for each would be met by chance only.
settings.register_profile("truecopy", deadline=None, print_blob=True)
settings.load_profile("truecopy")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the first worker starts, compile every kernel that is not in the cache, each once."""
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", default=None):
        return
    subprocess.run([sys.executable, "-P", str(KERNELS)], check=True, env={**os.environ, "PYTHONWARNINGS": "ignore"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this run's own, or the one in `TRUECOPY_SEED`; printed, and so shown when a test fails."""
    chosen = int(os.environ.get("TRUECOPY_SEED") or secrets.randbelow(1_000_000))
    print(f"\n{request.node.name}: TRUECOPY_SEED={chosen}")
    return chosen


@functools.cache
def kept_together(path: str) -> str:
    """The folder or the module whose tests share fixtures; "" for a module in which each test has its own."""
    module = ROOT / path
    if module.parent != Path(__file__).parent:
        for_folder = module.with_name("conftest.py")
        if for_folder.is_file() and 'scope="session"' in for_folder.read_text(encoding="utf-8"):
            return str(module.parent)
    return path if 'scope="module"' in module.read_text(encoding="utf-8") else ""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker takes the next test of the list, or the next module or folder whose tests share fixtures."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return kept_together(nodeid.partition("::")[0]) or nodeid

    return Scheduling(config, log)
