"""The speech in a reply: the reply without thinking and invisible characters."""

from __future__ import annotations

import html
import re

END_OF_TURN = "\ue8ff"
"""A line of its own where the speaker's turn ends: what follows is another turn, which a model may invent."""

INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
_THOUGHT = (
    "(?:think|thinking|thoughts?|reason|reasoning|scratch_?pad|monologue|internal|cot|chain_of_thought|deliberation)"
)
_DRAFT = (
    "(?P<draft>reflect|reflections?|analysis|planning|plan|rationale|brainstorm|critique|introspection|contemplation)"
)
_MARKS = re.compile(
    rf"""< \s* (?P<close>/?) \s* (?:[a-z]+[:_-])? (?:{_THOUGHT}|{_DRAFT}) (?:[_-][a-z]+)? (?:\s[^<>]{{0,200}})? >
      | \[ (?P<close2>/?) (?:THINK|THINKING|THOUGHT|THOUGHTS|REASONING|REASON) \]
      | \u25c1 (?P<close3>/?) think\w* \u25b7
      | <\|? channel \|?> \s* (?P<channel>[a-z]+) [^<>]{{0,80}} (?:<\|message\|>)?
      | <\|? (?:start|im_start|start_header_id|header_start|turn) \|?> \s* (?P<role>[a-z]+)
        \s* (?:<\|?(?:end_header_id|header_end)\|?>)?
      | <start_of_turn>\s*(?P<role2>[a-z]+) | (?P<turn><end_of_turn> | </s> | \[/?INST\])
      | <\| (?P<token>[^|<>]{{1,40}}) \|>
      | ^[ \t]*(?P<open>thinking\.\.\.|here[ ]is[ ]my[ ]thought[ ]process:)[ \t]*$
      | ^[ \t]*(?P<done>\.\.\.done[ ]thinking\.|here[ ]is[ ]my[ ]response:)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_OPENS = re.compile(r"(?:begin|start)_?(?:of)?_?(?:think|thought|reason)\w*|(?:think|thought|reason)\w*", re.IGNORECASE)
_CLOSES = re.compile(r"end_?(?:of)?_?(?:think|thought|reason)\w*|/(?:think|thought|reason)\w*", re.IGNORECASE)
_ENDS = re.compile(r"im_end|eot_id|eot|eom_id|endoftext|end_of_text|end|return|call|eos", re.IGNORECASE)


MAX_READ = 20_000
"""The number of characters of a longer reply that are kept, from its end, where decisions are."""


def end_of_reply(reply: str) -> str:
    """Return the last MAX_READ characters of a reply, after the opening mark of thinking if they begin in it."""
    cut = len(reply) - MAX_READ
    if cut <= 0:
        return reply
    opening = ""
    for mark in _MARKS.finditer(reply):
        if mark.start() >= cut:
            break
        meaning, _ = _meaning(mark)
        opening = mark[0] if meaning == "opens" else opening if not meaning else ""
    return opening + reply[cut:]


def spoken(reply: str, drafts_are_thought: bool = True) -> str:
    """Return a reply without invisible characters and without thinking.

    Thinking stands in blocks of any family of models; a block that is never closed reaches to the end. A closing mark
    without an opening one ends thinking that begins with the reply.

    Args:
        drafts_are_thought: whether plans, reflections and analyses in tags are thinking too; a reply that is to be one
            consists of them.
    """
    text = re.sub("\r\n?|[\x85\u2028\u2029]", "\n", reply)
    text = INVISIBLE.sub("", text)
    if "&" in text and "{" not in text:  # entities in JSON are decoded later
        text = INVISIBLE.sub("", html.unescape(text))
    text = re.sub(r"<!--[^<>]{0,2000}-->|(?<=\S)\s*<s>[^<>]{0,500}</s>", " ", text) if "<" in text else text
    if re.match(r"\s*analysis[A-Z]", text):  # channels whose marks were removed
        text = text.rpartition("assistantfinal")[2] if "assistantfinal" in text else ""
    kept: list[str] = []
    thinking, at = False, 0
    for mark in _MARKS.finditer(text):
        if not thinking:
            kept.append(text[at : mark.start()])
        at = mark.end()
        meaning, put = _meaning(mark) if drafts_are_thought or not mark["draft"] else ("", "\n")
        if meaning == "closes" and not thinking:
            kept.clear()
        thinking = meaning == "opens" or (thinking and not meaning)
        if not thinking:
            kept.append(put if put != END_OF_TURN else f"\n{END_OF_TURN}\n")
    if not thinking:
        kept.append(text[at:])
    return "".join(kept)


def _meaning(mark: re.Match[str]) -> tuple[str, str]:
    """Return what a mark does and the text that replaces it.

    It "opens" or "closes" thinking, begins what the model "speaks", or "" changes nothing.
    """
    closing = next((mark[name] for name in ("close", "close2", "close3") if mark[name] is not None), None)
    if closing is not None:
        return ("closes" if closing else "opens"), "\n"
    if mark["open"] or mark["done"]:
        return ("opens" if mark["open"] else "closes"), "\n"
    if mark["channel"]:
        return ("speaks" if mark["channel"].lower() == "final" else "opens"), "\n"
    role = mark["role"] or mark["role2"]
    if role:
        return "speaks", "\n" if role.lower() in ("assistant", "model", "ai", "bot") else f"\n{END_OF_TURN}\n{role}:\n"
    if mark["turn"]:
        return "", END_OF_TURN
    token = mark["token"].strip()
    if _OPENS.fullmatch(token):
        return "opens", "\n"
    if _CLOSES.fullmatch(token):
        return "closes", "\n"
    return "", END_OF_TURN if _ENDS.fullmatch(token) else "\n"
