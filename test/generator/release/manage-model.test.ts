// Whatever an operator does in whatever order: the output folder is what a model of it says, after each step.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHECKSUMS_FILE, RELEASE_FILE, releasePath } from '../../../format/layout.ts';
import { releaseToJson } from '../../../format/write/texts.ts';
import { publish } from '../../../generator/build.ts';
import { activateRelease, listReleases, pruneReleases, removeRelease } from '../../../generator/release/manage.ts';
import { withLock } from '../../../generator/release/output-lock.ts';
import { openStaging, removeLeftovers } from '../../../generator/release/staging.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { countryRow } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { sha256 } from '../../support/files.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { assertPointsTo } from '../../support/releases/point-to.ts';
import { seedsOf } from '../../support/slice.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const GRACE_MS = 5000;
const RUNS = 15;

/** What an operator does: builds other content under an id, or ends a prune while it waits, or works meanwhile. */
type Step =
  | { build: string; isActivated: boolean; isOther: boolean }
  | { activate: string }
  | { remove: string }
  | { prune: number; isEnded: boolean; meanwhile: readonly Step[] };

/** Why something cannot be done, and what helps. */
type Refusal = Record<'message' | 'remedy', RegExp>;

/** The folder as its operator thinks of it. What cannot be done says why. */
class Model {
  current = 'old';
  /** In the order in which they were hosted first. */
  hosted = ['old'];
  /** Of all that are published, and whether its content is the other one. */
  readonly releases = new Map([['old', { number: 1, isOther: false }]]);

  /** Oldest first: one that is not hosted stands before the first one with a higher number. */
  published(): string[] {
    const all = [...this.hosted];
    const numberOf = (id: string): number => this.releases.get(id)?.number ?? assert.fail(id);
    const apart = [...this.releases.keys()].filter((id) => !all.includes(id));
    for (const id of apart.sort((a, b) => numberOf(a) - numberOf(b))) {
      const next = all.findIndex((other) => numberOf(other) > numberOf(id));
      all.splice(next === -1 ? all.length : next, 0, id);
    }
    return all;
  }

  build(id: string, isActivated: boolean, isOther: boolean): Refusal | undefined {
    const known = this.releases.get(id);
    if (known !== undefined && known.isOther !== isOther)
      return { message: /exists already, with other content/, remedy: /^choose another --release/ };
    const number = 1 + Math.max(...[...this.releases.values()].map((release) => release.number));
    this.releases.set(id, known ?? { number, isOther });
    return isActivated ? this.activate(id) : undefined;
  }

  activate(id: string): Refusal | undefined {
    if (!this.releases.has(id)) return this.unknown(id);
    this.current = id;
    if (!this.hosted.includes(id)) this.hosted.push(id);
    return undefined;
  }

  remove(id: string): Refusal | undefined {
    const [is, remedy] =
      id === this.current ? ['current', /with activate, then use prune$/] : ['hosted', /^use prune /];
    if (this.hosted.includes(id))
      return { message: new RegExp(`releases/${id}: release ${id} is ${is}: proxies answer for it$`), remedy };
    return this.releases.delete(id) ? undefined : this.unknown(id);
  }

  unknown(id: string): Refusal {
    return {
      message: new RegExp(`releases/${id}: no such release$`),
      remedy: new RegExp(`^use one of: ${this.published().join(', ')}$`),
    };
  }

  /** What a prune removes, newest first: hosted ones, and what is not hosted and older than the others that stay. */
  toPrune(keep: number): string[] {
    const newestFirst = this.published().reverse();
    const others = newestFirst.filter((id) => this.hosted.includes(id) && id !== this.current);
    const oldest = newestFirst.indexOf(others.slice(0, keep - 1).at(-1) ?? this.current);
    return newestFirst.filter((id, i) => (this.hosted.includes(id) ? others.indexOf(id) >= keep - 1 : i > oldest));
  }
}

const folder = temporaryFolder();
const source = writeDataset(join(folder, 'source.geojson'), 'GeoJSON', [countryRow(2)]);
const described = await buildUnchecked(source, join(folder, 'built'));
const before = join(folder, 'before');
const pool = openPool(0);
await publishIn(before, 'old', true, false);

