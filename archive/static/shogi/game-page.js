// @ts-check
import { startGamePage } from "../archive/js/game-page.js";
import { shogi } from "./kit.js";
import { selectIn } from "./selecting.js";
import { startSharing } from "./sharing.js";
import { startTrials } from "./trial.js";

startGamePage(shogi, startTrials, startSharing, selectIn);
