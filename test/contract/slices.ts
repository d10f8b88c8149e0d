// Any request to a world with units of every size, in each choice of stored pages.
import { describe } from 'node:test';
import { STORED_PAGES, type StoredPages } from '../../format/levels.ts';
import { MANY_SIZES, readStored } from '../support/datasets/large-dataset.ts';
import { type RunningService, startService } from '../support/http/in-process-proxy.ts';
import { worldOutput } from '../support/releases/world.ts';
import { testAnyRequest } from './requests.ts';

/** A running proxy, and what it serves. */
export interface SliceWorld {
  pages: StoredPages;
  folder: string;
  proxy: RunningService;
}

/** Starts a proxy for each choice of stored pages. */
export async function startSliceWorlds(): Promise<SliceWorld[]> {
  return Promise.all(
    STORED_PAGES.map(async (pages) => {
      const folder = await worldOutput({ size: MANY_SIZES, pages });
      return { pages, folder, proxy: await startService(folder) };
    }),
  );
}

/** Compares the answers to so many requests of each proxy. */
export function testSlices(worlds: readonly SliceWorld[], runs: number): void {
  for (const { pages, folder, proxy } of worlds)
    describe(`${pages} pages stored`, () => testAnyRequest(proxy, readStored(folder, 'r1'), runs));
}
