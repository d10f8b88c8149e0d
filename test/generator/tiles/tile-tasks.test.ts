// Which tasks make the tiles of a release, in which order, and which of them are left out: with a pool that only
// records, and with a release whose upper zooms are too large.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS } from '../../../format/levels.ts';
import { build } from '../../../generator/build.ts';
import { WHOLE } from '../../../generator/plan/divide-work.ts';
import { releaseContents } from '../../../generator/plan/plan.ts';
import { type Phase, Phases } from '../../../generator/report/phases.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import type { LargestTile } from '../../../generator/tiles/first-zoom.ts';
import { verify } from '../../../generator/verify/verify.ts';
import type { Pool } from '../../../generator/workers/pool.ts';
import { makeTiles } from '../../../generator/write/build-tiles.ts';
import { SlowUnits } from '../../../generator/write/slow-units.ts';
import { layerOf, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { assertSharded, buildOptions } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ZOOM = 8;

/** A task of tiles: what it is, of which zoom, and what it asks for. */
type Asked = [name: string, zoom: number, bytes: number];

/**
 * Makes the tiles of a level in a pool that does one task after the other, each in its turn.
 * @param largest the largest tile of each zoom
 * @param places of the arcs of each zoom
 * @returns what waits when the first zoom is cut, what asks for its tiles, and the zooms of which tiles were made
 */
async function recorded(
  positions: number,
  largest: (zoom: number) => LargestTile,
  places: (zoom: number) => number = () => positions,
) {
  let turn: Promise<unknown> = Promise.resolve();
  const waiting: Asked[] = [];
  let waitingAtFirst: Asked[] | undefined;
  const made: number[] = [];
  const tasks: Readonly<Record<string, (zoom: number) => unknown>> = {
    prepareTiles: () => undefined,
    writeZoomArcs: (zoom) => {
      waitingAtFirst ??= [...waiting];
      return places(zoom);
    },
    writeTiles: (zoom) => {
      made.push(zoom);
      return { seconds: new Map(), largest: largest(zoom) };
    },
  };
  const runIf = (
    isNeeded: () => boolean,
    { name }: { name: string },
    { zoom }: { zoom: number },
    { bytes = 0 } = {},
  ) => {
    waiting.push([name, zoom, bytes]);
    turn = turn.then(() => (isNeeded() ? tasks[name]?.(zoom) : undefined));
    return turn as Promise<never>;
  };
  const pool: Pool = {
    size: 1,
    phases: new Phases(),
    run: (work, task, demand) => runIf(() => true, work, task, demand),
    runIf,
    close: async () => {},
  };
  const levels = LEVELS.map((level) => ({ level, store: '', features: level === 0 ? 1 : 0, positions, about: {} }));
  const works = levels.map(() => ({ labelled: Promise.resolve() }));
  const contents = releaseContents(buildOptions('', '', { tiles: ZOOM }));
  const staging = { root: '', release: '', work: '' };
  await makeTiles(levels, works, { contents, staging, pool, share: WHOLE, slow: new SlowUnits(SILENT) }, []);
  const asked = (tasks: readonly Asked[], of: string) => tasks.filter(([name]) => name === of);
  return { waiting: asked(waitingAtFirst ?? [], 'writeZoomArcs'), tiles: asked(waiting, 'writeTiles'), made };
}

const SMALL: LargestTile = { withoutBorders: 1000, whole: 2000 };

test('all zooms wait to be cut before the first of them is, each for the memory that it needs itself', async () => {
  const { waiting, made } = await recorded(10_000_000, () => SMALL);
  assert.deepEqual(
    waiting.map(([, zoom]) => zoom),
    [8, 7, 6, 5, 4, 3, 2, 1, 0],
  );
  const asked = waiting.map(([, , bytes]) => bytes);
  assert.deepEqual(
    asked,
    asked.toSorted((a, b) => b - a),
  );
  assert.ok((asked.at(-1) ?? 0) < (asked[0] ?? 0) / 2);
  assert.deepEqual(made, [8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('the tiles of a zoom ask for memory by the places that it has, whichever zoom it is', async () => {
  const positions = 10_000_000;
  const asked = async (places: (zoom: number) => number) =>
    (await recorded(positions, () => SMALL, places)).tiles.map(([, , bytes]) => Math.round(bytes / 1e6));
  const all = await asked(() => positions);
  assert.equal(new Set(all).size, 1);
  const fewer = await asked((zoom) => positions / (ZOOM + 1 - zoom));
  assert.deepEqual(
    fewer,
    all.map((megabytes, below) => Math.round(megabytes / (below + 1))),
  );
});

test('tiles are not made of a zoom that is not published, as a deeper one has too large a tile', async () => {
  const madeWith = async (large: number, tile: LargestTile) =>
    (await recorded(1, (zoom) => (zoom === large ? tile : SMALL))).made;
  assert.deepEqual(await madeWith(4, { withoutBorders: 300_001, whole: 400_000 }), [8, 7, 6, 5, 4]);
  assert.deepEqual(await madeWith(6, { withoutBorders: 300_000, whole: 300_001 }), [8, 7, 6, 5]);
  assert.deepEqual(await madeWith(8, { withoutBorders: 300_001, whole: 400_000 }), [8]);
  assert.deepEqual(await madeWith(1, { withoutBorders: 300_000, whole: 300_001 }), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('a release without the tiles of its upper zooms is whole, also of shards, which know less of each other', async () => {
  const nameOf = () => randomBytes(7400).toString('base64');
  const units = Array.from(
    { length: 50 },
    (_, i) => [[`A${i}`, nameOf()], square(1.7 * i + 1, 44 * (i % 2) + 1)] as const,
  );
  const source = writeDataset(join(temporaryFolder(), 'names.gpkg'), 'GPKG', [
    layerOf('ADM_0', ['GID_0', 'COUNTRY'], units),
  ]);
  const out = temporaryFolder();
  let phases: readonly Phase[] = [];
  const measured = (all: readonly Phase[]) => {
    phases = all;
  };
  const release = await build(buildOptions(source, out, { tiles: 4 }), { ...SILENT, measured });
  const [level] = release.levels;
  assert.deepEqual([level?.tiles?.minzoom, level?.tiles?.maxzoom], [3, 4]);
  const TASKS = { prepare: 1, writeZoomArcs: 5, writeTiles: 3, measureOverlaps: 1 };
  const tasks = Object.values(TASKS).reduce((sum, count) => sum + count);
  assert.equal(phases.find(({ phase }) => phase === 'tiles')?.tasks, tasks);
  const { findings } = await verify({ out, workers: 0 }, SILENT);
  assert.deepEqual(findings, []);
  await assertSharded(source, out, { tiles: 4 });
});
