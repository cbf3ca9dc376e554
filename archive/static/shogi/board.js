// @ts-check
/**
 * The shogi board as SVG: wood, wedge-shaped pieces with one kanji, coordinates, the last move, both hands.
 * Measures and structure are those of kifu_core/shogi/draw.py, so that a board drawn by the server does not jump.
 */

import { squareOf } from "./position.js";

/** @typedef {import("./position.js").Position} Position */

/**
 * @typedef {object} BoardConfig
 * @property {boolean} [flip] White's side at the bottom
 * @property {string} [ranks] the names of the nine ranks, from the top
 * @property {boolean} [letters] pieces as Western players write them; otherwise as the page says
 * @property {[HTMLElement, HTMLElement]} [hands] where the hands of colour 0 and colour 1 are drawn
 */

/**
 * @typedef {object} View
 * @property {Position} position
 * @property {number | null} from the last move's origin, null for drops and at the start
 * @property {number | null} to the last move's target
 * @property {string} label the position in words, for those who do not see it
 * @property {number[]} [marked] squares that get a frame
 * @property {string[]} [shapes] circles (`G5e`) and arrows (`R7g7f`) of the record's comments
 */

/**
 * @typedef {object} Board
 * @property {(view: View) => void} show draws what differs from what is shown
 * @property {(flip: boolean) => void} flip
 * @property {(arrows: Arrow[]) => void} arrows draws these and no others
 * @property {(chosen: number | null, targets: number[], over?: number | null) => void} mark a chosen square, where it
 *   may go, and the one of these that is pointed at
 * @property {(at: number | null) => void} lift draws the piece of the square as one that is carried; null for none
 * @property {() => boolean} flipped
 * @property {() => number} pieceSize the height of a square as it is shown, in pixels
 * @property {(event: MouseEvent) => number | null} squareAt the square under the pointer
 * @property {SVGElement} layer lies over the pieces, for what others draw on squares (`corner`)
 */

/** @typedef {import("../archive/js/archive-moves.js").Arrow} Arrow */

/**
 * @typedef {object} Piece
 * @property {SVGElement} group
 * @property {SVGElement} shape
 * @property {SVGElement} text
 * @property {number} kind
 */

const SVG = "http://www.w3.org/2000/svg";
/** The size of a square in the board's units. */
export const CELL = { width: 60, height: 66 };
const EDGE = { left: 8, top: 26, right: 30, bottom: 8 };
const WIDTH = EDGE.left + 9 * CELL.width + EDGE.right;
const HEIGHT = EDGE.top + 9 * CELL.height + EDGE.bottom;
/** The distance of a marked square's frame from its edge. */
const INSET = 3;
const HAND = { slot: 66, height: 66 };
const RANKS = "一二三四五六七八九";
export const KANJI = ["", "歩", "香", "桂", "銀", "金", "角", "飛", "玉", "と", "杏", "圭", "全", "馬", "龍"];
/** Pieces by their kind, as Western players write them. */
export const LETTERS = ["", "P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"];
const SIZES = [0, 0.86, 0.88, 0.9, 0.94, 0.94, 0.98, 0.98, 1, 0.86, 0.88, 0.9, 0.94, 0.98, 0.98];
const HAND_ORDER = [7, 6, 5, 4, 3, 2, 1];
const OUTLINES = SIZES.map(outline);
/** Half a turn around the middle of the squares. */
const TURN = `rotate(180 ${EDGE.left + 4.5 * CELL.width} ${EDGE.top + 4.5 * CELL.height})`;

/**
 * @param {HTMLElement} host its content is replaced by the board
 * @param {BoardConfig} config
 * @returns {Board}
 */
