"""Make the general legal-English statistics that ship with truecopy: src/truecopy/sign/legal-english.statistics.

    TRUECOPY_DATA=/path/to/collections python tools/make_legal_english.py [--check]

They are counted over four collections of public texts, each an unpacked folder: agreements (exhibits of SEC filings),
policies (terms of service and privacy policies, with their earlier versions), bills (of one US Congress, with their
versions) and licenses (software licenses). No mail: it holds names. What is kept is what Conrad 2003 keeps: words of
letters only, of at least three letters, with at least five occurrences (32,932 of 98,719); and character 4-grams of
the texts as they are, with at least five occurrences too (254,457 of 739,858, with 99.6 % of all occurrences). That
makes a file of 3.3 MB. It must stay below 4 MB; `LEAST_GRAMS` is the number to raise.

The same texts give the same file, byte for byte; --check compares instead of writing. These statistics must not be used
to measure how well a method does on the texts that they were counted over.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from truecopy.read import ReadSettings
from truecopy.sign.collect import collect
from truecopy.sign.statistics import SHIPPED, Statistics, check_target

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("TRUECOPY_DATA", ROOT.parent / "shared" / "data"))
TARGET = ROOT / "src" / "truecopy" / "sign" / f"{SHIPPED}.statistics"
COLLECTIONS = ("agreements", "policies", "bills", "licenses")
DESCRIPTIONS = ("README.md", "*.csv")
"""What a collection's folder holds beside its texts."""
LEAST = 5
LEAST_GRAMS = 5
LARGEST = 4_000_000
"""Bytes that the package spends on it at most."""


def make() -> Statistics:
    """The statistics of the four collections."""
    folders = [DATA / name for name in COLLECTIONS]
    absent = [folder.name for folder in folders if not folder.is_dir()]
    if absent:
        sys.exit(f"{DATA} does not hold the unpacked collections {', '.join(absent)}; set TRUECOPY_DATA.")
    found, unread = collect(folders, settings=ReadSettings(exclude=DESCRIPTIONS))
    unread = [one for one in unread if one.reason != "excluded by a pattern"]
    if unread:
        sys.exit(f"{len(unread)} texts cannot be read, the first is {unread[0].path}: {unread[0].reason}")
    return found.filtered(least=LEAST, least_grams=LEAST_GRAMS)


def main() -> None:
    """Write the file, or compare it with what is there."""
    parser = argparse.ArgumentParser(description="Make the statistics that ship with truecopy.")
    parser.add_argument("--check", action="store_true", help="fail if the file is not what the collections give")
    check = parser.parse_args().check
    made = make()
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / TARGET.name
        made.save(fresh)
        data = fresh.read_bytes()
    if len(data) > LARGEST:
        sys.exit(f"It has {len(data):,} bytes, and {LARGEST:,} are allowed: raise LEAST_GRAMS.")
    if check:
        sys.exit(0 if TARGET.exists() and TARGET.read_bytes() == data else f"{TARGET.name} is not up to date.")
    check_target(TARGET)
    made.save(TARGET)
    print(f"{TARGET.name}: {made.id}, {made.documents:,} documents, {len(made.words):,} words, "
          f"{len(made.grams):,} 4-grams, {len(data):,} bytes")  # fmt: skip


if __name__ == "__main__":
    main()
