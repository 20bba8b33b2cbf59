"""Patterns of English phrases in plain text with marked amounts."""

from __future__ import annotations

import re
from functools import cache

from aucenv.core.reader.amounts import PRIVATE, A, U

X = re.VERBOSE
END = rf"[^\w{PRIVATE}]*$"
"""The end of a sentence."""
ANY = rf"(?:{A}|{U})"
"""Any amount, clear or not."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a verbose pattern that is compiled when it is first needed: the largest take a tenth of a second."""
    return re.compile(pattern, X)


def one_of(phrases: str) -> str:
    """Return the pattern of any of these phrases.

    Args:
        phrases: separated by a comma and white space, and written as patterns; a space stands for any white space.
    """
    parts = (" ".join(part.split()).replace(" ", r"\s+") for part in re.split(r",\s", f"{phrases} "))
    return rf"(?:{'|'.join(part for part in parts if part)})"


REASON = one_of(
    """because, since, as, which, to, before, leaving, keeping, and, but, so, given, due, whether, with, hoping,
    knowing, though, although, even, while, rather, in order, despite, instead, considering, without"""
)
"""The first word of what may follow a decision in its sentence."""
_ADVERB = one_of(
    """hereby, anyway, anyhow, indeed, now, then, therefore, thus, hence, also, just, still, only, too, again,
    once again, instead, rather, do, for now"""
)
_NO_ADVERBS = one_of(
    """possibly, probably, likely, hardly, barely, nearly, previously, originally, initially, formerly, usually,
    normally, typically, generally, eventually, ideally, potentially, theoretically, hypothetically, supposedly,
    early, rarely, scarcely, recently, only, reply, rely"""
)
ADVERB = rf"(?:{_ADVERB}|(?!{_NO_ADVERBS}\b)[a-z]+ly)"
WILLING = one_of(
    """ready, willing, happy, glad, pleased, prepared, delighted, proud, thrilled, excited, content, comfortable,
    confident enough"""
)
INTENT = one_of(
    f"""will, shall, must, choose to, chose to, decide to, decided to, elect to, opt to,
    have (?:now )?(?:decided|chosen|opted) to, want to, wish to, dare to, get to, proceed to, continue to,
    have no choice but to, am (?:{ADVERB} )?(?:going|{WILLING}) to,
    (?:think|guess|believe|suppose|say|figure) (?:that )?(?:i|we)(?: will)?"""
)
INTEND = rf"(?:,?\s+(?:{ADVERB}\b|{INTENT}\b))*"
"""Words between "I" and a verb that leave the statement a decision."""
_APPOSITION = r"(?:,\s[^,.!?;]{1,60},(?:\s[^,.!?;]{1,60},)?)?"
I_DO = rf"(?:\b(?:i|we){_APPOSITION}{INTEND},?\s+|\blet\s+me\s+(?:{ADVERB}\s+)?|\blet\s+us\s+)"
"""The subject of a verb in its base form."""
I_AM = rf"(?:\b(?:i\s+am|we\s+are|i\s+will\s+be)\s+(?:{ADVERB}\s+)*)"
"""The subject of a verb in its -ing form."""
LEAD_WORDS = one_of(
    """so, ok, okay, then, now, fine, alright, all right, well, right, yes, yeah, yep, sure, therefore, thus,
    hence, for now, and, but, instead, here, hmm+, aha, oh, ah, no, wait, sorry, actually, correction, rather,
    i mean, i meant, final answer, decision, let us say, please, with that, in that case, accordingly,
    consequently, i say, i repeat, again, once again, all the same, scratch that, strike that, final"""
)
LEAD = rf"^[^\w{PRIVATE}]*(?:{LEAD_WORDS}\b[\s,:!.-]*)*"
"""Words before an order at the beginning of a sentence."""
GAME = (
    r"(?:(?:this|the|of|from|on|in|out\s+of|current)\s+)*"
    + one_of(
        """it, here, this, one, item, lot, auction, bidding, race, round, running, game, house, property, piece,
        contest, competition, war, battle, fight, sale, prize, clock"""
    )
    + r"\b"
)
"""The auction, or the item that is for sale."""