export function createBoard(host, config = {}) {
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "board", role: "img" });
  const marks = [mark(svg, "last-from"), mark(svg, "last-to")];
  const labels = drawGrid(svg);
  const frames = svg.appendChild(make("g", { class: "marked" }));
  const choices = svg.appendChild(make("g", { class: "choices-marks" }));
  const sides = [1, 0].map((color) => createSide(svg, color));
  const shapeLayer = svg.appendChild(make("g", { class: "board-shapes", "aria-hidden": "true" }));
  const arrowLayer = svg.appendChild(make("g", { class: "board-arrows", "aria-hidden": "true" }));
  const layer = svg.appendChild(make("g", { "aria-hidden": "true" }));
  const letters = config.letters ?? document.documentElement.dataset.pieces === "letters";
  let flipped = false;
  /** @type {View | null} */
  let current = null;
  /** @type {string[]} */
  const shownHands = ["", ""];

  /** @param {boolean} all whether everything is drawn anew, as after a flip */
  function render(all) {
    if (!current) return;
    const { position, from, to, label, marked = [], shapes = [] } = current;
    for (const side of sides) side.show(position.board, letters, flipped, all);
    placeMark(marks[0], from, flipped);
    placeMark(marks[1], to, flipped);
    if (marked.length || frames.firstChild) frames.replaceChildren(...marked.map((at) => frameAt(at, flipped)));
    if (shapes.length || shapeLayer.firstChild) {
      shapeLayer.replaceChildren(...shapes.map((shape) => drawShape(shape, flipped)));
    }
    svg.setAttribute("aria-label", label);
    config.hands?.forEach((place, color) => {
      const key = `${position.hands[color].join()} ${flipped}`;
      if (shownHands[color] === key) return;
      shownHands[color] = key;
      drawHand(place, position.hands[color], color === 1 ? !flipped : flipped, letters);
    });
  }

  /** @param {boolean} flip */
  function turn(flip) {
    flipped = flip;
    setLabels(labels, config.ranks || RANKS, flip);
    render(true);
  }

  turn(Boolean(config.flip));
  host.replaceChildren(svg);
  return {
    layer,
    show(view) {
      const first = current === null;
      current = view;
      render(first);
    },
    flip: turn,
    arrows(list) {
      if (!list.length && !arrowLayer.firstChild) return;
      arrowLayer.replaceChildren(...list.map((arrow) => drawArrow(arrow, flipped)).reverse());
    },
    flipped: () => flipped,
    pieceSize: () => (svg.getBoundingClientRect().width / WIDTH) * CELL.height,
    lift(at) {
      for (const side of sides) side.lift(at);
    },
    mark(chosen, targets, over = null) {
      const marks = targets.map((at) => markAt(at === over ? "target over" : "target", at, flipped));
      if (chosen !== null) marks.unshift(markAt("chosen", chosen, flipped));
      choices.replaceChildren(...marks);
    },
    squareAt(event) {
      const place = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(/** @type {SVGSVGElement} */ (svg).getScreenCTM()?.inverse());
      const column = Math.floor((place.x - EDGE.left) / CELL.width);
      const row = Math.floor((place.y - EDGE.top) / CELL.height);
      if (column < 0 || column > 8 || row < 0 || row > 8) return null;
      return flipped ? 80 - (row * 9 + column) : row * 9 + column;
    },
  };
}

/** @param {string} name @param {number} at @param {boolean} flip @returns {SVGElement} */
function markAt(name, at, flip) {
  const [x, y] = corner(at, flip);
  return make("rect", { class: name, x, y, width: CELL.width, height: CELL.height });
}

/** @param {number} at @param {boolean} flip @returns {SVGElement} */
function frameAt(at, flip) {
  const [x, y] = corner(at, flip);
  const [width, height] = [CELL.width - 2 * INSET, CELL.height - 2 * INSET];
  return make("rect", { x: x + INSET, y: y + INSET, width, height, rx: 5 });
}

/**
 * @param {string} shape a brush (G, R, B or Y) and one square, or two
 * @param {boolean} flip
 * @returns {SVGElement} a circle or an arrow
 */
