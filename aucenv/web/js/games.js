/** The list of games, with filters and search. */

import { h, show } from "./dom.js";
import { replayRoute } from "./route.js";
import { search } from "./search.js";
import { seatName } from "./seats.js";
import { table } from "./tables.js";
import { count, money } from "./text.js";

const PAGE = 100;
const least = (seats) => Math.min(...seats.map((seat) => seat.score));
const most = (seats) => Math.max(...seats.map((seat) => seat.score));
/** Orders of games: key, label, and the number by which games rise. Seats are those that the filters choose. */
const ORDERS = [
  ["", "as played", () => 0],
  ["worst", "worst result first", (game, seats) => least(seats)],
  ["best", "best result first", (game, seats) => -most(seats)],
  ["long", "longest first", (game) => -game.moves],
  ["short", "shortest first", (game) => game.moves],
];

/** Return the view of all games of the page. */
export function renderGames(summary) {
  const list = h("div", { class: "games" });
  const status = h("p", { class: "note", role: "status" });
  const bidder = select("Bidder", [["", "all bidders"], ...summary.bidders.map((name, number) => [number, name])]);
  const mistakes = select("Mistakes", [["", "all games"], ["any", "games with mistakes"], ...summary.mistakes.map((kind) => [kind, kind])]);
  const seats = Math.max(...summary.games.map((game) => game.seats.length));
  const seat = select("Seat", [["", "any seat"], ...Array.from({ length: seats }, (_, k) => [k, `seat ${k + 1}`])]);
  const order = select("Order", ORDERS.map(([key, label]) => [key, label]));
  const query = h("input", { type: "search", id: "search", placeholder: "words of a reply, plan or prompt", autocomplete: "off" });
  let version = 0;

  /** Return whether a seat of a game is one that the filters choose. */
  function isChosen(one, place) {
    return (!bidder.value || String(one.bidder) === bidder.value) && (!seat.value || String(place) === seat.value);
  }

  function chosen() {
    const wanted = summary.games
      .map((_, number) => number)
      .filter((number) => {
        const game = summary.games[number];
        const kinds = Object.keys(game.mistakes);
        const isWanted = game.seats.some(isChosen);
        return isWanted && (!mistakes.value || (mistakes.value === "any" ? kinds.length > 0 : kinds.includes(mistakes.value)));
      });
    const value = ORDERS.find(([key]) => key === order.value)[2];
    const key = (number) => value(summary.games[number], summary.games[number].seats.filter(isChosen));
    return order.value ? wanted.sort((one, other) => key(one) - key(other)) : wanted;
  }

  async function update() {
    const current = ++version;
    const games = chosen();
    if (query.value.trim().length < 2) {
      show(status, count(games.length, "game"));
      show(list, gameList(summary, games));
      return;
    }
    show(list);
    show(status, "Searching …");
    let places = 0;
    const lines = h("ol", { class: "places" });
    show(list, lines);
    for await (const place of search(summary, games, query.value.trim(), () => current === version)) {
      lines.append(foundLine(summary, place));
      places += 1;
    }
    if (current === version) show(status, `${count(places, "place")} in ${count(games.length, "game")}`);
  }

  let timer = null;
  query.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, 250);
  });
  for (const field of [bidder, seat, mistakes, order]) field.addEventListener("change", update);
  update();
  const searchField = h("label", { class: "field", for: "search" }, "Search", query);
  return [h("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, bidder.parentNode, seat.parentNode, mistakes.parentNode, order.parentNode, searchField), status, list];
}

/** Return links to the best, the worst and the longest game of each bidder. */
export function gamesToSee(summary) {
  const rows = summary.bidders.map((name, bidder) => {
    const played = summary.games.flatMap((game) => game.seats.map((seat, k) => ({ game, seat, k })).filter((one) => one.seat.bidder === bidder));
    const first = (key) => played.reduce((best, one) => (key(one) < key(best) ? one : best));
    const link = ({ game, seat, k }, text) => h("a", { href: replayRoute(game.run, game.index, 0, null) }, text ?? scoreOf(game, seat.score), h("span", { class: "note" }, ` seat ${k + 1}`));
    const longest = first(({ game }) => -game.moves);
    return [name, link(first(({ seat }) => -seat.score)), link(first(({ seat }) => seat.score)), link(longest, count(longest.game.moves, "decision"))];
  });
  return table(["bidder", "best game", "worst game", "longest game"], rows, { caption: "games to see" });
}

function select(label, options) {
  const field = h("select", {}, options.map(([value, text]) => h("option", { value }, text)));
  h("label", { class: "field" }, label, field);
  return field;
}

function gameList(summary, games) {
  const rows = h("ol", { class: "game-rows" });
  const more = h("button", { type: "button" }, "Show more games");
  let shown = 0;
  const extend = () => {
    rows.append(...games.slice(shown, shown + PAGE).map((number) => gameRow(summary, summary.games[number])));
    shown += PAGE;
    more.hidden = shown >= games.length;
  };
  more.addEventListener("click", extend);
  extend();
  return [rows, more];
}

function gameRow(summary, game) {
  const mistakes = Object.entries(game.mistakes).map(([kind, number]) => `${kind}: ${number}`);
  const run = summary.runs.length > 1 ? `${summary.runs[game.run].name}, ` : "";
  return h(
    "li",
    { class: "card game-row" },
    h("a", { href: replayRoute(game.run, game.index, 0, null) }, `${run}game ${game.index}`),
    h("span", { class: "note" }, h("bdi", {}, game.scenario), `, ${count(game.moves, "decision")}`),
    h(
      "ul",
      { class: "scores" },
      game.seats.map((seat, k) =>
        h("li", { class: seat.won ? "won" : "" }, seatName(k, summary.bidders[seat.bidder]), " ", scoreOf(game, seat.score), seat.won && " (first)"),
      ),
    ),
    mistakes.length > 0 && h("p", { class: "bad" }, mistakes.join(", ")),
  );
}

function scoreOf(game, score) {
  return game.sign ? money(score, game.sign) : `${score} ${game.unit}`;
}

function foundLine(summary, place) {
  const game = summary.games[place.number];
  const who = summary.bidders[game.seats[Number(place.seat.split("_")[1])].bidder];
  const address = replayRoute(game.run, game.index, place.move, null);
  return h("li", {}, h("a", { href: address }, `game ${game.index}, decision ${place.move + 1}, ${who}`), h("p", { class: "excerpt" }, h("bdi", {}, place.text)));
}
