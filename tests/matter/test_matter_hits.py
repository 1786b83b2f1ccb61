"""What `similar` says first, and what it says of texts that are too short to be compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import truecopy as tc

NOTE = "The borrower pays {}100 to the lender on the first day of each month until the loan is repaid in full."


def test_at_100_a_copy_comes_before_a_text_with_another_currency(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    for name, text in (("1.txt", NOTE.format("$")), ("2.txt", NOTE.format("€")), ("3.txt", NOTE.format("$").upper())):
        (room / name).write_text(text, encoding="utf-8")
    matter = tc.scan(room, tmp_path / "matter", report=False)
    wanted = [("3.txt", 100.0, "same-text"), ("2.txt", 100.0, "revision")]
    assert [(hit.document.path, hit.similarity, hit.kind) for hit in matter.similar("1.txt")] == wanted
    outside = tmp_path / "outside.txt"
    outside.write_text(NOTE.format("$").lower(), encoding="utf-8")
    found = [(hit.document.path, hit.kind) for hit in matter.similar(outside)]
    assert found == [("1.txt", "same-text"), ("3.txt", "same-text"), ("2.txt", "revision")]


def test_a_short_text_is_told_to_be_compared_for_equality_only(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "a.txt").write_text("Called twice, no answer. Try Tuesday.")
    (room / "b.txt").write_text(NOTE)
    tc.scan(room, tmp_path / "matter", report=False)
    for name, short in (("a.txt", True), ("b.txt", False)):
        command = [
            sys.executable,
            "-P",
            "-m",
            "truecopy",
            "similar",
            name,
            "--matter",
            str(tmp_path / "matter"),
            "--json",
        ]
        answer = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
        assert ("only equal texts were looked for" in answer.get("hint", "")) == short
