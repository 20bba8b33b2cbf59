"""Servers that answer in the documented forms of the endpoints whose API resembles OpenAI's, and refuse other fields."""

from __future__ import annotations

import json
from http import HTTPStatus

from aucenv.baselines.llm.script.script import structured
from aucenv.benchmarks.timings.loopback import Loopback, bid_or_leave

CHAT_FIELDS = {
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "messages", "metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction",
    "presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format", "safety_identifier", "seed",
    "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools",
    "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
}  # fmt: skip
"""The fields of developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create."""
RESPONSES_FIELDS = {
    "background", "conversation", "include", "input", "instructions", "max_output_tokens", "max_tool_calls",
    "metadata", "model", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key", "reasoning",
    "safety_identifier", "service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice",
    "tools", "top_logprobs", "top_p", "truncation", "user",
}  # fmt: skip
"""The fields of developers.openai.com/api/reference/resources/responses/methods/create."""
OLLAMA_FIELDS = {
    "model", "messages", "stream", "stream_options", "max_tokens", "seed", "stop", "temperature", "frequency_penalty",
    "presence_penalty", "top_p", "response_format", "tools", "reasoning", "reasoning_effort", "logprobs",
    "top_logprobs",
}  # fmt: skip
"""The fields of ChatCompletionRequest in github.com/ollama/ollama/blob/main/openai/openai.go."""
LOCAL_FIELDS = {"top_k", "min_p", "repetition_penalty", "chat_template_kwargs"}
THOUGHT = "The least bid is below my limit."
ID = "chatcmpl-7f3a"
REQUEST_ID = "req_5b1d"


def status_line(status):
    return f"{status} {HTTPStatus(status).phrase if status != 529 else 'Overloaded'}"


