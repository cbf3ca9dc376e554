// @ts-check
/**
 * A record of JKF as a tree that is edited: moves and variations are added, ordered and removed, nodes get comments,
 * marks, shapes, times and endings. Every change can be undone.
 */

import { play, usiOf } from "./position.js";
import { startPosition } from "./start.js";

/** @typedef {import("./position.js").Move & {same?: boolean, relative?: string}} Move */
/** @typedef {{h?: number, m: number, s: number}} Time */

/**
 * @typedef {object} Entry an element of JKF's `moves`
 * @property {string[]} [comments]
 * @property {Move} [move]
 * @property {{now: Time, total?: Time}} [time]
 * @property {string} [special]
 * @property {Entry[][]} [forks]
 */

/**
 * @typedef {object} Record_
 * @property {Record<string, string>} header
 * @property {import("./start.js").Initial} [initial]
 * @property {Entry[]} moves
 */

/**
 * @typedef {object} Node
 * @property {Node | null} parent
 * @property {Node[]} children the line's continuation, then its variations
 * @property {Move | null} move
 * @property {string} special an ending, empty for moves
 * @property {string[]} comments
 * @property {{now: Time, total?: Time} | null} time
 * @property {number} ply
 */

/** Changes that can be undone. */
const UNDO = 200;

export class RecordTree {
  /** @param {Record_} record */
  constructor(record) {
    /** @type {string[]} */
    this.undone = [];
    /** @type {string[]} */
    this.done = [];
    this.read(record);
  }

  /** @param {Record_} record */
  read({ header, initial, moves }) {
    this.header = { ...header };
    this.initial = initial;
    this.root = nodeOf(moves[0] || {}, null);
    addLine(this.root, moves.slice(1));
    this.current = this.root;
  }

  /** @returns {Record_} */
  write() {
    const moves = [entryOf(this.root), ...lineOf(this.root)];
    return { header: { ...this.header }, ...(this.initial ? { initial: this.initial } : {}), moves };
  }

  /** @returns {import("./position.js").Position} at the current node */
  position() {
    const position = startPosition(this.initial);
    for (const node of lineTo(this.current)) if (node.move) play(position, node.move);
    return position;
  }

  /** @param {() => void} edit changes the tree; can be undone */
  change(edit) {
    this.done.push(this.state());
    if (this.done.length > UNDO) this.done.shift();
    this.undone = [];
    edit();
  }

  undo() {
    this.back(this.done, this.undone);
  }

  redo() {
    this.back(this.undone, this.done);
  }

  /** @param {string[]} from @param {string[]} to */
  back(from, to) {
    const state = from.pop();
    if (!state) return;
    to.push(this.state());
    const { record, path } = JSON.parse(state);
    this.read(record);
    this.current = this.at(path);
  }

  state() {
    return JSON.stringify({ record: this.write(), path: pathOf(this.current) });
  }

  /** @param {number[]} path places among continuations, from the start @returns {Node} as far as there is one */
  at(path) {
    let node = this.root;
    for (const place of path) node = node.children[place] || node;
    return node;
  }

  /** Goes to a move from the current node, which is added where it is new. @param {Move} move @returns {boolean} whether it is new */
  playMove(move) {
    const existing = this.current.children.find((child) => child.move && usiOf(child.move) === usiOf(move));
    if (existing) {
      this.current = existing;
      return false;
    }
    this.change(() => {
      const before = lastMove(this.current);
      const same = before?.to.x === move.to.x && before.to.y === move.to.y;
      const node = nodeOf({ move: { ...move, ...(same ? { same } : {}) } }, this.current);
      this.current.children.push(node);
      this.current = node;
    });
    return true;
  }

  /** @param {string} special an ending after the current move; empty removes it */
  end(special) {
    this.change(() => {
      const node = this.current.special ? /** @type {Node} */ (this.current.parent) : this.current;
      node.children = node.children.filter((child) => !child.special);
      this.current = node;
      if (!special) return;
      const ending = nodeOf({ special }, node);
      node.children.push(ending);
      this.current = ending;
    });
  }

