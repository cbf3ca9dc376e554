// @ts-check
import { startFrame } from "../archive/js/embed-page.js";
import { quoridor } from "./kit.js";

startFrame(quoridor);
