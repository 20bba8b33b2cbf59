"""What core asks of a game."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from aucenv.core.rows import Rows


@dataclasses.dataclass(frozen=True)
class Game:
    """What core asks of a game's folder: its rooms, under the names that all games share.

    Attributes:
        name, version: "english", 0.
        rules: kernels `deal`, `step`, `check`, `clip`, `payoff`, `result`; see `envs/english/rules.py`.
        view: `look(state, seat, catalogue, history, refused, reveal)`, `Catalogue.of(scenario)`.
        report: `quote` (kernel) writes a round's numbers, `num_quoted(num_seats)` of them, of which
            `facts(quoted, seat, catalogue)` makes an info; `dealt` and `outcome`, what records carry; if it has it,
            `check_notes(notes, view)`, which refuses notes that figures could not read.
        belief: kernel `resample(state, b, seat, key)`, what a seat cannot know, drawn anew.
        vector: kernels `features`, `refresh`, `mask`, `amount`, `central`; `num_features`, `central_size`.
        text: `describe(view, told)`, a view in words; `refusal(state, seat, amount, code, catalogue)`, the reason;
            `read(reply, rivals, catalogue, state)`, the cents of a reply;
            `sayer(scenario)`, the function that makes the plainest reply of cents; `answered(catalogue)`, what a seat
            is told that others keep waiting.
        ansi, rgb: a view that reveals all, as text and as an image.
        load_scenario: name, path or scenario -> scenario with `bidders`, `num_items`, `highest_bid` in dollars,
            `profit_scale`, what rewards are shares of (dollars, or days), `changed(...)`, `template()`, `to_dict()`.
        scenarios, default_scenario: those with a name, and the default's.
        rows: the kernels above, bound together.
    """

    name: str
    version: int
    rules: Any
    view: Any
    report: Any
    belief: Any
    vector: Any
    text: Any
    ansi: Callable[[Any], str]
    rgb: Callable[[Any], Any]
    load_scenario: Callable[..., Any]
    scenarios: Mapping[str, Any]
    default_scenario: str
    rows: Rows = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", Rows(self.name, self.rules, self.vector, self.report))

    def __reduce__(self) -> tuple:
        return _load_game, (f"aucenv.envs.{self.name}.env",)


def _load_game(module: str) -> Game:
    return import_module(module).GAME
