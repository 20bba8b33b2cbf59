/** What the host of a run sees: who is here and who decides; and what the host may do. */

import { h, show } from "./dom.js";
import { table } from "./tables.js";

/**
 * Show the tables of a run.
 * @param node where; what is typed in it stays.
 * @param message {tables, bidder}; see `aucenv.commands.hosting.room`.
 * @param send sends a message.
 */
export function hostPanel(node, message, send) {
  const bidder = node.querySelector("#bidder")?.value ?? message.bidder;
  const text = JSON.stringify(message);
  if (node.dataset.shown === text) return;
  if (node.querySelector("button:active")) { // a click that has begun
    setTimeout(() => hostPanel(node, message, send), 300);
    return;
  }
  node.dataset.shown = text;
  const key = node.contains(document.activeElement) ? document.activeElement.id : "";
  const replace = (person) => h("button", { type: "button", id: `replace-${CSS.escape(person)}`, onclick: (event) => confirmed(event.target, () => send({ do: "replace", person, bidder: node.querySelector("#bidder").value })) }, "Replace");
  const start = (number, text) => h("button", { type: "button", onclick: () => send({ do: "start", table: number }) }, text);
  const rows = message.tables.flatMap((one) =>
    one.people.map((person) => [
      h("bdi", {}, person.name),
      one.table,
      { lobby: "in the lobby", playing: "playing", over: "over", failed: "failed" }[one.phase],
      person.here ? "here" : h("span", { class: "bad" }, "away"),
      person.replaced_by ? h("span", {}, "replaced by ", h("bdi", {}, person.replaced_by)) : !person.ready ? "reads the rules" : person.decides ? "decides" : "–",
      one.phase === "lobby" ? start(one.table, "Start the table") : one.phase === "playing" && !person.replaced_by ? [person.ready ? "" : start(one.table, "Start the time"), replace(person.name)] : "",
    ]),
  );
  const input = h("input", { id: "bidder", type: "text", size: 16 });
  input.value = bidder;
  show(
    node,
    h("h2", {}, "Tables"),
    h("p", { class: "note" }, "A table starts when everybody is here, or when you start it. With a time limit, the time of a person's first decision starts when the person is ready, or when you start it. A bidder that replaces a person plays on until the end of the game."),
    table(["person", "table", "phase", "connection", "now", "action"], rows, { caption: "people" }),
    h("p", {}, h("label", { class: "field" }, "Bidder in place of a person ", input)),
  );
  if (key) document.getElementById(key)?.focus();
}

/** Act on the second click on a button. */
function confirmed(button, act) {
  if (button.dataset.asks) act();
  else {
    button.dataset.asks = "yes";
    show(button, "Replace until the end of the game?");
  }
}
