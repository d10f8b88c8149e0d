// GADM writes `NA` where a unit has no name or type. Used where names are written and where they are verified.

/** GADM's columns of names and types. */
const GADM_COLUMNS = /^(NAME|TYPE|ENGTYPE)_[0-5]$/i;

/** Does a text of a column stand for no name? */
export function isNoName(text: string, column: string): boolean {
  return text === 'NA' && GADM_COLUMNS.test(column);
}
