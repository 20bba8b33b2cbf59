"""Whether a sentence states an act: reasons never void it; conditions, negations, wishes, other times and others do."""

from __future__ import annotations

import re

from aucenv.core.reader.phrases import ANY, X, one_of

_CONJUNCTION = one_of(
    r"""but, so(?=,|\s*$|\s+(?:i|we|let|my|now|for|here|therefore|the|a|it|this|that\s+i)\b), yet(?=,?\s+i\b),
    for now, still(?=,), and yet, therefore(?!\s*,), thus(?!\s*,), hence(?!\s*,)"""
)
_ADVERB = one_of(
    "however, therefore, thus, hence, instead(?! of), nevertheless, nonetheless, anyway, accordingly, consequently"
)
_FIRM = re.compile(rf"\s-\s|[:;]\s|,\s*(?=otherwise\b)|[,\s]\s*(?={_CONJUNCTION}\b)", X)
"""The boundaries of main clauses."""
_LOOSE = re.compile(rf"[,\s]\s*(?={_ADVERB}\b)", X)
"""Adverbs that begin a main clause, or stand inside one."""
_REASON = one_of(
    """because, since, as(?! (?:long|soon|far|for)\\b), although, though, while, given, considering, seeing, with,
    before, after, despite, knowing, even though, even if, now that, based on, due to, thanks to, to"""
)
_CONDITION = one_of(
    r"""(?<!even\s)(?<!as\s)(?<!what\s)(?:if|unless|assuming|suppose|supposing|in case|in the event|on condition),
    provided(?: that)?, as long as, so long as, as soon as, until, till, when, whenever, once(?! (?:again|more)),
    the (?:moment|second|minute|instant), only (?:if|when|after|once)"""
)
_PURPOSE = one_of(
    """see, check, find, test, learn, know, watch, let, make, keep, avoid, stay, win, secure, leave, give, put,
    push, force, scare, protect, save, ensure, show, get, take, send, signal, be, remain, maintain, try,
    discourage, outbid, beat, have, hold, preserve, maximi[sz]e, minimi[sz]e"""
)
_END_OF_MAIN = one_of(
    rf"""because, since, as(?! (?:long|soon)\b), which, who, where, while, although, though,
    even (?:if|though|when), given, considering, but, so, and(?! (?:if|when|only)\b), whether, to {_PURPOSE},
    leaving, keeping, hoping, knowing, before, rather than, instead of, despite, without, with, thanks to"""
)
_REASON_AFTER = re.compile(rf"[,(]|\s-\s|[:;]\s|\b{_END_OF_MAIN}\b", X)
_CONDITION_AFTER = re.compile(rf"\b(?:{_CONDITION})\b(?!\s+(?:the\s+)?(?:next|now|necessary\b))", X)
_CONDITION_NEXT = re.compile(
    r"""\W*(?:(?:but|and|though)\s+)?(?:only\s+)?(?:if|unless|provided|assuming|as\s+(?:long|soon)\s+as|in\s+(?:case
        |the\s+event)
    |once(?!\s+again)|when|should\s+(?!i\b)\w+\s+\w+|on\s+(?:the\s+)?condition)\b(?!\s+(?:you|i\s+may|need|only
    |that\s+is))""",
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
    r"""\W*(?:(?:and|but)\s+)*(?:even\s+(?:if|when|though)|whether\b.*\bor\b|if\s+(?:only|anything|you\s+(?:(?:do|will)\s+not\s+mind|ask
        |insist|must|like
    |please)|i\s+may|that\s+is\s+(?:what|how|the)|nobody\s+else\s+will|not\s+now))""",
    X,
)
_ALLOWED_WORDS = one_of(
    """as for (?:me|this|now),
    (?:acting|speaking|playing|bidding) as (?:an? )?[a-z]+,
    as (?:always|usual|expected|promised|planned|ever|a result|an? [a-z]+|of now|such|i said), as it (?:is|stands),
    as they say, as before, with (?:that|this), (?:at|for|on) (?:that|this), once (?:again|more),
    that (?:said|being said|is why), now that, (?:given|considering|knowing|seeing) that,
    (?:decision|answer|conclusion|choice|verdict|move) (?:is|remains) that, which (?:is why|means|brings me to),
    (?:means|decided|conclude|say|announce|declare|believe|think|guess|know|sure|confident) that,
    even (?:if|though|when), after (?:all|careful|some|much|due|consideration|weighing|considering|thinking),
    after (?:reviewing|checking|looking|that (?:thought|analysis)), before (?:anyone|anybody|it is|the hammer),
    (?:see|call|match|meet|top|beat) that, the same, how about"""
)
_ALLOWED = re.compile(rf"\b{_ALLOWED_WORDS}\b|\bwhether\b.*\bor\s+not\b", X)
_SUBORDINATE_WORDS = one_of(
    """because, since, as, that, which, where, who, whom, whose, how, why, what, if, whether, than, when, whenever,
    until, till, unless, before, after, while, although, though, once, in case, every time, each time, given,
    considering, the (?:more|longer|higher),
    the (?:most|least|amount|price|bid|time|moment|day|point|way|risk|chance|only [a-z]+)"""
)
_SUBORDINATE = re.compile(rf"\b{_SUBORDINATE_WORDS}\b", X)
_HYPOTHETICAL_WORDS = one_of(
    """would, could, might, should, may, maybe, perhaps, possibly, probably, ought, supposed, tempted, considering,
    consider, thinking (?:of|about), think about, plan(?:ning)? to, intend(?:ing)?, inclined, about to, almost,
    nearly, imagine, pretend, had, scenario, options?, either, neither, example, instance, instead of, rather than,
    tomorrow, (?:can|will) (?:either|always|then either), used to, used, no reason, time to, said, says, saying,
    shouts?, shouted, mutters?, yells?, told, tells?, asks?, asked, thinks?, thought, believes?, knows?, hopes?,
    wants?, expects?, claims?, assumes?, hears?, heard, fears?, suggests?, wishes, wish, hoping, waiting for,
    like to see, prays?, swore, promised?"""
)
_HYPOTHETICAL = re.compile(rf"\b{_HYPOTHETICAL_WORDS}\b", X)
_NEGATION_WORDS = one_of(
    "not, never, no, nobody, hardly, neither, nor, without, nothing, far from, refuse, anything but"
)
_NEGATION = re.compile(rf"\b{_NEGATION_WORDS}\b", X)
_OTHER_TIME = one_of(
    r"""last (?:round|time|turn|item|lot|week|night|bid),
    (?:in|during|at|by|until|before) (?:round|day|step|turn) \d+, previously, earlier,
    (?:the )?(?<!this[^a-z])(?:previous|prior|first|second|last|earlier) (?:round|turn|item|lot|auction|time|game),
    yesterday, initially, originally, at first, at the (?:start|beginning|outset), in the past, so far, back then,
    (?:a|one|two|some|\d+) (?:minutes?|moments?|rounds?|while|turns?|seconds?) ago"""
)
_NEXT = one_of("next, following, later, other, another, subsequent, future, remaining, upcoming")
_THING = one_of("items?, rounds?, lots?, time, turn, ones?, raises?, houses?, auctions?, bids?, tick, step")
_LATER = one_of(
    rf"""(?:the |an? |any )?{_NEXT} {_THING}, next(?=\W*$|,), later, tomorrow, eventually, soon, sooner or later,
    shortly, in a (?:moment|minute|second|bit|while), after (?:one|two|another|a few) (?:\w+ )?\w+,
    (?:the )?[\w-]+ (?:that (?:comes|follows)(?: (?:next|later))?|after this(?: one)?|up next|coming (?:up|next)),
    in the (?:future|next\b.*), from (?:then|there) on, afterwards, thereafter, some day, one day"""
)
_ELSEWHEN = re.compile(rf"\b(?:{_OTHER_TIME}|{_LATER})\b", X)
_ELSEWHEN_FIRST = re.compile(
    rf"""\W*(?:(?:and|but|so|well|also)\b[\s,]*)*(?:(?:in|on|for|at|during|from|with)\s+)?
    (?:{_OTHER_TIME}|{_LATER}|after\s+(?:that|this|which))\b""",
    X,
)
_SAVING = re.compile(r"\b(?:save|saving|keep|keeping|wait|waiting|until|till)\b")
_TAKEN_BACK = re.compile(
    r"""[\s,-]*(?:(?:but|although|though)\s+)?(?:perhaps|maybe|possibly|probably|just\s+kidding|or\s+not|not\s+(?:really|yet|now|today))\b
    |\s*,?\s*(?:and|but)\s+(?:(?:was|were|got|lost|had)\b|\w+\s+(?:raised|topped|bid|outbid|went|beat|countered
    |overbid)\b)
    |\s*,?\s*(?:said|says|shouted|shouts|called|cried|replied|announced|whispered|mutters?
|muttered)\s+\w+\s*[.!,]?\s*$
    |\s+(?:is|was|would|seems?|sounds?|feels?|are)\b|\s+(?:left|remaining|in\s+(?:the\s+)?(?:bank|reserve|hand|budget
    |cash|money))\b
    |\s+(?:minus|times|divided|multiplied)\b""",
    X,
)
"""Words after an act with which it is no decision."""
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
    r"""\s*(?:per|each|apiece)\b|\s*(?:a|/)\s*(?:unit|piece|day|gallon|lit(?:er|re))s?\b|\s*(?:as|for)\s+(?:my|the|an?)\s+(?:\w+\s+)?(?:estimates?|value|valuation|limit|maximum|guess|range|upper
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
_SAYS = re.compile(
    r"""\b(?:never|not|would|could|should|might|to\s+(?:withdraw|leave|bid|stay|pass))\b[^:]*
    \b(?:say|shout|hear|utter|answer|reply|respond|write|type|use)\b[^:]{0,30}:\s*$
    |\b(?:format|template|example|instance|syntax|wording)\s+(?:is|would\s+be)?\s*:\s*$
    |^\W*(?:above|over|beyond|past|below|under|at)\s+\S*\s*:\s*$|\bfor\s+(?:instance|example)\b[^:;]*$""",
    X,
)
"""The announcement of words that are not the bidder's decision."""
_AND = re.compile(
    rf"""\W*(?:(?:just|only)\s+)?(?:(?:one|two|another|any|a)\s+(?:more|further|single|higher|\W*{ANY}).*
    |(?:keep|raise|go|push|try|do|add|top|bid|touch|beat)\b.*
    |.*\b(?!as\b|is\b|was\b|this\b|it's\b)(?:raises?|bids|goes|outbids|tops|continues|keeps|comes
    |moves)\b(?:\s+(?:again|higher|further|on|in|back))?)
    \s*,?\s*and\s*""",
    X,
)
"""A condition without "if": "one more bid and"."""
_NOW = re.compile(r"\b(?:this\s+(?:round|time|item|one|lot|turn)|now|today)\b")
_SEGMENT = re.compile(r",\s*|\s-\s|[:;]\s|\s(?=because\b)")