/** Publishes release.json and checksums.txt alone, as a build does it with all files. */
function publishIn(out: string, release: string, activate: boolean, isOther: boolean): Promise<void> {
  return withLock(out, async (lock) => {
    const staging = openStaging(out, release);
    const { sequence } = staging;
    const text = releaseToJson({ ...described, release, sequence, attribution: isOther ? ['other'] : [] });
    writeFileSync(join(staging.release, RELEASE_FILE), text);
    writeFileSync(join(staging.release, CHECKSUMS_FILE), `${sha256(text)}  ${RELEASE_FILE}\n`);
    await publish({ out, release, activate, signKey: undefined, signTime: undefined }, staging, lock, pool, SILENT);
  });
}

function assertAsModel(out: string, model: Model): void {
  const ids = model.published();
  const listed = listReleases(out).map(({ release, isHosted, isCurrent }) => [release, isHosted, isCurrent]);
  const expected = ids.map((id) => [id, model.hosted.includes(id), id === model.current]);
  assert.deepEqual(listed, expected);
  assertPointsTo(out, model.current, model.hosted);
  assert.deepEqual(readdirSync(join(out, 'releases')).sort(), ids.toSorted());
  // By the dates of files, which a copy may change, the newest release is the oldest one.
  for (const [i, id] of ids.entries()) utimesSync(join(out, releasePath(id), RELEASE_FILE), 1000 - i, 1000 - i);
}

async function assertDone(done: Promise<unknown>, refused: Refusal | undefined): Promise<void> {
  if (refused === undefined) await done;
  else await assert.rejects(done, { name: 'BuildError', ...refused });
}

async function pruneIn(out: string, model: Model, keep: number, isEnded: boolean, meanwhile: readonly Step[]) {
  // As a build leaves it that was killed.
  mkdirSync(join(out, 'releases/.z.staging/release'), { recursive: true });
  const old = model.toPrune(keep);
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    model.hosted = model.hosted.filter((id) => !old.includes(id));
    assertAsModel(out, model);
    for (const step of meanwhile) await stepIn(out, model, step);
    if (isEnded) throw new Error('ended');
  };
  const gone = await pruneReleases(out, keep, { graceMs: GRACE_MS, wait }).catch((error) => {
    assert.equal(error.message, 'ended');
  });
  assert.deepEqual(waits, old.length === 0 ? [] : [GRACE_MS]);
  if (gone === undefined) return;
  // What was made current meanwhile stays, what was removed is gone.
  const expected = old.filter((id) => model.releases.has(id) && !model.hosted.includes(id));
  assert.deepEqual(gone, expected);
  for (const id of gone) model.releases.delete(id);
}

async function stepIn(out: string, model: Model, step: Step): Promise<void> {
  if ('build' in step) {
    const { build, isActivated, isOther } = step;
    await assertDone(publishIn(out, build, isActivated, isOther), model.build(build, isActivated, isOther));
    // As a failed build removes them.
    removeLeftovers(out);
  } else if ('activate' in step) await assertDone(activateRelease(out, step.activate), model.activate(step.activate));
  else if ('remove' in step) await assertDone(removeRelease(out, step.remove), model.remove(step.remove));
  else await pruneIn(out, model, step.prune, step.isEnded, step.meanwhile);
  assertAsModel(out, model);
}

const id = fc.constantFrom('old', ...'abcd');
const isSeldom = fc.nat(9).map((drawn) => drawn === 0);
const keep = fc.integer({ min: 1, max: 3 });
const building = fc.record({ build: id, isActivated: fc.boolean(), isOther: isSeldom });
const others = [fc.record({ activate: id }), fc.record({ remove: id })];
const pruning = (meanwhile: fc.Arbitrary<Step[]>) => fc.record({ prune: keep, isEnded: isSeldom, meanwhile });
const quick: fc.Arbitrary<Step> = fc.oneof(building, ...others, pruning(fc.constant([])));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(building, building, ...others, pruning(fc.array(quick, { maxLength: 3 }))),
  { minLength: 4, maxLength: 12 },
);

/** A release that was built for review is hosted after one that was built after it. */
const REVIEWED: Step[] = [
  { build: 'a', isActivated: false, isOther: false },
  { build: 'b', isActivated: true, isOther: false },
  { activate: 'a' },
  { activate: 'old' },
  { prune: 2, isEnded: false, meanwhile: [] },
];

test('any builds, activations, removals and prunes, also while a prune waits, leave what a model of the folder says', async () => {
  const property = fc.asyncProperty(steps, async (all) => {
    const [out, model] = [copyOf(before), new Model()];
    for (const step of all) await stepIn(out, model, step);
  });
  for (const seed of seedsOf(1))
    await fc.assert(property, { seed, numRuns: RUNS, examples: [[REVIEWED]], includeErrorInReport: true });
});
