"""Parse free-text replies to a clock: stay, leave, wait, or take the prize, now or at a price.

The parser is as strict as `core.reply.read`. A decision for this tick ("I stay") and one at a price ("I leave at $36")
are compatible if neither leaves or takes the prize now; the later one counts. A limit that is only mentioned ("my limit
is $36") counts only if the reply has no other decision; otherwise it is read as the reason for that decision.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from aucenv.core.files import JsonObject
from aucenv.core.money import CURRENCIES, format_dollars
from aucenv.core.reply import (
    ALTERNATIVE,
    AMOUNT,
    CONDITION,
    ELSEWHERE,
    INTEND,
    MAX_READ,
    UNCLEAR,
    VAGUE,
    VAGUELY,
    X,
    amounts,
    clean_reply,
    is_stated,
    json_amount,
    json_object,
    last_decisions,
    single_decision,
)
from aucenv.core.state import WITHDRAW

STAY = 0
WAIT, TAKE = -1, 0
_LONGEST_CLAUSE = 1_000  # longer clauses contain no decisions and would take long to parse


class _NamedLimit(int):
    """A limit that is only mentioned, not a decision."""


def write_ascending(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply to a rising clock for WITHDRAW, STAY, or a price in cents at which to leave."""
    return _sentence(amount, _ASCENDING, CURRENCIES[currency]) + "!"


def write_descending(amount: int, currency: str = "dollar") -> str:
    """Return the simplest reply to a falling clock for WAIT, TAKE, or a price in cents at which to take the prize."""
    return _sentence(amount, _DESCENDING, CURRENCIES[currency]) + "!"


def read_ascending(reply: str, names: Collection[str] = (), currency: str = "dollar") -> int:
    """Return the decision of a reply to a rising clock: WITHDRAW, STAY, or the price in cents at which to leave.

    Args:
        names: the rivals' names; a line that begins with one of them and a colon is ignored.
        currency: one of `CURRENCIES`; amounts may have its sign or name, and those of other currencies are refused.

    Raises:
        Unreadable: the reply has no decision, or contradictory ones.
    """
    return _read(reply, names, currency, _ASCENDING)


def read_descending(reply: str, names: Collection[str] = (), currency: str = "dollar") -> int:
    """Return the decision of a reply to a falling clock: WAIT, TAKE, or the price in cents at which to take the prize.

    Arguments and errors are those of `read_ascending`.
    """
    # "wait" retracts the text before it, "I wait" does not
    reply = re.sub(r"(?<=[a-z:]\s)wait\b(?!\s*,)", "hold", reply[-MAX_READ:], flags=re.IGNORECASE)
    return _read(reply, names, currency, _DESCENDING)


_CLOCK = r"(?:(?:the\s+)?(?:clock(?:'s)?(?:\s+price)?|(?:current\s+)?price|bid(?:ding)?)|it|we|this)"
_REACHING = r"""(?:(?:is|'s|reaches|hits|touches|gets|goes|comes|rises|climbs|increases|falls|drops|sinks|decreases
    |arrives|shows|reads)(?:\s+(?:up|down))?(?:\s+(?:at|to))?)(?:\s+exactly)?"""
_AT = r"(?:(?:only\s+)?at(?:\s+(?:the|a)\s+(?:current\s+)?price\s+of)?(?:\s+exactly)?)"
_WHEN = rf"(?:(?:but\s+)?(?:only\s+)?(?:when|once|as\s+soon\s+as)\s+{_CLOCK}\s*{_REACHING})"
_UNTIL = rf"(?:(?:until|till|up\s+to)(?:\s+{_CLOCK}\s*{_REACHING})?)"
_WHILE = rf"""(?:(?:as\s+long\s+as|while)\s+{_CLOCK}\s*(?:is|'s|stays|remains)\s+(?:still\s+)?(?:below|under
    |(?:less|lower)\s+than))"""
_GAME = r"(?:the|this)\s+(?:auction|clock|bidding|item|lot|game|race|round|market|contest|competition)"
_NOW = r"(?:now|here|immediately|right\s+(?:now|here|away)|at\s+once|for\s+now|today|still|for\s+the\s+moment)"
_TODAY = r"at\s+(?:the\s+(?:current\s+)?price\s+of\s+)?\$?[0-9]+(?:[.,][0-9]+)*"  # the current price
_THIS_TICK = r"""(?:(?:at|for|in)\s+(?:this|the\s+current)\s+(?:price|tick|level|point|stage|round|step|time)
    |at\s+this\s+(?:price\s+)?(?:level|point))"""
