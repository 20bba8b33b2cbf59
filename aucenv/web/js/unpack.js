/** Data of the page: compressed blocks, which are read when they are needed. */

import { withOthers } from "./boards.js";

const blocks = new Map();
const unpacked = new Map();

/** Take the blocks out of the document, which then holds only what it shows. */
export function takeBlocks() {
  for (const node of document.querySelectorAll('script[type="text/plain"]')) {
    blocks.set(node.id, node.textContent);
    node.remove();
  }
}

/** Return the data of a block, which is decompressed once. */
export function unpack(id) {
  if (!unpacked.has(id)) unpacked.set(id, decompress(id));
  return unpacked.get(id);
}

async function decompress(id) {
  const bytes = Uint8Array.from(atob(blocks.get(id)), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Return a game with its scenario and its boards. */
export async function loadGame(summary, number) {
  const block = await unpack(`games-${summary.games[number].block}`);
  const game = block.games[summary.games[number].place];
  const { shape, columns } = block.shapes[game.boards.shape];
  const boards = { shape, columns: withOthers(columns, game.boards.columns), lists: game.boards.lists };
  return { ...game, scenario: block.scenarios[game.scenario], boards };
}

/** Return the model calls of a game with their messages as texts; an empty list if the page has none. */
export async function loadCalls(summary, number) {
  const block = summary.games[number].calls;
  if (!block) return [];
  const calls = await unpack(block);
  const used = new Set(calls.flatMap((call) => [...call.messages.map(([, id]) => id), call.reply, call.reasoning]));
  const texts = new Map();
  for (const id of used) if (id !== null) texts.set(id, await textOf(summary, id));
  return calls.map((call) => ({
    ...call,
    messages: call.messages.map(([role, id]) => ({ role, text: texts.get(id) })),
    reply: texts.get(call.reply),
    reasoning: call.reasoning === null ? "" : texts.get(call.reasoning),
  }));
}

async function textOf(summary, id) {
  const block = await unpack(`texts-${Math.floor(id / summary.texts_per_block)}`);
  return block[id % summary.texts_per_block];
}
