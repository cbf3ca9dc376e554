// @ts-check
/** The code for other sites follows the chosen size and colours. */

document.addEventListener("change", (event) => {
  const menu = event.target;
  if (!(menu instanceof HTMLSelectElement) || !menu.dataset.embed) return;
  const place = menu.closest(".embed-code");
  const code = place?.querySelector("code");
  if (!place || !code) return;
  const value = (/** @type {string} */ name) =>
    /** @type {HTMLSelectElement} */ (place.querySelector(`[data-embed="${name}"]`)).value;
  const [width, height] = value("size").split("x");
  const frame = new DOMParser().parseFromString(code.textContent || "", "text/html").querySelector("iframe");
  if (!frame) return;
  const address = new URL(frame.getAttribute("src") || "", location.href);
  if (value("theme")) address.searchParams.set("theme", value("theme"));
  else address.searchParams.delete("theme");
  frame.setAttribute("src", address.href);
  frame.setAttribute("width", width);
  frame.setAttribute("height", height);
  code.textContent = frame.outerHTML;
});
