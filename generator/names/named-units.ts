// The names of a level's units with their parents, and what is below and inside them: for names.jsonl.gz. A build takes
// them from the stores of the levels.
import { join } from 'node:path';
import type { WholeFile } from '../../format/checked-files.ts';
import { elementAt } from '../../format/element-at.ts';
import { type GidColumn, ownersOf } from '../../format/gid-column.ts';
import { namesPath } from '../../format/layout.ts';
import type { LevelAbout } from '../../format/level-json.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import {
  furtherColumns,
  type NamedUnit,
  namesTextMaxBytes,
  othersInNames,
  type UnitsInside,
  VIEW_SCALE,
} from '../../format/names.ts';
import { type Positions, positionsIn } from '../../format/positions.ts';
import { namesHeader, namesLine } from '../../format/write/texts.ts';
import { wholeFileBytes, writeWholeFile } from '../files/output-file.ts';
import type { BordersRecord } from '../plan/records.ts';
import { unitNamed } from '../quality/findings.ts';
import { BuildError } from '../report/errors.ts';
import { LevelStore } from '../store/level-store.ts';

/** A level that has been read. */
export interface NamedLevel {
  level: Level;
  /** Path of its store. */
  store: string;
  features: number;
}

/** The levels beside a level. Plain data: it is sent to child processes. */
export interface Relatives<Own = NamedLevel> {
  /** The nearest level above that has units; undefined if there is none. */
  parent: Own | undefined;
  /** The levels below that have units, ascending. */
  below: readonly Own[];
}

/** The levels beside a level, from all levels in ascending order. */
export function relativesOf<Own extends Pick<NamedLevel, 'level' | 'features'>>(
  level: Level,
  levels: readonly Own[],
): Relatives<Own> {
  const filled = levels.filter(({ features }) => features > 0);
  return {
    parent: filled.findLast((other) => other.level < level),
    below: filled.filter((other) => other.level > level),
  };
}

/** The GIDs of a level's units, by the levels from 0 to its own. */
type LevelGids = Gids & { level: Level };

/** Those of the nearest level above that has units. */
export function indexAbove(parent: NamedLevel | undefined): LevelGids | undefined {
  return parent && { level: parent.level, ...new LevelStore(parent.store).readIndex() };
}

/** The GIDs of a level's units in the levels below that have units, ascending. */
export function columnsBelow(level: Level, below: readonly NamedLevel[]): GidColumn[] {
  return below.map(({ store }) => elementAt(new LevelStore(store).readIndex().columns, level));
}

/**
 * The GIDs of the unit at a position and of its parent, and the number of its children: units of the nearest level
 * below that has some of it, which may skip levels.
 * @param above the nearest level above that has units
 * @param below the GIDs of this level's units in the levels below that have units, ascending
 */
export function relationsOf(
  level: Level,
  index: Gids,
  above: LevelGids | undefined,
  below: readonly GidColumn[],
): (position: number) => Pick<NamedUnit, 'gid' | 'parent' | 'children' | 'parents'> {
  const gidAt = gidsOf(index, level);
  const aboveAt = LEVELS.slice(0, level).map((n) => gidsOf(index, n));
  const chainOf = newChainOf(level, above);
  return (position) => {
    const gid = gidAt(position);
    const parents = aboveAt.map((at) => at(position));
    const parent = above === undefined ? null : elementAt(parents, above.level);
    const chain = chainOf(parent);
    return {
      gid,
      parent,
      children: gid === null ? 0 : childrenOf(gid, below),
      parents: parents.every((own, n) => own === chain[n]) ? null : parents,
    };
  };
}

/** Returns a function that gives the GIDs of the levels above a level as far as they follow from that of the parent. */
function newChainOf(level: Level, above: LevelGids | undefined): (parent: string | null) => (string | null)[] {
  const none = Array.from({ length: level }, (): string | null => null);
  if (above === undefined) return () => none;
  const column = elementAt(above.columns, above.level);
  const aboveAt = LEVELS.slice(0, above.level).map((n) => gidsOf(above, n));
  // Units of one parent follow each other.
  let [last, chain]: [string | null, (string | null)[]] = [null, none];
  return (parent) => {
    if (parent === last) return chain;
    const number = parent === null ? -1 : column.find(parent);
    const [first] = number === -1 ? [] : positionsIn(column.positionsAt(number).slice(0, 1));
    const own = first === undefined ? none : aboveAt.map((at) => at(first));
    [last, chain] = [parent, none.map((_, n) => (n === above.level ? parent : (own[n] ?? null)))];
    return chain;
  };
}

function childrenOf(gid: string, below: readonly GidColumn[]): number {
  for (const column of below) {
    const number = column.find(gid);
    if (number !== -1) return column.countAt(number);
  }
  return 0;
}

/** How messages name the units of a level, by position. */
export function unitNames(index: Gids & { fids: Float64Array }, level: Level): (position: number) => string {
  const gidAt = gidsOf(index, level);
  return (position) => unitNamed(elementAt(index.fids, position), gidAt(position));
}

/** The GIDs of a level. */
interface Gids {
  columns: readonly GidColumn[];
  features: number;
}

