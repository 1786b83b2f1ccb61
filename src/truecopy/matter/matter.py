"""A matter: what was read, how it is related, and every question that can be asked of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import select

from truecopy._version import __version__
from truecopy.access import matter_readable_by
from truecopy.errors import BelowFloor, NotFound, UsageError
from truecopy.hints import pasted
from truecopy.keywords import strict_methods
from truecopy.match.judge import Floors, moments
from truecopy.match.verify import edit_distances
from truecopy.matter import rows, tables
from truecopy.matter.asked import without_text
from truecopy.matter.audit import audit_head
from truecopy.matter.blame import explained_methods
from truecopy.matter.bodies import decoded, stored_text
from truecopy.matter.cells import wrong_cell
from truecopy.matter.checked import places_of
from truecopy.matter.dense import Completing, DenseStars, dense_texts, is_dense, left_out
from truecopy.matter.floor import lower_floor
from truecopy.matter.naming import documents_called, named, not_named, numbers_of
from truecopy.matter.store import Store, give_access
from truecopy.matter.stored_json import stored_details
from truecopy.matter.texts import Texts, load_texts, load_vocabulary
from truecopy.matter.views import (
    Containments,
    Pairs,
    Register,
    StoredPairs,
    distinct,
    expanded,
    group_texts,
    make_grouping,
    similar_hits,
)
from truecopy.matter.wave import Added, add_wave, given_numbers, in_order
from truecopy.model import RELATIONS, Comparison, Counts, Document, Documents, Grouping, SimilarHits, Wave
from truecopy.prepare import prepare
from truecopy.progress import SILENT, Progress
from truecopy.read import ReadSettings
from truecopy.read.encodings.rules import as_rules, reading_as
from truecopy.read.links import SKIPPED_LINKS
from truecopy.read.names import shown
from truecopy.read.originals import is_there, over
from truecopy.settings import MatterSettings, check_text, thread_count
from truecopy.text import UNICODE
from truecopy.text.vocabulary import Vocabulary
from truecopy.threshold import percentage, ten_thousandths

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from truecopy.matter.index_status import IndexStatus
    from truecopy.matter.near import Answer
    from truecopy.matter.opened import OpenMatter
    from truecopy.matter.sides import Side
    from truecopy.matter.signing import Signed
    from truecopy.sign.signatures import Signatures
    from truecopy.sign.statistics import Statistics
    from truecopy.spec import Spec

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report must say about how it was made."""

    version: str
    unicode: str
    settings: dict[str, Any]
    recall: dict[str, str]
    """For each relation, a sentence on what share of its pairs is found."""
    generator: str
    made: str
    audit_head: str
    seconds: dict[str, float]
    waves: list[Wave]


