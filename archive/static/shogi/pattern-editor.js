// @ts-check
/**
 * Drawing of patterns: pieces are put on chosen squares, fields have the other conditions. Text and board follow each
 * other; the server reports errors in a text.
 */

import { keepAddress } from "../archive/js/address.js";
import { fill } from "../archive/js/filling.js";
import { createBoard, LETTERS, make } from "./board.js";
import { drawSquares, pictureOfName } from "./drawing.js";
import { ANYTHING, bitsOf, emptyPattern, emptyStep, isEmpty, MOST_STEPS, namesOf, read, stepWords, write } from "./pattern.js";
import { PatternFields } from "./pattern-fields.js";
import { fromSfen } from "./position.js";
import { rove } from "./roving.js";
import { Squares } from "./squares.js";

/** @typedef {import("./pattern.js").Step} Step */

const JAPANESE = document.documentElement.lang === "ja";
const NOTHING = fromSfen("9/9/9/9/9/9/9/9/9 b -");
const PAUSE = 250;
/** Words of a step that its button has. */
const SHOWN = 3;
/** How pieces put on squares combine with their conditions. */
const KEYS_OF_MODES = /** @type {Record<string, string>} */ ({ "=": "is", ",": "or", "!": "not" });
const PROMOTED = [0, 9, 10, 11, 12, 0, 13, 14, 0, 1, 2, 3, 4, 6, 7];

