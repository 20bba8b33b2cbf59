"""Whether a sentence states an act: reasons never void it; conditions, negations, wishes, other times and others do."""

from __future__ import annotations

import re

from aucenv.core.reader.amounts import A, U

X = re.VERBOSE
_CONJUNCTION = r"""(?:but|so(?!\s+(?:long|far|much|many|that|as|called)\b)|therefore|thus|hence|however|yet(?=,?\s+i\b)|instead(?!\s+of)|nevertheless
    |nonetheless|anyway|otherwise|accordingly|consequently|for\s+now|still(?=,))"""
_STRONG = re.compile(rf"\s-\s|[:;]\s|[,\s]\s*(?={_CONJUNCTION}\b)", X)
"""The boundaries of main clauses."""
_REASON = r"""(?:because|since|as(?!\s+(?:long|soon|far|for)\b)|although|though|while|given|considering|seeing|with|before|after|despite
    |knowing|even\s+though|even\s+if|now\s+that|based\s+on|due\s+to|thanks\s+to|to)"""
_CONDITION = r"""(?:(?<!even\s)(?<!as\s)(?<!what\s)(?:if|unless|assuming|suppose|supposing|in\s+case|in\s+the\s+event|on\s+condition)
    |provided(?:\s+that)?|as\s+long\s+as|so\s+long\s+as|as\s+soon\s+as|until|till|when|whenever|once(?!\s+(?:again|more))|the\s+moment|only\s+(?:if|when|after|once))"""
_REASON_AFTER = re.compile(
    r"""[,(]|\s-\s|[:;]\s|\b(?:because|since|as(?!\s+(?:long|soon)\b)|which|who|where|while|although|though|even\s+(?:if|though|when)|given|considering|but|so|and\s+(?!if|when|only)
    |whether|to\s+(?:see|check|find|test|learn|know|watch|let|make|keep|avoid|stay|win|secure|leave|give|put|push|force|scare|protect|save|ensure|show|get|take|send|signal|be|remain|maintain|try|discourage|outbid|beat|have|hold|preserve|maximi[sz]e|minimi[sz]e)
    |leaving|keeping|hoping|knowing|before|rather\s+than|instead\s+of|despite|without)\b""",
    X,
)
_CONDITION_AFTER = re.compile(rf"\b(?:{_CONDITION})\b(?!\s+(?:the\s+)?(?:next|now|necessary\b))", X)
_CONDITION_NEXT = re.compile(r"\W*(?:but\s+|and\s+|though\s+)?(?:only\s+)?(?:if|unless|provided|assuming|as\s+long\s+as|in\s+case)\b(?!\s+(?:you|i\s+may|need|that))", X)
_CONDITIONAL = re.compile(
    rf"""\W*(?:(?:and|but|so|then|well|now|ok|okay|also|or|otherwise|else)\b[\s,]*)*(?:only\s+)?(?:{_CONDITION}\b|should\s+(?:the|it|\w+)\s+\w+
    |after\s+(?:that|this(?!\s+(?:careful|analysis))|which|the\s+next)\b|above|beyond|past|below|under|at\s+(?:{A}|{U})|over\s+(?:{A}|{U})|from\s+(?:{A}|{U})|anything\b|otherwise\b|else\b|or\b
    |(?:had|were)\s+(?:i|the|it|casey|he|she|they)\b|if\b|what\s+if|option\b|plan\b|case\b|scenario\b|in\s+(?:this|that)\s+scenario)""",
    X,
)
_CONCESSION = re.compile(r"\W*(?:and\s+|but\s+)*(?:even\s+(?:if|when|though)|whether\b.*\bor\b|if\s+(?:only|anything|you\s+(?:ask|insist|must|like|please)|i\s+may|that\s+is\s+(?:what|how|the)|nobody\s+else\s+will|not\s+now))", X)
_ALLOWED = re.compile(
    r"""\b(?:as\s+(?:for\s+(?:me|this|now)|always|usual|expected|promised|planned|ever|a\s+result|an?\s+\w+|of\s+now|such|i\s+said|it\s+(?:is|stands)|they\s+say|before)
    |with\s+(?:that|this)|(?:at|for|on)\s+(?:that|this)|once\s+(?:again|more)|that\s+(?:said|being\s+said|is\s+why)|now\s+that|given\s+that|considering\s+that|knowing\s+that|seeing\s+that
    |(?:decision|answer|conclusion|choice|verdict|move)\s+(?:is|remains)\s+that|(?:means|decided|conclude|say|announce|declare|believe|think|guess|know|sure|confident)\s+that|which\s+(?:is\s+why|means|brings\s+me\s+to)|even\s+(?:if|though|when)
    |whether\b.*\bor\s+not|after\s+(?:all|careful|some|much|due|consideration|weighing|considering|thinking|reviewing|checking|looking|that\s+(?:thought|analysis))|before\s+(?:anyone|anybody|it\s+is|the\s+hammer)|the\s+same|how\s+about)\b""",
    X,
)
_SUBORDINATE = re.compile(
    r"""\b(?:because|since|as|that|which|where|who|whom|whose|how|why|what|if|whether|than|when|whenever|until|till|unless|before|after
    |while|although|though|once|in\s+case|given|considering|the\s+(?:more|longer|higher|most|least|amount|price|bid|time|moment|day|point|way|risk|chance|only\s+\w+))\b""",
    X,
)
_SAYING = r"""(?:said|says|saying|told|tells?|asks?|asked|thinks?|thought|believes?|knows?|hopes?|wants?|expects?|claims?|assumes?|hears?|heard|fears?|suggests?
    |wishes|wish|hope|hoping|waiting\s+for|like\s+to\s+see|prays?|swore|promised?)"""
