"""People at this terminal: what they see, and what they type."""

from __future__ import annotations

import dataclasses
import functools
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from aucenv.baselines.human.inbox import Answer, Inbox, Late, Request, inbox_of
from aucenv.benchmarks.people import Hooks, PeopleGames, run_people
from aucenv.benchmarks.report.page_data import choices_of
from aucenv.commands.console.seat_words import decision_of, last_refusal, place_of, time_left, tries
from aucenv.commands.console.signals import Terminated
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import MAX_DOLLARS, money, to_cents
from aucenv.core.words.outside_text import escape_controls, shorten
from aucenv.registration import find_family
from aucenv.runs.loop import OnGame
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.run_options import RunOptions

_AMOUNT = re.compile(r"[$€₽₹¥]?\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*[$€₽₹¥]?")
"""An amount; commas separate thousands."""


def is_other_decision(answer: Answer, line: str, choices: JsonObject, game: Game, view: Any) -> bool:
    """Return whether a typed amount is none that the seat may name, and the rules would take it for another decision.

    Amounts that the rules refuse are answers: the person reads why, as all bidders do.

    Args:
        answer: what the line says.
        line: what is typed.
        choices: what is legal.
        game: the game.
        view: the view of the seat.
    """
    if answer.amount is None or line.lower() in letters(choices):
        return False
    field = choices["amount"] or {"least": MAX_DOLLARS, "most": 0}
    most = MAX_DOLLARS if field["most"] is None else field["most"]
    if field["least"] <= answer.amount <= most:
        return False
    if answer.amount > MAX_DOLLARS:
        return True
    return not game.rules.check(view.row, 0, view.seat_number, to_cents(answer.amount))


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


PAUSE = 0.1
END = 5.0
MOST_SHOWN = 60
"""The maximum number of characters of a typed line that is named."""
HELP = "? shows the rules and the game so far, q asks whether to stop"
QUIT = ("q", "quit")


