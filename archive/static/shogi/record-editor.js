// @ts-check
/** The page on which a game is entered or edited: board, typed moves, list of moves, annotations, headers, draft. */

import { isCovered, startKeys } from "../archive/js/keys.js";
import { startTabs } from "../archive/js/tabs.js";
import { BRUSHES, MARKS, MOST_SHAPES, readComments, writeComments } from "./annotations.js";
import { createBoard } from "./board.js";
import { DraftStore } from "./draft-store.js";
import { MoveRows, readTime, timeText } from "./move-rows.js";
import { Playing, wordsOf } from "./playing.js";
import { moveOf, square } from "./position.js";
import { lastMove, RecordTree } from "./record-tree.js";
import { drawShapes, toggled } from "./shape-drawing.js";
import { saveOn } from "./saving-dialog.js";
import { matching, movesIn, relativeField } from "./typed-moves.js";
import { ENDINGS } from "./texts.js";
import { positionWords } from "./wording.js";
import { RecordHeaders } from "./record-headers.js";

/** @typedef {import("./record-tree.js").Node} Node */
/** @typedef {import("./record-tree.js").Record_} Record_ */

export class RecordEditor {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.japanese = document.documentElement.lang === "ja";
    this.tree = new RecordTree(JSON.parse(document.getElementById("record")?.textContent || "{}"));
    this.host = this.one(".board-host");
    this.table = this.one(".table");
    const hands = /** @type {[HTMLElement, HTMLElement]} */ (
      [this.one(".seat.black .hand-host"), this.one(".seat.white .hand-host")]);
    this.board = createBoard(this.host, { ranks: root.dataset.ranks, hands });
    this.position = this.tree.position();
    this.typed = /** @type {HTMLInputElement} */ (this.one("#typed"));
    this.news = this.one(".typed-news");
    this.comment = /** @type {HTMLTextAreaElement} */ (this.one("#comment"));
    this.time = /** @type {HTMLInputElement} */ (this.one("#time"));
    this.ending = /** @type {HTMLSelectElement} */ (this.one("#ending"));
    this.drawing = /** @type {HTMLButtonElement} */ (this.one("button.drawing"));
    this.live = this.one(".live-words");
    this.brush = BRUSHES[0];
    /** The node whose comment is being typed: all of that is undone at once. @type {Node | null} */
    this.commenting = null;
    this.entering = Promise.resolve();
    /** What the browser had of this record when the page was loaded: it may be on its way to the server. */
    this.loaded = "";
    this.rows = new MoveRows(this.one(".moves"), root.dataset.startText || "", (node) => this.go(node));
    this.headers = new RecordHeaders(root, () => this.tree, (edit) => this.edit(edit));
    this.playing = new Playing({
      root, board: this.board, legalUrl: root.dataset.legalUrl || "",
      position: () => this.position,
      here: () => this.tree.current,
      play: (legal) => this.play(legal),
    });
    this.store = this.makeStore();
    this.listen();
    this.resume();
    this.draw();
  }

  /** @param {string} selector @returns {HTMLElement} */
  one(selector) {
    const element = this.root.querySelector(selector);
    if (!(element instanceof HTMLElement)) throw new Error(`the page lacks ${selector}`);
    return element;
  }

  makeStore() {
    const { dataset } = this.root;
    const id = Number(dataset.draft || 0);
    return new DraftStore({
      api: dataset.api || "",
      token: /** @type {HTMLInputElement | null} */ (document.querySelector("[name=csrfmiddlewaretoken]"))?.value || "",
      signedIn: dataset.signedIn === "1" && !dataset.correcting,
      name: dataset.correcting ? `correction-${dataset.correcting}` : id ? `draft-${id}` : `draft-new-${dataset.source || ""}`,
      draft: id ? { id, version: Number(dataset.version || 1) } : null,
      game: Number(dataset.game || 0) || null,
    }, (state, code) => this.tellState(state, code), (made) => {
      history.replaceState(null, "", (dataset.draftUrl || "").replace(/0\/$/, `${made}/`));
    });
  }

  /** Goes on with what the browser has of this record and the server has not. */
  resume() {
    if (new URLSearchParams(location.search).has("fresh")) return;
    const local = this.store.local();
    if (!local || local.saved) return;
    const { draft } = this.store;
    this.loaded = canonical(local.record);
    this.tree.read(local.record);
    this.tree.current = lastOf(this.tree.root);
    this.headers.show();
    this.one(".resumed").hidden = Boolean(draft);
    if (draft && local.version !== draft.version) this.askConflict(local.record);
    else if (this.store.signedIn) this.store.store(local.record);
    else this.tellState("local");
  }

  /** Another tab or device has sent a later version. @param {Record_} mine */
  async askConflict(mine) {
    const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("dialog.conflict"));
    if (dialog.open) return;
    const theirs = await this.store.fetchDraft();
    if (!theirs?.record) {
      this.tellState("offline");
      return;
    }
    const [sent, wanted] = [canonical(theirs.record), canonical(mine)];
    if (sent === wanted || sent === this.loaded) {
      this.take(mine, sent === wanted);
      return;
    }
    dialog.onclose = () => {
      const own = dialog.returnValue === "mine";
      this.take(own ? this.tree.write() : /** @type {Record_} */ (theirs.record), !own);
    };
    dialog.showModal();
  }

  /** Goes on with a version of the draft. @param {Record_} record @param {boolean} isSent whether the server has it */
  take(record, isSent) {
    this.store.waiting = null;
    this.tree.read(record);
    this.tree.done = [];
    this.tree.current = lastOf(this.tree.root);
    if (isSent) {
      this.store.keep(record, true);
      this.tellState("saved");
    } else {
      this.store.store(record);
    }
    this.headers.show();
    this.draw();
  }

  /** @param {import("./draft-store.js").State} state @param {string} [code] why the draft is refused */
  tellState(state, code = "") {
    const place = this.one(".draft-state");
    place.dataset.state = state;
    place.textContent = place.dataset[code.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())] || place.dataset[state] || "";
    if (state === "conflict") this.askConflict(this.tree.write());
  }

  // --- changes

  /** @param {() => void} change of the tree, which can be undone */
  edit(change) {
    this.commenting = null;
    this.tree.change(change);
    this.changed();
  }

  /** @param {(rows: MoveRows) => void} [drawRows] what of the list has to be drawn; all of it takes long for thousands of moves */
  changed(drawRows = (rows) => rows.draw(this.tree.root, this.tree.current)) {
    this.store.store(this.tree.write());
    drawRows(this.rows);
    this.show();
  }

  /** @param {import("./playing.js").Legal} legal */
  play(legal) {
    const move = { ...moveOf(this.position, legal.move), ...relativeField(legal) };
    if (!mayPromote(this.position, legal.move)) delete move.promote;
    const isNew = this.tree.playMove(move);
    this.commenting = null;
    if (isNew) this.changed((rows) => rows.add(this.tree.current));
    else this.show();
    this.tell("");
  }

  /** @param {string} name undo, redo, promote, up, down, remove */
  act(name) {
    const { tree } = this;
    this.commenting = null;
    if (name === "undo") tree.undo();
    else if (name === "redo") tree.redo();
    else if (name === "promote") tree.promote();
    else if (name === "up") tree.reorder(-1);
    else if (name === "down") tree.reorder(1);
    else if (name === "remove") tree.remove();
    this.headers.show();
    this.changed();
  }

  /** @param {(read: ReturnType<typeof readComments>) => string[]} write returns the comments of the current node */
  annotate(write) {
    const node = this.tree.current;
    this.commenting = null;
    this.tree.change(() => (node.comments = write(readComments(node.comments))));
    this.changed((rows) => rows.redraw(node));
  }

  /** @param {import("./annotations.js").Mark | undefined} mark the same again removes it */
  mark(mark) {
    if (!mark || !this.tree.current.move) return;
    this.annotate(({ mark: old, shapes, lines }) => writeComments(old?.word === mark.word ? null : mark, shapes, lines));
  }

  /** @param {string[]} shapes */
  setShapes(shapes) {
    if (shapes.length <= MOST_SHAPES) this.annotate(({ mark, lines }) => writeComments(mark, shapes, lines));
  }

  // --- steps

  /** @param {Node | null | undefined} node */
  go(node) {
    if (!node || node === this.tree.current) return;
    this.tree.current = node;
    this.commenting = null;
    this.show();
  }

  /** @param {string} name start, back, forward, end, up, down */
  step(name) {
    const { current, root } = this.tree;
    const siblings = current.parent?.children || [];
    const beside = (/** @type {number} */ offset) => siblings[siblings.indexOf(current) + offset];
    this.go({
      start: root, back: current.parent, forward: current.children[0], end: lastOf(current),
      up: beside(-1), down: beside(1),
    }[name]);
  }

  // --- typed moves

  /** Moves that are typed before earlier ones were entered wait for these. */
  enterTyped() {
    const words = movesIn(this.typed.value);
    this.typed.value = "";
    this.entering = this.entering.then(() => this.enterWords(words));
  }

  /** @param {string[]} words */
  async enterWords(words) {
    for (const [number, word] of words.entries()) {
      const done = await this.enterOne(word);
      const asks = !this.one(".promotion").hidden;
      if (done && !asks) continue;
      this.typed.value = [...words.slice(number + Number(done)), this.typed.value].join(" ").trim();
      return;
    }
  }

  /** @param {string} word a move, an ending or a mark @returns {Promise<boolean>} whether it was entered */
  async enterOne(word) {
    const sign = /^(.*?)([!?！？]{1,2})$/.exec(word);
    if (sign?.[1] && !(await this.enterOne(sign[1]))) return false;
    const text = sign ? sign[2].replaceAll("！", "!").replaceAll("？", "?") : word;
    const mark = MARKS.find((one) => one.sign === text || one.word === text);
    if (mark) {
      this.mark(mark);
      return true;
    }
    const special = Object.keys(ENDINGS).find((key) => [ENDINGS[key].ja, ENDINGS[key].en].includes(text.toLowerCase()));
    if (special) {
      this.end(special);
      return true;
    }
    return this.enterMove(text);
  }

  /** @param {string} text @returns {Promise<boolean>} */
  async enterMove(text) {
    const { dataset } = this.root;
    const legal = await this.playing.legal().catch(() => null);
    if (!legal) return this.tell(dataset.noAnswer || "");
    const found = matching(text, this.position, legal, lastMove(this.tree.current)?.to);
    if (!found.length) return this.tell(`${text}: ${dataset.unknownMove}`);
    if (found.length === 1) {
      this.play(found[0]);
      return true;
    }
    const places = new Set(found.map(({ move }) => move.slice(0, 4)));
    if (places.size === 1) {
      this.playing.askPromotion(found, legal);
      return true;
    }
    const names = legal.map((one) => one.move);
    const choices = found.map((one) => wordsOf(this.position, one, names)).join(", ");
    return this.tell(`${text}: ${dataset.severalMoves} ${choices}`);
  }

  /** @param {string} words @returns {boolean} false, since nothing was entered */
  tell(words) {
    this.news.textContent = words;
    return false;
  }

  /** @param {string} special */
  end(special) {
    this.commenting = null;
    this.tree.end(special);
    this.changed();
  }

  /** A record that is pasted, KIF or another format, takes the place of the one on the page. @param {ClipboardEvent} event */
  async paste(event) {
    const text = event.clipboardData?.getData("text/plain") || "";
    const field = event.target instanceof Element ? event.target.closest("input, textarea") : null;
    if ((field && field !== this.typed) || !/\S\s*\n\s*\S|^position |moves /.test(text)) return;
    event.preventDefault();
    const answer = await this.store.request("POST", "convert", { text, to: "jkf" });
    const record = answer.ok && answer.body.games[0]?.record;
    if (!record) {
      this.tell(answer.body?.errors?.[0]?.message || this.root.dataset.unreadable || "");
      return;
    }
    this.edit(() => this.tree.read(record));
    this.headers.show();
    this.draw();
  }

  // --- what is shown

  draw() {
    this.rows.draw(this.tree.root, this.tree.current);
    this.show();
  }

  show() {
    const { current } = this.tree;
    this.position = this.tree.position();
    this.rows.mark(current);
    this.showBoard(readComments(current.comments).shapes);
    this.playing.release();
    this.showNode();
    this.showButtons();
    this.headers.showNames();
    this.live.textContent = this.rows.textOf(current);
    this.one(".position-words").textContent = positionWords(this.position, this.japanese);
  }

  /** @param {string[]} shapes */
  showBoard(shapes) {
    const move = lastMove(this.tree.current);
    this.board.show({
      position: this.position, from: move?.from ? square(move.from) : null, to: move ? square(move.to) : null,
      label: this.rows.textOf(this.tree.current), shapes,
    });
  }

  showNode() {
    const { current } = this.tree;
    const { mark, shapes, lines } = readComments(current.comments);
    if (this.commenting !== current) this.comment.value = lines.join("\n");
    this.time.value = current.time ? timeText(current.time.now) : "";
    this.time.disabled = !current.parent;
    const ending = current.special || current.children.find((child) => child.special)?.special || "";
    this.ending.value = [...this.ending.options].some((one) => one.value === ending) ? ending : "";
    for (const button of this.buttons("[data-mark]")) {
      button.disabled = !current.move;
      button.setAttribute("aria-pressed", String(button.dataset.mark === mark?.word));
    }
    /** @type {HTMLButtonElement} */ (this.one("button.clear-shapes")).disabled = !shapes.length;
    this.one(".ply").textContent = String(current.ply);
    this.one(".last-ply").textContent = String(lastOf(current).ply);
    this.one(".of-move").textContent = this.rows.textOf(current);
  }

  showButtons() {
    const { tree } = this;
    const { current } = tree;
    const off = /** @type {Record<string, boolean>} */ ({
      undo: !tree.done.length, redo: !tree.undone.length, promote: !tree.branch(),
      up: !tree.movable(-1), down: !tree.movable(1), remove: !current.parent,
    });
    for (const button of this.buttons("[data-act]")) button.disabled = off[button.dataset.act || ""];
    const ends = /** @type {Record<string, boolean>} */ (
      { start: !current.parent, back: !current.parent, forward: !current.children.length, end: !current.children.length });
    for (const button of this.buttons("[data-go]")) button.setAttribute("aria-disabled", String(ends[button.dataset.go || ""]));
  }

  /** @param {string} selector @returns {HTMLButtonElement[]} */
  buttons(selector) {
    return /** @type {HTMLButtonElement[]} */ ([...this.root.querySelectorAll(`button${selector}`)]);
  }

  flip() {
    const flipped = this.root.classList.toggle("flipped");
    this.board.flip(flipped);
    this.one("button.flip").setAttribute("aria-pressed", String(flipped));
  }

  // --- listening

  listen() {
    startTabs(this.root);
    startKeys();
    this.root.addEventListener("click", (event) => {
      const button = event.target instanceof Element && event.target.closest("button");
      if (!(button instanceof HTMLButtonElement)) return;
      const { act, go, mark, brush } = button.dataset;
      if (act) this.act(act);
      else if (go) this.step(go);
      else if (mark) this.mark(MARKS.find((one) => one.word === mark));
      else if (brush) this.chooseBrush(brush);
      else if (button.matches(".flip")) this.flip();
      else if (button === this.drawing) this.switchDrawing();
      else if (button.matches(".clear-shapes")) this.setShapes([]);
    });
    drawShapes(this.table, this.board, {
      isOn: () => this.drawing.getAttribute("aria-pressed") === "true",
      brush: () => this.brush,
      shapes: () => readComments(this.tree.current.comments).shapes,
      preview: (shapes) => this.showBoard(shapes),
      changed: (shapes) => this.setShapes(shapes),
    });
    this.listenToFields();
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("paste", (event) => this.paste(event));
    saveOn(this);
  }

  /** @param {string} brush */
  chooseBrush(brush) {
    this.brush = brush;
    for (const one of this.buttons("[data-brush]")) one.setAttribute("aria-pressed", String(one.dataset.brush === brush));
    this.drawing.setAttribute("aria-pressed", "true");
    this.showDrawing();
  }

  switchDrawing() {
    this.drawing.setAttribute("aria-pressed", String(this.drawing.getAttribute("aria-pressed") !== "true"));
    this.showDrawing();
  }

  showDrawing() {
    const on = this.drawing.getAttribute("aria-pressed") === "true";
    this.playing.release();
    this.root.classList.toggle("draws", on);
    this.one(".brushes").hidden = !on;
  }

  listenToFields() {
    this.typed.form?.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.root.classList.contains("draws") && this.drawTyped()) return;
      this.enterTyped();
    });
    this.comment.addEventListener("input", () => this.typeComment());
    this.comment.addEventListener("change", () => (this.commenting = null));
    this.time.addEventListener("change", () => {
      const time = readTime(this.time.value);
      this.time.setAttribute("aria-invalid", String(time === undefined));
      if (time === undefined) return;
      this.commenting = null;
      this.tree.setTime(time);
      this.changed();
    });
    this.ending.addEventListener("change", () => this.end(this.ending.value));
  }

  /** While drawing, squares that are typed are shapes: 5e, 7g7f. @returns {boolean} */
  drawTyped() {
    const text = this.typed.value.trim();
    if (!/^([1-9][a-i]){1,2}$/.test(text)) return false;
    this.setShapes(toggled(readComments(this.tree.current.comments).shapes, this.brush + text));
    this.typed.value = "";
    return true;
  }

  typeComment() {
    const node = this.tree.current;
    const write = () => {
      const { mark, shapes } = readComments(node.comments);
      const text = this.comment.value.replace(/\s+$/, "");
      node.comments = writeComments(mark, shapes, text ? text.split("\n") : []);
    };
    if (this.commenting === node) write();
    else this.tree.change(write);
    this.commenting = node;
    this.store.store(this.tree.write());
    this.rows.redraw(node);
    this.showButtons();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.defaultPrevented || event.isComposing || isCovered()) return;
    const field = event.target instanceof Element ? event.target.closest("input, textarea, select") : null;
    const free = !field || (field === this.typed && !this.typed.value);
    const held = event.ctrlKey || event.metaKey;
    if (held && free && !event.altKey) {
      const redo = event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z");
      if (!redo && event.key !== "z") return;
      this.act(redo ? "redo" : "undo");
    } else if (free && !held && !event.altKey && STEPS[event.key]) {
      this.step(STEPS[event.key]);
    } else if (free && event.key === "Delete") {
      this.act("remove");
    } else if (!field && event.key === "f") {
      this.flip();
    } else if (!field && !held && !event.altKey && /^[1-9同]$/.test(event.key)) {
      this.typed.focus();
      return;
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** @type {Record<string, string>} */
const STEPS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "up", ArrowDown: "down", Home: "start", End: "end" };

/** @param {Record_} record @returns {string} equal for equal records, whoever wrote them */
function canonical(record) {
  return JSON.stringify(new RecordTree(record).write(), (_key, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value);
}

/** @param {Node} node @returns {Node} the end of its line */
function lastOf(node) {
  while (node.children.length) node = node.children[0];
  return node;
}

/** JKF says of a move that could promote whether it does. @param {import("./position.js").Position} position @param {string} usi */
function mayPromote({ board, turn }, usi) {
  if (usi[1] === "*") return false;
  const rank = (/** @type {string} */ name) => "abcdefghi".indexOf(name);
  const kind = Math.abs(board[rank(usi[1]) * 9 + 9 - Number(usi[0])]);
  const isFar = (/** @type {string} */ name) => (turn ? rank(name) > 5 : rank(name) < 3);
  return kind < 8 && kind !== 5 && (isFar(usi[1]) || isFar(usi[3]));
}

const root = document.getElementById("record-editor");
if (root) new RecordEditor(root);
