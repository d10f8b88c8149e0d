// What is at a point, of all levels: the same as `contains` of each level, in one answer, on the sample's real
// boundaries.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { alonePath, releasePath } from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { type RunningService, startService } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { pointsOf } from '../support/releases/points-beside-gdal.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MADRID = '-3.7038,40.4168';

const folder = await sampleOutput();
const stored = readStored(folder, 'sample');
const { url } = await startStaticHost(folder);
const services: Readonly<Record<string, RunningService>> = {
  'a folder': await startService(folder),
  'a static host': await startService(folder, { origin: staticHostOrigin({ url, headers: {} }) }),
};
const service = services['a folder'] ?? assert.fail();

/** What `contains` says of each level. */
async function ofEachLevel(proxy: RunningService, point: string, geometry: string) {
  const [features, levels]: [unknown[], string[]] = [[], []];
  for (const level of LEVELS) {
    const path = `/api/v1/fc/${levelName(level)}?contains=${point}&geometry=${geometry}&page-size=50`;
    const answer = await send(proxy, path);
    assert.equal(answer.status, 200, `${path} ${textOf(answer)}`);
    const found: unknown[] = JSON.parse(textOf(answer)).features;
    features.push(...found);
    levels.push(...found.map(() => levelName(level)));
  }
  return { type: 'FeatureCollection', features, levels };
}

for (const [origin, proxy] of Object.entries(services))
  test(`from ${origin} a point has the units that contains finds on each level, half of the points by a border`, async () => {
    for (const [level, count] of [
      [0, 40],
      [2, 40],
      [3, 120],
    ] as const) {
      const points = pointsOf(elementAt(stored, level).lines, 49 + level);
      for (let i = 0; i < count; i++) {
        const point = points.next().value.join();
        const answer = await send(proxy, `/api/v1/at?point=${point}`);
        assert.equal(answer.status, 200, `${point} ${textOf(answer)}`);
        const body = JSON.parse(textOf(answer));
        assert.deepEqual(body, await ofEachLevel(proxy, point, 'none'), point);
        assert.equal(answer.headers['boundaries-matched'], String(body.features.length));
      }
    }
  });

