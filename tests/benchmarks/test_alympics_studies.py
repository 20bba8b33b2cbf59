"""The studies of Alympics: ratings, forms, words, the price model and the tables, against values computed by hand."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math

import numpy as np
import pytest
from aucenv.baselines.llm import bidder as llm_bidder
from aucenv.benchmarks.rankings.saved_runs import SavedRun
from aucenv.benchmarks.studies.alympics import curse, judges, prices, rating_tables, scales, settings, subjects
from aucenv.benchmarks.studies.alympics.forms import read_form, write_form
from aucenv.benchmarks.studies.alympics.price_model import observations
from aucenv.benchmarks.studies.alympics.words import words_in
from aucenv.benchmarks.studies.raters import CALLS, Raters, Rating
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study_run import run
from run_command import command

from aucenv.analysis.statistics.agreement import krippendorff_alpha
from aucenv.analysis.statistics.regression import fit_linear
from aucenv.analysis.statistics.word_odds import distinguishing_words
from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.envs.water_allocation.game import SCENARIOS
from aucenv.runs.model_calls.calls import Completion
from aucenv.runs.model_calls.journal import CallJournal, read_calls
from aucenv.runs.play import play
from aucenv.runs.run_options import RunOptions

SCRIPT = "resident=llm:scripted,agent=resident"
ALL = tuple(scales.SCALES)


def game(scenario: str, bidder: str = SCRIPT, index: int = 0, seed: int = 0):
    record = play("water_allocation", SCENARIOS[scenario], [bidder] * 5, seed, journal=CallJournal())
    return dataclasses.replace(record, index=index)


@pytest.fixture(scope="module")
def games():
    """One game without and one with personas."""
    return [game("low"), game("high-personas", index=1)]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A finished run of one game in each setting."""
    out = tmp_path_factory.mktemp("played") / "out"
    run(STUDIES["alympics/rubrics"], [SCRIPT], 1, out=out)
    return out


class Judge:
    """A model that gives prepared replies, in turn for each conversation, and counts its calls."""

    name, endpoint = "judge", "https://judge.example/v1"

    def __init__(self, *replies: str) -> None:
        self.replies, self.requests = replies, []

    def complete(self, request, pause):
        self.requests.append(request)
        earlier = sum(message["role"] == "assistant" for message in request.messages)
        reply = self.replies[min(earlier, len(self.replies) - 1)]
        return Completion(reply, "stop", tokens_in=100, tokens_out=10)


def scores(**changed) -> str:
    return json.dumps({name: {"score": changed.get(name, 3), "reason": "so"} for name in ALL})


@pytest.fixture
def use(monkeypatch):
    """Return a function that puts a model in place of that of every judge."""

    def replace(model):
        options = {"temperature": 0.0, "max_tokens": 500, "seed": None, "reply": "words", "top_p": None}
        monkeypatch.setattr(judges, "make_model", lambda spec, where, agent="plain": (model, options))
        return model

    return replace


def rate(model_name, residents, **options):
    return judges.judge(residents, [model_name], Raters(**options))


# --- agreement, regression and words by hand ---


def test_alpha_of_two_raters_by_hand():
    """Krippendorff (2011), section A: 4 of 10 pairs differ, of 14 zeros and 6 ones: 1 - 19 x 4 / (14 x 6)."""
    ratings = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], float)
    for metric in ("ordinal", "interval"):
        assert krippendorff_alpha(ratings, metric) == pytest.approx(1 - 19 * 4 / (14 * 6))


def test_alpha_of_four_raters_with_missing_ratings_is_the_published_one():
    """Krippendorff (2011), section C: ordinal 0.815, interval 0.849."""
    nan = math.nan
    ratings = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    )
    assert krippendorff_alpha(ratings, "ordinal") == pytest.approx(0.815, abs=0.0005)
    assert krippendorff_alpha(ratings, "interval") == pytest.approx(0.849, abs=0.0005)


def test_alpha_is_undefined_without_pairs_or_variance():
    assert krippendorff_alpha(np.array([[1.0, 2.0, 3.0]])) is None
    assert krippendorff_alpha(np.array([[2.0, 2.0], [2.0, 2.0]])) is None
    assert krippendorff_alpha(np.array([[1.0, 5.0], [1.0, 5.0]])) == 1
    with pytest.raises(ValueError, match="metric: expected one of ordinal, interval, got 'nominal'"):
        krippendorff_alpha(np.ones((2, 2)), "nominal")


