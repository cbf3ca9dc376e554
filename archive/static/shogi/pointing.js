// @ts-check
/**
 * Pointing on a board of shogi with mouse, finger or pen: a piece is picked by a tap or dragged, and put down on a
 * square or in a hand. It knows no rules: what may be picked up and where it goes its users tell
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

/**
 * @typedef {object} Pointing
 * @property {() => Spot | null} chosen
 * @property {(spot: Spot) => void} press what a tap on the place does
 * @property {(spot: Spot) => void} choose
 * @property {() => void} release
 */

/** How far a pressed pointer moves before it drags, in pixels. */
const SLOP = { mouse: 4, finger: 9 };
/** How long a finger rests on a piece that it takes along where it could also swipe, in milliseconds. */
const HOLD = 200;
/** A finger hides what it holds: the piece is shown larger, and above it. */
const LIFTED = { scale: 1.7, above: 0.9 };

/**
 * @param {Table} table
 * @param {Rules} rules
 * @returns {Pointing}
 */
export function startPointing({ area, host, hands, board, swiped = false }, rules) {
  /** @type {Spot | null} */
  let chosen = null;
  /** @type {number[]} */
  let ways = [];
  /** @type {{spot: Spot, x: number, y: number, id: number, armed: boolean, timer: number} | null} */
  let pressed = null;
  /** @type {SVGElement | null} the piece under the pointer */
  let carried = null;
  /** Whether the click that a browser makes of the end of a drag is still to come. */
  let dragged = false;

  /** @param {Spot} spot */
  async function choose(spot) {
    // At once, so that a second tap before the ways are known is the move's other half.
    chosen = spot;
    ways = [];
    draw();
    rules.changed?.(chosen);
    const found = await rules.targets(spot);
    if (chosen !== spot) return;
    ways = found;
    draw();
  }

  function release() {
    if (!chosen) return;
    chosen = null;
    ways = [];
    draw();
    rules.changed?.(null);
  }

  /** @param {number | null} [over] the square under a piece that is carried */
  function draw(over = null) {
    board.mark(chosen && "board" in chosen ? chosen.board : null, ways, over !== null && ways.includes(over) ? over : null);
    hands.forEach((hand, color) => {
      const kind = chosen && "hand" in chosen && chosen.hand === color ? String(chosen.kind) : "";
      for (const piece of hand.querySelectorAll("[data-kind]")) {
        piece.classList.toggle("picked", /** @type {SVGElement} */ (piece).dataset.kind === kind);
      }
    });
  }

  /** @param {Spot} spot */
  async function press(spot) {
    const from = chosen;
    if (from && sameSpot(from, spot)) {
      if (rules.again) rules.again(spot);
      else release();
      return;
    }
    if (from && (await rules.move(from, spot))) return;
    if (rules.pieceAt(spot)) choose(spot);
    else release();
  }

  /** @param {MouseEvent} event @returns {Spot | null} the place under the pointer */
  function spotAt(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const hand = hands.findIndex((one) => one.contains(under));
    if (hand >= 0) {
      const piece = under?.closest("[data-kind]");
      return { hand, kind: piece instanceof SVGElement ? Number(piece.dataset.kind) : 0 };
    }
    const at = under && host.contains(under) ? board.squareAt(event) : null;
    return at === null ? null : { board: at };
  }

  /** @param {PointerEvent} event */
  function begin(event) {
    dragged = false;
    cancel();
    if (event.button || !event.isPrimary) return;
    const spot = spotAt(event);
    if (!spot || !rules.pieceAt(spot)) return;
    const known = chosen !== null && sameSpot(chosen, spot);
    const waits = swiped && event.pointerType !== "mouse" && !known;
    pressed = { spot, x: event.clientX, y: event.clientY, id: event.pointerId, armed: !waits, timer: 0 };
    if (waits) pressed.timer = window.setTimeout(arm, HOLD);
    rules.targets(spot);
  }

  function arm() {
    if (!pressed) return;
    pressed.armed = true;
    choose(pressed.spot);
  }

  /** @param {PointerEvent} event */
  function carry(event) {
    if (!pressed || event.pointerId !== pressed.id) return;
    const slop = event.pointerType === "mouse" ? SLOP.mouse : SLOP.finger;
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) >= slop;
    if (!carried && !far) return;
    if (!pressed.armed) return cancel();
    if (!carried) lift(event.pointerId, pressed.spot);
    place(event);
    const spot = spotAt(event);
    draw(spot && "board" in spot ? spot.board : null);
  }

  /** @param {number} pointer @param {Spot} spot */
  function lift(pointer, spot) {
    area.setPointerCapture(pointer);
    if (!chosen || !sameSpot(chosen, spot)) choose(spot);
    carried = pictureOf(rules.pieceAt(spot), board.flipped());
    carried.classList.add("carried");
    document.body.append(carried);
    area.classList.add("carrying");
    board.lift("board" in spot ? spot.board : null);
  }

  /** @param {PointerEvent} event */
  function place(event) {
    if (!carried) return;
    const finger = event.pointerType !== "mouse";
    const size = board.pieceSize() * (finger ? LIFTED.scale : 1);
    const up = finger ? size * LIFTED.above : size / 2;
    carried.style.width = `${size}px`;
    carried.style.height = `${size}px`;
    carried.style.translate = `${event.clientX - size / 2}px ${event.clientY - up}px`;
  }

  /** @param {PointerEvent} event */
  async function end(event) {
    if (!pressed || event.pointerId !== pressed.id) return;
    const { spot: from } = pressed;
    const was = Boolean(carried);
    cancel();
    if (!was) return;
    dragged = true;
    const to = spotAt(event);
    if (to && sameSpot(from, to)) draw();
    else if (!to || !(await rules.move(from, to))) release();
  }

  function cancel() {
    clearTimeout(pressed?.timer);
    pressed = null;
    if (!carried) return;
    carried.remove();
    carried = null;
    area.classList.remove("carrying");
    board.lift(null);
  }

  area.addEventListener("pointerdown", begin);
  area.addEventListener("pointermove", carry);
  area.addEventListener("pointerup", end);
  area.addEventListener("pointercancel", () => {
    if (carried) release();
    cancel();
  });
  area.addEventListener("click", (event) => {
    const late = dragged;
    dragged = false;
    if (late || !(event.target instanceof Element) || event.target.closest("a, button")) return;
    const spot = spotAt(event);
    if (spot) press(spot);
    else release();
  });
  // A finger that holds a piece does not scroll the page, and opens no menu.
  area.addEventListener("touchmove", (event) => {
    if (pressed?.armed && event.cancelable) event.preventDefault();
  }, { passive: false });
  area.addEventListener("contextmenu", (event) => {
    if (pressed && pressed.timer) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    cancel();
    release();
  });
  return { chosen: () => chosen, press: (spot) => void press(spot), choose: (spot) => void choose(spot), release };
}

/** @param {Spot} one @param {Spot} other @returns {boolean} */
export function sameSpot(one, other) {
  if ("board" in one) return "board" in other && one.board === other.board;
  if ("hand" in one) return "hand" in other && one.hand === other.hand && one.kind === other.kind;
  return "box" in other && one.box === other.box;
}
