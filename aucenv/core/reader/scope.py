"""Whether a sentence states an act: reasons never void it; conditions, negations, wishes, other times and others do."""

from __future__ import annotations

import re

from aucenv.core.reader.phrases import ANY, X, one_of

_CONJUNCTION = one_of(
    r"""but, so(?! (?:long|far|much|many|that|as|called)\b), therefore, thus, hence, however, yet(?=,?\s+i\b),
    instead(?! of), nevertheless, nonetheless, anyway, otherwise, accordingly, consequently, for now, still(?=,)"""
)
_STRONG = re.compile(rf"\s-\s|[:;]\s|[,\s]\s*(?={_CONJUNCTION}\b)", X)
"""The boundaries of main clauses."""
_REASON = one_of(
    """because, since, as(?! (?:long|soon|far|for)\\b), although, though, while, given, considering, seeing, with,
    before, after, despite, knowing, even though, even if, now that, based on, due to, thanks to, to"""
)
_CONDITION = one_of(
    r"""(?<!even\s)(?<!as\s)(?<!what\s)(?:if|unless|assuming|suppose|supposing|in case|in the event|on condition),
    provided(?: that)?, as long as, so long as, as soon as, until, till, when, whenever, once(?! (?:again|more)),
    the moment, only (?:if|when|after|once)"""
)
_PURPOSE = one_of(
    """see, check, find, test, learn, know, watch, let, make, keep, avoid, stay, win, secure, leave, give, put,
    push, force, scare, protect, save, ensure, show, get, take, send, signal, be, remain, maintain, try,
    discourage, outbid, beat, have, hold, preserve, maximi[sz]e, minimi[sz]e"""
)
_END_OF_MAIN = one_of(
    rf"""because, since, as(?! (?:long|soon)\b), which, who, where, while, although, though,
    even (?:if|though|when), given, considering, but, so, and(?! (?:if|when|only)\b), whether, to {_PURPOSE},
    leaving, keeping, hoping, knowing, before, rather than, instead of, despite, without"""
)
_REASON_AFTER = re.compile(rf"[,(]|\s-\s|[:;]\s|\b{_END_OF_MAIN}\b", X)
_CONDITION_AFTER = re.compile(rf"\b(?:{_CONDITION})\b(?!\s+(?:the\s+)?(?:next|now|necessary\b))", X)
_CONDITION_NEXT = re.compile(
    r"""\W*(?:(?:but|and|though)\s+)?(?:only\s+)?(?:if|unless|provided|assuming|as\s+long\s+as|in\s+case)\b
    (?!\s+(?:you|i\s+may|need|that))""",
    X,
)
_UNDER = one_of(
    rf"""(?:only )?{_CONDITION}\b, should (?:the|it|\w+) \w+,
    after (?:that|this(?! (?:careful|analysis))|which|the next)\b, above, beyond, past, below, under,
    (?:at|over|from) {ANY}, anything\b, otherwise\b, else\b, or\b, (?:had|were) (?:i|the|it|he|she|they)\b, if\b,
    what if, option\b, plan\b, case\b, scenario\b, in (?:this|that) scenario"""
)
_CONDITIONAL = re.compile(rf"\W*(?:(?:and|but|so|then|well|now|ok|okay|also|or|otherwise|else)\b[\s,]*)*{_UNDER}", X)
_CONCESSION = re.compile(
    r"""\W*(?:(?:and|but)\s+)*(?:even\s+(?:if|when|though)|whether\b.*\bor\b|if\s+(?:only|anything|you\s+(?:ask
        |insist|must|like
    |please)|i\s+may|that\s+is\s+(?:what|how|the)|nobody\s+else\s+will|not\s+now))""",
    X,
)
_ALLOWED_WORDS = one_of(
    """as for (?:me|this|now),
    as (?:always|usual|expected|promised|planned|ever|a result|an? [a-z]+|of now|such|i said), as it (?:is|stands),
    as they say, as before, with (?:that|this), (?:at|for|on) (?:that|this), once (?:again|more),
    that (?:said|being said|is why), now that, (?:given|considering|knowing|seeing) that,
    (?:decision|answer|conclusion|choice|verdict|move) (?:is|remains) that, which (?:is why|means|brings me to),
    (?:means|decided|conclude|say|announce|declare|believe|think|guess|know|sure|confident) that,
    even (?:if|though|when), after (?:all|careful|some|much|due|consideration|weighing|considering|thinking),
    after (?:reviewing|checking|looking|that (?:thought|analysis)), before (?:anyone|anybody|it is|the hammer),
    the same, how about"""
)
_ALLOWED = re.compile(rf"\b{_ALLOWED_WORDS}\b|\bwhether\b.*\bor\s+not\b", X)
_SUBORDINATE_WORDS = one_of(
    """because, since, as, that, which, where, who, whom, whose, how, why, what, if, whether, than, when, whenever,
    until, till, unless, before, after, while, although, though, once, in case, given, considering,
    the (?:more|longer|higher),
    the (?:most|least|amount|price|bid|time|moment|day|point|way|risk|chance|only [a-z]+)"""
)
_SUBORDINATE = re.compile(rf"\b{_SUBORDINATE_WORDS}\b", X)
_HYPOTHETICAL_WORDS = one_of(
    """would, could, might, should, may, maybe, perhaps, possibly, probably, ought, supposed, tempted, considering,
    consider, thinking (?:of|about), think about, plan(?:ning)? to, intend(?:ing)?, inclined, about to, almost,
    nearly, imagine, pretend, had, scenario, options?, either, neither, example, instance, instead of, rather than,
    tomorrow, (?:can|will) (?:either|always|then either), used to, used, way, no reason, time to, said, says,
    saying, told, tells?, asks?, asked, thinks?, thought, believes?, knows?, hopes?, wants?, expects?, claims?,
    assumes?, hears?, heard, fears?, suggests?, wishes, wish, hoping, waiting for, like to see, prays?, swore,
    promised?"""
)
_HYPOTHETICAL = re.compile(rf"\b{_HYPOTHETICAL_WORDS}\b", X)
_NEGATION_WORDS = one_of(
    "not, never, no, nobody, hardly, neither, nor, without, nothing, far from, refuse, anything but"
)
_NEGATION = re.compile(rf"\b{_NEGATION_WORDS}\b", X)
_OTHER_TIME = one_of(
    r"""last (?:round|time|turn|item|lot|week|night|bid), (?:in|during|at) (?:round|day|step|turn) \d+, previously,
    earlier, (?:the )?(?:previous|prior|first|second|last|earlier) (?:round|turn|item|lot|auction|time|game),
    yesterday, initially, originally, at first, at the (?:start|beginning|outset), in the past, so far, back then,
    (?:a|one|two|some|\d+) (?:minutes?|moments?|rounds?|while|turns?|seconds?) ago"""
)
_NEXT = one_of("next, following, later, other, another, subsequent, future, remaining, upcoming")
_THING = one_of("items?, rounds?, lots?, time, turn, ones?, houses?, auctions?, bids?, tick, step")
_LATER = one_of(
    rf"""(?:the |an? |any )?{_NEXT} {_THING}, next(?=\W*$|,), later, tomorrow, eventually, soon, sooner or later,
    (?:the )?[\w-]+ (?:that (?:comes|follows)(?: (?:next|later))?|after this(?: one)?|up next|coming (?:up|next)),
    in the (?:future|next\b.*|end), from (?:then|there) on, afterwards, thereafter, some day, one day"""
)
_ELSEWHEN = re.compile(rf"\b(?:{_OTHER_TIME}|{_LATER})\b", X)
_ELSEWHEN_FIRST = re.compile(
    rf"""\W*(?:(?:and|but|so|well|also)\b[\s,]*)*(?:(?:in|on|for|at|during|from|with)\s+)?
    (?:{_OTHER_TIME}|{_LATER}|after\s+(?:that|this|which)|as\s+(?:in|i\s+did))\b""",
    X,
)
_SAVING = re.compile(r"\b(?:save|saving|keep|keeping|wait|waiting|until|till)\b")
_TWO_OUTCOMES = re.compile(
    r"""\W*(?:,\s*)?\bor\b\s*(?:else\s+)?(?:i\s+(?:am|will|can|could)?|to\s+|simply\s+|just\s+)?\s*(?:leave|out
        |withdraw|pass|fold
    |drop|quit|bid|raise|not|abstain|stay|let|walk|stop|exit|wait|take)|\s*/(?!-)""",
    X,
)
_ALTERNATIVE = re.compile(r"(?:\bor|/)\s*$")
_AT_A_PRICE = re.compile(
    rf"""\s*(?:(?:only|just|exactly|right)\s+)?(?:at|above|beyond|after|past|over|once|when|before|for\s+(?:less|more
        |anything))\s+
    (?:\w+\s+){{0,3}}(?:{ANY}|that\b(?!\s+price))""",
    X,
)
_OTHER_ITEM = re.compile(
    r"""\s+(?:of\s+the\s+\w+\s+)?(?:for|on)\s+the\s+(?!moment|rest|day|night|present|time|good|current|item\b|lot\b
        |round\b|whole)
    \w+""",
    X,
)
_OFF_TOPIC = re.compile(
    r"""\s+(?:from|on|out\s+of)\s+(?:[\w']+\s+){0,2}(?:comment\w*|judg\w+|details?|discussi\w+|speculat\w+|advice
        |remarks?
    |explanations?|talk\w*|gossip|bidding\s+(?!on\b|here\b|now\b|because\b|since\b|for\b)\w+)""",
    X,
)
_AS_FIGURE = re.compile(
    r"""\s*(?:as|for)\s+(?:my|the|an?)\s+(?:\w+\s+)?(?:estimates?|value|valuation|limit|maximum|guess|range|upper
        |ceiling|target)\b""",
    X,
)
_TAG_WORDS = one_of(
    """how, what, who, why, any, anyone, anybody, ok, okay, right, shall, can, do, does, is, are, will, would,
    could, should, got, deal, fair, agreed, eh, huh, yes, no, your, still, and (?:you|now|what), care, hear,
    understood, ready, see, won, sound, satisfied, happy, you, which, where, did, have, has, am i"""
)
_TAG = re.compile(rf"\W*{_TAG_WORDS}\b", X)
_INVERTED = re.compile(
    r"""\W*(?:(?:so|and|but|or|then|well|hmm|ok|okay|now)\b[\s,]*)*(?:should|shall|do|does|can|could|would|will|is
        |are|am|did|have|has
    |may|might|must|what|why|how|who)\b""",
    X,
)
_SEGMENT = re.compile(r",\s*|\s-\s|[:;]\s|\s(?=because\b)")


