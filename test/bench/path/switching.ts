// How long the event loop stands still while the current release changes between two of the same size.
import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { LEVELS } from '../../../format/levels.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { Releases } from '../../../proxy/releases/releases.ts';
import { pointTo } from '../../support/releases/point-to.ts';

const SWITCHES = 20;
/** How often the loop is looked at; the longest delay contains it. */
const RESOLUTION_MS = 1;
/** Between two switches, so that what a switch leaves behind is collected within it. */
const PAUSE_MS = 100;
const NS_PER_MS = 1e6;
const IDS = ['one', 'two'] as const;

/**
 * The longest stalls in milliseconds: while the metadata of releases is loaded, checked and taken up 20 times, and for the
 * same time with nothing to do.
 * @param out an output folder
 * @param release the id of one of its releases, whose metadata is copied twice
 * @param folder does not exist yet
 */
export async function stallsWhileSwitching(
  out: string,
  release: string,
  folder: string,
): Promise<{ stallMs: number; idleMs: number }> {
  for (const id of IDS) copyMetadata(out, release, folder, id);
  const publish = (id: string): void => pointTo(folder, id, IDS);
  publish(IDS[0]);
  const releases = new Releases(directoryOrigin(folder));
  await releases.refresh();
  const stallMs = await longestDelay(async (i) => {
    const id = IDS[(i + 1) % IDS.length] ?? IDS[0];
    publish(id);
    if ((await releases.refresh()) !== id) throw new Error(`release ${id} was not taken up`);
  });
  return { stallMs, idleMs: await longestDelay(async () => {}) };
}

async function longestDelay(work: (i: number) => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  for (let i = 0; i < SWITCHES; i++) {
    await work(i);
    await setTimeout(PAUSE_MS);
  }
  delay.disable();
  return delay.max / NS_PER_MS - RESOLUTION_MS;
}

/** Copies what a proxy loads of a release, under another id. */
function copyMetadata(out: string, release: string, folder: string, id: string): void {
  const from = (path: string): string => join(out, releasePath(release), path);
  const to = (path: string): string => join(folder, releasePath(id), path);
  const named = (path: string): string =>
    readFileSync(from(path), 'utf8').replace(/"release": ?"[^"]*"/, `"release": "${id}"`);
  const description = JSON.parse(named(RELEASE_FILE));
  for (const level of LEVELS) {
    const manifest = named(manifestPath(level));
    mkdirSync(dirname(to(manifestPath(level))), { recursive: true });
    writeFileSync(to(manifestPath(level)), manifest);
    copyFileSync(from(indexPath(level)), to(indexPath(level)));
    description.levels[level].manifest = {
      bytes: Buffer.byteLength(manifest),
      sha256: hash('sha256', manifest, 'hex'),
    };
  }
  writeFileSync(to(RELEASE_FILE), JSON.stringify(description));
}
