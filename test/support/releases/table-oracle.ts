// The tables of a release, read by hyparquet, beside the features that it has: every value and every geometry, the names
// and types of the columns, what the file says of itself, and the digests of its blocks. With none of the generator's
// code.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { releasePath, tableDigestsPath, unitsTablePath } from '../../../format/layout.ts';
import type { LevelColumn, LevelSummary } from '../../../format/level-json.ts';
import type { Geometry, Level } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { featureOf, isObject, type JsonFeature } from './exact-json.ts';
import { linesIn } from './features-in.ts';
import { parsedToJson } from './parsed-to-json.ts';

const COLUMN_OF: Readonly<Partial<Record<Geometry, string>>> = {
  full: 'geometry',
  medium: 'geometry_medium',
  low: 'geometry_low',
  point: 'geometry_point',
};
const SIDES = ['xmin', 'ymin', 'xmax', 'ymax'];
const BLOCK_BYTES = 65_536;
const DIGEST_BYTES = 8;

/** A row, in the order of the columns. */
export type TableObject = Readonly<Record<string, unknown>>;

/** The rows of a table, geometries as GeoJSON. */
export async function rowsIn(bytes: Buffer): Promise<TableObject[]> {
  return parquetReadObjects({
    file: copyOf(bytes),
    compressors: { GZIP: (member) => gunzipSync(member) },
    // Without this it drops the byte order mark that a text may begin with.
    parsers: { stringFromBytes: (text: Uint8Array) => TEXT.decode(text) },
  });
}

const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

/** What a table says of itself. */
export function metadataOf(bytes: Buffer): FileMetaData {
  return parquetMetadata(copyOf(bytes), { geoparquet: false });
}

/** A member of the table's own metadata. */
export function keyOf({ key_value_metadata: keys = [] }: FileMetaData, name: string): Record<string, unknown> {
  return JSON.parse(keys.find(({ key }) => key === name)?.value ?? assert.fail(name));
}

function copyOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Asserts that each level of a release has the table that it should. @param out the output folder */
export async function assertTables(out: string, release: Release): Promise<void> {
  for (const summary of release.levels) {
    assert.equal(summary.parquet !== undefined, release.parquet && summary.features > 0, `lv${summary.level}`);
    if (summary.parquet !== undefined) await assertTable(out, release, summary);
  }
}

