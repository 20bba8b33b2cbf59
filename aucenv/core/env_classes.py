"""The environments of a game: one shell for all games, with each game's own arguments."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, NamedTuple, get_type_hints

from pettingzoo import AECEnv

from aucenv.core.adapter import RENDER_MODES, Adapter
from aucenv.core.aec import AECAdapter, wrapped
from aucenv.core.batch import BatchAdapter
from aucenv.core.game import Game
from aucenv.core.parallel import ParallelAdapter
from aucenv.core.seat_env import SeatAdapter, VectorAdapter


class EnvForms(NamedTuple):
    """A game's environments under the names that PettingZoo's modules use, and the batch."""

    raw_env: type[AECAdapter]
    parallel_env: type[ParallelAdapter]
    batch_env: type[BatchAdapter]
    seat_env: type[SeatAdapter]
    vector_env: type[VectorAdapter]
    env: Callable[..., AECEnv]


def env_forms(game: Game) -> EnvForms:
    """The environments of a game, whose `env.py` has them under these names.

    Their arguments are those of `game.arguments`, those of `game.num_actions` after the scenario, and the adapter's.
    """
    page = f"the arguments are explained in the page of the game, help(aucenv.{game.name}_v{game.version})"
    raw = _form(game, "raw_env", AECAdapter, Adapter, f"The bare AEC environment; {page}.")
    parallel = _form(game, "parallel_env", ParallelAdapter, Adapter, f"The native Parallel environment; {page}.")
    arrays = f"{inspect.cleandoc(BatchAdapter.__doc__ or '')}\n\nOf the others, {page}."
    batch = _form(game, "batch_env", BatchAdapter, BatchAdapter, arrays)
    one = f"{inspect.cleandoc(SeatAdapter.__doc__ or '')}\n\nOf the others, {page}."
    seat = _form(game, "seat_env", SeatAdapter, SeatAdapter, one)
    many = f"{inspect.cleandoc(VectorAdapter.__doc__ or '')}\n\nOf the others, {page}."
    vector = _form(game, "vector_env", VectorAdapter, VectorAdapter, many)

    def env(*args: Any, **kwargs: Any) -> AECEnv:
        return wrapped(raw(*args, **kwargs))

    env.__doc__ = f"The AEC environment with PettingZoo's checks around it; {page}."
    env.__module__, env.__qualname__ = raw.__module__, "env"
    env.__signature__ = raw.__signature__.replace(return_annotation=AECEnv)  # type: ignore[attr-defined]
    return EnvForms(raw, parallel, batch, seat, vector, env)


def _form(game: Game, name: str, adapter: type, arguments_of: type, about: str) -> Any:
    """An environment class: `adapter` with the game's arguments."""
    of_scenario = _parameters(game.arguments)
    of_actions = dict(list(_parameters(game.num_actions).items())[1:])
    of_adapter = _adapter_parameters(arguments_of)
    hidden = ("seat",) if arguments_of is Adapter else ()  # the environments of one seat choose it
    for given in ("self", "scenario", "num_actions", *hidden, *(() if game.seats_die else ("on_death",))):
        of_adapter.pop(given, None)
    label = f"{game.name}_v{game.version}"
    where = label if name == "raw_env" else f"{label}.{name}"
    signature = _merged(of_scenario, of_actions, of_adapter)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  (a class's)
        given = _bound(signature, where, args, kwargs)
        scenario = game.arguments(**_chosen(given, of_scenario))
        num_actions = game.num_actions(scenario, **_chosen(given, of_actions))
        adapter.__init__(self, scenario, num_actions=num_actions, **_chosen(given, of_adapter))  # type: ignore[misc]

    metadata = {"name": label, "render_modes": list(RENDER_MODES), "render_fps": 1}
    return type(
        name,
        (adapter,),
        {
            "__doc__": about,
            "__init__": __init__,
            "__module__": f"{game.package}.env",
            "__signature__": signature,
            "game": game,
            "metadata": metadata,
        },
    )


def _adapter_parameters(adapter: Any) -> dict[str, Parameter]:
    """The parameters of an adapter; those that it passes on stand in place of its `**options`."""
    own = _parameters(adapter.__init__)
    if own.pop("options", None) is not None:
        passed = _adapter_parameters(adapter.options_of)
        own |= {name: each for name, each in passed.items() if name not in own and name not in adapter.not_passed}
    return own


def _parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """A function's parameters, with their types as types and not as the source's text."""
    types = get_type_hints(function)
    parameters = inspect.signature(function).parameters
    return {name: each.replace(annotation=types.get(name, Parameter.empty)) for name, each in parameters.items()}


def _merged(
    of_scenario: Mapping[str, Parameter], of_actions: Mapping[str, Parameter], of_adapter: Mapping[str, Parameter]
) -> Signature:
    """All parameters: the adapter's positional ones first; without such, the scenario may be given by position."""
    first = [each for each in of_adapter.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    scenario, *others = of_scenario.values()
    named = [*others, *of_actions.values(), *(each for each in of_adapter.values() if each not in first)]
    if first:
        named.insert(0, scenario)
    else:
        first = [scenario]
    return Signature([*first, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in named)])


def _bound(signature: Signature, where: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are given.

    Raises:
        TypeError: one is unknown, which is named with the nearest known one, or missing, or given twice.
    """
    for name in kwargs:
        if name not in signature.parameters:
            near = difflib.get_close_matches(name, signature.parameters, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected some of {', '.join(signature.parameters)}"
            raise TypeError(f"{where}: unexpected argument {name!r}; {hint}")
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None


def _chosen(given: Mapping[str, Any], names: Mapping[str, Parameter]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name in names}
