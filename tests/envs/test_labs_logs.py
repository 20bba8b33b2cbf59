"""Published logs of Synthetic Labs, by files made by hand in their format."""

from __future__ import annotations

import dataclasses
import json

import pytest
from aucenv.benchmarks.studies import paper_run
from aucenv.benchmarks.studies.labs import bid_functions
from aucenv.benchmarks.studies.registry import PAPERS, STUDIES
from aucenv.benchmarks.studies.study_records import read_games
from matplotlib.figure import Figure
from run_command import command

from aucenv.core.notices import Notice
from aucenv.envs.ebay.files import read_auction
from aucenv.envs.single_item.files import EXPERIMENTS, read_session
from aucenv.registration import find_family

NAMES = ["Bidder Andy", "Bidder Betty", "Bidder Charles"]


def played(number, values, bids, winner, price, profits, common=0):
    """Return a round of a log; the bids are in another order than the values, as in some published ones."""
    history = [{"agent": name, "bid": bid} for name, bid in zip(NAMES, bids, strict=True)]
    return {
        "round": number,
        "value": values,
        "history": {"bidding history": history[::-1], "winner": {"winner": winner, "price": price}},
        "profit": profits,
        "common": common,
        "plan": ["", "", ""],
    }


FIRST = [
    played(0, [50, 20, 80], [30.0, 20.0, 60.0], "Bidder Charles", 60.0, [0, 0, 20.0]),
    played(1, [10, 99, 4], [10, 136, 4.5], "Bidder Betty", 136, [0, -37, 0]),  # a bid above 99, and a fractional one
]


def write(folder, rounds, name="result_2_2025.json"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({f"round_{number}": each for number, each in enumerate(rounds)}))
    return folder


def replay(path, capsys, game="sealed_bid"):
    code = command("replay", "--game", game, str(path))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_session_is_replayed_under_our_rules(tmp_path, capsys):
    folder = write(tmp_path / "private_first_price", FIRST)
    for path in (folder, folder / "result_2_2025.json", tmp_path):
        code, printed, errors = replay(path, capsys)
        assert (code, printed.splitlines()[0]) == (0, "1/1 games agree"), errors


def test_a_difference_from_our_rules_is_printed(tmp_path, capsys):
    wrong = [{**FIRST[0], "profit": [0, 0, 21]}, FIRST[1]]
    code, printed, errors = replay(write(tmp_path / "private_first_price", wrong), capsys)
    assert code == 1
    assert printed.startswith("0/1 games agree")
    assert "round 0: profits recorded [0, 0, 21], our rules give [0, 0, 20]" in errors


def test_the_recorded_winner_breaks_a_tie(tmp_path, capsys):
    tied = [played(0, [50, 60, 40], [50, 50, 10], name, 50, profits) for name, profits in TIES]
    folder = write(tmp_path / "private_first_price", [{**tied[0]}, {**tied[1], "round": 1}])
    assert replay(folder, capsys)[0] == 0


TIES = [("Bidder Andy", [0, 0, 0]), ("Bidder Betty", [0, 10, 0])]


def test_studies_read_sessions_with_their_models_and_intervals(tmp_path):
    for number in range(5):
        rounds = [{**FIRST[0]}, FIRST[1]]
        write(tmp_path / "logs" / "private_first_price", rounds, f"result_2_{number}.json")
    write(tmp_path / "logs" / "GPT-4o" / "private_first_price", FIRST)
    write(tmp_path / "logs" / "GPT-4o" / "old_intervention" / "intervention_menu", FIRST)  # replaced by a later one
    write(tmp_path / "logs" / "ebay_proxy", FIRST)  # another experiment
    study = STUDIES["labs/ratios"]
    rows = study.rows_of(read_games(tmp_path / "logs", ("sealed_bid",)))
    expected = (30 / 50 + 20 / 20 + 60 / 80 + 10 / 10 + 136 / 99 + 4.5 / 4) / 6
    assert {(row["setting"], row["bidder"], row["games"]) for row in rows} == {
        ("first", "GPT-4-logs", 5),
        ("first", "GPT-4o-logs", 1),
    }
    for row in rows:
        assert row["ratio"] == pytest.approx(expected, abs=1e-6)
    [five] = [row for row in rows if row["games"] == 5]
    assert five["ratio_low"] == pytest.approx(expected, abs=1e-6)  # five sessions that are equal
    points = STUDIES["labs/bid-functions"].rows_of(read_games(tmp_path / "logs", ("sealed_bid",)))
    assert {tuple(point) for row in points for point in row["points"]} >= {(50, 30), (99, 136)}