_ENDING = r"""(?= \s*(?:$|[.!;,()"'\]]|-\s) | \s+(?:because|since|given|as(?!\s+(?:soon|long|if|of|an?|is)\b)|and
    |due\s+to|rather\s+than|instead\s+of|even|knowing|despite|at\s+that\s+point
    |to\s+(?:see|avoid|let|keep|secure|protect|preserve|win|save|maximi[sz]e|give|make|minimi[sz]e|lock))\b )"""
_END = re.compile(_ENDING, X)
_DEFERRED = re.compile(
    r"\s*[,;(-]*\s*(?:but\s+)?(?:only\s+)?(?:when|whenever|once|as\s+soon|at|after|before|later|soon|eventually|next"
    r"|above|beyond|below|under|over|until|till|up\s+to|while|around|about|maybe|perhaps|possibly|probably|or|in\s+(?:the|a)\b(?!\s+lead))\b",
    re.IGNORECASE,
)
_DEFERRED_BEFORE = re.compile(
    r"""(?: ^\W*(?:(?:and|but|so)\s+)?(?:above|beyond|past|over|after|below|under|anything|at\s+the\s+next)\b.*
      | ^\W*(?:\w+\s+)?at\b[^,]*[0-9][0-9.,]*\W*(?:\w+\s+){0,2}
      | \b(?:longer|more|before|after|while|moment|point|that|which|where|how|why|than|because|since|as|soon|then|later
        |eventually|until|till|only|next\s+\w+|who|what|or|otherwise|else|case|thinks|believes|knows|wants|doubts?|fears?
        |hope|wish|assumes?|every|each|(?<!this\s)(?<!current\s)(?:times?|round|tick|price)) )\s*,?\s*$""",
    X,
)
_RELATIVE = re.compile(  # "the risk I take"
    r"(?<!\bso)(?<!\band)(?<!\bbut)(?<!\bnow)(?<!\bhence)(?<!\bthus)(?<!\btherefore)(?<!\bprice)(?<=\w)\s+"
    r"i(?:'ll|\s+will)?\s+(?:hold|take|accept|buy|drop|quit|pass|stop|leave|continue)$",
    re.IGNORECASE,
)
_SEEING = re.compile(r"\b(?:see|check|know|wonder|find\s+out|learn|tell|test)(?:ing)?\s+(?:if|whether)\b", re.I)
_LATER = re.compile(r"\b(?:next|later|following)\s+(?:tick|price|step|level|stage|turn)\b", re.I)
_ADVERBS = r"""(?:(?:happily|gladly|reluctantly|patiently|calmly|respectfully|immediately|definitely|certainly|hereby
    |choose\s+to|continue\s+to|prefer\s+to|keep)\s+)*"""
_I = rf"(?:\bi(?:{INTEND})\s+{_ADVERBS} | \blet\s+me\s+)"
_IM = r"(?:\bi(?:'m|\s+am|'ll\s+be|\s+will\s+be)\s+(?:(?:now|still|definitely|officially|just|happily|gladly|all)\s+)*)"
_ANSWER = r"""(?:(?:^|[,.]\s)\W*(?:my\s+|final\s+|the\s+|current\s+)*(?:decision|action|answer|move|choice|response)
    (?:\s+(?:now|here|at\s+this\s+(?:price|tick)))?\s*(?:[:=]+\s*|is(?:\s*:)?\s+)["'(]?(?:(?:to|i|i'll|i\s+will|i'm)\s+)?)"""
_ORDER = r"(?:^\W*(?:(?:ok(?:ay)?|so|therefore|thus|hence|for\s+now|then)\b[\s,:]*)*)"
_ELIDED = r"(?P<elided>\b(?:and|then)\s+(?:then\s+|will\s+|to\s+)*)"


