// @ts-check
/**
 * The panel of the engine that runs in the browser, beside a board: its lines for the shown position. Results stay in
 * this browser.
 */

import { fill } from "../../archive/js/filling.js";
import { recall, remember } from "../../archive/js/memory.js";
import { fromSfen, moveOf, play } from "../position.js";
import { moveText, scoreText } from "../wording.js";
import { Engine } from "./usi.js";

/** @typedef {import("./usi.js").Result} Result */
/** @typedef {import("./usi.js").Line} Line */
/** @typedef {{name: string, text: string}} Words */

const MOST_MOVES = 12;
const MOST_RESULTS = 200;
const LINES = "engine-lines";

export class EnginePanel {
  /**
   * @param {HTMLElement} panel
   * @param {(line: Words[]) => string} address of the position after a line; empty for none
   */
  constructor(panel, address) {
    this.panel = panel;
    this.address = address;
    this.words = panel.dataset;
    this.description = JSON.parse(panel.dataset.engine || "{}");
    this.results = new Results(`${this.description.name} ${this.description.version}`);
    this.toggle = /** @type {HTMLButtonElement} */ (panel.querySelector(".engine-switch"));
    this.select = /** @type {HTMLSelectElement} */ (panel.querySelector("select"));
    this.facts = /** @type {HTMLElement} */ (panel.querySelector(".engine-facts"));
    this.list = /** @type {HTMLElement} */ (panel.querySelector(".engine-result"));
    this.saving = /** @type {HTMLButtonElement | null} */ (panel.querySelector(".engine-save"));
    this.saving?.addEventListener("click", () => this.save());
    this.select.value = recall(LINES) || this.select.value;
    this.sfen = "";
    /** @type {Engine | null} */
    this.engine = null;
    this.toggle.addEventListener("click", () => (this.engine ? this.end() : this.begin()));
    this.toggle.disabled = false;
    this.select.addEventListener("change", () => {
      remember(LINES, this.select.value);
      this.search();
    });
  }

  /** @param {string} sfen the shown position */
  show(sfen) {
    if (sfen === this.sfen) return;
    this.sfen = sfen;
    this.write(this.results.of(sfen));
    this.search();
  }

  begin() {
    this.engine = new Engine(this.description, () => this.fail());
    this.toggle.setAttribute("aria-pressed", "true");
    this.facts.textContent = this.words.loading || "";
    this.search();
  }

  search() {
    const { engine, sfen } = this;
    if (!engine || !sfen) return;
    engine.search(sfen, Number(this.select.value), (result) => {
      if (sfen !== this.sfen) return;
      this.write(this.results.better(sfen, result, Number(this.select.value)));
    });
  }

  end() {
    this.engine?.stop();
    this.engine?.close();
    this.engine = null;
    this.toggle.setAttribute("aria-pressed", "false");
    this.results.store();
  }

  fail() {
    this.end();
    this.facts.textContent = this.words.failed || "";
  }

  /** @param {Result | null} result */
  write(result) {
    if (this.saving) this.saving.disabled = !result;
    this.list.replaceChildren(...(result?.lines || []).filter(Boolean).map((line) => this.row(line)));
    if (!result) {
      this.facts.textContent = "";
      return;
    }
    const count = (/** @type {number} */ n) => n.toLocaleString(document.documentElement.lang);
    this.facts.textContent = fill(this.words.facts || "", {
      depth: result.depth, nodes: count(result.nodes), speed: count(result.speed),
    });
  }

  /** Stores the shown result in the library of the visitor. */
  async save() {
    const { sfen } = this;
    const result = this.results.of(sfen);
    if (!result) return;
    const sign = sfen.split(" ")[1] === "b" ? 1 : -1;
    const lines = result.lines.filter(Boolean).map((line) => ({
      ...(line.mate === null ? { cp: sign * (line.score || 0) } : { mate: sign * line.mate }), moves: line.moves.join(" "),
    }));
    const { name: engine, version } = this.description;
    const { depth, nodes } = result;
    const answer = await fetch(this.words.saveUrl || "", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": this.words.token || "" },
      body: JSON.stringify({ position: withoutNumber(sfen), engine, version, depth, nodes, lines }),
    }).catch(() => null);
    this.facts.textContent = (answer?.ok ? this.words.saved : this.words.refused) || "";
  }

  /** @param {Line} line @returns {HTMLElement} */
  row(line) {
    const item = document.createElement("li");
    const score = document.createElement("span");
    score.className = "score";
    score.textContent = line.mate === null ? scoreText(line.score || 0)
      : fill(this.words.mate || "", { side: line.mate > 0 ? "☗" : "☖", plies: Math.abs(line.mate) });
    const moves = document.createElement("span");
    moves.className = "engine-line";
    const words = wordsOf(this.sfen, line.moves.slice(0, MOST_MOVES));
    for (const index of words.keys()) moves.append(this.link(words.slice(0, index + 1)), " ");
    item.append(score, " ", moves);
    return item;
  }

  /** @param {Words[]} line @returns {HTMLElement} */
  link(line) {
    const link = document.createElement("a");
    link.href = this.address(line);
    link.textContent = line[line.length - 1].text;
    link.dataset.moves = line.map((one) => one.name).join(".");
    return link;
  }
}

/**
 * The moves of a line in words, up to one that cannot be played.
 * @param {string} sfen
 * @param {string[]} names
 * @returns {Words[]}
 */
export function wordsOf(sfen, names) {
  const position = fromSfen(sfen);
  const japanese = document.documentElement.lang === "ja";
  /** @type {Words[]} */
  const words = [];
  let before;
  for (const name of names) {
    if (!/^([1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?$/.test(name)) break;
    const move = moveOf(position, name);
    if (!move.piece) break;
    words.push({ name, text: moveText({ ...move, promote: move.promote || undefined }, japanese, before) });
    play(position, move);
    before = move;
  }
  return words;
}

/** The best results of this engine by position, which the browser stores. */
class Results {
  /** @param {string} name of the engine */
  constructor(name) {
    this.place = `engine ${name}`;
    /** @type {Map<string, Result>} */
    this.results = new Map();
    try {
      this.results = new Map(JSON.parse(recall(this.place) || "[]"));
    } catch {
      // Written by another version of this page.
    }
    window.addEventListener("pagehide", () => this.store());
  }

  /** @param {string} sfen @returns {Result | null} */
  of(sfen) {
    return this.results.get(withoutNumber(sfen)) || null;
  }

  /** @param {string} sfen @param {Result} result @param {number} lines @returns {Result} the better one */
  better(sfen, result, lines) {
    const key = withoutNumber(sfen);
    const old = this.results.get(key);
    const filled = result.lines.filter(Boolean).length;
    if (old && old.lines.length >= lines && old.nodes > result.nodes) return old;
    if (old && filled < Math.min(lines, old.lines.length)) return old;
    this.results.delete(key);
    this.results.set(key, structuredClone(result));
    for (const first of [...this.results.keys()].slice(0, Math.max(0, this.results.size - MOST_RESULTS))) {
      this.results.delete(first);
    }
    return result;
  }

  store() {
    remember(this.place, JSON.stringify([...this.results]));
  }
}

/** @param {string} sfen @returns {string} */
function withoutNumber(sfen) {
  return sfen.split(" ").slice(0, 3).join(" ");
}
