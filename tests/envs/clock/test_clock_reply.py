"""The parser of replies to clocks: each reply has one correct interpretation."""

from __future__ import annotations

import random

import pytest

from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import CURRENCIES, MAX_DOLLARS, format_dollars
from aucenv.core.words.reply import Unreadable
from aucenv.envs.clock import reply as clock_reply
from aucenv.envs.clock.reply import read_ascending, read_descending, write_ascending, write_descending

LEAVE, STAY, TAKE, WAIT, UNREADABLE = "leave", "stay", "take", "wait", None
RIVALS = ("Blair", "Casey")

ASCENDING = {
    1500: [
        "I leave at 1,500",
    ],
    36: [
        'x {"thoughts": {"a": 1}, "action": "leave", "price": 36}',
        "I leave at $36", "I leave at 36.", "I'll drop out at 36", "I stay until $36", "stay until 36",
        "my limit is $36", "My limit: $36", "Limit: 36", "I'm out at $36", "At $36, I'm out.", "At $36 I leave",
        "I leave when the price reaches $36.", "I'll leave once it hits $36", "When the price reaches $36, I leave.",
        "I stay up to $36", "I stay as long as the price is below $36.", "I stay and leave at $36.",
        "I stay and will leave when it reaches $36", "I stay; I leave at $36.", "I leave, when it hits $36",
        '{"action":"leave","price":36}', '{"action":"stay","price":36}', '{"limit": 36}',
        'Cheap.\n```json\n{"action": "leave", "price": 36}\n```',
        '{"thoughts": {"a": 1}, "action": "leave", "price": 36}', "Decision: leave at $36",
        "Final answer: stay until $36", "I leave the auction at $36.", "I'm out at $36 or above.",
        "I stay in, then leave at $36", "I choose to leave at $36.", "I set my limit at $36.",
        "I'll set my exit price at $36.", "I stay, but I leave at $36.", "STAY until $36", "Action: LEAVE\nPrice: 36",
        "Action: leave\nLimit: $36", "I stay while the price is below $36.", "I leave as soon as it reaches $36.",
        "I leave only at $36", "I leave at $36.\n\nMy value is $36.", "I'm out when it reaches $36",
        "I'm out once it's at $36.", "I'm in until $36", "I'm in up to $36.", "Out at $36", "Exit at $36.",
        "Stay; leave at 36.", "I stay. Limit: $36", "I quit at $36!", "I fold at 36",
        "Once the price reaches $36, I'm out.", "As soon as it hits $36 I'll leave.", "limit 36",
        "**Action:** LEAVE\n**Price:** $36", "I drop out of the auction at $36, i.e. at my value.",
        "I exit at exactly $36.", "I leave at a price of $36", "I leave around $36. Precisely: I leave at $36.",
        "Stay until the price reaches 36", "Leave when price hits 36", "Stay, then leave at $36.", "[LEAVE at $36]",
        "Answer: I'm out at $36.", "I will drop at $36", "I'm staying until it reaches 36 dollars, no further.",
    ],
    36.5: [
        "I'll stay until the price reaches $36.50.", "Leave at 36.5",
    ],
    40: [
        "I leave at $36, no, $40.", "I leave at $36. No wait, I leave at $40.",
        "I will stay in as long as the price is under 40.",
    ],
    42: [
        "I'm going to stay in until the price hits $42.",
        "I'll remain in the auction until the clock reaches my value of $42.",
        "I'll drop out when the price gets to 42 dollars.",
    ],
    LEAVE: [
        "I don't think I should stay, I leave",
        "I leave.", "I leave!", "Leave", "I'm out!", "I drop out.", "I withdraw", "I exit the auction now.",
        "I could stay, but at this price it is not worth it. I leave.",
        "My limit is $36 and the price is $40, so I leave.", "I stay out", '{"action":"leave"}', "**Decision:** Leave",
        "I leave because $36 is above my value of $30.", "Wait, the price is high. I leave.",
        "I stay. Wait, that's above my value. I leave.", "I leave now.", "I'd like to leave.", "I pass.", "I abstain",
        "I have decided to leave.", "Since the price exceeds my value, I am leaving the auction.",
        "Since the price ($45) exceeds my value ($42), I exit.", "Dropping out.", "That's too rich for me, I'm out.",
        "Too rich for my blood. Out.", "Leave now", "I will leave the auction immediately.", "I stay? No, I leave.",
        "I must leave.", "I leave because the price was too high", "Price: $36\nI leave.",
        "I leave the auction, as $36 > $30.", "I leave - too expensive.", "I'm leaving! Good luck, everyone.",
        "Good luck everyone, I'm out.", "Let me leave.", "Hold on, let me think. I leave.", "Hold on. I leave.",
    ],
    STAY: [
        "I stay, and I leave if Blair stays.", "I stay because if I leave now Blair wins",
        "I stay.", "I stay!", "Stay", "STAY", "I'm in", "I'm still in!", "I stay in.", "I'll stay for now.",
        "I remain in the auction.", "I could leave, but I stay.", "My limit is $36. The price is $20. I stay.",
        "My value is $40. Price is $20 so I'll stay in.", '{"action":"stay"}', '{"action":"stay","price":null}',
        "Decision: stay", "My decision is to stay in.", "I'll stay in for another tick.",
        "I stay because the price is below my value of $40.", "I stay at $36", "I am staying.",
        "I stay in at the current price of $20.", "I would like to stay.", "I stay to see if Blair drops out.",
        "I stay, as my value is $40.", "I continue.", "I'm in for now",
        "Analysis:\n1. My value: $50\n2. Price: $30\n\nDecision: STAY",
        "Options: stay or leave. The price is fine. I stay.", "- Stay: profit 20\n- Leave: 0\n\nI stay.",
        "I'll stay until someone else leaves.", "I plan to leave at $36. For now I stay.",
        "I leave at $36. For now, I stay.", "No, I stay.", "I think I'll stay.", "Let me stay in.",
        "My limit is about $36. I stay.", "My budget limit is $200. I stay.",
        "Given that the current price is $25 and my private value is $40, I will remain in the auction.",
        "The clock shows $30. My valuation is $42, so staying is profitable. I stay in.",
        "My strategy is to stay until the price reaches $42 and then leave. So for now: stay.",
        "My dominant strategy is to stay in until $42. I stay.", "Staying in!", "I'm holding at $30.",
        "I choose to stay.", "I stay, but will leave at $36.", "Action: STAY\nReason: the price is below my value.",
        "Decision: I stay in the auction.", "You leave. I stay.", "Blair and I stay", "I leave? No. I stay.",
        "I stay (limit $36).", "I will continue to stay in the auction.", "I keep staying.",
        "I am not ready to leave, so I stay.", "I guess I stay.", "I believe I'll stay.", "I'm all in!",
        "I'm in the lead, I stay", "I was going to leave, but I stay.", "I thought I'd leave. I stay.",
        "<think>I leave</think>I stay", "I stay as the price is low", "I stay in because no one has left so far.",
        "Action: STAY\nPrice: $30", "I will leave the auction when the price exceeds $42. Currently 30, so I stay.",
        "I stay. I'll leave when the price goes above $42.", "I stay. I leave at about $36.", "At this price I stay.",
        "I stay as my value exceeds the price.", "I stay. My limit is $36.",
        "Current price: $30\nMy value: $45\nDecision: STAY", "I stay, good luck beating me at $50!",
        "Blair left at $30, Casey left at $32. I stay and win.", "I will leave nothing on the table. I stay.",
        "I stay put.", "They want me to leave. I stay.", "I stay; leaving now would waste my lead.",
        "No reason to leave. I stay.", "I'm in.", "Stay (for now).", "Stay!", "stay in", "Stay in the auction",
        "I stay I stay I stay", "[STAY]", "(stay)", '"I stay"', "'I stay'", "- I stay", "I\u2019m still in!", "I am in",
        "I'm IN", "Let me think: stay or leave? Stay.", "I'll stay one more tick.", "I'm not out yet, I stay.",
        "Continue.", "continue",
    ],
    UNREADABLE: [
        "If it reaches 40 I would leave", "I do not leave", "I don't leave.", "I'm not leaving", "I won't leave at $36",
        "Should I leave?", "Blair leaves.", "Blair: I leave", 'Blair said "I leave"', "I might leave.",
        "I would leave at $36", "I leave at about $36", "I leave at around 36", "I leave between 30 and 40",
        "I leave at $36-40", "I leave at $36 or $40", "I leave at -36", "I leave at $36.505", "I leave at \u20ac36",
        "I leave at 36 euros", "I leave at $0", "I stay. I leave.", "I leave at $36. I leave at $40.", "", "36",
        "I leave the decision to Blair", "I leave room for more", "I leave next tick",
        "I leave when it gets too expensive", "I leave soon.", "I stay calm", "Stay or leave", "I leave at thirty-six",
        "The longer I stay, the more I learn.", "Before I leave, one thing", "I'm out of budget",
        '{"action":"leave","price":"\u20ac36"}',
        '{"action":"take"}', "Above $36 I leave.", "I stay if the price is below 40", "I stay unless it exceeds 40",
        "I bid $36", "I leave if the price reaches $36", "I never leave", "I stay until then.", "Don't leave.",
        "Do not stay.", "My limit was $36.", "My limit is about $36.", "My limit is $36 per item", "Still in at $30.",
        "Holding steady.", "I'd stay in.", "I'd leave now.", "If the price is below $36, I stay; otherwise I leave.",
        "I leave as soon as Blair leaves.", "I only leave at $36.", "I will not leave until $36.",
        "I won't leave before $36.", "I leave after $36", "I leave past $36", "I leave at $36 tomorrow",
        "I leave at 36%", "I leave at 3 bidders", "I leave at round 3", "I leave in 3 rounds",
        "I stay for 3 more rounds", "I stay 3 rounds", "I stay until round 3.", "I stay until there are 2 bidders",
        "I stay until $36 unless Blair leaves", "Everyone should leave.", "Let's stay.", "Yes", "OK", "No.",
        "In until $36", "exit: 36", "It's time to leave.", "I have to leave.",
        "I need to leave.", "I should leave.", "I am forced to leave.", "I think I leave.", "I'd rather leave.",
        "I stay in for the win!", "I drop my hopes", "I drop $36", "Next price is $31, I stay.",
        "At the next tick I leave.", "Next tick I leave.", "When Blair leaves, I leave.",
        "When the price is $36 I stay", "When it hits $36 I stay", "I will leave at $36 at the latest.",
        "I leave at $36 or earlier", "I leave at $36, maybe $40.",
        "I'm done.", "I stay at 36 euros", "I stay until \u20ac36",
        "stay 36", "leave 36", "36 is my limit", "$36", "My answer: $36", "My max is $36", "My maximum price is $36",
        "I stay until it exceeds $36.", "I stay until the price goes above $36.", "I stay through $36",
        "I stay until $36 inclusive", "I stay or I leave.", "I stay. I leave at \u20ac36.", "Blair thinks I leave.",
        "Of the two items I hold, one is rare.", "Every time I stay, I lose.", "I doubt I stay",
        "I'd stay until $40 if I were you.", "You should leave at $36.", "My plan: stay until $40, then leave.",
        "Plan: leave at $40.", "I leave at $40 sharp",
        "I see no reason to stay.", "I would be a fool to leave", "I refuse to leave.", "I refuse to stay",
        "I want Blair to leave.", "I will stay no longer.", "I stay no more", "I cannot stay.",
        "I stay not a tick longer", "I can stay.", "I can leave.", "I leave you all behind.", "I leave it there.",
        "I leave it at $36.", "I stay under $36", "I stay below $36.", "I'm out of options", "I'm in no hurry to leave",
        "I pass $36", "I leave at precisely 36", "I don't think I leave",
        "I'll leave it to you", "STAY STAY", "LEAVE / STAY", "STAY/LEAVE", "> I stay", "You're out!", "Count me in",
        "Count me in!", "I won't stay past $36.", "I will never leave!", "I'll never stay.", "I am not going to stay.",
        "I'm not out.", "Not leaving.", "Not out.", "Never leave.", "I stay at the table", "I stay neutral",
        "Stay strong!", "Stay tuned.", "Hold on!", "I hold on.",
    ],
}  # fmt: skip
DESCENDING = {
    36: [
        "I take it at $36", "I'll buy at 36", "stop at $36", "my limit is 36",
        "I'll take it when the price falls to $36.", "When it hits $36, I take it", "At $36 I take it.",
        "I wait and take it at $36.", "I take it at $36 or less.", "I take it now at $36", "I take it for $36",
        '{"action":"take","price":36}', "Action: take at $36", "take it at 36", "I'm buying at 36.",
        "I'd like to take it at $36.", "I wait. I'll take it at $36.", "Stop the clock at $36.", "I stop at $36.",
        "I'll buy once the price reaches 36 dollars.", "I buy when the price is $36.", "I take it at $36, not before.",
        "Buy at 36", "I take it at the price of $36.", "I buy for 36 dollars.", "I buy at 36 bucks!",
        "I'd like to buy it at 36.", '{"action": "buy", "price": 36}', '{"decision": "I take it at $36"}',
        "i'll take it at 36.00 usd", "Action: take\nPrice: 36", "Action: TAKE IT\nPrice: $36",
        "I'm going to take it at $36.", "I stop the clock when it shows $36.", "I'll stop the clock at 36, no lower.",
        "I take it at $36 or lower, whichever comes first.", "I take this item at $36.", "Take at $36.",
        "I take it for $36, not $40.", "Stop it at 36.",
    ],
    45: [
        "I'm taking the item at the current price of $45.",
    ],
    TAKE: [
        "I take it because if I wait Blair gets it.", "I buy, before Blair does.",
        "I take it!", "I take it", "I buy", "I buy it now.", "Mine!", "I stop the clock", "take", "buy", "Stop!",
        "Wait, let me think. The price is good. I take it!", "Hmm, wait. I take it.",
        "The price of $36 is below my value. Mine!", '{"action":"take"}', "I could wait, but I take it.",
        "My limit is $36. The price is $35. I take it!", "I accept the price.", "I will take it before Blair does.",
        "Decision: take", "I want to buy.", "I'm buying it.", "I'll take it at this price.",
        "At $45, I'm a buyer. I take it.", "I'll buy now before someone else does!", "I'll take it!",
        "I'll stop it here.", "Stop the clock!", "Take it now", "I buy the item.", "I'll purchase the lot now.",
        "Wait, I take it.", "Wait! The price is good. I take it!", "Actually I take it.", "I'm not waiting. I take it.",
        "I can't wait, I take it!", "I will not wait any longer. I buy.", "No more waiting: I buy!", "accept",
        "I claim it.", "Claim it!", "If Blair takes it I lose, so I take it.", "I stop here.",
        "I'll stop here and think.", '{"action": "TAKE"}', '{"action": "stop"}', "I take it now!", "take it!", "take!",
        "I'll take this deal.", "I take it rather than wait", "To take or not to take... I take it.",
        "I take it. I'm happy with $36.", "I take it! My limit was $36.", "I take it! My limit is $36.",
        "Yes, I take it.", "Okay, I take it.", "So I buy.", "Now I take it.", "Stop.", "stop it", "I think I take it.",
        "Mine.", "mine", "MINE",
    ],
    WAIT: [
        "I take it, no wait, I wait.", "I take it. Actually, I wait.", "Blair may take it, I wait.",
        "I wait.", "Wait", "wait.", "WAIT", "I'll wait.", "I'm waiting.", "I hold.", "Not yet.",
        "I wait for a lower price.", "I'll wait until it drops further.", "I wait until $36", "I pass",
        "I take it. Wait, the price is still high. I wait.", '{"action":"wait"}', "I could take it now, but I wait.",
        "My limit is $36, so I wait.", "I let it fall.", "Decision: wait", "I'll hold off for now.",
        "I'll wait, the price will fall.", "I'll take it at $36. For now, I wait.",
        "The price is $45; my value is $60. I'll wait for it to drop.", "Waiting.", "Holding.",
        "I'll wait a bit longer.", "I continue to wait.", "I keep waiting.", "Not yet, I wait.",
        "Not buying yet. I wait.", "I won't buy at this price. I wait.", "I wait until it hits $36, then I take it.",
        "I'll wait until $36 and then buy.", "I'll wait until the price drops to $36 before buying.",
        "Action: WAIT\nReason: price too high; I take it at $36 maybe.", "I'm out", "I withdraw", "I hold until $36.",
        "Hold.", "Wait for $36.", "wait until 36", "I'm tempted to buy, but I wait.",
        '{"action": "wait", "price": null}', '```json\n{"action": "wait", "reason": "too high, I take it at 36"}\n```',
        "I pass at this price.", "I do nothing.", "I let it go", "Let it fall.", "Let it run!",
        "Action: wait\nPrice: 50", "I wait as the price is falling.", "I wait; if it gets to $36 I take it.",
        "I wait. If it reaches $36, I'll take it.", "I'll wait for $36 and then take it.", "Wait for it...",
        "I just wait.", "I wait rather than take it", "I wait instead of taking it.",
        "I was about to take it, but I wait.", "Take it? No. I wait.", "I take it back. I wait.",
        "I wait, I wait, I wait.", "Patience. I wait.", "I stay patient.", "At $36 I would take it; I wait.",
        "The clock falls by $1 each tick. I wait until 36 then I'd take it",
    ],
    UNREADABLE: [
        "I don't take it", "I'm not buying", "I would take it at $36", "If it falls to 36 I take it",
        "Should I take it?", "Mine?", "Blair: Mine!", "I take it at about $36", "I take it at 36 or 40",
        "I take it at \u20ac36", "I take it below $36", "I take a risk", "I take it that Blair waits", "I take it slow",
        "I take. I wait.", "I wait. The price is $40. I take it.", '{"action":"wait","price":36}', "I buy at $0",
        "I accept $36", "I'll take it soon.", "I'll take it next tick", "I stop waiting", "I buy time.",
        "I'll buy when it is cheaper.", "I'd buy at 36", "It will be mine.", "The item is mine.", "I bid $36",
        "I do not wait", "I'll let the clock keep falling.", "SOLD!", "Deal!", "I shout 'Mine!'", "I say mine!",
        'I call "Mine!"', "MINE at $36!", "I grab it at 36 when it gets there.", "My target is $36, I'll take it then.",
        "I take it if it gets to $36", "I take nothing.", "I take no action.", "I buy nothing",
        "I will take it in the next tick.", "I take it at the next tick", "I'd take it.", "I could take it at $36.",
        "I stay.", "I stay in.", "I leave", "Take or wait?",
        "I can't wait!", "Buy: 36", "buy 36", "I accept the current price of $36.",
        "Price $36: mine!", "Mine, mine, mine!", "Blair will take it at $36",
        "I'll take the risk and wait.", "I'll risk it and wait.",
        "I take my chances and wait", "I buy low", "I stop to think.", "Do I buy? Yes.", "I decline.",
        "I let it drop to $36", "I let it fall to $36 and take it.", "Keep going.", "I'll snap it up",
        "I'll take that price.", "That's the risk I take.", "a chance I'll take.",
        "I take it as a sign.", "I take it as the price is below my value.", "Wait for it... Mine!", "Just wait.",
        "I might as well take it.", "Taking it!", "Taking it at $36", "Buying now.", "I'm tempted to shout mine!",
        "I will say 'mine' at $36", "It's a good price to take it.",
        "I'd rather take it than wait.", "I'd rather wait than take it.", "I neither take it nor wait.",
        "I can take it.", "I can buy it at $36.", "I buy if nobody else does", "Take it at $36? No, at $30.",
        "I take it off the list", "I take it back", "I buy it back", "I take it at $36 at the latest",
        "I take it at $36 when available", "I'll only take it at $36.", "I'll take it at or below $36.",
        "I buy at most $36", "I buy at no more than $36.", "I buy at $36 max.", "TAKE $36", "I take it at forty",
        "I take the price of $36.", "At $36 or below I take it.", "When it falls below $36, I take it.",
        "Below $36 I take it.", "I take it when the price is right.", "I'm out of here", "No.", "Yes!", "Yes, mine!",
        "OK I buy", "Now!", "I stop the bidding.", "I'll not take it.", "I'll take it not.", "Maybe I take it.",
        "I take it, maybe.", "I take it I guess", "I think it's mine.", "Mine at $36",
    ],
}  # fmt: skip
REASONING = "The price is $20 now, Blair left at $18 and Casey has $40.\nIt is worth $2,200 to me.\n\n"


