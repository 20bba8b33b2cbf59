"""Patterns of the acts of an auction, in plain English with marked amounts: to bid an amount, and to leave.

A pattern finds the words of an act; `core.reader.scope` decides whether a sentence states it.
"""

from __future__ import annotations

import re

from aucenv.core.reader.amounts import A, U

_ADVERB = r"""(?:hereby|anyway|anyhow|indeed|now|then|therefore|thus|hence|also|just|still|only|too|again|once\s+again|instead|rather|do|for\s+now
    |(?!(?:possib|probab|like|hard|bare|near|previous|original|initial|former|usual|normal|typical|general|eventual|ideal|potential
    |theoretical|hypothetical|supposed|ear|rare|scarce|on|rep|re)ly\b)[a-z]+ly)\b"""
_WILLING = r"(?:ready|willing|happy|glad|pleased|prepared|delighted|proud|thrilled|excited|content|comfortable|confident\s+enough)"
INTEND = rf"""(?: ,?\s+{_ADVERB} | \s+(?:will|shall|must|choose\s+to|chose\s+to|decide\s+to|elect\s+to|opt\s+to
        |have\s+(?:now\s+)?(?:decided|chosen|opted)\s+to|want\s+to|wish\s+to|dare\s+to|get\s+to|proceed\s+to|continue\s+to
        |am\s+(?:{_ADVERB}\s+)?(?:going|{_WILLING})\s+to|have\s+no\s+choice\s+but\s+to
        |(?:think|guess|believe|suppose|say|figure)\s+(?:that\s+)?(?:i|we)(?:\s+will)?) )*"""
"""Words between "I" and a verb that leave the statement a decision."""
_APPOSITION = r"(?:,\s[^,.!?;]{1,60},(?:\s[^,.!?;]{1,60},)?)?"
I = rf"(?:\b(?:i|we){_APPOSITION}(?:{INTEND}),?\s+|\blet\s+me\s+(?:{_ADVERB}\s+)?|\blet\s+us\s+)"  # noqa: E741
I_AM = rf"(?:\b(?:i\s+am|we\s+are|i\s+will\s+be)\s+(?:{_ADVERB}\s+)*)"
LEAD = r"""^\W*(?:(?:so|ok|okay|then|now|fine|alright|all\s+right|well|right|yes|yeah|yep|sure|therefore|thus|hence|for\s+now|and|but
    |instead|here|hmm+|aha|oh|ah|no|wait|sorry|actually|correction|rather|i\s+mean|i\s+meant|final\s+answer|decision|let\s+us\s+say
    |please|with\s+that|in\s+that\s+case|accordingly|consequently|i\s+say|i\s+repeat|again|once\s+again)\b[\s,:!.-]*)*"""
"""Words before an order at the beginning of a sentence."""

_EXACTLY = r"""(?:\b(?:exactly|precisely|just|only|even|a|an|the|my|our|full|whole|entire|remaining|balance|budget|total|sum|amount|bid|offer|figure|price|minimum|min
    |minimal|least|lowest|smallest|next|legal|required|allowed|allowable|permitted|valid|possible|acceptable|increment|opening
    |starting|raise|of|at(?!\s+(?:the\s+)?(?:very\s+)?(?:most|least))|with|firm|cool|solid|strong|modest|conservative|bold|confident|competitive|reasonable|fair
    |sensible|aggressive|safe|cautious|careful|strategic|final|new|round|clean|nice|straight|measured|calculated|whopping|mere
    |respectable|generous|humble|healthy|tidy|small|big|large|little|bit|here|now|today|again|instead|myself|another|one|more
    |step|higher|namely|ie|i\.e|that\s+is|for|on|this|item|lot|house|it)\b|[\s,:=\[("'-])*"""
_LIMIT = r"""(?:up\s+to|at\s+(?:the\s+)?most|at\s+(?:the\s+)?least|no\s+(?:more|higher|less)\s+than|not\s+(?:more|higher|less)\s+than
    |less\s+than|more\s+than|as\s+(?:much|high|low|far)\s+as|(?:a|my|the)\s+max(?:imum)?(?:\s+of)?|under|over|below|above|beyond
    |within|starting\s+(?:from|at)|from)"""
