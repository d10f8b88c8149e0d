// The map at /embed, in frames of other sites: shown where the site is named and nowhere else, without a token, at the
// place of its address. Accessible by keyboard and finger, also where nothing can be drawn.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import { startService, TOKEN } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { type BrowserKind, browserOf, WITHOUT_CHROMIUM } from '../../support/processes/chromium.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { exposeMap, mapAtRest, waitForDrawn } from './asked-map.ts';
import { assertAccessible } from './axe.ts';
import { ALL_SHAPES, ATTRIBUTION, buildExplorerRelease } from './explorer-page.ts';

const SKIP = { skip: WITHOUT_CHROMIUM };
const TIMEOUT_MS = 45_000;
const WINDOW = { width: 700, height: 620 };
/** What a browser shows in place of a page that refuses to be in a frame. */
const REFUSED = 'chrome-error://chromewebdata/';

/** A site of its own at two origins: that of the address, and that of the name. */
let frames: readonly string[] = [];
const site = createServer((_, res) => {
  res.setHeader('Content-Type', 'text/html');
  const all = frames.map((src, i) => `<iframe src="${src}" title="Map ${i}" width="100%" height="400"></iframe>`);
  res.end(
    `<!doctype html><html lang="en"><title>A page</title><h1>A page</h1>${all.join('')}<p style="height:2000px">`,
  );
});
const port = await listen(site);
const ALLOWED = `http://127.0.0.1:${port}`;
const OTHER = `http://localhost:${port}`;

const folder = temporaryFolder();
await buildExplorerRelease(folder, ALL_SHAPES);
const service = await startService(folder, { explorer: true, isPublic: true, embedOrigins: [ALLOWED] });

