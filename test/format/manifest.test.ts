// Cursor manifests: what is written is what is read, page tables fit the listings and what is stored, and nothing that
// contradicts itself is accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Format, Level, StoredPages } from '../../format/levels.ts';
import { FEATURES_PER_FILE, FORMATS, LEVELS, PAGE_CAPS, STORED_PAGES } from '../../format/levels.ts';
import { listingsOf, pageStart } from '../../format/listing.ts';
import {
  type Column,
  columnFrom,
  digestOf,
  type Manifest,
  manifestFromJson,
  manifestToJson,
  type PageTable,
  pageCount,
  storedPageCount,
} from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import { countOf, pushValue } from '../../format/runs.ts';

/** The pages that are files under each choice, counted listing by listing. */
function storedPagesOf(level: Level, format: Format, stored: StoredPages, features: number, columns: Column[]): number {
  return listingsOf(level, features, columns)
    .filter(({ key }) => stored === 'all' || (stored === 'unfiltered' && key === 'all'))
    .reduce((sum, listing) => sum + pageCount(level, format, listing.features), 0);
}

/** A manifest whose pages are made up: page i has 120 + i bytes, and a digest of its own. */
function manifestOf(
  level: Level,
  gids: (string | null)[][],
  fids: readonly number[],
  stored: StoredPages = 'all',
): Manifest {
  const features = fids.length;
  const columns = gids.map((column, n) => columnFrom(`GID_${n}`, column));
  const table = (format: Format): PageTable => {
    const pages = Array.from({ length: storedPagesOf(level, format, stored, features, columns) }, (_, i) => i);
    return {
      bytes: pages.map((page) => 120 + page),
      digests: pages.map((page) => digestOf(Buffer.from(`${format} ${page}`))).join(''),
    };
  };
  const runs: number[] = [];
  for (const fid of fids) pushValue(runs, fid);
  return {
    release: 'r',
    level,
    features,
    fids: runs,
    columns,
    featuresPerFile: FEATURES_PER_FILE[level],
    storedPages: stored,
    pages: { geojsonl: table('geojsonl'), fc: table('fc') },
  };
}

const gid = fc.constantFrom('A', 'B', 'C', '?', null);
const rows = fc.array(fc.tuple(gid, gid, gid), { maxLength: 130 });

/** A manifest of level 2 with parents whose children are scattered, units without a GID, and gaps between fids. */
function manifestFromRows(units: readonly (readonly (string | null)[])[], stored: StoredPages): Manifest {
  const fids = units.map((_, i) => i * 3 + (i > 50 ? 1 : 0));
  const columns = [0, 1, 2].map((n) => units.map((unit) => unit[n] ?? null));
  return manifestOf(2, columns, fids, stored);
}

/** A manifest as data alone, with what its columns find. */
function plain(manifest: Manifest): object {
  const columns = manifest.columns.map(({ name, gids, covers, find }) => ({
    name,
    units: gids.map((gid, at) => ({ gid, found: find(gid), runs: covers.at(at), size: covers.sizeOf(at) })),
    none: find('no such GID'),
  }));
  return { ...manifest, columns };
}

for (const stored of STORED_PAGES) {
  test(`manifests round-trip with stored pages ${stored}, children scattered and units without a GID`, () => {
    fc.assert(
      fc.property(rows, (units) => {
        const manifest = manifestFromRows(units, stored);
        assert.deepEqual(plain(manifestFromJson(manifestToJson(manifest), 'm')), plain(manifest));
      }),
    );
  });
}

test('columns are written as runs: a new GID, a GID again, no GID', () => {
  const cases: [(string | null)[], number[]][] = [
    [[], []],
    [['A'], [1]],
    [
      ['A', 'A', 'B'],
      [2, 1],
    ],
    [
      ['A', 'B', 'A', 'A'],
      [1, 1, -1, 2],
    ],
    [
      ['A', 'B', 'C', 'B', 'A'],
      [1, 1, 1, -2, 1, -1, 1],
    ],
    [
      [null, null, 'A', null, 'A'],
      [0, 2, 1, 0, 1, -1, 1],
    ],
    [[null], [0, 1]],
  ];
  for (const [gids, runs] of cases) {
    const json = JSON.parse(manifestToJson(manifestOf(0, [gids], [...gids.keys()])));
    assert.deepEqual(json.columns[0].runs, runs, JSON.stringify(gids));
  }
});

