/** Clock auctions: the clock as a scale of prices, who is in, and the closed rounds. */

import { prizeSeats, prizeView, roundHead, roundsChart, roundsTable } from "../single_item/page.js";
import { chart } from "aucenv/chart.js";
import { h, svg } from "aucenv/dom.js";
import { seatMark } from "aucenv/seats.js";
import { cents, money, short } from "aucenv/text.js";

export const clockPage = { view: clockView, render: renderClock, said: saidOnClock, place: (decision) => `Round ${decision.item + 1}, tick ${decision.round + 1}` };

/** Return the view of a seat before a decision, or at the end; seat null: everything. See `page.py`. */
export function clockView(game, move, seat) {
  const decision = game.decisions[move];
  const { direction, feedback, lowest_price: low, highest_price: high, tick } = game.scenario;
  const rises = direction === "ascending";
  const [start, end] = rises ? [low, high] : [high, low];
  const price = decision ? (cents(start) + (rises ? 1 : -1) * cents(tick) * decision.round) / 100 : null;
  const limits = game.seats.map((player) => limitOf(game, decision, player, rises));
  const isIn = limits.map((limit) => decision !== undefined && !(rises && limit !== null && limit < price));
  const isOpen = rises && feedback === "open"; // nobody leaves a falling clock
  const stillIn = isIn.filter(Boolean).length;
  const exits = limits.filter((_, k) => !isIn[k]).sort((a, b) => b - a);
  const shows = decision !== undefined && (isOpen || seat === null);
  return {
    ...prizeView(game, move, seat),
    direction,
    open: isOpen,
    start,
    end,
    price,
    tick: decision ? decision.round : null,
    in: seat === null ? isIn : isIn[seat],
    limit: seat === null ? limits : limits[seat],
    still_in: shows ? stillIn : null,
    left_at: shows ? exits : null,
  };
}

/** Return the price at which a seat leaves or takes the prize, as it has named it before a decision's tick; or null. */
function limitOf(game, decision, player, rises) {
  const { lowest_price: lowest, tick } = game.scenario;
  const isEarlier = (one) => one.seat === player.seat && one.item === decision.item && one.round < decision.round;
  let limit = null;
  for (const { round, amount } of decision ? game.decisions.filter(isEarlier) : []) {
    if (rises && amount === null) limit = (cents(lowest) + cents(tick) * round) / 100;
    else if (amount !== null && !(rises && amount === 0)) limit = amount;
  }
  return limit;
}

/** Return the board of a view; see `renderEnglish`. */
export function renderClock(view, game, bids) {
  const of = (name, seat) => (view.seat === null ? view[name][seat] : view[name]);
  const nowOf = (seat) => {
    if (view.status !== "running" || view.public) return ["–", "–"];
    const bid = bids.find(([bidder]) => bidder === seat);
    const said = bid ? onClock(view.direction, bid[1], view.sign) : money(of("limit", seat), view.sign);
    return [of("in", seat) ? "in" : "out", said];
  };
  const running = view.status === "running";
  return [
    roundHead(view, `${view.direction} clock`),
    running && h("p", {}, "price ", h("strong", {}, money(view.price, view.sign)), view.still_in !== null && `, ${view.still_in} of ${view.names.length} in`),
    running && gauge(view),
    running && h("p", { class: "note" }, "Marks above the clock: values. Lines below it: prices at which bidders left."),
    prizeSeats(view, [["clock", "says"], nowOf]),
    roundsChart(view),
    roundsTable(view),
  ];
}

function saidOnClock(game, amount) {
  return onClock(game.scenario.direction, amount, game.sign);
}

function onClock(direction, amount, sign) {
  const rises = direction === "ascending";
  if (amount === null) return rises ? "leaves" : "waits";
  if (amount === 0 && rises) return "stays";
  return `${rises ? "stays until" : "takes it at"} ${money(amount, sign)}`;
}

/** Draw the scale of the clock: its price, values, and the prices at which bidders left. */
function gauge(view) {
  const [low, high] = [Math.min(view.start, view.end), Math.max(view.start, view.end)];
  const values = view.public ? [] : view.seat === null ? view.value.map((value, seat) => [seat, value]) : [[view.seat, view.value]];
  const exits = view.left_at ?? [];
  const said = exits.map((price) => money(price, view.sign)).join(", ");
  return chart({
    label: `Clock at ${money(view.price, view.sign)}, from ${money(view.start, view.sign)} to ${money(view.end, view.sign)}. Left at: ${said || "none"}.`,
    height: 120,
    x: { low, high, format: (value) => short(value, view.sign), title: "price" },
    y: { low: 0, high: 1 },
    draw: (toX, toY) => [
      svg("line", { class: "grid", x1: toX(low), x2: toX(high), y1: toY(0.4), y2: toY(0.4) }),
      svg("line", { class: "clock-run", x1: toX(view.start), x2: toX(view.price), y1: toY(0.4), y2: toY(0.4) }),
      svg("circle", { class: "dot", cx: toX(view.price), cy: toY(0.4), r: 7 }),
      values.map(([seat, value]) => seatMark(seat, toX(Math.max(low, Math.min(high, value))), toY(0.78), { scale: 1.2 })),
      exits.map((price) => svg("line", { class: "own-value", x1: toX(price), x2: toX(price), y1: toY(0.3), y2: toY(0.05) })),
    ],
  });
}
