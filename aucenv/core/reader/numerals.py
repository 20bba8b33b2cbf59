"""English numbers in letters beside an amount in digits, which must state the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aucenv.core.reader.amounts import FIRST_UNCLEAR, A, cents_of, names_of

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_WORD = rf"(?:{'|'.join((*_NUMBERS, 'hundred', 'thousand'))})"
_LETTERS = rf"\b(?:an?\s+)?{_WORD}\b(?:(?:\s+and\s+|,?\s+|-){_WORD}\b)*"


def without_letters(text: str, amounts: Sequence[int], currency: str) -> str:
    """Return a plain text with marked amounts without letters that repeat an amount: "nine hundred dollars ($900)".

    If the letters state another amount, an unclear one takes the place of both.
    """
    money = rf"(?P<money>\s+(?:{names_of(currency)})\b)?"
    for pattern in (
        rf"(?P<letters>{_LETTERS}){money}\s*(?P<mark>)[,:=(-]?\s*(?P<digits>{A})\)?",
        rf"(?P<digits>{A})\s*(?P<mark>[(,-])\s*(?P<letters>{_LETTERS}){money}\)?",
    ):
        text = re.sub(pattern, lambda match: _one_amount(match, amounts), text)
    return text


def _one_amount(match: re.Match[str], amounts: Sequence[int]) -> str:
    stated = _value(match["letters"])
    if stated < 100 and not match["money"]:
        return match[0]  # a count, such as "round two: $900"
    if stated * 100 == cents_of(match["digits"], amounts):
        return match["digits"]
    return match[0] if match["mark"] in tuple(",-") else chr(FIRST_UNCLEAR)  # ", five hundred above the minimum"


def _value(letters: str) -> int:
    total = current = 0
    for word in re.findall(rf"\b{_WORD}\b", letters):
        if word == "hundred":
            current = max(current, 1) * 100
        elif word == "thousand":
            total, current = total + max(current, 1) * 1000, 0
        else:
            current += _NUMBERS[word]
    return total + current
