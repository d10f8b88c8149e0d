// Large pages and features with right checksums that contradict the index, as smaller ones in content.test.ts. A run
// tries an eighth of the cases.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { packPage, replacePage, textOf } from '../../support/releases/reseal.ts';
import { replaceText } from '../../support/releases/reseal-features.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { assertContradiction, assertPages, type PageCase, problemsOf, type TextChange } from './findings.ts';

const folder = temporaryFolder();

/** Text that deflates to no less than half its length. */
function hexadecimal(digests: number, seed: string): string {
  return Array.from({ length: digests }, (_, i) => createHash('sha256').update(`${seed} ${i}`).digest('hex')).join('');
}

test('pages so large that they are inflated as streams, and features larger than what is read at once, that contradict the index', async () => {
  const from = join(folder, 'large');
  const features = ['AAA', 'BBB', 'CCC'].map((gid, i) => ({
    fid: i,
    values: [gid, hexadecimal(i === 1 ? 40_000 : 1000, gid)],
    wkt: square(i, 0),
  }));
  const [countries] = countryLayers();
  assert.ok(countries);
  const large = writeDataset(join(folder, 'large.gpkg'), 'GPKG', [{ ...countries, features }]);
  await buildRelease(large, from, { storedPages: 'unfiltered' });
  const [path, index] = ['lv0/fc/all/000001.json.gz', 'lv0/index.bin'];
  assert.ok(readFileSync(join(from, 'releases/r1', path)).length > 2 ** 20);
  const inPieces = (text: string): Buffer => packPage([text.slice(0, 9), text.slice(9, 2e6), text.slice(2e6)]);
  assert.deepEqual(await problemsOf(from, (root) => replacePage(root, path, inPieces(textOf(root, path)))), {});
  const pages: PageCase[] = [
    [(_, text) => packPage([text.replace('"BBB"', '"BBC"')]), 'its text has the CRC-32 '],
    [(_, text) => packPage([text.replace(/\]\}\n$/, '')]), 'has \\d+ bytes of text, expected '],
    [(bytes) => Buffer.concat([bytes, bytes]), 'its deflate stream ends after \\d+ of \\d+ bytes'],
    [(bytes) => Buffer.concat([bytes, Buffer.alloc(20)]), 'its deflate stream ends after \\d+ of \\d+ bytes'],
    [(bytes) => bytes.subarray(0, -10), 'cannot be inflated: '],
    [(bytes) => bytes.subarray(0, bytes.length - 1000), 'cannot be inflated: '],
    [(bytes) => Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)]), 'its gzip trailer is'],
    [(bytes) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(4), bytes.subarray(-4)]), 'its gzip trailer is'],
  ];
  await assertPages(from, path, index, sliceOf(pages));
  const texts: [TextChange, string][] = [
    [(text) => text.replace('"BBB"', '"BBC"'), 'GID_0 is "BBC", the index has "BBB"'],
    [(text) => `${text.slice(0, 9)}\n${text.slice(9)}`, 'its text is not one line'],
    [(text) => text.slice(0, -3), 'its seam is'],
  ];
  for (const [change, problem] of sliceOf(texts)) {
    const named = new RegExp(`^lv0/features/000001\\.geojsonl\\.gz: fid 1: ${problem}`);
    await assertContradiction(from, (root) => replaceText(root, 0, 1, change), index, named);
  }
});
