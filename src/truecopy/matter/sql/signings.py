"""What a matter is signed with: a method's spec, which names its statistics."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select

from truecopy.errors import BadSetting
from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.plain import lasting
from truecopy.matter.stored_json import stored_spec
from truecopy.spec import Spec

_TABLE = tables.signings


class Signings:
    """The signings of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def every(self) -> dict[str, Spec]:
        """The methods that the matter is signed with, and the spec of each."""
        return dict(lasting(self._connection, "signings", self._every))

    def _every(self) -> dict[str, Spec]:
        found = self._connection.execute(select(_TABLE).order_by(_TABLE.c.method))
        return {row.method: _spec(row) for row in found}

    def statistics(self) -> dict[str, str | None]:
        """The id of each method's statistics, as its own column says it."""
        return {row.method: row.statistics for row in self._connection.execute(select(_TABLE))}

    def insert(self, method: str, spec: Spec, statistics: str | None, made: str) -> None:
        """Record how texts are signed with a method."""
        row = {"method": method, "spec": json.dumps(spec.as_json(), sort_keys=True), "statistics": statistics}
        self._connection.execute(_TABLE.insert(), {**row, "made": made})

    def forget(self, method: str) -> None:
        """Take a method out."""
        self._connection.execute(_TABLE.delete().where(_TABLE.c.method == method))


def _spec(row: Any) -> Spec:
    """The spec of a row: of its own method, and one that can be."""
    from truecopy.sign.families import row_form

    spec = stored_spec("signings.spec", row.spec)
    try:
        row_form(spec)
    except (BadSetting, LookupError, TypeError, ValueError) as error:
        raise wrong_cell("signings.spec") from error
    if spec.method != row.method:
        raise wrong_cell("signings.method")
    return spec
