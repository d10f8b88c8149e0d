// Checks fids, GIDs and parents in the store indexes of the levels.
import { elementAt, i32At } from '../../format/element-at.ts';
import type { Finding } from '../../format/findings.ts';
import { type GidColumn, ownersOf } from '../../format/gid-column.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { beginningOf } from '../../format/names.ts';
import { BuildError } from '../report/errors.ts';
import { foundIn, type LayerSource, type LevelSource } from '../source/level-source.ts';
import { sourceName } from '../source/source-options.ts';
import { LevelStore } from '../store/level-store.ts';
import type { StoreIndex } from '../store/store-index.ts';
import { Findings } from './findings.ts';

/** The GID of units whose code is not known, in GADM. */
const PLACEHOLDER_GID = '?';

/**
 * Checks the fids and GIDs of a level.
 * @throws BuildError for a fid that occurs twice
 */
export function checkIdentifiers({ level, layers }: LevelSource, index: StoreIndex, findings: Findings): void {
  const { fids, columns, features } = index;
  const prefix = layerPrefix(layers);
  const twin = fids.findIndex((fid, position) => position > 0 && fid === fids[position - 1]);
  if (twin !== -1)
    throw new BuildError(
      `level ${level} (${layers.map(({ path }) => sourceName(path)).join(', ')}): fid ${fids[twin]} occurs twice`,
      'fix the source: fids must be unique in a layer; the features of a GeoJSON file have an "id" each, or none has one',
    );
  const own = elementAt(columns, level);
  const placeholder = own.find(PLACEHOLDER_GID);
  if (placeholder !== -1) {
    const positions = own.positionsAt(placeholder);
    findings.add('placeholder-gids', () => `${prefix}fid ${elementAt(fids, positions.at(0))}`, positions.count);
  }
  // A level may have no parents at some level.
  const expected = columns.filter((_, n) =>
    // A unit that has no parent by place was counted when these were sought.
    layers.some(({ gids, placed }) => elementAt(gids, n).length > 0 && !placed.some((by) => by === n)),
  );
  const owners = expected.map((column) => ownersOf(column, features));
  for (const [position, fid] of fids.entries()) {
    const missing = owners.findIndex((numbers) => numbers[position] === -1);
    if (missing !== -1)
      findings.add('null-gids', () => `${prefix}fid ${fid} has no ${elementAt(expected, missing).name}`);
  }
  const duplicates = numbersOf(own)
    .filter((number) => own.countAt(number) > 1)
    .sort((a, b) => own.positionsAt(a).at(1) - own.positionsAt(b).at(1));
  const [first] = duplicates;
  if (first === undefined) return;
  const [one, other] = [0, 1].map((rank) => elementAt(fids, own.positionsAt(first).at(rank)));
  findings.add(
    'duplicate-gids',
    `${prefix}fids ${one} and ${other} both have ${own.name} ${own.gidAt(first)}`,
    duplicates.reduce((sum, number) => sum + own.countAt(number) - 1, 0),
  );
}

/**
 * Looks for codes that several units of a level have.
 * @param codesAt the codes of the unit at a position, in the order of the level's keys
 */
export function checkCodes(
  { layers }: LevelSource,
  { fids }: Pick<StoreIndex, 'fids'>,
  codesAt: (position: number) => readonly (string | null)[],
  findings: Findings,
): void {
  const prefix = layerPrefix(layers);
  for (const [i, [key]] of (layers[0]?.codes ?? []).entries()) {
    const owners = new Map<string, number>();
    for (const [position, fid] of fids.entries()) {
      const code = codesAt(position)[i] ?? null;
      if (code === null) continue;
      const other = owners.get(code);
      if (other === undefined) owners.set(code, fid);
      else
        findings.add(
          'duplicate-codes',
          () => `${prefix}fid ${fid} has the ${key} ${beginningOf(code, CODE_CHARS)} of fid ${other}`,
        );
    }
  }
}

/** The most characters of a code in an example. */
const CODE_CHARS = 200;

/** The numbers of a column's GIDs. */
function numbersOf({ size }: GidColumn): number[] {
  return Array.from({ length: size }, (_, number) => number);
}

/** The file and layer for an example; empty if there are several. */
export function layerPrefix(layers: readonly LayerSource[]): string {
  const [only] = layers;
  return layers.length === 1 && only !== undefined ? `${foundIn(only)}, ` : '';
}

/**
 * Units whose parent does not exist at a level that the source has, and those of which one parent is in another unit
 * than they are.
 * @param indexes by level
 */
