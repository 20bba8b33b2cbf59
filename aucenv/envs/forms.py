"""Creation of the environment classes of a game, whose signatures include the arguments of the game.

They take rivals by name, and give core policies. Names are of all kinds of bidders, which later packages define: the
registry is therefore imported by name, and only if a rival is a name.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING
from functools import partial, reduce
from importlib import import_module
from inspect import Parameter, Signature
from operator import or_
from types import GenericAlias, UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from pettingzoo import AECEnv

from aucenv.core.adapters.adapter import RENDER_MODES, Adapter
from aucenv.core.adapters.aec import AECAdapter, wrap_env
from aucenv.core.adapters.batch import BatchAdapter
from aucenv.core.adapters.parallel import ParallelAdapter
from aucenv.core.adapters.seat_env import SeatAdapter, VectorAdapter
from aucenv.core.declared import Declaration, declarations, declared_parameters, parts_of
from aucenv.core.game import Game
from aucenv.core.play.rivals import Mixture, NamedPolicy
from aucenv.core.policy import Policy
from aucenv.core.scenarios import KEEP, arguments

REGISTRY = "aucenv.policy.registry"
"""The module with `make_policy`, and `make_compiled_policy` for the rivals of batches."""
RIVALS: Any = Mapping[str, str | Policy] | Sequence[str | Policy]
BATCH_RIVALS: Any = Mapping[str, str] | Sequence[str]
"""The types of the argument `rivals`, of batches and of the other environments."""


SHARED = {
    "interface": ('"vector", "amount", "text"', "how agents act: one for all, or a mapping from every agent to one"),
    "amount_scale": (
        '"dollars", "share"',
        "whether an `amount` is a share from 0 to 1 of the most that the seat would bid",
    ),
    "observation": ('"dict", "flat"', 'flat: the features alone, as one Box, with the mask in `info["action_mask"]`'),
    "infos": (
        '"numbers", "full", "none"',
        "full: also names, None and the reason for a refusal; none: empty dictionaries",
    ),
    "illegal": (
        '"refuse", "clip", "raise"',
        "what happens to an illegal action: it is refused, becomes the nearest legal amount, or raises IllegalBid",
    ),
    "max_retries": ("0 or more", "how often a bidder may try again after a refusal"),
    "max_cycles": ("1 or more, or None", "truncate after this many rounds in which a seat had a decision"),
    "idle_turns": ("True or False", "AEC only: give every bidder a turn in every round, even without a decision"),
    "mask_in_info": ("True or False", 'also put the mask into `info["action_mask"]`'),
    "render_mode": ('"ansi", "human", "rgb_array", or None', "human prints; rgb_array needs the extra `render`"),
    "rivals": (
        "bidders, or None",
        'who plays the other seats: a mapping by seat, such as `{"bidder_1": "random"}`, or a list for all seats after '
        "the learner's",
    ),
    "on_death": (
        '"stay", "terminate"',
        "whether dead seats keep their places, without decisions, or their agents terminate",
    ),
}
"""The values of the arguments that the environments of all games have, and what they mean."""


class EnvForms(NamedTuple):
    """The environments of a game: AEC and Parallel under PettingZoo's names, batch, single-seat and vector."""

    raw_env: type[AECAdapter]
    parallel_env: type[ParallelAdapter]
    batch_env: type[BatchAdapter]
    seat_env: type[SeatAdapter]
    vector_env: type[VectorAdapter]
    env: Callable[..., AECEnv]


def env_forms(game: Game) -> EnvForms:
    """Return the environments of a game; its `game.py` exports them under the same names.

    Their arguments are the scenario and its arguments, those of `game.num_actions`, and the adapter's.
    """
    page = f"explained on the game's page, help(aucenv.{game.name}_v{game.version})"
    raw = _form(
        game, "raw_env", AECAdapter, Adapter, f"The AEC environment without wrappers; its arguments are {page}."
    )
    parallel = _form(
        game, "parallel_env", ParallelAdapter, Adapter, f"The Parallel environment; its arguments are {page}."
    )
    arrays = f"{inspect.cleandoc(BatchAdapter.__doc__ or '')}\n\nThe other arguments are {page}."
    batch = _form(game, "batch_env", BatchAdapter, BatchAdapter, arrays)
    one = f"{inspect.cleandoc(SeatAdapter.__doc__ or '')}\n\nThe other arguments are {page}."
    seat = _form(game, "seat_env", SeatAdapter, SeatAdapter, one, table_class=parallel)
    many = f"{inspect.cleandoc(VectorAdapter.__doc__ or '')}\n\nThe other arguments are {page}."
    vector = _form(game, "vector_env", VectorAdapter, VectorAdapter, many, table_class=batch)

    def env(*args: Any, **kwargs: Any) -> AECEnv:
        return wrap_env(raw(*args, **kwargs))

    env.__doc__ = f"The AEC environment with PettingZoo's checks around it; its arguments are {page}."
    env.__module__, env.__qualname__ = raw.__module__, "env"
    env.arguments_table = partial(arguments_table, game, raw.__signature__)  # type: ignore[attr-defined]
    env.__signature__ = raw.__signature__.replace(return_annotation=AECEnv)  # type: ignore[attr-defined]
    return EnvForms(raw, parallel, batch, seat, vector, env)