def server_sent(events):
    """Return the events as a stream; a `str` is sent as it is."""
    return "".join(event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n" for event in events)


def pieces(words):
    return [words[start : start + 6] for start in range(0, len(words), 6)]


def call_of(body, words):
    """Return the call of the tool that a request offers, with the decision in these words."""
    (tool,) = body["tools"]
    assert tool["type"] == "function"
    function = tool.get("function", tool)
    decision = json.loads(structured(words))
    assert set(decision) == set(function["parameters"]["required"])
    assert decision["action"] in function["parameters"]["properties"]["action"]["enum"]
    return {"name": function["name"], "arguments": json.dumps(decision)}


class OpenAIChat(Loopback):
    """Chat completions (developers.openai.com/api/reference/resources/chat/subresources/completions).

    Args:
        refused: the parameters that the model refuses; "system" is the role.
        plan: the faults of the first requests, in order.

    Attributes:
        rejected: the parameters because of which requests were rejected, in order.
    """

    path = "/v1/chat/completions"
    known = CHAT_FIELDS
    options = ""
    reasoning_field = ""
    fingerprint = "fp_44709d6fcb"
    usage_is_always_sent = False
    ends_with_done = True

    def __init__(self, *refused, plan=(), answer=bid_or_leave):
        super().__init__(answer)
        self.refused = refused
        self.plan = list(plan)
        self.rejected = []

    @property
    def bidder(self):
        return f"llm:openai:m,base_url={self.url}{self.options}"

    async def respond(self, body, writer):
        wrong = self.wrong(body)
        if wrong:
            await self.answer_with(writer, *wrong)
        elif self.plan:
            await self.answer_with(writer, *self.fault(self.plan.pop(0), body))
        elif body.get("stream"):
            await self.answer_with(writer, 200, self.stream(body))
        else:
            await self.answer_with(writer, 200, self.completion(body))

    async def answer_with(self, writer, status, body):
        """Send JSON or the text of a stream."""
        kind = "text/event-stream" if isinstance(body, str) else "application/json"
        data = body if isinstance(body, str) else json.dumps(body)
        more = f"x-request-id: {REQUEST_ID}\r\nSet-Cookie: __cf_bm=1; Path=/\r\n"
        await self.write(writer, data.encode(), status_line(status), more, kind)

    def wrong(self, body):
        """Return the status and the error for a request that the API does not allow; None if it does."""
        if self.paths[-1] != self.path:
            return 404, self.error(f"Invalid URL (POST {self.paths[-1]})")
        unknown = [name for name in body if name not in self.known]
        if unknown:
            self.rejected.append(unknown[0])
            return self.unknown(unknown[0])
        messages = self.messages_of(body)
        assert all(type(message["content"]) is str for message in messages)
        if body.get("stream_options") is not None and not body.get("stream"):
            return 400, self.error(
                "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options"
            )
        if "tool_choice" in body and "tools" not in body:
            return 400, self.error("'tool_choice' is only allowed when 'tools' are specified.", "tool_choice")
        strict = ["strict"] if '"strict": true' in json.dumps(body.get("tools")) else []
        sent = {*body, *strict, *(message["role"] for message in messages)}
        for name in self.refused:
            if name in sent:
                self.rejected.append(name)
                return self.refusal(name, body)
        return None

    def messages_of(self, body):
        return body["messages"]

    def error(self, message, param=None, code=None):
        return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}

    def unknown(self, name):
        return 400, self.error(f"Unknown parameter: '{name}'.", name, "unknown_parameter")

    def refusal(self, name, body):
        return 400, OpenAIChat.error(self, *self.reason(name))

    def reason(self, name):
        """Return the message, the parameter and the code of OpenAI's error."""
        if name == "system":
            text = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
            return text, "messages[0].role", "unsupported_value"
        if name == "response_format":
            text = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
            return text, name, None
        text = f"Unsupported parameter: '{name}' is not supported with this model."
        instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
        return text + instead, name, "unsupported_parameter"

    def fault(self, name, body):
        if name == "context":
            message = "This model's maximum context length is 8192 tokens. However, your messages are longer."
            return 400, self.error(message, "messages", "context_length_exceeded")
        if name == "refusal":
            return 200, self.completion(body, content=None, refusal="I can't help with that.")
        return 200, self.completion(body, finish_reason=name)

    def usage(self, body):
        details = {
            "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 5, "audio_tokens": 0, "accepted_prediction_tokens": 0},
        }
        return {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, **details}

    def completion(self, body, **changed):
        frame = super().completion({**body, "messages": self.messages_of(body)}, **changed)
        choice = frame["choices"][0]
        choice["logprobs"] = None
        choice["message"].setdefault("refusal", None)
        if body.get("tools") and not changed:
            call = call_of(body, choice["message"]["content"])
            choice["message"] |= {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]}
            choice["finish_reason"] = "stop" if body.get("tool_choice") else "tool_calls"
        if self.reasoning_field:
            choice["message"][self.reasoning_field] = THOUGHT
        extra = {"id": ID, "created": 1_700_000_000, "model": "m-2026-01-01", "usage": self.usage(body)}
        return {**frame, **extra, "system_fingerprint": self.fingerprint}

    def stream(self, body, **changed):
        return server_sent([*self.chunks(body, **changed), *(["data: [DONE]\n\n"] if self.ends_with_done else [])])

    def chunks(self, body, **changed):
        whole = self.completion(body, **changed)
        choice, usage = whole.pop("choices")[0], whole.pop("usage")
        frame = {**whole, "object": "chat.completion.chunk"}
        deltas = [{"role": "assistant", "content": ""}]
        if self.reasoning_field:
            deltas += [{self.reasoning_field: piece} for piece in pieces(THOUGHT)]
        deltas += [{"content": piece} for piece in pieces(choice["message"]["content"] or "")]
        for index, call in enumerate(choice["message"].get("tool_calls", ())):
            arguments = call["function"]["arguments"]
            first = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
            rest = [{"index": index, "function": {"arguments": piece}} for piece in pieces(arguments)]
            deltas += [{"tool_calls": [piece]} for piece in (first, *rest)]
        ends = [None] * len(deltas) + [choice["finish_reason"]]
        sent = [
            {**frame, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": end}]}
            for delta, end in zip([*deltas, {}], ends, strict=True)
        ]
        if (body.get("stream_options") or {}).get("include_usage"):
            sent = [{**chunk, "usage": None} for chunk in sent]
            sent.append({**frame, "choices": [], "usage": usage})
        elif self.usage_is_always_sent:
            sent[-1]["usage"] = usage
        return sent


class OpenAIResponses(OpenAIChat):
    """The Responses API (developers.openai.com/api/reference/resources/responses) and its events.

    Streams end with `response.completed`, `response.incomplete` or `response.failed`, without [DONE].
    """

    path = "/v1/responses"
    known = RESPONSES_FIELDS
    options = ",api=responses"

    def messages_of(self, body):
        first = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
        given = body["input"]
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        read = [{"role": item["role"], "content": self.text_of(item["content"])} for item in items]
        return [*first, *read]

    def text_of(self, content):
        if isinstance(content, str):
            return content
        assert all(part["type"] in ("input_text", "output_text") for part in content)
        return "".join(part["text"] for part in content)

    def wrong(self, body):
        options = body.get("stream_options") or {}
        if "include_usage" in options:
            name = "stream_options.include_usage"
            return 400, self.error(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
        if "response_format" in self.refused and (body.get("text") or {}).get("format"):
            self.rejected.append("response_format")
            message = "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model."
            return 400, self.error(message, "text.format")
        return super().wrong(body)

    def completion(self, body, status="completed", reason=None, refusal=None, **changed):
        words = self._answer({**body, "messages": self.messages_of(body)})
        part = {"type": "output_text", "text": words, "annotations": [], "logprobs": []}
        if refusal:
            part = {"type": "refusal", "refusal": refusal}
        output = [
            {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]},
            {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [part]},
        ]
        if body.get("tools") and status == "completed" and not refusal:
            output[1] = {"id": "fc_1", "type": "function_call", "call_id": "c1", **call_of(body, words)}
        if status == "failed":
            output, changed["error"] = [], {"code": "server_error", "message": "The model failed."}
        usage = {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 5},
            "total_tokens": 120,
        }
        return {
            "id": "resp_67ccd2bed1ec8190",
            "object": "response",
            "created_at": 1_700_000_000,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": reason} if reason else None,
            "instructions": body.get("instructions"),
            "max_output_tokens": body.get("max_output_tokens"),
            "model": "m-2026-01-01",
            "output": output,
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "reasoning": {"effort": None, "summary": None},
            "store": True,
            "temperature": body.get("temperature", 1.0),
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "truncation": "disabled",
            "usage": None if status == "failed" else usage,
            "user": None,
            "metadata": {},
            **changed,
        }

    def stream(self, body, **changed):
        whole = self.completion(body, **changed)
        nothing = dict.fromkeys(("usage", "incomplete_details", "error"))
        begun = {**whole, **nothing, "status": "in_progress", "output": []}
        events = [("response.created", {"response": begun}), ("response.in_progress", {"response": begun})]
        for index, item in enumerate(whole["output"]):
            where = {"item_id": item["id"], "output_index": index}
            kinds = {
                "reasoning": ({"summary": []}, self.reasoning_events),
                "message": ({"content": []}, self.text_events),
            }
            empty, between = kinds.get(item["type"], ({"arguments": ""}, self.call_events))
            events.append(("response.output_item.added", {"output_index": index, "item": {**item, **empty}}))
            events += between(item, where)
            events.append(("response.output_item.done", {"output_index": index, "item": item}))
        events.append((f"response.{whole['status']}", {"response": whole}))
        numbered = [{"type": kind, "sequence_number": n, **data} for n, (kind, data) in enumerate(events)]
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in numbered)

    def reasoning_events(self, item, where):
        part, place = item["summary"][0], {**where, "summary_index": 0}
        name = "response.reasoning_summary"
        yield f"{name}_part.added", {**place, "part": {**part, "text": ""}}
        for piece in pieces(part["text"]):
            yield f"{name}_text.delta", {**place, "delta": piece}
        yield f"{name}_text.done", {**place, "text": part["text"]}
        yield f"{name}_part.done", {**place, "part": part}

    def call_events(self, item, where):
        for piece in pieces(item["arguments"]):
            yield "response.function_call_arguments.delta", {**where, "delta": piece}
        yield "response.function_call_arguments.done", {**where, "arguments": item["arguments"]}

    def text_events(self, item, where):
        part, place = item["content"][0], {**where, "content_index": 0}
        field = "refusal" if part["type"] == "refusal" else "text"
        kind, more = ("refusal", {}) if field == "refusal" else ("output_text", {"logprobs": []})
        yield "response.content_part.added", {**place, "part": {**part, field: ""}}
        for piece in pieces(part[field]):
            yield f"response.{kind}.delta", {**place, "delta": piece, **more}
        yield f"response.{kind}.done", {**place, field: part[field], **more}
        yield "response.content_part.done", {**place, "part": part}

    def fault(self, name, body):
        changed = {
            "length": {"status": "incomplete", "reason": "max_output_tokens"},
            "content_filter": {"status": "incomplete", "reason": "content_filter"},
            "failed": {"status": "failed"},
            "refusal": {"refusal": "I can't help with that."},
        }.get(name)
        if changed is None:
            return super().fault(name, body)
        return 200, (self.stream if body.get("stream") else self.completion)(body, **changed)


