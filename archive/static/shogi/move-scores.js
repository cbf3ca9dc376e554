// @ts-check
/**
 * A column of scores in the table of moves, on demand: the engine's score after a move, and the score if both sides
 * go on with the best moves of the tree. Both are from Black's side.
 */

import { scoreText } from "./wording.js";

const MATE = 30_000;
const LONGEST_MATE = 2_000;

/** @typedef {{move: string, score: number | null, backed_score: number | null}} Move */

/** @param {HTMLElement} place the part of the page that is replaced from one position to the next */
export function startMoveScores(place) {
  place.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("button.move-scores");
    if (!(button instanceof HTMLButtonElement)) return;
    button.disabled = true;
    const answer = await fetch(button.dataset.url || "").catch(() => null);
    const tree = answer?.ok ? await answer.json() : null;
    const table = place.querySelector(".moves-table");
    if (!button.isConnected || !table) return;
    if (tree?.engine) addColumn(table, tree, button);
    else button.textContent = (tree ? button.dataset.none : button.dataset.failed) || "";
  });
}

/** @param {Element} table @param {{engine: string, moves: Move[]}} tree @param {HTMLButtonElement} button */
function addColumn(table, tree, button) {
  const black = button.dataset.turn === "0";
  const moves = new Map(tree.moves.map((move) => [move.move, move]));
  const heading = document.createElement("th");
  heading.scope = "col";
  heading.className = "number score";
  heading.title = `${tree.engine} · ${button.dataset.about}`;
  heading.textContent = button.dataset.heading || "";
  table.querySelector("thead tr")?.append(heading);
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("tr[data-move]"))) {
    const cell = row.appendChild(document.createElement("td"));
    cell.className = "number score";
    const move = moves.get(row.dataset.move || "");
    const [raw, backed] = [move?.score, move?.backed_score].map((score) => written(score ?? null, black));
    cell.append(raw || backed);
    if (raw && backed !== raw) {
      const after = document.createElement("span");
      after.className = "muted small";
      after.textContent = ` → ${backed}`;
      cell.append(after);
    }
  }
  button.hidden = true;
}

/** @param {number | null} score for the side that moves @param {boolean} black @returns {string} */
function written(score, black) {
  if (score === null) return "";
  const own = black ? score : -score;
  if (Math.abs(own) >= MATE - LONGEST_MATE) return own > 0 ? "☗#" : "☖#";
  return scoreText(own);
}
