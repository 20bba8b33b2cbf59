"""Reading of replies in words: each is a bid, a withdrawal, or unreadable.

A reply is read clause by clause. A clause is a decision if it states a bid with its amount, or a withdrawal, in the
first person, as an order ("Bid $1,500") or with a label ("Decision: withdraw"). Questions and clauses that are negated,
conditional, in the past, by others, or about another item or a later bid are no decisions. The last decision counts.
An earlier one is reasoning if it was taken back ("wait", "but", ...); otherwise, if it differs, the reply is ambiguous.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.money import CURRENCIES, MAX_DOLLARS, format_dollars, to_cents
from aucenv.core.state import WITHDRAW

UNCLEAR, VAGUE = -9, -8
"""Decisions with an unclear amount; an exact amount may still follow a vague one ("about $36")."""
MAX_READ = 20_000
"""Number of characters that are read, from the end, where decisions are; it limits the time for long replies."""


class Unreadable(ValueError):
    """A reply that is not one clear decision; its message is shown to the bidder, who may retry."""


def write_reply(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply for an amount in cents, or for WITHDRAW."""
    return "I'm out!" if amount < 0 else f"I bid {format_dollars(amount, CURRENCIES[currency])}!"


def read(reply: str, names: Collection[str] = (), currency: str = "dollar") -> int:
    """Return the decision of a reply: cents, or WITHDRAW.

    Args:
        names: The rivals' names; a line that starts with one of them and a colon is a quotation.
        currency: One of `CURRENCIES`; amounts may have its sign or name, and amounts in others are refused.

    Raises:
        Unreadable: The reply states no decision, or more than one.
    """
    text = clean_reply(reply, currency)
    decisions = _read_json(text, currency)
    if decisions is None:
        decisions = last_decisions(text, [clean_reply(name, currency) for name in names], _decisions)
    hint = f"say 'I bid {CURRENCIES[currency]}X' with an amount in digits, or 'I'm out'"
    return single_decision(decisions, text, hint, currency, lambda a: format_dollars(a) if a >= 0 else "I'm out")


def single_decision(decisions: list[int], text: str, hint: str, currency: str, to_words: Callable[[int], str]) -> int:
    """Return the only decision of a cleaned reply; otherwise raise Unreadable, with a hint on how to reply."""
    if not decisions:
        raise Unreadable(f"{'no decision' if text else 'the reply is empty'}: {hint}")
    decisions = [a for i, a in enumerate(decisions) if a != VAGUE or i == len(decisions) - 1]
    if UNCLEAR in decisions or VAGUE in decisions:
        sign = f"{CURRENCIES[currency]} ({currency})"
        raise Unreadable(f"the amount is unclear: {hint}; X is one amount in {sign} with at most two decimals")
    if len(set(decisions)) > 1:
        listed = ", ".join(dict.fromkeys(to_words(a).replace("$", CURRENCIES[currency]) for a in decisions))
        raise Unreadable(f"ambiguous: the reply ends with more than one decision ({listed})")
    return int(decisions[0])


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


X = re.VERBOSE | re.IGNORECASE
_NAMES = {"dollar": "dollars?|usd|bucks?", "euro": "euros?|eur", "ruble": "ro?ubles?|rub", "yen": "yen|jpy"}
_NAMES["rupee"] = r"rupees?|inr|rs\.?"
_MONEY = rf"""(?P<money>{"|".join(_NAMES.values())}|pounds?|gbp|quid|sterling|francs?|chf|yuan|rmb|cny|pesos?|cad|aud
    |(?:canadian|australian)\s+dollars?|cents?|pence|kope[ck]k?s?|pais[ae])"""
_SIGN = "[$\u00a2-\u00a5\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20cf]"
_BEFORE = re.compile(rf"\b{_MONEY}[ ]*(?=-?[0-9])", X)
_AFTER = re.compile(rf"(?<=[0-9])(?P<k>\s?(?:k|m|thousand|million)\b)?[ ]*(?:\(|(?:in|of)\s)?{_MONEY}(?![a-z])", X)