/** The GID of a column at a position, or null. */
export function gidsOf({ columns, features }: Gids, number: number): (position: number) => string | null {
  const column = elementAt(columns, number);
  const owners = ownersOf(column, features);
  // Units of one parent follow each other.
  let [last, gid]: [number, string | null] = [-1, null];
  return (position) => {
    const owner = elementAt(owners, position);
    if (owner !== last) [last, gid] = [owner, owner === -1 ? null : column.gidAt(owner)];
    return gid;
  };
}

/**
 * The units inside those of a level, by their GID.
 * @param below the levels below that have units, ascending, with the GIDs of the level in each, and types by position
 */
function insideOf(
  below: readonly { level: Level; column: GidColumn; typeAt(position: number): string | null }[],
): (gid: string | null) => UnitsInside[] {
  // Several units may have one GID.
  const known = below.map(() => new Map<number, UnitsInside>());
  return (gid) =>
    below.flatMap(({ level, column, typeAt }, i) => {
      const number = gid === null ? -1 : column.find(gid);
      if (number === -1) return [];
      const own = elementAt(known, i);
      const found = own.get(number) ?? [level, column.countAt(number), commonest(column.positionsAt(number), typeAt)];
      own.set(number, found);
      return [found];
    });
}

function commonest(units: Positions, typeAt: (position: number) => string | null): string | null {
  const counts = new Map<string, number>();
  for (const position of positionsIn(units.slice(0, units.count))) {
    const type = typeAt(position);
    if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].reduce<[string | null, number]>((most, next) => (next[1] > most[1] ? next : most), [null, 0])[0];
}

/** A view as names have it. @param view in hundredths of a degree; south > north for none */
function viewOf([west = 0, south = 0, east = 0, north = 0]: Iterable<number>): NamedUnit['view'] {
  return south > north ? null : [west, south, east, north].map((edge) => edge / VIEW_SCALE);
}

/** Significant digits of areas, and decimals: less than a thousandth of a square metre is none. */
const [AREA_DIGITS, AREA_DECIMALS] = [5, 9];

/** An area as names have it. @param area in km2; NaN for none */
function areaOf(area: number): number | null {
  return Number.isNaN(area) ? null : Number(Number(Math.max(area, 0).toFixed(AREA_DECIMALS)).toPrecision(AREA_DIGITS));
}

/**
 * Writes the names of a level's units.
 * @param out the release's folder, in which the level has one
 * @param borders with the view of each unit, by position, four numbers each, and its area
 * @param columns those with codes and with names in languages
 * @throws BuildError if the text is longer than readers read
 */
export function writeNames(
  out: string,
  level: Level,
  store: LevelStore,
  relatives: Relatives,
  borders: Pick<BordersRecord, 'views' | 'areas'>,
  columns: Pick<LevelAbout, 'nameColumns' | 'codeColumns'>,
): WholeFile {
  const names = writeWholeFile(join(out, namesPath(level)), namesLines(level, store, relatives, borders, columns));
  const { features } = store.readIndex();
  const most = namesTextMaxBytes(features, furtherColumns(columns));
  if (names.textBytes > most)
    throw new BuildError(
      `${namesPath(level)}: its text would have ${names.textBytes} bytes, at most ${most} are read of ${features} units`,
      'shorten the longest names and GIDs, or leave out languages, codes and columns for searches',
    );
  return names;
}

/** The bytes that the names of a level would have without its columns of codes and languages. */
export function plainNamesBytes(
  level: Level,
  store: LevelStore,
  relatives: Relatives,
  borders: Pick<BordersRecord, 'views' | 'areas'>,
): number {
  return wholeFileBytes(namesLines(level, store, relatives, borders, {}));
}

function* namesLines(
  level: Level,
  own: LevelStore,
  relatives: Relatives,
  { views, areas }: Pick<BordersRecord, 'views' | 'areas'>,
  { nameColumns, codeColumns }: Pick<LevelAbout, 'nameColumns' | 'codeColumns'>,
): Generator<string> {
  const [index, names] = [own.readIndex(), own.readNames()];
  const below = relatives.below.map(({ level: deeper, store }) => {
    const files = new LevelStore(store);
    const types = files.readNames();
    const column = elementAt(files.readIndex().columns, level);
    return { level: deeper, column, typeAt: (position: number) => types.at(position).type };
  });
  const insideAt = insideOf(below);
  const columns = below.map(({ column }) => column);
  const relationsAt = relationsOf(level, index, indexAbove(relatives.parent), columns);
  yield namesHeader(Object.keys(codeColumns ?? {}), Object.keys(nameColumns ?? {}));
  for (const [position, fid] of index.fids.entries()) {
    const relations = relationsAt(position);
    yield namesLine({
      fid,
      ...names.at(position),
      ...relations,
      view: viewOf(views.subarray(4 * position, 4 * position + 4)),
      inside: insideAt(relations.gid),
      area: areaOf(elementAt(areas, position)),
      others: othersInNames(names.othersAt(position)),
      codes: codeColumns === undefined ? [] : names.codesAt(position),
      languages: nameColumns === undefined ? [] : names.languagesAt(position),
    });
  }
}