function drawShape(shape, flip) {
  const group = make("g", { class: `brush-${shape[0]}` });
  const look = { width: 8, opacity: 0.85 };
  if (shape.length > 3) group.append(arrowBetween(squareOf(shape.slice(1, 3)), squareOf(shape.slice(3, 5)), look, flip));
  else group.append(drawRing(...middle(squareOf(shape.slice(1, 3)), flip), { ...look, width: 5 }));
  return group;
}

/**
 * @param {Arrow} arrow
 * @param {boolean} flip
 * @returns {SVGElement} an arrow, or a ring around the square of a drop
 */
function drawArrow({ move: usi, weight }, flip) {
  const look = { width: 4 + 8 * weight, opacity: 0.5 + 0.4 * weight };
  const to = squareOf(usi.slice(2, 4));
  if (usi[1] === "*") return drawRing(...middle(to, flip), look);
  return arrowBetween(squareOf(usi.slice(0, 2)), to, look, flip);
}

/**
 * @param {number} from @param {number} to @param {{width: number, opacity: number}} look
 * @param {boolean} flip
 * @returns {SVGElement}
 */
function arrowBetween(from, to, { width, opacity }, flip) {
  const [tx, ty] = middle(to, flip);
  const [fx, fy] = middle(from, flip);
  const length = Math.hypot(tx - fx, ty - fy);
  const [ux, uy] = [(tx - fx) / length, (ty - fy) / length];
  const head = 10 + width;
  const [bx, by] = [tx - ux * head, ty - uy * head];
  const at = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ aside) =>
    `${x - uy * aside} ${y + ux * aside}`;
  const [half, wing] = [width / 2, head * 0.6];
  const outline = [at(fx, fy, half), at(bx, by, half), at(bx, by, wing), `${tx} ${ty}`, at(bx, by, -wing), at(bx, by, -half),
    at(fx, fy, -half)];
  return make("path", { class: "arrow", d: `M${outline.join("L")}Z`, opacity });
}

/**
 * @param {number} x
 * @param {number} y
 * @param {{width: number, opacity: number}} look
 * @returns {SVGElement} a ring with an edge, as arrows have one
 */
function drawRing(x, y, { width, opacity }) {
  const group = make("g", { opacity });
  group.append(
    make("circle", { class: "ring edge", cx: x, cy: y, r: 26, "stroke-width": width + 3 }),
    make("circle", { class: "ring", cx: x, cy: y, r: 26, "stroke-width": width }),
  );
  return group;
}

/** @param {number} at @param {boolean} flip @returns {[number, number]} */
function middle(at, flip) {
  const [x, y] = corner(at, flip);
  return [x + CELL.width / 2, y + CELL.height / 2];
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElement}
 */
export function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** @param {SVGElement} svg @param {string} name @returns {SVGElement} */
function mark(svg, name) {
  if (!svg.firstChild) {
    svg.append(make("rect", { class: "wood", width: WIDTH, height: HEIGHT, rx: 6 }));
  }
  return svg.appendChild(make("rect", { class: name, width: CELL.width, height: CELL.height }));
}

/** @param {SVGElement} svg @returns {SVGElement[]} the 18 labels: files from the left, ranks from the top */
function drawGrid(svg) {
  const right = EDGE.left + 9 * CELL.width;
  const bottom = EDGE.top + 9 * CELL.height;
  let lines = "";
  for (let i = 0; i <= 9; i++) {
    lines += `M${EDGE.left} ${EDGE.top + i * CELL.height}H${right}M${EDGE.left + i * CELL.width} ${EDGE.top}V${bottom}`;
  }
  svg.append(make("path", { class: "lines", d: lines }));
  for (const [column, row] of [[3, 3], [6, 3], [3, 6], [6, 6]]) {
    svg.append(make("circle", {
      class: "star", cx: EDGE.left + column * CELL.width, cy: EDGE.top + row * CELL.height, r: 4,
    }));
  }
  const files = Array.from({ length: 9 }, (_, i) =>
    make("text", { class: "label", x: EDGE.left + (i + 0.5) * CELL.width, y: EDGE.top - 7 }));
  const ranks = Array.from({ length: 9 }, (_, i) =>
    make("text", { class: "label", x: right + EDGE.right / 2, y: EDGE.top + (i + 0.5) * CELL.height + 6 }));
  svg.append(...files, ...ranks);
  return [...files, ...ranks];
}

