// @ts-check
/**
 * `<div class="qf_freeboard" data-boardsize="10">`: a board to play on, with the buttons of the original of 2014,
 * its rules kept to the end, keyboard and touch, undo, and ways into the archive.
 */

import { createBoard } from "./board.js";
import {
  canGoBack, canGoOn, lastMove, loadPasted, newGame, playOn, recording, snapshot, stateAt, wholeCode,
} from "./game.js";
import { moveAt, stepCursor, turnCursor } from "./pointing.js";
import { beginsAtStart, encode, inPath, positionCode, QfCodeError } from "./qf_code.js";
import { cutOffBy, fault, name, PAWN, pawnMoves, winner } from "./rules.js";
import { button, infoParts, make, sizeOf } from "./viewer.js";
import { distanceText, faultText, isJapanese, noteTexts, positionWords, refusal, stateText } from "./words.js";

/** @typedef {import("./game.js").Game} Game */

const DEFAULT_SIZE = 10;
const ARCHIVE = new URL("../../", import.meta.url);
const MOST_UNDONE = 500;

/** Buttons: what is written on them, and what they do. @type {[string, string, string][]} */
const BUTTONS = [
  ["BACK", "一手戻る", "one move back"],
  ["NEXT", "一手進む", "one move on"],
  ["RESET", "最初の配置に戻す", "back to the start position, all moves cleared"],
  ["UNDO", "直前の操作を取り消す", "take the last action back"],
  ["INV", "盤を回転する", "turn the board"],
  ["LM", "最後の手を示す", "mark the last move"],
  ["WALL", "板の色を区別しない", "all walls in one colour"],
  ["SNAP", "局面のコードを書き出す", "write the code of the position"],
  ["REC", "手順の記録を始める・終える", "begin and end recording moves"],
  ["INPUT", "コードを読み込む", "load the code"],
];
const TEXTS = {
  ja: {
    code: "コード", board: "盤", place: "を置く", explorer: "この局面を調べる", share: "リンクをコピー", save: "棋譜を保存",
    store: "保存する", names: ["白の対局者", "黒の対局者"],
    open: "アーカイブで開く", copied: "リンクをコピーしました。", byHand: "欄のリンクをコピーしてください。", saved: "保存しました。", look: "保存した棋譜を見る", failed: "保存できませんでした。",
    recording: "記録中", empty: "記録する手がありません。", dropped: "コードに使えない文字を{n}個除きました。", loaded: "読み込みました（{n}手）。", name: "コリドールの盤",
    keys: "矢印キーで移動、H・V・Pで横の板・縦の板・駒を選び、Enterで指す。B・Nで戻る・進む、Uで取り消し。",
  },
  en: {
    code: "Code", board: "Board", place: "Place", explorer: "Look this position up", share: "Copy the link", save: "Save the game",
    store: "Save", names: ["White's name", "Black's name"],
    open: "Open in the archive", copied: "The link is copied.", byHand: "Copy the link from the field.", saved: "Saved.", look: "See the saved record", failed: "It could not be saved.",
    recording: "Recording", empty: "Nothing was played, so nothing is recorded.", dropped: "Characters left out that no code has: {n}.",
    loaded: "Loaded. Moves: {n}.", name: "Quoridor board",
    keys: "Arrow keys move; H, V and P choose a horizontal wall, a vertical wall, the pawn; Enter plays. B and N go back and on, U takes back.",
  },
};

let boards = 0;

/**
 * What a page can do with a free board of its own.
 * @typedef {object} Freeboard
 * @property {import("./board.js").Board} board
 * @property {() => import("./rules.js").Position} position
 * @property {(move: number) => void} play
 */