def _in_dollars(text: str, currency: str) -> str:
    """Return the text with the names of currencies beside numbers replaced: $ for this one, \u00a4 for others."""
    is_currency = re.compile(_NAMES[currency], X).fullmatch
    text = _BEFORE.sub(lambda m: "$" if is_currency(m["money"]) else "\u00a4", text)
    return _AFTER.sub(lambda m: f"{m['k'] or ''} " + ("$" if is_currency(m["money"]) else "\u00a4"), text)


def clean_reply(reply: str, currency: str) -> str:
    """Return a reply without markup and thinking, with $ for its currency and \u00a4 for others."""
    text = re.sub(r"\\u(?:20|00)[ab][0-9a-f]", lambda m: chr(int(m[0][2:], 16)), reply[-MAX_READ:], flags=re.IGNORECASE)
    text = re.sub("(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f])", " ", text)  # 36 and 1/2
    text = unicodedata.normalize("NFKC", text)
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "\n", text, flags=re.DOTALL | re.IGNORECASE)
    text = text.rpartition("</think>")[2]  # the opening tag may be before the characters that are read
    text = re.sub(r"</?[a-zA-Z][^<>]{0,200}>", " ", text)
    text = re.sub("[\u2018\u2019\u02bc`\u00b4]", "'", text)
    text = re.sub("[\u2010-\u2015\u2212]", "-", text)
    text = re.sub("[\u201c\u201d\u00ab\u00bb]", '"', text)
    text = re.sub(r"[*_#]+", " ", text)
    text = re.sub(r"\bi(?:'d|\s+would)\s+like\s+to\b", "I want to", text, flags=re.IGNORECASE)
    sign = CURRENCIES[currency]
    text = re.sub(rf"(?:\bUS)?(?!{re.escape(sign)}){_SIGN}", "\u00a4", text).replace(sign, "$")
    text = "".join(c if c == "\n" or unicodedata.category(c)[0] != "C" else " " for c in text)
    return _in_dollars(text.strip(), currency)


AMOUNT = r"""
    (?P<sign>-\s*)? (?:US)?\$? \s* (?P<minus>-\s*)?
    (?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+) (?P<part>\.[0-9]+)?
    (?:\s?(?P<scale>k|m|thousand|million)\b)?
    (?! [0-9%a-z] | \s(?:k|m|thousand|million)\b | [.,/:]\d | \s*[^\W\x00-\x7f] )
    (?! \s*\$?\s*(?:%|\u00a4|percent|items?|lots?|times|rounds?|bidders?|more\b) )
    (?! \s?['$]?\s?[0-9] | \s*(?:[bt]illion|bn|mln|lakh|crore|dozen) )
    (?! \s*\$?\s*(?:\+|plus\b|above\b|over\b|higher\b|on\s+top\b|hundred\b|grand\b|and\s+a\s+half\b) )
    (?:\s*\$)?
"""
ALTERNATIVE = r"""(?: (?: \s*(?:[/-]|\b(?:or|to|and|through)\b)\s*(?:maybe\s+|even\s+)?
    | \s*[,.-]+\s*(?:no|wait|sorry|actually|maybe|perhaps|or|i\s+mean|make\s+(?:it|that))\b
      (?:[\s,]|wait|make\s+(?:it|that))* ) \$?\s?[0-9][0-9,.]*)"""
