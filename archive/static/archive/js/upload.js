// @ts-check
/** The upload page: files can be dropped or pasted anywhere, pasted records land in the text field. */

const form = document.querySelector("form.upload");
const drop = document.querySelector(".drop");
const input = document.getElementById("file");
const text = document.getElementById("text");
const chosen = document.querySelector(".chosen");

/** @param {DataTransfer | null} data @returns {boolean} whether there were files */
function takeFiles(data) {
  if (!data?.files.length || !(input instanceof HTMLInputElement)) return false;
  input.files = data.files;
  showChosen();
  return true;
}

function showChosen() {
  if (!(input instanceof HTMLInputElement)) return;
  const names = Array.from(input.files || []).map((file) => {
    const item = document.createElement("li");
    item.textContent = file.name;
    return item;
  });
  chosen?.replaceChildren(...(names.length > 1 ? names : []));
}

if (form && drop) {
  input?.addEventListener("change", showChosen);
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    document.addEventListener(name, () => drop.classList.remove("over"));
  }
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    takeFiles(event.dataTransfer);
  });
  document.addEventListener("paste", (event) => {
    if (takeFiles(event.clipboardData)) return;
    if (!(text instanceof HTMLTextAreaElement) || event.target === text) return;
    text.value = event.clipboardData?.getData("text/plain") || "";
    text.focus();
  });
}
