"""The sentences that explain statuses, kinds, measures and settings to someone who has not read the manual.

The words and the rules are the contract's; a test holds the lists here to `truecopy.model`.
"""

from __future__ import annotations

import re

from truecopy.report.page import MeasureMeaning

STATUS = {
    "unreadable": "Could not be opened, or its text could not be extracted. The reason is given for each.",
    "too-large": "Larger than the limit for one document, so its text was not extracted.",
    "excluded": "Left out because the settings say so, or a link that was not followed. The reason is given for each.",
    "unsearchable": "Opened, but it may hold words that could not be read: in a scan, a picture, a drawing or an "
    "embedded file, say. The reason is given for each.",
    "empty": "There is nothing in it.",
    "numbers-only": "Holds figures, but not one letter: grouped by equality only. Pairs show what is similar to it.",
    "same-file": "Byte for byte the same file as an earlier document.",
    "same-text": "The words and figures of an earlier document. Case, punctuation and layout may differ.",
    "too-short": "Fewer than 10 words: compared for equality only, never called similar.",
    "principal": "The document that the others of its group were compared with. Read this one first.",
    "member": "Similar to the principal of its group at the threshold or above.",
    "linked": "Similar at the threshold to another document, but to no principal. Its links are listed.",
    "unique": "No other document is similar to it at the threshold. It may still be contained in one, or contain one.",
}

PART = {
    "copies": "copies",
    "near": "near copies",
    "read": "to read",
    "unsearched": "not searched",
    "nothing": "empty",
}

PART_OF_ONE = {"copies": "copy", "near": "near copy"}
"""The same, of one document."""

KIND = {
    "same-file": "The same file, byte for byte.",
    "same-text": "The same words and figures in the same order. Case, punctuation and layout may differ.",
    "same-words": "The same words once articles and fillers are left out.",
    "execution-copy": "Differs only in the signature block, blanks and dates.",
    "near-identical": "Differs only in dates, amounts, numbers, references, addresses and the like.",
    "same-form": "The same form, filled in for another party, person or subject.",
    "insertion": "One text is the other plus sentences or phrases inside its paragraphs.",
    "excerpt": "One text is one or a few contiguous parts of the other, which is at least a quarter longer.",
    "elaboration": "One text is the other plus whole paragraphs.",
    "revision": "Similar at the floor or above; words were changed, added or taken out.",
    "contained": "Most of one text is in the other, though as wholes they are not similar.",
    "rewrite": "The same terminology in other sentences.",
    "focus": "About the same subject, by the words that they use.",
    "scan": "The same text, as far as a bad scan can be read.",
    "unrelated": "No relation holds.",
}

RELATION = {
    "similar": "Similar",
    "contains": "Contains",
    "rewrites": "Rewrites",
    "topic": "Topic",
    "scanned": "Scanned",
}

MEASURES = (
    MeasureMeaning(
        "similarity",
        "100 · (1 − d / longer)",
        "d is the least number of words that must be inserted, deleted or replaced to turn one text into the "
        "other (Levenshtein distance over words); longer is the number of words of the longer text. This is "
        "the measure that groups are made by.",
    ),
    MeasureMeaning(
        "resemblance",
        "100 · |A ∩ B| / |A ∪ B|",
        "A and B are the sets of distinct three-word sequences (shingles) of the two texts.",
    ),
    MeasureMeaning(
        "containment",
        "100 · |A ∩ B| / |A| and 100 · |A ∩ B| / |B|",
        "How much of the first text is in the second, and of the second in the first, over the same sets.",
    ),
    MeasureMeaning(
        "terminology",
        "100 · shared / fewer",
        "Distinct content words that both texts use, over the distinct content words of the text that has "
        "fewer. Content words have three letters or more, are not function words, and are lightly stemmed.",
    ),
    MeasureMeaning(
        "character similarity",
        "100 · (1 − d / longer)",
        "As similarity, but over characters, with case folded and runs of white space taken as one space. "
        "Given when two documents are compared.",
    ),
)

SETTING = {
    "threshold": "Similarity, in percent, from which a document joins a group. A pair exactly at it is in.",
    "floor": "Lowest similarity at which pairs are kept. The threshold can be moved down to it at any time.",
    "contains_floor": "Lowest containment at which a pair is kept as one text contained in the other.",
    "recall": "The share of similar pairs that the search for candidates is asked to find.",
    "rule": "Which document of a group becomes its principal.",
    "given": "For the rule `given`: the documents that come first.",
    "dense": "Distinct texts above which a family of one form is stored in part: principal and nearest.",
    "nearest": "How many nearest texts each text of such a family keeps.",
    "ocr": "Whether pictures of text were read by optical character recognition.",
    "encoding": "What plain texts were read as where they do not say it themselves; the last that fits a path counts.",
}

RULE = {
    "longest": "longest: most words, then earliest date, then lowest number",
    "earliest": "earliest: earliest date, then most words, then lowest number",
    "latest": "latest: latest date, then most words, then lowest number",
    "given": "given: the documents named by the user, then the longest",
}


def generator_sentence(generator: str) -> str:
    """How candidates were found, in sentences that need no manual; waves may have used different ways."""
    said = []
    if "overlap" in generator or "pieces" in generator:
        said.append(
            "Candidates were found by an exact join. Two texts that are similar at the floor must share a known number "
            "of words and of short phrases; every pair that shares that many was compared, so none can be missed."
        )
    bands = re.findall(r"bands\([^)]*\)", generator)
    if bands:
        said.append(
            f"Candidates were found by comparing sketches of the texts in {' and '.join(bands)}. The "
            "parameters were derived from the floor and the recall asked for; the chance of missing a pair "
            "is stated below."
        )
    return " Other waves: ".join(said) or f"Candidates were found by: {generator}."
