// Feature files and their index as a build writes them, the pages that reuse their deflate data, and the three choices
// of --pages: what is stored differs, what is stored in several of them is the same to the byte.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import { sumOf } from '../../../format/crc32.ts';
import { elementAt } from '../../../format/element-at.ts';
import type { FeatureData } from '../../../format/feature-table.ts';
import { MEMBER_HEADER } from '../../../format/gzip.ts';
import { alonePath, featureFilePath, pagePath } from '../../../format/layout.ts';
import { FEATURES_PER_FILE } from '../../../format/levels.ts';
import { deflateLine, deflateText, memberEnd } from '../../../format/write/gzip.ts';
import { REUSE_TEXT_BYTES } from '../../../generator/store/feature-store.ts';
import { refuseLargePage } from '../../../generator/write/write-files.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { filesUnder } from '../../support/files.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { readIndex } from '../../support/releases/read-index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** A ring of `count` corners around (x, y): about 25 bytes of text each. */
function manyCornered(x: number, y: number, count: number): string {
  const corners = Array.from({ length: count }, (_, i) => {
    const turn = (2 * Math.PI * i) / count;
    return `${x + Math.cos(turn)} ${y + Math.sin(turn)}`;
  });
  return `POLYGON((${[...corners, corners[0]].join(',')}))`;
}

// Three feature files. Of every seven countries one is large and one very large; those from 201 on are all small.
const countries = Array.from({ length: 245 }, (_, i) => {
  const corners = i >= 200 || i % 7 > 1 ? 5 + (i % 50) : i % 7 === 0 ? 400 : 4000;
  // Written in another order than that of the fids, which have gaps.
  return { fid: 3 * ((i * 101) % 245) + 1, values: [`A${i}`], wkt: manyCornered(i / 10, i % 80, corners) };
});
const source = writeDataset(join(folder, 'countries.gpkg'), 'GPKG', [
  { name: 'ADM_0', columns: ['GID_0'], features: countries },
]);
const root = join(folder, 'countries/releases/r1');
const built = await buildRelease(source, join(folder, 'countries'), { storedPages: 'all' });

const index = readIndex(root, 0);

const files = [0, 1, 2].map((number) => readFileSync(join(root, featureFilePath(0, number))));

const besides = [0, 1, 2].map((number) => readFileSync(join(root, alonePath(0, number))));

/** The data of the feature at a position of level 0, cut out of the feature file or of the one beside it. */
function cut(from: FeatureData, position: number): Buffer {
  const offset = from.offsetAt(position);
  const file = elementAt(from === index.alone ? besides : files, index.fileOf(position));
  return file.subarray(offset, offset + from.bytes(position, position + 1));
}

/** Inflates deflate data alone: with a reference to anything before it, this throws. */
function inflated(data: Buffer): Buffer {
  return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH });
}

const positions = [...countries.keys()];
/** In the feature files, and alone. */
const chained = positions.map((position) => cut(index.chained, position));
const data = positions.map((position) => cut(index.aloneAt(position), position));
const texts = data.map(inflated);

test('short features are chained to the short one before them where that saves a tenth, others are in the file alone', () => {
  const isShort = (position: number): boolean => elementAt(texts, position).length < REUSE_TEXT_BYTES;
  let [areChained, areNot] = [0, 0];
  for (const [position, text] of texts.entries()) {
    const [own, alone] = [elementAt(chained, position), elementAt(data, position)];
    const before = position % FEATURES_PER_FILE[0] === 0 ? undefined : elementAt(texts, position - 1);
    const isPossible = before !== undefined && isShort(position) && isShort(position - 1);
    const made = isPossible ? deflateLine(text, before) : alone;
    const isChained = made.length <= 0.9 * alone.length;
    assert.ok(own.equals(isChained ? made : alone), `position ${position}`);
    assert.equal(index.aloneAt(position) === index.alone, isChained);
    if (isChained) areChained++;
    else areNot++;
  }
  assert.ok(areChained > 20 && areNot > 60, `${areChained}, ${areNot}`);
  for (const [number, beside] of besides.entries()) {
    const own = positions.filter((p) => index.fileOf(p) === number && index.aloneAt(p) === index.alone);
    assert.ok(beside.equals(Buffer.concat(own.map((position) => elementAt(data, position)))));
  }
});

test('the release says the bytes of feature files, with those beside them, and of pages', () => {
  const bytesOf = (...paths: string[]): number => paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  const pathsIn = (...folders: string[]): string[] =>
    folders.flatMap((name) => filesUnder(join(root, 'lv0', name)).map((file) => join('lv0', name, file)));
  const [level] = built.levels;
  assert.deepEqual(level?.featureFiles, { files: 3, bytes: bytesOf(...pathsIn('features', 'alone')) });
  assert.equal(level?.bytes, bytesOf(...pathsIn('geojsonl', 'fc')));
});

test('pages have large features as their deflate data; others are deflated whole', () => {
  // What their text is, the oracle says.
  let reused = 0;
  let whole = 0;
  for (const [format, cap] of [
    ['geojsonl', 20],
    ['fc', 5],
  ] as const) {
    for (let first = 0; first < texts.length; first += cap) {
      const page = readFileSync(join(root, pagePath(0, format, 'all', first / cap)));
      const own = texts.slice(first, first + cap);
      const large = data.slice(first, first + cap).filter((_, i) => elementAt(own, i).length >= REUSE_TEXT_BYTES);
      // All but the byte of the separator.
      for (const part of large) assert.ok(page.includes(part.subarray(0, -1)), `${format} from ${first}`);
      reused += large.length;
      if (large.length > 0) continue;
      const text = gunzipSync(page);
      assert.ok(page.equals(Buffer.concat([MEMBER_HEADER, deflateText(text), memberEnd(sumOf(text))])));
      whole++;
    }
  }
  assert.ok(reused > 50 && whole > 5, `${reused} reused, ${whole} whole`);
});

test('a page of 4 GiB, which the page tables have no room for, is refused', () => {
  refuseLargePage('a page', 2 ** 32 - 1);
  assert.throws(() => refuseLargePage('out/lv0/fc/all/000001.json.gz', 2 ** 32), {
    message: 'out/lv0/fc/all/000001.json.gz: a page of 4294967296 bytes, at most 4294967295 are possible',
    remedy: /^use --pages none/,
  });
});
