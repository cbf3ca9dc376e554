// @ts-check
import { startFrame } from "../archive/js/embed-page.js";
import { shogi } from "./kit.js";

startFrame(shogi);
