"""AucArena's agent for English auctions: it plans, bids, updates its beliefs, and replans.

Source: AucArena, arXiv 2310.05746, section 3. It calls the model for four tasks, with these messages and replies:

- plan: the system message and the task; the reply is a plan that ends with priorities (3 highest, 1 lowest) as JSON.
  A reply that cannot be parsed is followed by up to 2 more calls.
- bid: the system message, the latest planning task, the plan, the auctioneer's earlier calls for this item with
  their replies, and the current call; the reply is text.
- belief, after each item: the system message, the item's history and the previous status; the reply is a summary,
  followed by the status as JSON. The status is checked (`aucenv.envs.english.stated_beliefs`). The model sees its
  errors and revises the status, up to `max_corrections` times; the agent then keeps the last status, right or wrong.
- replan, before the next item: the system message, the status and the remaining items; the reply has new priorities.
  With `previous_plan`, the latest planning task and plan come before the task, as in the published program.

Differences from the paper's program:

- The model is also called again if its first plan cannot be parsed.
- The auctioneer's call states the seat's estimate.
- `plan=none` shows the status as `plan=static` does.
- Replanning shows the current priorities.
- An empty plan leaves the previous plan in place.
- Beliefs and plans are also updated after items on which the seat never decides, because it cannot pay: before its
  next decision, or at the end of the game.
- With a memory, the agent writes lessons after the last item.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.agents.agent import EMPTY_REPLY, Agent, chat_message, message_content, require_complete
from aucenv.baselines.llm.agents.memory import Memory
from aucenv.baselines.llm.json_replies import Malformed, read_numbered, read_priorities, read_status
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import Objective
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import money
from aucenv.envs.english import words as english
from aucenv.envs.english.notes import item_labels, normalized_name
from aucenv.envs.english.stated_beliefs import Sale, check_status, true_status
from aucenv.envs.english.view import Bid
from aucenv.runs.model_calls.calls import Message

MAX_LESSONS = 10
SYSTEM_VARIABLES = frozenset({"introduction", "goal", "mechanism", "lessons"})
ITEM_VARIABLES = frozenset({"items", "goal", "beliefs"})
BID_VARIABLES = frozenset(
    {"opening", "first_call", "item", "items_left", "starting_price", "round", "rounds", "standing_bid"}
    | {"increment", "estimate", "status", "refused", "goal", "beliefs"}
)


class BdiAgent(Agent):
    """AucArena's agent for English auctions; the module's docstring describes its calls."""

    VARIABLES: Variables = (
        ("system", SYSTEM_VARIABLES),
        ("plan", ITEM_VARIABLES | {"budget"}),
        ("replan", ITEM_VARIABLES | {"status"}),
        ("bid", BID_VARIABLES),
        ("belief", frozenset({"item", "rounds", "sale_result", "outcome", "status", "bidder_names", "beliefs"})),
        ("again", frozenset({"mistakes"})),
        ("lessons", frozenset({"log", "profit", "reports"})),
    )

    def __init__(self, *agent_args: Any, bdi_options: BdiOptions, memory: Memory | None = None) -> None:
        super().__init__(*agent_args)
        self.bdi_options = bdi_options
        self.memory = memory
        self.in_order = memory is not None

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        return {
            "bdi_options": BdiOptions.of(options),
            "memory": None if options["memory"] is None else Memory(Path(options["memory"]), game),
        }

    def why_unplayable(self, scenario: Scenario) -> str | None:
        return why_no_target(self.bdi_options.objective, scenario)

    def stated_objective(self, scenario: Scenario, seat: int) -> Objective | None:
        return stated_objective(self.bdi_options.objective, scenario)

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        assert self._calls is not None
        self._memory_entries = self.memory.recall(self._calls.place) if self.memory is not None else []
        self._system: Message | None = None
        self._labels: list[str] = []
        self._status: JsonMapping = {}
        self._plan: list[Message] = []  # the latest planning task, and the plan
        self._priorities: dict[str, int] = {}
        self._last_item = -1  # the latest item that it decided on
        self._num_updated = 0  # how many items its beliefs cover
        self._dialogue: list[Message] = []  # the auctioneer's calls for this item, with the replies
        self._next_round = 0  # the first round of this item that no call has shown

    def prepare(self, view: GameView) -> None:
        is_first = self._system is None
        self._catch_up(view)
        if is_first and self.bdi_options.plan != "none":
            self._make_plan("plan", view, view.item_number)
        if view.item_number > self._last_item:
            self._last_item, self._next_round, self._dialogue = view.item_number, 0, []

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        self._dialogue.append(self.bid_message(self.prompts.render("bid", **self.call_variables(view))))
        self._next_round = view.round
        reply = self.ask([self.system_message, *self._plan, *self._dialogue])
        self._dialogue.append(chat_message("assistant", message_content(reply)))
        return reply

    def close_game(self, view: GameView) -> JsonObject:
        self._begin_decision()
        self._catch_up(view)
        if self.memory is not None:
            assert self._calls is not None
            entry = {"name": view.name, **self.memory_entry(view)}
            self.memory.save(self._calls.place, len(self._memory_entries), entry)
        return self.notes

    @property
    def shows_priorities(self) -> bool:
        """Whether replanning shows the current priority of each item, which the new one then tends to repeat.

        The paper and its program do not show it.
        """
        return self.bdi_options.preset == "default"

    def update_rival_models(self, view: GameView, num_closed: int) -> None:
        """Update what the agent thinks of its rivals.

        It is called at the start of the game, and after each update of beliefs, before the agent plans.

        Args:
            num_closed: the number of closed items that beliefs cover.
        """

    def system_variables(self, view: GameView) -> JsonObject:
        """Return the variables of the template `system`."""
        return {
            "introduction": english.introduction(view),
            "goal": self._goal(view),
            "mechanism": english.mechanism(view),
            "lessons": self._memory_entries[-1]["lessons"] if self._memory_entries else [],
        }

    def planning_variables(self, view: GameView, num_closed: int) -> JsonObject:
        """Return the variables of the templates `plan` and `replan`, when `num_closed` items were closed."""
        items = [
            {
                "name": label,
                "description": item.description,
                "starting_price": money(item.starting_price),
                "estimate": money(item.estimate),
                "priority": self._priorities.get(label) if self.shows_priorities else None,
            }
            for label, item in zip(self._labels, view.items, strict=True)
        ]
        return {
            "items": items[num_closed:],
            "budget": money(view.budget),
            "status": self.status_json(),
            "beliefs": self._status,
            "goal": self._goal(view),
        }

    def call_variables(self, view: GameView) -> JsonObject:
        """Return the variables of the template `bid`: the auctioneer's call."""
        opening = not self._dialogue and view.standing_bid is None
        bids = [bid for bid in view.history if bid.item == view.item_number and bid.round >= self._next_round]
        show_status = not self._dialogue and self.bdi_options.plan != "adaptive"
        return {
            "opening": opening,
            "first_call": not self._dialogue,
            "goal": self._goal(view),
            "beliefs": self._status,
            "item": self._labels[view.item_number],
            "items_left": self._labels[view.item_number :],
            "starting_price": money(view.starting_price),
            "round": view.round + 1,
            "rounds": self._rounds(view, bids),
            "standing_bid": "".join(english.standing(view)),
            "increment": money(view.least_raise),
            "estimate": money(view.estimate),
            "status": self.status_json() if show_status else None,
            "refused": "".join(english.refused(view)),
        }

    def memory_entry(self, view: GameView) -> JsonObject:
        """Return the memory's entry for this auction, with the lessons that the model writes."""
        log = [self.sale_variables(view, j) for j in range(view.item_number)]
        profit, reports = money(view.profits[view.seat]), personal_reports(view, self._labels)
        task = self.prompts.render("lessons", log=log, profit=profit, reports=reports)
        lessons, _ = self.ask_until_read([self.system_message, chat_message("user", task)], "lessons", read_numbered, 0)
        if lessons is None:
            return {"lessons": self._memory_entries[-1]["lessons"] if self._memory_entries else []}
        if len(lessons) > MAX_LESSONS:
            self.note_mistake("lessons", "too long", f"{len(lessons)} lessons, of {MAX_LESSONS} at most")
        return {"lessons": lessons[:MAX_LESSONS]}

    def sale_variables(self, view: GameView, j: int) -> JsonObject:
        """Return the variables that report how item `j` was sold."""
        bids = [bid for bid in view.history if bid.item == j]
        rounds, sale_result = self._rounds(view, bids), english.hammer(view, view.items[j])
        return {"item": self._labels[j], "rounds": rounds, "sale_result": sale_result}

    @property
    def system_message(self) -> Message:
        assert self._system is not None
        return self._system

    def status_json(self) -> str:
        """The agent's beliefs, as JSON."""
        return json.dumps(self._status, ensure_ascii=False, indent=1)

    def _rounds(self, view: GameView, bids: Sequence[Bid]) -> list[str]:
        return english.rounds(view, bids, second_person=self.bdi_options.preset == "default")

    def _goal(self, view: GameView) -> str:
        relative = self.bdi_options.goal == "relative"
        if self.bdi_options.objective is None:
            return english.goal(view.objectives[view.seat], view.targets[view.seat], relative)
        objective, _, target = self.bdi_options.objective.partition(":")
        labels = {normalized_name(label): label for label in self._labels}
        return english.goal(objective, labels.get(normalized_name(target), target), relative)

    def _start_game(self, view: GameView) -> None:
        self._labels = item_labels([item.name for item in view.items])
        self._status = true_status(view.name, view.endowment, view.scenario_text.names, [])
        self._system = chat_message("system", self.prompts.render("system", **self.system_variables(view)))

    def _catch_up(self, view: GameView) -> None:
        """Bring beliefs and plans up to the current item, one closed item after another."""
        replans = self._system is not None and self.bdi_options.plan == "adaptive"
        if self._system is None:
            self._start_game(view)
            self.update_rival_models(view, 0)
        while self._num_updated < view.item_number:
            self._update_beliefs(view, self._num_updated)
            self._num_updated += 1
            self.update_rival_models(view, self._num_updated)
            if replans and self._num_updated < len(view.items):
                self._make_plan("replan", view, self._num_updated)

    def _make_plan(self, phase: str, view: GameView, num_closed: int) -> None:
        items, is_late = self._labels, num_closed < view.item_number
        earlier = self._plan if phase == "replan" and self.bdi_options.previous_plan else []
        task = chat_message("user", self.prompts.render(phase, **self.planning_variables(view, num_closed)))
        priorities_and_past, conversation = self.ask_until_read(
            [self.system_message, *earlier, task],
            f"{phase} {num_closed + 1}" if is_late else phase,
            lambda reply: read_priorities(reply, items, num_closed, partial=self.bdi_options.preset == "program"),
        )
        if conversation[-1]["content"] != EMPTY_REPLY:
            self._plan = [task, conversation[-1]]
            self.notes["plan"] = conversation[-1]["content"]
        if priorities_and_past is None:
            return
        priorities, past = priorities_and_past
        for item in past:
            self.note_mistake(phase, "past item", f"{item!r} is through")
        if past:
            self.notes["past_priorities"] = self.notes.get("past_priorities", {}) | past
        self._priorities |= priorities
        noted = [self._priorities.get(item) for item in items]
        if is_late:
            self.notes.setdefault("earlier_plans", []).append({"item": num_closed, "priorities": noted})
        else:
            self.notes["priorities"] = noted

    def _update_beliefs(self, view: GameView, j: int) -> None:
        item, names = view.items[j], view.scenario_text.names
        outcome = {None: "unsold", view.seat: "won"}.get(item.winner, "lost")
        belief_variables: JsonObject = {"outcome": outcome, "status": self.status_json(), "bidder_names": list(names)}
        belief_variables["beliefs"] = self._status
        task = self.prompts.render("belief", **self.sale_variables(view, j), **belief_variables)
        conversation = [self.system_message, chat_message("user", task)]
        truth = self.true_beliefs(view, j + 1)
        statuses: list[JsonObject | None] = []
        for revision in range(self.bdi_options.max_corrections + 1 if self.bdi_options.correct_beliefs else 1):
            reply = self.ask(conversation, f"belief {j + 1}", revision)
            try:
                status = read_status(require_complete(reply), names, view.name)
                wrong = [check.wrong for check in check_status(status, truth, view.name) if check.wrong]
                self._status = status
                statuses.append(status)
            except Malformed as error:
                wrong = [str(error)]
                statuses.append(None)
                self.note_mistake("belief", "malformed", str(error))
            if not wrong:
                break
            conversation.append(chat_message("assistant", message_content(reply)))
            conversation.append(chat_message("user", self.prompts.render("again", mistakes=wrong)))
        self.notes.setdefault("beliefs", []).append({"item": j + 1, "statuses": statuses})

    def true_beliefs(self, view: GameView, num_items: int) -> JsonObject:
        """Return the correct status after the first `num_items` items."""
        sales = [
            Sale(label, english.name_of(view, item.winner), item.hammer_price, item.true_value)
            for label, item in list(zip(self._labels, view.items, strict=True))[:num_items]
            if item.winner is not None
        ]
        return true_status(view.name, view.endowment, view.scenario_text.names, sales)


