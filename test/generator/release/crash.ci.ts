// Releases that cannot break: whatever is killed or fails at whatever moment, the pointer names one complete release,
// and building again ends where an undisturbed build ends. A landing tries an eighth of the moments, SLICE=all each.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pLimit from 'p-limit';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { countryRow } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf, snapshotOf } from '../../support/files.ts';
import { compile } from '../../support/processes/compile.ts';
import { errorWith, interceptFiles } from '../../support/processes/faulty-fs.ts';
import { buildRelease, buildUnchecked, ONE_OTHER } from '../../support/releases/build-release.ts';
import { assertDerived } from '../../support/releases/oracle.ts';
import { slice, sliceOf } from '../../support/slice.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

const oldSource = writeDataset(join(folder, 'old.geojson'), 'GeoJSON', [countryRow(2)]);
const newSource = writeDataset(join(folder, 'new.geojson'), 'GeoJSON', [countryRow(3)]);
// An output folder that serves `old`, and one in which `new` has been built after it undisturbed.
const before = join(folder, 'before');
await buildRelease(oldSource, before, { ...ONE_OTHER, release: 'old' });
const reference = copyOf(before);
const newBuild = { ...ONE_OTHER, release: 'new' };
/** What was in the folder before each operation of that build. */
const snapshots: string[] = [];
const stopCounting = interceptFiles(() => snapshots.push(snapshotOf(reference)));
await buildUnchecked(newSource, reference, newBuild);
const operations = stopCounting();
assertDerived(reference, 'new');

const expected = contentOf(reference);

/** Snapshots of output folders that were found whole: the same files need not be looked at twice. */
const foundWhole = new Set<string>();

/**
 * After whatever happened: the proxy serves a complete release, building again converges, and no other file remains.
 */
async function assertWhole(out: string, what: string): Promise<void> {
  const snapshot = snapshotOf(out);
  if (!foundWhole.has(snapshot)) await assertConverges(out, what);
  foundWhole.add(snapshot);
  rmSync(out, { recursive: true });
}

async function assertConverges(out: string, what: string): Promise<void> {
  const releases = new Releases(directoryOrigin(out));
  await releases.refresh();
  assert.ok(releases.current && ['old', 'new'].includes(releases.current.id), what);
  const { findings: faults } = await verify({ out, workers: 0 }, SILENT);
  assert.deepEqual(faults, [], what);
  // It is compared with a release that the oracle has seen.
  await buildUnchecked(newSource, out, newBuild);
  assert.deepEqual(contentOf(out), expected, what);
}

/**
 * The operations that find another folder than the one before them: a kill between two others leaves the same files.
 */
const changes = [...operations.keys()].filter((i) => i === 0 || snapshots[i] !== snapshots[i - 1]);

/**
 * Does such an operation follow one for level 2, 3 or 4? These are empty, like levels 1 and 5, and written like them.
 */
function isRepeated(i: number): boolean {
  const known = new Set(snapshots[i - 1]?.split('\n'));
  const fresh = snapshots[i]?.split('\n').filter((line) => !known.has(line)) ?? [];
  return fresh.length > 0 && fresh.every((line) => /\blv[234]\b/.test(line));
}

/** The first and the last operation of every kind. */
const kinds = [...operations.keys()].filter(
  (i) => operations.indexOf(operations[i] ?? '') === i || operations.lastIndexOf(operations[i] ?? '') === i,
);

test('SIGKILL after every change of a file or folder leaves the old release or the new one, and building again converges', async () => {
  assert.ok(changes.length > 50, `${changes.length} of ${operations.length} operations`);
  const program = compile('test/support/processes/killed-build.ts');
  const some = slice === undefined ? changes : changes.filter((i) => !isRepeated(i));
  const kills = [...sliceOf(some).map((i) => String(i + 1)), 'end'];
  const limit = pLimit(2);
  await limit.map(kills, async (at) => {
    const out = copyOf(before);
    const child = spawn(process.execPath, [program, newSource, out, 'new', at]);
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    await assertWhole(out, `killed before operation ${at}, ${operations[Number(at) - 1]}`);
  });
});

for (const [code, tried] of [
  ['ENOSPC', [...operations.keys()]],
  ['EIO', [...operations.keys()]],
  ['EMFILE', kinds],
  ['EROFS', kinds],
] as const) {
  test(`${code} at ${tried === kinds ? 'each kind of operation' : 'every file operation'} fails the build with a remedy, or not at all, and publishes nothing half`, async () => {
    let failed = 0;
    const some = sliceOf(tried);
    for (const i of some) {
      const operation = operations[i] ?? '';
      const out = copyOf(before);
      const error = await errorWith(code, i + 1, () => buildUnchecked(newSource, out, newBuild));
      if (error instanceof Error) {
        failed++;
        assert.match(error.message, new RegExp(code), operation);
        assert.match('remedy' in error ? String(error.remedy) : '', /run the command again/, operation);
      }
      await assertWhole(out, `${code} at operation ${i + 1}, ${operation}`);
    }
    assert.ok(failed > some.length / 2, `${failed} of ${some.length} failed`);
  });
}
