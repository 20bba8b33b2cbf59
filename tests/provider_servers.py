"""Loopback servers in the forms of Anthropic's and Google's own APIs."""

from __future__ import annotations

import json

from aucenv.baselines.llm.script.script import structured
from aucenv.benchmarks.timings.loopback import Loopback

REPLY = "I bid $4,000!"
ANTHROPIC_USAGE = {
    "input_tokens": 50,
    "cache_read_input_tokens": 30,
    "cache_creation_input_tokens": 20,
    "output_tokens": 9,
}
GEMINI_USAGE = {
    "promptTokenCount": 100,
    "candidatesTokenCount": 9,
    "cachedContentTokenCount": 30,
    "totalTokenCount": 109,
}


def decision(words):
    """Return the arguments of the call with the decision in these words."""
    return json.loads(structured(words))


class Anthropic(Loopback):
    """A server in the form of docs.anthropic.com/en/api/messages; `refuses` is a parameter that it does not take."""

    name = "anthropic/claude-sonnet-4-5"
    required, allowed = (
        ("model", "messages", "max_tokens"),
        ("system", "temperature", "top_p", "thinking", "output_config", "cache_control"),
    )

    def __init__(self, refuses=None, answer=lambda body: REPLY, usage=ANTHROPIC_USAGE):
        super().__init__(answer)
        self.refuses = refuses
        self.usage = usage

    async def respond(self, body, writer):
        unknown = set(body) - {*self.required, *self.allowed, "stream", "output_format", "tools", "tool_choice"}
        if unknown or self.refuses in body:
            message = f"{[*unknown, self.refuses][0]}: Extra inputs are not permitted"
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "r"}
            await self.send(writer, error, False, "400 Bad Request")
            return
        if "thinking" in body and body.get("tool_choice", {}).get("type") in ("any", "tool"):
            message = "Thinking may not be enabled when tool_choice forces tool use."
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
            await self.send(writer, error, False, "400 Bad Request")
            return
        assert all(name in body for name in self.required)
        words = self._answer(body)
        said = {"type": "text", "text": words}
        if "tools" in body:
            said = {"type": "tool_use", "id": "t1", "name": body["tools"][0]["name"], "input": decision(words)}
        thinking = [{"type": "thinking", "thinking": "Cheap.", "signature": "s"}] if "thinking" in body else []
        await self.send(
            writer,
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [*thinking, said],
                "stop_reason": "tool_use" if "tools" in body else "end_turn",
                "stop_sequence": None,
                "usage": self.usage,
            },
            False,
            more="request-id: req_7\r\nSet-Cookie: a=b\r\n",
        )


class Gemini(Loopback):
    """A server in the form of ai.google.dev/api/generate-content; `refuses` is a field of `generationConfig`."""

    name = "gemini/gemini-2.5-flash"

    def __init__(self, refuses=None, answer=lambda body: REPLY, usage=GEMINI_USAGE):
        super().__init__(answer)
        self.refuses = refuses
        self.usage = usage

    async def respond(self, body, writer):
        assert body["contents"][-1]["parts"][0]["text"]
        if self.refuses == "tools" and "tools" in body:
            message = "Function calling is not enabled for models/gemini-2.5-flash"
            error = {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
            await self.send(writer, error, False, "400 Bad Request")
            return
        if self.refuses in body["generationConfig"]:
            message = f"Invalid JSON payload received. Unknown name \"{self.refuses}\" at 'generation_config': Cannot find field."
            error = {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
            await self.send(writer, error, False, "400 Bad Request")
            return
        parts = [{"text": "Cheap.", "thought": True}] if "thinkingConfig" in body["generationConfig"] else []
        words = self._answer(body)
        said = {"text": words}
        if "tools" in body:
            (tool,) = body["tools"][0]["function_declarations"]
            said = {"functionCall": {"name": tool["name"], "args": decision(words)}}
        content = {"parts": [*parts, said], "role": "model"}
        await self.send(
            writer,
            {
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "usageMetadata": self.usage,
                "modelVersion": "gemini-2.5-flash",
                "responseId": "r",
            },
            False,
        )
