"""What `doctor` finds, on machines that lack something."""

from __future__ import annotations

import importlib
import os
import resource
import shutil
from collections import namedtuple
from types import ModuleType

import pytest

import truecopy as tc
from truecopy import fresh
from truecopy.cli.checks import Check, check_machine
from truecopy.kernels import jit
from truecopy.read import limits

Usage = namedtuple("Usage", "total used free")


def found(checks: list[Check], name: str) -> Check:
    return next(check for check in checks if check.name == name)


@pytest.fixture
def without(monkeypatch):
    """Make some modules impossible to import."""

    def hide(*names: str) -> None:
        real = importlib.import_module

        def import_module(name: str, package: str | None = None) -> ModuleType:
            if name in names:
                raise ImportError(f"No module named {name!r}")
            return real(name, package)

        monkeypatch.setattr("truecopy.cli.checks.importlib.import_module", import_module)

    return hide


def test_this_machine_is_sound(tmp_path):
    checks = check_machine(tmp_path)
    assert [check for check in checks if check.state == "broken"] == []
    names = {check.name for check in checks}
    assert {"Python", "platform", "truecopy", "numba", "kreuzberg", "kernel cache", "disk"} <= names
    assert {"SQLite", "SQLite FTS5", "open files", "extra serve"} <= names


def test_a_dependency_that_cannot_be_imported_is_broken(cli, without):
    without("kreuzberg")
    ran = cli("doctor", "--json")
    assert ran.code == 1
    assert ran.json["error"]["code"] == "broken"
    assert "kreuzberg" in ran.json["error"]["message"]
    assert "Nothing is broken" not in cli("doctor").out


def test_a_missing_extra_names_the_command_that_installs_it(tmp_path, without):
    without("pyspark", "fastapi")
    checks = check_machine(tmp_path)
    assert found(checks, "extra spark") == Check(
        "extra spark", "note", "not installed", "pip install 'truecopy[spark]'"
    )
    assert found(checks, "extra serve").state == "note"


def test_a_cache_that_cannot_be_written_is_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "kernel_folder", lambda: None)
    check = found(check_machine(tmp_path), "kernel cache")
    assert check.state == "note"
    assert "TRUECOPY_CACHE" in check.hint


def test_a_cache_that_others_may_write_is_noted_with_the_reason(tmp_path, monkeypatch):
    if not hasattr(os, "getuid"):
        pytest.skip("this system has no modes")
    monkeypatch.setenv("TRUECOPY_CACHE", str(tmp_path / "cache"))
    assert found(check_machine(tmp_path), "kernel cache").state == "ok"
    tmp_path.chmod(0o777)
    check = found(check_machine(tmp_path), "kernel cache")
    assert (check.state, check.value) == (
        "note",
        f"{tmp_path / 'cache'} is not used: everyone may write to {tmp_path.resolve()}",
    )


@pytest.mark.parametrize(("held", "state"), [(True, "ok"), (False, "note")])
def test_where_parsers_may_write_is_said(tmp_path, monkeypatch, held, state):
    """And whether the kernel sees to it, or nobody."""
    monkeypatch.setattr(limits, "probe", lambda: limits.Held(files=held))
    check = found(check_machine(tmp_path), "parser files")
    assert check.state == state
    assert ("Landlock" in check.value) == held


def test_no_safe_temporary_folder_is_broken(tmp_path, monkeypatch):
    """Then nothing but plain text can be read."""
    monkeypatch.setattr(fresh, "_candidates", lambda: iter([tmp_path / "missing"]))
    assert found(check_machine(tmp_path), "parser files").state == "broken"


def test_compiled_kernels_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "kernel_folder", lambda: tmp_path)
    assert "no kernels compiled" in found(check_machine(tmp_path), "kernel cache").value
    (tmp_path / "one.nbi").touch()
    assert "1 kernels compiled" in found(check_machine(tmp_path), "kernel cache").value


def test_little_disk_and_few_open_files_are_noted(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(1, 1, 1000))
    monkeypatch.setattr(resource, "getrlimit", lambda which: (64, 64))
    checks = check_machine(tmp_path / "not" / "made" / "yet")
    assert found(checks, "disk").state == "note"
    assert str(tmp_path) in found(checks, "disk").value
    assert found(checks, "open files").state == "note"


def test_a_matter_that_cannot_be_read_is_a_broken_check_and_not_a_hint_to_run_doctor(cli, tmp_path):
    tc.create(tmp_path / "m")
    (tmp_path / "m" / "matter.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 9000)
    ran = cli("doctor", "--matter", str(tmp_path / "m"), "--json")
    assert ran.code == 1
    check = ran.json["checks"][-1]
    assert (check["name"], check["state"]) == ("matter", "broken")
    assert "truecopy doctor" not in check["hint"]
    assert ran.json["checks"][0]["name"] == "Python", "the machine is looked at all the same"
