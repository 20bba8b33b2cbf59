"""New houses for housing auctions, written by a model.

Source: HARBOR, arXiv 2502.12149: a model wrote its houses, four for each persona, with features and with descriptions
of about 100 words that should appeal to the persona. The wording of the prompts is aucenv's.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from aucenv.baselines.llm.agents.agent import chat_message, message_content
from aucenv.baselines.llm.bidder import make_model
from aucenv.baselines.llm.json_replies import Malformed, last_object
from aucenv.baselines.llm.option_values import refuse_options_of_agents

from aucenv.core import checks
from aucenv.core.declared import OneOf, Real, Whole, declarations
from aucenv.core.files import JsonObject
from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.core.words.bidder_name import label_of, parse_bidder, public_name
from aucenv.core.words.names import MAX_NAME, DistinctNames
from aucenv.envs.harbor.files import house_fields, read_house
from aucenv.envs.harbor.houses.generate import DEFAULT_RANGES, PERSONA_RANGES, fresh_houses
from aucenv.envs.harbor.houses.house import PRICES, VALUE_RATIOS, House, Listing
from aucenv.envs.harbor.houses.personas import Persona, personas
from aucenv.runs.model_calls.calls import FAILED, Call, Message, Model, Request, failure_reason
from aucenv.runs.model_calls.journal import CallJournal, RunStopped, SeatCalls

TRIES = 3
"""The greatest number of calls for a house in a run: one, and two more after refused replies."""
TEMPERATURE = 1.0
"""The temperature if the model's name sets none: with 0, most runs would write the same houses."""
PURPOSE = "house"
"""The purpose of the calls."""
PLACE = "the house"
"""The place of a house in messages about it."""
REPLY = 1200
"""The assumed number of characters of a reply, for estimates of costs."""
WORDS = (50, 200)
"""The least and the greatest number of words of a description."""
RULES = """You invent houses for a simulated housing auction. A house has features, which are facts, and a \
description, which bidders read. Reply with one JSON object and nothing else."""
TASK = """Invent a house that appeals to one kind of buyers more than to any other: {buyers}. Such a buyer is \
described like this: <<<{persona}>>>

The object has exactly these fields:
{fields}

The houses so far, whose names are taken: {names}.
Those for the same buyers, from which this one differs: {similar}."""
AGAIN = "This house cannot be used: {error}. Reply again, with the whole JSON object."
ABOUT = {
    "kind": "kind of house",
    "place": "location",
    "size": "living area in square feet",
    "bedrooms": "number of bedrooms",
    "bathrooms": "number of bathrooms",
    "year": "year of construction",
    "lot": "land in acres, 0 for none",
    "schools": "rating of the nearby schools",
    "walkability": "score of walkability",
    "transit": "score of public transport",
    "energy": "score of energy efficiency",
    "commute": "minutes of travel to the business district",
    "rent": "monthly rent in dollars that tenants would pay",
    "suite": "whether there is a separate suite with its own bath and kitchen",
    "step_free": "whether all rooms are on one level",
}
"""Feature of a house -> what it is."""


@dataclasses.dataclass(frozen=True)
class HouseWriter:
    """A model that writes houses.

    Attributes:
        label: its name in messages.
        temperature, max_tokens, top_p: sampling parameters, as in a bidder's name.
    """

    label: str
    model: Model
    temperature: float | None
    max_tokens: int
    top_p: float | None

    def request(self, messages: Sequence[Message]) -> Request:
        """Return the request for a reply."""
        return Request(tuple(messages), self.temperature, self.max_tokens, None, None, self.top_p)


def make_writer(name: str) -> HouseWriter:
    """Return the writer of a model's name, such as "llm:openai:gpt-4.1-mini".

    Raises:
        ValueError: the name would be invalid for a bidder too, is no model's, or has an option that only bidders have.
    """
    try:
        spec = parse_bidder(name)
    except ValueError as error:
        raise ValueError(re.sub("^bidder", "model", str(error))) from None
    where = f"model {public_name(name)!r}"
    checks.one_of(f"{where}, kind", spec.kind, ("llm",))
    refuse_options_of_agents(spec.params, where, "writer of houses")
    model, options = make_model(spec, where)
    temperature = options["temperature"] if {"temperature", "sampling"} & set(spec.params) else TEMPERATURE
    return HouseWriter(label_of(name), model, temperature, options["max_tokens"], options["top_p"])


@dataclasses.dataclass
class HouseRun:
    """The writing of houses, which are spread evenly over the ten personas, in their order.

    Attributes:
        number: the number of houses.
        journal: the calls of earlier runs, which are not repeated, and of this one.
        approve: called before the first call that is not in the journal, with the number of finished houses; it may
            raise an error.
    """

    writer: HouseWriter
    number: int
    journal: CallJournal
    approve: Callable[[int], None]
    _is_approved: bool = False

    def write(self) -> Iterator[JsonObject]:
        """Yield each house as soon as it is written, as the JSON object of its line in a file of houses.

        Raises:
            RunStopped: TRIES replies for a house are refused, or the next call may exceed the cost limit.
            PolicyError: the model cannot be called.
        """
        houses: list[Listing] = []
        names = DistinctNames()
        for persona in _personas_of_houses(self.number):
            houses.append(self._write_one(persona, houses, names))
            yield house_fields(houses[-1])

    def _write_one(self, persona: Persona, houses: Sequence[Listing], names: DistinctNames) -> Listing:
        calls, prompt = self.journal.at(len(houses), "houses"), house_messages(persona, houses)
        messages, error = prompt, ""
        attempt = num_new = 0
        while True:
            request = self.writer.request(messages)
            if calls.find(self.writer.model, request, 0, attempt, PURPOSE) is None:
                if num_new == TRIES:
                    place = f"house {len(houses) + 1} of {self.number}, for {persona.name}"
                    raise RunStopped(f"{self.writer.label}, {place}: {TRIES} replies are refused; the last: {error}")
                self._approve(len(houses))
                num_new += 1
            call = self._ask(calls, request, attempt)
            try:
                return _read_reply(call, persona, names, self.writer.max_tokens)
            except ValueError as refusal:
                error = str(refusal)
            attempt += 1
            replied = chat_message("assistant", message_content(call.reply))
            again = [*messages, replied, chat_message("user", AGAIN.format(error=error))]
            messages = again if attempt % TRIES else prompt  # a later run starts again, without what has failed

    def _approve(self, finished: int) -> None:
        if not self._is_approved:
            self.approve(finished)
            self._is_approved = True

    def _ask(self, calls: SeatCalls, request: Request, attempt: int) -> Call:
        try:
            return calls.ask(self.writer.model, request, 0, attempt, PURPOSE)
        except ModelFailure as failure:
            raise PolicyError(f"{self.writer.label}, a house: {failure}") from failure


