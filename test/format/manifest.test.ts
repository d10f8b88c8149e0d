// A level's two files: what is written is what is read, in place, and nothing that contradicts itself is accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LevelIndex } from '../../format/level-index.ts';
import { LEVELS, type Level, STORED_PAGES } from '../../format/levels.ts';
import { decodeLevel, encodeLevel, namedArrays } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import { makeLevel, type Unit } from './make-level.ts';

const FILES = { manifest: 'lv2/manifest.json', index: 'lv2/index.bin' };

const gid = fc.constantFrom('A', 'B', 'é', '?', null);
const units = fc
  .array(fc.tuple(gid, gid, gid), { maxLength: 60 })
  .map((rows) => rows.map((gids, i): Unit => ({ fid: 3 * i, text: `${'x'.repeat(i % 9)}\n`, gids })));

/** A level with children that are scattered, units without a parent, and one page of each listing. */
const UNITS: Unit[] = [
  { fid: 4, text: 'one\n', gids: ['A', 'A', 'x'] },
  { fid: 5, text: 'three\n', gids: ['B', null, 'y'] },
  { fid: 9, text: '\n', gids: ['A', 'C', 'z'] },
];
const { index: INDEX } = makeLevel(2, UNITS, 'all');
const WRITTEN = encodeLevel('r', INDEX);
const EXPECTED = { release: 'r', level: 2 as Level, features: 3 };

/** What an index holds, as plain data. */
function plain({ level, features, perFile, storedPages, columns, arrays }: LevelIndex): object {
  const named = namedArrays(arrays).map(([name, array]) => [name, array.constructor.name, [...array]]);
  return { level, features, perFile, storedPages, names: columns.map(({ name }) => name), named };
}

/** `plain`, with a Buffer as the bytes that it is. */
function plainBytes(index: LevelIndex): object {
  return JSON.parse(JSON.stringify(plain(index)).replaceAll('"Buffer"', '"Uint8Array"'));
}

for (const stored of STORED_PAGES)
  test(`a level round-trips with stored pages ${stored}, and the same arrays give the same bytes`, () => {
    fc.assert(
      fc.property(units, fc.constantFrom(...LEVELS), (list, level) => {
        const { index } = makeLevel(level, list, stored);
        const files = encodeLevel('r', index);
        const read = decodeLevel(files, { release: 'r', level, features: list.length }, FILES);
        assert.deepEqual(plain(read), plainBytes(index));
        const again = encodeLevel('r', read);
        assert.equal(again.manifest, files.manifest);
        assert.ok(again.index.equals(files.index));
      }),
    );
  });

test('the arrays lie in the order of the table, each at the next multiple of 8, with zeros between and nothing after', () => {
  fc.assert(
    fc.property(units, fc.constantFrom(...STORED_PAGES), (list, stored) => {
      const { index } = makeLevel(2, list, stored);
      const files = encodeLevel('r', index);
      const { arrays, indexBytes } = JSON.parse(files.manifest);
      const named = namedArrays(index.arrays);
      assert.deepEqual(
        Object.keys(arrays),
        named.map(([name]) => name),
      );
      let end = 0;
      for (const [name, array] of named) {
        const { type, offset, length } = arrays[name];
        assert.deepEqual([offset % 8, length], [0, array.length], name);
        assert.equal(array.BYTES_PER_ELEMENT, { f64: 8, u32: 4, u8: 1 }[type as 'f64' | 'u32' | 'u8']);
        assert.ok(offset >= end && offset < end + 8, name);
        assert.ok(files.index.subarray(end, offset).every((byte) => byte === 0));
        end = offset + array.byteLength;
      }
      assert.deepEqual([files.index.length, indexBytes], [end, end]);
    }),
  );
});

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

/** Asserts that files are refused with this message. */
function assertRefused(manifest: string, message: RegExp, index: Uint8Array = WRITTEN.index): void {
  assert.throws(() => decodeLevel({ manifest, index }, EXPECTED, FILES), { name: FormatError.name, message });
}

