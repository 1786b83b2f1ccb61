"""Where paragraphs and sentences begin, judged by what is between the words."""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel

Array = Any
PARAGRAPH, SENTENCE = 1, 2
NEW_LINE, FORM_FEED, SPACE = 10, 12, 32
STOP, COLON, SEMICOLON, EXCLAMATION, QUESTION = (ord(mark) for mark in ".:;!?")
HASH, STAR, DASH, OPEN = (ord(mark) for mark in "#*-(")


@kernel
def find_breaks(data: Array, text_offsets: Array, starts: Array, ends: Array, offsets: Array, out: Array) -> None:
    """out[i] = PARAGRAPH where word i begins a paragraph, SENTENCE where it begins a sentence, else 0."""
    for text in range(len(offsets) - 1):
        base = text_offsets[text]
        for word in range(offsets[text], offsets[text + 1]):
            if word == offsets[text]:
                out[word] = PARAGRAPH
                continue
            begin, end = base + np.int64(ends[word - 1]), base + np.int64(starts[word])
            if end - begin <= 1 and (end <= begin or data[begin] != FORM_FEED):
                out[word] = 0  # most words: nothing but a space before them
                continue
            lines = 0
            ended = False  # by a full stop or its like, since the last word
            closed = False  # the same, or a colon or semicolon, before the first line end
            spaced = False
            marked = False  # as a list item or heading, after the last line end
            for at in range(begin, end):
                byte = data[at]
                if byte == NEW_LINE or byte == FORM_FEED:
                    lines += 1 if byte == NEW_LINE else 2
                    marked = False
                    spaced = True
                elif byte <= SPACE:
                    spaced = True
                elif byte == STOP or byte == EXCLAMATION or byte == QUESTION:
                    ended = True
                    closed = closed or lines == 0
                elif byte == COLON or byte == SEMICOLON:
                    closed = closed or lines == 0
                elif byte == HASH or byte == STAR or byte == DASH or byte == OPEN:
                    marked = True
                elif byte == 0x82 and at >= 2 and data[at - 1] == 0x80 and data[at - 2] == 0xE3:
                    ended = True  # the ideographic full stop, which no space follows
                    closed = closed or lines == 0
                    spaced = True
                elif byte == 0xA2 and at >= 2 and data[at - 1] == 0x80 and data[at - 2] == 0xE2:
                    marked = True  # a bullet
            if lines >= 2 or (lines == 1 and (closed or marked)):
                out[word] = PARAGRAPH
            elif ended and spaced:
                out[word] = SENTENCE
            else:
                out[word] = 0
