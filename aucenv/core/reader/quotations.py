"""Quotations in a line of speech: a bidder may put its own words in quotation marks, or repeat those of others."""

from __future__ import annotations

import re
from collections.abc import Collection

from aucenv.core.reader.amounts import PRIVATE

QUOTED = "\ue8fe"
"""The character that stands for the words of somebody else."""

_DOUBLE = re.compile(r'"([^"]*)"')
_SINGLE = re.compile(r"(?<!\w)'([^']*)'(?!\w)")
_BIDDER_SAYS = re.compile(
    r"""(?: [:=(\[] | \b(?:i|and|then) (?:\s+(?:will|now|hereby|then|must|just|simply|loudly|calmly|\w+ly))*
      \s+ (?:say|shout|declare|announce|reply|answer|respond|call|call\s+out|state|yell|cry)
      | \bmy\s+(?:\w+\s+){0,2}(?:reply|answer|response|decision|bid|statement|word)\s+(?:is|will\s+be|remains)
      | \b(?:bid|offer|raise\s+to|bidding|go\s+to) ) \s*,?\s* $""",
    re.VERBOSE,
)
_OTHERS = re.compile(
    r"""\b(?:said|says|saying|shouts?|shouted|told|tells?|asks?|asked|whispers?|whispered|replied|replies|answered|announced
    |called|calls|words|quote|they|he|she|you|everyone|somebody|someone|people|auctioneer|instructions?|prompt|rules?|never|not
    |if|when|whether|would|could|should|might|may|can|either|or|with|by|like|such\s+as|format|example|last|earlier|previous
    |before|used|expects?|wants?|hear|heard|read|writes?|wrote|typed?|phrase|means?|meaning|use|using|output|must)\b
    |(?<!我)说|喊|сказал|говорит|кричит|dijo|dice|grita|कहा|बोला|बोली\s*$|कहते|कहता|कहती""",
    re.VERBOSE,
)
_ATTRIBUTED = re.compile(
    r"""\W*(?:(?:is|was|were|are)\b|(?:those|these|that)\s+(?:was|were|are|is)\b|(?:he|she|they|someone|somebody|everyone)\b
    |(?:said|says|shouts|shouted|means|would|could|or|to\s+(?:bid|withdraw|stay|leave|pass|raise|drop|exit|quit|wait|take))\b)""",
    re.VERBOSE,
)
_SENTENCE_END = re.compile(r"[.!?;]\s|\n")


def without_quotations(line: str, names: Collection[str]) -> str:
    """Return a line with QUOTED for the words of others, and without quotation marks around the bidder's own words.

    Args:
        names: the rivals' names as plain text.
    """
    for pattern, mark in ((_DOUBLE, '"'), (_SINGLE, "'")):
        if mark in line:
            line = _resolve(line, pattern, names)
    return line.replace('"', " ")


def _resolve(line: str, pattern: re.Pattern[str], names: Collection[str]) -> str:
    spans = list(pattern.finditer(line))
    if not spans:
        return line
    outside = pattern.sub(" ", line)
    if not re.search(rf"[\w{PRIVATE}]", outside):
        return " ".join(span[1] for span in spans)
    pieces, at = [], 0
    for i, span in enumerate(spans):
        before = line[at : span.start()]
        after = line[span.end() : spans[i + 1].start() if i + 1 < len(spans) else len(line)]
        pieces += [before, f" {span[1]} " if _is_bidders(before, after, i == 0, names) else QUOTED]
        at = span.end()
    return "".join(pieces) + line[at:]


def _is_bidders(before: str, after: str, is_first: bool, names: Collection[str]) -> bool:
    """Return whether the text around a quotation shows the bidder's own words."""
    ends = list(_SENTENCE_END.finditer(before))
    clause = before[ends[-1].end() :] if ends else before
    starts_sentence = not clause.strip(" -([") and (is_first or bool(ends))
    if starts_sentence:
        return not _ATTRIBUTED.match(after) and not _names_somebody(after[:40], names)
    clause = (
        re.split(r"\b(?:so|but)\b|[,;]\s|:\s(?!\s*$)", clause.rstrip(" ,:"))[-1] + clause[len(clause.rstrip(" ,:")) :]
    )
    if not _BIDDER_SAYS.search(clause) or _names_somebody(clause, names):
        return False
    stem = re.sub(r"\bi\s+(?:\w+\s+){0,2}(?:say|answer|call)\W*$", "", clause)
    return not _OTHERS.search(stem)


def _names_somebody(text: str, names: Collection[str]) -> bool:
    return any(name and name in text for name in names)
