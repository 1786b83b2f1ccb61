"""A matter as users hold it: a thin face over questions (`ask/`), which never write, and changes (`change/`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truecopy.access import matter_readable_by
from truecopy.errors import UsageError
from truecopy.hints import pasted
from truecopy.keywords import strict_methods
from truecopy.match.relations import floors_of
from truecopy.matter.ask.groups import Place, group_of, group_places, grouping_at, linked_page
from truecopy.matter.ask.made import Facts, facts_of, heads_since_wave, lowest_recall
from truecopy.matter.ask.naming import (
    documents_called,
    kept_of,
    must_be_named,
    named,
    number_of,
    numbers_named,
    passage_of,
)
from truecopy.matter.ask.pairs import Pairs, pairs_at, pairs_page
from truecopy.matter.ask.text import text_of
from truecopy.matter.ask.thresholds import check_relation, threshold_for
from truecopy.matter.ask.views import read_register
from truecopy.matter.blame import explained_methods
from truecopy.matter.folder import give_access
from truecopy.matter.sql.pairs import Containments
from truecopy.matter.store import Store
from truecopy.matter.turns import Turns
from truecopy.memory import memory_allowed
from truecopy.model import (
    FIGURES,
    STATUSES,
    Comparison,
    Counts,
    Document,
    Documents,
    Filter,
    Group,
    Grouping,
    Linked,
    Pair,
    SimilarHits,
    Wave,
)
from truecopy.progress import SILENT, Progress
from truecopy.read import ReadSettings
from truecopy.read.encodings.rules import as_rules, reading_as
from truecopy.read.links import SKIPPED_LINKS
from truecopy.read.names import name_shown
from truecopy.read.originals import is_there, over
from truecopy.settings import MOST_LISTED, MatterSettings, check_text, check_type, checked_limit, thread_count
from truecopy.threshold import percentage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truecopy.matter.ask.index_status import IndexStatus
    from truecopy.matter.ask.near import Answer
    from truecopy.matter.ask.sides import Side
    from truecopy.matter.change.add import Added
    from truecopy.matter.signed import Signed
    from truecopy.matter.state import State
    from truecopy.sign.signatures import Signatures
    from truecopy.sign.statistics import Statistics
    from truecopy.spec import Spec

_PAGE = 1000
"""Entries that an iterator reads at a time."""


@explained_methods
@strict_methods
class Matter:
    """One matter. Make one with `truecopy.scan` or `truecopy.create`, open one with `truecopy.open`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = Turns()
        with store.reading() as state:
            state.facts.settings()  # what is no matter is refused before anything is asked
        self._damaged: set[str] = set()
        self.scanned: Any = None
        """What `truecopy.scan` found, if it made this matter."""

    @property
    def path(self) -> Path:
        """The matter's folder."""
        return self._store.folder

    @property
    def settings(self) -> MatterSettings:
        """What it was made with; floors as they are now, because another process may have lowered them."""
        with self._asking() as state:
            return state.facts.settings()

    @property
    def access(self) -> str | None:
        """Who may read the matter on this machine, by the modes of its folder and database: private, group or all; None
        where the system has no modes.
        """
        return matter_readable_by(self.path) or None

    def __repr__(self) -> str:
        return f"Matter({str(self.path)!r})"

    def close(self) -> None:
        """Close the files that are kept open between questions; the next question opens them again."""
        self._store.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All questions inside see one state of the matter, whatever another process adds meanwhile. The matter itself
        cannot be changed inside.
        """
        with self._store.snapshot():
            yield

    # What is in it

    def documents(self) -> Documents:
        """Every document, in order of addition: a list that is also a table."""
        with self._asking() as state:
            return Documents(read_register(state).documents.values())

    def document_page(
        self, wanted: Filter | None = None, after: str | int | None = None, limit: int | None = _PAGE
    ) -> Documents:
        """Some documents that pass a filter, in order of addition, from the one after a document on."""
        most = checked_limit(limit)
        if wanted is not None:
            _check_filter(wanted)
        with self._asking() as state:
            number = 0 if after is None else number_of(state, after)
            return Documents(kept.document for kept in state.documents.page(wanted or Filter(), number, most))

    def each_document(self, wanted: Filter | None = None) -> Iterator[Document]:
        """Every document that passes a filter, in order of addition; read some at a time. Where others may add waves
        meanwhile, `snapshot` holds one state for all of them.
        """
        after, more = None, True
        while more:
            page = self.document_page(wanted, after, _PAGE)
            yield from page
            # Whether more follows on the last page is not asked: another state could answer.
            more = len(page) == _PAGE
            after = page[-1].id if more else None

    def document_count(self, wanted: Filter) -> int:
        """How many documents pass a filter."""
        _check_filter(wanted)
        with self._asking() as state:
            return state.tallies.count(wanted)

    def document(self, name: str | int) -> Document:
        """The document with an id (`TC-000177`, `177`), a path, or a file name or end of a path that only it has."""
        with self._asking() as state:
            return must_be_named(state, name).document

    def find(self, name: str | int) -> Document | None:
        """The same, but None where no document has the name; nothing like it is looked for then."""
        with self._asking() as state:
            found = named(state, str(name))
        return None if found is None else found.document

    def text(self, document: str | int | Document) -> str:
        """A document's text as it was extracted, by the document or one of its names; empty where it has none."""
        with self._asking() as state:
            return text_of(state, kept_of(state, document))

    def missing_principals(self) -> list[str]:
        """Names that the rule `given` lists but that no document has, or several."""
        with self._asking() as state:
            given = state.facts.settings().given
            return [name for name, numbers in numbers_named(state, given).items() if not numbers]

    def statuses(self) -> dict[str, int]:
        """How many documents have each status; they add up to the documents."""
        with self._asking() as state:
            return state.tallies.statuses()

    def counts(self, wave: str | None = None) -> Counts:
        """How many documents, or documents of a wave, are copies, near copies, to be read, not searched; they add up
        to the documents.
        """
        with self._asking() as state:
            if wave is not None:
                state.waves.check(wave, self.path)
            return state.tallies.counts(wave)

    def copied(self, wave: str | None = None) -> dict[str, int]:
        """How many documents of each status, or of a wave, are copies of earlier documents."""
        with self._asking() as state:
            if wave is not None:
                state.waves.check(wave, self.path)
            return state.tallies.copied(wave)

    def custodians(self) -> dict[str, int]:
        """How many documents each custodian has; "" where nobody said."""
        with self._asking() as state:
            return state.tallies.custodians()

    def links_not_followed(self) -> int:
        """How many links in scanned folders are listed and were not followed."""
        with self._asking() as state:
            return state.documents.reasons("excluded", SKIPPED_LINKS)

    def doubted(self, wave: str | None = None) -> int:
        """How many texts were read with doubt about their encoding."""
        with self._asking() as state:
            if wave is not None:
                state.waves.check(wave, self.path)
            return state.tallies.doubted(wave)

    def spare(self, target: Path) -> None:
        """Refuse to write over a document: nothing that is made from a matter may take the place of an original."""
        with self._asking() as state:
            for one in documents_called(state, name_shown(target.name)):
                if is_there(one.root, one.path, target):
                    raise over(target, f"the document {one.id} of the matter")

    def waves(self) -> list[Wave]:
        """The waves, in order."""
        with self._asking() as state:
            return state.waves.every()

    # Changing

    def add(
        self,
        paths: Sequence[str | Path] | str | Path,
        wave: str | None = None,
        *,
        custodian: str = "",
        custodian_from: str | None = None,
        exclude: Sequence[str] = (),
        follow_links: bool = False,
        encoding: str | Sequence[str] = (),
        ocr: bool = False,
        max_members: int | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = SILENT,
    ) -> Added:
        """Read documents and find their pairs with each other and with what is there already.

        `custodian` says whose they were; `custodian_from` is a pattern of paths with `{custodian}` in it, such as
        `"{custodian}/**"`. `max_members` is how many documents may come out of one archive or mailbox.
        `encoding` is what plain texts are in where they do not say it themselves: `"cp1255"`, or rules such as
        `["cp1252", "hebrew/**=cp1255"]`, of which the last that matches a path counts. `memory` is how much may be
        used, in bytes or as a size such as `"4GB"`; half of the machine's if it is left out.
        """
        from truecopy.matter.change.add import add_wave
        from truecopy.matter.change.custodians import custodian_of

        check_type(paths, (str, Path, Iterable), "What to add", "a path or a list of paths")
        given: list[str | Path] = [paths] if isinstance(paths, str | Path) else list(paths)
        for one in given:
            check_type(one, (str, Path), "A path", "a text or a Path")
        count, bytes_allowed = thread_count(threads), memory_allowed(memory)
        if wave is not None:
            hint = "Give another one with --wave, or none to have the wave numbered."
            check_text(wave, "The name of the wave", hint)
            if not wave.strip():
                raise UsageError("The name of the wave is empty.", hint)
        whose = custodian_of(custodian, custodian_from)
        if ocr:
            from truecopy.read.ocr import require

            require()
        from truecopy.prepare import prepare

        prepared = prepare(progress)
        reading = ReadSettings(
            threads=count,
            exclude=tuple(exclude),
            follow_links=follow_links,
            encoding=as_rules(encoding),
            ocr=ocr,
        )
        if max_members is not None:
            reading = replace(reading, max_members=max_members)
        added = add_wave(self._store, given, wave, reading, count, progress, whose, bytes_allowed)
        return replace(added, seconds={"preparing": prepared, **added.seconds}) if prepared else added

    def change_settings(self, settings: MatterSettings, access: str | None = None) -> None:
        """Give an empty matter other settings and, if `access` says so, other readers."""
        with self._store.writing() as state:
            if state.waves.any():
                raise UsageError(
                    f"The matter {self.path} has documents, so its settings are fixed.",
                    f"Make another with {pasted('init', '--matter', 'DIR')}.",
                )
            state.facts.set_settings(settings)
            if access is not None:
                give_access(self.path, access)

    def lower_floor(
        self,
        floor: float,
        relation: str = "similar",
        *,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Store pairs of a relation from a lower value on; documents, groups and ids stay as they are."""
        from truecopy.matter.change.floor import lower_floor

        check_relation(relation)
        floor = percentage(floor, "floor")
        lower_floor(self._store, floor, relation, thread_count(threads), progress)

    def sign(
        self,
        method: str,
        statistics: Statistics | str | None = None,
        *,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = SILENT,
        **parameters: Any,
    ) -> Signed:
        """Sign every text with a method, in the way that the matter is signed already if it is.

        Later waves are signed in the same way as they are added. Other parameters or statistics than before are
        refused, unless every text is to be signed again with `replace`; statistics stay as they are unless others are
        given, or "none".
        """
        from truecopy.matter.change.signing import sign_matter
        from truecopy.sign import make_spec

        make_spec(method, None, **{"mean_length": 1, **parameters})  # mistakes are reported before anything is made
        return sign_matter(self._store, method, statistics, parameters, replace, thread_count(threads), progress)

    def rebuild_indexes(self, only: str | None = None, progress: Progress = SILENT) -> list[str]:
        """Rebuild every index, or one by its name, each as one block; returns their names. `overlap` and `runs` are
        rebuilt together.
        """
        from truecopy.matter.change.indexes import rebuild

        return rebuild(self._store, only, progress)

    def discard_if_empty(self) -> None:
        """Remove a matter that has no documents; one that has any, or to which somebody is adding, is left alone."""
        self._store.remove_if_empty()

    # Asking

    def signings(self) -> dict[str, Spec]:
        """The methods that the matter is signed with, and the spec of each, which names its statistics."""
        with self._asking() as state:
            return state.signings.every()

    def signatures(self, method: str) -> Signatures:
        """The stored signatures of a method, one for each text; each has the id of the text's first document."""
        from truecopy.matter.signed import load_signatures

        with self._asking() as state:
            return load_signatures(state, method)

    def text_owners(self) -> dict[str, str]:
        """For each document with a text: the id of the first document with the very same text, which is signed."""
        from truecopy.matter.signed import text_owners

        with self._asking() as state:
            return text_owners(state)

    def groups(self, threshold: float | None = None, *, complete: bool = True) -> Grouping:
        """Groups at a threshold: the matter's own grouping, or a view computed from the stored pairs.

        Unless `complete`, linked documents of dense families come with the links that are stored, at least one of each.
        """
        with self._asking() as state:
            return grouping_at(state, threshold_for(state, threshold), complete)

    def group_page(self, after: str | int | None = None, limit: int | None = _PAGE) -> list[Group]:
        """Some groups of the matter's own grouping in order, from the one after a group's id on."""
        most = checked_limit(limit)
        with self._asking() as state:
            return group_of(state, state.groups.page(passage_of(state, after), most))

    def largest_groups(self, limit: int) -> list[Group]:
        """The groups of the matter's own grouping with the most documents."""
        most = checked_limit(limit) or MOST_LISTED
        with self._asking() as state:
            found = {group.id: group for group in group_of(state, state.groups.largest(most))}
        return sorted(found.values(), key=lambda group: (-len(group.members), group.principal.number))

    def each_group(self) -> Iterator[Group]:
        """Every group of the matter's own grouping, in order; read some at a time. Where others may add waves
        meanwhile, `snapshot` holds one state for all of them.
        """
        after, more = None, True
        while more:
            page = self.group_page(after, _PAGE)
            yield from page
            more = len(page) == _PAGE  # as in `each_document`
            after = page[-1].id if more else None

    def group(self, document: str | int | Document) -> Group | None:
        """The group that a document is in; None where it is in none."""
        with self._asking() as state:
            passage = kept_of(state, document).passage
            if passage is None:
                return None
            head = state.groups.principals([passage]).get(passage, passage)
            found = group_of(state, [head])
            return found[0] if found else None

    def group_places(self, documents: Sequence[Document]) -> dict[int, Place]:
        """For each of some documents that is in a group of the matter's own grouping: which, and what it is to the
        principal; by their numbers.
        """
        with self._asking() as state:
            return group_places(state, documents)

    def linked_page(self, after: str | int | None = None, limit: int | None = _PAGE) -> list[Linked]:
        """Some linked documents in order, each with its links."""
        most = checked_limit(limit)
        with self._asking() as state:
            number = 0 if after is None else number_of(state, after)
            return linked_page(state, state.facts.settings().threshold, number, most)

    def group_count(self) -> int:
        """How many groups the matter's own grouping has."""
        with self._asking() as state:
            return state.groups.count()

    def pairs(self, threshold: float | None = None, relation: str = "similar", expand: bool = False) -> Pairs:
        """Pairs of a relation at a threshold; with `expand`, all of them: every copy of either side,
        and what dense families have left out.
        """
        with self._asking() as state:
            return pairs_at(state, threshold_for(state, threshold, relation), relation, expand)

    def pair_page(
        self,
        threshold: float | None = None,
        relation: str = "similar",
        after: tuple[str, str] | None = None,
        limit: int | None = _PAGE,
    ) -> list[Pair]:
        """Some pairs of distinct texts in order, from the one after the pair of two documents on."""
        most = checked_limit(limit)
        with self._asking() as state:
            threshold = threshold_for(state, threshold, relation)
            ends: Sequence[str | None] = (None, None) if after is None else after
            check_type(ends, (tuple, list), "What the page comes after", "a pair of two ids")
            if len(ends) != 2:
                said = f"The page comes after a pair of two ids, but {len(ends)} were given."
                raise UsageError(said, "Give the two ids of the last pair of the page before.")
            first, second = sorted(passage_of(state, one) for one in ends)
            return pairs_page(state, threshold, relation, (first, second), most)

    def each_pair(self, threshold: float | None = None, relation: str = "similar") -> Iterator[Pair]:
        """Every stored pair of distinct texts, in order; read some at a time. Where others may add waves meanwhile,
        `snapshot` holds one state for all of them.
        """
        after, more, threshold = None, True, self.threshold_for(relation, threshold)
        while more:
            page = self.pair_page(threshold, relation, after, _PAGE)
            yield from page
            more = len(page) == _PAGE  # as in `each_document`
            after = (page[-1].a.id, page[-1].b.id) if more else None

    def similar(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> SimilarHits:
        """Everything similar to a document of the matter or to a file from outside, best first: a list, and a table."""
        from truecopy.matter.ask.similar import similar

        check_type(document, (str, int, Path, Document), "What is asked about", "an id, a path or a document")
        with self._asking() as state, reading_as(encoding):
            return similar(state, document, threshold_for(state, threshold))

    def near(
        self,
        document: str | Path | Document,
        method: str,
        threshold: float | None = None,
        *,
        gamma: float | None = None,
        distance: int | None = None,
        resemblance: float | None = None,
        terms: float | None = None,
        length: float | None = None,
        weeks: int | None = None,
        encoding: str | Sequence[str] = (),
    ) -> Answer:
        """What is near a document of the matter, or a file, by the signatures of a method; best first.

        How near: `gamma` for letters, `distance` in bits for simhash, topsig and minhash4, `resemblance` for words,
        mod, min, sketch and bsw, shared `terms` with `length` and `weeks` for terms; what is left out has the method's
        default. With a threshold, only documents whose words are that similar too.
        """
        from truecopy.index.methods import Asked
        from truecopy.matter.ask.near import near

        wanted = Asked(gamma, distance, resemblance, terms, length, weeks)
        with self._asking() as state, reading_as(encoding):
            return self._noted(near(state, document, method, wanted, threshold, thread_count(None)))

    def containing(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        method: str | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Answer:
        """The documents that contain a document, or a file, and where; by shingles, or by mod or bsw signatures."""
        from truecopy.matter.ask.containing import containing

        with self._asking() as state, reading_as(encoding):
            return self._noted(containing(state, document, True, threshold, method, thread_count(None)))

    def count_containing(self, document: str | Path | Document, *, encoding: str | Sequence[str] = ()) -> int:
        """How many documents with other words are known to contain a document, or a file: by what is stored, without
        any index being made; `containing` finds them all.
        """
        from truecopy.matter.ask.containing import count_containing

        with self._asking() as state, reading_as(encoding):
            return count_containing(state, document, thread_count(None))

    def contained_in(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        method: str | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Answer:
        """The documents that are contained in a document, or in a file, and where each is."""
        from truecopy.matter.ask.containing import containing

        with self._asking() as state, reading_as(encoding):
            return self._noted(containing(state, document, False, threshold, method, thread_count(None)))

    def rebuilt(self) -> list[str]:
        """The index files that were found damaged, and made again for an answer, since the matter was opened here."""
        return sorted(self._damaged)

    def indexes(self) -> list[IndexStatus]:
        """The indexes that the matter has: what they are made of, and how large they are."""
        from truecopy.matter.ask.index_status import status

        with self._asking() as state:
            return status(state)

    def containments(self) -> Containments:
        """Every stored pair of a text and one that contains it, as columns."""
        with self._asking() as state:
            return state.pairs.containments(state.facts.settings().threshold)

    def distances(self) -> tuple[NDArray[np.int64], int]:
        """For each stored pair that is similar: distance and words of the longer text; and how many pairs of dense
        families are not stored.
        """
        with self._asking() as state:
            return state.pairs.distances(), state.families.left_out()

    def only_contained(self) -> int:
        """How many pairs of a text and one that contains it are not similar at the matter's threshold."""
        with self._asking() as state:
            return state.pairs.only_contained(state.facts.settings().threshold)

    def left_out(self, relation: str = "similar") -> int:
        """How many pairs of dense families are not stored, at most; `pairs` with `expand` computes them."""
        check_relation(relation)
        with self._asking() as state:
            return state.families.left_out(relation)

    def count_pairs(self, threshold: float, relation: str = "similar") -> int:
        """How many pairs of distinct texts are stored for a relation at a threshold."""
        with self._asking() as state:
            return state.pairs.count(relation, threshold_for(state, threshold, relation))

    def sides(
        self, a: str | Path | Document, b: str | Path | Document, *, encoding: str | Sequence[str] = ()
    ) -> tuple[Side, Side]:
        """Two documents of the matter, or files from outside, in any mix: their names, texts and dates."""
        from truecopy.matter.ask.sides import side

        with self._asking() as state, reading_as(encoding):
            return side(state, a), side(state, b)

    def compare(
        self,
        a: str | Path | Document | Side,
        b: str | Path | Document | Side,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Comparison:
        """Two documents of the matter, or files from outside: every measure, the kind, and the differences."""
        from truecopy.matter.ask.sides import Side, compare_sides, side

        with self._turns.taken():
            with self._asking() as state, reading_as(encoding):
                first, second = (one if isinstance(one, Side) else side(state, one) for one in (a, b))
                floors = floors_of(state.facts.settings())
            return compare_sides(first, second, floors)

    def facts(self) -> Facts:
        """How the matter was made: versions, settings, recall, times."""
        with self._asking() as state:
            return facts_of(state)

    def heads_since_wave(self) -> list[str]:
        """The heads of the audit log since the last wave: a report that names one of them knows every wave."""
        with self._asking() as state:
            return heads_since_wave(state)

    def recall(self) -> float:
        """At least this share of the pairs at the floor was found: the lowest share of any wave."""
        with self._asking() as state:
            return lowest_recall(state.waves.details())

    def verify(self) -> list[str]:
        """What is wrong with the stored files and the database; nothing, if all is whole."""
        from truecopy.matter.doctor.examined import examine

        return examine(self._store)

    def unfinished_rows(self) -> int:
        """How many rows there are of a wave that is being written, or was stopped; they count for nothing."""
        with self._asking() as state:
            return state.unseen.count()

    def asking(self) -> AbstractContextManager[State]:
        """One state of the matter, for engines that work on its arrays."""
        return self._store.reading()

    @contextmanager
    def _asking(self) -> Iterator[State]:
        """One state of the matter for one question, once it is its turn."""
        with self._turns.taken(), self._store.reading() as state:
            yield state

    def _noted(self, answer: Answer) -> Answer:
        self._damaged.update(answer.rebuilt)
        return answer

    def threshold_for(self, relation: str, threshold: float | None) -> float:
        """The threshold to use for a relation; where none is given, `contains` takes its floor, because the matter's
        own threshold is one of similarity.
        """
        with self._asking() as state:
            return threshold_for(state, threshold, relation)


def _check_filter(wanted: Filter) -> None:
    """Refuse what is no filter, and a status that there is not."""
    check_type(wanted, Filter, "The filter", "a Filter")
    known = (*STATUSES, *FIGURES)
    for one in wanted.figures:
        if one not in known:
            raise UsageError(f"The status {one!r} is not one of {', '.join(known)}.", "Give one of these.")
