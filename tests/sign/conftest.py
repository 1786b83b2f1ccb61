"""Helpers of the tests of sign/: the modules beside this folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # collections_data.py, naive.py