/** @param {SVGElement[]} labels @param {string} ranks @param {boolean} flip */
function setLabels(labels, ranks, flip) {
  for (let i = 0; i < 9; i++) {
    labels[i].textContent = String(flip ? i + 1 : 9 - i);
    labels[9 + i].textContent = ranks[flip ? 8 - i : i];
  }
}

/**
 * The pieces of one side, drawn as that side sees them; the board turns the side that looks down.
 * Pieces have no transform of their own: each would be a layer of paint apart, and a step many times as dear.
 * @param {SVGElement} svg
 * @param {number} color
 */
function createSide(svg, color) {
  const side = svg.appendChild(make("g", { class: "side" }));
  /** @type {(Piece | null)[]} */
  const pieces = new Array(81).fill(null);
  /** @type {Piece[]} */
  const spare = [];

  /**
   * What moved is moved and what fell is taken away, so that little is laid out and painted anew.
   * @param {Int8Array} board @param {boolean} letters @param {boolean} flip @param {boolean} all
   */
  function show(board, letters, flip, all) {
    if (all && (color === 1) !== flip) side.setAttribute("transform", TURN);
    else if (all) side.removeAttribute("transform");
    const missing = [];
    for (let at = 0; at < 81; at++) {
      const kind = color ? Math.max(0, -board[at]) : Math.max(0, board[at]);
      const existing = pieces[at];
      if (!all && kind === (existing ? existing.kind : 0)) continue;
      if (existing) spare.push(existing);
      pieces[at] = null;
      if (kind) missing.push(at);
    }
    for (const at of missing) {
      const kind = Math.abs(board[at]);
      const same = spare.findIndex((piece) => piece.kind === kind);
      const piece = spare.splice(same, 1)[0] || emptyPiece();
      const [x, y] = middle(at, color === 1);
      setPiece(piece, color ? -kind : kind, x, y, { letters, turned: (color === 1) !== flip });
      pieces[at] = piece;
      if (!piece.group.parentNode) side.append(piece.group);
    }
    for (const piece of spare) piece.group.remove();
  }

  /** @param {number | null} at */
  function lift(at) {
    pieces.forEach((piece, square) => piece?.group.classList.toggle("lifted", square === at));
  }

  return { show, lift };
}

/**
 * A piece by itself.
 * @param {number} signed its kind, negative for White
 * @param {boolean} flip whether White sits below
 * @returns {SVGElement}
 */
export function pictureOf(signed, flip) {
  const piece = emptyPiece();
  const turned = (signed < 0) !== flip;
  const middle = CELL.height / 2;
  setPiece(piece, signed, middle, middle, { letters: document.documentElement.dataset.pieces === "letters", turned });
  return framed(piece, turned);
}

/** A piece of whatever kind: a blank one. @param {boolean} turned whether it points down @returns {SVGElement} */
export function pictureOfAny(turned) {
  const piece = emptyPiece();
  const middle = CELL.height / 2;
  piece.group.setAttribute("class", "piece");
  piece.shape.setAttribute("d", `M${middle} ${middle}${OUTLINES[8]}`);
  return framed(piece, turned);
}

