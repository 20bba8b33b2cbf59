"""What auctions of one prize per round share: sealed-bid and clock auctions, and games of other packages.

These modules are public. A game of this kind defines how bids decide who wins at which price, and takes from here

- `values`: private, affiliated and common values with their signals (`deal_values`, `prize_value`, `resample_values`),
  and `SingleItemScenario`, the base of scenarios with them;
- `rules`: `PrizeState`, the fields that a State extends; `rank_bid` and `award_prize`, which close a round; `payoff`
  and `result`; `clear_ranked` and `clear_rivals`, for beliefs;
- `view` (`SingleItemView`, `PRIZE_INFOS`), `belief` (`resample`), `features` (`write_prizes`), `record_format`;
- `words`, `wording` (rules in five languages), `board`, `transcript`, `figures`, `files`.

`aucenv.envs.sealed_bid` is the shortest example.
"""
