// @ts-check
/** The code for other sites follows the chosen size and colours, and the shown move. */

import { recorded } from "./tree.js";

document.addEventListener("change", (event) => {
  const menu = event.target;
  if (!(menu instanceof HTMLSelectElement) || !menu.dataset.embed) return;
  const place = menu.closest(".embed-code");
  if (place) changeFrame(place, (frame, address) => chosen(place, frame, address));
});

/** @param {Element} place @param {HTMLIFrameElement} frame @param {URL} address */
function chosen(place, frame, address) {
  const value = (/** @type {string} */ name) =>
    /** @type {HTMLSelectElement} */ (place.querySelector(`[data-embed="${name}"]`)).value;
  const [width, height] = value("size").split("x");
  if (value("theme")) address.searchParams.set("theme", value("theme"));
  else address.searchParams.delete("theme");
  frame.setAttribute("width", width);
  frame.setAttribute("height", height);
}

/** @param {Element} place with the code @param {(frame: HTMLIFrameElement, address: URL) => void} change */
function changeFrame(place, change) {
  const code = place.querySelector("code");
  const frame = new DOMParser().parseFromString(code?.textContent || "", "text/html").querySelector("iframe");
  if (!code || !frame) return;
  const address = new URL(frame.getAttribute("src") || "", location.href);
  change(frame, address);
  frame.setAttribute("src", address.href);
  code.textContent = frame.outerHTML;
}

/** @param {import("./replay.js").Replay} replay */
export function followEmbedCode(replay) {
  const place = replay.root.querySelector(".embed-code");
  replay.onSettle((node) => {
    if (!place) return;
    const shown = new URL(replay.addressOf(recorded(node)), location.href).searchParams;
    changeFrame(place, (_frame, address) => {
      for (const name of ["ply", "fork", "flip"]) {
        const value = shown.get(name);
        if (value === null) address.searchParams.delete(name);
        else address.searchParams.set(name, value);
      }
    });
  });
}