_VAGUE = r"(?:about|around|roughly|approximately|approx|nearly|almost|circa|ca|~|some|somewhere|anywhere|between|close\s+to|near|or\s+so)"
_NUMERAL = r"""(?:(?:an?\s+)?hundred|(?:a\s+)?thousand|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen
    |twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b(?!\s+(?:more|last|final|time|of|step|increment|item|bid))"""
_MINIMUM = r"""(?:the\s+)?(?:bare\s+|required\s+|legal\s+|current\s+|next\s+)*(?:minimum|least|lowest|smallest)(?:\s+(?:bid|amount|raise
    |possible|legal|allowed|required|increment|price|step))*"""
AMOUNT = rf"""{_EXACTLY} (?:
    (?P<amount>{A}) (?P<loose>\s*(?:or\s+(?:so|more|less|higher|lower|above|below|thereabouts|better)|-?ish\b|at\s+(?:the\s+)?(?:very\s+)?most
        |max\b|maximum\b|tops\b|at\s+(?:the\s+)?(?:very\s+)?least))?
      (?P<or>,?\s*(?:[/-]|\b(?:or|to|through|and|maybe|perhaps|possibly)\b)\s*(?:maybe\s+|even\s+|perhaps\s+|possibly\s+)?(?P<other>{A}|{U}))?
  | (?P<unclear>{U}) | (?P<limit>{_LIMIT}\b\s*\W{{0,2}}(?:[\w']+\s+){{0,4}}(?:{A}|{U}))
  | (?P<vague>{_VAGUE}\b\s*\W{{0,2}}(?:[\w']+\s+){{0,3}}(?:{A}|{U})|~\s?(?:{A}|{U})|{_NUMERAL})
  | (?P<minimum>{_MINIMUM})(?=\s*(?:$|[.!,;]|\s(?:i|for|on|to|and|because|since|as|here|again|now)\b)) )"""
"""An amount after the words of a bid, or what stands in its place."""

_OBJECT = r"""(?:(?:on|for)\s+(?:this|the\s+(?!next|last|previous|first|second|other|following)(?:[\w-]+\s+)?)?[\w-]+
    (?:\s+(?!at|with|for|:)[\w-]+)?\s*[,:]?\s+(?:(?:at|with|for)\s+)?)"""
_BID_NOUN = r"""(?:(?:(?:a|an|my|the|this|another|our)\s+)?(?:(?!max)[\w-]+\s+){0,2}?(?:bid|offer|raise|counter-?offer|counter-?bid|amount|total)
    (?:\s+(?:of|at|for|to|with|is|here|in\s+the\s+(?:amount|sum)\s+of))?)"""
_UP = r"""(?:raise|increase|up(?!\s+to)|bump|lift|boost|push|take|bring|move|drive|jump|go|climb|step\s+up|kick|nudge|edge|rise|hike|come|leap|get|
    re-?raise)"""
_IT = r"(?:(?:it|this|that|things|you|them|him|her|my\s+bid|the\s+(?:bid|price|stakes|ante)|my\s+offer|[\w']+(?:\s+(?:bid|offer))?)\s+)?"
VERB = rf"""(?:
    (?:bid|offer|propose|pledge|wager|counter-?bid|re-?bid|say|name|go|announce|declare)(?:\s+|(?=[\[(]))(?:{_OBJECT})?
  | {_UP}\s+(?:it\s+up\s+|up\s+(?!to))?{_IT}(?:{A}\s+)?(?:by\s+(?:{A}|{U})\s+)?(?:up\s+)?to\s+
  | (?:open|start|begin|go|come\s+(?:in|back)|jump\s+in|stay(?:\s+in)?|stick(?:\s+around)?|continue|remain(?:\s+in)?|counter|enter|respond
     |reply|answer|hold|kick\s+(?:it|this|things)\s+off|bid|step\s+in|chime\s+in|weigh\s+in|keep\s+going|press\s+on|carry\s+on
     |(?:top|beat|match|outbid|out-bid|better|see|cover)\s+(?:\w+(?:'s)?\s+){{1,3}}?)
     (?:{_OBJECT})?\s*(?:at|with|for|by\s+(?:bidding|offering|going\s+to|saying|raising\s+to))\s+
  | (?:make|call)\s+(?:it|that)\s+ | give\s+(?=\W*(?:{A}|{U}))
  | (?:place|make|submit|enter|tender|put\s+in|put\s+up|put\s+forward|put|present|announce|declare|give|issue|set|offer|throw\s+in|lay\s+down
     |drop|post|register|lodge|enter|confirm|lock\s+in)\s+{_BID_NOUN}\s*{_OBJECT}?
  | put\s+(?:me\s+(?:down|in)\s+(?:for|at)\s+|down\s+)?(?=\W*(?:{A}|{U})) | count\s+me\s+in\s+(?:at|for|with)\s+
  )"""
