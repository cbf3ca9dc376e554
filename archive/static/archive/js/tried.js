// @ts-check
/** The visitor's own moves below the board: the line that was tried, the way back to the game, and to keeping it. */

import { lastOf, lineTo } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */

/** @returns {{move: string, text: string}[]} the moves that the page's address tries, which the server has played */
export function askedMoves() {
  return JSON.parse(document.getElementById("tried")?.textContent || "[]");
}

/** @param {import("./replay.js").Replay} replay */
export function showTried(replay) {
  const line = /** @type {HTMLElement} */ (replay.root.querySelector(".tried"));
  const list = /** @type {HTMLElement} */ (line.querySelector("ol"));
  const back = /** @type {HTMLAnchorElement} */ (line.querySelector("a.back"));
  const keep = /** @type {HTMLAnchorElement | null} */ (line.querySelector("a.keep"));

  /** @param {Node} node */
  function show(node) {
    const tried = lineTo(node).filter((one) => one.tried);
    line.hidden = !tried.length;
    list.replaceChildren(...tried.map((one) => itemOf(one, one === node)));
    const left = tried[0]?.parent;
    if (left) back.href = replay.addressOf(left);
    back.dataset.key = left?.key;
    if (keep && left) keep.href = keepingOf(keep, lastOf(node));
  }

  /** @param {HTMLAnchorElement} keep @param {Node} end @returns {string} where the line up to there is made a record */
  function keepingOf(keep, end) {
    const query = new URL(replay.addressOf(end), location.href).searchParams;
    query.set("game", new URL(keep.href).searchParams.get("game") || "");
    return `${keep.pathname}?${query}`;
  }

  /** @param {Node} node @param {boolean} current @returns {HTMLElement} */
  function itemOf(node, current) {
    const link = document.createElement("a");
    link.href = replay.addressOf(node);
    link.textContent = `${node.ply} ${node.text}`;
    link.dataset.key = node.key;
    if (current) link.setAttribute("aria-current", "step");
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  replay.onShow((node) => {
    if (node.tried || !line.hidden) show(node);
  });
}