def pairs(table):
    return [(reply, expected) for expected, replies in table.items() for reply in replies]


def decision(read, reply: str, currency: str = "dollar"):
    try:
        cents = read(reply, RIVALS, currency)
    except Unreadable:
        return UNREADABLE
    if read is read_ascending:
        return {WITHDRAW: LEAVE, clock_reply.STAY: STAY}.get(cents, cents / 100)
    return {clock_reply.WAIT: WAIT, clock_reply.TAKE: TAKE}.get(cents, cents / 100)


def test_there_are_enough_distinct_replies():
    for table in (ASCENDING, DESCENDING):
        assert len({reply for reply, _ in pairs(table)}) == len(pairs(table)) >= 100


@pytest.mark.parametrize(
    ("read", "table"), [(read_ascending, ASCENDING), (read_descending, DESCENDING)], ids=["rising", "falling"]
)
def test_replies_are_parsed_correctly_with_and_without_reasoning_before_them(read, table):
    for reply, expected in pairs(table):
        assert (reply, decision(read, reply)) == (reply, expected)
        if expected is not UNREADABLE and "{" not in reply:
            assert (reply, decision(read, REASONING + reply)) == (reply, expected)


@pytest.mark.parametrize("currency", CURRENCIES)
def test_plain_replies_are_parsed_back(currency):
    rng = random.Random(5)
    amounts = [-1, 0, 1, 5, 99, 100, 3650, 100 * MAX_DOLLARS, *(rng.randrange(1, 10**9) for _ in range(300))]
    for amount in amounts:
        assert read_ascending(write_ascending(amount, currency), RIVALS, currency) == amount
        assert read_descending(write_descending(amount, currency), RIVALS, currency) == amount


