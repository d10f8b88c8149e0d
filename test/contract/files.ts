// The HTTP contract: the whole files of a release: the names of the units of each level. What is in
// them is tested with the generator.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { refusal, send, textOf } from '../support/http/http-client.ts';
import { damageFiles } from './exchanges.ts';
import type { World } from './world.ts';

/** Each file: where it is requested, and where it is stored. */
const FILES: readonly { path: string; file: string }[] = [
  ...LEVELS.map((level) => ({ path: `/api/v1/names/${levelName(level)}`, file: namesPath(level) })),
];

const CODINGS = ['gzip', 'identity'];

/** Tests names, of the release of countries. */
export function testFiles({ folder, proxy, publish }: World): void {
  before(() => publish('c1'));

  test('a file is sent as it is stored to clients that accept gzip, and inflated to others', async () => {
    for (const { path, file } of FILES) {
      const gzip = await send(proxy, path, { 'accept-encoding': 'gzip' });
      const plain = await send(proxy, path);
      assert.deepEqual(gzip.body, readFileSync(join(folder, releasePath('c1'), file)));
      assert.equal(plain.body.toString(), textOf(gzip));
      assert.equal(plain.headers['content-type'], 'application/x-ndjson');
      const units = plain.body.toString().split('\n').length - 2;
      assert.equal(plain.headers['boundaries-matched'], String(units));
    }
  });

  test('files are those of the current release, and one whose bytes did not change keeps its ETag', async () => {
    const paths = FILES.flatMap(({ path }) =>
      CODINGS.map((coding) => ({ path, given: { 'accept-encoding': coding } })),
    );
    const requests = () => Promise.all(paths.map(({ path, given }) => send(proxy, path, given)));
    // Twice: the second time they may come from the response cache.
    await requests();
    const before = await requests();
    await publish('c2');
    for (const [i, answer] of (await requests()).entries()) {
      const isChanged = paths[i]?.path === '/api/v1/names/lv2';
      assert.equal(answer.headers['boundaries-release'], 'c2');
      assert.equal(answer.headers.etag !== before[i]?.headers.etag, isChanged);
      assert.equal(textOf(answer).includes('Renamed'), isChanged);
    }
  });

  test('a file that is damaged, cut short or missing gives 502', async () => {
    damageFiles(folder);
    await publish('c3');
    for (const { path } of FILES.slice(0, 2))
      for (const coding of CODINGS)
        assert.doesNotMatch(
          refusal(await send(proxy, path, { 'accept-encoding': coding }), 502, 'origin-damaged'),
          /releases|names|\.gz/,
        );
    assert.equal((await send(proxy, '/api/v1/names/lv2')).status, 200);
  });
}
