"""HARBOR's agent for housing auctions: AucArena's agent, with a persona, profiles of its rivals, and a strategy.

Source: HARBOR, arXiv 2502.12149. It makes the calls of `bdi`, and these:

- profile, after each item, one call per rival, all at the same time: the system message, the item's history, the house
  and the previous profile; the reply is ten weights in [-1, 1] as JSON. A reply that cannot be parsed is
  followed by up to 2 more calls; if all fail, the profile stays as it is (zero at the start).
- second order, after each item: the reply is text on how each rival sees the agent and will adjust to it.
- rule, before each bid: the reply is one of ExpAct's six rules, with a reason, and the bid then follows the rule. A
  reply that cannot be parsed is followed by up to 2 more calls. With `strategy=adviser:BIDDER`, another bidder advises
  the agent instead.
- rivals, at the end of an auction, with a memory: the reply is a sentence on each rival, for the next auction.

Differences from the paper's program: if a rule has been chosen, the bid's prompt shows the rule instead of the profiles
on which the choice was based. In a housing auction, the prompts of `agent=bdi` do not show the seat's persona.
"""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from aucenv.baselines.llm.agents.agent import Mistake, chat_message
from aucenv.baselines.llm.agents.bdi import BID_VARIABLES, ITEM_VARIABLES, SYSTEM_VARIABLES, BdiAgent
from aucenv.baselines.llm.json_replies import read_choice, read_profile, read_sentences
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.adapters.actions import FailedReply, read_dollar_action, read_text_action, read_vector_action
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import ModelFailure, PolicyError, check_policy, why_unplayable
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.bidder_name import inner_name, public_name
from aucenv.core.words.money import MAX_DOLLARS, money
from aucenv.core.words.reply import Unreadable
from aucenv.envs.english import words as english
from aucenv.envs.english.game import LADDER
from aucenv.envs.harbor import view as harbor_view
from aucenv.envs.harbor import words as harbor
from aucenv.envs.harbor.notes import LETTERS
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Model
from aucenv.runs.model_calls.journal import RunStopped, SeatCalls

RIVAL_VARIABLES = frozenset({"rivals", "personas_known", "second_order"})
CALL_VARIABLES = BID_VARIABLES | RIVAL_VARIABLES


@dataclasses.dataclass(frozen=True)
class HarborOptions:
    """The options of a HARBOR agent, beside those of a BDI agent.

    Attributes:
        tom: the theory of mind. "none"; "true": the agent sees its rivals' personas; "inferred": it infers profiles of
            them; "second": it also infers what they think of it.
        strategy: "none", "expact", or "adviser:BIDDER".
        follow: whether the agent must bid or leave as its adviser does. An amount in the advice is not shown.
    """

    tom: str
    strategy: str
    follow: bool


