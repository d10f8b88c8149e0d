// Each operation that changes a file fails in turn, of activate, prune and sign: what was there before is there, or
// what was to come, and current.json can be read. For builds see crash.ci.ts.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { activateRelease, pruneReleases } from '../../../generator/release/manage.ts';
import { signRelease } from '../../../generator/release/sign.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { signedOrigin } from '../../../proxy/data/signed-origin.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { countryRow } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf } from '../../support/files.ts';
import { errorWith, interceptFiles } from '../../support/processes/faulty-fs.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

/** The operations that change what is on the disk, and those that wait until it is there. */
const CHANGES = /^(write|writev|writeFile|fsync|mkdir|link|copyFile|rename|rm)Sync$|^sync$/;

const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = createPublicKey(privateKey);

/** Has releases r1, r2 and r3, of which the last one is current. */
const output = temporaryFolder();
const source = writeDataset(join(output, 'source.geojson'), 'GeoJSON', [countryRow(2)]);
for (const release of ['r1', 'r2', 'r3']) await buildUnchecked(source, output, { release });

/** Contents of releases that were found whole: the same ones need not be read again. */
const foundWhole = new Set<string>();

/** The releases of a folder, each of which is whole. */
async function wholeReleases(out: string): Promise<string[]> {
  const found = readdirSync(join(out, 'releases')).filter((name) => !name.startsWith('.'));
  for (const release of found) {
    const content = JSON.stringify(contentOf(join(out, 'releases', release)));
    if (foundWhole.has(content)) continue;
    foundWhole.add(content);
    const { findings } = await verify({ out, release, workers: 0 }, SILENT);
    assert.deepEqual(findings, [], release);
  }
  return found.sort();
}

async function served(out: string): Promise<string | undefined> {
  const releases = new Releases(directoryOrigin(out));
  await releases.refresh();
  return releases.current?.id;
}

/**
 * Lets each change of a command fail.
 * @param check of what is there then
 * @param command does it; the second time, without failures, it must end as if nothing had failed
 */
function testFailures(name: string, command: (out: string) => Promise<unknown>, check: (out: string) => Promise<void>) {
  test(`${name}: each write, fsync, rename and removal that fails leaves what was before or what comes after`, async () => {
    const reference = copyOf(output);
    const stopCounting = interceptFiles(() => {});
    await command(reference);
    const operations = stopCounting();
    const changes = [...operations.keys()].filter((i) => CHANGES.test(operations[i] ?? ''));
    assert.ok(changes.length >= 5, operations.join());
    for (const code of ['ENOSPC', 'EIO'])
      for (const i of changes) {
        const out = copyOf(output);
        const error = await errorWith(code, i + 1, () => command(out));
        const what = `${code} at operation ${i + 1}, ${operations[i]}`;
        assert.match(String(error), new RegExp(code), what);
        await check(out);
        await command(out).catch((reason: unknown) => assert.fail(`${what}, then: ${reason}`));
        assert.deepEqual(contentOf(out), contentOf(reference), what);
        rmSync(out, { recursive: true });
      }
  });
}

testFailures(
  'activate',
  (out) => activateRelease(out, 'r1'),
  async (out) => {
    assert.ok(['r1', 'r3'].includes(String(await served(out))));
    assert.deepEqual(await wholeReleases(out), ['r1', 'r2', 'r3']);
  },
);

testFailures(
  'prune',
  (out) => pruneReleases(out, 1),
  async (out) => {
    assert.equal(await served(out), 'r3');
    assert.ok((await wholeReleases(out)).includes('r3'));
  },
);

testFailures(
  'sign',
  (out) => signRelease(out, 'r3', privateKey, '2026-11-26T00:00:00.000Z'),
  async (out) => {
    assert.equal(await served(out), 'r3');
    assert.deepEqual(await wholeReleases(out), ['r1', 'r2', 'r3']);
    const { findings } = await verify({ out, release: 'r3', workers: 0, trustedKeys: [publicKey] }, SILENT);
    const isSigned = findings.length === 0;
    const releases = new Releases(signedOrigin(directoryOrigin(out), [publicKey]));
    const error: unknown = await releases.refresh().catch((reason: unknown) => reason);
    assert.equal(releases.current?.id, isSigned ? 'r3' : undefined, String(error));
  },
);
