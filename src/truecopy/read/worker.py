"""A parser's process: takes one file after the other from its standard input and answers with the text.

Parsers are large and meet hostile files. Here they may hang, crash or eat memory without harm: the parent
kills a process that takes too long, the system refuses memory over the limit, and an alarm ends a process
whose parent is gone. It has no network. Whatever the libraries print goes nowhere.

Run as `python -m truecopy.read.worker MEMORY`, where MEMORY is the limit in bytes.
"""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys
from dataclasses import asdict
from typing import Any

from truecopy.read.frames import pack, receive
from truecopy.read.parsers import Parsed, Refused, TooMuch, parse


def main(memory: int) -> None:
    """Answer until the parent closes the pipe."""
    # The real output is kept for answers; what libraries print must not mix with them.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _leave_the_network()
    while (message := receive(sys.stdin.buffer)) is not None:
        head, (data,) = message
        # Twice the parent's own limit: only ever reached when there is no parent left.
        signal.alarm(math.ceil(2 * head["seconds"]) + 5)
        answer = _answer(head, data)
        signal.alarm(0)
        for piece in answer:
            _write_all(answers.fileno(), piece)


def _leave_the_network() -> None:
    """Give the network up, where the system lets a process do so: documents never leave the machine.

    OCR models are looked for on the network by the library that reads scans. Where the system does not allow to
    leave, `workers` has pointed the library's addresses at nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    user, network = 0x10000000, 0x40000000
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(network) != 0:
        libc.unshare(user | network)


def _answer(head: dict[str, Any], data: bytes) -> list[bytes]:
    try:
        if head.get("pictures"):
            from truecopy.read.tesseract import recognize

            texts = recognize(head["label"], data, head["pictures"])
            parsed = Parsed("", parts=[(name, found.encode("utf-8", "replace")) for name, found in texts])
        else:
            parsed = parse(head["label"], head["media"], data)
        text = parsed.text.encode("utf-8", "replace")
        if len(text) > head["max_text"]:
            raise TooMuch
    except Refused as refused:
        return pack({"status": "unreadable", "reason": str(refused)}, [])
    except TooMuch:
        return pack({"status": "too-large", "reason": f"its text is larger than {head['max_text']:,} bytes"}, [])
    except MemoryError:
        return pack({"status": "unreadable", "reason": "needs more memory to read than a parser may have"}, [])
    except RecursionError:
        return pack({"status": "unreadable", "reason": "nested too deeply to be read"}, [])
    except Exception:  # a parser's own mistake; its message may hold document text and stays here
        return pack({"status": "unreadable", "reason": f"damaged: its {head['label']} parser gave up"}, [])
    return _pack_parsed(parsed, text)


def _pack_parsed(parsed: Parsed, text: bytes) -> list[bytes]:
    head = {
        "status": "",
        "reason": parsed.reason,
        "date": parsed.date,
        "names": [name for name, _ in parsed.parts],
        "beside": asdict(parsed.beside),
    }
    return pack(head, [text, *(data for _, data in parsed.parts)])


def _write_all(handle: int, piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(handle, view) :]


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except BrokenPipeError:
        os._exit(0)
