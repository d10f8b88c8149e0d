// The files of changes beside the releases: written, listed in current.json, signed, verified, and removed with their
// newer release.
import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify as isSignedBy } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { changesPath, GONE_PATH, goneFromText, isPairable, pairOf } from '../../../format/changes.ts';
import { currentFromJson } from '../../../format/current-json.ts';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { FORMAT_VERSION } from '../../../format/version.ts';
import { decodeChanges, encodeChanges, goneUnits } from '../../../generator/release/changes-files.ts';
import { activateRelease, pruneReleases } from '../../../generator/release/manage.ts';
import { signRelease } from '../../../generator/release/sign.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { verify } from '../../../generator/verify/verify.ts';
import { writeSquares } from '../../support/datasets/small-datasets.ts';
import { sha256 } from '../../support/files.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildUnchecked } from '../../support/releases/build-release.ts';
import { publishPair } from '../../support/releases/publish-pair.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const out = temporaryFolder();
const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = createPublicKey(privateKey);

await buildUnchecked(writeSquares('one', 'two', 'three'), out, { release: 'a' });
await buildUnchecked(writeSquares('uno', 'two', 'three'), out, { release: 'b' });
await buildUnchecked(writeSquares('uno', 'dos', 'three'), out, { release: 'c', activate: false });

function currentIn(at: string) {
  return currentFromJson(readFileSync(join(at, CURRENT_PATH), 'utf8'), CURRENT_PATH);
}

function pairsIn(at: string): string[] {
  return currentIn(at).changes?.map(({ from, to }) => `${from}..${to}`) ?? [];
}

async function findingsIn(at: string, release: string, trustedKeys = [] as (typeof publicKey)[]): Promise<string[]> {
  const { findings } = await verify({ out: at, release, workers: 0, trustedKeys }, SILENT);
  return findings
    .filter(({ path }) => path.startsWith('changes/') || path === CURRENT_PATH)
    .map(({ path, problem }) => `${path}: ${problem}`);
}

await publishPair(out, 'a', 'b');

test('changes are a CSV beside the releases, listed with its digest and counts', () => {
  const path = changesPath('a', 'b');
  const bytes = readFileSync(join(out, path));
  const text = gunzipSync(bytes).toString();
  assert.equal(
    text,
    'level,from_gid,from_name,to_gid,to_name,class,share_of_from,share_of_to\r\n' +
      'lv0,one,"""one"", é",uno,"""uno"", é",recoded,1.0000,1.0000\r\n',
  );
  const listed = { from: 'a', to: 'b', bytes: bytes.length, sha256: sha256(bytes), textBytes: Buffer.byteLength(text) };
  assert.deepEqual(currentIn(out).changes, [{ ...listed, counts: { recoded: 1 } }]);
  const gone = readFileSync(join(out, GONE_PATH));
  assert.deepEqual(currentIn(out).gone, { bytes: gone.length, sha256: sha256(gone) });
  assert.deepEqual(goneFromText(gunzipSync(gone).toString(), GONE_PATH), [
    { level: 0, gid: 'one', successors: ['uno'] },
  ]);
  assert.match(bytes.toString('latin1'), /same 0\.98\0/);
});

test('changes to a release that is not hosted are listed once it is; prune removes a pair with its newer release alone', async () => {
  const own = copyOf(out);
  const before = readFileSync(join(own, changesPath('a', 'b')));
  for (const from of ['a', 'b']) await publishPair(own, from, 'c');
  assert.ok(readFileSync(join(own, changesPath('a', 'b'))).equals(before));
  assert.deepEqual(pairsIn(own), ['a..b']);
  await activateRelease(own, 'c');
  assert.deepEqual(pairsIn(own), ['a..b', 'a..c', 'b..c']);
  await pruneReleases(own, 2);
  assert.deepEqual(pairsIn(own), ['a..b', 'a..c', 'b..c']);
  assert.deepEqual(await findingsIn(own, 'b'), []);
  await pruneReleases(own, 1);
  assert.deepEqual(pairsIn(own), ['a..c', 'b..c']);
  assert.ok(!existsSync(join(own, changesPath('a', 'b'))));
  assert.deepEqual(await findingsIn(own, 'c'), []);
});

