"""Patterns of holds and maxima in proxy auctions, in plain English text with marked amounts."""

from __future__ import annotations

import re

from aucenv.core.reader.phrases import ANY, END, I_AM, I_DO, LEAD, REASON, X, one_of

_MAX = r"max\w{0,6}"  # with its misspellings
_NOW = r"(?!current|earlier|old|last|previous|present|existing)"
MAXIMUM = re.compile(
    rf"""\b(?:my|a|an|our)\s+(?:{_NOW}\w+\s+){{0,2}}?(?:(?:{_MAX}|limit|proxy|ceiling|cap)
        (?:\s+(?:proxy|bid|bidding|price|amount|offer|limit))*|top\s+bid)\b
    |(?<=\bset\s)mine\b |(?<=\b(?:raise)\s)mine\b
    |(?<=\bset\s)(?:the\s+)?{_MAX}(?:\s+bid)?\b |(?<=\braise\s)(?:the\s+)?{_MAX}(?:\s+bid)?\b""",
    X,
)
"""The words for the seat's maximum."""
UPDATES = re.compile(r"\b(?:set|update|adjust|change|revise|move|put)(?P<ing>ting|ing)?\b(?=\s+my\s+bid\b)")
"""Verbs that set a maximum; they are read as "raise"."""
AT = re.compile(r"(?P<verb>\b(?:raise|raising)\s+my\s+bid\s+)(?:at|as)\b")
FILLERS = (
    re.compile(rf"\bfrom\s+{ANY}\s+(?=(?:up\s+)?to\s+{ANY})", X),
    re.compile(rf"\bby\s+{ANY}\s*,?\s+(?=(?:up\s+)?to\s+{ANY})", X),
    re.compile(rf"(?<=\s)my\s+(?:\w+\s+)?valu(?:e|ation)(?:\s+of|\s*,)?\s+(?={ANY})", X),  # "bid my true value of $57"
    re.compile(r"(?<=\bbid\s)up\s+to\s|(?<=\bgo\s)up\s(?=to\b)"),
)
"""Words before the amount that do not change it; a maximum is a limit, so that "up to" is no other amount."""
STATES = re.compile(rf"\bmy\s+bid\s+(?:is|was|stands\s+at|remains|:)?\s*(?:now|still|currently)?\s*(?={ANY})", X)
"""A statement that may repeat the maximum that the seat has."""
LABEL = re.compile(
    rf"(?:(?:my|new|final|updated|the|proxy|raise|set|update)\s+)*{_MAX}(?:\s+(?:proxy|bid|price|amount))*"
)
OTHER_DAY = re.compile(r"\b(?:on|by|before|after|from)\s+(?:the\s+)?(?:day\s+(?P<day>\d+)|(?:last|final|next)\s+day)\b")
"""Another day than this one, if its number is another."""
ENDS_OTHER_DAY = re.compile(r"\b(?:now|today|but|for\s+now)\b|;")
KEYS = (
    (re.compile(r'"(?:new_|my_|proxy_|set_)?max(?:imum)?(?:_bid|_amount|_price)?"(?=\s*:)', re.IGNORECASE), '"bid"'),
    (re.compile(r'"hold"(?=\s*:\s*(?:true|false)\b)', re.IGNORECASE), '"pass"'),
)
"""Fields of JSON objects, and the fields of a bid or a withdrawal as which they are read."""

_MINE = (
    r"(?:(?:my|the|our|at|with|on|onto|to|this)\s+)*(?:(?:current|earlier|existing|present|previous|last|own|same)\s+)*"
)
_BID = rf"(?:{_MAX}|bid|limit|proxy|position|price|amount|offer|it|where\s+(?:i\s+am|it\s+is|i\s+stand))"
_OF = rf"(?:\s+(?:of|at)\s+{ANY})"
_OBJECT = rf"(?:\s+{_MINE}{_BID}(?:\s+(?:bid|price|amount))*)?{_OF}?"
_AS_IT_IS = rf"""(?:\s+(?:unchanged|as\s+(?:it|is|they)(?:\s+(?:is|are|stands?))?|where\s+(?:it|i)\s+(?:is|am)
    |the\s+same|alone){_OF}?)"""