def test_log_odds_by_hand():
    """With a prior of 4 words, 2 for each: odds 5/3 against 3/5, and the variance 1/5 + 1/3."""
    odds = distinguishing_words({"a": {"x": 3, "y": 1}, "b": {"x": 1, "y": 3}}, prior_words=4)
    first, last = odds["a"]
    assert (first.word, first.count, last.word) == ("x", 3, "y")
    assert first.log_odds == pytest.approx(math.log(5 / 3) - math.log(3 / 5))
    assert first.z == pytest.approx(first.log_odds / math.sqrt(1 / 5 + 1 / 3))
    assert distinguishing_words({"a": {"x": 3}}) == {"a": []}


def test_a_regression_by_hand():
    """Two observations in each of five clusters: y = 1 + 2x but for one, whose residuals and errors are checked."""
    x = np.repeat(np.arange(5.0), 2)
    y = 1 + 2 * x
    y[0] += 1
    y[1] -= 1
    fit = fit_linear(y, np.column_stack([x, np.ones(10)]), np.arange(10) // 2)
    constant, slope, same = fit.coefficients
    assert (constant.value, slope.value, same.value) == (pytest.approx(1), pytest.approx(2), None)
    assert fit.r_squared == pytest.approx(1 - 2 / ((y - y.mean()) ** 2).sum())
    assert slope.error == pytest.approx(0, abs=1e-9)  # both residuals of the cluster have the same x and cancel out
    alone = fit_linear(y, x[:, None], np.arange(10)).coefficients[1]
    design = np.column_stack([np.ones(10), x])
    inverse = np.linalg.inv(design.T @ design)
    by_hand = inverse @ (2 * np.outer(design[0], design[0])) @ inverse * (10 / 9) * (9 / 8)
    assert alone.error == pytest.approx(math.sqrt(by_hand[1, 1]))
    assert alone.low == pytest.approx(2 - 2.262 * alone.error, abs=1e-3)  # t with 9 degrees of freedom


def test_too_few_observations_or_clusters_have_no_coefficients_or_errors():
    assert fit_linear(np.array([1.0, 2.0]), np.array([[1.0], [2.0]]), [0, 1]) is None
    fit = fit_linear(np.array([1.0, 2.0, 4.0]), np.array([[1.0], [2.0], [3.0]]), [0, 0, 0])
    assert fit.coefficients[1].value == pytest.approx(1.5)
    assert fit.coefficients[1].error is None


# --- medians and the curse ---


def test_weighted_medians_equal_those_of_repeated_rows():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 9, (6, 4)).astype(float)
    values[rng.random((6, 4)) < 0.3] = math.nan
    times = rng.multinomial(6, np.full(6, 1 / 6), 20)
    medians = prices.weighted_medians(values, times)
    for drawn, row in zip(times, medians, strict=True):
        repeated = np.repeat(values, drawn, axis=0)
        for column, value in zip(repeated.T, row, strict=True):
            kept = column[~np.isnan(column)]
            assert (value == np.median(kept)) if len(kept) else math.isnan(value)


def outcome(*days, survivors):
    """Return a record with the winners and the living of each day."""
    seats = [{"seat": seat, "name": seat.upper(), "bidder": "x"} for seat in "ab"]
    played = [{"winners": list(winners), "bids": dict.fromkeys(alive, 1.0)} for winners, alive in days]
    record = game("low", "thirst")
    return dataclasses.replace(record, seats=seats, outcome={"days": played, "survivors": list(survivors)})


def test_a_day_without_a_winner_counts_where_the_last_resident_survives():
    days = [("a", "ab"), ("b", "ab"), ("", "ab"), ("", "a")]
    record = outcome(*days, survivors="a")
    assert [curse.all_survive(record, j) for j in range(5)] == [True, False, False, True, False]
    assert curse.winners_of(record, 1) == {"B": False}
    assert not any(curse.all_survive(outcome(*days, survivors=""), j) for j in range(4))