class HarborAgent(BdiAgent):
    """HARBOR's agent for housing auctions; the module's docstring describes its calls."""

    VARIABLES: Variables = (
        ("system", SYSTEM_VARIABLES | {"houses", "persona", "rival_notes", "expact"}),
        ("plan", ITEM_VARIABLES | RIVAL_VARIABLES | {"budget"}),
        ("replan", ITEM_VARIABLES | RIVAL_VARIABLES | {"status"}),
        ("bid", CALL_VARIABLES | {"rule", "reason", "advice", "advised"}),
        ("rule", CALL_VARIABLES | {"priorities", "status"}),
        (
            "profile",
            frozenset({"rival", "item", "description", "rounds", "sale_result", "personas", "profile", "wins"}),
        ),
        ("second_order", frozenset({"item", "rounds", "sale_result", "status"}) | RIVAL_VARIABLES),
        ("remember", frozenset({"rivals"})),
        *(entry for entry in BdiAgent.VARIABLES if entry[0] in ("belief", "again", "lessons")),
    )

    def __init__(
        self, *agent_args: Any, harbor_options: HarborOptions, adviser: Adviser | None = None, **bdi_arguments: Any
    ) -> None:
        super().__init__(*agent_args, **bdi_arguments)
        self.harbor_options = harbor_options
        self.adviser = adviser
        self.in_order = self.in_order or (adviser is not None and getattr(adviser.policy, "in_order", False))
        self.cheats = harbor_options.tom == "true" or (adviser is not None and getattr(adviser.policy, "cheats", False))

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        _, _, adviser = options["strategy"].partition(":")
        return {
            **super().init_arguments(game, options),
            "harbor_options": HarborOptions(options["tom"], options["strategy"], options["follow"]),
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
        self._profiles: dict[str, list[float]] = {}  # weights by the rival's seat
        self._true_personas: dict[str, str] = {}  # the rivals' personas as text, by seat; empty unless tom is "true"
        self._num_profiled = 0  # how many items the profiles cover
        self._second_order = ""
        self._advice: dict[str, str | None] = {}

    def act(self, view: GameView, observation: JsonMapping) -> str:
        self._full_view = view
        return super().act(visible_view(view), observation)

    def close_game(self, view: GameView) -> JsonObject:
        self._full_view = view
        if self.adviser is not None:
            self.adviser.policy.close_game(self._adviser_view(visible_view(view)))
        return super().close_game(visible_view(view))

    def prepare(self, view: GameView) -> None:
        super().prepare(view)
        self._advice = {"rule": None, "reason": None, "advice": None, "advised": None}
        if self.harbor_options.strategy == "expact":
            self._choose_rule(view)
        elif self.adviser is not None:
            advice = self.notes["advice"] = self.adviser.advise(self._adviser_view(view))
            if not advice:
                self.note_mistake("advice", "malformed", "there is nothing in it")
            elif self.harbor_options.follow:
                self._advice["advised"] = self._advised(advice, view)
            else:
                self._advice["advice"] = advice

    def _advised(self, advice: str, view: GameView) -> str | None:
        """Return whether the adviser bids or leaves; None, and a mistake in the notes, if it does neither."""
        rivals = [name for name in view.scenario_text.names if name != view.name]
        try:
            amount = find_family(self.game).game.words.read(advice, rivals, view.scenario_text, view.row)
        except Unreadable as error:
            self.note_mistake("advice", "malformed", str(error))
            return None
        return "leave" if amount < 0 else "bid"

    @property
    def shows_priorities(self) -> bool:
        return True

    def update_rival_models(self, view: GameView, num_closed: int) -> None:
        rivals = [seat for seat in view.scenario_text.seats if seat != view.seat]
        if self.harbor_options.tom == "none":
            return
        if self.harbor_options.tom == "true":
            self._set_true_personas(rivals)
        elif not self._profiles:
            self._profiles = {rival: [0.0] * len(view.scenario_text.personas) for rival in rivals}
        while self.harbor_options.tom != "true" and self._num_profiled < num_closed:
            self._profile_rivals(view, rivals, self._num_profiled)
            self._num_profiled += 1
            if self.harbor_options.tom == "second" and num_closed < len(view.items):
                self._think_second_order(view, self._num_profiled - 1)
        self.notes["profiles"] = dict(self._profiles)

    def system_variables(self, view: GameView) -> JsonObject:
        return super().system_variables(view) | {
            "houses": harbor.SOLD,
            "persona": " ".join(harbor.about_bidder(view)),
            "rival_notes": self._rival_notes(view),
            "expact": self.harbor_options.strategy == "expact",
        }

    def planning_variables(self, view: GameView, num_closed: int) -> JsonObject:
        return super().planning_variables(view, num_closed) | self._rival_variables(view)

    def call_variables(self, view: GameView) -> JsonObject:
        return super().call_variables(view) | self._rival_variables(view) | self._advice

    def memory_entry(self, view: GameView) -> JsonObject:
        rivals = []
        for seat in (seat for seat in view.scenario_text.seats if seat != view.seat):
            bids = [bid.item for bid in view.history if bid.seat == seat and bid.amount is not None]
            items = list(enumerate(view.items))
            rivals.append(
                {
                    "name": english.name_of(view, seat),
                    "bids": {self._labels[j]: bids.count(j) for j, _ in items if j in bids},
                    "won": [self._labels[j] for j, item in items if item.winner == seat],
                    "profile": self._profile_text(view, seat),
                }
            )
        names = [str(rival["name"]) for rival in rivals]
        task = chat_message("user", self.prompts.render("remember", rivals=rivals))
        sentences, _ = self.ask_until_read(
            [self.system_message, task], "rivals", lambda reply: read_sentences(reply, names)
        )
        return super().memory_entry(view) | {"rivals": self._rival_notes(view) | (sentences or {})}

    def _rival_notes(self, view: GameView) -> dict[str, str]:
        """Return a sentence on each rival, by name.

        They come from the last auction in which the agent had the same name, because names rotate with seats.
        """
        last = next((entry for entry in reversed(self._memory_entries) if entry["name"] == view.name), {})
        return last.get("rivals", {})

    def _adviser_view(self, view: GameView) -> Any:
        assert self.adviser is not None
        return self._full_view if getattr(self.adviser.policy, "cheats", False) else view

    def _rival_variables(self, view: GameView) -> JsonObject:
        """Return the variables that show what the agent thinks of its rivals."""
        rivals = [
            {"name": english.name_of(view, seat), "profile": self._profile_text(view, seat)} for seat in self._profiles
        ]
        return {"rivals": rivals, "personas_known": bool(self._true_personas), "second_order": self._second_order}

    def _profile_text(self, view: GameView, seat: str) -> str:
        if seat in self._true_personas:
            return self._true_personas[seat]
        weights = self._profiles.get(seat, [])
        if not any(weights):
            return ""
        weighted = zip(view.scenario_text.personas, weights, strict=True)
        return ", ".join(f"{persona.name} {weight:g}" for persona, weight in weighted)

    def _set_true_personas(self, rivals: list[str]) -> None:
        """Set the rivals' profiles to their true personas."""
        seats, all_personas = self._full_view.scenario_text.seats, self._full_view.scenario_text.personas
        for rival in rivals:
            personas = self._full_view.personas_of(seats.index(rival))
            self._profiles[rival] = [float(persona in personas) for persona in all_personas]
            self._true_personas[rival] = " and ".join(persona.name for persona in personas) or "no persona"

    def _profile_rivals(self, view: GameView, rivals: list[str], j: int) -> None:
        personas = {persona.id: persona.name for persona in view.scenario_text.personas}
        sale = self.sale_variables(view, j) | {"description": view.items[j].description, "personas": personas}
        sale["wins"] = {
            english.name_of(view, seat): {
                label: money(item.hammer_price or 0)
                for label, item in list(zip(self._labels, view.items, strict=True))[: j + 1]
                if item.winner == seat
            }
            for seat in view.scenario_text.seats
        }

        def profile(rival: str) -> tuple[list[float] | None, list[Mistake]]:
            mistakes: list[Mistake] = []
            before = json.dumps(dict(zip(personas, self._profiles[rival], strict=True)))
            name = english.name_of(view, rival)
            task = chat_message("user", self.prompts.render("profile", rival=name, profile=before, **sale))
            purpose = f"profile {j + 1} {rival}"
            weights, _ = self.ask_until_read(
                [self.system_message, task], purpose, lambda reply: read_profile(reply, personas), mistakes=mistakes
            )
            return weights, mistakes

        with ThreadPoolExecutor(len(rivals)) as pool:
            for rival, (weights, mistakes) in zip(rivals, list(pool.map(profile, rivals)), strict=True):
                self._profiles[rival] = weights or self._profiles[rival]
                if mistakes:
                    self.notes.setdefault("mistakes", []).extend(mistakes)

    def _think_second_order(self, view: GameView, j: int) -> None:
        variables = self.sale_variables(view, j) | {"status": self.status_json()} | self._rival_variables(view)
        task = chat_message("user", self.prompts.render("second_order", **variables))
        self._second_order = self.ask_text([self.system_message, task], f"second_order {j + 1}")
        self.notes["second_order"] = self._second_order

    def _choose_rule(self, view: GameView) -> None:
        variables = self.call_variables(view) | {
            "priorities": self._priorities_to_come(view),
            "status": self.status_json(),
        }
        choice, _ = self.ask_until_read(
            [self.system_message, chat_message("user", self.prompts.render("rule", **variables))],
            "rule",
            lambda reply: read_choice(reply, "rule", tuple(LETTERS)),
        )
        if choice is not None:
            self._advice["rule"], self._advice["reason"] = self.notes["rule"], self.notes["reason"] = choice

    def _priorities_to_come(self, view: GameView) -> dict[str, int]:
        return {item: self._priorities[item] for item in self._labels[view.item_number :] if item in self._priorities}


def visible_view(view: GameView) -> Any:
    """Return the view without what the seat may not know."""
    if not view.reveals:
        return view
    return harbor_view.make_view(view.row, view.seat_number, view.scenario_text, view._history, view.refused)


NUM_ACTIONS = LADDER + 1


class Adviser:
    """A bidder that is asked for advice at each decision of another bidder.

    Args:
        name: the name of a bidder of the game, with `;` in place of the commas between its parameters.

    Raises:
        ValueError: if the game has no such bidder.
    """

    def __init__(self, game: str, name: str) -> None:
        self.name = public_name(inner_name(name))
        self.policy: Any = check_policy(make_policy(game, inner_name(name)), f"adviser {self.name!r}")
        self._game = find_family(game).game
        self._since: tuple[int, int] | None = None

    def use_calls(self, calls: SeatCalls) -> None:
        if hasattr(self.policy, "use_calls"):
            self.policy.use_calls(dataclasses.replace(calls, prefix=f"{calls.prefix}adviser "))

    def reset(self, seat: str, seed: int) -> None:
        self._since = None
        self.policy.reset(seat, int(np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0]) >> 1)

    def advise(self, view: GameView) -> str:
        """Return the adviser's reply to this view as text; "" if it is a model whose reply was cut off or is a refusal.

        Raises:
            PolicyError: if the adviser raises, or returns an invalid action.
        """
        try:
            advise = getattr(self.policy, "advise", None)
            action = advise(view) if advise else self.policy.act(view, self._observation(view))
            self._since = len(view.history), view.item_number
            return self._reply_text(action, view)
        except (ModelFailure, RunStopped):
            raise
        except Exception as error:  # a user-defined bidder may raise anything
            raise PolicyError(f"adviser {self.name!r}: {error}") from error

    def _reply_text(self, action: Any, view: GameView) -> str:
        if self.policy.interface == "text":
            return "" if isinstance(action, FailedReply) else read_text_action(action)
        if self.policy.interface == "vector":
            number = read_vector_action(action, NUM_ACTIONS)
            amount = int(self._game.features.amount(view.row, 0, view.seat_number, number))
        else:
            amount = read_dollar_action(action)
        return self._game.words.reply_writer(None)(min(amount, MAX_DOLLARS * 100))

    def _observation(self, view: GameView) -> JsonObject:
        """Return the observation that an environment with the adviser's interface returns."""
        if not getattr(self.policy, "observes", True):
            return {}
        vector, seats = self._game.features, len(view.scenario_text.seats)
        features = np.zeros((seats, vector.num_features(seats, len(view.items))), np.float32)
        vector.features(view.row, 0, features)
        observation: JsonObject = {"observation": features[view.seat_number]}
        if self.policy.interface == "vector":
            mask = np.zeros((seats, NUM_ACTIONS), np.int8)
            vector.mask(view.row, 0, mask)
            observation["action_mask"] = mask[view.seat_number]
        elif self.policy.interface == "text":
            observation["text"] = self._game.words.describe(view, self._since)
        return observation
