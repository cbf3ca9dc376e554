// @ts-check
/** Marks, circles and arrows in comments; the counterpart of kifu_core/shogi/annotations.py, which describes them. */

import { ANNOTATIONS } from "./texts.js";

/** @typedef {{word: string, sign: string, english: string}} Mark */

/** Marks in the order of their worth, the best first. @type {Mark[]} */
export const MARKS = ANNOTATIONS.marks.map(([word, sign, english]) => ({ word, sign, english }));
export const { brushes: BRUSHES, shapes: MOST_SHAPES } = ANNOTATIONS;
const IN_A_LINE = 20;

/**
 * @param {string[]} comments of a node
 * @returns {{mark: Mark | null, shapes: string[], lines: string[]}} a shape is a brush and one square, or two
 */
export function readComments(comments) {
  /** @type {Mark | null} */
  let mark = null;
  /** @type {string[]} */
  const shapes = [];
  /** @type {string[]} */
  const lines = [];
  comments.forEach((line, number) => {
    const read = mark ? null : markOf(line, number === 0);
    if (read) {
      mark = read;
      return;
    }
    const rest = line.includes("[%c") ? takeShapes(line, shapes) : line;
    if (rest || !line) lines.push(rest);
  });
  return { mark, shapes, lines };
}

/**
 * @param {Mark | null} mark
 * @param {string[]} shapes
 * @param {string[]} lines
 * @returns {string[]} comments in which `readComments` finds them
 */
export function writeComments(mark, shapes, lines) {
  return [
    ...(mark ? [`【${mark.word}】`] : []), ...lines,
    ...groups("csl", shapes.filter((shape) => shape.length === 3)),
    ...groups("cal", shapes.filter((shape) => shape.length === 5)),
  ];
}

/** @param {Mark} mark @param {boolean} japanese @returns {string} */
export function markWord(mark, japanese) {
  return japanese ? mark.word : mark.english;
}

/** @param {string} name @param {string[]} shapes @returns {string[]} */
function groups(name, shapes) {
  const lines = [];
  for (let start = 0; start < shapes.length; start += IN_A_LINE) {
    lines.push(`[%${name} ${shapes.slice(start, start + IN_A_LINE).join(",")}]`);
  }
  return lines;
}

/** @param {string} line @param {boolean} first @returns {Mark | null} */
function markOf(line, first) {
  if (line.length > 8) return null;
  const text = line.trim();
  const sign = text.replaceAll("！", "!").replaceAll("？", "?");
  return MARKS.find(({ word }) => text === `【${word}】`) || (first && MARKS.find((mark) => mark.sign === sign)) || null;
}

/** @param {string} line @param {string[]} shapes to which those of the line are added @returns {string} the rest of the line */
function takeShapes(line, shapes) {
  const rest = line.replace(/\[%c(sl|al)[ \t]+([^[\]]{1,1000})\][ \t]*/g, (group, kind, items) => {
    const found = items.split(",").map((/** @type {string} */ item) => item.trim());
    const form = kind === "sl" ? /^[GRBY][1-9][a-i]$/ : /^[GRBY]([1-9][a-i]){2}$/;
    const distinct = [...new Set(found)].filter((shape) => !shapes.includes(shape));
    if (!found.every((/** @type {string} */ shape) => form.test(shape)) || shapes.length + distinct.length > MOST_SHAPES) return group;
    shapes.push(...distinct);
    return "";
  });
  return rest === line ? line : rest.trimEnd();
}
