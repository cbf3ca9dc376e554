// @ts-check
/** Lines of play in comments: their moves become links, which a game's page plays on its board. */

/** @typedef {import("./tree.js").Node} Node */

/**
 * @param {HTMLElement} comment of a node of the record
 * @param {Node} node
 * @param {string} address of the node
 */
export function linkLines(comment, node, address) {
  const before = `${address}${address.includes("?") ? "&" : "?"}try=`;
  for (const line of /** @type {NodeListOf<HTMLElement>} */ (comment.querySelectorAll(".line[data-moves]"))) {
    const moves = (line.dataset.moves || "").split(".");
    const words = (line.textContent || "").split("\n");
    line.replaceChildren(...moves.flatMap((_, index) => {
      const link = document.createElement("a");
      const played = moves.slice(0, index + 1);
      link.href = before + played.join(".");
      link.textContent = words[index];
      link.dataset.key = [node.key, ...played].join("~");
      return [link, " "];
    }));
  }
}

/**
 * Links the lines of engines' verdicts on the position of a node.
 * @param {import("./replay.js").Replay} replay @param {HTMLElement} place @param {Node} node
 */
export function linkEngineLines(replay, place, node) {
  place.dataset.key = node.key;
  linkLines(place, node, replay.addressOf(node));
}

/** @param {HTMLElement} comment @param {Node} shown */
export function markLines(comment, shown) {
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (comment.querySelectorAll(".line a"))) {
    if (link.dataset.key === shown.key) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  }
}

/** @param {HTMLElement} link a move of a line @returns {{name: string, text: string}[]} all moves of the line */
export function lineOf(link) {
  const line = /** @type {HTMLElement} */ (link.closest(".line"));
  const names = (line.dataset.moves || "").split(".");
  return names.map((name, index) => ({ name, text: line.querySelectorAll("a")[index].textContent || "" }));
}
