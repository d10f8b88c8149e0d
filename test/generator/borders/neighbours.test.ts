// Which units are neighbours: constructed levels, each with the pairs and lengths that it must have, against the files
// of a release, too.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../../format/element-at.ts';
import { neighboursPath, neighboursTablePath } from '../../../format/layout.ts';
import { LENGTHS_PER_METRE } from '../../../format/neighbours.ts';
import { buildTable } from '../../../generator/cli/tables.ts';
import { neighboursOfUnits, rectangle, ring, type Units } from '../../support/datasets/made-up-levels.ts';
import { box, layerOf, writeDataset } from '../../support/datasets/write-dataset.ts';
import type { Ring } from '../../support/even-odd.ts';
import { buildRelease, buildUnits } from '../../support/releases/build-release.ts';
import { assertMetres } from '../../support/releases/neighbours-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Metres of a degree of a meridian. */
const DEGREE = (6_371_008.8 * Math.PI) / 180;

/** The metres of border of each pair of positions. */
function pairsOf(units: Units): Record<string, number> {
  const neighbours = neighboursOfUnits(units, 7);
  const pairs: Record<string, number> = {};
  for (const position of units.keys())
    for (const [i, other] of neighbours.of(position).entries())
      if (other > position)
        pairs[`${position} ${other}`] = elementAt(neighbours.lengthsOf(position), i) / LENGTHS_PER_METRE;
  return pairs;
}

function assertPairs(units: Units, expected: Readonly<Record<string, number>>): void {
  const pairs = pairsOf(units);
  assert.deepEqual(Object.keys(pairs).sort(), Object.keys(expected).sort());
  for (const [pair, metres] of Object.entries(expected)) assertMetres(pairs[pair] ?? NaN, metres, pair);
}

const square = (west: number, south: number): Ring => rectangle(7, west, south, west + 1, south + 1);

test('units with a common edge are neighbours; those with a common corner, or part of an edge, are not', () => {
  assertPairs([[square(0, 0)], [square(1, 0)], [square(1, 1)], [square(5, 5)], []], {
    '0 1': DEGREE,
    '1 2': DEGREE * Math.cos(Math.PI / 180),
  });
  assertPairs([[square(0, 0)], [rectangle(7, 1, 0, 2, 2)]], {});
  // Lengths of several edges add up, those of holes too.
  const hole = rectangle(7, 1, 1, 2, 3);
  const filled = ring(7, [1, 1], [2, 1], [2, 3], [1, 3]);
  const around = 2 * 2 * DEGREE + DEGREE * (Math.cos(Math.PI / 180) + Math.cos((3 * Math.PI) / 180));
  assertPairs([[rectangle(7, 0, 0, 4, 4), hole], [filled]], { '0 1': around });
});

test('an edge of three units counts for every pair, and one that a unit has twice for none', () => {
  const east = square(1, 0);
  assertPairs([[square(0, 0)], [east], [east]], {
    '0 1': DEGREE,
    '0 2': DEGREE,
    '1 2': 2 * DEGREE + DEGREE * (1 + Math.cos(Math.PI / 180)),
  });
  assertPairs([[square(0, 0), square(1, 0)], [square(2, 0)]], { '0 1': DEGREE });
  assertPairs([[square(0, 0)], [east, east]], {});
});

test('at 180 degrees both meridians are one, whether units end there or cross it, and at a pole there is a point', () => {
  const [west, east] = [square(179, 0), square(-180, 0)];
  assertPairs([[west], [east]], { '0 1': DEGREE });
  // One that crosses, drawn as a jump, north of both, and one in both halves south of them.
  const across = ring(7, [179, 1], [-179, 1], [-179, 2], [179, 2]);
  const halves = [square(179, -1), square(-180, -1)];
  const degree = DEGREE * Math.cos(Math.PI / 180);
  assertPairs([[west], [east], halves], { '0 1': DEGREE, '0 2': DEGREE, '1 2': DEGREE });
  assertPairs([[across], [ring(7, [179, 2], [-179, 2], [-179, 3], [179, 3])]], {
    '0 1': 2 * DEGREE * Math.cos((2 * Math.PI) / 180),
  });
  // Its edge along the meridian, of which the half in the east has the other side.
  const corner = ring(7, [179, 0], [180, 0], [180, 1], [-179, 1], [-179, 2], [179, 2]);
  assertPairs([[corner], [east]], { '0 1': DEGREE + degree });
  // Of two that have an edge along the pole in common there is none.
  assertPairs([[rectangle(7, 0, 89, 1, 90)], [ring(7, [0, 90], [1, 90], [0.5, 88])]], {});
  assertPairs([[rectangle(7, 0, 89, 1, 90)], [rectangle(7, 1, 89, 2, 90)], [rectangle(7, 0, 89, 2, 90)]], {
    '0 1': DEGREE,
    '0 2': DEGREE,
    '1 2': DEGREE,
  });
});