/** The editor of a page. */
class PatternEditor {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.host = this.one(".board-host");
    this.field = /** @type {HTMLInputElement} */ (document.getElementById("pattern"));
    this.feedback = /** @type {HTMLElement} */ (document.getElementById("feedback"));
    this.news = /** @type {HTMLElement} */ (document.getElementById("cursor"));
    this.advice = this.one(".then-advice");
    this.undo = /** @type {HTMLButtonElement} */ (this.one("button.undo"));
    this.palette = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll("[data-content]")]);
    this.modes = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll("[data-mode]")]);
    this.board = createBoard(this.host, { ranks: root.dataset.ranks });
    this.conditions = this.board.layer.appendChild(make("g", {}));
    this.squares = new Squares(this.host, this.board, {
      adds: false,
      changed: () => this.moved(),
      put: (squares) => this.brush !== null && (this.put(this.brush, squares), true),
    });
    this.pattern = read(this.field.value) || emptyPattern();
    /** Which step is drawn: the one that the address names, where it counts from 1. */
    this.at = Math.max(0, Math.min(this.pattern.steps.length, Math.floor(Number(new URLSearchParams(location.search).get("step"))) || 1) - 1);
    /** What is put on each square that is tapped; null where they are chosen. @type {number | null} */
    this.brush = null;
    this.mode = "is";
    /** @type {string[]} */
    this.before = [];
    /** The text as it was before somebody typed in it. @type {string | null} */
    this.begun = null;
    this.timer = 0;
    this.setAddress = keepAddress(() => {
      const query = new URLSearchParams(location.search);
      query.set("pattern", this.field.value);
      if (this.at) query.set("step", String(this.at + 1));
      else query.delete("step");
      return `${location.pathname}?${query}`;
    });
    this.fields = new PatternFields(root, (edit) => this.change(() => edit(this.pattern, this.at)));
    this.listen();
    this.draw();
  }

  /** @param {string} selector @returns {HTMLElement} */
  one(selector) {
    return /** @type {HTMLElement} */ (this.root.querySelector(selector));
  }

  /** @returns {Step} the one that is drawn */
  get step() {
    return this.pattern.steps[this.at];
  }

  /** @param {() => void} edit changes the pattern */
  change(edit) {
    this.before.push(this.field.value);
    edit();
    this.field.value = write(this.pattern, JAPANESE);
    this.changed();
  }

  /** Takes the pattern from the text, if it is valid. */
  take() {
    this.pattern = read(this.field.value) || this.pattern;
    this.at = Math.min(this.at, this.pattern.steps.length - 1);
    this.changed();
  }

  changed() {
    this.advice.textContent = "";
    this.setAddress();
    this.draw();
    const text = this.field.value;
    clearTimeout(this.timer);
    // A step without conditions is one that is being drawn.
    if (!text || read(text)) this.showFeedback("");
    else this.timer = window.setTimeout(() => this.check(text), PAUSE);
  }

  /** Shows the errors that the server finds. @param {string} text */
  async check(text) {
    const answer = await fetch(`?${new URLSearchParams({ pattern: text, part: "feedback" })}`);
    const html = answer.ok ? await answer.text() : "";
    if (text === this.field.value) this.showFeedback(html);
  }

  /** @param {string} html of the server */
  showFeedback(html) {
    this.feedback.innerHTML = html;
    if (this.feedback.querySelector(".message")) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
  }

  /** @param {number} bits allowed content of the squares @param {number[]} squares */
  put(bits, squares) {
    const conditions = this.step.squares;
    const again = this.mode === "is" && squares.every((at) => conditions.get(at) === bits);
    this.change(() => {
      for (const at of squares) {
        const allowed = again ? ANYTHING : combined(this.mode, conditions.get(at) ?? ANYTHING, bits);
        if (allowed === ANYTHING) conditions.delete(at);
        else conditions.set(at, allowed);
      }
    });
  }

  /** Turns the pieces over that squares may hold. @param {number[]} squares */
  promote(squares) {
    const conditions = this.step.squares;
    this.change(() => squares.forEach((at) => conditions.has(at) && conditions.set(at, promoted(conditions.get(at) ?? 0))));
  }

  /** @returns {{negated: boolean, names: string[]}} the allowed or excluded content of the first chosen square */
  chosenIs() {
    const allowed = this.step.squares.get(this.squares.selected()[0]) ?? ANYTHING;
    return allowed === ANYTHING ? { negated: false, names: [] } : namesOf(allowed);
  }

  /** @param {string} content of a button of the palette @returns {boolean} whether it is on the chosen squares, or ruled out */
  isPressed(content) {
    if (this.brush !== null) return this.brush === bitsOf(content);
    if (!this.squares.chosen.size) return false;
    const { negated, names } = this.chosenIs();
    if (this.mode === "not") return negated && names.includes(content);
    const bits = bitsOf(content);
    const allowed = this.step.squares.get(this.squares.selected()[0]) ?? ANYTHING;
    return allowed === bits || (allowed !== ANYTHING && (allowed & bits) === bits);
  }

  /**
   * Other squares are chosen, or the cursor is elsewhere: what comes is put there in the usual way, or, where a
   * pointer chose what may not hold some pieces, as these. Keys say how themselves.
   */
  moved() {
    if (this.brush === null) this.mode = !this.squares.typing && this.chosenIs().negated ? "not" : "is";
    this.draw();
    this.say();
  }

  draw() {
    const { step } = this;
    this.board.show({ position: NOTHING, from: null, to: null, label: stepWords(step, JAPANESE).join(" ") || this.host.ariaLabel || "" });
    drawSquares(this.conditions, step.squares);
    for (const button of this.palette) button.setAttribute("aria-pressed", String(this.isPressed(button.dataset.content || "")));
    for (const button of this.modes) button.setAttribute("aria-pressed", String(button.dataset.mode === this.mode));
    this.one(".brush-hint").hidden = this.brush === null;
    this.undo.disabled = !this.before.length;
    this.fields.show(this.pattern, this.at);
    this.drawSteps();
  }

  drawSteps() {
    const row = this.one(".steps");
    const { steps } = this.pattern;
    while (row.children.length > steps.length) row.lastElementChild?.remove();
    while (row.children.length < steps.length) row.append(document.createElement("button"));
    steps.forEach((step, index) => {
      const button = /** @type {HTMLButtonElement} */ (row.children[index]);
      button.type = "button";
      const words = stepWords(step, JAPANESE);
      button.textContent = `${index + 1} ${words.slice(0, SHOWN).join(" ")}${words.length > SHOWN ? "…" : ""}`;
      button.setAttribute("aria-pressed", String(index === this.at));
    });
    row.hidden = steps.length < 2;
    this.one("button.drop-step").hidden = steps.length < 2;
  }

  /** @param {number} step */
  show(step) {
    this.at = step;
    this.advice.textContent = "";
    this.setAddress();
    this.squares.choose([]);
  }

  say() {
    const at = this.squares.cursor;
    const allowed = this.step.squares.get(at) ?? ANYTHING;
    const place = `${9 - (at % 9)}${(this.root.dataset.ranks || "")[Math.floor(at / 9)]}`;
    const count = this.squares.chosen.size;
    const more = count > 1 ? ` (${fill(this.root.dataset.chosen || "", { count })})` : "";
    this.news.textContent = `${place} ${this.words(allowed)}${more}`;
  }

  /** @param {number} allowed @returns {string} */
  words(allowed) {
    if (allowed === ANYTHING) return this.labelOf("");
    const { negated, names } = namesOf(allowed);
    const words = names.map((name) => this.labelOf(name)).join(this.root.dataset.or);
    return negated ? fill(this.root.dataset.not || "", { words }) : words;
  }

  /** @param {string} name @returns {string} */
  labelOf(name) {
    return this.palette.find((button) => button.dataset.content === name)?.getAttribute("aria-label") || name;
  }

  /** @param {HTMLButtonElement} button of the palette @param {boolean} pointed whether by a pointer */
  pick(button, pointed) {
    const bits = bitsOf(button.dataset.content || "");
    if (this.brush === null && (this.squares.chosen.size || !pointed)) this.put(bits, this.squares.selected());
    else {
      this.brush = this.brush === bits ? null : bits;
      this.draw();
    }
    this.say();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was a key of the editor */
  press(event) {
    const squares = this.squares.selected();
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === "z") return this.takeBack();
    if ((event.ctrlKey || event.metaKey) && key === "enter") return this.search();
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "Escape" && this.brush !== null) this.brush = null;
    else if (event.key in KEYS_OF_MODES) this.mode = KEYS_OF_MODES[event.key];
    else if (event.key === "Delete" || event.key === "Backspace") this.put(ANYTHING, squares);
    else if (event.key === "-" || event.key === "0") this.put(bitsOf("-"), squares);
    else if (event.key === "+") this.promote(squares);
    else if (key === "x" || (/^[a-z]$/.test(key) && LETTERS.includes(key.toUpperCase()))) {
      this.put(bitsOf(event.shiftKey ? key : key.toUpperCase()), squares);
    } else return false;
    return true;
  }

  /** @returns {boolean} whether there was something to take back */
  takeBack() {
    const last = this.before.pop();
    if (last === undefined) return false;
    this.field.value = last;
    if (!last) this.pattern = emptyPattern();
    this.take();
    return true;
  }

  /** @returns {boolean} whether there was something to search for */
  search() {
    if (!this.field.value) return false;
    this.field.form?.requestSubmit();
    return true;
  }

  /** Begins a step after the drawn one, or reports why that is impossible. */
  begin() {
    const { empty, most } = this.advice.dataset;
    const hindrance = isEmpty(this.step) ? empty : this.pattern.steps.length >= MOST_STEPS ? most : "";
    if (hindrance) {
      this.advice.textContent = hindrance;
      return;
    }
    this.change(() => {
      this.pattern.steps.splice(this.at + 1, 0, emptyStep());
      this.pattern.gaps.splice(this.at, 0, null);
    });
    this.show(this.at + 1);
    this.one(".steps").scrollIntoView({ block: "nearest" });
  }

  listenToButtons() {
    const palette = this.one(".palette");
    rove(palette, [...palette.querySelectorAll("button")]);
    for (const button of this.palette) {
      if (button.dataset.content) button.prepend(pictureOfName(button.dataset.content));
      button.addEventListener("click", (event) => this.pick(button, event.detail > 0));
    }
    for (const button of this.modes) {
      button.addEventListener("click", () => {
        this.mode = button.dataset.mode || "is";
        this.draw();
      });
    }
    this.undo.addEventListener("click", () => this.takeBack());
    this.one("button.clear").addEventListener("click", () => this.change(() => {
      this.pattern = emptyPattern();
      this.at = 0;
    }));
    this.one("button.then").addEventListener("click", () => this.begin());
    this.one("button.drop-step").addEventListener("click", () => {
      this.change(() => {
        this.pattern.steps.splice(this.at, 1);
        this.pattern.gaps.splice(Math.max(0, this.at - 1), 1);
        this.at = Math.max(0, this.at - 1);
      });
      this.show(this.at);
    });
    this.one(".steps").addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button) this.show([...this.one(".steps").children].indexOf(button));
    });
  }

  listen() {
    this.listenToButtons();
    this.host.addEventListener("keydown", (event) => {
      const brushed = this.brush !== null && event.key === "Escape";
      if (brushed ? !this.press(event) : !this.squares.press(event) && !this.press(event)) return;
      event.preventDefault();
      this.draw();
      this.say();
    });
    this.field.addEventListener("focus", () => (this.begun = this.field.value));
    this.field.addEventListener("input", () => {
      if (this.begun !== null) this.before.push(this.begun);
      this.begun = null;
      this.take();
    });
    this.field.addEventListener("change", () => {
      if (!read(this.field.value)) return;
      this.field.value = write(this.pattern, JAPANESE);
      this.setAddress();
    });
  }
}

/**
 * @param {string} mode
 * @param {number} before what a square may hold
 * @param {number} bits what is put on it
 * @returns {number} what it may hold then
 */
function combined(mode, before, bits) {
  if (mode === "is" || bits === ANYTHING) return bits;
  if (mode === "or") {
    if (before === ANYTHING) return bits;
    return ((before & bits) === bits ? before & ~bits : before | bits) || ANYTHING;
  }
  const start = namesOf(before).negated ? before : ANYTHING;
  return (start & bits ? start & ~bits : start | bits) || before;
}

/** @param {number} allowed @returns {number} with the pieces of one kind turned over, each that can be */
function promoted(allowed) {
  const { negated, names } = namesOf(allowed);
  const bits = names.map((name) => bitsOf(turnedOver(name))).reduce((all, one) => all | one, 0);
  return negated ? ANYTHING & ~bits : bits;
}

/** @param {string} name of the allowed content of a square @returns {string} */
function turnedOver(name) {
  const kind = LETTERS.indexOf(name.toUpperCase());
  const other = LETTERS[PROMOTED[kind] || 0];
  if (!other) return name;
  return name === name.toUpperCase() ? other : other.toLowerCase();
}

const root = document.getElementById("pattern-editor");
if (root) new PatternEditor(root);
