"""People at this terminal: what they see, and what they type."""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from aucenv.baselines.human.inbox import Answer, Inbox, Late, Request, inbox_of
from aucenv.benchmarks.people import Hooks, PeopleGames, run_people
from aucenv.benchmarks.report.page_data import choices_of, page_module
from aucenv.core.choices import ANY
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.money import money
from aucenv.core.outside_text import escape_controls
from aucenv.core.phrases import count
from aucenv.core.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.journal import CallJournal
from aucenv.runs.loop import OnGame
from aucenv.runs.run_options import RunOptions

PAUSE = 0.1
END = 5.0
_AMOUNT = re.compile(r"[$€₽₹¥]?\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*[$€₽₹¥]?")
"""An amount; commas separate thousands."""
HELP = "? shows the rules and the game so far"


def play_in_terminal(
    games: PeopleGames, options: RunOptions, out: Path | None, resume: bool, lines: TextIO, on_game: OnGame
) -> list[GameRecord]:
    """Play games with people at this terminal, and return the games that were played now.

    Args:
        games: the games, at one table.
        options: how they are played.
        out, resume: as in `run_people`.
        lines: what people type.
        on_game: as in `run_people`; the progress is not shown while people play.

    Raises:
        KeyboardInterrupt: somebody stops the run.
        ValueError, OSError, PolicyError, RunStopped: as in `run_people`.
    """
    return Terminal(games, lines).run(options, out, resume)


class Terminal:
    """The terminal of some people, who take turns.

    Args:
        games: the games.
        lines: what people type.
    """

    def __init__(self, games: PeopleGames, lines: TextIO) -> None:
        self._games = games
        self._lines = lines
        self._console = Console(highlight=False)
        self._game: Game = find_family(games.settings.game).game
        self._people = [inbox_of(key) for key in games.people_at(1)]
        self._changed = threading.Event()
        self._last_person: Inbox | None = None
        self._journal: CallJournal | None = None
        self._shown: object = None

    def run(self, options: RunOptions, out: Path | None, resume: bool) -> list[GameRecord]:
        """Play; see `play_in_terminal`."""
        first, ended = options.on_journal, threading.Event()
        records: list[GameRecord] = []
        errors: list[BaseException] = []

        def on_journal(journal: CallJournal) -> None:
            first(journal)
            self._journal = journal

        def play() -> None:
            try:
                followed = dataclasses.replace(options, on_journal=on_journal)
                hooks = Hooks(on_record=lambda match, record: records.append(record))
                run_people(self._games, followed, hooks, out, resume)
            except BaseException as error:
                errors.append(error)
            ended.set()
            self._changed.set()

        for inbox in self._people:
            inbox.clear()
        unsubscribe = [inbox.subscribe(self._changed.set) for inbox in self._people]
        thread = threading.Thread(target=play, daemon=True, name="games")
        thread.start()
        try:
            self._serve(ended)
        finally:
            if not ended.is_set() and self._journal is not None:
                self._journal.stop("the run was interrupted")
                thread.join(END)
            for end in unsubscribe:
                end()
        if errors:
            raise errors[0]
        self._show_ends()
        return records

    def _serve(self, ended: threading.Event) -> None:
        """Ask whoever has an open request, until all games are over."""
        while not ended.is_set():
            self._show_ends()
            person = next((inbox for inbox in self._people if inbox.request is not None), None)
            if person is None:
                self._changed.wait(PAUSE)
                self._changed.clear()
            else:
                self._turn(person, person.request)

    def _show_ends(self) -> None:
        """Print the end of a game, once."""
        record = self._people[0].record
        if record is None or record is self._shown:
            return
        self._shown = record
        for inbox in self._people:
            self._console.print(Panel(Text(escape_controls(inbox.end)), title=self._title("game over", inbox)))
        module = page_module(self._game.package)
        board = (
            None if module is None or self._people[0].view is None else board_of(module.view_data(self._people[0].view))
        )
        if board is not None:
            self._console.print(board)

    def _title(self, text: str, inbox: Inbox) -> Text:
        return Text(escape_controls(f"{inbox.key}: {text}") if len(self._people) > 1 else text)

    def _turn(self, inbox: Inbox, request: Request | None) -> None:
        """Let a person answer a request."""
        if request is None:
            return
        if len(self._people) > 1 and self._last_person is not inbox:
            self._hand_over(inbox)
        self._last_person = inbox
        module = page_module(self._game.package)
        if request.view.refused is None:
            self._console.print(Panel(Text(escape_controls(request.text)), title=self._title("your turn", inbox)))
            self._print_board(module, request)
        else:
            self._console.print(Text(f"Your answer was not accepted: {escape_controls(request.view.refused)}.", "red"))
            if request.retries_left is not None:
                self._console.print(Text(tries(request.retries_left), "red"))
        choices = choices_of(self._game, request.view)
        sign = getattr(request.view.scenario_text, "sign", "$")
        self._console.print(Text(legal(choices, sign), "bold"))
        while inbox.request is request:
            line = self._read(choices)
            if line == "?":
                self._console.print(Text(escape_controls(inbox.text or request.text)))
                continue
            answer = answer_of(line, request.id, choices)
            if answer is None:
                self._console.print(Text(f"Type {legal(choices, sign)}; {HELP}."))
                continue
            try:
                inbox.answer(answer)
            except Late as error:
                self._console.print(Text(f"Too late: {error}.", "red"))
                return
            except ValueError as error:
                self._console.print(Text(escape_controls(str(error)), "red"))

    def _hand_over(self, inbox: Inbox) -> None:
        """Clear the screen, so that the next person sees nothing of the last one."""
        self._console.clear()
        self._console.print(
            Text(f"{escape_controls(inbox.key)}, it is your turn. Press Enter when nobody else is looking.")
        )
        self._read(ANY)

    def _print_board(self, module: Any, request: Request) -> None:
        if module is None:
            return
        board = board_of(module.view_data(request.view))
        if board is not None:
            self._console.print(board)

    def _read(self, choices: JsonObject) -> str:
        """Return a line; Ctrl-C asks what to do.

        Raises:
            KeyboardInterrupt: the person stops the run, or there are no more lines.
        """
        try:
            return self._line("> ")
        except KeyboardInterrupt:
            self._console.print()
        withdraw = next(button["text"] for button in choices["buttons"] if button.get("withdraw"))
        reply = self._line(f"w: {withdraw}, q: stop the run, Enter: play on > ").lower()
        if reply == "q":
            raise KeyboardInterrupt
        return "w" if reply == "w" else ""

    def _line(self, prompt: str) -> str:
        if self._lines.isatty():
            try:
                return input(prompt).strip()
            except EOFError:
                raise KeyboardInterrupt from None
        self._console.print(prompt, end="")
        line = self._lines.readline()
        if not line:
            raise KeyboardInterrupt
        return line.strip()


