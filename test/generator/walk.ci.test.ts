// The test that matters most: build, serve, follow next to the end; every matching feature once, in order, and equal to
// what GDAL itself reads from the source.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { FORMATS, type Format, LEVELS, type Level, levelName, PAGE_CAPS } from '../../format/levels.ts';
import { type ReadFeature, readLayer } from '../support/datasets/read-layer.ts';
import { nextOf, pagesFrom, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildSynthetic } from '../support/releases/build-synthetic.ts';
import { geometryDifference } from '../support/releases/compare-geometry.ts';
import { sliceOf } from '../support/slice.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const out = temporaryFolder();
const source = join(out, 'synthetic.gpkg');
await buildSynthetic(source, 600, out, { storedPages: 'all' });
const service = await startService(out);
const read = LEVELS.map((level) => readLayer(source, `ADM_${level}`));

interface PublishedFeature {
  id: number;
  bbox?: number[];
  properties: Record<string, unknown>;
  geometry: ReadFeature['geometry'];
}

function featuresIn(format: Format, body: string): PublishedFeature[] {
  return format === 'fc' ? JSON.parse(body).features : JSON.parse(`[${body.trimEnd().replaceAll('\n', ',')}]`);
}

/** Follows next from the first page to the last. */
async function walk(format: Format, level: Level, query: Record<string, string> = {}): Promise<PublishedFeature[]> {
  const features: PublishedFeature[] = [];
  const size = Math.min(Number(query['page-size'] ?? Infinity), PAGE_CAPS[format][level]);
  const path = `/api/v1/${format}/${levelName(level)}?${new URLSearchParams(query)}`;
  let matched: unknown;
  for await (const answer of pagesFrom(service, path, { 'accept-encoding': 'gzip' })) {
    const page = featuresIn(format, textOf(answer));
    assert.ok(page.length <= size);
    if (nextOf(answer) !== undefined) assert.equal(page.length, size, 'only the last page may be short');
    features.push(...page);
    matched = answer.headers['boundaries-matched'];
  }
  assert.equal(matched, String(features.length));
  return features;
}

/** The fids that GDAL's reading has under these filters. */
function expectedFids(level: Level, filters: Record<number, string>): number[] {
  const matches = (feature: ReadFeature) =>
    Object.entries(filters).every(([n, gid]) => feature.fields[`GID_${n}`] === gid);
  return (read[level] ?? []).filter(matches).map((feature) => feature.fid);
}

function assertSame(published: PublishedFeature, expected: ReadFeature): void {
  assert.deepEqual(published.properties, { fid: expected.fid, ...expected.fields });
  assert.equal(geometryDifference(published.geometry, expected.geometry, 7), undefined, `fid ${expected.fid}`);
}

for (const format of FORMATS)
  for (const level of LEVELS)
    test(`a walk of ${format}/${levelName(level)} gives every feature once, in order, as GDAL reads it`, async () => {
      const features = await walk(format, level);
      const expected = read[level] ?? [];
      assert.ok(expected.length > 0);
      assert.deepEqual(
        features.map(({ id }) => id),
        expectedFids(level, {}),
      );
      for (const [i, feature] of features.entries()) assertSame(feature, elementAt(expected, i));
    });

test('walks under parent GIDs give their descendants, contiguous or not, once and in order', async () => {
  let scattered = 0;
  for (const level of LEVELS)
    for (let column = 0; column < level; column++) {
      const fids = expectedFids(level, {});
      const gids = new Set((read[level] ?? []).map(({ fields }) => fields[`GID_${column}`]));
      for (const gid of sliceOf([...gids])) {
        if (typeof gid !== 'string') continue;
        const expected = expectedFids(level, { [column]: gid });
        const positions = expected.map((fid) => fids.indexOf(fid));
        if (positions.some((position, i) => i > 0 && position !== (positions[i - 1] ?? 0) + 1)) scattered++;
        for (const format of FORMATS)
          for (const size of ['', '4']) {
            const found = await walk(format, level, { [`gid-${column}`]: gid, ...(size && { 'page-size': size }) });
            assert.deepEqual(
              found.map(({ id }) => id),
              expected,
              `${format} ${level} ${gid} by ${size}`,
            );
          }
      }
    }
  assert.ok(scattered > 0, 'all listings are contiguous');
});
