"""Prompts of agents: jinja2 templates in one folder per agent, and shared templates that they include."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from pathlib import Path

from aucenv.core.formats.user_files import USER_FILES

Variables = tuple[tuple[str, frozenset[str]], ...]
"""The name of each template, without `.md`, and the variables that it may use."""


class Prompts:
    """The templates of one agent.

    Args:
        folder: the folder of the templates, with a file `NAME.md` for each of `variables`; None: `prompts/<agent>` of
            this package. Templates may include each other, and those of this package:
            `{% include "shared/names.md" %}`.
        presets: subfolders of the agent's folder, whose templates replace those of the same name; the first one that
            has a template counts.

    Raises:
        ValueError: if a file is missing, is not a template, or uses an unknown variable; the message names the file.
    """

    def __init__(
        self, agent: str, variables: Variables, folder: str | None = None, presets: tuple[str, ...] = ()
    ) -> None:
        from aucenv.baselines.llm.templates import check_template, environment_of  # needs the extra llm

        built_in = Path(str(resources.files("aucenv.baselines.llm"))) / "prompts"
        self.user_folder = folder
        self._arguments = agent, variables, folder, presets
        self.folder = built_in / agent if folder is None else USER_FILES.find(folder)
        self._folders = [*(self.folder / preset for preset in presets), self.folder]
        self._environment = environment_of([*self._folders, built_in])
        if not self.folder.is_dir():
            raise ValueError(f"prompts: expected a folder, got {str(folder)!r}")
        for name, known in variables:
            if not any((folder / f"{name}.md").is_file() for folder in self._folders):
                raise ValueError(f"prompts: expected the file {self.folder / f'{name}.md'}")
            check_template(self._environment, f"{name}.md", known, self.folder)

    def __reduce__(self) -> tuple:
        return prompts, self._arguments

    def render(self, name: str, **values: object) -> str:
        """Render a template.

        Raises:
            ValueError: if it uses a value in an invalid way; the message names the file.
        """
        try:
            text = self._environment.get_template(f"{name}.md").render(**values)
        except Exception as error:  # a user-defined template may raise anything
            raise ValueError(f"prompts, {self.folder / name}.md: {error}") from None
        return re.sub(r"\n{3,}", "\n\n", text).strip()


@lru_cache(maxsize=64)
def prompts(agent: str, variables: Variables, folder: str | None, presets: tuple[str, ...] = ()) -> Prompts:
    """Return the `Prompts` with these arguments, which are read from files once."""
    return Prompts(agent, variables, folder, presets)