_HYPOTHETICAL = re.compile(
    rf"""\b(?:would|could|might|should|may|maybe|perhaps|possibly|probably|ought|supposed|tempted|considering|consider|thinking\s+(?:of|about)|think\s+about|plan(?:ning)?\s+to
    |intend(?:ing)?|inclined|about\s+to|almost|nearly|imagine|pretend|had|scenario|options?|either|neither|example|instance|instead\s+of|rather\s+than|tomorrow
    |(?:can|will)\s+(?:either|always|then\s+either)|used\s+to|used|way|no\s+reason|time\s+to|{_SAYING})\b""",
    X,
)
_NEGATION = re.compile(r"\b(?:not|never|no|nobody|hardly|neither|nor|without|nothing|far\s+from|refuse|anything\s+but)\b", X)
_OTHER_TIME = r"""(?:last\s+(?:round|time|turn|item|lot|week|night|bid)|(?:the\s+)?(?:previous|prior|first|second|last|earlier)\s+(?:round|turn|item|lot|auction|time|game)
    |previously|earlier|yesterday|initially|originally|at\s+first|at\s+the\s+(?:start|beginning|outset)|(?:in|during|at)\s+(?:round|day|step|turn)\s+\d+|(?:a|one|two|some|\d+)\s+(?:minutes?|moments?|rounds?|while|turns?|seconds?)\s+ago|in\s+the\s+past|so\s+far|back\s+then)"""
_LATER = r"""(?:(?:the\s+|an?\s+|any\s+)?(?:next|following|later|other|another|subsequent|future|remaining|upcoming)\s+(?:items?|rounds?|lots?|time|turn|ones?|houses?|auctions?|bids?|tick|step)|next(?=\W*$|,)
    |(?:the\s+)?[\w-]+\s+(?:that\s+(?:comes|follows)(?:\s+(?:next|later))?|after\s+this(?:\s+one)?|up\s+next|coming\s+(?:up|next))
    |later|tomorrow|eventually|soon|sooner\s+or\s+later|in\s+the\s+(?:future|next\b.*|end)|from\s+(?:then|there)\s+on|afterwards|thereafter|some\s+day|one\s+day)"""
