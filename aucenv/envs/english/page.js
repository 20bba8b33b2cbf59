/** English auctions: the items as a strip, the bids for the current one on a ladder of prices, and the bidders. */

import { chart, level, line, range } from "aucenv/chart.js";
import { h } from "aucenv/dom.js";
import { seatMark, seatName } from "aucenv/seats.js";
import { table } from "aucenv/tables.js";
import { cents, count, ended, money, short } from "aucenv/text.js";

export const englishPage = { view: englishView, render: renderEnglish, said: saidInEnglish, place: (decision) => `Item ${decision.item + 1}, round ${decision.round + 1}` };

/** Return the view of a seat before a decision, or at the end; seat null: everything. See `page.py`. */
export function englishView(game, move, seat) {
  const view = englishState(game, move);
  if (seat === null) return view;
  view.seat = seat;
  for (const item of view.items) {
    item.estimates = item.estimates.map((estimate, k) => (k === seat ? estimate : null));
    if (item.winner === null) item.value = null;
  }
  return view;
}

function englishState(game, move) {
  const decision = game.decisions[move];
  if (!decision && game.end) return structuredClone(game.end);
  const [item, round] = decision ? [decision.item, decision.round] : [game.deal.items.length, 0];
  const numbers = new Map(game.seats.map((player, number) => [player.seat, number]));
  const rounds = roundsOf(game.decisions.filter((one) => one.item === item), numbers);
  const current = bidsState(game, item, round, rounds);
  const items = game.deal.items.map((dealt, j) => itemState(game, dealt, j, j < item, numbers));
  const deciding = new Set((rounds.find((each) => each.round === round) ?? { bids: [] }).bids.map(([bidder]) => bidder));
  const seats = game.seats.map((player, number) => ({
    ...seatState(game, player, number, items),
    active: decision ? deciding.has(number) || current.leader === number : true,
    decides: deciding.has(number),
  }));
  return { seat: null, status: decision ? "running" : game.outcome.status, item, round, ...current, items, seats, refused: null };
}

/** Return the price, the standing bid and the closed bids of an item before a round. */
function bidsState(game, item, round, rounds) {
  const start = game.deal.items[item]?.starting_price ?? null;
  const state = { price: null, raise: null, standing: null, leader: null, least: null, bids: [] };
  if (start === null) return state;
  let firstBid = null;
  for (const [k, each] of rounds.filter((one) => one.round < round).entries()) {
    state.bids.push(...each.bids.map(([bidder, amount]) => [each.round, bidder, amount]));
    const amounts = each.bids.filter(([, amount]) => amount !== null);
    if (!amounts.length) continue;
    firstBid ??= each.round;
    state.standing = Math.max(...amounts.map(([, amount]) => amount));
    const tied = amounts.filter(([, amount]) => amount === state.standing).map(([bidder]) => bidder);
    state.leader = tied.length === 1 ? tied[0] : tieWinner(game, item, each.round, tied, rounds[k + 1]);
  }
  let price = cents(start);
  for (let k = 0; k < (firstBid ?? round); k += 1) price = Math.floor(price / 200) * 100; // a discount
  const raise = Math.max(1, Math.floor((price * Math.round(1e6 * game.scenario.increment) + 5e5) / 1e6));
  state.price = price / 100;
  state.raise = raise / 100;
  state.least = state.leader === null ? state.price : (cents(state.standing) + raise) / 100;
  return state;
}

/** Return who got the standing bid among equal bids: the one that has no decision in the next round. */
function tieWinner(game, item, round, tied, next) {
  const known = game.leaders?.[`${item},${round}`];
  if (known !== undefined) return known;
  const asked = new Set(next.bids.map(([bidder]) => bidder));
  return tied.find((bidder) => !asked.has(bidder));
}

function roundsOf(decisions, numbers) {
  const rounds = [];
  for (const one of decisions) {
    if (rounds.at(-1)?.round !== one.round) rounds.push({ round: one.round, bids: [] });
    rounds.at(-1).bids.push([numbers.get(one.seat), one.amount]);
  }
  return rounds;
}

function itemState(game, dealt, j, isClosed, numbers) {
  const sold = isClosed && game.outcome.items[j].winner !== null;
  return {
    name: dealt.name,
    description: descriptionOf(game, dealt),
    start: dealt.starting_price,
    winner: sold ? numbers.get(game.outcome.items[j].winner) : null,
    price: sold ? game.outcome.items[j].price : null,
    value: dealt.true_value,
    estimates: game.deal.seats.map((seat) => seat.estimates[j]),
    ...(dealt.persona === undefined ? {} : { suits: dealt.persona }),
  };
}

function descriptionOf(game, dealt) {
  const known = game.texts?.descriptions?.[String(dealt.id)];
  return known ?? game.scenario.items?.find((item) => item.id === dealt.id)?.description ?? "";
}

function seatState(game, player, number, items) {
  const dealt = game.deal.seats[number];
  const won = items.filter((item) => item.winner === number);
  const sum = (amounts) => amounts.reduce((total, amount) => total + cents(amount), 0);
  return {
    name: player.name,
    budget: (cents(dealt.budget) - sum(won.map((item) => item.price))) / 100,
    endowment: dealt.budget,
    profit: (sum(won.map((item) => item.value)) - sum(won.map((item) => item.price))) / 100,
    objective: dealt.objective,
    target: dealt.target,
    ...(dealt.personas === undefined ? {} : { personas: dealt.personas }),
  };
}

/** Return what a bidder does, in words. */
export function saidInEnglish(game, amount) {
  return amount === null ? "withdraws" : `bids ${money(amount)}`;
}

