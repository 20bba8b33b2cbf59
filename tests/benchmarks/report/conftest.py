from __future__ import annotations

import pytest
from report_runs import play_into


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Return the results folder of each game, which is played when it is first asked for."""
    played = {}

    def folder(game):
        if game not in played:
            played[game] = play_into(tmp_path_factory.mktemp(game) / "run", game)
        return played[game]

    return folder
