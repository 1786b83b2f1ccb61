"""Make `src/truecopy/read/encodings/letters.npz`: how often letters follow each other in each language.

    python tools/make_letter_tables.py WHEEL…

The texts are translations of programs' messages, taken from the `.po` and `.mo` files of wheels: the same kinds of
sentences in forty languages, under permissive licences. The tables that are shipped were made from Django 5.2.19,
Wagtail 8.0.1, Horizon 27.0.0, django-oscar 4.2.1, Sphinx 9.0.4, Kolibri 0.19.5 and Indico 3.2.9. Only figures are kept:
for each language its letters, and the cost (minus the logarithm of the probability, in eighths) of each pair
of symbols; for Chinese, Japanese and Korean the cost of each character within its script.

`docs/explanation/reading-files.md` says what the tables are used for, `read/encodings/letters.py` reads them.
"""

from __future__ import annotations

import gettext
import io
import re
import sys
import unicodedata
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))
from truecopy.read.encodings import classes

TARGET = Path(classes.__file__).with_name("letters.npz")
LANGUAGES = {
    "Arabic": ("ar",),
    "Bulgarian": ("bg",),
    "Belarusian": ("be",),
    "Catalan": ("ca",),
    "Chinese, simplified": ("zh_Hans", "zh_CN"),
    "Chinese, traditional": ("zh_Hant", "zh_TW"),
    "Croatian": ("hr",),
    "Czech": ("cs",),
    "Danish": ("da",),
    "Dutch": ("nl",),
    "English": ("en",),
    "Estonian": ("et",),
    "Finnish": ("fi",),
    "French": ("fr",),
    "German": ("de",),
    "Greek": ("el",),
    "Hebrew": ("he",),
    "Hungarian": ("hu",),
    "Icelandic": ("is",),
    "Italian": ("it",),
    "Japanese": ("ja",),
    "Korean": ("ko", "ko_KR"),
    "Latvian": ("lv",),
    "Lithuanian": ("lt",),
    "Macedonian": ("mk",),
    "Norwegian": ("nb",),
    "Persian": ("fa",),
    "Polish": ("pl",),
    "Portuguese": ("pt", "pt_BR"),
    "Romanian": ("ro",),
    "Russian": ("ru",),
    "Serbian": ("sr",),
    "Slovak": ("sk",),
    "Slovenian": ("sl",),
    "Spanish": ("es",),
    "Swedish": ("sv",),
    "Thai": ("th",),
    "Turkish": ("tr",),
    "Ukrainian": ("uk",),
    "Vietnamese": ("vi",),
    "Vietnamese, marks apart": ("vi",),
}
BY_CHARACTER = ("Chinese, simplified", "Chinese, traditional", "Japanese", "Korean")
_CATALOG = re.compile(r"(?:^|/)locales?/([A-Za-z_@-]+)/LC_MESSAGES/([^/]+)\.(po|mo)$")
_MARKUP = re.compile(r"<[^>]*>|%\(\w+\)[a-z]|%[sdif]|\{[^}]*\}|&\w+;|https?://\S+|\$\{[^}]*\}|`+|\*\*+")
_ENTRY = re.compile(r'^(msgid|msgid_plural|msgstr(?:\[\d\])?) "(.*)"$')
_COMMAS = str.maketrans("şţŞŢ", "șțȘȚ")
_QUOTED = re.compile(r'"([^"\n]*)"')
_SINGLE = re.compile(r"(?<!\w)'([^'\n]*)'(?!\w)")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_BULLET = re.compile(r"^[*-] ", re.MULTILINE)
_RARE = 0.00004
"""Letters with a smaller share are foreign: they are in names and loan words."""
_WEIGHT = 30.0
_KEPT = 0.5
_FLOOR = 0.12
"""The share of a symbol's expectation that comes from the fixed expectations of `classes.py`, not from the texts."""


