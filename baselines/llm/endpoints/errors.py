"""Errors of endpoints: what they mean, in the forms in which endpoints write them."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from aucenv.core.files import JsonMapping
from aucenv.core.policy import ModelFailure
from aucenv.core.words.outside_text import Secrets, shorten
from aucenv.runs.model_calls.calls import Completion

TRANSIENT = (408, 409, 425, 429)
"""HTTP statuses below 500 that are transient errors."""
MAX_REASON = 300
"""The number of characters of an error's message that are shown."""
TOO_LONG = (
    "context.(?:length|size|window)|maximum context|too many tokens|(?:prompt|input) is too (?:long|large)|"
    "number of tokens|max_(?:completion_|output_)?tokens must be at least 1\\b|exceed_context|"
    "(?:prompt|input) (?:token|length).{0,40}exceed|prompt has more tokens|inputs?.{0,3} tokens? \\+"
)
"""Pattern of errors that say that the prompt exceeds the model's context."""
FILTERED = (
    "content_filter|content_policy|content management|responsibleai|prohibited_content|was flagged for|"
    "content exists risk"
)
"""Pattern of errors that say that a content filter has rejected the prompt."""
BEYOND_LIMITS = "insufficient_quota|insufficient.balance|credit balance is too low|billing_hard_limit|request too large"
"""Pattern of errors with a transient status that waiting does not change: the account cannot pay for the request."""
SYSTEM = "system"
"""The name of the system role among refused parameters: its text then becomes part of the first user message."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""The parameters with the maximum number of tokens of a reply."""
TOOLS, CHOICE, STRICT = "tools", "tool_choice", "strict"
"""The parameters with the tools, whether one has to be called, and the field of a tool that requires its form."""
FORMATS = ("response_format", "text")
"""The parameters with the form of a reply in words."""
FORMS = (TOOLS, *FORMATS)
"""The parameters with the form of the reply."""
OPTIONAL = (
    *("temperature", "top_p", "seed", "cache_control", "stream_options", "stream", "store", CHOICE, STRICT),
    *(*FORMS, *LIMITS),
)
"""The parameters that are left out if an endpoint refuses them."""
_REFUSES = re.compile(
    r"unsupported|not.{0,12}(?:support|permit|allow|recogni[sz]|accept|available|enabled|implemented)|unknown|"
    r"unrecogni[sz]ed|unexpected|extra|cannot|can't|\bonly\b|deprecated|removed|invalid|must (?:either )?be|"
    r"no endpoints|incompatible|instead|should (?:be|not)|does ?n.t|disallow|forbidden|expected",
    re.IGNORECASE,
)
_REFUSES_NAME = re.compile(
    r"unsupported|not.{0,12}(?:support|permit|allow|recogni[sz]|accept|available|implemented)|unknown|unrecogni[sz]ed|"
    r"unexpected|extra|deprecated|instead|removed|disallow|forbidden",
    re.IGNORECASE,
)
_OF_VALUE = re.compile(
    r"too (?:large|high|many|big|small)|at (?:most|least)|exceed|greater|less than|(?:above|below) m|maximum|between|"
    r"range|non-negative|must be in|[<>]=",
    re.IGNORECASE,
)
_SYSTEM_ROLE = re.compile(
    r"system.{0,30}(?:role|message|prompt|instruction)s?.{0,30}not|not.{0,30}system.{0,20}(?:role|message|prompt|instr)|"
    r"(?:does not|doesn.t|don.t) support 'system'|developer instruction|roles? must alternate|"
    r"only.{0,60}roles? (?:are|is).{0,40}(?:support|allow)|role.{0,60}(?:'|\")?system(?:'|\")?.{0,60}(?:invalid|not)|"
    r"(?:invalid|unsupported|unknown|unexpected).{0,20}role.{0,10}system|system.{0,20}is not (?:a )?(?:valid|allowed)|"
    r"'role'.{0,120}'system'|system message must",
    re.IGNORECASE,
)
_ABOUT_FORM = re.compile(r"response.?format|json.?schema|json mode|structured|guided|grammar", re.IGNORECASE)
_ABOUT_TOOLS = re.compile(r"\btools?\b|function.?(?:call|declaration)", re.IGNORECASE)
_TOOLS_REFUSED_AS_500 = re.compile(r"\bparam\w*:? .{0,3}tools\b|\b(?:tools|tool_choice) param", re.IGNORECASE)
"""Pattern of the errors of llama.cpp's server, which refuses tools with status 500."""
_GENERIC = re.compile(
    r"(?:unsupported|unknown|unrecogni[sz]ed|unexpected|extra|invalid|not (?:support|permit|allow)\w*|no endpoints)"
    r".{0,60}(?:param|argument|field|input|propert)",
    re.IGNORECASE,
)


