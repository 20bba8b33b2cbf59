"""Housing auctions: houses sold one after another, to bidders each of whom some houses draw more than others.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 3 by default |
| Actions | `vector`: Discrete(ladder + 1); `amount`: Box((1,), float64), dollars, or Box((1,), float32), shares; `text`: any words |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 22 + 7 * bidders + 15 * items + 3 * bidders * items features (283 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the true values (859 by default) |
| Rewards | change of profit over the number of items times the mean starting price of all houses |

**The auction** (HARBOR, arXiv 2502.12149). The mechanism is that of `english_v0`, whose page tells it: simultaneous rounds
of ascending bids, the least raise 10% of the starting price, only the winner pays. Houses have structured features, a
description of about 100 words made of nothing else, starting prices of $150,000 to $240,000 and true values 2.22 to 2.75
times as high; everybody overestimates those by 10%. A bidder may have a persona, or a mix of two: eco-conscious buyers,
urban dwellers, ... It is told its own in words; nobody is told a rival's. A persona has likings (`data/personas.json`),
so that every house suits each persona to some degree, public to all, and one best: it *matches* that one. Profit
remains the objective: what a persona likes changes nobody's payoff, but bidders who follow it can be read by their bids.

**Deal.** Of forty houses, four for each persona, ten are sold. In named scenarios personas are drawn, all different; then
for each bidder with a persona `matches` houses that match it (half for each of two; bidders that share a persona share
its houses), and others that match nobody at the table, while there are such. "evaluation" and "train" have different houses and descriptions of personas; "fresh-N" has houses from the
generator with seed N, so that nothing can be learnt by heart.

**Observations.** A dictionary with `observation`; for `vector` also `action_mask`; for `text` also `text`, where the
bidder reads who it is before the first decision. Indices of `observation`, with N bidders and M items, F = 12 + 7N + 5M
and H = F + 10 + 10M; shares are of the item's starting price, all is clipped to [-10, 10];
`feature_names(N, M)` of the module `aucenv.envs.harbor.vector` lists them:

| index | feature |
|---|---|
| 0 ... F - 1 | as in `english_v0` |
| F ... F + 9 | 1 for each persona that the seat itself has |
| F + 10 + 10j ... | for item j: how well it suits each persona, from 0 to 1 |
| H + 3Nj + 3k ... | for item j and the bidder k seats further: its bids (tens), the highest, the least bid that made it withdraw |

**Actions.** As in `english_v0`: `vector`: 0 withdraws, a in 1 ... ladder bids the least legal bid plus a - 1 increments;
`amount`: dollars, negative withdraws; `text`: "I bid $250,000!" or "I'm out!". Illegal bids are refused and asked again.
With `amount_scale="share"` an amount is a share from 0 to 1 of the own estimate: below the least legal bid it withdraws,
above the budget it bids the budget.

**Rewards** are the change of profit, when the hammer falls, over the number of items times the mean starting price of all
houses of the scenario.

**Infos** are numbers: item (its index in the scenario; -1 at the end), round, standing_bid and least_bid (dollars; 0 where
there is none), leader (its seat; -1 = none), budget, profit, items_won, and whether the last answer was refused (refused, 0 or
1). With `infos="full"` names stand for indices, None for what there is not, and refused is the reason, which text
observations and `env.text(agent)` have as well.

**End.** All agents terminate together when the last item is through, and are truncated after `max_cycles` rounds.

**Views.** `env.view(agent)` is that of `english_v0`, with `personas` and `about_me`, the own ones and their words; items
have `house`, its features, `likings` and `suits`. What bids tell of a persona: `aucenv.envs.harbor.profile`; by it
`resample_hidden` draws rivals' personas.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "evaluation-single" | a name (`aucenv envs` lists them), "fresh-N", "fresh-N-mixed", "fresh-N-none", a `.json` path, "houses.jsonl" or "houses.jsonl,personas.jsonl", or a `Scenario` |
| num_bidders | the scenario's | 2 to 16 |
| num_items | the scenario's | how many of the houses are sold |
| budget | the scenario's | everybody's, dollars |
| item_order | the scenario's | "random", "ascending", "descending" (by starting price), "given" |
| personas | the scenario's | "none", "drawn", an id, or two of these with a plus between; or one such for each bidder |
| matches | the scenario's; fewer where the items would not do | houses that match each bidder with a persona, where the deal draws houses |
| houses | the scenario's | "train", "evaluation" or "fresh-N" |
| ladder | 10 | the number of vector bids |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the own estimate of the house |
| observation | "dict" | "flat": the features alone, as one Box, and the mask in `info["action_mask"]` |
| infos | "numbers" | "full": names, dollars, None and the reason of a refusal; "none": empty |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a refused bidder is asked again |
| max_cycles | None | truncate after so many rounds |
| idle_turns | False | AEC: every bidder gets a turn in every round |
| mask_in_info | False | put the mask into `info["action_mask"]`, too |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | who plays the other seats: by seat, `{"bidder_1": "rule"}`, or a list for those after the one learner's |

**Differences from the paper.** Houses, likings, descriptions and wording are ours; the paper's are free text without a
licence. How well a house suits a persona is a number here, and which persona it suits best is public. Personas and houses
are drawn for each game, not rotated; the studies rotate them. Those of the English auction: fair ties, limited retries, bidders who cannot pay are not asked.

**Batch.** `aucenv.harbor_v0.batch_env(num_envs, num_threads)` holds many games in arrays; `help()` of what it returns
tells all. There an illegal bid withdraws (or is clipped, or raises): nobody is asked again.
A row whose game is over starts the next one with the next step, whose actions are ignored.

**Versions.** v0 is the first version, and not released yet. Before its release, infos became numbers by default, and the features
`raises` and `hammer`, which used to reach the bound of 10 in random play, became shares between 0 and 1.

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

from aucenv.core.env_classes import env_forms
from aucenv.core.game import Game
from aucenv.envs.english.env import num_actions
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
    """The scenario that an environment's arguments choose."""
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
    agents=("bdi", "harbor"),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