def _head_pattern(verbs: str, doing: str, alone: str, about: str) -> re.Pattern[str]:
    """Return the pattern of a statement of an act, with phrases that do not change the act; the time may follow."""
    statement = (
        rf"(?:{_I}|{_ANSWER}|{_ORDER}|{_ELIDED})(?:{verbs})|(?:{_IM}|{_ANSWER})(?:{doing})|^\W*(?:{alone})(?=\W*$)"
    )
    return re.compile(rf"(?:{statement})\b(?P<about>(?:\s+(?:{about}))*)", X)


def _price_pattern(at_a_price: str, *, closing: str = "(?!)") -> re.Pattern[str]:
    prefix = r"(?:my\s+(?:value|valuation|limit)\s+of\s+)?"
    price = rf"{prefix}{AMOUNT}(?P<or>{ALTERNATIVE})?(?:\s+or\s+(?:{closing}))?"
    return re.compile(rf"[\s,(:-]*(?:{at_a_price})\s*{price}{_ENDING}", X)


class _Act(NamedTuple):
    """An act that a reply can state for now, or for a price named after it."""

    now: int
    head: re.Pattern[str]
    at_a_price: re.Pattern[str]


class _Clock(NamedTuple):
    acts: tuple[_Act, _Act]  # leave or take, then stay or wait
    limit: re.Pattern[str]
    phrases: tuple[str, str]  # a sentence for each act


_OUT = r"(?:drop|bow|back|step|opt|bail|pull|stay|sit)\s+out|drop|step\s+(?:aside|away)|walk\s+away"
_OUT_NOW = r"(?:dropping|bowing|backing|stepping|opting|bailing|pulling|staying|sitting)\s+out|stepping\s+aside"
_LEAVE = _Act(
    WITHDRAW,
    _head_pattern(
        rf"leave|exit|quit|withdraw|fold|pass|abstain|{_OUT}|(?:go|get)\s+out|out",
        rf"leaving|exiting|quitting|withdrawing|folding|passing|abstaining|{_OUT_NOW}|out",
        r"leaving|withdrawing|dropping\s+out|i'm\s+gone|count\s+me\s+out",
        rf"(?:of\s+|from\s+|on\s+)?(?:{_GAME}|this\s+one|here)|{_NOW}|{_THIS_TICK}|for\s+good",
    ),
    _price_pattern(f"{_AT}|{_WHEN}", closing="above|higher|more|over"),
)
_A_WHILE = rf"""{_NOW}|{_TODAY}|{_THIS_TICK}|(?:a\s+(?:little|bit|while)(?:\s+longer)?)|longer
    |(?:for\s+)?(?:another|(?:at\s+least\s+)?one\s+more|the\s+next)\s+(?:tick|round|step|turn|moment)"""
_STAY = _Act(
    STAY,
    _head_pattern(
        r"""(?:stay|remain|hold(?!\s+on\b)|stick|continue|hang)(?:\s+(?:in|on|put|around))?|keep\s+(?:going|staying)
        |stay\s+active|am\s+in""",
        r"(?:staying|remaining|holding|continuing)(?:\s+(?:in|on|put))?|in",
        r"(?:staying|remaining|still)(?:\s+in)?|in|holding|i'm\s+(?:still\s+)?in",
        rf"""(?:in\s+|with\s+|on\s+|to\s+)?{_GAME}|{_A_WHILE}|in|active
        |(?:until|till)\b(?!\s+(?:then|next|at))[^0-9\u00a4,.;]*(?=$|[.,;!])""",
    ),
    _price_pattern(f"{_UNTIL}|{_WHILE}"),
)
_THING = r"(?:\s+(?:it|(?:the|this)\s+(?:item|lot|clock|offer|deal|auction|price|one)|this))"
_TAKE = _Act(
    TAKE,
    _head_pattern(
        rf"""(?:take|buy|stop|(?:purchase|claim|grab|accept)(?={_THING}))
        (?:{_THING}(?!\s+(?:easy|slow|that|as|you|for\s+granted))\b)?""",
        rf"(?:taking|buying|purchasing|claiming|grabbing|accepting|stopping){_THING}?",
        r"(?:it's\s+|it\s+is\s+)?mine|accept",
        rf"{_NOW}|{_THIS_TICK}|before\s+\w+(?:\s+else)?(?:\s+(?:does|do|can))?\b(?!\s+\w)",
    ),
    _price_pattern(f"{_AT}|for|{_WHEN}", closing="below|lower|less|under|better"),
)
_WAIT = _Act(
    WAIT,
    _head_pattern(
        rf"""wait|keep\s+(?:waiting|holding)|hold(?!\s+on\b)(?:\s+(?:off|out|back))?|stay\s+(?:patient|put)|pass|abstain
        |let\s+(?:it|the\s+(?:clock|price))\s+(?:fall|drop|run|go|tick|come\s+down)(?:\s+(?:further|more|down|on))*
        |{_OUT}|withdraw|do\s+nothing""",
        r"waiting|holding(?:\s+(?:off|on|out|back))?|passing|abstaining|out",
        r"waiting|holding|not\s+yet|out|no\s+action",
        rf"(?:on\s+)?(?:{_GAME}|this\s+one)|{_A_WHILE}|and\s+(?:wait|watch)|further|(?:until|till|for)\b[^,.;]*(?=$|[.,;!])",
    ),
    _price_pattern("(?!)"),
)
_LIMIT = r"(?:my\s+(?:own\s+|upper\s+|final\s+|absolute\s+|hard\s+)?|^\W*(?:i\s+set\s+my\s+|final\s+)?)"


