// The names of a level's units, from its names file (format/README.md, 'Names'): what each unit is called, and which
// unit of each level above it is in.
import { elementAt, i32At, u32At } from '../../../format/element-at.ts';
import type { Level } from '../../../format/levels.ts';
import { furtherKeys, nameColumns, valuesIn } from '../../../format/names.ts';
import { FormatError } from '../../../format/parse.ts';
import { type NamedUnit, UnitTexts } from './unit-texts.ts';

/** No unit. */
export const NO_UNIT = -1;

const LINE_FEED = 0x0a;

/** The names file of a level. */
export interface NamesText {
  level: Level;
  /** UTF-8. */
  text: Uint8Array;
  /** For messages. */
  file: string;
}

/** The names of a level's units. */
export class LevelNames {
  readonly level: Level;
  readonly units: number;
  /** The keys of its codes. */
  readonly codeKeys: readonly string[];
  /** How many digits each code has, of GIDs first, then by key; undefined where they are not digits of one length. */
  readonly digits: readonly (number | undefined)[];
  readonly #texts: UnitTexts;
  readonly #parents: ReadonlyMap<Level, Int32Array>;
  /** By position: the first unit with the same GID; undefined where GIDs differ. */
  readonly #firsts: Int32Array | undefined;
  readonly #groups = new Map<Level, Groups>();

  constructor(level: Level, codeKeys: readonly string[], { texts, digits, parents, firsts }: LevelFacts) {
    this.level = level;
    this.units = firsts.length;
    this.codeKeys = codeKeys;
    this.digits = digits;
    this.#texts = texts;
    this.#parents = parents;
    this.#firsts = firsts.every((first, unit) => first === unit) ? undefined : firsts;
  }

  /** What a unit is called. */
  unitAt(position: number): NamedUnit {
    return this.#texts.at(position);
  }

  /** The first unit with the same GID. */
  firstOf(position: number): number {
    return this.#firsts === undefined ? position : i32At(this.#firsts, position);
  }

  /** The unit of a level above that a unit is in, of several with its GID the first; NO_UNIT if there is none. */
  parentOf(position: number, above: Level): number {
    const parents = this.#parents.get(above);
    return parents === undefined ? NO_UNIT : i32At(parents, position);
  }

  /** The units below a unit of a level above. @param position the first one with its GID */
  below(above: Level, position: number): Int32Array {
    const parents = this.#parents.get(above);
    if (parents === undefined) return new Int32Array();
    const groups = this.#groups.get(above) ?? new Groups(parents);
    this.#groups.set(above, groups);
    return groups.of(position);
  }

  /** The first units of some GIDs, of those that it has. */
  positionsOf(gids: ReadonlySet<string>): Map<string, number> {
    const positions = new Map<string, number>();
    for (let unit = this.units - 1; unit >= 0; unit--) {
      const { gid } = this.unitAt(unit);
      if (gid !== null && gids.has(gid)) positions.set(gid, unit);
    }
    return positions;
  }
}

/** What is known of the units of a level. */
interface LevelFacts {
  texts: UnitTexts;
  digits: readonly (number | undefined)[];
  parents: ReadonlyMap<Level, Int32Array>;
  firsts: Int32Array;
}

/** A level above, while those below are read: the first unit of each GID. */
interface KnownLevel {
  names: LevelNames;
  positions: ReadonlyMap<string, number>;
}

/** Reads levels: all that have units, from the highest to the lowest that is wanted. */
export class LevelsReader {
  readonly #known: KnownLevel[] = [];

