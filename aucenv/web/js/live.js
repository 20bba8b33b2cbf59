/** A live table: the board of a seat, what it may decide, and after the game its replay. */

import { renderBoard } from "./board.js";
import { h, prose, show } from "./dom.js";
import { hostPanel } from "./host.js";
import { createReplay } from "./replay.js";
import { rubricsForm } from "./rubrics.js";
import { themeButton } from "./theme.js";
import { readyForm, requestForm } from "./turn.js";

const WRONG_TOKEN = 4001;
const FOREIGN = 4003;
const DRAFT_PAUSE = 300;
const ERROR_TIME = 5000;
const LONGEST_PAUSE = 5000;

/** Start the page of a table. */
export function startTable() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const table = createTable();
  document.body.prepend(h("header", {}, h("h1", {}, "aucenv"), table.status, h("nav", { "aria-label": "page" }, themeButton())));
  show(document.getElementById("main"), table.node);
  addEventListener("hashchange", () => location.reload());
  document.documentElement.dataset.ready = "yes";
  if (!token) table.fail("This address has no token. Open the whole link that the host has sent.");
  else connect(token, table);
}

/** Keep a socket open, and hand its messages to the table. */
function connect(token, table) {
  let pause = 250;
  let socket = null;
  let isOver = false;
  const answers = new Map(); // request -> {message, socket}: what the server has not acknowledged yet
  const others = new Map(); // the same for what is not an answer

  function open() {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/table`);
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ token }));
      for (const message of others.values()) socket.send(JSON.stringify(message));
    });
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.type !== "error") pause = 250;
      if (message.type === "receipt") answers.delete(message.request);
      if (message.type === "done") others.delete(message.do);
      if (message.type === "error") for (const waiting of [answers, others]) waiting.clear(); // it is not sent again
      if (message.type === "seat") sendAgain(message);
      if ("phase" in message) isOver = message.phase === "over";
      table.receive(message);
    });
    socket.addEventListener("close", (event) => {
      if (event.code === WRONG_TOKEN) return table.fail("This link is not one of this run. Ask the host for a new one.");
      if (event.code === FOREIGN) return table.fail("The server does not accept this page's address. Ask the host for the right one.");
      if (isOver) return table.ended();
      table.lost();
      setTimeout(open, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      return undefined;
    });
  }

  /** Send an answer again once the server asks for it: after a restart, it first plays up to this request. */
  function sendAgain({ request }) {
    if (!request) return;
    for (const [id, waiting] of answers) {
      if (id !== request.id) answers.delete(id);
      else if (waiting.socket !== socket) {
        waiting.socket = socket;
        socket.send(JSON.stringify(waiting.message));
      }
    }
  }

  table.send = (message) => {
    if (message.do === "answer") answers.set(message.request, { message, socket });
    else if (message.do !== "draft") others.set(message.do, message);
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  open();
}

function createTable() {
  const status = h("p", { class: "status", role: "status" }, "Connecting…");
  const turn = h("section", { class: "turn card", "aria-label": "your turn", hidden: true });
  const board = h("section", { class: "board card", "aria-label": "board", hidden: true });
  const words = h("div", {});
  const details = h("details", { class: "card", hidden: true }, h("summary", {}, "The game so far, and its rules, in words"), words);
  const after = h("section", { hidden: true });
  const ratings = h("section", { hidden: true });
  const host = h("section", { hidden: true });
  const node = h("article", { class: "live" }, turn, board, details, ratings, after, host);
  const table = { node, status, send: () => {}, receive, lost, ended, fail };
  const typed = new Map(); // request -> what is typed but not sent
  const shown = new Map(); // type -> the last frame of replays and ratings, which stay as they are
  let errorUntil = 0;
  let statusTimer = null;
  let request = null;
  let shownRequest = null;
  let replay = null;
  let form = null;
  let draftTimer = null;

  function say(text, isBad = false) {
    clearTimeout(statusTimer);
    if (isBad) errorUntil = Date.now() + ERROR_TIME;
    else if (Date.now() < errorUntil) { // an error stays for a while, and then the last status follows
      statusTimer = setTimeout(() => say(text), errorUntil - Date.now());
      return;
    }
    status.classList.toggle("bad", isBad);
    show(status, text);
  }

  function lost() {
    say("The connection is lost; trying again…", true);
    errorUntil = 0; // the next frame ends this error
  }

  function ended() {
    errorUntil = 0;
    say("The host has ended the run.");
  }

  function fail(text) {
    say(text, true);
    for (const part of [turn, board, details, after, ratings, host]) part.hidden = true;
  }

  function receive(message) {
    const handlers = { seat, observer: seat, replay: showReplay, result, rubrics, host: showHost, receipt, error: refused, done };
    handlers[message.type]?.(message);
  }

  function seat(frame) {
    request = frame.request ?? null;
    say(statusOf(frame));
    board.hidden = !frame.board || frame.phase === "lobby";
    if (!board.hidden) drawBoard(frame);
    details.hidden = !frame.words || (request !== null && !request.ready); // the rules stand open beside Ready
    if (frame.words) show(words, prose(frame.words));
    drawTurn(frame.words);
  }

  function drawBoard(frame) {
    try {
      const isKnown = frame.answered && (frame.answered.withdraw || frame.answered.amount !== null);
      show(board, renderBoard(frame.board, isKnown ? [[frame.board.seat, frame.answered.amount]] : [], frame.said));
    } catch (error) {
      show(board, h("p", { class: "bad" }, `The board cannot be drawn: ${error.message}`));
    }
  }

  function drawTurn(knows) {
    if (request === null) {
      shownRequest = null;
      turn.hidden = true;
      show(turn);
      document.title = "aucenv";
      return;
    }
    document.title = "Your turn – aucenv";
    const key = JSON.stringify([request.id, request.times_asked, request.ready]);
    if (key === shownRequest) return; // what is typed stays
    shownRequest = key;
    turn.hidden = false;
    const focused = turn.contains(document.activeElement) ? document.activeElement.id : "";
    form = request.ready
      ? requestForm({ ...request, draft: typed.get(request.id) ?? request.draft }, answer, draft)
      : readyForm(request, knows || request.text, () => table.send({ do: "ready", request: request.id }));
    show(turn, form.node);
    const field = focused && turn.querySelector(`#${focused}`);
    if (field) field.focus({ preventScroll: true });
    else if (document.activeElement === document.body || document.activeElement === null) turn.querySelector("h2").focus({ preventScroll: true });
  }

  function answer(decision) {
    clearTimeout(draftTimer);
    errorUntil = 0;
    table.send({ do: "answer", request: request.id, ...decision });
  }

  function draft(text) {
    clearTimeout(draftTimer);
    const { id } = request;
    typed.set(id, text);
    draftTimer = setTimeout(() => table.send({ do: "draft", request: id, text }), DRAFT_PAUSE);
  }

  function receipt(message) {
    if (message.status === "late") say(message.why, true);
  }

  function refused(message) {
    say(message.why, true);
    form?.release();
  }

  function done(message) {
    if (message.do === "rate") say("Your ratings are saved. Thank you.");
  }

  /** Return whether a frame is the one that is shown already: the server sends it again after a break. */
  function isShown(message) {
    const text = JSON.stringify(message);
    if (shown.get(message.type) === text) return true;
    shown.set(message.type, text);
    return false;
  }

  function showReplay(message) {
    if (isShown(message)) return;
    replay?.close();
    replay = createReplay(message.game, [], { run: 0, move: 0, seat: null }, { keepsAddress: true });
    after.hidden = false;
    show(after, h("p", { class: "note" }, "A game is over. This replay of it shows everything, also what was hidden."), replay.node);
  }

  function result(message) {
    if (isShown(message)) return;
    after.hidden = false;
    show(after, h("h2", {}, "Your result"), prose(message.text));
  }

  function rubrics(message) {
    if (isShown(message)) return;
    ratings.hidden = false;
    show(ratings, rubricsForm(message, (scores) => table.send({ do: "rate", scores })));
  }

  function showHost(message) {
    say("You are the host.");
    host.hidden = false;
    hostPanel(host, message, table.send);
  }

  return table;
}

function statusOf(frame) {
  if (frame.phase === "failed") return "This table has failed. The host's terminal says why.";
  if (frame.phase === "lobby") return `Waiting for everybody: ${frame.here} of ${frame.people} are here.`;
  if (frame.type === "observer") return frame.phase === "over" ? "The games are over." : "You are watching: you see what all bidders know.";
  const place = frame.place ? `${frame.person}: ${frame.place} ` : "";
  if (frame.phase === "over") return "The games are over.";
  if (frame.replaced_by) return `${place}The bidder ${frame.replaced_by} plays on for you.`;
  const late = frame.not_accepted ? `${frame.not_accepted} ` : frame.timed_out ? "Your time was over, and you made no bid. " : "";
  if (frame.request) return `${place}${late}${frame.request.ready ? "It is your turn." : "Please read the rules, and say when you are ready."}`;
  return `${place}${late}${frame.answered ? "Your answer counts. " : ""}Please wait for the others.`;
}
