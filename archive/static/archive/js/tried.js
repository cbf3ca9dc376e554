// @ts-check
/** The visitor's own moves below the board: the line that was tried, the way back to the game, and to keeping it. */

import { lastOf, lineTo } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */

/** @returns {{move: string, text: string}[]} the moves that the page's address tries, which the server has played */
export function askedMoves() {
  return JSON.parse(document.getElementById("tried")?.textContent || "[]");
}

/**
 * @param {import("./replay.js").Replay} replay
 * @param {(end: Node) => string} [textOf] a line as a record, where it can be kept as one
 */
export function showTried(replay, textOf) {
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
    if (keep && left && textOf) keep.href = `${keep.pathname}?${new URLSearchParams({ text: textOf(lastOf(node)) })}`;
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
