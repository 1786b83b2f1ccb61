"""The model as JSON, in the contract's shapes; measures are rounded to 4 decimals here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truecopy.model import Comparison, Difference, Group, Hit, Linked, Pair, Wave

if TYPE_CHECKING:
    from truecopy.api import Against
    from truecopy.matter.ask.near import NearHit
    from truecopy.matter.ask.sides import Side


def percent(value: float) -> float:
    """A measure as JSON shows it."""
    return round(value, 4)


def _optional_percent(value: float | None) -> float | None:
    return None if value is None else percent(value)


def seconds(stages: dict[str, float]) -> dict[str, float]:
    """Stage by stage, to the millisecond."""
    return {stage: round(value, 3) for stage, value in stages.items()}


def wave(one: Wave) -> dict[str, Any]:
    """A wave."""
    return {"name": one.name, "documents": one.documents, "added": one.added}


HASHES = ("md5", "sha1", "sha256", "words_sha256", "figures_sha256")


def document(row: Mapping[str, Any]) -> dict[str, Any]:
    """A document of a list, from its flat row."""
    shape = {name: value for name, value in row.items() if name not in HASHES}
    shape["similarity"] = _optional_percent(row["similarity"])
    return shape | {"hashes": {name: row[name] for name in HASHES}}


def group(one: Group) -> dict[str, Any]:
    """A group, its principal and its members."""
    return {
        "id": one.id,
        "principal": {"id": one.principal.id, "path": one.principal.path},
        "members": [
            {
                "id": member.document.id,
                "path": member.document.path,
                "similarity": percent(member.similarity),
                "kind": member.kind,
                "copy_of": member.copy_of or None,
            }
            for member in one.members
        ],
    }


def linked(one: Linked) -> dict[str, Any]:
    """A linked document and its links."""
    links = [{"id": link.id, "similarity": percent(link.similarity)} for link in one.links]
    return {"id": one.document.id, "path": one.document.path, "links": links}


def pair(one: Pair) -> dict[str, Any]:
    """A pair with its measures."""
    scores = one.scores
    return {
        "a": one.a.path,
        "b": one.b.path,
        "a_id": one.a.id,
        "b_id": one.b.id,
        "relation": one.relation,
        "similarity": _optional_percent(scores.similarity),
        "resemblance": percent(scores.resemblance),
        "containment": [percent(part) for part in scores.containment],
        "terminology": percent(scores.terminology),
        "kind": one.kind,
    }


def near_hit(one: NearHit) -> dict[str, Any]:
    """One answer of `similar` that an index found."""
    shape: dict[str, Any] = {
        "id": one.document.id,
        "path": one.document.path,
        "similarity": percent(one.similarity),
        "kind": one.kind,
        "distance": round(one.distance, 4),
    }
    if one.containment is not None and one.part is not None:
        shape["containment"] = [percent(share) for share in one.containment]
        shape["part"] = list(one.part)
    return shape


def hit(one: Hit) -> dict[str, Any]:
    """One answer of `similar`."""
    return {
        "id": one.document.id,
        "path": one.document.path,
        "similarity": percent(one.similarity),
        "kind": one.kind,
    }


def difference(one: Difference) -> dict[str, Any]:
    """One place where two texts differ."""
    return {
        "op": one.op,
        "a": list(one.a),
        "b": list(one.b),
        "a_text": one.a_text,
        "b_text": one.b_text,
        "layout": one.layout,
    }


def comparison(one: Comparison) -> dict[str, Any]:
    """Two texts compared."""
    return {
        "similarity": percent(one.similarity),
        "character_similarity": percent(one.character_similarity),
        "resemblance": percent(one.resemblance),
        "containment": [percent(part) for part in one.containment],
        "terminology": percent(one.terminology),
        "kind": one.kind,
        "why": one.why,
        "differences": [difference(each) for each in one.differences],
    }


def read_as(one: Side) -> dict[str, Any]:
    """What the bytes of one side were read as."""
    return {"encoding": one.encoding or None, "confidence": one.confidence, "doubt": one.doubt or None}


def against(one: Against) -> dict[str, Any]:
    """Every document compared with one given file."""
    hits = [
        {
            "id": each.document.id,
            "path": each.document.path,
            "similarity": percent(each.similarity),
            "containment": [percent(part) for part in each.containment],
            "kind": each.kind,
        }
        for each in one.hits
    ]
    return {"path": one.path, "hits": hits}
