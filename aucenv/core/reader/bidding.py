"""Patterns of bids with an amount, in plain English text with marked amounts.

A pattern finds the words of a bid; `core.reader.scope` decides whether the sentence states it.
"""

from __future__ import annotations

import re

from aucenv.core.reader.amounts import PRIVATE, A, U
from aucenv.core.reader.phrases import ANY, END, I_AM, I_DO, LEAD, LEAD_WORDS, REASON, X, one_of

_SUM_WORDS = one_of(
    r"""exactly, precisely, just, only, even, a, an, the, my, our, full, whole, entire, remaining, balance, budget,
    total, sum, amount, bid, offer, figure, price, minimum, min, minimal, least, lowest, smallest, next, legal,
    required, allowed, allowable, permitted, valid, possible, acceptable, increment, opening, starting, raise, of,
    at(?! (?:the )?(?:very )?(?:most|least)), with, firm, cool, solid, strong, modest, conservative, bold,
    confident, competitive, reasonable, fair, sensible, aggressive, safe, cautious, careful, strategic, final, new,
    round, clean, nice, straight, measured, calculated, whopping, mere, respectable, generous, humble, healthy,
    tidy, small, big, large, little, bit, here, now, today, again, instead, myself, step,
    higher, namely, which is, ie, i\.e, that is, for, on, this, item, lot, house, it"""
)
_EXACTLY = rf"""(?:\b{_SUM_WORDS}\b|[\s,:=\[("'-])*"""
_LIMIT = one_of(
    """up to, at (?:the )?(?:very )?(?:most|least), (?:no|not) (?:more|higher|less) than, less than, more than,
    as (?:much|high|low|far) as, (?:a|my|the) max(?:imum)?(?: of)?, under, over, below, above, beyond, within,
    starting (?:from|at), from"""
)
_VAGUE = one_of(
    """about, around, roughly, approximately, approx, nearly, almost, circa, ca, some, somewhere, anywhere,
    between, close to, near, or so"""
)
_NUMERAL = (
    one_of(
        r"""(?:an? )?hundred, (?:a )?thousand, zero, one, two, three, four, five, six, seven, eight, nine, ten,
        eleven, twelve, \w{3,5}teen, twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety"""
    )
    + r"\b(?!\s+(?:more|last|final|time|of|step|increment|item|bid))"
)
_MINIMUM = r"""(?:the\s+)?(?:(?:bare|required|legal|current|next)\s+)*(?:minimum|least|lowest|smallest)
    (?:\s+(?:bid|amount|raise|possible|legal|allowed|required|increment|price|step))*"""
_LOOSE = r"""\s*,?\s*(?:or\s+(?:so|more|less|higher|lower|above|below|thereabouts|better)|-?ish\b
    |at\s+(?:the\s+)?(?:very\s+)?(?:most|least)
    |max\b|maximum\b|tops\b|give\s+or\s+take\b|and\s+change\b)"""
_OR = rf"""\s*,?\s*(?:[/-]|\b(?:or|to|through|and|maybe|perhaps|possibly)\b)\s*(?:(?:maybe|even|perhaps
    |possibly)\s+)?(?P<other>{ANY})"""
_AMOUNT = rf"""{_EXACTLY} (?:
    (?P<amount>{A}) (?P<loose>{_LOOSE})? (?P<or>{_OR})?
  | (?P<unclear>{U})
  | (?P<limit>{_LIMIT}\b\s*[^\w{PRIVATE}]{{0,2}}(?:[\w']+\s+){{0,4}}{ANY})
  | (?P<vague>{_VAGUE}\b\s*[^\w{PRIVATE}]{{0,2}}(?:[\w']+\s+){{0,3}}{ANY}|~\s?{ANY}|{_NUMERAL})
  | (?P<minimum>{_MINIMUM})(?=\s*(?:$|[.!,;]|\s(?:i|for|on|here|again|now|{REASON})\b)) )"""

_ON_ITEM = r"""(?:(?:on|for)\s+(?:this|the\s+(?!next|last|previous|first|second|other|following)(?:[\w-]+\s+)?)?[\w-]+
    (?:\s+(?!at|with|for|:)[\w-]+)?\s*[,:]?\s+(?:(?:at|with|for)\s+)?)"""
_A_BID = r"""(?:(?:(?:a|an|my|the|this|another|our)\s+)?(?:(?!max)[\w-]+\s+){0,2}?(?:bid|offer|raise|counter-?offer
    |counter-?bid|amount|total)
    (?:\s+(?:of|at|for|to|with|is|here|in\s+the\s+(?:amount|sum)\s+of))?)"""
_IT = r"""(?:(?:it|this|that|things|you|them|him|her|my\s+bid|the\s+(?:bid|price|stakes|ante)|my\s+offer
    |[\w']+(?:\s+(?:bid|offer))?)\s+)?"""
