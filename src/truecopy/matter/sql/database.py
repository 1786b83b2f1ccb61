"""Every table family of one connection, as one object: what a question or a change sees of the database."""

from __future__ import annotations

from functools import cached_property

from sqlalchemy import Connection

from truecopy.matter.sql import tables
from truecopy.matter.sql.audit import Audit
from truecopy.matter.sql.documents import DocumentTable
from truecopy.matter.sql.facts import FactTable
from truecopy.matter.sql.families import FamilyTable
from truecopy.matter.sql.files import Files
from truecopy.matter.sql.groups import Groups
from truecopy.matter.sql.pairs import PairTable
from truecopy.matter.sql.passages import PassageTable
from truecopy.matter.sql.signings import Signings
from truecopy.matter.sql.tallies import Tallies
from truecopy.matter.sql.unseen import THE_TABLE, Unseen
from truecopy.matter.sql.waves import Waves


class Database:
    """The rows of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @cached_property
    def facts(self) -> FactTable:
        """Format and settings."""
        return FactTable(self.connection)

    @cached_property
    def waves(self) -> Waves:
        """The waves."""
        return Waves(self.connection)

    @cached_property
    def documents(self) -> DocumentTable:
        """The documents."""
        return DocumentTable(self.connection)

    @cached_property
    def passages(self) -> PassageTable:
        """What is compared."""
        return PassageTable(self.connection)

    @cached_property
    def pairs(self) -> PairTable:
        """The verified pairs."""
        return PairTable(self.connection)

    @cached_property
    def groups(self) -> Groups:
        """The matter's own grouping."""
        return Groups(self.connection)

    @cached_property
    def tallies(self) -> Tallies:
        """How many documents there are of each status."""
        return Tallies(self.connection)

    @cached_property
    def families(self) -> FamilyTable:
        """Which passages chains of pairs connect."""
        return FamilyTable(self.connection)

    @cached_property
    def files(self) -> Files:
        """The segments that the database names."""
        return Files(self.connection)

    @cached_property
    def signings(self) -> Signings:
        """What the matter is signed with."""
        return Signings(self.connection)

    @cached_property
    def unseen(self) -> Unseen:
        """What nobody sees of a wave that was not written to its end."""
        return Unseen(self.connection)

    @cached_property
    def audit(self) -> Audit:
        """The log."""
        return Audit(self.connection)

    def forget_all(self) -> None:
        """Take everything out but the facts: a scan starts over."""
        for table in reversed(tables.metadata.sorted_tables):
            if table is not tables.facts:
                self.connection.execute(table.delete(), execution_options=THE_TABLE)
