// The memory of writing a table, beside that of the process itself: a group of rows, and little for each unit.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { test } from 'node:test';
import { unitsTablePath } from '../../../format/layout.ts';
import { Coordinates } from '../../../generator/rings/coordinates.ts';
import { LevelStore } from '../../../generator/store/level-store.ts';
import { GEOMETRY_KINDS } from '../../../generator/store/store-index.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import type { writeTableOf } from '../../support/processes/table-writing.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const module = new URL(`../../support/processes/table-writing${extname(import.meta.url)}`, import.meta.url).href;
const RADIUS = 4e5;

/** Writes the table of round units of so many positions each, in all geometries, in a process of its own. */
async function tableOf(sizes: readonly number[]): ReturnType<typeof run> {
  const folder = temporaryFolder();
  const store = new LevelStore(join(folder, 'lv0'));
  const [features, heads, points] = [
    store.createFeatures(['GID_0']),
    store.createGeometry('none'),
    store.createGeometry('point'),
  ];
  const drawn = [store.createRings(), store.createShapes('medium'), store.createShapes('low')];
  const ring = new Coordinates();
  for (const [fid, size] of sizes.entries()) {
    const [x, y] = [((fid * 7919) % 3600) * 1e6 - 1.8e9, ((fid * 104729) % 1700) * 1e6 - 0.85e9];
    ring.resize(size);
    for (let i = 0; i < size; i++) {
      const turn = (2 * Math.PI * (i % (size - 1))) / (size - 1);
      ring.set(i, x + Math.round(RADIUS * Math.cos(turn)), y + Math.round(RADIUS * Math.sin(turn)));
    }
    for (const shapes of drawn) {
      shapes.ring(ring, false, 1e11);
      shapes.unit(fid);
    }
    const head = Buffer.from(
      `{"type":"Feature","id":${fid},"properties":{"fid":${fid},"GID_0":"G${fid}"},"geometry":null}\n`,
    );
    const box = [x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS] as const;
    features.append({ fid, gids: [`G${fid}`], box, parts: [], kind: GEOMETRY_KINDS.polygon }, [head]);
    heads.append(fid, [head]);
    points.append(fid, [Buffer.from(`{"type":"Point","coordinates":[${x / 1e7},${y / 1e7}]}`)]);
  }
  for (const writer of [features, heads, points, ...drawn]) writer.close();
  mkdirSync(dirname(join(folder, unitsTablePath(0))), { recursive: true });
  return await run({ out: folder, store: store.path });
}

async function run(task: Parameters<typeof writeTableOf>[0]): Promise<ReturnType<typeof writeTableOf>> {
  const pool = openPool(1, 0, 0);
  try {
    return await pool.run<typeof writeTableOf>({ module, name: 'writeTableOf', phase: 'write' }, task);
  } finally {
    await pool.close();
  }
}

test('to write the table of 400,000 units takes at most 300 MB beside the process', async () => {
  const { rows, bytes } = await tableOf(Array.from({ length: 400_000 }, () => 30));
  assert.equal(rows, 400_000);
  assert.ok(bytes < 300e6, `${bytes} bytes`);
});

test('to write the table of a level with a unit of 100 MB takes at most 850 MB beside the process', async () => {
  // Some 25 characters of text for each.
  const { rows, bytes } = await tableOf([30, 4_000_000, 30]);
  assert.equal(rows, 3);
  assert.ok(bytes < 850e6, `${bytes} bytes`);
});