def is_stated(sentence: str, start: int, end: int, is_out: bool) -> bool:
    """Return whether a sentence states the act from `start` to `end` as a decision for now."""
    return not is_asked(sentence, end) and is_led_up_to(sentence[:start]) and _is_now(sentence[end:], is_out)


def is_asked(sentence: str, end: int) -> bool:
    """Return whether the act that ends at `end` is part of a question, not only followed by one."""
    if "?" not in sentence[-8:]:
        return False
    if _INVERTED.match(sentence):
        return True
    after = sentence[end:]
    return not any(segment[0][0] != "," or _TAG.match(after, segment.end()) for segment in _SEGMENT.finditer(after))


def is_led_up_to(before: str) -> bool:
    """Return whether the words before an act in its sentence let it be a decision for now."""
    if _SAYS.search(before):
        return False
    clause = _after_last(_FIRM, before)
    near = _after_last(_LOOSE, clause)
    piece = re.split(r"[,(]\s*", near)[-1]
    if (_CONDITIONAL.match(clause) and not _CONCESSION.match(clause)) or (
        _ELSEWHEN_FIRST.match(clause) and not _NOW.search(piece)
    ):
        return False
    if _is_subordinate(near, piece) or _HYPOTHETICAL.search(piece) or _ELSEWHEN.search(piece) or _AND.fullmatch(clause):
        return False
    return not (_ALTERNATIVE.search(piece) or _NEGATION.search(re.split(r"\band\b", _ALLOWED.sub(" ", piece))[-1]))


def _after_last(boundary: re.Pattern[str], text: str) -> str:
    """Return the text after the last match of a pattern."""
    at = 0
    for match in boundary.finditer(text):
        at = match.end()
    return text[at:]


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
    if _TWO_OUTCOMES.match(after) or _CONDITION_NEXT.match(after) or _TAKEN_BACK.match(after):
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
