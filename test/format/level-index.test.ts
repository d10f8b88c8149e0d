// The index of a level: look-ups by fid, position, file, listing and page, against levels made by plain means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { joinSums, swapSeparator } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA, MEMBER_HEADER, memberEnd, SEPARATORS } from '../../format/gzip.ts';
import type { ListingKey } from '../../format/layout.ts';
import { firstPages, LevelIndex } from '../../format/level-index.ts';
import {
  FEATURES_PER_FILE,
  FORMATS,
  type Format,
  FRAMES,
  LEVELS,
  type Level,
  PAGE_CAPS,
  STORED_PAGES,
} from '../../format/levels.ts';
import { positionsIn } from '../../format/positions.ts';
import { chain, digestOf, type MadeLevel, makeLevel, type Unit } from './make-level.ts';

const gid = fc.constantFrom('A', 'B', 'C', 'é', '?', null);
/** Units of level 2, whose children are scattered; some have no GID of a parent. */
const rows = fc.array(fc.tuple(gid, gid, fc.string({ maxLength: 30 })), { maxLength: 70 });

function unitsOf(cells: readonly (readonly [string | null, string | null, string])[]): Unit[] {
  return cells.map(([a, b, content], i) => ({
    fid: 3 * i + (i > 20 ? 7 : 0),
    text: `${JSON.stringify(content)}\n`,
    gids: [a, b, `U${i}`, `V${i}`, `W${i}`, `X${i}`],
  }));
}

/** Levels 0 and 1 have files of 100 features: 250 units are three. */
const UNITS: readonly Unit[] = Array.from({ length: 250 }, (_, i) => ({
  fid: 10 * i,
  text: `${'x'.repeat(i)}\n`,
  gids: [i < 240 ? `P${i % 3}` : null, `U${i}`],
}));
const LARGE = makeLevel(1, UNITS, 'all');
/** The same with every third unit alone in its file, and the others chained to the one before them. */
const CHAINED = makeLevel(
  1,
  chain(1, UNITS).map((unit, i) => (i % 3 === 0 ? elementAt(UNITS, i) : unit)),
  'all',
);

test('a fid finds its position, and any other number that of the next greater one', () => {
  fc.assert(
    fc.property(rows, fc.nat(250), (cells, fid) => {
      const units = unitsOf(cells);
      const { index } = makeLevel(2, units, 'none');
      const next = units.findIndex((unit) => unit.fid >= fid);
      assert.equal(index.positionOf(fid), next === -1 ? units.length : next);
      for (const [position, unit] of units.entries()) {
        assert.equal(index.fidAt(position), unit.fid);
        assert.equal(index.positionOf(unit.fid), position);
      }
    }),
  );
  for (const position of [-1, 250]) assert.throws(() => LARGE.index.fidAt(position), RangeError);
});

test('fids up to 2^53 - 1 are exact', () => {
  const fids = [0, 2 ** 31, 2 ** 32, 2 ** 53 - 2, 2 ** 53 - 1];
  const { index } = makeLevel(
    0,
    fids.map((fid) => ({ fid, text: '\n', gids: [null] })),
    'none',
  );
  assert.deepEqual(
    fids.map((fid) => index.positionOf(fid)),
    [0, 1, 2, 3, 4],
  );
  assert.equal(index.positionOf(2 ** 32 + 1), 3);
});

test('bytes and CRCs of any range are those of its data and texts, also across files', () => {
  fc.assert(
    fc.property(fc.nat(250), fc.nat(250), (a, b) => {
      const [first, end] = [Math.min(a, b), Math.max(a, b)];
      const { index, data, texts } = LARGE;
      const [range, text] = [data, texts].map((parts) => Buffer.concat(parts.slice(first, end)));
      assert.ok(range && text);
      assert.deepEqual([index.chained.bytes(first, end), index.chained.crc(first, end)], [range.length, crc32(range)]);
      assert.deepEqual([index.textBytes(first, end), index.textCrc(first, end)], [text.length, crc32(text)]);
      assert.equal(index.textCrc(first, end, crc32('before ')), crc32(`before ${text}`));
      assert.deepEqual(Buffer.from(index.digests(first, end)), Buffer.concat(data.slice(first, end).map(digestOf)));
      // Without arithmetic: bytes that were read continue the CRC of all before them.
      assert.equal(crc32(range, elementAt(index.arrays.dataCrc, first)), elementAt(index.arrays.dataCrc, end));
    }),
  );
});

