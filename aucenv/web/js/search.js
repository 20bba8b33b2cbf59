/** Search in everything that bidders and models wrote, were sent, or noted. */

import { loadCalls, loadGame } from "./unpack.js";

const MOST = 200;
const AROUND = 60;

/**
 * Yield the places where a text occurs, {game, move, seat, text}, at most MOST of them.
 * @param games numbers of the games to search.
 * @param isCurrent whether the search is still wanted.
 */
export async function* search(summary, games, query, isCurrent) {
  const wanted = new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
  let left = MOST;
  for (const number of games) {
    if (!isCurrent() || left <= 0) return;
    const game = await loadGame(summary, number);
    const calls = await loadCalls(summary, number);
    for (const found of placesIn(game, calls)) {
      const match = wanted.exec(found.text);
      if (!match) continue;
      const start = Math.max(0, match.index - AROUND);
      const end = match.index + match[0].length + AROUND;
      const excerpt = found.text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "").replace(/\s+/g, " ");
      yield { number, ...found, text: `${start ? "…" : ""}${excerpt}` };
      if (--left <= 0) return;
    }
  }
}

function* placesIn(game, calls) {
  const turns = new Map(game.seats.map((player) => [player.seat, []]));
  for (const [move, decision] of game.decisions.entries()) {
    turns.get(decision.seat).push(move);
    const texts = [decision.action, ...decision.attempts.map((attempt) => attempt.action), ...strings(decision.notes)];
    for (const text of texts) if (typeof text === "string") yield { move, seat: decision.seat, text };
  }
  for (const player of game.seats)
    for (const text of strings(player.notes ?? {})) yield { move: game.decisions.length, seat: player.seat, text };
  for (const call of calls) {
    const move = turns.get(call.seat)?.[call.decision] ?? game.decisions.length;
    for (const text of [...call.messages.map((message) => message.text), call.reasoning, call.reply])
      yield { move, seat: call.seat, text };
  }
}

function* strings(value) {
  if (typeof value === "string") yield value;
  else if (value && typeof value === "object") for (const part of Object.values(value)) yield* strings(part);
}
