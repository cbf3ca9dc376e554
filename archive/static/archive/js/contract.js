// @ts-check
/** The page of the API: Swagger UI with the contract of this archive, and nothing from elsewhere. */

/** The CSRF token of a session, for requests that store or delete; empty if there is none. @returns {string} */
function token() {
  const match = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
  return match ? match[1] : "";
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
