// What is at a point, of all levels, where nothing is. What is at any point is compared with a model by requests.ts, and
// with `contains` on the sample's real boundaries by sample-places.ci.test.ts; what becomes of damage is in
// origin/damage.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal, send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildCountries, WHOLE } from '../support/releases/build-release.ts';

const service = await startService(await buildCountries(WHOLE));

/** In a district of level 2. */
const DISTRICT = '1.5,3.5';

test('where nothing is, features are empty; if something is at the exchanged numbers, Link leads there', async () => {
  const sea = await send(service, '/api/v1/at?point=-40,-40');
  const none = { features: [], levels: [], gids: [], names: [] };
  assert.deepEqual(JSON.parse(textOf(sea)), { type: 'FeatureCollection', ...none });
  assert.deepEqual([sea.status, sea.headers['boundaries-matched'], sea.headers.link], [200, '0', undefined]);
  const exchanged = await send(service, '/api/v1/at?point=2.5,10.5');
  assert.equal(JSON.parse(textOf(exchanged)).features.length, 0);
  const [, target = ''] = /^<(.*)>; rel="alternate"$/.exec(String(exchanged.headers.link)) ?? [];
  assert.ok(target.endsWith('/api/v1/at?point=10.5,2.5'), target);
  const found = JSON.parse(textOf(await send(service, target.slice(new URL(target).origin.length))));
  assert.deepEqual(found.levels, ['lv0', 'lv1']);
  const there = await send(service, `/api/v1/at?point=${DISTRICT}`);
  assert.deepEqual([JSON.parse(textOf(there)).levels, there.headers.link], [['lv0', 'lv1', 'lv2'], undefined]);
});

test('a longitude just beyond 90 degrees, as it is written, is no latitude of exchanged numbers', async () => {
  for (const point of ['90.00000000000000000001,10', '-90.00000000000000000001,-10', '180.0,90.0']) {
    const { status, body, headers } = await send(service, `/api/v1/at?point=${point}`);
    assert.deepEqual([status, JSON.parse(body.toString()).features, headers.link], [200, [], undefined], point);
  }
  const beyond = await send(service, '/api/v1/at?point=180.00000000000000000001,10');
  assert.match(refusal(beyond, 400, 'bad-parameter'), /is no longitude/);
});

test('the link to the exchanged numbers keeps the geometry; where there is no none, the lightest one is usual', async () => {
  const { headers } = await send(service, '/api/v1/at?geometry=point&point=2.5,10.5');
  assert.match(String(headers.link), /\/api\/v1\/at\?point=10\.5,2\.5&geometry=point>; rel="alternate"$/);
  const other = await startService(await buildCountries({ ...WHOLE, geometries: ['full', 'point'] }));
  const [usual, point] = await Promise.all(
    ['', '&geometry=point'].map((more) => send(other, `/api/v1/at?point=${DISTRICT}${more}`)),
  );
  assert.deepEqual([usual?.status, usual?.body], [200, point?.body]);
  assert.equal(JSON.parse(textOf(usual ?? assert.fail())).features.length, 3);
});
