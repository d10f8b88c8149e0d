// Signed releases: openssl and sha256sum agree, and of a folder in which a stranger may write, with right checksums,
// nothing is served but what was signed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import { BLOCK_BYTES } from '../../../format/blocks.ts';
import {
  BLOCKS_FILE,
  CHECKSUMS_FILE,
  CURRENT_PATH,
  featureFilePath,
  namesPath,
  RELEASE_FILE,
  releasePath,
  SIGNED_FILE,
} from '../../../format/layout.ts';
import { releaseFromJson } from '../../../format/release-json.ts';
import { publish } from '../../../generator/build.ts';
import { withLock } from '../../../generator/release/output-lock.ts';
import { readSigningKey, SIGNATURE_FILES, signRelease } from '../../../generator/release/sign.ts';
import { openStaging, readCurrent } from '../../../generator/release/staging.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { openPool } from '../../../generator/workers/pool.ts';
import { createServer } from '../../../proxy/create-server.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { NewestRelease, toMessage } from '../../../proxy/data/newest-release.ts';
import { signedOrigin } from '../../../proxy/data/signed-origin.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { OriginError } from '../../../proxy/origin/origin.ts';
import { after } from '../../support/after.ts';
import { countryLayers } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { contentOf, filesUnder, sha256, sha256Of } from '../../support/files.ts';
import { listen } from '../../support/http/listen.ts';
import { type Typed, typed } from '../../support/processes/typed.ts';
import { buildUnchecked, ONE_OTHER } from '../../support/releases/build-release.ts';
import { pointTo } from '../../support/releases/point-to.ts';
import { replaceWholeFile } from '../../support/releases/reseal.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { turnsDuring } from '../../support/turns-during.ts';
import { until } from '../../support/until.ts';

const folder = temporaryFolder();

/** Makes a key pair as the documentation says. */
function makeKeys(name: string): { privateFile: string; publicFile: string } {
  const [privateFile, publicFile] = [join(folder, `${name}.private.pem`), join(folder, `${name}.pem`)];
  for (const args of [
    ['genpkey', '-algorithm', 'ed25519', '-out', privateFile],
    ['pkey', '-in', privateFile, '-pubout', '-out', publicFile],
  ])
    assert.equal(spawnSync('openssl', args).status, 0);
  return { privateFile, publicFile };
}

const [mine, next, stranger] = [makeKeys('mine'), makeKeys('next'), makeKeys('stranger')];
const publicKey = createPublicKey(readFileSync(mine.publicFile));

/** Types a command of the generator, with `more` after its words; in one process. */
function type(out: string, words: string, ...more: string[]): Promise<Typed> {
  const workers = /^(build|verify|sign|activate)/.test(words) ? ['--workers', '0'] : [];
  return typed('generator', [...words.split(' '), ...more, ...workers, '--out', out]);
}

/** The same of a command that must succeed. @returns what it prints */
async function run(out: string, words: string, ...more: string[]): Promise<string> {
  const { status, stdout, stderr } = await type(out, words, ...more);
  assert.equal(status, 0, stderr);
  return stdout;
}

// Releases r1 and r2 that are signed, and r3 that is not; r2 is current.
const output = join(folder, 'output');
const source = writeDataset(join(folder, 'countries.gpkg'), 'GPKG', countryLayers());
for (const release of ['r1', 'r2', 'r3'])
  await buildUnchecked(source, output, {
    release,
    activate: release !== 'r3',
    ...ONE_OTHER,
    storedPages: 'unfiltered',
    signKey: release === 'r2' ? readSigningKey(mine.privateFile) : undefined,
  });
await run(output, 'sign r1 --time 2026-11-01T12:00:00Z --key', mine.privateFile);
pointTo(output, 'r2', ['r1', 'r2']);

const copy = (): string => copyOf(output);

