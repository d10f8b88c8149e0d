// The HTTP contract: features by place. What `bbox` and `contains` select is compared with a model by requests.ts,
// among all other parameters; here is what they refuse, and how
// they go with pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fidsOf, pagesFrom, send, textOf, walk } from '../support/http/http-client.ts';
import { allFids, type World } from './world.ts';

/** A box that some units touch, and a number of pages. */
const BOX = '-60.50,-40,60.5,40.000';

/** Tests `bbox` and `contains`. */
export function testPlaces({ proxy, stored }: World): void {
  test('refuses a box or a point that is none, and says which order is meant', async () => {
    const order = /longitudes from -180 to 180 before latitudes from -90 to 90/;
    const refused: [query: string, detail: RegExp][] = [
      ['bbox=', /bbox is empty/],
      ['bbox=1,2,3', /"1,2,3": 3 values, not 4/],
      ['bbox=1,2,3,4,5', /5 values, not 4/],
      ['bbox=1,2,3,', /"" is no latitude/],
      ['bbox=1;2;3;4', /1 values, not 4/],
      ['bbox=1,2,3,1.9999999', /south is greater than its north/],
      ['bbox=0,0,180.0000001,1', /"180.0000001" is no longitude/],
      ['bbox=0,-90.00000000000000000001,1,1', /"-90.00000000000000000001" is no latitude/],
      ['bbox=0,0,1,91', /"91" is no latitude/],
      ['contains=40.4168,-103.7038', /"-103.7038" is no latitude/],
      ['contains=40.4168', /1 values, not 2/],
      ['contains=1,2,3', /3 values, not 2/],
      ['contains=181,0', /"181" is no longitude/],
      ['contains=', /contains is empty/],
      ...['NaN', 'Infinity', '-Infinity', '1e1', '0x1', '%2B1', '1.', '.5', '--1', '+1', '%00', '１', '1_0'].flatMap(
        (value): [string, RegExp][] => [
          [`bbox=${encodeURI(value)},0,1,1`, /is no longitude/],
          [`contains=0,${encodeURI(value)}`, /is no latitude/],
        ],
      ),
    ];
    for (const [query, detail] of refused) {
      const answer = await send(proxy, `/api/v1/fc/lv1?${query}`);
      const problem = JSON.parse(textOf(answer));
      assert.deepEqual([answer.status, problem.code], [400, 'bad-parameter'], query);
      assert.match(problem.detail, detail);
      assert.match(problem.detail, order);
    }
    for (const query of ['bbox=1,2,3,4&bbox=1,2,3,4', 'contains=1,2&contains=1,2'])
      assert.equal(JSON.parse(textOf(await send(proxy, `/api/v1/fc/lv1?${query}`))).code, 'duplicate-parameter');
  });

  test('repeats box and point as they were written, on every page to the end', async () => {
    const all = fidsOf(await send(proxy, `/api/v1/geojsonl/lv5?bbox=${BOX}&geometry=none`));
    assert.ok(all.length > 50 && all.length < 250, `${all.length} units`);
    for (const query of [`bbox=${BOX}`, `bbox=${BOX.replaceAll(',', '%2c')}`]) {
      const found: number[] = [];
      for await (const answer of pagesFrom(proxy, `/api/v1/fc/lv5?${query}&page-size=9`)) {
        found.push(...fidsOf(answer));
        assert.equal(answer.headers['boundaries-matched'], String(all.length));
        if (answer.headers.link !== undefined)
          assert.match(String(answer.headers.link), new RegExp(`\\?bbox=${BOX}&page`));
      }
      assert.deepEqual(found, all);
    }
  });

  test('a box of the whole world selects every unit that has a geometry, with the pages of the whole level', async () => {
    for (const world of ['-180,-90,180,90', '0,-90,-0.0000000001,90']) {
      const without = JSON.parse(`[${stored[2]?.lines.join() ?? ''}]`).filter(
        (unit: { geometry: unknown }) => unit.geometry !== null,
      );
      assert.equal(without.length, allFids(stored, 2).length - 1);
      assert.deepEqual(
        await walk(proxy, `/api/v1/fc/lv2?bbox=${world}&geometry=none`),
        without.map((unit: { id: number }) => unit.id),
      );
      const [page, plain] = [
        await send(proxy, `/api/v1/fc/lv1?bbox=${world}`, { 'accept-encoding': 'gzip' }),
        await send(proxy, '/api/v1/fc/lv1', { 'accept-encoding': 'gzip' }),
      ];
      assert.deepEqual([page.headers.etag, page.body], [plain.headers.etag, plain.body]);
    }
  });
}