SAFE = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}
FILTERED = {**SAFE, "violence": {"filtered": True, "severity": "medium"}}
PROMPT_RESULTS = [{"prompt_index": 0, "content_filter_results": SAFE}]


class AzureLike(OpenAIChat):
    """Azure OpenAI's API v1, with annotations of filters (learn.microsoft.com/azure/ai-foundry/openai/latest)."""

    path = "/openai/v1/chat/completions"
    known = CHAT_FIELDS | {"data_sources", "user_security_context"}
    options = ",header.api-key=env:AZURE_LIKE_KEY"

    @property
    def bidder(self):
        return super().bidder.replace("/v1", "/openai/v1")

    def wrong(self, body):
        if not self.headers[-1].get("api-key"):
            return 401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key."}}
        return super().wrong(body)

    def completion(self, body, **changed):
        whole = super().completion(body, **changed)
        whole["choices"][0]["content_filter_results"] = SAFE
        return {**whole, "prompt_filter_results": PROMPT_RESULTS}

    def chunks(self, body, **changed):
        empty = {"id": "", "object": "", "created": 0, "model": "", "choices": []}
        sent = super().chunks(body, **changed)
        for chunk in sent:
            chunk.pop("prompt_filter_results", None)
        return [{**empty, "prompt_filter_results": PROMPT_RESULTS}, *sent]

    def fault(self, name, body):
        if name != "filtered prompt":
            return super().fault(name, body)
        error = {
            "message": "The response was filtered due to the prompt triggering Azure's content management policy.",
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": FILTERED},
        }
        return 400, {"error": error}


