// @ts-check
/**
 * Pointing on a board of shogi with mouse, finger or pen: a piece is picked by a tap or dragged, and put down on a
 * square or in a hand. It knows no rules: its users supply what may be picked up and where it may go
 * (playing.js by the rules of the game, editor.js freely).
 */

import { pictureOf } from "./board.js";

/** @typedef {{board: number} | {hand: number, kind: number} | {box: number}} Spot where a piece lies */

/**
 * @typedef {object} Rules
 * @property {(spot: Spot) => number} pieceAt the piece that may be picked up, negative for White's; 0 for none
 * @property {(from: Spot) => number[] | Promise<number[]>} targets the squares that are shown as its ways
 * @property {(from: Spot, to: Spot) => boolean | Promise<boolean>} move whether that was a move, and is done
 * @property {(spot: Spot) => void} [again] a chosen piece was tapped once more; otherwise that lets go of it
 * @property {(chosen: Spot | null) => void} [changed] another piece was chosen, or none
 */

/**
 * @typedef {object} Table
 * @property {HTMLElement} area around the board and the hands
 * @property {HTMLElement} host of the board
 * @property {HTMLElement[]} hands of colour 0 and colour 1
 * @property {import("./board.js").Board} board
 * @property {boolean} [swiped] whether a finger that moves at once means something else than the piece under it
 */

/** How far a pressed pointer moves before it drags, in pixels. */
const SLOP = { mouse: 4, finger: 9 };
/** How long a finger rests on a piece that it takes along where it could also swipe, in milliseconds. */
const HOLD = 200;
/** A finger hides the lifted piece, so the piece is drawn larger and above it. */
const LIFTED = { scale: 1.7, above: 0.9 };

/** Pieces of a table that are picked up and put down. */
export class Pointing {
  /** @param {Table} table @param {Rules} rules */
  constructor({ area, host, hands, board, swiped = false }, rules) {
    this.area = area;
    this.host = host;
    this.hands = hands;
    this.board = board;
    this.swiped = swiped;
    this.rules = rules;
    /** @type {Spot | null} */
    this.chosen = null;
    /** @type {number[]} */
    this.ways = [];
    /** @type {{spot: Spot, x: number, y: number, id: number, armed: boolean, timer: number} | null} */
    this.pressed = null;
    /** @type {SVGElement | null} the piece under the pointer */
    this.carried = null;
    /** Whether the click that a browser makes of the end of a drag is still to come. */
    this.dragged = false;
    this.listen();
  }

  /** @param {Spot} spot */
  async choose(spot) {
    // At once, so that a second tap before the targets arrive is the move's other half.
    this.chosen = spot;
    this.ways = [];
    this.draw();
    this.rules.changed?.(this.chosen);
    const targets = await this.rules.targets(spot);
    if (this.chosen !== spot) return;
    this.ways = targets;
    this.draw();
  }

  release() {
    if (!this.chosen) return;
    this.chosen = null;
    this.ways = [];
    this.draw();
    this.rules.changed?.(null);
  }

  /** @param {number | null} [over] the square under a piece that is carried */
  draw(over = null) {
    const at = this.chosen && "board" in this.chosen ? this.chosen.board : null;
    this.board.mark(at, this.ways, over !== null && this.ways.includes(over) ? over : null);
    this.hands.forEach((hand, color) => {
      const kind = this.chosen && "hand" in this.chosen && this.chosen.hand === color ? String(this.chosen.kind) : "";
      for (const piece of hand.querySelectorAll("[data-kind]")) {
        piece.classList.toggle("picked", /** @type {SVGElement} */ (piece).dataset.kind === kind);
      }
    });
  }

  /** What a tap on the place does. @param {Spot} spot */
  async press(spot) {
    const from = this.chosen;
    if (from && sameSpot(from, spot)) {
      if (this.rules.again) this.rules.again(spot);
      else this.release();
      return;
    }
    if (from && (await this.rules.move(from, spot))) return;
    if (this.rules.pieceAt(spot)) this.choose(spot);
    else this.release();
  }

  /** @param {MouseEvent} event @returns {Spot | null} the place under the pointer */
  spotAt(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const hand = this.hands.findIndex((one) => one.contains(under));
    if (hand >= 0) {
      const piece = under?.closest("[data-kind]");
      return { hand, kind: piece instanceof SVGElement ? Number(piece.dataset.kind) : 0 };
    }
    const at = under && this.host.contains(under) ? this.board.squareAt(event) : null;
    return at === null ? null : { board: at };
  }

