"""Replies of a form in generated batches: the tokens that each row may generate next."""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from collections.abc import Sequence
from typing import Any

import torch
from aucenv.baselines.llm.local_models.reply_grammar import END, TokenGrammar

from aucenv.core.words.structured_reply import ReplyForm


@dataclasses.dataclass(frozen=True)
class ConstrainedRow:
    """The limits of one row of a batch.

    Attributes:
        form: the form of its reply; None: free text.
        max_tokens: the maximum number of its tokens, including the end token.
    """

    form: ReplyForm | None
    max_tokens: int


class Grammars:
    """The grammars of a model's replies, each compiled when it is first used.

    Args:
        tokenizer: a tokenizer of transformers.
        end_tokens: the tokens that end a reply.
        vocabulary_size: the number of the model's logits.
        device: the device of the logits.
    """

    def __init__(self, tokenizer: Any, end_tokens: Sequence[int], vocabulary_size: int, device: torch.device) -> None:
        self._tokenizer = tokenizer
        self._device = device
        self._lock = threading.Lock()
        self._vocabulary: list[bytes] = []
        self._grammars: dict[ReplyForm, tuple[TokenGrammar, list[torch.Tensor]]] = {}
        self.end_tokens = torch.tensor(end_tokens, device=device)
        self.all_tokens = torch.arange(vocabulary_size, device=device)

    def of(self, form: ReplyForm) -> tuple[TokenGrammar, list[torch.Tensor]]:
        """Return the grammar of a form, and its `ranked` tokens on the device.

        Raises:
            ValueError: if the tokenizer cannot write every reply of the form, or the model has no end token.
        """
        with self._lock:
            if form not in self._grammars:
                if not len(self.end_tokens):
                    raise ValueError("expected a model with an end token")
                self._vocabulary = self._vocabulary or token_bytes(self._tokenizer)[: len(self.all_tokens)]
                grammar = TokenGrammar(form, self._vocabulary)
                ranked = [torch.from_numpy(tokens).to(self._device) for tokens, _ in grammar.ranked]
                self._grammars[form] = grammar, ranked
            return self._grammars[form]


class AllowedTokens:
    """The `prefix_allowed_tokens_fn` of one batch.

    Args:
        grammars: the grammars of the model.
        rows: the limits of each row.
        prompt_length: the number of tokens before the first generated one, in all rows.
    """

    def __init__(self, grammars: Grammars, rows: Sequence[ConstrainedRow], prompt_length: int) -> None:
        self._all_tokens, self._end_tokens = grammars.all_tokens, grammars.end_tokens
        self._grammars = [None if row.form is None else grammars.of(row.form) for row in rows]
        self._limits = [row.max_tokens for row in rows]
        self._states = [END if grammar is None else grammar[0].start for grammar in self._grammars]
        self._prompt_length = prompt_length

    def __call__(self, row: int, token_ids: torch.Tensor) -> torch.Tensor:
        """Return the tokens that a row may generate next; called once for each row and each new token."""
        constraint = self._grammars[row]
        if constraint is None:
            return self._all_tokens
        grammar, ranked = constraint
        generated = len(token_ids) - self._prompt_length
        if generated:
            self._states[row] = grammar.advance(self._states[row], int(token_ids[-1]))
        state = self._states[row]
        if state == END:  # an empty list is an error
            return self._end_tokens
        return ranked[state][: grammar.num_allowed(state, self._limits[row] - generated - 1)]


def token_bytes(tokenizer: Any) -> list[bytes]:
    """Return the bytes of each token of a tokenizer of transformers, by id; b"" for special and added tokens."""
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    excluded = {*tokenizer.all_special_ids, *tokenizer.added_tokens_decoder}
    byte_level = _is_byte_level(tokenizer)
    return [
        b"" if token is None or number in excluded else _byte_level_bytes(token) if byte_level else _piece_bytes(token)
        for number, token in enumerate(tokens)
    ]


def _is_byte_level(tokenizer: Any) -> bool:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decoder = json.loads(backend.to_str())["decoder"] if backend is not None else None
    return "ByteLevel" in json.dumps(decoder)


def _characters_of_bytes() -> dict[str, int]:
    """Return GPT-2's code: the character that stands for each byte in a byte-level vocabulary."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + number): byte for number, byte in enumerate(others)}


_BYTES = _characters_of_bytes()


def _byte_level_bytes(token: str) -> bytes:
    try:
        return bytes(_BYTES[character] for character in token)
    except KeyError:  # a token that no text is encoded with
        return b""


def _piece_bytes(token: str) -> bytes:
    byte = re.fullmatch("<0x([0-9A-Fa-f]{2})>", token)
    return bytes.fromhex(byte[1]) if byte else token.replace("\u2581", " ").encode("utf-8", "ignore")
