"""Writes a sample of the matter's format that the installed truecopy writes, and what it answers.

    python tests/formats/make_format_sample.py tests/formats/format-5

makes `matter.tar.xz` (the matter's folder) and `answers.json` there. Make a sample when the format is raised, with the
last version that wrote the old one, and never make it again: what a later version must be able to read is what that
version wrote. The samples of formats 1 to 5 were made by this script with the source of the last working commit of each
on the Python path; those of 1 to 4 have no answers, because no later version reads them.

format 1   aa847c9
format 2   a82282a
format 3   13d4e8a
format 4   da58ea2
format 5   e88026d

The answers say what documents are and how they are alike (ids, paths, statuses, measures, kinds), not how that is kept.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

METHODS = ("simhash", "letters")
"""What the sample is signed with; a method that did not exist at the time is left out."""

OPENING = """\
This agreement is made on 3 March 2024 between Harbour Lane Supplies Limited and Whitfield Orchards LLP, who have agreed
that the goods and services described below will be supplied on the terms that follow and on no others."""
CLAUSES = """\
The supplier shall deliver each consignment to the depot at Mill Road within 14 days of the order, carriage paid.
The buyer shall pay every invoice within 30 days; interest of 4.5 % a year runs on whatever remains unpaid after that.
Title passes on payment, risk on delivery, and the buyer insures the goods in transit for not less than $250,000.
The supplier warrants that fruit, labels and crates meet the grading rules of the season in which they are sold.
Either party may inspect the packing line during working hours, provided that two days' notice is given in writing.
Rejected crates are to be set aside, photographed, and returned at the cost of the party who packed them.
Neither party is liable for frost, flood, strike, or any other event that reasonable care would not have prevented.
Prices are fixed until the thirty-first of October and are then reviewed against the index of the growers' association.
Confidential figures, among them yields and margins, shall not be shown to any competitor of either party.
The agreement ends after three seasons, or earlier on ninety days' notice if half of a season's orders are not met.
Disputes go first to the managers, then to a mediator chosen by the chamber of commerce, and only then to the courts.
Notices are valid when they are sent to the address on the first page, by post or by electronic mail with receipt.
No waiver of one breach is a waiver of another, and a clause that fails does not bring the others down with it.
This document replaces all earlier letters, drafts and promises between the parties about the same orchard.""".split(
    "\n"
)
LEASE = """\
{landlord} lets to {tenant} the shop and the cellar at 18 Tanner Street for five years from the first of May.
The rent is {rent} a quarter, payable in advance, and is reviewed on the third anniversary of the letting.
The tenant keeps the interior in repair, paints it every third year, and returns it as it was found, fair wear excepted.
The landlord keeps the roof, the walls and the drains in repair and may enter to do so on a day's notice.
The tenant shall not sublet, assign or share the premises without consent, which shall not be withheld unreasonably.
Signs on the front need the approval of the landlord and of the conservation officer of the borough.
If the rent is 21 days late, or a covenant is broken and not made good, the landlord may end the lease and re-enter.
The tenant insures the plate glass; the landlord insures the building and shows the policy on request."""
PARTIES = (
    ("Agnes Pell", "the Corner Bakery", "$4,100"),
    ("Agnes Pell", "Mr Tomas Rey", "$4,250"),
    ("Borough Estates", "the Corner Bakery", "$4,250"),
    ("Borough Estates", "Lanterns and Lamps", "$3,980"),
    ("Cutler's Charity", "Lanterns and Lamps", "$4,100"),
    ("Cutler's Charity", "Nora Quist", "$5,000"),
    ("Miller and Daughters", "Nora Quist", "$5,125"),
)
MINUTES = """\
Minutes of the committee of the Riverside Allotment Society, held in the pavilion on a wet Tuesday evening. Present were
the chair, the treasurer and eleven members. The pump has been mended. Slugs were discussed at length and no conclusion
was reached, except that copper tape is dear. The treasurer reported that subscriptions cover the water bill with a
little over, which will buy a second wheelbarrow. The next meeting will judge the marrows."""
LETTER = """\
Sehr geehrte Frau Müller, für die Übersendung der Unterlagen danken wir Ihnen. Die Gebühr in Höhe von 1.250,00 EUR ist
bis zum 15. Juni fällig; die Zahlung wird auf die Kosten der Prüfung angerechnet. Über die Fortführung des Verfahrens
entscheidet die Behörde nach Anhörung der Beteiligten. Mit freundlichen Grüßen, die Geschäftsstelle."""
RECIPE = """\
Peel two pounds of sharp apples, slice them thinly and lay them in a buttered dish with lemon, sugar and cloves. Rub
cold butter into flour and oats until it looks like gravel, add brown sugar and a pinch of salt, and scatter it over the
fruit. Bake until the top is the color of a good leather chair, and serve it with more cream than seems proper."""
MAIL = """\
From: Ines Marlow <ines@example.org>
To: Piet Osterhuis <piet@example.org>
Subject: the second wheelbarrow
Date: Mon, 4 Mar 2024 09:30:00 +0000

