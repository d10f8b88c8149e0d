// What is appended to the rows of a table: columns that it does not have yet, values in its form, and how they are written.
import type { Writable } from 'node:stream';
import { StartError } from '../config/start-error.ts';
import type { CsvForm } from './csv-rows.ts';

/** Memory for what is written at a time, which is used again and again. */
const WRITTEN_BYTES = 1024 * 1024;

/**
 * @param remedy what else would help, besides renaming
 * @throws StartError if a table has some of the columns already
 */
export function refuseTwice(header: readonly string[], added: readonly string[], remedy: string): void {
  const there = added.filter((name) => header.some((own) => own.trim() === name));
  if (there.length === 0) return;
  const renamed = `rename or remove these columns, or ${remedy}`;
  throw new StartError(`the table has already ${there.join(', ')}`, 'the first line', renamed);
}

/** Values as a row has them behind its own: each with the separator before it. */
export function appendedText(values: readonly string[], { separator }: CsvForm): string {
  const isPlain = (value: string): boolean => !/["\r\n]/.test(value) && !value.includes(separator);
  return values.map((value) => separator + (isPlain(value) ? value : `"${value.replaceAll('"', '""')}"`)).join('');
}

/**
 * What a spreadsheet takes for a formula at the beginning of a cell, which one with another separator may begin within
 * a text. As download/csv.ts of the explorer, which is code for browsers, has them.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]./s;
const NO_FORMULA = /^[+-]?\d+([.,]\d+)?$/;
const INNER_FORMULA = /([,;\t\r\n])(?="*[=+\-@＝＋－＠].)(?![+-]\d+([.,]\d+)?(\1|[\r\n\]}]|$))/gs;

/** An apostrophe makes a text of it. */
export function withoutFormula(text: string): string {
  const isFormula = FORMULA.test(text) && !NO_FORMULA.test(text);
  return `${isFormula ? "'" : ''}${text.replaceAll(INNER_FORMULA, "$1'")}`;
}

/** Texts of units that are kept for a level. */
const TEXTS_MAX = 65_536;

/** What is appended for the units of a level: texts are kept as long as they are not too many. */
export class AppendedUnits {
  readonly #valuesOf: (position: number) => readonly string[];
  readonly #form: CsvForm;
  readonly #keepFormulas: boolean;
  readonly #none: string;
  /** By position. */
  readonly #texts = new Map<number, string>();

  /** @param columns their number @param valuesOf the values of a unit */
  constructor(
    columns: number,
    valuesOf: (position: number) => readonly string[],
    { form, keepFormulas }: { form: CsvForm; keepFormulas: boolean },
  ) {
    this.#valuesOf = valuesOf;
    this.#form = form;
    this.#keepFormulas = keepFormulas;
    this.#none = form.separator.repeat(columns);
  }

  /** @param position negative for no unit */
  textAt(position: number): string {
    if (position < 0) return this.#none;
    const known = this.#texts.get(position);
    if (known !== undefined) return known;
    const values = this.#valuesOf(position);
    const text = appendedText(this.#keepFormulas ? values : values.map(withoutFormula), this.#form);
    if (this.#texts.size >= TEXTS_MAX) this.#texts.clear();
    this.#texts.set(position, text);
    return text;
  }
}

/** Writes texts one after the other. */
export class TextWriter {
  readonly #output: Writable;
  readonly #memory = Buffer.allocUnsafe(WRITTEN_BYTES);

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Waits until it is taken. @throws the error of the stream, e.g. EPIPE */
  write(text: string): Promise<void> {
    const isLong = Buffer.byteLength(text) > this.#memory.length;
    const bytes = isLong ? Buffer.from(text) : this.#memory.subarray(0, this.#memory.write(text));
    return new Promise((resolve, reject) => {
      this.#output.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
}