"""A verb of bidding in its base form; an amount follows."""
_DOING = rf"""(?:
    (?:bidding|offering|proposing|wagering|counter-?bidding|saying)\s+{_OBJECT}?
  | (?:raising|increasing|upping|bumping|lifting|boosting|pushing|taking|bringing|moving|jumping|going|stepping\s+up|hiking|climbing)\s+
     (?:up\s+(?!to))?{_IT}(?:{A}\s+)?(?:by\s+(?:{A}|{U})\s+)?(?:up\s+)?to\s+
  | (?:opening|starting|going(?:\s+in)?|coming\s+in|staying\s+in|continuing|countering|entering|responding|replying|jumping\s+in|holding
     |(?:topping|beating|matching|outbidding|out-bidding)\s+(?:\w+(?:'s)?\s+){{1,3}}?)\s*(?:at|with|for|by\s+bidding|[:,-])\s*
  | (?:making|calling)\s+(?:it|that)\s+ | (?:going|giving)\s+(?=\W*(?:{A}|{U})) | (?:placing|making|submitting|entering|putting(?:\s+(?:in|up|forward))?|offering)\s+{_BID_NOUN}\s*{_OBJECT}?
  | putting\s+(?:down\s+)?(?=\W*(?:{A}|{U})) | out-?\s?bidding\s+\w+\s*(?:,|:|at|with|by)\s*
  | in\s+(?:at|for|with)\s+ )"""
_MY_BID = r"""(?:\b(?:my|our)\s+(?:(?:final|new|next|opening|current|counter|official|own|only|best)\s+)*(?:bid|offer|decision|answer|response|reply
    |counter-?offer|number|move|choice)\s*(?:for\s+this\s+\w+\s*|here\s+|now\s+|on\s+this\s+\w+\s*|this\s+(?:round|time)\s+)?
    (?:(?:is|will\s+be|stands\s+at|remains|becomes|goes\s+to)(?:\s+(?:now|thus|therefore|simply|still|a\s+bid\s+of|to\s+(?:bid|raise\s+to|offer|go\s+to)))*|[:=])\s*
    |\b(?:here\s+is|this\s+is|here\s+comes)\s+my\s+(?:bid|offer)\s*[:,-]?\s*)"""
_ME_DOWN = r"(?:\b(?:put|count|mark|pencil)\s+me\s+(?:down|in)\s+(?:for|at|with)\s+)"

_BOAST = r"(?:\b(?:i|we)\s+(?:am|are)\s+(?!not\b)[^,.:;!?]{1,60}:\s*|\b(?:i|we)\s+(?:am|are)\s+(?:\w+\s+)?(?:out|here|in\s+it|in\s+this)\s+(?:to|for)\s+[^,.:;!?]{1,60}[:,]\s*)"

X = re.VERBOSE
BID = re.compile(
    rf"""(?: {I} {VERB} | {I_AM} {_DOING} | {_MY_BID} | {_ME_DOWN} | {_BOAST} | {LEAD}(?P<order> {VERB} | {_DOING})
      | (?P<elided> \b(?:and|then)\s+(?:will\s+|am\s+|therefore\s+|so\s+|now\s+)*(?:{VERB}|{_DOING}) ) ) {AMOUNT}""",
    X,
)

_GAME = r"""(?:(?:this|the|of|from|on|in|out\s+of|current)\s+)*(?:it|here|this|one|item|lot|auction|bidding|race|round|running|game|house|property
    |piece|contest|competition|war|battle|fight|sale|prize|clock)\b"""
