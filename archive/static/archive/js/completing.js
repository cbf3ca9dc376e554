// @ts-check
/** Completions in the search box, and in fields for a name: a list below it, walked through with the arrow keys. */

const PAUSE = 150;

/** Go to the address of an option, or write its value into the box; say whether it has a value.
 * @param {HTMLInputElement} box @param {Element | undefined} option */
function take(box, option) {
  const { href, value } = option instanceof HTMLElement ? option.dataset : {};
  if (href) location.assign(href);
  if (value) box.value = value;
  return Boolean(value);
}

/** @param {HTMLInputElement} box @param {HTMLElement} list */
export function completing(box, list) {
  let request = new AbortController();
  let waiting = 0;
  let chosen = -1;

  const options = () => /** @type {HTMLElement[]} */ ([...list.children]);

  function close() {
    clearTimeout(waiting);
    request.abort();
    list.hidden = true;
    choose(-1);
    list.replaceChildren(); // lists of other boxes have the same ids
    box.setAttribute("aria-expanded", "false");
  }

  /** @param {number} place */
  function choose(place) {
    chosen = place;
    for (const [at, option] of options().entries()) option.setAttribute("aria-selected", String(at === place));
    const option = options()[place];
    if (!option) return box.removeAttribute("aria-activedescendant");
    box.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  async function complete() {
    const words = box.value.trim();
    request.abort();
    if (!words) return close();
    request = new AbortController();
    const { signal } = request;
    try {
      const answer = await fetch(`${list.dataset.from}?${list.dataset.query || ""}${new URLSearchParams({ q: words })}`, { signal });
      // A visitor who was signed out is redirected to another page.
      const rows = answer.ok && !answer.redirected ? await answer.text() : "";
      if (signal.aborted) return;
      list.innerHTML = rows;
    } catch (error) {
      // Without an answer the box works as it does without a list.
      if (!signal.aborted) close();
      return;
    }
    choose(-1);
    list.hidden = !list.children.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
  }

  /** @param {Element | undefined} option */
  const follow = (option) => take(box, option) && close();

  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-expanded", "false");
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(complete, PAUSE);
  });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    // Keys that choose among what an input method offers are its own.
    if (event.isComposing || list.hidden) return;
    const count = options().length;
    if (event.key === "ArrowDown") choose(chosen + 1 < count ? chosen + 1 : -1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? count - 1 : chosen - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && chosen >= 0) follow(options()[chosen]);
    else return;
    event.preventDefault();
  });
  // The box stays in focus, or the list would close before the click.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    if (event.target instanceof Element) follow(event.target.closest("[role=option]") || undefined);
  });
}

/** Let a field take a name from a list, which is that of the search box again.
 * @param {HTMLInputElement} box @param {HTMLElement} model */
export function choosing(box, model) {
  const list = /** @type {HTMLElement} */ (model.cloneNode());
  list.id = `${box.id}-choices`;
  list.dataset.query = `choose=${box.dataset.choose}&`;
  box.after(list);
  box.parentElement?.classList.add("choosing");
  completing(box, list);
}
