"""The bytes of each token of a tokenizer: byte-level BPE (GPT-2, Llama 3) and SentencePiece (Llama 2) alike."""

from __future__ import annotations

import json
import re
from typing import Any


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
