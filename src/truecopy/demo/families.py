"""The families of the data room: an agreement and what became of it, with the truth about every pair.

Each recipe takes the room and a case (one agreement with its facts), files the documents and notes the pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from truecopy.demo import edits
from truecopy.demo.agreements import AgreementType
from truecopy.demo.amendments import amendment
from truecopy.demo.cast import Party, cast, unsigned
from truecopy.demo.compose import compose
from truecopy.demo.dice import Dice
from truecopy.demo.figures import signing_day, written_date
from truecopy.demo.noise import scanned
from truecopy.demo.paper import Form, FormFacts, Paper, fill
from truecopy.demo.room import DataRoom
from truecopy.demo.write.docx import docx
from truecopy.demo.write.pdf import pdf
from truecopy.demo.write.plain import plain

OLD_SERVER = "09 Imported from old server"
DRAFT_EDITS = (3, 5, 8)
"""Percent of the text that each draft changes: the later, the more."""


@dataclass(frozen=True, slots=True)
class Case:
    """One agreement with its facts, signed, and the names that its documents are filed under."""

    room: DataRoom
    number: int
    agreement: AgreementType
    other: Party
    form: Form
    facts: FormFacts

    @property
    def name(self) -> str:
        """Title and counterparty, fit for a file name."""
        return f"{self.form.title} - {short(self.other)}"

    @property
    def base(self) -> str:
        """Folder and name."""
        return f"{self.agreement.folder}/{self.name}"

    def dice(self, purpose: str) -> Dice:
        """A stream of choices of this case."""
        return self.room.dice("case", self.number, purpose)

    def with_party(self, other: Party) -> Case:
        """The same form with another party; day, place and subject stay."""
        changed = cast(self.agreement, self.room.house, other, self.dice("facts"))
        return replace(self, other=other, facts=replace(self.facts, cast=changed))


def short(party: Party) -> str:
    """A party's name, fit for a file name."""
    return party.name.replace("/", "").replace(".", "")


def open_case(room: DataRoom, number: int, agreement: AgreementType) -> Case:
    """A new agreement of this data room."""
    other = room.other(agreement.person)
    form = compose(agreement, room.dice("case", number, "form"))
    facts = cast(agreement, room.house, other, room.dice("case", number, "facts"))
    return Case(room, number, agreement, other, form, FormFacts(facts, f"{room.seed}/case/{number}/figures"))


def rendered(paper: Paper, suffix: str) -> bytes:
    """The paper as a file of this format."""
    if suffix == "docx":
        return docx(paper)
    return pdf(paper) if suffix == "pdf" else plain(paper, 96)


def _file(case: Case, form: Form, facts: FormFacts, path: str, about: tuple[str, str]) -> str:
    """Files a document in the format of its path; `about` is its family and what it is."""
    content = rendered(fill(form, facts), path.rpartition(".")[2])
    return case.room.add(path, content, *about)


def single(case: Case) -> None:
    """An agreement that resembles no other."""
    suffix = case.dice("format").pick(("pdf", "pdf", "docx", "docx", "txt"))
    family = case.room.family(case.name)
    _file(case, case.form, case.facts, f"{case.base}.{suffix}", (family, "agreement"))


def negotiation(case: Case) -> None:
    """Four drafts, the execution version, the signed copy with its conformed text, and an amendment."""
    family = case.room.family(case.name)
    blank = replace(case.facts, cast=unsigned(dict(case.facts.cast)))
    drafts = [case.form]
    for round_, percent in enumerate(DRAFT_EDITS, 1):
        drafts.append(edits.revision(drafts[-1], case.dice(f"draft {round_}"), percent, round_))
    final = edits.revision(drafts[-1], case.dice("final"), 2, len(drafts))
    versions = [
        _file(case, draft, blank, f"{case.base} - draft v{number}.docx", (family, "draft"))
        for number, draft in enumerate(drafts, 1)
    ]
    execution = _file(case, final, blank, f"{case.base} - execution version.docx", (family, "execution version"))
    signed = _file(case, final, case.facts, f"{case.base} - signed.pdf", (family, "signed copy"))
    text = _file(case, final, case.facts, f"{case.base} - conformed copy.txt", (family, "conformed copy"))
    changed = _file(
        case, amendment(final, case.dice("amendment")), case.facts, f"{case.base} - amendment 1.docx",
        (family, "amendment"),
    )  # fmt: skip
    case.room.pair_all([*versions, execution], "revision")
    case.room.pair(execution, signed, "execution-copy")
    case.room.pair(execution, text, "execution-copy")
    case.room.pair(signed, text, "same-text")
    case.room.pair(changed, signed, "unrelated")