_NOT_OUT = r"""(?!\s*-?\s?(?:bid|bidding|to\b(?!\s+(?:see|let|give|save|avoid|keep|protect|preserve|conserve|leave|make)\b)|looking|shopping|hunting|for\s+(?!this|now|good|me|the\s+(?:round|day|item|moment|rest|night))
    |on\s+a\b|of\s+(?!here\b|this\b|it\b|the\s+(?:auction|bidding|race|running|item|round|game|contest|competition|lot|war|fight|battle|hunt)\b|my\s+(?:depth|league|price\s+range|budget\s+range)\b)
    |in\s+(?:front|the\s+(?:lead|open|cold))|here\s+(?:to|for|playing|fighting|with)|there\b|loud|until\s+(?!the\s+next|next)|ahead|and\s+about))"""
_QUIT = rf"""(?:withdraw|pass|fold|abstain|quit|leave(?=\s*(?:$|[.,;!)-]|\s{_GAME}|\s(?:now|for|because|since|as|with|at\s+th|to\s+(?:the|my|casey|you)))) |exit|forfeit|retire|resign|surrender
    |(?:drop|bow|back|stay|opt|bail|tap|step|pull|check|duck|sit|get|walk|move|cash|lock\s+myself)\s+(?:out|away|aside|off|back|down)(?!\s+(?:with|of\s+(?:the\s+)?(?:bed|business))\b)|walk(?=\s*(?:$|[.,;!]))
    |decline(?:\s+to\s+(?:bid|raise|offer|continue|participate|go|make|place|match|counter)\b|(?=\s*(?:$|[.,;!])|\s+(?:this|the)\b))|refuse\s+to\s+(?:bid|pay|go|raise|continue|match)
    |(?:stop|cease|quit|finish)\s+(?:bidding|here|there|now|at\s+this\s+(?:point|price)|right\s+(?:here|there))|stop(?=\s*(?:$|[.!]))
    |sit\s+(?:this|it|that)(?:\s+(?:one|item|round|lot))?\s+out|(?:call\s+it\s+(?:quits|a\s+day))|throw\s+in\s+the\s+towel|go\s+out\s+(?:from|of)|discontinue|relinquish|stand\s+down|back\s+off|bow\s+to|cede|call\s+it\s+there|rest\s+here|hang\s+(?:up|it\s+up)|take\s+my\s+leave|concede|yield
    |skip(?=\s*(?:$|[.,;!])|\s+(?:this|it|the)\b)|give\s+(?:up|in)|let\s+(?:this|it|that)(?:\s+(?:one|item|lot|house))?\s+go|not\s+(?:be\s+)?(?:bid(?:ding)?|raise|raising|participate|participating|pursue|compete)\b(?!\s*(?:{A}|{U})|\s+(?:more|over|above|again|further|any|higher|beyond|past|twice|until)\b)
    |leave\s+(?:this|the)\s+(?:one|item|lot|house|piece|auction|bidding|field|race|round)(?!\s+(?:open|for\s+last))
    |(?:let|allow)\s+(?!me\b|us\b)(?:[\w-]+\s+){{1,3}}?(?:have|take|win|keep|get|enjoy|buy|claim)\s+(?:it|this|that|the|them)\b(?!\s+(?:for|cheap|so\s+easily|that\s+(?:cheap|easily))))"""
