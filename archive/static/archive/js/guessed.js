// @ts-check
/** The games of a course: how many of their moves were found at once, as this browser remembers. */

for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".guessed"))) {
  const link = place.parentElement?.querySelector("a.game-row");
  const path = link ? new URL(link.getAttribute("href") || "", location.href).pathname : "";
  try {
    const found = Object.values(JSON.parse(localStorage.getItem(`guessed ${path}`) || "{}"));
    place.hidden = !found.length;
    place.textContent = `${document.querySelector("ol.games")?.getAttribute("data-text")} ${
      found.filter(Boolean).length} / ${found.length}`;
  } catch {
    // A browser without storage remembers nothing.
  }
}
