// The explorer's names in a browser: a worker has them, and the page asks it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { onPageAt, runInPage, WITHOUT_CHROMIUM } from '../support/processes/chromium.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOKEN = AUTHORIZED.authorization.slice('Bearer '.length);

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);
const proxy = await startService(folder, { explorer: 'modules' });

/** The beginning of a script that uses `names`. */
function withToken(token: string): string {
  return `const { createNames } = await import('/explorer/api/names.js');
    let token = ${JSON.stringify(token)};
    const names = createNames({ base: location.origin + '/', token: () => token });
    const failure = (error) => ({ name: error.name, status: error.status, code: error.code });`;
}

/** Runs a script in a page of the proxy, with `names` in it. */
function withNames<T>(body: string, token = TOKEN): Promise<T> {
  return onPageAt(`${proxy.url}/docs`, (page) => runInPage<T>(page, `${withToken(token)}${body}`));
}

test('in a browser a worker answers, under the content policy of the page', { skip: WITHOUT_CHROMIUM }, async () => {
  const result = await withNames(`
    const { total } = await names.children({ level: 2, gid: 'AAA', of: 0 });
    const lineage = await names.lineage(2, 'AAA.1.2_1');
    const country = await names.find(0, 'BBB');
    return [total, lineage.map(({ fid }) => fid), country.name, names.progress(2)];`);
  assert.deepEqual(result, [3, [1, 1, 4], 'Beland', { level: 2, units: 4, of: 4 }]);
});

test('closing abandons what waits, and the next call loads again', { skip: WITHOUT_CHROMIUM }, async () => {
  const result = await withNames(`
    const closed = names.load(2).catch(failure);
    names.close();
    const again = await names.find(2, 'AAA.1.2_1');
    return [(await closed).name, again.fid];`);
  assert.deepEqual(result, ['AbortError', 4]);
});

test('an error of the service comes through the worker, and a new token works', {
  skip: WITHOUT_CHROMIUM,
}, async () => {
  const result = await withNames(
    `const denied = await names.find(2, 'AAA.1.2_1').catch(failure);
    token = ${JSON.stringify(TOKEN)};
    const { fid } = await names.find(2, 'AAA.1.2_1');
    return [denied.status, denied.code, fid];`,
    'bad',
  );
  assert.deepEqual(result, [401, 'token-invalid', 4]);
});
