// @ts-check
/** The page of the API: Swagger UI with the contract of this archive, and nothing from elsewhere. */

/** The token that a session needs for what stores or deletes; empty where there is none. @returns {string} */
function token() {
  const found = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
  return found ? found[1] : "";
}

/** @param {{method: string, headers: Record<string, string>}} request */
function withToken(request) {
  if (request.method !== "GET" && token()) request.headers["X-CSRFToken"] = token();
  return request;
}

const place = /** @type {HTMLElement} */ (document.getElementById("contract"));
// @ts-ignore: the bundle is no module.
window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  requestInterceptor: withToken,
  // It would send the contract to a host of others.
  validatorUrl: null,
});
