// @ts-check
/** The dialog in which an edited record is saved as a game, downloaded, or proposed as a correction. */

/** @typedef {import("./record-editor.js").RecordEditor} RecordEditor */

const POLL = 700;
const TRIES = 120;

/** @param {RecordEditor} editor */
export function saveOn(editor) {
  const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("dialog.saving"));
  const news = /** @type {HTMLElement} */ (dialog.querySelector(".save-news"));
  const tell = (/** @type {string} */ words) => (news.textContent = words);
  editor.root.querySelector("button.save")?.addEventListener("click", () => {
    tell("");
    dialog.showModal();
  });
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (dialog.querySelectorAll("button[data-to]"))) {
    button.addEventListener("click", async () => {
      tell("");
      const failed = await download(editor, button.dataset.to || "");
      if (failed) tell(failed);
    });
  }
  const form = /** @type {HTMLFormElement | null} */ (dialog.querySelector("form.save-as"));
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button.main"));
    button.disabled = true;
    tell(dialog.dataset.working || "");
    const failed = await (editor.root.dataset.correcting ? propose(editor, form, dialog) : save(editor, form, dialog));
    button.disabled = false;
    tell(failed);
  });
}

/** @param {RecordEditor} editor @param {HTMLFormElement} form @param {HTMLDialogElement} dialog @returns {Promise<string>} why it failed */
async function save(editor, form, dialog) {
  const { store, tree, root } = editor;
  const failed = dialog.dataset.failed || "";
  if (!store.draft) store.store(tree.write());
  await store.send();
  if (!store.draft || store.waiting) return failed;
  const space = String(new FormData(form).get("space") || "mine");
  const answer = await store.request("POST", `drafts/${store.draft.id}/save`, { space });
  if (!answer.ok) return refusal(answer, failed, (ply) => editor.go(plyNode(tree, ply)), dialog);
  const game = await gameOf(store, answer.body.upload_id);
  if (typeof game === "string") return game || failed;
  const old = answer.body.replaced_upload_id;
  if (old && new FormData(form).get("replace")) await store.request("DELETE", `uploads/${old}`);
  store.keep(tree.write(), true);
  location.assign(gameAddress(root, String(game)));
  return "";
}

/** @param {any} tree @param {number} ply @returns {any} the node of the main line */
function plyNode(tree, ply) {
  let node = tree.root;
  while (node.ply < ply && node.children.length) node = node.children[0];
  return node;
}

/** @param {{body: any}} answer @param {string} failed @param {(ply: number) => void} goTo @param {HTMLDialogElement} dialog */
function refusal(answer, failed, goTo, dialog) {
  const errors = answer.body?.errors || [];
  const at = errors.find((/** @type {any} */ one) => typeof one.ply === "number");
  if (at) goTo(at.ply);
  const refusals = JSON.parse(document.getElementById("refusals")?.textContent || "{}");
  if (refusals[answer.body?.code]) return refusals[answer.body.code];
  const words = errors.map((/** @type {any} */ one) => one.message || one.detail).join(" ");
  return words || answer.body?.detail || failed || dialog.dataset.failed || "";
}

/** @param {import("./draft-store.js").DraftStore} store @param {number} upload @returns {Promise<number | string>} the game, or why there is none */
async function gameOf(store, upload) {
  for (let tries = 0; tries < TRIES; tries++) {
    const { ok, body } = await store.request("GET", `uploads/${upload}/entries`);
    const entry = ok && body.results[0];
    if (entry?.game_id) return entry.game_id;
    if (entry) return entry.issues?.map((/** @type {any} */ one) => one.message).join(" ") || "";
    await new Promise((done) => setTimeout(done, POLL));
  }
  return "";
}

/** @param {RecordEditor} editor @param {string} to @returns {Promise<string>} why it failed */
async function download({ store, tree }, to) {
  const answer = await store.request("POST", "convert", { text: JSON.stringify(tree.write()), name: "game.jkf", to });
  if (!answer.ok) return answer.body?.errors?.[0]?.message || answer.body?.detail || "";
  const { record } = answer.body.games[0];
  const text = typeof record === "string" ? record : JSON.stringify(record);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = `${fileName(tree.header)}.${to}`;
  link.click();
  URL.revokeObjectURL(link.href);
  return "";
}

/** @param {Record<string, string>} header @returns {string} */
function fileName(header) {
  const names = [header["先手"] || header["下手"], header["後手"] || header["上手"]].filter(Boolean);
  return names.join("-").replace(/[\\/:*?"<>|\s]+/g, "_") || "kifu";
}

/** @param {RecordEditor} editor @param {HTMLFormElement} form @param {HTMLDialogElement} dialog @returns {Promise<string>} why it failed */
async function propose({ store, tree, root }, form, dialog) {
  const reason = String(new FormData(form).get("reason") || "");
  const game = root.dataset.correcting || "";
  const answer = await store.request("POST", `games/${game}/corrections`, { record: tree.write(), reason });
  if (!answer.ok) return refusal(answer, dialog.dataset.failed || "", () => {}, dialog);
  store.keep(tree.write(), true);
  if (answer.body.state !== "applied") {
    form.hidden = true;
    return dialog.dataset.proposed || "";
  }
  location.assign(gameAddress(root, game));
  return "";
}

/** @param {HTMLElement} root @param {string} game @returns {string} */
function gameAddress(root, game) {
  return (root.dataset.gameUrl || "").replace(/0\/$/, `${game}/`);
}
