"""What a matter says, as plain data in the contract's shapes: two matters that say the same are the same."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import truecopy as tc
from truecopy.cli import shapes


def pairs_json(matter: tc.Matter, relation: str = "similar", *, expand: bool = True) -> str:
    """`pairs` at the lowest threshold that is stored."""
    floor = matter.settings.floor if relation == "similar" else matter.settings.contains_floor
    found = matter.pairs(floor, relation, expand=expand)
    return json.dumps({"pairs": [shapes.pair(pair) for pair in found.pairs], "complete": found.complete})


def groups_json(matter: tc.Matter, threshold: float | None = None) -> str:
    """`groups`: the matter's own, or a view."""
    found = matter.groups(threshold)
    return json.dumps(
        {
            "groups": [shapes.group(group) for group in found.groups],
            "linked": [shapes.linked(linked) for linked in found.linked],
        }
    )


def state(matter: tc.Matter) -> dict[str, Any]:
    """Everything that a user can see, but the time of day."""
    documents = matter.documents()
    return {
        "documents": [dataclasses.asdict(document) for document in documents],
        "texts": [matter.text(document) for document in documents[::10]],
        "statuses": matter.statuses(),
        "waves": [(wave.name, wave.documents) for wave in matter.waves()],
        "similar": pairs_json(matter),
        "contains": pairs_json(matter, "contains"),
        "groups": groups_json(matter),
        "view": groups_json(matter, 90),
    }
