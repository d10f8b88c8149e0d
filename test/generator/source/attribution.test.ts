// Whom a release credits, and whom each level does: by --attribution, by the metadata of the source, and by what a
// known dataset says; and what the service says of it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { attributionOf } from '../../../generator/options/attribution.ts';
import { attributionsFrom } from '../../../generator/options/option-texts.ts';
import { type FixtureLayer, squares, writeFiles } from '../../support/datasets/write-dataset.ts';
import { send, textOf } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const [countries = '', regions = ''] = writeFiles(join(folder, 'files'), 'GPKG', [
  squares('countries', ['GID_0', 'NAME_0'], ['A', 'Aa']),
  squares('regions', ['GID_0', 'GID_1', 'NAME_1'], ['A', 'A.1', 'North']),
] satisfies FixtureLayer[]);

test('a level has the attribution that is given for it, which the service says, its TileJSON and its collection alone', async () => {
  const out = join(folder, 'out');
  const attribution = ['© Everybody', 'lv1=© Regions, lv0 too', 'lv0=© Countries'];
  const release = await buildRelease([countries, regions], out, { attribution, tiles: 0 });
  assert.deepEqual(release.attribution, ['© Everybody', '© Countries', '© Regions, lv0 too']);
  assert.deepEqual(
    release.levels.slice(0, 3).map((level) => level.attribution),
    [['© Everybody', '© Countries'], ['© Everybody', '© Regions, lv0 too'], undefined],
  );
  assert.deepEqual(release.options['attribution'], attribution);
  const service = await startService(out, { explorer: true });
  const read = async (path: string) => JSON.parse(textOf(await send(service, path)));
  const { attribution: all, levels } = await read('/api/v1/');
  assert.deepEqual(all, release.attribution);
  assert.deepEqual(
    levels.map((level: { attribution: string[] }) => level.attribution),
    [
      ['© Everybody', '© Countries'],
      ['© Everybody', '© Regions, lv0 too'],
    ],
  );
  assert.equal((await read('/api/v1/tiles/lv1.json')).attribution, '© Everybody; © Regions, lv0 too');
  assert.equal((await read('/api/v1/ogc/collections/lv0')).attribution, '© Everybody\n© Countries');
});

const OWNERS = [
  { level: 0, attribution: ['World'], credits: [] },
  { level: 1, attribution: ['World', 'Spain'], credits: ['GADM'] },
] as const;
const DESCRIBED = { attribution: ['World', 'Spain'], credits: ['GADM'], owners: OWNERS };

test('without texts for levels a release credits as before, and levels only what their own layers have', () => {
  assert.throws(() => attributionOf(['x'.repeat(10_001)], DESCRIBED), {
    name: 'BuildError',
    message: /^the attribution has a text of 10001 characters, at most 10000 are possible/,
  });
  const { release, levels } = attributionOf([], DESCRIBED);
  assert.deepEqual(release, ['World', 'Spain', 'GADM']);
  assert.deepEqual([...levels], [[0, ['World']]]);
  const given = attributionOf(['© ACME'], DESCRIBED);
  assert.deepEqual(given.release, ['© ACME', 'World', 'Spain']);
  assert.deepEqual([...given.levels], [[0, ['© ACME', 'World']]]);
  const stated = attributionOf(
    [],
    { ...DESCRIBED, credits: [], owners: [{ ...OWNERS[0], attribution: ['World', 'Spain'] }] },
    [['World']],
  );
  assert.deepEqual([...stated.levels], [[0, ['World']]]);
});

test('a text for a level that there is not is refused; one that only begins so is a text', () => {
  assert.throws(() => attributionsFrom(['lv6=© ACME']), { message: /--attribution lv6: not a level/ });
  assert.deepEqual(attributionsFrom(['level 3 = ACME', 'lv3,lv2=A=B']), [
    { level: undefined, value: 'level 3 = ACME' },
    { level: 3, value: 'A=B' },
    { level: 2, value: 'A=B' },
  ]);
});
