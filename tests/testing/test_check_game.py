"""check_game passes for good games, and finds what is wrong in changed ones."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from forks import PLAYING, Forks
from paths import ROOT

import aucenv
from aucenv.registration import FAMILIES
from aucenv.testing import check_game
from aucenv.testing.games import CHECKS

PLUGIN = ROOT / "tests" / "plugin_game" / "uniform_price"
BY_HAND = Path(__file__).parent / "by_hand"
"""Modules of the game in place of its defaults."""


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_the_games_of_aucenv_pass(family, monkeypatch):
    if family.name == "clock":
        monkeypatch.setitem(sys.modules, "PIL", None)  # the checks need no Pillow
    assert check_game(family) == list(CHECKS)


def test_an_unknown_check_is_refused():
    with pytest.raises(ValueError, match=r"only: expected one of pickles, .*, got 'leak'"):
        check_game("english", only=("leak",))


CHECK = """import json, sys
sys.path.insert(0, sys.argv[1])
from aucenv.testing import ContractError, check_game
try:
    print(json.dumps({"passed": check_game("uniform_price.game:GAME", scenario=sys.argv[3] or None, only=tuple(json.loads(sys.argv[2])))}))
except ContractError as error:
    print(json.dumps({"what": error.what, "rule": error.rule}))
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Copies of a process without numba's compiler, which would take longer than most checks."""
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with Forks(tmp_path_factory.mktemp("plain"), (*PLAYING, "aucenv.testing"), variables) as forks:
        yield forks


def check(forks: Forks, folder: Path, *only: str, scenario: str = "", code: str = CHECK) -> dict:
    """Check a game in a folder, in a process of its own."""
    result = forks.run(code, str(folder), json.dumps(only), scenario, folder=folder)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture
def changed(tmp_path):
    """Return a function that copies the sixth game with a change in one of its modules."""

    def change(file: str = "", old: str = "", new: str = "", *by_hand: str) -> Path:
        shutil.copytree(PLUGIN, tmp_path / "uniform_price", ignore=shutil.ignore_patterns("__pycache__"))
        for each in by_hand:
            shutil.copy(BY_HAND / each, tmp_path / "uniform_price" / each)
        if file:
            path = tmp_path / "uniform_price" / file
            if not path.exists():
                shutil.copy(BY_HAND / file, path)
            text = path.read_text()
            assert text.count(old) == 1, old
            path.write_text(text.replace(old, new))
        return tmp_path

    return change


