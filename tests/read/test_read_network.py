"""Parser processes have no network: documents never leave the machine."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

SCRIPT = """
import socket, sys
from truecopy.read.limits import leave_the_network
leave_the_network()
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
except OSError:
    sys.exit(7)
"""

UNSHARE = """
import ctypes, os, sys
NEWUSER, NEWNET = 0x10000000, 0x40000000
libc = ctypes.CDLL(None)
sys.exit(0 if libc.unshare(NEWNET) == 0 or libc.unshare(NEWUSER | NEWNET) == 0 else 1)
"""
"""Whether the system allows it, asked without truecopy."""


def test_a_parser_process_cannot_connect() -> None:
    """Even to this machine: after the process has left the network, a listening port is out of reach."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux lets a process leave the network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        ended = subprocess.run([sys.executable, "-c", SCRIPT, port], check=False, capture_output=True)
    if ended.returncode == 0:
        allowed = subprocess.run([sys.executable, "-c", UNSHARE], check=False, capture_output=True).returncode == 0
        assert not allowed, "this system lets a process leave the network, and the parser did not"
        pytest.skip("this system does not allow a process to leave the network")
    assert ended.returncode == 7, ended.stderr
