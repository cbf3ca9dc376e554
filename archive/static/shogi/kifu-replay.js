// @ts-check
/**
 * `<kifu-replay src="game.kif">`: a replay on any site. The record is at an address or between the tags, as JKF,
 * KIF, KI2, CSA, USI or SFEN; what is not a normalized JKF is sent to the archive that this module came from.
 *
 *     <script type="module" src="https://archive.example/static/shogi/kifu-replay.js"></script>
 *     <kifu-replay src="game.kif" ply="20" lang="en" theme="dark" flip></kifu-replay>
 */

import { createBoard } from "./board.js";
import { play, square, takeBack } from "./position.js";
import { startPosition } from "./start.js";
import { styles } from "./kifu-replay-styles.js";
import { buildTree, route } from "../archive/js/tree.js";
import { markWord, readComments } from "./annotations.js";
import { endingText, gettext, moveText } from "./wording.js";

/** @typedef {import("../archive/js/tree.js").Node} Node */
/** @typedef {import("../archive/js/tree.js").Entry & {comments?: string[]}} Entry */
/** @typedef {{header: Record<string, string>, initial?: import("./start.js").Initial, moves: Entry[]}} Record_ */

const CONVERT = new URL("../../../api/v1/convert", import.meta.url);
const NAMES = [["先手", "下手"], ["後手", "上手"]];

class KifuReplay extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [styles()];
  }

  connectedCallback() {
    if (this.theme) this.setAttribute("data-theme", this.theme);
    this.load();
  }

  get theme() {
    return this.getAttribute("theme");
  }

  get japanese() {
    return (this.getAttribute("lang") || document.documentElement.lang || "ja").startsWith("ja");
  }

  async load() {
    try {
      this.show(await readRecord(await this.source()));
    } catch (error) {
      const note = document.createElement("p");
      note.className = "problem";
      note.setAttribute("role", "alert");
      note.textContent = gettext("The record could not be read.", this.japanese);
      this.shadowRoot?.replaceChildren(note);
      this.dispatchEvent(new CustomEvent("kifu-error", { detail: error }));
    }
  }

  /** @returns {Promise<Blob>} the record as it came */
  async source() {
    const src = this.getAttribute("src");
    if (!src) return new Blob([(this.textContent || "").trim()]);
    const answer = await fetch(new URL(src, document.baseURI));
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return answer.blob();
  }

  /** @param {Record_} record */
  show(record) {
    const { japanese } = this;
    const { root, nodes } = buildTree(record);
    const position = startPosition(record.initial);
    const view = layout(record, japanese);
    this.shadowRoot?.replaceChildren(view.top, view.side);
    const board = createBoard(view.board, {
      flip: this.hasAttribute("flip"), ranks: japanese ? undefined : "abcdefghi", hands: view.hands,
      letters: this.getAttribute("pieces") === "letters",
    });
    view.top.classList.toggle("flipped", this.hasAttribute("flip"));
    const texts = textsByKey(record, japanese);
    /** @type {Node} */
    let shown = root;

    const go = (/** @type {Node | null | undefined} */ node) => {
      if (!node) return;
      const { back, forward } = route(shown, node);
      for (const move of back) takeBack(position, move);
      for (const move of forward) play(position, move);
      shown = node;
      const move = lastMove(node);
      const text = texts.get(node.key);
      board.show({
        position, from: move?.from ? square(move.from) : null, to: move ? square(move.to) : null,
        label: text?.move || "", shapes: text?.shapes,
      });
      view.count.textContent = `${node.played} / ${endOf(node).played}`;
      view.move.textContent = text?.move || "";
      view.comment.textContent = text?.comment || "";
      view.choices.replaceChildren(...(node.children.length > 1 ? node.children : []).map((child) => {
        const button = document.createElement("button");
        button.textContent = texts.get(child.key)?.move || "";
        button.addEventListener("click", () => go(child));
        return button;
      }));
    };
    const step = (/** @type {string} */ name) => {
      const targets = { start: root, back: shown.parent, forward: shown.children[0], end: endOf(shown) };
      go(targets[/** @type {keyof typeof targets} */ (name)]);
    };
    for (const button of view.buttons) button.addEventListener("click", () => step(button.dataset.go || ""));
    this.tabIndex = 0;
    this.onkeydown = (event) => {
      const names = /** @type {Record<string, string>} */ (
        { ArrowLeft: "back", ArrowRight: "forward", Home: "start", End: "end" });
      if (!names[event.key]) return;
      event.preventDefault();
      step(names[event.key]);
    };
    go(nodes.get(`:${Number(this.getAttribute("ply")) || 0}`) || root);
  }
}