/** Every change is told by the event `qf-change`. @param {HTMLElement} element @returns {Freeboard} */
export function startFreeboard(element) {
  const japanese = isJapanese(element);
  const words = TEXTS[japanese ? "ja" : "en"];
  const parts = layOut(element, japanese);
  const { host, status, field, confirm, links } = parts;
  const board = createBoard(host, { labels: true, neutral: true });
  const shown = { flip: false, last: true, neutral: true };
  let game = newGame();
  /** @type {Game[]} */
  const before = [];
  let cursor = PAWN + 40;
  /** @type {number | null} */
  let chosen = null;

  // --- showing ----------------------------------------------------------------------------------------------

  /** @param {string} [news] what happened, beside what the position says */
  function show(news = "") {
    const { position, turnNumber } = stateAt(game);
    const won = winner(position) !== null;
    chosen = null;
    confirm.hidden = true;
    board.ghost(null);
    board.targets(won ? [] : pawnMoves(position));
    board.show({ position, last: shown.last ? lastMove(game) : null, label: positionWords(position, japanese) });
    const ways = won ? [] : [0, 1].map((color) => distanceText(position, color, japanese));
    parts.info.replaceChildren(...infoParts(turnNumber, position, ways));
    const record = game.recordedFrom === null ? [] : [words.recording];
    say([...record, stateText(position, japanese), news].filter(Boolean).join(" · "), won);
    showButtons();
    links.explorer.href = new URL(`positions/quoridor/${inPath(positionCode(position))}/`, ARCHIVE).href;
    if (links.open) links.open.href = shareAddress();
    element.dispatchEvent(new CustomEvent("qf-change", { bubbles: true, detail: { code: shareCode(), ply: game.at } }));
  }

  /** @param {string} text @param {boolean} [won] */
  function say(text, won = false) {
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("qf-won", won);
  }

  function showButtons() {
    const { BACK, NEXT, UNDO, REC, INV, LM, WALL } = parts.buttons;
    BACK.disabled = !canGoBack(game);
    NEXT.disabled = !canGoOn(game);
    UNDO.disabled = !before.length;
    const pressed = /** @type {[HTMLButtonElement, boolean][]} */ ([
      [REC, game.recordedFrom !== null], [INV, shown.flip], [LM, shown.last], [WALL, shown.neutral],
    ]);
    for (const [one, on] of pressed) one.setAttribute("aria-pressed", String(on));
  }

  /** @returns {string} the whole game; empty where no code can hold it */
  function shareCode() {
    try {
      return wholeCode(game);
    } catch {
      return "";
    }
  }

  /** @returns {string} */
  function shareAddress() {
    const query = new URLSearchParams({ code: shareCode() });
    if (game.at) query.set("ply", String(game.at));
    return new URL(`quoridor/board/?${query}`, ARCHIVE).href;
  }

  // --- acting -----------------------------------------------------------------------------------------------

  /** @param {Game} next @param {string} [news] */
  function act(next, news) {
    before.push(game);
    if (before.length > MOST_UNDONE) before.shift();
    game = next;
    show(news);
  }

  /** @param {number} move @returns {boolean} */
  function tryMove(move) {
    const { position } = stateAt(game);
    const broken = fault(position, move);
    if (broken) {
      say(refusal(broken, move, broken === "no-path" ? cutOffBy(position, move) : [], japanese));
      return false;
    }
    act(playOn(game, move));
    return true;
  }

  /** @param {number} by */
  function step(by) {
    if (!by || (by < 0 ? !canGoBack(game) : !canGoOn(game))) return;
    game = { ...game, at: game.at + by };
    show();
  }

  function undo() {
    const last = before.pop();
    if (!last) return;
    game = last;
    show();
  }

  /** @param {() => string} write */
  function writeCode(write) {
    try {
      field.value = write();
      show();
      field.select();
    } catch (error) {
      tell(error);
    }
  }

  /** @param {unknown} error */
  function tell(error) {
    if (!(error instanceof QfCodeError)) throw error;
    say(`${faultText(error, japanese)} (${error.code})`);
  }

  function record() {
    const from = game.recordedFrom;
    if (from === null) {
      act({ ...game, recordedFrom: game.at });
      return;
    }
    const done = { ...game, recordedFrom: null };
    if (game.at === from) {
      act(done, words.empty);
      return;
    }
    writeCode(() => {
      const code = recording(game);
      before.push(game);
      game = done;
      return code;
    });
  }

  function input() {
    if (!field.value.trim()) return;
    try {
      const found = loadPasted(field.value);
      const count = String(found.game.moves.length);
      const notes = [
        ...(found.dropped ? [words.dropped.replace("{n}", String(found.dropped))] : []),
        words.loaded.replace("{n}", count), ...noteTexts(found.notes, japanese),
      ];
      act(found.game, notes.join(" "));
    } catch (error) {
      tell(error);
    }
  }

  /** @param {"flip" | "last" | "neutral"} what */
  function toggle(what) {
    shown[what] = !shown[what];
    board.flip(shown.flip);
    board.neutral(shown.neutral);
    show();
  }

  const actions = /** @type {Record<string, () => void>} */ ({
    BACK: () => step(-1),
    NEXT: () => step(1),
    RESET: () => act(newGame()),
    UNDO: undo,
    INV: () => toggle("flip"),
    LM: () => toggle("last"),
    WALL: () => toggle("neutral"),
    SNAP: () => writeCode(() => (game.recordedFrom === null ? snapshot(game) : recording(game))),
    REC: record,
    INPUT: input,
  });
  for (const [key, one] of Object.entries(parts.buttons)) {
    one.addEventListener("click", () => {
      actions[key]();
      // A button that can no longer be pressed loses the focus.
      if (one.disabled) host.focus({ preventScroll: true });
    });
  }
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") input();
  });

  // --- mouse and touch --------------------------------------------------------------------------------------

  /** @param {PointerEvent | MouseEvent} event @returns {number | null} */
  function pointed(event) {
    const { position } = stateAt(game);
    if (winner(position) !== null) return null;
    const coarse = event instanceof PointerEvent && event.pointerType !== "mouse";
    return moveAt(board.pointAt(event), pawnMoves(position), coarse);
  }

  /** @param {number | null} move */
  function preview(move) {
    board.ghost(move, move !== null && !fault(stateAt(game).position, move));
  }

  host.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") preview(pointed(event));
  });
  host.addEventListener("pointerleave", () => preview(chosen));
  host.addEventListener("click", (event) => {
    const move = pointed(event);
    const touched = event instanceof PointerEvent && event.pointerType !== "mouse";
    if (move === null) return;
    // A finger hides what it points at: a wall is shown first, a second touch or the button places it.
    if (!touched || move & PAWN || move === chosen) tryMove(move);
    else choose(move);
  });

  /** @param {number} move */
  function choose(move) {
    const { position } = stateAt(game);
    const broken = fault(position, move);
    chosen = broken ? null : move;
    preview(move);
    confirm.hidden = Boolean(broken);
    confirm.textContent = japanese ? `${name(move)} ${words.place}` : `${words.place} ${name(move)}`;
    say(broken ? refusal(broken, move, cutOffBy(position, move), japanese) : stateText(position, japanese));
  }

  confirm.addEventListener("click", () => {
    if (chosen !== null) tryMove(chosen);
    host.focus({ preventScroll: true });
  });

  // --- keyboard ---------------------------------------------------------------------------------------------

  function showCursor() {
    board.cursor(document.activeElement === host && host.matches(":focus-visible") ? cursor : null);
  }

  /** @param {string} key @returns {boolean} whether it moved the cursor */
  function moveCursor(key) {
    if (key.startsWith("Arrow")) cursor = stepCursor(cursor, key, shown.flip);
    else if (key === "h" || key === "v" || key === "p") cursor = turnCursor(cursor, key);
    else return false;
    const { position } = stateAt(game);
    const broken = fault(position, cursor);
    const cutOff = broken === "no-path" ? cutOffBy(position, cursor) : [];
    say(broken ? refusal(broken, cursor, cutOff, japanese) : name(cursor));
    if (cursor & PAWN) preview(null);
    else preview(cursor);
    return true;
  }

  host.addEventListener("keydown", (event) => {
    if (event.altKey || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() !== "z")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "Enter" || key === " ") tryMove(cursor);
    else if (key === "b") step(-1);
    else if (key === "n") step(1);
    else if (key === "u" || key === "z") undo();
    else if (!moveCursor(key)) return;
    event.preventDefault();
    showCursor();
  });
  host.addEventListener("focus", showCursor);
  host.addEventListener("blur", () => {
    board.cursor(null);
    preview(chosen);
  });

  // --- the archive ------------------------------------------------------------------------------------------

  links.share.addEventListener("click", async () => {
    try {
      wholeCode(game);
    } catch (error) {
      tell(error);
      return;
    }
    const copied = await copyText(shareAddress(), field);
    say(copied ? words.copied : words.byHand);
  });
  links.save?.addEventListener("click", () => {
    parts.form.hidden = !parts.form.hidden;
    links.save?.setAttribute("aria-expanded", String(!parts.form.hidden));
    if (!parts.form.hidden) parts.form.querySelector("input")?.focus();
  });
  parts.form.addEventListener("submit", async (event) => {
    event.preventDefault();
    parts.store.disabled = true;
    const text = asRecord(game, shareCode(), [...parts.form.querySelectorAll("input")].map((one) => one.value));
    const upload = await send(element.dataset.upload || "", text, words.name).catch(() => null);
    parts.store.disabled = false;
    say(upload === null ? words.failed : words.saved);
    if (upload === null) return;
    parts.form.hidden = true;
    links.save?.setAttribute("aria-expanded", "false");
    const link = /** @type {HTMLAnchorElement} */ (make("a", "", words.look));
    link.href = new URL(`uploads/${upload}/`, ARCHIVE).href;
    status.append(" ", link);
  });

  show();
  if (element.dataset.qfcode) {
    field.value = element.dataset.qfcode;
    input();
    before.length = 0;
    showButtons();
    step(Math.min(Number.parseInt(element.dataset.ply ?? "", 10) || 0, game.moves.length));
  }
  return { board, position: () => stateAt(game).position, play: tryMove };
}

