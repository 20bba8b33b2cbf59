"""HARBOR's agent for housing auctions: AucArena's, with a persona, who reads its rivals and settles on a strategy.

Source: HARBOR, arXiv 2502.12149. Beside the calls of `bdi`:

- profile, after each item, for each rival, at the same time: system, the item's history, the house and the profile
  before -> ten weights in [-1, 1] as JSON; 2 more tries, then the profile stays as it was (zero at the start).
- second order, after each item: how each rival reads the agent and will adjust, in words.
- rule, before each bid: one of ExpAct's six rules, with a reason, which the bid then follows; 2 more tries. Or another
  bidder's advice (`strategy=adviser:BIDDER`).
- rivals, at the end, where there is a memory: a sentence on each rival, for the next auction.

Differences: where a rule is chosen, the bid is told it instead of what it was chosen by. `agent=bdi` at a housing
auction is told no persona.
"""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aucenv.baselines.llm.agents.adviser import Adviser
from aucenv.baselines.llm.agents.agent import Mistake, said
from aucenv.baselines.llm.agents.bdi import BID, ITEMS, SYSTEM, BdiAgent
from aucenv.baselines.llm.json_replies import read_choice, read_profile, read_sentences
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.policy import why_unplayable
from aucenv.core.seat_view import GameView
from aucenv.envs.english import text as english
from aucenv.envs.harbor import text as harbor
from aucenv.envs.harbor import view as harbor_view
from aucenv.runs.calls import Model
from aucenv.runs.journal import SeatCalls

