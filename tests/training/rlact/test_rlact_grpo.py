"""Auctions and judges with TRL's GRPO trainer."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
import trl
from aucenv.training.rlact.judges.judges import RandomJudge
from aucenv.training.rlact.learning.grpo import AuctionEnvironment, games, judge_reward, state_rows
from aucenv.training.rlact.models.tiny_llama import tiny_model, tiny_tokenizer
from aucenv.training.rlact.states.collect import Collection, collect
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import aucenv
from aucenv.core.state import WITHDRAW
from aucenv.envs.harbor.game import GAME

pytestmark = [
    pytest.mark.filterwarnings("ignore:You are using 'environment_factory':UserWarning"),
]


class LeastUpTo:
    """A policy that makes the least bid, up to 80% of its estimate."""

    interface = "amount"

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return view.least_bid if view.least_bid <= 0.8 * view.item.estimate else -1.0

    def close_game(self, view):
        pass


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tools_play_the_same_auction_as_play(seed):
    environment = AuctionEnvironment()
    text = environment.reset(seed=seed)
    while not environment._table.over:
        view = environment._table.view(0)
        amount = LeastUpTo().act(view, {})
        text = environment.withdraw() if amount == WITHDRAW or amount < 0 else environment.bid(amount)
    assert text == "The auction is over."
    scenario = GAME.load_scenario(GAME.default_scenario).changed(num_bidders=3, num_items=2)
    record = aucenv.play("harbor", scenario, [LeastUpTo(), "expact", "persona"], seed=seed)
    profit = record.outcome["seats"][0]["profit"]
    starts = sum(item.starting_price for item in environment._table.view(0).items)
    assert environment.get_reward() == pytest.approx(profit / starts)


def test_a_refused_bid_has_a_reason_and_an_invalid_amount_is_an_error():
    environment = AuctionEnvironment()
    environment.reset(seed=1)
    assert "below the least legal bid" in environment.bid(1.0)
    for amount in (float("nan"), -5.0, "much"):
        with pytest.raises(ValueError, match="dollars"):
            environment.bid(amount)


def test_actions_after_the_end_have_no_effect():
    environment = AuctionEnvironment()
    environment.reset(seed=1)
    for _ in range(40):
        text = environment.withdraw()
    assert text == "The auction is over."
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
    return GRPOConfig(str(folder), activation_checkpointing=False, **(settings | plain | changes))


def test_a_judge_can_be_a_reward_function(tmp_path, states, tokenizer):
    judge = RandomJudge()
    reward = judge_reward(judge, states)
    scored = states[:4]
    replies = [[{"role": "assistant", "content": f"I bid ${n}!"}] for n in range(4)]
    expected = judge.score(scored, [f"I bid ${n}!" for n in range(4)])
    assert reward(completions=replies, state=[state.id for state in scored], prompts=None) == expected
    trainer = GRPOTrainer(
        tiny_model(tokenizer, 0), reward, config_of(tmp_path), state_rows(states), processing_class=tokenizer
    )
    trainer.train()
    rewards = [line["reward"] for line in trainer.state.log_history if "reward" in line]
    assert len(rewards) == 2
    assert all(1 <= value <= 5 for value in rewards)


BID = '<tool_call>\n{"name": "bid", "arguments": {"dollars": 900000}}\n</tool_call>'


class Scripted(GRPOTrainer):
    """A trainer whose model calls a tool once, and replies "done" after the tool's result."""

    def _generate_single_turn(self, prompt_ids, *args, **kwargs):
        prompts = [self._tokenizer.decode(ids).rpartition("<|im_start|>assistant")[0] for ids in prompt_ids]
        replies = ["done" if "<tool_response>" in text else BID for text in prompts]
        return [self._tokenizer(text + "<|im_end|>")["input_ids"] for text in replies], None


class Recorded(AuctionEnvironment):
    """An environment that records its seeds and rewards."""

    num_items = 1
    rewards: ClassVar[list] = []

    def reset(self, seed=0, **options):
        self.seed = seed
        return super().reset(seed, **options)

    def get_reward(self):
        self.rewards.append((self.seed, super().get_reward()))
        return self.rewards[-1][1]


def byte_tokenizer():
    """Return a tokenizer with a token for each byte, which can write a tool call."""
    alphabet = ["<|im_end|>", "<|im_start|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    special = {"eos_token": "<|im_end|>", "pad_token": "<|im_end|>", "additional_special_tokens": ["<|im_start|>"]}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=template, padding_side="left", **special)


def test_a_model_plays_with_the_tools_of_an_environment_factory(tmp_path):
    tokenizer = byte_tokenizer()
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=1 << 14, **sizes)
    trainer = Scripted(
        LlamaForCausalLM(config),
        args=config_of(tmp_path, max_completion_length=4000),
        train_dataset=games(8),
        processing_class=tokenizer,
        environment_factory=Recorded,
    )
    assert {tool.__name__ for tool in trainer.tools} == {"bid", "withdraw"}
    trainer.train()
    logged = [line for line in trainer.state.log_history if "reward" in line]
    assert [line["tools/call_frequency"] for line in logged] == [1.0, 1.0]
    assert [line["tools/failure_frequency"] for line in logged] == [0.0, 0.0]
    assert len({seed for seed, _ in Recorded.rewards}) == 4
    for seed, reward in Recorded.rewards:
        expected = AuctionEnvironment()
        expected.num_items = 1
        expected.reset(seed)
        expected.bid(900_000)
        assert reward == expected.get_reward() < -1
