/** Boards of sealed-bid and clock auctions: closed rounds as a picture and as a table. */

import { chart, line, range } from "aucenv/chart.js";
import { h, svg } from "aucenv/dom.js";
import { seatMark, seatName } from "aucenv/seats.js";
import { table } from "aucenv/tables.js";
import { cents, ended, money, short } from "aucenv/text.js";

const SIGNS = { dollar: "$", euro: "€", ruble: "₽", rupee: "₹", yen: "¥" };
export const MODELS = { ipv: "independent private values", apv: "affiliated private values", cv: "common values" };

/** Return the view of a seat before a decision, or at the end; seat null: everything. See `page.py`. */
export function prizeView(game, move, seat) {
  const decision = game.decisions[move];
  const round = decision ? decision.item : game.outcome.prizes.length;
  const closed = game.outcome.prizes.slice(0, round);
  const scenario = game.scenario;
  const common = {
    status: decision ? "running" : game.outcome.status,
    round,
    rounds: scenario.num_rounds,
    values: scenario.values,
    reveal: scenario.reveal,
    sign: SIGNS[scenario.currency],
    names: game.seats.map((player) => player.name),
    refused: null,
  };
  const sum = (amounts) => amounts.reduce((total, amount) => total + cents(amount), 0) / 100;
  const profits = game.seats.map((_, number) => sum(closed.map((prize) => prize.profits[number])));
  const wins = game.seats.map((player) => closed.filter((prize) => prize.winner === player.seat).length);
  const values = game.seats.map((_, number) => (decision ? game.deal.seats[number].values[round] : null));
  const asked = deciding(game, decision);
  if (seat === null) {
    const history = closed.map((prize, j) => openRound(game, prize, j));
    return { ...common, seat, decides: asked, value: decision ? values : null, profit: profits, won: wins, history };
  }
  const history = closed.map((prize, j) => seatRound(game, prize, j, seat));
  return { ...common, seat, decides: asked[seat], value: values[seat], profit: profits[seat], won: wins[seat], history };
}

function deciding(game, decision) {
  const asked = new Set(
    game.decisions.filter((one) => decision && one.item === decision.item && one.round === decision.round).map((one) => one.seat),
  );
  return game.seats.map((player) => asked.has(player.seat));
}

function openRound(game, prize, j) {
  const winner = game.seats.findIndex((player) => player.seat === prize.winner);
  return {
    number: j,
    winner: winner < 0 ? null : winner,
    price: prize.price,
    values: game.deal.seats.map((seat) => seat.values[j]),
    bids: prize.bids,
    prize_value: game.scenario.values === "cv" ? game.deal.common[j] : null,
  };
}

/** Return a closed round as a seat sees it; `reveal` decides what it learns about the others. */
function seatRound(game, prize, j, seat) {
  const { reveal, values, pricing, feedback, direction } = game.scenario;
  const won = prize.winner === game.seats[seat].seat;
  const sold = prize.winner !== null;
  const all = reveal === "all";
  const bid = prize.bids[seat];
  const ranked = prize.bids.filter((amount) => amount !== null).sort((a, b) => b - a);
  const winner = game.seats.findIndex((player) => player.seat === prize.winner);
  return {
    number: j,
    value: game.deal.seats[seat].values[j],
    bid,
    won,
    paid: pricing === "all_pay" ? (bid ?? 0) : won ? prize.price : 0,
    profit: prize.profits[seat],
    price: sold && (won || reveal !== "none") ? prize.price : null,
    bids: all ? ranked : null,
    winner_profit: won || (all && sold) ? prize.profits[winner] : null,
    prize_value: values === "cv" && (all || won) ? game.deal.common[j] : null,
    exits: feedback === "open" && direction === "ascending" ? ranked.filter((amount) => sold && amount < prize.price) : null,
  };
}

/** Return the heading of a round. */
export function roundHead(view, kind) {
  const where = view.status === "running" ? `Round ${view.round + 1} of ${view.rounds}` : `The game is ${ended(view.status)}`;
  return h("h3", {}, `${where}: ${kind}, ${MODELS[view.values]}`);
}

