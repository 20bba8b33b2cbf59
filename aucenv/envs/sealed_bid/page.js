/** Sealed-bid auctions: values and bids of the current round on one scale, and the closed rounds. */

import { prizeSeats, prizeView, roundHead, roundsChart, roundsTable } from "../single_item/page.js";
import { chart } from "aucenv/chart.js";
import { svg } from "aucenv/dom.js";
import { seatMark } from "aucenv/seats.js";
import { money, short } from "aucenv/text.js";

const PRICINGS = { first: "first price", second: "second price", third: "third price", all_pay: "all-pay" };

export const sealedBidPage = { view: sealedBidView, render: renderSealedBid, said: saidInSealedBid, place: (decision) => `Round ${decision.item + 1}` };

/** Return the view of a seat before a decision, or at the end; seat null: everything. See `page.py`. */
export function sealedBidView(game, move, seat) {
  const { pricing, bid_cap: cap, reserve } = game.scenario;
  return { ...prizeView(game, move, seat), pricing, cap, reserve };
}

function saidInSealedBid(game, amount) {
  return amount === null ? "abstains" : `bids ${money(amount, game.sign)}`;
}

/** Return the board of a view; see `renderEnglish`. */
export function renderSealedBid(view, game, bids) {
  const bidOf = (seat) => {
    const bid = bids.find(([bidder]) => bidder === seat);
    return [bid ? (bid[1] === null ? "none" : money(bid[1], view.sign)) : view.status === "running" && !view.public ? "not yet" : "–"];
  };
  return [
    roundHead(view, PRICINGS[view.pricing]),
    view.status === "running" && !view.public && scale(view, bids),
    prizeSeats(view, [["bid"], bidOf]),
    roundsChart(view),
    roundsTable(view),
  ];
}

/** Draw the values as lines and the bids as marks, a row for each seat that is shown. */
function scale(view, bids) {
  const seats = view.seat === null ? view.names.map((_, seat) => seat) : [view.seat];
  const values = seats.map((seat) => (view.seat === null ? view.value[seat] : view.value));
  const high = Math.max(...values, ...bids.map(([, bid]) => bid ?? 0), 1);
  const row = 30;
  const said = seats.map((seat, k) => {
    const bid = bids.find(([bidder]) => bidder === seat);
    return `${view.names[seat]}: value ${money(values[k], view.sign)}${bid ? `, bid ${money(bid[1], view.sign)}` : ""}`;
  });
  return chart({
    label: said.join("; "),
    height: row * seats.length + 50,
    left: 110,
    x: { low: Math.min(0, ...values), high: high * 1.05, format: (value) => short(value, view.sign), title: "value (line) and bid (mark)" },
    y: { low: 0, high: 1 },
    draw: (toX) =>
      seats.map((seat, k) => {
        const y = 24 + k * row;
        const bid = bids.find(([bidder]) => bidder === seat);
        return [
          svg("text", { class: "label end", x: 100, y: y + 4 }, view.names[seat]),
          svg("line", { class: "grid", x1: toX(0), x2: toX(high * 1.05), y1: y, y2: y }),
          svg("line", { class: "own-value", x1: toX(values[k]), x2: toX(values[k]), y1: y - 9, y2: y + 9 }),
          bid && bid[1] !== null && seatMark(seat, toX(bid[1]), y, { scale: 1.3 }),
        ];
      }),
  });
}
