// Whatever a request asks for, its body is exactly those features, with units of every size: in each choice of stored
// pages.
import { describe } from 'node:test';
import { STORED_PAGES } from '../../../format/levels.ts';
import { testAnyPage } from '../../contract/any-request.ts';
import { MANY_SIZES, readStored } from '../../support/datasets/large-dataset.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { worldOutput } from '../../support/releases/world.ts';

/** Requests of each slice. */
const RUNS = 60;

for (const pages of STORED_PAGES) {
  const folder = await worldOutput({ size: MANY_SIZES, pages });
  const proxy = await startService(folder);
  describe(`${pages} pages stored`, () => testAnyPage(proxy, readStored(folder, 'r1'), RUNS));
}