def _form(game: Game, name: str, adapter: type, arguments_of: type, about: str, **attributes: Any) -> Any:
    """Return an environment class: a subclass of `adapter` that takes the game's arguments.

    Args:
        name: The name of the class.
        arguments_of: The class whose arguments it takes besides those of the game.
        about: Its docstring.
        attributes: Further attributes of the class.
    """
    of_scenario = scenario_parameters(game)
    of_actions = {
        name: _parameter(name, declared.default, declared.type)
        for name, declared in declared_parameters(game.num_actions).items()
    }
    of_adapter = _adapter_parameters(arguments_of)
    hidden = ("seat",) if arguments_of is Adapter else ()  # only the environments of one seat take it
    for excluded in ("self", "scenario", "num_actions", *hidden, *(() if game.seats_die else ("on_death",))):
        of_adapter.pop(excluded, None)
    is_batch = adapter in (BatchAdapter, VectorAdapter)
    types, rivals = BATCH_RIVALS if is_batch else RIVALS, of_adapter["rivals"]
    of_adapter["rivals"] = rivals.replace(annotation=types if rivals.default is Parameter.empty else types | None)
    label = f"{game.name}_v{game.version}"
    where = label if name == "raw_env" else f"{label}.{name}"
    signature = _merge(of_scenario, of_actions, of_adapter)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  (becomes a method)
        arguments = _bind_arguments(signature, where, args, kwargs)
        changes = _select(arguments, of_scenario)
        scenario = game.choose_scenario(changes.pop("scenario", game.default_scenario), changes)
        num_actions = game.num_actions(scenario, **_select(arguments, of_actions))
        if "rivals" in arguments:
            arguments["rivals"] = resolve_rivals(game.name, arguments["rivals"], is_batch)
        adapter.__init__(self, scenario, num_actions=num_actions, **_select(arguments, of_adapter))  # type: ignore[misc]

    metadata = {"name": label, "render_modes": list(RENDER_MODES), "render_fps": 1}
    return type(
        name,
        (adapter,),
        {
            "__doc__": about,
            "__init__": __init__,
            "__module__": game.module,
            "__signature__": signature,
            "game": game,
            "metadata": metadata,
            **attributes,
        },
    )


def resolve_rivals(game: str, rivals: Any, compiled: bool) -> Any:
    """Return the argument `rivals` of an environment with policies in place of names.

    Args:
        game: The name of the game.
        rivals: Bidders, in a mapping or a list; anything else is returned as it is, for core to refuse.
        compiled: Whether only bidders that play in compiled code are possible.

    Raises:
        ValueError: A bidder is unknown, or has an invalid parameter.
    """
    if isinstance(rivals, Mapping):
        return {seat: _resolve(game, bidder, compiled) for seat, bidder in rivals.items()}
    if isinstance(rivals, str) or not isinstance(rivals, Iterable):
        return rivals
    return [_resolve(game, bidder, compiled) for bidder in rivals]


def _resolve(game: str, bidder: Any, compiled: bool) -> Any:
    if not isinstance(bidder, str):
        return bidder
    registry = import_module(REGISTRY)
    create = registry.make_compiled_policy if compiled else registry.make_policy
    return Mixture(NamedPolicy(name, create(game, name)) for name in bidder.split("|"))