/** @param {Piece} piece @param {boolean} turned @returns {SVGElement} a picture of its own */
function framed(piece, turned) {
  const side = CELL.height;
  const svg = make("svg", { viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" });
  if (turned) piece.group.setAttribute("transform", `rotate(180 ${side / 2} ${side / 2})`);
  svg.append(piece.group);
  return svg;
}

/** @returns {Piece} */
function emptyPiece() {
  const [group, shape, text] = [make("g", {}), make("path", {}), make("text", {})];
  group.append(shape, text);
  return { group, shape, text, kind: 0 };
}

/** @param {number} at @param {boolean} flip @returns {[number, number]} */
export function corner(at, flip) {
  const shown = flip ? 80 - at : at;
  return [EDGE.left + (shown % 9) * CELL.width, EDGE.top + Math.floor(shown / 9) * CELL.height];
}

/** @param {SVGElement} rect @param {number | null} at @param {boolean} flip */
function placeMark(rect, at, flip) {
  rect.setAttribute("visibility", at === null ? "hidden" : "visible");
  if (at === null) return;
  const [x, y] = corner(at, flip);
  rect.setAttribute("x", String(x));
  rect.setAttribute("y", String(y));
}

/**
 * @param {Piece} piece
 * @param {number} signed its kind, negative for White
 * @param {number} x
 * @param {number} y
 * @param {{letters: boolean, turned: boolean}} look letters stand upright on pieces that point down
 */
function setPiece(piece, signed, x, y, { letters, turned }) {
  const { group, shape, text } = piece;
  const kind = Math.abs(signed);
  shape.setAttribute("d", `M${x} ${y}${OUTLINES[kind]}`);
  text.setAttribute("x", String(x));
  text.setAttribute("y", String(y + (letters ? (turned ? 6 : 14) : 13)));
  if (letters && turned) text.setAttribute("transform", `rotate(180 ${x} ${y})`);
  else text.removeAttribute("transform");
  if (piece.kind === kind) return;
  piece.kind = kind;
  group.setAttribute("class", kind > 8 ? "piece promoted" : "piece");
  text.setAttribute("font-size", String((letters ? (kind > 8 ? 24 : 30) : 34) * SIZES[kind]));
  if (letters) text.setAttribute("class", "letter");
  text.textContent = letters ? LETTERS[kind] : kind === 8 && signed < 0 ? "王" : KANJI[kind];
}

/** @param {number} size @returns {string} a piece's outline, from its middle */
function outline(size) {
  const at = (/** @type {number} */ n) => Math.round(n * size * 10) / 10;
  return `m0 ${at(-30)}l${at(17)} ${at(8)}l${at(7)} ${at(50)}h${at(-48)}l${at(7)} ${at(-50)}z`;
}

/**
 * @param {HTMLElement} place
 * @param {Uint8Array} hand
 * @param {boolean} turned whether the pieces point down
 * @param {boolean} letters
 */
function drawHand(place, hand, turned, letters) {
  const kinds = HAND_ORDER.filter((kind) => hand[kind]);
  const pieces = document.createElement("span");
  pieces.className = "hand";
  pieces.setAttribute("aria-hidden", "true");
  pieces.append(...kinds.map((kind) => pictureInHand(kind, hand[kind], turned, letters)));
  place.replaceChildren(pieces);
  place.classList.toggle("none", !kinds.length);
}

/**
 * @param {number} kind
 * @param {number} count
 * @param {boolean} turned
 * @param {boolean} letters
 * @returns {SVGElement}
 */
function pictureInHand(kind, count, turned, letters) {
  const svg = make("svg", { viewBox: `0 0 ${slotWidth(count)} ${HAND.height}`, "data-kind": kind });
  const piece = emptyPiece();
  const [x, y] = [30, HAND.height / 2];
  setPiece(piece, kind, x, y, { letters, turned });
  if (turned) piece.group.setAttribute("transform", `rotate(180 ${x} ${y})`);
  svg.append(piece.group);
  if (count > 1) svg.append(countText(58, count));
  return svg;
}

/** @param {number} count @returns {number} */
function slotWidth(count) {
  if (count > 9) return HAND.slot + 36;
  return count > 1 ? HAND.slot + 18 : HAND.slot;
}

/** @param {number} x @param {number} count @returns {SVGElement} */
function countText(x, count) {
  const text = make("text", { class: "count", x, y: HAND.height / 2 + 12 });
  text.textContent = String(count);
  return text;
}
