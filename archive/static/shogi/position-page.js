// @ts-check
/** The page of a position of shogi, whose board is played on. */

import { playOn } from "../archive/js/position-page.js";
import { startExplorer } from "./explorer.js";

playOn(startExplorer);
