// @ts-check
/** The charts of a game: a line marks the shown move, a click shows the move there. */

/** @typedef {import("./replay.js").Replay} Replay */

/** @param {Replay} replay */
export function followOnCharts(replay) {
  const charts = /** @type {SVGSVGElement[]} */ ([...replay.root.querySelectorAll("svg.chart[data-plies]")]);
  for (const chart of charts) {
    chart.addEventListener("click", (event) => {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM()?.inverse());
      const ply = Math.max(0, Math.min(Number(chart.dataset.plies), Math.round(place.x)));
      replay.visit("", ply);
    });
  }
  const cursors = charts.map((chart) => /** @type {SVGLineElement} */ (chart.querySelector(".cursor")));
  const here = replay.root.querySelector(".charts .here");
  replay.onShow(follow);
  follow(replay.shown);

  /** @param {import("./tree.js").Node} node */
  function follow(node) {
    if (here) here.textContent = replay.items.get(node.key)?.querySelector(":scope > .e")?.textContent || "";
    for (const cursor of cursors) cursor.setAttribute("transform", `translate(${node.ply} 0)`);
  }
}
