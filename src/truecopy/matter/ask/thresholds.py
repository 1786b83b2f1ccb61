"""Which threshold a question is about: the one that is given, else the matter's own; never one below the floor."""

from __future__ import annotations

from truecopy.errors import BelowFloor, UsageError
from truecopy.hints import pasted
from truecopy.match.relations import RELATION_NAMES, relation_named
from truecopy.matter.state import State
from truecopy.threshold import percentage, ten_thousandths


def threshold_for(state: State, threshold: float | None, relation: str = RELATION_NAMES[0]) -> float:
    """The threshold to use, by the settings of the state that answers; one below the floor is refused."""
    check_relation(relation)
    settings, is_first = state.facts.settings(), relation == RELATION_NAMES[0]
    floor = relation_named(relation).floor_of(settings)
    if threshold is None:
        return max(settings.threshold, floor) if is_first else floor
    threshold = percentage(threshold)
    if ten_thousandths(threshold) < ten_thousandths(floor):
        name, option = ("floor", ()) if is_first else (f"floor for {relation}", ("--relation", relation))
        lower = pasted("floor", f"{threshold:g}", *option, matter=state.place)
        raise BelowFloor(
            f"The threshold {threshold:g} is below this matter's {name} of {floor:g}, "
            "and pairs below the floor are not stored.",
            f"Ask for {floor:g} or more, or lower the floor with {lower}.",
        )
    return threshold


def check_relation(relation: str) -> None:
    """Refuse a relation that there is not."""
    if relation not in RELATION_NAMES:
        raise UsageError(f"The relation {relation!r} is not one of {', '.join(RELATION_NAMES)}.", "Give one of these.")
