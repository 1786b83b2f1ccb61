"""Dates, amounts and other figures, as contracts write them.

Dates lie after the day of the agreement (`past`: before it); sums are in its one currency. Every figure
of one sort has the same number of words, so that another figure in its place is a replacement and never an
insertion.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from truecopy.demo.dice import Dice

ENGLISH = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
GERMAN = (
    "Januar", "Februar", "März", "April", "Mai", "Juni",
    "Juli", "August", "September", "Oktober", "November", "Dezember",
)  # fmt: skip
FRENCH = (
    "janvier", "février", "mars", "avril", "mai", "juin",
    "juillet", "août", "septembre", "octobre", "novembre", "décembre",
)  # fmt: skip
DAYS = (5, 7, 10, 14, 15, 20, 21, 28, 30, 45, 60, 75, 90, 120)
MONTHS = (2, 3, 4, 6, 9, 12, 15, 18, 24, 30, 36)
FIRST_DAY, LAST_DAY = date(2016, 1, 4).toordinal(), date(2024, 11, 29).toordinal()


def signing_day(dice: Dice) -> str:
    """A day within the demo's years, ISO 8601; no agreement is signed on a Saturday or Sunday."""
    day = dice.between(FIRST_DAY, LAST_DAY)
    while date.fromordinal(day).weekday() > 4:
        day += 1
    return date.fromordinal(day).isoformat()


def written_date(iso: str, months: tuple[str, ...] = ENGLISH) -> str:
    """2024-03-14 as 14 March 2024."""
    day = date.fromisoformat(iso)
    return f"{day.day} {months[day.month - 1]} {day.year}"


def _shifted(iso: str, days: int) -> str:
    return date.fromordinal(date.fromisoformat(iso).toordinal() + days).isoformat()


def _hizuke(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.year}年{day.month}月{day.day}日"


def _date(what: str, day: str, dice: Dice) -> str:
    if what == "past":
        return written_date(_shifted(day, -dice.between(20, 900)))
    later = _shifted(day, dice.between(20, 1600))
    if what == "hizuke":
        return _hizuke(later)
    if what == "datum":
        return written_date(later, GERMAN).replace(" ", ". ", 1)
    return written_date(later, FRENCH if what == "jour" else ENGLISH)


_NUMBERS: dict[str, Callable[[Dice], str]] = {
    "yen": lambda dice: f"{dice.between(11, 989)},000円",
    "days": lambda dice: str(dice.pick(DAYS)),
    "months": lambda dice: str(dice.pick(MONTHS)),
    "years": lambda dice: str(dice.between(2, 12)),
    "percent": lambda dice: f"{dice.between(2, 24)} per cent",
    "number": lambda dice: str(dice.between(11, 989)),
    "few": lambda dice: str(dice.between(2, 48)),
}
FIGURES = (*_NUMBERS, "amount", "fee", "date", "past", "datum", "jour", "hizuke")


def figure(what: str, dice: Dice, day: str, currency: str) -> str:
    """The text of a slot of this name, in an agreement of this day and currency."""
    if what == "amount":
        thousands, rest = dice.between(11, 989), dice.pick(("000", "000", "000", "500", "250", "750"))
        return f"{currency} {thousands},{rest}"
    if what == "fee":
        return f"{currency} {dice.between(9, 198) * 5}"
    if what in _NUMBERS:
        return _NUMBERS[what](dice)
    return _date(what, day, dice)
