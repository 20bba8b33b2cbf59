"""Patterns of withdrawals, in plain English text with marked amounts.

A pattern finds the words of a withdrawal; `core.reader.scope` decides whether the sentence states it.
"""

from __future__ import annotations

from aucenv.core.reader.phrases import ANY, END, GAME, I_AM, I_DO, LEAD, REASON, one_of

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
OUT = rf"""(?: {I_DO}{_QUIT} | {I_AM}{_QUITTING} | \bi\s+have\s+(?:decided|chosen)\s+not\s+to\s+(?:bid|raise|continue
        |participate)\b{_WITH_AMOUNT}
      | \b(?:i|we)\s+do\s+not\s+(?:want|wish|intend|plan)\s+to\s+(?:bid|raise)\b{_WITH_AMOUNT}
      | \bi\s+(?:will\s+)?(?:have|need)\s+to\s+{_QUIT} | \bi\s+no\s+longer\s+(?:wish|want|intend)\s+to\s+(?:bid
      |continue|participate|raise)\b
      | \bi\s+have\s+(?:withdrawn|folded|dropped\s+out)\b | \b(?:count|deal)\s+me\s+out\b | \bi\s+have\s+no\s+bid\b
      | \bno\s+(?:bid|raise)\s+(?:from|for)\s+me\b | \b(?:this|that|it)\s+is\s+(?:a\s+)?(?:(?:hard
          |firm)\s+)?(?:pass|fold|no)\s+(?:from|for)\s+me\b
      | \bmy\s+(?:decision|answer|response|reply|move|choice)\s+(?:is|remains)\s+(?:to\s+)?(?:{_QUIT}|{_QUITTING})
      | {LEAD}(?:i\s+)?(?P<order>{_QUIT}|{_QUITTING}|out|no\s+bid|(?:hard\s+)?pass|(?:the\s+|a\s+)?withdrawal|withdrawn
          |not\s+bidding){_AFTER_ORDER} )"""
"""A withdrawal: a statement, or an `order` at the beginning of a sentence."""

_NO_FURTHER = r"""(?:further|more|longer|higher|again|anymore|any\s+(?:further|more|longer|higher)|at\s+(?:this
    |that)\s+(?:price|level)|on)"""
SOFT_OUT = rf"""(?: \bthere\s+is\s+no\s+(?:need|reason|point)\s+(?:for\s+me\s+)?(?:to|in)\s+(?:bid|bidding|participate
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
      | \bit\s+is\s+all\s+yours\b | \bi\s+(?:will\s+)?leave\s+(?:it|this|that|the\s+rest)\s+to\s+(?!you\b)\w+ )"""
"""Words that end one's bidding: alone a withdrawal, beside a bid the announcement that it is the last."""