  /** @param {Time | null} now the thinking time of the current move; totals from there on are reckoned anew */
  setTime(now) {
    this.change(() => {
      this.current.time = now && { now };
      const waiting = [...this.current.children];
      for (let node = waiting.pop(); node; node = waiting.pop()) {
        if (node.time) node.time = { now: node.time.now };
        waiting.push(...node.children);
      }
    });
  }

  /** Removes the current node with all that follows. */
  remove() {
    const { parent } = this.current;
    if (!parent) return;
    this.change(() => {
      parent.children.splice(parent.children.indexOf(this.current), 1);
      this.current = parent;
    });
  }

  /** The place of the variation around the current node: the node that branches off. @returns {Node | null} */
  branch() {
    for (let node = this.current; node.parent; node = node.parent) {
      if (node.parent.children[0] !== node) return node;
    }
    return null;
  }

  /** Makes the variation around the current node the line that it leaves. */
  promote() {
    const node = this.branch();
    if (node) this.change(() => place(node, 0));
  }

  /** Moves the variation that begins at or before the current node among its siblings. @param {number} step */
  reorder(step) {
    const node = this.movable(step);
    if (node) this.change(() => place(node, siblings(node).indexOf(node) + step));
  }

  /** @param {number} step @returns {Node | null} the node that `reorder` moves */
  movable(step) {
    for (let node = this.current; node.parent; node = node.parent) {
      const all = siblings(node);
      if (all.length < 2) continue;
      const to = all.indexOf(node) + step;
      return to >= 0 && to < all.length ? node : null;
    }
    return null;
  }
}

/** @param {Entry} entry @param {Node | null} parent @returns {Node} */
function nodeOf({ move, special = "", comments = [], time }, parent) {
  const ply = parent ? parent.ply + 1 : 0;
  return { parent, children: [], move: move || null, special, comments: [...comments], time: time || null, ply };
}

/** @param {Node} parent @param {Entry[]} entries */
function addLine(parent, entries) {
  for (const entry of entries) {
    const node = nodeOf(entry, parent);
    parent.children.push(node);
    for (const fork of entry.forks || []) addLine(parent, fork);
    parent = node;
  }
}

/** @param {Node} node @returns {Entry} without its variations */
function entryOf({ move, special, comments, time }) {
  return {
    ...(comments.length ? { comments } : {}),
    ...(move ? { move } : {}),
    ...(time ? { time } : {}),
    ...(special ? { special } : {}),
  };
}

/** @param {Node} node @returns {Entry[]} the line that follows a node, with its variations */
function lineOf(node) {
  const entries = [];
  while (node.children.length) {
    const [next, ...others] = node.children;
    const forks = others.map((other) => [entryOf(other), ...lineOf(other)]);
    entries.push({ ...entryOf(next), ...(forks.length ? { forks } : {}) });
    node = next;
  }
  return entries;
}

/** @param {Node} node @returns {Node[]} */
function siblings(node) {
  return node.parent ? node.parent.children : [];
}

/** @param {Node} node @param {number} to its place among its siblings */
function place(node, to) {
  const all = siblings(node);
  all.splice(all.indexOf(node), 1);
  all.splice(to, 0, node);
}

/** @param {Node} node @returns {Node[]} from the start to the node */
export function lineTo(node) {
  const line = [];
  for (let at = /** @type {Node | null} */ (node); at; at = at.parent) line.push(at);
  return line.reverse();
}

/** @param {Node} node @returns {number[]} */
export function pathOf(node) {
  return lineTo(node).slice(1).map((one) => siblings(one).indexOf(one));
}

/** @param {Node} node @returns {Move | null} the last move that leads to a node */
export function lastMove(node) {
  for (let at = /** @type {Node | null} */ (node); at; at = at.parent) if (at.move) return at.move;
  return null;
}
