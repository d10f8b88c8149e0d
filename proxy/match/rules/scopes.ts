// The units among which a text is looked for: those of a level below a unit. They are indexed when they are first asked
// for: the hash of each form with its unit. What is found by hash is compared by text.
import { elementAt, f64At } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { EditForms } from './edits.ts';
import { foldedForms, plainText, TYPE_WORDS, typedForms, typeWordsOf } from './forms.ts';
import { type LevelNames, type NamedUnit, NO_UNIT } from './level-names.ts';

/** Indexes that are kept, besides the one in use; and forms that edits are tried on. */
const INDEXES_MAX_BYTES = 56 * 1024 * 1024;
const EDIT_FORMS_MAX_BYTES = 8 * 1024 * 1024;
/** An object with its place in a map. */
const OBJECT_BYTES = 400;
/** Of so many units all are compared: an index would cost more. */
const COMPARED_UNITS_MAX = 8;
/** Edits are tried among at most so many units. */
const EDITED_UNITS_MAX = 2000;

/** An entry of an index is a hash, then a unit, as one number: 53 bits. */
const HASH_BITS = 30;
const UNIT_SPACE = 2 ** 23;

/** A unit of a level: of several with its GID the first. */
export interface UnitPlace {
  level: Level;
  position: number;
}

/** Units of a level. */
export interface Scope {
  names: LevelNames;
  /** Those of texts that are looked for, and those of a unit's country. */
  typeWords: ReadonlySet<string>;
  typeWordsOf(unit: number): ReadonlySet<string>;
  /** Is it below a unit, or of the highest level? */
  isNarrow: boolean;
  has(unit: number): boolean;
  /** The units that may have a key: others, too. */
  find(key: string): readonly number[];
  /** What edits are tried on; undefined if there are too many units. */
  editForms(): EditForms | undefined;
}

/** What a text of a unit is found by. */
function keysOf({ gid, codes, names }: NamedUnit, typeWords: ReadonlySet<string>): Set<string> {
  const keys = new Set<string>();
  for (const code of [gid, ...codes]) if (code !== null) keys.add(code);
  for (const name of names) for (const form of formsOf(name, typeWords)) keys.add(form);
  return keys;
}

/** A name without letters and digits is found as it is. */
function formsOf(name: string, typeWords: ReadonlySet<string>): string[] {
  const folded = foldedForms(name);
  return folded.length === 0 ? [plainText(name)] : [...folded, ...typedForms(folded, typeWords)];
}

/** The scopes of some levels. */
export class Scopes {
  readonly levels: readonly LevelNames[];
  readonly #indexes = new RecentlyUsed<Float64Array>(INDEXES_MAX_BYTES, ({ byteLength }) => byteLength);
  readonly #editForms = new RecentlyUsed<EditForms>(EDIT_FORMS_MAX_BYTES, ({ bytes }) => bytes);
  readonly #typeWords = new Map<string, ReadonlySet<string>>();

  /** @param levels all that have units, from the highest to the lowest that is looked in */
  constructor(levels: readonly LevelNames[]) {
    this.levels = levels;
  }

  /** Bytes of the indexes that are in memory. */
  get indexBytes(): number {
    return this.#indexes.bytes;
  }

  namesOf(level: Level): LevelNames {
    const names = this.levels.find((own) => own.level === level);
    if (names === undefined) throw new RangeError(`level ${level} is not there`);
    return names;
  }

