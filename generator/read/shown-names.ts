// What a build shows of the names of a level, for people: who reads some of them sees a wrong column or encoding, and
// that units have none where others have one.

/** Number of names that are shown. */
const SHOWN_MAX = 3;

/** The names of the units that were read. */
export class ShownNames {
  #count = 0;
  #unnamed = 0;
  #firstUnnamed = '';
  readonly #some: string[] = [];

  /** Number of units with a name. */
  get count(): number {
    return this.#count;
  }

  /**
   * Takes the name of the next unit.
   * @param unit names one that has none
   */
  add(name: string | null, unit: () => string): void {
    if (name === null) {
      if (this.#unnamed++ === 0) this.#firstUnnamed = unit();
      return;
    }
    this.#count++;
    // A wrong encoding shows in letters that are not of ASCII.
    if (this.#some.length < SHOWN_MAX || (!isAscii(name) && this.#some.length < 2 * SHOWN_MAX)) this.#some.push(name);
  }

  /** The text for people; undefined where no unit has a name. */
  text(): string | undefined {
    if (this.#count === 0) return undefined;
    const shown = this.#some.toSorted((a, b) => Number(isAscii(a)) - Number(isAscii(b))).slice(0, SHOWN_MAX);
    const verb = this.#unnamed === 1 ? 'unit has' : 'units have';
    const rest =
      this.#unnamed === 0 ? '' : `; ${this.#unnamed.toLocaleString('en')} ${verb} none, e.g. ${this.#firstUnnamed}`;
    return `names such as ${shown.join(', ')}${rest}`;
  }
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
