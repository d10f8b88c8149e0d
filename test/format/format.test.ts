// What both sides share besides a level's tables: cursors, paths, release.json, current.json, and indexing, in which what
// is missing throws.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currentFromJson } from '../../format/current-json.ts';
import { decodeCursor, encodeCursor } from '../../format/cursor.ts';
import { elementAt, numberAt } from '../../format/element-at.ts';
import { featureFilePath, gidToSegment, isReleaseId, pagePath } from '../../format/layout.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import { type Geometry, LEVELS, OTHER_GEOMETRIES, STORED_PAGES } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { type Release, releaseFromJson } from '../../format/release-json.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { currentToJson, releaseToJson } from '../../format/write/texts.ts';
import { assertRefusedOrRead } from './changed-json.ts';

const cursor = fc.record(
  {
    release: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
    content: fc.stringMatching(/^[0-9a-f]{8}$/),
    level: fc.constantFrom(...LEVELS),
    position: fc.nat(2 ** 31 - 1),
  },
  { noNullPrototype: true },
);

test('every cursor round-trips, is URL-safe and never all digits', () => {
  fc.assert(
    fc.property(cursor, (value) => {
      const text = encodeCursor(value);
      assert.deepEqual(decodeCursor(text), value);
      assert.match(text, /^[A-Za-z0-9_-]+$/);
      assert.doesNotMatch(text, /^\d+$/);
    }),
  );
});

test('a cursor changed in any one character, or cut short, or longer, is refused', () => {
  const text = encodeCursor({ release: '2026-11', content: '0a1b2c3d', level: 3, position: 4711 });
  for (let i = 0; i < text.length; i++) {
    for (const other of 'ABYZabyz0189-_.~%+/= é') {
      if (other === text[i]) continue;
      assert.equal(decodeCursor(text.slice(0, i) + other + text.slice(i + 1)), undefined, `${other} at ${i}`);
    }
    assert.equal(decodeCursor(text.slice(0, i)), undefined, `cut at ${i}`);
  }
  for (const more of ['A', '=', '\n', ' ']) assert.equal(decodeCursor(text + more), undefined);
});

test('release ids cannot name another folder', () => {
  for (const id of ['2026-11', 'v1.0', 'A', 'x'.repeat(64)]) assert.ok(isReleaseId(id), id);
  for (const id of ['', '.', '..', '.hidden', '-x', 'a/b', 'a b', 'é', 'x'.repeat(65), 'a\n'])
    assert.ok(!isReleaseId(id), id);
});

test('GIDs become path segments that neither escape nor collide, even where case is ignored', () => {
  const gid = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('A', 'a', '.', '/', '?', '~', '%', 'é', 'É') }),
  );
  fc.assert(
    fc.property(gid, gid, (a, b) => {
      const segment = gidToSegment(a);
      assert.match(segment, /^[A-Z0-9_.~a-z-]*$/);
      assert.ok(segment.length <= 120 && !segment.startsWith('.') && !segment.endsWith('.'));
      const same = Buffer.from(a).equals(Buffer.from(b));
      assert.equal(segment.toLowerCase() === gidToSegment(b).toLowerCase(), same);
    }),
  );
  assert.equal(gidToSegment('ITA.4_1'), 'ITA.4_1');
  assert.deepEqual(['?', '..', 'a', 'A/B'].map(gidToSegment), ['~3f', '~2e~2e', '~61', 'A~2fB']);
  assert.match(gidToSegment('X'.repeat(10_000)), /^~h[0-9a-f]{64}$/);
});

test('files are numbered from 1 with six digits, more where six do not suffice', () => {
  assert.equal(featureFilePath(3, 0), 'lv3/features/000001.geojsonl.gz');
  assert.equal(featureFilePath(5, 999_999), 'lv5/features/1000000.geojsonl.gz');
  assert.equal(featureFilePath(3, 0, 'full'), featureFilePath(3, 0));
  assert.equal(featureFilePath(3, 11, 'low'), 'lv3/low/features/000012.geojsonl.gz');
  assert.equal(pagePath(3, 'geojsonl', 'all', 0), 'lv3/geojsonl/all/000001.geojsonl.gz');
  assert.equal(pagePath(3, 'fc', 'all', 41), 'lv3/fc/all/000042.json.gz');
  assert.equal(
    pagePath(3, 'fc', { column: 1, gid: 'esp/7 1' }, 999_999),
    'lv3/fc/gid-1/~65~73~70~2f7~201/1000000.json.gz',
  );
});

