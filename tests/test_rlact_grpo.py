"""Auctions and the judge under TRL's own GRPO trainer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trl
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.grpo import AuctionEnvironment, games, judge_reward, state_rows
from aucenv.training.rlact.judges import RandomJudge
from aucenv.training.rlact.tiny import tiny_model, tiny_tokenizer
from trl import GRPOConfig, GRPOTrainer

import aucenv
from aucenv.core.state import WITHDRAW
from aucenv.envs.harbor.env import GAME

pytestmark = [
    pytest.mark.filterwarnings("ignore:You are using 'environment_factory':UserWarning"),
]


class LeastUpTo:
    """Bids the least amount up to a share of its estimate."""

    interface = "amount"

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return view.least_bid if view.least_bid <= 0.8 * view.item.estimate else -1.0

    def close_game(self, view):
        pass


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tools_play_the_auction_that_play_plays(seed):
    environment = AuctionEnvironment()
    told = environment.reset(seed=seed)
    while not environment._table.over:
        view = environment._table.view(0)
        amount = LeastUpTo().act(view, {})
        told = environment.withdraw() if amount == WITHDRAW or amount < 0 else environment.bid(amount)
    assert told == "The auction is over."
    scenario = GAME.load_scenario(GAME.default_scenario).changed(num_bidders=3, num_items=2)
    record = aucenv.play("harbor", scenario, [LeastUpTo(), "expact", "persona"], seed=seed)
    profit = record.outcome["seats"][0]["profit"]
    starts = sum(item.starting_price for item in environment._table.view(0).items)
    assert environment.get_reward() == pytest.approx(profit / starts)


def test_a_refusal_tells_why_and_what_is_no_amount_is_an_error():
    environment = AuctionEnvironment()
    environment.reset(seed=1)
    assert "below the least legal bid" in environment.bid(1.0)
    for amount in (float("nan"), -5.0, "much"):
        with pytest.raises(ValueError, match="dollars"):
            environment.bid(amount)


def test_after_the_end_nothing_happens():
    environment = AuctionEnvironment()
    environment.reset(seed=1)
    for _ in range(40):
        told = environment.withdraw()
    assert told == "The auction is over."
    assert environment.get_reward() == 0.0


@pytest.fixture(scope="module")
def states():
    return list(collect(Collection(20, detail="terse"), "train"))


@pytest.fixture
def tokenizer(states):
    return tiny_tokenizer(text for state in states for text in (state.messages["bid"][0]["content"], "I bid $1!"))


def config_of(folder, **changes):
    settings = {"max_steps": 2, "per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 8}
    plain = {"use_cpu": True, "bf16": False, "report_to": "none", "save_strategy": "no", "logging_steps": 1}
    return GRPOConfig(str(folder), activation_checkpointing=False, **settings, **plain, **changes)


def test_the_judge_is_a_reward_function(tmp_path, states, tokenizer):
    judge = RandomJudge()
    reward = judge_reward(judge, states)
    asked = states[:4]
    replies = [[{"role": "assistant", "content": f"I bid ${n}!"}] for n in range(4)]
    expected = judge.score(asked, [f"I bid ${n}!" for n in range(4)])
    assert reward(completions=replies, state=[state.id for state in asked], prompts=None) == expected
    trainer = GRPOTrainer(
        tiny_model(tokenizer, 0), reward, config_of(tmp_path), state_rows(states), processing_class=tokenizer
    )
    trainer.train()
    rewards = [line["reward"] for line in trainer.state.log_history if "reward" in line]
    assert len(rewards) == 2
    assert all(1 <= value <= 5 for value in rewards)


def test_the_environment_is_an_environment_factory(tmp_path, tokenizer):
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / "qwen3.jinja").read_text()
    model = tiny_model(tokenizer, 0)
    model.config.max_position_embeddings = 4096
    trainer = GRPOTrainer(
        model,
        args=config_of(tmp_path),
        train_dataset=games(8),
        processing_class=tokenizer,
        environment_factory=AuctionEnvironment,
    )
    assert {tool.__name__ for tool in trainer.tools} == {"bid", "withdraw"}
    trainer.train()
    rewards = [line["reward"] for line in trainer.state.log_history if "reward" in line]
    assert len(rewards) == 2
    assert np.isfinite(rewards).all()
