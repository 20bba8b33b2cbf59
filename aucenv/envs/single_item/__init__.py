"""What auctions of one prize per round share: sealed-bid and clock auctions, and games of other packages.

These modules are public. A game of this kind defines how bids decide who wins at which price, and takes from here

- `values`: private, affiliated and common values with their signals (`deal_values`, `prize_value`, `resample_values`),
  and `SingleItemScenario`, the base of scenarios with them;
- `rules`: `prize_dtype`, the fields of a state; `rank_bid` and `award_prize`, which close a round; `payoff` and
  `result`; `hide_prizes`, `clear_ranked` and `clear_rivals`, which hide what a seat does not know;
- `view` (`SingleItemView`), `belief` (`resample`), `report` (infos, deal and outcome), `vector` (`write_prizes`);
- `text`, `wording` (rules in five languages), `render`, `picture`, `transcript`, `figures`, `record_format`,
  `replay_format`, `page.py` and `page.js`.

`aucenv.envs.sealed_bid` is the shortest example.
"""