def test_common_values_are_read_with_their_signals(tmp_path):
    rounds = [played(0, [48, 62, 72], [24, 60, 72], "Bidder Charles", 60, [0, 0, -7], common=53)]
    [record] = read_games(write(tmp_path / "common_spsb_3", rounds), ("sealed_bid",))
    assert record.deal["common"] == [53]
    assert record.outcome["prizes"][0]["profits"] == [0, 0, -7]
    [row] = STUDIES["labs/winners-curse"].rows_of([record])
    assert (row["bidders"], row["profit"]) == (3, -7)


CLOCK = [
    played(0, [23, 30, 35], [23, 30, 30], "Bidder Charles", 30, [0, 0, 5], common=16),
    played(1, [6, 16, 12], [5, 14, 12], "Bidder Betty", 12, [0, 4, 0], common=1),  # a limit above the price
]


def test_sessions_on_clocks_are_read_with_leaving_prices(tmp_path, capsys):
    folder = write(tmp_path / "GPT-4o" / "affiliated_ac_closed", CLOCK)
    write(tmp_path / "private_first_price", FIRST)
    for path in (folder, tmp_path):
        code, printed, errors = replay(path, capsys, "clock")
        assert (code, printed.splitlines()[0]) == (0, "1/1 games agree"), errors
    study = STUDIES["labs/ratios"]
    for path, settings in ((folder, {"blind clock, affiliated"}), (tmp_path, {"blind clock, affiliated", "first"})):
        rows = {row["setting"]: row for row in study.rows_of(read_games(path, study.recorded))}
        assert set(rows) == settings
        clock = rows["blind clock, affiliated"]
        exits = [1, 1, 30 / 35, 5 / 6, 12 / 16, 1]  # the winner counts with the price at which the clock stopped
        assert (clock["bidder"], clock["ratio"]) == ("GPT-4o-logs", pytest.approx(sum(exits) / 6, abs=1e-6))


AUCTION = """period_id,turn_id,current_price,reserve_price,agent_selected,action,bid,value,max_bids,highest_bidder
0,0,0,0,Bidder Andy,bid,41.0,50,"{'Bidder Andy': 41.0, 'Bidder Betty': 0, 'Bidder Charles': 0}",Bidder Andy
0,1,42.0,0,Bidder Charles,bid,70.0,80,"{}",Bidder Charles
0,2,42.0,0,Bidder Betty,hold,0.0,20,"{}",Bidder Charles
"""
LATER = "".join(
    f"{day},{turn},42.0,0,Bidder {name},hold,0.0,{value},{{}},Bidder Charles\n"
    for day in range(1, 10)
    for turn, (name, value) in enumerate([("Andy", 50), ("Betty", 20), ("Charles", 80)])
)


def write_auction(folder, text=AUCTION + LATER, name="result_10_2025.csv"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder


def without_values(text):
    lines = [line.split(",", 8) for line in text.splitlines()]
    return "\n".join(",".join([*line[:7], line[8]]) for line in lines)


def test_proxy_auctions_are_read_with_their_values(tmp_path, capsys):
    folder = write_auction(tmp_path / "ebay_proxy_with_hidden_reserve_50")
    code, printed, errors = replay(tmp_path, capsys, "ebay")
    assert (code, printed.splitlines()[0]) == (0, "1/1 games agree"), errors
    [row] = STUDIES["labs/ebay"].rows_of(read_games(folder, ("ebay",)))
    assert (row["closing"], row["reserve"], row["bidder"], row["sold"], row["price"]) == (
        "hard",
        50,
        "GPT-4o-logs",
        1,
        42,
    )
    assert (row["efficiency"], row["final"]) == (1, pytest.approx((41 / 50 + 70 / 80) / 2, abs=1e-6))


def test_studies_leave_out_proxy_auctions_without_values(tmp_path, capsys):
    folder = write_auction(tmp_path / "ebay_proxy")
    write_auction(folder, without_values(AUCTION + LATER), "result_10_2026.csv")
    with pytest.warns(Notice, match="1 of 2 games have no values, and are left out"):
        assert len(read_games(tmp_path, ("ebay",))) == 1
    (folder / "result_10_2025.csv").unlink()
    assert replay(folder, capsys, "ebay")[0] == 0
    with pytest.raises(ValueError, match="expected games with the values of their bidders, got 1 game without"):
        read_games(tmp_path, ("ebay",))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("period_id", "period"), "expected a line for each move with the columns period_id"),
        (lambda text: text.partition("\n")[0], "expected a line for each move"),
        (lambda text: text.replace("bid,41.0", "bid,much"), "result_10_2025.csv:2: bid: expected"),
        (lambda text: text.replace("bid,41.0", "raise,41.0"), "csv:2: action: expected one of bid, hold, got 'raise'"),
        (lambda text: text.replace("Bidder Betty,hold", "Zoe,hold"), "csv:4: agent_selected: expected one of Andy"),
        (lambda text: text + '"', "result_10_2025.csv:"),
        (lambda text: text, "expected at least 10 days, got 1"),
        (lambda text: text.replace(",20,", ",,") + LATER.replace(",20,", ",,"), "value: .*, got none for Betty"),
    ],
)
def test_a_file_that_is_no_auction_is_an_error_that_names_file_and_line(tmp_path, change, message):
    folder = write_auction(tmp_path / "ebay_proxy", change(AUCTION))
    with pytest.raises(ValueError, match=message):
        read_auction(folder / "result_10_2025.csv")


