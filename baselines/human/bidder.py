"""A person as a bidder: `human` or `human:NAME`. The journal of the run keeps the answers, so that games can resume."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from aucenv.baselines.human.answers import Answer, Late, Request
from aucenv.baselines.human.inbox import Inbox, inbox_of

from aucenv.core.adapters.actions import NoAction, action_cents
from aucenv.core.checks import number, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game import Game
from aucenv.core.policy import Policy, check_fits
from aucenv.core.scenarios import Scenario
from aucenv.core.state import WITHDRAW
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.bidder_name import REPLACED_BY, BidderSpec, parse_bidder
from aucenv.core.words.money import to_cents, to_dollars
from aucenv.core.words.outside_text import one_line
from aucenv.core.words.reply import Unreadable
from aucenv.policy.registry import NETWORK_KIND, make_policy, rule_bidders, scripted_bidders
from aucenv.registration import find_family
from aucenv.runs.model_calls import calls
from aucenv.runs.model_calls.journal import CallJournal, RunStopped, SeatCalls
from aucenv.runs.people import TIMED_OUT, person_of


def for_people(text: str, view: GameView, game: Game) -> str:
    """Return a text of a view without the line that says how to answer in words.

    People have buttons and fields, and an example in that line may suggest a bid.
    """
    how_to_answer = getattr(game.words, "how_to_answer", None)
    if how_to_answer is None or view.status != "running":
        return text
    left_out = how_to_answer(view)
    return "\n".join(line for line in text.split("\n") if line != left_out)


def simplest_words(cents: int, view: GameView, game: Game) -> str:
    """Return the simplest reply in words for an amount."""
    return game.words.reply_writer(getattr(view.scenario_text, "scenario", None))(cents)


def cents_of(words: str, view: GameView, game: Game) -> int:
    """Return the amount in cents that a reply in words means to the table.

    Raises:
        Unreadable, NoAction: it means none.
    """
    return action_cents(words, "text", view.seat_number, view.row, game, view.scenario_text)


def why_refused(words: str, view: GameView, game: Game) -> str | None:
    """Return why the table refuses a reply in words; None if it accepts it."""
    try:
        cents = cents_of(words, view, game)
    except (Unreadable, NoAction) as error:
        return str(error)
    code = game.rules.check(view.row, 0, view.seat_number, cents)
    return game.words.refusal(view.row, view.seat_number, cents, code, view.scenario_text) if code else None


ABOUT = (
    "A person, in `aucenv play` and `aucenv host`; NAME distinguishes people. seconds: time for each decision, 0: no "
    "limit. asks: how often the person is asked again after this time, before the seat makes no bid. table: the number "
    "of the table, of several with people of the same names"
)
KIND = "human"
REPLACEMENT = "replacement"
"""The purpose of the entry in the journal that names the bidder that plays on for a person."""
Deliver = Callable[[Any], None]


class HumanBidder:
    """A bidder that asks a person.

    An amount or a withdrawal counts as the simplest reply in words that states it; other words are read like a model's.

    Args:
        game: the name of the game.
        inbox: the person's inbox; without a client that listens, the bidder refuses to play.
        seconds: time for each decision; 0: no limit.
        asks: how often the person is asked again after this time, before the seat makes no bid.

    Attributes:
        notes: `reason`, words beside an amount; `timed_out`, that no answer came in time; `bidder`, that a bidder has
            decided in place of the person.
    """

    interface: Literal["text"] = "text"
    waits = True
    one_at_a_time = True
    observes = True

    def __init__(self, game: str, inbox: Inbox, seconds: float = 0.0, asks: int = 1) -> None:
        self.inbox = inbox
        self.notes: JsonObject = {}
        self._game = find_family(game).game
        self._seconds = seconds
        self._asks = asks
        self._person = Person(inbox.key)
        self._next_calls: SeatCalls | None = None
        self._lock = inbox.lock
        self._open: tuple[GameView, JsonMapping, Deliver] | None = None
        self._replacement: Policy | None = None
        self._scenario: Scenario | None = None

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Return that nobody listens to the inbox, if that is so."""
        self._scenario = scenario
        if self.inbox.has_client:
            return None
        return (
            f"nobody can answer for {self.inbox.key!r}: people play with `aucenv play` in a terminal and `aucenv host` "
            "in browsers; in Python, a client subscribes to aucenv.baselines.human.inbox.inbox_of(NAME)"
        )

    def use_calls(self, seat_calls: SeatCalls) -> None:
        """Set the journal of the next game's answers."""
        self._next_calls = seat_calls

    def reset(self, seat: str, seed: int) -> None:
        """Start a game."""
        self._calls, self._next_calls = self._next_calls or CallJournal().at(0, seat), None
        self._seat, self._seed = seat, seed
        self._decision, self._attempt = -1, 0
        self._messages: tuple[calls.Message, ...] = ()
        self._open = self._replacement = None
        self._since = ""
        self._last: tuple[int, int] | None = None
        self._started = time.time()
        self.notes = {}
        self._deadline: float | None = None
        self._times_asked, self._used = 0, 0.0  # seconds of earlier answers of the decision
        self._is_ready = not (self._seconds and self.inbox.asks_ready)
        self.inbox.begin(self._calls.game, seat)
        self.inbox.allow_start(self._start_clock)
        self.inbox.allow_replacement(self.replace)

    def act(self, view: GameView, observation: JsonMapping) -> str:
        """Ask the person, and wait for the answer."""
        delivered: list[Any] = []
        ready = threading.Event()

        def deliver(action: Any) -> None:
            delivered.append(action)
            ready.set()

        self.post(view, observation, deliver)
        while not ready.wait(0.25):
            self._calls.journal.pause(0)
            self.check_time()
        return simplest_words(WITHDRAW, view, self._game) if delivered[0] is None else delivered[0]

    def post(self, view: GameView, observation: JsonMapping, deliver: Deliver) -> None:
        """Ask the person; see `core.policy.Policy`."""
        with self._lock:
            self._last = (len(view.history), view.item_number)
            if view.refused is None:
                self._decision, self._attempt = self._decision + 1, 0
                self._deadline, self._times_asked, self._used = None, 0, 0.0
                self._say("user", for_people(str(observation.get("text", "")), view, self._game))
            else:
                self._attempt += 1
                self._say("user", f"Your answer was not accepted: {view.refused}.")
            self.notes = {}
            call = self._calls.find(self._person, TAKES_OVER, self._decision, self._attempt, REPLACEMENT)
            if call is not None and self._replacement is None:
                self._seat_replacement(call.reply, self._policy_of(call.reply))
            if self._replacement is not None:
                self._open = view, observation, deliver
                self._decide_instead()
                return
            call = self._calls.find(self._person, self._request(), self._decision, self._attempt)
            if call is not None:
                if call.finish_reason != TIMED_OUT:
                    self.inbox.remember(earlier_answer(self._id(), call, view, self._game))
                self._is_ready = True
                self._used += call.seconds
                self._take(call.reply, call.reasoning, call.finish_reason, deliver)
                return
            self._open = view, observation, deliver
            self._run_clock()
            self._ask()

    def _run_clock(self) -> None:
        """Begin to measure the time of an answer."""
        self._started = time.time()
        if self._seconds and self._is_ready and self._deadline is None:  # a refused answer does not start it again
            self._times_asked = min(int(self._used // self._seconds), self._asks)
            self._deadline = self._started + max(0.0, (self._times_asked + 1) * self._seconds - self._used)

    def _start_clock(self) -> None:
        """Start the time of the game's first decision: the person is ready, or the host does not wait any longer."""
        with self._lock:
            was_ready, self._is_ready = self._is_ready, True
            if self._open is not None and not was_ready:
                self._run_clock()
                self._ask()

    def _ask(self) -> None:
        assert self._open is not None
        view, observation, _ = self._open
        is_last, retries = self._times_asked >= self._asks, observation.get("retries_left")
        when = self._deadline, is_last, self._times_asked, retries, self._seconds, self._is_ready
        self.inbox.post(Request(self._id(), view, self._messages[-1]["content"], *when), self._answered)

    def _id(self) -> str:
        return f"{self._calls.game}.{self._seat}.{self._decision}.{self._attempt}"

    def _answered(self, answer: Answer) -> None:
        """Record a person's answer, and deliver it."""
        with self._lock:
            assert self._open is not None
            view, observation, deliver = self._open
            if answer.withdraw or answer.amount is not None:
                cents = WITHDRAW if answer.amount is None else to_cents(answer.amount)
                words, reason = simplest_words(cents, view, self._game), answer.words.strip()
            else:
                words, reason = answer.words.strip(), ""
            try:
                self._keep(words, reason)
            except RunStopped as error:
                raise Late(f"{error}; this request is open again when the run is resumed") from None
            self._open, self._is_ready = None, True
            if observation.get("retries_left") == 0:
                self.inbox.not_accepted = why_refused(words, view, self._game) or ""
            self._take(words, reason, "", deliver)

    def check_time(self) -> None:
        """Ask again, or make no bid, if the time for the open request is over."""
        request = self.inbox.request
        if request is None or request.deadline is None or time.time() < request.deadline:
            return
        with self._lock:
            if self._open is None or self.inbox.request is not request:
                return
            if not request.is_last:
                self._times_asked, self._deadline = self._times_asked + 1, time.time() + self._seconds
                self._ask()
                return
            deliver = self._open[2]
            self._open = None
            self.inbox.expire()
            self._keep("", "", TIMED_OUT)
            self._take("", "", TIMED_OUT, deliver)

    def cancel(self) -> None:
        """Close the open request: the game has ended without its answer."""
        with self._lock:
            self._open = None
            self.inbox.allow_replacement(None)
            self.inbox.withdraw_request()

    def replace(self, bidder: str) -> None:
        """Let a bidder play on for the person, from the open request or the next one on, until the end of the game.

        Raises:
            ValueError: it is no rule bidder and no network of the package, it cheats, or it cannot play the scenario.
        """
        policy = self._policy_of(bidder)
        with self._lock:
            if self._replacement is not None:
                raise ValueError(f"{self.inbox.key}: {self.inbox.replaced_by} plays already in place of this person")
            place = (self._decision, self._attempt) if self._open is not None else (self._decision + 1, 0)
            self._started = time.time()
            taken_over = completion_of(self._id(), bidder, "", "", self._started)
            self._calls.keep(self._person, TAKES_OVER, taken_over, *place, REPLACEMENT)
            self._seat_replacement(bidder, policy)
            if self._open is not None:
                self.inbox.withdraw_request()
                self._decide_instead()

    def _policy_of(self, bidder: str) -> Any:
        """Return the policy of a bidder that can play on for a person; a name from a browser can load no other code."""
        spec, where = parse_bidder(bidder), f"bidder {one_line(bidder)!r:.80}"
        if spec.arg is not None or spec.kind not in (*rule_bidders(self._game.name), NETWORK_KIND):
            known = ", ".join(scripted_bidders(self._game.name))
            raise ValueError(f"{where}: expected a rule bidder, or `{NETWORK_KIND}`, in place of a person: {known}")
        policy: Any = make_policy(self._game.name, bidder)
        if getattr(policy, "cheats", False):
            raise ValueError(f"{where}: expected a bidder that does not cheat, in place of a person")
        if self._scenario is not None:
            check_fits(policy, bidder, self._scenario)
        return policy

    def _seat_replacement(self, bidder: str, policy: Policy) -> None:
        policy.reset(self._seat, self._seed)
        self._replacement, self.inbox.replaced_by = policy, bidder

    def _decide_instead(self) -> None:
        """Deliver the decision of the bidder that plays for the person."""
        assert self._open is not None
        assert self._replacement is not None
        view, observation, deliver = self._open
        dollars = float(self._replacement.act(view, observation))
        self._open = None
        self._since = self._since or f"decision {self._decision + 1}"
        self.notes = {"bidder": self.inbox.replaced_by}
        deliver(simplest_words(to_cents(dollars) if dollars >= 0 else WITHDRAW, view, self._game))

    def watch(self, view: GameView) -> None:
        """Show the person a view in which it may have nothing to decide."""
        self.inbox.show(view, for_people(self._game.words.describe(view), view, self._game))

    def close_game(self, view: GameView) -> JsonObject:
        """Show the person the end of the game."""
        self.inbox.withdraw_request()
        describe = self._game.words.describe
        self.inbox.close(view, describe(view), describe(view, self._last))
        self.inbox.allow_replacement(None)
        return {REPLACED_BY: self.inbox.replaced_by, "replaced_from": self._since} if self._since else {}

    def _say(self, role: str, content: str) -> None:
        self._messages = (*self._messages, {"role": role, "content": content})

    def _take(self, words: str, reason: str, why: str, deliver: Deliver) -> None:
        """Deliver an answer, with its notes."""
        self._say("assistant", words or "(no answer)")
        self.notes = ({"reason": reason} if reason else {}) | ({TIMED_OUT: True} if why == TIMED_OUT else {})
        deliver(None if why == TIMED_OUT else words)

    def _keep(self, words: str, reason: str, why: str = "") -> None:
        """Record an answer."""
        completion = completion_of(self._id(), words, reason, why, self._started)
        self._calls.keep(self._person, self._request(), completion, self._decision, self._attempt)

    def _request(self) -> calls.Request:
        return calls.Request(self._messages, None, 0, None)


def make(game: str, spec: BidderSpec) -> HumanBidder:
    """Create the bidder of a person; see ABOUT.

    Raises:
        ValueError: a parameter is unknown or out of range.
    """
    where = f"bidder {one_line(spec.label)!r}"
    for name in spec.params:
        one_of(f"{where}, parameter", name, ("seconds", "asks", "table"))
    values: dict[str, float] = {}
    for name in ("seconds", "asks", "table"):
        text = spec.params.get(name, {"seconds": "0", "asks": "1", "table": "1"}[name])
        try:
            values[name] = float(text)
        except ValueError:
            raise ValueError(f"{where}, {name}: expected a number, got {text!r}") from None
    seconds = number(f"{where}, seconds", values["seconds"], 0, 1e6)
    counts = {name: int(values[name]) if values[name].is_integer() else values[name] for name in ("asks", "table")}
    whole_number(f"{where}, asks", counts["asks"], 0, 1000)
    whole_number(f"{where}, table", counts["table"], 1, 100_000)
    return HumanBidder(game, inbox_of(person_of(spec)), seconds, int(counts["asks"]))


TAKES_OVER = calls.Request(({"role": "user", "content": "A bidder plays on for this person."},), None, 0, None)
"""The request in the journal in whose place the name of that bidder is the reply."""


@dataclasses.dataclass(frozen=True)
class Person:
    """A person in the place of a model in the journal of calls."""

    name: str
    endpoint: str = calls.PERSON

    def complete(self, request: calls.Request, pause: calls.Pause) -> calls.Completion:
        """Raise TypeError: people are asked through an inbox."""
        raise TypeError("a person is asked through an inbox")


def completion_of(request: str, words: str, reason: str, why: str, started: float) -> calls.Completion:
    """Return an answer that was given now as the reply of a model.

    Args:
        request: the `id` of the request.
        words: the decision in words.
        reason: words beside an amount.
        why: TIMED_OUT if no answer came in time; otherwise "".
        started: the time of the request, as `time.time()`.
    """
    return calls.Completion(
        words,
        "stop",
        tokens_in=0,
        tokens_out=0,
        seconds=max(0.0, time.time() - started),
        reasoning=reason,
        reported_cost=0.0,
        settings={},
        started=started,
        request_id=request,
        finish_reason=why,
    )


def earlier_answer(request: str, call: calls.Call, view: GameView, game: Game) -> Answer:
    """Return the answer in an entry of the journal; one in the simplest words for an amount states this amount."""
    try:
        cents = cents_of(call.reply, view, game)
        is_amount = simplest_words(cents, view, game) == call.reply
    except (Unreadable, NoAction):
        is_amount = False
    if not is_amount:
        return Answer(request, words=call.reply)
    return Answer(request, None if cents < 0 else to_dollars(cents), cents < 0, call.reasoning)