/** Return the table of all seats, or of one, with the value of this round. */
export function prizeSeats(view, more) {
  if (view.public) return null; // everything in it is private
  const [headings, cellsOf] = more;
  const signal = view.values === "cv" ? "signal" : "value";
  const row = (seat) => {
    const of = (name) => (view.seat === null ? view[name]?.[seat] : view[name]);
    return [seatName(seat, view.names[seat]), money(of("value") ?? null, view.sign), ...cellsOf(seat), money(of("profit"), view.sign), of("won") ?? "–"];
  };
  const seats = view.seat === null ? view.names.map((_, seat) => seat) : [view.seat];
  return table(["bidder", signal, ...headings, "profit", "prizes"], seats.map(row), { caption: "bidders" });
}

/** Return closed rounds as a picture: the price, the own value or all bids, by round. */
export function roundsChart(view) {
  if (!view.history.length) return null;
  const shown = view.history.map((played) => (view.public ? [] : view.seat === null ? played.bids : [played.bid, played.value]));
  const y = range([...shown.flat(), ...view.history.map((played) => played.price)]);
  const said = view.history.map((played) => `round ${played.number + 1}: price ${money(played.price, view.sign)}`);
  return chart({
    label: `Closed rounds. ${said.join("; ")}`,
    height: 190,
    x: { low: -0.5, high: Math.max(view.rounds - 0.5, 0.5), whole: true, format: (value) => String(value + 1), title: "round" },
    y: { ...y, format: (value) => short(value, view.sign) },
    draw: (toX, toY) => [
      line(view.history.filter((played) => played.price !== null).map((played) => [toX(played.number), toY(played.price)]), "standing-line"),
      view.history.map((played) => (view.public ? priceDot(played, toX, toY) : view.seat === null ? allBids(played, toX, toY) : seatBids(view, played, toX, toY))),
    ],
  });
}

function priceDot(played, toX, toY) {
  return played.price !== null && svg("circle", { class: "dot", cx: toX(played.number), cy: toY(played.price), r: 4 });
}

function allBids(played, toX, toY) {
  const last = (played.bids.length - 1) / 2;
  return played.bids.map(
    (bid, seat) => bid !== null && seatMark(seat, toX(played.number) + 5 * (seat - last), toY(bid), { hollow: played.winner !== seat }),
  );
}

function seatBids(view, played, toX, toY) {
  const [x, y] = [toX(played.number), toY(played.value)];
  return [
    svg("line", { class: "own-value", x1: x - 8, x2: x + 8, y1: y, y2: y }),
    played.bid !== null && seatMark(view.seat, x, toY(played.bid), { hollow: !played.won }),
  ];
}

/** Return closed rounds as a table, the last first. */
export function roundsTable(view) {
  if (!view.history.length) return null;
  const sign = view.sign;
  const list = (amounts) => (amounts === null ? "hidden" : amounts.map((amount) => money(amount, sign)).join(", ") || "none");
  const rounds = [...view.history].reverse();
  if (view.public) {
    const rows = rounds.map((played) => [played.number + 1, money(played.price, sign), list(played.bids), money(played.prize_value, sign)]);
    return table(["round", "price", "all bids", "prize's value"], rows, { caption: "closed rounds" });
  }
  if (view.seat === null) {
    const rows = rounds.map((played) => [
      played.number + 1,
      played.winner === null ? "not sold" : seatName(played.winner, view.names[played.winner]),
      money(played.price, sign),
      ...played.bids.map((bid, seat) => `${money(bid, sign)} (${money(played.values[seat], sign)})`),
      ...(view.values === "cv" ? [money(played.prize_value, sign)] : []),
    ]);
    const headings = ["round", "winner", "price", ...view.names.map((name) => `${name}: bid (value)`), ...(view.values === "cv" ? ["prize's value"] : [])];
    return table(headings, rows, { caption: "closed rounds" });
  }
  const rows = rounds.map((played) => [
    played.number + 1,
    money(played.value, sign),
    money(played.bid, sign),
    played.won ? "won" : "lost",
    money(played.price, sign),
    money(played.profit, sign),
    played.exits === null ? list(played.bids) : list(played.exits),
  ]);
  const others = view.history[0].exits === null ? "all bids" : "others left at";
  return table(["round", "value", "bid", "result", "price", "profit", others], rows, { caption: "closed rounds" });
}