test('changes says when there are more successors than the service reads', async () => {
  const own = copyOf(out);
  const [fromGid, toGid] = ['x', 'y'].map((letter) => letter.repeat(5000));
  const gone = { level: 0, fromName: '', toName: '', class: 'recoded', shareOfFrom: 1, shareOfTo: 1 } as const;
  const rows = Array.from({ length: 1800 }, (_, i) => ({ ...gone, fromGid: `${fromGid}${i}`, toGid: `${toGid}${i}` }));
  writeFileSync(join(own, changesPath('before', 'a')), encodeChanges(rows, 'same 0.98'));
  const notes: string[] = [];
  const report = { ...SILENT, note: (text: string) => notes.push(text) };
  await publishPair(own, 'a', 'c', undefined, report);
  assert.match(notes.join(), /gone\.bin has 18 MiB of text: above 16 MiB the service does not read it/);
});

test('prune says which successors it loses; with --keep-changes the pairs stay, and what went three releases ago is still followed', async () => {
  const own = copyOf(out);
  for (const from of ['a', 'b']) await publishPair(own, from, 'c');
  await activateRelease(own, 'c');
  const words = (...more: string[]) => ['prune', '--keep', '1', '--grace', '0s', '--out', own, ...more];
  const dry = await typed('generator', words('--dry-run'));
  // What a..b and a..c both have of `one` is not lost; a pair of removed releases has no part in what is left.
  assert.match(dry.stdout, /to remove: b, a\n\nNothing was removed\.$/m);
  rmSync(join(own, changesPath('a', 'c')));
  const lost = /successors that the next `changes` no longer knows: 1, such as lv0 one; --keep-changes keeps them/;
  assert.match((await typed('generator', words('--dry-run'))).stdout, lost);
  const lossy = copyOf(own);
  const { stdout } = await typed('generator', ['prune', '--keep', '1', '--grace', '0s', '--out', lossy, '--json']);
  assert.deepEqual(JSON.parse(stdout).lostSuccessors, [{ level: 0, gid: 'one', successors: ['uno'] }]);

  const kept = await typed('generator', words('--keep-changes'));
  assert.match(kept.stdout, /^removed: b, a$/m);
  assert.doesNotMatch(kept.stdout, /no longer knows/);
  await buildUnchecked(writeSquares('uno', 'dos', 'tres'), own, { release: 'd' });
  await publishPair(own, 'c', 'd');
  await typed('generator', words('--keep-changes'));
  const gone = goneFromText(gunzipSync(readFileSync(join(own, GONE_PATH))).toString(), GONE_PATH);
  assert.deepEqual(gone.map(({ gid }) => gid).sort(), ['one', 'three', 'two']);
  assert.deepEqual(pairsIn(own), ['c..d']);
  assert.deepEqual(await findingsIn(own, 'd'), []);
});

test('kept changes to a release that was removed are followed where no others are left, and keep its id from being used again', async () => {
  const own = copyOf(out);
  await activateRelease(own, 'a');
  await pruneReleases(own, 1, { keepsChanges: true });
  const { changes, gone } = currentIn(own);
  assert.equal(changes, undefined);
  assert.equal(gone?.sha256, sha256(readFileSync(join(own, GONE_PATH))));
  const again = buildUnchecked(writeSquares('one', 'due', 'three'), own, { release: 'b' });
  await assert.rejects(again, {
    message: /changes\/a\.\.b\.csv\.gz: leads to an earlier release b$/,
    remedy: /another --release, or remove that file/,
  });
});

test('verify names changes with other bytes, GIDs of neither release, shares above 1, and signatures of another key', async () => {
  const own = copyOf(out);
  const file = join(own, changesPath('a', 'b'));
  const original = readFileSync(file);
  writeFileSync(file, original.subarray(0, -1));
  assert.match((await findingsIn(own, 'b'))[0] ?? '', /its SHA-256 is .*, current\.json has/);
  const [row] = decodeChanges(original, 'x');
  assert.ok(row);
  for (const [rows, problem] of [
    [[{ ...row, toGid: 'nowhere' }], /level 0: nowhere is not in b$/],
    [[{ ...row, fromGid: 'nowhere' }], /level 0: nowhere is not in a$/],
    [[row, { ...row, toGid: 'two' }], /level 0, from_gid one: its shares sum to 2$/],
  ] as const) {
    writeFileSync(file, encodeChanges(rows, ''));
    const current = currentIn(own);
    // As a stranger may list it.
    const changes = current.changes?.map((pair) => ({
      ...pair,
      sha256: sha256(readFileSync(file)),
      counts: { recoded: rows.length },
    }));
    writeFileSync(
      join(own, CURRENT_PATH),
      JSON.stringify({ version: FORMAT_VERSION, ...current, digests: Object.fromEntries(current.digests), changes }),
    );
    assert.match((await findingsIn(own, 'b'))[0] ?? '', problem);
  }
  rmSync(file);
  assert.deepEqual(await findingsIn(own, 'b'), [`${changesPath('a', 'b')}: is missing`]);
});