/**
 * Return the board of a view.
 * @param bids [seat, amount] of the current round that are shown before it closes.
 */
export function renderEnglish(view, game, bids) {
  const item = view.items[view.item];
  const running = view.status === "running" && item !== undefined;
  return [
    running ? currentItem(view, item) : h("h3", {}, `The auction is ${ended(view.status)}`),
    running && ladder(view, item, bids),
    running && item.description && h("p", { class: "note", dir: "auto" }, item.description),
    strip(view),
    bidders(view),
  ];
}

function currentItem(view, item) {
  const standing =
    view.leader === null
      ? "no bid yet"
      : ["standing bid ", h("strong", {}, money(view.standing)), " by ", seatName(view.leader, view.seats[view.leader].name)];
  return [
    h("h3", {}, `Item ${view.item + 1} of ${view.items.length}, round ${view.round + 1}: `, h("bdi", {}, item.name)),
    h("p", {}, standing, `; least bid ${money(view.least)}, starting price ${money(view.price)}`, view.price !== item.start && ` (was ${money(item.start)})`),
  ];
}

function strip(view) {
  const state = (item, j) => {
    if (item.winner !== null) return [seatName(item.winner, view.seats[item.winner].name), h("span", {}, money(item.price))];
    if (j < view.item) return h("span", {}, "not sold");
    return h("span", { class: "note" }, j === view.item && view.status === "running" ? "now" : `from ${money(item.start)}`);
  };
  return h(
    "ol",
    { class: "strip", "aria-label": "items" },
    view.items.map((item, j) =>
      h(
        "li",
        { class: j === view.item && view.status === "running" ? "now" : j < view.item ? "closed" : "" },
        h("bdi", { class: "item-name" }, item.name),
        state(item, j),
        item.value !== null && h("span", { class: "note" }, `value ${money(item.value)}`),
        view.seat !== null && h("span", { class: "note" }, `estimate ${money(item.estimates[view.seat])}`),
        item.suits && h("span", { class: "note" }, `suits ${item.suits}`),
      ),
    ),
  );
}

/** Draw the bids for an item by round and price; hollow marks are bids of the round that is still open. */
function ladder(view, item, bids) {
  const open = bids.map(([seat, amount]) => [view.round, seat, amount]);
  const all = [...view.bids, ...open];
  const known = item.estimates.filter((estimate) => estimate !== null);
  const last = Math.max(view.round, 3);
  const y = range([view.price, item.value, ...known, ...all.map(([, , amount]) => amount)], 0.08);
  const said = all.map(([round, seat, amount]) => `round ${round + 1}: ${view.seats[seat].name} ${amount === null ? "withdraws" : money(amount)}`);
  return chart({
    label: `Bids for ${item.name}. ${said.join("; ") || "None yet."}`,
    x: { low: -0.5, high: last + 0.5, whole: true, format: (value) => String(value + 1), title: "round" },
    y: { ...y, format: (value) => short(value, "$") },
    draw: (toX, toY) => [
      level(toY, view.price, "level", "starting price"),
      item.value !== null && level(toY, item.value, "level value", "true value"),
      [...new Set(known)].map((estimate) => level(toY, estimate, "level estimate", `estimate${whose(view, item, estimate)}`)),
      line(standingLine(all).map(([round, amount]) => [toX(round), toY(amount)]), "standing-line"),
      all.map(([round, seat, amount], k) => {
        const shift = (seat - (view.seats.length - 1) / 2) * 9;
        const at = amount === null ? toY(y.low) - 8 : toY(amount);
        return seatMark(seat, toX(round) + shift, at, { hollow: k >= view.bids.length, scale: amount === null ? 0.7 : 1.2 });
      }),
    ],
  });
}

/** Return whose estimate it is, if the bidders that are shown have several. */
function whose(view, item, estimate) {
  const names = view.seats.filter((_, seat) => item.estimates[seat] === estimate).map((seat) => seat.name);
  return view.seat === null && names.length < view.seats.length ? ` of ${names.join(", ")}` : "";
}

function standingLine(bids) {
  const highest = new Map();
  for (const [round, , amount] of bids) if (amount !== null) highest.set(round, Math.max(amount, highest.get(round) ?? 0));
  return [...highest];
}

function bidders(view) {
  const most = Math.max(...view.seats.map((seat) => seat.endowment));
  const headings = ["bidder", "now", "budget left", "profit", "items"];
  const hasPersonas = view.seats.some((seat) => seat.personas);
  if (hasPersonas) headings.push("personas");
  const wants = (seat) => (seat.objective === "profit" ? null : h("span", { class: "note" }, ` wants ${seat.target ?? seat.objective}`));
  const rows = view.seats.map((seat, number) => [
    h("span", {}, seatName(number, seat.name), wants(seat)),
    seatNow(view, seat, number),
    h("span", { class: "budget" }, h("meter", { min: 0, max: most, value: seat.budget, "aria-label": `budget of ${seat.name}` }), ` ${money(seat.budget)} of ${money(seat.endowment)}`),
    money(seat.profit),
    view.items.filter((item) => item.winner === number).length,
    ...(hasPersonas ? [seat.personas ? seat.personas.join(", ") || "none" : "hidden"] : []),
  ]);
  return table(headings, rows, { caption: `bidders after ${count(view.item, "item")}` });
}

function seatNow(view, seat, number) {
  if (view.status !== "running") return "–";
  if (view.leader === number) return "leads";
  return seat.decides ? "decides" : seat.active ? "in" : "out";
}
