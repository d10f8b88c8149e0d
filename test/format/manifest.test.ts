// A level's two files: what is written is read in place, and nothing that contradicts itself is accepted. That it is
// written again as it was read, the oracle says of every release.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeatureTable } from '../../format/feature-table.ts';
import { LevelIndex } from '../../format/level-index.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { decodeLevel, decodeTable } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import { deflateLine } from '../../format/write/gzip.ts';
import { encodeLevel, namedArrays, namedFeatureArrays } from '../../format/write/level.ts';
import { assertRefusedOrRead } from './changed-json.ts';
import { makeFeatures, makeLevel, type Unit } from './make-level.ts';

const FILES = { manifest: 'lv2/manifest.json', index: 'lv2/index.bin' };
const TABLE_FILES = { manifest: 'lv2/manifest.json', table: 'lv2/low/index.bin' };

/** A level with children that are scattered, units without a parent, and one page of each listing. */
const UNITS: Unit[] = [
  {
    fid: 4,
    text: 'one\n',
    gids: ['A', 'A', 'x'],
    box: [1799999999, -900000000, -1799999999, -1],
    parts: [
      [1799999999, -900000000, 1800000000, -2],
      [-1800000000, -2, -1799999999, -1],
    ],
  },
  { fid: 5, text: 'three\n', gids: ['B', null, 'y'] },
  { fid: 9, text: '\n', gids: ['A', 'C', 'z'] },
];
const GEOMETRIES: readonly Geometry[] = ['low', 'none'];
const { index: INDEX } = makeLevel(2, UNITS, 'all', GEOMETRIES);
const TABLES = tablesOf(2, GEOMETRIES, UNITS);
const WRITTEN = encodeLevel('r', INDEX, TABLES);
const EXPECTED = { release: 'r', level: 2 as Level, features: 3 };

/** The table of each geometry, of other texts than those of the level. */
function tablesOf(level: Level, geometries: readonly Geometry[], list: readonly Unit[]): Map<Geometry, FeatureTable> {
  return new Map(
    geometries.map((geometry) => {
      const features = list.map(({ fid }) => ({ text: `${geometry} ${fid}\n` }));
      return [geometry, makeFeatures(level, features).table];
    }),
  );
}

/** What an index or the table of a geometry holds, as plain data. */
function plain(table: FeatureTable): object {
  const { level, features, perFile } = table;
  const index = table instanceof LevelIndex ? table : undefined;
  const names = index?.columns.map(({ name }) => name) ?? [];
  const arrays = index === undefined ? namedFeatureArrays(table.arrays) : namedArrays(index.arrays);
  const named = arrays.map(([name, array]) => [name, array.constructor.name, [...array]]);
  return {
    level,
    features,
    perFile,
    stored: index?.storedPages ?? '',
    geometries: index?.geometries ?? [],
    names,
    named,
  };
}

/** `plain`, with a Buffer as the bytes that it is. */
function plainBytes(table: FeatureTable): object {
  return JSON.parse(JSON.stringify(plain(table)).replaceAll('"Buffer"', '"Uint8Array"'));
}

test('the arrays are views of the bytes that were read, wherever in memory they lie; unaligned bytes are copied', () => {
  for (let shift = 0; shift <= 16; shift++) {
    const memory = new Uint8Array(WRITTEN.index.length + 24).fill(0xee);
    const bytes = memory.subarray(shift, shift + WRITTEN.index.length);
    bytes.set(WRITTEN.index);
    const read = decodeLevel({ manifest: WRITTEN.manifest, index: bytes }, EXPECTED, FILES);
    assert.deepEqual(plain(read), plainBytes(INDEX), `at ${shift}`);
    for (const [name, array] of namedArrays(read.arrays))
      assert.equal(array.buffer === memory.buffer, shift % 8 === 0, `${name} at ${shift}`);
  }
  const pooled = Buffer.from(Buffer.concat([Buffer.alloc(3), WRITTEN.index])).subarray(3);
  assert.deepEqual(
    plain(decodeLevel({ manifest: WRITTEN.manifest, index: pooled }, EXPECTED, FILES)),
    plainBytes(INDEX),
  );
});

