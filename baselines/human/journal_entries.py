"""People's answers as entries of the journal of calls."""

from __future__ import annotations

import dataclasses

from aucenv.runs import calls
from aucenv.runs.people import ENDPOINT

TAKES_OVER = calls.Request(({"role": "user", "content": "A bidder plays on for this person."},), None, 0, None)
"""The request in the journal in whose place the name of that bidder is the reply."""


@dataclasses.dataclass(frozen=True)
class Person:
    """A person in the place of a model in the journal of calls."""

    name: str
    endpoint: str = ENDPOINT

    def complete(self, request: calls.Request, pause: calls.Pause) -> calls.Completion:
        """Raise TypeError: people are asked through an inbox."""
        raise TypeError("a person is asked through an inbox")
