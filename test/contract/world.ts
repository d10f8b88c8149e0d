// What the contract is tested with in one setup: a service, and the releases that it can be told to serve.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASES_PATH } from '../../format/layout.ts';
import { GEOMETRIES, type Level, type StoredPages } from '../../format/levels.ts';
import { cachedOutput } from '../support/cached-folder.ts';
import { readStored, type StoredLevel, writeManyRegions, writeWorld } from '../support/datasets/large-dataset.ts';
import { countryLayers } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { refusal, send } from '../support/http/http-client.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { ContractService, Setup } from './setups.ts';

/** What the parts of the contract are tested with. */
export interface World {
  setup: Setup;
  /** The output folder that it serves, at first release r1. */
  folder: string;
  proxy: ContractService;
  /** The features of r1. */
  stored: StoredLevel[];
  /** Makes it serve a release, and host others. */
  publish(release: string, hosted?: readonly string[]): Promise<void>;
  /** Another service of the same releases, with PUBLIC_URL and SCOPE. */
  configured: ContractService;
}

const PUBLIC_URL = 'https://example.org/boundaries';
const SCOPE = 'boundaries:read';

/**
 * Starts the service of a setup on releases of two datasets: r1, and r2 in which a unit of level 3 is called something
 * else; c1, c2 in which a district is and which was built without most geometries, and c3, the files of which tests
 * damage. Units without geometry are accepted: how they are answered is part of the contract. m1 has more units than
 * any page.
 */
export async function prepareWorld(setup: Setup): Promise<World> {
  const folder = await cachedOutput(import.meta.url, setup.pages, (made) => buildReleases(made, setup.pages), ['c3']);
  const point = (release: string, hosted: readonly string[]): void => pointTo(folder, release, hosted);
  point('r1', ['r1']);
  const proxy = await setup.start(folder);
  const configured = await setup.start(withoutChanges(folder), { publicUrl: PUBLIC_URL, scope: SCOPE });
  return {
    setup,
    folder,
    proxy,
    stored: readStored(folder, 'r1'),
    async publish(release, hosted = [release]) {
      point(release, hosted);
      await proxy.releases.refresh();
    },
    configured,
  };
}

/**
 * What `Cache-Control` says: of pages and files of the current release, behind a cursor, and of a release that is
 * named.
 */
export function cachingOf({ isPublic }: Setup): Record<'current' | 'cursor' | 'release', string> {
  if (!isPublic)
    return {
      current: 'private, no-cache',
      cursor: 'private, max-age=31536000, immutable',
      release: 'private, no-cache',
    };
  const forYears = 'public, max-age=31536000, immutable';
  return { current: 'public, max-age=60, stale-while-revalidate=600', cursor: forYears, release: forYears };
}

/** A request with no token, or a bad one, is refused, but not by a public service. */
export async function needsToken({ setup, proxy }: Pick<World, 'setup' | 'proxy'>, path: string): Promise<void> {
  for (const [authorization, code] of [
    [undefined, 'token-missing'],
    ['Bearer abc', 'token-invalid'],
  ] as const) {
    const answer = await send(proxy, path, { authorization });
    if (!setup.isPublic) refusal(answer, 401, code);
    else assert.deepEqual([answer.status, answer.headers['www-authenticate']], [200, undefined]);
  }
}

/** The fids of a level in order. */
export function allFids(stored: readonly StoredLevel[], level: Level): number[] {
  return (stored[level]?.units ?? []).map(({ fid }) => fid);
}

/** An output folder with the same releases that always serves r1. */
function withoutChanges(folder: string): string {
  const fixed = temporaryFolder();
  symlinkSync(join(folder, RELEASES_PATH), join(fixed, RELEASES_PATH));
  pointTo(fixed, 'r1');
  return fixed;
}

async function buildReleases(folder: string, storedPages: StoredPages): Promise<void> {
  const sources = temporaryFolder();
  const world = writeWorld(join(sources, 'world.gpkg'));
  const renamed = writeWorld(join(sources, 'renamed.gpkg'), undefined, { '3.70': 'Renamed' });
  const layers = countryLayers();
  const countries = writeDataset(join(sources, 'countries.gpkg'), 'GPKG', layers);
  const corrected = writeDataset(
    join(sources, 'corrected.gpkg'),
    'GPKG',
    layers.map((layer) => ({
      ...layer,
      features: layer.features.map((unit) => ({
        ...unit,
        values: unit.values.map((value) => (value === 'Søst' ? 'Renamed' : value)),
      })),
    })),
  );
  for (const [release, source] of [
    ['c1', countries],
    ['c2', corrected],
    ['c3', countries],
    ['m1', writeManyRegions(join(sources, 'regions.gpkg'))],
    ['r1', world],
    ['r2', renamed],
  ] as const)
    await buildRelease(source, folder, {
      release,
      storedPages,
      geometries: release === 'c2' ? ['full', 'none'] : GEOMETRIES,
      accept: ['empty-geometries', 'fewer-units'],
    });
}
