"""Render a housing auction as an image: that of English auctions, with all personas."""

from __future__ import annotations

import numpy as np

from aucenv.envs.english import picture as english
from aucenv.envs.harbor.render import persona_names
from aucenv.envs.harbor.view import View


def rgb(view: View) -> np.ndarray:
    """Return an image of the table, (height, width, 3) uint8, from a view that reveals everything.

    Raises:
        ImportError: Pillow is not installed.
    """
    return english.rgb(view, persona_names(view))