_QUITTING = rf"""(?:withdrawing|passing|folding|abstaining|quitting|exiting|leaving(?=\s*(?:$|[.,;!)-]|\s{_GAME}|\s(?:now|because|since|as|with|at\s+th|it\s+(?:here|to)\b)))|retiring|conceding|forfeiting|surrendering|yielding
    |(?:dropping|bowing|backing|staying|opting|bailing|tapping|stepping|pulling|checking|getting|walking|moving|cashing|sitting)\s+(?:out|away|aside|off|back|down)(?!\s+with\b)
    |declining\s+to\s+(?:bid|raise|continue)|stopping(?=\s*(?:$|[.,;!])|\s+(?:here|there|now|at\s+this)\b)|skipping(?=\s*(?:$|[.,;!])|\s+(?:this|it|the)\b)|giving\s+up|sitting\s+(?:this|it)(?:\s+\w+)?\s+out
    |calling\s+it\s+(?:quits|a\s+day)|letting\s+(?:it|this(?:\s+\w+)?|that(?:\s+\w+)?)\s+go|not\s+(?:going\s+to\s+)?(?:bid|bidding|raise|raising)\b(?!\s*(?:{A}|{U}|more\s+than|over|above))
    |throwing\s+in\s+the\s+towel|discontinuing|standing\s+down|bowing\s+to|backing\s+off|ceding|hanging\s+(?:up|it\s+up)|taking\s+my\s+leave|done\s+(?:bidding|with\s+(?:this|it))|finished\s+bidding|through\s+bidding
    |letting\s+(?!me\b|us\b)(?:[\w-]+\s+){{1,3}}?(?:have|take|win|keep|get)\s+(?:it|this|that)\b|out\b{_NOT_OUT})"""
