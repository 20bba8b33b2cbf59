"""What people see of a finished game while further games follow at their table."""

from __future__ import annotations

import enum


class Feedback(enum.StrEnum):
    """After the last game, people see its replay in any case."""

    none = "none"
    own = "own"
    all = "all"
