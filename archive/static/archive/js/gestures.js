// @ts-check
/** Steps by keyboard, wheel and swipe. */

import { isCovered } from "./keys.js";

/** @typedef {import("./replay.js").Replay} Replay */

const WHEEL_STEP = 40;
const SWIPE = 40;

/** @type {Record<string, string>} */
const STEPS = {
  ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "up", ArrowDown: "down", Home: "start", End: "end",
};

/**
 * @param {Replay} replay
 * @param {{play: () => void}} actions
 */
export function listenToKeys(replay, { play }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event) || isCovered()) return;
    if (STEPS[event.key]) replay.step(STEPS[event.key]);
    else if (event.key === "f" || event.key === "F") replay.flip();
    else if (event.key === " " && !isControl(event)) play();
    else return;
    event.preventDefault();
  });
}

/**
 * Menus keep the keys that they need: left and right step also after something was chosen in one.
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
function isTyping(event) {
  if (event.target instanceof HTMLSelectElement) return !["ArrowLeft", "ArrowRight"].includes(event.key);
  return event.target instanceof Element && Boolean(event.target.closest("input, textarea"));
}

/** @param {KeyboardEvent} event @returns {boolean} whether the space key activates the focused element; it does not activate links */
function isControl(event) {
  return event.target instanceof Element && Boolean(event.target.closest("button, summary, [role=button]"));
}

/** @param {Replay} replay */
export function listenToWheel(replay) {
  let turned = 0;
  boardOf(replay).addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    turned += event.deltaMode ? event.deltaY * WHEEL_STEP : event.deltaY;
    if (Math.abs(turned) < WHEEL_STEP) return;
    replay.step(turned > 0 ? "forward" : "back");
    turned = 0;
  }, { passive: false });
}

/** A swipe to the left over the board steps forward, like turning a page. @param {Replay} replay */
export function listenToSwipes(replay) {
  const board = boardOf(replay);
  /** @type {{x: number, y: number, id: number} | null} */
  let start = null;
  board.addEventListener("pointerdown", (event) => {
    start = event.pointerType === "mouse" ? null : { x: event.clientX, y: event.clientY, id: event.pointerId };
  });
  board.addEventListener("pointerup", (event) => {
    if (!start || event.pointerId !== start.id) return;
    const right = event.clientX - start.x;
    const down = event.clientY - start.y;
    start = null;
    if (Math.abs(right) < SWIPE || Math.abs(right) < 2 * Math.abs(down)) return;
    replay.step(right < 0 ? "forward" : "back");
  });
}

/** @param {Replay} replay @returns {HTMLElement} */
function boardOf(replay) {
  return /** @type {HTMLElement} */ (replay.root.querySelector(".board-host"));
}
