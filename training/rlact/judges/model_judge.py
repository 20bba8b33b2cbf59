"""A language model as the judge: it sees the hidden values, and scores replies by a rubric.

Source: HARBOR, arXiv 2502.12149, for the meanings of the scores and the criteria; the wording is not from the paper.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from aucenv.baselines.llm.json_replies import Malformed, last_object
from aucenv.baselines.llm.option_values import refuse_options_of_agents
from aucenv.training.rlact.judges.judges import BEST, WORST, JudgeFailure, Scores
from aucenv.training.rlact.states.messages import BID, PHASES, persona_name
from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.checks import one_of, whole_number
from aucenv.core.policy import ModelFailure
from aucenv.core.progress import track
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.core.words.money import money
from aucenv.runs.model_calls.calls import FAILED, Message, Model, Request, failure_reason

RUBRIC = """You judge advice given to a bidder in an auction. You know the truth, which the adviser did not.

Score from 1 to 5:
1. It breaks the rules (an illegal bid, or the starting price taken for the highest allowed bid), or has the bidder's
own budget wrong.
2. It misreads the budget, the priorities, or what the rivals are really after.
3. It is right, but vague or long-winded.
4. It is right, but would leave too little for later items of higher priority.
5. It is right and specific, and minds what is still to come.

Look at the facts first; then at the use it makes of the rivals' profiles and of how the auction went; then at insight
beyond the usual advice. Score each reply on its own merits; much better advice deserves a much higher score."""
ONE_SCORE = 'End with a JSON object: {"score": 3, "reason": "a short sentence"}'
TWO_SCORES = (
    'End with a JSON object: {"first": {"score": 3, "reason": "a short sentence"}, '
    '"second": {"score": 3, "reason": "a short sentence"}}'
)
MAX_REPLY_CHARS = 4000
"""Only this many characters at the end of the judge's reply are read."""

T = TypeVar("T")


@dataclasses.dataclass
class ModelClient:
    """A language model with its sampling parameters, for concurrent calls.

    Attributes:
        temperature, max_tokens: sampling parameters, as in a bidder's name.
        concurrency: number of simultaneous calls.
        last_error: the most recent error, as text.
    """

    model: Model
    temperature: float | None = 0.0
    max_tokens: int = 1024
    concurrency: int = 8
    last_error: str = ""

    def __post_init__(self) -> None:
        whole_number("concurrency", self.concurrency, 1, 10_000)
        self._stopped = threading.Event()

    def ask(self, messages: Sequence[Message], seed: int = 0) -> str:
        """Return the text of the model's reply.

        Raises:
            ModelFailure: The call failed.
            Malformed: The reply was cut off, or the model refused to answer.
        """
        completion = self.model.complete(Request(tuple(messages), self.temperature, self.max_tokens, seed), self._pause)
        if completion.finish in FAILED:
            raise Malformed(failure_reason(completion.finish))
        return completion.text

    def map(self, ask: Callable[..., T], *arguments: Sequence[Any]) -> Iterator[T]:
        """Yield the results of `ask` in the order of its arguments, `concurrency` calls at a time; Ctrl-C stops it."""
        pool = ThreadPoolExecutor(self.concurrency)
        try:
            yield from track(pool.map(ask, *arguments), "replies of the model", len(arguments[0]))
        except BaseException:
            self._stopped.set()
            raise
        finally:
            pool.shutdown(wait=not self._stopped.is_set(), cancel_futures=True)

    def _pause(self, seconds: float, why: str = "") -> None:
        if self._stopped.wait(seconds):
            raise ModelFailure("stopped")


