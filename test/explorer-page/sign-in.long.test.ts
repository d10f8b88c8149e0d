// Sign-in: the link with a token, the field for one, how long it is kept, and what happens when it is not accepted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { token } from '../support/http/in-process-proxy.ts';
import { holdRequests, WITHOUT_CHROMIUM as SKIP } from '../support/processes/chromium.ts';
import { ExplorerBrowser, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const browser = new ExplorerBrowser({ hasWebGl: false });
const RELEASE = ['r1', '2 countries'] as const;

// The tests are checked without the types of a browser.
declare const history: { length: number };
declare const sessionStorage: { length: number };
declare const localStorage: { length: number };
declare const document: { cookie: string };

/** What the browser keeps beyond this page. */
async function keptBy(page: Page): Promise<unknown[]> {
  return page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie]);
}

test('a link with a token opens the world; the token leaves the address at once, and no request has it in its URL', {
  skip: SKIP,
}, () => {
  const urls: string[] = [];
  return browser.onPage(
    service,
    async (page) => {
      page.on('request', (request) => urls.push(request.url()));
      // The address at each request of the page.
      await page.addInitScript(`
        const { fetch } = globalThis;
        globalThis.addresses = [];
        globalThis.fetch = (...request) => { addresses.push(location.href); return fetch(...request); };`);
      await page.goto(`${service.url}/#token=${TOKEN}`);
      await waitForPlace(page, ...RELEASE);
      assert.doesNotMatch(page.url(), /token|eyJ/);
      const addresses = await page.evaluate<string[]>('addresses');
      assert.ok(addresses.length > 1 && addresses.every((address) => !address.includes('token')), 'before any request');
      assert.ok(urls.some((url) => url.endsWith('/api/v1/overview')));
      assert.ok(
        urls.every((url) => !url.includes(TOKEN) || url.endsWith(`#token=${TOKEN}`)),
        'only the link itself',
      );
      assert.equal(await page.evaluate(() => history.length), 3);
      assert.deepEqual(await keptBy(page), [0, 0, '']);
    },
    { path: '/docs' },
  );
});

test('without a token there is one field, which says where to get one; nothing is requested under /api/', {
  skip: SKIP,
}, () => {
  let requests = 0;
  return browser.onPage(
    service,
    async (page) => {
      page.on('request', (request) => {
        if (request.url().includes('/api/')) requests++;
      });
      await page.locator('#token:focus').waitFor();
      await page.getByText('npm start').waitFor();
      await page.getByText('r1', { exact: true }).waitFor();
      assert.equal(await page.getByLabel('Keep for this session').isChecked(), false);
      assert.equal(await page.locator('#workspace').isVisible(), false);
      assert.equal(await page.locator('#sign-in input:visible').count(), 2);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Paste a token first.').waitFor();
      assert.equal(requests, 0);
    },
    { path: '/' },
  );
});

test('a link is followed whatever else is in it; one without a token that a header can carry leads to the sign-in', {
  skip: SKIP,
}, async () => {
  await browser.onPage(
    service,
    async (page) => {
      await waitForPlace(page, ...RELEASE);
      assert.doesNotMatch(page.url(), /token|eyJ|x=1/);
    },
    { path: `/#token=${TOKEN}&x=1` },
  );
  for (const bad of ['', '%', '%0A', 'a%20b', '%E6%9D%B1', '%00&x=1', 'a'.repeat(100_000)])
    await browser.onPage(
      service,
      async (page) => {
        await page.locator('#sign-in-reason').getByText('The token in the link').waitFor();
        assert.doesNotMatch(page.url(), /#./);
        await page.getByLabel('Token').fill('東');
        await page.keyboard.press('Enter');
        await page.locator('#sign-in-reason').getByText('This is no token').waitFor();
      },
      { path: `/#token=${bad}` },
    );
});

test('a link replaces a kept token only if the user agrees', { skip: SKIP }, async () => {
  const other = await token({ sub: 'other' });
  await browser.onPage(
    service,
    async (page) => {
      await page.getByLabel('Token').fill(TOKEN);
      await page.getByLabel('Keep for this session').check();
      await page.getByRole('button', { name: 'Open' }).click();
      await waitForPlace(page, ...RELEASE);
      const kept = () => page.evaluate<string | null>("sessionStorage.getItem('boundaries-token')");
      for (const [answer, expected] of [
        ['dismiss', TOKEN],
        ['accept', null],
      ] as const) {
        const asked = page.waitForEvent('dialog').then((dialog) => dialog[answer]());
        await page.evaluate(`setTimeout(() => { location.hash = 'token=${other}'; })`);
        await asked;
        await waitForPlace(page, ...RELEASE);
        assert.doesNotMatch(page.url(), /token/);
        assert.equal(await kept(), expected);
      }
    },
    { path: '/' },
  );
});

test('a token may be pasted with its shell line, its header or its link around it', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      for (const text of [
        `TOKEN=${TOKEN}\n`,
        `Authorization: Bearer ${TOKEN}`,
        `http://127.0.0.1:8080/#token=${TOKEN}`,
      ]) {
        await page.getByLabel('Token').fill(text);
        await page.getByRole('button', { name: 'Open' }).click();
        await waitForPlace(page, ...RELEASE);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.locator('#token:focus').waitFor();
        assert.equal(await page.getByLabel('Token').inputValue(), '');
        assert.equal(await page.getByText('Aland').count(), 0);
      }
    },
    { path: '/' },
  ),
);

