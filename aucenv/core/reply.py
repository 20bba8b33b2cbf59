"""What a reply in words finally says: a bid, a withdrawal, or nothing that an auctioneer would take for one.

A reply is read clause by clause. A clause decides when it states, in the first person, as an order ("Bid
$1,500") or under a label ("Decision: withdraw"), a bid with its amount or a withdrawal; not when it is a
question, negated, conditional, about the past, about another item or a later bid, or somebody else's. The last
decision counts. One that stands before it is reasoning if it was taken back ("wait", "but", ...); if it is
another one and was not, the reply is ambiguous.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Any

from aucenv.core.money import MAX_DOLLARS, format_dollars, to_cents
from aucenv.core.state import WITHDRAW

_UNCLEAR = -9  # a decision to bid whose amount cannot be told

LONGEST = 20_000
"""Characters read, from the end: a decision stands there, and a megabyte must not cost a second."""


class Unreadable(ValueError):
    """A reply that is no decision; says why, for the one who is asked again."""


def say(amount: int) -> str:
    """The plainest reply for an amount in cents, or WITHDRAW."""
    return "I'm out!" if amount < 0 else f"I bid {format_dollars(amount)}!"


def read(reply: str, names: Collection[str] = ()) -> int:
    """The decision of a reply.

    Args:
        names: the rivals' names; a line that begins with one and a colon is theirs.

    Returns:
        Cents, or WITHDRAW.

    Raises:
        Unreadable: it says nothing that counts, or two things.
    """
    text = _cleaned(reply)
    if not text:
        raise Unreadable("the reply is empty: say 'I bid $X' with an amount, or 'I'm out'")
    found = _read_json(text)
    if found is None:
        found = _last_decisions(text, names)
    if _UNCLEAR in found:
        raise Unreadable("the amount is unclear: say 'I bid $X' with one amount in dollars and at most two decimals")
    if not found:
        raise Unreadable("no decision: say 'I bid $X' with an amount in digits, or 'I'm out'")
    if len(set(found)) > 1:
        said = ", ".join(dict.fromkeys("I'm out" if a == WITHDRAW else format_dollars(a) for a in found))
        raise Unreadable(f"ambiguous: the reply ends with more than one decision ({said})")
    return found[0]


def _cleaned(reply: str) -> str:
    text = unicodedata.normalize("NFKC", reply[-LONGEST:])
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "\n", text, flags=re.DOTALL | re.IGNORECASE)
    text = text.rpartition("</think>")[2]  # its beginning may lie before what is read
    text = re.sub(r"</?[a-zA-Z][^<>]{0,200}>", " ", text)
    text = re.sub("[\u2018\u2019\u02bc`\u00b4]", "'", text)
    text = re.sub("[\u2010-\u2015\u2212]", "-", text)
    text = re.sub("[\u201c\u201d\u00ab\u00bb]", '"', text)
    text = re.sub(r"[*_#]+", " ", text)
    return "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else " " for c in text).strip()


_AMOUNT = r"""
    (?P<sign>-\s*)? (?:(?:US)?\$|USD)? \s* (?P<minus>-\s*)?
    (?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+) (?P<part>\.[0-9]+)?
    (?:\s?(?P<scale>k|m|thousand|million)\b)?
    (?! [0-9%a-z] | [.,/:]\d )
    (?! \s*(?:%|percent|euros?|eur\b|pounds?|gbp\b|yen|items?|lots?|times|rounds?|bidders?|more\b) )
    (?! \s?['$\u20ac\u00a3\u00a5]?\s?[0-9] )
    (?! \s*(?:\+|plus\b|above\b|over\b|higher\b|on\s+top\b|hundred\b|grand\b) )
    (?:\s*(?:dollars?|usd|bucks)\b)?
"""
_ALTERNATIVE = r"(?:\s*(?:[/-]|\b(?:or|to|and|through)\b)\s*(?:maybe\s+|even\s+)?\$?\s?[0-9][0-9,.]*)"
_INTEND = r"""
    (?: 'll | \s+(?:will|shall|must|hereby|now|therefore|choose\s+to|decide\s+to|have\s+decided\s+to|want\s+to
        |wish\s+to|am\s+(?:going|ready|willing)\s+to|think\s+i(?:'ll|\s+will)) | 'm\s+(?:going|ready|willing)\s+to
        |\s+(?:do|then|also|simply|just|still|officially|confidently)
    )*
"""
_VERB = r"""
    (?:bid|bids?\s+(?:at|of|exactly|a\s+total\s+of|with|in\s+at)|offer|raise\s+(?:it\s+|my\s+bid\s+|the\s+bid\s+)?to
      |(?:place|make|submit|enter|put\s+in)\s+(?:a|an|my)\s+(?:(?:opening|new|final)\s+)?(?:bid|offer)\s+(?:of|at|for)
      |(?:open|start|go|come\s+in|increase\s+(?:it\s+|my\s+bid\s+)?)\s*(?:with|at|to|for)) (?:\s+exactly)?
"""
_LABEL = r"(?:^|[,{\"']\s*)(?:my\s+|final\s+|your\s+)*"
_STATING_A_BID = rf"""
    (?: \bi(?:{_INTEND})\s+{_VERB}
      | \bi(?:'m|\s+am)\s+(?:now\s+)?(?:bidding|offering|raising\s+(?:it\s+)?to|in\s+(?:at|for))
      | \blet\s+me\s+{_VERB} | \blet's\s+(?:bid|go\s+(?:with|to)|offer)
      | \bmy\s+(?:(?:final|new|next|opening|current)\s+)?(?:bid|offer|decision|answer)\s*
        (?:is|will\s+be|stands\s+at|:|=) (?:\s+to\s+bid)?
      | {_LABEL}(?:bid|decision|action|answer|offer|amount)\s*["']?\s*[:=]\s*["']? (?:i\s+bid|bid)?
      | ^\W*bid(?:\s+(?:of|at|exactly))?
    ) \s*["']?\s*
"""
_UNCLEAR_AMOUNT = r"(?P<unclear>[-+(\s]*[$\u20ac\u00a3\u00a5]?\s*[-+]?[.]?\d)"
_BID = re.compile(
    rf"{_STATING_A_BID} (?: {_AMOUNT} (?P<or>{_ALTERNATIVE})? | {_UNCLEAR_AMOUNT} )", re.VERBOSE | re.IGNORECASE
)
_LONE = re.compile(rf"^\W*?{_AMOUNT}(?P<or>{_ALTERNATIVE})?\W*$", re.VERBOSE | re.IGNORECASE)
_OUT = re.compile(
    rf"""
    \bi(?:'m|\s+am)\s+(?:now\s+|definitely\s+|officially\s+)?
        (?:out\b(?!\s+of\b(?!\s+(?:here|this|it|the\s+(?:auction|bidding|race|running|item|round))\b))
          |withdrawing\b|dropping\s+out\b|passing\b|folding\b|not\s+(?:going\s+to\s+)?bid(?:ding)?\b)
    | \bcount\s+me\s+out\b
    | \bi(?:{_INTEND})\s+(?:withdraw|pass|fold|quit|(?:drop|bow|back|stay|opt)\s+out|back\s+off|decline\s+to\s+bid
        |step\s+(?:aside|back|out|away)|sit\s+(?:this|it)(?:\s+one)?\s+out)\b
    | \bi(?:'ll|\s+will|\s+do|\s+shall)\s*(?:not|n't)\s+(?:bid|be\s+bidding|raise)\b
    | \bi\s+(?:won't|don't)\s+(?:bid|raise)\b
    | \bi\s+leave\b(?!\s+(?:room|it|that|some|my|the\s+rest)) | \bi(?:'ve|\s+have)\s+decided\s+not\s+to\s+bid\b
    | \bno\s+(?:more\s+)?bids?\s+(?:from\s+me|for\s+me)\b
    | {_LABEL}(?:bid|decision|action|answer)\s*["']?\s*(?:[:=]|is(?:\s+to)?\s)\s*["']?
        (?:i\s+)?(?:withdraw|withdrawal|pass|fold|out|no\s+bid|none|quit|drop\s+out)\b
    | ^\W*(?:withdraw|pass|fold|out|no\s+bid|quit|drop\s+out)\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TURN = re.compile(r"\b(?:wait|actually|no|but|instead|however|hmm+|though|second thoughts?|rather|let me)\b", re.I)
_TAKEN_BACK = re.compile(
    r"\b(?:make (?:that|it)|correction|i mean|scratch|strike that|second thoughts?|just kidding)\b", re.I
)
_LIMITED = re.compile(
    r"\b(?:further|again|higher|any ?more|any longer|beyond|past|above|after this|then|no way|hopes?|"
    r"(?:pass|quit|fold|bid) (?:on )?\w+ing|out to|and think|on emotion)\b",
    re.I,
)
_ELSEWHERE = re.compile(r"\b(?:next|later|following) (?:item|round|time|one|lot)|\bfor later\b|\bestimates?\b", re.I)
_CONDITION = re.compile(
    r"\b(?<!even )(?:if|unless|assuming|provided|suppose|supposing|in case|as long as|until|whether)\b", re.I
)
_HYPOTHETICAL = re.compile(
    r"\b(?:would|could|might|should|may|maybe|perhaps|when|whenever|once(?! again)|had|instead of|rather than|"
    r"told|says?|said|thinks?\s+that|expects?|hopes?|considering|option|options|either|example|scenario)\b",
    re.I,
)
_NEGATION = re.compile(r"\b(?:not|never|cannot|can't|no)\b|n't\b", re.I)
_PAST = re.compile(
    r"\b(?:last (?:round|time|turn|item)|previous(?:ly)?|earlier|already|so far|yesterday|in round \d+|"
    r"in the (?:first|last|previous|second) round|was|were|initially)\b",
    re.I,
)


def _last_decisions(text: str, names: Collection[str]) -> list[int]:
    """The decisions of the last clause that holds any, and of those right before it that hold some too."""
    found: list[int] = []
    settled = False
    for clause in reversed(list(_clauses(text, names))):
        decisions = _decisions(clause)
        if not settled:
            if decisions:
                found = decisions + found
            elif found and re.search(r"\w", clause):
                settled = True
        if settled and _TURN.search(clause):
            break  # what was said before is taken back
        if settled and decisions:
            return decisions + found
        if not found and _TAKEN_BACK.search(clause):
            return []
    return found


def _clauses(text: str, names: Collection[str]) -> Iterator[str]:
    rivals = {name.strip().lower() for name in names}
    lines = [line for line in text.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        heading = lines[number - 1].rstrip(" *_#") if number else ""
        headed = heading.endswith(":") and not re.search(r"\b(?:bid|decision|answer|action)\W*$", heading, re.I)
        if _LONE.match(line.strip()) and (headed or number < len(lines) - 1):
            yield "(a figure)"
            continue
        speaker, colon, _ = line.partition(":")
        words = {speaker.strip(" \t-\"'").lower(), *re.findall(r"\w+", speaker.lower())}
        quoted = line.lstrip().startswith(">") or (colon and len(words) <= 4 and words & rivals)
        if quoted:
            yield "(somebody else's words)"
            continue
        line = _without_quotations(line)
        for sentence in re.findall(r".*?(?:[.!?;]+(?=[\s\"')\]]|$)[\"')\]]*|$)", line):
            if sentence.strip():
                yield from _split_at_turns(sentence)


def _split_at_turns(sentence: str) -> list[str]:
    parts = re.split(r",?\s+\b(?=(?:but|however|so|therefore|thus|hence|for now|nevertheless|anyway)\b)", sentence)
    question = sentence.rstrip(" \"')]").endswith("?")
    return [part + ("?" if question and i < len(parts) - 1 else "") for i, part in enumerate(parts)]


def _without_quotations(line: str) -> str:
    """The line without what it quotes; a quotation that is the whole line, or all after a label, is its own words."""
    whole = re.fullmatch(r'\s*"([^"]*)"\W*', line)
    if whole:
        return whole[1]
    return re.sub(r'(?<![:={,\[])(\s*)"[^"]{4,}"(?!\s*[:,}\]])', r"\1(quoted)", line)


def _decisions(clause: str) -> list[int]:
    text = re.sub(r"\bi(?:'d|\s+would)\s+like\s+to\b", "I want to", clause.strip(), flags=re.IGNORECASE)
    if text.endswith("?") or _CONDITION.search(text):
        return []
    lone = _LONE.match(text)
    bids = [lone] if lone else [m for m in _BID.finditer(text) if _is_stated(text, m) and not _ELSEWHERE.search(text)]
    found = [(match.start(), _amounts(match)) for match in bids]
    for match in _OUT.finditer(text):
        after = text[match.end() :]
        refuses_an_amount = re.search(r"(?:n't|not)\s+(?:bid|raise)$", match[0], re.I) and re.search(r"\d", after)
        if not refuses_an_amount and not _LIMITED.search(text) and _is_stated(text, match):
            found.append((match.start(), [WITHDRAW]))
    return [amount for _, amounts in sorted(found) for amount in amounts]


def _is_stated(text: str, match: re.Match[str]) -> bool:
    """Whether a clause states what the match says: not as a possibility, negated or in the past.

    Negation and past count only within the piece between commas that holds the match.
    """
    before = text[: match.start()]
    near = re.split(r"[,:;]\s|\s-\s", before)[-1]
    piece = near + match[0] + re.split(r",\s", text[match.end() :])[0]
    return not (_HYPOTHETICAL.search(before) or _NEGATION.search(near) or _PAST.search(piece))


def _amounts(match: re.Match[str]) -> list[int]:
    """The cents of a matched amount, and of an alternative to it; _UNCLEAR where it is not whole cents."""
    if match.groupdict().get("unclear") or match["sign"] or match["minus"]:
        return [_UNCLEAR]
    amounts = [_cents(match["whole"], match["part"], match["scale"])]
    if match["or"]:
        other = re.search(r"([0-9][0-9,]*)(\.[0-9]+)?", match["or"])
        assert other is not None
        amounts.append(_cents(other[1], other[2], None))
    return amounts


def _cents(whole: str, part: str | None, scale: str | None) -> int:
    factor = {"k": 1000, "thousand": 1000, "m": 10**6, "million": 10**6}[scale.lower()] if scale else 1
    digits = whole.replace(",", "")
    if len(digits) > 15:
        return MAX_DOLLARS * 1000
    exact = float(digits + (part or "")) * factor
    if (factor == 1 and len(part or "") > 3) or len(part or "") > 8:  # 3: the point and two decimals
        return _UNCLEAR
    return to_cents(exact)


def _read_json(text: str) -> list[int] | None:
    """The decision of a JSON object with a bid; None where the text is not one."""
    fenced = re.fullmatch(r"(?:'{3}|~{3})?\s*(?:json)?\s*(\{.*\})\s*(?:'{3}|~{3})?", text, re.DOTALL)
    if not fenced:
        return None
    try:
        data = json.loads(fenced[1])
    except (ValueError, RecursionError):
        return None
    lowered = {str(key).lower(): value for key, value in data.items()}
    act = str(lowered.get("action", lowered.get("decision", "bid"))).strip().lower()
    leaving = ("withdraw", "pass", "out", "fold", "quit", "i'm out")
    if act.rstrip("!.") in leaving or str(lowered.get("bid")).strip().lower() in leaving:
        return [WITHDRAW]
    bids = [lowered[key] for key in ("bid", "amount", "bid_amount") if key in lowered]
    if lowered.get("withdraw") is True:
        return [_UNCLEAR]
    return [cents for bid in bids for cents in _json_amount(bid)] if act in ("bid", "raise") else []


def _json_amount(value: Any) -> list[int]:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return [_UNCLEAR]
    match = _LONE.match(str(value).strip())
    return _amounts(match) if match else [_UNCLEAR]
