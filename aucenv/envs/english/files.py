"""Load scenarios of English auctions by name or from files, including files in AucArena's format."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection, Sequence

from aucenv.core.checks import FieldError, excerpt, one_of
from aucenv.core.files import JsonMapping
from aucenv.core.list_fields import FieldsMissing, ListField, ListForm
from aucenv.core.money import MAX_DOLLARS, money
from aucenv.core.names import scenario_name
from aucenv.core.notices import Notice
from aucenv.core.outside_text import shorten
from aucenv.core.scenario_forms import ScenarioLists, split_paths, unknown_file
from aucenv.core.schema import BOOLEAN, NONEMPTY_TEXT, Object, choice, number
from aucenv.envs.english.game import NAMES, SCENARIOS, Bidder, EnglishScenario, Item
from aucenv.envs.english.prices import longest_budget

ITEMS = ListForm(
    "item",
    (
        ListField("name", "what bidders read, one line of at most 60 characters", also=("title", "item", "product")),
        ListField(
            "starting_price",
            "the least first bid, in dollars",
            "number",
            ("start_price", "starting_bid", "opening_bid", "price"),
        ),
        ListField("true_value", "its value to all bidders, who do not know it, in dollars", "number", ("value",)),
        ListField("id", "a number or a text, unique in the list", "number or text", default="1, 2, ..."),
        ListField("description", "text that bidders read besides the name", also=("desc",), default="none"),
    ),
    ("name,price,true_value", "Vase,50,80", 'Clock,"$1,100","$2,500"'),
)
"""A list of items. AucArena's names are among the others: price and desc."""
BUDGET_SHARE = 2 / 3
"""The budget of each bidder for a list without bidders, as a share of all starting prices: as in AucArena's standard
games, where it is $20,000 for $30,000."""
BIDDERS = ListForm(
    "bidder",
    (
        ListField("name", "the displayed name, one line of at most 60 characters"),
        ListField("budget", "dollars for all items together", "number"),
        ListField("desire", "maximize_profit or maximize_items", default="maximize_profit"),
        ListField("overestimate_percent", "how much its estimates exceed the true values", "number", default="10"),
        ListField("model_name", "its model in AucArena's program, `rule` or `human`", default="none"),
        ListField("plan_strategy", "adaptive, static or none", default="adaptive"),
        ListField("temperature", "0 to 2", "number", default="0.7"),
        ListField("correct_belief", "whether it sees its wrong beliefs", "true or false", default="true"),
        ListField("enable_learning", "whether it keeps lessons for later auctions", "true or false", default="false"),
    ),
    ("name,budget,desire", 'Ann,"$20,000",maximize_profit', 'Ben,"$15,000",maximize_items'),
)
"""The list of bidders that may follow a list of items. Those with a model_name play in tournaments as AucArena's."""
AGENT = Object(
    {"model_name": NONEMPTY_TEXT},
    {
        "plan_strategy": choice("adaptive", "static", "none"),
        "temperature": number(0, 2),
        "correct_belief": BOOLEAN,
        "enable_learning": BOOLEAN,
    },
)
"""The fields of a line of bidders that name an agent."""
DESIRES = {"maximize_profit": "profit", "maximize_items": "items"}


def aucarena_files(scenario: object) -> tuple[str, str] | None:
    """Return the two paths of a scenario `items.jsonl,bidders.jsonl`; None if the scenario has another form."""
    items, bidders = split_paths(scenario) if isinstance(scenario, str) else ("", None)
    return None if bidders is None else (items, bidders)


def read_items(path: str) -> tuple[Item, ...]:
    """Return the items in a list, in its order: CSV, a JSON list, or JSON lines, with the fields of ITEMS.

    Raises:
        ValueError: rows do not describe an item; the message names file, lines and fields.
        OSError: the file cannot be read.
    """
    rows = ITEMS.open(path)
    ids = set()

    def item(data: JsonMapping, number: int) -> Item:
        described = Item(**{"id": number + 1, **data})
        if described.id in ids:
            raise FieldError("id", f"expected a unique id, got {excerpt(described.id)} again")
        ids.add(described.id)
        return described

    items = rows.build(item)
    warn_about_ignored(path, rows.ignored)
    return tuple(items)


