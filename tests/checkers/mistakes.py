"""Type errors, one on each line marked as a mistake; see `check.py`."""

import aucenv
from aucenv.envs.english.view import View
from aucenv.envs.water_allocation.view import View as ResidentView

aucenv.english_v0(num_itms=3)  # mistake
aucenv.english_v0(num_items="3")  # mistake
aucenv.harbor_v0.raw_env(personas=3)  # mistake
aucenv.english_v0.parallel_env(ladder="x")  # mistake
aucenv.sealed_bid_v0.batch_env(4, num_rouns=3)  # mistake
aucenv.clock_v0.batch_env(num_threads=2)  # mistake
aucenv.water_allocation_v0.env(bid_cap=3)  # mistake
aucenv.play("english", "standard-20k-random", ["rule"] * 3, sead=1)  # mistake
aucenv.EnglishScenario("mine", items=3, bidders=())  # mistake
aucenv.read_record("results")  # mistake

env = aucenv.english_v0(num_items=3, interface={"bidder_0": "text"})
batch = aucenv.sealed_bid_v0.batch_env(4, pricing="third", num_rounds=3)
table = aucenv.water_allocation_v0.parallel_env(on_death="terminate", idle_turns=True)
print(env, batch.observations.shape, table.possible_agents)


def bid(view: View, resident: ResidentView) -> float:
    view.budget = 3  # mistake
    print(view.stading_bid)  # mistake
    print(view.standing_bid + 1)  # mistake
    print(view.leader.upper())  # mistake
    print(view.round.upper())  # mistake
    print(view.budgets["bidder_0"].upper())  # mistake
    print(view.objectives[0])  # mistake
    print(view.targets["bidder_0"].upper())  # mistake
    print(resident.supply + 1)  # mistake
    if view.standing_bid is not None and resident.supply is not None:
        return view.standing_bid + view.budgets["bidder_0"] + resident.supply * resident.balance
    return view.least_bid  # mistake
