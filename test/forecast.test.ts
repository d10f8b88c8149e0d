// What a dry run foretells: the plan to the page, the size to a few percent, and nothing written.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../format/levels.ts';
import { forecast } from '../generator/forecast.ts';
import { SILENT } from '../generator/report.ts';
import { writeSynthetic } from '../generator/synthetic.ts';
import { buildRelease, temporaryFolder } from './fixture.ts';

test('a dry run tells the listings and pages of the build to come, and its size within a tenth', async () => {
  const folder = temporaryFolder();
  const source = join(folder, 'synthetic.gpkg');
  writeSynthetic(source, 1500);
  const accept = ['null-gids', 'duplicate-gids'] as const;
  const foretold = forecast(
    { source: [source], layers: {}, gidColumns: {}, levels: LEVELS, precision: 7, accept },
    SILENT,
  );
  assert.ok(!existsSync(join(folder, 'output')));
  const { levels } = await buildRelease(source, join(folder, 'output'), { accept });
  const plan = ({ level, layer, features, listings, pages }: (typeof foretold)[number]) => ({
    level,
    layer,
    features,
    listings,
    pages,
  });
  assert.deepEqual(foretold.map(plan), levels.map(plan));
  const [estimate = 0, size = 1] = [foretold, levels].map((list) => list.reduce((sum, level) => sum + level.bytes, 0));
  assert.ok(Math.abs(estimate / size - 1) < 0.1, `${estimate} foretold, ${size} built`);
});