/** A page of the site with frames of the service, and the errors that its console says. */
async function onSite(
  {
    from = ALLOWED,
    kind = 'webgl',
    fragment = '',
    ...options
  }: BrowserContextOptions & {
    from?: string;
    kind?: BrowserKind;
    fragment?: string;
  },
  paths: readonly string[],
  use: (page: Page, inside: Frame[], said: string[]) => Promise<void>,
): Promise<void> {
  frames = paths.map((path) => `${service.url}${path}`);
  const context = await (await browserOf(kind)).newContext({ viewport: WINDOW, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  page.on('pageerror', (error) => said.push(`${error}`));
  await exposeMap(page);
  await page.goto(`${from}/${fragment}`);
  await use(page, page.mainFrame().childFrames(), said);
  await context.close();
}

/** Waits until a frame has drawn the units of its map. */
async function mapOf(frame: Frame | undefined): Promise<Frame> {
  assert.ok(frame !== undefined);
  await mapAtRest(frame, "theMap.getLayersOrder().some((id) => id.startsWith('fill-'))");
  return frame;
}

/** Waits until the browser has refused both frames, and has said why. */
async function areRefused(both: readonly Frame[], said: readonly string[]): Promise<void> {
  assert.equal(both.length, 2);
  const isSaid = (): boolean => said.filter((text) => text.includes('frame-ancestors')).length === 2;
  await until(
    () => isSaid() && both.every((frame) => frame.url() === REFUSED),
    () => [...both.map((frame) => frame.url()), ...said].join('\n'),
  );
}

test('a site that is named shows /embed at its place, and neither / nor /docs', SKIP, async () => {
  const place = '#lv1?gid-0=AAA&unit=AAA.1_1&map=5.00/1.00/2.00';
  await onSite({}, [`/embed${place}`, '/', '/docs'], async (page, [embed, ...others], said) => {
    const frame = await mapOf(embed);
    await waitForDrawn(frame, 'chosen', ['1/1']);
    await waitForDrawn(frame, 'fill', ['1/1', '1/2']);
    assert.deepEqual(
      await frame.evaluate('[theMap.getZoom(), theMap.getCenter().lat, theMap.getCenter().lng]'),
      [5, 1, 2],
    );
    for (const text of ATTRIBUTION) await frame.locator('#credits').getByText(text.slice(0, 13)).waitFor();
    assert.equal(await frame.title(), 'North');
    await areRefused(others, said);
    const [explorer] = await Promise.all([
      page.waitForEvent('popup'),
      frame.getByRole('link', { name: 'Open in the explorer' }).click(),
    ]);
    assert.equal(explorer.url(), `${service.url}/${place}`);
    await explorer.locator('#facts').getByRole('heading', { name: 'North' }).waitFor();
  });
});

test('a site that is not named shows none of them', SKIP, async () => {
  await onSite({ from: OTHER, kind: 'plain' }, ['/embed', '/'], async (_, inside, said) => {
    await areRefused(inside, said);
  });
});

test(
  'the map follows the place of its address, goes to all of it where it has no view, and says what is not there',
  SKIP,
  async () => {
    await onSite({}, ['/embed'], async (_, [embed], said) => {
      const frame = await mapOf(embed);
      await waitForDrawn(frame, 'fill', ['0/1', '0/2']);
      const goTo = (place: string): Promise<void> => frame.evaluate(`location.hash = ${JSON.stringify(place)}`);
      const seen = 'theMap.getBounds().toArray().flat()';
      await goTo('#lv2?gid-1=AAA.1_1');
      await mapAtRest(frame, 'theMap.getZoom() > 5');
      assert.equal(await frame.title(), 'North');
      await goTo('#lv0?bbox=0,0,1,1');
      await mapAtRest(frame, `${seen}[2] < 4`);
      await goTo('#lv1?gid-0=ZZZ');
      await frame.getByRole('alert').getByText('no unit ZZZ').waitFor();
      await goTo('#lv0');
      await frame.getByRole('alert').waitFor({ state: 'hidden' });
      // A unit that is picked is where the link leads.
      await mapAtRest(frame, `${seen}[2] > 10`);
      const { x, y } = await frame.evaluate<{ x: number; y: number }>('theMap.project([0.5, 0.5])');
      await frame.locator('#map').click({ position: { x, y } });
      await waitForDrawn(frame, 'chosen', ['0/1']);
      const link = frame.getByRole('link', { name: 'Open in the explorer' });
      assert.match(String(await link.getAttribute('href')), /^\.\/#lv0\?unit=AAA&map=/);
      assert.match(said.join('\n'), /^[^\n]*status of 404[^\n]*$/);
    });
  },
);

test('an embedded map takes no token: of no address and no storage, and the service is told none', SKIP, async () => {
  service.requests.length = 0;
  await onSite({ fragment: `#token=${TOKEN}` }, [`/embed#token=${TOKEN}`], async (page, [embed], said) => {
    const frame = await mapOf(embed);
    const kept = 'JSON.stringify([location.href, { ...sessionStorage }, { ...localStorage }, document.cookie])';
    assert.doesNotMatch(await frame.evaluate<string>(kept), /token|eyJ/);
    assert.doesNotMatch(await frame.content(), /token|eyJ/i);
    assert.equal(await frame.locator('input').count(), 0);
    await frame.evaluate(`location.hash = 'token=${TOKEN}'`);
    await until(() => frame.evaluate<boolean>("location.hash === ''"), 'the token stays in the address');
    // As the explorer keeps one.
    await frame.evaluate(`sessionStorage.setItem('boundaries-token', ${JSON.stringify(TOKEN)})`);
    await Promise.all([page.waitForEvent('framenavigated'), frame.evaluate('location.reload()').catch(() => {})]);
    await mapOf(frame);
    assert.ok(page.url().includes(TOKEN));
    assert.deepEqual(said, []);
  });
  const { requests, log } = service;
  assert.ok(
    requests.filter(({ path }) => path === '/embed').length === 2 && requests.some(({ path }) => path.endsWith('.mvt')),
  );
  assert.doesNotMatch(JSON.stringify([requests.map(({ target, headers }) => [target, headers]), log]), /token|eyJ/i);
});

test('the wheel moves the page around the map, and keys move the map', SKIP, async () => {
  await onSite({}, ['/embed#lv1?gid-0=AAA&map=5.00/1.00/2.00'], async (page, [embed], said) => {
    const frame = await mapOf(embed);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, 200);
    await until(() => page.evaluate<boolean>('scrollY > 0'), 'the page does not move');
    assert.equal(await frame.evaluate('theMap.getZoom()'), 5);
    await frame.getByText('to zoom the map').first().waitFor();
    for (const stop of ['Map: arrow keys', 'Zoom in', 'Zoom out', 'Open in the explorer']) {
      await page.keyboard.press('Tab');
      const focused = 'document.activeElement.ariaLabel ?? document.activeElement.textContent';
      assert.match(await frame.evaluate<string>(focused), new RegExp(`^${stop}`));
    }
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await mapAtRest(frame, 'theMap.getCenter().lng > 2.1');
    assert.deepEqual(said, []);
  });
});

for (const colorScheme of ['light', 'dark'] as const)
  test(
    `axe-core finds nothing, also where a unit is not there, in the frame of a phone, ${colorScheme}`,
    SKIP,
    async () => {
      const phone = { colorScheme, viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
      const places = ['/embed#lv1?gid-0=AAA', '/embed#lv1?gid-0=ZZZ'];
      await onSite(
        { ...phone, kind: colorScheme === 'light' ? 'webgl' : 'plain' },
        places,
        async (_, [embed, unknown]) => {
          assert.ok(embed !== undefined && unknown !== undefined);
          await unknown.getByRole('alert').getByText('no unit ZZZ').waitFor();
          if (colorScheme === 'light') await mapAtRest(embed);
          // Without WebGL it says so, and leads to what works without.
          else await embed.getByText('The map needs WebGL 2').waitFor();
          await embed.getByRole('link', { name: 'Open in the explorer' }).waitFor();
          for (const frame of [embed, unknown]) {
            await assertAccessible(frame, colorScheme);
            assert.equal(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
          }
        },
      );
    },
  );

test(
  'what the service says of itself is asked for again where it did not arrive, and with another release',
  SKIP,
  async () => {
    await onSite({}, ['/embed#lv1?gid-0=AAA&map=5.00/1.00/2.00'], async (page) => {
      const frame = (): Frame => page.mainFrame().childFrames()[0] ?? assert.fail('no frame');
      const again = (): ReturnType<Frame['getByRole']> => frame().getByRole('button', { name: 'Try again' });
      const described = '**/about.json';
      for (const body of [undefined, '<!doctype html>', '{"release":"r1","lev']) {
        await page.route(described, (route) =>
          body === undefined ? route.abort() : route.fulfill({ contentType: 'application/json', body }),
        );
        await page.reload();
        await frame().getByRole('alert').getByText('The service has no release yet, or it could not be').waitFor();
        await again().click();
        await page.unroute(described);
        await again().click();
        await mapOf(frame());
        await frame().getByRole('alert').waitFor({ state: 'hidden' });
      }
      await buildExplorerRelease(folder, { ...ALL_SHAPES, release: 'r2', attribution: ['Third source'] });
      await service.releases.refresh();
      await frame().evaluate("location.hash = '#lv2?gid-0=AAA&map=6.00/2.00/2.00'");
      await frame().locator('#credits').getByText('Third source').waitFor();
      await mapAtRest(frame(), "theMap.getZoom() === 6 && theMap.getLayer('fill-2') !== undefined");
      assert.equal(await frame().locator('#credits').getByText('Second source').count(), 0);
      assert.equal(await frame().locator('#map canvas').count(), 1);
    });
  },
);