const LOW = WRITTEN.tables.get('low') ?? assert.fail('low');

/** Asserts that an index is refused with this message or, where a geometry is named, its table. */
function assertRefused(
  manifest: string,
  message: string,
  { index = WRITTEN.index, geometry, table = LOW }: { index?: Uint8Array; geometry?: Geometry; table?: Buffer } = {},
): void {
  const read = () =>
    geometry === undefined
      ? decodeLevel({ manifest, index }, EXPECTED, FILES)
      : decodeTable({ manifest, table }, geometry, INDEX, TABLE_FILES);
  assert.throws(read, { name: FormatError.name, message });
}

const JSON_OF_LEVEL = JSON.parse(WRITTEN.manifest);

test('another format version is refused by its number, with what to do, whatever else the file has', () => {
  const older = { release: 'r', level: 2, features: 3, fids: [4, 2, 9, 1], pages: {} };
  const problem = (version: number): string => `lv2/manifest.json: format version is ${version}, expected 7: `;
  for (const version of [2, 3, 4, 5, 6])
    assertRefused(JSON.stringify({ version, ...older }), `${problem(version)}build the release again from its source`);
  assertRefused(JSON.stringify({ ...JSON_OF_LEVEL, version: 8 }), `${problem(8)}read it with a newer version`);
  assertRefused('{}', 'lv2/manifest.json: version is undefined, expected a whole number');
});

test('a manifest with a member that is missing or another value is refused by file and member, or read as it is', () => {
  const read = (manifest: string): object => {
    const index = decodeLevel({ manifest, index: WRITTEN.index }, EXPECTED, FILES);
    const tables = index.geometries.map((geometry): [Geometry, FeatureTable] => {
      const table = WRITTEN.tables.get(geometry) ?? assert.fail(geometry);
      return [geometry, decodeTable({ manifest, table }, geometry, index, TABLE_FILES)];
    });
    return JSON.parse(encodeLevel('r', index, new Map(tables)).manifest);
  };
  const refused = assertRefusedOrRead(JSON_OF_LEVEL, 'lv2/manifest.json', read);
  assert.ok(refused > 1000, `${refused}`);
  for (const [change, problem] of [
    [{ release: 'other' }, ': belongs to release other level 2, expected r level 2'],
    [{ level: 1 }, ': belongs to release r level 1, expected r level 2'],
    [{ level: '2' }, ': belongs to release r level "2", expected r level 2'],
    [{ features: 4 }, ': features is 4, expected 3'],
    [{ columns: ['GID_1', 'GID_2'] }, ': 2 columns, expected 3'],
    [{ storedPages: 'some' }, ': storedPages is "some", expected one of all, unfiltered, none'],
    [{ caps: { geojsonl: 50, fc: 7 } }, ' caps: fc is 7, expected 20'],
    // The full geometry is the level itself.
    [{ geometries: { full: {}, low: {} } }, ': geometries has full, low, expected some of medium, low, point, none'],
  ] as [object, string][])
    assertRefused(JSON.stringify({ ...JSON_OF_LEVEL, ...change }), `lv2/manifest.json${problem}`);
  assertRefused('{', 'lv2/manifest.json: is not JSON');
  assertRefused('[]', 'lv2/manifest.json: is not a JSON object');
});

/** The manifest with another entry for an array of the level or, where a geometry is named, of its table. */
function withArray(name: string, change: object, geometry?: 'low'): string {
  const json = structuredClone(JSON_OF_LEVEL);
  Object.assign((geometry === undefined ? json : json.geometries[geometry]).arrays[name], change);
  return JSON.stringify(json);
}