RULES = tuple("ABCDEF")
READ = frozenset({"rivals", "known", "second_order"})
CALL = BID | READ


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a HARBOR agent reads its rivals and settles on a bid.

    Attributes:
        tom: "none"; "true": it is told their personas; "inferred": it profiles them; "second": it also thinks of how
            they read it.
        strategy: "none", "expact", or "adviser:BIDDER".
    """

    tom: str
    strategy: str


class HarborAgent(BdiAgent):
    """See the module."""

    VARIABLES: Variables = (
        ("system", SYSTEM | {"houses", "persona", "remembered", "expact"}),
        ("plan", ITEMS | READ | {"budget"}),
        ("replan", ITEMS | READ | {"status"}),
        ("bid", CALL | {"rule", "reason", "advice"}),
        ("rule", CALL | {"priorities", "status"}),
        ("profile", frozenset({"rival", "item", "description", "rounds", "hammer", "personas", "profile"})),
        ("second_order", frozenset({"item", "rounds", "hammer", "status"}) | READ),
        ("remember", frozenset({"rivals"})),
        *(entry for entry in BdiAgent.VARIABLES if entry[0] in ("belief", "again", "lessons")),
    )

    def __init__(self, *asked: GameView, reading: Reading, adviser: Adviser | None = None, **bdi: Any) -> None:
        super().__init__(*asked, **bdi)
        self.reading = reading
        self.adviser = adviser
        self.in_order = self.in_order or (adviser is not None and getattr(adviser.policy, "in_order", False))
        self.cheats = reading.tom == "true" or (adviser is not None and getattr(adviser.policy, "cheats", False))

    @classmethod
    def made_with(cls, game: str, options: JsonMapping) -> JsonObject:
        _, _, adviser = options["strategy"].partition(":")
        return {
            **super().made_with(game, options),
            "reading": Reading(options["tom"], options["strategy"]),
            "adviser": Adviser(game, adviser) if adviser else None,
        }

    @property
    def models(self) -> tuple[Model, ...]:
        return (self.model, *(getattr(self.adviser.policy, "models", ()) if self.adviser is not None else ()))

    def why_unplayable(self, scenario: Scenario) -> str | None:
        reason = super().why_unplayable(scenario)
        return why_unplayable(self.adviser.policy, scenario) if reason is None and self.adviser is not None else reason

    def use_calls(self, calls: SeatCalls) -> None:
        super().use_calls(calls)
        if self.adviser is not None:
            self.adviser.use_calls(calls)

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        if self.adviser is not None:
            self.adviser.reset(seat, seed)
        self._profiles: dict[str, list[float]] = {}  # by rival's seat
        self._true: dict[str, str] = {}  # their personas in words, where they are told
        self._profiled = 0  # items
        self._second_order = ""
        self._advice: dict[str, str | None] = {}

    def act(self, view: GameView, observation: JsonMapping) -> str:
        self._revealed = view
        return super().act(as_seen(view), observation)

    def close_game(self, view: GameView) -> JsonObject:
        self._revealed = view
        if self.adviser is not None:
            self.adviser.policy.close_game(self._shown_to_adviser(as_seen(view)))
        return super().close_game(as_seen(view))

    def prepare(self, view: GameView) -> None:
        super().prepare(view)
        self._advice = {"rule": None, "reason": None, "advice": None}
        if self.reading.strategy == "expact":
            self._choose_rule(view)
        elif self.adviser is not None:
            self._advice["advice"] = self.notes["advice"] = self.adviser.advise(self._shown_to_adviser(view))
            if not self.notes["advice"]:
                self.mistake("advice", "malformed", "there is nothing in it")

    def look_around(self, view: GameView) -> None:
        rivals = [seat for seat in view.scenario_text.seats if seat != view.seat]
        if self.reading.tom == "none":
            return
        if self.reading.tom == "true":
            self._read_personas(rivals)
        elif not self._profiles:
            self._profiles = {rival: [0.0] * len(view.scenario_text.personas) for rival in rivals}
        while self.reading.tom != "true" and self._profiled < view.item_number:
            self._profile_rivals(view, rivals, self._profiled)
            self._profiled += 1
            if self.reading.tom == "second" and view.item_number < len(view.items):
                self._think_second_order(view, self._profiled - 1)
        self.notes["profiles"] = dict(self._profiles)

    def system(self, view: GameView) -> JsonObject:
        return super().system(view) | {
            "houses": harbor.SOLD,
            "persona": " ".join(harbor.who(view)),
            "remembered": self._remembered(view),
            "expact": self.reading.strategy == "expact",
        }

    def planning(self, view: GameView) -> JsonObject:
        return super().planning(view) | self._read(view)

    def call(self, view: GameView) -> JsonObject:
        return super().call(view) | self._read(view) | self._advice

    def remember(self, view: GameView) -> JsonObject:
        rivals = []
        for seat in (seat for seat in view.scenario_text.seats if seat != view.seat):
            bids = [bid.item for bid in view.history if bid.seat == seat and bid.amount is not None]
            items = list(enumerate(view.items))
            rivals.append(
                {
                    "name": english.name_of(view, seat),
                    "bids": {self._labels[j]: bids.count(j) for j, _ in items if j in bids},
                    "won": [self._labels[j] for j, item in items if item.winner == seat],
                    "profile": self._told_profile(view, seat),
                }
            )
        names = [str(rival["name"]) for rival in rivals]
        task = said("user", self.prompts.render("remember", rivals=rivals))
        sentences, _ = self.ask_until_read(
            [self.system_message, task], "rivals", lambda reply: read_sentences(reply, names)
        )
        return super().remember(view) | {"rivals": self._remembered(view) | (sentences or {})}

    def _remembered(self, view: GameView) -> dict[str, str]:
        """Sentences on rivals, of the last auction in which it had the same name: where seats rotate, so do names."""
        last = next((entry for entry in reversed(self._known) if entry["name"] == view.name), {})
        return last.get("rivals", {})

    def _shown_to_adviser(self, view: GameView) -> Any:
        assert self.adviser is not None
        return self._revealed if getattr(self.adviser.policy, "cheats", False) else view

    def _read(self, view: GameView) -> JsonObject:
        """What it thinks of its rivals, for prompts."""
        rivals = [
            {"name": english.name_of(view, seat), "profile": self._told_profile(view, seat)} for seat in self._profiles
        ]
        return {"rivals": rivals, "known": bool(self._true), "second_order": self._second_order}

    def _told_profile(self, view: GameView, seat: str) -> str:
        if seat in self._true:
            return self._true[seat]
        weights = self._profiles.get(seat, [])
        if not any(weights):
            return ""
        named = zip(view.scenario_text.personas, weights, strict=True)
        return ", ".join(f"{persona.name} {weight:g}" for persona, weight in named)

    def _read_personas(self, rivals: list[str]) -> None:
        """Take the rivals' personas as they are."""
        seats, everyone = self._revealed.scenario_text.seats, self._revealed.scenario_text.personas
        for rival in rivals:
            known = self._revealed.personas_of(seats.index(rival))
            self._profiles[rival] = [float(persona in known) for persona in everyone]
            self._true[rival] = " and ".join(persona.name for persona in known) or "no persona"

    def _profile_rivals(self, view: GameView, rivals: list[str], j: int) -> None:
        personas = {persona.id: persona.name for persona in view.scenario_text.personas}
        history = self.sale(view, j) | {"description": view.items[j].description, "personas": personas}

        def profile(rival: str) -> tuple[list[float] | None, list[Mistake]]:
            mistakes: list[Mistake] = []
            before = json.dumps(dict(zip(personas, self._profiles[rival], strict=True)))
            name = english.name_of(view, rival)
            task = said("user", self.prompts.render("profile", rival=name, profile=before, **history))
            purpose = f"profile {j + 1} {rival}"
            found, _ = self.ask_until_read(
                [self.system_message, task], purpose, lambda reply: read_profile(reply, personas), mistakes=mistakes
            )
            return found, mistakes

        with ThreadPoolExecutor(len(rivals)) as pool:
            for rival, (found, mistakes) in zip(rivals, list(pool.map(profile, rivals)), strict=True):
                self._profiles[rival] = found or self._profiles[rival]
                if mistakes:
                    self.notes.setdefault("mistakes", []).extend(mistakes)

    def _think_second_order(self, view: GameView, j: int) -> None:
        told = self.sale(view, j) | {"status": self.shown_status()} | self._read(view)
        task = said("user", self.prompts.render("second_order", **told))
        self._second_order = self.ask_text([self.system_message, task], f"second_order {j + 1}")
        self.notes["second_order"] = self._second_order

    def _choose_rule(self, view: GameView) -> None:
        told = self.call(view) | {"priorities": self._priorities_to_come(view), "status": self.shown_status()}
        chosen, _ = self.ask_until_read(
            [self.system_message, said("user", self.prompts.render("rule", **told))],
            "rule",
            lambda reply: read_choice(reply, "rule", RULES),
        )
        if chosen is not None:
            self._advice["rule"], self._advice["reason"] = self.notes["rule"], self.notes["reason"] = chosen

    def _priorities_to_come(self, view: GameView) -> dict[str, int]:
        return {item: self._priorities[item] for item in self._labels[view.item_number :] if item in self._priorities}


def as_seen(view: GameView) -> Any:
    """A view without what the seat may not know."""
    if not view.reveals:
        return view
    return harbor_view.make_view(view.row, view.seat_number, view.scenario_text, view._history, view.refused)
