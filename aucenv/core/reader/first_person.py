"""Replies in which a bidder speaks of itself by its name: "Alex bids $4,400!"."""

from __future__ import annotations

import re
from collections.abc import Collection

_DOES = """bid|raise|offer|open|start|counter|withdraw|fold|abstain|leave|quit|exit|stay|hold|wait|take|drop|bow|step
    |sit|decline|submit|place|make|enter|propose|set"""


def in_first_person(reply: str, name: str, rivals: Collection[str]) -> str:
    """Return a reply with "I" for the bidder's name before a decision at its beginning or in its last line.

    A sentence that names a rival is a report and stays unchanged.
    """

    def first_person(match: re.Match[str]) -> str:
        if any(rival and rival in match["rest"] for rival in rivals):
            return match[0]
        does = (match["does"] or "").lower()
        words = {"": "", "is": "I am", "will": "I will", "passes": "I pass"}.get(does, f"I {does[:-1]}")
        return f"{match['mark']}{words}{match['rest']}"

    return re.sub(
        rf"""(?ix)(?P<mark>(?:\A|\n(?=[^\n]*\s*\Z))[\s*_\#(\[-]*) {re.escape(name)} [*_]* \s+
        (?:[\w'\ ]{{1,40}}?\band\s+)?(?:hereby\s+|now\s+)?
        (?:(?:says|replies|answers|responds|shouts|announces)\s*[:,]\s*
        |(?P<does>(?:{_DOES})s|passes|is|will)\b) (?P<rest>[^\n]*)""",
        first_person,
        reply,
    )
