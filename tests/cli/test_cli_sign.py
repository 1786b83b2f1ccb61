"""`truecopy sign` and `truecopy methods`: real files, real matters, and one sentence for everything that is wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.sign import METHODS, family
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import build

CLAUSE = "The Lessee shall pay the rent on the first day of each month, without deduction or set-off. "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts in two languages, one that cannot be read, and one without any text."""
    made = tmp_path / "room"
    made.mkdir()
    (made / "a.txt").write_text(CLAUSE * 20)
    (made / "b.txt").write_text(CLAUSE * 20 + "The Lessor may enter the premises.")
    (made / "c.txt").write_text("Der Mieter zahlt die Miete am ersten Tag jedes Monats. " * 10)
    (made / "d.exe").write_bytes(b"MZ\x90\0\3\0\0\0\4" * 50)
    (made / "e.txt").write_text("")
    return made


@pytest.mark.parametrize("method", METHODS)
def test_every_method_signs_files(method: str, cli, folder: Path):
    """The values are those of the library, in the order of the paths, and no document is left out."""
    ran = cli("sign", str(folder), "--method", method, "--json")
    assert ran.code == 0, ran.out
    assert [one["path"] for one in ran.json["signatures"]] == ["a.txt", "b.txt", "c.txt", "e.txt"]
    assert [one["path"] for one in ran.json["unsigned"]] == ["d.exe"]
    assert ran.json["signatures"][3]["reliable"] is False
    assert ran.json["spec"]["method"] == method
    module = family(method)
    texts = [(folder / name).read_bytes() for name in ("a.txt", "b.txt", "c.txt", "e.txt")]
    made = module.sign(texts, module.spec())
    assert [one["value"] for one in ran.json["signatures"]] == [module.value(made, i) for i in range(4)]
    assert ran.json["statistics"] == made.statistics


def test_the_papers_hash_of_one_n_gram_is_the_signature(cli, tmp_path: Path):
    """SimHash of a text that is one n-gram has the bits of that n-gram's hash."""
    (tmp_path / "one.txt").write_text("rent")
    ran = cli("sign", str(tmp_path), "--method", "simhash", "--bits", "1024", "--hash", "shake256", "--json")
    assert ran.json["signatures"][0]["value"] == hashlib.shake_256(b"rent").hexdigest(128)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "simhash", "--bits", "0"], "bits was given as 0"),
        (["--method", "simhash", "--bits", "17"], "bits was given as 17"),
        (["--method", "simhash", "--hash", "md4"], "hash was given as 'md4'"),
        (["--method", "simhash", "--ngram", "0"], "ngram was given as 0"),
        (["--method", "simhash", "--ngram", "9"], "ngram was given as 9"),
        (["--method", "simhash", "--window", "20"], "simhash has no parameter window"),
        (["--method", "topsig", "--density", "1.5"], "density was given as 1.5"),
        (["--method", "topsig", "--density", "0"], "density was given as 0"),
        (["--method", "topsig", "--seed", "-1"], "seed was given as -1"),
        (["--method", "mod", "--window", "0"], "window was given as 0"),
        (["--method", "mod", "--n", "0"], "n was given as 0"),
        (["--method", "mod", "--n", "many"], "'many' is not a whole number"),
        (["--method", "min", "--n", "auto"], "n was given as 'auto'"),
        (["--method", "sketch", "--form", "round"], "form was given as 'round'"),
        (["--method", "bsw", "--chunks", "half"], "chunks was given as 'half'"),
        (["--method", "fingerprint", "--bin", "-10"], "bin was given as -10"),
        (["--method", "terms", "--terms", "0"], "terms was given as 0"),
        (["--method", "letters", "--alphabet", "greek"], "alphabet was given as 'greek'"),
        (["--method", "letters", "--statistics", "legal-english"], "letters does not use statistics"),
        (["--method", "topsig", "--statistics", "nowhere.statistics"], "no statistics at nowhere.statistics"),
        (["--method", "simhosh"], "no signature method 'simhosh'"),
        (["--method", "simhash", "--replace"], "--replace was given without --matter"),
    ],
)
def test_bad_parameters_get_one_sentence(options: list[str], said: str, cli, folder: Path):
    ran = cli("sign", str(folder), *options, "--json")
    assert ran.code in (1, 2)
    assert said in ran.json["error"]["message"]
    assert ran.json["error"]["hint"]
    assert ran.json["error"]["message"].count(". ") == 0


