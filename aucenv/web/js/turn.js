/** The decision of a person: what is legal as buttons and a field, or in words; and the time that is left. */

import { h, prose, show } from "./dom.js";
import { money } from "./text.js";

const LONG_NEWS = 700;
const AMOUNT = /^[$€₽₹¥]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)?$/;

/**
 * Return the form with which a person starts the time of a game: {node, release}, as `requestForm`.
 * @param request see `aucenv.commands.hosting.frames`.
 * @param words the rules, and what the person knows.
 * @param start called when the person is ready.
 */
export function readyForm(request, words, start) {
  const ready = h("button", { type: "button", class: "choice", onclick: () => start() }, "I am ready");
  const node = h(
    "div",
    {},
    h("h2", { tabindex: "-1" }, "Before you start"),
    h("p", {}, `You have ${request.seconds} s for each decision. Please read the rules: your time starts when you are ready.`),
    h("div", { class: "choices" }, ready),
    prose(words),
  );
  return { node, release: () => {} };
}

/**
 * Return the form of a request: {node, release}; `release` lets the person answer again.
 * @param request see `aucenv.commands.hosting.frames`.
 * @param answer called with {amount}, {withdraw} or {words}.
 * @param draft called with what is typed but not sent.
 */
export function requestForm(request, answer, draft) {
  const { buttons, amount } = request.choices;
  const isDone = { sent: false };
  const send = (decision) => {
    if (isDone.sent) return; // a double click
    isDone.sent = true;
    for (const button of node.querySelectorAll("button")) button.disabled = true;
    answer(decision);
    setTimeout(release, 3000); // an answer that gets no receipt can be sent again
  };
  const release = () => {
    isDone.sent = false;
    for (const button of node.querySelectorAll("button")) button.disabled = false;
  };
  const parts = request.text.split("\n\n");
  const call = parts.at(-1);
  const news = request.refused ? "" : parts.slice(0, -1).join("\n\n");
  const field = amount && amountField(amount, request, send, draft);
  const button = (one) => h("button", { type: "button", class: "choice", onclick: () => send(one.withdraw ? { withdraw: true } : { amount: one.amount }) }, one.text);
  const node = h(
    "div",
    {},
    h("h2", { tabindex: "-1" }, "Your turn"),
    request.refused ? null : h("p", { class: "call" , dir: "auto" }, call),
    request.refused && h("p", { class: "bad", role: "alert" }, `Your answer was not accepted: ${request.refused}. ${request.tries}`),
    request.times_asked > 0 && h("p", { class: "bad", role: "alert" }, request.is_last ? "Time was over. This is the last time that you are asked." : "Time was over; you are asked again."),
    request.seconds_left !== null && countdown(request),
    h("div", { class: "choices" }, buttons.filter((one) => !one.withdraw).map(button), field, buttons.filter((one) => one.withdraw).map(button)),
    inWords(amount && AMOUNT.test(request.draft) ? "" : request.draft, send, draft),
    news && h("details", { open: news.length < LONG_NEWS, class: "news" }, h("summary", {}, "What has happened, and the rules at the beginning"), prose(news)),
  );
  return { node, release };
}

function amountField({ label, least, most, step }, { draft: typed, sign }, send, draft) {
  const range = `from ${money(least, sign)}${most === null ? "" : ` to ${money(most, sign)}`}`;
  const input = h("input", { id: "amount", type: "text", inputmode: "decimal", autocomplete: "off", "aria-describedby": "range", placeholder: String(least), size: 10 });
  input.value = AMOUNT.test(typed) ? typed : "";
  const wrong = h("p", { class: "bad", role: "alert" });
  input.addEventListener("input", () => draft(input.value));
  const form = h(
    "form",
    { class: "amount" },
    h("label", { for: "amount" }, `${label} `),
    input,
    h("button", { type: "submit" }, label),
    h("span", { id: "range", class: "note" }, `${range}${step === 0.01 ? "" : `, in steps of ${money(step, sign)}`}`),
    wrong,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const value = Number(text.replace(/^[$€₽₹¥]/, "").replaceAll(",", ""));
    const isLegal = AMOUNT.test(text) && text !== "" && value >= least && (most === null || value <= most);
    if (!isLegal) return show(wrong, `Please type an amount ${range}; commas separate thousands.`);
    show(wrong);
    send({ amount: value });
    return undefined;
  });
  return form;
}

function inWords(typed, send, draft) {
  const input = h("input", { id: "words", type: "text", "aria-label": "your answer in words", maxlength: 4000, autocomplete: "off", size: 30 });
  input.value = typed;
  input.addEventListener("input", () => draft(input.value));
  const form = h("form", { class: "amount" }, input, h("button", { type: "submit" }, "Say it"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) send({ words: input.value });
  });
  return h("details", { class: "in-words", open: typed !== "" }, h("summary", {}, "Answer in words"), form);
}

function countdown(request) {
  const end = Date.now() + 1000 * request.seconds_left;
  const output = h("p", { class: "countdown", role: "timer" });
  let wasShown = false;
  const draw = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    show(output, `${left} s left`, left <= 10 ? h("span", { class: "bad" }, request.is_last ? " – then you make no bid" : " – then you are asked again") : null);
    wasShown ||= output.isConnected;
    if (left > 0 && (output.isConnected || !wasShown)) setTimeout(draw, 250);
  };
  draw();
  return output;
}