const sequenceOf = (out: string, id: string): number =>
  releaseFromJson(readFileSync(join(out, releasePath(id), RELEASE_FILE), 'utf8'), id).sequence;

/** Starts a service for everybody that trusts keys. @returns what waits for what it logs, and what asks it */
async function serve(out: string, keys: readonly string[], allowRollback = false) {
  const log: string[] = [];
  const { server, stop } = await createServer({
    origin: out,
    public: true,
    explorer: false,
    trustedKey: keys,
    allowRollback,
    log: (line) => log.push(line),
  });
  const port = await listen(server);
  after(stop);
  const logs = (line: RegExp): Promise<void> =>
    until(
      () => line.test(log.join('\n')),
      () => `${line} in ${log.join('\n')}`,
    );
  return { logs, stop, ask: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) };
}

const REQUESTS = [
  '/api/v1/fc/lv0',
  '/api/v1/geojsonl/lv2?page-size=3',
  '/api/v1/geojsonl/lv2?page-size=2&geometry=low',
  '/api/v1/fc/lv2?contains=0.5,0.5',
  '/api/v1/download/lv2.geojsonl.gz',
  '/api/v1/names/lv1',
];

test('openssl verifies the signatures of a release, and sha256sum the files, as the documentation says', () => {
  const root = join(output, releasePath('r1'));
  for (const file of [RELEASE_FILE, CHECKSUMS_FILE, BLOCKS_FILE, SIGNED_FILE]) {
    const args = ['pkeyutl', '-verify', '-pubin', '-inkey', mine.publicFile, '-rawin', '-in', file];
    const verified = spawnSync('openssl', [...args, '-sigfile', `${file}.sig`], { cwd: root, encoding: 'utf8' });
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
    const other = args.with(4, stranger.publicFile);
    assert.notEqual(spawnSync('openssl', [...other, '-sigfile', `${file}.sig`], { cwd: root }).status, 0);
  }
  assert.equal(spawnSync('sha256sum', ['--check', '--quiet', CHECKSUMS_FILE], { cwd: root }).status, 0);
});

test('a build counts the releases of its output folder; one that is built again keeps its number and its signatures', async () => {
  const numbers = ['r1', 'r2', 'r3'].map((id) => sequenceOf(output, id));
  assert.deepEqual(numbers, [1, 2, 3]);
  const out = copy();
  await buildUnchecked(source, out, { ...ONE_OTHER, storedPages: 'unfiltered', release: 'r1' });
  const [before, again] = [output, out].map((folder) => contentOf(join(folder, releasePath('r1'))));
  assert.deepEqual(again, before);
});

test('a shard has no number: seal counts, and signs', async () => {
  const out = copy();
  await run(out, 'build --release r4 --shard 0/1 --geometry full --source', source);
  await run(out, 'seal r4 --sign-key', mine.privateFile);
  assert.equal(sequenceOf(out, 'r4'), 4);
  await run(out, 'verify --release r4 --trusted-key', mine.publicFile);
});

test('list and the estimate count the files of a signature, activate and prune carry them along', async () => {
  const out = copy();
  const filesOf = (id: string): number => filesUnder(join(out, releasePath(id))).length;
  const listed = JSON.parse(await run(out, 'list --json')) as { release: string; files: number }[];
  for (const { release, files } of listed) assert.equal(files, filesOf(release), release);
  assert.equal(filesOf('r2'), filesOf('r3') + SIGNATURE_FILES.length);
  const signed = ['--source', source, '--sign-key', mine.privateFile];
  const dry = await run(out, 'build --release r9 --dry-run --geometry full,low --no-tiles --json', ...signed);
  const { releases } = JSON.parse(dry) as { releases: { pages: string; files: number }[] };
  assert.equal(releases.find(({ pages }) => pages === 'unfiltered')?.files, filesOf('r2'));
  await run(out, 'activate r1');
  await run(out, 'prune --keep 1 --grace 0s');
  // r3 was never hosted, and is newer.
  assert.deepEqual(readdirSync(join(out, 'releases')), ['r1', 'r3']);
  await run(out, 'verify --trusted-key', mine.publicFile);
});

