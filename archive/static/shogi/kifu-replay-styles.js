// @ts-check
/** How `<kifu-replay>` looks: its own sheet, so that neither the site around it nor a strict policy is in the way. */

const RULES = `
:host {
  color-scheme: light dark; display: block; box-sizing: border-box; max-width: 34rem; padding: 8px; line-height: 1.5;
  color: var(--ink); background: var(--paper); border-radius: 6px; overflow-wrap: anywhere;
  font-family: "Hiragino Sans", "Noto Sans JP", "Yu Gothic UI", sans-serif; font-variant-numeric: tabular-nums;
  --paper: light-dark(#faf7f0, #17150f); --ink: light-dark(#1f1b16, #e9e3d6); --line: light-dark(#d9d2c3, #36322a); --accent: light-dark(#b5371f, #ef8a72);
  --board: light-dark(#e9c98a, #8a6a34); --board-line: light-dark(#5b4320, #2a1f0e);
  --board-label: light-dark(#5b4320, #f0e2c4); --piece: light-dark(#f9e6bd, #e0c288);
  --piece-edge: light-dark(#8a6a34, #4a3413);
}
:host([data-theme="light"]) { color-scheme: light; }
:host([data-theme="dark"]) { color-scheme: dark; }
:host(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 4px; }
.table { display: flex; flex-direction: column; gap: 4px; }
.table.flipped { flex-direction: column-reverse; }
.seat { display: flex; align-items: center; gap: 8px; min-height: 36px; }
.who { flex: 1; font-weight: 600; }
.hand-host { height: 36px; }
svg.board { display: block; width: 100%; height: auto; user-select: none; }
.hand { display: flex; justify-content: flex-end; height: 100%; }
.hand svg { height: 100%; min-width: 0; }
.wood { fill: var(--board); }
.lines { fill: none; stroke: var(--board-line); stroke-width: 1.2; }
.star { fill: var(--board-line); }
.label { fill: var(--board-label); font-size: 16px; text-anchor: middle; }
svg .count { fill: currentColor; font-size: 30px; }
.last-to { fill: rgb(240 169 91 / 60%); }
.last-from { fill: rgb(240 169 91 / 30%); }
.piece path { fill: var(--piece); stroke: var(--piece-edge); stroke-width: 1.2; }
.piece text {
  fill: #1c1510; font-weight: 700; text-anchor: middle;
  font-family: "Hiragino Mincho ProN", "Noto Serif JP", "Yu Mincho", serif;
}
.piece.promoted text { fill: #a8200d; }
.board-shapes .arrow { fill: var(--brush); stroke: #fff; stroke-width: 1.5; stroke-linejoin: round; }
.board-shapes .ring { fill: none; stroke: var(--brush); }
.board-shapes .edge { stroke: #fff; }
.brush-G { --brush: #15781b; }
.brush-R { --brush: #b01818; }
.brush-B { --brush: #0a4d9c; }
.brush-Y { --brush: #d08a00; }
.side { display: grid; gap: 8px; margin-top: 8px; }
.controls { display: flex; align-items: center; gap: 4px; }
.controls .count { flex: 1.4; text-align: center; white-space: nowrap; }
.icon { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
button {
  min-width: 44px; min-height: 44px; flex: 1; display: flex; align-items: center; justify-content: center;
  font: inherit; color: inherit; background: none; cursor: pointer; border: 1px solid var(--line); border-radius: 6px;
}
button:hover { border-color: var(--accent); }
.choices { display: flex; flex-wrap: wrap; gap: 8px; }
.choices button { flex: none; padding: 0 12px; }
.comment { margin: 0; white-space: pre-wrap; }
.comment:empty, .choices:empty { display: none; }
`;

/** @type {CSSStyleSheet | null} */
let sheet = null;

/** @returns {CSSStyleSheet} one for all elements of a page */
export function styles() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
  }
  return sheet;
}
