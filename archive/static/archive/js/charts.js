// @ts-check
/**
 * The charts of a game: a line marks the shown move, a click shows the move there, a mouse over the scores a small
 * board. The gauge beside the board is as high as the chart at the shown move.
 */

import { lineTo, nodeKey } from "./tree.js";

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./tree.js").Node} Node */

/** @param {Replay} replay */
export function followOnCharts(replay) {
  const charts = /** @type {SVGSVGElement[]} */ ([...replay.root.querySelectorAll("svg.chart[data-plies]")]);
  for (const chart of charts) chart.addEventListener("click", (event) => replay.visit("", plyAt(chart, event)));
  const scores = charts.find((chart) => chart.dataset.heights);
  if (scores) previewOn(replay, scores);
  loadReport(replay.root);
  const heights = (scores?.dataset.heights || "").split(" ").map(Number);
  const gauge = replay.root.querySelector(".gauge .black");
  const cursors = charts.map((chart) => /** @type {SVGLineElement} */ (chart.querySelector(".cursor")));
  const here = replay.root.querySelector(".charts .here");
  replay.onShow(follow);
  follow(replay.shown);

  /** @param {Node} node */
  function follow(node) {
    if (here) here.textContent = replay.items.get(node.key)?.querySelector(":scope > .e")?.textContent || "";
    for (const cursor of cursors) cursor.setAttribute("transform", `translate(${node.ply} 0)`);
    const height = node.path || node.tried ? NaN : heights[node.ply];
    gauge?.parentElement?.classList.toggle("unknown", !(height >= 0));
    if (height >= 0) gauge?.setAttribute("y", String(height));
    if (height >= 0) gauge?.setAttribute("height", String(80 - height));
  }
}

/** @param {SVGSVGElement} chart @param {MouseEvent} event @returns {number} */
function plyAt(chart, event) {
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM()?.inverse());
  return Math.max(0, Math.min(Number(chart.dataset.plies), Math.round(place.x)));
}

/** A small board with the move and its score, for mice: others step through the game. @param {Replay} replay @param {SVGSVGElement} chart */
function previewOn(replay, chart) {
  const box = document.createElement("div");
  box.className = "preview-board";
  box.setAttribute("aria-hidden", "true");
  const host = box.appendChild(document.createElement("div"));
  const words = box.appendChild(document.createElement("p"));
  /** @type {any} */
  let board = null;
  let shown = -1;
  chart.addEventListener("pointerleave", () => box.remove());
  chart.addEventListener("pointermove", (event) => {
    const node = event.pointerType === "mouse" && replay.nodes.get(nodeKey("", plyAt(chart, event)));
    if (!node) return;
    if (!box.isConnected) chart.after(box);
    const { left, width } = chart.getBoundingClientRect();
    box.style.setProperty("inset-inline-start", `${Math.max(0, Math.min(width - box.offsetWidth, event.clientX - left - box.offsetWidth / 2))}px`);
    if (node.ply === shown) return;
    shown = node.ply;
    board ||= replay.kit.board(host, { flip: replay.root.classList.contains("flipped"), ranks: replay.root.dataset.ranks });
    const position = replay.kit.start(replay.root);
    let last = null;
    for (const { move } of lineTo(node)) {
      if (move) replay.kit.play(position, move);
      last = move || last;
    }
    const label = replay.labelOf(node);
    replay.kit.show(host, board, { position, played: node.played, move: last, label, marked: [], shapes: [] });
    words.textContent = `${label} ${replay.items.get(node.key)?.querySelector(":scope > .e")?.textContent || ""}`;
  });
}

/** The report comes when its place comes into sight; without it, a link leads there. @param {HTMLElement} root */
function loadReport(root) {
  const place = /** @type {HTMLElement | null} */ (root.querySelector(".report-details"));
  if (!place) return;
  const observer = new IntersectionObserver(async (entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    const answer = await fetch(place.dataset.url || "", { headers: { "X-Part": "report" } }).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...(page.querySelector(".report-details")?.childNodes || []));
  }, { rootMargin: "200px" });
  observer.observe(place);
}
