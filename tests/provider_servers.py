"""Loopback servers in the forms of Anthropic's and Google's own APIs."""

from __future__ import annotations

from aucenv.benchmarks.loopback import Loopback

REPLY = "I bid $4,000!"


class Anthropic(Loopback):
    """A server in the form of docs.anthropic.com/en/api/messages; `refuses` is a parameter that it does not take."""

    name = "anthropic/claude-sonnet-4-5"
    required, allowed = (
        ("model", "messages", "max_tokens"),
        ("system", "temperature", "top_p", "thinking", "output_config", "cache_control"),
    )

    def __init__(self, refuses=None, answer=lambda body: REPLY):
        super().__init__(answer)
        self.refuses = refuses

    async def respond(self, body, writer):
        unknown = set(body) - {*self.required, *self.allowed, "stream", "output_format", "tools", "tool_choice"}
        if unknown or self.refuses in body:
            message = f"{[*unknown, self.refuses][0]}: Extra inputs are not permitted"
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "r"}
            await self.send(writer, error, False, "400 Bad Request")
            return
        assert all(name in body for name in self.required)
        thinking = [{"type": "thinking", "thinking": "Cheap.", "signature": "s"}] if "thinking" in body else []
        await self.send(
            writer,
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [*thinking, {"type": "text", "text": self._answer(body)}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {
                    "input_tokens": 50,
                    "cache_read_input_tokens": 30,
                    "cache_creation_input_tokens": 20,
                    "output_tokens": 9,
                },
            },
            False,
            more="request-id: req_7\r\nSet-Cookie: a=b\r\n",
        )


class Gemini(Loopback):
    """A server in the form of ai.google.dev/api/generate-content; `refuses` is a field of `generationConfig`."""

    name = "gemini/gemini-2.5-flash"

    def __init__(self, refuses=None, answer=lambda body: REPLY):
        super().__init__(answer)
        self.refuses = refuses

    async def respond(self, body, writer):
        assert body["contents"][-1]["parts"][0]["text"]
        if self.refuses in body["generationConfig"]:
            message = f"Invalid JSON payload received. Unknown name \"{self.refuses}\" at 'generation_config': Cannot find field."
            error = {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
            await self.send(writer, error, False, "400 Bad Request")
            return
        parts = [{"text": "Cheap.", "thought": True}] if "thinkingConfig" in body["generationConfig"] else []
        content = {"parts": [*parts, {"text": self._answer(body)}], "role": "model"}
        usage = {
            "promptTokenCount": 100,
            "candidatesTokenCount": 9,
            "cachedContentTokenCount": 30,
            "totalTokenCount": 109,
        }
        await self.send(
            writer,
            {
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "usageMetadata": usage,
                "modelVersion": "gemini-2.5-flash",
                "responseId": "r",
            },
            False,
        )