/** The gzip body of a run in a format, from the bytes of the files alone, as README.md says it. */
function framedBody({ index, files, alone }: MadeLevel, format: Format, first: number, end: number): Buffer {
  const { before, after } = FRAME_DATA[format];
  const pieces: Buffer[] = [];
  for (let position = first; position < end; position++) {
    const data = position === first ? index.aloneAt(position) : index.chained;
    const file = elementAt(data === index.alone ? alone : files, index.fileOf(position));
    const piece = Buffer.from(file.subarray(data.offsetAt(position)).subarray(0, data.bytes(position, position + 1)));
    if (position + 1 < end) piece[piece.length - 1] = SEPARATORS[format];
    pieces.push(piece);
  }
  assert.equal(Buffer.concat(pieces).length, index.runBytes(first, end));
  const crc = index.textCrc(first, end, before.crc, format);
  const sum = {
    crc: format === 'fc' ? swapSeparator(crc) : crc,
    length: before.length + index.textBytes(first, end),
  };
  return Buffer.concat([MEMBER_HEADER, before.data, ...pieces, after.data, memberEnd(joinSums(sum, after))]);
}

test('any run whose first feature is alone is a gzip file in either format, with features that are chained or not', () => {
  fc.assert(
    fc.property(fc.nat(249), fc.nat(120), fc.constantFrom(...FORMATS), (first, more, format) => {
      const end = Math.min(first + more + 1, 250);
      const { before, separator, after } = FRAMES[format];
      const texts = CHAINED.texts.slice(first, end).map((text) => text.toString().trimEnd());
      const text = gunzipSync(framedBody(CHAINED, format, first, end)).toString();
      assert.equal(text, `${before}${texts.join(separator)}\n${after}`);
    }),
  );
});

test('the position before which there are so many bytes is found, and the first or last one for fewer or more', () => {
  const { chained } = CHAINED.index;
  fc.assert(
    fc.property(fc.nat(249), fc.nat(250), fc.nat(20_000), (first, more, bytes) => {
      const end = Math.min(250, first + more);
      const found = chained.positionAt(bytes, first, end);
      assert.ok(found >= first && found <= end && chained.bytes(first, found) <= bytes);
      assert.ok(found === end || chained.bytes(first, found + 1) > bytes);
    }),
  );
  assert.equal(chained.positionAt(-1, 3, 9), 3);
});

test('offsets and lengths beyond 2^32 are exact', () => {
  const { index } = makeLevel(
    0,
    [1, 2, 3].map((fid) => ({ fid, text: '\n', gids: [null] })),
    'none',
  );
  const start = Float64Array.of(0, 2 ** 32 + 1, 2 ** 33 + 3, 2 ** 33 + 10);
  const far = new LevelIndex(0, 'none', { ...index.arrays, start, textStart: start.map((bytes) => 5 * bytes) });
  assert.deepEqual(
    [0, 1, 2].map((position) => far.chained.offsetAt(position)),
    [10, 2 ** 32 + 11, 2 ** 33 + 13],
  );
  assert.deepEqual([far.chained.bytes(1, 3), far.textBytes(1, 2)], [2 ** 32 + 9, 5 * (2 ** 32 + 2)]);
});

test('positions that the level does not have are errors, not numbers', () => {
  const { index } = LARGE;
  for (const [first, end] of [
    [0, 251],
    [-1, 5],
  ] as const)
    for (const ask of [
      () => index.chained.bytes(first, end),
      () => index.chained.crc(first, end),
      () => index.textBytes(first, end),
      () => index.textCrc(first, end),
    ])
      assert.throws(ask, RangeError);
  assert.throws(() => index.chained.offsetAt(-1), RangeError);
  assert.throws(() => index.chained.offsetAt(251), RangeError);
});

