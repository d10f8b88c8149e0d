// Releases of which something was changed or lost: building again repairs, and nothing that was not published is
// activated or signed. And which releases prune removes after a prune that was ended.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKSUMS_FILE, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { activateRelease, pruneReleases } from '../../generator/release/manage.ts';
import { signRelease } from '../../generator/release/sign.ts';
import { publishedReleases, withdraw } from '../../generator/release/staging.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { contentOf, sha256 } from '../support/files.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { copyOf, temporaryFolder } from '../support/temporary-folder.ts';

const source = writeCountries();
const out = temporaryFolder();
for (const release of ['r1', 'r2', 'r3', 'r4']) await buildRelease(source, out, { release });
const { privateKey } = generateKeyPairSync('ed25519');

test('a prune after one that was ended removes what that would have: the newest releases stay', async () => {
  const folder = copyOf(out);
  // As it is left by `prune --keep 2 --grace 1h` that is ended while it waits.
  await withdraw(folder, ['r1', 'r2']);
  assert.deepEqual(publishedReleases(folder), ['r1', 'r2', 'r3', 'r4']);
  assert.deepEqual(await pruneReleases(folder, 2), ['r2', 'r1']);
  assert.deepEqual(publishedReleases(folder), ['r3', 'r4']);
});

test('a release that was never hosted is as new as its number says', async () => {
  const folder = copyOf(out);
  await buildRelease(source, folder, { release: 'a5', activate: false });
  assert.deepEqual(publishedReleases(folder), ['r1', 'r2', 'r3', 'r4', 'a5']);
});

test('building a release again replaces the files that are missing or damaged, and no other one', async () => {
  const folder = copyOf(out);
  const expected = contentOf(folder);
  const root = join(folder, releasePath('r4'));
  rmSync(join(root, 'lv1/names.jsonl.gz'));
  rmSync(join(root, 'lv2/features'), { recursive: true });
  const index = join(root, 'lv0/index.bin');
  writeFileSync(index, readFileSync(index).fill(0, 100, 110));
  await buildRelease(source, folder, { release: 'r4' });
  assert.deepEqual(contentOf(folder), expected);
});

test('a release.json that is not what was published is neither activated nor signed, even where checksums.txt agrees with it', async () => {
  for (const agrees of [false, true]) {
    const folder = copyOf(out);
    const root = join(folder, releasePath('r3'));
    const [file, sums] = [join(root, RELEASE_FILE), join(root, CHECKSUMS_FILE)];
    const changed = readFileSync(file, 'utf8').replace(/"attribution": ?\[\]/, '"attribution":["somebody"]');
    const before = sha256(readFileSync(file));
    writeFileSync(file, changed);
    assert.notEqual(sha256(changed), before);
    if (agrees) writeFileSync(sums, readFileSync(sums, 'utf8').replace(before, sha256(changed)));
    const refused = { name: 'BuildError', message: /release\.json: its SHA-256 is .* it is not what was published$/ };
    await assert.rejects(activateRelease(folder, 'r3'), refused);
    await assert.rejects(signRelease(folder, 'r3', privateKey), refused);
  }
});