const JSON_OF_LEVEL = JSON.parse(WRITTEN.manifest);

test('another format version is refused by its number, whatever else the file has', () => {
  const version2 = { version: 2, release: 'r', level: 2, features: 3, fids: [4, 2, 9, 1], pages: {} };
  assertRefused(JSON.stringify(version2), /^lv2\/manifest\.json: format version is 2, expected 3$/);
  assertRefused(
    JSON.stringify({ ...JSON_OF_LEVEL, version: 4 }),
    /^lv2\/manifest\.json: format version is 4, expected 3$/,
  );
  assertRefused('{}', /^lv2\/manifest\.json: version is undefined, expected a whole number$/);
});

test('a manifest that contradicts itself or its index is refused with file, member, what was got and expected', () => {
  const broken: [object, string][] = [
    [{ release: 'other' }, 'belongs to release other level 2, expected r level 2'],
    [{ release: 5 }, 'release is 5, expected text'],
    [{ level: 1 }, 'belongs to release r level 1, expected r level 2'],
    [{ level: 6 }, 'belongs to release r level 6, expected r level 2'],
    [{ level: '2' }, 'belongs to release r level "2", expected r level 2'],
    [{ features: 4 }, 'features is 4, expected 3'],
    [{ features: -3 }, 'features is -3, expected a whole number'],
    [{ featuresPerFile: 100 }, 'featuresPerFile is 100, expected 1000'],
    [{ featuresPerFile: undefined }, 'featuresPerFile is undefined, expected a whole number'],
    [{ columns: ['GID_1', 'GID_2'] }, '2 columns, expected 3'],
    [{ columns: ['GID_0', 1, 'GID_2'] }, 'columns[1] is 1, expected text'],
    [{ columns: 3 }, 'columns is not a list'],
    [{ storedPages: 'some' }, 'storedPages is "some", expected one of all, unfiltered, none'],
    [{ storedPages: undefined }, 'storedPages is undefined, expected text'],
    [{ caps: { geojsonl: 50, fc: 7 } }, 'caps: fc is 7, expected 20'],
    [{ caps: { geojsonl: 20, fc: 20 } }, 'caps: geojsonl is 20, expected 50'],
    [{ caps: { fc: 20 } }, 'caps: geojsonl is undefined, expected a whole number'],
    [{ caps: undefined }, 'caps: is not a JSON object'],
    [{ arrays: undefined }, 'arrays: is not a JSON object'],
    [{ arrays: [] }, 'arrays: is not a JSON object'],
  ];
  for (const [change, problem] of broken) {
    const separator = /^(caps|arrays): /.test(problem) ? ' ' : ': ';
    assertRefused(
      JSON.stringify({ ...JSON_OF_LEVEL, ...change }),
      new RegExp(`^lv2/manifest\\.json${separator}${problem.replaceAll(/[[\](){}.?]/g, '\\$&')}$`),
    );
  }
  assertRefused('{', /^lv2\/manifest\.json: is not JSON$/);
  assertRefused('[]', /^lv2\/manifest\.json: is not a JSON object$/);
});

/** The manifest with another entry for an array. */
function withArray(name: string, change: object | undefined): string {
  const entry = change && { ...JSON_OF_LEVEL.arrays[name], ...change };
  return JSON.stringify({ ...JSON_OF_LEVEL, arrays: { ...JSON_OF_LEVEL.arrays, [name]: entry } });
}