def test_an_auction_that_stops_early_is_a_difference(tmp_path, capsys):
    folder = write_auction(tmp_path / "ebay_closing_rule")  # the bids of day 1 add a day
    code, _, errors = replay(folder, capsys, "ebay")
    assert code == 1
    assert "the record ends after day 10, our rules continue" in errors
    with pytest.raises(ValueError, match=r"result_10_2025\.csv: the record ends after day 10"):
        read_games(folder, ("ebay",))


def test_logs_stand_beside_the_bidders(tmp_path, capsys):
    logs = write(tmp_path / "logs" / "private_first_price", FIRST).parent
    out = tmp_path / "out"
    arguments = ["--bidder", "shade", "--games", "1", "--out", str(out), "--set", f"logs={logs}"]
    assert command("study", "labs/bid-functions", *arguments) == 0
    rows = json.loads((out / "table.json").read_text())
    assert {row["bidder"] for row in rows if row["mechanism"] == "first price"} == {"shade", "GPT-4-logs"}
    figure = Figure(layout="constrained")
    STUDIES["labs/bid-functions"].draw([row for row in rows if row["mechanism"] == "first price"], figure)
    colors = {line.get_label(): line.get_color() for line in figure.axes[0].lines}
    assert colors["GPT-4-logs"] == bid_functions.GRAY != colors["shade"]
    capsys.readouterr()
    for study in ("harbor/2", "aucarena"):
        assert command("study", study, *arguments) == 2
        assert "expected no --set logs, which only studies of Synthetic Labs have" in capsys.readouterr().err


def test_a_paper_is_drawn_with_the_logs_that_there_are(tmp_path):
    write(tmp_path / "logs" / "private_first_price", FIRST)
    run = dataclasses.replace(PAPERS["labs"].run_of(["shade"], 1, 0, True), logs=tmp_path / "logs")
    sections = paper_run.draw(PAPERS["labs"], run, [], tmp_path / "out")
    assert [section.result.name for section in sections if not section.result.error] == [
        *("labs/bid-functions", "labs/ratios", "labs/revenue"),
    ]
    (tmp_path / "other").mkdir()
    with pytest.raises(ValueError, match="expected folders of experiments such as private_first_price, got none"):
        STUDIES["labs/ebay"].with_logs(tmp_path / "other")


def test_every_experiment_has_a_scenario():
    for game, experiments in EXPERIMENTS.items():
        assert set(experiments.values()) <= set(find_family(game).game.scenarios)


@pytest.mark.parametrize(
    ("folder", "rounds", "message"),
    [
        ("ebay_proxy", FIRST, "the experiment's folder: expected one of private_first_price"),
        ("private_first_price", [], "expected the rounds round_0"),
        ("private_first_price", [{"round": 0}], "value: expected this field"),
        ("private_first_price", [{**FIRST[0], "value": [1, 2]}], "agent: expected one of Andy, Betty, got 'Charles'"),
        ("private_first_price", [{**FIRST[0], "value": ["x", 1, 2]}], "round_0.value"),
        ("private_first_price", [{**FIRST[0], "profit": "none"}], "round_0.profit"),
    ],
)
def test_a_file_that_is_no_session_is_an_error_that_names_it(tmp_path, folder, rounds, message):
    file = write(tmp_path / folder, rounds) / "result_2_2025.json"
    with pytest.raises(ValueError, match=message) as caught:
        read_session(file, "sealed_bid")
    assert str(file) in str(caught.value)


def test_missing_rounds_and_other_files_are_errors(tmp_path, capsys):
    folder = tmp_path / "private_first_price"
    folder.mkdir()
    (folder / "result_1.json").write_text(json.dumps({"round_0": FIRST[0], "round_2": FIRST[1]}))
    (folder / "result_2.json").write_text("no JSON")
    write(folder, FIRST, "result_3.json")
    code, printed, errors = replay(folder, capsys)
    assert code == 1
    assert printed.startswith("1/1 games agree")
    assert "expected the rounds round_0, round_1 and so on, got round_0, round_2" in errors
    assert "result_2.json" in errors
    with pytest.raises(ValueError, match="result_1"):
        read_games(folder, ("sealed_bid",))
