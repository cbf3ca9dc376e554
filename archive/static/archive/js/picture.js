// @ts-check
/** The shown position as a picture in the clipboard; browsers that lock it away get a file. */

import { sayDone } from "./copying.js";
import { fetched } from "./sharing.js";

/** Pixels for a unit of the drawing. */
const SCALE = 2;

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element && event.target.closest("button[data-picture]");
  if (!(button instanceof HTMLButtonElement)) return;
  const picture = pictureAt(button.dataset.picture || "");
  if (navigator.clipboard && "write" in navigator.clipboard && "ClipboardItem" in window) {
    // Some browsers let only what begins with the click write.
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  } else {
    saveFile(await picture);
  }
  sayDone(button);
});

/** @param {string} address of an SVG document @returns {Promise<Blob>} as PNG */
async function pictureAt(address) {
  const svg = new DOMParser().parseFromString(await fetched(address), "image/svg+xml").documentElement;
  const [, , width, height] = (svg.getAttribute("viewBox") || "").split(/[ ,]+/).map(Number);
  svg.setAttribute("width", String(width * SCALE));
  svg.setAttribute("height", String(height * SCALE));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(address)))));
}

/** @param {Blob} picture */
function saveFile(picture) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(picture);
  link.download = "position.png";
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Keeps the button at the shown position. @param {import("./replay.js").Replay} replay */
export function followPicture(replay) {
  const button = /** @type {HTMLButtonElement | null} */ (replay.root.querySelector("button[data-picture]"));
  replay.onSettle(() => {
    const code = replay.kit.code(replay.position);
    if (!button) return;
    button.hidden = !code;
    const flip = replay.root.classList.contains("flipped") ? "?flip=1" : "";
    button.dataset.picture = (button.dataset.pattern || "").replace("CODE", code || "") + flip;
  });
}
