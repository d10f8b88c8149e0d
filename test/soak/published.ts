// The releases of a soak: five in a store, three of them in the output folder at a time. They are published, activated
// and pruned in turn, as an operator would, and what each of them must answer is known.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { namesPath, releasePath } from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { activateRelease, pruneReleases } from '../../generator/release/manage.ts';
import { cachedOutput } from '../support/cached-folder.ts';
import { readStored, type StoredLevel, writeWorld } from '../support/datasets/large-dataset.ts';
import type { Dice } from '../support/dice.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const IDS = ['r0', 'r1', 'r2', 'r3', 'r4'] as const;
/** Releases in the output folder: as many as a proxy has in memory. */
const KEPT = 3;
/** Between the removal of a release from current.json and that of its files: longer than proxies take to look. */
const GRACE_MS = 3_000;
/**
 * One unit of level 0 is larger than what is ever read at once; every seventh unit has another name in each release.
 */
const SIZE = { vertices: 40, large: new Map([['0.6', 1_200_000]]) };
const UNITS_MAX = 260;
const RENAMED_EVERY = 7;

export interface Known {
  levels: readonly StoredLevel[];
  /** The text of each whole file, by its path under /api/v1/. */
  files: ReadonlyMap<string, string>;
}

export type Published = Awaited<ReturnType<typeof startPublishing>>;

/** Builds the releases where that has not been done yet, and publishes three. */
export async function startPublishing() {
  const store = await cachedOutput(import.meta.url, 'releases', buildStore, IDS);
  const out = temporaryFolder();
  const everything = new Map(IDS.map((id) => [String(id), readKnown(store, id)]));
  // The ids of those in the output folder, and of the others, in each the one that came first first.
  const hosted: string[] = [];
  const away: string[] = [...IDS];
  const published = {
    out,
    switches: 0,
    /** What a release says. @throws Error if there is no such release */
    known: (id: string): Known =>
      everything.get(id) ?? assert.fail(`the answer is from release ${id}, which does not exist`),
    /** Makes any hosted release the current one. */
    switchBack: (random: Dice): Promise<void> => activate(elementAt(hosted, random(hosted.length))),
    publishNext,
  };
  async function activate(id: string): Promise<void> {
    await activateRelease(out, id);
    published.switches++;
  }
  /**
   * Copies the release that has been away for longest into the output folder, makes it current, and prunes the oldest.
   */
  async function publishNext(): Promise<void> {
    const id = away.shift() ?? assert.fail('all are hosted');
    // Hidden, as the generator's own staging folders are: no release has such a name.
    const staging = join(out, releasePath(`.${id}`));
    await cp(join(store, releasePath(id)), staging, { recursive: true });
    await rename(staging, join(out, releasePath(id)));
    await activate(id);
    hosted.push(id);
    if (hosted.length <= KEPT) return;
    const oldest = hosted.splice(0, 1);
    assert.deepEqual(await pruneReleases(out, KEPT, { graceMs: GRACE_MS }), oldest);
    away.push(...oldest);
  }
  for (let i = 0; i < KEPT; i++) await publishNext();
  return published;
}

async function buildStore(store: string): Promise<void> {
  const sources = temporaryFolder();
  for (const id of IDS) {
    const renamed = LEVELS.flatMap((level) =>
      Array.from({ length: UNITS_MAX }, (_, i) => [`${level}.${i}`, `Unit ${i} of ${id}`] as const),
    ).filter((_, i) => i % RENAMED_EVERY === 0);
    const source = writeWorld(join(sources, `${id}.gpkg`), SIZE, Object.fromEntries(renamed));
    await buildRelease(source, store, { release: id, accept: ['empty-geometries'], storedPages: 'unfiltered' });
  }
}

function readKnown(store: string, id: string): Known {
  const text = (path: string): string => gunzipSync(readFileSync(join(store, releasePath(id), path))).toString('utf8');
  const names = LEVELS.map((level) => [`names/${levelName(level)}`, text(namesPath(level))] as const);
  return { levels: readStored(store, id), files: new Map(names) };
}