async function assertTable(out: string, release: Release, summary: LevelSummary): Promise<void> {
  const { level, parquet, columns = [] } = summary;
  const root = join(out, releasePath(release.release));
  const [bytes, digests] = [unitsTablePath(level), tableDigestsPath(level)].map((path) =>
    readFileSync(join(root, path)),
  );
  assert.ok(bytes !== undefined && digests !== undefined);
  assert.deepEqual(parquet, { ...fileOf(bytes), rows: summary.features, digests: fileOf(digests) });
  assert.equal(digests.length, DIGEST_BYTES * Math.ceil(bytes.length / BLOCK_BYTES));
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const digest = digests.subarray((at / BLOCK_BYTES) * DIGEST_BYTES).subarray(0, DIGEST_BYTES);
    assert.ok(sumOf(bytes.subarray(at, at + BLOCK_BYTES)).startsWith(digest.toString('hex')), `block at ${at}`);
  }
  const drawn = release.geometries.filter((geometry) => COLUMN_OF[geometry] !== undefined);
  const names = namesOf(columns);
  const features = new Map(drawn.map((geometry) => [geometry, unitsOf(out, release, level, geometry)]));
  const ranges = new Map<string, number[]>();
  const types = new Map<string, Set<string>>();
  const rows = await rowsIn(bytes);
  const seen = new Set<string>();
  for (const row of rows) {
    const fid = String(row['fid']);
    seen.add(fid);
    const where = `lv${level} fid ${fid}`;
    const unit = features.get('full')?.get(fid) ?? assert.fail(where);
    const expected = columns.map(({ name, type }) => asStored(unit.properties[name] ?? null, type));
    const boxes = drawn.map((geometry) => {
      const published = features.get(geometry)?.get(fid)?.geometry ?? null;
      const column = COLUMN_OF[geometry] ?? '';
      assert.deepEqual(row[column], published, `${where}: ${column}`);
      if (published === null) return null;
      const box = rangeOf(published);
      ranges.set(column, joined(ranges.get(column), box));
      types.set(column, (types.get(column) ?? new Set()).add(String(published['type'])));
      return box;
    });
    assert.deepEqual(
      names.map((name) => row[name]),
      expected,
      where,
    );
    const box = isObject(row['bbox']) ? SIDES.map((side) => (row['bbox'] as TableObject)[side]) : null;
    assert.deepEqual(box, boxes[0] ?? null, `${where}: bbox`);
    assert.deepEqual(Object.keys(row), [...names, 'bbox', ...drawn.map((geometry) => COLUMN_OF[geometry])], where);
  }
  assert.deepEqual([rows.length, seen.size], [summary.features, summary.features], `lv${level}: rows`);
  const metadata = metadataOf(bytes);
  for (const { num_rows: count } of metadata.row_groups) assert.ok(count > 0n && count <= 4096n);
  assert.deepEqual(keyOf(metadata, 'geo'), {
    version: '1.1.0',
    primary_column: 'geometry',
    columns: Object.fromEntries(
      drawn.map((geometry) => {
        const column = COLUMN_OF[geometry] ?? '';
        const own = [...(types.get(column) ?? [])].sort();
        const isPolygonal = own.length > 0 && own.every((type) => type.endsWith('Polygon'));
        return [
          column,
          {
            ...{ encoding: 'WKB', geometry_types: own, edges: 'planar' },
            ...(isPolygonal && { orientation: 'counterclockwise' }),
            ...(ranges.has(column) && { bbox: ranges.get(column) }),
            ...(geometry === 'full' && {
              covering: { bbox: Object.fromEntries(SIDES.map((side) => [side, ['bbox', side]])) },
            }),
          },
        ];
      }),
    ),
  });
  const named = (property: string | undefined): string | undefined =>
    names[columns.findIndex(({ name }, at) => name === property && name !== '' && at > 0)];
  const { licence } = release;
  assert.deepEqual(keyOf(metadata, 'boundaries'), {
    ...{ level, attribution: summary.attribution ?? release.attribution, ...(licence !== undefined && { licence }) },
    columns: JSON.parse(
      JSON.stringify({
        gid: named(summary.gidColumns[level]),
        name: named(summary.nameColumn),
        type: named(summary.typeColumn),
        parents: summary.gidColumns.slice(0, level).map((column) => named(column) ?? null),
      }),
    ),
    renamed: Object.fromEntries(columns.flatMap(({ name }, at) => (names[at] === name ? [] : [[names[at], name]]))),
  });
}

/** The names of the columns: the first that no other has, without regard to case. */
function namesOf(columns: readonly LevelColumn[]): string[] {
  const taken = ['bbox', 'geometry', 'geometry_medium', 'geometry_low', 'geometry_point'];
  return columns.map(({ name }) => {
    const base = name || 'column';
    const candidates = [base, ...Array.from({ length: columns.length + 7 }, (_, n) => `${base}_${n + 2}`)];
    const free = candidates.find((candidate) => !taken.includes(candidate.toLowerCase())) ?? assert.fail(base);
    taken.push(free.toLowerCase());
    return free;
  });
}

/** A value of a feature as hyparquet reads it of a table. */
function asStored(value: unknown, type: LevelColumn['type']): unknown {
  if (value === null) return null;
  if (type === 'json') return parsedToJson(value);
  if (type === 'int64') return BigInt(String(value));
  if (type === 'date') {
    const day = new Date(`${value}T00:00:00Z`);
    return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(String(value)) ? null : day;
  }
  return type === 'double' ? Number(value) : value;
}

function unitsOf(out: string, { release }: Release, level: Level, geometry: Geometry): Map<string, JsonFeature> {
  const lines = linesIn(out, level, geometry, release).trimEnd().split('\n');
  return new Map(lines.map((line) => featureOf(Buffer.from(line))).map((unit) => [String(unit.id), unit]));
}

/** Least and greatest of all coordinates. */
function rangeOf(nested: unknown): number[] {
  if (isObject(nested)) return rangeOf(nested['coordinates'] ?? nested['geometries']);
  assert.ok(Array.isArray(nested));
  const [x, y] = nested;
  if (typeof x === 'number') return [x, y, x, y];
  return nested.map(rangeOf).reduce((all, one) => joined(all, one));
}

function joined(all: readonly number[] | undefined, one: number[]): number[] {
  if (all === undefined) return one;
  return one.map((side, i) => (i < 2 ? Math.min(side, all[i] ?? side) : Math.max(side, all[i] ?? side)));
}

function fileOf(bytes: Buffer): { bytes: number; sha256: string } {
  return { bytes: bytes.length, sha256: sumOf(bytes) };
}

function sumOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
