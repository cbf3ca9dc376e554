// @ts-check
/**
 * The page of a problem: moves on the board are judged by the server, which replies with the best defence. Without an
 * account the browser remembers which problems were solved.
 */

import { createBoard } from "./board.js";
import { Playing } from "./playing.js";
import { fromSfen, moveOf, play, squareOf, toSfen } from "./position.js";

/** @typedef {{result: string, reply: string, alternative: boolean, reason: string, rating: number | null, streak: number | null}} Judged */

/** Milliseconds after which the reply is played: long enough to see one's own move. */
const REPLY = 450;
const STORE = "problems";

class Solving {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.box = /** @type {HTMLElement} */ (place.querySelector(".solve"));
    this.news = /** @type {HTMLElement} */ (this.box.querySelector(".solve-news"));
    this.hint = /** @type {HTMLButtonElement} */ (this.box.querySelector("button.hint"));
    this.again = /** @type {HTMLButtonElement} */ (this.box.querySelector("button.again"));
    this.solution = /** @type {HTMLDetailsElement} */ (place.querySelector("details.solution"));
    this.host = /** @type {HTMLElement} */ (place.querySelector(".board-host"));
    const [black, white] = ["black", "white"].map((side) =>
      /** @type {HTMLElement} */ (place.querySelector(`.seat.${side} .hand-host`)));
    this.label = this.host.querySelector("svg")?.getAttribute("aria-label") || "";
    const flip = Boolean(place.querySelector(".table.flipped"));
    this.board = createBoard(this.host, { flip, ranks: this.host.dataset.ranks, hands: [black, white] });
    this.start = this.host.dataset.sfen || "";
    this.moves = /** @type {string[]} */ ([]);
    this.helped = false;
    this.hints = 0;
    this.busy = false;
    this.done = false;
    this.position = fromSfen(this.start);
    this.playing = new Playing({
      root: place,
      board: this.board,
      legalUrl: this.host.dataset.legalUrl || "",
      position: () => this.position,
      here: () => this.position,
      play: ({ move }) => this.tryMove(move),
    });
    this.hint.addEventListener("click", () => this.giveHint());
    this.again.addEventListener("click", () => this.restart());
    this.solution.addEventListener("toggle", () => this.showSolution());
    this.showScore();
    this.show("");
  }

  /** @param {string} usi the last move; empty at the start */
  show(usi) {
    const from = usi && usi[1] !== "*" ? squareOf(usi.slice(0, 2)) : null;
    this.board.mark(null, []);
    this.host.dataset.sfen = toSfen(this.position, 1);
    this.board.show({ position: this.position, from, to: usi ? squareOf(usi.slice(2, 4)) : null, label: this.label });
    this.hints = 0;
    this.hint.disabled = this.done || !this.nextOfSolution();
  }

  /** @param {string} usi */
  advance(usi) {
    const after = fromSfen(toSfen(this.position, 1));
    play(after, moveOf(this.position, usi));
    this.position = after;
    this.playing.release();
    this.show(usi);
  }

  /** @param {string[]} moves */
  setTo(moves) {
    this.moves = [...moves];
    this.position = fromSfen(this.start);
    for (const usi of moves) this.advance(usi);
    this.playing.release();
    this.show(moves[moves.length - 1] || "");
  }

  restart() {
    this.again.hidden = true;
    this.done = false;
    this.setTo([]);
    this.say("begin");
  }

  /** @param {string} name of a text of the page @param {string} [kind] */
  say(name, kind = "") {
    this.news.textContent = this.news.dataset[name] || "";
    this.news.classList.toggle("wrong", kind === "wrong");
    this.news.classList.toggle("solved", kind === "solved");
  }

  /** @param {string} usi */
  async tryMove(usi) {
    if (this.busy) return;
    if (this.done) {
      this.moves.push(usi);
      this.advance(usi);
      return;
    }
    const before = [...this.moves];
    this.busy = true;
    this.moves.push(usi);
    this.advance(usi);
    const judged = await this.ask(this.moves);
    this.busy = false;
    if (!judged) {
      this.setTo(before);
      this.say("failed", "wrong");
      return;
    }
    this.take(judged, before);
  }

  /** @param {Judged} judged @param {string[]} before the moves before the one that was judged */
  take(judged, before) {
    const { result, reply, alternative, reason } = judged;
    if (result === "right") {
      this.say(alternative ? "other" : "right");
      this.busy = true;
      setTimeout(() => {
        this.busy = false;
        this.moves.push(reply);
        this.advance(reply);
      }, REPLY);
    } else if (result === "solved") {
      this.finish(judged, true);
      this.say(alternative ? camel(reason) : "solved", "solved");
    } else if (result === "undecided") {
      this.say("undecided", "wrong");
      this.setTo(before);
    } else {
      this.finish(judged, false);
      this.say(camel(reason), "wrong");
      if (reply) setTimeout(() => this.again.hidden || this.advance(reply), REPLY);
      this.again.hidden = false;
    }
  }

  /** @param {Judged} judged @param {boolean} solved */
  finish(judged, solved) {
    this.done = true;
    this.hint.disabled = true;
    this.remember(solved && !this.helped);
    if (judged.rating !== null) this.tell("rating", judged.rating);
    this.goOnStreak(solved && !this.helped);
  }

  /** @param {boolean} solved */
  goOnStreak(solved) {
    const { streak, streakUrl } = this.box.dataset;
    const next = this.place.querySelector("a.next-problem");
    if (streak === undefined || !(next instanceof HTMLAnchorElement)) return;
    const run = solved ? Number(streak) + 1 : 0;
    next.href = (streakUrl || "").replace("streak=0", `streak=${run}`);
    if (solved) this.tell("run", run);
  }

  /** @param {string} name @param {number} number */
  tell(name, number) {
    const line = /** @type {HTMLElement} */ (this.box.querySelector(".score"));
    line.hidden = false;
    line.textContent = `${line.textContent ? `${line.textContent} · ` : ""}${this.news.dataset[name]} ${Math.round(number)}`;
  }

  /** @param {string[]} moves @returns {Promise<Judged | null>} */
  async ask(moves) {
    const headers = { "X-CSRFToken": this.box.dataset.token || "", "Content-Type": "application/json" };
    const body = JSON.stringify({ moves, helped: this.helped });
    const answer = await fetch(this.box.dataset.url || "", { method: "POST", headers, body }).catch(() => null);
    return answer?.ok ? answer.json() : null;
  }

  /** @returns {string} the solution's next move; empty off the solution */
  nextOfSolution() {
    const solution = (this.box.dataset.moves || "").split(" ");
    const follows = this.moves.every((move, at) => move === solution[at]);
    return follows ? solution[this.moves.length] || "" : "";
  }

  /** First the piece that moves, then its target. */
  giveHint() {
    const move = this.nextOfSolution();
    if (!move) return;
    this.helped = true;
    this.hints++;
    const from = move[1] === "*" ? null : squareOf(move.slice(0, 2));
    this.board.mark(from, this.hints > 1 ? [squareOf(move.slice(2, 4))] : []);
    this.say(this.hints > 1 ? "to" : from === null ? "drop" : "from");
  }

  /** Who looks at the solution has not solved the problem. */
  async showSolution() {
    if (!this.solution.open || this.done || this.helped) return;
    this.helped = true;
    this.remember(false);
    await this.ask([]);
  }

  /** @param {boolean} solved at the first attempt, which counts */
  remember(solved) {
    if (this.box.dataset.account) return;
    const found = stored();
    const id = this.box.dataset.id || "";
    if (id in found) return;
    found[id] = solved;
    try {
      localStorage.setItem(STORE, JSON.stringify(found));
    } catch {
      // A browser without storage remembers nothing.
    }
    this.showScore();
  }

  showScore() {
    if (this.box.dataset.account) return;
    const attempts = Object.values(stored());
    const line = /** @type {HTMLElement} */ (this.box.querySelector(".score"));
    line.hidden = !attempts.length;
    line.textContent = attempts.length ? `${attempts.filter(Boolean).length} / ${attempts.length}` : "";
  }
}

/** @returns {Record<string, boolean>} the problems that were tried in this browser, and whether the first attempt solved them */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORE) || "{}");
  } catch {
    return {};
  }
}

/** @param {string} name @returns {string} the name of a data attribute in scripts */
function camel(name) {
  return name.replace(/-([a-z])/g, (_dash, letter) => letter.toUpperCase());
}

new Solving(/** @type {HTMLElement} */ (document.getElementById("problem")));
