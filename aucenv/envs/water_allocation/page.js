/** Water allocation: the supply of the day, residents with health and money, and health over the days. */

import { chart, line } from "aucenv/chart.js";
import { h } from "aucenv/dom.js";
import { seatClass, seatMark, seatName } from "aucenv/seats.js";
import { table } from "aucenv/tables.js";
import { cents, ended, money } from "aucenv/text.js";

export const waterAllocationPage = { view: waterView, render: renderWater, said: saidInWater, place: (decision) => `Day ${decision.item + 1}` };

/** Return the view of a seat before a decision, or at the end; seat null: everything. See `page.py`. */
export function waterView(game, move, seat) {
  const decision = game.decisions[move];
  const scenario = game.scenario;
  const [lowest, highest] = scenario.supply_range;
  const day = decision ? decision.item : game.outcome.days.length;
  const numbers = new Map(game.seats.map((player, number) => [player.seat, number]));
  const history = game.outcome.days.slice(0, day).map((closed) => closedDay(closed, numbers));
  return {
    seat,
    status: decision ? "running" : game.outcome.status,
    day,
    days: scenario.days,
    supply: decision ? game.deal.supplies[day] : null,
    supply_range: [lowest, scenario.supply_endpoint === false ? highest - 1 : highest],
    health_cap: scenario.health_cap,
    voids: scenario.over_balance === "void",
    persona: seat === null ? null : scenario.residents[seat].persona,
    residents: game.seats.map((player, number) => residentState(game, player, number, history, decision !== undefined)),
    history,
    refused: null,
  };
}

function closedDay(day, numbers) {
  return {
    number: day.number,
    supply: day.supply,
    bids: Object.entries(day.bids).map(([seat, bid]) => [numbers.get(seat), bid]),
    void: day.void.map((seat) => numbers.get(seat)),
    winners: day.winners.map((seat) => numbers.get(seat)),
    after: Object.entries(day.after).map(([seat, after]) => [numbers.get(seat), after.balance, after.health, after.no_water_days]),
  };
}

function residentState(game, player, number, history, running) {
  const { need, salary } = game.deal.seats[number];
  let [balance, health, dry] = [0, game.scenario.start_health, 0];
  for (const day of history)
    for (const [seat, ...after] of day.after) if (seat === number) [balance, health, dry] = after;
  const alive = health > 0;
  const paid = alive ? (cents(balance) + (running ? cents(salary) : 0)) / 100 : 0;
  return { name: player.name, need, salary, alive, health, no_water_days: dry, balance: paid, decides: running && alive };
}

function saidInWater(game, amount) {
  return amount === null ? "makes no bid" : `bids ${money(amount)}`;
}

/** Return the board of a view; see `renderEnglish`. */
export function renderWater(view, game, bids) {
  const running = view.status === "running";
  return [
    h("h3", {}, running ? `Day ${view.day + 1} of ${view.days}` : `The game is ${ended(view.status)} after ${view.day} days`),
    running && supplyBar(view),
    view.persona && h("p", { class: "note", dir: "auto" }, view.persona),
    residents(view, bids),
    healthChart(view),
    dayTable(view),
  ];
}

function supplyBar(view) {
  const needed = view.residents.filter((one) => one.alive).reduce((sum, one) => sum + one.need, 0);
  return h(
    "p",
    { class: "supply" },
    h("meter", { min: 0, max: Math.max(needed, view.supply_range[1]), value: view.supply, "aria-label": "supply" }),
    ` supply ${view.supply} of ${view.supply_range[0]} to ${view.supply_range[1]} units; all who live need ${needed}`,
  );
}

function residents(view, bids) {
  const bidOf = (seat) => {
    const bid = bids.find(([bidder]) => bidder === seat);
    if (!bid) return view.status === "running" && view.residents[seat].alive ? "not yet" : "–";
    return bid[1] === null ? "no bid" : money(bid[1]);
  };
  const rows = view.residents.map((one, seat) => [
    seatName(seat, one.name),
    one.alive
      ? h("span", { class: "budget" }, h("meter", { min: 0, max: view.health_cap, low: 4, value: one.health, "aria-label": `health of ${one.name}` }), ` ${one.health} of ${view.health_cap}`)
      : "dead",
    money(one.balance),
    bidOf(seat),
    one.need,
    money(one.salary),
    one.no_water_days,
  ]);
  return table(["resident", "health", "balance", "bid", "need", "salary", "days without water"], rows, { caption: "residents" });
}

function healthChart(view) {
  if (!view.history.length) return null;
  const points = view.residents.map((_, seat) =>
    view.history.flatMap((day) => day.after.filter(([one]) => one === seat).map(([, , health]) => [day.number, Math.max(health, 0)])),
  );
  const said = view.residents.map((one, seat) => `${one.name}: ${points[seat].map(([, health]) => health).join(", ")}`).join("; ");
  return chart({
    label: `Health at the end of each day. ${said}.`,
    height: 190,
    x: { low: 0.5, high: view.days + 0.5, format: String, whole: true, title: "health at the end of each day" },
    y: { low: 0, high: view.health_cap, format: String },
    draw: (toX, toY) =>
      points.map((own, seat) => {
        const shift = (seat - (points.length - 1) / 2) * 2;
        const places = own.map(([day, health]) => [toX(day) + shift, toY(health)]);
        return [line(places, `health ${seatClass(seat)}`), places.map(([x, y]) => seatMark(seat, x, y, { scale: 0.75 }))];
      }),
  });
}

function dayTable(view) {
  if (!view.history.length) return null;
  const rows = [...view.history].reverse().map((day) => [
    day.number,
    day.supply,
    ...view.residents.map((_, seat) => {
      const bid = day.bids.find(([one]) => one === seat);
      if (!bid) return "–";
      const text = bid[1] === null ? "no bid" : money(bid[1]);
      const place = day.winners.indexOf(seat);
      if (day.void.includes(seat)) return `${text} (void)`;
      return place < 0 ? text : h("strong", {}, `${text} (water)`);
    }),
  ]);
  return table(["day", "supply", ...view.residents.map((one) => one.name)], rows, { caption: "closed days" });
}

