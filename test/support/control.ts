// The process whose CPU time that of all tests is divided by (cpu-time.ts): it begins cold, as those of tests do, loads
// both programs, and does some of what tests do most. Always as much, so what takes it longer takes tests longer, too.
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { gdal } from '../../generator/gdal/gdal.ts';
import { TASKS } from '../../generator/workers/tasks.ts';
import { apiRows } from '../../proxy/features/all-paths.ts';

const ROUNDS = 4;
const VALUES = 20_000;

for (const { module } of Object.values(TASKS)) await import(module);
const shape = gdal.Geometry.fromWKT(
  `LINESTRING(${apiRows()
    .all.map((_, i) => `${i} ${i % 7}`)
    .join()})`,
);
for (let round = 0; round < ROUNDS; round++) {
  const values = Array.from({ length: VALUES }, (_, i) => ({ fid: i, at: [i / 7, -i / 3], name: `unit ${i}` }));
  const packed = gzipSync(JSON.stringify(values));
  createHash('sha256').update(packed).digest();
  JSON.parse(gunzipSync(packed).toString());
  shape.buffer(round + 1, 8);
}
