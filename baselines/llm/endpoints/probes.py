"""Small calls that show what an endpoint supports."""

from __future__ import annotations

import dataclasses
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aucenv.baselines.llm.agents.agent import SamplingOptions, chat_message
from aucenv.baselines.llm.dry_run import FirstBid

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.notices import Notice
from aucenv.core.policy import ModelFailure
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW
from aucenv.runs.model_calls.calls import Completion, Message, Model, Request

PATIENCE = {"attempts": 3, "backoff": 0.5}
"""The highest values of these options during a check, so that it ends soon if the endpoint cannot be reached."""
FIRST_TIMEOUT = 30.0
"""The most seconds until the first reply."""
MAX_WAIT = 30.0
"""The longest wait before an attempt, in seconds."""
NOTABLE_WAIT = 2.0
"""The least seconds of a wait that the user is informed about."""
AT_ONCE = 4
"""The number of simultaneous calls."""
SHORT, LONG = 128, 4096
"""The limits of tokens of replies to small questions, without and with reasoning."""
SHORT_BID, LONG_BID = 512, 16384
"""The limits of tokens of the decision, without and with reasoning."""
WORD = "LANTERN"
"""The word with which the system message asks to reply."""
SENTENCE = (chat_message("user", "Write one short sentence about an animal of your choice."),)
SMALL_TALK = (chat_message("user", "Which of these is a fruit: apple, hammer? Answer with one word."),)
SYSTEM_AND_USER = (chat_message("system", f"Answer every message with the single word {WORD}."), *SMALL_TALK)
CHOICE = (chat_message("user", "A cup of coffee is worth $3 to you and costs $2. What do you do? Be brief."),)
Reply = Completion | ModelFailure


@dataclasses.dataclass(frozen=True)
class Replies:
    """The replies of an endpoint.

    Attributes:
        model: the model, with the options with which it can be called.
        options: the values of the bidder's options.
        switched: options that were changed because the model could not be called otherwise.
        by_probe: probe -> its reply, or why there is none. "first", "bid", and "streamed" if streams can be requested,
            are always there.
        notices: what the client has reported about refused parameters.
        bid_is_readable: whether the reply to "bid" has a decision.
        bid_prompt: the number of characters of the messages of "bid".
    """

    model: Model
    options: JsonMapping
    switched: Mapping[str, str]
    by_probe: Mapping[str, Reply]
    notices: tuple[str, ...]
    bid_is_readable: bool
    bid_prompt: int

    def of(self, probe: str) -> Completion | None:
        """Return the reply to a probe; None if there is none."""
        reply = self.by_probe.get(probe)
        return reply if isinstance(reply, Completion) else None

    @property
    def completions(self) -> list[Completion]:
        """All replies."""
        return [reply for reply in self.by_probe.values() if isinstance(reply, Completion)]

    @property
    def reasons(self) -> bool:
        """Whether the model reasons before it replies, as far as its replies show."""
        return any(map(is_reasoning, self.completions))


def is_reasoning(completion: Completion) -> bool:
    """Return whether the reply has reasoning, in it or apart from it."""
    thinks = bool(re.match(r"\s*<(?:think|thinking|reasoning)>", completion.text))
    return thinks or bool(completion.reasoning or completion.tokens_reasoning)


