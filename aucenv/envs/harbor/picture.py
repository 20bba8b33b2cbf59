"""The table as an image: that of English auctions, with everybody's personas."""

from __future__ import annotations

import numpy as np

from aucenv.envs.english import picture as english
from aucenv.envs.harbor.render import persona_names
from aucenv.envs.harbor.view import View


def rgb(view: View) -> np.ndarray:
    """The table as (height, width, 3) uint8; from a view that reveals all.

    Raises:
        ImportError: Pillow is not installed.
    """
    told = zip(view.scenario_text.names, persona_names(view), strict=True)
    return english.rgb(view, [f"{name}: {who}" if who else name for name, who in told])
