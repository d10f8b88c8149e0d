// Sign-in: the link with a token, the field for one, how long it is kept, and what happens when it is not accepted.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { token } from '../support/http/in-process-proxy.ts';
import { holdRequests } from '../support/processes/chromium.ts';
import { journey, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const RELEASE = ['r1', '2 countries'] as const;
const REASON = '#sign-in-reason';

// The tests are checked without the types of a browser.
declare const history: { length: number };
declare const sessionStorage: { length: number };
declare const localStorage: { length: number };
declare const document: { cookie: string };

/** What the browser keeps beyond this page. */
async function keptBy(page: Page): Promise<unknown[]> {
  return page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie]);
}

/** Gives a token by the form; `isKept`: for the session. */
async function give(page: Page, text: string, isKept = false): Promise<void> {
  await page.getByLabel('Token').fill(text);
  await page.getByLabel('Keep for this session').setChecked(isKept);
  await page.getByRole('button', { name: 'Open' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#token:focus').waitFor();
}

/** Goes to an address of the same page, as a link does. */
function follow(page: Page, fragment: string): Promise<void> {
  return page.evaluate(`setTimeout(() => { location.hash = ${JSON.stringify(fragment)}; })`);
}

journey('someone has a link with a token', { service, path: '/docs' }, async (page, step) => {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  // The address at each request of the page.
  await page.addInitScript(`
    const { fetch } = globalThis;
    globalThis.addresses = [];
    globalThis.fetch = (...request) => { addresses.push(location.href); return fetch(...request); };`);

  await step('it opens the world; the token leaves the address at once, and no request has it in its URL', async () => {
    await page.goto(`${service.url}/#token=${TOKEN}`);
    await waitForPlace(page, ...RELEASE);
    assert.doesNotMatch(page.url(), /token|eyJ/);
    const addresses = await page.evaluate<string[]>('addresses');
    assert.ok(addresses.length > 1 && addresses.every((address) => !address.includes('token')), 'before any request');
    assert.ok(urls.some((url) => url.endsWith('/api/v1/overview')));
    const others = urls.filter((url) => !url.endsWith(`#token=${TOKEN}`));
    assert.ok(others.every((url) => !url.includes(TOKEN)));
    assert.equal(await page.evaluate(() => history.length), 3);
    assert.deepEqual(await keptBy(page), [0, 0, '']);
  });

  await step('what else is in the link does not matter', async () => {
    await page.goto(`${service.url}/docs`);
    await page.goto(`${service.url}/#token=${TOKEN}&x=1`);
    await waitForPlace(page, ...RELEASE);
    assert.doesNotMatch(page.url(), /token|eyJ|x=1/);
  });

  await step('opened in the tab of the page, it signs in as well', async () => {
    await signOut(page);
    await follow(page, `token=${TOKEN}`);
    await waitForPlace(page, ...RELEASE);
    assert.doesNotMatch(page.url(), /token/);
  });

  await step('one without a token that a header can carry leads to the sign-in', async () => {
    await page.goto(`${service.url}/docs`);
    await page.goto(`${service.url}/#token=%`);
    await page.locator(REASON).getByText('The token in the link').waitFor();
    for (const bad of ['', '%0A', 'a%20b', '%E6%9D%B1', '%00&x=1', 'a'.repeat(100_000)]) {
      await give(page, '東');
      await page.locator(REASON).getByText('This is no token').waitFor();
      await follow(page, `token=${bad}`);
      await page.locator(REASON).getByText('The token in the link').waitFor();
      assert.doesNotMatch(page.url(), /#./);
    }
  });

  await step('it replaces a kept token only if the user agrees', async () => {
    const other = await token({ sub: 'other' });
    await give(page, TOKEN, true);
    await waitForPlace(page, ...RELEASE);
    for (const [answer, expected] of [
      ['dismiss', TOKEN],
      ['accept', null],
    ] as const) {
      const asked = page.waitForEvent('dialog').then((dialog) => dialog[answer]());
      await follow(page, `token=${other}`);
      await asked;
      await waitForPlace(page, ...RELEASE);
      assert.doesNotMatch(page.url(), /token/);
      assert.equal(await page.evaluate<string | null>("sessionStorage.getItem('boundaries-token')"), expected);
    }
  });
});

journey('someone has no link, but a token', { service, path: '/', expected: [401] }, async (page, step) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));

  await step('there is one field, which says where to get one; nothing is requested under /api/', async () => {
    await page.reload();
    await page.locator('#token:focus').waitFor();
    await page.getByText('npm start').waitFor();
    await page.getByText('r1', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Keep for this session').isChecked(), false);
    assert.equal(await page.locator('#workspace').isVisible(), false);
    assert.equal(await page.locator('#sign-in input:visible').count(), 2);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Paste a token first.').waitFor();
    assert.deepEqual([asked.length > 0, asked.filter((url) => url.includes('/api/'))], [true, []]);
  });

  await step('it may be pasted with its shell line, its header or its link around it', async () => {
    for (const text of [
      `TOKEN=${TOKEN}\n`,
      `Authorization: Bearer ${TOKEN}`,
      `http://127.0.0.1:8080/#token=${TOKEN}`,
    ]) {
      await give(page, text);
      await waitForPlace(page, ...RELEASE);
      await signOut(page);
      assert.equal(await page.getByLabel('Token').inputValue(), '');
      assert.equal(await page.getByText('Aland').count(), 0);
    }
  });

  await step('it is kept for the session only if asked for, and forgotten by signing out', async () => {
    await give(page, TOKEN);
    await waitForPlace(page, ...RELEASE);
    await page.reload();
    await page.locator('#token:focus').waitFor();
    await give(page, TOKEN, true);
    await waitForPlace(page, ...RELEASE);
    await page.reload();
    await waitForPlace(page, ...RELEASE);
    await signOut(page);
    assert.deepEqual(await keptBy(page), [0, 0, '']);
    await page.reload();
    await page.locator('#token:focus').waitFor();
  });

  await step('one that is not accepted leads to the sign-in, with the reason and the same place', async () => {
    await follow(page, 'lv1?gid-0=AAA');
    for (const bad of ['abc', await token({ exp: Math.floor(Date.now() / 1000) - 100 })]) {
      await give(page, bad);
      await page.locator(REASON).getByText('expired').waitFor();
      await page.locator('#token:focus').waitFor();
      assert.equal(await page.locator('#workspace').isVisible(), false);
    }
    await give(page, TOKEN);
    await waitForPlace(page, 'Aland', '1 region, 1 free city');
    assert.equal(await page.locator(REASON).textContent(), '');
  });

  await step('one that expires while the page is open leads there, too, and back to the same place', async () => {
    await page.route('**/api/v1/geojsonl/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer old' } }),
    );
    await page.getByRole('button', { name: 'Open North: 3 inside' }).click();
    await page.locator(REASON).getByText('not accepted').waitFor();
    await page.unroute('**/api/v1/geojsonl/**');
    await give(page, TOKEN);
    await waitForPlace(page, 'North', '3 districts');
  });

  for (const [how, act] of [
    ['a link', () => page.goto(`${service.url}/#token=${TOKEN}`)],
    ['the form', () => give(page, TOKEN)],
  ] as const)
    await step(`one that ${how} gives before the map is there is taken`, async () => {
      await page.goto(`${service.url}/docs`);
      const load = await holdRequests(page, '**/lib/maplibre-gl.mjs');
      await page.goto(`${service.url}/`);
      await page.locator('#token').waitFor();
      await act();
      await page.locator('#sign-in').waitFor({ state: 'hidden' });
      load();
      await waitForPlace(page, ...RELEASE);
      await page.unroute('**/lib/maplibre-gl.mjs');
    });
});
