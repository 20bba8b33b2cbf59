"""The check of an endpoint: what it supports, and the name of a bidder that suits it."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping

from aucenv.baselines.llm.bidder import make_model
from aucenv.baselines.llm.endpoints.errors import CHOICE, FORMATS, LIMITS, SYSTEM, TOOLS
from aucenv.baselines.llm.endpoints.probes import WORD, Replies, Reply, ask_all, is_reasoning
from aucenv.baselines.llm.options import AGENTS

from aucenv.core.checks import one_of
from aucenv.core.policy import ModelFailure
from aucenv.core.words.bidder_name import LABEL, BidderSpec, parse_bidder
from aucenv.core.words.outside_text import MASK, shorten
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW
from aucenv.runs.model_calls.calls import Completion, failure_reason
from aucenv.runs.model_calls.token_prices import dollars

MAX_TOKENS = (2048, 4096, 8192, 16384, 32768, 65536)
"""The values of `max_tokens` that are recommended for reasoning models."""
MARGIN = 4
"""How many times the tokens of the measured decision fit into `max_tokens`, because others need more reasoning."""
MAX_NOTE = 160
"""The number of characters of a note from outside."""


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature of an endpoint.

    Attributes:
        supported: "yes"; "no"; "accepted": its effect does not show; "ignored"; or "unknown".
        note: more about it; "" for nothing.
    """

    name: str
    supported: str
    note: str = ""


@dataclasses.dataclass(frozen=True)
class EndpointReport:
    """The result of a check.

    Attributes:
        bidder: the name of the bidder to use, with the values of headers masked.
        agent: the bidder's agent.
        given: the texts of the options in the name of the bidder that was checked.
        max_tokens: the maximum number of tokens of a reply that the bidder to use has.
    """

    replies: Replies
    features: tuple[Feature, ...]
    bidder: str
    agent: str
    given: Mapping[str, str]
    max_tokens: int


def check_endpoint(name: str, on_wait: Callable[[str], None] = lambda why: None) -> EndpointReport:
    """Check the endpoint of a bidder that calls a model.

    Args:
        name: the bidder's name.
        on_wait: called with the reason for each longer wait.

    Raises:
        ValueError: if it is no bidder that calls a model, or an option is invalid.
        ModelFailure: if the model cannot be called.
    """
    spec = parse_bidder(name)
    where = f"bidder {spec.label!r}"
    if spec.kind != "llm":
        raise ValueError(f"{where}: expected a bidder that calls a model, llm:PROVIDER:MODEL,..., got {spec.kind!r}")
    agent = one_of(f"{where}, agent", spec.params.get("agent", "plain"), AGENTS)
    given = {key: value for key, value in spec.params.items() if key != "cache"}  # its replies would say nothing
    model, options = make_model(dataclasses.replace(spec, params=given), where, agent)
    try:
        replies = ask_all(model, options, on_wait)
    except ModelFailure as failure:
        raise ModelFailure(f"{failure}{_hint(str(failure), options.get('key_env'))}") from None
    features = tuple(feature for make in FEATURES if (feature := make(replies)) is not None)
    changes = _changes(replies, spec.params)
    max_tokens = int(changes.get("max_tokens") or options["max_tokens"])
    return EndpointReport(replies, features, _changed_name(name, spec, changes), agent, spec.params, max_tokens)


def _hint(failure: str, key_env: str | None) -> str:
    """Return what the user can do about a failure."""
    status = re.search(r": (40[134])\b", failure)
    if status is None:
        is_silent = ": no answer to" in failure or failure.endswith(": timeout")
        return " (is base_url right, and does the server run?)" if is_silent else ""
    if status[1] == "404":
        return " (is the model's name right? base_url usually ends in /v1)"
    return f" (does {key_env} hold a key for this endpoint?)" if key_env else " (set key_env=VARIABLE for a key)"


def _system(replies: Replies) -> Feature:
    reply = replies.of("system")
    return _feature(
        replies, "system role", "system", SYSTEM,
        "yes" if reply and WORD in reply.text.upper() else "accepted",
        "" if reply and WORD in reply.text.upper() else "the reply does not follow the system message",
    )  # fmt: skip


def _temperature(replies: Replies) -> Feature:
    return _feature(replies, "temperature", "temperature", "temperature", "yes", "0 is accepted")


def _top_p(replies: Replies) -> Feature:
    return _feature(replies, "top_p", "top_p", "top_p", "yes")


