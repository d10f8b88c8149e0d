// A service that may keep one level in memory, as a Worker with the levels of the whole world: what has been loaded for
// a request is held until it is answered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOnDemand } from '../../proxy/data/load-on-demand.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder, { cells: true, geometries: ['full', 'none'] });
const whole = await startService(folder);
const little = await startService(folder, { load: loadOnDemand(1) });

/** The answer of a service with all in memory, and that of the one with little. */
async function bothAnswers(path: string): Promise<[number, string][]> {
  const answers = await Promise.all([send(whole, path), send(little, path)]);
  return answers.map((answer) => [answer.status, textOf(answer)]);
}

test('what is at a point of all levels, a search, and pages of several levels at once need not fit into memory together', async () => {
  const paths = [
    '/api/v1/at?point=0.5,3.5',
    '/api/v1/at?point=3.5,0.5',
    '/api/v1/search?q=n',
    // Nothing is called so: the names of the levels above are brought in, too.
    `/api/v1/search?q=${encodeURIComponent('søst aland')}&level=lv2`,
    '/api/v1/search?q=AAA.2.1_1',
    ...['lv0', 'lv1', 'lv2'].map((level) => `/api/v1/fc/${level}?contains=0.5,3.5&geometry=none`),
  ];
  for (const path of paths) {
    const [expected, got] = await bothAnswers(path);
    assert.equal(expected?.[0], 200, path);
    assert.deepEqual(got, expected, path);
  }
  const atOnce = Array.from({ length: 5 }, () => paths).flat();
  const answers = await Promise.all(atOnce.map((path) => send(little, path)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});
