"""A league: rounds of training, each against the population and the earlier members, while new members earn more.

In each round, a model is trained on decisions of its predecessor, judged with the predecessor's later decisions. It
joins the league if it earns more than the predecessor, with a 95% interval above 0; otherwise the league ends.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.baselines.population.families import load_population
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.evaluation import DEALS_SEED, by_game, validation_deals
from aucenv.training.rlact.judges.row_games import SeatGame, profits_of, surplus
from aucenv.training.rlact.models.model_card import command_of
from aucenv.training.rlact.probes.features import MESSAGES, probe_features
from aucenv.training.rlact.probes.probe import ProbeResult, fit_trees, save_probe
from aucenv.training.rlact.run import MODEL_FOLDER, Run
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.run_states import SPLITS
from aucenv.training.rlact.states.states import DecisionState, read_states, write_states

from aucenv.analysis.statistics.intervals import interval, resample
from aucenv.core.adapters.actions import read_dollar_action
from aucenv.core.checks import whole_number
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically
from aucenv.core.formats.folders import check_folder, only_writer
from aucenv.core.progress import track
from aucenv.core.state import WITHDRAW
from aucenv.core.words.bidder_name import check_path
from aucenv.core.words.reply import read as read_bid
from aucenv.policy.registry import make_policy

FILE = "league.json"
FORMAT, VERSION = "aucenv-league", 1
ROUND = "round-{}"
TWIN = "twin-{}.json"
GAIN = "gain.json"
LEAGUE_DEALS_SHARE = 5
"""One of this many deals of a comparison has an earlier member as a rival, once there is one."""


@dataclasses.dataclass(frozen=True)
class League:
    """A league in a folder, which a repeated `run` resumes.

    Attributes:
        out: the folder.
        preset, file: the settings of the first round; see `config.read_config`.
        changes: settings that replace those of the preset or file.
        rounds: the maximum number of rounds.
        updates: the number of updates in each later round; they are supervised if those of the first round are.
        deals: the number of deals of each game on which a new model is compared with its predecessor.
    """

    out: Path
    preset: str | None
    file: Path | None
    changes: Mapping[str, str]
    rounds: int = 4
    updates: int = 700
    deals: int = 100

    def __post_init__(self) -> None:
        check_path(self.out, ",;+")
        whole_number("rounds", self.rounds, 1, 1000)
        whole_number("updates", self.updates, 1, 10_000_000)
        whole_number("deals", self.deals, 5, 1_000_000)

    @property
    def games(self) -> list[str]:
        """The names of the games."""
        return list(self._config(self.out / ROUND.format(1), {}).config.games)

    def run(self, resume: bool = False) -> list[JsonObject]:
        """Train members until one earns no more than its predecessor, or until the last round.

        Args:
            resume: whether to resume the league in the folder.

        Returns:
            For each round "round", its number; "model", its folder in `out`; "agreement", the share of decisions in
            which its twin decides as the model, by game; "gain", its mean lead over its predecessor in percent of the
            values less the starting prices, with the ends "low" and "high" of the 95% interval, all None in the first
            round; and "joined", whether it is a member.

        Raises:
            ValueError: Settings are invalid, or the folder holds another league, or none to resume.
            KeyboardInterrupt: Training was stopped.
        """
        self._open(resume)
        results: list[JsonObject] = []
        with only_writer(self.out):
            for number in range(1, self.rounds + 1):
                results.append(self._round(number, [self.out / each["model"] for each in results]))
                if not results[-1]["joined"]:
                    break
        write_atomically(self.out / "results.json", to_pretty_json(results))
        return results

    def _open(self, resume: bool) -> None:
        """Write the settings of the league, or raise if the folder has others, or belongs to another command."""
        check_folder(self.out, FILE)
        path = self.out / FILE
        settings = {
            "format": FORMAT,
            "version": VERSION,
            "population": load_population().digest,
            "preset": self.preset,
            "file": None if self.file is None else self.file.read_text(encoding="utf-8"),
            "changes": dict(self.changes),
            **{name: getattr(self, name) for name in ("updates", "deals")},
        }
        if not resume:
            if path.exists():
                raise ValueError(f"{self.out}: holds a league; resume it with --resume, or choose another folder")
            if SEALED_BID in self.games:  # this raises if the settings are invalid
                raise ValueError(
                    f"games: expected harbor or english in a league, got {SEALED_BID}, which twins cannot play"
                )
            self.out.mkdir(parents=True, exist_ok=True)
            write_atomically(path, to_pretty_json(settings))
            return
        if not path.is_file():
            raise ValueError(f"{self.out}: expected a league to resume, with its {FILE}")
        saved = read_object(path, str(path))
        changed = [name for name in settings if saved.get(name) != settings[name]]
        if changed:
            name = changed[0]
            raise ValueError(f"{path}: {name}: expected {saved.get(name)!r}, got {settings[name]!r}")

    def _round(self, number: int, earlier: Sequence[Path]) -> JsonObject:
        """Return the result of a round, whose finished steps are files in its folder."""
        folder = self.out / ROUND.format(number)
        path = folder / GAIN
        if path.is_file():
            return read_object(path, str(path))
        run = self._config(folder, {}) if number == 1 else self._later_run(number, earlier)
        if not (folder / MODEL_FOLDER / "rlact.json").is_file():
            ended = run.run()["ended"]
            if ended is not None:
                raise KeyboardInterrupt(ended)
        model = f"{folder.name}/{MODEL_FOLDER}"
        result: JsonObject = {"round": number, "model": model, "agreement": self._fit_twins(run, folder)}
        if earlier:
            gain, low, high = self._gain(run, earlier)
            result |= {"gain": gain, "low": low, "high": high, "joined": low > 0}
        else:
            result |= {"gain": None, "low": None, "high": None, "joined": True}
        write_atomically(path, to_pretty_json(result))
        return result

    def _config(self, folder: Path, changes: Mapping[str, str]) -> Run:
        config, model = read_config(self.preset, self.file, folder, {**self.changes, **changes})
        source = f"--preset {self.preset or self.file}"
        options = f"train league --set rounds={self.rounds} --set updates={self.updates} --set deals={self.deals}"
        command = command_of(options, config, source, self.changes)
        resumes = (folder / "settings.json").is_file()
        return Run(config, model, resumes, source, {**self.changes, **changes}, command)

    def _later_run(self, number: int, earlier: Sequence[Path]) -> Run:
        """Return the run of a later round, whose states are collected and judged first."""
        folder = self.out / ROUND.format(number)
        last = earlier[-1].parent
        updates = "bid_steps" if self._config(folder, {}).config.bid_steps else "supervised_steps"
        changes = {
            "states": str(folder / "states"),
            "model_name_or_path": str(earlier[-1]),
            "warm_up_steps": "0",
            "recommendation_steps": "0",
            updates: str(self.updates),
            "judge_later_bidder": f"usual+probe:{last / TWIN.format('{game}')}",
        }
        run = self._config(folder, changes)
        (folder / "states").mkdir(parents=True, exist_ok=True)
        ids: set[str] = set()
        for split in SPLITS:
            path = folder / "states" / f"{split}-judged.jsonl"
            if not path.is_file():
                states = list(self._collect(run, number, split, earlier, ids))
                write_states(path, run.judge(states, split))
            ids |= {state.id for state in read_states(path)}
        return run

    def _collect(
        self, run: Run, number: int, split: str, earlier: Sequence[Path], ids: set[str]
    ) -> Iterator[DecisionState]:
        """Yield states of a split: decisions of the last member's twin against the population and all members."""
        config = run.config
        for game in config.games:
            twins = [f"probe:{model.parent / TWIN.format(game)}" for model in earlier]
            collection = Collection(
                config.num_states // len(config.games),
                (game,),
                config.seed + number,
                config.profiles,
                config.detail,
                twins[-1],
                tuple(twins),
            )
            states = collect(collection, split, ids)
            yield from track(states, f"{split} states of {game}", collection.split_size(split))

    def _fit_twins(self, run: Run, folder: Path) -> JsonObject:
        """Fit the twin of a round's model for each game, and return how often it decides as the model."""
        train, held_out = run.states()
        training, agreement = by_game(train), {}
        for game, states in by_game(held_out).items():
            bidder = make_policy(game, f"rlact:{folder / MODEL_FOLDER}")
            agreement[game] = fit_twin(bidder, training[game], states, folder / TWIN.format(game), run.config.seed)
        return agreement

    def _gain(self, run: Run, earlier: Sequence[Path]) -> tuple[float, float, float]:
        """Return the mean lead of a round's model over its predecessor, and the ends of its 95% interval over deals."""
        leads = []
        for game in run.config.games:
            new, old = (f"rlact:{model}" for model in (run.out / MODEL_FOLDER, earlier[-1]))
            twins = [f"probe:{model.parent / TWIN.format(game)}" for model in earlier]
            leads.append(_profits(game, new, self.deals, twins) - _profits(game, old, self.deals, twins))
        resampled = np.mean([(resample(np.arange(len(each))) @ each) / len(each) for each in leads], axis=0)
        low, high = interval(resampled, self.deals)
        assert low is not None
        assert high is not None
        return round(float(np.mean(leads)), 4), round(low, 4), round(high, 4)