def test_what_to_sign_must_be_clear(cli, folder: Path, tmp_path: Path):
    neither = cli("sign", "--method", "simhash", "--json")
    both = cli("sign", str(folder), "--matter", str(tmp_path / "m"), "--method", "simhash", "--json")
    assert (neither.code, both.code) == (2, 2)
    assert "neither a path nor a matter" in neither.json["error"]["message"]
    assert "both paths and a matter" in both.json["error"]["message"]


def test_sampling_follows_the_mean_length_when_asked(cli, folder: Path):
    """The paper's rule of thumb: a hundred entries for a document of mean length."""
    ran = cli("sign", str(folder), "--method", "mod", "--n", "auto", "--json")
    lengths = [(folder / name).stat().st_size for name in ("a.txt", "b.txt", "c.txt", "e.txt")]
    assert ran.json["spec"]["parameters"]["n"] == round(sum(lengths) / 4 / 100)


def test_signatures_are_saved_and_nothing_else_is_replaced(cli, folder: Path, tmp_path: Path):
    target = tmp_path / "made.signatures"
    ran = cli("sign", str(folder), "--method", "simhash", "--out", str(target), "--json")
    assert ran.code == 0
    loaded = Signatures.load(target)
    assert list(loaded.ids) == ["a.txt", "b.txt", "c.txt", "e.txt"]
    assert family("simhash").value(loaded, 0) == ran.json["signatures"][0]["value"]
    refused = cli("sign", str(folder), "--method", "simhash", "--out", str(folder / "a.txt"), "--json")
    assert refused.code == 2
    assert (folder / "a.txt").read_text() == CLAUSE * 20


def test_a_matter_is_signed_and_other_statistics_are_refused(cli, folder: Path, tmp_path: Path):
    """Through the command line, with wave 2, as litigation support would meet it."""
    matter, one, two = tmp_path / "m", tmp_path / "one.statistics", tmp_path / "two.statistics"
    build([CLAUSE, CLAUSE * 2]).save(one)
    build(["Der Mieter zahlt.", "Die Miete ist am ersten Tag zu zahlen."]).save(two)
    tc.scan(folder, matter, report=False)
    first = cli("sign", "--matter", str(matter), "--method", "topsig", "--statistics", str(one), "--json")
    assert (first.code, first.json["signed"], first.json["already"]) == (0, 3, 0)
    assert {one["path"] for one in first.json["unsigned"]} == {"d.exe", "e.txt"}
    wave = tmp_path / "wave-2"
    wave.mkdir()
    (wave / "f.txt").write_text(CLAUSE * 7)
    assert cli("add", str(wave), "--matter", str(matter), "--json").code == 0
    refused = cli("sign", "--matter", str(matter), "--method", "topsig", "--statistics", str(two), "--json")
    assert refused.code == 1
    assert "with statistics" in refused.json["error"]["message"]
    assert "--statistics" in refused.json["error"]["hint"]
    again = cli("sign", "--matter", str(matter), "--method", "topsig", "--json")
    assert (again.json["signed"], again.json["already"]) == (0, 4)
    assert again.json["statistics"] == first.json["statistics"]
    assert [one["path"] for one in again.json["signatures"]] == ["a.txt", "b.txt", "c.txt", "f.txt"]


def test_methods_lists_every_method_with_what_it_can_tell(cli):
    listed = {one["name"]: one for one in cli("methods", "--json").json["methods"]}
    assert tuple(listed) == METHODS
    assert {name for name, one in listed.items() if one["supports"]["containment"]} == {"mod", "bsw"}
    assert listed["terms"]["bytes"] == 184
    assert listed["letters"]["bytes"] == 248
    for name, one in listed.items():
        known = {parameter["name"] for parameter in one["parameters"]}
        spec = dict(family(name).spec().parameters)
        fixed = {"statistics", "unicode"} | ({"k", "profile"} if name == "words" else set())
        assert known - {"statistics"} == {*spec} - fixed, name
        assert one["limits"], name


def test_methods_and_signatures_are_readable_on_a_terminal(cli, folder: Path):
    shown = cli("methods").out
    assert all(name in shown for name in METHODS)
    signed = cli("sign", str(folder), "--method", "simhash")
    assert "a.txt" in signed.out
    assert "not signed: d.exe" in signed.out
