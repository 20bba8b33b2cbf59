"""Dry runs: games in which an agent sends its real prompts to a script instead of a model.

A rule bidder decides, so the number of calls and their prompts are those of a competent model. They show what a game
costs before any model is paid for it.
"""

from __future__ import annotations

import bisect
import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from aucenv.baselines.llm.agents.agent import Agent, SamplingOptions
from aucenv.baselines.llm.agents.bdi import BdiAgent
from aucenv.baselines.llm.bidder import make_agent
from aucenv.baselines.llm.option_values import read_options
from aucenv.baselines.llm.options import AGENTS

from aucenv.core.adapters.actions import read_dollar_action
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.reader.refusals import Unreadable
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import GameView
from aucenv.envs.english.notes import item_labels
from aucenv.policy.registry import make_policy, playable_bidders
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Call, Completion, Message, Model, Pause, Request
from aucenv.runs.model_calls.journal import CallJournal, SeatCalls
from aucenv.runs.play import play

FILLER = "I weigh what is known so far. "
"""Words without a decision, which lengthen replies."""
RULES = {"water_allocation": "thirst"}
"""Game -> the rule bidder that decides for a model, by default the first; this one lives to the end of the game."""
SENTENCE = "The others bid up to their values, so I keep to mine and leave when the price reaches it."
"""The reply to tasks that ask for a text."""


@dataclasses.dataclass(frozen=True)
class DryRun:
    """A game that was played without a model.

    Attributes:
        scenario: the name of the scenario that was played.
        prompts: for each call of the agent, the number of characters of its messages.
        replies: for each call, the number of characters of the reply.
        shared: for each call, the number of characters at the start of its messages that an earlier call starts with.
    """

    game: str
    agent: str
    scenario: str
    prompts: tuple[int, ...]
    replies: tuple[int, ...]
    shared: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class _Script:
    """A model that gives one reply."""

    reply: str
    name: str = "script"
    endpoint: str = "local"

    def complete(self, request: Request, pause: Pause) -> Completion:
        return Completion(self.reply, "stop")


class ScriptedAgent:
    """An agent whose model is a script: a rule bidder decides, and plans and beliefs are correct.

    Args:
        agent: the agent.
        rule: the rule bidder.
        write: returns the reply for an amount in cents.
        least_length: the least number of characters of a reply; shorter ones are lengthened.

    Attributes:
        sent: the messages of each call of the agent, with its reply.
    """

    interface: Literal["vector", "amount", "text"] = "text"

    def __init__(self, agent: Agent, rule: Any, write: Callable[[int], str], least_length: int = 0) -> None:
        self.sent: list[tuple[tuple[Message, ...], str]] = []
        self.view: Any = None
        self._agent: Any = agent
        self._rule = rule
        self._write = write
        self._least_length = least_length
        self._decision = -1

    @property
    def notes(self) -> JsonObject:
        return self._agent.notes

    def use_calls(self, calls: SeatCalls) -> None:
        self._agent.use_calls(_ScriptedCalls(calls.journal, calls.game, calls.seat, script=self))

    def reset(self, seat: str, seed: int) -> None:
        self._agent.reset(seat, seed)
        self._rule.reset(seat, seed)

    def act(self, view: GameView, observation: JsonMapping) -> str:
        self.view, self._decision = view, read_dollar_action(self._rule.act(view, {}))
        return self._agent.act(view, observation)

    def close_game(self, view: GameView) -> JsonObject:
        self.view = view
        return self._agent.close_game(view)

    def reply(self, purpose: str) -> str:
        """Return the reply to a call with this purpose, the filler before the answer."""
        kind, _, number = purpose.partition(" ")
        answers = {"bid": self._bid, "plan": self._plan, "replan": self._plan, "rule": self._choose_rule}
        if kind == "belief":
            answer = json.dumps(self._agent.true_beliefs(self.view, int(number)))
        elif kind == "profile":
            weights = {persona.id: 0.25 for persona in self.view.scenario_text.personas}
            answer = json.dumps(weights)
        elif kind == "predict":
            answer = json.dumps(dict.fromkeys(self.view.scenario_text.names, 0))
        else:
            answer = answers.get(kind, lambda: SENTENCE)()
        missing = max(0, self._least_length - len(answer))
        return f"{(FILLER * (missing // len(FILLER) + 1))[:missing]}\n{answer}".strip()

    def _bid(self) -> str:
        return self._agent.write_reply(self._decision, self.view, self._write)

    def _plan(self) -> str:
        if not isinstance(self._agent, BdiAgent):
            return SENTENCE
        labels = item_labels([item.name for item in self.view.items])[self.view.item_number :]
        return f"{SENTENCE}\n{json.dumps(dict.fromkeys(labels, 2))}"

    def _choose_rule(self) -> str:
        return json.dumps({"rule": "C", "reason": SENTENCE})