def _limit_pattern(price: str) -> re.Pattern[str]:
    named = rf"\b{_LIMIT}(?:limit(?:\s+price)?|(?:{price})\s+price)"
    equals = r"(?:\s+(?:is|stays|remains)(?:\s+(?:at|still))?|\s*[:=]+|\s+(?:to|at|of))?\s*(?:exactly\s+)?"
    unclear = rf"(?P<vague>{VAGUELY})|(?P<unclear>\D?\d)"
    return re.compile(rf"{named}{equals}(?:{AMOUNT}(?P<or>{ALTERNATIVE})?{_ENDING}|{unclear})", X)


_FIRST = re.compile(
    rf"^\W*(?:(?:and|so|but|ok(?:ay)?)\s*,?\s+)?(?:{_AT}|(?P<when>{_WHEN}))\s*{AMOUNT}(?P<or>(?!))?\s*,?\s*(?:then\s+)?$",
    X,
)
_BIDDING = re.compile(rf"\bi(?:{INTEND})\s+(?:bid|offer)\s+\W{{0,3}}[0-9]", X)

_PRICE_LINE = re.compile(
    r"^(\W*(?:my\s|final\s)*(?:decision|action)\W+\w+(?:\s(?:it|out))?)\W*\n+\W*(?:price|amount|limit)\W*[:=]\W*?(?=-?[$\u00a4]?\s?\d)",
    re.IGNORECASE | re.MULTILINE,
)

_ASCENDING = _Clock((_LEAVE, _STAY), _limit_pattern(r"exit|leaving|drop-?\s?out"), ("I leave", "I stay"))
_DESCENDING = _Clock((_TAKE, _WAIT), _limit_pattern(r"buy|buying|taking|stop|stopping"), ("I take it", "I wait"))


def _sentence(amount: int, clock: _Clock, sign: str) -> str:
    for act, phrase in zip(clock.acts, clock.phrases, strict=True):
        if amount == act.now:
            return phrase
    return f"{clock.phrases[0]} at {format_dollars(max(amount, 0), sign)}"


def _read(reply: str, names: Collection[str], currency: str, clock: _Clock) -> int:
    text = clean_reply(reply, currency)
    whole = json_object(text, currency)
    if whole is not None:
        words = _json_sentences(whole, clock)
    else:
        words = re.sub(r"\{[^{}]*\}", lambda m: _json_sentences(json_object(m[0], currency) or {}, clock), text)
    words = _PRICE_LINE.sub(r"\1 at ", words)
    rivals = [clean_reply(name, currency) for name in names]
    decisions = _resolve(last_decisions(words, rivals, lambda clause: _decisions(clause, clock)), clock)
    ends, runs = clock.phrases
    format_help = f"say '{runs}', '{ends}', or '{ends} at {CURRENCIES[currency]}X' with an amount in digits"
    return single_decision(decisions, text, format_help, currency, lambda amount: _sentence(amount, clock, "$"))