def tries(retries_left: int) -> str:
    """Return how many answers are left, in words."""
    if not retries_left:
        return "This is your last answer: if it is not accepted, you make no bid."
    return f"{count(retries_left, 'more answer')} may be refused before you make no bid."


def legal(choices: JsonObject, sign: str = "$") -> str:
    """Return what a person may type, in one line."""
    parts = [f"{letter}: {button['text']}" for letter, button in letters(choices).items()]
    field = choices["amount"]
    if field is not None:
        most = "" if field["most"] is None else f" to {money(field['most'], sign)}"
        parts.append(f"an amount to {field['label'].lower()}, from {money(field['least'], sign)}{most}")
    return ", ".join([*parts, "or words"])


def letters(choices: JsonObject) -> JsonObject:
    """Return the buttons by the letter that stands for them."""
    return {"w" if button.get("withdraw") else "b": button for button in choices["buttons"]}


def answer_of(line: str, request: str, choices: JsonObject) -> Answer | None:
    """Return the answer in a line: a letter, an amount or words; None if it is empty."""
    button = letters(choices).get(line.lower())
    if button is not None:
        return Answer(request, button.get("amount"), bool(button.get("withdraw")))
    if match := _AMOUNT.fullmatch(line):
        return Answer(request, float(match[1].replace(",", "")))
    return Answer(request, words=line) if line else None


def board_of(data: JsonObject) -> Table | None:
    """Return the bidders of a view as a table; None if the view has no list of bidders."""
    if "residents" in data:
        columns: dict[str, Callable[[JsonObject], str]] = {
            "resident": lambda one: one["name"],
            "health": lambda one: str(one["health"]) if one["alive"] else "dead",
            "balance": lambda one: money(one["balance"]),
            "need": lambda one: str(one["need"]),
            "days without water": lambda one: str(one["no_water_days"]),
        }
        lines = data["residents"]
    elif "seats" in data:
        won = [item["winner"] for item in data["items"]]
        lines = [
            {**seat, "won": won.count(number), "leads": data["leader"] == number}
            for number, seat in enumerate(data["seats"])
        ]
        columns = {
            "bidder": lambda one: one["name"],
            "now": lambda one: "leads" if one["leads"] else "in" if one["active"] else "out",
            "budget left": lambda one: money(one["budget"]),
            "profit": lambda one: money(one["profit"]),
            "items": lambda one: str(one["won"]),
        }
    else:
        return None
    table = Table()
    for name in columns:
        table.add_column(name, justify="left" if name in ("bidder", "resident", "now") else "right")
    for line in lines:
        table.add_row(*(Text(escape_controls(read(line))) for read in columns.values()))
    return table