Dear Piet, the treasurer agrees to the second wheelbarrow if the old one is mended first. Could you look at its wheel
before the weekend and tell me what a new bearing costs? The marrows can wait, and so can the slugs. Yours, Ines.
"""


def agreement(clauses: Sequence[str] = CLAUSES) -> str:
    """The agreement that a family of versions is made from."""
    numbered = [f"{number}. {clause}" for number, clause in enumerate(clauses, 1)]
    return "\n\n".join([OPENING, *numbered]) + "\n"


def reworded(text: str, every: int, mark: str) -> str:
    """Every n-th word of a text replaced by one of its own."""
    words = text.split(" ")
    return " ".join(f"{mark}{place}" if place % every == every - 1 else word for place, word in enumerate(words))


def write_waves(folder: Path) -> tuple[Path, Path]:
    """The documents of two waves."""
    first, second = folder / "first", folder / "second"
    base = agreement()
    further = reworded(base, 8, "alpha")
    texts = {
        "agreements/agreement.txt": base,
        "agreements/agreement - copy.txt": base,
        "agreements/AGREEMENT SET IN CAPITALS.txt": base.upper().replace("\n\n", "\n \n\n"),
        "agreements/agreement, other fee.txt": base.replace("$250,000", "$275,000").replace("4.5 %", "4.9 %"),
        "agreements/agreement, two clauses less.txt": agreement(CLAUSES[:-2]),
        "agreements/further draft.txt": further,
        "agreements/furthest draft.txt": reworded(further, 9, "beta"),
        "agreements/excerpt.txt": "\n\n".join(CLAUSES[3:8]),
        "society/minutes.txt": MINUTES,
        "society/recipe.txt": RECIPE,
        "society/short.txt": "Signed and sealed.",
        "society/short again.txt": "Signed and sealed.",
        "society/figures.txt": "1 2 3\n4 5 6\n",
        "society/empty.txt": "",
        "society/wheelbarrow.eml": MAIL,
        "society/draft.tmp": "Left out.",
    }
    for name, text in texts.items():
        place = first / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (first / "society" / "Brief.txt").write_bytes(LETTER.encode("cp1252"))
    (first / "society" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(64)))
    (first / "society" / "damaged.docx").write_bytes(b"PK\x03\x04 this is no archive")
    (first / "leases").mkdir()
    for number, (landlord, tenant, rent) in enumerate(PARTIES[:5], 1):
        lease = LEASE.format(landlord=landlord, tenant=tenant, rent=rent)
        (first / "leases" / f"lease {number}.txt").write_text(lease, encoding="utf-8")
    second.mkdir()
    for number, (landlord, tenant, rent) in enumerate(PARTIES[5:], 6):
        lease = LEASE.format(landlord=landlord, tenant=tenant, rent=rent)
        (second / f"lease {number}.txt").write_text(lease, encoding="utf-8")
    (second / "agreement once more.txt").write_text(base, encoding="utf-8")
    (second / "agreement, renewed.txt").write_text(base.replace("2024", "2027").replace("Mill", "Quay"), "utf-8")
    (second / "recipe, tried.txt").write_text(RECIPE.replace("two pounds", "three pounds") + " It was good.", "utf-8")
    (second / "rules.txt").write_text("\n".join(reversed(CLAUSES[8:])), encoding="utf-8")
    with zipfile.ZipFile(second / "papers.zip", "w") as packed:
        packed.writestr("minutes.txt", MINUTES)
        packed.writestr("minutes, approved.txt", MINUTES.replace("eleven", "twelve"))
    return first, second


def make_matter(folder: Path, matter: Path) -> None:
    """A matter of two waves with a dense family, signed, and asked once, so that it has every segment."""
    import truecopy
    from truecopy.settings import MatterSettings

    first, second = write_waves(folder)
    made = truecopy.scan(
        first, matter, settings=MatterSettings(dense=5, nearest=2), exclude=["*.tmp"], report=False, threads=1
    )
    made.add(second, wave="second", threads=1)
    if hasattr(made, "sign"):
        for method in METHODS:
            made.sign(method, threads=1)
    if hasattr(made, "containing"):
        made.containing("agreements/excerpt.txt")
        made.near("agreements/agreement.txt", "simhash")


# --- what is asked of a sample ------------------------------------------------------------------------------


def questions(outside: Path) -> dict[str, list[str]]:
    """Commands, by the name that their answer has in answers.json; `outside` is a file that is not in the matter."""
    document, excerpt, lease = "agreements/agreement.txt", "agreements/excerpt.txt", "leases/lease 2.txt"
    return {
        "status": ["status"],
        "documents": ["documents"],
        "groups": ["groups"],
        "groups at 70": ["groups", "--threshold", "70"],
        "groups at 95": ["groups", "--threshold", "95"],
        "pairs at 70": ["pairs", "--threshold", "70", "--expand"],
        "pairs at 85": ["pairs", "--threshold", "85"],
        "contains": ["pairs", "--relation", "contains", "--threshold", "80", "--expand"],
        "similar": ["similar", document],
        "similar of a dense family": ["similar", lease, "--threshold", "75"],
        "similar to a file": ["similar", str(outside), "--threshold", "70"],
        "containing": ["similar", excerpt, "--contains"],
        "contained": ["similar", document, "--contained-in"],
        "near by simhash": ["similar", document, "--method", "simhash", "--distance", "12"],
        "near by letters": ["similar", document, "--method", "letters", "--gamma", "0.1"],
        "compare a copy": ["compare", document, "agreement once more.txt"],
        "compare a version": ["compare", document, "agreements/agreement, other fee.txt"],
        "compare an excerpt": ["compare", excerpt, document],
        "compare unlike texts": ["compare", "society/minutes.txt", "society/recipe.txt"],
    }


def write_outside(folder: Path) -> Path:
    """The file from outside that `similar` is asked about."""
    file = folder / "from outside.txt"
    file.write_text(agreement([*CLAUSES[:9], *CLAUSES[11:]]), encoding="utf-8")
    return file


MEASURES = ("similarity", "resemblance", "containment", "terminology", "kind")
LISTS: dict[str, tuple[str, ...]] = {
    "documents": ("id", "path", "status", "copy_of", "words", "wave", "encoding"),
    "pairs": ("a_id", "b_id", "a", "b", "relation", *MEASURES),
    "hits": ("id", "path", "similarity", "kind"),
    "linked": ("id", "path", "links"),
}
"""What is recorded of each entry of a list; the order of these is recorded too."""
PLAIN = ("statuses", "complete", *MEASURES, "longer", "differences", "important")
"""What is recorded as it is."""


def recorded(answer: dict[str, Any]) -> dict[str, Any]:
    """What an answer says about the documents."""
    kept: dict[str, Any] = {name: answer[name] for name in PLAIN if name in answer}
    for name, value in answer.items():
        if name in LISTS and isinstance(value, list):
            kept[name] = [{field: entry[field] for field in LISTS[name] if field in entry} for entry in value]
        elif name == "documents":
            kept[name] = value
        elif name == "groups" and isinstance(value, list):
            kept[name] = [_group(group) for group in value]
        elif name == "waves":
            kept[name] = [(wave["name"], wave["documents"]) for wave in value]
        elif name == "grouping":
            kept[name] = {field: value[field] for field in ("threshold", "rule", "groups")}
    return kept


def _group(group: dict[str, Any]) -> dict[str, Any]:
    fields = ("id", "path", "similarity", "kind", "copy_of")
    return {
        "id": group["id"],
        "principal": group["principal"]["id"],
        "members": [{field: member[field] for field in fields} for member in group["members"]],
    }


def asked(matter: Path, command: Sequence[str]) -> dict[str, Any]:
    """What a command answers about a matter, run in this process."""
    from truecopy.cli.run import run

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run([*command, "--matter", str(matter), "--json"])
    answer: dict[str, Any] = json.loads(printed.getvalue())
    if not answer["ok"]:
        raise ValueError(answer["error"]["message"])
    return answer


def answers(matter: Path, outside: Path, ask: Callable[..., dict[str, Any]] = asked) -> dict[str, Any]:
    """Every question, and what is recorded of its answer."""
    return {name: recorded(ask(matter, command)) for name, command in questions(outside).items()}


def main(target: Path) -> None:
    """Write the sample and, if this version has all the commands, its answers."""
    target.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.gettempdir()) / "format-sample"
    work.mkdir()  # the matter keeps the paths of its documents: they are the same wherever it is made
    try:
        matter = work / "matter"
        make_matter(work, matter)
        with tarfile.open(target / "matter.tar.xz", "w:xz", preset=9) as packed:
            for file in sorted(matter.iterdir()):
                packed.add(file, f"matter/{file.name}", filter=_nobody)
        from truecopy.matter.sql import tables

        if tables.FORMAT >= 5:
            found = answers(matter, write_outside(work))
            (target / "answers.json").write_text(_lines(found), encoding="ascii")
    finally:
        shutil.rmtree(work)


def _lines(found: dict[str, Any]) -> str:
    """JSON with one entry of a list on a line, so that a change can be read."""
    answered = []
    for question, answer in found.items():
        fields = []
        for name, value in answer.items():
            entries = [json.dumps(entry) for entry in value] if isinstance(value, list) else []
            told = "[\n   " + ",\n   ".join(entries) + "\n  ]" if entries else json.dumps(value)
            fields.append(f"  {json.dumps(name)}: {told}")
        answered.append(f" {json.dumps(question)}: {{\n" + ",\n".join(fields) + "\n }")
    return "{\n" + ",\n".join(answered) + "\n}\n"


def _nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without the name of whoever made the sample."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    main(Path(sys.argv[1]))
