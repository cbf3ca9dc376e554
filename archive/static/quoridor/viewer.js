// @ts-check
/**
 * `<div class="qf_board_viewer" data-boardsize data-flags data-qfcode>`: a position or a record to step through.
 * Attributes, defaults and flags are those of the original of 2014; a wrong code shows what is wrong with it.
 */

import { createBoard } from "./board.js";
import { canGoBack, canGoOn, lastMove, load, stateAt } from "./game.js";
import { QfCodeError } from "./qf_code.js";
import { wallsLeft } from "./rules.js";
import { faultText, gettext, isJapanese, positionWords } from "./words.js";

const FLAGS = { info: 1, neutral: 2, last: 4, turned: 8 };
const DEFAULTS = { size: 10, flags: 5, code: "gkwAAAAQ" };
const NO_CODE = ["", "null", "0", "false"];

/** @param {HTMLElement} element @returns {boolean} whether there was a code to show */
export function showViewer(element) {
  const japanese = isJapanese(element);
  const size = sizeOf(element, DEFAULTS.size);
  const flags = integer(element.dataset.flags) ?? DEFAULTS.flags;
  const written = (element.dataset.qfcode ?? "").trim();
  element.style.setProperty("--qf-unit", `${size}px`);
  try {
    const { game, hasRecord } = load(NO_CODE.includes(written) ? DEFAULTS.code : written);
    element.replaceChildren(...parts(game, hasRecord, flags, japanese));
    return true;
  } catch (error) {
    if (!(error instanceof QfCodeError)) throw error;
    element.replaceChildren(problem(error, japanese));
    return false;
  }
}

/** @param {HTMLElement} element @param {number} otherwise @returns {number} pixels of a unit */
export function sizeOf(element, otherwise) {
  const size = integer(element.dataset.boardsize) ?? otherwise;
  return size > 0 ? size : otherwise;
}

/** @param {string | undefined} text @returns {number | null} the integer it begins with */
function integer(text) {
  const number = Number.parseInt(text ?? "", 10);
  return Number.isNaN(number) ? null : number;
}

/** @param {QfCodeError} error @param {boolean} japanese @returns {HTMLElement} */
function problem(error, japanese) {
  const reason = faultText(error, japanese);
  const note = make("p", "qf-problem", gettext("This code cannot be shown: {reason}", japanese, { reason }));
  note.setAttribute("role", "alert");
  note.append(" ", make("code", "", error.code));
  return note;
}

/**
 * @param {import("./game.js").Game} first
 * @param {boolean} hasRecord
 * @param {number} flags
 * @param {boolean} japanese
 * @returns {HTMLElement[]}
 */
function parts(first, hasRecord, flags, japanese) {
  let game = first;
  const main = make("div", "qf-main");
  const host = main.appendChild(make("div", "qf-host"));
  const board = createBoard(host, { flip: Boolean(flags & FLAGS.turned), neutral: Boolean(flags & FLAGS.neutral) });
  const info = flags & FLAGS.info ? main.appendChild(make("div", "qf-info")) : null;
  const back = button("BACK", gettext("one move back", japanese));
  const next = button("NEXT", gettext("one move on", japanese));

  function show() {
    const { position, turnNumber } = stateAt(game);
    const label = positionWords(position, japanese);
    board.show({ position, last: flags & FLAGS.last ? lastMove(game) : null, label });
    info?.replaceChildren(...infoParts(turnNumber, position));
    back.disabled = !canGoBack(game);
    next.disabled = !canGoOn(game);
  }

  /** @param {number} by */
  function step(by) {
    if (by < 0 ? !canGoBack(game) : !canGoOn(game)) return;
    game = { ...game, at: game.at + by };
    show();
    // A button that can no longer be pressed loses the focus.
    if (by < 0 ? back.disabled : next.disabled) (by < 0 ? next : back).focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    step(event.key === "ArrowLeft" ? -1 : 1);
  }

  back.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  show();
  if (!hasRecord) return [main];
  const buttons = make("div", "qf-buttons");
  buttons.append(back, next);
  buttons.addEventListener("keydown", onKey);
  return [main, buttons];
}

/**
 * @param {number} turn
 * @param {import("./rules.js").Position} position
 * @param {string[]} [more] a word on White and one on Black
 * @returns {HTMLElement[]}
 */
export function infoParts(turn, position, more = []) {
  const sides = ["WHITE", "BLACK"].map((side, color) => {
    const part = make("span", `qf-left qf-${side.toLowerCase()}`, `${side} ${wallsLeft(position, color)}`);
    if (more[color]) part.append(make("span", "qf-way", more[color]));
    return part;
  });
  return [make("span", "qf-turn", `TURN ${turn}`), ...sides];
}

/** @param {string} name @param {string} kind @param {string} [text] @returns {HTMLElement} */
export function make(name, kind, text = "") {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text) element.textContent = text;
  return element;
}

/** @param {string} text @param {string} does @returns {HTMLButtonElement} */
export function button(text, does) {
  const element = /** @type {HTMLButtonElement} */ (make("button", "", text));
  const label = `${text}: ${does}`;
  element.type = "button";
  element.title = label;
  element.setAttribute("aria-label", label);
  return element;
}
