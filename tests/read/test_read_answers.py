"""A parser that a document has taken over can answer anything: the parent takes it as data, or for a crash."""

from __future__ import annotations

import json
import shutil
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from truecopy.read import ReadSettings
from truecopy.read.answers import ParserAnswer, checked_answer
from truecopy.read.file_types import PDF
from truecopy.read.parsers import FULL, Refused, parse
from truecopy.read.unsearched import OFF, Recognized, told
from truecopy.read.workers import ParserPool

CRASHED = ParserAnswer("unreadable", "its parser crashed, or ran out of memory")
FINE = {"status": "", "reason": "", "date": "", "names": []}
SCRIPT = """
import json, os, sys
from truecopy.read.frames import pack, receive
while message := receive(sys.stdin.buffer):
    head, blobs = json.loads(message[1][0])
    if head.get("reason") == "long":
        head["reason"] = "x" * 10_000_000
    message = memoryview(b"".join(pack(head, [blob.encode("latin-1") for blob in blobs])))
    while message:
        message = message[os.write(1, message):]
"""


def answers(*told: tuple[Any, list[str]]) -> list[ParserAnswer]:
    """What the parent makes of what a parser sends."""
    parsers = ParserPool(ReadSettings(threads=1, seconds=20), [sys.executable, "-c", SCRIPT])
    found = parsers.parse_many([(PDF, json.dumps(each).encode()) for each in told])
    parsers.close()
    return found


def safe(text: str) -> bool:
    return text.isprintable() and len(text) <= 400 and bool(text.encode() or not text)


@pytest.mark.parametrize(
    ("changed", "blobs"),
    [
        ({"status": 5}, [""]),
        ({"status": "principal"}, [""]),
        ({"status": ["unreadable"]}, [""]),
        ({"status": None}, [""]),
        ({"reason": ["a"]}, [""]),
        ({"status": "unreadable", "reason": 5}, []),
        ({"date": 7}, [""]),
        ({"names": [5]}, ["", ""]),
        ({"names": "a"}, ["", ""]),
        ({"names": ["a", "b"]}, ["", ""]),
        ({"names": []}, []),
        ({"beside": []}, [""]),
        ({"beside": {"pages": float("inf")}}, [""]),
        ({"beside": {"pages": True}}, [""]),
        ({"beside": {"pages": 1.5}}, [""]),
        ({"beside": {"pages": -1}}, [""]),
        ({"beside": {"pages": 10**400}}, [""]),
        ({"beside": {"others": 5}}, [""]),
        ({"beside": {"pictures": {"name": "1", "at": 0}}}, [""]),
        ({"beside": {"pictures": ["1"]}}, [""]),
        ({"beside": {"pictures": [{"name": 1, "at": 0}]}}, [""]),
        ({"beside": {"pictures": [{"name": "x", "at": 0}], "pages": 1}}, [""]),
        ({"beside": {"pictures": [{"name": "2", "at": 0}], "pages": 1}}, [""]),
        ({"decoded": ["utf-8", float("nan"), ""]}, [""]),
        ({"decoded": ["utf-8", True, ""]}, [""]),
        ({"decoded": ["utf-8", 100]}, [""]),
        ({"decoded": {"utf-8": 1}}, [""]),
        ({"decoded": 0}, [""]),
    ],
)
def test_what_no_parser_sends_is_taken_for_a_crash_and_the_next_file_is_read(
    changed: dict[str, Any], blobs: list[str]
) -> None:
    first, second = answers(({**FINE, **changed}, blobs), (FINE, ["fine"]))
    assert first == CRASHED
    assert second == ParserAnswer(text=b"fine")


@pytest.mark.parametrize("status", ["", "unreadable", "too-large"])
@pytest.mark.parametrize("reason", ["a\0b\x1b[31m\n\u202e", "a\ud800b", "long"])
def test_reasons_are_made_harmless(status: str, reason: str) -> None:
    first, second = answers(({**FINE, "status": status, "reason": reason}, [""]), (FINE, ["fine"]))
    assert first.status == status
    assert safe(first.reason)
    assert first.reason in ("ab[31m", "a?b", "x" * 400)
    assert second.text == b"fine"