def ask_all(model: Any, options: JsonMapping, on_wait: Callable[[str], None]) -> Replies:
    """Send all probes.

    Args:
        model: the model.
        options: the values of the bidder's options.
        on_wait: called with the reason for each longer wait.

    Raises:
        ModelFailure: if the model cannot be called.
    """
    seed = None if options["seed"] is None else 1
    bid = FirstBid(SamplingOptions.of({**options, "seed": seed}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Notice)
        endpoint = _Endpoint(_limited(model, PATIENCE), on_wait)
        switched = endpoint.call_first()
        endpoint.call_others(bid, options, seed)
    reply = endpoint.replies["bid"]
    return Replies(
        _with(model, {name: getattr(endpoint.model, name) for name in switched}),
        options,
        {name: str(getattr(endpoint.model, name)).lower() for name in switched},
        endpoint.replies,
        tuple(str(warning.message) for warning in caught if issubclass(warning.category, Notice)),
        isinstance(reply, Completion) and reply.finish == "stop" and bid.is_readable(reply.text),
        sum(len(message["content"]) for message in bid.messages),
    )


def _has(model: Any, field: str) -> bool:
    """Return whether a model has a field that can be changed."""
    return field not in getattr(model, "FIXED", ()) and any(known.name == field for known in dataclasses.fields(model))


def _limited(model: Any, most: Mapping[str, float]) -> Any:
    """Return a model with lower values of these options, if it has them."""
    return _with(model, {name: min(getattr(model, name), limit) for name, limit in most.items() if _has(model, name)})


def _with(model: Any, changed: Mapping[str, Any]) -> Any:
    return dataclasses.replace(model, **changed)


class _Endpoint:
    """A model that is asked, with its replies.

    Attributes:
        replies: probe -> its reply.
    """

    def __init__(self, model: Any, on_wait: Callable[[str], None]) -> None:
        self.model = model
        self.replies: dict[str, Reply] = {}
        self._on_wait = on_wait
        self._limit = SHORT

    def call_first(self) -> tuple[str, ...]:
        """Ask a small question; if the model cannot be called, in another API or as a stream.

        Returns:
            The options that had to be changed.

        Raises:
            ModelFailure: if the model cannot be called in any way.
        """
        failure: ModelFailure | None = None
        for changed in ({}, *_other_ways(self.model)):
            model = _with(self.model, changed)
            try:
                self.replies["first"] = self._ask_first(_limited(model, {"timeout": FIRST_TIMEOUT}))
            except ModelFailure as error:
                failure = failure or error
                if not _may_work_otherwise(failure):
                    break
            else:
                self.model = model
                return tuple(changed)
        assert failure is not None
        raise failure

    def _ask_first(self, model: Any) -> Completion:
        completion = self._ask(SMALL_TALK, model=model)
        if completion.finish == "length" and (is_reasoning(completion) or not completion.text.strip()):
            self._limit = LONG
            completion = self._ask(SMALL_TALK, model=model)
        elif is_reasoning(completion):
            self._limit = LONG
        return completion

    def call_others(self, bid: FirstBid, options: JsonMapping, seed: int | None) -> None:
        """Send the other probes, several at a time."""
        first = self.replies["first"]
        assert isinstance(first, Completion)
        length = LONG_BID if is_reasoning(first) else min(options["max_tokens"], SHORT_BID)
        sampling = {name: options[name] for name in ("temperature", "top_p")}
        form: JsonObject = {} if options["reply"] == "words" else {"reply_form": BID_OR_WITHDRAW}
        form |= {"as_tool": True} if options["reply"] == "tools" else {}
        probes: dict[str, tuple[tuple[Message, ...], JsonMapping]] = {
            "bid": (bid.messages, {**sampling, "max_tokens": length, "seed": seed, **form}),
            "system": (SYSTEM_AND_USER, {}),
            "temperature": (SMALL_TALK, {"temperature": 0.0}),
            "top_p": (SMALL_TALK, {"top_p": 0.9}),
            "seed": (SENTENCE, {"seed": 7}),
            "same seed": (SENTENCE, {"seed": 7}),
            "other seed": (SENTENCE, {"seed": 8}),
            "json": (CHOICE, {"reply_form": BID_OR_WITHDRAW}),
            "tools": (CHOICE, {"reply_form": BID_OR_WITHDRAW, "as_tool": True}),
        }
        if _has(self.model, "stream"):
            streaming = _with(self.model, {"stream": True})
            probes["streamed"] = (SMALL_TALK, {"model": streaming})
        with ThreadPoolExecutor(AT_ONCE) as pool:
            asked = {name: pool.submit(self._try, messages, **more) for name, (messages, more) in probes.items()}
            self.replies |= {name: reply.result() for name, reply in asked.items()}
        if length > options["max_tokens"] and isinstance(self.replies["bid"], ModelFailure):
            messages, more = probes["bid"]  # the endpoint may allow fewer tokens
            self.replies["bid"] = self._try(messages, **{**more, "max_tokens": options["max_tokens"]})

    def _try(self, messages: tuple[Message, ...], **more: Any) -> Reply:
        try:
            return self._ask(messages, **more)
        except ModelFailure as failure:
            return failure

    def _ask(self, messages: tuple[Message, ...], model: Any = None, **sampling: Any) -> Completion:
        request = Request(messages, **{"temperature": None, "max_tokens": self._limit, "seed": None, **sampling})
        completion: Completion = (model or self.model).complete(request, self._pause)
        return completion

    def _pause(self, seconds: float, why: str = "") -> None:
        """Wait before another attempt; an endpoint that is silent or asks for patience gets no other attempt."""
        if why:
            if ": timeout" in why or seconds > MAX_WAIT:
                waits = f"; it asks to wait {seconds:.0f} s" if seconds > MAX_WAIT else ""
                raise ModelFailure(why.rpartition(", attempt")[0].removeprefix("waiting for ") + waits)
            if seconds > NOTABLE_WAIT:
                self._on_wait(why)
        time.sleep(seconds)


def _other_ways(model: Any) -> Iterator[Mapping[str, Any]]:
    """Yield changes of a model with which it may be possible to call it."""
    if _has(model, "api"):
        yield {"api": "chat" if model.api == "responses" else "responses"}
    if _has(model, "stream"):
        yield {"stream": not model.stream}


def _may_work_otherwise(failure: ModelFailure) -> bool:
    """Return whether the request may be at fault, and not the address, the key or the network."""
    return bool(
        re.search(r": (?:400|404|405|415|422|501)\b|last: (?:501|malformed|empty body|cut stream)", str(failure))
    )