test('the token is kept for the session only if asked for, and forgotten by signing out', { skip: SKIP }, () =>
  browser.onPage(
    service,
    async (page) => {
      await page.getByLabel('Token').fill(TOKEN);
      await page.keyboard.press('Enter');
      await waitForPlace(page, ...RELEASE);
      await page.reload();
      await page.locator('#token:focus').waitFor();
      await page.getByLabel('Token').fill(TOKEN);
      await page.getByLabel('Keep for this session').check();
      await page.getByRole('button', { name: 'Open' }).click();
      await waitForPlace(page, ...RELEASE);
      await page.reload();
      await waitForPlace(page, ...RELEASE);
      await page.getByRole('button', { name: 'Sign out' }).click();
      assert.deepEqual(await keptBy(page), [0, 0, '']);
      await page.reload();
      await page.locator('#token:focus').waitFor();
    },
    { path: '/' },
  ),
);

test('a token that is not accepted leads to the sign-in, with the reason and the same place', {
  skip: SKIP,
}, async () => {
  const expired = await token({ exp: Math.floor(Date.now() / 1000) - 100 });
  await browser.onPage(
    service,
    async (page) => {
      for (const bad of ['abc', expired]) {
        await page.getByLabel('Token').fill(bad);
        await page.keyboard.press('Enter');
        await page.locator('#sign-in-reason').getByText('expired').waitFor();
        await page.locator('#token:focus').waitFor();
        assert.equal(await page.locator('#workspace').isVisible(), false);
        await page.getByLabel('Token').fill('');
      }
      await page.getByLabel('Token').fill(TOKEN);
      await page.keyboard.press('Enter');
      await waitForPlace(page, 'Aland', '1 region, 1 free city');
      assert.equal(await page.locator('#sign-in-reason').textContent(), '');
    },
    { path: '/#lv1?gid-0=AAA', expected: [401] },
  );
});

test(
  'a token that expires while the page is open leads to the sign-in and back to the same place',
  { skip: SKIP },
  () =>
    browser.onPage(
      service,
      async (page) => {
        await waitForPlace(page, ...RELEASE);
        await page.route('**/api/v1/geojsonl/**', (route) =>
          route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer old' } }),
        );
        await page.getByRole('button', { name: 'Open Aland: 2 inside' }).click();
        await page.locator('#sign-in-reason').getByText('not accepted').waitFor();
        await page.unroute('**/api/v1/geojsonl/**');
        await page.getByLabel('Token').fill(TOKEN);
        await page.keyboard.press('Enter');
        await waitForPlace(page, 'Aland', '1 region, 1 free city');
      },
      { expected: [401] },
    ),
);

for (const [how, give] of [
  ['a link', (page: Page) => page.goto(`${service.url}/#token=${TOKEN}`)],
  [
    'the form',
    async (page: Page) => {
      await page.getByLabel('Token').fill(TOKEN);
      await page.keyboard.press('Enter');
    },
  ],
] as const)
  test(`a token that ${how} gives before the map is there is taken`, { skip: SKIP }, () =>
    browser.onPage(
      service,
      async (page) => {
        const load = await holdRequests(page, '**/lib/maplibre-gl.mjs');
        await page.goto(`${service.url}/`);
        await page.locator('#token').waitFor();
        await give(page);
        await page.locator('#sign-in').waitFor({ state: 'hidden' });
        load();
        await waitForPlace(page, ...RELEASE);
      },
      { path: '/docs' },
    ),
  );