test('a name with a line break of any kind is quoted: one row stays one row', () => {
  const [row] = decodeChanges(readFileSync(join(out, changesPath('a', 'b'))), 'x');
  assert.ok(row);
  const names = { fromName: 'A\nB', toName: 'C\rD' };
  const file = encodeChanges([{ ...row, ...names }], '');
  assert.match(gunzipSync(file).toString(), /,"A\nB",.*,"C\rD",/s);
  assert.deepEqual(decodeChanges(file, 'x'), [{ ...row, ...names }]);
});

test('with a key the changes and gone.bin are signed; made anew without one they are not', async () => {
  const own = copyOf(out);
  await publishPair(own, 'a', 'b', privateKey);
  for (const path of [changesPath('a', 'b'), GONE_PATH]) {
    const [content, signature] = [readFileSync(join(own, path)), readFileSync(join(own, `${path}.sig`))];
    assert.ok(isSignedBy(null, content, publicKey, signature), path);
  }
  assert.deepEqual(await findingsIn(own, 'b', [publicKey]), []);
  const { publicKey: other } = generateKeyPairSync('ed25519');
  assert.match((await findingsIn(own, 'b', [other]))[0] ?? '', /its signature is no signature by a trusted key$/);
  await publishPair(own, 'a', 'c');
  assert.ok(!existsSync(join(own, `${GONE_PATH}.sig`)));
  assert.deepEqual(await findingsIn(own, 'b', [publicKey]), [
    `${GONE_PATH}: has no signature: run changes again with --sign-key`,
  ]);
});

test('sign signs the changes that lead to a release, before it is current, too; verify finds damage of those', async () => {
  const own = copyOf(out);
  await publishPair(own, 'b', 'c');
  await signRelease(own, 'c', privateKey);
  assert.deepEqual(await findingsIn(own, 'c', [publicKey]), []);
  assert.match((await findingsIn(own, 'b', [publicKey]))[0] ?? '', /a\.\.b\.csv\.gz: has no signature/);
  const file = join(own, changesPath('b', 'c'));
  writeFileSync(file, readFileSync(file).subarray(0, -9));
  assert.match((await findingsIn(own, 'c'))[0] ?? '', /b\.\.c\.csv\.gz: is damaged/);
});

test('names of pairs say their releases in one way alone', () => {
  assert.deepEqual(pairOf('a.1..b-2.csv.gz'), { from: 'a.1', to: 'b-2' });
  for (const name of ['a...b.csv.gz', 'a..b..c.csv.gz', '..b.csv.gz', 'a.csv.gz', 'gone.bin', 'a..b.csv.gz.sig'])
    assert.equal(pairOf(name), undefined, name);
  assert.deepEqual(['a..b', 'a.', '.a', ''].map(isPairable), [false, false, false, false]);
});

test('successors of a GID that is gone are the five with most of it; a GID that goes on has none', () => {
  const row = { level: 2, fromName: '', toName: '', class: 'split', shareOfTo: 1 } as const;
  const rows = [0.1, 0.3, 0.05, 0.2, 0.15, 0.2].map((shareOfFrom, i) => ({
    ...row,
    fromGid: 'x',
    toGid: `n${i}`,
    shareOfFrom,
  }));
  const kept = { ...row, fromGid: 'n0', toGid: 'n9', shareOfFrom: 1 };
  const alone = { ...row, class: 'gone', fromGid: 'sunk', toGid: '', shareOfFrom: 0 } as const;
  assert.deepEqual(goneUnits([...rows, kept, alone]), [
    { level: 2, gid: 'x', successors: ['n1', 'n3', 'n5', 'n4', 'n0'] },
  ]);
});