def forms(case: Case) -> None:
    """One form, signed by five parties."""
    family = case.room.family(f"{case.form.title} - form")
    paths = []
    for number, suffix in enumerate(("docx", "pdf", "docx", "pdf", "txt")):
        one = case if number == 0 else case.with_party(case.room.other(case.agreement.person))
        facts = one.facts
        if number in (2, 4):
            facts = replace(facts, fresh=f"{facts.figures}/{number}")
        paths.append(_file(one, case.form, facts, f"{one.base}.{suffix}", (family, "agreement")))
    case.room.pair_all(paths, "same-form")


def renewals(case: Case) -> None:
    """The agreement and two renewals: other dates, amounts and numbers."""
    family = case.room.family(f"{case.name} - renewals")
    paths = []
    for number, suffix in enumerate(("pdf", "docx", "pdf")):
        facts, name = case.facts, case.base
        if number:
            day = signing_day(case.dice(f"renewal {number}"))
            dated = dict.fromkeys(("dated", "a_day", "b_day"), written_date(day))
            facts = replace(facts, cast={**facts.cast, **dated, "iso_date": day}, fresh=f"{facts.figures}/{number}")
            name = f"{case.base} - renewal {number}"
        paths.append(_file(case, case.form, facts, f"{name}.{suffix}", (family, "agreement")))
    case.room.pair_all(paths, "near-identical")


def inserted(case: Case) -> None:
    """The agreement, and a version with more sentences inside its paragraphs."""
    family = case.room.family(case.name)
    dice = case.dice("insertion")
    longer = edits.insertion(case.form, dice, dice.between(4, 9))
    a = _file(case, case.form, case.facts, f"{case.base}.docx", (family, "agreement"))
    b = _file(case, longer, case.facts, f"{case.base} - with comments taken in.docx", (family, "version"))
    case.room.pair(a, b, "insertion")


def elaborated(case: Case) -> None:
    """The agreement, and a version with further paragraphs."""
    family = case.room.family(case.name)
    dice = case.dice("elaboration")
    longer = edits.elaboration(case.form, dice, dice.between(6, 12))
    a = _file(case, case.form, case.facts, f"{case.base}.txt", (family, "agreement"))
    b = _file(case, longer, case.facts, f"{case.base} - extended.docx", (family, "version"))
    case.room.pair(a, b, "elaboration")


def excerpts(case: Case) -> None:
    """The agreement, its first schedule by itself, and some of its articles."""
    family = case.room.family(case.name)
    dice = case.dice("excerpt")
    part = edits.excerpt(case.form, dice, dice.between(15, 40))
    whole = _file(case, case.form, case.facts, f"{case.base}.pdf", (family, "agreement"))
    for form, name in (
        (edits.schedule(case.form), f"{case.base} - Schedule 1.docx"),
        (part, f"07 Correspondence/Extract from {case.name}.txt"),
    ):
        path = _file(case, form, case.facts, name, (family, "excerpt"))
        case.room.pair(path, whole, "excerpt")


def copies(case: Case) -> None:
    """One text as Word, PDF and plain text, and the PDF once more on the old server."""
    family = case.room.family(case.name)
    paths = [
        _file(case, case.form, case.facts, f"{case.base}.{suffix}", (family, "agreement"))
        for suffix in ("docx", "pdf", "txt")
    ]
    case.room.pair_all(paths, "same-text")
    copy = case.room.add(f"{OLD_SERVER}/{case.name}.pdf", case.room.entries[-2].content, family, "copy")
    case.room.pair(paths[1], copy, "same-file")
    case.room.pair(paths[0], copy, "same-text")
    case.room.pair(paths[2], copy, "same-text")


def scans(case: Case) -> None:
    """The agreement, a scan that was read well, and one that was read badly."""
    family = case.room.family(case.name)
    paper = fill(case.form, case.facts)
    whole = case.room.add(f"{case.base}.docx", docx(paper), family, "agreement")
    good = scanned(paper, case.dice("good scan"), 4)
    bad = scanned(paper, case.dice("bad scan"), 45)
    path = case.room.add(f"{case.base} - scan.pdf", pdf(good), family, "scan")
    case.room.pair(whole, path, "revision")
    path = case.room.add(f"{OLD_SERVER}/{case.name} - fax.txt", plain(bad, 80), family, "bad scan")
    case.room.pair(whole, path, "scan")


Recipe = Callable[[Case], None]
