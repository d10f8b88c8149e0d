// The classes that values are coloured by: quantiles of numbers, or the commonest texts.
import { type DecimalSign, decimalSignOf, readNumber } from './numbers.ts';

/** Quantiles. */
export const CLASSES = { least: 3, usual: 5, most: 7 } as const;
/** Of texts; what is less common is in one class more. */
export const TEXTS_MAX = 12;
/** Such a share of values that are numbers makes a column one of numbers. */
const NUMBERS_SHARE = 0.9;
/** The class of what has none. */
export const NO_CLASS = 255;
/** What the others are called: `other`, unless it is a class of the table. */
const OTHERS = ['other', 'all others'] as const;

export type Kind = 'numbers' | 'classes';

/** How values are read; what is undefined is found out. */
export interface Reading {
  kind?: Kind | undefined;
  sign?: DecimalSign | undefined;
  count: number;
}

export interface Class {
  text: string;
  units: number;
}

export interface Classified {
  kind: Kind;
  sign: DecimalSign;
  classes: Class[];
  /** The class of each value, or NO_CLASS. */
  of: Uint8Array;
  /** The numbers of values that are no numbers. */
  noNumbers: number[];
  /** The first values that are there, with the numbers that they are read as. */
  read: { text: string; number: number | undefined }[];
}

/** Values whose reading is shown. */
const READ_SHOWN = 5;
const DIGITS_MAX = 15;

const figures = new Intl.NumberFormat('en', {
  maximumSignificantDigits: DIGITS_MAX,
  useGrouping: 'min2',
  signDisplay: 'negative',
});

/** @param separator between the columns of the table @param values as they are written; empty for none */
export function classify(values: readonly string[], reading: Reading, separator: string): Classified {
  const there = values.map((text) => text.trim());
  const texts = there.filter((text) => text !== '');
  const sign = reading.sign ?? decimalSignOf(texts, separator);
  const numbers = there.map((text) => (text === '' ? undefined : readNumber(text, sign)));
  const count = numbers.filter((number) => number !== undefined).length;
  const kind = reading.kind ?? (count > 0 && count >= NUMBERS_SHARE * texts.length ? 'numbers' : 'classes');
  const read = texts.slice(0, READ_SHOWN).map((text) => ({ text, number: readNumber(text, sign) }));
  const common = { kind, sign, read };
  if (kind === 'classes') return { ...common, ...byText(there), noNumbers: [] };
  const noNumbers = there.flatMap((text, i) => (text !== '' && numbers[i] === undefined ? [i] : []));
  return { ...common, ...byNumber(numbers, reading.count), noNumbers };
}

function byNumber(numbers: readonly (number | undefined)[], count: number): Pick<Classified, 'classes' | 'of'> {
  const sorted = Float64Array.from(numbers.filter((number) => number !== undefined)).sort();
  const bounds = quantiles(sorted, count);
  const of = Uint8Array.from(numbers, (number) => (number === undefined ? NO_CLASS : classOf(number, bounds)));
  /** Where each class begins among the sorted numbers. */
  const starts = [0, ...bounds.map((bound) => sorted.indexOf(bound))];
  const classes = starts.map((start, i): Class => {
    const end = starts[i + 1] ?? sorted.length;
    const [least, most] = [sorted[start] ?? 0, sorted[end - 1] ?? 0].map((number) => figures.format(number));
    return { text: least === most ? `${least}` : `${least} to ${most}`, units: end - start };
  });
  return { classes: sorted.length === 0 ? [] : classes, of };
}

/** The least number of each class but the first; equal ones are one class. @param sorted ascending */
export function quantiles(sorted: Float64Array, count: number): number[] {
  const bounds = Array.from({ length: count - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / count)]);
  return [...new Set(bounds)].filter((bound) => bound !== undefined && bound !== sorted[0]) as number[];
}

function classOf(number: number, bounds: readonly number[]): number {
  return bounds.filter((bound) => bound <= number).length;
}

const byName = new Intl.Collator('en', { numeric: true });

function byText(texts: readonly string[]): Pick<Classified, 'classes' | 'of'> {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  const commonest = [...counts].sort(([a, one], [b, other]) => other - one || byName.compare(a, b)).slice(0, TEXTS_MAX);
  const classes = commonest
    .map(([text, units]): Class => ({ text, units }))
    .sort((a, b) => byName.compare(a.text, b.text));
  const numbers = new Map(classes.map(({ text }, i) => [text, i]));
  const of = Uint8Array.from(texts, (text) => (text === '' ? NO_CLASS : (numbers.get(text) ?? TEXTS_MAX)));
  const others = of.reduce((sum, own) => sum + (own === TEXTS_MAX ? 1 : 0), 0);
  const text = numbers.has(OTHERS[0]) ? OTHERS[1] : OTHERS[0];
  return { classes: others === 0 ? classes : [...classes, { text, units: others }], of };
}
