"""Auctions and judges for TRL's GRPO trainer: an `environment_factory`, and a reward function.

GRPOTrainer(model, args=..., train_dataset=games(100), environment_factory=AuctionEnvironment)
GRPOTrainer(model, judge_reward(SimulatorJudge(), states), args=..., train_dataset=state_rows(states))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aucenv.training.rlact.judges.judges import Judge
from aucenv.training.rlact.states.messages import BID
from aucenv.training.rlact.states.states import DecisionState
from datasets import Dataset

from aucenv.core.checks import number
from aucenv.core.play.table import Table
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import MAX_DOLLARS
from aucenv.core.words.reply import write_reply
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

START = "You bid in an auction by the tools bid and withdraw.\n\n"


class AuctionEnvironment:
    """An auction against rule bidders, which a model plays with the tools `bid` and `withdraw`.

    The reward is the seat's final profit divided by the sum of all starting prices. For other auctions, subclass this
    class and override the attributes.

    Attributes:
        game: name of the game.
        scenario: name of the scenario; None is the game's default.
        rivals: names of rule bidders, one for each other seat.
        num_items: number of items for sale; None is all. The model's context must have room for a whole game.
        seat: number of the model's seat, from 0.
    """

    game = "harbor"
    scenario: str | None = None
    rivals: tuple[str, ...] = ("expact", "persona")
    num_items: int | None = 2
    seat = 0

    def reset(self, seed: int = 0, **_: object) -> str:
        """Deal a new auction and play it until the seat's first decision.

        Args:
            seed: seed of the game and its rivals; a column of the dataset.

        Returns:
            The seat's text observation.
        """
        family = find_family(self.game)
        scenario = family.game.load_scenario(self.scenario or family.game.default_scenario)
        scenario = scenario.changed(num_bidders=len(self.rivals) + 1, num_items=self.num_items)
        interfaces = ["amount"] * len(scenario.bidders)
        interfaces[self.seat] = "text"
        self._table = Table(family.game, scenario, interfaces)
        self._table.reset(seed)
        self._rivals = [make_policy(self.game, name) for name in self.rivals]
        self._rivals.insert(self.seat, None)  # type: ignore[arg-type]  # the model's seat
        for seat, rival in enumerate(self._rivals):
            if rival is not None:
                rival.reset(self._table.scenario_text.seats[seat], seed)
        self._play_rivals()
        return START + self._table.text(self.seat)

    def bid(self, dollars: float) -> str:
        """Bid for the item that is being sold.

        Args:
            dollars: the amount of the bid.

        Returns:
            What happened since, and what is to be decided now; or why the bid was refused.

        Raises:
            ValueError: it is no amount.
        """
        return self._submit(write_reply(round(100 * number("dollars", dollars, 0, MAX_DOLLARS))))

    def withdraw(self) -> str:
        """Leave the bidding for the item that is being sold; the next items are still open.

        Returns:
            What happened since, and what is to be decided now.
        """
        return self._submit(write_reply(WITHDRAW))

    def get_reward(self) -> float:
        """Return the seat's profit so far, divided by the sum of all starting prices."""
        view = self._table.view(self.seat)
        return float(view.profits[view.seat] / sum(item.starting_price for item in view.items))

    def _submit(self, reply: str) -> str:
        if not self._table.over:
            self._table.submit(self.seat, reply)
            self._play_rivals()
        return "The auction is over." if self._table.over else self._table.text(self.seat)

    def _play_rivals(self) -> None:
        """Play the rivals' decisions until the seat has to decide or the game is over."""
        table = self._table
        while not table.over:
            pending = [seat for seat in table.pending if seat != self.seat]
            for seat in pending:
                table.submit(seat, self._rivals[seat].act(table.view(seat), {}))
            if not pending and table.is_pending(self.seat):
                return


def games(how_many: int, seed: int = 0) -> Dataset:
    """Return a dataset for `AuctionEnvironment`, of `how_many` auctions with different seeds."""
    prompt = [{"role": "user", "content": ""}]
    return Dataset.from_list([{"prompt": prompt, "seed": seed + i} for i in range(how_many)])


def state_rows(states: Sequence[DecisionState], phase: str = BID) -> Dataset:
    """Return a dataset of states for `judge_reward`."""
    return Dataset.from_list([{"prompt": state.messages[phase], "state": state.id} for state in states])


def judge_reward(judge: Judge, states: Sequence[DecisionState]) -> Callable[..., list[float | None]]:
    """Return a reward function for TRL: a judge's scores of replies to states, by the ids in the column `state`."""
    by_id = {state.id: state for state in states}

    def score(completions: Sequence[Any], state: Sequence[str], **_: object) -> list[float | None]:
        """Return the score of each reply, from 1 to 5; None if the judge has no score."""
        replies = [each if isinstance(each, str) else each[-1]["content"] for each in completions]
        return judge.score([by_id[name] for name in state], replies)

    return score