def test_forty_five_p_values_beside_the_published_ones():
    rows = run(STUDIES["alympics/settings"], ["random"], 2)
    played = [row for row in rows if not row["published"]]
    tests = [p for row in played for pair in row["p_values"].values() for p in pair.values()]
    assert len(tests) == 45
    low, high = played[0], played[2]
    assert low["p_values"]["high"]["survival"] == pytest.approx(
        settings.p_value(low["samples"]["survival"], high["samples"]["survival"]), abs=1e-6
    )
    _, headings, lines = STUDIES["alympics/settings"].tables(rows)[3]
    assert headings[4:6] == ["1", "2"]
    published, ours = lines[:3], lines[3:6]
    assert [line[3] for line in published] == [line[3] for line in ours] == ["survivors", "RSR end", "efficiency"]
    assert published[0][4:6] == ["-", "-"]
    assert " ".join(published[1][4:]) == "0.68 0.71 0.65 1.36 0.71 0.71 0.71 0.71 1.25 0.79 0.83"
    assert " ".join(published[2][4:]) == "2.35 1.19 2.39 1.69 2.32 1.14 0.99 0.81 2.06 0.75 1.57"
    assert ours[1][6:-1] == ["-"] * 8
    assert [len(cell) for cell in ours[0][4:6]] == [
        sum(seat["survived"] for seat in record.outcome["seats"])
        for record in [play("water_allocation", SCENARIOS["low"], ["random"] * 5, (0, number)) for number in (0, 1)]
    ]


# --- what raters read ---


def test_raters_read_words_and_bids_and_no_bidder(games):
    for subject in subjects.subjects(games):
        text = judges.judge_messages(subject)[1]["content"]
        assert "script" not in text
        assert "bidder" not in text
        assert text.count("\nWords: ") == sum(subject.seat in day["bids"] for day in subject.record.outcome["days"])
        assert ("- identity" in text) == (subject.record.index == 1) == bool(subject.persona)
    first = subjects.describe(subjects.subjects(games)[0]).splitlines()
    day = games[0].outcome["days"][0]
    assert first[1] == f"Day 1: {day['supply']} units. Before the bid: balance $70, health 8, 0 days without water."
    assert first[2] == "Words: A day without water costs 1 of 8 health, so I keep money. I bid $9!"
    assert first[3].startswith("Bids: Alex $9, Bob $9, Cindy $12, David $15, Eric $15. Water: ")


def test_words_of_replies():
    assert subjects.words_of("<think>secret</think>I  keep\nmoney. I bid $9!") == "I keep money. I bid $9!"
    assert subjects.words_of('{"reasoning": "I keep\\nmoney.", "action": "bid", "amount": 9}') == "I keep money."
    assert subjects.words_of(9) == subjects.words_of(None) == ""
    assert words_in("Bob's bid of $40 isn\N{RIGHT SINGLE QUOTATION MARK}t mine: I'd SAVE money, Bob!") == [
        "bid",
        "isn't",
        "mine",
        "save",
        "money",
    ]


def test_the_order_of_residents_mixes_games(games):
    residents = subjects.subjects(games)
    mixed = [subject.id for subject in subjects.shuffled(residents)]
    assert sorted(mixed) == sorted(subject.id for subject in residents)
    assert mixed == [subject.id for subject in subjects.shuffled(residents[::-1])]
    assert mixed != [subject.id for subject in residents]


# --- judges ---


def test_raters_read_all_five_levels_of_each_scale():
    task = judges.task_text(judges.JUDGE_TASK, ALL)
    for name, scale in scales.SCALES.items():
        assert len(set(scale.levels)) == 5
        levels = [f"  - {score}: {level}" for score, level in enumerate(scale.levels, 1)]
        assert "\n".join([f"- {name} (from 1 to 5):", *levels]) in task


def test_scores_that_cannot_be_read_are_named():
    assert scales.read_scores(f"Well. {scores(logic=5)}", ALL) == ({**dict.fromkeys(ALL, 3), "logic": 5}, "")
    assert scales.read_scores('{"logic": 4}', ("logic",)) == ({"logic": 4}, "")
    read, wrong = scales.read_scores(scores(logic=6, planning="high", strategy=True), ALL)
    assert set(read) == {"information", "adaptability", "identity"}
    assert "logic: expected a whole number from 1 to 5, got 6" in wrong
    assert "strategy: expected a whole number from 1 to 5, got True" in wrong
    for score in (0, -1, 3.5, "5", None):
        assert scales.read_scores(json.dumps({"logic": score}), ("logic",))[0] == {}
    assert scales.read_scores("It plays well.", ALL) == ({}, "there is no JSON object in it")