INTEND = r"""
    (?: 'll | \s+(?:will|shall|must|hereby|now|therefore|choose\s+to|decide\s+to|have\s+decided\s+to|want\s+to|wish\s+to
        |am\s+(?:going|ready|willing)\s+to|think\s+i(?:'ll|\s+will)) | 'm\s+(?:going|ready|willing)\s+to
        |\s+(?:do|then|also|simply|just|still|officially|confidently) )*
"""
_VERB = r"""
    (?:bid|bids?\s+(?:at|of|exactly|a\s+total\s+of|with|in\s+at)|offer|raise\s+(?:it\s+|my\s+bid\s+|the\s+bid\s+)?to
      |(?:place|make|submit|enter|put\s+in)\s+(?:a|an|my)\s+(?:(?:opening|new|final)\s+)?(?:bid|offer)\s+(?:of|at|for)
      |(?:open|start|go|come\s+in|increase\s+(?:it\s+|my\s+bid\s+)?)\s*(?:with|at|to|for)) (?:\s+exactly)?
"""
LABEL = r"(?:^|[,{\"']\s*)(?:my\s+|final\s+|your\s+)*"
_STATING_A_BID = rf"""
    (?: \bi(?:{INTEND})\s+{_VERB}
      | \bi(?:'m|\s+am)\s+(?:now\s+)?(?:bidding|offering|raising\s+(?:it\s+)?to|in\s+(?:at|for))
      | \blet\s+me\s+{_VERB} | \blet's\s+(?:bid|go\s+(?:with|to)|offer)
      | \bmy\s+(?:(?:final|new|next|opening|current)\s+)?(?:bid|offer|decision|answer)\s*(?:is|will\s+be|stands\s+at
        |:|=)(?:\s+to\s+bid)? | ^\W*bid(?:\s+(?:of|at|exactly))?
      | {LABEL}(?:bid|decision|action|answer|offer|amount)\s*["']?\s*[:=]\s*["']? (?:i\s+bid|bid)?
    ) \s*["']?\s*
"""
_NUMERAL = r"""(?:(?:an?\s+)?hundred|(?:a\s+)?thousand|one|two|three|four|five|six|seven|eight|nine|ten|eleven
    |twelve|\w{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b(?!\s+(?:more|last|final|time|of))"""
VAGUELY = rf"""(?: (?:(?:some)?where\s+)?(?:between|from|about|around|roughly|approximately|nearly|almost|circa|~)
    \s*\$?\s?[0-9] | {_NUMERAL} )"""
_UNCLEAR_AMOUNT = rf"(?P<unclear>[-+(\s]*[$\u00a4]?\s*[-+]?[.]?\d)|(?P<vague>{VAGUELY})"
_BID = re.compile(rf"{_STATING_A_BID} (?: {AMOUNT} (?P<or>{ALTERNATIVE})? | {_UNCLEAR_AMOUNT} )", X)
_FIGURE = rf"{AMOUNT}(?P<or>{ALTERNATIVE})? | (?P<unclear>\u00a4?\s?[0-9][0-9,.]*\s*\u00a4?)"
_LONE = re.compile(rf"^[^\w\u00a4]*? (?:{_FIGURE}) [^\w\u00a4]*$", X)
_LEAVING = rf"""
    \bi(?:'m|\s+am)\s+(?:now\s+|definitely\s+|officially\s+)?
        (?:out\b(?!\s+of\b(?!\s+(?:here|this|it|the\s+(?:auction|bidding|race|running|item|round))\b))
          |withdrawing\b|dropping\s+out\b|passing\b|folding\b|abstaining\b|not\s+(?:going\s+to\s+)?bid(?:ding)?\b)
    | \bcount\s+me\s+out\b
    | \bi(?:{INTEND})\s+(?:withdraw|pass|fold|abstain|quit|(?:drop|bow|back|stay|opt)\s+out|back\s+off
        |decline\s+to\s+bid|step\s+(?:aside|back|out|away)|sit\s+(?:this|it)(?:\s+one)?\s+out)\b
    | \bi(?:'ll|\s+will|\s+do|\s+shall)\s*(?:not|n't)\s+(?:bid|be\s+bidding|raise)\b
    | \bi\s+(?:won't|don't)\s+(?:bid|raise)\b
    | \bi\s+leave\b(?!\s+(?:room|it|that|some|my|the\s+rest)) | \bi(?:'ve|\s+have)\s+decided\s+not\s+to\s+bid\b
    | \bno\s+(?:more\s+)?bids?\s+(?:from\s+me|for\s+me)\b
    | {LABEL}(?:bid|decision|action|answer)\s*["']?\s*(?:[:=]|is(?:\s+to)?\s)\s*["']?
        (?:i\s+)?(?:withdraw|withdrawal|pass|fold|abstain|out|no\s+bid|none|quit|drop\s+out)\b
    | ^\W*(?:withdraw|pass|fold|abstain|out|no\s+bid|quit|drop\s+out)\W*$
"""
_OUT = re.compile(_LEAVING, X)
_TURN = _words("wait|actually|no|but|instead|however|hmm+|though|second thoughts?|rather|let me")
_TAKEN_BACK = _words("make (?:that|it)|correction|i mean|scratch|strike that|second thoughts?|just kidding")
_LIMITED = _words(
    r"further|again|higher|any ?more|any longer|beyond|past|above|after this|then|no way|hopes?|"
    r"(?:pass|quit|fold|bid) (?:on )?\w+ing|out to|and think|on emotion"
)
ELSEWHERE = _words("(?:next|later|following) (?:item|round|time|one|lot)|for later|estimates?")
CONDITION = _words("(?<!even )(?:if|unless|assuming|provided|suppose|supposing|in case|as long as|until|whether)")
_HYPOTHETICAL = _words(
    r"would|could|might|should|may|maybe|perhaps|when|whenever|once(?! again)|had|instead of|rather than|"
    r"told|says?|said|thinks?\s+that|expects?|hopes?|considering|option|options|either|example|scenario"
)
_NEGATION = re.compile(r"\b(?:not|never|cannot|can't|no)\b|n't\b", re.I)
_PAST = _words(
    r"last (?:round|time|turn|item)|previous(?:ly)?|earlier|already|so far|yesterday|in round \d+|"
    "in the (?:first|last|previous|second) round|was|were|initially"
)


