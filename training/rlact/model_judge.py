"""A language model as the judge: it is told the truth, and scores replies by a rubric.

Source: HARBOR, arXiv 2502.12149: the scale's marks and the criteria; the words are ours.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from aucenv.baselines.llm.json_replies import Malformed, last_object
from aucenv.training.rlact.judges import BEST, WORST, JudgeFailure, Scores
from aucenv.training.rlact.messages import BID, PHASES, named
from aucenv.training.rlact.states import DecisionState

from aucenv.core.bidder_name import parse_bidder
from aucenv.core.checks import one_of, whole_number
from aucenv.core.money import money
from aucenv.core.policy import ModelFailure
from aucenv.runs.calls import FAILED, Message, Model, Request

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
ONE = 'End with a JSON object: {"score": 3, "reason": "a short sentence"}'
TWO = (
    'End with a JSON object: {"first": {"score": 3, "reason": "a short sentence"}, '
    '"second": {"score": 3, "reason": "a short sentence"}}'
)
LONGEST = 4000
"""Characters of the judge's reply that are read, from the end."""

T = TypeVar("T")


@dataclasses.dataclass
class Asked:
    """A model, and how it is asked.

    Attributes:
        temperature, max_tokens: as in a bidder's name.
        concurrency: calls at once.
        why: what went wrong last.
    """

    model: Model
    temperature: float | None = 0.0
    max_tokens: int = 1024
    concurrency: int = 8
    why: str = ""

    def __post_init__(self) -> None:
        whole_number("concurrency", self.concurrency, 1, 10_000)
        self._stopped = threading.Event()

    def ask(self, messages: Sequence[Message], seed: int = 0) -> str:
        """The words of its reply.

        Raises:
            ModelFailure: it cannot be asked.
            Malformed: it was cut off, or refused.
        """
        completion = self.model.complete(Request(tuple(messages), self.temperature, self.max_tokens, seed), self._pause)
        if completion.finish in FAILED:
            raise Malformed(FAILED[completion.finish])
        return completion.text

    def all(self, ask: Callable[..., T], *given: Iterable[Any]) -> Iterator[T]:
        """`ask` of all that is given, several at once; ends at once by Ctrl-C."""
        pool = ThreadPoolExecutor(self.concurrency)
        try:
            yield from pool.map(ask, *given)
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
    """Asks a model; None where there is no score in its reply, or no reply.

    Attributes:
        phase: what replies are.
        tries: for a reply without scores.
        patience: after so many states in a row without a score it stops.
        reasons: what it said last, a list for each state: (score, reason) of each reply.

    Raises:
        ValueError: a number out of range.
    """

    asked: Asked
    phase: str = BID
    tries: int = 2
    patience: int = 20

    def __post_init__(self) -> None:
        one_of("phase", self.phase, PHASES)
        for name in ("tries", "patience"):
            whole_number(name, getattr(self, name), 1, 10_000)
        self.reasons: list[list[tuple[float, str]] | None] = []
        self._failed = 0  # states since the last score

    def score(self, states: Sequence[DecisionState], replies: Sequence[str]) -> Scores:
        """The scores.

        Raises:
            JudgeFailure: `patience` states in a row had none.
        """
        found = self._ask_all(states, [[reply] for reply in replies])
        return [None if each is None else each[0][0] for each in found]

    def compare(
        self, states: Sequence[DecisionState], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """The scores of both, from one call each; raises as `score`."""
        found = self._ask_all(states, list(zip(firsts, seconds, strict=True)))
        return [None if each is None else (each[0][0], each[1][0]) for each in found]

    def _ask_all(
        self, states: Sequence[DecisionState], replies: Sequence[Sequence[str]]
    ) -> list[list[tuple[float, str]] | None]:
        self.reasons = []
        for at in range(0, len(states), self.asked.concurrency):  # in turns, so that a dead endpoint is noticed
            some = slice(at, at + self.asked.concurrency)
            for found in self.asked.all(self._ask, states[some], replies[some]):
                self.reasons.append(found)
                self._failed = 0 if found is not None else self._failed + 1
            if self._failed >= self.patience:
                raise JudgeFailure(
                    f"judge {self.asked.model.name}: no score for {self._failed} states: {self.asked.why}"
                )
        return self.reasons

    def _ask(self, state: DecisionState, replies: Sequence[str]) -> list[tuple[float, str]] | None:
        names = ["score"] if len(replies) == 1 else ["first", "second"]
        messages = judge_messages(state, replies, self.phase)
        for seed in range(self.tries):
            try:
                return read_scores(self.asked.ask(messages, seed), names)
            except Malformed as mistake:
                self.asked.why = f"a reply without scores: {mistake}"
            except ModelFailure as failure:
                self.asked.why = str(failure)
                return None
        return None


def read_scores(reply: str, names: Sequence[str]) -> list[tuple[float, str]]:
    """The score and reason under each of these names.

    Raises:
        Malformed: one is missing, or no number from 1 to 5.
    """
    data = last_object(reply[-LONGEST:], lambda found: all(name in found for name in names))
    if len(names) == 1 and "score" not in data:
        raise Malformed("score: it is missing")
    found = []
    for name in names:
        entry: Any = data if name == "score" else data.get(name)
        score = entry.get("score") if isinstance(entry, dict) else None
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not WORST <= score <= BEST:
            raise Malformed(f"{name}: expected a score from 1 to 5, got {score!r:.40}")
        found.append((float(score), str(entry.get("reason", ""))[:500]))
    return found


def judge_messages(state: DecisionState, replies: Sequence[str], phase: str) -> list[Message]:
    """What the judge is asked about replies to a state."""
    messages = "\n".join(message["content"] for message in state.messages[phase])
    told = [f"What the adviser was told:\n{messages}", f"The truth:\n{truth(state)}"]
    labels = ["The reply"] if len(replies) == 1 else ["The first reply", "The second reply"]
    told += [f"{label}:\n<<<\n{shortened(reply)}\n>>>" for label, reply in zip(labels, replies, strict=True)]
    told.append(ONE if len(replies) == 1 else TWO)
    return [{"role": "system", "content": RUBRIC}, {"role": "user", "content": "\n\n".join(told)}]


def shortened(reply: str, longest: int = 4000) -> str:
    """A reply that no judge need read whole: its beginning and its end."""
    if len(reply) <= longest:
        return reply
    return f"{reply[: longest // 2]}\n[... {len(reply) - longest} characters ...]\n{reply[-longest // 2 :]}"


def truth(state: DecisionState) -> str:
    """What nobody at the table knows: personas, true values; and what a house suits."""
    view = state.view(reveal=True)
    lines = []
    for number, name in enumerate(view.scenario_text.names):
        who = [persona.name for persona in view.personas_of(number)] if hasattr(view, "personas_of") else []
        own = " (the bidder)" if number == state.seat else ""
        budget = money(view.budgets[view.scenario_text.seats[number]])
        lines.append(f"- {name}{own}: {' and '.join(who) or 'no persona'}, budget {budget}")
    for j, item in enumerate(view.items):
        if j >= view.item_number:
            suits = f", suits {named(view, item.suits)}" if hasattr(item, "suits") else ""
            value, start = money(item.true_value), money(item.starting_price)
            lines.append(f"- {item.name}: true value {value}, starting price {start}{suits}")
    return "\n".join(lines)


def asked_by(name: str) -> Asked:
    """The model of a name as a bidder's: `llm:openai:MODEL[,base_url=...,max_tokens=...,cache=DIR,...]`.

    Raises:
        ValueError: as a bidder's of that name; or an agent, prompts or a seed, which a judge has none of.
    """
    spec = parse_bidder(name)
    one_of(f"judge {name!r}, kind", spec.kind, ("simulator", "llm"))
    for option in ("agent", "prompts", "seed"):
        if option in spec.params:
            raise ValueError(f"judge {name!r}: expected no {option}, a judge has none")
    from aucenv.baselines.llm.bidder import make_model  # needs an extra; what imports this module may not

    model, options = make_model(spec, f"judge {name!r}")
    return Asked(model, options["temperature"], options["max_tokens"])