@pytest.mark.parametrize("currency", CURRENCIES)
@pytest.mark.parametrize("other", CURRENCIES)
def test_only_the_scenarios_currency_is_accepted(currency, other):
    written = format_dollars(3600, CURRENCIES[other])
    for amount in (written, f"36 {CURRENCIES[other]}", f"36 {other}{'' if other == 'yen' else 's'}"):
        expected = 36 if currency == other else UNREADABLE
        assert decision(read_ascending, f"I leave at {amount}.", currency) == expected
        assert decision(read_ascending, f"My limit is {amount}.", currency) == expected
        assert decision(read_descending, f"I take it at {amount}!", currency) == expected
        assert decision(read_descending, f'{{"action": "take", "price": "{amount}"}}', currency) == expected
    with pytest.raises(Unreadable, match=f"[{CURRENCIES[currency]}]X"):
        read_ascending("Hello", RIVALS, currency)


def test_the_errors_of_the_parser_explain_how_to_reply():
    for read, table, phrase in ((read_ascending, ASCENDING, "I leave"), (read_descending, DESCENDING, "I take it")):
        for reply, expected in pairs(table):
            if expected is UNREADABLE:
                with pytest.raises(Unreadable, match=rf"{phrase} at \$X|ambiguous"):
                    read(reply, RIVALS)