def is_stated(sentence: str, start: int, end: int, is_out: bool) -> bool:
    """Return whether a sentence states the act from `start` to `end` as a decision for now."""
    return not is_asked(sentence, end) and is_led_up_to(sentence[:start]) and _is_now(sentence[end:], is_out)


def is_asked(sentence: str, end: int) -> bool:
    """Return whether the act that ends at `end` is part of a question, not only followed by one."""
    if not sentence.rstrip(" \"')]\ue8fe").endswith("?"):
        return False
    if _INVERTED.match(sentence):
        return True
    after = sentence[end:]
    return not any(segment[0][0] != "," or _TAG.match(after, segment.end()) for segment in _SEGMENT.finditer(after))


def is_led_up_to(before: str) -> bool:
    """Return whether the words before an act in its sentence let it be a decision for now."""
    near = before  # what follows the last boundary of main clauses, and in it what follows the last comma
    for boundary in _STRONG.finditer(before):
        near = before[boundary.end() :]
    piece = re.split(r"[,(]\s*", near)[-1]
    if (_CONDITIONAL.match(near) and not _CONCESSION.match(near)) or _ELSEWHEN_FIRST.match(near):
        return False
    if _is_subordinate(near, piece) or _HYPOTHETICAL.search(piece) or _ELSEWHEN.search(piece):
        return False
    return not (_ALTERNATIVE.search(piece) or _NEGATION.search(re.split(r"\band\b", _ALLOWED.sub(" ", piece))[-1]))


