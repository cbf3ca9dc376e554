// @ts-check
/**
 * Passkeys: a form that is sent with a credential from an authenticator, when its button is pressed.
 *
 * The options for the authenticator are on the page (`#passkey-options`) or at the form's address. The form's `data-`
 * texts are error messages. Without a secure context there are no passkeys, and the form stays hidden.
 */

/** @typedef {{publicKey: any}} Options as JSON, with bytes in base64url */

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

/** @param {any} options @returns {PublicKeyCredentialCreationOptions} */
function creationOf(options) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: withBytes(options.excludeCredentials),
  };
}

/** @param {any} options @returns {PublicKeyCredentialRequestOptions} */
function requestOf(options) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return { ...options, challenge: bytesOf(options.challenge), allowCredentials: withBytes(options.allowCredentials) };
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
function credential({ publicKey }) {
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
function showError(form, error) {
  const name = error instanceof DOMException ? error.name : "";
  const { cancelled = "", registered = "", failed = "" } = form.dataset;
  const texts = { NotAllowedError: cancelled, AbortError: cancelled, InvalidStateError: registered };
  const message = form.querySelector(".error");
  if (!(message instanceof HTMLElement)) return;
  message.textContent = texts[/** @type {keyof typeof texts} */ (name)] || failed;
  message.hidden = false;
}

/** @param {HTMLFormElement} form */
async function use(form) {
  const field = form.elements.namedItem("credential");
  const button = form.querySelector("button");
  if (!(field instanceof HTMLInputElement) || !button) return;
  button.disabled = true;
  try {
    const made = await credential(await optionsOf(form));
    field.value = JSON.stringify(asJSON(/** @type {PublicKeyCredential} */ (made)));
    form.submit();
  } catch (error) {
    showError(form, error);
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
  for (const message of document.querySelectorAll(".no-passkeys")) message.remove();
}

// A page restored from history would repeat the authenticator's old challenge, which is valid once.
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("form.passkey")) location.reload();
});
