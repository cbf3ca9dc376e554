// @ts-check
/** The page of the free board: its address is always that of the game on the board. */

import "../quoridor.js";

const PAUSE = 350;
let timer = 0;

document.addEventListener("qf-change", (event) => {
  const { code, ply } = /** @type {CustomEvent<{code: string, ply: number}>} */ (event).detail;
  const query = new URLSearchParams(code ? { code } : {});
  if (ply) query.set("ply", String(ply));
  clearTimeout(timer);
  timer = window.setTimeout(() => history.replaceState(null, "", query.size ? `?${query}` : location.pathname), PAUSE);
});