test('an array of a level or of a geometry that has the type of another one is refused with both types', () => {
  for (const [geometry, where, { arrays }] of [
    [undefined, 'arrays', JSON_OF_LEVEL],
    ['low', 'geometries.low arrays', JSON_OF_LEVEL.geometries.low],
  ] as const)
    for (const [name, { type }] of Object.entries<{ type: string }>(arrays))
      for (const other of ['f64', 'i32', 'u32', 'u8', 'i8'].filter((other) => other !== type)) {
        const problem = ` ${where} ${name}: type is "${other}", expected "${type}"`;
        assertRefused(
          withArray(name, { type: other }, geometry),
          `lv2/manifest.json${problem}`,
          geometry && { geometry },
        );
      }
});

test('parts of positions that do not ascend, or are beyond the last, are refused', () => {
  const { offset } = JSON_OF_LEVEL.arrays.part;
  const refuse = (first: number, second: number, problem: string): void => {
    const index = Buffer.from(WRITTEN.index);
    index.writeInt32LE(first, offset);
    index.writeInt32LE(second, offset + 20);
    assertRefused(WRITTEN.manifest, `lv2/manifest.json arrays: part has position ${problem}, of 3 features`, { index });
  };
  refuse(2, 1, '1 after 2');
  refuse(1, 3, '3 after 1');
  refuse(-1, 0, '-1 after 0');
});

test('an array that is not aligned or does not lie in the index is refused', () => {
  for (const [{ length: bytes }, geometry, where] of [
    [WRITTEN.index, undefined, 'arrays'],
    [LOW, 'low', 'geometries.low arrays'],
  ] as const)
    for (const offset of [4, 12, bytes + (-bytes & 7), bytes + 8 + (-bytes & 7), 2 ** 40])
      assertRefused(
        withArray('start', { offset }, geometry),
        `lv2/manifest.json ${where} start: 4 items at ${offset} are not in the index of ${bytes} bytes`,
        geometry && { geometry },
      );
  // A table whose items may have any value, of 4 items too.
  const last = WRITTEN.index.length - 16;
  const manifest = withArray('textCrc', { offset: last - (last % 8) });
  assert.doesNotThrow(() => decodeLevel({ manifest, index: WRITTEN.index }, EXPECTED, FILES));
});

test('an index of another length is refused with both names', () => {
  const bytes = WRITTEN.index.length;
  for (const index of [WRITTEN.index.subarray(1), Buffer.concat([WRITTEN.index, Buffer.alloc(1)]), Buffer.alloc(0)])
    assertRefused(
      WRITTEN.manifest,
      `lv2/manifest.json: indexBytes is ${bytes}, expected ${index.length}, the length of lv2/index.bin`,
      { index },
    );
});

test('pages that do not fit what is stored are refused, and missed where they are promised', () => {
  for (const [written, declared, problem] of [
    // The unfiltered listing of 3 features, 2 GIDs in each of two columns.
    ['all', 'unfiltered', 'geojsonl.listing: length is 6, expected 2'],
    ['unfiltered', 'all', 'geojsonl.listing: length is 2, expected 6'],
    ['none', 'unfiltered', 'geojsonl.listing: is not a JSON object'],
    ['none', 'all', 'geojsonl.listing: is not a JSON object'],
  ] as const) {
    const files = encodeLevel('r', makeLevel(2, UNITS, written).index);
    const manifest = JSON.stringify({ ...JSON.parse(files.manifest), storedPages: declared });
    assertRefused(manifest, `lv2/manifest.json arrays ${problem}`, { index: files.index });
  }
});

test('members and arrays that this version does not know are ignored, and the order of members means nothing', () => {
  const { arrays, geometries, ...head } = JSON_OF_LEVEL;
  const reversed = (members: object): object => Object.fromEntries(Object.entries(members).toReversed());
  const low = { ...geometries.low, more: 1, arrays: { ...geometries.low.arrays, later: { type: 'i8' } } };
  const more = { more: 'later', arrays: { ...arrays, later: { type: 'i8' } }, geometries: { ...geometries, low } };
  for (const json of [
    { ...head, ...more },
    reversed(JSON_OF_LEVEL),
    { ...head, arrays: reversed(arrays), geometries: reversed(geometries) },
  ]) {
    const manifest = JSON.stringify(json, null, 4);
    const read = decodeLevel({ manifest, index: WRITTEN.index }, EXPECTED, FILES);
    assert.deepEqual(plain(read), plainBytes(INDEX));
    for (const [geometry, table] of WRITTEN.tables)
      assert.deepEqual(
        plain(decodeTable({ manifest, table }, geometry, read, TABLE_FILES)),
        plainBytes(TABLES.get(geometry) ?? assert.fail(geometry)),
      );
  }
});

