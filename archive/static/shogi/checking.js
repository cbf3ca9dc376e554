// @ts-check
/** How a record of shogi that is not stored is replayed: as the element for other sites does it. */

import "./kifu-replay.js";

export const FORMAT = "jkf";

/** @param {HTMLElement} place @param {object} record */
export function show(place, record) {
  const replay = document.createElement("kifu-replay");
  replay.textContent = JSON.stringify(record);
  place.replaceChildren(replay);
}
