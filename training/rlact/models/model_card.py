"""The model card of a finetuned model: what it is, how it was trained, its evaluations, and its command."""

from __future__ import annotations

import dataclasses
import hashlib
import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import torch
from aucenv.baselines.llm.local_models.smollm2 import PACKAGE
from aucenv.baselines.llm.local_models.smollm2_weights import smollm2_digest
from aucenv.baselines.population.families import TRAIN, VALIDATION, load_population
from aucenv.training.rlact.config import SUPERVISED, RLActConfig
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.learning.callbacks import best_evaluation
from aucenv.training.rlact.models.base_model import TINY
from aucenv.training.rlact.models.checkpoints import HUB_NAME, METADATA_FILE, SMOLLM2
from aucenv.training.rlact.states.games import learning_module

from aucenv.core.files import JsonObject
from aucenv.core.words.phrases import count

WEIGHTS = ("*.safetensors", "*.gguf", "*.bin")
SMOLLM2_ON_HUB = "HuggingFaceTB/SmolLM2-135M-Instruct"
LIBRARIES = ("torch", "transformers", "trl", "numpy")


@dataclasses.dataclass(frozen=True)
class ModelCard:
    """The contents of a model card.

    Attributes:
        name: the base model, as in the settings.
        config: the settings of the run.
        command: the command that trains it.
        evaluations: all evaluations of the run, in order.
        base: the folder of the base model, or its name on the Hub.
        start: the folder of the model that the run started with: the base model, or an adapter of it.
        folder: the folder of the model.
        simulator: the simulator judge.
        digests: digests of the states, by split.
    """

    name: str
    config: RLActConfig
    command: str
    evaluations: Sequence[JsonObject]
    base: str
    start: Path
    folder: Path
    simulator: Simulator
    digests: Mapping[str, str]

    def to_markdown(self) -> str:
        """Return the card in Markdown."""
        config = self.config
        lines = [
            "---",
            "library_name: transformers",
            f"license: {self._license}",
            *([f"base_model: {self._hub_name}"] if self._hub_name else []),
            f"tags: [auction, {'online-dpo' if config.bid_steps else 'sft'}, aucenv]",
            "---",
            "",
            "# RLAct",
            "",
            f"A bidder for {' and '.join(config.games)}, finetuned from {self._base_name} {self._method}.",
            "",
            "```",
            self.command,
            f"aucenv leaderboard --game {config.games[0]} --bidder rlact:THIS_FOLDER --bidder rule --bidder value",
            "```",
            "",
            self._license_text,
            "",
            "## Training",
            "",
            *(f"{number}. {step}" for number, step in enumerate(self._steps(), 1)),
            "",
            "## Evaluation during training",
            "",
            *self._evaluation(),
            "",
            "## Weights",
            "",
            *self._weights(),
        ]
        return "\n".join(lines) + "\n"

    @property
    def _base_name(self) -> str:
        """The name of the base model, without the path of a folder on this machine."""
        is_path = Path(self.base).is_dir() and self.name not in (TINY, SMOLLM2)
        return "/".join(Path(self.name).parts[-2:]) if is_path else self.name

    @property
    def _hub_name(self) -> str | None:
        """The name of the base model on the Hugging Face Hub, or None."""
        if self.name == SMOLLM2:
            return SMOLLM2_ON_HUB
        return self.name if HUB_NAME.fullmatch(self.name) and not Path(self.name).is_dir() else None

    @property
    def _method(self) -> str:
        supervised = "by supervised finetuning on a judge's better replies"
        if self.evaluations and self.evaluations[-1]["phase"] == SUPERVISED:
            return supervised
        online = "by online DPO on pairs of replies that a judge compares"
        return f"{supervised}, and {online}" if self.config.supervised_steps else online

    @property
    def _license(self) -> str:
        """The license of the model: that of a model from scratch, or the one in the base model's card."""
        if self.name == TINY:
            return "mit"
        if self.name == SMOLLM2:
            return "apache-2.0"
        card = Path(self.base) / "README.md"
        lines = card.read_text(encoding="utf-8", errors="replace").splitlines()[:20] if card.is_file() else []
        named = [line.partition(":")[2].strip() for line in lines if line.startswith("license:")]
        return named[0] if named and named[0] == "mit" else "other"

    @property
    def _license_text(self) -> str:
        if self.name == SMOLLM2:
            return (
                "License: Apache-2.0, that of the base model, [SmolLM2-135M-Instruct]"
                f"(https://huggingface.co/{SMOLLM2_ON_HUB}) by Hugging Face, which is not part of this folder. It was "
                f"trained with its quantized weights (GGUF, Q4_1) from the Python package {PACKAGE}."
            )
        if self._license == "mit":
            return "License: MIT, that of aucenv."
        return f"License: that of the base model, {self._base_name}, also for an adapter."

    def _steps(self) -> list[str]:
        """Return every step of the training, in order, with those of a base model that was trained by RLAct, too."""
        config, population = self.config, load_population()
        families = {
            game: ", ".join(family.name for family in population.families(game, TRAIN)) for game in config.games
        }
        described = "; ".join(f"{game}: {names}" for game, names in families.items())
        if config.states is None:
            states = f"{config.num_states:,} decisions of {' and '.join(config.games)} were collected"
        else:
            states = f"The decisions were read from {'/'.join(Path(config.states).parts[-2:])}"
        judges = ", ".join(config.judge)
        values = "; ".join(f"{game}: {_short_paths(self.simulator.describe(game))}" for game in config.games)
        steps = [
            *_steps_of(self.start),
            f"{states}, among bidders of the population's families to train on (version {population.version}, digest "
            f"{population.digest[:16]}; {described}). Messages have detail={config.detail}.",
            f"The simulator judged the least bid and withdrawing ({values}). Judge of replies: {judges}.",
        ]
        if self.name == TINY:
            advisers = {game: ", ".join(learning_module("game", game).ADVISERS) for game in config.games}
            imitated = "; ".join(f"{game}: {names}" for game, names in advisers.items())
            steps.append(
                f"A Llama from scratch imitated the replies of rule bidders ({imitated}), for both tasks, in "
                f"{config.warm_up_steps} updates of supervised finetuning, learning rate {config.warm_up_rate:g}."
            )
        steps += [self._updates(), self._choice()]
        return steps

    def _updates(self) -> str:
        config = self.config
        options = {
            "pairs with equal or unusable replies were replaced by plain opposite ones": config.counterfactual,
            f"a term of weight {config.likelihood_weight:g} raised the likelihood of the better reply": (
                config.likelihood_weight > 0
            ),
            f"a term of weight {config.kl_weight:g} held the model close to the base": config.kl_weight > 0,
            f"decision tokens were sampled at temperature {config.decision_temperature:g}": (
                config.decision_temperature != 1
            ),
            "states were drawn by p(1 - p) times the dollars at stake": config.pair_states == "stakes",
            "pairs were compared with the base model": config.pair_reference,
        }
        pairs = config.per_device_train_batch_size // 2 * config.gradient_accumulation_steps
        supervised = (
            f"Supervised finetuning on the judge's better replies in {config.supervised_steps:,} updates of {pairs} "
            f"states, of which {config.supervised_share:.0%} ask for recommendations; learning rate "
            f"{config.supervised_rate:g}. "
            if config.supervised_steps
            else ""
        )
        in_all = {
            "states whose decision is a tie were left out": config.skip_ties,
            "token embeddings were not trained": config.freeze_embeddings,
        }
        if config.last_stage == SUPERVISED:
            return supervised + " ".join(f"{text[0].upper()}{text[1:]}." for text, is_used in in_all.items() if is_used)
        used = "; ".join(text for text, is_used in {**in_all, **options}.items() if is_used) or "none"
        first = f"{config.recommendation_steps:,} updates that ask for recommendations, and then "
        return (
            f"{supervised}Online DPO in {first if config.recommendation_steps else ''}"
            f"{config.bid_steps:,} updates that ask for bids, but for recommendations in "
            f"{config.recommendation_share:.0%} of states; {pairs} pairs of sampled replies each; loss "
            f"{config.pair_loss}, beta {config.pair_beta:g}, learning rate {config.learning_rate:g}. Besides the loss: "
            f"{used}.{self._pairs()}"
        )

    def _pairs(self) -> str:
        """Return a sentence on the pairs so far; empty if there were none, or an earlier version did not count them."""
        pairs = self.evaluations[-1].get("pairs") if self.evaluations else None
        if not pairs:
            return ""
        return (
            f" Of {pairs['pairs']:,} sampled pairs, the decisions of {pairs['agreeing']:.1%} agreed, "
            f"{pairs['synthetic']:.1%} were replaced by synthetic ones, and of {pairs['used']:.1%} the judge preferred "
            "one reply."
        )

    def _choice(self) -> str:
        best = best_evaluation(self.evaluations, self.config.last_stage)
        if best is None:
            return "This is a checkpoint before the last stage."
        return (
            f"Of the checkpoints so far, that of update {best['step']:,} has the least regret on the decisions for "
            "validation; a finished run takes it as its model."
        )

    def _evaluation(self) -> list[str]:
        lines = [
            "Decisions are those of states whose rivals are of the population's families for validation "
            f"({', '.join(self._validation_families())}). Accuracies are on decisions without ties: the shares of "
            "right recommendations and bids, the accuracy of a constant answer, and that of a probe, boosted trees on "
            "the numbers of the same states. Regrets are in dollars per decision over all states, with ties. Profits "
            "are in dollars per game against these families; the expert is the judge's first bidder for later "
            "decisions.",
            "",
            "| game | updates | recommendations right | bids right | legal bids | constant | probe | regret of "
            "recommendations | regret of bids | profit | expert |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        for each in self.evaluations:
            for game, result in each["games"].items():
                recommended = result.get("recommendation", {})
                rates = [recommended.get("greedy"), result["bid"]["greedy"], result["bid"]["readable"]]
                shares = [
                    "-" if value is None else f"{value:.1%}" for value in [*rates, result["chance"], result["probe"]]
                ]
                regrets = [recommended.get("regret"), result["bid"]["regret"]]
                dollars = [*regrets, result["profit"], result.get("expert")]
                money = ["-" if value is None else f"{value:,.0f}" for value in dollars]
                lines.append(f"| {' | '.join([game, str(each['step']), *shares, *money])} |")
        return lines

    def _validation_families(self) -> list[str]:
        families = (load_population().families(game, VALIDATION) for game in self.config.games)
        return sorted({family.name for of_game in families for family in of_game})

    def _weights(self) -> list[str]:
        """Return the digests of the base model, the model and the states, and what equal weights depend on."""
        if self.name == SMOLLM2:
            digests = [f"SHA-256 of the weights in single precision, in alphabetical order {smollm2_digest()}"]
        else:
            digests = weights_digests(Path(self.base))
        lines = [f"- base model, {self._base_name}: {digest}" for digest in digests]
        lines += [f"- this folder: {digest}" for digest in weights_digests(self.folder)]
        lines += [f"- states, {split}: SHA-256 {digest}" for split, digest in self.digests.items()]
        libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
        lines += [
            "",
            f"Trained on {processor()} with {count(torch.get_num_threads(), 'thread')} of PyTorch, Python "
            f"{platform.python_version()}, {libraries}. The same command gives the same weights on the same kind of "
            "processor with as many threads (OMP_NUM_THREADS sets their number); otherwise, sums are rounded in "
            "another order, and the weights and figures differ a little."
            f"{'' if torch.cuda.is_available() else ' It was not run on a GPU.'}",
        ]
        return lines


def _steps_of(base: Path) -> list[str]:
    """Return the training steps of a base model that is a checkpoint of RLAct, from its card; none of another one."""
    card = base / "README.md"
    if not (base / METADATA_FILE).is_file() or not card.is_file():
        return []
    _, _, text = card.read_text(encoding="utf-8", errors="replace").partition("\n## Training\n")
    return re.findall(r"^\d+\. (.+)$", text.partition("\n## ")[0], re.MULTILINE)


def _short_paths(bidders: str) -> str:
    """Return a description of bidders in which paths of probes have only the last folder."""
    return re.sub(r"(?<=probe:)[^+,]*/(?=[^/+,]*/[^/+,]*\.json)", "", bidders)


def command_of(name: str, config: RLActConfig, source: str, changes: Mapping[str, str]) -> str:
    """Return the command that trains a model.

    Args:
        name: the command without its options, such as "train rlact".
        config: the settings.
        source: the preset or file of the settings, as a command-line option.
        changes: the settings that --set changes; the seed is an option of its own.
    """
    changed = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in changes.items() if key != "seed"]
    return " ".join([f"aucenv {name} {source} --seed {config.seed}", *changed])


def weights_digests(folder: Path) -> list[str]:
    """Return the name and the SHA-256 digest of each file of weights in a folder; none if it is not a folder."""
    if not folder.is_dir():
        return []
    files = sorted(path for pattern in WEIGHTS for path in folder.glob(pattern) if path.name != "training_args.bin")
    return [f"{path.name}, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]


def processor() -> str:
    """Return the name of the processor, if the system says it, or else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
