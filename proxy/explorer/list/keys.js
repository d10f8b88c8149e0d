// The keys that move in the list. Used by unit-list.js.

/** Rows that Page Up and Page Down pass. */
const PAGE_ROWS = 10;

/**
 * The row that a key leads to.
 * @param {string} key
 * @param {number} active the row that the keyboard is at
 * @param {number} last row
 * @returns {number | undefined} undefined for another key
 */
export function rowAfterKey(key, active, last) {
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + PAGE_ROWS,
    PageUp: active - PAGE_ROWS,
    Home: 0,
    End: last,
  };
  const target = targets[key];
  return target === undefined || last < 0 ? undefined : Math.min(last, Math.max(0, target));
}
