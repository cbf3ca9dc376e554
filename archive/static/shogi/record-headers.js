// @ts-check
/** The headers of a record that is edited: players, event, day and the others, with names that the archive has. */

/** @typedef {import("./record-tree.js").RecordTree} RecordTree */

const PAUSE = 200;
const SIDES = [["先手", "下手"], ["後手", "上手"]];

export class RecordHeaders {
  /** @param {HTMLElement} root @param {() => RecordTree} tree @param {(change: () => void) => void} edit */
  constructor(root, tree, edit) {
    this.root = root;
    this.tree = tree;
    this.edit = edit;
    this.form = /** @type {HTMLElement} */ (root.querySelector(".headers-form"));
    this.others = /** @type {HTMLElement} */ (root.querySelector(".other-headers"));
    this.start = /** @type {HTMLSelectElement} */ (root.querySelector("#start"));
    this.form.addEventListener("change", (event) => {
      if (event.target instanceof HTMLInputElement && event.target.dataset.header) this.set(event.target);
    });
    this.start.addEventListener("change", () => this.setStart(this.start.value));
    root.querySelector("button.add-header")?.addEventListener("click", () => this.addRow());
    for (const input of this.inputs()) if (input.dataset.names) this.complete(input);
    this.show();
  }

  /** @returns {HTMLInputElement[]} */
  inputs() {
    return /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll("input[data-header]")]);
  }

  /** @param {string} name @returns {string} the header's name in this record: sides of handicap games have others */
  nameOf(name) {
    const side = SIDES.findIndex(([usual]) => usual === name);
    if (side < 0) return name;
    const { header, initial } = this.tree();
    const handicapped = Boolean(initial && !["HIRATE", "OTHER"].includes(initial.preset));
    return SIDES[side].find((one) => one in header) || SIDES[side][Number(handicapped)];
  }

  show() {
    const { header, initial, root } = this.tree();
    const fixed = this.inputs().filter((input) => !this.others.contains(input));
    for (const input of fixed) input.value = header[this.nameOf(input.dataset.header || "")] || "";
    const known = new Set(fixed.map((input) => this.nameOf(input.dataset.header || "")));
    const rest = Object.entries(header).filter(([name]) => !known.has(name));
    this.others.replaceChildren(...rest.map(([name, text]) => this.row(name, text)));
    const preset = initial?.preset || "HIRATE";
    this.start.value = [...this.start.options].some((one) => one.value === preset) ? preset : "OTHER";
    this.start.disabled = root.children.length > 0;
  }

  showNames() {
    const { header, root } = this.tree();
    ["black", "white"].forEach((side, color) => {
      const place = this.root.querySelector(`.seat.${side} .name`);
      if (place instanceof HTMLElement) place.textContent = header[this.nameOf(SIDES[color][0])] || place.dataset.side || "";
    });
    this.start.disabled = root.children.length > 0;
  }

  /** @param {HTMLInputElement} input */
  set(input) {
    const { header } = this.tree();
    const name = this.nameOf(input.dataset.header || "");
    const text = input.value.trim();
    if ((header[name] || "") === text) return;
    this.edit(() => {
      if (text) header[name] = text;
      else delete header[name];
    });
  }

  /** @param {string} preset */
  setStart(preset) {
    const tree = this.tree();
    if (preset === "OTHER") {
      location.assign(this.start.dataset.editor || "");
      return;
    }
    this.edit(() => {
      const names = SIDES.map(([usual]) => this.nameOf(usual));
      const texts = names.map((name) => tree.header[name]);
      for (const name of names) delete tree.header[name];
      tree.initial = preset === "HIRATE" ? undefined : { preset };
      SIDES.forEach(([usual], color) => {
        if (texts[color]) tree.header[this.nameOf(usual)] = texts[color];
      });
    });
    this.show();
  }

  addRow() {
    const field = /** @type {HTMLInputElement} */ (this.root.querySelector("#new-header"));
    const name = field.value.trim().replace(/[：:]/g, "");
    if (!name || name in this.tree().header) return;
    const row = this.row(name, "");
    this.others.append(row);
    field.value = "";
    row.querySelector("input")?.focus();
  }

  /** @param {string} name @param {string} text @returns {HTMLElement} */
  row(name, text) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    label.append(name, input);
    Object.assign(input, { value: text, autocomplete: "off" });
    input.dataset.header = name;
    return label;
  }

  /** Offers names of the archive while one is typed. @param {HTMLInputElement} input */
  complete(input) {
    const list = /** @type {HTMLDataListElement} */ (document.getElementById(input.getAttribute("list") || ""));
    let timer = 0;
    let asked = "";
    const load = async () => {
      const name = input.value.trim();
      if (!name || name === asked) return;
      asked = name;
      const answer = await fetch(`${input.dataset.names}?${new URLSearchParams({ name, limit: "10" })}`).catch(() => null);
      if (!answer?.ok || input.value.trim() !== name) return;
      const { results } = await answer.json();
      list.replaceChildren(...results.map((/** @type {{name: string}} */ one) => new Option(one.name, one.name)));
    };
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(load, PAUSE);
    });
  }
}
