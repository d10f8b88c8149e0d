// What the contract is tested with in one setup: a service, and the releases that it can be told to serve.
import { readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASES_PATH, releasePath } from '../../format/layout.ts';
import type { Level, StoredPages } from '../../format/levels.ts';
import { cachedOutput } from '../support/cached-folder.ts';
import { readStored, type StoredLevel, writeManyRegions, writeWorld } from '../support/datasets/large-dataset.ts';
import { writeCountries, writeRenamedCountries } from '../support/datasets/small-datasets.ts';
import { buildRelease, buildUnchecked, WHOLE } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { ContractService, Setup } from './setups.ts';

export interface World {
  /** The output folder that it serves, at first release r1. */
  folder: string;
  proxy: ContractService;
  readonly stored: readonly StoredLevel[];
  /** Makes it serve a release, and host others. */
  publish(release: string, hosted?: readonly string[]): Promise<void>;
  /** Another service of the same releases, with PUBLIC_URL and SCOPE. */
  configured: ContractService;
}

const PUBLIC_URL = 'https://example.org/boundaries';
/** What a token must have for the service that is configured so. */
export const SCOPE = 'boundaries:read';

/**
 * Starts the service of a setup on these releases: r1, the world, and r2 of `buildRenamed`, with the stored pages of
 * the setup, and those of `buildOthers`. Units without geometry are accepted: how they are answered is part of the
 * contract.
 */
export async function prepareWorld(setup: Setup): Promise<World> {
  const folder = await worldOutput({ pages: setup.pages });
  for (const others of [
    await cachedOutput(import.meta.url, `r2 ${setup.pages}`, (made) => buildRenamed(made, setup.pages)),
    await cachedOutput(import.meta.url, 'others', buildOthers, ['c3']),
  ])
    for (const release of readdirSync(join(others, RELEASES_PATH)))
      renameSync(join(others, releasePath(release)), join(folder, releasePath(release)));
  const point = (release: string, hosted: readonly string[]): void => pointTo(folder, release, hosted);
  point('r1', ['r1']);
  const proxy = await setup.start(folder);
  const configured = await setup.start(withoutChanges(folder), { publicUrl: PUBLIC_URL, scope: SCOPE });
  let stored: StoredLevel[] | undefined;
  return {
    folder,
    proxy,
    get stored() {
      stored ??= readStored(folder, 'r1');
      return stored;
    },
    async publish(release, hosted = [release]) {
      point(release, hosted);
      await proxy.releases.refresh();
    },
    configured,
  };
}

/** What `Cache-Control` says of the current release, and of one that is named; and of what is behind a cursor. */
export const CACHING = { current: 'private, no-cache', cursor: 'private, max-age=31536000, immutable' } as const;

export function allFids(stored: readonly StoredLevel[], level: Level): number[] {
  return (stored[level]?.units ?? []).map(({ fid }) => fid);
}

function withoutChanges(folder: string): string {
  const fixed = temporaryFolder();
  symlinkSync(join(folder, RELEASES_PATH), join(fixed, RELEASES_PATH));
  pointTo(fixed, 'r1');
  return fixed;
}

/** Builds r2, the world without its last levels in which a unit of level 3 is called something else. */
async function buildRenamed(folder: string, storedPages: StoredPages): Promise<void> {
  const source = writeWorld(join(temporaryFolder(), 'renamed.gpkg'), undefined, { '3.70': 'Renamed' });
  const options = { ...WHOLE, storedPages, levels: [0, 1, 2, 3], accept: ['empty-geometries'] } as const;
  await buildUnchecked(source, folder, { ...options, release: 'r2' });
}

/**
 * Builds c1, the countries, c2 in which a district is called something else and which was built without most
 * geometries, and c3, the files of which tests damage; and m1, which has more units than any page.
 */
async function buildOthers(folder: string): Promise<void> {
  const regions = writeManyRegions(join(temporaryFolder(), 'regions.gpkg'));
  await buildUnchecked(regions, folder, { ...WHOLE, release: 'm1', storedPages: 'none', accept: ['fewer-units'] });
  for (const release of ['c1', 'c3'])
    await buildRelease(writeCountries(), folder, { ...WHOLE, release, accept: ['fewer-units'] });
  await buildRelease(writeRenamedCountries(), folder, { ...WHOLE, release: 'c2', geometries: ['full', 'none'] });
}
