/** A live table: the board of a seat, what it may decide, and after the game its replay. */

import { h, prose, show } from "./dom.js";
import { hostPanel } from "./host.js";
import { createReplay } from "./replay.js";
import { rubricsForm } from "./rubrics.js";
import { themeButton } from "./theme.js";
import { requestForm } from "./turn.js";

const WRONG_TOKEN = 4001;
const FOREIGN = 4003;
const DRAFT_PAUSE = 300;
const LONGEST_PAUSE = 5000;

/**
 * Start the page of a table.
 * @param pages the pages of games by name, of which there is one; see `createReplay`.
 */
export function startTable(pages) {
  const page = Object.values(pages)[0] ?? null;
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const table = createTable(page);
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
  const waiting = new Map(); // what the server has not acknowledged yet

  function open() {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/table`);
    socket.addEventListener("open", () => {
      socket.send(JSON.stringify({ token }));
      for (const message of waiting.values()) socket.send(JSON.stringify(message));
    });
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      pause = 250;
      if (message.type === "receipt") waiting.delete(message.request);
      if (message.type === "error" || message.type === "done") waiting.clear();
      table.receive(message);
    });
    socket.addEventListener("close", (event) => {
      if (event.code === WRONG_TOKEN) return table.fail("This link is not one of this run. Ask the host for a new one.");
      if (event.code === FOREIGN) return table.fail("The server does not accept this page's address. Ask the host for the right one.");
      table.lost();
      setTimeout(open, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      return undefined;
    });
  }

  table.send = (message, key = null) => {
    if (key !== null) waiting.set(key, message);
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  open();
}

function createTable(page) {
  const status = h("p", { class: "status", role: "status" }, "Connecting…");
  const turn = h("section", { class: "turn card", "aria-label": "your turn", hidden: true });
  const board = h("section", { class: "board card", "aria-label": "board", hidden: true });
  const words = h("div", {});
  const details = h("details", { class: "card", hidden: true }, h("summary", {}, "The game so far, and its rules, in words"), words);
  const after = h("section", { hidden: true });
  const form = h("section", { hidden: true });
  const host = h("section", { hidden: true });
  const node = h("article", { class: "live" }, turn, board, details, form, after, host);
  const table = { node, status, send: () => {}, receive, lost, fail };
  let request = null;
  let shownRequest = null;
  let replay = null;
  let draftTimer = null;

  function say(text, isBad = false) {
    status.classList.toggle("bad", isBad);
    show(status, text);
  }

  function lost() {
    say("The connection is lost; trying again…", true);
  }

  function fail(text) {
    say(text, true);
    for (const part of [turn, board, details, after, form, host]) part.hidden = true;
  }

  function receive(message) {
    const handlers = { seat, observer: seat, replay: showReplay, rubrics, host: showHost, receipt, error: refused, done };
    handlers[message.type]?.(message);
  }

  function seat(frame) {
    request = frame.request ?? null;
    say(statusOf(frame));
    const isOpen = frame.view !== null && frame.phase !== "lobby";
    board.hidden = !isOpen || page === null;
    if (isOpen && page !== null) drawBoard(frame);
    details.hidden = !frame.words;
    if (frame.words) show(words, prose(frame.words));
    drawTurn();
  }

  function drawBoard(frame) {
    try {
      show(board, page.render(frame.view, { sign: frame.view.sign ?? "$" }, []));
    } catch (error) {
      show(board, h("p", { class: "bad" }, `The board cannot be drawn: ${error.message}`));
    }
  }

  function drawTurn() {
    if (request === null) {
      shownRequest = null;
      turn.hidden = true;
      show(turn);
      document.title = "aucenv";
      return;
    }
    document.title = "Your turn – aucenv";
    const key = JSON.stringify([request.id, request.times_asked]);
    if (key === shownRequest) return; // what is typed stays
    shownRequest = key;
    turn.hidden = false;
    show(turn, requestForm(request, answer, draft));
    if (document.activeElement === document.body || document.activeElement === null) turn.querySelector("h2").focus({ preventScroll: true });
  }

  function answer(decision) {
    clearTimeout(draftTimer);
    table.send({ do: "answer", request: request.id, ...decision }, request.id);
  }

  function draft(text) {
    clearTimeout(draftTimer);
    const { id } = request;
    draftTimer = setTimeout(() => table.send({ do: "draft", request: id, text }), DRAFT_PAUSE);
  }

  function receipt(message) {
    if (message.status === "late") say(message.why, true);
  }

  function refused(message) {
    say(message.why, true);
    for (const button of turn.querySelectorAll("button")) button.disabled = false;
  }

  function done(message) {
    if (message.do === "rate") say("Your ratings are saved. Thank you.");
  }

  function showReplay(message) {
    replay?.close();
    replay = createReplay(message.game, page, [], { run: 0, move: 0, seat: null }, { keepsAddress: true });
    after.hidden = false;
    show(after, h("p", { class: "note" }, "The game is over. This replay shows everything, also what was hidden."), replay.node);
  }

  function rubrics(message) {
    form.hidden = false;
    show(form, rubricsForm(message, (scores) => table.send({ do: "rate", scores })));
  }

  function showHost(message) {
    say("You are the host.");
    host.hidden = false;
    hostPanel(host, message, table.send);
  }

  return table;
}

function statusOf(frame) {
  if (frame.phase === "lobby") return `Waiting for everybody: ${frame.here} of ${frame.people} are here.`;
  if (frame.type === "observer") return frame.phase === "over" ? "The games are over." : "You are watching: you see what all bidders know.";
  const name = frame.name === null ? "" : `You are ${frame.name}. `;
  if (frame.request) return `${name}It is your turn.`;
  return frame.phase === "over" ? "The games are over." : `${name}Please wait for the others.`;
}