@explained_methods
@strict_methods
class Matter:
    """One matter. Make one with `truecopy.scan` or `truecopy.create`, open one with `truecopy.open`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.settings: MatterSettings = store.settings()
        self._open: OpenMatter | None = None
        self.scanned: Any = None
        """What `truecopy.scan` found, if it made this matter."""

    @property
    def path(self) -> Path:
        """The matter's folder."""
        return self._store.folder

    @property
    def access(self) -> str | None:
        """Who may read the matter on this machine, by the modes of its folder and database: private, group or all; None
        where the system has no modes.
        """
        return matter_readable_by(self.path) or None

    def __repr__(self) -> str:
        return f"Matter({str(self.path)!r})"

    def snapshot(self) -> AbstractContextManager[None]:
        """All questions inside see one state of the matter, whatever another process adds meanwhile."""
        return self._store.snapshot()

    # What is in it

    def documents(self) -> Documents:
        """Every document, in order of addition: a list that is also a table."""
        return Documents(self._register().documents.values())

    def document(self, name: str | int) -> Document:
        """The document with an id (`TC-000177`, `177`), a path, or a file name or end of a path that only it has."""
        name = str(name)
        with self._store.reading() as connection:
            found = named(self.path, connection, name)
            if found is None:
                raise not_named(self.path, connection, name)
        return found.document

    def text(self, document: str | int | Document) -> str:
        """A document's text as it was extracted, by the document or one of its names; empty where it has none."""
        document = document if isinstance(document, Document) else self.document(document)
        with self._store.reading() as connection:
            query = select(tables.documents.c.text).where(tables.documents.c.number == document.number)
            number = connection.execute(query).scalar()
            text = None if number is None else stored_text(self.path, connection, number)
        if text is None and document.words:
            raise wrong_cell("documents.text")
        return "" if text is None else decoded(text)

    def missing_principals(self) -> list[str]:
        """Names that the rule `given` lists but that no document has, or several."""
        return [name for name, numbers in numbers_of(self.documents(), self.settings.given).items() if not numbers]

    def statuses(self) -> dict[str, int]:
        """How many documents have each status; they add up to the documents."""
        with self._store.reading() as connection:
            return in_order(Counter(connection.execute(select(tables.documents.c.status)).scalars()))

    def counts(self, wave: str | None = None) -> Counts:
        """How many documents, or documents of a wave, are copies, near copies, to be read, not searched; they add up
        to the documents.
        """
        with self._store.reading() as connection:
            if wave is not None and wave not in (names := [one.name for one in rows.read_waves(connection)]):
                known = f"It has: {', '.join(names)}." if names else "It has no documents yet."
                raise NotFound(f"The matter {self.path} has no wave {wave!r}.", known)
            return rows.read_counts(connection, wave)

    def links_not_followed(self) -> int:
        """How many links in scanned folders are listed and were not followed."""
        with self._store.reading() as connection:
            return rows.count_reasons(connection, "excluded", SKIPPED_LINKS)

    def doubted(self) -> int:
        """How many texts were read with doubt about their encoding."""
        with self._store.reading() as connection:
            return rows.count_doubted(connection)

    def spare(self, target: Path) -> None:
        """Refuse to write over a document: nothing that is made from a matter may take the place of an original."""
        with self._store.reading() as connection:
            for one in documents_called(connection, shown(target.name)):
                if is_there(one.root, one.path, target):
                    raise over(target, f"the document {one.id} of the matter")

    def waves(self) -> list[Wave]:
        """The waves, in order."""
        with self._store.reading() as connection:
            return rows.read_waves(connection)

    # Adding

    def add(
        self,
        paths: Sequence[str | Path] | str | Path,
        wave: str | None = None,
        *,
        exclude: Sequence[str] = (),
        follow_links: bool = False,
        encoding: str | Sequence[str] = (),
        ocr: bool = False,
        max_members: int | None = None,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> Added:
        """Read documents and find their pairs with each other and with what is there already.

        `max_members` is how many documents may come out of one archive or mailbox.
        `encoding` is what plain texts are in where they do not say it themselves: `"cp1255"`, or rules such as
        `["cp1252", "hebrew/**=cp1255"]`, of which the last that matches a path counts.
        """
        count = thread_count(threads)
        if wave is not None:
            check_text(wave, "The name of the wave", "Give another one with --wave, or none to have the wave numbered.")
        if ocr:
            from truecopy.read.ocr import require

            require()
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
        given = [paths] if isinstance(paths, str | Path) else list(paths)
        added = add_wave(self._store, given, wave, reading, count, progress)
        return replace(added, seconds={"preparing": prepared, **added.seconds}) if prepared else added

    def change_settings(self, settings: MatterSettings, access: str | None = None) -> None:
        """Give an empty matter other settings and, if `access` says so, other readers."""
        with self._store.writing() as connection:
            if rows.read_waves(connection):
                raise UsageError(
                    f"The matter {self.path} has documents, so its settings are fixed.",
                    f"Make another with {pasted('init', '--matter', 'DIR')}.",
                )
            self._store.set_settings(connection, settings)
            if access is not None:
                give_access(self.path, access)
        self.settings = settings

    def lower_floor(
        self,
        floor: float,
        relation: str = "similar",
        *,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Store pairs of a relation from a lower value on; documents, groups and ids stay as they are."""
        _check_relation(relation)
        floor = percentage(floor, "floor")
        self.settings = lower_floor(self._store, floor, relation, thread_count(threads), progress)

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
        from truecopy.matter.signing import sign_matter
        from truecopy.sign import make_spec

        make_spec(method, None, **{"mean_length": 1, **parameters})  # mistakes are reported before anything is made
        signed = sign_matter(self._store, method, statistics, parameters, replace, thread_count(threads), progress)
        self.opened.index(method)  # the index of these signatures, so that the first question finds it
        return signed

    def signings(self) -> dict[str, Spec]:
        """The methods that the matter is signed with, and the spec of each, which names its statistics."""
        from truecopy.matter.signing import read_signings

        with self._store.reading() as connection:
            return read_signings(connection)

    def signatures(self, method: str) -> Signatures:
        """The stored signatures of a method, one for each text; each has the id of the text's first document."""
        from truecopy.matter.signing import load_signatures

        with self._store.reading() as connection:
            return load_signatures(self.path, connection, method)

    def text_owners(self) -> dict[str, str]:
        """For each document with a text: the id of the first document with the very same text, which is signed."""
        from truecopy.matter.signing import text_owners

        with self._store.reading() as connection:
            return text_owners(connection)

    def discard_if_empty(self) -> None:
        """Remove a matter that has no documents; one that has any is left alone."""
        if not self.waves():
            self._store.remove()

    # Asking

    def groups(self, threshold: float | None = None, *, complete: bool = True) -> Grouping:
        """Groups at a threshold: the matter's own grouping, or a view computed from the stored pairs.

        Unless `complete`, linked documents of dense families come with the links that are stored, at least one of each.
        """
        threshold = self._allowed(threshold, self.settings.floor, "floor")
        with self._store.reading() as connection:
            register = rows.read_register(connection)
            own = threshold == self.settings.threshold
            read = rows.read_group_pairs if own else partial(rows.read_pairs, relation="similar")
            stored = read(connection, threshold=threshold)
            principals = rows.read_principals(connection)
            families = dense_texts(connection)
        register.check_texts(stored.columns[:, :2], "pairs.a")
        register.check_texts(np.array([*principals, *principals.values()], np.int64), "group_members.document")
        rule = self.settings.rule
        if own:
            linked = {number for number in principals if register.documents[number].status == "linked"}
        else:
            dense = self._dense_stars(families, threshold) if families else None
            given = given_numbers(register, self.settings.given)
            principals, linked = group_texts(register, stored.columns[:, :4], rule, given, None, dense)
        links = None
        if families:
            stored = stored if own else self._with_edges(stored, families, principals, threshold)
            links = self._with_links(stored, families, linked, threshold) if complete else None
        return make_grouping(register, principals, stored, threshold, rule, links)

    def group_count(self) -> int:
        """How many groups the matter's own grouping has."""
        with self._store.reading() as connection:
            return len(rows.read_heads(connection))

    def pairs(self, threshold: float | None = None, relation: str = "similar", expand: bool = False) -> Pairs:
        """Pairs of a relation at a threshold; with `expand`, all of them: every copy of either side,
        and what dense families have left out.
        """
        threshold = self.threshold_for(relation, threshold)
        similar = relation == "similar"
        with self._store.reading() as connection:
            register = rows.read_register(connection)
            stored = rows.read_pairs(connection, relation, threshold)
            families = dense_texts(connection, relation)
            missing = left_out(connection, relation) if families else 0
        register.check_texts(stored.columns[:, :2], "pairs.a")
        if families and expand:
            stored, missing = self._completing().pairs(stored, families, threshold), 0
        if not similar:
            stored = self._with_distances(stored)
        listed = expanded(register, stored) if expand else distinct(register, stored)
        ordered = sorted(listed, key=lambda pair: (pair.a.number, pair.b.number))
        return Pairs(tuple(ordered), missing == 0, missing)

    def similar(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> SimilarHits:
        """Everything similar to a document of the matter or to a file from outside, best first: a list, and a table."""
        threshold = self._allowed(threshold, self.settings.floor, "floor")
        if not isinstance(document, Document):
            name = document
            try:
                document = self.document(str(name))
            except NotFound:
                from truecopy.matter.near import similar_outside

                with reading_as(encoding):
                    return SimilarHits(similar_outside(self, name, threshold), threshold)
        with self._store.reading() as connection:
            register = rows.read_register(connection)
            original = register.original(document.number)
            if original is None:
                raise without_text(document)
            dense = is_dense(connection, original)
            stored = rows.read_pairs(connection, "similar", threshold, original)
        register.check_texts(stored.columns[:, :2], "pairs.a")
        if dense:  # not all of its pairs are stored: it is compared with the family now
            from truecopy.matter.near import similar_outside

            return SimilarHits(similar_outside(self, document, threshold), threshold)
        return SimilarHits(similar_hits(register, stored, document, original), threshold)

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
        from truecopy.matter.near import near

        wanted = Asked(gamma, distance, resemblance, terms, length, weeks)
        with reading_as(encoding):
            return near(self, document, method, wanted, threshold, thread_count(None))

    def containing(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        method: str | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Answer:
        """The documents that contain a document, or a file, and where; by shingles, or by mod or bsw signatures."""
        from truecopy.matter.near import containment

        with reading_as(encoding):
            return containment(self, document, True, threshold, method, thread_count(None))

    def contained_in(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        method: str | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Answer:
        """The documents that are contained in a document, or in a file, and where each is."""
        from truecopy.matter.near import containment

        with reading_as(encoding):
            return containment(self, document, False, threshold, method, thread_count(None))

    @property
    def opened(self) -> OpenMatter:
        """The indexes and words that are kept open between two questions."""
        if self._open is None:
            from truecopy.matter.opened import OpenMatter

            self._open = OpenMatter(self._store)
        return self._open

    def asking(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the matter."""
        return self._store.reading()

    def rebuilt(self) -> list[str]:
        """The index files that were found damaged, and made again, since the matter was opened here."""
        return [] if self._open is None else sorted(self._open.rebuilt)

    def indexes(self) -> list[IndexStatus]:
        """The indexes that the matter has: what they are made of, and how large they are."""
        from truecopy.matter.index_status import status

        with self._store.reading() as connection:
            return status(self.path, connection)

    def rebuild_indexes(self, only: str | None = None, progress: Progress = SILENT) -> list[str]:
        """Rebuild every index, or one by its name, each as one block; returns their names."""
        from truecopy.matter.indexing import rebuild

        return rebuild(self._store, only, progress)

    def containments(self) -> Containments:
        """Every stored pair of a text and one that contains it, as columns."""
        with self._store.reading() as connection:
            found = rows.read_containments(connection, self.settings.threshold)
            register = rows.read_register(connection)
        register.check_texts(np.concatenate([found.a, found.b]), "pairs.a")
        return found

    def distances(self) -> tuple[Array, int]:
        """For each stored pair that is similar: distance and words of the longer text; and how many pairs of dense
        families are not stored.
        """
        with self._store.reading() as connection:
            return rows.read_distances(connection), left_out(connection) if dense_texts(connection) else 0

    def only_contained(self) -> int:
        """How many pairs of a text and one that contains it are not similar at the matter's threshold."""
        with self._store.reading() as connection:
            return rows.count_only_contained(connection, self.settings.threshold)

    def left_out(self, relation: str = "similar") -> int:
        """How many pairs of dense families are not stored, at most; `pairs` with `expand` computes them."""
        _check_relation(relation)
        with self._store.reading() as connection:
            return left_out(connection, relation)

    def count_pairs(self, threshold: float, relation: str = "similar") -> int:
        """How many pairs of distinct texts are stored for a relation at a threshold."""
        threshold = self.threshold_for(relation, threshold)
        with self._store.reading() as connection:
            return rows.count_pairs(connection, relation, threshold)

    def sides(
        self, a: str | Path | Document, b: str | Path | Document, *, encoding: str | Sequence[str] = ()
    ) -> tuple[Side, Side]:
        """Two documents of the matter, or files from outside, in any mix: their names, texts and dates."""
        from truecopy.matter.sides import side

        with self.snapshot(), reading_as(encoding):
            return side(self, a), side(self, b)

    def compare(
        self,
        a: str | Path | Document | Side,
        b: str | Path | Document | Side,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Comparison:
        """Two documents of the matter, or files from outside: every measure, the kind, and the differences."""
        from truecopy.matter.sides import Side, compare_sides, side

        with reading_as(encoding):
            first, second = (one if isinstance(one, Side) else side(self, one) for one in (a, b))
        return compare_sides(first, second, Floors(self.settings.floor, self.settings.contains_floor))

    def facts(self) -> Facts:
        """How the matter was made: versions, settings, recall, times."""
        with self._store.reading() as connection:
            made = list(connection.execute(select(tables.waves).order_by(tables.waves.c.number)))
            head = audit_head(connection)
        details = [stored_details(row.details) for row in made]
        seconds: dict[str, float] = {}
        for wave in details:
            for stage, taken in wave["seconds"].items():
                seconds[stage] = seconds.get(stage, 0.0) + taken
        found = {
            "similar": _recall_sentence(self.recall(), self.settings.floor),
            "contains": _recall_sentence(1.0, self.settings.contains_floor),
        }
        generators = ", ".join(sorted({wave["generator"] for wave in details})) or "none yet"
        made_at = made[-1].added if made else ""
        settings = self.settings.as_json()
        given = list(dict.fromkeys(rule for wave in details for rule in wave.get("encoding", ())))
        if given:
            settings["encoding"] = given
        return Facts(__version__, UNICODE, settings, found, generators, made_at, head, seconds, self.waves())

    def recall(self) -> float:
        """At least this share of the pairs at the floor was found: the lowest share of any wave."""
        with self._store.reading() as connection:
            stored = connection.execute(select(tables.waves.c.details)).scalars()
            return float(min([stored_details(details)["recall"] for details in stored], default=1.0))

    def verify(self) -> list[str]:
        """What is wrong with the stored files and the database; nothing, if all is whole."""
        from truecopy.matter.examined import examine

        return examine(self._store)

    def loaded(self) -> tuple[Register, Texts, Vocabulary]:
        """The documents, the distinct texts as arrays, and the vocabulary: what an engine works on."""
        with self._store.reading() as connection:
            vocabulary = load_vocabulary(self.path, connection)
            return rows.read_register(connection), load_texts(self.path, connection, vocabulary), vocabulary

    def _completing(self) -> Completing:
        """What computes the pairs that dense families have left out."""
        register, texts, _ = self.loaded()
        threads = thread_count(None)

        def date_of(numbers: Array) -> Array:
            return moments([register.documents[number].date for number in numbers.tolist()])

        return Completing(texts, texts.bags(threads), date_of, self.settings, threads)

    def _dense_stars(self, families: list[Array], threshold: float) -> DenseStars:
        _, texts, _ = self.loaded()
        threads = thread_count(None)
        return DenseStars(texts, texts.bags(threads), families, threshold, threads)

    def _with_edges(
        self,
        stored: StoredPairs,
        families: list[Array],
        principals: dict[int, int],
        threshold: float,
    ) -> StoredPairs:
        """Stored pairs with those of members and principals of dense families; of the own grouping all are stored."""
        dense = set(np.concatenate(families).tolist())
        have = set(map(tuple, stored.columns[:, :2].tolist()))
        edges = [(min(pair), max(pair)) for pair in principals.items() if pair[0] in dense and pair[0] != pair[1]]
        missing = np.array([edge for edge in edges if edge not in have], np.int64)
        return self._completing().edges(stored, missing, threshold) if len(missing) else stored

    def _with_links(
        self, stored: StoredPairs, families: list[Array], linked: set[int], threshold: float
    ) -> Array | None:
        """Every link of linked documents, also of dense families; None where all are stored."""
        wanted = np.array(sorted(linked & set(np.concatenate(families).tolist())), np.int64)
        if not len(wanted):
            return None
        links = self._completing().links(families, wanted, threshold)
        return np.unique(np.concatenate([links, stored.columns[:, :4]]), axis=0)

    def _with_distances(self, stored: StoredPairs) -> StoredPairs:
        """`contains` pairs with the distance of those that are not similar, which is not stored."""
        open_rows = np.flatnonzero(stored.columns[:, 2] < 0)
        if not len(open_rows):
            return stored
        _, texts, _ = self.loaded()
        a, b = (places_of(texts.numbers, stored.columns[open_rows, i], "pairs.a").astype(np.int32) for i in (0, 1))
        columns = stored.columns.copy()
        longer = np.maximum(texts.streams.lengths[a], texts.streams.lengths[b])
        if not np.array_equal(longer, columns[open_rows, 3]):
            raise wrong_cell("pairs.longer")
        columns[open_rows, 2] = edit_distances(
            texts.streams.words, texts.streams.offsets, a, b, longer, thread_count(None)
        )
        return StoredPairs(stored.relation, columns, stored.kinds)

    def _register(self) -> Register:
        with self._store.reading() as connection:
            return rows.read_register(connection)

    def threshold_for(self, relation: str, threshold: float | None) -> float:
        """The threshold to use for a relation; where none is given, `contains` takes its floor, because the matter's
        own threshold is one of similarity.
        """
        _check_relation(relation)
        if relation == "similar":
            return self._allowed(threshold, self.settings.floor, "floor")
        floor = self.settings.contains_floor
        return self._allowed(floor if threshold is None else threshold, floor, "floor for contains")

    def _allowed(self, threshold: float | None, floor: float, name: str) -> float:
        """The threshold to use; it is refused if it is below the floor."""
        if threshold is None:
            return max(self.settings.threshold, floor)
        threshold = percentage(threshold)
        if ten_thousandths(threshold) < ten_thousandths(floor):
            relation = () if name == "floor" else ("--relation", "contains")
            lower = pasted("floor", f"{threshold:g}", *relation, matter=self.path)
            raise BelowFloor(
                f"The threshold {threshold:g} is below this matter's {name} of {floor:g}, "
                "and pairs below the floor are not stored.",
                f"Ask for {floor:g} or more, or lower the floor with {lower}.",
            )
        return threshold


def _check_relation(relation: str) -> None:
    if relation not in RELATIONS:
        raise UsageError(f"The relation {relation!r} is not one of {', '.join(RELATIONS)}.", "Give one of these.")


def _recall_sentence(recall: float, floor: float) -> str:
    if recall >= 1:
        return f"exact: no pair at {floor:g} or more is missed"
    return f"at least {100 * recall:.2f} % of the pairs at {floor:g} are found, and more of the closer ones"
