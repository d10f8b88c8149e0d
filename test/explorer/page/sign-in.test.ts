// Sign-in: the link with a token, the field for one, how long it is kept, and what happens when it is not accepted.
import assert from 'node:assert/strict';
import { token } from '../../support/http/in-process-proxy.ts';
import { follow, give, journey, keptBy, signOut, startExplorer, TOKEN, waitForPlace } from './explorer-page.ts';

const service = await startExplorer();
const RELEASE = ['r1', '2 countries'] as const;
const REASON = '#sign-in-reason';

journey('someone signs in', { service, path: '/docs', expected: [401], isAlone: true }, async (page, step) => {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  // The address at each request of the page.
  await page.addInitScript(`
    const { fetch } = globalThis;
    globalThis.addresses = [];
    globalThis.fetch = (...request) => { addresses.push(location.href); return fetch(...request); };`);

  await step('a link opens the world; the token leaves the address before any request', async () => {
    await page.goto(`${service.url}/#token=${TOKEN}`);
    await waitForPlace(page, ...RELEASE);
    assert.doesNotMatch(page.url(), /token|eyJ/);
    const addresses = await page.evaluate<string[]>('addresses');
    assert.ok(addresses.length > 1 && addresses.every((address) => !address.includes('token')), 'before any request');
    assert.ok(urls.some((url) => url.endsWith('/api/v1/names/lv0')));
    const others = urls.filter((url) => !url.endsWith(`#token=${TOKEN}`));
    assert.ok(others.every((url) => !url.includes(TOKEN)));
    assert.equal(await page.evaluate('history.length'), 3);
    assert.deepEqual(await keptBy(page), [0, 0, '']);
  });

  await step('opened in the tab of the page, it signs in as well, whatever else is in it', async () => {
    await signOut(page);
    await follow(page, `token=${TOKEN}&x=1`);
    await waitForPlace(page, ...RELEASE);
    assert.doesNotMatch(page.url(), /token|eyJ|x=1/);
  });

  await step('a link without a token that a header can carry leads to the sign-in', async () => {
    await page.goto(`${service.url}/docs`);
    await page.goto(`${service.url}/#token=%`);
    await page.locator(REASON).getByText('The token in the link').waitFor();
    for (const bad of ['', '%0A', 'a%20b', '%E6%9D%B1', '%00&x=1', 'a'.repeat(100_000)]) {
      await give(page, '東');
      await page.locator(REASON).getByText('This is not a token').waitFor();
      await follow(page, `token=${bad}`);
      await page.locator(REASON).getByText('The token in the link').waitFor();
      assert.doesNotMatch(page.url(), /#./);
    }
  });

  await step('a token may be pasted with space around it', async () => {
    await give(page, ` ${TOKEN}\t`);
    await waitForPlace(page, ...RELEASE);
    await signOut(page);
    assert.equal(await page.getByLabel('Token').inputValue(), '');
    assert.equal(await page.getByText('Aland').count(), 0);
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
    await waitForPlace(page, 'Aland', '1 × Region, 1 × Free City');
    assert.equal(await page.locator(REASON).count(), 0);
  });

  await step('one that expires while the page is open leads there, too, and back to the same place', async () => {
    await page.route('**/api/v1/geojsonl/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer old' } }),
    );
    await page.getByRole('button', { name: 'Open North: 3 inside' }).click();
    await page.locator(REASON).getByText('does not accept this token').waitFor();
    assert.equal(await page.title(), 'Boundaries explorer');
    await page.unroute('**/api/v1/geojsonl/**');
    await give(page, TOKEN);
    await waitForPlace(page, 'North', '3 × District');
  });
});
