/** Proxy auctions: the price by move, the maxima, and the closed rounds. */

import { prizeSeats, prizeView, roundHead, roundsChart, roundsTable } from "../single_item/page.js";
import { chart, level, line } from "aucenv/chart.js";
import { h, svg } from "aucenv/dom.js";
import { seatMark, seatName } from "aucenv/seats.js";
import { table } from "aucenv/tables.js";
import { cents, money, short } from "aucenv/text.js";

const MAX_DAYS = 20;

export const ebayPage = { view: ebayView, render: renderEbay, said: saidMaximum, place: (decision) => `Round ${decision.item + 1}, move ${decision.round + 1}` };

/** Return the view of a seat before a decision, or at the end; seat null: everything. See `page.py`. */
export function ebayView(game, move, seat) {
  const decision = game.decisions[move];
  const { closing, reserve, days, highest_maximum: highest } = game.scenario;
  const seats = game.seats.length;
  const { moves, maxima } = movesBefore(game, decision);
  const day = Math.floor(moves.length / seats);
  const now = decision ? daysNow(moves, seats, days, closing) : null;
  const isLast = decision !== undefined && day === now - 1;
  const last = moves.at(-1);
  const own = maxima.map((each) => (each ? each.amount : null));
  const shared = prizeView(game, move, seat);
  const closed = (played) => ({ ...played, leader: game.outcome.prizes[played.number].leader, days: game.outcome.prizes[played.number].days });
  return {
    ...shared,
    history: seat === null ? shared.history : shared.history.map(closed),
    closing,
    reserve: reserve > 0,
    highest,
    price: decision ? (last ? last.price : game.scenario.start_price) : null,
    leader: decision && last ? last.leader : null,
    day: decision ? day : null,
    days_left: decision ? now - day - 1 : null,
    order: decision && (seat === null || !isLast) ? orderOf(game, decision, day) : null,
    maximum: decision ? (seat === null ? own : own[seat]) : seat === null ? own.map(() => null) : null,
    moves,
  };
}

/** Return the moves of the auction before a decision, and the maximum of each seat with the number of its move. */
function movesBefore(game, decision) {
  const { increment, start_price: start } = game.scenario;
  const numbers = new Map(game.seats.map((player, number) => [player.seat, number]));
  const maxima = game.seats.map(() => null);
  const moves = [];
  const isEarlier = (one) => decision && one.item === decision.item && one.round < decision.round;
  for (const { seat: name, amount } of game.decisions.filter(isEarlier)) {
    const seat = numbers.get(name);
    const raised = amount !== null && amount !== maxima[seat]?.amount;
    if (raised) maxima[seat] = { seat, amount, move: moves.length };
    const [top, second] = maxima.filter(Boolean).sort((a, b) => b.amount - a.amount || a.move - b.move);
    const price = second ? Math.min(cents(top.amount), cents(second.amount) + cents(increment)) / 100 : start;
    moves.push({ day: Math.floor(moves.length / game.seats.length), seat, raised, price, leader: top ? top.seat : null });
  }
  return { moves, maxima };
}

/** Return the number of days with those that a soft close has added before the current day. */
function daysNow(moves, seats, days, closing) {
  let late = false;
  let now = days;
  for (const [number, move] of moves.entries()) {
    late ||= move.raised;
    const begins = (number + 1) / seats; // the day that begins after this move
    if (closing === "soft" && late && begins === now - 1 && now < MAX_DAYS) {
      now += 1;
      late = false;
    }
  }
  return now;
}

/** Return the order of a day, which the decisions show; a game that was truncated on this day has it in its outcome. */
function orderOf(game, decision, day) {
  const seats = game.seats.length;
  const names = game.seats.map((player) => player.seat);
  const onDay = game.decisions.filter((one) => one.item === decision.item && Math.floor(one.round / seats) === day);
  const order = onDay.length < seats ? game.outcome.order : onDay.map((one) => one.seat);
  return order.map((name) => names.indexOf(name));
}

/** Return the board of a view; see `renderEnglish`. */
export function renderEbay(view, game, bids) {
  const of = (name, seat) => (view.seat === null ? view[name][seat] : view[name]);
  const nowOf = (seat) => {
    if (view.status !== "running" || view.public) return ["–", "–"];
    const bid = bids.find(([bidder]) => bidder === seat);
    return [money(of("maximum", seat), view.sign), bid ? maximumInWords(bid[1], view.sign) : "–"];
  };
  const running = view.status === "running";
  return [
    roundHead(view, `proxy auction, ${view.closing} close`),
    running && dayLine(view),
    running && movesChart(view),
    running && view.moves.length > 0 && h("p", { class: "note" }, "Line: the price. Marks on it: raises, filled if the bidder then leads. Marks at the left: maxima."),
    prizeSeats(view, [["maximum", "says"], nowOf]),
    running && movesTable(view),
    roundsChart(view),
    roundsTable(view),
  ];
}

function dayLine(view) {
  const leads = view.leader === null ? "nobody leads" : [seatName(view.leader, view.names[view.leader]), " leads"];
  const order = view.order === null ? "last day: no order is announced" : ["order: ", view.order.map((seat, k) => [k > 0 && ", ", seatName(seat, view.names[seat])])];
  return h("p", {}, `day ${view.day + 1} of ${view.day + 1 + view.days_left}, price `, h("strong", {}, money(view.price, view.sign)), ", ", leads, "; ", order, view.reserve && "; there is a hidden reserve");
}

function saidMaximum(game, amount) {
  return maximumInWords(amount, game.sign);
}

function maximumInWords(amount, sign) {
  return amount === null ? "holds" : `sets its maximum to ${money(amount, sign)}`;
}

/** Draw the price after each move, with a mark for each raise, and the values and maxima that are known. */
function movesChart(view) {
  if (!view.moves.length) return null;
  const seats = view.names.length;
  const said = view.moves.map((move) => `${view.names[move.seat]} ${move.raised ? "raises" : "holds"}, price ${money(move.price, view.sign)}`);
  const own = view.seat !== null && !view.public ? [[view.value, "value"], [view.maximum, "maximum"]] : [];
  return chart({
    label: `The price after each move. ${said.join("; ")}`,
    height: 200,
    x: { low: 0, high: Math.max(view.day + 1, view.moves.length / seats), whole: true, format: (value) => String(value), title: "day" },
    y: { low: 0, high: view.highest, format: (value) => short(value, view.sign) },
    draw: (toX, toY) => [
      line(view.moves.map((move, k) => [toX((k + 1) / seats), toY(move.price)]), "standing-line"),
      view.moves.map((move, k) => move.raised && seatMark(move.seat, toX((k + 1) / seats), toY(move.price), { hollow: move.leader !== move.seat })),
      own.map(([amount, text]) => amount !== null && level(toY, Math.min(amount, view.highest), "own-value", `${text} ${money(amount, view.sign)}`)),
      !view.public && view.seat === null && view.maximum.map((maximum, seat) => maximum !== null && svg("g", {}, seatMark(seat, toX(0) + 8 + 12 * seat, toY(maximum)))),
    ],
  });
}

/** Return the moves as a table, the last first. */
function movesTable(view) {
  if (!view.moves.length) return null;
  const rows = [...view.moves].reverse().map((move) => [
    move.day + 1,
    seatName(move.seat, view.names[move.seat]),
    move.raised ? "raises its maximum" : "holds",
    money(move.price, view.sign),
    move.leader === null ? "nobody" : seatName(move.leader, view.names[move.leader]),
  ]);
  return table(["day", "bidder", "move", "price", "leader"], rows, { caption: "moves of this round" });
}
