/** The replay of a game: a board, its controls, and the current decision. */

import { renderBoard } from "./board.js";
import { boardsOf, forSeat } from "./boards.js";
import { renderCalls } from "./calls.js";
import { renderDecision, renderNotes } from "./decision.js";
import { h, show } from "./dom.js";
import { saidOf } from "./marks.js";
import { replayRoute } from "./route.js";
import { seatName } from "./seats.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const ADDRESS_PAUSE = 200; // browsers limit how often the address may change
const DECIDES = "This bidder decides from its view of the board, which its perspective shows.";
const CHEATS = "This bidder cheats: it decides from everything, also from what its seat cannot know.";

/**
 * A replay. It shows one moment: before a decision, or the end, to everybody or to one seat. In the perspective of a
 * seat, only its own decisions are moments, and nothing of the page holds what the seat could not know.
 *
 * @param game the record, with its boards.
 * @param calls the model calls of the game.
 * @param place {run, move, seat} of the first moment.
 * @param keepsAddress whether the address of the page stays as it is.
 */
export function createReplay(game, calls, place, { keepsAddress = false } = {}) {
  const { seats } = game;
  const boardAt = boardsOf(game.boards);
  const rounds = roundsOf(game.decisions);
  const state = { move: 0, seat: place.seat !== null && place.seat < seats.length ? place.seat : null };
  let moments = momentsOf(game, state.seat);
  let timer = null;
  let speed = 2;
  let addressTimer = null;
  let lastAddress = 0;
  const board = h("section", { class: "board card", "aria-label": "board" });
  const panel = h("aside", { class: "panel card", "aria-label": "decision" });
  const slider = h("input", { type: "range", min: 0, "aria-label": "decision" });
  const position = h("output", { class: "position", "aria-live": "off" });
  const seed = h("span", {});
  const playButton = h("button", { type: "button", class: "play" }, "Play");
  const perspective = h(
    "select",
    { id: "perspective" },
    h("option", { value: "" }, "everything"),
    seats.map((player, seat) => h("option", { value: seat }, `only ${player.name}`)),
  );
  const speeds = h("select", { id: "speed" }, SPEEDS.map((value) => h("option", { value, selected: value === speed }, `${value} a second`)));

  function go(at) {
    state.move = moments[Math.max(0, Math.min(at, moments.length - 1))];
    draw();
  }

  function step(by) {
    pause();
    go(moments.indexOf(state.move) + by);
  }

  function pause() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    show(playButton, "Play");
  }

  function play() {
    if (timer !== null) return pause();
    if (state.move === moments.at(-1)) go(0);
    show(playButton, "Pause");
    timer = setInterval(() => {
      go(moments.indexOf(state.move) + 1);
      if (state.move === moments.at(-1)) pause();
    }, 1000 / speed);
    return undefined;
  }

  function see(seat) {
    state.seat = seat;
    perspective.value = seat === null ? "" : String(seat);
    moments = momentsOf(game, seat);
    slider.max = seat === null ? String(moments.length - 1) : "0"; // how many decisions follow depends on the others
    go(nearest(moments, state.move));
  }

  function draw() {
    const at = moments.indexOf(state.move);
    slider.value = String(at);
    const isEnd = state.move === game.decisions.length;
    const total = state.seat === null ? ` of ${moments.length - 1}` : "";
    show(position, isEnd ? "end of the game" : `decision ${at + 1}${total}`);
    slider.hidden = state.seat !== null;
    slider.setAttribute("aria-valuetext", position.textContent);
    show(seed, state.seat === null ? seedInWords(game.seed) : ""); // it determines all hidden values
    for (const node of [board, panel]) show(node);
    try {
      show(board, drawBoard());
      show(panel, isEnd ? endPanel() : decisionPanel());
    } catch (error) {
      show(board, h("p", { class: "bad" }, `This decision cannot be drawn: ${error.message}`));
    }
    clearTimeout(addressTimer);
    addressTimer = setTimeout(writeAddress, Math.max(0, lastAddress + ADDRESS_PAUSE - Date.now()));
  }

  function writeAddress() {
    lastAddress = Date.now();
    if (!keepsAddress && location.protocol !== "about:") history.replaceState(null, "", replayRoute(place.run, game.index, state.move, state.seat));
  }

  function drawBoard() {
    const everything = boardAt(rounds[state.move]);
    return renderBoard(state.seat === null ? everything : forSeat(everything, state.seat), decisionsBefore(game, rounds, state), game.said);
  }

  function decisionPanel() {
    const decision = game.decisions[state.move];
    const turn = game.decisions.slice(0, state.move).filter((one) => one.seat === decision.seat).length;
    const chosen = calls.filter((call) => call.seat === decision.seat && call.decision === turn);
    const isRule = typeof decision.action !== "string" && !chosen.length;
    return [
      renderDecision(game, decision, state.move, saidOf(game.said, decision.amount)),
      isRule && h("p", { class: "note" }, game.seats.find((one) => one.seat === decision.seat).cheats ? CHEATS : DECIDES),
      renderCalls(chosen),
    ];
  }

  function endPanel() {
    const seats = game.seats.map((_, seat) => seat).filter((seat) => state.seat === null || seat === state.seat);
    const turns = (seat) => game.decisions.filter((one) => one.seat === game.seats[seat].seat).length;
    return [
      h("h3", {}, `The game is ${game.outcome.status}`),
      seats.map((seat) => {
        const player = game.seats[seat];
        const closing = calls.filter((call) => call.seat === player.seat && call.decision >= turns(seat));
        const notes = renderNotes(game, player.notes ?? {}, player.seat).flat(Infinity).filter(Boolean);
        if (!notes.length && !closing.length) return null;
        return h("section", {}, h("h4", {}, seatName(seat, player.name)), notes, renderCalls(closing));
      }),
    ];
  }

  function key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, [role=region], [role=group]")) return;
    const onButton = event.target.closest("button, a, summary");
    const actions = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => go(0), End: () => go(moments.length - 1), a: () => see(null) };
    if (event.key === " " && !onButton) actions[" "] = play;
    if (/^[1-9]$/.test(event.key) && Number(event.key) <= seats.length) actions[event.key] = () => see(Number(event.key) - 1);
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  playButton.addEventListener("click", play);
  slider.addEventListener("input", () => {
    pause();
    go(Number(slider.value));
  });
  perspective.addEventListener("change", () => see(perspective.value === "" ? null : Number(perspective.value)));
  speeds.addEventListener("change", () => {
    speed = Number(speeds.value);
    if (timer !== null) {
      pause();
      play();
    }
  });
  const help = "Keys: ← → step, space plays, Home, End, 1 to 9 choose a bidder, a shows everything. The address of the page links to this moment.";
  const button = (label, text, action) => h("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
  const controls = h(
    "div",
    { class: "controls card" },
    button("first decision", "|◀", () => go(0)),
    button("previous decision", "◀", () => step(-1)),
    playButton,
    button("next decision", "▶", () => step(1)),
    button("end", "▶|", () => go(moments.length - 1)),
    slider,
    position,
    h("label", { class: "field" }, "Show", perspective),
    h("label", { class: "field" }, "Speed", speeds),
    h("p", { class: "note keys" }, help),
  );
  state.move = place.move ?? 0;
  see(state.seat);
  const title = h("h2", { tabindex: "-1" }, `Game ${game.index}`, h("small", {}, " ", h("bdi", {}, game.scenario.name), seed));
  const node = h("article", { class: "replay", tabindex: keepsAddress ? "0" : null, "aria-label": keepsAddress ? "replay" : null }, title, controls, h("div", { class: "stage" }, board, panel));
  const keys = keepsAddress ? node : document; // the keys of another part of the page are not the replay's
  keys.addEventListener("keydown", key);
  return {
    node,
    close() {
      clearInterval(timer);
      clearTimeout(addressTimer);
      keys.removeEventListener("keydown", key);
    },
  };
}

