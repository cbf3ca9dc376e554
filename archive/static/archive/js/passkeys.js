// @ts-check
/**
 * Passkeys: a form that is sent with what an authenticator says, when its button is pressed.
 *
 * What the authenticator is asked stands on the page (`#passkey-options`) or comes from where the form leads. The form's
 * `data-` texts tell what went wrong. Pages that came without encryption have no passkeys: there the form stays hidden.
 */

/** @typedef {{publicKey: any}} Options as JSON: what are bytes elsewhere is base64url */

/** @param {string} text @returns {ArrayBuffer} */
function bytesOf(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0)).buffer;
}

/** @param {ArrayBuffer} bytes @returns {string} */
function textOf(bytes) {
  const letters = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte));
  return btoa(letters.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {any[]} [list] @returns {any[] | undefined} */
function withBytes(list) {
  return list?.map((one) => ({ ...one, id: bytesOf(one.id) }));
}

/** @param {any} told @returns {PublicKeyCredentialCreationOptions} */
function creationOf(told) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(told);
  return {
    ...told,
    challenge: bytesOf(told.challenge),
    user: { ...told.user, id: bytesOf(told.user.id) },
    excludeCredentials: withBytes(told.excludeCredentials),
  };
}

/** @param {any} told @returns {PublicKeyCredentialRequestOptions} */
function requestOf(told) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(told);
  return { ...told, challenge: bytesOf(told.challenge), allowCredentials: withBytes(told.allowCredentials) };
}

/** @param {PublicKeyCredential} made @returns {object} */
function asJSON(made) {
  if (made.toJSON) return made.toJSON();
  /** @type {Record<string, string>} */
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    const bytes = /** @type {any} */ (made.response)[name];
    if (bytes instanceof ArrayBuffer) response[name] = textOf(bytes);
  }
  return { id: made.id, rawId: made.id, type: made.type, response, clientExtensionResults: {} };
}

/** @param {Options} options @returns {Promise<Credential | null>} */
function ask({ publicKey }) {
  return publicKey.rp
    ? navigator.credentials.create({ publicKey: creationOf(publicKey) })
    : navigator.credentials.get({ publicKey: requestOf(publicKey) });
}

/** @param {HTMLFormElement} form @returns {Promise<Options>} */
async function optionsOf(form) {
  const here = document.getElementById("passkey-options");
  if (here) return JSON.parse(here.textContent || "");
  const answer = await fetch(form.action, { headers: { Accept: "application/json" }, cache: "no-store" });
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return (await answer.json()).request_options;
}

/** @param {HTMLFormElement} form @param {unknown} error */
function tell(form, error) {
  const name = error instanceof DOMException ? error.name : "";
  const { cancelled = "", known = "", failed = "" } = form.dataset;
  const texts = { NotAllowedError: cancelled, AbortError: cancelled, InvalidStateError: known };
  const told = form.querySelector(".told");
  if (!(told instanceof HTMLElement)) return;
  told.textContent = texts[/** @type {keyof typeof texts} */ (name)] || failed;
  told.hidden = false;
}

/** @param {HTMLFormElement} form */
async function use(form) {
  const field = form.elements.namedItem("credential");
  const button = form.querySelector("button");
  if (!(field instanceof HTMLInputElement) || !button) return;
  button.disabled = true;
  try {
    const made = await ask(await optionsOf(form));
    field.value = JSON.stringify(asJSON(/** @type {PublicKeyCredential} */ (made)));
    form.submit();
  } catch (error) {
    tell(form, error);
    button.disabled = false;
  }
}

if (window.isSecureContext && window.PublicKeyCredential) {
  for (const form of document.querySelectorAll("form.passkey")) {
    if (!(form instanceof HTMLFormElement)) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      use(form);
    });
  }
  for (const told of document.querySelectorAll(".no-passkeys")) told.remove();
}

// A page that is gone back to would ask the authenticator what was asked before, which is answered once.
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("form.passkey")) location.reload();
});
