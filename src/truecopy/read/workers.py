"""The parser processes, seen from the parent: started when needed, limited in time, replaced."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from truecopy.read.frames import PREFIX, pack, unpack
from truecopy.read.kinds import Kind
from truecopy.read.settings import ReadSettings
from truecopy.read.unsearched import NOTHING, Beside, Picture

_BLOCK = 1 << 20
_OVERHEAD = 16 << 20
_PACKAGE = Path(__file__).parents[2]
_NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a parser made of one file."""

    status: str = ""
    reason: str = ""
    date: str = ""
    text: bytes = b""
    parts: list[tuple[str, bytes]] = field(default_factory=list)
    """Attachments: name and bytes."""
    beside: Beside = NOTHING
    """What else is in the file, which was not searched."""


_CRASHED = Answer("unreadable", "its parser crashed, or ran out of memory")
_NOT_STARTED = Answer("unreadable", "the machine could not start a parser for it")


class _GoneError(Exception):
    """The process ended, or spoke nonsense, before it had answered."""


class _LateError(Exception):
    """The process did not answer in time."""


_Request: TypeAlias = tuple[Kind, bytes, *tuple[str, ...]]
"""A file, and the pictures in it that OCR is to read; none: parse it."""


class ParserPool:
    """Processes that parse; a caller has one to itself while it waits: there are never more than callers."""

    def __init__(self, settings: ReadSettings, command: list[str] | None = None) -> None:
        self._settings = settings
        # -P: the folder we are called from is evidence, never a place to import Python from.
        self._command = command or [
            *(sys.executable, "-P", "-m", "truecopy.read.worker"),
            str(int(settings.memory)),
        ]
        self._idle: list[subprocess.Popen[bytes]] = []
        self._busy: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def parse_many(self, files: Sequence[_Request]) -> list[Answer]:
        """The texts of several files; a hang, a crash or a refusal is an answer too.

        They are sent one after the other without waiting in between, and answered in order: where a
        process dies, the first file without an answer is the cause, and the others go to a new process.
        """
        answers: list[Answer] = []
        while len(answers) < len(files):
            try:
                process = self._take()
            except OSError:
                return answers + [_NOT_STARTED] * (len(files) - len(answers))
            sound = False
            try:
                self._converse(process, files[len(answers) :], answers)
                sound = True
            except _LateError:
                reason = f"took longer than {self._settings.seconds:g} s to read"
                answers.append(Answer("unreadable", reason))
            except (_GoneError, ValueError, KeyError, TypeError, IndexError):
                answers.append(_CRASHED)
            finally:
                self._give_back(process, sound=sound)
        return answers

    def recognize(self, kind: Kind, data: bytes, pictures: Sequence[str]) -> Answer:
        """The texts of some pictures of a file, by OCR; they are the parts of the answer, by the pictures' names."""
        return self.parse_many([(kind, data, *pictures)])[0]

    def close(self) -> None:
        """End every process, also those at work: whoever waits for one is told that it is gone."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for process in self._busy:
                process.kill()
        for process in idle:
            _end(process)

    def _take(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise OSError("closed")
            while self._idle:
                process = self._idle.pop()
                if process.poll() is None:
                    self._busy.add(process)
                    return process
                _end(process)
        process = self._start()
        self._set_to_work(process)
        return process

    def _set_to_work(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._busy.add(process)
            if self._closed:  # since it was begun to be started
                process.kill()

    def _give_back(self, process: subprocess.Popen[bytes], *, sound: bool) -> None:
        with self._lock:
            self._busy.discard(process)
            if sound and not self._closed:
                self._idle.append(process)
                return
        _end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        paths = [str(_PACKAGE), os.environ.get("PYTHONPATH", "")]
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path for path in paths if path),
                # Several processes share the machine: none may start a thread for each core.
                "RAYON_NUM_THREADS": "1",
                "OMP_THREAD_LIMIT": "1",
                "MALLOC_ARENA_MAX": "2",
                # No model is fetched over the network, also where the process cannot leave it by itself.
                "HF_HUB_OFFLINE": "1",
                "HF_ENDPOINT": _NOWHERE,
                "HTTP_PROXY": _NOWHERE,
                "HTTPS_PROXY": _NOWHERE,
                "ALL_PROXY": _NOWHERE,
            },
        )
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        return process

    def _messages(self, files: Sequence[_Request]) -> Iterator[bytes]:
        settings = self._settings
        for kind, data, *pictures in files:
            head = {
                "label": kind.label,
                "media": kind.media,
                "pictures": pictures,
                "seconds": settings.seconds,
                "max_text": settings.max_text,
            }
            yield from pack(head, [data])

    def _converse(self, process: subprocess.Popen[bytes], files: Sequence[_Request], answers: list[Answer]) -> None:
        """Send files and take answers; neither is waited for longer than one file may take."""
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin.fileno(), process.stdout.fileno()
        poll = select.poll()
        poll.register(back, select.POLLIN)
        poll.register(to, select.POLLOUT)
        pieces = self._messages(files)
        unsent = memoryview(next(pieces))
        received = bytearray()
        expected = len(answers) + len(files)
        deadline = time.monotonic() + self._settings.seconds
        while len(answers) < expected:
            left = deadline - time.monotonic()
            if left <= 0:
                raise _LateError
            for handle, _ in poll.poll(left * 1000):
                if handle == to:
                    unsent = unsent[_written(to, unsent) :]
                    while not unsent and (piece := next(pieces, None)) is not None:
                        unsent = memoryview(piece)
                    if not unsent:
                        poll.unregister(to)
                elif self._received(back, received, answers):
                    deadline = time.monotonic() + self._settings.seconds

    def _received(self, handle: int, received: bytearray, answers: list[Answer]) -> bool:
        """Take what has come; whether an answer was completed by it."""
        block = os.read(handle, _BLOCK)
        if not block:
            raise _GoneError
        received += block
        before = len(answers)
        while len(received) >= PREFIX:
            end = PREFIX + int.from_bytes(received[:PREFIX], "big")
            # An answer holds one text and the parts of one file: anything longer is no answer.
            if end > self._settings.max_text + self._settings.max_bytes + _OVERHEAD:
                raise _GoneError
            if len(received) < end:
                break
            answers.append(_answer(received[PREFIX:end]))
            del received[:end]
        return len(answers) > before


def _answer(body: bytearray) -> Answer:
    head, blobs = unpack(body)
    if head["status"]:
        return Answer(head["status"], head["reason"])
    parts = list(zip(head["names"], blobs[1:], strict=True))
    return Answer("", head["reason"], head["date"], blobs[0], parts, _beside(head.get("beside", {})))


def _beside(told: dict[str, Any]) -> Beside:
    pictures = tuple(Picture(str(each["name"]), int(each["at"])) for each in told.get("pictures", ()))
    return Beside(pictures, int(told.get("pages", 0)), str(told.get("others", "")))


def _written(handle: int, unsent: memoryview) -> int:
    try:
        return os.write(handle, unsent[:_BLOCK])
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        # The process is gone; what it had answered before is still to be read, up to the end of its output.
        return len(unsent)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    process.wait()