_STEP = rf"(?:by\s+(?:(?:the\s+)?(?:minimum|least|smallest)\s+(?:raise\s+|increment\s+)?(?:of\s+)?)?(?:{ANY}\s*)?,?\s*)"
_TO = rf"{_IT}(?:{A}\s+)?{_STEP}?(?:up\s+)?to\s+"
_BY = r"(?:at|with|for|by\s+(?:bidding|offering|going\s+to|saying|raising\s+to))"
_RIVAL = r"(?:\w+(?:'s)?\s+){1,3}?"
_BIDS = one_of(r"bid, offer, propose, pledge, wager, counter-?bid, re-?bid, say, name, go, announce, declare")
_RAISE = one_of(
    r"""raise, increase, up(?! to), bump, lift, boost, push, take, bring, move, drive, jump, go, climb, step up,
    kick, nudge, edge, rise, hike, come, leap, get, re-?raise, lower, reduce, decrease, adjust, round(?: up| down)?"""
)
_ENTER = one_of(
    r"""open, start, begin, go, come (?:in|back), jump in, stay(?: in)?, stick(?: around)?, continue,
    remain(?: in)?, counter, enter, respond, reply, answer, hold, kick (?:it|this|things) off, bid, step in,
    chime in, weigh in, keep going, press on, carry on"""
)
_PLACE = one_of(
    """place, make, submit, enter, tender, put(?: (?:in|up|forward))?, present, announce, declare, give, issue,
    set, offer, throw in, lay down, drop, post, register, lodge, confirm, lock in"""
)
_OPINION = r""",?\s+(?:too|way|far|an?|the|my|really|as(?!\s+(?:\w+\s+){1,3}(?:is|are|was|were)\b)|crazy|madness|high
    |expensive|it|that|what)\b"""
_VERB = rf"""(?: {_BIDS}(?:\s+|(?=[\[(:=]))(?:{_ON_ITEM})?
  | {_RAISE}\s+(?:it\s+up\s+|up\s+(?!to))?{_TO}
  | (?:start|open|begin)\s+(?:the\s+)?(?:bidding|auction)\s+(?:at|with)\s+
  | (?:{_ENTER}|(?:top|beat|match|outbid|out-bid|better|see|cover)\s+{_RIVAL})\s*(?:{_ON_ITEM})?\s*{_BY}\s+
  | raise\s*[:=]\s* | call\s+(?=\W*{A}(?!{_OPINION}))
  | (?:meet|take|accept|match|choose|use)\s+(?={_MINIMUM}\b)
  | (?:make|call)\s+(?:it|that)\s+ | (?:give|do)\s+(?=\W*{ANY})
  | {_PLACE}\s+{_A_BID}\s*(?:{_ON_ITEM})?
  | put\s+(?:me\s+(?:down|in)\s+(?:for|at)\s+|down\s+)?(?=\W*{ANY}(?!\s+(?:aside|away|back)))
  | count\s+me\s+in\s+(?:at|for|with)\s+ )"""
_RAISING = one_of(
    """raising, increasing, upping, bumping, lifting, boosting, pushing, taking, bringing, moving, jumping, going,
    stepping up, hiking, climbing"""
)
_ENTERING = one_of(
    """opening, starting, going(?: in)?, coming in, staying in, continuing, countering, entering, responding, replying,
    jumping in, holding"""
)
_DOING = rf"""(?: (?:(?:comfortable|happy|fine|content|confident|okay|ok)\s+(?:with\s+)?)?
      (?:bidding|offering|proposing|wagering|counter-?bidding|saying)\s+(?:{_ON_ITEM})?
  | {_RAISING}\s+(?:up\s+(?!to))?{_TO}
  | (?:{_ENTERING}|(?:topping|beating|matching|outbidding|out-bidding)\s+{_RIVAL})\s*(?:at|with|for|by\s+bidding
      |[:,-])\s*
  | (?:making|calling)\s+(?:it|that)\s+ | (?:going|giving)\s+(?=\W*{ANY})
  | (?:placing|making|submitting|entering|putting(?:\s+(?:in|up|forward))?|offering)\s+{_A_BID}\s*(?:{_ON_ITEM})?
  | putting\s+(?:down\s+)?(?=\W*{ANY}) | out-?\s?bidding\s+\w+\s*(?:,|:|at|with|by)\s*
  | (?:all\s+)?in\s+(?:at|for|with)\s+ )"""
_FOR_ITEM = r"""(?:for|on|in)\s+(?!(?:the\s+)?(?:next|last|previous|first|second|other|following|tomorrow)\b)
    [\w'#-]+(?:\s+(?!is\b|will\b)[\w'#-]+){0,4}"""
