// The sign-in: what is asked for before it, how long a token is kept, and a token that comes early.
import assert from 'node:assert/strict';
import { startService, token } from '../../support/http/in-process-proxy.ts';
import { holdRequests } from '../../support/processes/chromium.ts';
import { follow, give, journey, keptBy, signOut, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const RELEASE = ['r1', '2 countries'] as const;

journey('someone keeps a token for the session', { service, path: '/' }, async (page, step) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));

  await step('there is one field, which says who gives tokens; nothing is requested under /api/', async () => {
    await page.reload();
    await page.locator('#token:focus').waitFor();
    await page.getByText('Get one from https://issuer.test, or ask').waitFor();
    assert.equal(await page.getByText('npm start').count(), 0);
    await page.getByText('r1', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Keep me signed in for this session').isChecked(), false);
    assert.equal(await page.locator('#workspace').isVisible(), false);
    assert.equal(await page.locator('#sign-in input:visible').count(), 2);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Paste a token first.').waitFor();
    assert.deepEqual([asked.length > 0, asked.filter((url) => url.includes('/api/'))], [true, []]);
  });

  await step('a token is kept for the session only if asked for, and forgotten by signing out', async () => {
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

  await step('a link replaces a kept token only if the user agrees', async () => {
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

  for (const [how, act] of [
    ['a link', () => page.goto(`${service.url}/#token=${TOKEN}`)],
    ['the form', () => give(page, TOKEN)],
  ] as const)
    await step(`a token that ${how} gives before the map is there is taken`, async () => {
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

journey('someone signs out while answers are on their way', { service }, async (page) => {
  await waitForPlace(page, ...RELEASE);
  const arrive = await holdRequests(page, '**/api/v1/children?*');
  await page.getByRole('button', { name: 'Open Aland: 2 inside' }).click();
  await page.waitForURL(/gid-0=AAA/);
  await signOut(page);
  arrive();
  // The answer of another page of the service comes after that of the list.
  await page.evaluate(`fetch('about.json', { cache: 'no-store' }).then((response) => response.text())`);
  assert.equal(await page.locator('#rows .choose').count(), 0);
  assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /Aland|North/);
  assert.match(page.url(), /#lv1\?gid-0=AAA$/);
  await give(page, TOKEN);
  await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
});

const HELP = 'Ask <i>geo@example.org</i>, or fill in https://example.org/tokens, for a token.';
const startHelping = () =>
  startService(service.folder, { explorer: true, title: 'Boundaries of Aland', signInHelp: HELP });

journey(
  'a shared link leads to a sign-in in the words of the service',
  { service: startHelping, path: '/#lv1?gid-0=AAA' },
  async (page) => {
    await page.getByRole('heading', { name: 'Open Boundaries of Aland', exact: true }).waitFor();
    await page.getByText(HELP.replace('https://', ''), { exact: false }).waitFor();
    assert.equal(
      await page.getByRole('link', { name: 'example.org/tokens' }).getAttribute('href'),
      'https://example.org/tokens',
    );
    assert.doesNotMatch(await page.locator('#sign-in').innerText(), /npm start|issuer/);
    await give(page, TOKEN, true);
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    await page.reload();
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
  },
);
