"""Settings of the tests of `match/`."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parents[1]))  # collections_data.py, naive.py

# The first example of a test compiles its kernel: a time limit for each would be met by chance only.
settings.register_profile("kernels", deadline=None, print_blob=True)
settings.load_profile("kernels")
