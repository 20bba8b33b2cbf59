"""Auctions and the judge for TRL's GRPO trainer: an `environment_factory`, and a plain reward function.

GRPOTrainer(model, args=..., train_dataset=games(100), environment_factory=AuctionEnvironment)
GRPOTrainer(model, judge_reward(SimulatorJudge(), states), args=..., train_dataset=state_rows(states))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aucenv.training.rlact.judges import Judge
from aucenv.training.rlact.messages import BID
from aucenv.training.rlact.states import DecisionState
from datasets import Dataset

from aucenv.core.checks import number
from aucenv.core.money import MAX_DOLLARS
from aucenv.core.reply import write_reply
from aucenv.core.state import WITHDRAW
from aucenv.core.table import Table
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

START = "You bid in an auction by the tools bid and withdraw.\n\n"


class AuctionEnvironment:
    """An auction against rule bidders, which a model plays by the tools `bid` and `withdraw`.

    The reward is the seat's final profit over the sum of all starting prices. Subclass it for other auctions.

    Attributes:
        game, scenario: the auction; `scenario` None = the game's default.
        rivals: rule bidders, one for each other seat.
        num_items: items sold, None = all; a model's context must have room for a whole game.
        seat: the model's, from 0.
    """

    game = "harbor"
    scenario: str | None = None
    rivals: tuple[str, ...] = ("expact", "persona")
    num_items: int | None = 2
    seat = 0

    def reset(self, seed: int = 0, **_: object) -> str:
        """Deal a new auction and play it to the seat's first decision.

        Args:
            seed: from which all its chance follows; a column of the dataset.

        Returns:
            What the seat is told.
        """
        family = find_family(self.game)
        scenario = family.game.load_scenario(self.scenario or family.game.default_scenario)
        scenario = scenario.changed(num_bidders=len(self.rivals) + 1, num_items=self.num_items)
        interfaces = ["amount"] * len(scenario.bidders)
        interfaces[self.seat] = "text"
        self._table = Table(family.game, scenario, interfaces)
        self._table.reset(seed)
        self._rivals = [make_policy(self.game, name) for name in self.rivals]
        self._rivals.insert(self.seat, None)  # type: ignore[arg-type]  # its own place
        for seat, rival in enumerate(self._rivals):
            if rival is not None:
                rival.reset(self._table.scenario_text.seats[seat], seed)
        self._play_on()
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
        return self._say(write_reply(round(100 * number("dollars", dollars, 0, MAX_DOLLARS))))

    def withdraw(self) -> str:
        """Leave the bidding for the item that is being sold; the next items are still open.

        Returns:
            What happened since, and what is to be decided now.
        """
        return self._say(write_reply(WITHDRAW))

    def get_reward(self) -> float:
        """The seat's profit so far, over the sum of all starting prices."""
        view = self._table.view(self.seat)
        return float(view.profits[view.seat] / sum(item.starting_price for item in view.items))

    def _say(self, reply: str) -> str:
        if not self._table.over:
            self._table.submit(self.seat, reply)
            self._play_on()
        return "The auction is over." if self._table.over else self._table.text(self.seat)

    def _play_on(self) -> None:
        """Until the seat has a decision, or all is sold."""
        table = self._table
        while not table.over:
            pending = [seat for seat in table.pending if seat != self.seat]
            for seat in pending:
                table.submit(seat, self._rivals[seat].act(table.view(seat), {}))
            if not pending and table.is_pending(self.seat):
                return


def games(how_many: int, seed: int = 0) -> Dataset:
    """A dataset for `AuctionEnvironment`: so many auctions, each of its own seed."""
    prompt = [{"role": "user", "content": ""}]
    return Dataset.from_list([{"prompt": prompt, "seed": seed + i} for i in range(how_many)])


def state_rows(states: Sequence[DecisionState], phase: str = BID) -> Dataset:
    """A dataset of states for `judge_reward`."""
    return Dataset.from_list([{"prompt": state.messages[phase], "state": state.id} for state in states])


def judge_reward(judge: Judge, states: Sequence[DecisionState]) -> Callable[..., list[float | None]]:
    """A reward function for TRL: a judge's scores of replies to the states that the column `state` names."""
    by_id = {state.id: state for state in states}

    def score(completions: Sequence[Any], state: Sequence[str], **_: object) -> list[float | None]:
        """A reply's score from 1 to 5; None where the judge has none."""
        replies = [each if isinstance(each, str) else each[-1]["content"] for each in completions]
        return judge.score([by_id[name] for name in state], replies)

    return score