@dataclasses.dataclass(frozen=True)
class _ScriptedCalls(SeatCalls):
    """The calls of one seat, answered by a script."""

    script: Any = None

    def ask(self, model: Model, request: Request, decision: int, attempt: int, purpose: str = "bid") -> Call:
        reply = self.script.reply(purpose)
        if not self.prefix:  # otherwise it is a call of an adviser
            self.script.sent.append((request.messages, reply))
        return super().ask(_Script(reply), request, decision, attempt, purpose)


def dry_run(
    game: str,
    agent: str,
    options: Mapping[str, str],
    sampling: SamplingOptions,
    least_length: int = 0,
    scenario: Scenario | None = None,
) -> DryRun:
    """Play a game in which the first seat is an agent with a script, and the others are rule bidders.

    Args:
        game: the name of the game.
        agent: the name of the agent.
        options: the texts of the agent's options that are not the defaults.
        sampling: the sampling options of the agent's calls.
        least_length: the least number of characters of a reply.
        scenario: the scenario; None: the game's default one.

    Raises:
        ValueError: if an option is invalid, or the agent cannot play the scenario.
    """
    scripted, name = _play(game, agent, options, sampling, least_length, max_rounds=0, scenario=scenario)
    prompts = [messages for messages, _ in scripted.sent]
    lengths = tuple(sum(len(message["content"]) for message in messages) for messages in prompts)
    shared = tuple(map(min, lengths, _shared(prompts)))
    return DryRun(game, agent, name, lengths, tuple(len(reply) for _, reply in scripted.sent), shared)


def _shared(prompts: Iterable[Sequence[Message]]) -> Iterator[int]:
    """Yield for each prompt the number of characters with which an earlier one starts as well.

    The earlier text with the longest common start is next to a text in alphabetical order.
    """
    earlier: list[str] = []
    for messages in prompts:
        text = "".join(f"{message['role'][0]}{message['content']}" for message in messages)
        place = bisect.bisect(earlier, text)
        yield max((_common_start(text, other) for other in earlier[max(0, place - 1) : place + 1]), default=0)
        earlier.insert(place, text)


def _common_start(text: str, other: str) -> int:
    """Return the number of characters with which both texts start."""
    least, most = 0, min(len(text), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if text[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _play(
    game: str,
    agent: str,
    options: Mapping[str, str],
    sampling: SamplingOptions,
    least_length: int,
    max_rounds: int,
    scenario: Any = None,
) -> tuple[ScriptedAgent, str]:
    modules = find_family(game).game
    scenario = scenario or modules.load_scenario(modules.default_scenario)
    seats = len(modules.scenario_text(scenario).seats)
    bidders = playable_bidders(game, scenario)
    rule, write = make_policy(game, RULES.get(game, bidders[0])), modules.words.reply_writer(scenario)
    scripted = ScriptedAgent(_make_agent(game, agent, options, sampling), rule, write, least_length)
    rivals = [bidders[seat % len(bidders)] for seat in range(1, seats)]
    play(game, scenario, [scripted, *rivals], 0, journal=CallJournal(), max_rounds=max_rounds)
    return scripted, scenario.name


def _make_agent(game: str, name: str, given: Mapping[str, str], sampling: SamplingOptions) -> Agent:
    options = read_options(AGENTS[name].options, given, f"agent {name}", {"preset": AGENTS[name].presets})
    return make_agent(name, game, _Script(""), sampling, options)


class FirstBid:
    """The first decision in a game of english, which a model can be asked to make.

    Attributes:
        messages: the messages that the plain agent sends.
    """

    GAME = "english"

    def __init__(self, sampling: SamplingOptions) -> None:
        scripted, _ = _play(self.GAME, "plain", {}, sampling, 0, max_rounds=1)
        self.messages = scripted.sent[0][0]
        self._view = scripted.view

    def is_readable(self, reply: str) -> bool:
        """Return whether a reply has a decision."""
        rivals = [name for name in self._view.scenario_text.names if name != self._view.name]
        try:
            find_family(self.GAME).game.words.read(reply, rivals, self._view.scenario_text, self._view.row)
        except Unreadable:
            return False
        return True