def _seed(replies: Replies) -> Feature:
    texts = [reply.text if (reply := replies.of(name)) else None for name in ("seed", "same seed", "other seed")]
    if texts[0] != texts[1]:
        outcome = "ignored", "two replies with the same seed differ"
    elif texts[0] == texts[2]:
        outcome = "accepted", "replies with the same seed are equal, and with another seed too"
    else:
        outcome = "yes", "replies with the same seed are equal, and with another seed they differ"
    return _feature(replies, "seed", "seed", "seed", *outcome)


def _json_schema(replies: Replies) -> Feature:
    reply = replies.of("json")
    if reply and not is_decision(reply.text):
        cut = "is cut off" if reply.finish == "length" else "is no JSON object of the form"
        outcome = ("unknown" if reply.finish == "length" else "ignored"), f"accepted, but the reply {cut}"
    else:
        outcome = "yes", "the reply is a JSON object of the form"
    refused = next((name for name in FORMATS if reply and name in reply.left_out), FORMATS[0])
    return _feature(replies, "json_schema", "json", refused, *outcome)


def _tools(replies: Replies) -> Feature:
    reply = replies.of("tools")
    if reply is None or calls_decision(reply):
        is_forced = reply is None or CHOICE not in reply.left_out
        why = "" if is_forced else f", but none can be forced, because {CHOICE} is refused: {_reason(replies, CHOICE)}"
        outcome = "yes", f"the reply is the call of a tool, with arguments of the form{why}"
    elif reply.finish == "length":
        outcome = "unknown", "accepted, but the reply is cut off"
    else:
        what = "are not of the form" if reply.tool_calls else "of the tool are missing"
        outcome = "ignored", f"accepted, but the arguments {what}"
    return _feature(replies, "tools", "tools", TOOLS, *outcome)


def calls_decision(reply: Completion) -> bool:
    """Return whether a reply is one call of the tool for decisions, with arguments of the form."""
    return reply.tool_calls == 1 and is_decision(reply.text)


def is_decision(text: str) -> bool:
    """Return whether a text is a JSON object of the form of decisions, and nothing else."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return False
    schema = BID_OR_WITHDRAW.json_schema()
    return (
        isinstance(fields, dict)
        and set(fields) == set(schema["properties"])
        and fields["action"] in schema["properties"]["action"]["enum"]
        and isinstance(fields["reasoning"], str)
        and type(fields["amount"]) in (int, float, type(None))
    )


def _streaming(replies: Replies) -> Feature | None:
    if "streamed" not in replies.by_probe:
        return None
    reply = replies.of("streamed")
    reports = "with usage" if reply and reply.tokens_out is not None else "without usage"
    return _feature(
        replies, "streaming", "streamed", "stream", "yes", f"a reply requested as a stream arrives, {reports}"
    )


def _usage(replies: Replies) -> Feature:
    reply = replies.of("bid") or replies.completions[0]
    if reply.tokens_in is None or reply.tokens_out is None:
        return Feature("usage", "no", "costs are estimated by the number of characters")
    cached = "" if reply.tokens_cached is None else f", {reply.tokens_cached:,} of them from a cache"
    cost = "" if reply.reported_cost is None else f"; it reports a cost of {dollars(reply.reported_cost)}"
    return Feature("usage", "yes", f"{reply.tokens_in:,} tokens in{cached}, {reply.tokens_out:,} out for a bid{cost}")


def _reasoning(replies: Replies) -> Feature:
    if not replies.reasons:
        return Feature("reasoning", "no", "no reply has any")
    bid = replies.of("bid")
    tokens = bid.tokens_reasoning if bid else None
    counted = "not counted apart" if tokens is None else f"{tokens:,} tokens for a bid"
    text = "in a field of its own" if any(reply.reasoning for reply in replies.completions) else "not returned"
    if any(reply.text.lstrip().startswith("<") and is_reasoning(reply) for reply in replies.completions):
        text = "inside the reply"
    return Feature("reasoning", "yes", f"{counted}; its text is {text}")


def _token_limit(replies: Replies) -> Feature | None:
    first = replies.of("first")
    if first is None or first.settings is None:
        return None
    used = next((name for name in LIMITS if name in first.settings), None)
    refused = [name for name in LIMITS if name in first.left_out]
    reason = f"; {refused[0]} is refused: {_reason(replies, refused[0])}" if refused else ""
    return Feature("token limit", "yes" if used else "no", f"{used or 'replies have no limit'}{reason}")


def _bid(replies: Replies) -> Feature:
    bid = replies.by_probe["bid"]
    if isinstance(bid, ModelFailure):
        return Feature("a bid", "no", shorten(str(bid), MAX_NOTE))
    tokens = "" if bid.tokens_out is None else f", {bid.tokens_out:,} tokens"
    measured = f"{bid.seconds:.1f} s{tokens}"
    if replies.bid_is_readable:
        return Feature("a bid", "yes", f"a readable decision in {measured}")
    if bid.finish == "length":
        why = "reasoning left too few tokens for it" if replies.reasons else "the reply is too long"
        return Feature("a bid", "no", f"cut off, because {why}: {measured}")
    if bid.finish != "stop":
        return Feature("a bid", "no", f"{failure_reason(bid.finish)}: {measured}")
    return Feature("a bid", "no", f"the reply has no readable decision: {shorten(bid.text, 60)!r}, {measured}")


def _answered_by(replies: Replies) -> Feature | None:
    name = replies.completions[0].answered_by
    return Feature("model", "yes", f"answers as {shorten(name, MAX_NOTE)}") if name else None


FEATURES: tuple[Callable[[Replies], Feature | None], ...] = (
    *(_answered_by, _bid, _system, _temperature, _top_p, _seed, _json_schema, _tools, _streaming, _usage, _reasoning),
    _token_limit,
)


def _feature(replies: Replies, name: str, probe: str, parameter: str, supported: str, note: str = "") -> Feature:
    """Return a feature that depends on a parameter of requests.

    Args:
        probe: the probe with the parameter.
        supported, note: the result if the endpoint has accepted the parameter.
    """
    reply: Reply | None = replies.by_probe.get(probe)
    if not isinstance(reply, Completion):
        failed = str(reply).partition(f"{replies.model.endpoint}: ")[2] or str(reply)
        is_refusal = re.match("4[0-9][0-9]: ", failed) and not failed.startswith("429")
        return Feature(name, "no" if is_refusal else "unknown", shorten(failed, MAX_NOTE))
    if parameter in reply.left_out:
        return Feature(name, "no", f"left out, because it is refused: {_reason(replies, parameter)}")
    if parameter in ("temperature", "top_p", "seed") and parameter not in (reply.settings or {parameter: None}):
        return Feature(name, "no", "requests of this API do not have it")
    return Feature(name, supported, note)


def _reason(replies: Replies, parameter: str) -> str:
    """Return why a parameter was refused, in the endpoint's words."""
    named = "the system role" if parameter == SYSTEM else parameter
    for notice in replies.notices:
        match = re.search(rf"does not support {re.escape(named)} \((.*)\); ", notice, re.DOTALL)
        if match:
            return shorten(match[1], MAX_NOTE)
    return "it has been refused before"


