// @ts-check
/**
 * A card of the training, answered on the board: the opponent's move is played, the reader's move is compared with
 * the card's, and the grade follows from it unless a key says otherwise. The form works without this module.
 */

import { isCovered } from "../archive/js/keys.js";
import { createBoard } from "./board.js";
import { Playing } from "./playing.js";
import { fromSfen, moveOf, play, squareOf, toSfen } from "./position.js";

/** Milliseconds after which the opponent's move is played. */
const LEAD = 500;
/** Milliseconds for which a right move is shown, and another grade may be chosen. */
const SHOWN = 1200;
/** Milliseconds of a thought after which a right move was hard. */
const QUICK = 20_000;
/** By key. */
const GRADES = ["again", "hard", "good", "easy"];

class Training {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.news = /** @type {HTMLElement} */ (root.querySelector(".solve-news"));
    this.form = /** @type {HTMLFormElement} */ (root.querySelector("form.grades"));
    this.answer = /** @type {HTMLDetailsElement} */ (root.querySelector("details.answer"));
    this.answers = wordsIn(root.dataset.answers);
    this.others = wordsIn(root.dataset.others);
    this.wrong = false;
    this.done = false;
    const host = /** @type {HTMLElement} */ (root.querySelector(".board-host"));
    const [black, white] = ["black", "white"].map((side) =>
      /** @type {HTMLElement} */ (root.querySelector(`.seat.${side} .hand-host`)));
    this.label = host.querySelector("svg")?.getAttribute("aria-label") || "";
    this.board = createBoard(host, {
      flip: Boolean(root.querySelector(".table.flipped")), ranks: host.dataset.ranks, hands: [black, white],
    });
    this.position = fromSfen(host.dataset.sfen || "");
    this.playing = new Playing({
      root,
      board: this.board,
      legalUrl: host.dataset.legalUrl || "",
      position: () => this.position,
      here: () => this.position,
      play: ({ move }) => this.judge(move),
    });
    this.began = performance.now();
  }

  /** @param {string} usi the last move; empty for none */
  show(usi) {
    const from = usi && usi[1] !== "*" ? squareOf(usi.slice(0, 2)) : null;
    this.board.show({ position: this.position, from, to: usi ? squareOf(usi.slice(2, 4)) : null, label: this.label });
  }

  start() {
    const { lead, leadSfen } = this.root.dataset;
    if (lead && leadSfen) {
      const after = this.position;
      this.position = fromSfen(leadSfen);
      this.show("");
      setTimeout(() => {
        this.position = after;
        this.show(lead);
        this.began = performance.now();
      }, LEAD);
    } else this.show("");
    this.answer.addEventListener("toggle", () => {
      if (!this.answer.open || this.done) return;
      this.wrong = true;
      const [usi] = this.answers;
      this.board.mark(usi[1] === "*" ? null : squareOf(usi.slice(0, 2)), [squareOf(usi.slice(2, 4))]);
    });
    document.addEventListener("keydown", (event) => this.gradeByKey(event));
    this.form.addEventListener("submit", () => (this.done = true));
  }

  /** @param {string} usi */
  judge(usi) {
    if (this.done) return;
    this.board.mark(null, []);
    if (!this.answers.includes(usi)) {
      const other = this.others.includes(usi);
      this.wrong = this.wrong || !other;
      this.say(other ? "other" : "wrong");
      return;
    }
    const seconds = performance.now() - this.began;
    const after = fromSfen(toSfen(this.position, 1));
    play(after, moveOf(this.position, usi));
    this.position = after;
    this.playing.release();
    this.show(usi);
    this.say("right");
    this.done = true;
    const grade = this.wrong ? "again" : seconds > QUICK ? "hard" : "good";
    this.buttonOf(grade)?.classList.add("chosen");
    this.timer = window.setTimeout(() => this.submit(grade), SHOWN);
  }

  /** @param {string} grade */
  submit(grade) {
    clearTimeout(this.timer);
    const button = this.buttonOf(grade);
    if (button) this.form.requestSubmit(button);
  }

  /** @param {string} grade @returns {HTMLButtonElement | null} */
  buttonOf(grade) {
    return this.form.querySelector(`button[value="${grade}"]`);
  }

  /** @param {KeyboardEvent} event */
  gradeByKey(event) {
    const held = event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented;
    if (held || isCovered()) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
    const grade = GRADES[Number(event.key) - 1];
    // Nobody can grade a card before its answer is on the page.
    if (grade && (this.done || this.answer.open)) this.submit(grade);
  }

  /** @param {"right" | "wrong" | "other"} name */
  say(name) {
    this.news.textContent = this.news.dataset[name] || "";
    this.news.classList.toggle("wrong", name === "wrong");
    this.news.classList.toggle("solved", name === "right");
  }
}

/** @param {string | undefined} text @returns {string[]} */
function wordsIn(text) {
  return (text || "").split(" ").filter(Boolean);
}

const root = document.getElementById("training");
if (root) new Training(root).start();
