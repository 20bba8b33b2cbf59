"""The grammar of structured replies, for vocabularies of all kinds, with random choices in place of a model."""

from __future__ import annotations

import json
import random
import re

import pytest
from aucenv.baselines.llm.local_models.constrained_generation import token_bytes
from aucenv.baselines.llm.local_models.reply_grammar import END, WHOLE_DIGITS, TokenGrammar
from hypothesis import given, settings
from hypothesis import strategies as st

from aucenv.core.words.reply import read
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW, ReplyForm
from aucenv.envs.clock.reply import STAY, read_ascending, read_descending
from aucenv.registration import FAMILIES, find_family

FORMS = (
    BID_OR_WITHDRAW,
    ReplyForm((("bid", "number"), ("abstain", "null"))),
    ReplyForm((("stay", "null"), ("leave", "either"))),
    ReplyForm((("wait", "null"), ("take", "null"))),
    ReplyForm((("buy", "number"), ("bid", "number"), ("bid all", "either"), ("b", "null"))),
)
BYTES = [bytes([code]) for code in range(256)]
MERGED = [
    "reasoning", '{"', '": "', '", "', "action", '"action', "amount", '": ', "null", "null}", "bid", "with", "draw", '"}',
    'bid", "amount": ', "00", "15", "1500", "1500}", ".5", ".50}", " I", " like", " it", "\n", '\\"', "\\u", "\\u00", "é",
    "世界", "👍", "a" * 70, '.", "action": "withdraw", "amount": null}', "stay", "leave", "{", "}", "}\n", "\\n", "0", "\t",
]  # fmt: skip
WORDS = [*BYTES, *(text.encode() for text in MERGED), "世".encode()[:2], "👍".encode()[1:], b"", b"\x80\x80\x80\x80"]
ASCII = [bytes([code]) for code in range(0x20, 0x7F)] + [text.encode() for text in ("世界", "é", "👍!")]
VOCABULARIES = {"bytes": BYTES, "words": WORDS, "ascii": ASCII}
GRAMMARS = {(form, name): TokenGrammar(form, VOCABULARIES[name]) for form in FORMS for name in VOCABULARIES}


def generate(grammar, vocabulary, max_tokens, choose):
    """Return the bytes that `choose` generates, from the tokens that are allowed, before the end token."""
    state, text = grammar.start, b""
    for number in range(max_tokens):
        if state == END:
            return text
        allowed = grammar.ranked[state][0][: grammar.num_allowed(state, max_tokens - number - 1)]
        assert len(allowed)
        token = choose(allowed)
        text += vocabulary[token]
        state = grammar.advance(state, token)
    raise AssertionError(f"no room for the end token after {text!r}")


def spell(grammar, text, max_tokens):
    """Return the state after a text that is written byte by byte; None if it is not allowed."""
    state = grammar.start
    for number, code in enumerate(text):
        left = max_tokens - number - 1
        if code not in grammar.ranked[state][0][: grammar.num_allowed(state, left)]:
            return None
        state = grammar.advance(state, code)
    return state


def check_fits(text, form):
    """Check a reply against its form, and return its parts."""
    data = json.loads(text)
    assert list(data) == ["reasoning", "action", "amount"]
    assert isinstance(data["reasoning"], str)
    data["reasoning"].encode()  # no lone surrogates
    use = dict(form.actions)[data["action"]]
    written = re.search(r'"amount": ([^"]+)}\Z', text)[1]
    assert re.fullmatch(r"null" if data["amount"] is None else r"(0|[1-9][0-9]{0,11})(\.[0-9]{1,2})?", written)
    assert use == "either" or (data["amount"] is None) == (use == "null")
    return data


@given(st.sampled_from(FORMS), st.sampled_from([*VOCABULARIES]), st.integers(0, 150), st.integers(0), st.booleans())
@settings(max_examples=400, deadline=None)
def test_every_generated_object_parses_and_fits_its_form(form, name, more, seed, prefers_strange):
    grammar, vocabulary = GRAMMARS[form, name], VOCABULARIES[name]
    chance = random.Random(seed)
    logits = [chance.gauss(0, 3) + (4 if prefers_strange and text and text[0] > 0x7F else 0) for text in vocabulary]

    def choose(allowed):
        return max(allowed, key=lambda token: logits[token] + chance.gauss(0, 2))

    check_fits(generate(grammar, vocabulary, grammar.least_tokens + more, choose).decode(), form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_model_that_never_stops_thinking_still_decides(form, name):
    grammar, vocabulary = GRAMMARS[form, name], VOCABULARIES[name]
    for max_tokens in (grammar.least_tokens, grammar.least_tokens + 1, 100, 333):
        letter = vocabulary.index(b"a")
        text = generate(grammar, vocabulary, max_tokens, lambda tokens, a=letter: a if a in tokens else max(tokens))
        data = check_fits(text.decode(), form)
        assert set(data["reasoning"]) <= {"a"} or name == "words"
        assert max_tokens < 100 or len(data["reasoning"]) >= max_tokens - grammar.least_tokens - 15


@pytest.mark.parametrize("form", FORMS)
def test_the_limit_excludes_no_decision(form):
    """With the least number of tokens, all of them bytes, each action can be written with the longest amounts."""
    grammar = GRAMMARS[form, "bytes"]
    longest = "9" * WHOLE_DIGITS + ".99"
    lengths = []
    for action, use in form.actions:
        amounts = [longest, "0", "0.5", "10"] if use != "null" else []
        for amount in [*amounts, *(["null"] if use != "number" else [])]:
            text = f'{{"reasoning": "", "action": "{action}", "amount": {amount}}}'.encode()
            lengths.append(len(text))
            assert spell(grammar, text, grammar.least_tokens) == END
    assert grammar.least_tokens == max(lengths) + 1


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXTS, st.booleans(), st.sampled_from(["null", "0", "12", "12.5", "999999999999.99"]))
@settings(deadline=None)
def test_the_grammar_accepts_json_of_any_reasoning(reasoning, ascii_only, amount):
    string = json.dumps(reasoning, ensure_ascii=ascii_only)
    text = f'{{"reasoning": {string}, "action": "leave", "amount": {amount}}}'
    surrogates = ascii_only and any(ord(character) > 0xFFFF for character in reasoning)
    state = spell(GRAMMARS[FORMS[2], "bytes"], text.encode(), 10_000)
    assert state == (None if surrogates else END)  # such characters are written in UTF-8


