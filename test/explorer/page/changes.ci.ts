// What changed between releases, on the page: the card of the release, and units that are gone.
import assert from 'node:assert/strict';
import { layerOf } from '../../support/datasets/write-dataset.ts';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../support/releases/build-release.ts';
import { publishPair } from '../../support/releases/publish-pair.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { follow, journey, namesIn, saveFrom, waitForFacts, waitForPlace } from './explorer-page.ts';

/** A release in which a country of the one before is divided. */
async function startDivided(): Promise<RunningService> {
  const folder = temporaryFolder();
  const build = async (release: string, units: readonly (readonly [gid: string, x: number, size: number])[]) => {
    const countries = units.map(([gid, x, size]) => {
      const wkt = `POLYGON((${x} 0,${x} 1,${x + size} 1,${x + size} 0,${x} 0))`;
      return [[gid, `Country ${gid}`], wkt] as const;
    });
    await buildLayers([layerOf('ADM_0', ['GID_0', 'COUNTRY'], countries)], { release }, folder);
  };
  await build('r1', [
    ['AAA', 0, 1],
    ['BBB', 4, 2],
  ]);
  await build('r2', [
    ['AAA', 0, 1],
    ['CCC', 4, 1],
    ['DDD', 5, 1],
  ]);
  await publishPair(folder, 'r1', 'r2');
  return startService(folder, { explorer: true });
}

journey('someone asks what changed', { service: startDivided, expected: [404] }, async (page, step, { url }) => {
  const card = page.locator('#changes');

  await step('the release says it when it is asked, and saves the table', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url().slice(url.length)));
    await waitForPlace(page, 'r2', '3 countries');
    assert.ok(!asked.some((path) => path.startsWith('/api/v1/changes')));
    await card.getByText('What changed in this release').click();
    await card.getByText('Since r1').waitFor();
    assert.deepEqual(await card.locator('dt, dd').allTextContents(), ['split', '2']);
    const { name, content } = await saveFrom(page, () => card.getByRole('button', { name: 'Save as CSV' }).click());
    assert.equal(name, 'r1..r2.csv');
    assert.match(
      content.toString(),
      /^level,from_gid.*\r\nlv0,BBB,Country BBB,CCC,Country CCC,split,0\.5000,1\.0000\r\n/,
    );
  });

  await step('a unit that is gone leads to those that took its place', async () => {
    await follow(page, '#lv0?unit=BBB');
    const message = page.locator('#message');
    await message.getByText('This unit is gone').waitFor();
    assert.deepEqual(await message.getByRole('link').allTextContents(), ['Country CCC', 'Country DDD']);
    await message.getByRole('link', { name: 'Country DDD' }).click();
    await waitForFacts(page, 'Country DDD');
    assert.deepEqual(await namesIn(page), ['Country DDD']);
    assert.equal(await card.isVisible(), false);
    await follow(page, '#lv0?gid-0=ZZZ');
    await message.getByText('No such unit').waitFor();
  });
});
