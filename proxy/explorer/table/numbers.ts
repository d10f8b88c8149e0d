// Numbers as people write them in tables: with a decimal point or comma, and signs between thousands.

export type DecimalSign = '.' | ',';

/** Between thousands besides the other of point and comma: spaces of all kinds, apostrophes. */
const BETWEEN = "\\s'’";

function pattern(sign: string, other: string): RegExp {
  return new RegExp(
    `^[+\\-−]?(?:\\d+|\\d{1,3}(?:[${other}${BETWEEN}]\\d{3})+)?(?:\\${sign}\\d*)?(?:[eE][+-]?\\d+)?\\s*%?$`,
  );
}

const PATTERNS = { '.': pattern('.', ','), ',': pattern(',', '.') } as const;
const BETWEEN_ANY = { '.': new RegExp(`[,${BETWEEN}%]`, 'g'), ',': new RegExp(`[.${BETWEEN}%]`, 'g') } as const;

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Undefined if it is no number. */
export function readNumber(text: string, sign: DecimalSign): number | undefined {
  const plain = plainNumber(text, sign);
  return plain === undefined ? undefined : Number(plain);
}

/** As JSON, with all its digits; null if it is no number. */
export function numberAsJson(text: string, sign: DecimalSign): string {
  const plain = plainNumber(text, sign)?.replace(/^\+?(-?)0*(?=\d)/, '$1');
  if (plain === undefined) return 'null';
  return JSON_NUMBER.test(plain) ? plain : String(Number(plain));
}

/** As programs write it. */
function plainNumber(text: string, sign: DecimalSign): string | undefined {
  const trimmed = text.trim();
  if (!/\d/.test(trimmed) || !PATTERNS[sign].test(trimmed)) return undefined;
  const plain = trimmed.replace(BETWEEN_ANY[sign], '').replace(sign, '.').replace('−', '-');
  return Number.isFinite(Number(plain)) ? plain : undefined;
}

/**
 * A comma only where every number allows it: where one of them allows nothing else, or where the columns are divided by
 * semicolons, as programs do that write commas in numbers.
 */
export function decimalSignOf(texts: readonly string[], separator: string): DecimalSign {
  let [hasComma, isCommaAlone] = [false, false];
  for (const text of texts) {
    const [byPoint, byComma] = [readNumber(text, '.'), readNumber(text, ',')];
    if (byPoint !== undefined && byComma === undefined) return '.';
    if (byComma === undefined) continue;
    hasComma ||= text.includes(',');
    isCommaAlone ||= byPoint === undefined;
  }
  return isCommaAlone || (hasComma && separator === ';') ? ',' : '.';
}