DEAL = "deal = deal_of(State)\n"
DEAL_BY_HAND = """
from aucenv.core.kernel import draw_below, kernel, subkey
from aucenv.core.state import VALUE, rekey

@kernel
def deal(state, b, template, key):
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    values = subkey(key, VALUE, 0)
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1
        for j in range(g["num_items"]):
            g["value"][seat][j] = draw_below(g["highest_value"] // g["step"] + 1, values, VALUE, j, seat, 0) * g["step"]
"""
"""What `deal_of` does."""
REPLY = 'REPLY = BidOrNothing(step="step", highest="highest_value", of="value")\n'
WRITER = f"{REPLY}\n\ndef reply_writer(scenario):\n    return "
MUTANTS = {
    "a view that leaks values": (
        "rules.py",
        "value = money(OWNER_BY_ITEM, ",
        "value = money(ALL, ",
        "view.row['value'] of bidder_",
        "belief.py",
        "features.py",
    ),
    "an unfair tie": (
        "rules.py",
        'mine, theirs = draw(g["key"], TIE, j, 0, seat), draw(g["key"], TIE, j, 0, other)',
        "mine, theirs = other, seat",
        "if all seats choose action 1, bidder_",
    ),
    "a mask that lies": (
        "features.py",
        'out[seat, action] = g["acting"][seat]',
        'out[seat, action] = g["acting"][seat] if action < out.shape[1] - 1 else 0',
        "is illegal by the mask, but rules.check answers legal",
    ),
    "a mask that stays open": (
        "features.py",
        'out[seat, action] = g["acting"][seat]',
        "out[seat, action] = 1",
        "which has no decision, has",
    ),
    "a seed that is ignored": (
        "rules.py",
        DEAL,
        DEAL_BY_HAND.replace("subkey(key, VALUE, 0)", "subkey(1, VALUE, 0)"),
        "have the same deal",
    ),
    "a payoff that drifts": (
        "rules.py",
        'out[seat] = g["profit"][seat] / g["highest_value"]',
        'out[seat] = g["profit"][seat] / g["highest_value"] + g["item"] * 0.001',
        "the rewards of bidder_",
    ),
    "features of a rival": (
        "features.py",
        'out[seat, 1] = g["value"][seat][',
        'out[seat, 1] = g["value"][(seat + 1) % g["num_seats"]][',
        "the observation of bidder_",
    ),
    "an info of a rival": (
        "view.py",
        "value=View.value,",
        "value=type(View.value)(lambda reads: reads.of(State.value, ()), State.value.unit, frozenset()),",
        "the info of bidder_",
    ),
    "features that are not updated": ("features.py", "    features(state, b, out)\n", "    pass\n", "observ"),
    "an item that is sold again and again": (
        "rules.py",
        'g["item"] = j + 1\n',
        'g["item"] = j + (price == 0)\n',
        "a game of one item, seed 1, is not over after 100,000 rounds in which all seats choose action 14",
    ),
    "a reply for another amount": (
        "words.py",
        REPLY,
        f"{WRITER}lambda cents: REPLY.write(cents + 100)\n",
        "cents, but is read as",
    ),
    "a reply that cannot be read": (
        "words.py",
        REPLY,
        f'{WRITER}lambda cents: "Well."\n',
        "does not understand 'Well.'",
    ),
    "a legal amount that is refused": (
        "rules.py",
        'if amount > g["highest_value"]:',
        'if amount >= g["highest_value"]:',
        "rules.clip turns",
    ),
    "clipped amounts that are illegal": (
        "rules.py",
        '// g["step"] * g["step"], g["highest_value"])',
        '// g["step"] * g["step"] + 1, g["highest_value"])',
        "clip",
    ),
    "a scenario that forgets": (
        "game.py",
        "    def __post_init__",
        "    def to_dict(self):\n        return {'name': self.name, 'num_bidders': self.num_bidders}\n\n    def __post_init__",
        "differs after to_dict",
    ),
    "a result that differs": (
        "rules.py",
        'out[seat, 0] = g["profit"][seat]',
        'out[seat, 0] = g["profit"][seat] + 1',
        "but its profit of",
    ),
    "a bidder that reads a rival's value": (
        "bidders.py",
        "        return value\n",
        '        return max(value, g["value"][(seat + 1) % g["num_seats"]][j])\n',
        "in a rollout and",
    ),
    "a kernel that writes a field that is not declared": (
        "rules.py",
        'g["won"][seat] += 1',
        'g["wins"][seat] += 1',
        "wins",
    ),
    "a kernel that allocates": (
        "rules.py",
        'g["price"][j] = price\n',
        'g["price"][j] = price + g["price"].copy()[j]\n',
        " at rules.py:",
    ),
    "an amount that may be none, but is not declared so": (
        "rules.py",
        'price = max(0, g["bid"][seat][j])',
        'price = g["bid"][seat][j]',
        "State.price is -1 after a game without bids, and not declared as may_be_none",
    ),
    "a kernel that raises": (
        "rules.py",
        'g["price"][j] = price\n',
        'g["price"][j] = price\n    if price > 0:\n        raise ValueError("no price")\n',
        "ValueError: no price",
    ),
    "a record that fails": ("record_format.py", "profit=State.profit,", "profit=State.proft,", "AttributeError"),
    "texts that are random": (
        "words.py",
        '"value minus the price if you win, and $0 if you do not."\n    )',
        '"value minus the price if you win, and $0 if you do not."\n    ) + str(__import__("random").random())',
        "differ",
    ),
    "a Game of another module": (
        "game.py",
        "UniformPriceScenario, SCENARIOS)",
        'UniformPriceScenario, SCENARIOS, declared_in="other.game")',
        "declared_in",
    ),
}
"""The module, a line of it, its replacement, a part of the sentence, and modules by hand."""
QUICK_MUTANTS = (
    "a mask that lies",
    "a seed that is ignored",
    "a payoff that drifts",
    "an item that is sold again and again",
)


