"""Acts in Chinese, Spanish, Hindi and Russian, in plain text with marked amounts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import NamedTuple

from aucenv.core.reader.amounts import FIRST_UNCLEAR, A, U

BID, LEAVE, STAY, TAKE, WAIT = "bid", "leave", "stay", "take", "wait"


class ForeignAct(NamedTuple):
    """An act in a sentence.

    Attributes:
        kind: BID, LEAVE, STAY, TAKE or WAIT.
        start, end: where its words stand.
        amount: the character of its amount: of the bid, or of the price at which to act; "" without one.
    """

    kind: str
    start: int
    end: int
    amount: str


class Language:
    """The patterns of a language.

    Args:
        used: found in every sentence of the language.
        breaks: what separates clauses, besides commas.
        condition: found in conditional clauses; the clause after one states nothing either.
        void: found in clauses that state nothing for now: wishes, limits, other times.
        acts: a pattern for each kind of act; that of a bid has a group `amount`.
        at: what stands between an act and the price at which it is done, on either side.
    """

    def __init__(
        self,
        used: str,
        breaks: str,
        condition: str,
        void: str,
        no: str,
        acts: dict[str, str],
        at: str,
        after: str = "(?!)",
    ) -> None:
        self.used = _compile(used)
        self._breaks = _compile(rf"[,(;:]|\s-\s|{breaks}")
        self._void = _compile(void)
        self._no = _compile(no)
        self._acts = {kind: _compile(pattern) for kind, pattern in acts.items()}
        self._price = _compile(rf"(?:{at})\s*({A}|{U})|({A}|{U})\s*(?:{after})")
        self._condition = _compile(condition)

    def read(self, sentence: str, kinds: Collection[str]) -> Iterator[ForeignAct]:
        """Return the acts of these kinds that a sentence states."""
        is_conditional, at = False, 0
        breaks = [*self._breaks.finditer(sentence), None]
        for gap in breaks:
            end = gap.start() if gap else len(sentence)
            clause = sentence[at:end]
            begins = at
            at = gap.end() if gap else end
            if self._condition.search(clause):
                is_conditional = True
                continue
            if not clause.strip():
                continue
            if is_conditional or self._void.search(clause):
                is_conditional = False
                continue
            for name, pattern in self._acts.items():
                kind = name.partition("_")[0]
                match = pattern.search(clause) if kind in kinds else None
                if match and not self._no.search(f"{clause[: match.start()]} {clause[match.end() :]}"):
                    amounts = match if kind == BID else self._price.search(clause)
                    amount = next(filter(None, amounts.groups()), "") if amounts else ""
                    at_amount = clause.find(amount) if amount else 0
                    if amount and (_ALTERNATIVE.match(clause, at_amount + 1) or _OTHER.search(clause[:at_amount])):
                        amount = FIRST_UNCLEAR_CHARACTER
                    yield ForeignAct(kind, begins + match.start(), begins + match.end(), amount)


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(normalized(pattern), re.VERBOSE)


def normalized(text: str) -> str:
    """Return a text with one form for each Hindi word: without dots below, and with one sign for nasal vowels."""
    return unicodedata.normalize("NFKC", text).replace("\u093c", "").replace("\u0901", "\u0902").replace("ё", "е")


_AMOUNT = rf"({A}|{U})"
_ALTERNATIVE = re.compile(rf"\s*(?:到|至|-|~|a|o|до|или|或|से|या)\s*(?:{A}|{U})")
_OTHER = re.compile(rf"(?:{A}|{U})\s*(?:到|至|-|~|a|o|до|или|或|से|या)\s*$")
FIRST_UNCLEAR_CHARACTER = chr(FIRST_UNCLEAR)
_ZH_I = r"(?:^\W*|我[^,;我他她不没未别拒]{0,14}?|(?:因此|所以|那么|那就|于是|就)[^,;他她不没未别拒]{0,6}?)"
CHINESE = Language(
    "[\u4e00-\u9fff]",
    "因为|由于|所以|但是|但|因此|不过",
    "如果|要是|假如|除非|若|的话|再[^,]{0,8}(?:,\\s*我?就|$)|一旦",
    r"""吗|是否|要不要|应该|应当|可能|也许|或许|可以|能够|上一?轮|之前|刚才|刚刚|曾|最多|至多|不超过|最高|大约|左右|大概|没有|还没|尚未|不会退|不想退|不退
    |之间|至少|下一?[轮件次个]|之后|打算|考虑|本来|原本|宁愿|别|希望|想(?:要|退|出)|以后|以内|为止|过了""",
    "不(?!过)|没|未|别|永不|拒绝",
    {
        BID: rf"""{_ZH_I}(?:出价?|报价?|加价[到至]|加到|加价至|提高到|提价到|抬到|抬价到|喊价?|叫价|叫到|跟到
            |投标|竞价|竞拍|下注|涨到|加码到|提高出价[到至])(?:为|是|到|至|:|\s)*{_AMOUNT}
            |我的(?:最终)?(?:出价|报价|决定)(?:是|为|:|\s)*{_AMOUNT}""",
        LEAVE: rf"""{_ZH_I}(?:退出|放弃|弃权|不再出价|不出价|不再加价|不加价|不跟|不加了|离开|离场|认输|不参与|不竞拍
            |不买|停止出价|到此为止|撤出|收手|退场|罢手)""",
        STAY: rf"{_ZH_I}(?:留下|留在|继续|坚持|留)",
        TAKE: rf"{_ZH_I}(?:买下|拿下|要了|买了?|接受|成交|拿走|收下)",
        WAIT: rf"{_ZH_I}(?:等待|再等|等着|等|观望)",
    },
    "在|到|以|于|价格为|达到|至",
    "时|的时候|离开|退出|买下|拿下|买|的?价格",
)
SPANISH = Language(
    r"""\b(?:ofrezco|pujo|pujar[eé]|apuesto|subo|subir[eé]|propongo|aumento|elevo|oferto|licito|mi|me|paso|voy|hago
        |retiro|renuncio|abandono|estoy|dejo|salgo|sigo|quedo|espero|tomo|compro|acepto|llevo|permanezco
        |contin[uú]o|no\s+(?:pujo|ofrezco)|ofrecer[eé]|abstengo)\b""",
    r"\b(?:porque|pues|ya\s+que|pero|as[ií]\s+que|aunque|por\s+eso|por\s+lo\s+tanto|dado\s+que)\b",
    r"\bsi\b|\ba\s+menos\s+que\b|\bcuando\b|\ben\s+cuanto\b|\btan\s+pronto\b|\bapenas\b",
    rf"""deber[ií]a|podr[ií]a|quiz[aá]s?|tal\s+vez|hasta\s+(?:{A}|{U})|como\s+m[aá]ximo|m[aá]ximo\s+de|\bno\s+me\b
        |todav[ií]a\s+no|a[uú]n\s+no|nunca|anterior|pasad[ao]|\bentre\b|alrededor|aproximadamente
    |cuando|pr[oó]xim|siguiente|ofrecer[ií]a|pujar[ií]a|retirar[ií]a|pensaba|al\s+menos|por\s+lo\s+menos|\bo\s+me\b
    |\b(?:despu[eé]s|luego)\b|\b(?:dice|dijo|cree|piensa|espera)\s+que\b""",
    r"\bno\b|\bnunca\b|\bjam[aá]s\b",
    {
        BID: rf"""(?<!\bno\s)\b(?:(?:yo\s+)?(?:ofrezco|pujo|apuesto|(?:subo|aumento|elevo)(?=\s+(?:a|la|mi|el)\b)
            |propongo|oferto|licito
            |ofrecer[eé]|pujar[eé]|subir[eé]|voy(?:\s+a\s+(?:ofrecer|pujar|subir))?|hago\s+una\s+(?:oferta|puja
            |apuesta)|me\s+planto|quiero\s+(?:ofrecer|pujar)|decido\s+(?:ofrecer|pujar))
            |mi\s+(?:puja|oferta|apuesta|decisi[oó]n|respuesta)(?:\s+final)?\s*(?:es|:|ser[aá]))\s*(?:(?:de|a|por
                |con|en|la\s+puja|mi\s+(?:oferta|puja)|el\s+m[ií]nimo|exactamente|ahora|la\s+oferta
                |el\s+precio)\s+)*{_AMOUNT}""",
        LEAVE: rf"""\b(?:me\s+(?:retiro|abstengo|salgo|rindo|bajo|voy|quedo\s+fuera|marcho)|paso(?=\W*$|\s+(?:de|en
            |esta)\b)|no\s+(?:pujo|ofrezco|pujar[eé]|ofrecer[eé]|subo|sigo|participo|voy\s+a\s+(?:pujar|ofrecer
            |seguir|subir))\b(?!\s*(?:{A}|{U}))
            |renuncio|abandono|estoy\s+fuera|lo\s+dejo|dejo\s+(?:de\s+pujar|est[ea]|el\s+art[ií]culo)
                |no\s+m[aá]s\s+pujas|salgo\s+de)\b""",
        STAY: r"\b(?:me\s+quedo(?!\s+(?:fuera|con))|sigo(?!\s+(?:sin|el))|permanezco|contin[uú]o)\b",
        TAKE: r"""\b(?:lo\s+(?:tomo|compro|acepto|quiero)|la\s+(?:tomo|compro)|me\s+l[oa]\s+(?:quedo|llevo)|acepto
            |compro)\b""",
        WAIT: r"\b(?:espero(?!\s+que)|esperar[eé]|aguardo|sigo\s+esperando)\b",
    },
    r"\b(?:a|en|por|cuando\s+llegue\s+a|al\s+precio\s+de|a\s+un\s+precio\s+de|hasta)",
)
RUSSIAN = Language(
    "[\u0430-\u044f]",
    r"\b(?:потому\s+что|так\s+как|поскольку|поэтому|но|однако|значит|ведь)\b",
    r"\bесли\b|\bкогда\b|\bкак\s+только\b",
    r"""\bбы\b|может|возможно|наверное|пока\s+не|ещ[её]\s+не|\bне\s+(?:выхожу|ухожу|выбываю|сдаюсь|пасую|остаюсь
        |беру|жду)|прошл|раньше|предыдущ|не\s+(?:больше|более|выше)|максимум|около|примерно|когда|\bли\b|следующ
        |потом|между|готов|хотел|думаю|после|должен|нужно
    |до\s+сих|в\s+раунде|хотя\s+бы|как\s+минимум\s+|или|говорит|сказал|ставлю\s+до\s""",
    r"(?<![а-я])(?:не|никогда|ни)(?![а-я])",
    {
        BID: rf"""(?<![а-я])(?:я\s+)?(?:(?:тогда|теперь|сейчас|всё\s+же|все\s+же|сразу|просто|смело)\s+)*(?:ставлю
            |предлагаю|(?:поднимаю|повышаю)(?=[^,]{{0,30}}?\sдо\b)|даю|делаю\s+ставку|делаю|иду\s+на|поставлю
            |предложу|подниму|повышу|дам
            |называю|увеличиваю|перебиваю|мо[яеий]+\s+(?:\w+\s+)?(?:ставка|решение|предложение
            |ответ)(?:\s+составляет)?)
            \s*[:-]?\s*(?:(?:ставку|цену|её|ее|свою\s+ставку|до|в|на|за|ровно|минимум\s+в|минимальные
                |ставка)\s+)*{_AMOUNT}""",
        LEAVE: rf"""(?<![а-я])(?:я\s+)?(?:пас(?![а-я])|пасую|выхожу|ухожу|выбываю|отказываюсь|сдаюсь|воздерживаюсь
            |воздержусь|снимаюсь|больше\s+не\s+(?:ставлю|участвую|торгуюсь|повышаю)|не\s+(?:ставлю
            |буду\s+(?:ставить|участвовать|торговаться|делать|повышать|продолжать)|участвую
            |повышаю)(?![а-я])(?!\s*(?:{A}|{U}))
            |прекращаю|покидаю|выйду|уйду|я\s+вне|отступаю|уступаю)""",
        STAY: r"(?<![а-я])(?:остаюсь|продолжаю|держусь|останусь|участвую\s+дальше)",
        TAKE: r"(?<![а-я])(?:беру|покупаю|забираю|возьму|куплю|принимаю)",
        WAIT: r"(?<![а-я])(?:жду|подожду|ожидаю|буду\s+ждать)",
    },
    r"при\s+цене(?:\s+в)?|за|по(?:\s+цене)?|на|до|на\s+отметке|когда\s+цена\s+(?:достигнет|будет)",
)
HINDI = Language(
    "[\u0900-\u097f]",
    r"क्योंकि|इसलिए|लेकिन|मगर|चूंकि|तो\s",
    r"(?:^|\s)(?:अगर|यदि)\s",
    r"""(?:^|\s)क्या\s|चाहिए|शायद|पिछल|सकता|सकती|तक\s+की|ज्यादा\s+से\s+ज्यादा|अधिकतम|लगभग|करीब|\sने\s|कहत[ाी]|मैंने
        |\sथ[ािीे]
        |चुका|चुकी|बाहर\s+नहीं|नहीं\s+(?:हट|छोड|हूं|निकल|रुक)|अगल|बाद\s+में|के\s+बीच|कम\s+से\s+कम|वरना|अन्यथा
        |सोच\s+रह""",
    r"(?:^|\s)(?:नहीं|न|मत)(?=\s|$)",
    {
        BID: rf"""{_AMOUNT}\s*(?:की|का|के|पर)?\s*(?:(?:अपनी|न्यूनतम|नई)\s+)?(?:बोली|प्रस्ताव|दांव|ऑफर
            |पेशकश)\s*(?:(?:लगा|दे|रख|कर)(?:ता|ती|\s+रहा|\s+रही)\s+हूं|लगाऊंगा|लगाऊंगी|दूंगा|दूंगी|करूंगा|करूंगी
            |रखूंगा|रखूंगी|है|लगाते\s+हैं)""",
        "bid_2": rf"""(?:बोली|दांव)\s*(?:को\s+)?(?:बढाकर|बढ़ाकर|बढा\s+कर)?\s*{_AMOUNT}\s*(?:तक\s+|पर\s+)?(?:(?:कर
            |ले\s+जा|बढा|ला|लगा)(?:ता|ती|\s+रहा|\s+रही)\s+हूं|करूंगा|करूंगी|है)|(?:मैं\s+)?({A}|{U})\s*(?:दे
            |लगा)(?:ता|ती)\s+हूं""",
        LEAVE: r"""बाहर\s+(?:हूं|हो(?:ता|ती)|हो\s+रह|निकल(?:ता|ती)|जा(?:ता|ती))|(?:पीछे\s+)?हट(?:ता|ती|\s+रहा
            |\s+रही)\s+हूं|छोड(?:ता|ती|\s+रहा|\s+रही|\s+दे(?:ता|ती))\s+हूं|(?:नाम|बोली)\s+वापस\s+ले
            |(?<!की\s)बोली\s+नहीं\s+लगा(?:ता|ती|ऊंगा|ऊंगी|\s+रह)|भाग\s+नहीं\s+ल|पास\s+(?:करता|करती|हूं)
            |हार\s+मान(?:ता|ती)
            |हट\s+जा(?:ता|ती)\s+हूं|निकल(?:ता|ती)\s+हूं|हट(?:ूंगा|ूंगी)""",
        STAY: r"(?:^|\s)(?:रुक(?:ता|ती|ा\s+रह)|बना\s+रह|बनी\s+रह|टिक(?:ता|ा|ी)|जारी\s+रख|अंदर\s+हूं|शामिल\s+रह)",
        TAKE: r"""(?:^|\s)(?:ले\s*(?:ता|ती)\s+हूं|ले\s+ले(?:ता|ती)|खरीद(?:ता|ती)|खरीद\s+ले|स्वीकार\s+कर(?:ता|ती)
            |लूंगा|लूंगी)""",
        WAIT: r"(?:इंतजार|प्रतीक्षा)\s+(?:कर(?:ता|ती|\s+रहा|\s+रही|ूंगा|ूंगी))",
    },
    "कीमत|मूल्य",
    r"(?:की\s+कीमत\s+)?(?:पर|में|तक|के\s+भाव)",
)
LANGUAGES = (CHINESE, SPANISH, RUSSIAN, HINDI)


def foreign_acts(sentence: str, kinds: Collection[str]) -> list[ForeignAct]:
    """Return the acts of these kinds that a sentence in another language than English states, in order."""
    text = normalized(sentence) if not sentence.isascii() else sentence
    if text.rstrip(" \"')").endswith("?"):
        return []
    return sorted(
        (act for language in LANGUAGES if language.used.search(text) for act in language.read(text, kinds)),
        key=lambda act: act.start,
    )
