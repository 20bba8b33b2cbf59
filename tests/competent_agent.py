"""A server with the replies of `llm:scripted`, which tests can replace."""

from __future__ import annotations

import asyncio

from aucenv.baselines.llm.script.script import ScriptedModel
from aucenv.baselines.llm.script.tasks import task_of
from aucenv.benchmarks.timings.loopback import Loopback


def phase_of(messages):
    """Return the phase of the latest task in the messages, and the task; a repeated request has its task's phase."""
    task = task_of(messages)
    assert task is not None, f"no known task: {messages[-1]['content']!r:.300}"
    return task.phase, task.text


class Barrier:
    """Holds the requests of a kind until a given number of them are waiting, so sequential requests get no reply."""

    def __init__(self, together):
        self.kinds = together
        self._waiting = {kind: [] for kind in together}

    async def hold(self, kind):
        if kind not in self.kinds:
            return
        waiting, released = self._waiting[kind], asyncio.Event()
        waiting.append(released)
        if len(waiting) == self.kinds[kind]:
            for event in waiting:
                event.set()
            waiting.clear()
        await released.wait()


class Competent(Loopback):
    """A loopback server that replies to the tasks of all agents.

    Args:
        mistakes: by phase, a list of replies that replace the first competent ones: a text, or a function of the
            competent reply; None keeps the competent reply.
        together: by phase, the number of requests that must be waiting before any of them gets a reply.

    Attributes:
        asked: (phase, messages) of each call, in order.
    """

    def __init__(self, mistakes=None, together=None):
        super().__init__(self.reply)
        self._barrier = Barrier(together or {})
        self._script = ScriptedModel()
        self.mistakes = {phase: list(list_) for phase, list_ in (mistakes or {}).items()}
        self.asked = []

    async def hold(self, body):
        if self._barrier.kinds:
            await self._barrier.hold(phase_of(body["messages"])[0])

    def reply(self, body):
        messages = body["messages"]
        phase, _ = phase_of(messages)
        self.asked.append((phase, messages))
        ahead = self.mistakes.get(phase)
        instead = ahead.pop(0) if ahead else None
        if isinstance(instead, str):
            return instead
        good = self.competent_reply(task_of(messages))
        return good if instead is None else instead(good)

    def competent_reply(self, task):
        return self._script.answer(task)
