// The explorer's names in a browser: a worker has them, and the page asks it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { holdRequests, onPageAt, runInPage, WITHOUT_CHROMIUM } from '../support/processes/chromium.ts';
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
    const { found, results } = await names.search('WUST', { levels: [0, 2], limit: 5 });
    const { total } = await names.children({ level: 2, gid: 'AAA', of: 0 });
    const lineage = await names.lineage(2, 'AAA.1.2_1');
    const country = await names.find(0, 'BBB');
    return [found, results[0].path, total, lineage.map(({ fid }) => fid), country.name, names.progress(2)];`);
  assert.deepEqual(result, [1, 'Aland › North', 3, [1, 1, 4], 'Beland', { level: 2, units: 4, of: 4 }]);
});

test('a newer search abandons an older one, and closing abandons what waits', { skip: WITHOUT_CHROMIUM }, async () => {
  const result = await withNames(`
    const searches = ['s', 'ø', 'st'].map((text) => names.search(text, { levels: [2], limit: 5 }).catch(failure));
    const found = await Promise.all(searches);
    const closed = names.load(2).catch(failure);
    names.close();
    const again = await names.search('st', { levels: [2], limit: 5 });
    return [...found.map((one) => one.found ?? one.name), (await closed).name, again.found];`);
  assert.deepEqual(result, ['AbortError', 'AbortError', 3, 'AbortError', 3]);
});

test('while a level is being loaded, a search says what is found at those above it', {
  skip: WITHOUT_CHROMIUM,
}, async () => {
  const result = await onPageAt(`${proxy.url}/docs`, async (page) => {
    await page.exposeFunction('release', await holdRequests(page, '**/names/lv2'));
    return runInPage(
      page,
      `${withToken(TOKEN)}
      const partial = [];
      const onPartial = ({ found, results }) => {
        partial.push([found, results.map(({ name }) => name)]);
        if (partial.length === 2) window.release();
      };
      const { results } = await names.search('al', { levels: [2, 1, 0], limit: 9, onPartial });
      return [...partial, results.map(({ name }) => name)];`,
    );
  });
  assert.deepEqual(result, [
    [1, ['Aland']],
    [2, ['Aland', 'All']],
    ['Aland', 'All'],
  ]);
});

test('an error of the service comes through the worker, and a new token works', {
  skip: WITHOUT_CHROMIUM,
}, async () => {
  const result = await withNames(
    `const denied = await names.search('st', { levels: [2], limit: 5 }).catch(failure);
    token = ${JSON.stringify(TOKEN)};
    const { found } = await names.search('st', { levels: [2], limit: 5 });
    return [denied.status, denied.code, found];`,
    'bad',
  );
  assert.deepEqual(result, [401, 'token-invalid', 3]);
});
