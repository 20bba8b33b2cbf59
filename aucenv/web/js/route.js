/** Addresses inside the page, such as #game=3&move=41&seat=1. */

/** Return the place that an address names: {view, game, move, seat}. */
export function readRoute(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const whole = (name) => (/^\d{1,9}$/.test(parts.get(name) ?? "") ? Number(parts.get(name)) : null);
  if (parts.has("game")) return { view: "replay", game: whole("game"), run: whole("run") ?? 0, move: whole("move"), seat: whole("seat") };
  return { view: parts.has("games") ? "games" : "summary" };
}

/** Return the address of a moment of a game. */
export function replayRoute(run, game, move, seat) {
  const parts = [`game=${game}`, `move=${move}`];
  if (run) parts.push(`run=${run}`);
  if (seat !== null) parts.push(`seat=${seat}`);
  return `#${parts.join("&")}`;
}