_ELSEWHEN = re.compile(rf"\b(?:{_OTHER_TIME}|{_LATER})\b", X)
_ELSEWHEN_FIRST = re.compile(
    rf"\W*(?:(?:and|but|so|well|also)\b[\s,]*)*(?:(?:in|on|for|at|during|from|with)\s+)?(?:{_OTHER_TIME}|{_LATER}|after\s+(?:that|this|which)|as\s+(?:in|i\s+did))\b", X
)
_NOT_LATER = re.compile(r"\b(?:save|saving|keep|keeping|wait(?:ing)?)\b", X)
_TWO_OUTCOMES = re.compile(r"\W*(?:,\s*)?\bor\b\s*(?:else\s+)?(?:i\s+(?:am|will|can|could)?|to\s+|simply\s+|just\s+)?\s*(?:leave|out|withdraw|pass|fold|drop|quit|bid|raise|not|abstain|stay|let|walk|stop|exit|wait|take)", X)
_ALTERNATIVE = re.compile(r"(?:\bor|/)\s*$")
_AT_A_PRICE = re.compile(rf"\s*(?:(?:only|just|exactly|right)\s+)?(?:at|above|beyond|after|past|over|once|when|before|for\s+(?:less|more|anything))\s+(?:\w+\s+){{0,3}}(?:{A}|{U}|that\b(?!\s+price))", X)
_OTHER_ITEM = re.compile(r"\s+(?:of\s+the\s+\w+\s+)?(?:for|on)\s+the\s+(?!moment|rest|day|night|present|time|good|current|item\b|lot\b|round\b|whole)\w+", X)
_OFF_TOPIC = re.compile(r"\s+(?:from|on|out\s+of)\s+(?:[\w']+\s+){0,2}(?:comment\w*|judg\w+|details?|discussi\w+|speculat\w+|advice|remarks?|explanations?|talk\w*|gossip|bidding\s+(?!on\b|here\b|now\b|because\b|since\b|for\b)\w+)", X)
_AS_FIGURE = re.compile(r"\s*(?:as|for)\s+(?:my|the|an?)\s+(?:\w+\s+)?(?:estimates?|value|valuation|limit|maximum|guess|range|upper|ceiling|target)\b", X)
_TAG = re.compile(
    r"""\W*(?:how|what|who|why|any|anyone|anybody|ok|okay|right|shall|can|do|does|is|are|will|would|could|should|got|deal|fair|agreed|eh|huh|yes|no|your|still
    |and\s+(?:you|now|what)|care|hear|understood|ready|see|isn|don|won|won't|sound|satisfied|happy|you|which|where|did|have|has|am\s+i)\b""",
    X,
)
_INVERTED = re.compile(r"\W*(?:(?:so|and|but|or|then|well|hmm|ok|okay|now)\b[\s,]*)*(?:should|shall|do|does|can|could|would|will|is|are|am|did|have|has|may|might|must|what|why|how|who)\b", X)


def is_stated(sentence: str, start: int, end: int, is_out: bool) -> bool:
    """Return whether a sentence states the act from `start` to `end` as a decision for now."""
    return not is_asked(sentence, end) and is_led_up_to(sentence[:start]) and _is_now(sentence[end:], is_out)


def is_led_up_to(before: str) -> bool:
    """Return whether the words before an act in its sentence let it be a decision for now."""
    boundaries = list(_STRONG.finditer(before))
    near = before[boundaries[-1].end() :] if boundaries else before
    piece = re.split(r"[,(]\s*", near)[-1]
    if _is_conditional(near) or _ELSEWHEN_FIRST.match(near):
        return False
    if _is_subordinate(near, piece) or _HYPOTHETICAL.search(piece) or _ELSEWHEN.search(piece):
        return False
    return not (_NEGATION.search(re.split(r"\band\b", _ALLOWED.sub(" ", piece))[-1]) or _ALTERNATIVE.search(piece))


def is_asked(sentence: str, end: int) -> bool:
    """Return whether the act that ends at `end` is part of a question, not only followed by one."""
    if not sentence.rstrip(" \"')]\ue8fe").endswith("?"):
        return False
    if _INVERTED.match(sentence):
        return True
    after = sentence[end:]
    for boundary in re.finditer(r",\s*|\s-\s|[:;]\s|\s(?=because\b)", after):
        if _TAG.match(after, boundary.end()) or boundary[0].strip() not in (",",):
            return False
    return True


def _is_conditional(near: str) -> bool:
    return bool(_CONDITIONAL.match(near)) and not _CONCESSION.match(near)


def _is_subordinate(near: str, piece: str) -> bool:
    """Return whether the words before an act make it part of a reason, an attribution or another subordinate clause."""
    words = _ALLOWED.sub(" ", piece)
    found = None
    for found in _SUBORDINATE.finditer(words):
        pass
    if found is None:
        return False
    first = re.match(rf"\W*(?:(?:and|well|so|now|ok|okay)\b\W*)*{_REASON}\b(?P<rest>.*)", words, X)
    starts = first is not None and found.start() <= first.start("rest")
    return not (starts and near.lstrip().startswith(piece.lstrip()[:1]) and len(first["rest"].split()) >= 2)  # type: ignore[index]


def _is_now(after: str, is_out: bool) -> bool:
    """Return whether the words after an act leave it a decision for now."""
    if _TWO_OUTCOMES.match(after) or re.match(r"\s*/", after):
        return False
    stop = _REASON_AFTER.search(after)
    main = after[: stop.start()] if stop else after
    if _CONDITION_AFTER.search(main) or _CONDITION_NEXT.match(after):
        return False
    later = _ELSEWHEN.search(main)
    if later and not _NOT_LATER.search(main[: later.start()]) and not re.search(r"\b(?:until|till)\s*$", main[: later.start()]):
        return False
    if re.match(r"\s+(?:tomorrow|before)\W*$", main):
        return False
    if is_out:
        return not (_AT_A_PRICE.match(main) or _OTHER_ITEM.match(main) or _OFF_TOPIC.match(main))
    return not _AS_FIGURE.match(after)
