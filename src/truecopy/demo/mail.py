"""E-mails about an agreement: a draft sent as an attachment, and the replies that quote what came before."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime

from truecopy.demo import edits
from truecopy.demo.cast import unsigned
from truecopy.demo.families import Case, rendered
from truecopy.demo.grammar import Drawer, entries
from truecopy.demo.paper import fill, filled
from truecopy.demo.write.eml import Message, eml

SUBJECT = "Draft for your comments"
PARAGRAPHS = (5, 5, 8)
"""Of the first mail and its two replies: each adds enough for the quoted one to be an excerpt of it."""


def _when(case: Case, step: int) -> str:
    first = date.fromisoformat(case.facts.cast["iso_date"]) - timedelta(days=30)
    dice = case.dice(f"time {step}")
    clock = time(dice.between(8, 18), dice.between(0, 59), dice.between(0, 59), tzinfo=UTC)
    return format_datetime(datetime.combine(first + timedelta(days=3 * step), clock))


def _bodies(case: Case) -> list[str]:
    """What each message adds."""
    drawer = Drawer(case.dice("mail"), edits.roles(case.form), 50_000)
    dice = drawer.dice
    pool = dice.shuffled(entries("mail", "paragraphs"))
    bodies = []
    for step, count in enumerate(PARAGRAPHS):
        writer, reader = ("a", "b") if step % 2 == 0 else ("b", "a")
        name = case.facts.cast[f"{reader}_signer"].split(" ")[0]
        lines = [drawer.draw(dice.pick(entries("mail", "greetings")).replace("{name}", name))]
        if step == 0:
            opening = entries("mail", "first")[0].replace("{title}", case.form.title.lower())
            lines.append(drawer.draw(opening))
        # The pool is smaller than the thread: a theme comes up again, in other words.
        start = sum(PARAGRAPHS[:step])
        lines += [drawer.draw(pool[place % len(pool)]) for place in range(start, start + count)]
        lines += [drawer.draw(dice.pick(entries("mail", "closings"))), case.facts.cast[f"{writer}_signer"]]
        bodies.append("\n\n".join(filled(line, case.facts) for line in lines))
    return bodies


def thread(case: Case) -> None:
    """A draft in the data room, the mail that sent it, the answer, and the answer with the next draft."""
    room, cast = case.room, case.facts.cast
    family = room.family(f"{case.name} - correspondence")
    blank = replace(case.facts, cast=unsigned(dict(cast)))
    next_form = edits.revision(case.form, case.dice("next draft"), 6, 1)
    first_draft = rendered(fill(case.form, blank), "docx")
    next_draft = rendered(fill(next_form, blank), "docx")
    draft = room.add(f"{case.base} - draft.docx", first_draft, family, "draft")
    attached = {0: {"draft.docx": first_draft}, 2: {"draft with changes.docx": next_draft}}
    boxes = {side: f"{cast[f'{side}_signer']} <{cast[f'{side}_mail']}>" for side in "ab"}
    paths: list[str] = []
    inside: list[str] = []
    earlier: Message | None = None
    for step, body in enumerate(_bodies(case)):
        writer, reader = ("a", "b") if step % 2 == 0 else ("b", "a")
        subject = SUBJECT if earlier is None else f"RE: {SUBJECT}"
        message = Message(boxes[writer], boxes[reader], subject, _when(case, step), body)
        if earlier is not None:
            quoted = f"{body}\n\n-----Original Message-----\n{earlier.heading}\n\n{earlier.body}"
            message = replace(message, body=quoted, answers=earlier.id)
        content = eml(message, attached.get(step, {}))
        name = f"{step + 1:02} {subject.replace(':', '')}.eml"
        path = room.add(f"07 Correspondence/{case.name}/{name}", content, family, "e-mail")
        inside += [room.add(f"{path}/{name}", None, family, "attachment") for name in attached.get(step, {})]
        paths.append(path)
        earlier = message
    room.pair(draft, inside[0], "same-file")
    room.pair(inside[0], inside[1], "revision")
    room.pair(draft, inside[1], "revision")
    room.pair(paths[0], paths[1], "excerpt")
    room.pair(paths[1], paths[2], "excerpt")
    room.pair(paths[0], paths[2], "excerpt")
