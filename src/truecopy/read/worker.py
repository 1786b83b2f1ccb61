"""A parser's process: takes one file after the other from its standard input and answers with the text.

Parsers are large and meet hostile files. Here they may hang, crash or eat memory without harm: the parent
kills a process that takes too long or too much (`limits.py` says what enforces its memory limit on which system), and
a timer ends a process whose parent is gone. Whatever the libraries print goes nowhere.

Run as `python -m truecopy.read.worker MEMORY FOLDER`, where MEMORY is the limit in bytes that the kernel is to enforce
(0 if the parent watches the process instead) and FOLDER is the process's own. It can write nowhere else if the system
sees to that (`landlock.py`), and it empties the folder when its parent is gone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truecopy.read import landlock, limits
from truecopy.read.frames import pack, receive
from truecopy.read.parsers import Parsed, Refused, TooMuch, parse


def main(memory: int, folder: Path) -> None:
    """Answer until the parent closes the pipe."""
    # The real input and output are kept for files and answers: what libraries print must not mix with them, and a
    # program that a library starts must not keep the pipes open.
    files = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if memory:
        limits.limit_memory(memory)
    limits.leave_the_network()
    landlock.confine(folder)
    with os.fdopen(nowhere, "wb", buffering=0) as nothing:
        while (message := receive(files)) is not None:
            head, (data,) = message
            # Twice the parent's own limit: only reached when the parent is gone.
            limits.end_after(2 * head["seconds"] + 5, nothing)
            answer = _answer(head, data)
            limits.do_not_end()
            for piece in answer:
                _write_all(answers.fileno(), piece)


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
        "decoded": parsed.decoded,
    }
    return pack(head, [text, *(data for _, data in parsed.parts)])


def _write_all(handle: int, piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(handle, view) :]


def run(memory: int, folder: Path) -> None:
    """Answer until the parent is gone, then leave nothing behind."""
    with contextlib.suppress(OSError):  # the pipe is broken: systems call that by different names
        main(memory, folder)
    from truecopy.fresh import empty  # now: it takes time to import, and most processes are ended by their parent

    empty(folder)
    os._exit(0)


if __name__ == "__main__":
    run(int(sys.argv[1]), Path(sys.argv[2]).resolve())