  /** @throws FormatError if it is no such text */
  read({ level, text, file }: NamesText): LevelNames {
    const starts = lineStarts(text, file);
    const units = starts.length - 1;
    const decoder = new TextDecoder();
    const columns = columnsIn(decoder.decode(text.subarray(0, u32At(starts, 0))), file);
    const parents = new Map(this.#known.map(({ names }) => [names.level, new Int32Array(units)]));
    const digits = new DigitLengths(1 + columns.codes.length);
    const positions = new Map<string, number>();
    const firsts = new Int32Array(units);
    const texts = new UnitTexts(units);
    for (let unit = 0; unit < units; unit++) {
      const line = decoder.decode(text.subarray(u32At(starts, unit), u32At(starts, unit + 1)));
      const values = valuesIn(line, file);
      const named = unitIn(values, columns);
      texts.add(unit, named);
      const { gid, codes } = named;
      const first = gid === null ? unit : (positions.get(gid) ?? unit);
      if (gid !== null && first === unit) positions.set(gid, unit);
      firsts[unit] = first;
      digits.add([gid, ...codes]);
      for (const above of this.#known) {
        const own = parents.get(above.names.level);
        if (own !== undefined) own[unit] = parentIn(above, this.#known, values, columns);
      }
    }
    const names = new LevelNames(level, columns.keys, { texts, digits: digits.lengths, parents, firsts });
    this.#known.push({ names, positions });
    return names;
  }
}

function unitIn(values: readonly unknown[], { gid, name, codes, languages, others }: Columns): NamedUnit {
  const own = values[others];
  const texts = [values[name], ...languages.map((column) => values[column]), ...(Array.isArray(own) ? own : [])];
  return {
    gid: textOr(values[gid], null),
    name: textOr(values[name], null),
    codes: codes.map((column) => textOr(values[column], null)),
    names: [...new Set(texts.filter((text) => typeof text === 'string'))],
  };
}

/** The unit of a level above that a unit is in: by `parents` of its line, otherwise by its parent's. */
function parentIn(
  { names, positions }: KnownLevel,
  above: readonly KnownLevel[],
  values: readonly unknown[],
  columns: Columns,
): number {
  const all = values[columns.parents];
  if (Array.isArray(all)) return positions.get(textOr(all[names.level], '')) ?? NO_UNIT;
  const nearest = above.at(-1);
  const parent = nearest?.positions.get(textOr(values[columns.parent], '')) ?? NO_UNIT;
  return nearest === undefined || parent === NO_UNIT || nearest.names === names
    ? parent
    : nearest.names.parentOf(parent, names.level);
}

/** Where the columns of a line are. */
interface Columns {
  gid: number;
  name: number;
  parent: number;
  parents: number;
  others: number;
  keys: string[];
  codes: number[];
  languages: number[];
}

function columnsIn(header: string, file: string): Columns {
  const fields = ['gid', 'name', 'parent', 'parents', 'others'] as const;
  const [gid = 0, name = 0, parent = 0, parents = 0, others = 0] = nameColumns(header, fields, file);
  const keys = furtherKeys(header, 'code', file);
  const codes = nameColumns(
    header,
    keys.map((key) => `code:${key}` as const),
    file,
  );
  const tags = furtherKeys(header, 'name', file).map((tag) => `name:${tag}` as const);
  return { gid, name, parent, parents, others, keys, codes, languages: nameColumns(header, tags, file) };
}

function textOr<None>(value: unknown, none: None): string | None {
  return typeof value === 'string' ? value : none;
}

/** Where the line of each unit begins, and where the last one ends. @throws FormatError if it has no whole lines */
function lineStarts(text: Uint8Array, file: string): Uint32Array {
  if (text.at(-1) !== LINE_FEED) throw new FormatError(file, 'is not a complete list of names');
  const starts: number[] = [];
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) starts.push(at + 1);
  return Uint32Array.from(starts);
}

/** Finds out whether all codes of a column are digits of one length. */
class DigitLengths {
  readonly #lengths: (number | undefined)[];
  readonly #isMixed: boolean[];

  constructor(columns: number) {
    this.#lengths = new Array<number | undefined>(columns).fill(undefined);
    this.#isMixed = new Array<boolean>(columns).fill(false);
  }

  get lengths(): (number | undefined)[] {
    return this.#lengths.map((length, column) => (this.#isMixed[column] ? undefined : length));
  }

  add(codes: readonly (string | null)[]): void {
    for (const [column, code] of codes.entries()) {
      if (code === null || this.#isMixed[column]) continue;
      this.#lengths[column] ??= code.length;
      if (!/^\d+$/.test(code) || this.#lengths[column] !== code.length) this.#isMixed[column] = true;
    }
  }
}

/** The units below each unit of a level above. */
class Groups {
  readonly #order: Int32Array;
  /** Where those of each begin in the order, and where the last ones end. */
  readonly #start: Uint32Array;

  constructor(parents: Int32Array) {
    const most = parents.reduce((max, parent) => Math.max(max, parent), NO_UNIT);
    const start = new Uint32Array(most + 2);
    for (const parent of parents) if (parent !== NO_UNIT) start[parent + 1] = u32At(start, parent + 1) + 1;
    for (let i = 1; i < start.length; i++) start[i] = u32At(start, i) + u32At(start, i - 1);
    this.#start = start;
    this.#order = new Int32Array(elementAt(start, start.length - 1));
    const next = start.slice();
    for (const [unit, parent] of parents.entries()) {
      if (parent === NO_UNIT) continue;
      const at = u32At(next, parent);
      this.#order[at] = unit;
      next[parent] = at + 1;
    }
  }

  of(position: number): Int32Array {
    if (position + 1 >= this.#start.length) return this.#order.subarray(0, 0);
    return this.#order.subarray(u32At(this.#start, position), u32At(this.#start, position + 1));
  }
}