/** @param {Blob} source @returns {Promise<Record_>} normalized */
async function readRecord(source) {
  const record = normalized(await source.text());
  if (record) return record;
  const form = new FormData();
  form.set("to", "jkf");
  form.set("file", source, "record");
  const answer = await fetch(CONVERT, { method: "POST", body: form });
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return (await answer.json()).games[0].record;
}

/** @param {string} text @returns {Record_ | null} null if it is no JKF or needs normalizing */
function normalized(text) {
  if (!text.trimStart().startsWith("{")) return null;
  const record = JSON.parse(text);
  const first = record.moves?.find((/** @type {Entry} */ entry) => entry.move)?.move;
  return !first || ("color" in first && "piece" in first && "to" in first) ? record : null;
}

/**
 * @param {Record_} record
 * @param {boolean} japanese
 * @returns {Map<string, {move: string, comment: string, shapes: string[]}>}
 */
function textsByKey(record, japanese) {
  const texts = new Map();
  /** @param {Entry[]} entries @param {string} path @param {number} first @param {Entry} [parent] */
  const read = (entries, path, first, parent) => entries.forEach((entry, index) => {
    const ply = first + index;
    const before = index ? entries[index - 1] : parent;
    const special = entry.special ? endingText(entry.special, japanese) : "";
    const move = entry.move ? moveText(entry.move, japanese, before?.move) : special;
    const { mark, shapes, lines } = readComments(entry.comments || []);
    const comment = [...(mark ? [`${mark.sign} ${markWord(mark, japanese)}`] : []), ...lines].join("\n");
    texts.set(`${path}:${ply}`, { move: move + (mark?.sign || ""), comment, shapes });
    (entry.forks || []).forEach((fork, number) => {
      read(fork, path ? `${path}-${ply}.${number}` : `${ply}.${number}`, ply, before);
    });
  });
  read(record.moves, "", 0);
  return texts;
}

/** @param {boolean} japanese @returns {[string, string, string][]} name, picture and label of each button */
function buttonsOf(japanese) {
  return [
    ["start", "M18 5 9 12l9 7zM6 5v14", gettext("To the start", japanese)],
    ["back", "M16 5 7 12l9 7z", gettext("Back", japanese)],
    ["forward", "M8 5l9 7-9 7z", gettext("Forward", japanese)],
    ["end", "M6 5l9 7-9 7zM18 5v14", gettext("To the end", japanese)],
  ];
}

/** @param {Record_} record @param {boolean} japanese */
function layout(record, japanese) {
  const make = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {Node_[]} */ ...children) => {
    const element = document.createElement(name);
    element.className = kind;
    element.append(...children);
    return element;
  };
  const name = (/** @type {number} */ color) =>
    NAMES[color].map((key) => record.header?.[key]).find(Boolean) || "";
  const hands = /** @type {[HTMLElement, HTMLElement]} */ ([make("div", "hand-host"), make("div", "hand-host")]);
  const seats = ["☗", "☖"].map((mark, color) =>
    make("div", "seat", make("span", "who", `${mark} ${name(color)}`), hands[color]));
  const board = make("div", "board-host");
  const count = make("span", "count");
  const buttons = buttonsOf(japanese).map(([go, path, does]) => {
    const button = make("button", "");
    button.append(icon(path));
    button.dataset.go = go;
    button.setAttribute("aria-label", does);
    return button;
  });
  const move = make("strong", "move");
  move.setAttribute("aria-live", "polite");
  const comment = make("p", "comment");
  const choices = make("div", "choices");
  const controls = make("div", "controls", buttons[0], buttons[1], count, buttons[2], buttons[3]);
  return {
    top: make("div", "table", seats[1], board, seats[0]),
    side: make("div", "side", controls, move, choices, comment),
    hands, board, buttons, count, move, comment, choices,
  };
}

/** @typedef {string | HTMLElement} Node_ */

/** @param {string} path @returns {SVGSVGElement} drawn, since not every font has signs for buttons */
function icon(path) {
  const make = (/** @type {string} */ name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const drawing = /** @type {SVGSVGElement} */ (make("svg"));
  const line = make("path");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  drawing.append(line);
  return drawing;
}

/** @param {Node} node @returns {Node} */
function endOf(node) {
  while (node.children.length) node = node.children[0];
  return node;
}

/** @param {Node} node @returns {import("./position.js").Move | null} */
function lastMove(node) {
  return node.move || (node.parent && lastMove(node.parent));
}

customElements.define("kifu-replay", KifuReplay);