def _is_subordinate(near: str, piece: str) -> bool:
    """Return whether the words before an act make it part of a reason, an attribution or another subordinate clause."""
    words = _ALLOWED.sub(" ", piece)
    starts = [word.start() for word in _SUBORDINATE.finditer(words)]
    if not starts:
        return False
    first = re.match(rf"\W*(?:(?:and|well|so|now|ok|okay)\b\W*)*{_REASON}\b(?P<rest>.*)", words, X)
    is_first = (
        first is not None and len(starts) == 1 and starts[0] <= first.start("rest") and near.strip() == piece.strip()
    )
    return not (is_first and first is not None and len(first["rest"].split()) >= 2)


def _is_now(after: str, is_out: bool) -> bool:
    """Return whether the words after an act leave it a decision for now."""
    if _TWO_OUTCOMES.match(after) or _CONDITION_NEXT.match(after):
        return False
    stop = _REASON_AFTER.search(after)
    main = after[: stop.start()] if stop else after
    later = _ELSEWHEN.search(main)
    if _CONDITION_AFTER.search(main) or (later and not _SAVING.search(main[: later.start()])):
        return False
    if re.match(r"\s+before\W*$", main):
        return False
    if is_out:
        return not (_AT_A_PRICE.match(main) or _OTHER_ITEM.match(main) or _OFF_TOPIC.match(main))
    return not _AS_FIGURE.match(after)
