"""Pin dependencies: `python tools/lock.py run|test|bench` writes requirements/GROUP.lock with uv.

The locks hold versions and hashes for every platform and Python that is supported, and no addresses.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def requirements(group: str) -> list[str]:
    """What a group asks for; the build backend is part of it, because the package is installed from here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted: list[str] = list(project["project"]["dependencies"]) + project["build-system"]["requires"]
    wanted.append("editables>=0.5")  # what hatchling needs to install a package in place
    if group != "run":
        wanted += project["dependency-groups"]["test"]
    if group == "bench":
        wanted += project["dependency-groups"]["bench"]
    return wanted


def main(group: str) -> None:
    """Write one lock; versions that it already pins are kept where they still fit."""
    target = ROOT / "requirements" / f"{group}.lock"
    command = [
        sys.executable, "-m", "uv", "pip", "compile", "-", "--universal", "--python-version", "3.11", "-q",
        "--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "-o", str(target),
    ]  # fmt: skip
    subprocess.run(command, input="\n".join(requirements(group)), text=True, check=True)


if __name__ == "__main__":
    main(sys.argv[1])
