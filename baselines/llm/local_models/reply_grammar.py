"""The grammar of structured replies: an automaton over bytes, and the tokens of a vocabulary that it allows.

The automaton accepts `{"reasoning": "...", "action": "bid", "amount": 1500}` with exactly these spaces, valid UTF-8 and
JSON's escapes in the reasoning, and amounts of at most `WHOLE_DIGITS` digits and two decimals. `TokenGrammar` compiles
it for a vocabulary: it walks all tokens once per state, and keeps those that lead to another state.

Each state has a reserve: a number of tokens within which every action and every amount can still be written. A token is
allowed if the tokens that are left after it cover the reserve of the state that it leads to. If tokens run out, only
the reasoning is therefore cut short, and the limit excludes no decision. The reserve of a fixed text is the least
number of tokens that write it. The reserve of an action or an amount is its number of bytes, since the model may write
it with any tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from aucenv.core.words.structured_reply import AmountUse, ReplyForm

WHOLE_DIGITS = 12
"""The maximum number of digits of an amount before its decimal point."""
MAX_TOKEN_BYTES = 64
"""Longer tokens are never allowed; they are runs of spaces and the like."""
DEAD, END = 0, 1
"""The states in which no text is allowed: after a mistake, and after the complete object."""
UNREACHABLE = 1 << 20
"""The reserve of states from which the vocabulary cannot complete the object."""
DIGITS = range(ord("0"), ord("9") + 1)


class ReplyAutomaton:
    """The automaton that accepts the replies of a form.

    Attributes:
        start: the first state.
        next_states: (states, 256) int16, the state after each byte.
        phases: the phase of each state. States of one phase belong to a fixed text, or to the reasoning and the fixed
            text around it. The phase of an action or an amount is negative.
        exits: the state that follows a phase.
    """

    def __init__(self, form: ReplyForm) -> None:
        self._rows = [np.zeros(256, np.int16), np.zeros(256, np.int16)]
        self.phases = [-1, -1]
        self.exits: dict[int, int] = {}
        numbers = self._add_numbers()
        amounts = {use: self._add_amount(use, numbers) for _, use in form.actions}
        actions = self._add_state(-1)
        for phase, (action, use) in enumerate(form.actions, start=2):
            self.exits[phase] = amounts[use]
            self._add_word(actions, f'{action}"', self._add_text(', "amount": ', amounts[use], phase))
        self.exits[1] = actions
        reasoning = self._add_string(self._add_text(', "action": "', actions, 1))
        self.start = self._add_text('{"reasoning": "', reasoning, 1)
        self.next_states = np.array(self._rows)

    def _add_state(self, phase: int, moves: Iterable[tuple[Iterable[int], int]] = ()) -> int:
        """Add a state, and return its number; `moves`: sets of bytes, each with the state that they lead to."""
        row = np.zeros(256, np.int16)
        for codes, state in moves:
            row[list(codes)] = state
        self._rows.append(row)
        self.phases.append(phase)
        return len(self._rows) - 1

    def _add_text(self, text: str, exit_state: int, phase: int) -> int:
        """Add the states that a fixed text passes through, and return the first."""
        for code in reversed(text.encode()):
            exit_state = self._add_state(phase, [([code], exit_state)])
        return exit_state

    def _add_word(self, start: int, word: str, exit_state: int) -> None:
        """Add a word, with which no other word begins, to the choices at `start`; `exit_state` follows it."""
        *letters, last = word.encode()
        for code in letters:
            if self._rows[start][code] == DEAD:
                self._rows[start][code] = self._add_state(-1)
            start = int(self._rows[start][code])
        self._rows[start][last] = exit_state

    def _add_numbers(self) -> int:
        """Add amounts with at most two decimals, and return the first state."""
        close = ([ord("}")], END)
        hundredths = self._add_state(-1, [close])
        tenths = self._add_state(-1, [close, (DIGITS, hundredths)])
        point = ([ord(".")], self._add_state(-1, [(DIGITS, tenths)]))
        zero = whole = self._add_state(-1, [close, point])
        for _ in range(WHOLE_DIGITS - 1):
            whole = self._add_state(-1, [close, point, (DIGITS, whole)])
        return self._add_state(-1, [([ord("0")], zero), (DIGITS[1:], whole)])

    def _add_amount(self, use: AmountUse, numbers: int) -> int:
        """Return the first state of an amount."""
        if use == "number":
            return numbers
        null = self._add_text("ull}", END, -1)
        first = self._add_state(-1, [([ord("n")], null)])
        if use == "either":
            self._rows[first] = np.maximum(self._rows[first], self._rows[numbers])
        return first

    def _add_string(self, after: int) -> int:
        """Add the rest of a string, and return the first state; `after` follows the closing quotation mark."""
        inside = self._add_state(1)
        one = self._add_state(1, [(range(0x80, 0xC0), inside)])
        two = self._add_state(1, [(range(0x80, 0xC0), one)])
        three = self._add_state(1, [(range(0x80, 0xC0), two)])
        hexadecimal = b"0123456789abcdefABCDEF"
        last = self._add_state(1, [(hexadecimal, inside)])
        third = self._add_state(1, [(hexadecimal, last)])
        second = self._add_state(1, [(hexadecimal, third)])
        low_surrogates_excluded = self._add_state(1, [(b"01234567", third)])
        code = self._add_state(1, [(hexadecimal, second), (b"dD", low_surrogates_excluded)])
        escape = self._add_state(1, [(b'"\\/bfnrt', inside), (b"u", code)])
        moves = [
            (range(0x20, 0x80), inside),
            (b"\\", escape),
            (b'"', after),
            (range(0xC2, 0xE0), one),
            (range(0xE0, 0xF0), two),
            ([0xE0], self._add_state(1, [(range(0xA0, 0xC0), one)])),
            ([0xED], self._add_state(1, [(range(0x80, 0xA0), one)])),
            ([0xF0], self._add_state(1, [(range(0x90, 0xC0), two)])),
            (range(0xF1, 0xF4), three),
            ([0xF4], self._add_state(1, [(range(0x80, 0x90), two)])),
        ]
        for codes, state in moves:
            self._rows[inside][list(codes)] = state
        return inside


class TokenGrammar:
    """The tokens of a vocabulary that each state allows.

    Args:
        form: the form of the replies.
        vocabulary: the bytes of each token, by id; tokens with b"" are never allowed.

    Attributes:
        start: the first state.
        reserves: the reserve of each state, including the end token.

    Raises:
        ValueError: if the vocabulary cannot write every reply of the form.
    """

    def __init__(self, form: ReplyForm, vocabulary: Sequence[bytes]) -> None:
        automaton = ReplyAutomaton(form)
        self.start = automaton.start
        moves = _compile_moves(automaton.next_states, vocabulary)
        self._tokens = [tokens for tokens, _ in moves]
        self._states = [states for _, states in moves]
        self.reserves = _reserves(automaton, self._states, vocabulary)
        self.ranked: list[tuple[np.ndarray, np.ndarray]] = []
        for tokens, states in moves:
            costs = self.reserves[states]
            order = np.argsort(costs, kind="stable")
            self.ranked.append((tokens[order], costs[order]))

    @property
    def least_tokens(self) -> int:
        """The number of tokens for which the grammar needs room, including the end token."""
        return int(self.reserves[self.start])

    def num_allowed(self, state: int, left: int) -> int:
        """Return how many tokens of `ranked[state]` are allowed, from the first.

        Args:
            left: the number of tokens that may follow the next one, including the end token.
        """
        return int(np.searchsorted(self.ranked[state][1], left, side="right"))

    def advance(self, state: int, token: int) -> int:
        """Return the state after an allowed token; END remains END."""
        if state == END:
            return END
        place = int(np.searchsorted(self._tokens[state], token))
        assert self._tokens[state][place] == token
        return int(self._states[state][place])


def _compile_moves(next_states: np.ndarray, vocabulary: Sequence[bytes]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for each state, the tokens that it allows, in ascending order, and the states to which they lead."""
    usable = [number for number, text in enumerate(vocabulary) if 0 < len(text) <= MAX_TOKEN_BYTES]
    usable.sort(key=lambda number: -len(vocabulary[number]))
    tokens = np.array(usable, np.int64)
    lengths = np.array([len(vocabulary[number]) for number in usable], np.int64)
    longest = int(lengths[0]) if len(lengths) else 1
    texts = np.array([vocabulary[number].ljust(longest, b"\0") for number in usable], f"S{longest}")
    codes = texts.view(np.uint8).reshape(len(usable), longest)
    moves = []
    for row in next_states:
        states = row[codes[:, 0]]
        alive = np.flatnonzero(states)
        states = states[alive]
        for place in range(1, longest):
            longer = int(np.searchsorted(-lengths[alive], -place, side="left"))  # the longest tokens come first
            if not longer:
                break
            states[:longer] = next_states[states[:longer], codes[alive[:longer], place]]
        alive, states = alive[states != DEAD], states[states != DEAD]
        order = np.argsort(tokens[alive])
        moves.append((tokens[alive][order], states[order]))
    return moves


