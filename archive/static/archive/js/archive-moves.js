// @ts-check
/**
 * Moves of other games from the shown position, in a table and as arrows on the board.
 * The server renders the table; it is fetched when the stepping pauses, once per position.
 */

import { recall, remember } from "./memory.js";
import { linkEngineLines } from "./thoughts.js";

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {{move: string, weight: number}} Arrow a move and how strong it is drawn, from 0 to 1 */

const PAUSE = 160;
const CACHE_SIZE = 300;
const MEMORY = "archive-arrows";
const ARROWS = 6;

/**
 * @param {Replay} replay
 * @param {(move: string) => void} play plays a move of the table on the board
 */
export function showArchiveMoves(replay, play) {
  const place = /** @type {HTMLElement} */ (replay.root.querySelector(".archive-moves"));
  const toggle = /** @type {HTMLButtonElement} */ (replay.root.querySelector("button.arrows"));
  /** @type {Map<string, Promise<string>>} */
  const answers = new Map();
  let code = "";
  let timer = 0;

  /** @param {string} requested */
  async function load(requested) {
    const html = await movesOf(requested).catch(() => null);
    if (requested !== code) return;
    place.removeAttribute("aria-busy");
    if (html === null) {
      code = "";
      place.textContent = place.dataset.failed || "";
      return;
    }
    place.innerHTML = html;
    const lines = place.querySelector(".engine-lines");
    if (lines instanceof HTMLElement) linkEngineLines(replay, lines, replay.shown);
    drawArrows();
  }

  /** @param {string} requested @returns {Promise<string>} */
  function movesOf(requested) {
    const cached = answers.get(requested);
    if (cached) return cached;
    if (answers.size >= CACHE_SIZE) answers.clear();
    const answer = fetchMoves((replay.root.dataset.positionUrl || "").replace("CODE", requested));
    answers.set(requested, answer);
    answer.catch(() => answers.delete(requested));
    return answer;
  }

  function drawArrows() {
    replay.board.arrows(isOn(toggle) && !isOnlyShownGame(place) ? arrowsOf(place) : []);
  }

  replay.onShow(() => {
    replay.board.arrows([]);
    place.setAttribute("aria-busy", "true");
    clearTimeout(timer);
  });
  const solution = /** @type {HTMLDetailsElement | null} */ (replay.root.querySelector("details.solution"));
  solution?.addEventListener("toggle", show);
  replay.onSettle(show);

  function show() {
    if (solution && !solution.open) return;
    const requested = replay.kit.code(replay.position);
    if (!requested) {
      place.replaceChildren();
      return;
    }
    if (requested === code) {
      drawArrows();
      place.removeAttribute("aria-busy");
      return;
    }
    code = requested;
    clearTimeout(timer);
    timer = window.setTimeout(() => load(requested), answers.has(requested) ? 0 : PAUSE);
  }

  place.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
    const move = event.target.closest("a") && event.target.closest("tr")?.dataset.move;
    if (!move) return;
    event.preventDefault();
    play(move);
  });
  startToggle(toggle, drawArrows);
}

/**
 * The button that shows and hides arrows, as the visitor left it.
 * @param {HTMLButtonElement} toggle
 * @param {() => void} changed
 */
export function startToggle(toggle, changed) {
  toggle.setAttribute("aria-pressed", String(recall(MEMORY) !== "off"));
  toggle.addEventListener("click", () => {
    toggle.setAttribute("aria-pressed", String(!isOn(toggle)));
    remember(MEMORY, isOn(toggle) ? "on" : "off");
    changed();
  });
}

/** @param {HTMLButtonElement} toggle @returns {boolean} */
export function isOn(toggle) {
  return toggle.getAttribute("aria-pressed") === "true";
}

/** @param {string} address @returns {Promise<string>} the table of moves of a position's page */
async function fetchMoves(address) {
  const answer = await fetch(`${address}?part=moves`);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.text();
}

/** Moves of problems and opening books alone have no games. @param {HTMLElement} place @returns {HTMLElement[]} */
function rowsIn(place) {
  const rows = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("tr[data-move]")]);
  return rows.filter((row) => row.dataset.total !== "0").slice(0, ARROWS);
}

/** Its own next move is no news, and an arrow would give it away. @param {HTMLElement} place @returns {boolean} */
function isOnlyShownGame(place) {
  const rows = rowsIn(place);
  return rows.length === 1 && rows[0].dataset.total === "1";
}

/**
 * @param {HTMLElement} place with the table of moves
 * @returns {Arrow[]} for the most frequent moves, by their share
 */
export function arrowsOf(place) {
  const rows = rowsIn(place);
  const most = Math.max(...rows.map((row) => Number(row.dataset.total)));
  return rows.map((row) => ({ move: row.dataset.move || "", weight: Number(row.dataset.total) / most }));
}
