// @ts-check
/**
 * Squares of a board are chosen: by a drag from one to another with mouse, finger or pen, by taps, and with the arrow
 * keys. What is done with them its users know (pattern-editor.js, selecting.js).
 */

import { CELL, corner, make } from "./board.js";

/**
 * @typedef {object} Use
 * @property {boolean} adds whether what is tapped or dragged over comes to what is chosen already, or goes from it;
 *   otherwise it takes its place, unless Ctrl, Shift or ⌘ is held
 * @property {() => void} changed other squares are chosen, or the cursor is elsewhere
 * @property {(squares: number[]) => boolean} [put] squares were tapped or dragged over; whether that was not to choose them
 */

const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
});

/** The chosen squares of a board. */
export class Squares {
  /**
   * @param {HTMLElement} place lies where the board does, and takes pointers and keys
   * @param {import("./board.js").Board} board
   * @param {Use} use
   */
  constructor(place, board, use) {
    this.place = place;
    this.board = board;
    this.use = use;
    /** @type {Set<number>} */
    this.chosen = new Set();
    this.cursor = 40;
    /** Whether the keyboard is at work: fingers and mice need no cursor. */
    this.typing = true;
    /** The square at which choosing began, and the squares chosen before. @type {{at: number, before: Set<number>} | null} */
    this.anchor = null;
    /** @type {{id: number, to: number, moved: boolean, more: boolean} | null} */
    this.pressed = null;
    this.marks = this.board.layer.appendChild(make("g", {}));
    this.listen();
  }

  /** @returns {number[]} the chosen squares, or that of the cursor, in their order */
  selected() {
    return this.chosen.size ? [...this.chosen].sort((one, other) => one - other) : [this.cursor];
  }

  /** @param {Iterable<number>} squares */
  choose(squares) {
    this.chosen = new Set(squares);
    this.anchor = null;
    this.draw();
    this.use.changed();
  }

  draw() {
    const mark = (/** @type {number} */ at, /** @type {string} */ name) => {
      const [x, y] = corner(at, this.board.flipped());
      return make("rect", { class: name, x: x + 1.5, y: y + 1.5, width: CELL.width - 3, height: CELL.height - 3 });
    };
    const squares = [...this.chosen].map((at) => mark(at, "selected"));
    if (this.typing && document.activeElement === this.place) squares.push(mark(this.cursor, "square-cursor"));
    this.marks.replaceChildren(...squares);
  }

  /** @param {number} to the corner across from where it began */
  spread(to) {
    if (!this.anchor) return;
    const { at, before } = this.anchor;
    const between = rectangle(at, to);
    const takes = this.use.adds && this.pressed && before.has(at);
    this.chosen = new Set(this.keeps() ? before : []);
    for (const one of between) {
      if (takes) this.chosen.delete(one);
      else this.chosen.add(one);
    }
  }

  /** @returns {boolean} whether the squares chosen before stay chosen */
  keeps() {
    return this.use.adds || Boolean(this.pressed?.more);
  }

  /** @param {PointerEvent} event */
  begin(event) {
    if (this.pressed) return this.cancel();
    const at = event.button || !event.isPrimary ? null : this.board.squareAt(event);
    if (at === null) return;
    this.place.setPointerCapture(event.pointerId);
    this.typing = false;
    this.cursor = at;
    this.anchor = { at, before: new Set(this.chosen) };
    const more = event.ctrlKey || event.metaKey || event.shiftKey;
    this.pressed = { id: event.pointerId, to: at, moved: false, more };
    this.spread(at);
    this.draw();
  }

  /** @param {PointerEvent} event */
  go(event) {
    const at = this.pressed?.id === event.pointerId ? this.board.squareAt(event) : null;
    if (at === null || !this.pressed || at === this.pressed.to) return;
    Object.assign(this.pressed, { to: at, moved: true });
    this.cursor = at;
    this.spread(at);
    this.draw();
    this.use.changed();
  }

  /** @param {PointerEvent} event */
  end(event) {
    if (!this.pressed || !this.anchor || event.pointerId !== this.pressed.id) return;
    const { pressed, anchor: { at, before } } = this;
    if (this.use.put?.(rectangle(at, pressed.to))) this.chosen = before;
    else if (!pressed.moved && !this.use.adds && before.has(at) && (pressed.more || before.size === 1)) this.chosen.delete(at);
    this.pressed = null;
    this.anchor = null;
    this.draw();
    this.use.changed();
  }

  /** Ends a drag as if it had not begun. */
  cancel() {
    if (!this.pressed || !this.anchor) return;
    this.chosen = this.anchor.before;
    this.pressed = null;
    this.anchor = null;
    this.draw();
    this.use.changed();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was a key of these */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (Object.hasOwn(STEPS, event.key)) this.step(STEPS[event.key], event.shiftKey);
    else if (event.key === " " || event.key === "Enter") {
      if (!this.chosen.delete(this.cursor)) this.chosen.add(this.cursor);
      this.anchor = null;
    } else if (event.key === "Escape" && this.pressed) this.cancel();
    else if (event.key === "Escape" && this.chosen.size && !this.use.adds) this.chosen.clear();
    else return false;
    this.typing = true;
    this.draw();
    this.use.changed();
    return true;
  }

  /** @param {[number, number]} way @param {boolean} spreads whether the squares on the way are chosen */
  step([right, down], spreads) {
    const sign = this.board.flipped() ? -1 : 1;
    const column = Math.min(8, Math.max(0, (this.cursor % 9) + sign * right));
    const row = Math.min(8, Math.max(0, Math.floor(this.cursor / 9) + sign * down));
    if (spreads) this.anchor ||= { at: this.cursor, before: new Set(this.chosen) };
    else if (!this.use.adds) this.chosen.clear();
    this.cursor = row * 9 + column;
    if (spreads) this.spread(this.cursor);
    else this.anchor = null;
  }

  listen() {
    this.place.addEventListener("pointerdown", (event) => this.begin(event));
    this.place.addEventListener("pointermove", (event) => this.go(event));
    this.place.addEventListener("pointerup", (event) => this.end(event));
    this.place.addEventListener("pointercancel", () => this.cancel());
    this.place.addEventListener("focus", () => this.draw());
    this.place.addEventListener("blur", () => {
      this.typing = true;
      this.draw();
    });
  }
}

/** @param {number} one @param {number} other @returns {number[]} the squares between two corners, with these */
function rectangle(one, other) {
  const [left, right] = [one % 9, other % 9].sort((a, b) => a - b);
  const [top, bottom] = [Math.floor(one / 9), Math.floor(other / 9)].sort((a, b) => a - b);
  const squares = [];
  for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) squares.push(row * 9 + column);
  return squares;
}
