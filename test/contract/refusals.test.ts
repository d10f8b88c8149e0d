// The HTTP contract: what a request may not say. What is wrong is refused with 400 and a code, and the detail says what
// is allowed. A path with each code is compared in every setup (exchanges.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal, send } from '../support/http/http-client.ts';
import { REFUSED } from './refused.ts';
import { DIRECTORY } from './setups.ts';
import { prepareWorld } from './world.ts';

const { proxy } = await prepareWorld(DIRECTORY);

for (const [what, rows] of Object.entries(REFUSED))
  test(`refuses ${what}`, async () => {
    for (const [path, code, detail = /./] of rows)
      assert.match(refusal(await send(proxy, `/api/v1/${path}`), 400, code), detail, path);
  });

test('refuses an unknown parameter and names it and the allowed ones', async () => {
  for (const name of 'page_size Page-Size gid-6 gid- limit start_at constructor __proto__ %00'.split(' ')) {
    const detail = refusal(await send(proxy, `/api/v1/fc/lv1?${name}=1`), 400, 'unknown-parameter');
    assert.ok(detail.includes(JSON.stringify(decodeURIComponent(name))), detail);
    assert.match(
      detail,
      /Allowed: page-size, start-at, start-after, gid-0, gid-1, bbox, contains, touches, geometry\./,
    );
  }
});
