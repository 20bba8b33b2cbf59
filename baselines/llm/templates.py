"""The jinja2 environment of prompts, a sandbox, and the check of templates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    meta,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment


def environment_of(folders: Sequence[Path]) -> Environment:
    """Return the environment with the templates of these folders; the first one that has a template counts."""
    return ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([FileSystemLoader(path) for path in folders]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def check_template(environment: Environment, name: str, known: frozenset[str], folder: Path) -> None:
    """Check a template and everything that it includes.

    Args:
        environment: The environment that has the template.
        name: The template.
        known: The variables that it may use.
        folder: The folder of the templates, for errors.

    Raises:
        ValueError: A file is missing, is not a template, or uses an unknown variable; the message names the file.
    """
    checked, pending = set(), [name]
    assigned: set[str] = set()  # variables set by loops and `set`; included templates may use them, too
    while pending:
        name = pending.pop()
        checked.add(name)
        try:
            assert environment.loader is not None
            source, path, _ = environment.loader.get_source(environment, name)
            tree = environment.parse(source, name, path)
            assigned |= {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"}
            for variable in sorted(meta.find_undeclared_variables(tree) - known - assigned):
                raise ValueError(f"prompts, {path}: unknown variable {variable!r}; known: {', '.join(sorted(known))}")
        except TemplateNotFound as error:
            raise ValueError(f"prompts: expected the file {error.name} in {folder}") from None
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            raise ValueError(f"prompts, {path}:{line}: {error.message}") from None
        except UnicodeDecodeError as error:
            raise ValueError(f"prompts, {folder / name}: not UTF-8: {error.reason}") from None
        for included in meta.find_referenced_templates(tree):
            if included is None:
                raise ValueError(f"prompts, {path}: expected included templates by their names")
            if included not in checked:
                pending.append(included)
