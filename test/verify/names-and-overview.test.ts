// Names and overviews whose every checksum is right and whose content is wrong: `verify` names the file and says where.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { namesPath, OVERVIEW_FILE } from '../../format/layout.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { verify } from '../../generator/verify/verify.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { replaceWholeFile, resealRelease, summaryOf } from '../support/releases/reseal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const good = join(folder, 'good');
const [countries, ...others] = countryLayers();
assert.ok(countries);
const bare = { fid: 3, values: ['CCC', 'Celand'], wkt: null };
const source = writeDataset(join(folder, 'source.gpkg'), 'GPKG', [
  { ...countries, features: [...countries.features, bare] },
  ...others,
]);
await buildRelease(source, good, { storedPages: 'none', accept: ['empty-geometries'] });

/** What `verify` finds once `change` has been made to a fresh copy of the release: path and problem. */
async function faultsOf(change: (root: string) => void): Promise<[string, string][]> {
  const out = join(folder, 'changed');
  rmSync(out, { recursive: true, force: true });
  cpSync(good, out, { recursive: true });
  change(join(out, 'releases/r1'));
  const { findings } = await verify({ out, workers: 0 }, SILENT);
  return findings.map(({ path, problem }) => [path.replace('releases/r1/', ''), problem]);
}

const header = '["fid","gid","name","type","parent","children"]\n';

