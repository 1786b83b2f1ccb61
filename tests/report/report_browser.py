"""A real Chromium for the report's tests, driven through the DevTools protocol.

The protocol runs over a pipe (`--remote-debugging-pipe`: messages ended by a NUL on the descriptors 3 and 4), so that
no driver program and no further package is needed. Windows hands on no descriptors by number; there, and where no
Chromium is installed, the tests are skipped by name.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 60.0
LAUNCH = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(given), fcntl.F_DUPFD, 10) for given in sys.argv[1:3])  # they may be 3 and 4 crosswise
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Puts the ends of the pipe where Chromium looks for them, and becomes Chromium."""


def find_chromium() -> str:
    """The Chromium of this machine; the test is skipped where there is none."""
    if sys.platform == "win32":
        pytest.skip("Chromium is driven over a pipe, which Windows does not hand on")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


class Browser:
    """One page in a Chromium."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self._process = process
        self._to, self._back = to, back
        self._buffer = b""
        self._sent = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol, and its answer."""
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self._read()
            if answer.get("id") == self._sent:
                assert "error" not in answer, (method, answer["error"])
                found: dict[str, Any] = answer["result"]
                return found
            self.events.append(answer)
        raise TimeoutError(method)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._back, 1 << 20)
            if not part:
                raise ConnectionError("Chromium has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        loaded: dict[str, Any] = json.loads(message)
        return loaded

    def run(self, script: str) -> Any:
        """What an expression or a promise gives in the page."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, page: Path | str, width: int = 1400, height: int = 900) -> float:
        """Load a page; the seconds until it was loaded and painted."""
        self.call("Page.navigate", url="about:blank")  # else an address that differs after # only is not loaded
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 700,
        )
        start = time.monotonic()
        self.call("Page.navigate", url=page.as_uri() if isinstance(page, Path) else page)
        self.run(
            "new Promise(done => { const painted = () => requestAnimationFrame(() => setTimeout(done));"
            "document.readyState === 'complete' ? painted() : addEventListener('load', painted); })"
        )
        return time.monotonic() - start

    def press(self, key: str, text: str = "") -> None:
        """A key, down and up."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, " ": 32}
        typed = text or ("\r" if key == "Enter" else key if len(key) == 1 else "")
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {"key": key, "windowsVirtualKeyCode": code}
        down = {"type": "keyDown", **common, **({"text": typed} if typed else {})}
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def theme(self, scheme: str) -> None:
        """light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shot(self, file: Path, whole: bool = False) -> Path:
        """A picture of the window, or of the whole page."""
        made = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(made["data"]))
        return file

    def paper(self, file: Path) -> Path:
        """The page as it is printed, A4."""
        made = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False)
        file.write_bytes(base64.b64decode(made["data"]))
        return file

    def asked(self) -> list[str]:
        """Every address that the page asked for since it was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Exceptions of the page's script, and what the browser refused or warned of."""
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
            if event.get("method") == "Log.entryAdded":
                found.append(str(event["params"]["entry"]["text"]))
        return found


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium of its own, with an empty profile; ended afterwards."""
    program = find_chromium()
    ours, its = os.pipe(), os.pipe()  # (read, write) of what we say, and of what it says
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(ours[0]), str(its[1]), program, *FLAGS, f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(ours[0], its[1]),
        )
        os.close(ours[0])
        os.close(its[1])
        try:
            yield Browser(process, ours[1], its[0])
        finally:
            with contextlib.suppress(OSError):
                os.write(ours[1], b'{"id":0,"method":"Browser.close"}\0')
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)
            os.close(ours[1])
            os.close(its[0])
