// No request keeps the event loop from others for long, whatever it asks for: of each path, parameter and header the
// worst value, where there are many units.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GDAL_LINE, programOf } from '../../../.setup/other-node.js';
import { writeOddDataset } from '../../support/datasets/odd-dataset.ts';
import { writeSynthetic } from '../../support/datasets/synthetic/synthetic.ts';
import { COUNTS_THREAD } from '../../support/http/turns.ts';
import { compile } from '../../support/processes/compile.ts';
import { runProgram } from '../../support/processes/programs.ts';
import { buildUnchecked, WHOLE } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { TURN_MAX_MS } from './worst-of-each.ts';

const OPTIONS = { ...WHOLE, storedPages: 'none', workers: 2 } as const;

/** One that tells what this thread does from what others do beside it. */
const node = COUNTS_THREAD ? process.execPath : programOf(GDAL_LINE);
const skip = !existsSync(node) && `Node ${GDAL_LINE} is not installed: node .setup/other-node.js ${GDAL_LINE}`;

for (const units of [57_544, 396_280, 'odd'] as const)
  test(`no turn of the event loop takes more than ${TURN_MAX_MS} ms, whatever is asked for: ${units} units`, {
    skip,
  }, async () => {
    const [out, source] = [temporaryFolder(), join(temporaryFolder(), 'units.gpkg')];
    if (units === 'odd') writeOddDataset(source);
    else writeSynthetic(source, units);
    await buildUnchecked(source, out, { ...OPTIONS, accept: ['empty-geometries', 'duplicate-gids'] });
    const bench = ['--test-reporter=dot', compile('test/bench/turns.ts'), '--release', out];
    const { status, text } = await runProgram(node, bench);
    console.error(text);
    assert.equal(status, 0, text);
  });