_MY_BID = rf"""(?:\b(?:my|our)\s+
    (?:(?:final|new|next|opening|counter|official|own|only|best|initial|adjusted|updated)\s+)*
    (?:bid|offer|decision|answer|response|reply|counter-?offer|number|move|choice)\s*
    (?:{_FOR_ITEM}\s*|here\s+|now\s+|this\s+(?:round|time)\s+|today\s+)?
    (?:(?:is|will\s+be|stands\s+at|remains|becomes|goes\s+to)
      (?:\s+(?:now|thus|therefore|simply|still|a\s+bid\s+of|to\s+(?:bid|raise\s+to|offer|go\s+to)))*|[:=])\s*
  |\bthe\s+(?:best|right|optimal|wisest|smartest|rational)\s+(?:decision|move|choice|action)\s+(?:here\s+|now\s+)?is\s+
    to\s+(?:bid|offer|raise(?:\s+my\s+bid)?\s+to)\s+
  |\b(?:here\s+is|this\s+is|here\s+comes)\s+my\s+(?:bid|offer)\s*[:,-]?\s*)"""
_ME_DOWN = r"(?:\b(?:put|count|mark|pencil)\s+me\s+(?:down|in)\s+(?:for|at|with)\s+)"
_BOAST = r"""(?:\b(?:i\s+am|we\s+are)\s+(?!not\b)[^,.:;!?]{1,60}:\s*
  |\b(?:i\s+am|we\s+are)\s+(?:\w+\s+)?(?:out|here|in\s+it|in\s+this)\s+(?:to|for)\s+[^,.:;!?]{1,60}[:,]\s*)"""

BID = rf"""
    (?: {I_DO} {_VERB} | {I_AM} {_DOING} | {_MY_BID} | {_ME_DOWN} | {_BOAST} | {LEAD}(?P<order> {_VERB} | {_DOING})
      | (?P<elided> \b(?:and|then)\s+(?:(?:will|am|therefore|so|now)\s+)*(?:{_VERB}|{_DOING}) ) ) {_AMOUNT}"""
"""A bid: a statement, an `order` at the beginning of a sentence, or an `elided` second verb."""

_IT_IS = one_of(
    r"""it is, then, here, from me, for me, please, flat, even, exactly, sharp, straight, it shall be,
    is my (?:final )?(?:bid|offer|answer|number), that is my (?:final )?(?:bid|offer|answer),
    on the (?:nose|table|dot), for [\w-]+ [a-z0-9](?=\W),
    for (?:this|it|the (?!next|last|first)\w+)(?: \w+)?, now, going once, take it or leave it,
    my (?:final )?(?:bid|offer), (?:and )?not a (?:penny|cent|dollar) (?:more|less), dear, sir,
    madam, folks, everyone, gentlemen, auctioneer, sold"""
)
_BEFORE_LONE = one_of(
    """just, only, exactly, precisely, a (?:cool|round|clean|firm|solid), (?:here )?(?:we )?go(?:es)?, let us see,
    how about, oops, er, um, my mistake, make (?:it|that)"""
)
_TOO_MUCH = r"""\s*[,-]*\s*(?:(?:that|it|this)\s+is\s+(?!my\b|what\b|the\s+(?:bid|least|minimum))|the\s+(?:current
    |standing|starting|asking)\b|says?\b|said\b|(?:far\s+|way\s+)?too\b
    |really\b|seriously\b|wow\b|ouch\b|and\s+(?:was|counting)\b)"""
LONE = rf"""
    ^[^\w$~\u00a4{PRIVATE}]*(?:(?:i|we)\s+(?:am|can|do|will)\s+not\b[^,.:;!?]{{1,50}},\s*(?=(?:so|but|therefore)\b))?
    (?:(?:{LEAD_WORDS}|{_BEFORE_LONE})\b[\s,:!.-]*)*
    (?:(?P<amount>{A})(?P<loose>{_LOOSE})?(?P<or>{_OR})?|(?P<unclear>{U})) (?:[\s,:!-]*\b{_IT_IS}\b)*
    (?={END}|\s*[,;(-](?!\s*{ANY})|\s+{REASON}\b)(?!{_TOO_MUCH})"""
"""A sentence that is only an amount."""

_RETORT = one_of(
    """no, wait, sorry, actually, er, oops, um, uh, i mean, i meant, make (?:it|that), rather, or rather, correction,
    scratch that, typo"""
)
RETORT = re.compile(
    rf"""(?:[,;-]|\s)\s*(?:oh\s+)?(?:{_RETORT}\b[\s,:!-]*)+(?:let\s+us\s+(?:say|make\s+it)\s+|better\s+)?
    (?P<amount>{A})(?P<other>(?!))?(?!\s+(?:is|was|would|seems)\b)""",
    X,
)
"""An amount that corrects an earlier one in the same sentence."""
