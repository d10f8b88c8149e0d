// `restore`: what the next release needs comes from where releases are published, or nothing is changed.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { test } from 'node:test';
import { RELEASE_MAX_BYTES, releaseFromJson } from '../../../format/release-json.ts';
import { listReleases, pruneReleases } from '../../../generator/release/manage.ts';
import { signRelease } from '../../../generator/release/sign.ts';
import { newKeyPair } from '../../../proxy/auth/key-pair.ts';
import { writeSquares } from '../../support/datasets/small-datasets.ts';
import { contentOf, filesUnder } from '../../support/files.ts';
import { listen } from '../../support/http/listen.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { publishPair } from '../../support/releases/publish-pair.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

/** Pages, cells and tiles of all kinds; two releases, signed, with what became of the units. */
const published = temporaryFolder();
const OPTIONS = { storedPages: 'all', geometries: ['full', 'medium'], cells: true, tiles: 2 } as const;
await buildUnchecked(writeSquares('one', 'two', 'three'), published, { release: 'a', ...OPTIONS });
await buildUnchecked(writeSquares('uno', 'two', 'three'), published, { release: 'b', ...OPTIONS });
await publishPair(published, 'a', 'b');
await signRelease(published, 'b', newKeyPair().privateKey);
const host = await startStaticHost(published);

const restoring = (out: string, from: string, ...more: string[]) =>
  typed('generator', ['restore', '--from', from, '--out', out, '--quiet', ...more]);

/** More than any file of these releases may have. */
const PIECES = Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024));

/** Fails unless it is refused with this message, and the folder is what it was. */
async function assertRefused(from: string, message: RegExp, out = temporaryFolder()): Promise<void> {
  const before = contentOf(out);
  const { status, stdout, stderr } = await restoring(out, from);
  assert.deepEqual([status, stdout], [1, ''], stderr);
  assert.match(stderr, message);
  assert.match(stderr, /what to do: /);
  assert.deepEqual(contentOf(out), before);
}

/** The address of a copy of what is published, in which something is wrong. */
async function hostOf(change: (folder: string) => void): Promise<string> {
  const folder = copyOf(published);
  change(folder);
  return (await startStaticHost(folder)).url.href;
}

test('restore brings what the next build and its changes need, byte for byte, without pages, tiles and cells', async () => {
  const out = join(temporaryFolder(), 'output');
  const { status, stdout, stderr } = await restoring(out, host.url.href);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^hosted: a, b; current: b; \d+ files/);
  // A host without ranges will do.
  assert.ok(host.asked.every(({ headers }) => headers.range === undefined));
  const [there, here] = [contentOf(published), contentOf(out)];
  for (const [path, content] of Object.entries(here)) assert.equal(content, there[path], path);
  const paths = filesUnder(out);
  assert.ok(
    paths.every((path) => !/\/(fc|geojsonl)\/|cells|tiles|words|neighbours/.test(path)),
    paths.join(),
  );
  assert.ok(paths.includes('releases/b/lv0/medium/features/000001.geojsonl.gz'));
  const signed = ['release.json', 'checksums.txt', 'release.json.sig', 'signed.json', 'signed.json.sig'];
  for (const file of signed) assert.ok(paths.includes(`releases/b/${file}`), file);
  assert.deepEqual(
    listReleases(out).map(({ release, isHosted, isCurrent, damage }) => [release, isHosted, isCurrent, damage]),
    [
      ['a', true, false, undefined],
      ['b', true, true, undefined],
    ],
  );
  // The next release, with the options of the last one; its changes, and gone.bin, which knows all that are gone.
  const source = writeSquares('uno', 'dos', 'three');
  const options = ['--out', out, '--like', 'b', '--release', 'c', '--workers', '0', '--quiet'];
  const built = await typed('generator', ['build', '--changes', '--source', source, ...options]);
  assert.equal(built.status, 0, built.stderr);
  const { hosted, changes } = JSON.parse(readFileSync(join(out, 'current.json'), 'utf8'));
  assert.deepEqual(hosted, ['a', 'b', 'c']);
  assert.deepEqual(
    changes.map(({ from, to, counts }: Record<string, unknown>) => [from, to, counts]),
    [
      ['a', 'b', { recoded: 1 }],
      ['b', 'c', { recoded: 1 }],
    ],
  );
});

