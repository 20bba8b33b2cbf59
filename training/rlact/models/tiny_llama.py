"""A small Llama from scratch, with a tokenizer for terse messages; it trains in minutes on two cores."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence

import datasets
import numpy as np
import torch
from aucenv.training.rlact.learning.log_lines import train_with_lines
from aucenv.training.rlact.sealed.shares import ABSTENTION, is_sealed, nearest_share_reply, share_tokens
from aucenv.training.rlact.states.games import learning_module
from aucenv.training.rlact.states.message_numbers import (
    MAX_COUNT,
    MAX_PERCENT,
    PERCENT_STEP,
    TERSE_FEATURES,
    TERSE_RIVAL_FEATURES,
)
from aucenv.training.rlact.states.messages import BID, PHASES, plain_reply
from aucenv.training.rlact.states.row_messages import TERSE, TERSE_2, TERSE_3
from aucenv.training.rlact.states.state_features import COUNT_FEATURES
from aucenv.training.rlact.states.states import DecisionState
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import SFTConfig, SFTTrainer

from aucenv.core.adapters.actions import read_dollar_action
from aucenv.core.progress import track
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy

PAD, END, UNKNOWN, USER, ASSISTANT = SPECIAL_TOKENS = ("<|pad|>", "<|end|>", "<|unknown|>", "<|user|>", "<|assistant|>")
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
WORD_PATTERN = r" ?[a-z/]+ \d+%?(?!\d|,)| ?[A-Za-z/']+| ?[^\sA-Za-z/']"
"""A feature's name and value are one token; amounts, after a $, are split into digits."""
HIDDEN_SIZE, NUM_LAYERS = 64, 2
INIT_STD = 0.1
"""Standard deviation of initial weights, near 1 / sqrt(HIDDEN_SIZE); with a lower one, this model learns slowly."""
WAVES_PER_RANGE = 0.1, 12.0
"""Lowest and highest frequency of number embeddings, in periods over the range of a feature."""
NUMBER_SCALE = 1.5
"""Scale of the vector for the number in the embedding of a feature, relative to the vector for the name."""


def tiny_tokenizer(texts: Iterable[str], detail: str = TERSE, shares: bool = False) -> PreTrainedTokenizerFast:
    """Create a tokenizer with a token for each word in `texts`, each value of a feature, and each digit.

    Args:
        texts: messages and replies.
        detail: the detail of the messages, one of TERSE_DETAILS.
        shares: whether there are messages of sealed-bid auctions.
    """
    split = pre_tokenizers.Split(Regex(WORD_PATTERN), "isolated")
    texts = [*texts, ABSTENTION] if shares else texts
    words = {word for text in texts for word, _ in split.pre_tokenize_str(text) if word[-1] not in "%0123456789"}
    words |= {word for tokens in [*feature_tokens(detail), *(share_tokens() if shares else ())] for word in tokens}
    words |= {*"0123456789,$!."}
    vocabulary = {word: i for i, word in enumerate([*SPECIAL_TOKENS, *sorted(words)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, UNKNOWN))
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        additional_special_tokens=[USER, ASSISTANT],
        chat_template=CHAT_TEMPLATE,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def tiny_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """Create a Llama of under a million weights, in which embeddings of similar numbers are initially similar."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=HIDDEN_SIZE,
            intermediate_size=3 * HIDDEN_SIZE,
            num_hidden_layers=NUM_LAYERS,
            num_attention_heads=4,
            max_position_embeddings=256,
            initializer_range=INIT_STD,
            tie_word_embeddings=False,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )
    model.get_input_embeddings().weight.requires_grad_(False)
    smooth_numbers(model.model.embed_tokens.weight.data, tokenizer.get_vocab())
    return model


def smooth_numbers(weights: torch.Tensor, vocabulary: dict[str, int]) -> None:
    """Set the embeddings of each feature's values to sines and cosines of the value, plus a vector for the name."""
    scale = float(weights.std())
    frequencies = torch.logspace(math.log10(WAVES_PER_RANGE[0]), math.log10(WAVES_PER_RANGE[1]), weights.shape[1] // 2)
    for tokens in [*feature_tokens(TERSE_2), feature_tokens(TERSE_3)[0], *share_tokens()]:
        if tokens[-1] not in vocabulary:
            continue  # the tokenizer is for messages of another detail
        name = torch.randn(weights.shape[1]) * scale
        for n, word in enumerate(tokens):
            angles = 2 * math.pi * frequencies * n / (len(tokens) - 1)
            weights[vocabulary[word]] = NUMBER_SCALE * scale * torch.cat([angles.sin(), angles.cos()]) + name


def feature_tokens(detail: str) -> list[list[str]]:
    """Return the tokens of each feature in terse messages, from value 0 to the maximum."""
    first = f" {TERSE_FEATURES[0]}" if detail == TERSE_3 else TERSE_FEATURES[0]
    names = (first, *(f" {name}" for name in TERSE_FEATURES[1:]))
    rival_names = (f" {name}" for name in TERSE_RIVAL_FEATURES if detail == TERSE_2)
    percents = [f"{n}%" for n in range(0, MAX_PERCENT + 1, PERCENT_STEP)]
    counts = [f"{n}" for n in range(MAX_COUNT + 1)]
    return [
        [f"{name} {n}" for n in (counts if name.strip() in COUNT_FEATURES else percents)]
        for name in (*names, *rival_names)
    ]


def warm_up(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    dialogues: Sequence[tuple[Sequence[dict[str, str]], str]],
    arguments: SFTConfig,
    callbacks: Sequence[TrainerCallback] = (),
) -> None:
    """Train a model on dialogues, with a loss on the replies only.

    Args:
        dialogues: pairs of messages and a reply.
        arguments: TRL's configuration of supervised finetuning.
        callbacks: callbacks of the trainer.
    """
    rows = [
        {"prompt": list(messages), "completion": [{"role": "assistant", "content": reply}]}
        for messages, reply in dialogues
    ]
    with _progress_bars(not arguments.disable_tqdm):
        data = Dataset.from_list(rows)
        trainer = SFTTrainer(
            model, arguments, train_dataset=data, processing_class=tokenizer, callbacks=list(callbacks)
        )
        train_with_lines(trainer, "warm-up")
    model.eval()


@contextlib.contextmanager
def _progress_bars(shown: bool) -> Iterator[None]:
    """Hide or show the progress bars of `datasets`, with which trainers prepare their data."""
    before = not datasets.are_progress_bars_disabled()
    (datasets.enable_progress_bars if shown else datasets.disable_progress_bars)()
    try:
        yield
    finally:
        (datasets.enable_progress_bars if before else datasets.disable_progress_bars)()


def scripted_dialogues(states: Sequence[DecisionState], seed: int) -> list[tuple[list[dict[str, str]], str]]:
    """Return dialogues in which a random rule bidder decides in each state, as a recommendation and as a bid."""
    rng = np.random.default_rng(seed)
    dialogues = []
    for state in track(states, "states with replies of rule bidders"):
        name = str(rng.choice(learning_module("game", state.game).ADVISERS))
        bidder = make_policy(state.game, name)
        view = state.view()
        bidder.reset(view.seat, int(rng.integers(2**31)))
        amount = read_dollar_action(bidder.act(view, {}))
        if is_sealed(state):
            dialogues += [(state.messages[BID], nearest_share_reply(amount, state))] * len(PHASES)
            continue
        chosen = WITHDRAW if amount < 0 else int(state.full_row["least"][0])
        dialogues += [(state.messages[phase], plain_reply(chosen, phase)) for phase in PHASES]
    return dialogues