/**
 * @param {Game} game
 * @param {string} code the game's, empty where none can hold it
 * @param {string[]} names White's and Black's
 * @returns {string} the code, or a list of moves where it says more
 */
function asRecord({ start, moves }, code, names) {
  const given = names.map((text) => text.replace(/["\\\]\[\s]+/g, " ").trim());
  if (!moves.length || (code && !given.some(Boolean))) return code;
  const tags = given.flatMap((text, color) => (text ? [`[${["White", "Black"][color]} "${text}"]`] : []));
  if (!beginsAtStart({ state: start, moves })) tags.push(`[Start "${encode({ state: start, moves: null })}"]`);
  return `${tags.join("\n")}\n\n${moves.map(name).join(" ")}\n`;
}

/**
 * @param {HTMLElement} element
 * @param {boolean} japanese
 */
function layOut(element, japanese) {
  const words = TEXTS[japanese ? "ja" : "en"];
  const number = ++boards;
  element.style.setProperty("--qf-unit", `${sizeOf(element, DEFAULT_SIZE)}px`);
  const host = make("div", "qf-host");
  host.tabIndex = 0;
  host.setAttribute("role", "application");
  host.setAttribute("aria-label", words.board);
  host.setAttribute("aria-describedby", `qf-keys-${number}`);
  const status = make("p", "qf-status");
  status.setAttribute("role", "status");
  const info = make("div", "qf-info");
  const confirm = /** @type {HTMLButtonElement} */ (make("button", "qf-confirm"));
  confirm.type = "button";
  confirm.hidden = true;
  const buttons = Object.fromEntries(BUTTONS.map(([text, ja, en]) =>
    [text, button(text, `${text}: ${japanese ? ja : en}`)]));
  const column = make("div", "qf-buttons");
  column.append(...Object.values(buttons));
  buttons.REC.classList.add("qf-rec");
  const field = /** @type {HTMLInputElement} */ (make("input", "qf-field"));
  Object.assign(field, { type: "text", spellcheck: false, autocomplete: "off", placeholder: "qf_code" });
  field.setAttribute("aria-label", words.code);
  const links = linksOf(element, words);
  const row = make("div", "qf-links");
  row.append(...[links.explorer, links.share, links.save, links.open].filter((one) => one !== null));
  const { form, store } = saveForm(words);
  const keys = make("p", "qf-keys", words.keys);
  keys.id = `qf-keys-${number}`;
  const main = make("div", "qf-main");
  main.append(host, status, confirm, info);
  element.replaceChildren(main, column, field, row, form, keys);
  return { host, status, info, confirm, buttons, field, links, form, store };
}

/** Who played, before a game is saved. @param {typeof TEXTS.en} words */
function saveForm(words) {
  const form = /** @type {HTMLFormElement} */ (make("form", "qf-save"));
  form.hidden = true;
  const store = /** @type {HTMLButtonElement} */ (make("button", "", words.store));
  form.append(...words.names.map((text) => {
    const label = make("label", "", text);
    const field = /** @type {HTMLInputElement} */ (make("input", "qf-name"));
    Object.assign(field, { type: "text", maxLength: 100, autocomplete: "off" });
    label.append(field);
    return label;
  }), store);
  return { form, store };
}

/** @param {HTMLElement} element @param {typeof TEXTS.en} words */
function linksOf(element, words) {
  const explorer = /** @type {HTMLAnchorElement} */ (make("a", "qf-link", words.explorer));
  const share = /** @type {HTMLButtonElement} */ (make("button", "qf-link", words.share));
  share.type = "button";
  const here = "upload" in element.dataset;
  /** @type {HTMLButtonElement | null} */
  let save = null;
  /** @type {HTMLAnchorElement | null} */
  let open = null;
  if (here) {
    save = /** @type {HTMLButtonElement} */ (make("button", "qf-link", words.save));
    save.type = "button";
    save.setAttribute("aria-expanded", "false");
    save.hidden = !element.dataset.upload;
  } else open = /** @type {HTMLAnchorElement} */ (make("a", "qf-link", words.open));
  return { explorer, share, save, open };
}

/**
 * @param {string} text
 * @param {HTMLInputElement} field takes the text where browsers lock the clipboard away
 * @returns {Promise<boolean>} false if the text has to be copied from there by hand
 */
async function copyText(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // In frames of other sites, and where a site has no certificate.
  }
  const kept = field.value;
  field.value = text;
  field.select();
  if (!document.execCommand("copy")) return false;
  field.value = kept;
  return true;
}

/** @param {string} address @param {string} text @param {string} name @returns {Promise<number>} the number of the upload */
async function send(address, text, name) {
  const token = /** @type {HTMLInputElement | null} */ (document.querySelector("[name=csrfmiddlewaretoken]"));
  const headers = { "Content-Type": "application/json", "X-CSRFToken": token?.value || "" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify({ text, name }) });
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return (await answer.json()).uploads[0].id;
}
