"""Which Latin code page a text is in, by the letters that its language has.

General detectors compare how odd a text looks, which hardly tells one Latin page from another: in Polish
or Turkish they often settle for Western European. The letters beyond ASCII settle it: a page is right when
(nearly) all of them belong to one language.
"""

from __future__ import annotations

_COMMON = "‘’‚“”„–—…•§©®™°«»†€£\u00a0\u00ad"
_LANGUAGES = {
    "French": "àâæçéèêëîïôœùûüÿ",
    "German": "äöüßé",
    "Spanish": "áéíñóúü¿¡ªº",
    "Portuguese": "áâãàçéêíóôõúüªº",
    "Italian": "àèéìíîòóùº",
    "Dutch": "éèëïöüáó",
    "Nordic": "åäöæøéü",
    "Icelandic": "áðéíóúýþæö",
    "Polish": "ąćęłńóśźż",
    "Czech and Slovak": "áčďéěíňóřšťúůýžľĺŕôä",
    "Hungarian": "áéíóöőúüű",
    "Romanian": "ăâîșțşţ",
    "South Slavic": "čćđšž",
    "Turkish": "çğıİöşüâîû",
    "Baltic": "ąčęėįšųūžāēģīķļņōŗõäöü",
}
_ALPHABETS = [frozenset(letters + letters.upper() + _COMMON) for letters in _LANGUAGES.values()]
# A tie goes to the first of these.
_PAGES = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257")
_ENOUGH = 0.95


def latin_page(sample: bytes) -> str:
    """The page in which the sample's letters make up one language best; "" where none does."""
    best, best_share = "", _ENOUGH
    for page in _PAGES:
        beyond = [letter for letter in sample.decode(page, "replace") if letter > "\x7f"]
        if not beyond:
            continue
        share = max(sum(letter in known for letter in beyond) for known in _ALPHABETS) / len(beyond)
        if share > best_share:
            best, best_share = page, share
    return best
