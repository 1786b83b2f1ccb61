"""The matter's tables, named as the stages; see docs/explanation/matter.md for what each is for."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    literal_column,
)

from truecopy.matter.sql.cells import apply

FORMAT = 7
"""The format of the store. An older one is brought forward in numbered steps (`migrations/`) or refused, a newer one
is refused.

2: the table of signings.
3: documents are found by original and by text.
4: figure marks beside the words, and `copy_of`. Earlier matters took texts with other figure marks for copies.
5: words are told apart by their spelling, and `words_sha256` is of the words themselves. Earlier matters took words
   that were forged to share a hash for one.
6: passages are what is compared, and have numbers of their own; texts are in segments; groups, families and tallies are
   kept up.
7: a wave says which document and which passage are its last; rows after these are seen by nobody. Documents are found
   by what lists are filtered by, and groups are counted.
"""
OLDEST = 5
"""The oldest format that can be brought forward."""

metadata = MetaData()

facts = Table("facts", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))

waves = Table(
    "waves",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("added", String, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("last_document", Integer, nullable=False),  # of it and all before it; what comes after is not there yet
    Column("last_passage", Integer, nullable=False),
    Column("details", Text, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("wave", Integer, nullable=False),
    Column("root", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("name", Text, nullable=False),  # the last part of the path, folded: what people call it (`model.file_name`)
    Column("custodian", Text, nullable=False),  # whose it was; "" where nobody said
    Column("status", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("md5", String, nullable=False),
    Column("sha1", String, nullable=False),
    Column("sha256", String, nullable=False),
    Column("words_sha256", String, nullable=False),
    Column("figures_sha256", String, nullable=False),  # of the words with their figure marks
    Column("words", Integer, nullable=False),
    Column("date", String, nullable=False),
    Column("parent", Text, nullable=False),
    Column("media", String, nullable=False),
    Column("encoding", String, nullable=False),  # what its bytes were read as; "" where none were decoded
    Column("confidence", Integer, nullable=True),  # how sure that is, 0 to 100
    Column("doubt", Text, nullable=False),  # what may be wrong about it
    Column("passage", Integer, nullable=True),  # the passage that its words are: its own, or that of its original
    Column("copy_of", Integer, nullable=True),  # the earlier document whose bytes or text it repeats, under any status
    Column("text", Integer, nullable=True),  # the number of its stored text
)
Index("documents_by_path", documents.c.path, documents.c.root)
Index("documents_by_name", documents.c.name)
Index("documents_by_passage", documents.c.passage)
Index("documents_by_text", documents.c.text)
IS_COPIED = documents.c.copy_of.is_not(None)
IS_DOUBTED = documents.c.doubt != literal_column("''")
"""As the index says it: with a parameter, SQLite would not know it again."""
# What lists are filtered by. Of those with equal values, documents are in order of number, as in every index.
Index("documents_by_facets", documents.c.status, documents.c.custodian, IS_COPIED, IS_DOUBTED)
Index("documents_by_bytes", documents.c.sha256)
Index("documents_by_figures", documents.c.figures_sha256)

passages = Table(
    "passages",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("unit", String, nullable=False),  # what is compared: a whole document, later a clause or a message
    Column("document", Integer, nullable=False),  # the first document that has this passage
    Column("place", Integer, nullable=False),  # of several passages of a document, which; 0 for the document itself
    Column("words", Integer, nullable=False),
    Column("shingles", Integer, nullable=False),  # distinct ones
)
Index("passages_by_document", passages.c.document)

segments = Table(
    "segments",
    metadata,
    Column("name", String, primary_key=True),
    Column("wave", Integer, nullable=False),
    Column("kind", String, key="type", nullable=False),  # streams, vocabulary, texts, signatures-…, index-…, statistics
    Column("first", Integer, nullable=False),  # of the passages, words, texts or waves in it, the first number …
    Column("last", Integer, nullable=False),  # … and the last; below the first where there are none
    Column("checksum", String, nullable=False),
    Column("unit", String, nullable=False),  # of the passages in it; "" where it holds none
)
Index("segments_by_kind", segments.c.type, segments.c.first)

signings = Table(
    "signings",
    metadata,
    Column("method", String, primary_key=True),
    Column("spec", Text, nullable=False),  # what each of the method's signatures was made by
    Column("statistics", String, nullable=True),  # the id of the statistics, kept in a segment
    Column("made", String, nullable=False),
)

pairs = Table(
    "pairs",
    metadata,
    Column("unit", String, nullable=False),
    Column("relation", String, nullable=False),
    Column("a", Integer, nullable=False),  # passages
    Column("b", Integer, nullable=False),
    Column("distance", Integer, nullable=False),
    Column("longer", Integer, nullable=False),
    Column("shared_shingles", Integer, nullable=False),
    Column("a_shingles", Integer, nullable=False),
    Column("b_shingles", Integer, nullable=False),
    Column("shared_terms", Integer, nullable=False),
    Column("fewer_terms", Integer, nullable=False),
    Column("kind", String, nullable=False),
    PrimaryKeyConstraint("unit", "relation", "a", "b"),
    sqlite_with_rowid=False,
)
Index("pairs_by_b", pairs.c.b, pairs.c.relation)

groupings = Table(
    "groupings",
    metadata,
    Column("name", String, primary_key=True),
    Column("unit", String, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("rule", String, nullable=False),
    Column("groups", Integer, nullable=False),  # how many it has
)

group_members = Table(
    "group_members",
    metadata,
    Column("grouping", String, nullable=False),
    Column("passage", Integer, nullable=False),
    Column("principal", Integer, nullable=False),  # a passage too
    PrimaryKeyConstraint("grouping", "passage"),
    sqlite_with_rowid=False,
)
Index("group_members_by_principal", group_members.c.grouping, group_members.c.principal)

groups = Table(
    "groups",
    metadata,
    Column("grouping", String, nullable=False),
    Column("principal", Integer, nullable=False),  # a passage with members or copies
    Column("documents", Integer, nullable=False),  # its own, those of its members, and all copies
    PrimaryKeyConstraint("grouping", "principal"),
    sqlite_with_rowid=False,
)
# As lists want them: of equally large ones the first comes first, and no others are read.
Index("groups_by_documents", groups.c.grouping, groups.c.documents.desc(), groups.c.principal)

tallies = Table(
    "tallies",
    metadata,
    Column("wave", Integer, nullable=False),
    Column("custodian", Text, nullable=False),
    Column("status", String, nullable=False),
    Column("copied", Integer, nullable=False),  # 1 for copies, by bytes or text
    Column("doubted", Integer, nullable=False),  # 1 where the encoding is in doubt
    Column("documents", Integer, nullable=False),
    PrimaryKeyConstraint("wave", "custodian", "status", "copied", "doubted"),
    sqlite_with_rowid=False,
)

families = Table(
    "families",
    metadata,
    Column("relation", String, nullable=False),
    Column("passage", Integer, nullable=False),  # one that is in a pair of the relation …
    Column("family", Integer, nullable=False),  # … and the first of all that chains of pairs connect it with
    PrimaryKeyConstraint("relation", "passage"),
    sqlite_with_rowid=False,
)
Index("families_by_family", families.c.relation, families.c.family)

dense_families = Table(
    "dense_families",
    metadata,
    Column("relation", String, nullable=False),
    Column("family", Integer, nullable=False),
    Column("left_out", Integer, nullable=False),  # the family's pairs that are not stored, at most
    PrimaryKeyConstraint("relation", "family"),
    sqlite_with_rowid=False,
)

audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", String, nullable=False),
    Column("action", String, nullable=False),
    Column("details", Text, nullable=False),
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)

apply(metadata)