def play_in_terminal(
    games: PeopleGames, options: RunOptions, out: Path | None, lines: TextIO, on_game: OnGame
) -> list[GameRecord]:
    """Play games with people at this terminal, and return the games that were played now.

    Args:
        games: the games, at one table.
        options: how they are played.
        out: as in `run_people`.
        lines: what people type.
        on_game: as in `run_people`; the progress is not shown while people play.

    Raises:
        KeyboardInterrupt: somebody stops the run.
        ValueError, OSError, PolicyError, RunStopped: as in `run_people`.
    """
    return Terminal(games, lines).run(options, out)


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
        self._on_screen: str | None = None  # the decision that was shown last
        self._last_game: dict[str, int | None] = {}  # by person: the last game whose beginning was announced
        self._noticed: dict[str, tuple[str, int]] = {}  # by person: the last decision whose time was over
        self._journal: CallJournal | None = None
        self._shown: object = None

    def run(self, options: RunOptions, out: Path | None) -> list[GameRecord]:
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
                run_people(self._games, followed, hooks, out)
            except BaseException as error:
                errors.append(error)
            ended.set()
            self._changed.set()

        for inbox in self._people:
            inbox.clear()
        unsubscribe = [inbox.subscribe(functools.partial(self._on_change, inbox)) for inbox in self._people]
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

    def _on_change(self, inbox: Inbox) -> None:
        """Say that the time for a decision is over, also while the person types."""
        self._changed.set()
        request, late = inbox.request, inbox.timed_out
        if request is not None and request.times_asked:
            over = (decision_of(request.id), request.times_asked)
            text = f"Your time was over, and you are asked again. {time_left(request, time.time())}"
        elif request is None and late:
            over = (decision_of(late), -1)
            text = "Your time is over: you make no bid."
            text += " Press Enter to play on." if self._last_person is inbox else ""
        else:
            return
        if self._noticed.get(inbox.key) != over:
            self._noticed[inbox.key] = over
            self._console.print()
            self._print(f"{inbox.key}: {text}" if len(self._people) > 1 else text, "red")

    def _print(self, text: str, style: str = "") -> None:
        """Print a paragraph, in which text from outside is escaped; nothing if it is empty."""
        if text:
            self._console.print(Text(escape_controls(text), style))

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
        if self._people[0].end_view is not None:
            self._print_board(self._people[0].end_view)

    def _title(self, text: str, inbox: Inbox) -> Text:
        return Text(escape_controls(f"{inbox.key}: {text}") if len(self._people) > 1 else text)

    def _turn(self, inbox: Inbox, request: Request | None) -> None:
        """Let a person answer a request."""
        if request is None:
            return
        if len(self._people) > 1 and self._last_person is not inbox:
            self._hand_over(inbox)
        self._last_person = inbox
        if inbox.request is not request:  # time was over before the person took the terminal
            return
        choices = choices_of(self._game, request.view)
        self._announce(inbox, request)
        explain = functools.partial(self._print, inbox.text or request.text)
        what = legal(choices, getattr(request.view.scenario_text, "sign", "$"))
        self._print(what, "bold")
        self._print(time_left(request, time.time()))
        while inbox.request is request:
            line = self._read(explain, choices)
            answer = answer_of(line, request.id, choices)
            if answer is None or is_other_decision(answer, line, choices, self._game, request.view):
                self._print(f"Type {what}{f', not {shorten(line, MOST_SHOWN)}' if line else ''}; {HELP}.")
                self._print(time_left(request, time.time()))
                continue
            try:
                inbox.answer(answer)
            except Late as error:
                if line:
                    self._print(f"Too late: {error}.", "red")
                return
            except ValueError as error:
                self._print(str(error), "red")
        self._print(last_refusal(inbox), "red")

    def _announce(self, inbox: Inbox, request: Request) -> None:
        """Print the game that begins, what has happened since the last decision, and why the last answer was refused.

        Text that the screen shows already is not repeated.
        """
        if self._last_game.get(inbox.key, -1) != inbox.game:
            self._last_game[inbox.key] = inbox.game
            self._print(place_of(inbox, self._games.games_per_table), "bold")
        decision = decision_of(request.id)
        is_on_screen, self._on_screen = self._on_screen == decision, decision
        refused = request.view.refused
        if refused is None or not is_on_screen:
            text = request.text if refused is None else inbox.text or request.text
            self._console.print(Panel(Text(escape_controls(text)), title=self._title("your turn", inbox)))
            self._print_board(request.view)
        if refused is not None:
            self._print(f"Your answer was not accepted: {refused}.", "red")
            self._print(tries(request), "red")

    def _hand_over(self, inbox: Inbox) -> None:
        """Clear the screen, so that the next person sees nothing of the last one."""
        self._console.clear()
        self._on_screen = None
        text = f"{inbox.key}, it is your turn. Press Enter when nobody else is looking."
        self._print(text)
        self._read(functools.partial(self._print, f"{text} q asks whether to stop the run."))

    def _print_board(self, view: Any) -> None:
        from aucenv.core.boards.text import LEAST_WIDTH, to_text

        width = max(LEAST_WIDTH, self._console.width)
        self._console.out(to_text(self._game.board.board(view), width=width), end="")

    def _read(self, explain: Callable[[], None], choices: JsonObject | None = None) -> str:
        """Return a line; Ctrl-C, q or quit asks what to do.

        Args:
            explain: prints help, for `?`.
            choices: what is legal; None: there is nothing to decide.

        Raises:
            KeyboardInterrupt: the person stops the run, or there are no more lines.
        """
        while True:
            try:
                line = self._line("> ")
            except Terminated:
                raise
            except KeyboardInterrupt:
                self._console.print()
                line = QUIT[0]
            if line.lower() in QUIT:
                return self._ask_what_to_do(explain, choices)
            if line != "?":
                return line
            explain()

    def _ask_what_to_do(self, explain: Callable[[], None], choices: JsonObject | None) -> str:
        """Return "w" to withdraw, or "" to play on; arguments and errors as in `_read`."""
        buttons = [] if choices is None else choices["buttons"]
        withdraw = next((f"w: {button['text']}, " for button in buttons if button.get("withdraw")), "")
        while True:
            reply = self._line(f"{withdraw}q: stop the run, ?: help, Enter: play on > ").lower()
            if reply in QUIT:
                raise KeyboardInterrupt
            if not reply or (reply == "w" and withdraw):
                return reply
            if reply == "?":
                explain()

    def _line(self, prompt: str) -> str:
        if self._lines.isatty():
            try:
                return input(prompt).strip()
            except (EOFError, OSError):  # the terminal is gone
                raise KeyboardInterrupt from None
        self._console.print(prompt, end="")
        line = self._lines.readline()
        if not line:
            raise KeyboardInterrupt
        return line.strip()
