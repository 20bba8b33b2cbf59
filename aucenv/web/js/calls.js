/** Calls of models and answers of people: what each was sent, its reasoning and its reply. */

import { h, prose } from "./dom.js";
import { count } from "./text.js";

/** Return the calls of a decision, each of which opens on demand. */
export function renderCalls(calls) {
  if (!calls.length) return [];
  return h("section", { class: "noted" }, h("h4", {}, count(calls.length, calls[0].by_person ? "answer" : "model call")), calls.map(renderCall));
}

function renderCall(call) {
  const tokens = call.by_person || call.tokens_in === null ? null : `${call.tokens_in} + ${call.tokens_out ?? "?"} tokens`;
  const cost = call.by_person || call.cost === null ? null : costOfCall(call.cost);
  const facts = [call.model, tokens, cost, `${call.seconds.toFixed(2)} s`].filter(Boolean).join(", ");
  const body = h("div", {});
  const details = h("details", { class: "call" }, h("summary", {}, `${call.purpose}, attempt ${call.attempt + 1}: ${facts}`), body);
  details.addEventListener("toggle", () => {
    if (details.open && !body.childNodes.length) body.append(...messages(call));
  });
  return details;
}

/** Return a cost as text, with two significant digits if it is less than a cent. */
function costOfCall(cost) {
  if (cost === 0) return "$0";
  return `$${cost.toFixed(cost >= 0.01 ? 4 : 1 - Math.floor(Math.log10(cost)))}`;
}

function messages(call) {
  const parts = call.messages.map((message) => [message.role, message.text]);
  if (call.reasoning) parts.push(["reasoning", call.reasoning]);
  parts.push([`reply (${call.finish})`, call.reply]);
  const earlier = call.earlier > 0 && h("p", { class: "note" }, `After ${count(call.earlier, "earlier message")} of this bidder's conversation.`);
  return [earlier, ...parts.map(([role, text]) => h("div", { class: "message" }, h("h5", {}, role), prose(text)))].filter(Boolean);
}