class AzureDeployments(AzureLike):
    """Azure OpenAI's older API, in which the address names the deployment (.../azure/ai-foundry/openai/reference)."""

    path = "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    options = ",api_version=2024-10-21,key_env=AZURE_LIKE_KEY"

    @property
    def bidder(self):
        return super().bidder.replace("/openai/v1", "")


class OpenRouter(OpenAIChat):
    """OpenRouter (openrouter.ai/docs/api-reference/streaming, .../errors, .../overview and use-cases/usage-accounting)."""

    known = CHAT_FIELDS | LOCAL_FIELDS | {"reasoning", "include_reasoning", "provider", "models", "transforms", "usage"}
    reasoning_field = "reasoning"
    usage_is_always_sent = True

    def error(self, message, param=None, code=400):
        return {"error": {"message": message, "code": code if isinstance(code, int) else 400}}

    def refusal(self, name, body):
        raw = json.dumps(super().refusal(name, body)[1])
        error = {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw, "provider_name": "OpenAI"}}
        return 400, {"error": error, "user_id": "user_2x"}

    def usage(self, body):
        cost = {"cost": 0.000125, "is_byok": False, "cost_details": {"upstream_inference_cost": None}}
        return {**super().usage(body), **cost}

    def completion(self, body, **changed):
        whole = super().completion(body, **changed)
        choice = whole["choices"][0]
        details = {"type": "reasoning.text", "text": THOUGHT, "format": "unknown", "index": 0}
        choice["message"]["reasoning_details"] = [details]
        choice["native_finish_reason"] = "completed"
        return {**whole, "id": "gen-1700000000-7f3a", "provider": "OpenAI"}

    def stream(self, body, **changed):
        comments = ": OPENROUTER PROCESSING\n\n"
        chunks = self.chunks(body, **changed)
        return server_sent([comments, comments, *chunks[:2], comments, *chunks[2:], "data: [DONE]\n\n"])

    def fault(self, name, body):
        error = {"code": 502, "message": "Provider disconnected", "metadata": {"provider_name": "OpenAI"}}
        if name == "error in 200":
            return 200, {"error": error}
        if name == "error in a stream":
            sent = self.chunks(body)
            choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
            last = {**sent[0], "error": {**error, "code": "server_error"}, "choices": [choice]}
            return 200, server_sent([": OPENROUTER PROCESSING\n\n", *sent[:3], last])
        return super().fault(name, body)