test('Madrid is in Spain, its region and its province, with any geometry, in one gzip member or as text', async () => {
  for (const geometry of ['full', 'medium', 'low', 'point', 'none'])
    for (const proxy of Object.values(services)) {
      const path = `/api/v1/at?point=${MADRID}&geometry=${geometry}`;
      const gzip = await send(proxy, path, { 'accept-encoding': 'gzip' });
      const text = await send(proxy, path, { 'accept-encoding': 'identity' });
      assert.equal(gzip.headers['content-encoding'], 'gzip');
      assert.deepEqual([gzip.status, text.status], [200, 200]);
      assert.equal(gunzipSync(gzip.body).toString(), text.body.toString());
      const body = JSON.parse(text.body.toString());
      assert.deepEqual(body, await ofEachLevel(proxy, MADRID, geometry));
      assert.deepEqual(body.levels, ['lv0', 'lv1', 'lv2', 'lv3']);
      assert.match(text.body.toString(), /^\{"type":"FeatureCollection","features":\[\n[^\n]*"GID_0":"ESP"/);
      assert.notEqual(gzip.headers.etag, text.headers.etag);
    }
});

test('has the headers of a page, 304, HEAD, no Link, and needs a token', async () => {
  const path = `/api/v1/at?point=${MADRID}`;
  const page = await send(service, '/api/v1/fc/lv0?page-size=1', { 'accept-encoding': 'gzip' });
  const answer = await send(service, path, { 'accept-encoding': 'gzip' });
  for (const name of ['content-type', 'cache-control', 'vary', 'boundaries-release', 'x-content-type-options'])
    assert.equal(answer.headers[name], page.headers[name], name);
  assert.equal(answer.headers.link, undefined);
  const etag = String(answer.headers.etag);
  const unchanged = await send(service, path, { 'accept-encoding': 'gzip', 'if-none-match': etag });
  assert.deepEqual([unchanged.status, unchanged.body.length, unchanged.headers.etag], [304, 0, etag]);
  const head = await send(service, path, { 'accept-encoding': 'gzip' }, 'HEAD');
  assert.deepEqual([head.status, head.body.length], [200, 0]);
  assert.equal(head.headers['content-length'], answer.headers['content-length']);
  assert.equal((await send(service, path, { authorization: undefined })).status, 401);
});

test('where nothing is, features are empty; if something is at the exchanged numbers, Link leads there', async () => {
  for (const proxy of Object.values(services)) {
    const sea = await send(proxy, '/api/v1/at?point=-40,-40');
    assert.deepEqual(JSON.parse(textOf(sea)), { type: 'FeatureCollection', features: [], levels: [] });
    assert.deepEqual([sea.status, sea.headers['boundaries-matched'], sea.headers.link], [200, '0', undefined]);
    const exchanged = await send(proxy, '/api/v1/at?point=40.4168,-3.7038');
    assert.equal(JSON.parse(textOf(exchanged)).features.length, 0);
    const [, target = ''] = /^<(.*)>; rel="alternate"$/.exec(String(exchanged.headers.link)) ?? [];
    assert.ok(target.endsWith('/api/v1/at?point=-3.7038,40.4168'), target);
    const found = JSON.parse(textOf(await send(proxy, target.slice(new URL(target).origin.length))));
    assert.ok(found.features.length > 1);
  }
});

test('refuses what is no point, and says that longitude comes first', async () => {
  const cases: [query: string, code: string, detail: RegExp][] = [
    ['', 'bad-parameter', /point is missing.*longitudes.*before latitudes/],
    ['point=', 'bad-parameter', /point is empty.*longitudes.*before latitudes/],
    ['point=1', 'bad-parameter', /1 values, not 2/],
    ['point=1,2,3', 'bad-parameter', /3 values, not 2/],
    ['point=40.4,-103', 'bad-parameter', /"-103" is no latitude.*longitudes.*before latitudes/],
    ['point=181,0', 'bad-parameter', /"181" is no longitude/],
    ['point=1e1,0', 'bad-parameter', /"1e1" is no longitude/],
    ['point=1,2&point=1,2', 'duplicate-parameter', /point/],
    ['point=1,2&geometry=small', 'bad-parameter', /geometry is "small".*full, medium, low, point, none/],
    ['point=1,2&geometry=', 'bad-parameter', /geometry is ""/],
    ['point=1,2&page-size=1', 'unknown-parameter', /Allowed: point, geometry\./],
    ['contains=1,2', 'unknown-parameter', /"contains" is not a parameter/],
    ['point=1,2&access_token=x', 'token-in-query', /header/],
    ['point=%zz', 'bad-encoding', /percent/],
  ];
  for (const [query, code, detail] of cases) {
    const answer = await send(service, `/api/v1/at?${query}`);
    const problem = JSON.parse(textOf(answer));
    assert.deepEqual([answer.status, problem.code], [400, code], query);
    assert.match(problem.detail, detail);
  }
});

test('a release without cells says so', async () => {
  const out = temporaryFolder();
  await buildRelease(writeCountries(), out, { cells: false });
  const answer = await send(await startService(out), '/api/v1/at?point=1,2');
  assert.equal(answer.status, 400);
  assert.match(JSON.parse(textOf(answer)).detail, /no-cells/);
});

test('a unit whose stored data is damaged is 502, never another text', async () => {
  const out = temporaryFolder();
  // Releases of this folder are links to those of other tests.
  cpSync(folder, out, { recursive: true, dereference: true });
  const file = join(out, releasePath('sample'), alonePath(3, 0, 'none'));
  const bytes = readFileSync(file);
  writeFileSync(
    file,
    bytes.map((byte) => byte ^ 0x10),
  );
  const proxy = await startService(out);
  let refused = 0;
  const points = pointsOf(elementAt(stored, 3).lines, 7);
  for (let i = 0; i < 40; i++) {
    const path = `/api/v1/at?point=${points.next().value.join()}`;
    // As gzip: as text the data would be found to be damaged when it is inflated, too.
    const answer = await send(proxy, path, { 'accept-encoding': 'gzip' });
    if (answer.status === 502) refused++;
    else assert.equal(textOf(answer), textOf(await send(service, path)));
  }
  assert.ok(refused > 0);
});