@pytest.mark.parametrize("bad", ["He plays well.", scores(logic=6)])
def test_a_judge_that_answers_prose_or_6_is_asked_again_and_sees_why(games, use, bad, tmp_path):
    model = use(Judge(bad, scores(logic=5)))
    residents = subjects.subjects(games)[:1]
    [rating] = rate("llm:openai:judge", residents, folder=tmp_path)
    assert (rating.scores["logic"], rating.unreadable, len(model.requests)) == (5, 0, 2)
    assert "This could not be read: " in model.requests[1].messages[-1]["content"]


def test_after_three_more_replies_the_cell_stays_empty_and_is_counted(games, use, tmp_path):
    model = use(Judge(scores(logic=6)))
    residents = subjects.subjects(games)[5:7]
    ratings = rate("llm:openai:judge", residents, folder=tmp_path)
    assert len(model.requests) == 8
    assert [rating.unreadable for rating in ratings] == [1, 1]
    [row] = rating_tables.group_rows(residents, ratings, rating_tables.AGENTS)
    assert (row["logic"], row["unreadable"], row["scales"]["logic"]["number"]) == (None, 2, 0)
    assert row["identity"] == 3


def test_calls_of_judges_are_kept_and_never_paid_twice(games, use, tmp_path):
    model = use(Judge(scores()))
    residents = subjects.subjects(games)
    estimated = []
    options = {"folder": tmp_path, "approve": estimated.extend}
    first = rate("llm:openai:judge", residents, **options)
    assert len(model.requests) == 10
    assert [(price.calls, price.cost) for price in estimated] == [(10, None)]
    lines = (tmp_path / CALLS).read_text().splitlines()
    assert len(lines) == 10
    (tmp_path / CALLS).write_text("".join(f"{line}\n" for line in lines[:4]))  # as after an interruption
    assert rate("llm:openai:judge", residents, **options) == first
    assert len(model.requests) == 16
    assert rate("llm:openai:judge", residents, **options) == first
    assert len(model.requests) == 16
    assert len(estimated) == 2  # nothing is missing in the third run


def test_a_paid_judge_needs_a_folder_and_consent(games, use):
    model = use(Judge(scores()))
    with pytest.raises(ValueError, match="expected --out DIR, because only a folder keeps ratings"):
        rate("llm:openai:judge", subjects.subjects(games))
    assert not model.requests


def test_the_cost_limit_covers_games_and_ratings(games, use, tmp_path):
    from aucenv.runs.model_calls.journal import RunStopped
    from aucenv.runs.model_calls.token_prices import TokenPrices

    model = use(Judge(scores()))
    prices_of_model = TokenPrices({"judge": {"input": 1000, "output": 1000}})
    options = RunOptions(max_cost=0.5, prices=prices_of_model)
    with pytest.raises(RunStopped, match="the next call may cost up to"):
        rate("llm:openai:judge", subjects.subjects(games), folder=tmp_path, run_options=options)
    assert not model.requests


def test_a_judge_that_cannot_be_called_stops_the_run_or_forfeits(games, use, tmp_path):
    class Broken(Judge):
        def complete(self, request, pause):
            raise ModelFailure("401: no key")

    use(Broken())
    residents = subjects.subjects(games)[:2]
    with pytest.raises(PolicyError, match="llm:openai:judge, a rating: 401: no key"):
        rate("llm:openai:judge", residents, folder=tmp_path)
    ratings = rate("llm:openai:judge", residents, folder=tmp_path, run_options=RunOptions(forfeit=True))
    assert [(rating.scores, rating.unreadable) for rating in ratings] == [({}, 5), ({}, 5)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("thirst", "judge 'thirst', kind: expected one of llm, got 'thirst'"),
        ("llm:scripted,agent=resident", "expected no agent, a judge has none"),
        ("llm:nobody:x", "provider: expected one of openai"),
    ],
)
def test_judges_that_are_no_models_are_refused(games, name, message):
    with pytest.raises(ValueError, match=message):
        rate(name, subjects.subjects(games))


