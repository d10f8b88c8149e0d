// A table of 8,212 municipalities colours the map of the sample: what it costs the page.
import assert from 'node:assert/strict';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { sampleOutput } from '../../support/releases/world.ts';
import { until } from '../../support/until.ts';
import { mapAtRest } from './asked-map.ts';
import { apiText, chooseTable, journey, WINDOW } from './explorer-page.ts';

/** Of the page's own thread, from the file to the last unit that the map is told. */
const CPU_MAX_MS = 300;
/** Units that the map is told in one task. */
const SLICE_MAX = 5000;

const startSample = async (): Promise<RunningService> => startService(await sampleOutput(), { explorer: true });

journey(
  'someone colours 8,212 municipalities',
  { service: startSample, hasMap: 'asked', viewport: WINDOW },
  async (page, step, service) => {
    await step('in little time of the page, and in slices', async () => {
      const names = (await apiText(service, 'names/lv3')).trim().split('\n').slice(1);
      const gids = names.map((line): string => JSON.parse(line)[1]).filter((gid) => gid.startsWith('ESP'));
      assert.equal(gids.length, 8212);
      const table = ['gid,value', ...gids.map((gid, i) => `${gid},${(i * 37) % 1009}`)].join('\n');
      await page.goto(`${service.url}/#lv3?gid-0=ESP`);
      await page.locator('#subheading').getByText('× Municipality').waitFor();
      await mapAtRest(page);
      await page.getByRole('tab', { name: 'Table' }).click();
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Performance.enable');
      const measure = async (): Promise<Record<string, number>> => {
        const { metrics } = await devtools.send('Performance.getMetrics');
        return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]));
      };
      const between = (from: Record<string, number>, to: Record<string, number>): string =>
        ['ThreadTime', 'TaskDuration']
          .map((name) => `${name} ${Math.round((to[name] ?? 0) - (from[name] ?? 0))} ms`)
          .join();
      // What the map is told is counted by task. It draws afterwards, which is measured by itself.
      await page.evaluate(`(() => {
        const tell = theMap.setFeatureState.bind(theMap);
        const repaint = theMap.triggerRepaint;
        globalThis.told = { all: 0, inTask: 0, most: 0 };
        theMap.setFeatureState = (unit, state) => {
          if (told.inTask++ === 0) setTimeout(() => (told.inTask = 0));
          told.most = Math.max(told.most, told.inTask);
          told.all++;
          tell(unit, state);
        };
        theMap.triggerRepaint = () => {};
        globalThis.draw = () => {
          theMap.triggerRepaint = repaint;
          theMap.triggerRepaint();
        };
      })()`);
      const before = await measure();
      await chooseTable(page, 'municipalities.csv', table);
      await until(() => page.evaluate<boolean>(`told.all >= ${gids.length}`), 'not all units are told', 100);
      const after = await measure();
      await page.evaluate('draw()');
      await mapAtRest(page);
      const drawn = await measure();
      console.log(`${between(before, after)}; drawing it: ${between(after, drawn)}`);
      assert.ok((after['ThreadTime'] ?? Infinity) - (before['ThreadTime'] ?? 0) <= CPU_MAX_MS);
      assert.ok((await page.evaluate<number>('told.most')) <= SLICE_MAX);
    });
  },
);