_TURN = r"(?:\s+(?:my|this|the)\s+(?:turn|move|day|round))?"
_TIME = one_of(
    r"""now, for now, here, today, this day, this turn, this time, this move, for today, for the day, for this day,
    for this turn, for the moment, on day \d+, on this day, steady, firm, tight, on, off, back, out, put, still, pat,
    again, this round, patiently, and wait, and see, and watch, in this move, at this (?:price|point|stage),
    please, pls"""
)
_HOLD = rf"""(?:
    (?:pass|abstain|skip|wait){_TURN} | sit\s+out
  | (?:hold(?!\s+on\s*[,!.-])|maintain|retain|stick(?=\s+with|\s+to)|stay(?=\s+(?:with|at|put|pat|where)|\W|$)
      |remain(?=\s+at)){_OBJECT}{_AS_IT_IS}?
  | (?:keep|leave){_OBJECT}{_AS_IT_IS} | keep\s+{_MINE}{_BID}(?:\s+bid)?{_OF}? | keep\s+{ANY}
  | stand\s+(?:pat|by|still){_OF}? | sit\s+tight | do\s+nothing | make\s+no\s+(?:change|changes|move|raise)
  | not\s+(?:raise|change|increase|move|adjust|update|bid|alter|revise){_OBJECT} )"""
_HOLDING = rf"""(?:
    (?:holding|maintaining|sticking|staying|remaining){_OBJECT}{_AS_IT_IS}?
  | (?:keeping|leaving){_OBJECT}{_AS_IT_IS}? | keeping\s+{ANY} | standing\s+(?:pat|by|still){_OF}? | sitting\s+tight
  | (?:waiting|skipping){_TURN} | doing\s+nothing | making\s+no\s+changes?
  | not\s+(?:raising|changing|increasing|moving|adjusting|updating|bidding){_OBJECT} )"""
_STOPS = rf"(?:\s+(?:{_TIME}))*(?={END}|\s*[,;:(.!-]|\s+{REASON}\b)"
HOLDS = re.compile(
    rf"""(?: {I_DO}(?:prefer\s+to\s+)?{_HOLD} | {I_AM}{_HOLDING}
      | \b(?:my\s+)?(?:final\s+)?(?:decision|answer|action|move|choice|response)\s*(?:is|:)\s*(?:to\s+)?
          (?:{_HOLD}|{_HOLDING})
      | \bmy\s+(?:{_MAX}|bid|limit|proxy)(?:\s+bid)?\s+(?:stays|remains)
          (?:\s+(?:at|where|as|the\s+same|unchanged)\b[^,.;]*)?
      | {LEAD}(?P<order>{_HOLD}|{_HOLDING}|no\s+(?:change|changes|move|raise|action)|unchanged) ){_STOPS}""",
    X,
)
EXPLAINED = re.compile(r"\s*(?:[-:(]|\bif\b)\s*\w")
"""What follows the name of an option in a list: "Hold - keeps my $30"."""
_IF = r"\b(?:if|unless|when(?:ever)?|once|as\s+soon\s+as|in\s+case|should|provided)\b"
_DECISION = rf"(?:{ANY}|\b(?:hold|wait|keep)\b)"
CONDITION = re.compile(rf"{_DECISION}[^.!?;]*{_IF}|{_IF}[^.!?;]*{_DECISION}", X)
"""A sentence with a decision and a condition."""
HOLD_ACT = re.compile(
    r"(?:to\s+)?(?:hold|wait|keep|stay|pass|none|no\s+(?:change|bid|raise)|skip|maintain|stand\s+pat)\W*"
)
RAISE_ACT = re.compile(
    rf"(?:set|raise|update|increase|change|new|adjust)\W*(?:(?:my\s+|the\s+)?(?:{_MAX})(?:\s+bid)?)?\W*"
)
