"""A small Llama from scratch, with a tokenizer of its own for the shares of `messages`: minutes on two cores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from aucenv.training.rlact.games import learning_of
from aucenv.training.rlact.messages import MOST_COUNT, MOST_PERCENT, PERCENT, PHASES, TOLD, reply_of
from aucenv.training.rlact.state_features import COUNTS
from aucenv.training.rlact.states import DecisionState
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

from aucenv.core.actions import amount_cents
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy

PAD, END, UNKNOWN, USER, ASSISTANT = SPECIAL = ("<|pad|>", "<|end|>", "<|unknown|>", "<|user|>", "<|assistant|>")
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
WORDS = r" ?[a-z/]+ \d+%?(?!\d|,)| ?[A-Za-z/']+| ?[^\sA-Za-z/']"
"""A share or a count is one token with its name; an amount, behind its $, is read digit by digit."""
HIDDEN, LAYERS = 64, 2
SPREAD = 0.1
"""The standard deviation that weights begin with; near 1 / sqrt(HIDDEN), with less so narrow a model learns slowly."""
WAVES = 0.1, 12.0
"""The longest and the shortest wave, of the range of a share."""
LOUDNESS = 1.5
"""Of the number in a share's embedding, beside its name."""


def tiny_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """One token for each word in `texts`, each share and count, and each digit of an amount."""
    split = pre_tokenizers.Split(Regex(WORDS), "isolated")
    words = {word for text in texts for word, _ in split.pre_tokenize_str(text) if word[-1] not in "%0123456789"}
    words |= {word for named in numbers() for word in named}
    words |= {*"0123456789,$!."}
    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *sorted(words)])}
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
    """A Llama of under a million weights. Numbers that are near begin with embeddings that are near."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=HIDDEN,
            intermediate_size=3 * HIDDEN,
            num_hidden_layers=LAYERS,
            num_attention_heads=4,
            max_position_embeddings=256,
            initializer_range=SPREAD,
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
    """Lay the embeddings of each share, and of each count, on a curve of waves, long and short."""
    scale = float(weights.std())
    frequencies = torch.logspace(math.log10(WAVES[0]), math.log10(WAVES[1]), weights.shape[1] // 2)
    for named in numbers():
        kind = torch.randn(weights.shape[1]) * scale
        for n, word in enumerate(named):
            angles = 2 * math.pi * frequencies * n / (len(named) - 1)
            weights[vocabulary[word]] = LOUDNESS * scale * torch.cat([angles.sin(), angles.cos()]) + kind


def numbers() -> list[list[str]]:
    """Of each share and count that a terse message tells, the tokens from 0 to the most."""
    shares = [f"{n}%" for n in range(0, MOST_PERCENT + 1, PERCENT)]
    counts = [f"{n}" for n in range(MOST_COUNT + 1)]
    return [
        [f"{' ' if place else ''}{name} {n}" for n in (counts if name in COUNTS else shares)]
        for place, name in enumerate(TOLD)
    ]


def warm_up(
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    dialogues: Sequence[tuple[Sequence[dict[str, str]], str]],
    arguments: SFTConfig,
) -> None:
    """Let a model learn to say what is said in `dialogues`, messages and a reply; only replies count."""
    rows = [
        {"prompt": list(messages), "completion": [{"role": "assistant", "content": reply}]}
        for messages, reply in dialogues
    ]
    SFTTrainer(model, arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer).train()
    model.eval()


def scripted_dialogues(states: Sequence[DecisionState], seed: int) -> list[tuple[list[dict[str, str]], str]]:
    """What rule bidders, drawn for each state, would do there; as a recommendation and as a bid."""
    rng = np.random.default_rng(seed)
    told = []
    for state in states:
        name = str(rng.choice(learning_of("game", state.game).ADVISERS))
        bidder = make_policy(state.game, name)
        view = state.view()
        bidder.reset(view.seat, int(rng.integers(2**31)))
        amount = amount_cents(bidder.act(view, {}))
        chosen = WITHDRAW if amount < 0 else int(state.row["least"][0])
        told += [(state.messages[phase], reply_of(chosen, phase)) for phase in PHASES]
    return told