test('every array must be there with its type and the length that follows from the others', () => {
  for (const [name, { type, length }] of Object.entries<{ type: string; length: number }>(JSON_OF_LEVEL.arrays)) {
    const where = `lv2/manifest.json arrays ${name}`.replaceAll('.', '\\.');
    assertRefused(withArray(name, undefined), new RegExp(`^${where}: is not a JSON object$`));
    for (const other of ['f64', 'u32', 'u8', 'i32', undefined].filter((other) => other !== type))
      assertRefused(
        withArray(name, { type: other }),
        new RegExp(`^${where}: type is ${JSON.stringify(other)}, expected "${type}"$`),
      );
    for (const other of [length + 1, length - 1].filter((other) => other >= 0)) {
      // The number of GIDs is what `count` says: the others of its column contradict it.
      const [, column] = /^(gid\d)\.count$/.exec(name) ?? [];
      const expected = column
        ? `arrays ${column}\\.start: length is ${length + 1}, expected ${other + 1}`
        : `arrays ${name.replace('.', '\\.')}: length is ${other}, expected ${length}`;
      assertRefused(withArray(name, { length: other }), new RegExp(`^lv2/manifest\\.json ${expected}$`));
    }
    for (const [member, value] of [
      ['offset', -8],
      ['offset', undefined],
      ['offset', 1.5],
      ['length', 'x'],
    ] as const)
      assertRefused(
        withArray(name, { [member]: value }),
        new RegExp(`^${where}: ${member} is ${JSON.stringify(value)}, expected a whole number$`),
      );
  }
});

test('an array that is not aligned or does not lie in the index is refused', () => {
  const bytes = WRITTEN.index.length;
  for (const offset of [4, 12, bytes, bytes + 8, 2 ** 40].map((place) => (place > 12 ? place + (-place & 7) : place)))
    assertRefused(
      withArray('start', { offset }),
      new RegExp(`^lv2/manifest\\.json arrays start: 4 items at ${offset} are not in the index of ${bytes} bytes$`),
    );
  // A table whose items may have any value, of 4 items too.
  const last = bytes - 16;
  assert.doesNotThrow(() =>
    decodeLevel(
      { manifest: withArray('textCrc', { offset: last - (last % 8) }), index: WRITTEN.index },
      EXPECTED,
      FILES,
    ),
  );
});

test('an index of another length is refused with both names', () => {
  const bytes = WRITTEN.index.length;
  for (const index of [WRITTEN.index.subarray(1), Buffer.concat([WRITTEN.index, Buffer.alloc(1)]), Buffer.alloc(0)])
    assertRefused(
      WRITTEN.manifest,
      new RegExp(
        `^lv2/manifest\\.json: indexBytes is ${bytes}, expected ${index.length}, the length of lv2/index\\.bin$`,
      ),
      index,
    );
});

test('pages that do not fit what is stored are refused, and missed where they are promised', () => {
  for (const [written, declared, problem] of [
    // The unfiltered listing of 3 features, 2 GIDs in each of two columns.
    ['all', 'unfiltered', 'geojsonl\\.listing: length is 6, expected 2'],
    ['unfiltered', 'all', 'geojsonl\\.listing: length is 2, expected 6'],
    ['none', 'unfiltered', 'geojsonl\\.listing: is not a JSON object'],
    ['none', 'all', 'geojsonl\\.listing: is not a JSON object'],
  ] as const) {
    const files = encodeLevel('r', makeLevel(2, UNITS, written).index);
    const manifest = JSON.stringify({ ...JSON.parse(files.manifest), storedPages: declared });
    assertRefused(manifest, new RegExp(`^lv2/manifest\\.json arrays ${problem}$`), files.index);
  }
});

test('members and arrays that this version does not know are ignored, and the order of members means nothing', () => {
  const { arrays, ...head } = JSON_OF_LEVEL;
  const more = { more: 'later', arrays: { ...arrays, later: { type: 'i8' } } };
  for (const json of [
    { ...head, ...more },
    Object.fromEntries(Object.entries(JSON_OF_LEVEL).toReversed()),
    { ...head, arrays: Object.fromEntries(Object.entries(arrays).toReversed()) },
  ])
    assert.deepEqual(
      plain(decodeLevel({ manifest: JSON.stringify(json, null, 4), index: WRITTEN.index }, EXPECTED, FILES)),
      plainBytes(INDEX),
    );
});
