// @ts-check
/** The list of the moves of a record that is edited: the main line in rows, variations in paragraphs below. */

import { readComments } from "./annotations.js";
import { endingText, moveText } from "./wording.js";
import { lastMove } from "./record-tree.js";

/** @typedef {import("./record-tree.js").Node} Node */

export class MoveRows {
  /** @param {HTMLElement} host @param {string} start the text of the start @param {(node: Node) => void} go */
  constructor(host, start, go) {
    this.host = host;
    this.start = start;
    this.japanese = document.documentElement.lang === "ja";
    /** @type {Map<Node, HTMLElement>} */
    this.items = new Map();
    /** @type {WeakMap<Element, Node>} */
    this.nodes = new WeakMap();
    host.addEventListener("click", (event) => {
      const item = event.target instanceof Element && event.target.closest("a")?.parentElement;
      const node = item && this.nodes.get(item);
      if (!node) return;
      event.preventDefault();
      go(node);
    });
  }

  /** @param {Node} root @param {Node} current */
  draw(root, current) {
    this.items.clear();
    const list = document.createElement("ol");
    list.className = "stretch";
    list.append(this.row(root));
    this.addLine(list, root);
    this.host.replaceChildren(list);
    this.mark(current);
  }

  /** @param {Node} current */
  mark(current) {
    this.host.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = this.items.get(current);
    const link = item?.querySelector(":scope > a");
    link?.setAttribute("aria-current", "step");
    if (!link) return;
    const [frame, box] = [this.host.getBoundingClientRect(), link.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) this.host.scrollTop += box.top - frame.top - frame.height / 2;
  }

  /** Draws one row anew. @param {Node} node */
  redraw(node) {
    const item = this.items.get(node);
    if (!item) return;
    const [shown, forks] = [this.row(node), item.querySelectorAll(":scope > ol")];
    shown.append(...forks);
    item.replaceWith(shown);
    this.mark(node);
  }

  /** Adds the row of a new node: behind the end of its line, or as a variation. @param {Node} node */
  add(node) {
    const [first] = /** @type {Node} */ (node.parent).children;
    if (first === node) {
      this.items.get(/** @type {Node} */ (node.parent))?.parentElement?.append(this.row(node));
      return;
    }
    this.items.get(first)?.append(this.fork(node));
  }

  /** @param {Node} node where a variation begins @returns {HTMLElement} */
  fork(node) {
    const fork = document.createElement("ol");
    fork.className = "fork";
    fork.append(this.row(node));
    this.addLine(fork, node);
    return fork;
  }

  /** @param {HTMLElement} list @param {Node} node */
  addLine(list, node) {
    while (node.children.length) {
      const [next, ...others] = node.children;
      const item = this.row(next);
      list.append(item);
      item.append(...others.map((other) => this.fork(other)));
      node = next;
    }
  }

  /** @param {Node} node @returns {HTMLElement} */
  row(node) {
    const item = document.createElement("li");
    const { mark, lines } = readComments(node.comments);
    const [number, link] = [document.createElement("span"), document.createElement("a")];
    number.className = "n";
    number.textContent = String(node.ply);
    link.href = "#board";
    link.textContent = this.textOf(node);
    if (mark) {
      const sign = document.createElement("b");
      sign.className = "sign";
      sign.textContent = mark.sign;
      link.append(sign);
    }
    item.append(number, link);
    if (lines.length) item.classList.add("has-note");
    if (node.special) item.classList.add("ending");
    if (node.time) {
      const time = document.createElement("span");
      time.className = "t";
      time.textContent = timeText(node.time.now);
      item.append(time);
    }
    this.items.set(node, item);
    this.nodes.set(item, node);
    return item;
  }

  /** @param {Node} node @returns {string} */
  textOf(node) {
    if (node.move) {
      const before = node.parent && lastMove(node.parent);
      return moveText(node.move, this.japanese, before || undefined);
    }
    return node.special ? endingText(node.special, this.japanese) : this.start;
  }
}

/** @param {{h?: number, m: number, s: number}} time @returns {string} such as 1:05 or 1:02:05 */
export function timeText({ h = 0, m, s }) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** @param {string} text @returns {{h?: number, m: number, s: number} | null | undefined} null for none, undefined for a wrong one */
export function readTime(text) {
  const plain = text.normalize("NFKC").trim();
  if (!plain) return null;
  const match = /^(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,5})$/.exec(plain);
  if (!match) return undefined;
  const total = Number(match[1] || 0) * 3600 + Number(match[2] || 0) * 60 + Number(match[3]);
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return { ...(h ? { h } : {}), m, s };
}