/** Return the moments of a perspective: the numbers of its decisions, and of the end. */
function momentsOf(game, seat) {
  const all = game.decisions.map((_, move) => move);
  const chosen = seat === null ? all : all.filter((move) => game.decisions[move].seat === game.seats[seat].seat);
  return [...chosen, game.decisions.length];
}

/** Return a game's seed in words: in a run, it is the seed of the run and the number of the deal. */
function seedInWords(seed) {
  if (seed.length === 0) return "";
  return seed.length === 2 ? `, seed ${seed[0]}, deal ${seed[1]}` : `, seed ${seed.join(", ")}`;
}

function nearest(moments, move) {
  const at = moments.findIndex((each) => each >= move);
  return at < 0 ? moments.length - 1 : at;
}

/** Return the number of the board of each decision, and of the end: decisions of a round follow each other. */
function roundsOf(decisions) {
  let number = -1;
  const isFirst = (one, before) => !before || one.item !== before.item || one.round !== before.round;
  const rounds = decisions.map((one, k) => (isFirst(one, decisions[k - 1]) ? (number += 1) : number));
  return [...rounds, number + 1];
}

/** Return the decisions of the open round that are shown already: up to the current one, of the seats that are shown. */
function decisionsBefore(game, rounds, { move, seat }) {
  return game.decisions
    .slice(0, move + 1)
    .filter((_, k) => rounds[k] === rounds[move])
    .map((one) => [game.seats.findIndex((player) => player.seat === one.seat), one.amount])
    .filter(([bidder]) => seat === null || bidder === seat);
}
