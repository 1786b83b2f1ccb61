"""The parser processes, seen from the parent: started when needed, limited in time and memory, replaced.

Not every system can wait for a pipe with a time limit. So one thread takes what a process answers, another sends
it files, and the caller waits for a queue. This works the same on Linux, macOS and Windows.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, TypeAlias

from truecopy.fresh import FreshFolder
from truecopy.read import limits
from truecopy.read.answers import NOT_DECODED, ParserAnswer, checked_answer, in_utf8
from truecopy.read.ending import end_group, has_ended
from truecopy.read.file_types import FileType
from truecopy.read.frames import PREFIX, pack, unpack
from truecopy.read.parsers import FULL
from truecopy.read.private import environment
from truecopy.read.settings import ReadSettings

__all__ = ["NOT_DECODED", "OWN_GROUP", "ParserAnswer", "ParserPool"]

_BLOCK = 1 << 20
_OVERHEAD = 16 << 20
_PACKAGE = Path(__file__).parents[2]
OWN_GROUP: dict[str, Any] = (
    {"creationflags": 0x08000200} if sys.platform == "win32" else {"process_group": 0}
)  # CREATE_NEW_PROCESS_GROUP, and CREATE_NO_WINDOW: no console flashes up
"""Ctrl-C in a terminal goes to every process of a group: a parser must not take it, end, and seem to have crashed. And
what a parser has started ends with it (`ending.py`)."""
_BLOCKS = 16
"""Blocks of an answer that may wait to be taken."""
_SOON = 5.0
"""Seconds in which a killed process's pipes are closed."""

_CRASHED = ParserAnswer("unreadable", "its parser crashed, or ran out of memory")
_HUNGRY = ParserAnswer("unreadable", "needs more memory to read than a parser may have")
_NOT_STARTED = ParserAnswer("unreadable", "the machine could not start a parser for it")


class _GoneError(Exception):
    """The process ended or sent nonsense before it had answered."""


class _LateError(Exception):
    """The process did not answer in time."""


_Request: TypeAlias = tuple[FileType, bytes, *tuple[str, ...]]
"""A file, and the pictures in it that OCR is to read; none: parse it."""


class _HungryError(Exception):
    """The process has taken more memory than it may."""


class _FullError(Exception):
    """The process had no room for its libraries; it does not try again, even if there is room."""


