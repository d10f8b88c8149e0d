// How many units of a level, or of a part of it, are not valid: found by tasks that ask GDAL, and added up without it.

/** What was found. */
export interface Validity {
  /** Units that are not valid. */
  invalid: number;
  /** Those among them that have an area: the others are found as such. */
  listed: number;
  /** The one of these that was read first: its position, and the offset of its text. */
  example: { position: number; offset: number } | undefined;
}

export const NO_INVALID: Validity = { invalid: 0, listed: 0, example: undefined };

/** What was found of two parts of a level. */
export function joinValidity(one: Validity, other: Validity): Validity {
  const [a, b] = [one.example, other.example];
  return {
    invalid: one.invalid + other.invalid,
    listed: one.listed + other.listed,
    example: a === undefined || (b !== undefined && b.offset < a.offset) ? b : a,
  };
}