def last_decisions(text: str, names: Collection[str], decisions_of: Callable[[str], list[int]]) -> list[int]:
    """Return the decisions of the last clauses that have any, and the nearest earlier ones if not taken back."""
    last: list[int] = []
    is_complete = False
    for clause in reversed(list(_clauses(text, names))):
        decisions = decisions_of(clause)
        if not is_complete:
            if decisions:
                last = decisions + last
            elif last and re.search(r"\w", clause):
                is_complete = True
        if is_complete and _TURN.search(clause):
            break  # earlier decisions are taken back
        if is_complete and decisions:
            return decisions + last
        if not last and _TAKEN_BACK.search(clause):
            return []
    return last


def _clauses(text: str, names: Collection[str]) -> Iterator[str]:
    rivals = {name.strip().lower() for name in names}
    lines = [line for line in text.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        heading = lines[number - 1].rstrip(" *_#") if number else ""
        has_heading = heading.endswith(":") and not re.search(r"\b(?:bid|decision|answer|action)\W*$", heading, re.I)
        if _LONE.match(line.strip()) and (has_heading or number < len(lines) - 1):
            yield "(a figure)"
            continue
        speaker, colon, _ = line.partition(":")
        speaker = speaker.strip(" \t-\"'").lower()
        words = {speaker, *re.findall(r"\w+", speaker)}
        is_quoted = colon and words & rivals and (len(words) <= 4 or speaker in rivals)
        if is_quoted or line.lstrip().startswith(">"):
            yield "(somebody else's words)"
            continue
        line = _without_quotations(re.sub(r"^\s*\d{1,2}[.)]\s+(?=[a-zA-Z])", "", line))  # drop list numbers
        for sentence in re.findall(r".*?(?:[.!?;]+(?=[\s\"')\]]|$)[\"')\]]*|$)", line):
            if sentence.strip():
                yield from _split_at_turns(sentence)


def _split_at_turns(sentence: str) -> list[str]:
    parts = re.split(r",?\s+\b(?=(?:but|however|so|therefore|thus|hence|for now|nevertheless|anyway)\b)", sentence)
    question = sentence.rstrip(" \"')]").endswith("?")
    return [part + ("?" if question and i < len(parts) - 1 else "") for i, part in enumerate(parts)]


def _without_quotations(line: str) -> str:
    """Return the line without quotations, except one that is the whole line or everything after a label."""
    whole = re.fullmatch(r'\s*"([^"]*)"\W*', line)
    if whole:
        return whole[1]
    return re.sub(r'(?<![:={,\[])(\s*)"[^"]{4,}"(?!\s*[:,}\]])', r"\1(quoted)", line)


def _decisions(clause: str) -> list[int]:
    text = clause.strip()
    if text.endswith("?") or CONDITION.search(text):
        return []
    lone = _LONE.match(text)
    bids = [lone] if lone else [m for m in _BID.finditer(text) if is_stated(text, m) and not ELSEWHERE.search(text)]
    decisions = [(match.start(), amounts(match)) for match in bids]
    for match in _OUT.finditer(text):
        after = text[match.end() :]
        refuses_an_amount = re.search(r"(?:n't|not)\s+(?:bid|raise)$", match[0], re.I) and re.search(r"\d", after)
        if not refuses_an_amount and not _LIMITED.search(text) and is_stated(text, match):
            decisions.append((match.start(), [WITHDRAW]))
    return [amount for _, group in sorted(decisions) for amount in group]


def is_stated(text: str, match: re.Match[str]) -> bool:
    """Return whether a clause states the match as a fact: not as a possibility, negated or in the past."""
    before = text[: match.start()]
    near = re.split(r"[,:;]\s|\s-\s", before)[-1]
    piece = near + match[0] + re.split(r",\s", text[match.end() :])[0]
    return not (_HYPOTHETICAL.search(before) or _NEGATION.search(near) or _PAST.search(piece))


def amounts(match: re.Match[str]) -> list[int]:
    """Return the cents of a matched amount and of its alternative, if any; UNCLEAR if it is not whole cents."""
    if match.groupdict().get("vague"):
        return [VAGUE]
    if match.groupdict().get("unclear") or match["sign"] or match["minus"]:
        return [UNCLEAR]
    cents = [_cents(match["whole"], match["part"], match["scale"])]
    if match["or"]:
        other = re.search(r"([0-9][0-9,]*)(\.[0-9]+)?", match["or"])
        assert other is not None
        cents.append(_cents(other[1], other[2], None))
    return cents


def _cents(whole: str, part: str | None, scale: str | None) -> int:
    factor = {"k": 1000, "thousand": 1000, "m": 10**6, "million": 10**6}[scale.lower()] if scale else 1
    digits = whole.replace(",", "")
    if len(digits) > 15:
        return MAX_DOLLARS * 1000
    exact = float(digits + (part or "")) * factor
    if (factor == 1 and len(part or "") > 3) or len(part or "") > 8:  # 3: a decimal point and two decimals
        return UNCLEAR
    return to_cents(exact)


def json_object(text: str, currency: str) -> JsonObject | None:
    """Return the JSON object of a cleaned text, or None; keys are lower case, amounts in other currencies \u00a4."""
    fenced = re.fullmatch(r"(?:'{3}|~{3})?\s*(?:json)?\s*(\{.*\})\s*(?:'{3}|~{3})?", text, re.DOTALL)
    try:
        data = json.loads(fenced[1]) if fenced else {}
    except (ValueError, RecursionError):
        return None
    data = {str(key).lower().replace(" ", "_"): value for key, value in data.items()}
    if _in_dollars(f"1 {data.get('currency', '$')}", currency) != "1 $":
        data = {key: "\u00a4" if re.search(r"\d", str(value)) else value for key, value in data.items()}
    return data if fenced else None


def _read_json(text: str, currency: str) -> list[int] | None:
    """Return the decisions of a JSON object, or None if the text is not one."""
    data = json_object(text, currency)
    if data is None:
        return None
    act = str(data.get("action", data.get("decision", "bid"))).strip().lower()
    leaving = ("withdraw", "pass", "abstain", "out", "fold", "quit", "i'm out")
    if act.rstrip("!.") in leaving or str(data.get("bid")).strip().lower() in leaving:
        return [WITHDRAW]
    bids = [data[key] for key in ("bid", "amount", "bid_amount") if key in data]
    if data.get("withdraw") is True:
        return [UNCLEAR]
    return [cents for bid in bids for cents in json_amount(bid)] if act in ("bid", "raise") else []


def json_amount(value: Any) -> list[int]:
    """Return the cents of an amount in a JSON object, or UNCLEAR."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return [UNCLEAR]
    return amounts(match) if (match := _LONE.match(str(value).strip())) else [UNCLEAR]
