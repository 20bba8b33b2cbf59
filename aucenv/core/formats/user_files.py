"""Files that a user names: on a node of a cluster, they are copies that travel with the run."""

from __future__ import annotations

import os
from pathlib import Path


class UserFiles:
    """Where this process looks for a user's files."""

    def __init__(self) -> None:
        self._root: Path | None = None
        self._start = Path()

    def use_copies(self, root: Path, start: Path) -> None:
        """Look for copies first.

        Args:
            root: The folder of the copies, which stands for the root of the other machine's files.
            start: The folder on the other machine to which relative paths refer.
        """
        self._root, self._start = root, start

    def find(self, path: str | os.PathLike[str]) -> Path:
        """Return the copy of a file or folder if there is one, else the path as it is."""
        if self._root is not None:
            copy = self.copy_of(self._root, self._start, path)
            if copy.exists():
                return copy
        return Path(path)

    @staticmethod
    def copy_of(root: Path, start: Path, path: str | os.PathLike[str]) -> Path:
        """Return where the copy of a path belongs."""
        whole = Path(os.path.normpath(start / path))
        return root / whole.relative_to(whole.anchor)


USER_FILES = UserFiles()
