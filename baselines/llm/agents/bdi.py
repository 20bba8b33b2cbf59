"""AucArena's agent for English auctions: it plans, bids, brings its beliefs up to date, and plans again.

Source: AucArena, arXiv 2310.05746, section 3: four functions, each one call. The messages of each:

- plan: system, the task -> a plan that ends with priorities (3 tops, 1 last) as JSON; 2 more tries.
- bid: system, the latest task of planning, the plan, this item's earlier calls and replies, the call -> words.
- belief, after each item: system, the item's history and the status before -> a summary, then the status as JSON.
  It is checked (`aucenv.analysis.beliefs`); what is wrong is told, and the model revises it, up to `max_corrections`
  times. What it then believes stands, right or wrong.
- replan, before the next item: system, status and the items to come -> new priorities; as the published program does
  with `previous_plan`, the latest task and plan stand before it.

Differences: more tries for the first plan, too; a call tells the estimate; `none` shows the status as `static` does;
planning again shows the priorities that hold. If a model says nothing at all when it plans, the plan before stands.
An item that the seat was not asked for (it could not pay) brings a belief update too, but a plan only once it is asked
again; after the last item there is nothing to plan. Lessons, where there is a memory, are drawn at the end.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from aucenv.baselines.llm.agents.agent import NOTHING, Agent, said, spoken, whole
from aucenv.baselines.llm.json_replies import Malformed, read_numbered, read_priorities, read_status
from aucenv.baselines.llm.memory import Memory
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.money import money
from aucenv.core.seat_view import GameView
from aucenv.envs.english import text as english
from aucenv.envs.english.stated_beliefs import Sale, check_status, item_labels, plain_name, true_status
from aucenv.runs.calls import Message


@dataclasses.dataclass(frozen=True)
class Mind:
    """How a BDI agent thinks.

    Attributes:
        plan: "adaptive": it plans again after each item; "static": it does not; "none": it does not plan at all. The
            latter two see their status in the first call of each item.
        objective: "profit", "items" or "item:NAME"; None: the scenario's for the seat.
        correct_beliefs: whether wrong beliefs are told, or only counted.
        max_corrections: revisions of a belief update, at most.
        previous_plan: whether it sees its plan when it plans again.
    """

    plan: str
    objective: str | None
    correct_beliefs: bool
    max_corrections: int
    previous_plan: bool


MOST_LESSONS = 10
SYSTEM = frozenset({"introduction", "goal", "mechanism", "lessons"})
ITEMS = frozenset({"items"})
BID = frozenset(
    {"opening", "item", "items_left", "starting_price", "round", "rounds", "standing"}
    | {"increment", "estimate", "status", "refused"}
)


class BdiAgent(Agent):
    """See the module."""

    VARIABLES: Variables = (
        ("system", SYSTEM),
        ("plan", ITEMS | {"budget"}),
        ("replan", ITEMS | {"status"}),
        ("bid", BID),
        ("belief", frozenset({"item", "rounds", "hammer", "outcome", "status", "names"})),
        ("again", frozenset({"mistakes"})),
        ("lessons", frozenset({"log", "result"})),
    )

    def __init__(self, *asked: GameView, mind: Mind, memory: Memory | None = None) -> None:
        super().__init__(*asked)
        self.mind = mind
        self.memory = memory
        self.in_order = memory is not None

    @classmethod
    def made_with(cls, game: str, options: JsonMapping) -> JsonObject:
        mind = Mind(**{part.name: options[part.name] for part in dataclasses.fields(Mind)})
        return {"mind": mind, "memory": None if options["memory"] is None else Memory(Path(options["memory"]))}

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Why it cannot play a scenario: it is after an item that is not sold there."""
        _, _, target = (self.mind.objective or "").partition(":")
        names = [item.name for item in getattr(scenario, "items", ())]
        if not target or not names or [plain_name(name) for name in names].count(plain_name(target)) == 1:
            return None
        return f"objective: expected item:NAME of one item, of {', '.join(names)}, got {target!r}"

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        assert self._calls is not None
        self._known = self.memory.recall(self._calls.place) if self.memory is not None else []
        self._system: Message | None = None
        self._labels: list[str] = []
        self._status: JsonMapping = {}
        self._plan: list[Message] = []  # the latest task of planning, and the plan
        self._priorities: dict[str, int] = {}
        self._item = -1  # the last that it was asked for
        self._through = 0  # items that its beliefs know of
        self._dialogue: list[Message] = []  # this item's calls and replies
        self._heard = 0  # rounds of this item that it knows of

    def prepare(self, view: GameView) -> None:
        if self._system is None:
            self._sit_down(view)
            self._take_in(view)
            self.look_around(view)
            if self.mind.plan != "none":
                self._make_plan("plan", view)
        elif view.item_number > self._item:
            self._take_in(view)
            self.look_around(view)
            if self.mind.plan == "adaptive":
                self._make_plan("replan", view)
        if view.item_number > self._item:
            self._item, self._heard, self._dialogue = view.item_number, 0, []

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        self._dialogue.append(said("user", self.prompts.render("bid", **self.call(view))))
        self._heard = view.round
        reply = self.ask([self.system_message, *self._plan, *self._dialogue])
        self._dialogue.append(said("assistant", spoken(reply)))
        return reply

    def close_game(self, view: GameView) -> JsonObject:
        self._begin_decision()
        if self._system is None:
            self._sit_down(view)
        self._take_in(view)
        self.look_around(view)
        if self.memory is not None:
            assert self._calls is not None
            learnt = {"name": view.name, **self.remember(view)}
            self.memory.keep(self._calls.place, len(self._known), learnt)
        return self.notes

    def look_around(self, view: GameView) -> None:
        """What else it thinks of before it plans, at the start and whenever its beliefs are up to date."""

    def system(self, view: GameView) -> JsonObject:
        """What the system message tells."""
        return {
            "introduction": english.introduction(view),
            "goal": self._goal(view),
            "mechanism": english.mechanism(view),
            "lessons": self._known[-1]["lessons"] if self._known else [],
        }

    def planning(self, view: GameView) -> JsonObject:
        """What a task of planning tells."""
        items = [
            {
                "name": label,
                "description": item.description,
                "starting_price": money(item.starting_price),
                "estimate": money(item.estimate),
                "priority": self._priorities.get(label),
            }
            for label, item in zip(self._labels, view.items, strict=True)
        ]
        return {"items": items[view.item_number :], "budget": money(view.budget), "status": self.shown_status()}

    def call(self, view: GameView) -> JsonObject:
        """What the auctioneer's call tells."""
        opening = not self._dialogue and view.standing_bid is None
        since = [bid for bid in view.history if bid.item == view.item_number and bid.round >= self._heard]
        first = not self._dialogue and self.mind.plan != "adaptive"
        return {
            "opening": opening,
            "item": self._labels[view.item_number],
            "items_left": self._labels[view.item_number :],
            "starting_price": money(view.starting_price),
            "round": view.round + 1,
            "rounds": english.rounds(view, since),
            "standing": "".join(english.standing(view)),
            "increment": money(view.least_raise),
            "estimate": money(view.estimate),
            "status": self.shown_status() if first else None,
            "refused": "".join(english.refused(view)),
        }

    def remember(self, view: GameView) -> JsonObject:
        """What it takes into the next auction."""
        log = [self.sale(view, j) for j in range(view.item_number)]
        result = money(view.profits[view.seat])
        task = self.prompts.render("lessons", log=log, result=result)
        lessons, _ = self.ask_until_read([self.system_message, said("user", task)], "lessons", read_numbered, 0)
        if lessons is None:
            return {"lessons": self._known[-1]["lessons"] if self._known else []}
        if len(lessons) > MOST_LESSONS:
            self.mistake("lessons", "too long", f"{len(lessons)} lessons, of {MOST_LESSONS} at most")
        return {"lessons": lessons[:MOST_LESSONS]}

    def sale(self, view: GameView, j: int) -> JsonObject:
        """What happened to item `j`."""
        bids = [bid for bid in view.history if bid.item == j]
        rounds, hammer = english.rounds(view, bids), english.hammer(view, view.items[j])
        return {"item": self._labels[j], "rounds": rounds, "hammer": hammer}

    @property
    def system_message(self) -> Message:
        assert self._system is not None
        return self._system

    def shown_status(self) -> str:
        """Its own beliefs, as JSON."""
        return json.dumps(self._status, ensure_ascii=False, indent=1)

    def _goal(self, view: GameView) -> str:
        if self.mind.objective is None:
            return english.goal(view.objectives[view.seat], view.targets[view.seat])
        objective, _, target = self.mind.objective.partition(":")
        known = {plain_name(label): label for label in self._labels}
        return english.goal(objective, known.get(plain_name(target), target))

    def _sit_down(self, view: GameView) -> None:
        self._labels = item_labels([item.name for item in view.items])
        self._status = true_status(view.name, view.endowment, view.scenario_text.names, [])
        self._system = said("system", self.prompts.render("system", **self.system(view)))

    def _make_plan(self, phase: str, view: GameView) -> None:
        items, through = self._labels, view.item_number
        earlier = self._plan if phase == "replan" and self.mind.previous_plan else []
        task = said("user", self.prompts.render(phase, **self.planning(view)))
        found, told = self.ask_until_read(
            [self.system_message, *earlier, task], phase, lambda reply: read_priorities(reply, items, through)
        )
        if told[-1]["content"] != NOTHING:
            self._plan = [task, told[-1]]
            self.notes["plan"] = told[-1]["content"]
        if found is None:
            return
        priorities, past = found
        for item in past:
            self.mistake(phase, "past item", f"{item!r} is through")
        self._priorities |= priorities
        self.notes["priorities"] = [self._priorities.get(item) for item in items]

    def _take_in(self, view: GameView) -> None:
        """Bring beliefs up to date, item by item."""
        while self._through < view.item_number:
            self._update_beliefs(view, self._through)
            self._through += 1

    def _update_beliefs(self, view: GameView, j: int) -> None:
        item, names = view.items[j], view.scenario_text.names
        own = {None: "unsold", view.seat: "won"}.get(item.winner, "lost")
        told_now = {"outcome": own, "status": self.shown_status(), "names": list(names)}
        task = self.prompts.render("belief", **self.sale(view, j), **told_now)
        told = [self.system_message, said("user", task)]
        true = true_status(view.name, view.endowment, names, self._sales(view, j + 1))
        statuses: list[JsonObject | None] = []
        for revision in range(self.mind.max_corrections + 1 if self.mind.correct_beliefs else 1):
            reply = self.ask(told, f"belief {j + 1}", revision)
            try:
                status = read_status(whole(reply), names, view.name)
                wrong = [check.wrong for check in check_status(status, true, view.name) if check.wrong]
                self._status = status
                statuses.append(status)
            except Malformed as error:
                wrong = [str(error)]
                statuses.append(None)
                self.mistake("belief", "malformed", str(error))
            if not wrong:
                break
            told.append(said("assistant", spoken(reply)))
            told.append(said("user", self.prompts.render("again", mistakes=wrong)))
        self.notes.setdefault("beliefs", []).append({"item": j + 1, "statuses": statuses})

    def _sales(self, view: GameView, through: int) -> list[Sale]:
        return [
            Sale(label, english.name_of(view, item.winner), item.hammer_price, item.true_value)
            for label, item in list(zip(self._labels, view.items, strict=True))[:through]
            if item.winner is not None
        ]