def main(wheels: list[str]) -> None:
    """Count, smooth, write."""
    texts: dict[str, list[str]] = defaultdict(list)
    for wheel in wheels:
        for language, found in messages(Path(wheel)).items():
            texts[language] += found
    arrays: dict[str, np.ndarray] = {"languages": np.array(list(LANGUAGES))}
    arrays["class"], arrays["lower"], arrays["case"] = classes_of_all()
    for place, (language, codes) in enumerate(LANGUAGES.items()):
        lines = [line for code in codes for line in texts[code]]
        if language.endswith("marks apart"):
            lines = [_marks_apart(line) for line in lines]
        if language == "Romanian":  # some write cedillas, which older pages have in place of commas
            lines = [line.translate(_COMMAS) for line in lines]
        if language not in BY_CHARACTER:
            lines = [*lines, *map(_typeset, lines)]
        letters, pairs, emitted = tables(language, lines, arrays["class"], arrays["lower"])
        arrays[f"letters-{place}"] = letters
        arrays[f"pairs-{place}"] = pairs
        if emitted is not None:
            arrays[f"emitted-{place}"] = emitted
        print(f"{language:22} {sum(map(len, lines)):>9,} characters, {len(letters)} letters", file=sys.stderr)
    # As differences: they are nearly all zero, and so take no room.
    arrays["lower"] -= np.arange(65_536, dtype=np.uint16)
    np.savez_compressed(TARGET, **arrays)
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes", file=sys.stderr)


def messages(wheel: Path) -> dict[str, list[str]]:
    """The translated messages of a wheel, by the language's code; English ones are what they translate."""
    out: dict[str, dict[str, None]] = defaultdict(dict)
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(archive.namelist())
        catalogs = {name[:-3]: (match, name) for name in names if (match := _CATALOG.search(name))}
        for match, name in catalogs.values():  # .po comes last, and so is taken where both are there
            read = _po if match[3] == "po" else _mo
            for source, translated in read(archive.read(name)):
                if translated and translated != source:
                    out[match[1]][_MARKUP.sub(" ", unicodedata.normalize("NFC", translated))] = None
                    out["en"][_MARKUP.sub(" ", source)] = None
    return {code: list(found) for code, found in out.items()}


def _mo(data: bytes) -> list[tuple[str, str]]:
    catalog = gettext.GNUTranslations(io.BytesIO(data))._catalog  # type: ignore[attr-defined]
    pairs = [(key[0] if isinstance(key, tuple) else key, value) for key, value in catalog.items() if key]
    return sorted(pairs)


def _po(data: bytes) -> list[tuple[str, str]]:
    pairs, source, kind, held = [], "", "", ""
    fuzzy = False
    for line in [*data.decode("utf-8", "replace").splitlines(), ""]:
        found = _ENTRY.match(line)
        if found is None and line.startswith('"'):
            held += line[1:-1]
            continue
        if kind == "msgid":
            source = held
        elif kind.startswith("msgstr") and source and not fuzzy:
            pairs.append((_unescaped(source), _unescaped(held)))
        if line.startswith("#,"):
            fuzzy = "fuzzy" in line
        elif not line:
            fuzzy = False
        kind, held = (found[1], found[2]) if found else ("", "")
    return pairs


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")


def _typeset(line: str) -> str:
    """The same as word processors write it: messages of programs have typewriter quotes, documents have not."""
    line = _QUOTED.sub("“\\1”", line)
    line = _SINGLE.sub("‘\\1’", line)
    line = _APOSTROPHE.sub("’", line)
    line = line.replace(" - ", " – ").replace(" -- ", " — ").replace("...", "…").replace("(c)", "©")
    return _BULLET.sub("• ", line)


def _marks_apart(line: str) -> str:
    """Vietnamese as code page 1258 writes it: the tone is a character of its own."""
    out = []
    for character in line:
        base, *marks = unicodedata.normalize("NFD", character)
        tones = [mark for mark in marks if mark in "\u0300\u0301\u0303\u0309\u0323"]
        others = [mark for mark in marks if mark not in tones]
        out.append(unicodedata.normalize("NFC", base + "".join(others)) + "".join(tones))
    return "".join(out)


