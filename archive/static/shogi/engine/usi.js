// @ts-check
/** A USI engine in a worker: one search at a time, whose lines arrive as they become better. */

/**
 * @typedef {object} Line
 * @property {number | null} score in hundredths of a pawn, from Black's side
 * @property {number | null} mate in how many plies; negative where White mates
 * @property {string[]} moves in USI
 */

/** @typedef {{lines: Line[], depth: number, nodes: number, speed: number}} Result */

/**
 * @typedef {object} Description
 * @property {string} name
 * @property {string} version
 * @property {string} worker the address of the worker's script
 * @property {string} script
 * @property {string} factory
 * @property {Record<string, string | number | boolean>} options
 * @property {number} seconds
 */

const MOST_THREADS = 4;

export class Engine {
  /** @param {Description} description @param {(problem: string) => void} fail */
  constructor(description, fail) {
    this.description = description;
    /** @type {((line: string) => boolean)[]} */
    this.waiting = [];
    /** @type {{sfen: string, lines: number, show: (result: Result) => void} | null} */
    this.next = null;
    this.searching = false;
    this.black = true;
    /** @type {(result: Result) => void} */
    this.show = () => {};
    /** @type {Result} */
    this.result = { lines: [], depth: 0, nodes: 0, speed: 0 };
    this.worker = new Worker(description.worker);
    this.worker.onerror = (event) => fail(event.message || "");
    this.worker.onmessage = ({ data }) => this.hear(String(data));
    if (description.factory) this.worker.postMessage({ script: description.script, factory: description.factory });
    this.ready = this.prepare();
  }

  async prepare() {
    this.send("usi");
    const offered = new Set();
    await this.until((line) => {
      const match = /^option name (\S+)/.exec(line);
      if (match) offered.add(match[1]);
      return line === "usiok";
    });
    const threads = Math.max(1, Math.min(MOST_THREADS, (navigator.hardwareConcurrency || 2) - 1));
    const options = { ...(offered.has("Threads") ? { Threads: threads } : {}), ...this.description.options };
    for (const [name, value] of Object.entries(options)) this.send(`setoption name ${name} value ${value}`);
    this.send("isready");
    await this.until((line) => line === "readyok");
  }

  /** @param {string} line */
  send(line) {
    this.worker.postMessage(line);
  }

  /** @param {(line: string) => boolean} test @returns {Promise<void>} */
  until(test) {
    return new Promise((resolve) => this.waiting.push((line) => {
      if (!test(line)) return false;
      resolve();
      return true;
    }));
  }

  /** @param {string} line */
  hear(line) {
    this.waiting = this.waiting.filter((heard) => !heard(line));
    if (line.startsWith("info ")) this.inform(line);
    if (!line.startsWith("bestmove")) return;
    this.searching = false;
    this.begin();
  }

  /**
   * Searches a position; a search that runs ends first.
   * @param {string} sfen
   * @param {number} lines
   * @param {(result: Result) => void} show
   */
  async search(sfen, lines, show) {
    this.next = { sfen, lines, show };
    await this.ready;
    if (this.searching) this.send("stop");
    else this.begin();
  }

  begin() {
    if (!this.next) return;
    const { sfen, lines, show } = this.next;
    this.next = null;
    this.searching = true;
    this.black = sfen.split(" ")[1] === "b";
    this.show = show;
    this.result = { lines: [], depth: 0, nodes: 0, speed: 0 };
    this.send(`setoption name MultiPV value ${lines}`);
    this.send(`position sfen ${sfen}`);
    this.send(`go movetime ${this.description.seconds * 1000}`);
  }

  /** @param {string} line */
  inform(line) {
    const read = this.next ? null : readInfo(line, this.black);
    if (!read) return;
    const { number, depth, nodes, speed, ...info } = read;
    if (depth < this.result.depth && number > 1) return;
    this.result.lines[number - 1] = info;
    Object.assign(this.result, { depth, nodes, speed });
    this.show(this.result);
  }

  /** Ends the search, and forgets one that has not begun. */
  stop() {
    this.next = null;
    this.show = () => {};
    if (this.searching) this.send("stop");
  }

  close() {
    this.worker.terminate();
  }
}

/**
 * @param {string} text a line `info …`
 * @param {boolean} black whether Black is to move
 * @returns {(Line & {number: number, depth: number, nodes: number, speed: number}) | null}
 */
export function readInfo(text, black) {
  const words = text.split(/\s+/);
  const at = (/** @type {string} */ name) => words.indexOf(name) + 1;
  const number = (/** @type {string} */ name) => (at(name) ? Number(words[at(name)]) || 0 : 0);
  if (!at("pv") || !at("score") || at("lowerbound") || at("upperbound")) return null;
  const [kind, value] = words.slice(at("score"));
  const sign = black ? 1 : -1;
  const mate = kind === "mate" ? sign * (Number(value) || (value.startsWith("-") ? -1 : 1)) : null;
  return {
    number: number("multipv") || 1,
    depth: number("depth"),
    nodes: number("nodes"),
    speed: number("nps"),
    score: kind === "cp" ? sign * (Number(value) || 0) : null,
    mate,
    moves: words.slice(at("pv")),
  };
}