@pytest.mark.parametrize(
    "text",
    [
        '{"reasoning": "a\nb", "action": "leave", "amount": 1}',
        '{"reasoning": "\\x", "action": "leave", "amount": 1}',
        '{"reasoning": "\\ud83d", "action": "leave", "amount": 1}',
        '{"reasoning": "", "action": "left", "amount": 1}',
        '{"reasoning": "", "action": "stay", "amount": 1}',
        '{"reasoning": "", "action": "leave", "amount": -1}',
        '{"reasoning": "", "action": "leave", "amount": 01}',
        '{"reasoning": "", "action": "leave", "amount": 1.}',
        '{"reasoning": "", "action": "leave", "amount": 1.234}',
        '{"reasoning": "", "action": "leave", "amount": 1e3}',
        '{"reasoning": "", "action": "leave", "amount": 1234567890123}',
        '{"reasoning": "", "action": "leave", "amount": "1"}',
        '{"reasoning": "", "action": "leave", "amount": null} ',
        ' {"reasoning": "", "action": "leave", "amount": null}',
    ],
)
def test_the_grammar_rejects_other_text(text):
    assert spell(GRAMMARS[FORMS[2], "bytes"], text.encode(), 10_000) is None


@pytest.mark.parametrize(
    "wrong", [b"\x80", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff"]
)
def test_the_reasoning_is_valid_utf8(wrong):
    grammar = GRAMMARS[BID_OR_WITHDRAW, "bytes"]
    assert spell(grammar, b'{"reasoning": "', 200) is not None
    assert spell(grammar, b'{"reasoning": "' + wrong, 200) is None


def test_a_vocabulary_that_cannot_write_every_reply_is_refused():
    with pytest.raises(ValueError, match=r"expected tokens that can write any reply as JSON; 7 w are missing"):
        TokenGrammar(BID_OR_WITHDRAW, [text for text in BYTES if text not in (b"7", b"w")])
    with pytest.raises(ValueError, match="some are missing"):
        TokenGrammar(BID_OR_WITHDRAW, [text for text in BYTES if text != b"{"])


def byte_level_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, special_tokens=["</s>"])
    tokenizer.train_from_iterator(['{"reasoning": "It is 世界 é 👍", "action": "bid", "amount": 1500}'] * 9, trainer)
    return tokenizer


def sentencepiece_tokenizer():
    """Return a tokenizer as Llama 2's: spaces are ▁, and rare characters fall back to bytes."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    pieces = [
        "</s>",
        *(f"<0x{code:02X}>" for code in range(256)),
        *"▁abcdefghilmnorstuwy0123456789{}.:,\"'é世",
        '{"',
        "▁w",
    ]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    merges = [("{", '"'), ("▁", "w")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True, unk_token="</s>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    strip = decoders.Strip(" ", 1, 0)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), strip])
    return tokenizer


@pytest.mark.parametrize("make", [byte_level_tokenizer, sentencepiece_tokenizer])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_grammar_works_with_both_families_of_tokenizers(make):
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=make(), eos_token="</s>")
    vocabulary = token_bytes(tokenizer)
    assert vocabulary[tokenizer.eos_token_id] == b""
    text = 'It is 世界 é 👍 "bid" 1500'
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert b"".join(vocabulary[number] for number in ids).decode().strip() == text
    grammar = TokenGrammar(BID_OR_WITHDRAW, vocabulary)
    for seed in range(30):
        chance = random.Random(seed)
        chosen = []
        state = grammar.start
        while state != END:
            left = 90 - len(chosen) - 1
            chosen.append(int(chance.choice(grammar.ranked[state][0][: grammar.num_allowed(state, left)])))
            state = grammar.advance(state, chosen[-1])
        check_fits(tokenizer.decode(chosen), BID_OR_WITHDRAW)


def test_every_game_reads_the_replies_of_its_form():
    for family in FAMILIES.values():
        game = find_family(family).game
        for name in game.scenarios:
            scenario_text = game.scenario_text(game.load_scenario(name))
            schema = game.words.reply_form(scenario_text).json_schema()
            assert set(schema["required"]) == {"reasoning", "action", "amount"}
    text = '{{"reasoning": "It is worth 900.", "action": "{}", "amount": {}}}'
    assert read(text.format("bid", 1500.5)) == 150050
    assert read(text.format("withdraw", "null")) < 0
    assert read(text.format("abstain", "null")) < 0
    assert read_ascending(text.format("stay", "null"), (), "dollar") == STAY
    assert read_ascending(text.format("leave", "36.5"), (), "dollar") == 3650
    assert read_ascending(text.format("leave", "null"), (), "dollar") < 0
    assert read_descending(text.format("take", "36.5"), (), "dollar") == 3650
    assert read_descending(text.format("wait", "null"), (), "dollar") < 0
