"""Helpers that play games of agents over HTTP, with the competent model."""

from __future__ import annotations

from competent_agent import Competent
from games import CASES, LAMP_DESK_CHAIR

from aucenv.core.records.read_notes import seat_notes
from aucenv.core.records.record import GameRecord
from aucenv.runs.model_calls.journal import CallJournal, conversations
from aucenv.runs.play import play
from aucenv.runs.records import replay

THREE = LAMP_DESK_CHAIR
SHORT = {name: case.short for name, case in CASES.items()}


def bidder(server, agent, label="m", **options):
    option_text = "".join(f",{name}={value}" for name, value in options.items())
    return f"{label}=llm:openai:m,base_url={server.url},backoff=0.001,agent={agent}{option_text}"


def play_agents(game, agent, mistakes=None, rivals=None, scenario=None, max_rounds=0, **options):
    """Play an agent against `rivals` (None: agents of the same kind).

    Returns:
        The record, and the list of (call, messages).
    """
    with Competent(mistakes) as server:
        scenario = scenario or SHORT[game]
        seats = len(scenario.bidders)
        rivals = (
            [bidder(server, agent, f"m{seat}", **options) for seat in range(1, seats)] if rivals is None else rivals
        )
        journal = CallJournal()
        names = [bidder(server, agent, **options), *rivals]
        record = play(game, scenario, names, 3, journal=journal, max_rounds=max_rounds)
    assert GameRecord.from_json(record.to_json()).to_json() == record.to_json()
    replay(record)
    return record, [(call, list(messages)) for call, messages in conversations(journal.calls)]


def calls_of_seat(calls, seat="bidder_0"):
    return [(call, messages) for call, messages in calls if call.seat == seat]


def notes_of_seat(record, seat="bidder_0"):
    return list(seat_notes(record, seat))
