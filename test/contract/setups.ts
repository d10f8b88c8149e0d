// The HTTP contract in every setup: each origin that the proxy reads from, each choice of stored pages.
import { describe } from 'node:test';
import type { StoredPages } from '../../format/levels.ts';
import { STORED_PAGES } from '../../format/levels.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import type { RunningService, ServiceOptions } from '../support/http/in-process-proxy.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { BUCKET, startS3 } from '../support/http/s3-server.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What the contract is tested on. */
export interface Setup {
  name: string;
  pages: StoredPages;
  /** Starts a proxy for the output folder `out`; it stops when the test file ends. */
  start(out: string, options?: ServiceOptions): Promise<RunningService>;
}

const ORIGINS: Readonly<Record<string, (out: string) => Promise<Origin>>> = {
  directory: async (out) => directoryOrigin(out),
  'static host': async (out) => staticHostOrigin({ url: (await startStaticHost(out)).url, headers: {} }),
  bucket: async (out) => {
    const prefix = 'eu/';
    return s3Origin({ bucket: BUCKET, prefix }, { endpoint: (await startS3({ folder: out, prefix })).endpoint });
  },
};

/** A static host answers requests for pages and for ranges; which pages are stored makes no other difference to it. */
const HOST_PAGES: readonly StoredPages[] = ['all', 'none'];

const SETUPS: readonly Setup[] = Object.entries(ORIGINS).flatMap(([origin, open]) =>
  (origin === 'directory' ? STORED_PAGES : HOST_PAGES).map((pages) => ({
    name: `${origin}, ${pages} pages stored`,
    pages,
    start: async (out, options = {}) => startService(out, { origin: await open(out), ...options }),
  })),
);

/**
 * Builds release r1 of a source with each choice of stored pages; the output folders, which tests read only. Units without
 * geometry are accepted: how they are answered is part of the contract.
 */
export async function buildEachChoice(source: string): Promise<Readonly<Record<StoredPages, string>>> {
  const folders = { all: temporaryFolder(), unfiltered: temporaryFolder(), none: temporaryFolder() };
  for (const storedPages of STORED_PAGES)
    await buildRelease(source, folders[storedPages], { storedPages, accept: ['empty-geometries'] });
  return folders;
}

/**
 * Tests a part of the contract in every setup. All are prepared before the first suite is declared: the runner ends the
 * file when the declared tests have ended, which are none where --test-name-pattern leaves them all out.
 * @param prepare makes what the tests of one setup work with
 */
export async function inEverySetup<World>(
  prepare: (setup: Setup) => Promise<World>,
  tests: (world: World, setup: Setup) => void,
): Promise<void> {
  const prepared: { setup: Setup; world: World }[] = [];
  for (const setup of SETUPS) prepared.push({ setup, world: await prepare(setup) });
  for (const { setup, world } of prepared) describe(setup.name, () => tests(world, setup));
}
