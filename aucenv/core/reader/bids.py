"""The grammar of auctions: bids with an amount, and withdrawals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from aucenv.core.reader import languages
from aucenv.core.reader.amounts import FIRST_CLEAR, PRIVATE, UNCLEAR, A, cents_of, cents_of_value, in_dollars
from aucenv.core.reader.bidding import BID, LONE, RETORT
from aucenv.core.reader.json_objects import STAKES, Fields
from aucenv.core.reader.lines import DECISION, FIGURE, Line
from aucenv.core.reader.markup import plain
from aucenv.core.reader.phrases import ANY, END, GAME, I_AM, I_DO, LEAD, REASON, X, one_of
from aucenv.core.reader.reading import Act
from aucenv.core.reader.refusals import MINIMUM, VAGUE
from aucenv.core.reader.scope import is_stated
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import MAX_DOLLARS, to_cents

_BIDDING = re.compile(
    r"(?:to\s+)?(?:bid|raise|(?:place|make|submit|enter|send|put)\s+(?:an?\s+)?(?:bid|offer)|offer|yes|call|respond|buy|bidding"
    r"|raise\s+bid)\W*"
)
MAX_AMOUNTS = 30
"""A sentence with more amounts lists figures and states no bid."""
_NO_BID = re.compile(r"(?:do\s+not|no|not)\s+(?:to\s+)?(?:bid|raise)\W*")
_LEAVING_WORDS = re.compile(r"(?:none|no|no\s+bid|n/?a|nothing|null)\W*")
_LEAVE_HINT = re.compile(
    """out|withdr|pass|fold|abst|quit|leav|exit|drop|bow|back|step|stop|declin|refus|sit|call|conce|yield|skip|give|let|not
    |no |no$|have|take|walk|retir|resign|surren|forfeit|towel|done|finish|through|yours|tap|bail|keep|discontin
    |relinquish|stand|cede""".replace("\n    ", "")
)
"""A quick test: no sentence without one of these states a withdrawal in English."""
_IS_SUBJECT = re.compile(
    r"\s+(?:(?!this\b|thus\b|always\b)[a-z]{2,}s|would|will|could|might|may|should|can|was|had|did)\b"
)
_HAS_I = re.compile(r"(?:\W*(?:\w+\W+){0,4}?|[^,]*,\s*)i\b")
"""The subject of a sentence, which a second verb shares."""
_HAS_BUDGET = re.compile(r"\b(?:start|begin|open|continue|go)\w*\s+with\s+(?:a|my)\s+(?:\w+\s+)?(?:budget|balance)\b")
_READY_TO_GO = re.compile(r"\b(?:prepared|willing|ready)\s+to\s+(?:go|pay|climb)\b")
_NOT_MINE = re.compile(r"\((?:the\s+)?(?:current|standing|minimum|min|max|maximum|previous|last|highest|leading)\b")
_MINIMUM_LABELS = ("the minimum", "minimum", "the minimum bid", "minimum bid")
_ONLY_AMOUNT = re.compile(rf"[^\w{PRIVATE}]*{A}[^\w{PRIVATE}?]*")


class Bids:
    """The grammar of auctions."""

    def acts(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int]) -> list[Act]:
        """Return the bids and withdrawals that a sentence states."""
        acts: list[Act] = []
        num_amounts = sum(ord(c) >= FIRST_CLEAR for c in sentence)
        has_amount = 0 < num_amounts <= MAX_AMOUNTS
        if has_amount or "minimum" in sentence or "least" in sentence or " bid" in f" {sentence}":
            acts += self._bids(sentence, line, amounts)
        if has_amount:
            acts += self._lone(sentence, line, is_first, amounts, bool(acts))
        if _LEAVE_HINT.search(sentence):
            acts += self._withdrawals(sentence, line)
        if not sentence.isascii() or languages.languages()["spanish"].used.search(sentence):
            acts += self._foreign(sentence, amounts)
        acts.sort(key=lambda act: act.start)
        if acts and has_amount:
            acts += self._retorts(sentence, acts, amounts)
        return acts

    def _bids(self, sentence: str, line: Line, amounts: Sequence[int]) -> Iterator[Act]:
        for match in BID.finditer(sentence):
            order = match["order"] is not None
            if order and line.label == FIGURE:
                continue
            if match["elided"] is not None and not _HAS_I.match(sentence):
                continue
            if order and "?" in sentence[-8:]:
                continue
            if order and _IS_SUBJECT.match(sentence, match.end()) and re.match(r"\w+ing\b", match["order"].lstrip()):
                continue
            if _HAS_BUDGET.search(match[0]):
                continue
            if is_stated(sentence, match.start(), match.end(), is_out=False):
                start = match.start("order") if order else match.start()
                soft = match["limit"] is not None or bool(_READY_TO_GO.search(match[0]))
                values = (UNCLEAR,) if _READY_TO_GO.search(match[0]) else _values(match, amounts)
                yield Act(start, match.end(), values, soft, order)

    def _lone(self, sentence: str, line: Line, is_first: bool, amounts: Sequence[int], has_bid: bool) -> Iterator[Act]:
        """Return the act of a sentence that is only an amount."""
        is_minimum = line.label == FIGURE and is_first and line.is_last and line.name in _MINIMUM_LABELS
        if (line.label == FIGURE and not is_minimum) or has_bid or sentence.endswith("?") or _NOT_MINE.search(sentence):
            return
        is_here = (
            line.label == DECISION
            or (line.is_last and (not line.in_list or is_first))
            or (is_first and "!" in sentence)
        )
        is_heading = is_first and not is_here and _ONLY_AMOUNT.fullmatch(line.text) is not None
        match = LONE.match(sentence) if is_here or is_heading else None
        if match and is_stated(sentence, match.start(), match.end(), is_out=False):
            values = _values(match, amounts)
            if not is_heading or 0 <= values[0] < to_cents(MAX_DOLLARS):
                yield Act(match.start(), match.end(), values, is_heading=is_heading)

    def _withdrawals(self, sentence: str, line: Line) -> Iterator[Act]:
        firm = [
            match
            for match in OUT.finditer(sentence)
            if not (match["order"] is not None and (line.label == FIGURE or "?" in sentence[-8:]))
            and is_stated(sentence, match.start(), match.end(), is_out=True)
        ]
        soft = [
            match for match in SOFT_OUT.finditer(sentence)
            if is_stated(sentence, match.start(), match.end(), is_out=True)
        ]  # fmt: skip
        for match in soft:
            yield Act(match.start(), match.end(), (WITHDRAW,), is_soft=True)
        for match in firm:
            if not any(match.start() < other.end() and other.start() < match.end() for other in soft):
                later = sentence.startswith("then ")
                yield Act(match.start(), match.end(), (WITHDRAW,), is_soft=later, is_order=match["order"] is not None)
        if not firm and line.label == DECISION and "bid" in line.name and _LEAVING_WORDS.fullmatch(sentence):
            yield Act(0, len(sentence), (WITHDRAW,))

    def _foreign(self, sentence: str, amounts: Sequence[int]) -> Iterator[Act]:
        for act in languages.foreign_acts(sentence, (languages.BID, languages.LEAVE)):
            if act.kind == languages.BID or not act.amount:
                values = (cents_of(act.amount, amounts),) if act.amount else (WITHDRAW,)
                yield Act(act.start, act.end, values)

    def _retorts(self, sentence: str, acts: Sequence[Act], amounts: Sequence[int]) -> Iterator[Act]:
        """Return the amounts that correct an earlier one in the same sentence."""
        for match in RETORT.finditer(sentence, acts[0].end):
            if not any(act.start < match.end() and match.start() < act.end for act in acts):
                yield Act(match.start(), match.end(), (cents_of(match["amount"], amounts),))

    def object_values(self, fields: Fields, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
        """Return the decisions of a JSON object."""
        if not fields.stays and not any(fields.amounts.values()):
            return [WITHDRAW]
        if fields.leaves:
            return [UNCLEAR] if any(value for value in fields.amounts.values()) else [WITHDRAW]
        values = [value for act in (*fields.acts, *fields.speeches) for value in _act_values(act, read_words)]
        stakes = {key: value for key, value in fields.amounts.items() if STAKES & set(key.split("_"))}
        bids = any(_BIDDING.fullmatch(plain(act)) for act in fields.acts)
        if WITHDRAW in values:
            contradicts = bids or any(isinstance(v, (int, float)) and v > 0 for v in stakes.values())
            return [*values, UNCLEAR] if contradicts else values
        if fields.acts and not bids and not values:
            return []
        amounts = (
            fields.amounts
            if bids
            else {key: v for key, v in fields.amounts.items() if key in stakes or "amount" in key}
        )
        amounts = {key: value for key, value in amounts.items() if value is not True}
        if values and not amounts:
            return values
        if [*amounts] == ["bid"] and (amounts["bid"] is False or (amounts["bid"] is None and not fields.acts)):
            return [WITHDRAW]
        if fields.currency and in_dollars(f"1 {fields.currency}", currency).split() != ["1", "$"]:
            return [UNCLEAR]
        if not amounts and (bids or fields.amounts):
            return [UNCLEAR]
        return values + [value for amount in amounts.values() for value in _amount_values(amount, read_words, currency)]

    def ends(self, value: int) -> bool:
        """Return whether a decision is a withdrawal."""
        return value == WITHDRAW

    def with_amount(self, value: int, cents: int) -> int:
        """Return the withdrawal under a label; an amount under the next one does not matter."""
        return value


def _act_values(act: str, read_words: Callable[[str], list[int]]) -> list[int]:
    text = plain(act)
    if _NO_BID.fullmatch(text):
        return [WITHDRAW]
    return [] if _BIDDING.fullmatch(text) else read_words(act)


def _amount_values(value: Any, read_words: Callable[[str], list[int]], currency: str) -> list[int]:
    cents = cents_of_value(value, currency)
    return [cents] if cents is not None else read_words(value) or [UNCLEAR]


def _values(match: re.Match[str], amounts: Sequence[int]) -> tuple[int, ...]:
    """Return the cents of a matched amount and of its alternative, or what stands in their place."""
    words = match.groupdict()
    if words["amount"]:
        if words["loose"]:
            return (VAGUE,)
        cents = [cents_of(words["amount"], amounts)]
        if words["or"]:
            cents.append(cents_of(words["other"], amounts))
        return tuple(cents)
    return (MINIMUM,) if words.get("minimum") else (VAGUE,) if words.get("vague") else (UNCLEAR,)


_ITEM = r"(?:one|item|lot|house|piece|auction|bidding|field|race|round)"
_STOPS = rf"(?:{END}|\s*[,;:(-])"
_HERE = rf"(?=\s*(?:$|[.,;!)-])|\s(?:{GAME}|now\b|here\b|for\b|at\s+th|it\s+(?:here|to)\b|(?:{REASON})\b))"
_ALONE = r"(?=\s*(?:$|[.;!]))"
_THIS = rf"(?=\s*(?:$|[.;!])|\s+(?:this|it)\b|\s+the\s+{_ITEM})"
_ON = one_of(r"from, on, out, gracefully, now, here, for, at th\w+, in favou?r, please, \w+ly")
_END_OF_VERB = rf"(?=\s*(?:$|[.,;:!()\[-])|\s(?:{GAME}|{_ON}\b|{REASON}\b))"
_LIMITED = (
    r"more|less|lower|below|under|over|above|again|further|any|higher|beyond|past|twice|too|so|that|until"
    r"|as\s+(?:\w+\s+as|much|high|low|far|long|often|many)"
)
_OBJECT = r"(?:my|our|all|the\s+(?:whole|entire|full|same|maximum|rest)|aggressively|every|everything)\b"
_WITH_AMOUNT = rf"(?!\s*{ANY}|\s+(?:{_LIMITED})\b|\s+(?:(?!{REASON}\b)\w+\s+)?{_OBJECT})"
_SOMEBODY_HAVE = (
    r"(?!me\b|us\b)(?:[\w-]+\s+){1,3}?(?:have|take|win|keep|get|enjoy|buy|claim)\s+"
    r"(?:it|this|that|them|the\s+(?:item|lot|house|prize|piece|win))\b"
    r"(?!\s+(?:for|cheap|up|so\s+easily|that\s+(?:cheap|easily)))"
)
_NOT_TO = r"to\b(?!\s+(?:see|let|give|save|avoid|keep|protect|preserve|conserve|leave|make)\b)"
_NOT_AWAY = rf"(?!\s+(?:(?:my|a|an|all|and|with|of\s+(?:the\s+)?(?:bed|business))\b|{_NOT_TO}))"
_QUIT = one_of(
    rf"""
    (?:withdraw|pass|fold|abstain|quit|exit|forfeit|retire|resign|surrender|concede|yield|relinquish|cede){_END_OF_VERB},
    leave{_HERE}, (?:discontinue|end|stop) (?:my|the|all) bidding, walk{_ALONE}, stand down, take my leave,
    throw in the towel, go out (?:from|of), give (?:up|in){_ALONE}, rest here, call it (?:quits|a day|there),
    (?:drop|bow|back|stay|opt|bail|tap|step|pull|check|duck|cash|walk|move|get) out{_NOT_AWAY},
    (?:walk|step|back|move) away{_NOT_AWAY}, (?:step|stand) aside, back (?:off|down),
    (?:step|pull) back{_NOT_AWAY},
    decline to (?:bid|raise|offer|continue|participate|go|make|place|match|counter)\b, decline{_THIS},
    refuse to (?:bid|pay|go|raise|continue|match), choose not to (?:bid|raise|continue){_WITH_AMOUNT},
    (?:stop|cease|quit|finish) (?:bidding|here|there|now|at this (?:point|price)), stop{_ALONE},
    sit (?:this|it|that)(?: (?:one|item|round|lot))? out, skip{_THIS},
    let (?:this|it|that)(?: (?:one|item|lot|house))? go(?! (?:a|up|higher|on|further)\b),
    not (?:be )?(?:bid(?:ding)?|raise|raising|participate|participating|pursue|compete)\b{_WITH_AMOUNT},
    (?:place|make|submit|enter|hand in|file) no (?:bid|offer){_END_OF_VERB},
    leave (?:this|the) {_ITEM}(?! (?:open|for last)), (?:let|allow) {_SOMEBODY_HAVE}"""
)
_CONTEST = one_of(
    "auction, bidding, race, running, item, round, game, contest, competition, lot, war, fight, battle, hunt"
)
_NOT_OUT = rf"""(?!\s*-?\s?(?:bid|bidding|looking|shopping|hunting|there\b|loud|ahead|and\s+about|on\s+a\b|{ANY}
    |in\s+(?:front|the\s+(?:lead|open|cold))|here\s+(?:to|for|playing|fighting|with)|after\s+(?:this|that|it)\b
    |until\s+(?!the\s+next|next)
    |{_NOT_TO}
    |for\s+(?!this|now|good|me|the\s+(?:round|day|item|moment|rest|night))
    |of\s+(?!here\b|this\b|it\b|(?:my|our)\s+(?:depth|league|price\s+range|budget\s+range)\b|the\s+{_CONTEST}\b)))"""
_DOING = one_of(
    rf"""
    (?:withdrawing|passing|folding|abstaining|quitting|exiting|retiring|conceding|forfeiting|surrendering){_END_OF_VERB},
    (?:yielding|ceding){_END_OF_VERB}, leaving{_HERE}, discontinuing(?: (?:my|our|the|all))? bidding,
    standing down, giving up{_ALONE}, taking my leave, throwing in the towel, hanging it up,
    calling it (?:quits|a day),
    (?:dropping|bowing|backing|staying|opting|bailing|tapping|stepping|pulling|checking|cashing) out{_NOT_AWAY},
    (?:walking|moving) out{_NOT_AWAY},
    getting out{_NOT_AWAY}, (?:walking|stepping|backing|moving) away{_NOT_AWAY}, (?:stepping|standing) aside,
    backing (?:off|down), (?:stepping|pulling) back{_NOT_AWAY}, declining to (?:bid|raise|continue),
    stopping(?=\s*(?:$|[.;!])|\s+(?:here|there|now|at\s+this)\b), skipping{_THIS},
    sitting (?:this|it)(?: \w+)? out, letting (?:it|this(?: \w+)?|that(?: \w+)?) go, letting {_SOMEBODY_HAVE},
    not (?:going to )?(?:bid|bidding|raise|raising)\b{_WITH_AMOUNT}, done (?:bidding|with (?:this|it)),
    finished bidding, through bidding"""
)
_QUITTING = rf"(?:{_DOING}|out\b{_NOT_OUT}(?:\s+at\s+{ANY}(?={_STOPS}|\s+{REASON}\b))?)"
_AFTER_ORDER = rf"(?:\s+(?:{GAME}|now|for\s+(?:me|now)|here|please|folks|thanks))*(?={_STOPS}|\s+{REASON}\b)"
OUT = re.compile(
    rf"""(?: {I_DO}{_QUIT} | {I_AM}{_QUITTING} | \bi\s+have\s+(?:decided|chosen)\s+not\s+to\s+(?:bid|raise|continue
        |participate)\b{_WITH_AMOUNT}
      | \b(?:i|we)\s+do\s+not\s+(?:want|wish|intend|plan)\s+to\s+(?:bid|raise)\b{_WITH_AMOUNT}
      | \bi\s+(?:will\s+)?(?:have|need)\s+to\s+{_QUIT} | \bi\s+no\s+longer\s+(?:wish|want|intend)\s+to\s+(?:bid
      |continue|participate|raise)\b
      | \bi\s+have\s+(?:withdrawn|folded|dropped\s+out)\b | \b(?:count|deal)\s+me\s+out\b | \bi\s+have\s+no\s+bid\b
      | \bno\s+(?:bid|raise)\s+(?:from|for)\s+me\b | \b(?:this|that|it)\s+is\s+(?:a\s+)?(?:(?:hard
          |firm)\s+)?(?:pass|fold|no)\s+(?:from|for)\s+me\b
      | \bmy\s+(?:decision|answer|response|reply|move|choice)\s+(?:is|remains)\s+(?:to\s+)?(?:{_QUIT}|{_QUITTING})
      | {LEAD}(?:i\s+)?(?P<order>{_QUIT}|{_QUITTING}|out|no\s+bid|(?:hard\s+)?pass|(?:the\s+|a\s+)?withdrawal|withdrawn
          |not\s+bidding){_AFTER_ORDER} )""",
    X,
)
"""A withdrawal: a statement, or an `order` at the beginning of a sentence."""

_NO_FURTHER = r"""(?:further|more|longer|higher|again|anymore|any\s+(?:further|more|longer|higher)|at\s+(?:this
    |that)\s+(?:price|level)|on)"""
SOFT_OUT = re.compile(
    rf"""(?: \bthere\s+is\s+no\s+(?:need|reason|point)\s+(?:for\s+me\s+)?(?:to|in)\s+(?:bid|bidding|participate
        |participating|compete|competing)\b{_WITH_AMOUNT}
      | \bno\s+(?:more|further|additional|other)\s+(?:bids?|bidding|raises?|offers?)
        (?:\s+(?:from|for|on)\s+(?:me|my\s+(?:side|part|end)|this\s+\w+))?(?={_STOPS}|\s+(?:on|for|{REASON})\b)
      | \b(?:i|we)\s+(?:will|can|do|am)\s+not\s+(?:be\s+)?(?:(?:going|willing)\s+to\s+)?
        (?:go|bid|bidding|raise|raising|continue|match|compete|pursue|chase|keep\s+(?:going|bidding))
        (?:\s+(?:it|this|that|bidding|my\s+bid|the\s+bid|(?:on|for)\s+this\s+\w+))?(?:\s+{_NO_FURTHER})?
        (?={_STOPS}|\s+(?:on\b|for\b|at\s+th|in\s+th|{REASON}\b))
      | {I_DO}(?:decline|refuse)\s+to\s+(?:bid|go|raise)\s+(?:any\s+)?(?:further|more|higher|again)\b
      | {I_DO}stop\s+(?:here|there|now|at\s+this\s+(?:point|price|level))\b | {I_AM}stopping\s+(?:here|there|now)\b
      | {I_AM}done\s+(?:bidding|with\s+(?:this|the)\s+(?:item|one|lot|auction|bidding))(?:\s+on\s+this\s+\w+)?
      | \b(?!i\b|we\b|nobody\b|none\b|one\b|you\s+and)(?:[\w-]+|the\s+\w+)\s+(?:can|may)\s+(?:have|keep|take)\s+(?:it
      |this|that
          |the\s+(?:item|lot|house|prize))\b(?!\s+(?:for|if|when|up|all|doing))
      | \bit\s+is\s+all\s+yours\b | \bi\s+(?:will\s+)?leave\s+(?:it|this|that|the\s+rest)\s+to\s+(?!you\b)\w+ )""",
    X,
)
"""Words that end one's bidding: alone a withdrawal, beside a bid the announcement that it is the last."""