test('what is here stays, what it lacks is brought, and a restored folder is restored again', async () => {
  const out = copyOf(published);
  rmSync(join(out, 'releases/b/lv0/features'), { recursive: true });
  rmSync(join(out, 'releases/a'), { recursive: true });
  rmSync(join(out, 'current.json'));
  for (let round = 0; round < 2; round++) {
    assert.equal((await restoring(out, host.url.href)).status, 0);
    const [there, here] = [contentOf(published), contentOf(out)];
    assert.deepEqual(
      Object.keys(there).filter((path) => here[path] !== there[path]),
      filesUnder(published).filter(
        (path) => path.startsWith('releases/a/') && !/\/a\/(release\.json|checksums\.txt)$/.test(path),
      ),
    );
  }
});

test('no bucket, one without current.json, of another version, or incomplete is refused before anything is changed', async () => {
  await assertRefused('ftp://a.test/', /not the address of an output folder/);
  await assertRefused('http://127.0.0.1:1/', /no answer/);
  await assertRefused(`${host.url.href}elsewhere`, /elsewhere\/current\.json: is not there/);
  const page = createServer((_, res) => res.end('<!doctype html><title>Home</title>'));
  await assertRefused(`http://127.0.0.1:${await listen(page)}`, /current\.json.*JSON/);
  const pointer = (change: (text: string) => string) =>
    hostOf((folder) => {
      const file = join(folder, 'current.json');
      writeFileSync(file, change(readFileSync(file, 'utf8')));
    });
  await assertRefused(await pointer((text) => text.replace(/"version": \d+/, '"version": 5')), /format version is 5/);
  for (const [path, change, message] of [
    ['releases/a/release.json', undefined, /a\/release\.json: is not there, though its release is hosted/],
    ['releases/a/release.json', 'x', /a\/release\.json: its SHA-256 is/],
    ['releases/a/checksums.txt', '<!doctype html>', /a\/checksums\.txt: is not that of its release/],
    ['releases/b/lv0/names.jsonl.gz', 'x', /names\.jsonl\.gz: its SHA-256 is .* without Content-Encoding/s],
    ['changes/a..b.csv.gz', undefined, /a\.\.b\.csv\.gz: is not there/],
  ] as const)
    await assertRefused(
      await hostOf((folder) =>
        change === undefined ? rmSync(join(folder, path)) : writeFileSync(join(folder, path), change),
      ),
      message,
    );
});

test('a host that sends more than a file can have is refused, before the disk is full', async () => {
  const { levels } = releaseFromJson(readFileSync(join(published, 'releases/b/release.json'), 'utf8'), 'release.json');
  for (const [path, most] of [
    ['releases/a/release.json', RELEASE_MAX_BYTES],
    ['releases/a/checksums.txt', undefined],
    ['releases/b/lv0/names.jsonl.gz', levels[0]?.names.bytes],
    ['releases/b/lv0/medium/index.bin', levels[0]?.geometries.medium?.index.bytes],
    ['releases/b/lv0/features/000001.geojsonl.gz', levels[0]?.featureFiles.bytes],
    ['changes/a..b.csv.gz', statSync(join(published, 'changes/a..b.csv.gz')).size],
  ] as const) {
    const server = createServer((req, res) => {
      if (req.url === `/${path}`) pipeline(Readable.from(PIECES), res, () => {});
      else if (existsSync(join(published, req.url ?? ''))) res.end(readFileSync(join(published, req.url ?? '')));
      else res.writeHead(404).end();
    });
    const message = new RegExp(`${path}: has more than ${most ?? '\\d+'} bytes`);
    await assertRefused(`http://127.0.0.1:${await listen(server)}`, message);
  }
});

test('a folder with a release that is not published, or another one by the same id, is refused', async () => {
  const more = copyOf(published);
  await buildUnchecked(writeSquares('uno'), more, { release: 'c', accept: ['fewer-units'] });
  await assertRefused(host.url.href, /current\.json: lists c, which http\S+ does not host/, more);
  const other = temporaryFolder();
  await buildUnchecked(writeSquares('x'), other, { release: 'a' });
  await assertRefused(host.url.href, /releases\/a: is another release than that of http/, other);
});

test('successors that only gone.bin knows are named: the next changes would lose them', async () => {
  const kept = copyOf(published);
  await buildUnchecked(writeSquares('uno', 'two', 'three'), kept, { release: 'c', ...OPTIONS });
  await pruneReleases(kept, 1, { keepsChanges: true });
  const out = temporaryFolder();
  const { status, stdout } = await restoring(out, (await startStaticHost(kept)).url.href);
  assert.equal(status, 0);
  assert.match(stdout, /successors that the next `changes` no longer knows: 1, such as lv0 one; copy/);
  assert.ok(existsSync(join(out, 'changes/gone.bin')));
});
