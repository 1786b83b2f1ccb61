"""Words looked up by hash and spelling in a sorted list, where it lies (`text.word_lists`)."""

from __future__ import annotations

from typing import Any

from truecopy.kernels.jit import kernel

Array = Any


@kernel
def find_listed(
    hashes: Array, letters: Array, begins: Array, ends: Array,
    sorted_hashes: Array, by_hash: Array, listed: Array, listed_ends: Array, first: int, out: Array,
) -> int:  # fmt: skip
    """out[i] = first + the number that the i-th word has in the list, where that is below 0 and the list has the word;
    returns how many are still below 0.

    The list is in order of hash, then of spelling, and found by halving: a word that is forged to have the hash of very
    many others costs no more than any.
    """
    missing = 0
    for word in range(len(hashes)):
        if out[word] >= 0:
            continue
        low, high = 0, len(sorted_hashes)
        while low < high:
            middle = (low + high) // 2
            before = sorted_hashes[middle] < hashes[word]
            if sorted_hashes[middle] == hashes[word]:
                number = by_hash[middle]
                begin = listed_ends[number - 1] if number > 0 else 0
                own, other = listed_ends[number] - begin, ends[word] - begins[word]
                same = 0
                while same < own and same < other and listed[begin + same] == letters[begins[word] + same]:
                    same += 1
                if same == own and same == other:
                    out[word] = first + number
                    break
                if same < own and same < other:
                    before = listed[begin + same] < letters[begins[word] + same]
                else:
                    before = own < other
            if before:
                low = middle + 1
            else:
                high = middle
        if out[word] < 0:
            missing += 1
    return missing
