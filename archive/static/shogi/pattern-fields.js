// @ts-check
/** The fields of a drawn pattern: hands, turn, plies, and the conditions on all steps. */

import { pictureOf } from "./board.js";
import { MOST, pieceOf } from "./pattern.js";

/** @typedef {import("./pattern.js").Pattern} Pattern */
/** @typedef {import("./pattern.js").Count} Count */
/** @typedef {HTMLInputElement | HTMLSelectElement} Field */
/** @typedef {(pattern: Pattern, at: number) => void} Edit changes a pattern, of which one step is drawn */

/** The fields of a page, and the hands next to its board. */
export class PatternFields {
  /** @param {HTMLElement} root @param {(edit: Edit) => void} change */
  constructor(root, change) {
    this.change = change;
    this.fields = /** @type {Map<string, Field>} */ (new Map(
      [.../** @type {NodeListOf<Field>} */ (root.querySelectorAll("[data-field]"))].map((field) => [field.dataset.field, field])));
    this.counts = /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll("[data-hand]")]);
    this.hands = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".pattern-hand")]);
    this.turns = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".seat .turn")]);
    this.gap = /** @type {HTMLElement} */ (root.querySelector(".gap-field"));
    for (const [name, field] of this.fields) {
      field.addEventListener("change", () => this.change((pattern, at) => WRITERS[name](pattern, at, valueOf(field))));
    }
    for (const field of this.counts) field.addEventListener("change", () => this.count(field.dataset.hand || ""));
  }

  /** Takes the two numbers of a piece in hand. @param {string} letter */
  count(letter) {
    const [least, most] = ["least", "most"].map((bound) =>
      numberOf(this.counts.find((field) => field.dataset.hand === letter && field.dataset.bound === bound)?.value || ""));
    this.change((pattern, at) => {
      const { hands } = pattern.steps[at];
      if (!least && most === null) hands.delete(pieceOf(letter));
      else hands.set(pieceOf(letter), { least: least || 0, most });
    });
  }

  /** @param {Pattern} pattern @param {number} at */
  show(pattern, at) {
    const step = pattern.steps[at];
    for (const [name, field] of this.fields) {
      const value = READERS[name](pattern, at);
      if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === "1";
      else field.value = value;
    }
    for (const field of this.counts) {
      const count = step.hands.get(pieceOf(field.dataset.hand || ""));
      const bound = field.dataset.bound === "least" ? count?.least || (count?.most === 0 ? 0 : null) : count?.most;
      field.value = String(bound ?? "");
    }
    this.gap.hidden = at === 0;
    this.hands.forEach((place) => showHand(place, step.hands));
    this.turns.forEach((mark) => (mark.hidden = step.ownTurn === null || step.ownTurn !== (mark.dataset.side === "own")));
  }
}

/** @param {HTMLElement} place @param {Map<number, Count>} hands */
function showHand(place, hands) {
  const sign = place.dataset.side === "own" ? 1 : -1;
  const shown = [...hands].filter(([piece]) => piece * sign > 0).sort(([one], [other]) => (other - one) * sign);
  place.replaceChildren(...shown.map(([piece, count]) => {
    const item = document.createElement("span");
    item.append(pictureOf(piece, false), countText(count));
    return item;
  }));
}

/** @param {Count} count @returns {string} */
function countText({ least, most }) {
  if (most === null) return `≥${least}`;
  if (least === most) return `${least}`;
  return least ? `${least}–${most}` : `≤${most}`;
}

/** @param {Field} field @returns {string} */
function valueOf(field) {
  return field instanceof HTMLInputElement && field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
}

/** @param {string} text @returns {number | null} */
function numberOf(text) {
  const number = Math.floor(Number(text));
  return text.trim() === "" || !(number >= 0) ? null : Math.min(number, MOST);
}

/** @type {Record<string, (pattern: Pattern, at: number, value: string) => void>} */
const WRITERS = {
  own: (pattern, _, value) => void (pattern.own = value === "" ? null : value === "1" ? 1 : 0),
  mirrored: (pattern, _, value) => void (pattern.mirrored = value === "1"),
  main: (pattern, _, value) => void (pattern.main = value === "1"),
  turn: (pattern, at, value) => void (pattern.steps[at].ownTurn = value === "" ? null : value === "own"),
  first: (pattern, at, value) => void (pattern.steps[at].first = numberOf(value)),
  last: (pattern, at, value) => void (pattern.steps[at].last = numberOf(value)),
  kept: (pattern, at, value) => void (pattern.steps[at].kept = numberOf(value) || 0),
  gap: (pattern, at, value) => void (pattern.gaps[at - 1] = numberOf(value)),
};

/** @type {Record<string, (pattern: Pattern, at: number) => string>} the other way round */
const READERS = {
  own: (pattern) => String(pattern.own ?? ""),
  mirrored: (pattern) => (pattern.mirrored ? "1" : ""),
  main: (pattern) => (pattern.main ? "1" : ""),
  turn: (pattern, at) => ({ true: "own", false: "enemy", null: "" })[String(pattern.steps[at].ownTurn)] || "",
  first: (pattern, at) => String(pattern.steps[at].first ?? ""),
  last: (pattern, at) => String(pattern.steps[at].last ?? ""),
  kept: (pattern, at) => String(pattern.steps[at].kept || ""),
  gap: (pattern, at) => String((at && pattern.gaps[at - 1]) ?? ""),
};