class _Worker:
    """One process, and the thread that takes what it answers."""

    def __init__(self, process: subprocess.Popen[bytes], folder: FreshFolder, watch: limits.MemoryWatch | None) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.folder = folder
        self.watch = watch
        self.stdin: IO[bytes] = process.stdin
        self.blocks: queue.Queue[bytes] = queue.Queue(_BLOCKS)
        """What has come; nothing at all is the end."""
        self.sender: threading.Thread | None = None
        threading.Thread(target=_take_output, args=(process.stdout, self.blocks), daemon=True).start()

    def send(self, pieces: Iterator[bytes]) -> None:
        """Begin to send, without waiting until it is taken."""
        self.sender = threading.Thread(target=_send, args=(self.stdin, pieces), daemon=True)
        self.sender.start()

    def has_taken_all(self) -> bool:
        """Whether the process took all that was sent, once everything is answered."""
        if self.sender is not None:
            self.sender.join(_SOON)
        return self.sender is None or not self.sender.is_alive()

    def block(self, deadline: float) -> bytes:
        """The next part of an answer; empty if the process has ended. Raises if it is late or takes too much."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise _LateError
            with contextlib.suppress(queue.Empty):
                return self.blocks.get(timeout=left if self.watch is None else min(left, limits.LOOK))
            if self.watch is not None and self.watch.exceeded():
                raise _HungryError

    def end(self) -> None:
        """End the process, what it has started, and both threads, and remove its folder."""
        end_group(self.process)
        with contextlib.suppress(queue.Empty):
            while self.blocks.get(timeout=_SOON):
                pass
        if self.has_taken_all():
            with contextlib.suppress(OSError):
                self.stdin.close()
        self.process.wait()
        self.folder.remove()


class ParserPool:
    """Processes that parse. A caller has one to itself while it waits, so there are never more of them than callers."""

    def __init__(self, settings: ReadSettings, command: list[str] | None = None) -> None:
        self._settings = settings
        # -P: the folder we are called from may hold evidence; Python must not import from it.
        self._command = command or [
            *(sys.executable, "-P", "-m", "truecopy.read.worker"),
            str(int(settings.memory) if limits.kernel_limits_memory() else 0),
            ".",
        ]
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def parse_many(self, files: Sequence[_Request]) -> list[ParserAnswer]:
        """The texts of several files; a hang, a crash or a refusal is an answer too.

        They are sent one after the other without waiting in between, and answered in order: if a
        process dies, the first file without an answer is the cause, and the others go to a new process.
        """
        answers: list[ParserAnswer] = []
        while len(answers) < len(files):
            try:
                worker = self._take()
            except OSError:
                return answers + [_NOT_STARTED] * (len(files) - len(answers))
            sound = False
            try:
                sound = self._converse(worker, files[len(answers) :], answers)
            except _LateError:
                reason = f"took longer than {self._settings.seconds:g} s to read"
                answers.append(ParserAnswer("unreadable", reason))
            except _HungryError:
                answers.append(_HUNGRY)
            except _FullError:
                pass  # answered already
            except _GoneError:
                answers.append(_CRASHED)
            finally:
                self._give_back(worker, sound=sound)
        return answers

    def recognize(self, file_type: FileType, data: bytes, pictures: Sequence[str]) -> ParserAnswer:
        """The texts of some pictures of a file, by OCR; they are the parts of the answer, by the pictures' names."""
        answer = self.parse_many([(file_type, data, *pictures)])[0]
        return replace(answer, parts=[(name, in_utf8(text)) for name, text in answer.parts if name in pictures])

    def close(self) -> None:
        """End every process, even if it is at work; callers that wait for one are told that it is gone."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._busy:
                end_group(worker.process)
        for worker in idle:
            worker.end()

    def kill(self) -> None:
        """End every process without waiting for any: this process is about to end too."""
        self._closed = True
        workers = [*self._idle, *self._busy]
        for worker in workers:
            end_group(worker.process)
        for worker in workers:
            worker.folder.remove()

    def _take(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise OSError("closed")
            while self._idle:
                worker = self._idle.pop()
                if not has_ended(worker.process):
                    self._busy.add(worker)
                    return worker
                worker.end()
        worker = self._start()
        self._set_to_work(worker)
        return worker

    def _set_to_work(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.add(worker)
            if self._closed:  # while the process was starting
                end_group(worker.process)

    def _give_back(self, worker: _Worker, *, sound: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            if sound and not self._closed:
                self._idle.append(worker)
                return
        worker.end()

    def _start(self) -> _Worker:
        folder = FreshFolder("parsers")
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=folder.path,
                **OWN_GROUP,
                env=environment(folder.path, _PACKAGE, os.environ, ocr=self._settings.ocr),
            )
        except BaseException:
            folder.remove()
            raise
        watched = not limits.kernel_limits_memory()
        watch = limits.MemoryWatch(process.pid, self._settings.memory) if watched else None
        return _Worker(process, folder, watch)

    def _messages(self, files: Sequence[_Request]) -> Iterator[bytes]:
        settings = self._settings
        for file_type, data, *pictures in files:
            head = {
                "label": file_type.label,
                "media": file_type.media,
                "pictures": pictures,
                "seconds": settings.seconds,
                "max_text": settings.max_text,
            }
            yield from pack(head, [data])

    def _converse(self, worker: _Worker, files: Sequence[_Request], answers: list[ParserAnswer]) -> bool:
        """Send files and take answers, each within the time limit of one file; returns whether all went well."""
        worker.send(self._messages(files))
        received = bytearray()
        expected = len(answers) + len(files)
        deadline = time.monotonic() + self._settings.seconds
        while len(answers) < expected:
            block = worker.block(deadline)
            if not block:
                raise _GoneError
            received += block
            if self._completed(received, answers):
                deadline = time.monotonic() + self._settings.seconds
        # A process that has answered without listening, or more than it was asked, cannot be asked again.
        more = len(answers) > expected
        del answers[expected:]
        return not more and not received and worker.has_taken_all()

    def _completed(self, received: bytearray, answers: list[ParserAnswer]) -> bool:
        """Take the complete answers out of what was received; returns whether there were any."""
        before = len(answers)
        while len(received) >= PREFIX:
            end = PREFIX + int.from_bytes(received[:PREFIX], "big")
            # An answer holds one text and the parts of one file: anything longer is not an answer.
            if end > self._settings.max_text + self._settings.max_bytes + _OVERHEAD:
                raise _GoneError
            if len(received) < end:
                break
            answers.append(_answer(received[PREFIX:end]))
            del received[:end]
            if answers[-1].reason == FULL:
                raise _FullError
        return len(answers) > before


def _answer(body: bytearray) -> ParserAnswer:
    """The answer in a message. Its process has met hostile files: whatever is wrong with it is taken for a crash."""
    try:
        return checked_answer(*unpack(body))
    except Exception:
        raise _GoneError from None


def _take_output(stream: IO[bytes], blocks: queue.Queue[bytes]) -> None:
    """Hand on what a process answers, up to its end; the last block is empty."""
    with stream:
        block = b"more to come"
        while block:
            try:
                block = os.read(stream.fileno(), _BLOCK)
            except OSError:  # Windows: a pipe whose other end was killed
                block = b""
            blocks.put(block)


def _send(stream: IO[bytes], pieces: Iterator[bytes]) -> None:
    """Send it all, or as much as the process takes: if it is gone, its answers show that."""
    with contextlib.suppress(OSError, ValueError):
        for piece in pieces:
            left = memoryview(piece)
            while left:
                left = left[os.write(stream.fileno(), left[:_BLOCK]) :]