def _resolve(decisions: list[int], clock: _Clock) -> list[int]:
    """Return the decisions that count; several remain if they contradict each other."""
    runs = clock.acts[1].now
    kept = [amount for amount in decisions if not isinstance(amount, _NamedLimit)] or decisions
    kept = [a for i, a in enumerate(kept) if a != VAGUE or (i == len(kept) - 1 and runs not in kept)]
    if kept and all(amount == runs or amount > 0 for amount in kept):
        return [runs] if kept[-1] == runs else [amount for amount in kept if amount != runs]
    return kept


def _json_sentences(data: JsonObject, clock: _Clock) -> str:
    """Return sentences with the meaning of a JSON object."""
    act = next((data[key] for key in ("action", "decision", "move", "choice", "answer") if key in data), "")
    price = next((data[key] for key in ("price", "limit", "amount", "at") if data.get(key) is not None), None)
    decisions = _decisions(act, clock) if isinstance(act, str) else []
    if price is not None and (decisions or (not act and "limit" in data)):
        at = [amount or UNCLEAR for amount in json_amount(price)]
        waits = decisions == [WAIT] and clock is _DESCENDING  # waiting at a price has no meaning
        decisions = [UNCLEAR] if waits else [amount for amount in decisions if amount > 0] + at
    return "\n" + "\n".join(_sentence(amount, clock, "$") for amount in decisions) + "\n"


def _decisions(clause: str, clock: _Clock) -> list[int]:
    text = rest = clause.strip()
    if text.endswith("?") or len(text) > _LONGEST_CLAUSE:
        return []
    matches: list[tuple[int, list[int]]] = []
    heads = [(match.start(), act, match) for act in clock.acts for match in act.head.finditer(text)]
    for start, act, head in sorted(heads, key=lambda h: h[0]):
        group, end = _read_act(text, head, act)
        if head["elided"] and not (matches and group and group[0] > 0):
            continue
        if group:
            matches.append((start, group))
            rest = rest[:start] + " " * (end - start) + rest[end:]
    limits = (match for match in clock.limit.finditer(text) if is_stated(text[: match.end()], match))
    matches += [(limit.start(), _read_limit(limit)) for limit in limits]
    matches += [(m.start(), [UNCLEAR]) for m in _BIDDING.finditer(text) if is_stated(text, m)]
    if CONDITION.search(_SEEING.sub(" ", rest)):
        return []
    return [amount for _, group in sorted(matches, key=lambda m: m[0]) for amount in group]


def _read_limit(limit: re.Match[str]) -> list[int]:
    """Return the amounts of a limit: after "my" it is only mentioned; if it is set or labelled it is a decision."""
    kind = _NamedLimit if re.match(r"my\b", limit[0], re.IGNORECASE) else int
    return [kind(amount or UNCLEAR) for amount in amounts(limit)]


def _read_act(text: str, head: re.Match[str], act: _Act) -> tuple[list[int], int]:
    """Return the decision of an act in a clause, empty if it is not stated, and the index at which its text ends."""
    before = text[: head.start()]
    end, verb = head.end(), head.start("about")
    price = act.at_a_price.match(text, end) or act.at_a_price.match(text, verb)
    first = _FIRST.match(before)
    if first:
        stated = not (first["when"] and act in (_STAY, _WAIT))
    else:
        late = ELSEWHERE.search(before) or _LATER.search(before) or _DEFERRED_BEFORE.search(before)
        late = late or _RELATIVE.search(text[:verb])
        stated = not late and is_stated(text[:end], head)
    if not stated or (act is _WAIT and re.match(r"\W*(?:wait|hold)\s*,", text, re.IGNORECASE)):
        return [], end
    if price:
        return [amount or UNCLEAR for amount in amounts(price)], price.end()
    if _DEFERRED.match(text, end) or not _END.match(text, end):
        piece = re.split(r"[;:(]|,\s", text[end:])[0]
        at_a_price = _DEFERRED.match(piece) and re.search(rf"[0-9]|{VAGUELY}", piece, X)
        return ([UNCLEAR if "\u00a4" in piece else VAGUE] if at_a_price else []), end
    return ([amount or UNCLEAR for amount in amounts(first)] if first and act in (_LEAVE, _TAKE) else [act.now]), end
