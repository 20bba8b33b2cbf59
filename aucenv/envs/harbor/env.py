"""Housing auctions: houses are sold one after another to bidders whose personas prefer some houses.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 3 by default |
| Actions | `vector`: Discrete(ladder + 1); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 22 + 7 * bidders + 15 * items + 3 * bidders * items features (283 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the true values (859 by default) |
| Rewards | change in profit / (number of items * mean starting price of all houses) |

**The auction** (HARBOR, arXiv 2502.12149). The mechanism is that of `english_v0`, described on its page: simultaneous rounds
of ascending bids, a least raise of 10% of the starting price, and only the winner pays. A house has structured features and a
description of about 100 words that states these features and nothing else. Starting prices are $150,000 to $240,000, and true
values 2.22 to 2.75 times as high; every bidder overestimates them by 10%. A bidder may have a persona (eco-conscious buyer,
urban dweller, ...) or a mix of two. Each bidder is given a description of its own personas; rivals' personas are private. The
preferences of a persona (`data/personas.json`) and a house's features and starting price determine how well the house suits
the persona, as a number from 0 to 1; these numbers are public. A house *matches* the persona that it suits best. Profit
remains the objective: preferences change no payoff, but a bidder that bids according to its persona reveals it.

**Deal.** There are forty houses, four for each persona; ten of them are sold. In named scenarios the deal draws the bidders'
personas (those whose names end in "-none" have no personas); no persona is drawn a second time before all ten have been
drawn. For each bidder that has a persona the deal then draws `matches` houses that match this persona; if the bidder has two
personas, half of these houses match each. Bidders that share a persona share its houses. The remaining houses are drawn among
those that match no bidder, as long as there are any. "evaluation" and "train" have different houses and different
descriptions of personas. "fresh-N" generates its houses from seed N, so that no bidder can have memorized them;
`aucenv new houses` lets a model write a file of houses.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`, which before the first decision also describes the bidder's personas. The table lists the
indices of `observation` for N bidders and M items, with F = 12 + 7N + 5M and H = F + 10 + 10M. Prices are divided by the
item's starting price, and all features are clipped to [-10, 10]. `feature_names(N, M)` of the module
`aucenv.envs.harbor.vector` returns their names:

| index | feature |
|---|---|
| 0 ... F - 1 | as in `english_v0` |
| F ... F + 9 | for each persona: 1 if the seat has it |
| F + 10 + 10j ... | for item j: how well it suits each persona, from 0 to 1 |
| H + 3Nj + 3k ... | for item j and the bidder k seats further: number of its bids / 10, its highest bid, the least legal bid at which it withdrew |

**Actions.** Actions are those of `english_v0`. `vector`: 0 withdraws, and a in 1 ... ladder bids the least legal bid plus
a - 1 increments. `amount`: dollars; a negative amount withdraws. `text`: "I bid $250,000!" or "I'm out!". An illegal bid is
refused with the reason, and the bidder may try again. With `amount_scale="share"`, an amount is a share from 0 to 1 of the
seat's estimate: a share below the least legal bid withdraws, and a share above the budget bids the whole budget.

**Rewards** are the change in profit when an item is sold, divided by the number of items times the mean starting price of all
houses in the scenario.

**Infos** are numbers: `item` (its index in the scenario; -1 at the end), `round`, `standing_bid` and `least_bid` (dollars; 0
if there is none), `leader` (the seat's number; -1 if there is none), `budget`, `profit`, `items_won`, and `refused` (1 if the
last reply was refused, else 0). With `infos="full"`, names replace indices, None replaces missing values, and `refused` is
the reason for the refusal, which text observations and `env.text(agent)` also contain.

**End.** All agents terminate together when the last item is closed. After `max_cycles` rounds they are truncated.

**Views.** `env.view(agent)` is that of `english_v0` with `personas` and `about_me`: the seat's personas and their
descriptions. Its items have `house` (the features), `likings` (how well the house suits each persona) and `suits` (the
persona that it suits best). The module `aucenv.envs.harbor.profile` infers the probabilities of personas from bids, and
`resample_hidden` draws rivals' personas with these probabilities.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "evaluation-single" | a name (`aucenv envs` lists them), "fresh-N", "fresh-N-mixed", "fresh-N-none", the path of a scenario (`.json`) or of a list of houses (`.csv`, `.json`, `.jsonl`), "houses.jsonl,personas.jsonl", or a `Scenario` |
| num_bidders | the scenario's | 2 to 16 |
| num_items | the scenario's | how many of the houses are sold |
| budget | the scenario's | the budget of every bidder, dollars |
| item_order | the scenario's | "random", "ascending", "descending" (by starting price), "given" |
| personas | the scenario's | "none", "drawn", an id, or two of these joined by a plus; or a list with one such entry for each bidder |
| matches | the scenario's; fewer if there are not enough items | if the deal draws houses: how many of them are drawn to match the personas of each bidder that has any |
| houses | the scenario's | "train", "evaluation" or "fresh-N" |
| ladder | 10 | the number of vector bids |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one of them |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the seat's estimate of the house |
| observation | "dict" | "flat": the features alone, as one Box, with the mask in `info["action_mask"]` |
| infos | "numbers" | "numbers": numbers alone; "full": also names, None and the reason for a refusal; "none": empty dicts |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a bidder may try again after a refusal |
| max_cycles | None | truncate after this many rounds |
| idle_turns | False | AEC only: give every bidder a turn in every round, even without a decision |
| mask_in_info | False | also put the mask into `info["action_mask"]` |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | the bidders of the seats that the environment plays: a mapping by seat, such as `{"bidder_1": "rule"}`, or a list for all seats after the learner's |

**Differences from the paper.** The houses, preferences, descriptions and wording are ours; the paper's are free text without
a license. Here, numbers state how well a house suits each persona, and they are public. The environment draws
personas and houses for each game; the paper and aucenv's studies rotate personas over the seats. The differences of the
English auction also apply: ties are fair, retries are limited, and bidders that cannot afford the least legal bid withdraw
without a decision.

**Batch.** `aucenv.harbor_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch nobody may try again: by default, an illegal bid withdraws at once; `illegal` can also
clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version and has not been released yet. During development, the default of `infos` changed to
"numbers", and the features `raises` and `hammer`, which reached the bound of 10 in random play, became shares between 0 and 1.

```bibtex
@article{harbor2025,
  title   = {HARBOR: Exploring Persona Dynamics in Multi-Agent Competition},
  author  = {Jiang, Kenan and Xiong, Li and Liu, Fei},
  journal = {arXiv:2502.12149},
  year    = {2025}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.game import Game
from aucenv.envs.english.env import num_actions
from aucenv.envs.forms import env_forms
from aucenv.envs.harbor.named_scenarios import DEFAULT_SCENARIO
from aucenv.envs.harbor.scenario import HarborScenario
from aucenv.envs.harbor.scenario_files import load_scenario


def scenario_of(
    scenario: str | HarborScenario = DEFAULT_SCENARIO,
    *,
    num_bidders: int | None = None,
    num_items: int | None = None,
    budget: float | None = None,
    item_order: str | None = None,
    personas: str | Sequence[str] | None = None,
    matches: int | None = None,
    houses: str | None = None,
) -> HarborScenario:
    """Return the scenario that an environment's arguments select."""
    return load_scenario(scenario).changed(
        num_bidders=num_bidders,
        num_items=num_items,
        budget=budget,
        item_order=item_order,
        personas=personas,
        matches=matches,
        houses=houses,
    )


GAME = Game(
    "harbor",
    0,
    "aucenv.envs.harbor",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.harbor",
    population="aucenv.baselines.population.harbor",
    agents=("bdi", "harbor"),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
