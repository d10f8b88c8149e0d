// No request keeps the event loop from others for long, whatever it asks for: of each path, parameter and header the
// worst value, where there are many units. Nothing may run beside it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeSynthetic } from '../support/datasets/synthetic/synthetic.ts';
import { buildUnchecked, WHOLE } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeOddDataset } from './odd-dataset.ts';
import { costsOf, lineOf } from './worst-values.ts';

/** Milliseconds of CPU of a turn, at most. */
const TURN_MS = 20;
const OPTIONS = { ...WHOLE, storedPages: 'none', workers: 2 } as const;

for (const units of [57_544, 396_280, 'odd'] as const)
  test(`no turn of the event loop takes more than ${TURN_MS} ms, whatever is asked for: ${units} units`, async () => {
    const [out, source] = [temporaryFolder(), join(temporaryFolder(), 'units.gpkg')];
    if (units === 'odd') writeOddDataset(source);
    else writeSynthetic(source, units);
    await buildUnchecked(source, out, { ...OPTIONS, accept: ['empty-geometries', 'duplicate-gids'] });
    const costs = await costsOf(out, 'r1');
    for (const cost of costs) console.error(lineOf(cost));
    const tooLong = costs.filter(({ first, longestMs }) => Math.max(first.longestMs, longestMs) > TURN_MS);
    assert.deepEqual(tooLong.map(lineOf), []);
  });