def _of_items(path: str, bidders: str | None) -> EnglishScenario:
    """Return the scenario of a list of items and of a list of bidders; without bidders, three have equal budgets.

    These are two thirds of all starting prices, or twice the highest one, but not so high that an item could take too
    many rounds.
    """
    if bidders is not None:
        return read_aucarena(path, bidders)
    items = read_items(path)
    prices = [item.starting_price for item in items]
    budget = min(max(round(BUDGET_SHARE * sum(prices)), 2 * max(prices)), MAX_DOLLARS, longest_budget(prices))
    seats = tuple(Bidder(name, budget) for name in NAMES[:3])
    try:
        scenario = EnglishScenario(scenario_name(path), items, seats, "given")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    warn_about_budget(path, "items", prices, budget)
    return scenario


LISTS = ScenarioLists(ITEMS, _of_items, "bidders.jsonl")


def read_aucarena(items: str, bidders: str, runs_agents: bool = False) -> EnglishScenario:
    """Return the scenario of a list of items and a list of bidders, as AucArena has them.

    Args:
        items: path of the items, see `read_items`.
        bidders: path of the bidders, with the fields of BIDDERS.
        runs_agents: whether the caller also reads the fields of AGENT.

    Other fields are ignored with a warning.

    Raises:
        ValueError: a row does not describe an item or bidder, or a file is empty; the message names file, line and
            field.
        OSError: a file cannot be read.
    """
    try:
        scenario_items = read_items(items)
        rows = BIDDERS.open(bidders)
        seats = rows.build(_bidder)
    except FieldsMissing as error:
        raise unknown_file(error, EnglishScenario, SCENARIOS, LISTS) from None
    agents = () if runs_agents else [name for name in AGENT.names if name in rows.names]
    warn_about_ignored(bidders, [*rows.ignored, *agents])
    try:
        return EnglishScenario(scenario_name(items, bidders), scenario_items, tuple(seats), "given")
    except ValueError as error:
        raise ValueError(f"{items},{bidders}: {error}") from None


@dataclasses.dataclass(frozen=True)
class Agent:
    """The agent that a line of AucArena's bidders names.

    Attributes:
        where: the file and the line.
        name: the bidder's name.
        model: the name of its model in the paper's program, "rule" or "human".
        plan: "adaptive", "static" or "none".
        corrects_beliefs: whether the model sees its wrong beliefs.
        learns: whether it keeps lessons for later auctions.
    """

    where: str
    name: str
    model: str
    plan: str
    temperature: float
    corrects_beliefs: bool
    learns: bool


def read_agents(bidders: str) -> list[Agent]:
    """Return the agents of a list of bidders; none if no row has a model_name.

    Fields that are missing have the values of the paper's program: adaptive plans, a temperature of 0.7, corrected
    beliefs, and no lessons.

    Raises:
        ValueError: a value is wrong, or only some rows have a model_name; the message names file, line and field.
        OSError: the file cannot be read.
    """
    rows = BIDDERS.open(bidders)
    if "model_name" not in rows.names:
        return []

    def agent(data: JsonMapping, row: int) -> Agent:
        where = rows.place(row)
        AGENT.check({name: data[name] for name in AGENT.names if name in data}, where)
        values = {"plan_strategy": "adaptive", "temperature": 0.7, "correct_belief": True, "enable_learning": False}
        return Agent(where, str(data["name"]), *({**values, **data}[name] for name in AGENT.names))

    return rows.build(agent)


def _bidder(data: JsonMapping, row: int) -> Bidder:
    objective = DESIRES[one_of("desire", data.get("desire", "maximize_profit"), DESIRES)]
    return Bidder(data["name"], data["budget"], objective, None, data.get("overestimate_percent", 10))


def warn_about_budget(path: str, things: str, starting_prices: Sequence[float], budget: float) -> None:
    """Warn if a list has things that nobody can buy with the budget that bidders get if none is given."""
    dear = sum(price > budget for price in starting_prices)
    if dear:
        warnings.warn(
            f"{path}: of {len(starting_prices):,} {things}, {dear:,} start above the default budget of "
            f"{money(budget)}; --budget, or budget= in Python, sets another",
            Notice,
            stacklevel=5,
        )


def warn_about_ignored(path: str, names: Collection[str], more: str = "") -> None:
    """Warn about what a list has besides its fields, and about what else its reader should know."""
    parts = [*([f"ignored {shorten(', '.join(names), 200)}"] if names else []), *filter(None, [more])]
    if parts:
        warnings.warn(f"{path}: {'; '.join(parts)}", Notice, stacklevel=5)
