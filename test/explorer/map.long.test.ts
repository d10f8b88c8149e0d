// The map of the explorer in Chromium, as a person sees it: colours of pixels.
import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import { colourAt, LIGHT, mapTest, NEAR, UNITS } from './map-page.ts';

const DARK = { sea: '#0d151a' };

mapTest(
  'shows the overview in colours that differ between neighbours, without a violation of the policy',
  async ({ page, run, sees, pixelOf }) => {
    await run(NEAR);
    await sees(3.5, 0.5, UNITS);
    await sees(4.5, 0.5, UNITS);
    await sees(4, -0.6, LIGHT.sea);
    assert.notEqual(await colourAt(page, await pixelOf(3.5, 0.5)), await colourAt(page, await pixelOf(4.5, 0.5)));
  },
);

mapTest('a further page adds units of the level, units it has already are kept once', async ({ run, sees }) => {
  await run(`${NEAR} const units = await load(1); map.setUnits(1, [units[0]]); window.rest = units;`);
  await sees(0.3, 2.3, UNITS);
  await sees(2.7, 0.3, /^#(?!d9e6ec)/);
  await run('map.addUnits(1, rest)');
  await sees(0.3, 0.3, UNITS);
  await sees(0.3, 2.3, UNITS);
});

mapTest(
  'a unit in front is drawn again in a finer shape, in its colour; only those in sight are named for it',
  async ({ page, run, sees, pixelOf }) => {
    await run(`${NEAR} window.units = await load(1); map.setUnits(1, units);`);
    await sees(0.3, 2.3, UNITS);
    const colour = await colourAt(page, await pixelOf(0.3, 2.3));
    assert.deepEqual(await run('return map.unitsInSight()'), [1, 2]);
    // North without its western half, and with its name where the service has it.
    await run(`const coordinates = [[[1, 2], [2, 2], [2, 4], [1, 4], [1, 2]]];
      map.refine(1, [{ ...units[0], geometry: { type: 'Polygon', coordinates } }]);
      map.placeNames(1, [{ ...units[0], geometry: { type: 'Point', coordinates: [1.5, 3.5] } }]);`);
    await sees(0.3, 2.3, LIGHT.land);
    await sees(1.2, 2.3, colour);
    assert.deepEqual(await run('return map.namesInSight()'), [1, 2]);
    await run('map.setView({ zoom: 9, longitude: 1.5, latitude: 3 })');
    assert.deepEqual(await run('return map.unitsInSight()'), [1]);
  },
);

mapTest(
  'the selected unit has an outline, whichever layer it is in, until another is selected',
  async ({ run, sees }) => {
    await run(`${NEAR} map.select({ level: 0, fid: 2 })`);
    await sees(8, 1, LIGHT.chosen);
    await run('map.setUnits(1, await load(1)); map.select({ level: 1, fid: 1 })');
    await sees(0, 3, LIGHT.chosen);
    await sees(8, 1, /^#(?!10222d)/);
    // A unit without geometry has no outline.
    await run('map.select({ level: 1, fid: 3 })');
    await sees(0, 3, /^#(?!10222d)/);
  },
);

mapTest(
  'the selected unit is drawn from its own shape once that is there, be it coarse on the map or not on it at all',
  async ({ run, sees }) => {
    const ring = '[[5, 1], [7, 1], [7, 3], [5, 3], [5, 1]]';
    const shaped = (fid: number, gids: string): string =>
      `{ type: 'Feature', id: ${fid}, gids: ${gids}, properties: {}, geometry: { type: 'Polygon', coordinates: [${ring}] } }`;
    await run(`${NEAR} map.select({ level: 0, fid: 2 })`);
    await sees(8, 1, LIGHT.chosen);
    await run(`map.select({ level: 0, fid: 2 }, ${shaped(2, "['BBB']")})`);
    await sees(5, 2, LIGHT.chosen);
    // Beside the name.
    await sees(5.3, 1.3, UNITS);
    await sees(4.5, 0.5, LIGHT.sea);
    await run('map.select(undefined)');
    await sees(4.5, 0.5, UNITS);
    await run(`map.select({ level: 3, fid: 9 }, ${shaped(9, "['BBB', undefined, undefined, 'BBB.9']")})`);
    await sees(5, 2, LIGHT.chosen);
    assert.deepEqual(await run('return map.boxOf({ level: 3, fid: 9 })'), [5, 1, 7, 3]);
  },
);

mapTest(
  'a unit that is cut at the antimeridian is shown in one piece, without the cut',
  async ({ page, run, sees, pixelOf }) => {
    const box = await run('return map.boxOf({ level: 0, fid: 3 })');
    assert.ok(Array.isArray(box));
    assert.deepEqual(box.map(Math.round), [178, -18, -178, -16]);
    await run('map.fit([map.boxOf({ level: 0, fid: 3 })])');
    await until(async () => Object(await run('return map.view()')).zoom > 6, 'the map is zoomed in');
    await sees(179, -16.5, UNITS);
    const fill = await colourAt(page, await pixelOf(179, -16.5));
    for (const longitude of [178.5, 179.99, 180, 180.01, 181.5]) await sees(longitude, -16.5, fill);
    await run('map.select({ level: 0, fid: 3 })');
    await sees(178, -17, LIGHT.chosen);
    await sees(180, -16.5, fill);
  },
);

mapTest(
  'full-resolution units take the place of those of the overview, with the same colour',
  async ({ page, run, sees, pixelOf }) => {
    await run(NEAR);
    await sees(3.5, 0.5, UNITS);
    const colour = await colourAt(page, await pixelOf(3.5, 0.5));
    // The release spans half the globe: its overview is exact one level of zoom longer than that of the world.
    const coarseAt = (zoom: number): Promise<unknown> =>
      run(`map.setView({ zoom: ${zoom}, longitude: 2, latitude: 2 });
        return map.visibleOverview().map(({ level, id }) => level + '/' + id).join(' ')`);
    assert.deepEqual([await coarseAt(5.3), await coarseAt(6), await coarseAt(7.5)], ['', '0/1 0/2', '0/1 1/1 1/2']);
    await run(NEAR);
    // Half of Aland as its full resolution: what is west of it is sea.
    await run(`const [unit] = await load(0);
      map.showDetail([{ ...unit, geometry: { type: 'Polygon', coordinates: [[[2, 0], [4, 0], [4, 4], [2, 4], [2, 0]]] } }])`);
    await sees(0.5, 0.5, LIGHT.sea);
    await sees(3.5, 0.5, colour);
    await run('map.showDetail([])');
    await sees(0.5, 0.5, colour);
  },
);

mapTest('follows the system from light to dark and back', async ({ page, run, sees }) => {
  await run(NEAR);
  await sees(4, -0.6, LIGHT.sea);
  await page.emulateMedia({ colorScheme: 'dark' });
  await sees(4, -0.6, DARK.sea);
  await sees(4.5, 0.5, /^#(2e7f73|9d7238|47689c|95534a|71803a|765a8d)$/);
  await page.emulateMedia({ colorScheme: 'light' });
  await sees(4, -0.6, LIGHT.sea);
});

mapTest('names the unit under the pointer as text, whatever its name', async ({ page, run, sees, pixelOf }) => {
  const name = '<img src=x onerror=alert(1)>';
  await run(`${NEAR} const units = await load(1); units[1].title = ${JSON.stringify(name)}; map.setUnits(1, units)`);
  await sees(0.3, 0.3, UNITS);
  const { x, y } = await pixelOf(0.3, 0.3);
  await page.mouse.move(x, y);
  await page.locator('.map-name', { hasText: name }).waitFor();
  assert.equal(await page.locator('img').count(), 0);
});

mapTest('is drawn again after the browser took WebGL away and gave it back', async ({ run, sees }) => {
  await run(`${NEAR} map.setUnits(1, await load(1))`);
  await sees(0.3, 0.3, UNITS);
  await run(`const canvas = document.querySelector('canvas');
      const gl = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
      const lost = new Promise((resolve) => canvas.addEventListener('webglcontextlost', resolve, { once: true }));
      const restored = new Promise((resolve) => canvas.addEventListener('webglcontextrestored', resolve, { once: true }));
      gl.loseContext();
      await lost;
      await new Promise((resolve) => setTimeout(resolve));
      gl.restoreContext();
      await restored;`);
  await sees(0.3, 0.3, UNITS);
  await sees(4.5, 0.5, LIGHT.land);
});
