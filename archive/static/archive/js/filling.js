// @ts-check
/** Texts with places to fill in, for modules that have no page of the archive around them. */

/** @typedef {Record<string, string | number | undefined>} Params */

/** @param {string} text @param {Params} params @returns {string} a placeholder without a parameter becomes `?` */
export function fill(text, params) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(params[name] ?? "?"));
}

/**
 * `gettext` of a folder's modules. Its first argument is the text in English, written out: `tools/texts.py` finds it
 * there and takes the Japanese from the catalogue.
 * @param {Record<string, string>} translations English to Japanese
 * @returns {(text: string, japanese: boolean, params?: Params) => string}
 */
export function gettextOf(translations) {
  return (text, japanese, params = {}) => fill((japanese && translations[text]) || text, params);
}
