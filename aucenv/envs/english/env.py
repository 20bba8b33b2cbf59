"""English auctions: items sold one after another to whoever bids most, in the open.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 3 by default |
| Actions | `vector`: Discrete(ladder + 1); `amount`: Box((1,), float64), dollars, or Box((1,), float32), shares; `text`: any words |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 12 + 7 * bidders + 5 * items features (83 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the true values (259 by default) |
| Rewards | change of profit over the sum of starting prices, or of items won over items, or 1 for the named item |

**The auction** (AucArena, arXiv 2310.05746). Items are sold one after another. Everybody knows the items, their
order and starting prices; each bidder has its own estimate of an item's true value, by default 10% too high. A
bidding round is simultaneous: every bidder who has not withdrawn from the item, does not hold the standing bid and
can pay the least legal bid either bids or withdraws for good from this item. The least legal bid is the starting
price; once there is a standing bid, that bid plus 10% of the item's current starting price. Nobody bids more than is
left of its budget. The highest bid stands; among equals each is as likely to stand. A lone bid in the first round
that has any wins at once; otherwise the item is sold when a round brings no bid. The winner pays its bid and gets the
true value, which is then told to all; it may be less than the price: the winner's curse. With `discount` in the
scenario, a starting price without bids is halved (whole dollars) up to three times, and everybody is back in.

**Observations.** A dictionary with `observation`; for `vector` also `action_mask`; for `text` also `text`: the rules and
items before the first decision, then what is new since the last one; `env.text(agent)` tells everything again. Indices of `observation`, with N
bidders and M items; prices are shares of the item's starting price before discounts, sums of money shares of the sum
of starting prices, all clipped to [-10, 10]; `feature_names(N, M)` of the module `aucenv.envs.english.vector` lists them:

| index | feature |
|---|---|
| 0 | items that are through, as a share of all |
| 1 | round of the item, in tens |
| 2 | halvings of the starting price, over 3 |
| 3 | current starting price |
| 4 | standing bid, 0 before there is one |
| 5 | least legal bid |
| 6 | what a bid must add to the standing bid |
| 7 | own estimate of the true value |
| 8 | r / (r + 10) for the r increments that the own budget still allows above the least legal bid |
| 9, 10, 11 | 1 if the own objective is profit; the number of items; the current item |
| 12 + 7k ... | for k = 0 ... N-1, the bidder k seats further: active, leads, last bid, bids (tens), budget, profit, items won |
| 12 + 7N + 5j ... | for item j: starting price (of the sum), own estimate, 1 won / -1 lost / 0 open, hammer price h as h / (h + starting price), true value |

**Actions.** `vector`: 0 withdraws, a in 1 ... ladder bids the least legal bid plus a - 1 increments. `amount`: dollars,
rounded to cents; negative withdraws. `text`: a reply in words, read by a strict auctioneer (`aucenv.core.reply`): what it
finally says counts, "I bid $1,500!" or "I'm out!"; reasoning before may hold any numbers; two different final decisions
are ambiguous. One legality check stands behind all three. An illegal or unreadable answer is refused with the reason
and asked again, `max_retries` times; then the bidder withdraws. Seats without a decision have one
action, 0, and whatever they send is ignored.
With `amount_scale="share"` an amount is a share from 0 to 1 of the own estimate, rounded to cents; where the objective is not
profit, of the budget that is left. A share below the least legal bid withdraws and one above the budget bids the budget, so
that none is illegal.

**Rewards** follow the scenario's objective of each bidder: the change of its profit over the sum of all starting prices
(public; on AucArena's items, whose true value is twice the starting price, they add up to the profit ratio); one over
the number of items for each item won; or 1 for the one item it is after. They come when the hammer falls.

**Infos** are numbers: item (its index in the scenario; -1 at the end), round, standing_bid and least_bid (dollars; 0 where
there is none), leader (its seat; -1 = none), budget, profit, items_won, and whether the last answer was refused (refused, 0 or
1). With `infos="full"` names stand for indices, None for what there is not, and refused is the reason, which text
observations and `env.text(agent)` have as well.

**End.** All agents terminate together when the last item is through, and are truncated after `max_cycles` rounds; a
standing bid is not paid then.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "standard-20k-random" | a name (`aucenv envs` lists them), a `.json` path, "items.jsonl,bidders.jsonl" in AucArena's form, or a `Scenario` |
| num_bidders | the scenario's | 2 to 16 |
| num_items | the scenario's | the first so many items |
| budget | the scenario's | everybody's, dollars |
| item_order | the scenario's | "random", "ascending", "descending" (by starting price), "given" |
| ladder | 10 | the number of vector bids |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the own estimate of the item (where the objective is not profit, of the budget that is left) |
| observation | "dict" | "flat": the features alone, as one Box, and the mask in `info["action_mask"]` |
| infos | "numbers" | "full": names, dollars, None and the reason of a refusal; "none": empty |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a refused bidder is asked again |
| max_cycles | None | truncate after so many rounds |
| idle_turns | False | AEC: every bidder gets a turn in every round |
| mask_in_info | False | put the mask into `info["action_mask"]`, too |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | who plays the other seats: by seat, `{"bidder_1": "rule"}`, or a list for those after the one learner's |

**Differences from the paper's program** (github.com/jiangjiechen/auction-arena). Ties are fair (there: repeated pairwise
coin flips that favour the later seat). A bidder is asked again at most `max_retries` times (there: without limit). A
bidder who cannot pay the least legal bid is out without being asked (there: it is asked). A price that would be halved
to $0 leaves the item unsold. A raise is at least one cent. The true value of an unsold item is never told. Estimates
keep their cents, and may have noise.

**Batch.** `aucenv.english_v0.batch_env(num_envs, num_threads)` holds many games in arrays; `help()` of what it returns
tells all. There an illegal bid withdraws (or is clipped, or raises): nobody is asked again.
A row whose game is over starts the next one with the next step, whose actions are ignored.

**Versions.** v0 is the first version, and not released yet. Before its release, infos became numbers by default, and the features
`raises` and `hammer`, which used to reach the bound of 10 in random play, became shares between 0 and 1.

```bibtex
@article{chen2023aucarena,
  title   = {Put Your Money Where Your Mouth Is: Evaluating Strategic Planning and Execution of LLM Agents in an Auction Arena},
  author  = {Chen, Jiangjie and Yuan, Siyu and Ye, Rong and Majumder, Bodhisattwa Prasad and Richardson, Kyle},
  journal = {arXiv:2310.05746},
  year    = {2023}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

from aucenv.core.checks import whole_number
from aucenv.core.env_classes import env_forms
from aucenv.core.game import Game
from aucenv.envs.english.scenario import DEFAULT_SCENARIO, EnglishScenario
from aucenv.envs.english.scenario_files import load_scenario

LADDER = 10


def scenario_of(
    scenario: str | EnglishScenario = DEFAULT_SCENARIO,
    *,
    num_bidders: int | None = None,
    num_items: int | None = None,
    budget: float | None = None,
    item_order: str | None = None,
) -> EnglishScenario:
    """The scenario that an environment's arguments choose."""
    return load_scenario(scenario).changed(
        num_bidders=num_bidders, num_items=num_items, budget=budget, item_order=item_order
    )


def num_actions(scenario: EnglishScenario, ladder: int = LADDER) -> int:
    """Of the vector interface: withdrawing and `ladder` bids."""
    return whole_number("ladder", ladder, 1, 1000) + 1


GAME = Game(
    "english",
    0,
    "aucenv.envs.english",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.english",
    agents=("bdi",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
