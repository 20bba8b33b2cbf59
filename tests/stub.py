"""Writes `aucenv/__init__.pyi`: what type checkers and editors see of the package, with every game's arguments."""

from __future__ import annotations

import inspect
import types
from importlib import import_module
from inspect import Parameter
from typing import Any

import aucenv
from aucenv.registration import FAMILIES, EnvFamily

HEAD = "# What type checkers and editors see of the package. `pytest tests/test_stub.py --write-golden` writes it.\n"
FORMS = {
    "__call__": "AECEnv",
    "env": "AECEnv",
    "raw_env": "AECAdapter",
    "parallel_env": "ParallelAdapter",
    "batch_env": "BatchAdapter",
    "seat_env": "SeatAdapter",
    "vector_env": "VectorAdapter",
}
"""What each form of a family makes."""
MADE_IN = {
    "AECEnv": "pettingzoo",
    "AECAdapter": "aucenv.core.aec",
    "ParallelAdapter": "aucenv.core.parallel",
    "BatchAdapter": "aucenv.core.batch",
    "SeatAdapter": "aucenv.core.seat_env",
    "VectorAdapter": "aucenv.core.seat_env",
    "EnvFamily": "aucenv.registration",
}


def stub() -> str:
    """The file's text."""
    imported = {(module, name, "") for name, module in MADE_IN.items()}
    imported |= {(module, name, f" as {name}") for name, module in aucenv._LAZY.items()}
    classes = [line for family in FAMILIES.values() for line in _family(family, imported)]
    public = {name for _, name, alias in imported if alias}
    kept = sorted(each for each in imported if each[2] or each[1] not in public)
    lines = [f"from {module} import {name}{alias}\n" for module, name, alias in kept]
    names = ["__all__ = [\n", *(f'    "{name}",\n' for name in aucenv.__all__), "]\n"]
    return "".join([HEAD, *lines, "\n__version__: str\n", *names, *classes])


def _family(family: EnvFamily, imported: set[tuple[str, str, str]]) -> list[str]:
    name = "_" + "".join(part.title() for part in family.label.split("_"))
    lines = [f"\nclass {name}(EnvFamily):\n"]
    for form, made in FORMS.items():
        signature = inspect.signature(family if form == "__call__" else getattr(family, form))
        lines.append(f"    def {form}(\n        self,\n")
        keyword = False
        for parameter in signature.parameters.values():
            if parameter.kind is Parameter.KEYWORD_ONLY and not keyword:
                keyword = True
                lines.append("        *,\n")
            default = "" if parameter.default is Parameter.empty else f" = {_literal(parameter.default)}"
            lines.append(f"        {parameter.name}: {_type(parameter.annotation, imported)}{default},\n")
        lines.append(f"    ) -> {made}: ...\n")
    return [*lines, f"\n{family.label}: {name}\n"]


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _type(kind: Any, imported: set[tuple[str, str, str]]) -> str:
    if isinstance(kind, types.UnionType):
        return " | ".join(_type(part, imported) for part in kind.__args__)
    if kind is type(None):
        return "None"
    origin = getattr(kind, "__origin__", None)
    if origin is not None:
        return f"{_type(origin, imported)}[{', '.join(_type(part, imported) for part in kind.__args__)}]"
    if kind.__module__ != "builtins":
        assert getattr(import_module(kind.__module__), kind.__name__) is kind
        imported.add((kind.__module__, kind.__name__, ""))
    return kind.__name__