  /** @param {PointerEvent} event */
  begin(event) {
    this.dragged = false;
    this.cancel();
    if (event.button || !event.isPrimary) return;
    const spot = this.spotAt(event);
    if (!spot || !this.rules.pieceAt(spot)) return;
    const again = this.chosen !== null && sameSpot(this.chosen, spot);
    const waits = this.swiped && event.pointerType !== "mouse" && !again;
    this.pressed = { spot, x: event.clientX, y: event.clientY, id: event.pointerId, armed: !waits, timer: 0 };
    if (waits) this.pressed.timer = window.setTimeout(() => this.arm(), HOLD);
    this.rules.targets(spot);
  }

  arm() {
    if (!this.pressed) return;
    this.pressed.armed = true;
    this.choose(this.pressed.spot);
  }

  /** @param {PointerEvent} event */
  carry(event) {
    if (!this.pressed || event.pointerId !== this.pressed.id) return;
    const slop = event.pointerType === "mouse" ? SLOP.mouse : SLOP.finger;
    const far = Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) >= slop;
    if (!this.carried && !far) return;
    if (!this.pressed.armed) return this.cancel();
    if (!this.carried) this.lift(event.pointerId, this.pressed.spot);
    this.place(event);
    const spot = this.spotAt(event);
    this.draw(spot && "board" in spot ? spot.board : null);
  }

  /** @param {number} pointer @param {Spot} spot */
  lift(pointer, spot) {
    this.area.setPointerCapture(pointer);
    if (!this.chosen || !sameSpot(this.chosen, spot)) this.choose(spot);
    this.carried = pictureOf(this.rules.pieceAt(spot), this.board.flipped());
    this.carried.classList.add("carried");
    document.body.append(this.carried);
    this.area.classList.add("carrying");
    this.board.lift("board" in spot ? spot.board : null);
  }

  /** @param {PointerEvent} event */
  place(event) {
    if (!this.carried) return;
    const finger = event.pointerType !== "mouse";
    const size = this.board.pieceSize() * (finger ? LIFTED.scale : 1);
    const up = finger ? size * LIFTED.above : size / 2;
    this.carried.style.width = `${size}px`;
    this.carried.style.height = `${size}px`;
    this.carried.style.translate = `${event.clientX - size / 2}px ${event.clientY - up}px`;
  }

  /** @param {PointerEvent} event */
  async end(event) {
    if (!this.pressed || event.pointerId !== this.pressed.id) return;
    const { spot: from } = this.pressed;
    const was = Boolean(this.carried);
    this.cancel();
    if (!was) return;
    this.dragged = true;
    const to = this.spotAt(event);
    if (to && sameSpot(from, to)) this.draw();
    else if (!to || !(await this.rules.move(from, to))) this.release();
  }

  cancel() {
    clearTimeout(this.pressed?.timer);
    this.pressed = null;
    if (!this.carried) return;
    this.carried.remove();
    this.carried = null;
    this.area.classList.remove("carrying");
    this.board.lift(null);
  }

  listen() {
    this.area.addEventListener("pointerdown", (event) => this.begin(event));
    this.area.addEventListener("pointermove", (event) => this.carry(event));
    this.area.addEventListener("pointerup", (event) => this.end(event));
    this.area.addEventListener("pointercancel", () => {
      if (this.carried) this.release();
      this.cancel();
    });
    this.area.addEventListener("click", (event) => {
      const late = this.dragged;
      this.dragged = false;
      if (late || !(event.target instanceof Element) || event.target.closest("a, button")) return;
      const spot = this.spotAt(event);
      if (spot) this.press(spot);
      else this.release();
    });
    // A finger that holds a piece does not scroll the page, and opens no menu.
    this.area.addEventListener("touchmove", (event) => {
      if (this.pressed?.armed && event.cancelable) event.preventDefault();
    }, { passive: false });
    this.area.addEventListener("contextmenu", (event) => {
      if (this.pressed && this.pressed.timer) event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.cancel();
      this.release();
    });
  }
}

/** @param {Spot} one @param {Spot} other @returns {boolean} */
function sameSpot(one, other) {
  if ("board" in one) return "board" in other && one.board === other.board;
  if ("hand" in one) return "hand" in other && one.hand === other.hand && one.kind === other.kind;
  return "box" in other && one.box === other.box;
}
