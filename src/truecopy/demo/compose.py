"""Composes agreements: frame, definitions, articles, schedules and signature block, drawn from the bank."""

from __future__ import annotations

from truecopy.demo.agreements import AgreementType
from truecopy.demo.dice import Dice
from truecopy.demo.grammar import Drawer, Line, Wording, entries, wordings_of
from truecopy.demo.paper import Form, Paragraph

# How headings and their clauses are numbered: article, clause.
NUMBERING = (("{0}.", "{0}.{1}"), ("Article {0}", "{0}.{1}"), ("Section {0}.", "({1})"), ("§ {0}", "({1})"))
SENTENCES_IN_ARTICLE = (4, 8)


class _Builder:
    """Collects the paragraphs of one form and counts articles, clauses and words."""

    def __init__(self, drawer: Drawer) -> None:
        self.drawer = drawer
        self.dice = drawer.dice
        self.article_mark, self.clause_mark = self.dice.pick(NUMBERING)
        self.paragraphs: list[Paragraph] = []
        self.part = 0
        self.words = 0

    def put(self, style: str, text: str, label: str = "") -> None:
        self.paragraphs.append(Paragraph(style, text, label, self.part))
        self.words += text.count(" ") + 1

    def article(self, title: str, lines: list[Line]) -> None:
        self.part += 1
        self.put("heading", title, self.article_mark.format(self.part))
        clause = item = 0
        for line in lines:
            if line.item:
                item += 1
                self.put("item", line.text, f"({chr(96 + item)})")
            else:
                clause, item = clause + 1, 0
                self.put("clause", line.text, self.clause_mark.format(self.part, clause))

    def wording(self, choices: tuple[Wording, ...]) -> None:
        wording = self.dice.pick(choices)
        self.article(self.drawer.draw(self.dice.pick(wording.titles)), self.drawer.lines(wording))

    def sentences(self) -> None:
        title = self.dice.pick(entries("sentences", "titles"))
        texts = sentences(self.drawer, self.dice.between(*SENTENCES_IN_ARTICLE))
        self.article(title, [Line(text) for text in texts])


def sentences(drawer: Drawer, count: int) -> list[str]:
    """Some sentences that fit any agreement."""
    pool = entries("sentences", "sentences")
    return [drawer.draw(text) for text in drawer.dice.shuffled(pool)[:count]]


def _frame(builder: _Builder, agreement: AgreementType, title: str) -> None:
    drawer, dice = builder.drawer, builder.dice
    builder.put("title", title)
    builder.put("center", "Dated {dated}")
    builder.put("center", "{a_name} and {b_name}")
    builder.put("heading", dice.pick(entries("frame", "parties")))
    company = dice.pick(entries("frame", "company"))
    for number, (side, role) in enumerate(zip("ab", drawer.roles, strict=True), 1):
        natural = agreement.person and side != agreement.house
        pattern = dice.pick(entries("frame", "person")) if natural else company
        text = pattern.replace("{x_", f"{{{side}_").replace("{X}", role)
        builder.put("plain", text + (" and" if number == 1 else "."), f"({number})")
    builder.put("heading", dice.pick(entries("frame", "recital heading")))
    for number, text in enumerate(entries(agreement.name, "recitals")):
        builder.put("plain", drawer.draw(text), f"({chr(65 + number)})")
    builder.put("plain", drawer.draw(dice.pick(entries("frame", "operative"))))


def _definitions(builder: _Builder) -> None:
    drawer, dice = builder.drawer, builder.dice
    chosen = dice.some(entries("definitions", "definitions"), dice.between(6, 13))
    lines = [Line(drawer.draw(dice.pick(entries("definitions", "intro"))))]
    lines += [Line(drawer.draw(text), item=True) for text in dice.shuffled(chosen)]
    builder.article(dice.pick(entries("frame", "definition heading")), lines)


def _articles(builder: _Builder, agreement: AgreementType, target: int) -> None:
    """Articles in an order of the form's own, until about `target` words are reached."""
    dice = builder.dice
    own = [wordings for name, wordings in wordings_of(agreement.name).items() if name.startswith("article ")]
    builder.wording(own[0])  # what the agreement is about comes first
    own = dice.shuffled(own[1:])[: dice.between(len(own) - 3, len(own) - 1)]
    commercial = dice.shuffled(tuple(wordings_of("commercial").values()))
    closing = dice.shuffled(tuple(wordings_of("closing").values()))
    small = target < 2200
    middle = own[2:] + commercial[: dice.between(4, 6) if small else dice.between(8, 13)]
    for wordings in own[:2]:
        builder.wording(wordings)
    for wordings in dice.shuffled(middle):
        builder.wording(wordings)
        if builder.words < target * 3 // 4 and dice.chance(45):
            builder.sentences()
    for wordings in closing[: dice.between(5, 7) if small else dice.between(8, 13)]:
        builder.wording(wordings)
    while builder.words < target - 300:
        builder.sentences()


def _schedules(builder: _Builder, agreement: AgreementType) -> None:
    drawer, dice = builder.drawer, builder.dice
    (wording,) = wordings_of(agreement.name)["schedule"]
    for number in range(1, dice.between(1, 2) + 1):
        builder.part += 1
        title = dice.pick(wording.titles) if number == 1 else dice.pick(entries("sentences", "titles"))
        builder.put("heading", title, f"Schedule {number}")
        if number == 1:
            rows = [line.text for line in wording.lines]
            rows = dice.shuffled(rows + rows)[: dice.between(9, 2 * len(rows))]
            lines = [drawer.draw(text) for text in rows]
        else:
            lines = sentences(drawer, dice.between(4, 9))
        for place, text in enumerate(lines, 1):
            builder.put("item", text, f"{place}.")


def _signatures(builder: _Builder, _agreement: AgreementType) -> None:
    builder.part += 1
    builder.put("plain", builder.drawer.draw(builder.dice.pick(entries("frame", "signing"))))
    for side in "ab":
        builder.put("signature", f"For {{{side}_name}}:")
        builder.put("signature", f"Signature: {{{side}_signature}}")
        builder.put("signature", f"Name: {{{side}_printed}}")
        builder.put("signature", f"Capacity: {{{side}_capacity}}")
        builder.put("signature", f"Date: {{{side}_day}}")


def compose(agreement: AgreementType, dice: Dice) -> Form:
    """An agreement of this type, its facts still open."""
    builder = _Builder(Drawer(dice, dice.pick(agreement.roles)))
    title = dice.pick(entries(agreement.name, "titles"))
    target = dice.between(agreement.shortest, (agreement.shortest + agreement.longest) // 2)
    if dice.chance(25):
        target = dice.between(target, agreement.longest)
    _frame(builder, agreement, title)
    _definitions(builder)
    _articles(builder, agreement, target)
    endings = (_schedules, _signatures)
    for ending in dice.shuffled(endings):
        ending(builder, agreement)
    return Form(agreement.name, title, tuple(builder.paragraphs))
