"""English auctions: items are sold one after another by open, ascending bidding.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 3 by default |
| Actions | `vector`: Discrete(ladder + 1); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 12 + 7 * bidders + 5 * items features (83 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the true values (259 by default) |
| Rewards | change in profit / sum of the starting prices; or items won / number of items; or 1 for the target item |

**The auction** (AucArena, arXiv 2310.05746). Items are sold one after another. The items, their order and their starting
prices are public. Each bidder has a private estimate of each item's true value, by default 10% too high. Bidding rounds are
simultaneous. A bidder has a decision if it has not withdrawn from the item, does not hold the standing bid and can afford the
least legal bid (with `ask_broke`, also if it cannot: withdrawing is then its only legal action): it either bids, or withdraws from this item for good. The least legal bid is the starting price; once there
is a standing bid, it is that bid plus 10% of the item's current starting price. No bid may exceed the bidder's remaining
budget. The highest bid of a round becomes the standing bid; ties are broken uniformly at random. If only one bidder bids in
the first round that has a bid, that bidder wins at once; otherwise the item is sold as soon as nobody bids in a round. The
winner pays its bid and receives the true value, which is then revealed to all bidders. The true value may be less than the
price. If the scenario has `discount`, a starting price that receives no bid is halved, and rounded down
to whole dollars, up to three times; every bidder may then bid again.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules and items, later only the news since the
seat's last decision; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders and
M items. Prices are divided by the item's starting price before discounts, sums of money by the sum of the starting prices,
and all features are clipped to [-10, 10]. `feature_names(N, M)` of the module `aucenv.envs.english.vector` returns their
names:

| index | feature |
|---|---|
| 0 | share of the items that are closed |
| 1 | round of the current item, divided by 10 |
| 2 | halvings of the starting price, divided by 3 |
| 3 | current starting price |
| 4 | standing bid; 0 if there is none |
| 5 | least legal bid |
| 6 | least raise over the standing bid |
| 7 | the seat's estimate of the true value |
| 8 | r / (r + 10), where r is the number of increments above the least legal bid that the budget allows |
| 9, 10, 11 | 1 if the seat's objective is profit; the number of items; the current item |
| 12 + 7k ... | for k = 0 ... N-1, the bidder k seats further: active, leads, last bid, bids / 10, budget, profit, items won |
| 12 + 7N + 5j ... | for item j: starting price / sum of all, the seat's estimate, 1 won / -1 lost / 0 open, h / (h + starting price) for the hammer price h, true value |

**Actions.** `vector`: 0 withdraws, and a in 1 ... ladder bids the least legal bid plus a - 1 increments. `amount`: dollars,
rounded to cents; a negative amount withdraws. `text`: a free-text reply, read by `aucenv.core.reply`. The
final decision of the reply counts, such as "I bid $1,500!" or "I'm out!". The reasoning before it may contain any numbers,
but a reply that ends with two different decisions is refused as ambiguous. The legality of bids is the same in all
interfaces. An illegal bid or an unreadable reply is refused with the reason, and the bidder may try again up to `max_retries`
times; after that it withdraws. A seat without a decision has one legal action, 0, and its submitted actions are ignored.
With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's estimate (of its remaining budget if its objective
is not profit), rounded to cents. A share below the least legal bid withdraws, and a share above the budget bids the whole
budget, so no share is illegal.

**Rewards** follow each bidder's objective in the scenario. For "profit", the reward is the change in profit divided by the
sum of all starting prices, which is public. On AucArena's items, whose true value is twice the starting price, these rewards
add up to the profit ratio: profit / sum of (true value - starting price). For "items", each item won gives 1 / number of
items. For "item", winning the target item gives 1. Rewards are paid when an item is sold.

**Infos** are numbers: `item` (its index in the scenario; -1 at the end), `round`, `standing_bid` and `least_bid` (dollars; 0
if there is none), `leader` (the seat's number; -1 if there is none), `budget`, `profit`, `items_won`, and `refused` (1 if the
last reply was refused, else 0). With `infos="full"`, names replace indices, None replaces missing values, and `refused` is
the reason for the refusal, which text observations and `env.text(agent)` also contain.

**End.** All agents terminate together when the last item is closed. After `max_cycles` rounds they are truncated; a bid that
is standing then is not paid. A scenario with which an item could take more than 100,000 rounds is refused.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "standard-20k-random" | a name (`aucenv envs` lists them), the path of a scenario (`.json`) or of a list of items (`.csv`, `.json`, `.jsonl`), "items.jsonl,bidders.jsonl" as AucArena has them, or a `Scenario` |
| num_bidders | the scenario's | 2 to 16 |
| num_items | the scenario's | how many items to keep, from the first |
| budget | the scenario's | the budget of every bidder, dollars |
| item_order | the scenario's | "random", "ascending", "descending" (by starting price), "given" |
| ask_broke | the scenario's | True: a bidder that cannot pay the least legal bid is asked, too, as in AucArena's program; the default of all named scenarios is False |
| ladder | 10 | the number of vector bids |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one of them |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the seat's estimate of the item (of its remaining budget if its objective is not profit) |
| observation | "dict" | "flat": the features alone, as one Box, with the mask in `info["action_mask"]` |
| infos | "numbers" | "numbers": numbers alone; "full": also names, None and the reason for a refusal; "none": empty dicts |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a bidder may try again after a refusal |
| max_cycles | None | truncate after this many rounds |
| idle_turns | False | AEC only: give every bidder a turn in every round, even without a decision |
| mask_in_info | False | also put the mask into `info["action_mask"]` |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | the bidders of the seats that the environment plays: a mapping by seat, such as `{"bidder_1": "rule"}`, or a list for all seats after the learner's |

**Differences from the paper's program** (github.com/jiangjiechen/auction-arena). Ties are fair (the program flips a coin
between pairs repeatedly, which favors the later seat). A bidder may try again at most `max_retries` times after a refusal
(the program sets no limit). An item whose starting price would be halved to $0 stays unsold. The least raise keeps its cents
and is at least one cent (the program drops the cents: at a starting price of $175, the least raise is $17.50 here and $17
there). The true value of an unsold item is never revealed. Estimates keep their cents (the program drops them) and may have
noise.

By default, a bidder that cannot afford the least legal bid withdraws without a decision. The program asks it, and so do games
with `ask_broke=True`, which comparisons with the paper's results need: without it, the rate of failed bids (CFR) is too low,
because bids over the budget lose their main occasion. In AucArena's competition of the built-in rule bidders, 12.6% of all
pairs of a bidder and an item have no decision for this reason (19.0% at budgets of $20,000, 6.1% at $40,000). A bidder that
raises up to its estimate without regard to its budget has 0.0% failed bids by default, and 7.1% with `ask_broke=True`. Prices,
winners and profits of rule bidders are the same in both cases.

**Batch.** `aucenv.english_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch nobody may try again: by default, an illegal bid withdraws at once; `illegal` can also
clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version and has not been released yet. During development, the default of `infos` changed to
"numbers", and the features `raises` and `hammer`, which reached the bound of 10 in random play, became shares between 0 and 1.

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
from aucenv.core.game import Game
from aucenv.envs.english.scenario import DEFAULT_SCENARIO, EnglishScenario
from aucenv.envs.english.scenario_files import load_scenario
from aucenv.envs.forms import env_forms

LADDER = 10


def scenario_of(
    scenario: str | EnglishScenario = DEFAULT_SCENARIO,
    *,
    num_bidders: int | None = None,
    num_items: int | None = None,
    budget: float | None = None,
    item_order: str | None = None,
    ask_broke: bool | None = None,
) -> EnglishScenario:
    """Return the scenario that an environment's arguments select."""
    return load_scenario(scenario).changed(
        num_bidders=num_bidders, num_items=num_items, budget=budget, item_order=item_order, ask_broke=ask_broke
    )


def num_actions(scenario: EnglishScenario, ladder: int = LADDER) -> int:
    """Return the number of vector actions: withdrawing and `ladder` bids."""
    return whole_number("ladder", ladder, 1, 1000) + 1


GAME = Game(
    "english",
    0,
    "aucenv.envs.english",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.english",
    population="aucenv.baselines.population.english",
    agents=("bdi",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