test('as many pages are stored as the listings have that are: all of them, the unfiltered one, none', () => {
  fc.assert(
    fc.property(rows, (units) => {
      const { level, features, columns } = manifestFromRows(units, 'none');
      for (const format of FORMATS)
        for (const stored of STORED_PAGES)
          assert.equal(
            storedPageCount(level, format, features, columns, stored),
            storedPagesOf(level, format, stored, features, [...columns]),
          );
    }),
  );
});

test('pages are numbered listing by listing, and hold every feature of each listing once', () => {
  fc.assert(
    fc.property(rows, (units) => {
      const { level, features, columns } = manifestFromRows(units, 'all');
      const listings = listingsOf(level, features, columns);
      const keys = [0, 1].flatMap((column) => (columns[column]?.gids ?? []).map((gid) => ({ column, gid })));
      assert.deepEqual(
        listings.map(({ key }) => key),
        ['all', ...keys],
      );
      for (const format of FORMATS) {
        let number = 0;
        for (const listing of listings) {
          assert.equal(listing.firstPage[format], number);
          const pages = pageCount(level, format, listing.features);
          assert.equal(countOf(listing.runs), listing.features);
          assert.ok(pageStart(level, format, pages) >= listing.features);
          assert.ok(pages === 0 || pageStart(level, format, pages - 1) < listing.features);
          number += pages;
        }
        assert.equal(number, storedPageCount(level, format, features, columns, 'all'));
      }
    }),
  );
});

test('every level has its own caps and its own number of features to a file', () => {
  for (const level of LEVELS) {
    const columns = Array.from({ length: level + 1 }, () => Array.from({ length: 120 }, (_, i) => `U${i}`));
    const manifest = manifestOf(level, columns, [...Array(120).keys()], 'unfiltered');
    const json = JSON.parse(manifestToJson(manifest));
    assert.equal(json.featuresPerFile, level < 2 ? 100 : 1000);
    for (const format of FORMATS) {
      assert.equal(json.pages[format].cap, PAGE_CAPS[format][level]);
      assert.equal(json.pages[format].bytes.length, Math.ceil(120 / PAGE_CAPS[format][level]));
    }
    for (const featuresPerFile of [0, 1, 50, 10_000])
      assert.throws(() => manifestFromJson(JSON.stringify({ ...json, featuresPerFile }), 'm'), {
        name: FormatError.name,
        message: `m: featuresPerFile is ${featuresPerFile}, expected ${FEATURES_PER_FILE[level]}`,
      });
  }
});

