// @ts-check
/** How a record of Quoridor that is not stored is replayed: as the viewer for other sites does it. */

import { startBoards } from "./boards.js";

export const FORMAT = "qf";

/** @param {HTMLElement} place @param {string} record */
export function show(place, record) {
  const viewer = document.createElement("div");
  viewer.className = "qf_board_viewer";
  viewer.dataset.qfcode = record.trim();
  place.replaceChildren(viewer);
  startBoards(place);
}