test('names that say something else than features and manifests: the file is named, and the unit', async () => {
  const cases: [string, string, RegExp][] = [
    [header, '', /^line 1 is \[1,.*, expected \["fid",/],
    ['[1,"AAA.1_1"', '[9,"AAA.1_1"', /^line 2 is \[9,"AAA\.1_1",.*, expected \[1,"AAA\.1_1",/],
    ['"AAA.2_1"', '"AAA.9_1"', /^line 3 is \[2,"AAA\.9_1",.*, expected \[2,"AAA\.2_1",/],
    ['"North"', '"Nord"', /^line 2 is .*"Nord",null,.*, expected .*"North",null,/],
    ['"North",null', '"North","Region"', /^line 2 is .*"North","Region",.*, expected .*"North",null,/],
    ['"North"', '7', /^line 2 is .*,7,null,.*, expected .*"North",null,/],
    ['null,"AAA",2', 'null,"BBB",2', /^line 2 is .*null,"BBB",2\], expected .*null,"AAA",2\]$/],
    ['"AAA",2]', '"AAA",3]', /^line 2 is .*"AAA",3\], expected .*"AAA",2\]$/],
    ['[1,', '[ 1,', /^line 2 is \[ 1,.*, expected \[1,/],
    ['"AAA",2]', '"AAA",2,0]', /^line 2 is .*"AAA",2,0\], expected .*"AAA",2\]$/],
    ['[2,', '{2,', /^line 3 is \{2,.*, expected \[2,/],
    ['[3,"BBB.1_1","All",null,"BBB",1]\n', '', /^line 4 is missing, expected \[3,"BBB\.1_1",/],
    [
      '"BBB",1]\n',
      '"BBB",1]\n[4,null,null,null,null,0]\n',
      /^line 5 is \[4,null,null,null,null,0\], expected its end$/,
    ],
    ['"BBB",1]\n', '"BBB",1]', /^its last line does not end in a line feed$/],
  ];
  for (const [from, to, problem] of cases) {
    const faults = await faultsOf((root) =>
      replaceWholeFile(root, 1, (text) => {
        assert.ok(text.includes(from), from);
        return text.replace(from, to);
      }),
    );
    assert.equal(faults.length, 1, JSON.stringify(faults));
    assert.equal(faults[0]?.[0], namesPath(1));
    assert.match(faults[0]?.[1] ?? '', problem);
  }
  const empty = await faultsOf((root) => replaceWholeFile(root, 5, () => ''));
  assert.deepEqual(empty, [[namesPath(5), `line 1 is missing, expected ${header.trimEnd()}`]]);
});

test('an overview that is no topology, or lacks a unit or a shape: it is named, and where it is wrong', async () => {
  interface Overview {
    type: unknown;
    transform?: unknown;
    objects: Record<string, { type: string; geometries: Record<string, unknown>[] }>;
    arcs: unknown[][];
  }
  /** The geometry of a unit. */
  const unit = ({ objects }: Overview, level: string, at: number): Record<string, unknown> =>
    objects[level]?.geometries[at] ?? assert.fail();
  const cases: [(overview: Overview) => void, RegExp][] = [
    [(overview) => Object.assign(overview, { type: 'Feature' }), /^is not a TopoJSON topology$/],
    [(overview) => delete overview.transform, /^transform: is not a JSON object$/],
    [(overview) => delete overview.objects['lv1'], /^has the objects lv0, expected lv0, lv1$/],
    [(overview) => overview.objects['lv1']?.geometries.pop(), /^lv1 has 2 geometries, expected 3$/],
    [(overview) => overview.objects['lv1']?.geometries.reverse(), /^lv1 fid 1: its id is 3$/],
    [(overview) => Object.assign(unit(overview, 'lv0', 0), { type: 'Point' }), /^lv0\[0\] has the type "Point"$/],
    [(overview) => Object.assign(unit(overview, 'lv0', 0), { arcs: [[99]] }), /^lv0\[0\] refers to arc 99 of \d+$/],
    [(overview) => Object.assign(unit(overview, 'lv0', 0), { arcs: [] }), /has a polygon without rings$/],
    [
      (overview) =>
        overview.arcs.push([
          [0, 0],
          [1, 1],
        ]),
      /^1 arcs are in no shape$/,
    ],
    [(overview) => overview.arcs[0]?.push([3, 3]), /has a ring that is not closed$/],
    [(overview) => overview.arcs[0]?.push([0.5, 0]), /^arcs\[0\] has a position that is not two whole numbers$/],
    [(overview) => overview.arcs[0]?.splice(1), /^arcs\[0\] has fewer than two positions$/],
    [
      (overview) => {
        Object.assign(unit(overview, 'lv0', 2), { type: 'Polygon', arcs: unit(overview, 'lv0', 1)['arcs'] });
      },
      /^lv0 fid 3: has a shape, its feature none$/,
    ],
  ];
  for (const key of ['gid', 'name', 'children', 'parent', 'other'])
    cases.push([
      (overview) => Object.assign(unit(overview, 'lv1', 0)['properties'] ?? {}, { [key]: 'x' }),
      new RegExp(`^lv1 fid 1: its properties are .*"${key}":"x".*, expected `),
    ]);
  for (const [change, problem] of cases) {
    const faults = await faultsOf((root) =>
      replaceWholeFile(root, 'overview', (text) => {
        const overview: Overview = JSON.parse(text);
        change(overview);
        return JSON.stringify(overview);
      }),
    );
    assert.equal(faults.length, 1, `${problem}: ${JSON.stringify(faults)}`);
    assert.equal(faults[0]?.[0], OVERVIEW_FILE);
    assert.match(faults[0]?.[1] ?? '', problem);
  }
  const shapeless = await faultsOf((root) =>
    replaceWholeFile(root, 'overview', (text) => {
      const overview: Overview = JSON.parse(text);
      for (const geometry of Object.values(overview.objects).flatMap(({ geometries }) => geometries)) {
        geometry['type'] = null;
        delete geometry['arcs'];
      }
      return JSON.stringify({ ...overview, arcs: [] });
    }),
  );
  assert.deepEqual(shapeless, [[OVERVIEW_FILE, 'lv0 fid 1: has no shape']]);
  const garbled = await faultsOf((root) => replaceWholeFile(root, 'overview', (text) => text.slice(0, -9)));
  assert.deepEqual(garbled, [[OVERVIEW_FILE, 'is not JSON']]);
});

test('other lengths of these files in release.json than they have: release.json is named', async () => {
  const faults = await faultsOf((root) =>
    resealRelease(root, (release) => {
      const summary = summaryOf(release, 2);
      const names = { ...summary.names, textBytes: 1 };
      const overview = { ...release.overview, bytes: 2 };
      return { ...release, overview, levels: release.levels.with(2, { ...summary, names }) };
    }),
  );
  assert.deepEqual(
    faults.map(([path, problem]) => [path, problem.replace(/\d+$/, '')]),
    [
      ['release.json', `has 1 bytes of text for ${namesPath(2)}, which has `],
      ['release.json', `has 2 bytes for ${OVERVIEW_FILE}, which has `],
    ],
  );
});