@pytest.mark.parametrize("name", QUICK_MUTANTS)
def test_changed_games_fail(changed, plain, name):
    file, old, new, sentence, *by_hand = MUTANTS[name]
    code = f"from aucenv.testing import games; games.MOST_ROUNDS = 200; {CHECK}"
    answer = check(plain, changed(file, old, new, *by_hand), code=code)
    assert sentence.replace("100,000", "200") in answer.get("what", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_changed_games_fail_when_they_are_compiled(changed, forks, name):
    file, old, new, sentence, *by_hand = MUTANTS[name]
    assert sentence in check(forks, changed(file, old, new, *by_hand)).get("what", "")


RESAMPLED = """\
                g["value"][other][j] = number * g["step"]
"""
BELIEFS = {
    "a belief that forgets values": (
        RESAMPLED,
        '                g["value"][other][j] = 0\n',
        "writes the same 'value' in all deals, which differ",
    ),
    "a belief in another unit": (
        RESAMPLED,
        '                g["value"][other][j] = number * g["step"] * 100\n',
        "belief.resample writes 'value' from 0 to",
    ),
    "a belief without the key": (
        "key, RESAMPLE, j, other, 0)",
        "np.random.randint(1 << 30), RESAMPLE, j, other, 0)",
        "belief.resample writes two states for one key",
    ),
    "a belief that turns the game back": (
        RESAMPLED,
        f'{RESAMPLED}    g["item"] = 0\n',
        "belief.resample changes 'item' from",
    ),
    "a belief that takes a decision away": (
        RESAMPLED,
        f'{RESAMPLED}    g["acting"][seat] = 0\n',
        "belief.resample changes whether the seat has a decision",
    ),
    "a belief that the rules cannot continue": (
        RESAMPLED,
        f'{RESAMPLED}    if g["item"] > 0:\n        g["highest_value"] = g["step"] // 2\n',
        "after belief.resample (bidder_0, item",
    ),
}
"""A line of belief.py, its replacement, and a part of the sentence."""


@pytest.mark.parametrize("name", BELIEFS)
def test_resampled_states_that_the_rules_cannot_reach_are_detected(changed, plain, name):
    old, new, sentence = BELIEFS[name]
    folder = changed("belief.py", old, new)
    path = folder / "uniform_price" / "belief.py"
    path.write_text(
        path.read_text().replace("\nfrom aucenv.core.kernel", "\nimport numpy as np\nfrom aucenv.core.kernel")
    )
    assert sentence in check(plain, folder, "beliefs", scenario="ten-rounds").get("what", "")


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        (
            "view.py",
            'State.profit.of_seat("The seat\'s profit so far, in dollars.")',
            'State.profit.of_seat("The seat\'s profit so far, in dollars.").plus(100)',
            "view.profit of bidder_0 is",
        ),
        ("rules.py", 'out[seat, 1] = g["won"][seat]', 'out[seat, 1] = g["won"][seat] + 1', "view.won of bidder_0 is"),
    ],
    ids=["view", "result"],
)
def test_results_outcomes_and_views_that_differ_are_detected(changed, plain, file, old, new, sentence):
    assert sentence in check(plain, changed(file, old, new), "results").get("what", "")


