// @ts-check
/** The keys of the curators' bench: j and k choose a row, the others press its buttons (`data-key`). */

import { isCovered, startKeys } from "./keys.js";

const ROWS = ".bench > li";

/** @returns {HTMLElement | null} the chosen row */
function chosen() {
  const row = document.activeElement?.closest(ROWS);
  return row instanceof HTMLElement ? row : document.querySelector(ROWS);
}

/** @param {number} step */
function move(step) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(ROWS)]);
  const now = document.activeElement?.closest(ROWS);
  const at = rows.findIndex((row) => row === now);
  rows[Math.max(0, Math.min(rows.length - 1, now ? at + step : 0))]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isCovered()) return;
  if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
  if (event.key === "j" || event.key === "k") {
    move(event.key === "j" ? 1 : -1);
    return;
  }
  if (!/^[a-z]$/.test(event.key)) return;
  const button = `[data-key="${event.key}"]`;
  const target = chosen()?.querySelector(button) || document.querySelector(`:not(li) > ${button}`);
  if (target instanceof HTMLElement) target.click();
});

startKeys();
