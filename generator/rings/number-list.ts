// A growing list of numbers in a typed array: of the positions, arcs and borders of whole levels.

const INITIAL_LENGTH = 1 << 12;
const GROWTH = 1.5;

/** What all typed arrays of numbers have. */
interface TypedArray<Self> extends ArrayLike<number> {
  [index: number]: number;
  set(from: Self): void;
  subarray(begin: number, end: number): Self;
}

/** A growing list. @param of the class of its array, which decides what numbers it has room for */
export class NumberList<Numbers extends TypedArray<Numbers>> {
  length = 0;
  readonly #of: new (
    length: number,
  ) => Numbers;
  #values: Numbers;

  constructor(of: new (length: number) => Numbers) {
    this.#of = of;
    this.#values = new of(INITIAL_LENGTH);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new this.#of(Math.ceil(this.length * GROWTH));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    // Not `elementAt`, which is called with so many kinds of lists that V8 has a slow way for all.
    const value = this.#values[index];
    if (value === undefined || index >= this.length) throw new RangeError(`index ${index} of ${this.length}`);
    return value;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** All values. Valid until the next `push`. */
  values(): Numbers {
    return this.#values.subarray(0, this.length);
  }
}