def _profits(game: str, bidder: str, deals: int, twins: Sequence[str]) -> np.ndarray:
    """Return a bidder's profit in each deal, in percent of the values less the starting prices; (deals,).

    The deals are `validation_deals`; in one of LEAGUE_DEALS_SHARE, a rival is an earlier member's twin.
    """
    policy, deal_games = make_policy(game, bidder), []
    for number, (scenario, rivals) in enumerate(validation_deals(game, deals)):
        if number % LEAGUE_DEALS_SHARE == 0:
            rivals = [twins[number // LEAGUE_DEALS_SHARE % len(twins)], *rivals[1:]]
        seats = range(len(rivals) + 1)
        deal_games.append([SeatGame(scenario, tuple(rivals), seat, (DEALS_SEED, number)) for seat in seats])
    cents = profits_of(policy, game, [each for of_deal in deal_games for each in of_deal])
    ends = np.cumsum([len(of_deal) for of_deal in deal_games])
    by_deal = np.split(cents, ends[:-1])
    return np.array([100 * of.mean() / surplus(game, each[0]) for of, each in zip(by_deal, deal_games, strict=True)])


def fit_twin(
    bidder: Any, train: Sequence[DecisionState], held_out: Sequence[DecisionState], path: Path, seed: int
) -> float:
    """Fit trees to a bidder's decisions to bid or to withdraw, and write them as a probe.

    Args:
        bidder: the bidder.
        train, held_out: states of one game; the probe's accuracy is measured on the latter.
        path: the file of the probe.
        seed: the seed of the trees.

    Returns:
        The share of held-out states in which the twin decides as the bidder.

    Raises:
        ValueError: The bidder decides the same in all training states.
        MissingExtra: scikit-learn is not installed.
    """
    (values, decisions), (held_out_values, expected) = (
        (np.array([probe_features(s.view(), MESSAGES) for s in states]), _bids(bidder, states))
        for states in (train, held_out)
    )
    if decisions.all() or not decisions.any():
        raise ValueError(f"{path}: expected a model with both decisions, got the same one in {len(decisions)} states")
    trees = fit_trees(values, decisions, seed)
    agreement = float((trees.predict(held_out_values) == expected).mean())
    chance = float(max(expected.mean(), 1 - expected.mean()))
    save_probe(path, ProbeResult(agreement, chance, len(decisions), len(expected), trees, MESSAGES), train, seed)
    return round(agreement, 4)


def _bids(bidder: Any, states: Sequence[DecisionState]) -> np.ndarray:
    """Return whether a bidder bids in each state, (states,) bool."""
    if not hasattr(bidder, "act_rows"):
        views = [state.view() for state in states]
        return np.array([_amount(bidder.act(view, {})) != WITHDRAW for view in views])
    bids = np.zeros(len(states), np.bool_)
    layouts: dict[Any, list[int]] = defaultdict(list)
    for i, state in enumerate(states):
        layouts[state.full_row.dtype].append(i)
    for numbers in layouts.values():
        rows = np.concatenate([states[i].full_row for i in numbers])
        seats = np.array([states[i].seat for i in numbers])
        bids[numbers] = bidder.act_rows(rows, np.arange(len(numbers)), seats) != WITHDRAW
    return bids


def _amount(action: Any) -> int:
    try:
        return read_bid(action) if isinstance(action, str) else read_dollar_action(action)
    except ValueError:
        return WITHDRAW