def test_figures_of_ratings_by_hand(games):
    """Four residents with 1, 2, 4 and 5 by one judge, and one higher but for the last by another."""
    residents = subjects.subjects(games)[:4]
    ratings = [
        Rating(subject.id, rater, {"logic": score})
        for rater, given in (("x", (1, 2, 4, 5)), ("y", (2, 3, 5, 5)))
        for subject, score in zip(residents, given, strict=True)
    ]
    [row] = rating_tables.group_rows(residents, ratings, rating_tables.AGENTS)
    figures = row["scales"]["logic"]
    all_scores = [1, 2, 4, 5, 2, 3, 5, 5]
    assert (figures["number"], figures["mean"], figures["median"]) == (8, 27 / 8, 3.5)
    assert (figures["quartile_1"], figures["quartile_3"]) == (2, 5)
    assert figures["sd"] == pytest.approx(math.sqrt(sum((s - 27 / 8) ** 2 for s in all_scores) / 7), abs=1e-6)
    assert figures["mean_difference"] == pytest.approx(27 / 8 - 3.47)
    shown = [figures[f"{name}_published"] for name in ("quartile_1", "median", "quartile_3", "sd", "mean")]
    assert shown == [3, 4, 4, 1.00, 3.47]
    assert figures["mean_low"] is None  # all are in one deal
    alpha = krippendorff_alpha(np.array([[1, 2, 4, 5], [2, 3, 5, 5]], float))
    assert figures["alpha"] == pytest.approx(alpha, abs=1e-6)
    assert row["raters"] == "x, y"


# --- forms ---


def read_csv(path):
    return list(csv.DictReader(io.StringIO(path.read_text(), newline="")))


def fill(path, change=lambda rows: None):
    rows = read_csv(path)
    for row in rows:
        for number, name in enumerate(ALL):
            row[name] = row[name] or str(1 + number % 5)
    change(rows)
    filled = path.with_name("carol.csv")
    with filled.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return filled


def test_a_form_is_blind_and_comes_back(games, tmp_path):
    residents = subjects.subjects(games)
    form, about, key = write_form(tmp_path / "form.csv", residents)
    assert "llm" not in form.read_text()
    assert "resident (script)" not in form.read_text()
    assert about.read_text().count("\n- ") == 6
    assert about.read_text().count("\n  - ") == 30
    keys = read_csv(key)
    assert {row["bidder"] for row in keys} == {"resident (script)"}
    rows = read_csv(form)
    assert [row["id"] for row in rows] == [row["id"] for row in keys] == [s.id for s in subjects.shuffled(residents)]
    ratings = read_form(fill(form), residents)
    assert [rating.rater for rating in ratings] == ["carol"] * 10
    with_persona = {subject.id for subject in residents if subject.persona}
    for rating in ratings:
        assert rating.scores["adaptability"] == 4
        assert rating.scores.get("identity") == (1 if rating.subject in with_persona else None)
    with pytest.raises(FileExistsError, match=r"--set form: expected a new file, but .*form.csv exists"):
        write_form(tmp_path / "form.csv", residents)


def set_cell(row, column, text):
    return lambda rows: rows[row].update({column: text})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_cell(0, "logic", ""), r"carol.csv:2: logic: expected a whole number from 1 to 5, or -, got an empty cell"),
        (set_cell(0, "planning", "6"), r"carol.csv:2: planning: expected .* got '6'"),
        (set_cell(0, "planning", "0"), r"carol.csv:2: planning: expected .* got '0'"),
        (set_cell(0, "planning", "3.5"), r"carol.csv:2: planning: expected .* got '3.5'"),
        (set_cell(0, "planning", "good"), r"carol.csv:2: planning: expected .* got 'good'"),
        (set_cell(0, "id", "nobody"), r"carol.csv:2: id: expected the id of a resident in these games, got 'nobody'"),
        (lambda rows: rows.append(rows[0]), r"carol.csv:\d+: id: expected each resident once, got '\w+' again"),
        (lambda rows: [row.pop("logic") for row in rows], r"carol.csv:1: expected the column 'logic', got id, persona"),
    ],
)
def test_bad_forms_are_named_by_file_line_and_column(games, tmp_path, change, message):
    residents = subjects.subjects(games)
    form = write_form(tmp_path / "form.csv", residents)[0]
    with pytest.raises(ValueError, match=message):
        read_form(fill(form, change), residents)


