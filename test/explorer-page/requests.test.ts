// What a browser asks for until the page shows its first list: few files, and on a later visit only what may have
// changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/http/in-process-proxy.ts';
import { WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { until } from '../support/until.ts';
import { ExplorerBrowser, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const REQUESTS_MAX = 10;
/** The folder whose name has the digest of its files. */
const HASHED = /^\/explorer\/[\w-]{16}\//;
const DATA = ['/', '/about.json', '/api/v1/names/lv0', '/api/v1/overview'];
const FILES = ['icon.svg', 'lib/maplibre-gl-worker.mjs', 'lib/maplibre-gl.mjs', 'page/page.css', 'page/page.js'];

const { folder } = await startExplorer();
const asked: string[] = [];
const service = await startService(folder, {
  explorer: true,
  observe: ({ url = '' }) => asked.push(url.replace(/\?.*/, '').replace(HASHED, '')),
});

test('ten requests at most lead to the first list; the next visit asks for no file of the page', { skip: SKIP }, () =>
  new ExplorerBrowser().onPage(service, async (page) => {
    await waitForPlace(page, 'r1', '2 countries');
    assert.ok(asked.length <= REQUESTS_MAX, `${asked.length} requests: ${asked.join(' ')}`);
    // The map may be later than the list.
    const all = [...DATA, ...FILES];
    await until(
      () => all.every((path) => asked.includes(path)),
      () => `only ${asked.join(' ')} were asked for`,
    );
    assert.deepEqual(asked.sort(), all);

    await page.goto(`${service.url}/docs`);
    asked.length = 0;
    await page.goto(`${service.url}/#token=${TOKEN}`);
    await waitForPlace(page, 'r1', '2 countries');
    await until(() => asked.includes('/api/v1/overview'), 'the overview was not asked for');
    assert.deepEqual(asked.sort(), DATA);
  }),
);