@dataclasses.dataclass(frozen=True)
class BdiOptions:
    """The options of a BDI agent.

    Attributes:
        plan: "adaptive": replan after each item; "static": plan once; "none": do not plan. With "static" and
            "none", the first call of each item shows the status.
        objective: "profit", "items" or "item:NAME"; None: the scenario's objective for the seat.
        correct_beliefs: whether the model sees its wrong beliefs and revises them; if false, they are only counted.
        max_corrections: the maximum number of revisions of a belief update.
        previous_plan: whether the model sees its previous plan when it replans.
        goal: "absolute", or "relative": the objective compares the bidder with the others.
        preset: "default", "paper" or "program".
    """

    plan: str
    objective: str | None
    correct_beliefs: bool
    max_corrections: int
    previous_plan: bool
    goal: str
    preset: str

    @classmethod
    def of(cls, options: JsonMapping) -> BdiOptions:
        """Return the options of an agent, from the values of all options of its bidder."""
        return cls(**{option.name: options[option.name] for option in dataclasses.fields(cls)})


def stated_objective(option: str | None, scenario: Scenario) -> Objective | None:
    """Return the objective that the option sets in a scenario that the agent can play; None: the scenario's."""
    if option is None:
        return None
    objective, _, target = option.partition(":")
    return objective, next((name for name in _names(scenario) if target and _same(name, target)), None)


