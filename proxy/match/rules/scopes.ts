// The units among which a text is looked for: those of a level below a unit. They are indexed when they are first asked
// for: the hash of each form with its unit. What is found by hash is compared by text.
import { elementAt, f64At } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { EditForms } from './edits.ts';
import { foldedForms, plainText, TYPE_WORDS, typedForms, typeWordsOf } from './forms.ts';
import { type LevelNames, NO_UNIT } from './level-names.ts';
import type { NamedUnit } from './unit-texts.ts';

/** Indexes that are kept, besides the one in use; and forms that edits are tried on. */
const INDEXES_MAX_BYTES = 56 * 1024 * 1024;
const EDIT_FORMS_MAX_BYTES = 8 * 1024 * 1024;
/** So much of it is filled after it was too little. */
const ROOM_SHARE = 7 / 8;
/** An object with its place in a map. */
const OBJECT_BYTES = 400;
/** Of so many units all are compared: an index would cost more. */
const COMPARED_UNITS_MAX = 8;
/** Edits are tried among at most so many units. */
const EDITED_UNITS_MAX = 2000;

/** An entry of an index is a hash, then a unit, as one number: 53 bits. */
const HASH_BITS = 30;
const UNIT_SPACE = 2 ** 23;
const LEVEL_SPACE = 2 ** 3;

/** A unit of a level: of several with its GID the first. */
export interface UnitPlace {
  level: Level;
  position: number;
}

/** Of the units of a level below a unit, or of all: one number. */
function keyOf(level: Level, above: UnitPlace | undefined): number {
  return above === undefined ? level : level + LEVEL_SPACE * (above.level + 1 + LEVEL_SPACE * above.position);
}

/** What a text of a unit is found by. */
function keysOf({ gid, codes, names }: NamedUnit, typeWords: ReadonlySet<string>): Set<string> {
  const keys = new Set<string>();
  for (const code of [gid, ...codes]) if (code !== null) keys.add(code);
  for (const name of names) {
    keys.add(plainText(name));
    for (const form of formsOf(name, typeWords)) keys.add(form);
  }
  return keys;
}

function formsOf(name: string, typeWords: ReadonlySet<string>): string[] {
  const folded = foldedForms(name);
  return [...folded, ...typedForms(folded, typeWords)];
}

/**
 * Values that are made when they are asked for, and kept as long as there is room: those that were not used lately go
 * first. What is used is marked instead of moved to the end, as moving costs more than finding it.
 */
class RecentlyUsed<Value extends { readonly bytes: number }> {
  readonly #entries = new Map<number, { value: Value; isUsed: boolean }>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: number, make: () => Value): Value {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.isUsed = true;
      return known.value;
    }
    const value = make();
    this.#entries.set(key, { value, isUsed: false });
    this.#bytes += value.bytes + OBJECT_BYTES;
    if (this.#bytes > this.#maxBytes) this.#makeRoom(key);
    return value;
  }

  /** Many at a time: the first entry of a map is found slowly behind many that were deleted. @param kept stays */
  #makeRoom(kept: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= ROOM_SHARE * this.#maxBytes) return;
      if (key === kept) continue;
      this.#entries.delete(key);
      if (entry.isUsed) this.#entries.set(key, { value: entry.value, isUsed: false });
      else this.#bytes -= entry.value.bytes + OBJECT_BYTES;
    }
  }
}

const NO_INDEX = new Float64Array();

/** Units of a level: those below a unit, or all. */
export class Scope {
  readonly names: LevelNames;
  /** Is it below a unit, or of the highest level? */
  readonly isNarrow: boolean;
  readonly #scopes: Scopes;
  readonly #above: UnitPlace | undefined;
  /** Undefined for all. */
  readonly #units: Int32Array | undefined;
  /** All units, where they are so few that all are compared; otherwise an index. */
  readonly #few: readonly number[] | undefined;
  readonly #index: Float64Array;

  /** @param units those below `above`; undefined for all */
  constructor(scopes: Scopes, names: LevelNames, above: UnitPlace | undefined, units: Int32Array | undefined) {
    this.#scopes = scopes;
    this.names = names;
    this.#above = above;
    this.#units = units;
    this.isNarrow = above !== undefined || names === scopes.levels[0];
    this.#few = this.size <= COMPARED_UNITS_MAX ? [...this.#positions()] : undefined;
    this.#index = this.#few === undefined ? this.#makeIndex() : NO_INDEX;
  }