@dataclasses.dataclass
class ModelJudge:
    """A judge that asks a language model; a state's scores are None if the model gives none.

    Attributes:
        client: the model.
        phase: kind of the replies, one of PHASES.
        tries: number of attempts for each state, if replies have no scores.
        patience: number of consecutive states without scores after which the judge gives up.
        reasons: the latest scores and reasons; by state, a (score, reason) pair for each reply, or None.

    Raises:
        ValueError: A number is out of range.
    """

    client: ModelClient
    phase: str = BID
    tries: int = 2
    patience: int = 20

    def __post_init__(self) -> None:
        one_of("phase", self.phase, PHASES)
        for name in ("tries", "patience"):
            whole_number(name, getattr(self, name), 1, 10_000)
        self.reasons: list[list[tuple[float, str]] | None] = []
        self._failed = 0  # consecutive states without scores

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """Return the score of a reply to each state.

        Raises:
            JudgeFailure: `patience` consecutive states had no score.
        """
        results = self._ask_all(states, [[reply] for reply in replies])
        return [None if each is None else each[0][0] for each in results]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state, from one call for both.

        Raises:
            JudgeFailure: `patience` consecutive states had no scores.
        """
        results = self._ask_all(states, list(zip(firsts, seconds, strict=True)))
        return [None if each is None else (each[0][0], each[1][0]) for each in results]

    def _ask_all(
        self, states: Sequence[DecisionState], replies: Sequence[Sequence[str]]
    ) -> list[list[tuple[float, str]] | None]:
        self.reasons = []
        for start in range(0, len(states), self.client.concurrency):  # in batches, to give up early on a dead endpoint
            batch = slice(start, start + self.client.concurrency)
            for scores in self.client.map(self._ask, states[batch], replies[batch]):
                self.reasons.append(scores)
                self._failed = 0 if scores is not None else self._failed + 1
            if self._failed >= self.patience:
                raise JudgeFailure(
                    f"judge {self.client.model.name}: no score for {self._failed} states: {self.client.last_error}"
                )
        return self.reasons

    def _ask(self, state: DecisionState, replies: Sequence[str]) -> list[tuple[float, str]] | None:
        names = ["score"] if len(replies) == 1 else ["first", "second"]
        messages = judge_messages(state, replies, self.phase)
        for seed in range(self.tries):
            try:
                return read_scores(self.client.ask(messages, seed), names)
            except Malformed as error:
                self.client.last_error = f"a reply without scores: {error}"
            except ModelFailure as failure:
                self.client.last_error = str(failure)
                return None
        return None


def read_scores(reply: str, names: Sequence[str]) -> list[tuple[float, str]]:
    """Read scores and reasons from a judge's reply.

    Args:
        names: "score" alone, or the names of the entries that have a score.

    Returns:
        A (score, reason) pair for each name.

    Raises:
        Malformed: A score is missing, or is not a number from 1 to 5.
    """
    data = last_object(reply[-MAX_REPLY_CHARS:], lambda candidate: all(name in candidate for name in names))
    if len(names) == 1 and "score" not in data:
        raise Malformed("score: missing")
    scores = []
    for name in names:
        entry: Any = data if name == "score" else data.get(name)
        score = entry.get("score") if isinstance(entry, dict) else None
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not WORST <= score <= BEST:
            raise Malformed(f"{name}: expected a score from 1 to 5, got {score!r:.40}")
        scores.append((float(score), str(entry.get("reason", ""))[:500]))
    return scores


def judge_messages(state: DecisionState, replies: Sequence[str], phase: str) -> list[Message]:
    """Return the messages that ask the judge to score one reply, or two, to a state."""
    messages = "\n".join(message["content"] for message in state.messages[phase])
    sections = [f"What the adviser was told:\n{messages}", f"The truth:\n{truth(state)}"]
    labels = ["The reply"] if len(replies) == 1 else ["The first reply", "The second reply"]
    sections += [f"{label}:\n<<<\n{shortened(reply)}\n>>>" for label, reply in zip(labels, replies, strict=True)]
    sections.append(ONE_SCORE if len(replies) == 1 else TWO_SCORES)
    return [{"role": "system", "content": RUBRIC}, {"role": "user", "content": "\n\n".join(sections)}]


def shortened(reply: str, max_chars: int = 4000) -> str:
    """Return a reply; if it is longer than `max_chars`, leave out its middle."""
    if len(reply) <= max_chars:
        return reply
    return f"{reply[: max_chars // 2]}\n[... {len(reply) - max_chars} characters ...]\n{reply[-max_chars // 2 :]}"


def truth(state: DecisionState) -> str:
    """Return the facts that are hidden from the seats: personas and true values, and the personas that houses suit."""
    view = state.view(reveal=True)
    lines = []
    for number, name in enumerate(view.scenario_text.names):
        personas = [persona.name for persona in view.personas_of(number)] if hasattr(view, "personas_of") else []
        mark = " (the bidder)" if number == state.seat else ""
        budget = money(view.budgets[view.scenario_text.seats[number]])
        lines.append(f"- {name}{mark}: {' and '.join(personas) or 'no persona'}, budget {budget}")
    for j, item in enumerate(view.items):
        if j >= view.item_number:
            suits = f", suits {persona_name(view, item.suits)}" if hasattr(item, "suits") else ""
            value, start = money(item.true_value), money(item.starting_price)
            lines.append(f"- {item.name}: true value {value}, starting price {start}{suits}")
    return "\n".join(lines)


def model_client(name: str) -> ModelClient:
    """Create the client of a judge's name, `llm:openai:MODEL[,base_url=...,max_tokens=...,cache=DIR,...]`.

    Raises:
        ValueError: The name would be invalid for a bidder too, or it has an agent, prompts, a seed or `reply`.
    """
    spec, where = parse_bidder(name), f"judge {public_name(name)!r}"
    one_of(f"{where}, kind", spec.kind, ("simulator", "llm"))
    refuse_options_of_agents(spec.params, where, "judge")
    from aucenv.baselines.llm.bidder import make_model  # imported here, because it needs an extra

    model, options = make_model(spec, where)
    return ModelClient(model, options["temperature"], options["max_tokens"])