def _changes(replies: Replies, given: Mapping[str, str]) -> dict[str, str | None]:
    """Return the options to change in the bidder's name; None removes one."""
    changes: dict[str, str | None] = {**replies.switched}
    left_out = {name for reply in replies.completions for name in reply.left_out}
    for name in ("temperature", "seed"):
        if name in left_out and not (name == "temperature" and "sampling" in given):
            changes[name] = "none"
    if "top_p" in left_out and "top_p" in given:
        changes["top_p"] = None
    if "stream" in left_out and "stream" in given:
        changes["stream"] = None
    used = next((name for name in LIMITS[:2] if name in (replies.completions[0].settings or {})), None)
    if used and set(LIMITS[:2]) & left_out:
        changes["token_limit"] = used
    bid, structured, called = replies.of("bid"), replies.of("json"), replies.of("tools")
    if bid and replies.reasons and MARGIN * (bid.tokens_out or 0) > replies.options["max_tokens"]:
        enough = [limit for limit in MAX_TOKENS if limit >= MARGIN * (bid.tokens_out or 0)]
        changes["max_tokens"] = str(enough[0] if enough else MAX_TOKENS[-1])
    elif bid and not replies.bid_is_readable:
        if structured and is_decision(structured.text):
            changes["reply"] = "json"
        elif called and calls_decision(called):
            changes["reply"] = "tools"
    return {name: value for name, value in changes.items() if value != given.get(name)}


def _changed_name(name: str, spec: BidderSpec, changes: Mapping[str, str | None]) -> str:
    """Return a bidder's name with other options, and with the values of headers masked."""
    label = re.match(f"{LABEL}=", name)
    options = {**spec.params, **changes}
    shown = {key: MASK if key.startswith("header.") and not str(value).startswith("env:") else value
             for key, value in options.items() if value is not None}  # fmt: skip
    parts = [f"{label[0] if label else ''}{spec.kind}:{spec.arg}", *(f"{key}={value}" for key, value in shown.items())]
    return ",".join(parts)