def test_names_encodings_and_doubts_are_made_harmless() -> None:
    head = {
        **FINE,
        "names": ["a\0\ud800.txt", "x" * 10_000 + ".pdf"],
        "beside": {"others": "y\x07" * 1000},
        "decoded": ["utf-8\n" * 100, 400, "\x7fdoubt" * 1000],
    }
    (found,) = answers((head, ["", "one", "two"]))
    assert [data for _, data in found.parts] == [b"one", b"two"]
    assert found.parts[0][0] == "a?.txt"
    assert found.parts[1][0].endswith("x.pdf")
    assert len(found.parts[1][0]) == 4096
    encoding, confidence, doubt = found.decoded
    assert all(map(safe, (found.beside.others, encoding, doubt)))
    assert confidence == 100


@pytest.mark.parametrize(
    ("date", "taken"),
    [
        ("2024-05-31", "2024-05-31"),
        ("2024-05-31T08:00:00", "2024-05-31T08:00:00"),
        ("2024-05-31T08:00:00Z", "2024-05-31T08:00:00Z"),
        ("2024-99-31", ""),
        ("2024-05-31<script>", ""),
        ("yesterday", ""),
    ],
)
def test_dates_are_dates(date: str, taken: str) -> None:
    assert checked_answer({**FINE, "date": date}, [b""]).date == taken


def test_texts_are_valid_and_pictures_stay_within_them_in_order() -> None:
    """Whatever a sentence is made of can be said, and no picture's text cuts a character."""
    pictures = [{"name": str(number), "at": at} for number, at in enumerate((2, 0, 99, 1), 1)]
    text = "\xc3\xa4\xc3\xb6"
    found, broken = answers(({**FINE, "beside": {"pictures": pictures, "pages": 4}}, [text]), (FINE, ["a\xff"]))
    assert [picture.at for picture in found.beside.pictures] == [2, 2, 4, 4]
    assert told(found.beside, True, OFF)
    assert told(found.beside, True, "", Recognized(["1"], ["2"], ["3", "4"]))
    assert broken.text.decode() == "a\ufffd"
    (cut,) = answers(({**FINE, "beside": {"pictures": [{"name": "p", "at": 3}]}}, [text]))
    assert [picture.at for picture in cut.beside.pictures] == [2]


def test_a_parser_that_answers_more_than_it_was_asked_is_not_asked_again() -> None:
    twice = SCRIPT.replace('b"".join(', '2 * b"".join(')
    parsers = ParserPool(ReadSettings(threads=1, seconds=20), [sys.executable, "-c", twice])
    for text in ("one", "two"):
        (found,) = parsers.parse_many([(PDF, json.dumps((FINE, [text])).encode())])
        assert found.text == text.encode()
    parsers.close()


def test_texts_of_pictures_are_valid_and_only_those_asked_for() -> None:
    parsers = ParserPool(ReadSettings(threads=1, seconds=20), [sys.executable, "-c", SCRIPT])
    asked = json.dumps(({**FINE, "names": ["1", "2"]}, ["", "a\xff", "b"])).encode()
    assert parsers.recognize(PDF, asked, ["1"]).parts == [("1", "a\ufffd".encode())]
    parsers.close()


def test_a_full_temporary_folder_is_not_taken_for_a_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kreuzberg only says that it failed."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(Refused, match="damaged or cut off"):
        parse("PDF", PDF.media, b"%PDF-1.7 nothing")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100 << 20, 99 << 20, 1 << 20))
    with pytest.raises(Refused) as refused:
        parse("PDF", PDF.media, b"%PDF-1.7 nothing")
    assert str(refused.value) == FULL


def test_a_parser_without_room_is_replaced_because_it_does_not_try_again() -> None:
    """kreuzberg keeps the failure: every further PDF of the process would fail, even once there is room."""
    script = SCRIPT.replace("while message :=", "seen = 0\nwhile message :=").replace(
        "    message = memoryview", "    seen += 1\n    blobs[0] += str(seen)\n    message = memoryview"
    )
    parsers = ParserPool(ReadSettings(threads=1, seconds=20), [sys.executable, "-c", script])
    told = [(FINE, ["a"]), ({**FINE, "status": "unreadable", "reason": FULL}, [""]), (FINE, ["b"]), (FINE, ["c"])]
    found = parsers.parse_many([(PDF, json.dumps(each).encode()) for each in told])
    parsers.close()
    assert [answer.text.decode() or answer.reason for answer in found] == ["a1", FULL, "b1", "c2"]
