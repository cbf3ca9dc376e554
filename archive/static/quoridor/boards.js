// @ts-check
/**
 * Boards of Quoridor for any site, in place of the viewer and the free board of 2014 and without jQuery:
 *
 *     <link rel="stylesheet" href="https://archive.example/static/quoridor/boards.css">
 *     <script type="module" src="https://archive.example/static/quoridor/boards.js"></script>
 *     <div class="qf_board_viewer" data-boardsize="7" data-flags="6" data-qfcode="j7oklAHMe1ICg"></div>
 *     <div class="qf_freeboard" data-boardsize="10"></div>
 */

import { Freeboard } from "./freeboard.js";
import { showViewer } from "./viewer.js";

/** @type {WeakSet<Element>} */
const started = new WeakSet();

/** Starts the boards in a part of a page that are not started yet. @param {ParentNode} root */
export function startBoards(root = document) {
  for (const element of root.querySelectorAll(".qf_board_viewer, .qf_freeboard")) {
    if (!(element instanceof HTMLElement) || started.has(element)) continue;
    started.add(element);
    if (element.classList.contains("qf_board_viewer")) showViewer(element);
    else new Freeboard(element);
  }
}

startBoards();
