"""Lists of items and bidders, also in AucArena's format, and games that were recorded elsewhere, under our rules.

A recorded game is an object: id, bidders, budget (of each bidder), discount, min_increment, items [{id, name,
starting_price, true_value}] and rounds [{item, round, bids {bidder: dollars, null = withdraws}}] in order. Optional
are starting_price and closed in a round, outcome {bidder: {profit, budget, won [[item, price]]}}, and ask_broke: true
if every bidder that cannot pay has a decision in the record. If the highest bids of a round tie, the tie is broken in
favor of the bidder that leads in the record. Bids are rounded to whole cents.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from aucenv.core.checks import FieldError, boolean, build, excerpt, field, number, one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.list_fields import FieldsMissing, ListField, ListForm
from aucenv.core.formats.scenario_forms import ScenarioLists, split_paths, unknown_file
from aucenv.core.formats.schema import BOOLEAN, NONEMPTY_TEXT, ListOf, MapOf, Object, choice, fields_only
from aucenv.core.formats.schema import number as number_from
from aucenv.core.notices import Notice
from aucenv.core.play.table import Table
from aucenv.core.records.decisions import IllegalBid
from aucenv.core.records.replay_result import BidRounding, ReplayDifference, ReplayResult
from aucenv.core.state import NOBODY
from aucenv.core.words.money import MAX_DOLLARS, money, to_cents, to_dollars
from aucenv.core.words.names import MAX_ID, checked_bidder_name, checked_name, scenario_name
from aucenv.core.words.outside_text import shorten
from aucenv.envs.english.game import GAME, NAMES, SCENARIOS, Bidder, EnglishScenario, Item, longest_budget
from aucenv.envs.english.record_format import OUTCOME
from aucenv.envs.english.rules import halved, least_raise

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
        "temperature": number_from(0, 2),
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
            f"{money(budget)}; --set budget=, or budget= in Python, sets another",
            Notice,
            stacklevel=5,
        )


def warn_about_ignored(path: str, names: Collection[str], more: str = "") -> None:
    """Warn about what a list has besides its fields, and about what else its reader should know."""
    parts = [*([f"ignored {shorten(', '.join(names), 200)}"] if names else []), *filter(None, [more])]
    if parts:
        warnings.warn(f"{path}: {'; '.join(parts)}", Notice, stacklevel=5)


RECORDED = fields_only(
    *("id", "bidders", "budget", "discount", "min_increment", "ask_broke"),
    items=ListOf(fields_only("id", "name", "starting_price", "true_value")),
    rounds=ListOf(fields_only("item", "round", "bids", "starting_price", "closed")),
    outcome=MapOf(fields_only("profit", "budget", "won")),
)
"""The fields of a recorded game."""
_Outcome = dict[str, tuple[dict[str, float], list[tuple[Any, int]]]]
"""{bidder: ({profit, budget} in dollars, [(item, price in cents)])}."""


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game under our rules.

    Raises:
        ValueError: the record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    try:
        scenario = _read_scenario(data)
        rounding = BidRounding()
        rounds = [_read_round(played, scenario, rounding) for played in field(data, "rounds", list)]
        recorded = _read_outcome(data, scenario) if "outcome" in data else None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * len(scenario.bidders), illegal="raise")
    table.reset(0)
    compared = recorded is not None
    try:
        for index, played in enumerate(rounds):
            _feed(table, played, rounds[index - 1] if index else None, _recorded_leader(rounds[index:], recorded or {}))
            _check_closing(table, played, rounds[index + 1 : index + 2])
        if not table.over:
            raise ReplayDifference(f"item {_item_id(table)}, round {table.round}: the record ends, our rules continue")
    except ReplayDifference as error:
        return ReplayResult(data["id"], None, str(error), compared, table, tuple(rounding.notes))
    our_outcome = _outcome(table)
    last_rounds = dict.fromkeys(table.scenario_text.item_ids, 0) | {played.item: played.round for played in rounds}
    difference = _difference(our_outcome, recorded, last_rounds, rounding) if compared else None
    return ReplayResult(data["id"], {"outcome": our_outcome}, difference, compared, table, tuple(rounding.notes))


@dataclasses.dataclass(frozen=True)
class _Round:
    item: Any
    round: int
    bids: dict[str, float | None]
    starting_price: float | None
    closed: bool | None

    @property
    def at(self) -> str:
        return f"item {self.item}, round {self.round}"


def _read_scenario(data: JsonMapping) -> EnglishScenario:
    for name in ("id", "budget"):
        if data.get(name) is None:
            raise ValueError(f"expected the field {name!r}")
    title = scenario_name(checked_name("id", str(data["id"]), MAX_ID))
    names = [checked_bidder_name(f"bidders[{j}]", name) for j, name in enumerate(field(data, "bidders", list))]
    bidders = tuple(Bidder(name, data["budget"]) for name in names)
    items = [build(Item, item, "", ("items", j)) for j, item in enumerate(field(data, "items", list))]
    increment = data.get("min_increment", 0.1)
    flags = (data.get("discount", False), data.get("ask_broke", False))
    return EnglishScenario(title, tuple(items), bidders, "given", increment, *flags)


def _read_round(played: Any, scenario: EnglishScenario, rounding: BidRounding) -> _Round:
    if not isinstance(played, dict):
        raise ValueError(f"rounds: expected objects, got {played!r:.80}")
    if isinstance(played.get("item"), bool) or played.get("item") not in [item.id for item in scenario.items]:
        raise ValueError(f"rounds: expected an item of the auction, got {played.get('item')!r}")
    at = f"item {played['item']}, round {field(played, 'round', int)}"
    bids = {}
    for name, bid in field(played, "bids", dict, at).items():
        one_of(f"{at}, bidder", name, [bidder.name for bidder in scenario.bidders])
        place = f"{at}, bid of {name}"
        bids[name] = None if bid is None else rounding.round(place, number(place, bid, 0, MAX_DOLLARS), name)
    price = played.get("starting_price")
    if price is not None:
        number(f"{at}, starting_price", price, 0, MAX_DOLLARS)
    closed = boolean(f"{at}, closed", played["closed"]) if played.get("closed") is not None else None
    return _Round(played["item"], played["round"], bids, price, closed)


def _read_outcome(data: JsonMapping, scenario: EnglishScenario) -> _Outcome:
    recorded = field(data, "outcome", dict)
    names = [bidder.name for bidder in scenario.bidders]
    if set(recorded) != set(names):
        raise ValueError(f"outcome: expected one for each of {', '.join(names)}, got {', '.join(recorded) or 'none'}")
    outcome = {}
    for name in names:
        at = f"outcome of {name}"
        part = field(recorded, name, dict, "outcome")
        won = []
        for sale in field(part, "won", list, at):
            if not isinstance(sale, list) or len(sale) != 2:
                raise ValueError(f"{at}, won: expected [item, price], got {sale!r:.80}")
            if isinstance(sale[0], bool) or sale[0] not in [item.id for item in scenario.items]:
                raise ValueError(f"{at}, won: expected an item of the auction, got {sale[0]!r:.80}")
            won.append((sale[0], to_cents(number(f"{at}, price of {sale[0]}", sale[1], 0, MAX_DOLLARS))))
        figures = {
            name: number(f"{at}, {name}", part.get(name), -10 * MAX_DOLLARS, 10 * MAX_DOLLARS)
            for name in ("profit", "budget")
        }
        outcome[name] = (figures, won)
    return outcome


def _feed(table: Table, played: _Round, previous: _Round | None, leader: str | None) -> None:
    """Submit one recorded round.

    Our rules do not ask bidders who cannot afford the least legal bid, unless the record states that the auction asked
    them; in the record they withdraw.
    """
    our_place, recorded_place = (
        (table.item, table.round),
        (table.scenario_text.item_ids.index(played.item), played.round),
    )
    if our_place > recorded_place and _nobody_could_pay(table, played, previous):
        return  # our rules closed this round without decisions
    if our_place != recorded_place:
        description = "the auction is over" if table.over else f"item {_item_id(table)}, round {table.round}"
        raise ReplayDifference(f"{played.at}: our rules are at another place: {description}")
    price = int(table.state["price"][0])
    if played.starting_price is not None and to_cents(played.starting_price) != price:
        raise ReplayDifference(
            f"{played.at}: starting price {played.starting_price}, our rules give {to_dollars(price)}"
        )
    names = table.scenario_text.names
    asked = table.pending
    missing = [names[seat] for seat in asked if names[seat] not in played.bids]
    unexpected = [name for name, bid in played.bids.items() if bid is not None and names.index(name) not in asked]
    if missing or unexpected:
        raise ReplayDifference(f"{played.at}: our rules also ask {missing} and do not ask {unexpected}")
    if leader is not None:
        table.force_tie(names.index(leader))
    for seat in asked:
        bid = played.bids[names[seat]]
        try:
            table.submit(seat, -1 if bid is None else bid)
        except IllegalBid as error:
            raise ReplayDifference(f"{played.at}: our rules refuse the bid of {names[seat]}: {error}") from None


def _nobody_could_pay(table: Table, played: _Round, previous: _Round | None) -> bool:
    """Return whether every bidder had to withdraw in a recorded round that our rules closed without decisions."""
    row, j = table.state[0], table.scenario_text.item_ids.index(played.item)
    follows = previous is not None and previous.item == played.item
    bids = (
        {name: bid for name, bid in previous.bids.items() if bid is not None}
        if previous is not None and follows
        else {}
    )
    if played.round != (previous.round + 1 if previous is not None and follows else 0) or any(played.bids.values()):
        return False
    if follows and not bids and not row["discount"]:
        return False
    start = int(row["start"][j])
    for _ in range(0 if bids else played.round):
        start = halved(start)
    price = start if played.starting_price is None else to_cents(played.starting_price)
    if price != start and not bids:
        return False
    least = price
    if previous is not None and bids:
        least = to_cents(max(bids.values())) + least_raise(price, int(row["increment"]))
        if any(name in played.bids for name, bid in previous.bids.items() if bid is None):
            return False  # a bidder that has withdrawn is not asked again
    spent = [0] * table.num_seats
    for earlier in range(j):
        if row["winner"][earlier] != NOBODY:
            spent[row["winner"][earlier]] += int(row["hammer"][earlier])
    asked = [table.scenario_text.names.index(name) for name in played.bids]
    return all(row["endowment"][seat] - spent[seat] < least for seat in asked)


def _check_closing(table: Table, played: _Round, following: list[_Round]) -> None:
    """Raise unless our rules close the item in this round exactly if the record does, where the record states it.

    The record continues an item while bidders who cannot pay are asked; our rules may have closed it already.
    """
    still_open = not table.over and _item_id(table) == played.item
    if played.closed and still_open:
        raise ReplayDifference(f"{played.at}: the record closes the item, our rules continue it")
    if played.closed is False and not still_open and not any(later.item == played.item for later in following):
        raise ReplayDifference(f"{played.at}: our rules close the item, the record continues it")


def _recorded_leader(rounds: list[_Round], recorded: _Outcome) -> str | None:
    """Return the bidder that the record shows to win the tie for the highest bid in the first of these rounds.

    A bidder that bids in the item's next round did not win the tie; a tied bidder that is not asked there did. If
    nobody bids for the item again, the bidder that bought it won the tie. Without a tie or evidence, return None.
    """
    played, following = rounds[0], [later for later in rounds[1:] if later.item == rounds[0].item]
    bids = {name: bid for name, bid in played.bids.items() if bid is not None}
    tied = [name for name, bid in bids.items() if bid == max(bids.values())]
    if following:
        tied = [name for name in tied if following[0].bids.get(name) is None]
        unasked = [name for name in tied if name not in following[0].bids]
        if len(unasked) == 1:
            return unasked[0]
    if all(bid is None for later in following for bid in later.bids.values()):
        winners = [name for name in tied if played.item in [item for item, _ in recorded.get(name, ({}, []))[1]]]
        tied = winners or tied
    return tied[0] if len(tied) == 1 and len(bids) > 1 else None


def _item_id(table: Table) -> Any:
    return table.scenario_text.item_ids[table.item]


def _outcome(table: Table) -> dict[str, JsonObject]:
    seats = OUTCOME.data(table.view(0, reveal=True))["seats"]
    return {
        name: {"profit": seat["profit"], "budget": seat["budget_left"], "won": seat["won"]}
        for name, seat in zip(table.scenario_text.names, seats, strict=True)
    }


def _difference(
    our_outcome: Mapping[str, JsonObject],
    recorded: _Outcome | None,
    last_rounds: Mapping[Any, int],
    rounding: BidRounding,
) -> str | None:
    """Describe the first item whose winner or price differs, else the first bidder whose profit or budget does."""
    assert recorded is not None
    at = ""
    for item, last_round in last_rounds.items():
        at = f"item {item}, round {last_round}"
        sales = [
            (name, to_cents(price)) for name, part in our_outcome.items() for sold, price in part["won"] if sold == item
        ]
        recorded_sales = [(name, price) for name, (_, won) in recorded.items() for sold, price in won if sold == item]
        if sales != recorded_sales:
            return f"{at}: recorded {_sales(recorded_sales)}, our rules give {_sales(sales)}"
    for name, part in our_outcome.items():
        for figure, dollars in recorded[name][0].items():
            if not rounding.agrees(dollars, part[figure], name):
                return f"{at}: {figure} of {name} recorded {dollars}, our rules give {part[figure]}"
    return None


def _sales(sales: list[tuple[str, int]]) -> str:
    return " and ".join(f"{name} at {to_dollars(cents)}" for name, cents in sales) or "unsold"
