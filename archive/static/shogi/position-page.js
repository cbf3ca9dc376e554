// @ts-check
/** The page of a position of shogi, whose board is played on. */

import { playOn } from "../archive/js/position-page.js";
import { startExplorer } from "./explorer.js";
import { startMoveScores } from "./move-scores.js";

playOn(startExplorer);
const place = /** @type {HTMLElement} */ (document.getElementById("position"));
startMoveScores(place);
if (place.querySelector(".browser-engine[data-engine]")) (await import("./engine/pages.js")).startPositionEngine(place);