def classes_of_all() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every code point of the basic plane: its class, its small letter, and whether it is small or large."""
    kinds = np.zeros(65_536, np.uint8)
    lower = np.arange(65_536, dtype=np.uint16)
    case = np.zeros(65_536, np.uint8)
    for code in range(65_536):
        character = chr(code)
        kinds[code] = classes.class_of(character)
        small = character.lower()
        if len(small) == 1 and ord(small) < 65_536:
            lower[code] = ord(small)
        # What has no other case is neither: ª, º, ĸ, and the letters of most scripts.
        if small != character:
            case[code] = classes.LARGE
        elif character.upper() != character:
            case[code] = classes.SMALL
    lower[ord("İ")] = ord("i")
    return kinds, lower, case


def tables(
    language: str, lines: list[str], kinds: np.ndarray, lower: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The letters of a language, the costs of pairs of symbols, and the costs of characters within their class."""
    codes = np.frombuffer(("\n".join(lines) + "\n").encode("utf-16-le"), np.uint16)
    codes = lower[codes]
    by_character = language in BY_CHARACTER
    counts = Counter(codes.tolist())
    letters = (
        []
        if by_character
        else sorted(
            code
            for code, count in counts.items()
            if kinds[code] in classes.LETTERS and _own(language, code, kinds) and count > _RARE * len(codes)
        )
    )
    symbol = kinds.astype(np.int64) + len(letters)
    symbol[letters] = np.arange(len(letters))
    size = len(letters) + classes.COUNT
    seen = np.zeros((size, size))
    np.add.at(seen, (symbol[codes[:-1]], symbol[codes[1:]]), 1)
    expected = np.zeros(size)
    expected[len(letters) :] = classes.EXPECTED
    expected[: len(letters)] = 0.5 / max(len(letters), 1)
    share = seen.sum(0) / seen.sum()
    general = (1 - _FLOOR) * share + _FLOOR * expected / expected.sum()
    fixed = classes.transitions(len(letters), language not in classes.OTHER_SCRIPTS)
    general = general[None, :] * fixed
    general /= general.sum(1, keepdims=True)
    smoothed = (seen + _WEIGHT * general) / (seen.sum(1, keepdims=True) + _WEIGHT)
    # Signs that the texts hardly have (§, “, €) are met in others: never much rarer than in general.
    signs = [len(letters) + place for place in classes.SIGNS]
    smoothed[:, signs] = np.maximum(smoothed[:, signs], _KEPT * general[:, signs])
    costs = np.clip(np.rint(-np.log(smoothed) * classes.SCALE), 0, 255).astype(np.uint8)
    emitted = _emitted(counts, kinds) if by_character else None
    return np.array(letters, np.uint16), costs, emitted


def _own(language: str, code: int, kinds: np.ndarray) -> bool:
    """Whether a letter is of the language's own script: others are in names and examples."""
    if kinds[code] == classes.ASCII_LETTER:
        return language not in classes.OTHER_SCRIPTS
    if 0x0300 <= code <= 0x0323:
        return language.endswith("marks apart")
    script = classes.OTHER_SCRIPTS.get(language, (0x00C0, 0x1EFF))
    return script[0] <= code <= script[1] and not (0x0370 <= code <= 0x1DFF and language not in classes.OTHER_SCRIPTS)


def _emitted(counts: Counter[int], kinds: np.ndarray) -> np.ndarray:
    """(code point, cost) of each character that was seen in a class that is costed by character."""
    totals: Counter[int] = Counter()
    for code, count in counts.items():
        totals[int(kinds[code])] += count
    rows = []
    for code, count in sorted(counts.items()):
        kind = int(kinds[code])
        if kind in classes.BY_CHARACTER:
            # A tenth is kept for the characters of the class that were not seen.
            cost = -np.log(0.9 * count / totals[kind]) * classes.SCALE
            rows.append((code, min(round(float(cost)), 255)))
    return np.array(rows, np.uint16)


if __name__ == "__main__":
    main(sys.argv[1:])