/** A release of which every member differs from every other. */
const RELEASE: Release = {
  release: '2026-11',
  sequence: 17,
  date: '2026-11-22',
  source: [{ name: 'levels.gpkg', bytes: 4711, sha256: 'ab'.repeat(32) }],
  gdal: '3.12.3',
  precision: 7,
  storedPages: 'unfiltered',
  cells: false,
  neighbours: true,
  parquet: true,
  geometries: ['full', 'medium', 'none'],
  licence: 'CC-BY-4.0',
  attribution: ['Maker of "maps"', 'ébauche'],
  options: { where: ['lv1=NAME <> "é"', 'lv2=1'], 'keep-fids': [] },
  quality: [
    { level: 2, kind: 'empty-geometries', count: 3, example: 'levels.gpkg: layer ADM_2, fid 7, GID ?' },
    { level: 2, kind: 'overlapping', count: 1, example: 'fid 8', pairs: [{ gids: ['A', 'B'], km2: 0.5 }] },
  ],
  languages: ['fr', 'pt-BR'],
  levels: LEVELS.map((level) => ({
    level,
    layer: level === 5 ? '' : `ADM_${level}`,
    gidColumns: LEVELS.slice(0, level + 1).map((n) => `GID_${n}`),
    nameColumn: `NAME_${level}`,
    typeColumn: `TYPE_${level}`,
    searchColumns: level === 0 ? [] : [`VARNAME_${level}`, `ALT_${level}`],
    ...(level === 1 && { nameColumns: { fr: 'FR', 'pt-BR': 'PT' }, codeColumns: { ine: 'CC_1' } }),
    ...(level === 2 && {
      columns: [
        { name: 'fid', type: 'int64' },
        { name: '', type: 'json' },
      ],
    }),
    parquet: {
      bytes: 900 + level,
      sha256: `${level}e`.repeat(32),
      rows: 100 + level,
      digests: { bytes: 8, sha256: `${level}f`.repeat(32) },
    },
    isRenumbered: level % 2 === 1,
    features: 100 + level,
    orphans: 90 + level,
    listings: 10 + level,
    pages: { geojsonl: 20 + level, fc: 30 + level },
    bytes: 1000 + level,
    featureFiles: { files: 40 + level, bytes: 2000 + level },
    invalid: 80 + level,
    geometries: {
      medium: {
        featureFiles: { files: 50 + level, bytes: 5000 + level },
        index: { bytes: 700 + level, sha256: `${level}d`.repeat(32) },
        invalid: 60 + level,
      },
      none: {
        featureFiles: { files: 70 + level, bytes: 7000 + level },
        index: { bytes: 800 + level, sha256: `${level}e`.repeat(32) },
        invalid: 0,
      },
    },
    manifest: { bytes: 500 + level, sha256: `${level}a`.repeat(32) },
    index: { bytes: 600 + level, sha256: `${level}b`.repeat(32) },
    names: { bytes: 3000 + level, textBytes: 4000 + level, sha256: `${level}c`.repeat(32) },
    neighbours: {
      bytes: 10000 + level,
      sha256: `${level}1`.repeat(32),
      table: { bytes: 11000 + level, textBytes: 12000 + level, sha256: `${level}2`.repeat(32) },
    },
    nesting: level === 5 ? null : level / 8,
    words: { bytes: 9000 + level, sha256: `${level}f`.repeat(32) },
  })),
};

test('release.json round-trips, with any geometries and stored pages, in any order, and without what is optional', () => {
  const { date, licence, ...least } = RELEASE;
  const [{ geometries: some }] = RELEASE.levels as readonly [LevelSummary];
  const summaries = (names: readonly Geometry[]) => Object.fromEntries(names.map((name) => [name, some.medium]));
  const others = fc.subarray([...OTHER_GEOMETRIES]);
  fc.assert(
    fc.property(others, fc.constantFrom(...STORED_PAGES), fc.boolean(), (geometries, storedPages, isLeast) => {
      const levels = RELEASE.levels.map((level) => ({ ...level, geometries: summaries(geometries) }));
      const more = { storedPages, geometries: ['full' as const, ...geometries], levels };
      const release = { ...(isLeast ? least : RELEASE), ...more };
      const text = releaseToJson(release);
      assert.deepEqual(releaseFromJson(text, 'r'), release);
      assert.ok(text.startsWith('{\n  "version": 7,\n') && text.endsWith('\n}\n'), 'people read it');
      const reversed = levels.map((level) => ({ ...level, geometries: summaries(geometries.toReversed()) }));
      const read = releaseFromJson(JSON.stringify({ ...JSON.parse(text), levels: reversed }), 'r');
      assert.deepEqual(read, release);
      for (const level of read.levels) assert.deepEqual(Object.keys(level.geometries), geometries);
    }),
  );
});