test('the table of a geometry that the manifest does not describe is refused, and the full one has none of its own', () => {
  for (const geometry of ['medium', 'point', 'full'] as const)
    assertRefused(WRITTEN.manifest, `lv2/manifest.json geometries.${geometry}: is not a JSON object`, { geometry });
  const manifest = JSON.stringify({ ...JSON_OF_LEVEL, geometries: undefined });
  assertRefused(manifest, 'lv2/manifest.json geometries: is not a JSON object', { geometry: 'low' });
});

test('the table of another level is refused: by its level, its length, its number of features, or its numbers', () => {
  const refuse = (manifest: string, table: Buffer, message: string): void =>
    assertRefused(manifest, message, { geometry: 'low', table });
  const writtenOf = (level: Level, units: readonly Unit[]) => {
    const files = encodeLevel('r', makeLevel(level, units, 'none', ['low']).index, tablesOf(level, ['low'], units));
    return { manifest: files.manifest, table: files.tables.get('low') ?? assert.fail() };
  };
  const other = writtenOf(3, UNITS);
  refuse(other.manifest, other.table, 'lv2/manifest.json: level is 3, expected 2');
  const { manifest, table } = writtenOf(2, UNITS.slice(1));
  refuse(
    WRITTEN.manifest,
    table,
    `lv2/manifest.json geometries.low: indexBytes is ${LOW.length}, expected ${table.length}, the length of lv2/low/index.bin`,
  );
  refuse(manifest, table, 'lv2/manifest.json geometries.low arrays start: length is 3, expected 4');
  const { start } = decodeTable({ manifest: WRITTEN.manifest, table: LOW }, 'low', INDEX, TABLE_FILES).arrays;
  const flat = Buffer.from(LOW);
  flat.writeDoubleLE(start[3] ?? Number.NaN, 16);
  const message = `lv2/low/index.bin: start[3] is ${start[3]}, expected a whole number above ${start[3]}`;
  refuse(WRITTEN.manifest, flat, message);
});

test('a first feature of a file that is chained to one of another file is refused, in a level or a geometry', () => {
  const units = Array.from({ length: 201 }, (_, i) => ({ fid: i, text: `${i}\n`, gids: [null, null] }));
  const text = Buffer.from('99\n');
  // The last one is the first of the third file.
  const wrong = units.map((unit, i) =>
    i === 200 ? { ...unit, chained: deflateLine(Buffer.from(unit.text), text) } : unit,
  );
  const names = { manifest: 'm', index: 'i', table: 't' };
  for (const [made, low, where] of [
    [wrong, units, 'm arrays'],
    [units, wrong, 'm geometries.low arrays'],
  ] as const) {
    const written = new Map([['low' as const, makeFeatures(1, low).table]]);
    const { manifest, index, tables } = encodeLevel('r', makeLevel(1, made, 'none', ['low']).index, written);
    assert.throws(
      () => {
        const level = decodeLevel({ manifest, index }, { release: 'r', level: 1, features: 201 }, names);
        decodeTable({ manifest, table: tables.get('low') ?? Buffer.of() }, 'low', level, names);
      },
      { name: FormatError.name, message: `${where}: alone.start has position 200, which is the first of its file` },
    );
  }
});

test('a level whose table of a geometry is missing is not written', () => {
  assert.throws(() => encodeLevel('r', INDEX, new Map()), {
    name: 'RangeError',
    message: 'level 2: no table of geometry low',
  });
});
