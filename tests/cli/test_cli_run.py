"""From arguments to exit code: wrong use, errors, interruption, and what may reach standard output."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from typing import Any

import cli_fake as fake
import pytest

import truecopy
from truecopy.errors import MatterError


def raising(error: BaseException) -> Any:
    def function(*given: Any, **named: Any) -> None:
        raise error.with_traceback(None)

    return function


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "No such command"),
        (["scan"], "PATH"),
        (["scan", "x", "--nothing"], "--nothing"),
        (["scan", "x", "--threads", "none"], "--threads"),
        (["scan", "x", "--threads", "0"], "--threads"),
        (["pairs", "--threshold", "lots"], "The threshold is 'lots', but it must be a percentage"),
        (["pairs", "--threshold", "0.8"], "did you mean 80?"),
        (["pairs", "--threshold", "1"], "did you mean 100?"),
        (["scan", "x", "--floor", "0.7"], "The floor is 0.7"),
        (["floor", "0.6"], "did you mean 60?"),
        (["similar", "x", "--method", "mod", "--resemblance", "0.5"], "did you mean 50?"),
        (["similar", "x", "--method", "terms", "--terms", "0.8"], "did you mean 80?"),
        (["similar", "x", "--method", "terms", "--length", "much"], "'much' is not a number"),
        (["documents", "--limit", "0"], "--limit"),
        (["documents", "--status", "lost"], "--status was given 'lost'"),
        (["documents", "--kind", "nice"], "--kind was given 'nice'"),
        (["documents", "--wave", "9"], "--wave was given '9'"),
        (["documents", "--sort", "color"], "no field 'color'"),
        (["groups", "--sort", "-words"], "no field 'words'"),
        (["pairs", "--sort", ""], "no field ''"),
        (["similar", "x", "--sort", "distance"], "no field 'distance'"),
        (["groups", "--csv", "groups.xlsx"], "ends in .csv"),
        (["pairs", "--parquet", "pairs.csv"], "ends in .parquet"),
        (["scan", "x", "--report", "r.html", "--no-report"], "Both"),
        (["compare", "only-one"], "B"),
    ],
)
def test_wrong_use_is_one_sentence_and_a_hint(arguments, said, cli, library):
    """Without --json: exit 2, nothing on standard output, two lines without a traceback or a box."""
    ran = cli(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert len(lines) == 2, ran.err
    assert said in lines[0]
    assert "Traceback" not in ran.err
    assert "│" not in ran.err
    as_json = cli("--json", *arguments) if arguments == ["nothing"] else cli(*arguments, "--json")
    assert as_json.code == 2
    assert as_json.err == ""
    assert set(as_json.json["error"]) == {"code", "message", "hint"}


def test_json_after_the_separator_is_a_file_and_not_an_option(cli, library):
    ran = cli("scan", "--nothing", "--", "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert "--nothing" in ran.err


def test_without_arguments_help_is_shown_and_the_use_is_wrong(cli):
    ran = cli()
    assert ran.code == 2
    assert "Usage: truecopy" in ran.out


def test_version(cli):
    ran = cli("--version")
    assert (ran.code, ran.out) == (0, f"truecopy {truecopy.__version__}\n")


def test_an_error_of_the_library_keeps_its_code_and_exit_code(cli, monkeypatch):
    error = MatterError("The matter was made by a newer truecopy.", "Install truecopy 2.")
    monkeypatch.setitem(vars(truecopy), "open", raising(error))
    ran = cli("status")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "The matter was made by a newer truecopy.\nInstall truecopy 2.\n"
    assert cli("status", "--json").json["error"]["code"] == "matter"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_unexpected_error_has_an_id_and_no_document_text(form, cli, monkeypatch):
    monkeypatch.setitem(vars(truecopy), "open", raising(ValueError(fake.SECRET)))
    ran = cli("status", *form)
    assert ran.code == 1
    assert fake.SECRET not in ran.out + ran.err
    assert "Traceback" not in ran.err
    assert "--debug" in ran.out + ran.err
    again = cli("status", *form)
    assert again == ran, "the same mistake has the same id"


@pytest.mark.parametrize("where", [["--debug", "status"], ["status", "--debug"]])
def test_debug_shows_the_place_and_may_stand_anywhere(where, cli, monkeypatch):
    monkeypatch.setitem(vars(truecopy), "open", raising(ValueError("inside")))
    ran = cli(*where)
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "ValueError: inside" in ran.err


def test_debug_by_environment_keeps_json_alone_on_standard_output(cli, monkeypatch):
    monkeypatch.setitem(vars(truecopy), "open", raising(ValueError("inside")))
    monkeypatch.setenv("TRUECOPY_DEBUG", "1")
    ran = cli("status", "--json")
    assert ran.json["error"]["code"] == "internal"
    assert "Traceback" in ran.err


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_ctrl_c_ends_with_130_and_one_sentence(form, cli, monkeypatch):
    monkeypatch.setitem(vars(truecopy), "open", raising(KeyboardInterrupt()))
    ran = cli("status", *form)
    assert ran.code == 130
    assert "nothing is lost: run the same command again" in ran.out + ran.err
    assert len((ran.out + ran.err).splitlines()) == 1


def test_a_broken_pipe_inside_the_library_is_an_error_and_not_silence(cli, monkeypatch):
    error = BrokenPipeError(errno.EPIPE, "Broken pipe")
    monkeypatch.setitem(vars(truecopy), "open", raising(error))
    ran = cli("status")
    assert ran.code == 1
    assert "Broken pipe" in ran.err


def test_an_error_of_the_system_names_the_file(cli, monkeypatch):
    error = OSError(errno.EMFILE, "Too many open files", "/some/matter.sqlite")
    monkeypatch.setitem(vars(truecopy), "open", raising(error))
    ran = cli("status", "--json")
    assert ran.code == 1
    assert ran.json["error"]["message"] == "The operating system refused: Too many open files: /some/matter.sqlite"


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (errno.ENOSPC, "full", "The disk is full: /some/file"),
        (errno.EDQUOT, "full", "The disk is full: /some/file"),
        (errno.EIO, "unreachable", "The disk or drive does not answer: /some/file"),
        (errno.ESTALE, "unreachable", "The disk or drive does not answer: /some/file"),
    ],
)
def test_a_disk_that_fails_has_a_code_of_its_own(cli, monkeypatch, number: int, code: str, said: str):
    """Wherever it happens: no command calls a full disk, or one that does not answer, anything else."""
    monkeypatch.setitem(vars(truecopy), "open", raising(OSError(number, os.strerror(number), "/some/file")))
    ran = cli("status", "--json")
    assert (ran.code, ran.json["error"]["code"], ran.json["error"]["message"]) == (1, code, said)


def test_error_messages_cannot_command_the_terminal(cli, monkeypatch):
    monkeypatch.setitem(vars(truecopy), "open", raising(MatterError("no \x1b]0;title\x07", "\u202ehint")))
    ran = cli("status")
    assert "\x1b" not in ran.err
    assert "\x07" not in ran.err
    assert "\u202e" not in ran.err


def test_output_that_nobody_reads_ends_in_silence():
    """`truecopy schema | true`: no traceback, no complaint at exit."""
    read, write = os.pipe()
    os.close(read)
    code = "import sys; from truecopy.cli import main; sys.argv = ['truecopy', 'schema', 'scan']; main()"
    try:
        ended = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(write)
    assert ended.stderr == b""
    assert ended.returncode == 0


def test_names_that_the_encoding_lacks_are_escaped():
    """A terminal that only knows ASCII still gets an answer."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import truecopy, cli_fake;"
        "truecopy.open = lambda path: cli_fake.Matter();"
        "sys.argv = ['truecopy', 'groups']; from truecopy.cli import main; main()"
    )
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    here = os.path.dirname(__file__)
    ended = subprocess.run([sys.executable, "-c", code, here], capture_output=True, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"TC-000002" in ended.stdout