def test_lines_of_forms_count_the_lines_of_records(games, tmp_path):
    residents = subjects.subjects(games)
    form = write_form(tmp_path / "form.csv", residents)[0]
    filled = fill(form, set_cell(1, "logic", ""))
    first = read_csv(filled)[0]
    line = 3 + first["record"].count("\n")
    with pytest.raises(ValueError, match=rf"carol.csv:{line}: logic"):
        read_form(filled, residents)


# --- the studies ---


def test_judges_and_people_rate_a_run_that_is_not_played_again(tmp_path, capsys):
    out, form = str(tmp_path / "out"), tmp_path / "form.csv"
    assert command("study", "alympics/rubrics", "--out", out, "--set", f"form={form}") == 0
    assert "nobody" in capsys.readouterr().out
    games = (tmp_path / "out" / "games.jsonl").read_bytes()
    arguments = [
        "--set",
        f"ratings={fill(form)}",
        "--set",
        "judge=one=llm:scripted",
        "--set",
        "judge=two=llm:scripted,unreadable=1",
    ]
    assert command("study", "alympics/rubrics", "--out", out, *arguments, "--json", "-") == 0
    rows = json.loads(capsys.readouterr().out)
    assert (tmp_path / "out" / "games.jsonl").read_bytes() == games
    none, shown = rows[:2]
    assert none["raters"] == "one (script), two (script), carol"
    assert (none["residents"], shown["residents"]) == (15, 15)
    assert (none["unreadable"], shown["unreadable"]) == (15 * 5, 15 * 6)
    assert shown["scales"]["logic"]["number"] == 30
    assert shown["scales"]["logic"]["mean_published"] == 3.47
    assert [row["bidder"] for row in rows[2:]] == ["published", "published"]
    assert [(row["raters"], row["games"], row["residents"]) for row in rows[2:]] == [
        ("five judges each, 30 records", 60, None),
        ("themselves (people)", 2, 10),
    ]
    _, headings, lines = STUDIES["alympics/rubrics"].tables(rows)[1]
    assert headings[4:14:2] == ["quartile 1", "median", "quartile 3", "SD", "alpha"]
    assert lines[4][2] == "planning"
    assert lines[4][5:13:2] == ["3.00", "4.00", "4.00", "0.88"]
    calls = read_calls(tmp_path / "out" / "games.jsonl")
    assert {call.purpose for call in calls} == {"bid"}
    lines = (tmp_path / "out" / CALLS).read_text().splitlines()
    assert len(lines) == 30 + 4 * 30
    assert SavedRun.read(tmp_path / "out").report([], []).rows == rows


def test_bidders_rate_themselves_at_the_end_of_their_conversation(tmp_path):
    out = tmp_path / "out"
    rows = run(STUDIES["alympics/self-ratings"], [SCRIPT, "thirst"], 1, out=out)
    groups = {(row["bidder"], row["personas"]): row for row in rows}
    assert groups["resident (script)", "shown"]["scales"]["identity"]["number"] == 15
    assert groups["thirst", "none"]["raters"] == "nobody"
    assert groups["thirst", "none"]["logic"] is None
    assert groups["published", "both"]["information"] == 3.6
    calls = [json.loads(line) for line in (out / CALLS).read_text().splitlines()]
    assert len(calls) == 30
    last = {(call.game, call.seat): call for call in read_calls(out)}
    one = calls[0]
    assert one["messages"][-2] == {"role": "assistant", "content": last[one["game"], one["seat"]].reply}
    assert "rate your play on each scale" in one["messages"][-1]["content"]
    again = run(STUDIES["alympics/self-ratings"], from_records=out)
    assert again == rows


