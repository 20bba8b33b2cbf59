/** Text of the page: amounts, numbers, and text from outside, in which nothing is invisible. */

const INVISIBLE =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0d\uffa0\ufff0-\ufff8\u{e0000}-\u{e0fff}]/gu;

/** Return a text with invisible characters escaped: those that control, hide or reverse text. Tabs, newlines remain. */
export function visible(text) {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0);
    const [start, length] = code > 0xffff ? ["\\U", 8] : code > 0xff ? ["\\u", 4] : ["\\x", 2];
    return start + code.toString(16).padStart(length, "0");
  });
}

/** Return an amount such as $1,500, -$20.50 or, for null, a dash. */
export function money(amount, sign = "$") {
  if (amount === null || amount === undefined) return "–";
  const cents = Math.round(amount * 100);
  const digits = cents % 100 ? 2 : 0;
  const size = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${cents < 0 ? "-" : ""}${sign}${(Math.abs(cents) / 100).toLocaleString("en-US", size)}`;
}

/** Return a number with its noun: "1 game", "2 games". */
export function count(number, noun) {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Return a short form of an amount for the ticks of an axis: 1.5k, 2M. */
export function short(amount, sign = "") {
  const size = Math.abs(amount);
  const [divisor, unit] = size >= 1e6 ? [1e6, "M"] : size >= 1e4 ? [1e3, "k"] : [1, ""];
  const shown = (size / divisor).toLocaleString("en-US", { maximumFractionDigits: 2 });
  return `${amount < 0 ? "-" : ""}${sign}${shown}${unit}`;
}

/** Return the cents of an amount in dollars. */
export function cents(dollars) {
  return Math.round(dollars * 100);
}

/** Return how a game has ended, in words. */
export function ended(status) {
  return status === "terminated" ? "over" : status;
}