export function checkParentsIn(indexes: Indexes, levels: readonly LevelSource[]): Finding[] {
  return [...findOrphans(indexes, levels), ...findContradictions(indexes, levels)];
}

/** The indexes of the levels. */
type Indexes = ReadonlyMap<Level, StoreIndex>;

/** What is found in each level that has an index. */
function findInLevels(
  indexes: Indexes,
  levels: readonly LevelSource[],
  find: (level: Level, index: StoreIndex, findings: Findings, prefix: string) => void,
): Finding[] {
  return LEVELS.flatMap((level) => {
    const index = indexes.get(level);
    const findings = new Findings(level);
    const prefix = layerPrefix(levels.find((source) => source.level === level)?.layers ?? []);
    if (index !== undefined) find(level, index, findings, prefix);
    return findings.list();
  });
}

function findOrphans(indexes: Indexes, levels: readonly LevelSource[]): Finding[] {
  return findInLevels(indexes, levels, (level, index, findings, prefix) => {
    for (const [n, column] of index.columns.slice(0, level).entries()) {
      const parents = indexes.get(elementAt(LEVELS, n))?.columns[n];
      if (parents === undefined || parents.size === 0) continue;
      const orphaned = numbersOf(column)
        .filter((number) => parents.find(column.gidAt(number)) === -1)
        .sort((a, b) => column.firstAt(a) - column.firstAt(b));
      for (const number of orphaned) {
        const unit = `${prefix}fid ${elementAt(index.fids, column.firstAt(number))}`;
        const example = `${unit} has ${column.name} ${column.gidAt(number)}, which no unit of level ${n} has`;
        findings.add('orphans', example, column.countAt(number));
      }
    }
  });
}

function findContradictions(indexes: Indexes, levels: readonly LevelSource[]): Finding[] {
  return findInLevels(indexes, levels, (level, index, findings, prefix) => {
    const found = new Set<number>();
    for (const n of LEVELS.slice(0, level))
      for (const m of LEVELS.slice(0, n))
        for (const { position, example } of contradictionsIn(indexes, index, n, m)) {
          if (found.has(position)) continue;
          found.add(position);
          findings.add('contradicting-parents', () => `${prefix}fid ${elementAt(index.fids, position)} ${example}`);
        }
  });
}

/** The units of a level that have another parent at level m than their parent at level n, all with that GID, has. */
function* contradictionsIn(
  indexes: Indexes,
  index: StoreIndex,
  n: Level,
  m: Level,
): Generator<{ position: number; example: string }> {
  const above = indexes.get(n);
  if (above === undefined) return;
  const top = indexes.get(m)?.columns[m];
  const [upper, parent] = [m, n].map((at) => elementAt(index.columns, at));
  const [known, own] = [m, n].map((at) => elementAt(above.columns, at));
  if (upper === undefined || parent === undefined || known === undefined || own === undefined) return;
  const numbersAs = (column: GidColumn, other: GidColumn): number[] =>
    numbersOf(column).map((number) => other.find(column.gidAt(number)));
  const [upperAs, parentAs] = [numbersAs(upper, known), numbersAs(parent, own)];
  const [uppers, parents] = [ownersOf(upper, index.features), ownersOf(parent, index.features)];
  const knownOwners = ownersOf(known, above.features);
  for (const [position, number] of parents.entries()) {
    const upperNumber = i32At(uppers, position);
    if (number === -1 || upperNumber === -1 || parentAs[number] === -1) continue;
    const candidates = own.positionsAt(elementAt(parentAs, number));
    let other = -1;
    for (let rank = 0; rank < candidates.count; rank++) {
      other = i32At(knownOwners, candidates.at(rank));
      if (other === -1 || other === upperAs[upperNumber]) break;
    }
    if (other === -1 || other === upperAs[upperNumber]) continue;
    const gid = known.gidAt(other);
    // A parent that is an orphan has been counted.
    if (top !== undefined && top.size > 0 && top.find(gid) === -1) continue;
    const [from, parentGid] = [upper.gidAt(upperNumber), parent.gidAt(number)];
    yield { position, example: `has ${upper.name} ${from}, but its ${parent.name} ${parentGid} has ${gid}` };
  }
}

/** What to check. Plain data: it is sent to a child process. */
export interface ParentsTask {
  stores: readonly { level: Level; store: string }[];
  levels: readonly LevelSource[];
}

/** The same from the stores of the levels, once every level is read. */
export function checkParents({ stores, levels }: ParentsTask): Finding[] {
  return checkParentsIn(new Map(stores.map(({ level, store }) => [level, new LevelStore(store).readIndex()])), levels);
}