  /** Are all compared? */
  get isFew(): boolean {
    return this.#few !== undefined;
  }

  get size(): number {
    return this.#units?.length ?? this.names.units;
  }

  get bytes(): number {
    return this.#index.byteLength;
  }

  /** Those of texts that are looked for. */
  get typeWords(): ReadonlySet<string> {
    return this.#scopes.typeWordsIn(this.names, this.#above && this.#scopes.countryOf(this.#above));
  }

  /** Those of the country that a unit is in. */
  typeWordsOf(unit: number): ReadonlySet<string> {
    if (this.#above !== undefined) return this.typeWords;
    return this.#scopes.typeWordsIn(this.names, this.#scopes.countryOf({ level: this.names.level, position: unit }));
  }

  has(unit: number): boolean {
    return this.#above === undefined || this.names.parentOf(unit, this.#above.level) === this.#above.position;
  }

  /** The units that may have a key: others, too. */
  find(key: string): readonly number[] {
    return this.#few ?? unitsIn(this.#index, key);
  }

  /** What edits are tried on; undefined if there are too many units. */
  editForms(): EditForms | undefined {
    if (this.size > EDITED_UNITS_MAX) return undefined;
    return this.#scopes.editForms.get(keyOf(this.names.level, this.#above), () => {
      const formsOfUnit = (unit: number): [number, string[]] => {
        const typeWords = this.typeWordsOf(unit);
        return [unit, this.names.unitAt(unit).names.flatMap((name) => formsOf(name, typeWords))];
      };
      return new EditForms(Array.from(this.#positions(), formsOfUnit));
    });
  }

  #positions(): Iterable<number> {
    return this.#units ?? Array(this.names.units).keys();
  }

  #makeIndex(): Float64Array {
    const entries: number[] = [];
    for (const unit of this.#positions())
      for (const key of keysOf(this.names.unitAt(unit), this.typeWordsOf(unit)))
        entries.push(hashOf(key) * UNIT_SPACE + unit);
    return Float64Array.from(entries).sort();
  }
}

/** The scopes of some levels: those with an index are kept. */
export class Scopes {
  readonly levels: readonly LevelNames[];
  readonly editForms = new RecentlyUsed<EditForms>(EDIT_FORMS_MAX_BYTES);
  readonly #byLevel: ReadonlyMap<Level, LevelNames>;
  readonly #scopes = new RecentlyUsed<Scope>(INDEXES_MAX_BYTES);
  readonly #typeWords = new Map<number, ReadonlySet<string>>();

  /** @param levels all that have units, from the highest to the lowest that is looked in */
  constructor(levels: readonly LevelNames[]) {
    this.levels = levels;
    this.#byLevel = new Map(levels.map((names) => [names.level, names]));
  }

  namesOf(level: Level): LevelNames {
    const names = this.#byLevel.get(level);
    if (names === undefined) throw new RangeError(`level ${level} is not there`);
    return names;
  }

  /** The units of a level below a unit, or all of them. */
  scopeOf(level: Level, above: UnitPlace | undefined): Scope {
    const names = this.namesOf(level);
    const units = above && names.below(above.level, above.position);
    const make = () => new Scope(this, names, above, units);
    const size = units?.length ?? names.units;
    return size <= COMPARED_UNITS_MAX ? make() : this.#scopes.get(keyOf(level, above), make);
  }

  /** The country that a unit is in, or is; undefined if the release has none, or the unit is in none. */
  countryOf({ level, position }: UnitPlace): UnitPlace | undefined {
    if (level === COUNTRIES) return { level, position };
    const country = this.namesOf(level).parentOf(position, COUNTRIES);
    return country === NO_UNIT ? undefined : { level: COUNTRIES, position: country };
  }

  /** The type words of a level in a country. Where the country is not known, those of many datasets. */
  typeWordsIn(names: LevelNames, country: UnitPlace | undefined): ReadonlySet<string> {
    const hasCountries = elementAt(this.levels, 0).level === COUNTRIES;
    if (names.level === COUNTRIES || (country === undefined && hasCountries)) return TYPE_WORDS;
    const key = keyOf(names.level, country);
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