test('a release.json with a member that is missing or another value is refused by file and member, or read as it is', () => {
  const json = JSON.parse(releaseToJson(RELEASE));
  const read = (text: string) => JSON.parse(releaseToJson(releaseFromJson(text, 'r')));
  // Of the levels some have all kinds of members.
  const refused = assertRefusedOrRead(json, 'r', read, (path) => !/^levels\.[0345]\./.test(path));
  assert.ok(refused > 1000, `${refused}`);
  const long = 'x'.repeat(10_001);
  const ofLevel = (change: object): object => ({ levels: json.levels.with(3, { ...json.levels[3], ...change }) });
  const more: [object, string][] = [
    [{ date: '2026-02-30' }, ': date is "2026-02-30", expected YYYY-MM-DD'],
    ...[
      ['full', 'none', 'medium'],
      ['full', 'full'],
    ].map((geometries): [object, string] => [
      { geometries },
      `: geometries is ${JSON.stringify(geometries)}, expected some of full, medium, low, point, none, full first`,
    ]),
    [
      { quality: [{ ...json.quality[1], pairs: [{ gids: ['A'], km2: 1 }] }] },
      ' quality[0] pairs[0]: 1 gids, expected 2',
    ],
    [{ precision: 13 }, ': precision is 13, expected 0 to 12'],
    [{ precision: 'x'.repeat(1e6) }, `: precision is "${'x'.repeat(99)}..., expected a whole number`],
    [{ attribution: Array(7).fill(long.slice(1)) }, ': attribution has 70000 characters, at most 65536 are possible'],
    ...(
      [
        [{ attribution: ['a', long] }, ': attribution'],
        [{ licence: long }, ': licence'],
        [ofLevel({ attribution: [long] }), ' levels[3]: attribution'],
        [ofLevel({ nameColumn: long }), ' levels[3]: nameColumn'],
        [ofLevel({ typeColumn: long }), ' levels[3]: typeColumn'],
        [ofLevel({ gidColumns: [long] }), ' levels[3]: gidColumns'],
      ] as const
    ).map(([change, where]): [object, string] => [
      change,
      `${where} has a text of 10001 characters, at most 10000 are possible`,
    ]),
  ];
  for (const [change, message] of more)
    assert.throws(() => read(JSON.stringify({ ...json, ...change })), {
      name: FormatError.name,
      message: `r${message}`,
    });
  assert.deepEqual(releaseFromJson(JSON.stringify({ ...json, more: 'later' }), 'r'), RELEASE, 'unknown members');
});

test('current.json round-trips; one that names a release that is not hosted, could not be, or has no digest, is refused', () => {
  const [a, b] = ['0f'.repeat(32), '1e'.repeat(32)];
  const digests = new Map([
    ['a', a],
    ['b', b],
  ]);
  const current = { release: 'b', hosted: ['a', 'b'], digests };
  assert.deepEqual(currentFromJson(currentToJson(current), 'c'), current);
  const json = JSON.parse(currentToJson(current));
  const read = (text: string) => JSON.parse(currentToJson(currentFromJson(text, 'c')));
  // A digest of a release that is not hosted means nothing.
  assertRefusedOrRead(json, 'c', read, (path) => path !== 'hosted.0');
  for (const [change, message] of [
    [{ hosted: ['b', '..'] }, /^c: hosted names "\.\.", expected 1 to 64 of/],
    [{ digests: { a, b: b.toUpperCase() } }, /^c: digests\.b is "1E[1E]*", expected a SHA-256 in hex$/],
    [{ digests: { a: a.slice(2), b } }, /^c: digests\.a is "[0f]*", expected a SHA-256 in hex$/],
  ] as const)
    assert.throws(() => read(JSON.stringify({ ...json, ...change })), { name: FormatError.name, message });
  assert.throws(() => currentFromJson('[]', 'c'), { name: FormatError.name, message: 'c: is not a JSON object' });
});

test('another format version is an error of its own kind, with what to do, whatever else the file has', () => {
  for (const [version, remedy] of [
    [2, 'build the release again from its source'],
    [4, 'build the release again from its source'],
    [6, 'build the release again from its source'],
    [8, 'read it with a newer version'],
  ] as const)
    for (const read of [releaseFromJson, currentFromJson])
      assert.throws(
        () => read(JSON.stringify({ version }), 'f'),
        (error) =>
          error instanceof FormatVersionError &&
          error.message === `f: format version is ${version}, expected 7: ${remedy}`,
      );
});

test('elementAt and numberAt return elements that are 0, empty or null, and throw for an index before, after or between the elements', () => {
  assert.deepEqual([elementAt(['', null], 0), elementAt(['', null], 1)], ['', null]);
  assert.deepEqual([numberAt([0, 7], 0), numberAt([0, 7], 1), elementAt(Int32Array.of(0), 0)], [0, 7, 0]);
  for (const index of [-1, 2, 0.5, Number.NaN]) {
    const expected = { name: 'RangeError', message: `index ${index} of 2` };
    assert.throws(() => elementAt(['a', 'b'], index), expected);
    assert.throws(() => elementAt(Uint32Array.of(1, 2), index), expected);
    assert.throws(() => numberAt([1, 2], index), expected);
  }
});