  /** The units of a level below a unit, or all of them. */
  scopeOf(level: Level, above: UnitPlace | undefined): Scope {
    const names = this.namesOf(level);
    const key = above === undefined ? `${level}` : `${level}:${above.level}:${above.position}`;
    const positions = above && names.below(above.level, above.position);
    const typeWords = this.#typeWordsIn(names, above && this.countryOf(above));
    const typeWordsOfUnit = (unit: number): ReadonlySet<string> =>
      above === undefined ? this.#typeWordsIn(names, this.countryOf({ level, position: unit })) : typeWords;
    const units = positions ?? { length: names.units };
    const unitOf = (i: number): number => positions?.[i] ?? i;
    const makeIndex = (): Float64Array => {
      const entries: number[] = [];
      for (let i = 0; i < units.length; i++)
        for (const own of keysOf(names.unitAt(unitOf(i)), typeWordsOfUnit(unitOf(i))))
          entries.push(hashOf(own) * UNIT_SPACE + unitOf(i));
      return Float64Array.from(entries).sort();
    };
    const isFew = units.length <= COMPARED_UNITS_MAX;
    const few = isFew ? Array.from<number, number>(units, (_, i) => unitOf(i)) : [];
    const index = isFew ? undefined : this.#indexes.get(key, makeIndex);
    return {
      names,
      typeWords,
      typeWordsOf: typeWordsOfUnit,
      isNarrow: above !== undefined || names === this.levels[0],
      has: (unit) => above === undefined || names.parentOf(unit, above.level) === above.position,
      find: (wanted) => (index === undefined ? few : unitsIn(index, wanted)),
      editForms: () => {
        if (units.length > EDITED_UNITS_MAX) return undefined;
        const formsOfUnit = (_: number | undefined, i: number): [number, string[]] => {
          const unit = unitOf(i);
          return [unit, names.unitAt(unit).names.flatMap((name) => formsOf(name, typeWordsOfUnit(unit)))];
        };
        return this.#editForms.get(
          key,
          () => new EditForms(Array.from<number, [number, string[]]>(units, formsOfUnit)),
        );
      },
    };
  }

  /** The country that a unit is in, or is; undefined if the release has none, or the unit is in none. */
  countryOf({ level, position }: UnitPlace): UnitPlace | undefined {
    if (level === COUNTRIES) return { level, position };
    const country = this.namesOf(level).parentOf(position, COUNTRIES);
    return country === NO_UNIT ? undefined : { level: COUNTRIES, position: country };
  }

  /** The type words of a level in a country. Where the country is not known, those of many datasets. */
  #typeWordsIn(names: LevelNames, country: UnitPlace | undefined): ReadonlySet<string> {
    const hasCountries = elementAt(this.levels, 0).level === COUNTRIES;
    if (names.level === COUNTRIES || (country === undefined && hasCountries)) return TYPE_WORDS;
    const key = `${names.level}:${country?.position}`;
    const known = this.#typeWords.get(key) ?? typeWordsOf(namesBelow(names, country));
    this.#typeWords.set(key, known);
    return known;
  }
}

const COUNTRIES: Level = 0;

/** The default names of the units below a unit, or of all. */
function* namesBelow(names: LevelNames, above: UnitPlace | undefined): Generator<string> {
  const below = above && names.below(above.level, above.position);
  const count = below?.length ?? names.units;
  for (let i = 0; i < count; i++) {
    const { name } = names.unitAt(below?.[i] ?? i);
    if (name !== null) yield name;
  }
}

/** The units of the entries that have the hash of a key. */
function unitsIn(index: Float64Array, key: string): number[] {
  const from = hashOf(key) * UNIT_SPACE;
  let [low, high] = [0, index.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (f64At(index, middle) < from) low = middle + 1;
    else high = middle;
  }
  const units: number[] = [];
  for (; low < index.length && f64At(index, low) < from + UNIT_SPACE; low++) units.push(f64At(index, low) - from);
  return units;
}

/** FNV-1a of its UTF-16, mixed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> (32 - HASH_BITS);
}

/** Values that are made when they are asked for, and kept as long as there is room: what was used longest ago goes. */
class RecentlyUsed<Value extends object> {
  bytes = 0;
  readonly #values = new Map<string, Value>();
  readonly #maxBytes: number;
  readonly #bytesOf: (value: Value) => number;

  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? make();
    if (known === undefined) this.bytes += this.#bytesOf(value) + OBJECT_BYTES;
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const [oldest, other] of this.#values) {
      if (this.bytes <= this.#maxBytes || oldest === key) break;
      this.#values.delete(oldest);
      this.bytes -= this.#bytesOf(other) + OBJECT_BYTES;
    }
    return value;
  }
}
