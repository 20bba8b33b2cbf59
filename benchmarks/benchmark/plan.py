"""The plan of a run: who plays which deals, which follows from the settings of the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from aucenv.benchmarks.benchmark.references import References, suite_hash
from aucenv.benchmarks.benchmark.suite import XS, Deal, Suite, SuiteTable

from aucenv.core.checks import no_duplicates, one_of
from aucenv.core.files import JsonObject
from aucenv.core.policy import why_unplayable
from aucenv.core.words.bidder_name import label_of, parse_bidder, public_name
from aucenv.core.words.phrases import count
from aucenv.policy.guests import Guests, is_guest
from aucenv.policy.registry import MAKERS, packaged_bidders, rule_bidders
from aucenv.policy.user_code import file_digest
from aucenv.registration import FAMILIES
from aucenv.runs.play import Match

NO_BIDDER = "these games have no such bidder"
ISOLATED = Guests(isolated=True)
LeftOut = Mapping[str, Mapping[str, str]]
"""By the label of a bidder, the games that it cannot play, and why."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A game of the run.

    Attributes:
        index: The number of the game.
        bidder: The name of the tested bidder.
        deal: What is dealt.
    """

    index: int
    bidder: str
    deal: Deal

    @property
    def match(self) -> Match:
        """The game to play."""
        deal = self.deal
        return Match(deal.table.game, deal.loaded, deal.lineup(self.bidder), deal.seed, self.index)


@dataclasses.dataclass(frozen=True)
class Plan:
    """The plan of a run.

    Attributes:
        bidders: The names of the tested bidders.
        left_out: The games that bidders cannot play.
        games: The chosen games.
        deals: The deals of each table, by its key, in the order of their numbers.
        references: The references of these deals.
        private: The private deals as data; None for those of the suite.
        guests: How the bidders of users play.
        allow_cheats: Whether bidders may know what is hidden from their seats.
        in_sizes: Whether the deals are those of a size, and not a number of rounds: the first games are those of XS.
    """

    suite: Suite
    bidders: tuple[str, ...]
    left_out: LeftOut
    games: tuple[str, ...]
    deals: Mapping[str, tuple[Deal, ...]]
    references: References
    private: Sequence[JsonObject] | None = None
    guests: Guests = ISOLATED
    allow_cheats: bool = False
    in_sizes: bool = False

    @property
    def hash(self) -> str:
        """The hash of the suite and the references."""
        return suite_hash(self.suite, self.references)

    @property
    def is_xs(self) -> bool:
        """Whether only deals of size XS are played; all deals of the references then normalise their scores."""
        small = self._deals_of_xs
        return bool(small) and all(len(dealt) <= len(small.get(key, ())) for key, dealt in self.deals.items())

    @property
    def _deals_of_xs(self) -> Mapping[str, tuple[Deal, ...]]:
        return self.suite.deals_of_xs(self.games) if self.in_sizes and XS in self.suite.size_names else {}

    @property
    def rounds(self) -> int:
        """The number of rounds of deals; those of private deals have one deal of each table."""
        return max((-(-len(dealt) // self._per_round(key)) for key, dealt in self.deals.items()), default=0)

    @property
    def size(self) -> str:
        """The size of the benchmark, or a text in its place."""
        if self.private is not None:
            return "private deals"
        if self.is_xs:
            return f"size {XS}"
        sizes = [size for size, number in self.suite.sizes.items() if number == self.rounds]
        return f"size {sizes[0]}" if sizes else count(self.rounds, "round") + " of deals"

    def _per_round(self, key: str) -> int:
        return 1 if self.private is not None else self.suite.deals_per_round[self.suite.table(key).game]

    def tables(self, game: str) -> tuple[SuiteTable, ...]:
        """Return the tables of a game that have deals."""
        return tuple(table for table in self.suite.tables[game] if self.deals.get(table.key))

    @property
    def played(self) -> tuple[str, ...]:
        """The chosen games that at least one bidder plays."""
        return tuple(game for game in self.games if any(self.plays(name, game) for name in self.bidders))

    def plays(self, bidder: str, game: str) -> bool:
        """Return whether a bidder plays a game."""
        return game not in self.left_out.get(label_of(bidder), {})

    def entries(self) -> list[Entry]:
        """Return the games of the run: all of the first round of deals, then all of the second one, and so on.

        If the deals are those of a size, all games of size XS come first.
        """
        small = self._deals_of_xs
        by_number = [deal for dealt in zip(*small.values(), strict=True) for deal in dealt]
        order = [deal for deal in by_number if deal.number < len(self.deals.get(deal.table.key, ()))]
        entries: list[Entry] = []
        tables = [table for game in self.games for table in self.tables(game)]
        for number in range(self.rounds):
            for table in tables:
                deals, step = self.deals[table.key], self._per_round(table.key)
                first = len(small.get(table.key, ()))
                order += [deal for deal in deals[number * step : (number + 1) * step] if deal.number >= first]
        for deal in order:
            players = [name for name in self.bidders if self.plays(name, deal.table.game)]
            entries += [Entry(len(entries) + place, name, deal) for place, name in enumerate(players)]
        return entries

    def finished(self, games: Collection[int]) -> Plan:
        """Return the plan of the first rounds of deals whose games are all finished.

        Args:
            games: The numbers of the finished games.

        Raises:
            ValueError: The games of the first round are not finished.
        """
        unfinished = [entry.deal for entry in self.entries() if entry.index not in games]
        rounds = min((deal.number // self._per_round(deal.table.key) for deal in unfinished), default=self.rounds)
        deals = {key: dealt[: rounds * self._per_round(key)] for key, dealt in self.deals.items()}
        if self.is_xs or (self._deals_of_xs and not rounds):
            small = self._deals_of_xs
            numbers = [deal.number for deal in unfinished if deal in small.get(deal.table.key, ())]
            rounds = min(numbers, default=max(map(len, small.values())))
            deals = {key: dealt[:rounds] for key, dealt in small.items()}
        if not rounds:
            raise ValueError("benchmark: expected all games of at least one round of deals, got fewer; resume the run")
        return dataclasses.replace(self, deals=deals)

    def settings(self) -> JsonObject:
        """Return the settings of the run: what a results folder keeps, and what the plan follows from."""
        digests = {public_name(name): digest for name in self.bidders if (digest := file_digest(name))}
        return {
            "suite": self.suite.name,
            "suite_version": self.suite.version,
            "suite_hash": self.hash,
            "suite_games": list(self.games),
            "bidders": [public_name(name) for name in self.bidders],
            "bidder_files": digests,
            "left_out": {label: dict(reasons) for label, reasons in self.left_out.items()},
            "deals": None if self.private is None else list(self.private),
            "games": len(self.entries()),
            **({} if self.suite.is_included else {"suite_data": self.suite.data}),
            **({"allow_cheats": True} if self.allow_cheats else {}),
            **({} if self.in_sizes or self.private is not None else {"in_sizes": False}),
            **({"guests": dataclasses.asdict(self.guests)} if any(map(is_guest, self.bidders)) else {}),
        }


def games_of(
    bidders: Sequence[str],
    suite: Suite,
    chosen: Sequence[str],
    guests: Guests = ISOLATED,
    allow_cheats: bool = False,
) -> tuple[LeftOut, tuple[str, ...]]:
    """Return which of the chosen games bidders cannot play, and those that at least one of them can play.

    Raises:
        ValueError: A game is not part of the suite; two bidders have the same label; a bidder can play none of the
            games; or it cheats, and that is not allowed.
    """
    games = [one_of("game", game, suite.games) for game in chosen] or list(suite.games)
    if not bidders:
        raise ValueError("bidders: expected at least one, got none")
    no_duplicates("bidders", [parse_bidder(name).label for name in bidders])
    no_duplicates("games", games)
    left_out: dict[str, dict[str, str]] = {}
    for name in bidders:
        tried = {game: _try(name, game, suite, guests) for game in games}
        if any(cheats for _, cheats in tried.values()) and not allow_cheats:
            raise ValueError(
                f"bidder {public_name(name)!r}: expected one that knows only its views, but it cheats; --allow-cheats "
                "admits it, and marks its scores"
            )
        reasons = {game: reason for game, (reason, _) in tried.items() if reason is not None}
        if len(reasons) == len(games):
            _raise_unplayable(name, reasons, suite)
        if reasons:
            left_out[label_of(name)] = reasons
    played = tuple(game for game in suite.games if game in games)
    return left_out, played


def why_not(name: str, game: str, suite: Suite, guests: Guests = ISOLATED) -> str | None:
    """Return why a bidder cannot play a game of the suite; None if it can."""
    return _try(name, game, suite, guests)[0]


def _try(name: str, game: str, suite: Suite, guests: Guests) -> tuple[str | None, bool]:
    """Return why a bidder cannot play a game of the suite, None if it can, and whether it cheats."""
    kind = parse_bidder(name).kind
    if not plays_any_game(kind) and kind not in rule_bidders(game):
        return NO_BIDDER, False
    try:
        policy = guests.policy(game, name)
    except ValueError as error:
        return str(error), False
    reasons = (why_unplayable(policy, table.deal(0).loaded) for table in suite.tables[game])
    reason = next((reason for reason in reasons if reason is not None), None)
    return reason, bool(getattr(policy, "cheats", False))


def plays_any_game(kind: str) -> bool:
    """Return whether bidders of a kind are not bound to a game, as rule bidders are."""
    return kind in MAKERS or kind in packaged_bidders()


def _raise_unplayable(name: str, reasons: Mapping[str, str], suite: Suite) -> None:
    """Raise the error of a bidder that can play none of the games."""
    kind, label = parse_bidder(name).kind, public_name(name)
    known = [game for game in reasons if plays_any_game(kind) or kind in rule_bidders(game)]
    if known:
        raise ValueError(f"bidder {label!r}: {reasons[known[0]]}")
    others = [game for game in suite.games if kind in rule_bidders(game)]
    if others:
        raise ValueError(
            f"bidder {label!r}: expected one that can play {' or '.join(reasons)}, got a bidder of {', '.join(others)}"
        )
    kinds = dict.fromkeys(kind for game in FAMILIES if game in suite.games for kind in rule_bidders(game))
    one_of(f"bidder {label!r}, kind", kind, [*kinds, *MAKERS, *packaged_bidders()])
