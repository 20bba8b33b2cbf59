"""Plain data about a sealed-bid auction: the infos of every round, and a record's deal and outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.envs.single_item.report import (
    deal_data,
    full_prize_info,
    num_info_values,
    numeric_prize_info,
    outcome,
    write_prize_values,
)
from aucenv.envs.single_item.view import ScenarioText

__all__ = ["deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]


@kernel
def write_info_values(state, b, out):
    """Write the numbers from which infos are computed: see `single_item.report.write_prize_values`."""
    write_prize_values(state[b], out)


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers: see `single_item.report.numeric_prize_info`."""
    return numeric_prize_info(info_values, seat)


def full_info(info_values: list[int], seat: int, scenario_text: ScenarioText) -> JsonObject:
    """Return the same info with None for missing values: see `single_item.report.full_prize_info`."""
    return full_prize_info(info_values, seat)