/** The listings of a level as the specification orders them, with their positions. */
function listingsOf(level: Level, units: readonly Unit[]): { key: ListingKey; positions: number[] }[] {
  const all = [...units.keys()];
  const listings: { key: ListingKey; positions: number[] }[] = [{ key: 'all', positions: all }];
  for (let column = 0; column < level; column++) {
    const gids = [...new Set(units.map(({ gids }) => gids[column] ?? null))].filter((one) => one !== null);
    for (const one of gids.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
      listings.push({
        key: { column, gid: one },
        positions: all.filter((position) => units[position]?.gids[column] === one),
      });
  }
  return listings;
}

test('listings are numbered: the unfiltered one, then column by column each GID in byte order', () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(...LEVELS), (cells, level) => {
      const units = unitsOf(cells.slice(0, 30));
      const { index } = makeLevel(level, units, 'none');
      const listings = listingsOf(level, units);
      assert.equal(index.listings, listings.length);
      for (const [number, { key, positions }] of listings.entries()) {
        assert.deepEqual(index.listingKey(number), key);
        const found = index.listingPositions(number);
        assert.deepEqual([...positionsIn(found.slice(0, found.count))], positions);
        if (key === 'all') continue;
        const column = elementAt(index.columns, key.column);
        assert.equal(index.listingOf(key.column, column.find(key.gid)), number);
      }
    }),
  );
});

for (const stored of STORED_PAGES)
  test(`with stored pages ${stored} a page is found exactly where it is cut, under its number`, () => {
    fc.assert(
      fc.property(rows, fc.constantFrom<Level>(0, 2), (cells, level) => {
        const units = unitsOf(cells);
        const { index } = makeLevel(level, units, stored);
        for (const format of FORMATS) {
          const cap = PAGE_CAPS[format][level];
          const table = index.arrays.pages?.[format];
          let number = 0;
          for (const [listing, { key, positions }] of listingsOf(level, units).entries()) {
            const isStored = stored === 'all' || (stored === 'unfiltered' && key === 'all');
            const { length } = positions;
            for (let rank = 0; rank < length; rank += cap) {
              const count = Math.min(cap, length - rank);
              const page = index.storedPage(format, listing, length, rank, count);
              if (!isStored) assert.equal(page, undefined);
              else {
                assert.deepEqual(page, { number, bytes: table?.bytes[number] });
                const digest = Buffer.from(table?.digest.subarray(8 * number, 8 * number + 8) ?? []);
                assert.equal(index.pageDigest(format, number), digest.toString('hex'));
                number++;
              }
              // One feature fewer, one more, and one later are slices.
              for (const [from, many] of [
                [rank, count - 1],
                [rank, count + 1],
                [rank + 1, count],
              ] as const)
                if (cap > 1) assert.equal(index.storedPage(format, listing, length, from, many), undefined);
            }
          }
          assert.equal(table?.bytes.length ?? 0, number, 'no page is left over');
        }
      }),
    );
  });

test('pages are counted by caps, and page tables begin where the listing before ends', () => {
  // 250 units, 80 of each of three parents: 13 pages of 20, then 4 of each.
  const { columns } = LARGE.index;
  assert.deepEqual([...firstPages(1, 'geojsonl', 250, columns, 'all')], [0, 13, 17, 21, 25]);
  assert.deepEqual([...firstPages(1, 'fc', 250, columns, 'all')], [0, 50, 66, 82, 98]);
  assert.deepEqual([...firstPages(1, 'fc', 250, columns, 'unfiltered')], [0, 50]);
  assert.deepEqual([...firstPages(1, 'fc', 250, columns, 'none')], [0]);
  assert.deepEqual([...firstPages(0, 'fc', 0, columns, 'all')], [0, 0], 'an empty level has an empty listing');
});

test('a level without features has no files, no pages and one empty listing', () => {
  for (const level of LEVELS)
    for (const stored of STORED_PAGES) {
      const { index } = makeLevel(level, [], stored);
      assert.deepEqual([index.features, index.files, index.listings], [0, 0, 1]);
      assert.deepEqual(
        [index.all.count, index.positionOf(0), index.chained.bytes(0, 0), index.chained.crc(0, 0)],
        [0, 0, 0, 0],
      );
      assert.equal(index.storedPage('fc', 0, 0, 0, 0), undefined);
      assert.equal(index.perFile, FEATURES_PER_FILE[level]);
    }
});
