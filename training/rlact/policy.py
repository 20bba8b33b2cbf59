"""RLAct as a bidder: a finetuned model that says what to do, in words."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from aucenv.training.rlact.audit import rule_of
from aucenv.training.rlact.games import has_personas, learning_of
from aucenv.training.rlact.messages import BID, read_legal, reply_of

from aucenv.core.bidder_name import BidderSpec
from aucenv.core.checks import MissingExtra, one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.policy import ModelFailure
from aucenv.envs.english.view import View

if TYPE_CHECKING:
    from aucenv.training.rlact.generation import ReplyGenerator

COMMITTED = Path(__file__).parent / "models" / "tiny"
"""The model that `rlact` alone means."""
NEEDED = ("torch", "transformers", "jinja2")
ABOUT = (
    "a language model finetuned by online DPO, by `aucenv train rlact`; without PATH a tiny Llama that comes with "
    "aucenv; base: an adapter's base model"
)


class RLActBidder:
    """See the module. The likeliest reply; after a refusal, one by chance.

    Args:
        speaker: the model; or where it is, to be loaded when it is first asked.
        phase: of its replies; a recommendation to bid becomes the least bid.
    """

    interface: Literal["text"] = "text"
    observes = False

    def __init__(self, game: str, speaker: ReplyGenerator | tuple[str, str], phase: str) -> None:
        self.game = game
        self.phase = phase
        self.notes: JsonObject = {}
        self._place = speaker

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Why it cannot play: it has learnt to want profit."""
        wants_else = any(getattr(bidder, "objective", "profit") != "profit" for bidder in scenario.bidders)
        return "rlact wants profit, and somebody here has another objective" if wants_else else None

    def reset(self, seat: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View, observation: JsonMapping) -> str:
        speaker = _speaker_of(*self._place) if isinstance(self._place, tuple) else self._place
        if view.refused:
            reply = speaker.drawn(view, self.phase, int(self._rng.integers(2**31)))
        else:
            reply = speaker.likeliest(view, self.phase)
        amount = read_legal(reply, self.phase, view)
        said = reply if amount is None else reply_of(amount, BID)
        self.notes = {} if said == reply else {"reply": reply}
        if amount is not None and has_personas(view):
            self.notes["rule"] = rule_of(view, amount)
        return said

    def close_game(self, view: View) -> None:
        """It keeps nothing."""


def _speaker_of(folder: str, base: str) -> ReplyGenerator:
    try:
        return _speaker(folder, base)
    except (ValueError, MissingExtra) as error:
        raise ModelFailure(str(error)) from None


@lru_cache(maxsize=4)
def _speaker(folder: str, base: str) -> ReplyGenerator:
    from aucenv.training.rlact.checkpoints import load_model, one_thread
    from aucenv.training.rlact.generation import ReplyGenerator

    one_thread()
    model, tokenizer, about = load_model(Path(folder), base or None)
    return ReplyGenerator(model, tokenizer, about["detail"], about["profiles"], about["longest"])


def is_installed() -> bool:
    """Whether what a model needs is."""
    return all(find_spec(package) is not None for package in NEEDED)


def make(game: str, spec: BidderSpec) -> RLActBidder:
    """`rlact[:PATH][,base=FOLDER]`: a checkpoint or adapter of `aucenv train rlact`.

    Raises:
        ValueError: another game, an unknown parameter, or no checkpoint there.
        MissingExtra: torch or transformers is not installed.
    """
    from aucenv.training.rlact.checkpoints import is_adapter, read_about

    where = f"bidder {spec.label!r}"
    learning_of(f"{where}, game", game)
    for key in spec.params:
        one_of(f"{where}, parameter", key, ("base",))
    if not is_installed():
        raise MissingExtra(f"{where}: a finetuned model needs torch and transformers: pip install 'aucenv[rlact]'")
    folder = Path(spec.arg) if spec.arg else COMMITTED
    try:
        about = read_about(folder)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if "base" in spec.params and not is_adapter(folder):
        raise ValueError(f"{where}, base: expected an adapter to put on it, got a whole model")
    return RLActBidder(game, (str(folder.resolve()), spec.params.get("base", "")), about["phase"])