def _reserves(automaton: ReplyAutomaton, moves: Sequence[np.ndarray], vocabulary: Sequence[bytes]) -> np.ndarray:
    """Return the reserve of each state; `moves` are the states to which the tokens of each state lead."""
    phases = np.array(automaton.phases)
    stays = [
        np.unique(states[(phases[states] == phase) | (states == automaton.exits[phase])]) if phase > 0 else states[:0]
        for phase, states in zip(phases, moves, strict=True)
    ]
    choices = [np.unique(row[row != DEAD]) for row in automaton.next_states]
    reserves = np.full(len(phases), UNREACHABLE)
    reserves[END] = 1
    while True:
        previous = reserves.copy()
        for state in range(END + 1, len(phases)):
            following = reserves[stays[state]] if phases[state] > 0 else reserves[choices[state]]
            cost = (following.min(initial=UNREACHABLE) if phases[state] > 0 else following.max()) + 1
            reserves[state] = min(int(cost), UNREACHABLE)
        if (reserves == previous).all():
            break
    needed = set(np.flatnonzero(automaton.next_states[phases < 0].any(axis=0)).tolist())
    missing = sorted(map(chr, needed - {text[0] for text in vocabulary if len(text) == 1}))
    if missing or reserves[automaton.start] >= UNREACHABLE:
        raise ValueError(f"expected tokens that can write any reply as JSON; {' '.join(missing) or 'some'} are missing")
    return reserves