def prompt_characters(number: int, finished: int = 0) -> int:
    """Return the approximate number of characters of the prompts for `number` houses, without those that are finished.

    The names of houses that are not known yet are assumed to be as long as those of generated houses.
    """
    generated = fresh_houses(0)
    houses = [generated[j % len(generated)] for j in range(number)]
    prompts = [house_messages(persona, houses[:j]) for j, persona in enumerate(_personas_of_houses(number))]
    return sum(len(message["content"]) for prompt in prompts[finished:] for message in prompt)


def house_messages(persona: Persona, houses: Sequence[Listing]) -> list[Message]:
    """Return the messages that ask for a house for a persona, unlike the houses so far."""
    similar = [
        f"{each.name} ({each.house.kind}, {each.house.place}, {each.house.size} square feet)"
        for each in houses
        if each.persona == persona.id
    ]
    task = TASK.format(
        buyers=persona.name,
        persona=persona.descriptions["train"][0],
        fields="\n".join(_fields(persona)),
        names=", ".join(each.name for each in houses) or "none",
        similar="; ".join(similar) or "none",
    )
    return [chat_message("system", RULES), chat_message("user", task)]


def _personas_of_houses(number: int) -> list[Persona]:
    """Return the persona of each house; the first personas have one house more if the number is no multiple of ten."""
    kinds = personas()
    rounds, rest = divmod(number, len(kinds))
    return [persona for j, persona in enumerate(kinds) for _ in range(rounds + (j < rest))]


def _fields(persona: Persona) -> Iterator[str]:
    """Yield a line for each field of a house, with the values that it may have, and those usual for the persona."""
    usual = {**DEFAULT_RANGES, **PERSONA_RANGES[persona.id]}
    yield f"- name: name of the house, one line of at most {MAX_NAME} characters"
    for feature, about in ABOUT.items():
        yield f"- {feature}: {about}; {_allowed(feature)}; for these buyers usually {_usual(feature, usual[feature])}"
    least, most = PRICES
    price = f"in dollars, from {least} to {most}; for these buyers usually {_usual('price', usual['price'])}"
    yield f"- starting_price: where the auction starts, {price}"
    ratios = " to ".join(map(str, VALUE_RATIOS))
    yield f"- true_value: what the house is worth in dollars, {ratios} times the starting price; bidders do not know it"
    yield (
        "- description: about 100 words that make these buyers want the house; no feature contradicts them, and they "
        "do not mention the true value"
    )


def _allowed(feature: str) -> str:
    accepts = declarations(House)[feature].accepts
    if isinstance(accepts, (Whole, Real)):
        kind = "a number" if feature == "lot" else "a whole number"
        return f"{kind} from {accepts.least} to {accepts.most}"
    return f"one of {', '.join(accepts.options)}" if isinstance(accepts, OneOf) else "true or false"


def _usual(feature: str, values: Sequence[Any]) -> str:
    words = [str(value).lower() for value in dict.fromkeys(values)]
    return (" or " if feature in ("kind", "place") else " to ").join(words)


def _read_reply(call: Call, persona: Persona, names: DistinctNames, max_tokens: int) -> Listing:
    """Return the house in a reply, and add its name to the names.

    Raises:
        ValueError: the house cannot be used; the message is written for the model.
    """
    if call.finish in FAILED:
        is_cut = call.finish == "length"
        raise Malformed(failure_reason(call.finish) + (f" (max_tokens={max_tokens})" if is_cut else ""))
    data = last_object(call.reply, lambda candidate: "starting_price" in candidate)
    if "description" not in data:
        raise Malformed("expected the field 'description'")
    listing = read_house(data, PLACE, personas())
    checks.number(f"{PLACE}: starting_price", listing.starting_price, *PRICES)
    least, most = (round(ratio * listing.starting_price) for ratio in VALUE_RATIOS)
    checks.number(f"{PLACE}: true_value", listing.true_value, least, most)
    checks.whole_number(f"{PLACE}: number of words of the description", len(listing.description.split()), *WORDS)
    figures = [text.replace(",", "") for text in re.findall(r"[0-9][0-9,]*", listing.description)]
    if str(round(listing.true_value)) in figures:
        raise Malformed(f"{PLACE}: description: expected no true value in it, because bidders do not know it")
    if listing.persona != persona.id:
        best = next(each.name for each in personas() if each.id == listing.persona)
        raise Malformed(f"{PLACE}: it suits {best} better than {persona.name}; keep to the usual values")
    names.add(f"{PLACE}: name", listing.name)
    return listing
