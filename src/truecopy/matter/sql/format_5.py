"""The tables of format 5, as truecopy made them: what a matter of that format must have, to the letter.

Nothing here changes any more. Pairs, groups and dense families name documents, the first ones of their texts; texts are
rows; a row of `segments` says only what is in its file's name.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

from truecopy.matter.sql.cells import apply

FORMAT = 5

metadata = MetaData()

facts = Table("facts", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))

waves = Table(
    "waves",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("added", String, nullable=False),
    Column("documents", Integer, nullable=False),
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
    Column("status", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("md5", String, nullable=False),
    Column("sha1", String, nullable=False),
    Column("sha256", String, nullable=False),
    Column("words_sha256", String, nullable=False),
    Column("figures_sha256", String, nullable=False),  # of the words with their figure marks
    Column("words", Integer, nullable=False),
    Column("shingles", Integer, nullable=False),  # distinct ones, of a distinct text; 0 for the others
    Column("date", String, nullable=False),
    Column("parent", Text, nullable=False),
    Column("media", String, nullable=False),
    Column("encoding", String, nullable=False),  # what its bytes were read as; "" where none were decoded
    Column("confidence", Integer, nullable=True),  # how sure that is, 0 to 100
    Column("doubt", Text, nullable=False),  # what may be wrong about it
    Column("original", Integer, nullable=True),  # the document whose text this is; itself for a distinct text
    Column("copy_of", Integer, nullable=True),  # the earlier document whose bytes or text it repeats, under any status
    Column("text", Integer, nullable=True),
)
Index("documents_by_path", documents.c.path, documents.c.root)
Index("documents_by_original", documents.c.original)
Index("documents_by_text", documents.c.text)

texts = Table(
    "texts",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("body", LargeBinary, nullable=False),  # UTF-8, zstd
)

segments = Table(
    "segments",
    metadata,
    Column("name", String, primary_key=True),
    Column("wave", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("checksum", String, nullable=False),
)

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
    Column("relation", String, nullable=False),
    Column("a", Integer, nullable=False),
    Column("b", Integer, nullable=False),
    Column("distance", Integer, nullable=False),
    Column("longer", Integer, nullable=False),
    Column("shared_shingles", Integer, nullable=False),
    Column("a_shingles", Integer, nullable=False),
    Column("b_shingles", Integer, nullable=False),
    Column("shared_terms", Integer, nullable=False),
    Column("fewer_terms", Integer, nullable=False),
    Column("kind", String, nullable=False),
    PrimaryKeyConstraint("relation", "a", "b"),
    sqlite_with_rowid=False,
)

groupings = Table(
    "groupings",
    metadata,
    Column("name", String, primary_key=True),
    Column("threshold", Float, nullable=False),
    Column("rule", String, nullable=False),
)

group_members = Table(
    "group_members",
    metadata,
    Column("grouping", String, nullable=False),
    Column("document", Integer, nullable=False),
    Column("principal", Integer, nullable=False),
    PrimaryKeyConstraint("grouping", "document"),
    sqlite_with_rowid=False,
)

dense_families = Table(
    "dense_families",
    metadata,
    Column("relation", String, nullable=False),
    Column("document", Integer, nullable=False),  # a distinct text …
    Column("family", Integer, nullable=False),  # … and the first text of its dense family
    Column("left_out", Integer, nullable=False),  # with the first text: the family's pairs that are not stored, at most
    PrimaryKeyConstraint("relation", "document"),
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
