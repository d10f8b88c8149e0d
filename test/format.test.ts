// What both sides share: runs, cursors, path segments, CRC arithmetic, manifests. Mostly properties over many inputs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from '../format/cursor.ts';
import { deflateBlock, EMPTY_SUM, GZIP_HEADER, gzipTrailer, joinSums, LAST_BLOCK, sumOf } from '../format/gzip.ts';
import { gidToSegment, isReleaseId } from '../format/layout.ts';
import { LEVELS, PAGE_CAPS } from '../format/levels.ts';
import { listingsOf } from '../format/listing.ts';
import { columnFrom, type Manifest, manifestFromJson, manifestToJson, pageCount } from '../format/manifest.ts';
import { FormatError } from '../format/parse.ts';
import { countOf, intersectRuns, pushValue, type Runs, rankOf, sliceRuns, valueAt, valuesOf } from '../format/runs.ts';

const numbers = fc.uniqueArray(fc.nat(60)).map((list) => list.sort((a, b) => a - b));

function runsFrom(list: readonly number[]): Runs {
  const runs: number[] = [];
  for (const value of list) pushValue(runs, value);
  return runs;
}

test('runs behave as the sorted sets they stand for', () => {
  fc.assert(
    fc.property(numbers, numbers, fc.nat(70), fc.nat(70), (a, b, from, limit) => {
      const runs = runsFrom(a);
      assert.deepEqual([...valuesOf(runs)], a);
      assert.equal(countOf(runs), a.length);
      assert.equal(rankOf(runs, from), a.filter((value) => value < from).length);
      assert.equal(valueAt(runs, from), a[from]);
      assert.deepEqual([...valuesOf(sliceRuns(runs, from, limit))], a.slice(from, from + limit));
      assert.deepEqual(intersectRuns(runs, runsFrom(b)), runsFrom(a.filter((value) => b.includes(value))));
    }),
  );
});

const cursor = fc.record(
  {
    release: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
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
  const text = encodeCursor({ release: '2026-11', level: 3, position: 4711 });
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

test('sums of pieces join to the sum of the whole', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 6 }), (pieces) => {
      const joined = pieces.map(sumOf).reduce((a, b) => joinSums(a, b), EMPTY_SUM);
      const whole = Buffer.concat(pieces);
      assert.deepEqual(joined, { crc: crc32(whole), length: whole.length });
    }),
  );
});

test('deflated blocks join to one gzip member that gunzip reads', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (texts) => {
      const pieces = texts.map((text) => Buffer.from(text));
      const sum = pieces.map(sumOf).reduce((a, b) => joinSums(a, b), EMPTY_SUM);
      const member = Buffer.concat([
        GZIP_HEADER,
        ...pieces.map((piece) => deflateBlock(piece)),
        LAST_BLOCK,
        gzipTrailer(sum),
      ]);
      assert.equal(gunzipSync(member).toString(), texts.join(''));
    }),
  );
});

/** A manifest whose page sizes and blocks are made up, but add up. */
function manifestOf(gids: (string | null)[][], fids: number[]): Manifest {
  const level = 2;
  const features = fids.length;
  const columns = gids.map((column, n) => columnFrom(`GID_${n}`, column));
  const pages = (format: 'geojsonl' | 'fc') =>
    listingsOf(level, features, columns).reduce((sum, listing) => sum + pageCount(level, format, listing.features), 0);
  const table = (format: 'geojsonl' | 'fc') => ({
    bytes: Array.from({ length: pages(format) }, () => 120),
    digests: 'AAAAAAAAAAA'.repeat(pages(format)),
  });
  const cap = PAGE_CAPS.geojsonl[level];
  const blocks = Array.from({ length: Math.ceil(features / cap) }, (_, i) => [
    { features: Math.min(cap, features - i * cap), bytes: 100, text: 300, crc: 2 ** 32 - 1 },
  ]);
  return {
    release: 'r',
    level,
    features,
    fids: runsFrom(fids),
    columns,
    pages: { geojsonl: table('geojsonl'), fc: table('fc') },
    blocks,
  };
}

test('manifests round-trip, with parents whose children are scattered and units without a GID', () => {
  const gid = fc.constantFrom('A', 'B', 'C', '?', null);
  fc.assert(
    fc.property(fc.array(fc.tuple(gid, gid, gid), { maxLength: 130 }), (rows) => {
      const fids = rows.map((_, i) => i * 3 + (i > 50 ? 1 : 0));
      const manifest = manifestOf(
        [0, 1, 2].map((n) => rows.map((row) => row[n] ?? null)),
        fids,
      );
      assert.deepEqual(plain(manifestFromJson(manifestToJson(manifest), 'm')), plain(manifest));
    }),
  );
});

/** A manifest as data alone, with what its columns find. */
function plain(manifest: Manifest): object {
  const columns = manifest.columns.map(({ name, gids, covers, find }) => ({
    name,
    units: gids.map((gid, at) => ({ gid, found: find(gid), runs: covers.at(at), size: covers.sizeOf(at) })),
    none: find('no such GID'),
  }));
  return { ...manifest, columns };
}

test('a manifest that contradicts itself is refused with its name and what was expected', () => {
  const manifest = manifestOf(
    [
      ['A', 'A', 'B'],
      ['A', 'B', 'B'],
      ['x', 'y', 'z'],
    ],
    [4, 5, 9],
  );
  const json = JSON.parse(manifestToJson(manifest));
  const broken: [object, RegExp][] = [
    [{ version: 2 }, /m: format version is 2, expected 1/],
    [{ level: 6 }, /m: level is 6/],
    [{ features: 4 }, /m: 3 fids, expected 4/],
    [{ fids: [9, 1, 4, 2] }, /m: fids\[2\] is out of order/],
    [{ columns: json.columns.slice(1) }, /m: 2 columns, expected 3/],
    [
      { columns: [{ name: 'GID_0', gids: ['A'], runs: [2, 1] }, ...json.columns.slice(1)] },
      /runs name 2 GIDs, expected 1/,
    ],
    [
      { columns: [{ name: 'GID_0', gids: ['A'], runs: [2] }, ...json.columns.slice(1)] },
      /runs cover 2 features, expected 3/,
    ],
    [{ pages: { ...json.pages, fc: { ...json.pages.fc, bytes: [1] } } }, /pages\.fc: 1 pages, expected/],
    [{ pages: { ...json.pages, fc: { ...json.pages.fc, cap: 7 } } }, /pages\.fc: cap is 7, expected 20/],
    [{ blocks: [[2, 100, 300, 1]] }, /blocks\[0\] hold 2 features, expected 3/],
    [{ blocks: [[3, 99, 300, 1]] }, /blocks\[0\] end at byte 119, expected 120/],
    [{ release: 5 }, /release is 5, expected text/],
  ];
  const twice = { columns: [{ name: 'GID_0', gids: ['A', 'A'], runs: [2, 1] }, ...json.columns.slice(1)] };
  const [column] = manifestFromJson(JSON.stringify({ ...json, ...twice }), 'm').columns;
  assert.throws(() => column?.find('A'), { name: FormatError.name, message: /a GID is listed twice/ });
  for (const [change, message] of broken) {
    assert.throws(() => manifestFromJson(JSON.stringify({ ...json, ...change }), 'm'), {
      name: FormatError.name,
      message,
    });
  }
  assert.throws(() => manifestFromJson('{', 'm'), /m: is not JSON/);
});