test('a border is as long as 32 bits have room for, at most', () => {
  const teeth = Array.from({ length: 31 }, (_, i): [number, number] => [i / 10, i % 2 === 0 ? -80 : 80]);
  const below = ring(7, [0, -85], [3, -85], ...teeth.toReversed());
  const above = ring(7, ...teeth, [3, 85], [0, 85]);
  assert.equal(pairsOf([[below], [above]])['0 1'], 0xffffffff / LENGTHS_PER_METRE);
});

test('the table quotes GIDs with commas, quotation marks and line breaks, and leaves formulas as they are', async () => {
  const gids = ['a,b', 'say "x"', '=1+1', 'two\nlines', null, '@SUM(A1)'];
  const features = gids.map((gid, x) => ({ fid: 10 * x + 3, values: [gid], wkt: box(x, 0, x + 1, 1) }));
  const source = writeDataset(join(temporaryFolder(), 'gids.gpkg'), 'GPKG', [
    { name: 'ADM_0', columns: ['GID_0'], features },
  ]);
  const out = join(temporaryFolder(), 'out');
  // The oracle compares every line.
  await buildRelease(source, out, { neighbours: true, accept: ['null-gids'] });
  const table = gunzipSync(readFileSync(join(out, 'releases/r1', neighboursTablePath(0)))).toString();
  assert.ok(
    table.startsWith('fid,gid,neighbour_fid,neighbour_gid,metres\r\n3,"a,b",13,"say ""x""",111195.1\r\n'),
    table,
  );
  for (const part of ['\r\n23,=1+1,33,"two\nlines",', '\r\n43,,53,@SUM(A1),', '\r\n53,@SUM(A1),43,,'])
    assert.ok(table.includes(part), part);
});

test('how levels nest is the share of their edges that the next level has, and said where it is below 0.98', async () => {
  const layer = (level: number, units: readonly string[]) => {
    const [columns, gidsOf] = [['GID_0', 'GID_1', 'GID_2'], (i: number) => ['A', `A.${i}`, `A.${i}.1`]];
    const features = units.map((wkt, i) => [gidsOf(i).slice(0, level + 1), wkt] as const);
    return layerOf(`ADM_${level}`, columns.slice(0, level + 1), features);
  };
  const build = (units: readonly (readonly string[])[]) => {
    const layers = units.map((own, level) => layer(level, own));
    const source = writeDataset(join(temporaryFolder(), 'levels.gpkg'), 'GPKG', layers);
    return buildRelease(source, join(temporaryFolder(), 'out'), { accept: ['empty-geometries'] });
  };
  // The upper square has all corners of the lower ones; of those two of seven edges are drawn elsewhere.
  const whole = 'POLYGON((0 0,1 0,2 0,2 1,1 1,0 1,0 0))';
  const nested = await build([[whole], [box(0, 0, 1, 1), box(1, 0, 2, 1)], [box(0, 0, 1, 1), box(1, 0, 2, 1.5)]]);
  const nesting = nested.levels.map((level) => level.nesting);
  assert.deepEqual(nesting, [1, 0.714285, null, null, null, null]);
  const said = buildTable(nested);
  assert.match(said, /^How levels nest \(1\.000: .*\): lv0 in lv1 1\.000, lv1 in lv2 0\.714$/m);
  assert.match(said, /^lv1 does not nest: its borders differ from those of lv2, in simplified geometries, too$/m);
  assert.doesNotMatch(said, /lv0 does not nest/);
  // A level that lies between and has no units is left out, and one without areas has no edges.
  const { levels } = await build([['POLYGON EMPTY'], [box(0, 0, 1, 1)]]);
  assert.ok(levels.every((level) => level.nesting === null));
});

test('6,000 units with the same edge are refused with three of them before their pairs are made, and built without neighbours', async () => {
  const same = Array.from({ length: 6000 }, () => box(10, 20, 11, 21));
  const options = { cells: false, geometries: ['full', 'none'] } as const;
  await assert.rejects(buildUnits(same, { ...options, neighbours: true }), {
    message:
      'lv0: more than 8,388,608 pairs of units share an edge; the edge from 10, 20 to 11, 20 has 6,000 units: fid 1, GID A0; fid 2, GID A1; fid 3, GID A2',
    remedy: /--no-neighbours.*--where/,
  });
  const out = await buildUnits(same, { ...options, neighbours: false });
  assert.ok(!existsSync(join(out, 'releases/r1', neighboursPath(0))));
});
