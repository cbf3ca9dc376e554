// @ts-check
/** What every page has: the theme switch, the language switch, buttons that
 * copy, menus that Escape and a click outside close. */

import { choosing, completing } from "./completing.js";
import { copyText, sayDone } from "./copying.js";
import "./neighbours.js";
import "./offline.js";

const YEAR = 365 * 24 * 60 * 60;

/** Boards are as high as the window less the header, which may have several rows. */
const header = document.querySelector(".site-header");
if (header) {
  const setHeight = () => {
    const height = Math.round(header.getBoundingClientRect().height);
    document.documentElement.style.setProperty("--site-header", `${height}px`);
  };
  new ResizeObserver(setHeight).observe(header);
}

function switchTheme() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const current = root.dataset.theme || (dark ? "dark" : "light");
  const theme = current === "dark" ? "light" : "dark";
  root.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `theme=${theme}; path=/; max-age=${YEAR}; samesite=lax${secure}`;
}

document.querySelector("form.theme")?.addEventListener("submit", (event) => {
  event.preventDefault();
  switchTheme();
});

document.querySelector("form.language")?.addEventListener("submit", (event) => {
  const next = /** @type {HTMLFormElement} */ (event.target).elements.namedItem("next");
  if (next instanceof HTMLInputElement) next.value = location.pathname + location.search;
});

const box = document.getElementById("site-q");
const list = document.getElementById("completions");
if (box instanceof HTMLInputElement && list) completing(box, list);
for (const one of document.querySelectorAll("input[data-choose]")) {
  if (one instanceof HTMLInputElement && list) choosing(one, list);
}

/** A search box has one line: a record or diagram that is pasted into it goes to the server as it is. */
box?.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") || "";
  const search = event.target instanceof Element && event.target.closest("form");
  const token = document.querySelector("form.language input[name=csrfmiddlewaretoken]");
  if (!/\S\s*\n\s*\S/.test(text) || !search || !(token instanceof HTMLInputElement)) return;
  event.preventDefault();
  const form = document.createElement("form");
  form.method = "post";
  form.action = search.dataset.find || "";
  form.hidden = true;
  const box = document.createElement("textarea");
  box.name = "text";
  box.value = text;
  form.append(token.cloneNode(), box);
  document.body.append(form);
  form.submit();
});

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element && event.target.closest("button[data-copy]");
  if (!(button instanceof HTMLButtonElement)) return;
  const text = document.getElementById(button.dataset.copy || "")?.textContent || "";
  await copyText(text.trim());
  sayDone(button);
});

/** Menus over the page, and details for sharing. */
const MENUS = "details.account, details.menu, details.sorting";
const CLOSED_BY_ESCAPE = `${MENUS}, details.library, details.embed-code`;

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const within = document.activeElement?.closest(CLOSED_BY_ESCAPE);
  const open = within instanceof HTMLDetailsElement && within.open ? within : null;
  for (const menu of open ? [open] : document.querySelectorAll(MENUS)) {
    if (menu instanceof HTMLDetailsElement && menu.open) {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  }
});

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(MENUS)) {
    const inside = event.target instanceof Node && menu.contains(event.target);
    if (menu instanceof HTMLDetailsElement && menu.open && !inside) menu.open = false;
  }
});