def why_no_target(option: str | None, scenario: Scenario) -> str | None:
    """Return why the agent cannot play a scenario (its objective must name exactly one item), or None if it can."""
    _, _, target = (option or "").partition(":")
    names = _names(scenario)
    if not target or not names or sum(_same(name, target) for name in names) == 1:
        return None
    return f"objective: expected item:NAME of one item among {', '.join(names)}, got {target!r}"


def _names(scenario: Scenario) -> list[str]:
    return [item.name for item in getattr(scenario, "items", ())]


def _same(name: str, target: str) -> bool:
    return normalized_name(name) == normalized_name(target)


def personal_reports(view: GameView, labels: Sequence[str]) -> list[JsonObject]:
    """Return the name, profit and won items of each bidder, with prices, starting prices and true values.

    Args:
        labels: the names of the items in prompts.
    """
    items = list(zip(labels, view.items, strict=True))
    return [
        {
            "name": name,
            "profit": money(view.profits[seat]),
            "won": [
                {
                    "item": label,
                    "price": money(item.hammer_price),
                    "starting_price": money(item.starting_price),
                    "true_value": money(item.true_value),
                }
                for label, item in items
                if item.winner == seat
            ],
        }
        for seat, name in zip(view.scenario_text.seats, view.scenario_text.names, strict=True)
    ]