def arguments_table(game: Game, signature: Signature) -> str:
    """Return the arguments of a game's environment as a table in Markdown, and the fields of objects in a scenario."""
    names = ", ".join(["a name (`aucenv envs` lists them)", *getattr(game.scenarios, "patterns", ())])
    first = next(iter(arguments(game.Scenario)))
    lists = game.lists.files if game.lists else "`.csv`"
    scenario = (
        f'{names}, also with arguments, such as "{game.default_scenario},{first}=..."; a file (`.json`, `.yaml`, '
        f"{lists}); or a scenario (`{game.Scenario.__name__}`)"
    )
    declared = {**arguments(game.Scenario), **declared_parameters(game.num_actions)}
    about = {
        **SHARED,
        "scenario": (scenario, "what is fixed before the deal; the other arguments change it"),
        **{name: (each.accepts.words, each.help) for name, each in declared.items()},
    }
    lines = ["| argument | default | values | meaning |", "|---|---|---|---|"]
    for name, parameter in signature.parameters.items():
        keeps = name in arguments(game.Scenario) and parameter.default in (None, KEEP)
        default = "the scenario's" if keeps else repr(parameter.default).replace("'", '"')
        values, meaning = about[name]
        lines.append(f"| {name} | {default} | {values} | {meaning} |")
    for kind in parts_of(game.Scenario):
        lines += [
            "",
            f"Fields of `{kind.__name__}`:",
            "",
            "| field | default | values | meaning |",
            "|---|---|---|---|",
        ]
        lines += [_field_row(each) for each in declarations(kind).values()]
    return "\n".join(lines)


def _field_row(declared: Declaration) -> str:
    default = "" if declared.default is MISSING else repr(declared.default).replace("'", '"')
    return f"| {declared.name} | {default} | {declared.accepts.words} | {declared.help} |"


def scenario_parameters(game: Game) -> dict[str, Parameter]:
    """Return the scenario and its arguments as parameters, by name."""
    kind = game.Scenario
    parameters = {"scenario": _parameter("scenario", game.default_scenario, str | kind)}
    for name, declared in arguments(kind).items():
        keeps = KEEP if name in kind.MAY_BE_NONE else None
        parameters[name] = _parameter(name, keeps, _given(declared.type) | (str if keeps else None))
    return parameters


def _given(kind: Any) -> Any:
    """Return the type of the values that an argument takes: any sequence where the field is a tuple of any length."""
    parts = get_args(kind)
    if get_origin(kind) is tuple and parts[1:] == (...,):
        return GenericAlias(Sequence, parts[:1])
    return reduce(or_, map(_given, parts)) if isinstance(kind, UnionType) else kind


def _parameter(name: str, default: Any, kind: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _adapter_parameters(adapter: Any) -> dict[str, Parameter]:
    """Return the parameters of an adapter, with those that it forwards in place of its `**options`."""
    parameters = _parameters(adapter.__init__)
    if parameters.pop("options", None) is not None:
        options = _adapter_parameters(adapter.options_of)
        parameters |= {
            name: option
            for name, option in options.items()
            if name not in parameters and name not in adapter.not_passed
        }
    return parameters


def _parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return a function's parameters, with their annotations evaluated to types."""
    types = get_type_hints(function)
    parameters = inspect.signature(function).parameters
    return {
        name: parameter.replace(annotation=types.get(name, Parameter.empty)) for name, parameter in parameters.items()
    }


def _merge(
    of_scenario: Mapping[str, Parameter], of_actions: Mapping[str, Parameter], of_adapter: Mapping[str, Parameter]
) -> Signature:
    """Return the signature of all parameters.

    The adapter's positional parameters come first; if it has none, the scenario is positional.
    """
    positional = [p for p in of_adapter.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    scenario, *others = of_scenario.values()
    keyword = [*others, *of_actions.values(), *(p for p in of_adapter.values() if p not in positional)]
    if positional:
        keyword.insert(0, scenario)
    else:
        positional = [scenario.replace(kind=Parameter.POSITIONAL_OR_KEYWORD)]
    return Signature([*positional, *(p.replace(kind=Parameter.KEYWORD_ONLY) for p in keyword)])


def _bind_arguments(signature: Signature, where: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name.

    Raises:
        TypeError: An argument is unknown (the message suggests the closest known one), missing, or given twice.
    """
    for name in kwargs:
        if name not in signature.parameters:
            closest = difflib.get_close_matches(name, signature.parameters, n=1)
            hint = f"did you mean {closest[0]!r}?" if closest else f"expected some of {', '.join(signature.parameters)}"
            # TorchRL's GymEnv leaves out an argument if the error has Python's words
            raise TypeError(f"{where}: unexpected argument {name!r}; {hint} (unexpected keyword argument {name!r})")
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None


def _select(arguments: Mapping[str, Any], names: Mapping[str, Parameter]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name in names}
