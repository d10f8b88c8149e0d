// Verifies an index: what follows from its other arrays is derived anew from them, and compared; the boxes of parts are
// compared with those of their units.
import { boxAt, liesWithin } from '../../format/boxes.ts';
import { cutCrc, joinCrcs, swapSeparator } from '../../format/crc32.ts';
import { elementAt, i32At } from '../../format/element-at.ts';
import type { FeatureArrays } from '../../format/feature-table.ts';
import { type GidColumn, ownersOf } from '../../format/gid-column.ts';
import { firstPages, type LevelArrays, type LevelIndex, PART_NUMBERS, PARTS_MAX } from '../../format/level-index.ts';
import type { Format } from '../../format/levels.ts';
import { gidColumn } from '../../format/write/gid-column.ts';
import { namedArrays, namedFeatureArrays } from '../../format/write/level.ts';

/** What of an index contradicts the rest of it: nothing can be read by way of such an index. */
export function indexProblems(index: LevelIndex): string[] {
  try {
    return [...differences(namedArrays(index.arrays), namedArrays(derivedArrays(index))), ...partProblems(index)];
  } catch (error) {
    if (error instanceof RangeError) return [`its arrays contradict each other: ${error.message}`];
    throw error;
  }
}

/** What of the table of a geometry contradicts the rest of it. */
export function tableProblems(arrays: FeatureArrays): string[] {
  return differences(namedFeatureArrays(arrays), namedFeatureArrays({ ...arrays, ...derivedSums(arrays) }));
}

type NamedArrays = ReturnType<typeof namedArrays>;

/** Where arrays differ from what they should be, first. */
function differences(arrays: NamedArrays, derived: NamedArrays): string[] {
  const expected = new Map(derived);
  return arrays.flatMap(([name, array]) => {
    const wanted = expected.get(name) ?? [];
    let at = 0;
    while (at < array.length && array[at] === wanted[at]) at++;
    if (at === array.length && at === wanted.length) return [];
    return [`${name}[${at}] is ${array[at] ?? 'missing'}, expected ${wanted[at] ?? 'no more'}`];
  });
}

/** The arrays, with what follows from others derived anew: sums before the first feature, columns, and first pages. */
function derivedArrays({ level, features, columns, storedPages, arrays }: LevelIndex): LevelArrays {
  const { pages } = arrays;
  const listing = (format: Format): Uint32Array => firstPages(level, format, features, columns, storedPages);
  return {
    ...arrays,
    ...derivedSums(arrays),
    columns: columns.map((column) => derivedColumn(column, features)),
    pages: pages && {
      geojsonl: { ...pages.geojsonl, listing: listing('geojsonl') },
      fc: { ...pages.fc, listing: listing('fc') },
    },
  };
}

/**
 * The sums of features anew, as far as they follow: before the first feature, and with commas from those with line
 * feeds.
 */
function derivedSums(arrays: FeatureArrays): Omit<FeatureArrays, 'digest'> {
  const { start, dataCrc, aloneStart, aloneCrc, textStart, textCrc } = arrays;
  return {
    start: start.with(0, 0),
    dataCrc: dataCrc.with(0, 0),
    aloneStart: aloneStart.with(0, 0),
    aloneCrc: aloneCrc.with(0, 0),
    textStart: textStart.with(0, 0),
    textCrc: textCrc.with(0, 0),
    textCrcFc: commaCrcs(arrays),
  };
}

/** The CRC-32 of all text before each position with commas, from those with line feeds. */
function commaCrcs({ textStart, textCrc }: FeatureArrays): Uint32Array {
  const sums = new Uint32Array(textCrc.length);
  for (let p = 0; p + 1 < sums.length; p++) {
    const bytes = elementAt(textStart, p + 1) - elementAt(textStart, p);
    const own = cutCrc(elementAt(textCrc, p), elementAt(textCrc, p + 1), bytes);
    sums[p + 1] = joinCrcs(elementAt(sums, p), swapSeparator(own), bytes);
  }
  return sums;
}

/** A column anew from the GID of each position. That this is the GID of its feature is checked by files.ts. */
function derivedColumn(column: GidColumn, features: number): GidColumn {
  const gids = Array.from({ length: column.size }, (_, number) => column.gidAt(number));
  return gidColumn(
    column.name,
    [...new Set(gids)].filter((_, number) => column.countAt(number) > 0),
    ownersOf(column, features),
  );
}

/** What is wrong with the parts of an index, whose positions ascend. */
function partProblems({ arrays: { box, part } }: LevelIndex): string[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < part.length; at += PART_NUMBERS) {
    const position = i32At(part, at);
    counts.set(position, (counts.get(position) ?? 0) + 1);
    if (!liesWithin(boxAt(part, at + 1), boxAt(box, 4 * position)))
      return [`part[${at}] does not lie in the box of position ${position}`];
  }
  const [position, count] = [...counts].find(([, count]) => count === 1 || count > PARTS_MAX) ?? [];
  return count === undefined ? [] : [`position ${position} has ${count} parts, expected none, or 2 to ${PARTS_MAX}`];
}
