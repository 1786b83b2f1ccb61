"""Small collections of versions, excerpts and copies with dates, and everything that a matter says of two documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

import truecopy as tc
from naive import naive_shingles, naive_words
from truecopy.api import Against
from truecopy.matter.ask.against import compare_with_all
from truecopy.model import COPIES, SHORTEST_CONTAINED, SHORTEST_PAIRED
from truecopy.read.one import read_one
from truecopy.threshold import WHOLE, ten_thousandths

WORDS = tuple(
    "the a of lessee lessor rent deposit notice term party shall may not pay 12 12.5 $7 clause option repair law month"
    " premises assign waiver default year sign seal court claim order".split()
)
Text = tuple[tuple[str, ...], ...]
"""Paragraphs of words."""


@dataclass(frozen=True)
class Paper:
    """A document to be written."""

    text: Text
    day: int | None
    """Of March 2024; without one, the file says no date."""

    def write(self, folder: Path, name: str) -> Path:
        """As RTF, which has a date of its own, or as plain text, which has none."""
        paragraphs = [" ".join(words) for words in self.text]
        if self.day is None:
            file = folder / f"{name}.txt"
            file.write_text("\n\n".join(paragraphs))
        else:
            file = folder / f"{name}.rtf"
            info = f"{{\\info{{\\revtim\\yr2024\\mo3\\dy{self.day}}}}}"
            file.write_text("{\\rtf1\\ansi" + info + " " + "\\par\\par ".join(paragraphs) + "}")
        return file


def paragraphs(least: int, most: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(WORDS), min_size=least, max_size=most).map(tuple)


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """A new text: some of a few words, some long enough to be contained in others."""
    if draw(st.integers(0, 5)) == 0:
        return (draw(paragraphs(1, 12)),)
    if draw(st.integers(0, 5)) == 0:  # the same few words, with figure marks of their own
        return (("pay", draw(st.sampled_from(["1,500", "1.500", "$1,500", "1 500"])), "now"),)
    seed = draw(st.integers(0, 3))
    # Words of its own: two new texts are not alike by chance.
    long = [tuple(f"w{seed}x{(7 * n + 93 * p) % 289}" for n in range(draw(st.integers(20, 70)))) for p in range(3)]
    return (*long, draw(paragraphs(5, 30)))


@st.composite
def versions(draw: st.DrawFn, base: Text) -> Text:
    """A version of a text: edited, cut out, longer inside, by an article or by paragraphs, in another order, with other
    figures.
    """
    how = draw(
        st.sampled_from(
            ["edit", "edit", "excerpt", "excerpt", "insertion", "paragraphs", "articles", "order", "figures", "same"]
        )
    )
    text = [list(paragraph) for paragraph in base]
    where = [(p, w) for p, paragraph in enumerate(text) for w in range(len(paragraph))]
    if how == "edit":
        share = draw(st.sampled_from([1, 3, 6, 12, 25, 40]))
        for p, w in draw(st.permutations(where))[: max(len(where) * share // 100, 1)]:
            text[p][w] = draw(st.sampled_from(WORDS))
    elif how == "excerpt":
        first = draw(st.integers(0, len(text) - 1))
        text = text[first : draw(st.integers(first + 1, len(text)))]
        text[0] = text[0][draw(st.integers(0, max(len(text[0]) - 1, 0))) :]
    elif how == "insertion":
        p, w = draw(st.sampled_from(where))
        text[p][w:w] = draw(paragraphs(1, 60))
    elif how == "articles":
        p, w = draw(st.sampled_from(where))
        text[p].insert(w, "the")
    elif how == "paragraphs":
        text.insert(draw(st.integers(0, len(text))), list(draw(paragraphs(5, 120))))
    elif how == "order":
        text = draw(st.permutations(text))
    elif how == "figures":
        text = [[{"12": "-12", "12.5": "12,5", "$7": "7"}.get(word, word) for word in each] for each in text]
    return tuple(tuple(paragraph) for paragraph in text if paragraph) or base


@st.composite
def rooms(draw: st.DrawFn) -> list[Paper]:
    """Some documents, most of them versions of others."""
    days = st.none() | st.integers(1, 28)
    papers = [Paper(draw(texts()), draw(days))]
    for _ in range(draw(st.integers(2, 6))):
        if draw(st.integers(0, 3)):
            papers.append(Paper(draw(versions(draw(st.sampled_from(papers)).text)), draw(days)))
        else:
            papers.append(Paper(draw(texts()), draw(days)))
    return papers


@dataclass(frozen=True)
class Said:
    """What is said of two documents; None where an answer does not say it."""

    by: str
    a: tc.Document
    b: tc.Document
    kind: str
    similarity: float
    containment: tuple[float, float] | None = None
    resemblance: float | None = None
    terminology: float | None = None


class Judge:
    """Holds every answer to `compare` of the same two documents."""

    def __init__(self, matter: tc.Matter) -> None:
        self._matter = matter
        self._compared: dict[tuple[int, int], tc.Comparison] = {}

    def compared(self, a: tc.Document, b: tc.Document) -> tc.Comparison:
        """What `compare` says of them; the other way around it says the same."""
        if (a.number, b.number) not in self._compared:
            one, other = self._matter.compare(a, b), self._matter.compare(b, a)
            assert (one.kind, one.similarity, one.resemblance, one.terminology) == (
                other.kind, other.similarity, other.resemblance, other.terminology,
            )  # fmt: skip
            assert one.containment == other.containment[::-1]
            self._compared[a.number, b.number], self._compared[b.number, a.number] = one, other
        return self._compared[a.number, b.number]

    def text(self, document: tc.Document) -> str:
        """As it was extracted."""
        return self._matter.text(document)

    def check(self, said: Said) -> None:
        """It must be what `compare` says."""
        truth = self.compared(said.a, said.b)
        where = f"{said.by}: {said.a.path} and {said.b.path}"
        assert (said.kind, said.similarity) == (truth.kind, truth.similarity), where
        for name in ("containment", "resemblance", "terminology"):
            value = getattr(said, name)
            assert value is None or value == getattr(truth, name), f"{name} by {where}"


def with_text(matter: tc.Matter) -> list[tc.Document]:
    """The documents that can be compared."""
    return [one for one in matter.documents() if one.words]


def of_pairs(matter: tc.Matter, floors: dict[str, float]) -> Iterator[Said]:
    """What `pairs` says, with and without copies, of every relation."""
    for relation, floor in floors.items():
        for expand in (False, True):
            for pair in matter.pairs(floor, relation, expand=expand):
                scores = pair.scores
                assert scores.similarity is not None
                yield Said(
                    f"pairs of {relation}", pair.a, pair.b, pair.kind, scores.similarity, scores.containment,
                    scores.resemblance, scores.terminology,
                )  # fmt: skip


def of_groups(matter: tc.Matter, thresholds: Sequence[float | None]) -> Iterator[Said]:
    """What `groups` says, at any threshold, of members and their principals, and of linked documents."""
    for threshold in thresholds:
        grouping = matter.groups(threshold)
        for group in grouping.groups:
            for member in group.members:
                one = member.document
                yield Said(f"groups at {threshold}", group.principal, one, member.kind, member.similarity)
    for group in matter.each_group():
        for place in matter.group_places([group.principal, *(member.document for member in group.members)]).items():
            number, found = place
            if found.kind is not None and found.similarity is not None:
                one = matter.document(number)
                yield Said("places in groups", group.principal, one, found.kind, found.similarity)


def of_similar(matter: tc.Matter, floor: float, asked: tc.Document, outside: Path | None) -> Iterator[Said]:
    """What `similar` says of a document, and of a file from outside that is the same."""
    given: list[tc.Document | Path] = [asked] if outside is None else [asked, outside]
    for document in given:
        for hit in matter.similar(document, floor):
            if hit.document != asked:
                by = f"similar to {document if isinstance(document, Path) else document.id}"
                yield Said(by, asked, hit.document, hit.kind, hit.similarity)


def of_methods(matter: tc.Matter, asked: tc.Document, outside: Path | None, widest: dict[str, float]) -> Iterator[Said]:
    """What `similar` says by the signatures of every method that the matter is signed with, and of what contains."""
    given: list[tc.Document | Path] = [asked] if outside is None else [asked, outside]
    for document in given:
        of = "outside" if isinstance(document, Path) else "inside"
        answers = {method: matter.near(document, method, **widest) for method in matter.signings()}  # type: ignore[arg-type]
        for threshold in (10, 80):
            answers[f"containing at {threshold}"] = matter.containing(document, threshold)
            answers[f"contained in at {threshold}"] = matter.contained_in(document, threshold)
        for method, answer in answers.items():
            for hit in answer.hits:
                if hit.document != asked and hit.document.words:
                    short = min(hit.document.words, asked.words) < SHORTEST_PAIRED
                    assert not short or hit.kind in (*COPIES, "unrelated"), (method, asked, hit)
                    yield Said(f"{method}, {of}", asked, hit.document, hit.kind, hit.similarity, hit.containment)


def of_form(matter: tc.Matter, asked: tc.Document, outside: Path) -> Iterator[Said]:
    """What `scan --against` says of a form that is the same as a document."""
    with matter.asking() as state:
        form = Against(str(outside), compare_with_all(state, read_one(outside), 1))
    for hit in form.hits:
        if hit.document != asked:
            yield Said("against", asked, hit.document, hit.kind, hit.similarity, hit.containment)


def of_sides(matter: tc.Matter, asked: tc.Document, outside: Path) -> Iterator[Said]:
    """What `compare` says of a file from outside."""
    for other in with_text(matter):
        if other != asked:
            found = matter.compare(outside, other)
            yield Said(
                "compare with a file", asked, other, found.kind, found.similarity, found.containment,
                found.resemblance, found.terminology,
            )  # fmt: skip


def must_be_complete(matter: tc.Matter, judge: Judge, floors: dict[str, float]) -> None:
    """Every two texts that a relation holds for are a pair of it, and no others; `similar` finds the same."""
    documents = with_text(matter)
    for relation, floor in floors.items():
        listed = {(pair.a.number, pair.b.number) for pair in matter.pairs(floor, relation, expand=True)}
        for a in documents:
            for b in documents:
                if a.number < b.number:
                    assert ((a.number, b.number) in listed) == holds(relation, a, b, judge, floor), (relation, a, b)
    for a in documents:
        near = {hit.document.number for hit in matter.similar(a, floors["similar"])}
        expected = {b.number for b in documents if b != a and holds("similar", a, b, judge, floors["similar"])}
        assert near == expected, a


def holds(relation: str, a: tc.Document, b: tc.Document, judge: Judge, floor: float) -> bool:
    """By the contract's table, from what `compare` measures."""
    truth = judge.compared(a, b)
    if relation == "similar":
        short = min(a.words, b.words) < SHORTEST_PAIRED
        if short:
            return truth.kind in ("same-file", "same-text")
        longer = max(a.words, b.words)
        return round(truth.similarity * longer / 100) * WHOLE >= longer * ten_thousandths(floor)
    first, second = (naive_shingles([word for word, _, _ in naive_words(judge.text(one))]) for one in (a, b))
    fewer = min(len(first), len(second))
    return fewer >= SHORTEST_CONTAINED and len(first & second) * WHOLE >= fewer * ten_thousandths(floor)