class VLLM(OpenAIChat):
    """vLLM of 2024, which refused unknown fields (github.com/vllm-project/vllm, entrypoints/openai/protocol.py)."""

    known = CHAT_FIELDS | LOCAL_FIELDS | {"min_tokens", "guided_json", "structured_outputs"}
    reasoning_field = "reasoning_content"
    fingerprint = None

    def error(self, message, param=None, code=None):
        return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400}

    def unknown(self, name):
        detail = {"type": "extra_forbidden", "loc": ("body", name), "msg": "Extra inputs are not permitted", "input": 1}
        return 400, self.error(str([detail]))

    def refusal(self, name, body):
        return (400, self.error("System role not supported")) if name == "system" else self.unknown(name)

    def fault(self, name, body):
        if name == "context":
            return 400, self.error("max_tokens must be at least 1, got -53.")
        return super().fault(name, body)


class Ollama(OpenAIChat):
    """Ollama's /v1 (github.com/ollama/ollama/blob/main/openai/openai.go, docs/api/openai-compatibility)."""

    known = OLLAMA_FIELDS
    reasoning_field = "reasoning"
    fingerprint = "fp_ollama"

    def unknown(self, name):
        return 400, self.error(f'json: unknown field "{name}"')

    def refusal(self, name, body):
        return self.unknown(name)

    def usage(self, body):
        return {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

    def fault(self, name, body):
        if name == "context":
            return 400, self.error("the input length exceeds the context length")
        if name == "unknown model":
            error = self.error('model "m" not found, try pulling it first')
            return 404, {"error": {**error["error"], "type": "not_found_error"}}
        return super().fault(name, body)


class LlamaCpp(OpenAIChat):
    """llama.cpp's server (github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md)."""

    known = CHAT_FIELDS | LOCAL_FIELDS | {"cache_prompt", "grammar", "json_schema", "reasoning_format"}
    reasoning_field = "reasoning_content"
    fingerprint = "b6690-a1b2c3d4"

    def error(self, message, param=None, code=None, kind="invalid_request_error", status=400):
        return {"error": {"code": status, "message": message, "type": kind}}

    def unknown(self, name):
        return 400, self.error(f"Unsupported param: {name}")

    def refusal(self, name, body):
        if name != "system":
            return self.unknown(name)
        place = "\n------------\nWhile executing CallExpression at line 1, column 75 in source:\n...\n   ^\n"
        message = f"{place}Error: Jinja Exception: System role not supported"
        return 500, self.error(message, kind="server_error", status=500)

    def completion(self, body, **changed):
        timings = {"cache_n": 64, "prompt_n": 36, "prompt_ms": 30.9, "predicted_n": 20, "predicted_per_second": 30.1}
        return {**super().completion(body, **changed), "timings": timings}

    def fault(self, name, body):
        if name != "context":
            return super().fault(name, body)
        message = "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it"
        error = self.error(message, kind="exceed_context_size_error")["error"]
        return 400, {"error": {**error, "n_prompt_tokens": 9412, "n_ctx": 8192}}


class TransformersServe(OpenAIChat):
    """`transformers serve` (github.com/huggingface/transformers/tree/main/src/transformers/cli/serving).

    Its streams have no [DONE], leave out what is null, and send the usage with the last chunk.
    """

    known = CHAT_FIELDS | {"generation_config", "chat_template_kwargs"}
    reasoning_field = "reasoning_content"
    fingerprint = ""
    usage_is_always_sent = True
    ends_with_done = False

    def unknown(self, name):
        return 422, {"detail": f"Unexpected fields in the request: { {name} }"}

    def refusal(self, name, body):
        return self.unknown(name)

    def usage(self, body):
        return {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

    def chunks(self, body, **changed):
        sent = super().chunks({**body, "stream_options": None}, **changed)
        for chunk in sent:
            choice = chunk["choices"][0]
            chunk["choices"] = [{name: value for name, value in choice.items() if value is not None}]
        return sent

    def fault(self, name, body):
        if name == "error in a stream":
            return 200, server_sent([*self.chunks(body)[:2], 'data: {"error": "CUDA out of memory"}\n\n'])
        return super().fault(name, body)


class Mistral(OpenAIChat):
    """Mistral's API (docs.mistral.ai/api/endpoint/chat), whose errors are those of pydantic."""

    known = CHAT_FIELDS - {"max_completion_tokens", "seed"} | {"random_seed", "safe_prompt", "prompt_mode"}
    fingerprint = None

    def unknown(self, name):
        detail = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": 1}
        return self.invalid(detail)

    def invalid(self, detail):
        error = {"message": {"detail": [detail]}, "type": "invalid_request_error", "param": None, "code": None}
        return 422, {"object": "error", **error}

    def refusal(self, name, body):
        if name != "system":
            return self.unknown(name)
        expected = "Input should be 'user', 'assistant' or 'tool'"
        place = ["body", "messages", 0, "role"]
        return self.invalid({"type": "literal_error", "loc": place, "msg": expected, "input": "system"})


class Gemini(OpenAIChat):
    """Gemini's API with OpenAI's forms (ai.google.dev/gemini-api/docs/openai), whose errors are lists."""

    known = CHAT_FIELDS - {"seed"}
    fingerprint = None

    def listed(self, message):
        return 400, [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}]

    def unknown(self, name):
        return self.listed(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')

    def refusal(self, name, body):
        if name == "system":
            return self.listed("Developer instruction is not enabled for models/m")
        return self.unknown(name)


class Anthropic(OpenAIChat):
    """Anthropic's errors (docs.claude.com/en/api/errors), as proxies of its API return them."""

    known = CHAT_FIELDS - {"seed", "response_format"}

    def error(self, message, param=None, code=None):
        error = {"type": "invalid_request_error", "message": message}
        return {"type": "error", "error": error, "request_id": REQUEST_ID}

    def unknown(self, name):
        return 400, self.error(f"{name}: Extra inputs are not permitted")

    def refusal(self, name, body):
        if name == "system":
            return 400, self.error('messages: Unexpected role "system". Use the top-level `system` parameter.')
        return 400, self.error(f"`{name}` is deprecated for this model.")


DIALECTS = (
    OpenAIChat,
    OpenAIResponses,
    AzureLike,
    AzureDeployments,
    OpenRouter,
    VLLM,
    Ollama,
    LlamaCpp,
    TransformersServe,
)
"""The dialects that play games."""
REFUSING = (*DIALECTS[:2], AzureLike, OpenRouter, VLLM, LlamaCpp, Mistral, Gemini, Anthropic)
"""The dialects whose shapes of refusals differ."""
