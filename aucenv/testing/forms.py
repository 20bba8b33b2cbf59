"""Checks of the forms of a game: AEC, Parallel, batch, and snapshots."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from aucenv.core.play.table import Table
from aucenv.core.words.money import to_cents
from aucenv.testing.contract import Case, ContractError

GAMES = 4
"""Number of games of a check."""
STEPS = 60
"""Number of steps of a batch."""
ROWS = 3
LISTED = 16
"""The most numbers that an error lists."""
ILLEGAL = 0.05
"""The share of actions in batches that are drawn from all, legal or not."""
AMOUNTS = (-1, 0, 1, 50, 99, 100, 12_345, 10**12)
"""Amounts in cents, some of which most rules refuse."""


def random_action(observation: Any, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def vector_table(case: Case, seed: int) -> Table:
    """Return a table at which all seats choose vector actions."""
    env = case.family.parallel_env(scenario=case.scenario)  # it knows the number of actions
    env.reset(seed=seed)
    return env.table


def check_masks(case: Case) -> None:
    """Compare the masks of random games with the rules."""
    for seed in range(case.seed, case.seed + GAMES):
        table, rng = vector_table(case, seed), np.random.default_rng(seed)
        while not table.over:
            check_table(case, table)
            for seat in table.pending:
                table.submit(seat, random_action(table.observe(seat), rng))
        check_table(case, table)


def check_table(case: Case, table: Table) -> None:
    """Compare the masks of all seats, and `clip` of those with a decision, with the rules.

    Raises:
        ContractError: They differ.
    """
    rules, vector = case.game.rules, case.game.features
    for seat in range(case.num_seats):
        _check_mask(case, table, seat, rules, vector)
    for seat in table.pending:
        _check_clip(case, table, seat, rules)


def _check_clip(case: Case, table: Table, seat: int, rules: Any) -> None:
    for amount in AMOUNTS:
        clipped = rules.clip(table.state, 0, seat, amount)
        if rules.check(table.state, 0, seat, clipped) or rules.clip(table.state, 0, seat, clipped) != clipped:
            raise ContractError(
                case.subject,
                f"rules.clip turns {amount} cents of bidder_{seat} into {clipped}",
                "clip returns a legal amount, and leaves such an amount as it is",
            )


def _check_mask(case: Case, table: Table, seat: int, rules: Any, vector: Any) -> None:
    mask = table.observe(seat)["action_mask"]
    where = f"bidder_{seat}, item {table.item}, round {table.round}"
    if not mask[0]:
        raise ContractError(case.subject, f"action 0 of {where} is illegal by the mask", "action 0 is always legal")
    if not table.state["acting"][0, seat]:
        if mask.sum() != 1:
            raise ContractError(
                case.subject,
                f"the mask of {where}, which has no decision, has {int(mask.sum())} actions",
                "only action 0",
            )
        return
    amounts = [int(vector.amount(table.state, 0, seat, action)) for action in range(len(mask))]
    offered = {amount for amount, legal in zip(amounts, mask, strict=True) if legal}
    for action, amount in enumerate(amounts):
        code = rules.check(table.state, 0, seat, amount)
        is_missing = code == 0 and amount not in offered  # two actions may mean the same
        if is_missing or (mask[action] and code):
            raise ContractError(
                case.subject,
                f"action {action} of {where} is {'legal' if mask[action] else 'illegal'} by the mask, but rules.check "
                f"answers {rules.REFUSALS[code]} to its {amount} cents",
                "the mask offers the amounts that rules.check accepts, and no others",
            )


def check_rewards(case: Case) -> None:
    """Add up the rewards of random games."""
    score = case.game.rules.RESULT[0]
    for seed in range(case.seed, case.seed + GAMES):
        env, rng = case.family.parallel_env(scenario=case.scenario), np.random.default_rng(seed)
        observations, _ = env.reset(seed=seed)
        total = np.zeros(case.num_seats)
        while env.agents:
            agents = list(env.agents)
            observations, rewards, *_ = env.step({agent: random_action(observations[agent], rng) for agent in agents})
            total += [rewards.get(agent, 0.0) for agent in env.possible_agents]
        outcome = case.game.record_format.OUTCOME.data(env.table.view(0, reveal=True))["seats"]
        expected = np.array([seat[score] for seat in outcome]) / case.scenario.profit_scale
        if not np.allclose(total, expected, atol=1e-6):
            seat = int(np.argmax(np.abs(total - expected)))
            raise ContractError(
                case.subject,
                f"the rewards of bidder_{seat} add up to {total[seat]:.6g}, but its {score} of "
                f"{outcome[seat][score]:g} is {expected[seat]:.6g} (seed {seed})",
                f"the rewards are the {score} of the outcome, divided by profit_scale",
            )


def played(case: Case, seed: int) -> list[Any]:
    """Return all that the seats of a random game receive, with the text of the last view."""
    env, rng = case.family.parallel_env(scenario=case.scenario), np.random.default_rng(0)
    observations, infos = env.reset(seed=seed)
    received: list[Any] = [observations, infos]
    while env.agents:
        actions = {agent: random_action(observations[agent], rng) for agent in env.agents}
        observations, *others = env.step(actions)
        received += [observations, *others]
    return [*received, *(env.text(agent) for agent in env.possible_agents)]


def check_seeds(case: Case) -> None:
    """Play games of equal and of other seeds."""
    first = played(case, case.seed)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # a game must not use it
    played(case, case.seed + 1)
    if not data_equivalence(first, played(case, case.seed)):
        raise ContractError(case.subject, f"two games of seed {case.seed} differ", "equal seeds give equal games")
    tables = [vector_table(case, seed) for seed in range(case.seed, case.seed + 8)]
    deals = [case.game.record_format.DEAL.data(table.view(0, reveal=True)) for table in tables]
    if all(deal == deals[0] for deal in deals):
        raise ContractError(case.subject, "games of eight seeds have the same deal", "other seeds give other deals")


def check_forms(case: Case) -> None:
    """Play the same actions in the AEC and the Parallel environment."""
    aec, parallel = case.family(scenario=case.scenario), case.family.parallel_env(scenario=case.scenario)
    aec.reset(seed=case.seed)
    observations, _ = parallel.reset(seed=case.seed)
    rng = np.random.default_rng(case.seed)
    while parallel.agents:
        actions = {agent: random_action(observations[agent], rng) for agent in parallel.agents}
        for seat in aec.unwrapped.table.pending:
            agent = f"bidder_{seat}"
            if not observations[agent]["action_mask"][1:].any():
                raise ContractError(case.subject, f"{agent} has a turn, but no decision", "a turn is a decision")
            if aec.agent_selection != agent:
                raise ContractError(case.subject, f"it is the turn of {aec.agent_selection}, not {agent}", "seat order")
            if not data_equivalence(aec.last()[0], observations[agent]):
                raise ContractError(
                    case.subject, f"{agent} observes something else in AEC than in Parallel", "both are the same game"
                )
            aec.step(actions[agent])
        observations, *_ = parallel.step(actions)
    if not all(aec.terminations.values()):
        raise ContractError(
            case.subject, "the AEC game still runs when the Parallel one is over", "both are the same game"
        )


def check_batches(case: Case) -> None:
    """Play the same actions in a batch and in one Parallel environment for each row."""
    compare_batch(case, ROWS, 1, STEPS)


def compare_batch(case: Case, num_envs: int, num_threads: int, steps: int, **arguments: Any) -> int:
    """Play the same actions, a few of them illegal, in a batch and in one Parallel environment for each row.

    Args:
        arguments: other arguments of the environments.

    Returns:
        The number of games that are over.

    Raises:
        ContractError: A row differs from its Parallel environment.
    """
    batch = case.family.batch_env(num_envs, num_threads, scenario=case.scenario, **arguments)
    single = [case.family.parallel_env(scenario=case.scenario, max_retries=0, **arguments) for _ in range(num_envs)]
    batch.reset(case.seed)
    for row, env in enumerate(single):
        env.reset(seed=case.seed + row)
        _check_row(case, batch, row, env.table, [0.0] * case.num_seats)
    rng, games = np.random.default_rng(case.seed), 0
    for _ in range(steps):
        over = (batch.terminated | batch.truncated).copy()
        legal = np.where(batch.masks > 0, rng.random(batch.masks.shape), -1).argmax(axis=2)
        actions = np.where(rng.random(legal.shape) < ILLEGAL, rng.integers(batch.num_actions, size=legal.shape), legal)
        batch.step(actions)
        games += int(over.sum())
        for row, env in enumerate(single):
            rewards = dict.fromkeys(env.possible_agents, 0.0)
            if over[row]:
                env.reset()
            else:
                chosen = {agent: int(actions[row, int(agent.rpartition("_")[2])]) for agent in env.agents}
                rewards |= env.step(chosen)[1]
            _check_row(case, batch, row, env.table, list(rewards.values()))
    batch.close()
    return games


def _check_row(case: Case, batch: Any, row: int, table: Table, rewards: list[float]) -> None:
    ended = [table.over and table.terminated, table.over and not table.terminated]
    parts: list[tuple[str, Any, Any]] = [
        ("rewards", batch.rewards[row], np.array(rewards)),
        ("end", np.array([batch.terminated[row], batch.truncated[row]]), np.array(ended)),
    ]
    for seat in range(case.num_seats):
        observation = table.observe(seat)
        parts.append((f"observation of bidder_{seat}", batch.observations[row, seat], observation["observation"]))
        parts.append((f"mask of bidder_{seat}", batch.masks[row, seat], observation["action_mask"]))
        parts.append((f"decision of bidder_{seat}", batch.acting[row, seat], table.is_pending(seat)))
    if table.over:
        name = case.game.rules.RESULT[0]
        outcome = [seat[name] for seat in case.game.record_format.OUTCOME.data(table.view(0, reveal=True))["seats"]]
        scores = [to_cents(score) if name == "profit" else score for score in outcome]
        parts.append((f"result {name!r}", batch.results[row, :, 0], np.array(scores)))
    for what, in_batch, expected in parts:
        same = np.array_equal(in_batch, expected) if what != "rewards" else np.allclose(in_batch, expected, atol=1e-12)
        if not same:
            got = f": {in_batch} in place of {expected}" if np.size(expected) <= LISTED else ""
            raise ContractError(
                case.subject,
                f"the {what} in row {row} differs from that at a table{got}",
                "a row is the game of a table",
            )


def check_snapshots(case: Case) -> None:
    """Restore a game in progress, and play both to the end."""
    for part in range(GAMES + 1):
        compare_restored(case, _turns(case, case.seed) * part // GAMES)


def compare_restored(case: Case, turns: int) -> None:
    """Restore a game after a number of turns, and compare it with the original until the end.

    Raises:
        ContractError: They differ.
    """
    table, rng = vector_table(case, case.seed), np.random.default_rng(case.seed)
    for _ in range(turns):
        if not table.over:
            seat = table.pending[0]
            table.submit(seat, random_action(table.observe(seat), rng))
    other = vector_table(case, case.seed + 1)
    other.restore(pickle.loads(pickle.dumps(table.snapshot())))  # noqa: S301  # made here
    where = f"after {turns} turns of seed {case.seed}"
    for seat in range(case.num_seats):
        if not data_equivalence(table.observe(seat), other.observe(seat)):
            raise ContractError(
                case.subject,
                f"bidder_{seat} observes something else {where} than when all features are written",
                "update_features and features write the same",
            )
    texts = [[each.text(seat) for seat in range(case.num_seats)] for each in (table, other)]
    pending = [list(each.pending) for each in (table, other)]
    ends = [_finish(each) for each in (table, other)]
    if texts[0] != texts[1] or pending[0] != pending[1] or ends[0] != ends[1]:
        raise ContractError(case.subject, f"a restored game continues otherwise {where}", "it is the same game")


def _turns(case: Case, seed: int) -> int:
    """Return the number of turns of a random game."""
    table, rng = vector_table(case, seed), np.random.default_rng(seed)
    number = 0
    while not table.over:
        seat = table.pending[0]
        table.submit(seat, random_action(table.observe(seat), rng))
        number += 1
    return number


def _finish(table: Table) -> Any:
    rng = np.random.default_rng(1)
    while not table.over:
        for seat in table.pending:
            table.submit(seat, random_action(table.observe(seat), rng))
    return table.game.record_format.OUTCOME.data(table.view(0, reveal=True)), table.decisions