test('verify names what of a signature is missing or wrong, and asks for none without a key', async () => {
  const out = copy();
  const blocks = join(out, releasePath('r1'), BLOCKS_FILE);
  const damage = (): void => writeFileSync(blocks, readFileSync(blocks).fill(0, 20, 40));
  const time = join(out, releasePath('r2'), SIGNED_FILE);
  const signed = readFileSync(time, 'utf8');
  const say =
    (text: string): (() => void) =>
    () =>
      writeFileSync(time, text);
  const cases: [id: string, keys: string[], problem: RegExp, before?: () => void][] = [
    ['r3', [], /0 findings/],
    ['r3', [mine.publicFile], /r3\/release\.json\.sig: is missing/],
    ['r1', [next.publicFile, mine.publicFile], /0 findings/],
    ['r1', [next.publicFile], /r1\/release\.json\.sig: is no signature by a trusted key: SHA-256 [0-9a-f]{64}/],
    ['r2', [mine.publicFile], /signed\.json: is not of this release[\s\S]*signed\.json\.sig: is no/, say(`${signed} `)],
    ['r2', [], /signed\.json: time is "now", expected a time/, say(signed.replace(/"time":.*"/, '"time":"now"'))],
    ['r2', [], /signed\.json: is missing/, () => rmSync(time)],
    // As version 1.1.0 signed.
    ['r2', [mine.publicFile], /0 findings/, () => rmSync(`${time}.sig`)],
    ['r1', [], /r1\/blocks\.bin: does not have the blocks of the files of this release/, damage],
    ['r1', [mine.publicFile], /r1\/blocks\.bin\.sig: is no signature by a trusted key/],
  ];
  for (const [id, keys, problem, before] of cases) {
    before?.();
    const trusted = keys.flatMap((key) => ['--trusted-key', key]);
    const { stdout } = await type(out, `verify --release ${id}`, ...trusted);
    assert.match(stdout, problem);
    assert.doesNotMatch(stdout, /build the release again/);
    const remedy =
      /^trust the public key .* sign r\d --key|^sign it: .* sign r\d --key.*; or leave out --trusted-key$/m;
    assert.equal(remedy.test(stdout), !/ 0 findings/.test(stdout));
  }
});

test('what verify does not accept is not signed: a damaged file, or one that was changed with its line of checksums.txt', async () => {
  const out = copy();
  const root = join(out, releasePath('r3'));
  const [file, sums] = [join(root, namesPath(0)), join(root, CHECKSUMS_FILE)];
  const refused = async (problem: RegExp): Promise<void> => {
    const { status, stderr } = await type(out, 'sign r3 --key', mine.privateFile);
    assert.equal(status, 1);
    assert.match(stderr, problem);
    assert.ok(!existsSync(join(root, `${RELEASE_FILE}.sig`)));
  };
  const before = sha256Of(file);
  writeFileSync(file, gzipSync('["fid","gid","name","type","parent","children"]\n'));
  await refused(/lv0\/names\.jsonl\.gz: is \d+ bytes long, expected \d+/);
  writeFileSync(sums, readFileSync(sums, 'utf8').replace(before, sha256Of(file)));
  await refused(/lv0\/names\.jsonl\.gz: .*\n {2}what to do: .*verify --release r3/);
  assert.match((await type(out, 'verify --release r3')).stdout, /lv0\/names\.jsonl\.gz: /);
});

test('a build signs nothing, and makes nothing current, that verify does not accept', async () => {
  const out = copy();
  const root = join(out, releasePath('r3'));
  replaceWholeFile(root, 0, (text) => text.replace('"AAA"', '"AAB"'));
  const staging = openStaging(out, 'r3');
  renameSync(root, staging.release);
  const pool = openPool(0);
  after(() => pool.close());
  const options = {
    out,
    release: 'r3',
    activate: true,
    signKey: readSigningKey(mine.privateFile),
    signTime: undefined,
  };
  const published = withLock(out, (lock) => publish(options, staging, lock, pool, SILENT));
  await assert.rejects(published, /lv0\/names\.jsonl\.gz: /);
  assert.equal(readCurrent(out)?.release, 'r2');
  assert.ok(!existsSync(join(root, `${RELEASE_FILE}.sig`)));
});

test('a key of another kind is refused, and one that is not there', async () => {
  const rsa = join(folder, 'rsa.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(rsa, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  for (const [key, problem] of [
    [mine.publicFile, /not a private Ed25519 key/],
    [join(folder, 'none.pem'), /no such file/],
    [rsa, /not a private Ed25519 key/],
  ] as const)
    assert.match((await type(output, 'sign r3 --key', key)).stderr, problem);
});

test('serve --trusted-key serves what is signed with any of its keys, and does not start with anything else', async () => {
  const { ask } = await serve(output, [next.publicFile, mine.publicFile]);
  const { ask: askUnsigned } = await serve(output, []);
  for (const request of REQUESTS) {
    const [answer, expected] = [await ask(request), await askUnsigned(request)];
    assert.equal(answer.status, 200, request);
    assert.deepEqual(await answer.arrayBuffer(), await expected.arrayBuffer(), request);
  }
  await assert.rejects(serve(output, [next.publicFile]), {
    message:
      /release\.json\.sig: signed with another key, or for another content; expected one of the keys with SHA-256 [0-9a-f]{64}/,
    remedy: /^trust the public key that it was signed with: .* sign r2 --key private\.pem --out \//,
  });
  await assert.rejects(serve(output, [mine.privateFile]), /not a public Ed25519 key/);
  await assert.rejects(serve(output, [join(output, 'missing.pem')]), /cannot be read \(ENOENT\)/);
  const out = copy();
  pointTo(out, 'r3');
  await assert.rejects(serve(out, [mine.publicFile]), {
    message: /r3\/release\.json\.sig: missing, so nobody has signed the release/,
    remedy: /^sign it: .* sign r3 --key private\.pem --out \/.*; or leave out --trusted-key$/,
  });
});

test('an unsigned release, or an older one, does not take the place of the one that is served, but with --allow-rollback', async () => {
  const out = copy();
  const { ask, logs } = await serve(out, [mine.publicFile]);
  const releaseOf = async (): Promise<string | null> => (await ask('/api/v1/fc/lv0')).headers.get('boundaries-release');
  pointTo(out, 'r3', ['r2', 'r3']);
  await logs(/still serving release r2: .*\.sig: missing, so nobody has signed the release; expected one of the keys/);
  assert.equal(await releaseOf(), 'r2');
  pointTo(out, 'r1', ['r1', 'r2']);
  await logs(/still serving release r2: current\.json: r1 is older than what is served/);
  assert.equal(await releaseOf(), 'r2');
  // A client may name it: it is signed, and hosted.
  assert.equal((await ask('/api/v1/download/lv0.geojsonl.gz?release=r1')).status, 200);
  await run(out, 'sign r3 --key', mine.privateFile);
  pointTo(out, 'r3', ['r2', 'r3']);
  await logs(/^serving release r3$/m);
  assert.equal(await releaseOf(), 'r3');
  const { logs: logsOfRollback } = await serve(out, [mine.publicFile], true);
  pointTo(out, 'r1', ['r1', 'r2']);
  await logsOfRollback(/^serving release r1$/m);
});

test('activate says when services with a trusted key do not go back, and with --sign-key they do', async () => {
  const out = copy();
  const { ask, logs } = await serve(out, [mine.publicFile]);
  const said = await run(out, 'activate r1');
  const [, words = ''] =
    /^release r1 is current\nservices with --trusted-key go on with r2, which was signed later; .*: (?:npx tsx generator\/main\.ts|boundaries-generator) (.* --sign-key) private\.pem\n$/.exec(
      said,
    ) ?? assert.fail(said);
  await logs(/still serving release r2: current\.json: r1 is older than what is served/);
  assert.equal(
    await run(out, words.replace(` --out ${out}`, ''), mine.privateFile, '--quiet'),
    'release r1 is current\n',
  );
  await logs(/^serving release r1$/m);
  assert.equal((await ask('/api/v1/fc/lv0')).headers.get('boundaries-release'), 'r1');
  assert.match(await run(out, 'activate r3'), /services with --trusted-key go on with r1, which was signed later/);
});

function timeOf(out: string, id: string): string {
  return JSON.parse(readFileSync(join(out, releasePath(id), SIGNED_FILE), 'utf8')).time;
}

test('the time of signing is that of --time, or of the clock, and later than that of every signed release of the folder', async () => {
  const out = copy();
  const before = new Date().toISOString();
  assert.equal(timeOf(out, 'r1'), '2026-11-01T12:00:00.000Z');
  await run(out, 'sign r1 --key', mine.privateFile);
  assert.ok(timeOf(out, 'r1') >= before && timeOf(out, 'r1') <= new Date().toISOString());
  await run(out, 'sign r3 --time 2999-01-01T00:00:00+01:00 --key', mine.privateFile);
  assert.equal(timeOf(out, 'r3'), '2998-12-31T23:00:00.000Z');
  const signed = ['--time', '2998-12-31T23:00:00Z', '--key', mine.privateFile];
  assert.match((await type(out, 'sign r1', ...signed)).stderr, /r3 was signed at this time, too/);
  await run(out, 'sign r1 --key', mine.privateFile);
  assert.equal(timeOf(out, 'r1'), '2998-12-31T23:00:00.001Z');
  const built = ['--geometry', 'full', '--source', source, '--sign-key', mine.privateFile];
  await run(out, 'build --release r4 --time 2026-11-02T00:00:00Z', ...built);
  assert.equal(timeOf(out, 'r4'), '2026-11-02T00:00:00.000Z');
  await run(out, 'verify --release r4 --trusted-key', mine.publicFile);
  for (const wrong of ['2026-02-30T00:00:00Z', '2026-11-26', 'now'])
    assert.match((await type(out, 'sign r1', '--time', wrong, '--key', mine.privateFile)).stderr, /not a time/);
  assert.match((await type(out, 'build --sample', '--time', before)).stderr, /--time .* without --sign-key/);
});

function takeTime(out: string, id: string): void {
  for (const file of [SIGNED_FILE, `${SIGNED_FILE}.sig`]) rmSync(join(out, releasePath(id), file));
}

/** Adds a release that was built in a folder of its own, and signed. */
async function addApart(out: string, id: string, time: string): Promise<void> {
  const apart = join(temporaryFolder(), 'output');
  await buildUnchecked(source, apart, { release: id });
  await run(apart, `sign ${id} --time ${time} --key`, mine.privateFile);
  cpSync(join(apart, releasePath(id)), join(out, releasePath(id)), { recursive: true });
}

/** What follows current.json of a folder with these releases, as a proxy does that trusts the key. */
function follow(out: string, hosted: readonly string[]) {
  const newest = new NewestRelease(signedOrigin(directoryOrigin(out), [publicKey]));
  const releases = new Releases(newest.origin, { refusal: newest.refusal });
  /** Looks again with this one as the current release. */
  const to = (id: string): Promise<string | undefined> => {
    pointTo(out, id, hosted);
    return releases.refresh();
  };
  return { newest, releases, to };
}

test('of two releases that were built apart the older one is not served again; without a time it is older still', async () => {
  const out = copy();
  await addApart(out, 'a1', '2026-11-20T00:00:00Z');
  await addApart(out, 'a2', '2026-11-21T00:00:00Z');
  assert.deepEqual([sequenceOf(out, 'a1'), sequenceOf(out, 'a2')], [1, 1]);
  const { to } = follow(out, ['a1', 'a2', 'r1', 'r2', 'r3']);
  assert.equal(await to('a2'), 'a2');
  await assert.rejects(to('a1'), /current\.json: a1 is older than what is served/);
  // r3 has the higher number, but no time.
  await run(out, 'sign r3 --key', mine.privateFile);
  takeTime(out, 'r3');
  await assert.rejects(to('r3'), /current\.json: r3 is older than what is served/);
  // Signed again it is the newest one.
  await run(out, 'sign a1 --key', mine.privateFile);
  assert.equal(await to('a1'), 'a1');
});

test('without times numbers decide, and of equal ones the release that is served stays', async () => {
  const out = copy();
  const all = ['a1', 'r1', 'r2'];
  await addApart(out, 'a1', '2026-11-20T00:00:00Z');
  for (const id of all) takeTime(out, id);
  const { to } = follow(out, all);
  assert.equal(await to('a1'), 'a1');
  await assert.rejects(to('r1'), /current\.json: r1 is as old as what is served/);
  assert.equal(await to('r2'), 'r2');
});

test('neither a time of another release nor one from before what is served was signed again makes a release newer', async () => {
  const out = copy();
  await run(out, 'sign r3 --key', mine.privateFile);
  const { releases, to } = follow(out, ['r1', 'r2', 'r3']);
  assert.equal(await to('r2'), 'r2');
  assert.equal((await releases.load({ release: 'r1', content: '' }, 'one')).id, 'r1');
  for (const file of [SIGNED_FILE, `${SIGNED_FILE}.sig`])
    copyFileSync(join(out, releasePath('r3'), file), join(out, releasePath('r1'), file));
  await assert.rejects(to('r1'), /r1\/signed\.json: damaged, .*is of another release\.json/);
  // Until r2 is signed, too, r1 would be newer.
  assert.equal(await to('r2'), undefined);
  for (const id of ['r1', 'r2']) await run(out, `sign ${id} --key`, mine.privateFile);
  await assert.rejects(to('r1'), /current\.json: r1 is older than what is served/);
});

test('processes that tell each other what they serve agree on the newest release, one that starts later, too', async () => {
  const out = copy();
  await run(out, 'sign r3 --key', mine.privateFile);
  const all = ['r1', 'r2', 'r3'];
  const [one, two, later] = [follow(out, all), follow(out, all), follow(out, all)];
  one.newest.announce = (served) => two.newest.hear(toMessage(served));
  for (const { releases } of [one, two]) assert.equal(await releases.refresh(), 'r2');
  assert.equal(await one.to('r3'), 'r3');
  assert.equal(await two.to('r1'), 'r3');
  assert.ok(one.newest.served);
  later.newest.hear(toMessage(one.newest.served));
  assert.equal(await later.releases.refresh(), 'r3');
  for (const { releases } of [one, two, later]) await assert.rejects(releases.refresh(), /r1 is older than what is/);
});

test('what is not signed is not read beyond what a signature allows, or 16 MiB and 16 bytes a block', async () => {
  for (const hasTime of [true, false]) {
    const out = copy();
    const root = join(out, releasePath('r2'));
    if (!hasTime) rmSync(join(root, `${SIGNED_FILE}.sig`));
    const read = (): Promise<Buffer> =>
      signedOrigin(directoryOrigin(out), [publicKey]).read(`${releasePath('r2')}/${namesPath(1)}`, 1e6);
    await read();
    for (const [file, most] of [
      [BLOCKS_FILE, statSync(join(root, BLOCKS_FILE)).size * (hasTime ? 1 : 1.5)],
      [RELEASE_FILE, 16 * 1024 * 1024],
      [SIGNED_FILE, 1024],
    ] as const) {
      if (file === SIGNED_FILE && !hasTime) continue;
      const intact = readFileSync(join(root, file));
      truncateSync(join(root, file), 64 * 1024 * 1024);
      const error: unknown = await read().catch((reason: unknown) => reason);
      const [, allowed] = new RegExp(`${file}: damaged, more than (\\d+) bytes`).exec(String(error)) ?? [];
      assert.ok(Number(allowed) <= most, `${file}, ${hasTime}: ${error}`);
      writeFileSync(join(root, file), intact);
    }
  }
});

/** Bits that can be turned at any place without another CRC-32: those of its polynomial. */
const NO_CHANGE = Buffer.from([0x41, 0x06, 0x71, 0xdb, 0x01]);

/** Changes bytes so that every CRC-32 over them is what it was. */
function forge(bytes: Buffer, at: number): Buffer {
  const forged = Buffer.from(bytes);
  for (const [i, bits] of NO_CHANGE.entries()) forged[at + i] = (forged[at + i] ?? 0) ^ bits;
  assert.equal(crc32(forged), crc32(bytes));
  assert.notDeepEqual(forged, bytes);
  return forged;
}

test('a stranger who changes any file, also with the right CRC-32, brings an answer as it was or an error, never another one', async () => {
  const out = copy();
  const root = join(out, releasePath('r2'));
  const { ask, stop } = await serve(out, [mine.publicFile]);
  const answers = new Map<string, ArrayBuffer>();
  for (const request of REQUESTS) answers.set(request, await (await ask(request)).arrayBuffer());
  await stop();
  let refused = 0;
  // Of the folders of levels one has all kinds of files.
  for (const path of filesUnder(root).filter((file) => !/^lv[01345]\//.test(file))) {
    const file = join(root, path);
    const intact = readFileSync(file);
    writeFileSync(file, forge(intact, Math.min(intact.length >> 1, intact.length - NO_CHANGE.length)));
    const changed = await serve(out, [mine.publicFile]).catch(() => undefined);
    if (changed === undefined) refused++;
    for (const request of changed === undefined ? [] : REQUESTS) {
      const answer = await changed?.ask(request);
      const body = await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status !== 200 || body === undefined) refused++;
      else assert.deepEqual(body, answers.get(request), `${request} with another ${path}`);
    }
    await changed?.stop();
    writeFileSync(file, intact);
  }
  assert.ok(refused > REQUESTS.length, `${refused} refused`);
  // Without keys the same forgery is served: a CRC-32 finds damage, not strangers.
  const [download, file] = ['/api/v1/download/lv2.geojsonl.gz', join(root, featureFilePath(2, 0))];
  writeFileSync(file, forge(readFileSync(file), 60));
  const answer = await (await serve(out, [])).ask(download);
  assert.equal(answer.status, 200);
  assert.notDeepEqual(await answer.arrayBuffer(), answers.get(download));
});

/** Neither a whole number of blocks nor one block. */
const PIECE_BYTES = 20_000;

test('files and blocks that are exchanged, cut or longer are not what was signed', async () => {
  const out = copy();
  const path = `${releasePath('r3')}/${namesPath(1)}`;
  const file = join(out, path);
  const intact = randomBytes(4 * BLOCK_BYTES - 100);
  const sums = join(out, releasePath('r3'), CHECKSUMS_FILE);
  writeFileSync(sums, readFileSync(sums, 'utf8').replace(sha256Of(file), sha256(intact)));
  writeFileSync(file, intact);
  // The command would refuse it.
  await signRelease(out, 'r3', readSigningKey(mine.privateFile));
  const origin = () => signedOrigin(directoryOrigin(out), [publicKey]);
  const isWhole = async (content: Buffer): Promise<boolean> => {
    writeFileSync(file, content);
    const signed = origin();
    const range = { offset: 5, length: intact.length - 10 };
    const wanted = intact.subarray(5, -5);
    const chunks: Buffer[] = [];
    let isRead = true;
    try {
      for (let at = 5; at < intact.length - 5; at += PIECE_BYTES)
        chunks.push(await signed.read(path, { offset: at, length: Math.min(PIECE_BYTES, intact.length - 5 - at) }));
    } catch (error) {
      assert.ok(error instanceof OriginError);
      isRead = false;
    }
    // What was read before an error is what was signed.
    const got = Buffer.concat(chunks);
    assert.deepEqual(got, wanted.subarray(0, got.length));
    const read = await signed.read(path, range).catch((error) => assert.ok(error instanceof OriginError));
    if (read !== undefined) assert.deepEqual(read, wanted);
    assert.equal(read !== undefined, isRead);
    const target = Buffer.alloc(range.length);
    const now = (): boolean | undefined => signed.readNow?.(path, range, target, 0, false);
    if (isRead) assert.ok(now());
    else assert.throws(now, OriginError);
    if (isRead) assert.deepEqual(target, wanted);
    return isRead;
  };
  const [first, second, rest] = [0, 1, 2].map((block) =>
    intact.subarray(block * BLOCK_BYTES, block === 2 ? undefined : (block + 1) * BLOCK_BYTES),
  );
  assert.ok(first && second && rest);
  assert.equal(await isWhole(intact), true);
  assert.equal(await isWhole(Buffer.concat([second, first, rest])), false);
  assert.equal(await isWhole(intact.subarray(0, -1)), false);
  assert.equal(await isWhole(forge(intact, intact.length - 20)), false);
  // Bytes behind the end are never read.
  assert.equal(await isWhole(Buffer.concat([intact, Buffer.from('more')])), true);
  writeFileSync(file, intact);
  // A file that is not part of the release, and one in the place of another.
  writeFileSync(join(out, releasePath('r3'), 'other.bin'), 'other');
  await assert.rejects(origin().read(`${releasePath('r3')}/other.bin`, 100), /missing, is not signed/);
  const other = `${releasePath('r3')}/${featureFilePath(0, 0)}`;
  renameSync(file, join(out, other));
  await assert.rejects(origin().read(other, { offset: 0, length: 10 }), OriginError);
});

test('the release that is signed is read again when its id is used for another one', async () => {
  const out = copy();
  let now = 0;
  const origin = signedOrigin(directoryOrigin(out), [publicKey], [], () => now);
  const path = `${releasePath('r1')}/${RELEASE_FILE}`;
  const first = await origin.read(path, 1e6);
  rmSync(join(out, releasePath('r1')), { recursive: true });
  renameSync(join(out, releasePath('r2')), join(out, releasePath('r1')));
  await assert.rejects(origin.read(path, 1e6), /is not what was signed/);
  now += 5000;
  await assert.rejects(origin.read(path, 1e6), /is not what was signed/);
  const second = await origin.read(path, 1e6);
  assert.notDeepEqual(second, first);
  assert.ok(existsSync(join(out, CURRENT_PATH)));
});

test('other requests are answered while the signature of many blocks is verified', async () => {
  const own = generateKeyPairSync('ed25519');
  const others = Array.from({ length: 9 }, () => generateKeyPairSync('ed25519').publicKey);
  const content = Buffer.alloc(8 * 1024 * 1024);
  const signature = sign(null, content, own.privateKey);
  const read = async (path: string): Promise<Buffer> => {
    if (path.includes(SIGNED_FILE)) throw new OriginError('missing', path);
    return path.endsWith('.sig') ? signature : content;
  };
  const origin = signedOrigin({ ...directoryOrigin(folder), read }, [...others, own.publicKey]);
  const reading = origin.read('releases/r1/release.json', 1);
  const turns = await turnsDuring(reading);
  // What is signed is nonsense.
  await assert.rejects(reading, /blocks\.bin: damaged/);
  // Verified in this thread they leave two or three.
  assert.ok(turns > 30, `${turns} turns`);
});