ENGLISH = {
    "a view that leaks estimates": (
        "rules.py",
        "estimate = money(OWNER, ",
        "estimate = money(ALL, ",
        "view.row['estimate'] of bidder_",
    ),
    "an unfair tie": (
        "rules.py",
        'leader = break_tie(g, g["acting"])',
        """leader = NOBODY
            for s in range(seats_of(g)):
                if g["acting"][s] != 0:
                    leader = s""",
        "if all seats choose action",
    ),
    "a payoff that drifts": (
        "rules.py",
        'out[seat] = g["profit"][seat] / g["total"]',
        'out[seat] = g["profit"][seat] / g["total"] + g["item"] * 0.001',
        "the rewards of bidder_",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGLISH)
def test_changed_english_auctions_fail(tmp_path, forks, name):
    file, old, new, sentence = ENGLISH[name]
    source = Path(aucenv.__file__).parent / "envs" / "english"
    shutil.copytree(source, tmp_path / "custom_english", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (tmp_path / "custom_english").glob("*.py"):
        text = path.read_text().replace("aucenv.envs.english", "custom_english")
        if path.name == file:
            assert text.count(old) == 1
            text = text.replace(old, new)
        path.write_text(text.replace('    "english",\n', '    "custom_english",\n'))
    code = CHECK.replace("uniform_price.game", "custom_english.game")
    only = ["ties"] if "tie" in name else []  # its bidders' rollouts have the rules of the original
    assert sentence in check(forks, tmp_path, *only, code=code).get("what", "")


DRAWN = 'most="highest_value", drawn="step")'
DECLARED = {
    "values that depend on each other": (
        DEAL_BY_HAND.replace("VALUE, j, seat, 0)", "VALUE, j, 0, 0)"),
        "values of State.value in a deal depend on each other (correlation 1.00)",
    ),
    "values that are not uniform": (
        DEAL_BY_HAND.replace('g["highest_value"] // g["step"] + 1', 'g["highest_value"] // g["step"] // 2 + 1'),
        "deals draw State.value from 0 to 5000, 24",
    ),
    "a hidden field that is dealt": (
        DEAL_BY_HAND.replace('["acting"][seat] = 1', '["acting"][seat] = g["won"][seat] = 1'),
        "State.won is hidden from some seats, and not declared as drawn, but after the deal it is not 0",
    ),
}
"""A deal in place of the declared one, and a part of the sentence."""


@pytest.mark.parametrize("name", DECLARED)
def test_deals_that_differ_from_the_declaration_are_detected(changed, plain, name):
    deal, sentence = DECLARED[name]
    assert sentence in check(plain, changed("rules.py", DEAL, deal), "beliefs").get("what", "")


def test_a_game_without_belief_needs_to_say_what_is_hidden(changed, plain):
    folder = changed("rules.py", DEAL, DEAL_BY_HAND)
    rules = folder / "uniform_price" / "rules.py"
    text = rules.read_text().replace(DRAWN, 'most="highest_value")')
    rules.write_text(
        text.replace('"the step of values and bids")', '"the step of values and bids", most="highest_value")')
    )
    assert "neither belief.py nor a function `hide`" in check(plain, folder, "leaks")["what"]


def test_a_game_in_which_nothing_that_is_drawn_is_hidden_has_rollouts(changed, plain):
    folder = changed("rules.py", "value = money(OWNER_BY_ITEM, ", "value = money(ALL, ")
    assert check(plain, folder, "rollouts") == {"passed": ["rollouts"]}


def test_modules_by_hand_replace_the_defaults(changed, plain):
    folder = changed("", "", "", *(file.name for file in BY_HAND.glob("*.py")))
    only = [name for name in CHECKS if name != "ties"]
    assert check(plain, folder, *only) == {"passed": only}


def test_a_golden_playthrough_is_written_and_compared(tmp_path):
    golden = tmp_path / "golden.txt"
    assert check_game("sealed_bid", only=("pickles",), golden=golden) == ["pickles", "golden"]
    lines = golden.read_text().splitlines()
    golden.write_text("\n".join([*lines[:-1], "changed"]) + "\n")
    with pytest.raises(aucenv.testing.ContractError, match=rf"line {len(lines)} is .*, but in .*golden.txt 'changed'"):
        check_game("sealed_bid", only=("pickles",), golden=golden)
