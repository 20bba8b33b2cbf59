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
  const replace = (person) => h("button", { type: "button", onclick: () => send({ do: "replace", person, bidder: node.querySelector("#bidder").value }) }, "Replace");
  const rows = message.tables.flatMap((one) =>
    one.people.map((person) => [
      h("bdi", {}, person.name),
      one.table,
      { lobby: "in the lobby", playing: "playing", over: "over" }[one.phase],
      person.here ? "here" : h("span", { class: "bad" }, "away"),
      person.decides ? "decides" : "–",
      one.phase === "lobby" ? h("button", { type: "button", onclick: () => send({ do: "start", table: one.table }) }, "Start the table") : one.phase === "playing" ? replace(person.name) : "",
    ]),
  );
  const input = h("input", { id: "bidder", type: "text", size: 16 });
  input.value = bidder;
  const focused = node.querySelector("#bidder") === document.activeElement;
  show(
    node,
    h("h2", {}, "Tables"),
    h("p", { class: "note" }, "A table starts when everybody is here, or when you start it. A bidder that replaces a person plays on until the end of the game."),
    table(["person", "table", "phase", "connection", "now", ""], rows, { caption: "people" }),
    h("p", {}, h("label", { class: "field" }, "Bidder in place of a person ", input)),
  );
  if (focused) input.focus();
}