def test_curves_have_a_panel_for_each_setting():
    from matplotlib.figure import Figure

    study = STUDIES["alympics/curves"]
    rows = run(study, ["thirst", "salary"], 1)
    figure = Figure()
    study.draw(rows, figure)
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles == [
        *("1 low", "2 medium", "3 high"),
        *("4 low-personas (repeats 1)", "5 medium-personas (repeats 2)", "6 high-personas (repeats 3)"),
    ]
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    assert len(lines) == 6 * 3 * 5  # settings, curves and residents
    assert figure.get_supxlabel() == "day (bidder: thirst)"


def test_options_of_ratings_are_refused_elsewhere(played, capsys):
    assert command("study", "alympics/prices", "--set", "judge=llm:scripted") == 2
    assert "study alympics/prices: expected no --set judge, form and ratings" in capsys.readouterr().err
    assert command("study", "alympics/self-ratings", "--from-records", str(played), "--set", "judge=llm:scripted") == 2
    assert "expected no --set judge, because bidders rate themselves" in capsys.readouterr().err
    assert command("study", "alympics/rubrics", "--shard", "1/2") == 2
    assert "expected no --shard, because raters need all games" in capsys.readouterr().err


def test_a_paid_judge_is_estimated_before_its_first_call(played, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    judge = "llm:openai:gpt-4.1-mini"
    records = ["--from-records", str(played), "--out", str(tmp_path / "out")]
    assert command("study", "alympics/rubrics", *records, "--set", f"judge={judge}") == 2
    error = capsys.readouterr().err
    assert f"{judge}: about 30 calls in 6 games; " in error
    assert "tokens of prompts" in error
    assert "--yes starts it" in error


def test_the_words_of_personas_distinguish_them(games):
    rows = STUDIES["alympics/words"].rows_of(games)
    assert [row["persona"] for row in rows] == ["Alex", "Bob", "Cindy", "David", "Eric"]
    david = next(row for row in rows if row["persona"] == "David")
    assert "mathematician" in {word for word, *_ in david["odds"]}
    reasons = [
        subjects.words_of(decision["action"]) for decision in games[1].decisions if decision["seat"] == "bidder_3"
    ]
    assert david["reasons"] == len(reasons)
    assert dict(david["frequent"])["mathematician"] == sum("mathematician" in reason for reason in reasons)
    assert STUDIES["alympics/words"].rows_of(games) == rows


def test_words_of_rule_bidders_are_none():
    rows = STUDIES["alympics/words"].rows_of([game("low-personas", "thirst")])
    assert [(row["words"], row["distinguishing"]) for row in rows] == [(0, "-")] * 5


def test_variables_of_the_price_model_by_hand():
    record = game("low", "thirst")
    days = record.outcome["days"]
    number, price, (last_price, supply, health, wealth, need) = next(observations(record))
    assert number == 2
    won = [[day["bids"][seat] for seat in day["winners"]] for day in days[:2]]
    assert (last_price, price) == (min(won[0]), min(won[1]))
    assert supply == days[1]["supply"]
    evening = days[0]["after"].values()
    assert health == sum(state["health"] for state in evening) / 5
    assert wealth == sum(state["balance"] for state in evening) / 5 + (70 + 75 + 100 + 120 + 120) / 5
    assert need == (8 + 9 + 10 + 11 + 12) / 5


def test_the_price_model_finds_a_linear_rule_and_needs_enough_games():
    study = STUDIES["alympics/price-model"]
    rows = run(study, ["thirst"], 2)
    assert {row["number"] for row in rows} == {1, 2, 3, 4, 5, 6, "all"}
    pooled = rows[-1]
    assert pooled["games"] == 6  # settings 4 to 6 repeat 1 to 3
    assert pooled["supply_error"] > 0
    assert rows[0]["supply_error"] is None  # two games
    residuals = [price - fitted for _, price, fitted in pooled["points"]]
    assert pooled["rmse"] == pytest.approx(math.sqrt(np.mean(np.square(residuals))), abs=0.01)
    assert pooled["residuals"][0] is None
    assert len(study.tables(rows)[2][2]) == 20


def test_scripts_rate_by_counting_words():
    assert llm_bidder.SCRIPTED == "scripted"
    record = game("low")
    subject = subjects.subjects([record])[0]
    [rating] = judges.judge([subject], ["llm:scripted"], Raters())
    words = subjects.words_by_day(subject)
    planned = sum("keep" in text for text in words) / len(words)
    assert rating.scores["planning"] == 1 + round(4 * planned)
