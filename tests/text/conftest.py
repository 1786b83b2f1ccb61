"""Helpers of the tests of text/: the modules beside this folder, and the kernel's words as plain tuples."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # collections_data.py, naive.py
