// All 8,212 municipalities of Spain on the map, from the sample: by which requests, and what follows as one comes
// closer or opens one of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeSample } from '../../generator/sample/sample.ts';
import { type RunningService, startService } from '../support/http/in-process-proxy.ts';
import { buildUnchecked, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { featuresOf, goToView, mapAtRest } from './asked-map.ts';
import { journey, row } from './explorer-page.ts';

const MUNICIPALITIES = '8,212';

async function startSample(): Promise<RunningService> {
  const [folder, source] = [temporaryFolder(), join(temporaryFolder(), 'sample.gpkg')];
  writeSample(source);
  await buildUnchecked(source, folder, { ...WHOLE, storedPages: 'none' });
  return startService(folder, { explorer: true });
}

journey('someone looks at 8,212 units', { service: startSample, hasMap: 'asked' }, async (page, step, { url }) => {
  /** What is asked for of the level. */
  const queries: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') return;
    const { pathname, search } = new URL(request.url());
    if (pathname === '/api/v1/geojsonl/lv3') queries.push(decodeURIComponent(search));
    if (pathname === '/api/v1/download/lv3.geojsonl.gz') queries.push(`download${decodeURIComponent(search)}`);
  });
  /** The text of the shapes of the map, by key. */
  const shapesOf = async (): Promise<Map<unknown, string>> =>
    new Map(
      (await featuresOf(page, 'units')).map(({ properties, geometry }) => [
        properties?.['key'],
        JSON.stringify(geometry),
      ]),
    );
  let coarse = new Map<unknown, string>();

  await step('they take one page and one download', async () => {
    await page.locator('#subheading').getByText('countries').waitFor();
    await page.goto(`${url}/#lv3?gid-0=ESP`);
    await page.locator('#heading').getByText('Spain', { exact: true }).waitFor();
    const pager = page.locator('#pager');
    await pager
      .getByText(`${MUNICIPALITIES} of ${MUNICIPALITIES} units loaded`, { exact: true })
      .waitFor({ state: 'attached' });
    assert.deepEqual(queries.slice(0, 2), ['?gid-0=ESP&geometry=low', 'download?gid-0=ESP&geometry=low&release=r1']);
    // The request tab has the first page, from which its pages are walked.
    assert.equal(await pager.locator('b').textContent(), 'Page 1 of 83');
    await mapAtRest(page);
    coarse = await shapesOf();
    assert.equal(coarse.size, 8212);
  });

  await step('near by they are medium, their names are at points, and several share a request', async () => {
    queries.length = 0;
    await goToView(page, `${url}/#lv3?gid-0=ESP&map=9.50/40.40/-3.70`);
    let finer: unknown[] = [];
    const isRefined = async (): Promise<boolean> => {
      finer = [...(await shapesOf())].filter(([key, shape]) => shape !== coarse.get(key));
      return finer.length > 0;
    };
    await until(isRefined, () => `near by it asks for ${queries.join(' ')}`);
    const geometries = queries.map((query) => new URLSearchParams(query).get('geometry'));
    assert.deepEqual([...new Set(geometries)].sort(), ['medium', 'point']);
    const requests = geometries.filter((geometry) => geometry === 'medium').length;
    assert.ok(requests < finer.length / 2, `${requests} requests for ${finer.length} shapes`);
  });

  await step('one that is chosen is full, asked for once', async () => {
    queries.length = 0;
    await row(page, 'A Arnoia').click();
    await page.locator('#facts').getByText('km²').waitFor();
    // Its neighbours in sight may follow once the map rests, so near by.
    const full = queries.filter((query) => !query.includes('geometry'));
    assert.match(full[0] ?? '', /^\?page-size=1&start-at=\d+$/);
    assert.equal(new Set(full).size, full.length, full.join());
  });
});
