"""Options of AucArena's agent."""

from __future__ import annotations

import dataclasses

from aucenv.core.files import JsonMapping


@dataclasses.dataclass(frozen=True)
class BdiOptions:
    """The options of a BDI agent.

    Attributes:
        plan: "adaptive": replan after each item; "static": plan once; "none": do not plan. With "static" and
            "none", the first call of each item shows the status.
        objective: "profit", "items" or "item:NAME"; None: the scenario's objective for the seat.
        correct_beliefs: whether the model sees its wrong beliefs and revises them; if false, they are only counted.
        max_corrections: the maximum number of revisions of a belief update.
        previous_plan: whether the model sees its previous plan when it replans.
        goal: "absolute", or "relative": the objective compares the bidder with the others.
        preset: "default", "paper" or "program".
    """

    plan: str
    objective: str | None
    correct_beliefs: bool
    max_corrections: int
    previous_plan: bool
    goal: str
    preset: str

    @classmethod
    def of(cls, options: JsonMapping) -> BdiOptions:
        """Return the options of an agent, from the values of all options of its bidder."""
        return cls(**{option.name: options[option.name] for option in dataclasses.fields(cls)})