OUT = re.compile(
    rf"""(?: {I}{_QUIT} | {I_AM}{_QUITTING} | \b(?:i|we)\s+do\s+not\s+(?:want|wish|intend|plan)\s+to\s+(?:bid|raise)\b(?!\s*(?:{A}|{U}|more\s+than|over|above))
      | \bi\s+have\s+(?:decided|chosen)\s+(?:not\s+to\s+(?:bid|raise|continue|participate)\b(?!\s*(?:{A}|{U})))
      | \bi\s+have\s+(?:withdrawn|folded|dropped\s+out)\b | \bcount\s+me\s+out\b | \bdeal\s+me\s+out\b
      | \bno\s+(?:bid|raise)\s+(?:from|for)\s+me\b | \bi\s+have\s+no\s+bid\b | \bmy\s+(?:decision|answer|response|reply|move|choice)\s+(?:is|remains)\s+(?:to\s+)?(?:{_QUIT}|{_QUITTING})
      | \b(?:this|that|it)\s+is\s+(?:a\s+)?(?:hard\s+|firm\s+)?(?:pass|fold|no)\s+(?:from|for)\s+me\b | \bit\s+is\s+all\s+yours\b
      | {LEAD}(?:i\s+)?(?P<order>{_QUIT}|{_QUITTING}|out|no\s+bid|hard\s+pass|pass|withdrawal|withdrawn|none|not\s+bidding)(?:\s+{_GAME}|\s+now|\s+for\s+(?:me|now)|\s+here|\s+(?:please|folks|thanks))*(?=[^\w\U000f0000-\U0010ffff]*$|\s*[,;:(-]|\s+(?:because|since|as|with|and|but|due|given|to|before|which|leaving|keeping|whether)\b)
      | (?P<elided>\b(?:and|then|so)\s+(?:will\s+|am\s+|therefore\s+|now\s+)*(?:{_QUIT}|{_QUITTING})(?=[^\w\U000f0000-\U0010ffff]*$|\s*[,;(-]|\s+(?:because|since|as|from|this)\b)) )""",
    X,
)
"""A withdrawal."""
SOFT_OUT = re.compile(
    rf"""(?: \bno\s+(?:more|further|additional|other)\s+(?:bids?|bidding|raises?|offers?)(?:\s+(?:from|for|on)\s+(?:me|my\s+(?:side|part|end)|this\s+\w+))?(?=[^\w\U000f0000-\U0010ffff]*$|\s*[,;:(-]|\s+(?:because|since|as|on|for)\b)
      | \b(?:i|we)\s+(?:will|can|do|am)\s+not\s+(?:be\s+)?(?:going\s+to\s+|willing\s+to\s+)?(?:go|bid|bidding|raise|raising|continue|follow|match|compete|pursue|chase|keep\s+(?:going|bidding))
        (?:\s+(?:it|this|that|bidding|my\s+bid|the\s+bid|on\s+this\s+\w+|for\s+this\s+\w+))?(?:\s+(?:any)?\s*(?:further|more|longer|higher|again|anymore|any\s+more|at\s+(?:this|that)\s+(?:price|level)|on))?(?=[^\w\U000f0000-\U0010ffff]*$|\s*[,;:(-]|\s+(?:because|since|as|on|for|at\s+th|in\s+th)\b)
      | {I}(?:decline|refuse)\s+to\s+(?:bid|go|raise)\s+(?:any\s+)?(?:further|more|higher|again)\b
      | {I}stop(?:ping)?\s+(?:here|there|now|at\s+this\s+(?:point|price|level))\b | {I_AM}stopping\s+(?:here|there|now)\b
      | {I_AM}done(?:\s+(?:bidding|with\s+(?:this|the)\s+(?:item|one|lot|auction|bidding)))(?:\s+on\s+this\s+\w+)?
      | \b(?!i\b|we\b|you\s+and)(?:[\w-]+|the\s+\w+)\s+(?:can|may)\s+(?:have|keep|take)\s+(?:it|this|that|the\s+(?:item|lot|house|prize))\b(?!\s+(?:for|if|when))
      | \bit\s+is\s+all\s+yours\b | \bi\s+am\s+(?:all\s+)?out\s+of\s+this\s+one\b | \bi\s+(?:will\s+)?leave\s+(?:it|this|that|the\s+rest)\s+to\s+(?!you\b)\w+ )""",
    X,
)
"""Words that end one's bidding: alone a withdrawal, beside a bid the announcement that it is the last."""
LONE = re.compile(
    rf"""^[^\w$\u00a4\U000f0000-\U0010ffff]*(?:(?:ok|okay|fine|alright|all\s+right|well|right|yes|yeah|sure|hmm+|so|then|now|oh|ah|and|but|no|wait|sorry|actually|just|only
    |exactly|precisely|a\s+(?:cool|round|clean|firm|solid)|here\s+(?:we\s+)?go(?:es)?|let\s+us\s+(?:see|say)|i\s+mean|i\s+meant|correction|rather|how\s+about|all\s+the\s+same|scratch\s+that|strike\s+that|make\s+(?:it|that)|final)\b[\s,:!.-]*)*
    (?:(?P<amount>{A}) (?P<loose>\s*(?:or\s+(?:so|more|less)|-?ish\b|at\s+(?:the\s+)?most|max\b|maximum\b|tops\b|at\s+least))?
      (?P<or>\s*,?\s*(?:[/-]|\b(?:or|to|through|and|maybe|perhaps)\b)\s*(?:maybe\s+|even\s+)?(?P<other>{A}|{U}))?
     |(?P<unclear>{U}))
    (?P<tail>(?:[\s,:!-]*\b(?:it\s+is|then|here|from\s+me|for\s+me|please|flat|even|exactly|sharp|straight|it\s+shall\s+be|is\s+my\s+(?:final\s+)?(?:bid|offer|answer|number)
      |that\s+is\s+my\s+(?:final\s+)?(?:bid|offer|answer)|on\s+the\s+(?:nose|table|dot)|for\s+(?:this|it|the\s+(?!next|last|first)\w+)(?:\s+\w+)?|now|going\s+once|take\s+it\s+or\s+leave\s+it|my\s+(?:final\s+)?(?:bid|offer)
      |and\s+not\s+a\s+(?:penny|cent|dollar)\s+(?:more|less)|not\s+a\s+(?:penny|cent|dollar)\s+(?:more|less)|dear|sir|madam|folks|everyone|gentlemen|auctioneer|sold)\b)*)
    (?=[^\w\U000f0000-\U0010ffff]*$|\s*[,;(-]|\s+(?:because|since|as|which|to\s+see|before|leaving|keeping|and\s+i|given)\b)""",
    X,
)
"""An amount that stands alone."""
RETORT = re.compile(
    rf"(?:[,;-]|\s)\s*(?:oh\s+)?(?:no|wait|sorry|actually|i\s+mean|i\s+meant|make\s+(?:it|that)|rather|correction|scratch\s+that|or\s+rather)\b[\s,:!-]*"
    rf"(?:(?:no|wait|sorry|actually|i\s+mean|i\s+meant|make\s+(?:it|that)|let\s+us\s+(?:say|make\s+it)|better)\b[\s,:!-]*)*(?P<amount>{A})(?P<other>(?!))?",
    X,
)
"""An amount that corrects an earlier one in the same sentence."""
