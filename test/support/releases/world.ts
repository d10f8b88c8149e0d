// Releases of the invented world of large-dataset.ts and of the sample, built once for all test files.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { StoredPages } from '../../../format/levels.ts';
import { cachedOutput } from '../cached-folder.ts';
import { type WorldSize, writeWorld } from '../datasets/large-dataset.ts';
import { GENERATOR } from '../processes/run-generator.ts';
import { buildRelease, WHOLE } from './build-release.ts';

interface WorldOptions {
  size?: WorldSize;
  pages?: StoredPages;
  /** Is the full geometry all that the test asks for, and no cells? */
  isFullAlone?: boolean;
  /** Does the test change files of the release? */
  isChanged?: boolean;
}

/**
 * An output folder with release r1 of the world, and its source as `world.gpkg`. Its unit without a geometry is
 * accepted. Without `isChanged` only the release as a whole may be renamed or removed.
 */
export async function worldOutput({
  size,
  pages = 'all',
  isFullAlone = false,
  isChanged = false,
}: WorldOptions = {}): Promise<string> {
  const name = JSON.stringify([pages, isFullAlone, size?.vertices, ...(size?.large ?? [])]);
  return cachedOutput(
    import.meta.url,
    name,
    async (folder) => {
      const source = writeWorld(join(folder, 'world.gpkg'), size);
      await buildRelease(source, folder, {
        ...(isFullAlone ? {} : WHOLE),
        storedPages: pages,
        accept: ['empty-geometries'],
      });
    },
    isChanged ? ['r1'] : [],
  );
}

/** An output folder with the release of the sample as `build --sample` makes it, without stored pages. */
export function sampleOutput(): Promise<string> {
  return cachedOutput(import.meta.url, 'sample', async (folder) => {
    const build = ['build', '--sample', '--out', folder, '--pages', 'none', '--quiet'];
    execFileSync(process.execPath, [GENERATOR, ...build], { stdio: ['ignore', 'ignore', 'inherit'] });
  });
}
