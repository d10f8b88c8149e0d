// The form of a level's index: whatever follows from other arrays is derived anew from them, and compared. So are the
// manifest and the counts in release.json.
import { elementAt } from '../../format/element-at.ts';
import { type GidColumn, gidColumn, ownersOf } from '../../format/gid-column.ts';
import { indexPath, manifestPath, RELEASE_FILE } from '../../format/layout.ts';
import { firstPages, type LevelArrays, type LevelIndex, type PageTable } from '../../format/level-index.ts';
import type { Format } from '../../format/levels.ts';
import { encodeLevel, namedArrays } from '../../format/manifest.ts';
import type { Release } from '../../format/release.ts';
import { countsOf } from '../pages/plan.ts';
import { firstDifferentLine } from './findings.ts';

/** Adds a problem of a file of the release. */
type OnProblem = (path: string, problem: string) => void;

/** The problems of an index by itself: reading it may fail if there are any. */
export function indexProblems(index: LevelIndex): string[] {
  const { fid, start, textStart } = index.arrays;
  const disordered = Object.entries({ fid, start, textStart }).flatMap(([name, array]) => orderProblem(name, array));
  if (disordered.length > 0) return disordered;
  try {
    return differences(index.arrays, derivedForm(index));
  } catch (error) {
    if (error instanceof RangeError) return [`its arrays contradict each other: ${error.message}`];
    throw error;
  }
}

function orderProblem(name: string, array: Float64Array): string[] {
  const at = array.findIndex(
    (value, i) => !Number.isSafeInteger(value) || value <= (i === 0 ? -1 : elementAt(array, i - 1)),
  );
  if (at === -1) return [];
  const least = at === 0 ? 'a whole number' : `a whole number above ${array[at - 1]}`;
  return [`${name}[${at}] is ${array[at]}, expected ${least}`];
}

/** The arrays, with what follows from others derived anew: sums before the first feature, columns, and first pages. */
function derivedForm({ level, features, columns, storedPages, arrays }: LevelIndex): LevelArrays {
  const { start, textStart, textCrc, dataCrc, pages } = arrays;
  const tableOf = (format: Format, table: PageTable): PageTable => ({
    ...table,
    listing: firstPages(level, format, features, columns, storedPages),
  });
  return {
    ...arrays,
    start: start.with(0, 0),
    textStart: textStart.with(0, 0),
    textCrc: textCrc.with(0, 0),
    dataCrc: dataCrc.with(0, 0),
    columns: columns.map((column) => derivedColumn(column, features)),
    pages: pages && { geojsonl: tableOf('geojsonl', pages.geojsonl), fc: tableOf('fc', pages.fc) },
  };
}

/** A column anew from the GID of each position. That this is the GID of its feature is checked by features.ts. */
function derivedColumn(column: GidColumn, features: number): GidColumn {
  const numbers = new Map<string, number>();
  const owners = ownersOf(column, features).map((owner) => {
    if (owner === -1) return -1;
    const gid = column.gidAt(owner);
    const number = numbers.get(gid) ?? numbers.size;
    numbers.set(gid, number);
    return number;
  });
  return gidColumn(column.name, [...numbers.keys()], owners);
}

/** The first difference of each array. @param derived what the arrays should be */
function differences(stored: LevelArrays, derived: LevelArrays): string[] {
  const expected = new Map(namedArrays(derived));
  return namedArrays(stored).flatMap(([name, array]) => {
    const wanted = expected.get(name) ?? [];
    const length = Math.max(array.length, wanted.length);
    for (let at = 0; at < length; at++)
      if (array[at] !== wanted[at])
        return [`${name}[${at}] is ${array[at] ?? 'missing'}, expected ${wanted[at] ?? 'no more'}`];
    return [];
  });
}

/** Compares the files of a level with those that `encodeLevel` makes of its arrays. */
export function checkEncoding(
  stored: { manifest: Buffer; index: Buffer },
  release: string,
  index: LevelIndex,
  found: OnProblem,
): void {
  const encoded = encodeLevel(release, index);
  const problem = firstDifferentLine(stored.manifest.toString(), encoded.manifest);
  if (problem !== undefined) found(manifestPath(index.level), problem);
  else if (!stored.index.equals(encoded.index)) found(indexPath(index.level), 'has bytes that belong to no array');
}

/** Compares what release.json says of a level with its index. */
export function checkSummary({ levels }: Release, index: LevelIndex, found: OnProblem): void {
  const { level, columns } = index;
  const names = columns.map(({ name }) => name);
  // Without columns the dataset lacks the level.
  const expected = { gidColumns: names.every((name) => name === '') ? [] : names, ...countsOf(index) };
  const summary = elementAt(levels, level);
  for (const [member, value] of Object.entries(expected)) {
    const [has, wanted] = [JSON.stringify(summary[member as keyof typeof expected]), JSON.stringify(value)];
    if (has !== wanted) found(RELEASE_FILE, `level ${level}: ${member} is ${has}, its index has ${wanted}`);
  }
}

/** release.json and the manifests must have the same `storedPages`. If all manifests differ, release.json is damaged. */
export function checkStoredPages(
  { storedPages }: Release,
  levels: readonly (LevelIndex | undefined)[],
  found: OnProblem,
): void {
  const read = levels.filter((index) => index !== undefined);
  const different = read.filter((index) => index.storedPages !== storedPages);
  const [first] = different;
  if (first !== undefined && different.length === read.length)
    found(RELEASE_FILE, `storedPages is ${storedPages}, the manifests have ${first.storedPages}`);
  else
    for (const index of different)
      found(manifestPath(index.level), `storedPages is ${index.storedPages}, ${RELEASE_FILE} has ${storedPages}`);
}
