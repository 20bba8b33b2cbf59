"""Words that correct a decision, or take it back."""

from __future__ import annotations

import re

from aucenv.core.reader.phrases import X, one_of

_SIGH = r"(?:oh|ah|hmm+|uh|um|er|ehm|well|ok|okay)"
_WORDS = one_of(
    r"""no(?=\s*(?:[,.!:;-]|$)|\s+(?:wait|sorry)), wait\b, sorry\b, er\b, actually\b, correction\b, rather\b(?! than),
    i (?:mean|meant)\b, make (?:it|that)\b, hold on\b, scratch\b, strike\b, instead\b(?! of), oops\b,
    erratum, let me (?:rephrase|correct|reconsider|revise|rethink|think|check|re-?do|change)\b, edit\s*:,
    update\s*:, disregard\b, (?:on|upon) (?:second|further|reflection|closer|reconsideration|more|reviewing)\b,
    i (?:have )?changed? my mind, my mistake\b, having (?:said|thought)\b, thinking (?:again|about it again)\b,
    never\s?mind\b, i (?:take|took) (?:that|it) back, i misspoke, ignore that, forget (?:it|that)\b,
    after (?:reconsidering|rethinking|further|more)\b,
    等等, 不对, 更正, 抱歉, 其实, 重新考虑, नहीं\b(?=\s*[,.-]|\s+रुको), रुकिए,
    रुको, माफ़, माफ, espera\b, perd[oó]n\b, mejor dicho, en realidad, corrijo, нет(?=\s*[,.-]), стоп\b, погодите,
    подождите, точнее\b, извините, исправля, вернее\b"""
)
CORRECTION = re.compile(
    rf"(?:^|[,.:;(!]\s*|\s-\s|\b(?:but|and|or|{_SIGH})\b\s*)\W{{0,5}}(?:(?:{_SIGH}|so)\b\W{{1,5}}){{0,4}}{_WORDS}|^\W{{0,5}}however\b",
    X,
)
"""Words at the beginning of a clause that announce a correction."""
_RETRACTIONS = one_of(
    r"""(?:scratch|strike|forget|ignore|disregard|cancel|undo) (?:that|it)(?!,\s+[a-z]+,),
    just kidding, (?:i am )?only joking,
    (?:that|this) is (?:wrong|not right|a mistake|not possible), let me (?:think|reconsider|rethink)\b(?!\s*:),
    i (?:take|took) (?:that|it) back, never\s?mind (?:that|it|my), i (?:have )?changed? my mind,
    i (?:\w+ )?(?:can not|could not) (?:decide|choose|make up my mind), i (?:\w+ )?do not know what to (?:do|bid),
    i (?:\w+ )?(?:am|remain) undecided"""
)
RETRACTION = re.compile(rf"\b{_RETRACTIONS}", X)
"""Words that take a decision back, also if no other one follows."""
