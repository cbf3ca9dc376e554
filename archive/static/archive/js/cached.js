// @ts-check
/** A cache of answers of the server, so that each is requested once. */

/**
 * @template T @param {(key: string) => Promise<T>} load @param {number} size the most answers
 * @returns {(key: string) => Promise<T>} like `load`, but with cached answers; failures are not cached
 */
export function cached(load, size) {
  /** @type {Map<string, Promise<T>>} */
  const answers = new Map();
  return (key) => {
    const existing = answers.get(key);
    if (existing) return existing;
    if (answers.size >= size) answers.clear();
    const answer = load(key);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
