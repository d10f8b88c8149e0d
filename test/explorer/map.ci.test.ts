// The map of the explorer in Chromium: what a click picks, and where it looks. What is drawn is in map.long.test.ts.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../support/until.ts';
import { LIGHT, mapTest, NEAR, UNITS } from './map-page.ts';

mapTest(
  'a click picks the unit of the overview, and where units are in front one of those first',
  async ({ page, run, sees, pixelOf }) => {
    const click = async (longitude: number, latitude: number): Promise<unknown> => {
      const { x, y } = await pixelOf(longitude, latitude);
      await page.mouse.click(x, y);
      return run('return picked.pop() ?? null');
    };
    await run(NEAR);
    await sees(4.5, 0.5, UNITS);
    assert.deepEqual(await click(4.5, 0.5), { level: 0, fid: 2, gid: 'BBB' });
    assert.equal(await click(4, -0.6), null);
    await run('map.setUnits(1, await load(1))');
    await sees(4.5, 0.5, LIGHT.land);
    const south = { level: 1, fid: 2, gid: 'AAA.2_1' };
    await until(async () => isDeepStrictEqual(await click(0.3, 0.3), south), 'the unit in front is picked');
    assert.deepEqual(await click(4.5, 0.5), { level: 0, fid: 2, gid: 'BBB' });
    await run('map.setUnits(1, [])');
    await page.mouse.move(1, 1);
    await sees(4.5, 0.5, UNITS);
  },
);

mapTest(
  'fits the world where nothing is asked for, and boxes on both sides of the antimeridian the short way',
  async ({ run }) => {
    const longitudeAfter = async (script: string): Promise<number> =>
      Object(await run(`${script}; return map.view()`)).longitude;
    assert.equal(Math.round(await longitudeAfter('map.fit([[170, 0, 175, 5], [-175, 0, -170, 5]])')), 180);
    assert.equal(Math.round(await longitudeAfter('map.fit([[0, 0, 4, 4]])')), 2);
    const world = Object(await run('map.fit(); return map.view()'));
    assert.ok(world.zoom < 1, `zoom ${world.zoom}`);
    assert.ok(Array.isArray(await run('return views')) && Number(await run('return views.length')) >= 3);
  },
);

mapTest(
  'what was fitted stays in sight when the map gets another size, a view that a person chose stays as it is',
  async ({ page, run }) => {
    const zoom = async (): Promise<number> => Object(await run('return map.view()')).zoom;
    const resize = (width: number): Promise<unknown> =>
      run(`document.getElementById('map').style.width = '${width}px'; map.resize()`);
    const before = await zoom();
    await resize(400);
    await until(async () => Math.abs((await zoom()) - (before - 1)) < 0.01, 'half as wide a world');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await until(async () => (await zoom()) > before - 0.01, 'a zoom chosen by a person');
    const chosen = await zoom();
    await resize(800);
    assert.equal(await zoom(), chosen);
  },
);

mapTest('is moved with the keyboard and with buttons that have names', async ({ page, run }) => {
  await run(NEAR);
  const view = async (): Promise<{ zoom: number; longitude: number }> => Object(await run('return map.view()'));
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await until(async () => (await view()).zoom === 7, 'zoom 7');
  await page.getByRole('region', { name: /^Map/ }).focus();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await view()).longitude > 4, 'a view further east');
});