test('a manifest that contradicts itself is refused with its name and what was expected', () => {
  const manifest = manifestOf(
    2,
    [
      ['A', 'A', 'B'],
      ['A', 'B', 'B'],
      ['x', 'y', 'z'],
    ],
    [4, 5, 9],
  );
  const json = JSON.parse(manifestToJson(manifest));
  const column = (change: object) => ({
    columns: [{ name: 'GID_0', gids: ['A'], runs: [3], ...change }, ...json.columns.slice(1)],
  });
  const table = (format: Format, change: object) => ({
    pages: { ...json.pages, [format]: { ...json.pages[format], ...change } },
  });
  const broken: [object, RegExp][] = [
    [{ version: 1 }, /^m: format version is 1, expected 2$/],
    [{ version: 3 }, /^m: format version is 3, expected 2$/],
    [{ level: 6 }, /^m: level is 6/],
    [{ features: 4 }, /^m: 3 fids, expected 4/],
    [{ fids: [9, 1, 4, 2] }, /^m: fids\[2\] is out of order/],
    [{ fids: [4, 0, 5, 3] }, /^m: fids\[0\] is out of order/],
    [{ fids: [4, 2, 5, 1] }, /^m: fids\[2\] is out of order/],
    [{ columns: json.columns.slice(1) }, /^m: 2 columns, expected 3/],
    [column({ runs: [2, 1] }), /^m columns\[0\]: runs name 2 GIDs, expected 1/],
    [column({ runs: [2] }), /^m columns\[0\]: runs cover 2 features, expected 3/],
    [column({ runs: [-1, 3] }), /^m columns\[0\]: runs\[1\] is out of range/],
    [column({ runs: [1, -2, 2] }), /^m columns\[0\]: runs\[2\] is out of range/],
    [column({ runs: [1, -1, 0, 2] }), /^m columns\[0\]: runs\[2\] is out of range/],
    [column({ runs: [3, 0] }), /^m columns\[0\]: runs\[2\] is out of range/],
    [column({ runs: [1.5, 1.5] }), /^m columns\[0\]: runs\[0\] is 1\.5, expected a whole number/],
    [column({ gids: [1] }), /^m columns\[0\]: gids\[0\] is 1, expected text/],
    [table('fc', { bytes: [1] }), /^m pages\.fc: 1 pages, expected 5$/],
    [table('fc', { bytes: [...json.pages.fc.bytes, 1] }), /^m pages\.fc: 6 pages, expected 5$/],
    [table('fc', { digests: 'A'.repeat(44) }), /^m pages\.fc: digests for 4 pages, expected 5$/],
    [table('geojsonl', { digests: `${json.pages.geojsonl.digests}A` }), /^m pages\.geojsonl: digests for 5\.09/],
    [table('geojsonl', { bytes: [1, 1, 1, 1, '1'] }), /^m pages\.geojsonl: bytes\[4\] is "1"/],
    [table('fc', { cap: 7 }), /^m pages\.fc: cap is 7, expected 20$/],
    [table('geojsonl', { cap: 20 }), /^m pages\.geojsonl: cap is 20, expected 50$/],
    [{ pages: { fc: json.pages.fc } }, /^m pages\.geojsonl: is not a JSON object$/],
    [{ featuresPerFile: 100 }, /^m: featuresPerFile is 100, expected 1000$/],
    [{ featuresPerFile: undefined }, /^m: featuresPerFile is undefined, expected a whole number$/],
    [{ storedPages: 'some' }, /^m: storedPages is "some", expected one of all, unfiltered, none$/],
    [{ storedPages: undefined }, /^m: storedPages is undefined, expected text$/],
    // The tables are those of all listings.
    [{ storedPages: 'unfiltered' }, /^m pages\.geojsonl: 5 pages, expected 1$/],
    [{ storedPages: 'none' }, /^m pages\.geojsonl: 5 pages, expected 0$/],
    [{ release: 5 }, /^m: release is 5, expected text/],
  ];
  for (const [change, message] of broken)
    assert.throws(() => manifestFromJson(JSON.stringify({ ...json, ...change }), 'm'), {
      name: FormatError.name,
      message,
    });
  assert.throws(() => manifestFromJson('{', 'm'), /m: is not JSON/);
  assert.deepEqual(
    plain(manifestFromJson(JSON.stringify({ ...json, more: 'later' }), 'm')),
    plain(manifest),
    'unknown members are ignored',
  );
});

test('tables of fewer pages than are stored are refused under every choice', () => {
  const units = Array.from({ length: 130 }, (_, i) => [`A${i % 3}`, `B${i}`, `C${i}`]);
  for (const [declared, written] of [
    ['all', 'unfiltered'],
    ['all', 'none'],
    ['unfiltered', 'none'],
    ['unfiltered', 'all'],
    ['none', 'unfiltered'],
    ['none', 'all'],
  ] as const) {
    const json = JSON.parse(manifestToJson(manifestFromRows(units, written)));
    const expected = JSON.parse(manifestToJson(manifestFromRows(units, declared))).pages.geojsonl.bytes.length;
    assert.throws(() => manifestFromJson(JSON.stringify({ ...json, storedPages: declared }), 'm'), {
      name: FormatError.name,
      message: `m pages.geojsonl: ${json.pages.geojsonl.bytes.length} pages, expected ${expected}`,
    });
  }
});

test('a GID that is listed twice is refused when a GID is first looked up', () => {
  const json = JSON.parse(manifestToJson(manifestOf(0, [['A', 'B', 'B']], [4, 5, 9])));
  const columns = [{ ...json.columns[0], gids: ['A', 'A'] }];
  const [column] = manifestFromJson(JSON.stringify({ ...json, columns }), 'm').columns;
  assert.throws(() => column?.find('A'), { name: FormatError.name, message: /a GID is listed twice/ });
});
