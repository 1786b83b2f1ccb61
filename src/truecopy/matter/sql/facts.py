"""What a matter says of itself: its format, and the settings that it was made with."""

from __future__ import annotations

import json

from sqlalchemy import Connection, select

from truecopy.matter.sql import tables
from truecopy.matter.sql.plain import lasting
from truecopy.matter.stored_json import stored_settings
from truecopy.settings import MatterSettings

_TABLE = tables.facts


class FactTable:
    """The facts of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def every(self) -> dict[str, str]:
        """All of them; none where the matter's making was interrupted."""
        if not self._connection.dialect.has_table(self._connection, _TABLE.name):
            return {}
        return {row.name: row.value for row in self._connection.execute(select(_TABLE))}

    def settings(self) -> MatterSettings:
        """What the matter was made with."""
        return lasting(self._connection, "settings", self._settings)

    def _settings(self) -> MatterSettings:
        query = select(_TABLE.c.value).where(_TABLE.c.name == "settings")
        return stored_settings(self._connection.execute(query).scalar() or "")

    def begin(self, settings: MatterSettings) -> None:
        """Write the facts of a new matter."""
        facts = {"format": str(tables.FORMAT), "settings": _written(settings)}
        self._connection.execute(_TABLE.insert(), [{"name": name, "value": value} for name, value in facts.items()])

    def set_settings(self, settings: MatterSettings) -> None:
        """Change the settings."""
        self._connection.execute(_TABLE.update().where(_TABLE.c.name == "settings").values(value=_written(settings)))

    def set_format(self, number: int) -> None:
        """Say that the matter has a format now."""
        self._connection.execute(_TABLE.update().where(_TABLE.c.name == "format").values(value=str(number)))


def _written(settings: MatterSettings) -> str:
    return json.dumps(settings.as_json(), sort_keys=True)
