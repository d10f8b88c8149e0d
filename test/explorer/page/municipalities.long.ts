// All 8,212 municipalities of Spain on the map, from the sample: what is asked for, how much of it, and by a view
// beside it.
import assert from 'node:assert/strict';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { sampleOutput } from '../../support/releases/world.ts';
import { drawn, goToView, mapAtRest } from './asked-map.ts';
import { journey, WINDOW, waitForPlace } from './explorer-page.ts';

/** Of data that a view may take. */
const WORLD_BYTES = 60_000;
/** Names of the levels from the regions down are 337 kB of it, tiles 382 kB: all of the zoom at which Spain is seen. */
const MUNICIPALITIES_BYTES = 740_000;
const PAN_BYTES = 60_000;

const startSample = async (): Promise<RunningService> => startService(await sampleOutput(), { explorer: true });

journey(
  'someone looks at 8,212 units',
  { service: startSample, hasMap: 'asked', viewport: WINDOW },
  async (page, step, { url }) => {
    const asked = new Map<string, number>();
    const waiting: Promise<unknown>[] = [];
    page.on('requestfinished', (request) => {
      const [, path] = request.url().split('/api/v1/');
      if (path === undefined) return;
      const add = async (): Promise<void> => void asked.set(path, (await request.sizes()).responseBodySize);
      waiting.push(add());
    });
    /** Bytes since `asked` was emptied, once the map rests and knows a level. */
    const bytes = async (level: number): Promise<number> => {
      await mapAtRest(page, `theMap.getLayer('fill-${level}') !== undefined`);
      await Promise.all(waiting.splice(0));
      const sum = [...asked.values()].reduce((total, size) => total + Math.max(0, size), 0);
      assert.ok(sum > 0, 'nothing was asked for');
      return sum;
    };

    await step('the world takes names and one tile of its level', async () => {
      await waitForPlace(page, 'sample', '255 countries');
      const sum = await bytes(0);
      assert.ok(sum <= WORLD_BYTES, `${sum} bytes: ${[...asked.keys()].join(' ')}`);
      const tiles = [...asked.keys()].filter((path) => path.endsWith('.mvt') || path.includes('.mvt?'));
      assert.deepEqual([...new Set(tiles.map((path) => path.split('?')[0]))], ['tiles/lv0/0/0/0.mvt']);
    });

    await step('its municipalities take their names and tiles', async () => {
      asked.clear();
      await page.goto(`${url}/#lv3?gid-0=ESP`);
      await page.locator('#heading').getByText('Spain', { exact: true }).waitFor();
      await page.locator('#subheading').getByText('× Municipality').waitFor();
      const sum = await bytes(3);
      assert.ok(sum <= MUNICIPALITIES_BYTES, `${sum} bytes: ${[...asked.keys()].join(' ')}`);
      const tiles = [...asked.keys()].filter((path) => path.includes('.mvt'));
      assert.deepEqual([...new Set(tiles.map((path) => path.split('/')[2]))], ['3']);
      // The others are smaller than a quarter of a pixel.
      assert.ok((await drawn(page, 'fill')).filter((unit) => unit.startsWith('3/')).length > 6000);
    });

    await step('a view beside it takes tiles alone', async () => {
      await goToView(page, `${url}/#lv3?gid-0=ESP&map=8.50/40.40/-3.70`);
      await bytes(3);
      asked.clear();
      await page.evaluate('theMap.panBy([200, 0], { duration: 0 })');
      const sum = await bytes(3);
      assert.ok(sum <= PAN_BYTES, `${sum} bytes`);
      const others = [...asked.keys()].filter((path) => !path.startsWith('tiles/'));
      assert.deepEqual(others, []);
    });
  },
);
