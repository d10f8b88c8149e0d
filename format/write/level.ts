// The files of a level made of its index, in the order in which manifest.ts reads them.
import type { FeatureArrays, FeatureTable } from '../feature-table.ts';
import type { LevelArrays, LevelIndex } from '../level-index.ts';
import { FEATURES_PER_FILE, FORMATS, type Geometry } from '../levels.ts';
import { ALIGNMENT, type ArrayType, requireLittleEndian, type TypedArray } from '../manifest.ts';
import { PAGE_CAPS } from '../page-caps.ts';
import { FORMAT_VERSION } from '../version.ts';

/** The files of a level. */
export interface LevelFiles {
  /** manifest.json. */
  manifest: string;
  /** index.bin. */
  index: Buffer;
  /** index.bin of each geometry but the full one. */
  tables: ReadonlyMap<Geometry, Buffer>;
}

/**
 * Makes the files of a level. The same arrays give the same bytes.
 * @param tables of the geometries besides the full one
 */
export function encodeLevel(
  release: string,
  { level, storedPages, features, arrays, geometries }: LevelIndex,
  tables: ReadonlyMap<Geometry, FeatureTable> = new Map(),
): LevelFiles {
  const own = encodeArrays(namedArrays(arrays), '  ');
  const others = geometries.map((geometry) => {
    const table = tables.get(geometry);
    if (table === undefined) throw new RangeError(`level ${level}: no table of geometry ${geometry}`);
    return { geometry, ...encodeArrays(namedFeatureArrays(table.arrays), '      ') };
  });
  const head = {
    version: FORMAT_VERSION,
    release,
    level,
    features,
    featuresPerFile: FEATURES_PER_FILE[level],
    columns: arrays.columns.map(({ name }) => name),
    storedPages,
    caps: { geojsonl: PAGE_CAPS.geojsonl[level], fc: PAGE_CAPS.fc[level] },
    indexBytes: own.bytes.length,
  };
  const members = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  const entries = others.map(
    ({ geometry, bytes, arrays }) =>
      `    ${JSON.stringify(geometry)}: {\n      "indexBytes": ${bytes.length},\n      "arrays": ${arrays}\n    }`,
  );
  members.push(`  "arrays": ${own.arrays}`, `  "geometries": {${entries.map((text) => `\n${text}`).join(',')}\n  }`);
  return {
    manifest: `{\n${members.join(',\n')}\n}\n`,
    index: own.bytes,
    tables: new Map(others.map(({ geometry, bytes }) => [geometry, bytes])),
  };
}

/** The arrays of a level by their names in the manifest, in the order of the file. */
export function namedArrays({ columns, pages, ...arrays }: LevelArrays): [name: string, array: TypedArray][] {
  const { fid, box, part } = arrays;
  const named: [string, TypedArray][] = [['fid', fid], ...namedFeatureArrays(arrays), ['box', box], ['part', part]];
  const add = (prefix: string, group: Readonly<Record<string, TypedArray>>): void => {
    for (const [name, array] of Object.entries(group)) named.push([`${prefix}.${name}`, array]);
  };
  for (const [c, { arrays: own }] of columns.entries()) {
    const { start, text, run, first, rank, count } = own;
    add(`gid${c}`, { start, text, run, first, rank, count });
  }
  if (pages === undefined) return named;
  for (const format of FORMATS) {
    const { listing, bytes, digest } = pages[format];
    add(format, { listing, bytes, digest });
  }
  return named;
}

/** The arrays of a table of features by their names, in the order of the file. */
export function namedFeatureArrays(arrays: FeatureArrays): [name: string, array: TypedArray][] {
  return [
    ['start', arrays.start],
    ['dataCrc', arrays.dataCrc],
    ['alone.start', arrays.aloneStart],
    ['alone.crc', arrays.aloneCrc],
    ['textStart', arrays.textStart],
    ['textCrc', arrays.textCrc],
    ['textCrc.fc', arrays.textCrcFc],
    ['digest', arrays.digest],
  ];
}

/** Arrays as the bytes of a file, and the JSON that lists them: one array a line, for people. */
function encodeArrays(named: readonly [string, TypedArray][], indent: string): { bytes: Buffer; arrays: string } {
  requireLittleEndian('arrays');
  const parts: Uint8Array[] = [];
  const lines: string[] = [];
  let offset = 0;
  for (const [name, array] of named) {
    const padding = -offset & (ALIGNMENT - 1);
    parts.push(new Uint8Array(padding), new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    offset += padding;
    const entry = { type: typeOf(array), offset, length: array.length };
    lines.push(`${indent}  ${JSON.stringify(name)}: ${JSON.stringify(entry)}`);
    offset += array.byteLength;
  }
  return { bytes: Buffer.concat(parts, offset), arrays: `{\n${lines.join(',\n')}\n${indent}}` };
}

function typeOf(array: TypedArray): ArrayType {
  if (array instanceof Float64Array) return 'f64';
  if (array instanceof Int32Array) return 'i32';
  return array instanceof Uint32Array ? 'u32' : 'u8';
}