class TransportFailure(Exception):
    """A transient error, after which the same request is sent again.

    Args:
        kind: the error in a word, for the journal: "timeout", "connection", "malformed", "429", ...
        after: seconds that the endpoint asks to wait; None if it names no time.
        detail: more about the error; "" if nothing is known.
    """

    def __init__(self, kind: str, after: float | None = None, detail: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.after = after
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.kind} ({self.detail})" if self.detail else self.kind


class Redirected(Exception):
    """A response that redirects the request.

    Args:
        status: its status.
        target: the scheme and host to which it redirects, in the endpoint's words.
    """

    def __init__(self, status: int, target: str) -> None:
        super().__init__(status)
        self.status = status
        self.target = target


class ParameterRefused(ModelFailure):
    """An error that says, or may say, that a parameter of the request is not supported.

    Attributes:
        parameter: one of OPTIONAL, or SYSTEM.
    """

    parameter: str


@dataclasses.dataclass(frozen=True)
class EndpointError:
    """An error of an endpoint.

    Attributes:
        code, kind, message, param: the fields `code`, `type`, `message` and `param` of its body, as texts.
        places: the names of the fields that are at fault, if the body lists them.
    """

    status: int
    code: str = ""
    kind: str = ""
    message: str = ""
    param: str = ""
    places: tuple[str, ...] = ()

    def masked(self, secrets: Secrets) -> EndpointError:
        """Return the error with secrets masked."""
        texts: dict[str, Any] = {
            name: secrets.mask(getattr(self, name)) for name in ("code", "kind", "message", "param")
        }
        return dataclasses.replace(self, **texts, places=tuple(map(secrets.mask, self.places)))

    @property
    def reason(self) -> str:
        """The reason to show, in one line."""
        return shorten(self.message, MAX_REASON) or shorten(self.code, MAX_REASON) or "no reason given"


class ErrorInBody(Exception):
    """A response of any status with an error in its body."""

    def __init__(self, error: EndpointError) -> None:
        super().__init__(error.status)
        self.error = error


def read_error(status: int, body: Any) -> EndpointError:
    """Return the error in the body of a response.

    Args:
        status: the HTTP status.
        body: the parsed JSON of the body, or its text.
    """
    if isinstance(body, list):
        body = body[0] if body else ""
    if isinstance(body, dict) and isinstance(body.get("error"), str) and isinstance(body.get("details"), dict):
        return read_error(status, body["details"])
    if isinstance(body, dict) and isinstance(body.get("error"), (dict, list, str)):
        return read_error(status, body["error"])
    if not isinstance(body, dict):
        return EndpointError(status, message=_flat(body))
    words = [body.get(name) for name in ("message", "detail", "title") if body.get(name)]
    metadata = body.get("metadata")
    if isinstance(metadata, dict) and metadata.get("raw"):  # the error of the provider behind OpenRouter
        words.append(metadata["raw"])
    inner = body.get("innererror")
    kinds = (body.get("type"), body.get("status"), isinstance(inner, dict) and inner.get("code"))
    kind = " ".join(_flat(part) for part in kinds if part)
    return EndpointError(
        status,
        code=_flat(body.get("code") or ""),
        kind=kind,
        message=" ".join(map(_flat, words)),
        param=_flat(body.get("param") or ""),
        places=tuple(_places(words)),
    )


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _places(value: Any) -> Iterator[str]:
    """Yield the last names of all fields `loc` of a validation error, as FastAPI and pydantic write it."""
    for part in value if isinstance(value, list) else ():
        yield from _places(part)
    if isinstance(value, dict):
        place = value.get("loc")
        yield from [str(name) for name in place if name != "body"][:1] if isinstance(place, list) else ()
        yield from _places(list(value.values()))


def outcome_of(error: EndpointError, after: float | None, sent: Collection[str], roles: Collection[str]) -> Completion:
    """Return an empty completion, whose `finish` names the reason, if the prompt was too long or filtered; else raise.

    Args:
        error: the error, with secrets masked.
        after: seconds that the endpoint asks to wait; None if it names no time.
        sent: the names of the parameters that were sent.
        roles: the roles of the messages that were sent.

    Raises:
        TransportFailure: if the error is transient.
        ModelFailure: if the error is permanent; ParameterRefused if the request may succeed without a parameter.
    """
    status = error.status
    text = f"{error.code} {error.kind} {error.message}".lower()
    if status in (400, 413, 422, 500) and re.search(TOO_LONG, text) and not _is_rate_limit(error):
        return Completion("", "context")
    if status in (400, 403) and re.search(FILTERED, text):
        return Completion("", "content_filter")
    parameter = _refused_parameter(error, sent, roles)
    if parameter:
        refusal = ParameterRefused(f"{status}: {error.reason}")
        refusal.parameter = parameter
        raise refusal
    if status >= 500 or (status in TRANSIENT and not re.search(BEYOND_LIMITS, text)):
        raise TransportFailure(str(status), after)
    remedy = _remedy(error, sent)
    raise ModelFailure(f"{status}: {error.reason}{remedy}")


def names_of(body: JsonMapping) -> set[str]:
    """Return the names of the parameters in the body of a request."""
    return {*body, *([STRICT] if f"'{STRICT}'" in str(body.get(TOOLS, "")) else [])}


def _is_rate_limit(error: EndpointError) -> bool:
    return "rate_limit" in f"{error.code} {error.kind}"


def _refused_parameter(error: EndpointError, sent: Collection[str], roles: Collection[str]) -> str | None:
    """Return the parameter that an error refuses, if it was sent and may be left out."""
    if error.status >= 500 or error.status in (401, 402, 403, *TRANSIENT):
        if error.status == 500 and TOOLS in sent and _TOOLS_REFUSED_AS_500.search(error.message):
            return TOOLS
        is_template_error = error.status == 500 and SYSTEM in roles and _SYSTEM_ROLE.search(error.message)
        return SYSTEM if is_template_error else None
    text = f"{error.code} {error.kind} {error.message}"
    named = [name for name in (error.param, *error.places, *_named_in(error.message, sent)) if name]
    if {"temperature", "top_p"} <= set(named) and re.search("both|only one", text):
        return "top_p"
    for name in named:
        root = re.split(r"[.\[]", name)[0]
        if root == TOOLS and STRICT in sent and re.search(rf"\b{STRICT}\b", f"{name} {text}"):
            root = STRICT
        if root in OPTIONAL and root in sent:
            return root if _is_refused(root, text) else None
        if root in ("messages", "input") and SYSTEM in roles and "system" in text:
            return SYSTEM
    if SYSTEM in roles and _SYSTEM_ROLE.search(error.message):
        return SYSTEM
    form = next((name for name in FORMS if name in sent), None)
    is_about_form = _ABOUT_FORM.search(text) or _GENERIC.search(f"{error.code} {error.message}")
    if form == TOOLS:
        is_about_form = is_about_form or _ABOUT_TOOLS.search(text)
    return form if form and not named and is_about_form else None


def _named_in(message: str, sent: Collection[str]) -> list[str]:
    """Return the parameters that a message names, in its order; common words only if they were sent."""
    known = {*OPTIONAL, *sent} - ({"text", "store", "stream", TOOLS, STRICT, *_OTHER_WORDS} - set(sent)) - _OTHER_WORDS
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return [match[0] for match in re.finditer(rf"(?<![\w-])(?:{names})(?![\w-])", message)]


_OTHER_WORDS = {"model", "messages", "input"}
"""Parameters that are common words of messages about other things."""


def _is_refused(name: str, text: str) -> bool:
    """Return whether a text about this parameter refuses it, rather than its value."""
    if name == "text":  # a common word
        return bool(_ABOUT_FORM.search(text) or re.search(r"text\.format|['\"`]text\b", text))
    refuses = _REFUSES_NAME if name in LIMITS else _REFUSES
    return bool(refuses.search(text)) and not _OF_VALUE.search(text)


def _remedy(error: EndpointError, sent: Collection[str]) -> str:
    """Return what the user can do about a parameter that the error names, or about an API that is not there."""
    if error.status in (404, 405) and "input" in sent and "model" not in error.message:
        return " (set api=chat in the bidder's name if the endpoint has no Responses API)"
    for name in (error.param, *error.places, *_named_in(error.message, sent)):
        if name.startswith("reasoning") and not name.startswith("reasoning_content"):
            return " (change or remove reasoning_effort in the bidder's name)"
        if name in LIMITS:
            return " (change max_tokens in the bidder's name)"
        if name in ("temperature", "top_p", "seed"):
            return f" (change {name} in the bidder's name)"
    return ""


def error_fields(error: JsonMapping) -> EndpointError:
    """Return the error in a body with status 200; its status is that of the error's code, or 500."""
    parsed = read_error(200, error)
    code = re.fullmatch("[1-5][0-9][0-9]", parsed.code)
    return dataclasses.replace(parsed, status=int(parsed.code) if code else 500)
