// The script that copies releases to a bucket or a folder, with rclone: what is copied in which order, what is not
// copied again, what is served while copies are killed, what is removed, and what is refused.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { test as nodeTest } from 'node:test';
import { parse } from 'yaml';
import { currentFromJson } from '../../../format/current-json.ts';
import { CHECKSUMS_FILE, CURRENT_PATH, releasePath, SIGNED_FILE } from '../../../format/layout.ts';
import { activateRelease, pruneReleases } from '../../../generator/release/manage.ts';
import { SIGNATURE_FILES, signRelease } from '../../../generator/release/sign.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import type { Origin } from '../../../proxy/origin/origin.ts';
import { s3Origin } from '../../../proxy/origin/s3.ts';
import { countryRow, writeCountries } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { dice } from '../../support/dice.ts';
import { contentOf, filesUnder, sha256 } from '../../support/files.ts';
import { send, textOf } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import type { RunningS3 } from '../../support/http/s3-server.ts';
import { BUCKET, changesOf, S3_ENV, startS3 } from '../../support/http/s3-server.ts';
import { startStaticHost } from '../../support/http/static-host.ts';
import { freePort } from '../../support/processes/free-port.ts';
import { runProgram, without } from '../../support/processes/programs.ts';
import { withCompiledPrograms } from '../../support/processes/typed-commands.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { publishPair } from '../../support/releases/publish-pair.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const SCRIPT = 'generator/examples/upload/upload.sh';
const PREFIX = 'eu/';
/** Tests need rclone. */
const test = (title: string, body: () => Promise<void>) => nodeTest(title, { skip: without('rclone version') }, body);
const first = temporaryFolder();
await buildRelease(writeCountries(), first);
/** The same with a second release, which is the current one. */
const second = copyOf(first);
await buildRelease(writeDataset(join(temporaryFolder(), 'row.geojson'), 'GeoJSON', [countryRow(60)]), second, {
  release: 'r2',
  accept: ['fewer-units'],
});

/** A bucket; each test begins with what the one before has left there. */
const s3 = await startS3();

const bucketWithFirst = (): Promise<RunningS3> => startS3({ folder: copyOf(first), prefix: PREFIX });

/** Where to: the bucket of a server, or a place as rclone writes it. */
type Target = RunningS3 | string;

/** The account of the bucket, as rclone finds it. */
function rcloneEnv(endpoint: string) {
  return {
    ...S3_ENV,
    RCLONE_CONFIG: '',
    RCLONE_CONFIG_S3_TYPE: 's3',
    RCLONE_CONFIG_S3_PROVIDER: 'Other',
    RCLONE_CONFIG_S3_ENV_AUTH: 'true',
    RCLONE_CONFIG_S3_REGION: S3_ENV['AWS_REGION'],
    RCLONE_CONFIG_S3_ENDPOINT: endpoint,
    RCLONE_CONFIG_S3_LIST_VERSION: '2',
    RCLONE_RETRIES: '1',
  };
}

/** Starts the script as the leader of a process group, with nothing of this machine but its programs. */
function startUpload(target: Target, out: string, args: readonly string[] = [], more = {}): ChildProcess {
  const [remote, endpoint] =
    typeof target === 'string' ? [target, ''] : [`s3:${BUCKET}/${PREFIX.slice(0, -1)}`, target.endpoint];
  const env = { PATH: process.env['PATH'], ...rcloneEnv(endpoint), GRACE: '0', ...more };
  return spawn('sh', [SCRIPT, out, remote, ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

async function run(target: Target, out: string, args: readonly string[] = [], more = {}) {
  const child = startUpload(target, out, args, more);
  assert.ok(child.stderr);
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, errors };
}

/** Uploads; resolves to what the bucket was asked to change: method and path in the bucket, in order. */
async function upload(s3: RunningS3, out: string, args: readonly string[] = [], more = {}): Promise<string[]> {
  s3.asked = [];
  const { code, errors } = await run(s3, out, args, more);
  assert.equal(code, 0, errors);
  return changesOf(s3, PREFIX);
}

/** Uploads what must be refused, whatever may be dropped; resolves to what is printed. */
async function refusalOf(s3: RunningS3, out: string): Promise<string> {
  s3.asked = [];
  const { code, errors } = await run(s3, out, ['--drop']);
  assert.notEqual(code, 0);
  assert.deepEqual(changesOf(s3, PREFIX), []);
  return errors;
}

const originOf = ({ endpoint }: RunningS3): Promise<Origin> =>
  s3Origin({ bucket: BUCKET, prefix: PREFIX }, { endpoint });

/** Every release that current.json lists is there with all its files, and the current one can be served. */
async function assertWhole(s3: RunningS3): Promise<string> {
  const origin = await originOf(s3);
  const { release, hosted } = currentFromJson((await origin.read(CURRENT_PATH, 1e9)).toString(), CURRENT_PATH);
  for (const id of hosted) {
    const sums = (await origin.read(`${releasePath(id)}/${CHECKSUMS_FILE}`, 1e9)).toString().trimEnd().split('\n');
    assert.ok(sums.length > 10);
    for (const line of sums) {
      const [expected, path] = line.split('  ');
      assert.equal(sha256(await origin.read(`${releasePath(id)}/${path}`, 1e9)), expected, path);
    }
  }
  assert.equal(await new Releases(origin).refresh(), release);
  return release;
}

test('all files of a release come first, then its release.json, and current.json last; the bucket serves what the folder does', async () => {
  const paths = (await upload(s3, first)).map((change) => change.replace(/^PUT /, ''));
  assert.deepEqual(paths.toSorted(), filesUnder(first));
  assert.deepEqual(paths.slice(-2), ['releases/r1/release.json', 'current.json']);
  for (const { method, url, headers } of s3.asked) {
    if (method !== 'PUT') continue;
    const isCurrent = url.includes(CURRENT_PATH);
    const type = /\.bin\b/.test(url) ? /^application\/octet-stream$/ : /^(application\/(gzip|json)|text\/plain\b.*)$/;
    assert.equal(headers['cache-control'], isCurrent ? 'no-cache' : 'public, max-age=31536000, immutable', url);
    assert.equal(headers['content-encoding'], undefined, url);
    assert.match(String(headers['content-type']), type, url);
    assert.ok(headers['content-md5'] !== undefined, url);
  }
  const [fromBucket, fromFolder] = [
    await startService(first, { origin: await originOf(s3) }),
    await startService(first),
  ];
  for (const path of ['/api/v1/fc/lv2', '/api/v1/geojsonl/lv1?gid-0=AAA'])
    assert.equal(textOf(await send(fromBucket, path)), textOf(await send(fromFolder, path)));
});

test('a second copy copies nothing, a later one only the new release, and what is missing', async () => {
  s3.pageSize = 11;
  assert.deepEqual(await upload(s3, first), []);
  assert.ok(s3.asked.some(({ url }) => url.includes('continuation-token')));
  const news = filesUnder(second).filter((path) => !filesUnder(first).includes(path));
  assert.deepEqual(await upload(s3, second, [], { RCLONE_DRY_RUN: 'true' }), []);
  assert.equal(await assertWhole(s3), 'r1');
  const puts = await upload(s3, second);
  assert.deepEqual(puts.toSorted(), [...news, CURRENT_PATH].map((path) => `PUT ${path}`).sort());
  const lost = news.find((path) => path.endsWith('.gz')) ?? '';
  rmSync(s3.fileOf(PREFIX + lost));
  assert.deepEqual(await upload(s3, second), [`PUT ${lost}`]);
  assert.equal(await assertWhole(s3), 'r2');
});

test('a release that is signed again is copied with its signatures, which caches ask for each time', async () => {
  const out = copyOf(first);
  const bucket = await bucketWithFirst();
  const { privateKey } = generateKeyPairSync('ed25519');
  const [path, ending] = [releasePath('r1'), '.sig'];
  await signRelease(out, 'r1', privateKey);
  const signatures = SIGNATURE_FILES.map((file) => `PUT ${path}/${file}`).sort();
  assert.deepEqual((await upload(bucket, out)).toSorted(), signatures);
  await signRelease(out, 'r1', privateKey);
  // The others are what they were.
  const others = [SIGNED_FILE, SIGNED_FILE + ending].map((file) => `PUT ${path}/${file}`);
  assert.deepEqual((await upload(bucket, out)).toSorted(), others);
  for (const { method, headers } of bucket.asked)
    if (method === 'PUT') assert.equal(headers['cache-control'], 'no-cache');
});

test('a damaged file, a folder without releases and another release of the same id are refused, and nothing is written', async () => {
  const out = copyOf(second);
  const page = filesUnder(out).find((path) => /^releases\/r2\/.*\.gz$/.test(path)) ?? '';
  appendFileSync(join(out, page), 'x');
  assert.match(await refusalOf(s3, out), /checksum/);
  rmSync(join(out, page));
  assert.match(await refusalOf(s3, out), /No such file/);
  assert.match(await refusalOf(s3, temporaryFolder()), /current\.json/);
  const other = temporaryFolder();
  await buildRelease(writeDataset(join(temporaryFolder(), 'row.geojson'), 'GeoJSON', [countryRow(3)]), other);
  assert.match(await refusalOf(s3, other), /releases\/r1 is another release; build this one under another id/);
  assert.equal(await assertWhole(s3), 'r2');
});

test('bytes that change after they were checked are not published, and the next copy puts them right', async () => {
  const bucket = await bucketWithFirst();
  const out = copyOf(second);
  const page = join(out, filesUnder(out).findLast((path) => /^releases\/r2\/.*\.gz$/.test(path)) ?? '');
  // Size and time stay, as with a disk that fails.
  const flip = (): void => {
    const [bytes, { atime, mtime }] = [readFileSync(page), statSync(page)];
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    writeFileSync(page, bytes);
    utimesSync(page, atime, mtime);
  };
  let isFlipped = false;
  bucket.fault = (req) => {
    if (req.method === 'PUT' && !isFlipped) {
      isFlipped = true;
      flip();
    }
    return false;
  };
  bucket.asked = [];
  const { code, errors } = await run(bucket, out, [], { RCLONE_TRANSFERS: '1' });
  assert.ok(isFlipped);
  assert.notEqual(code, 0);
  assert.match(errors, /differ/);
  assert.match(errors, /releases\/r2 is not what checksums.txt says/);
  assert.ok(changesOf(bucket, PREFIX).every((change) => !/(release|current)\.json$/.test(change)));
  assert.equal(await assertWhole(bucket), 'r1');
  flip();
  await upload(bucket, out);
  assert.equal(await assertWhole(bucket), 'r2');
});

test('a release is copied to a folder as the bucket gets it; symbolic links are followed', async () => {
  const [out, target, elsewhere] = [copyOf(second), join(temporaryFolder(), 'target'), temporaryFolder()];
  renameSync(join(out, 'releases/r1'), join(elsewhere, 'r1'));
  symlinkSync(join(elsewhere, 'r1'), join(out, 'releases/r1'));
  for (const path of filesUnder(second).filter((path) => path.startsWith('releases/r2/') && path.includes('1'))) {
    rmSync(join(out, path));
    symlinkSync(join(second, path), join(out, path));
  }
  assert.deepEqual(await run(target, out), { code: 0, errors: '' });
  assert.deepEqual(contentOf(target), contentOf(second));
});

test('what a SIGKILL cut off in a folder is completed, also release.json, which comes last', async () => {
  const target = copyOf(first);
  const half = (path: string): void => truncateSync(join(target, path), statSync(join(target, path)).size >> 1);
  const [page = '', other = ''] = filesUnder(second).filter((path) => /^releases\/r2\/.*\.gz$/.test(path));
  for (const cut of [[page], [page, 'releases/r2/release.json'], ['releases/r2/release.json'], ['current.json']]) {
    copyOf(join(second, 'releases/r2'), join(target, 'releases/r2'));
    rmSync(join(target, cut.length > 0 ? other : page));
    if (!cut.includes('releases/r2/release.json')) rmSync(join(target, 'releases/r2/release.json'));
    // Of an attempt with other options.
    writeFileSync(join(target, 'releases/r2/lv0/left.gz'), 'x');
    cut.forEach(half);
    const { code, errors } = await run(target, second);
    assert.equal(code, 0, errors);
    assert.deepEqual(contentOf(target), contentOf(second));
  }
});

test('a target that is the source is refused, whatever its name is, and nothing is changed', async () => {
  const folder = temporaryFolder();
  const out = copyOf(second, join(folder, 'output'));
  const [beside, link] = [join(folder, 'beside'), join(folder, 'link')];
  // Of the two releases, only one is listed: --delete would remove the other.
  copyFileSync(join(first, CURRENT_PATH), join(out, CURRENT_PATH));
  symlinkSync(out, link);
  mkdirSync(beside);
  symlinkSync(join(out, 'releases'), join(beside, 'releases'));
  const before = copyOf(out);
  const inside = join(out, 'releases', '..');
  const alias = { RCLONE_CONFIG_OTHER_TYPE: 'alias', RCLONE_CONFIG_OTHER_REMOTE: folder };
  const names = [out, `${out}/`, link, `${inside}/../output`, `:local:${out}`, beside, `other:${basename(out)}`];
  for (const [target, source] of [...names.map((name) => [name, out] as const), [out, link] as const]) {
    const { code, errors } = await run(target, source, ['--delete'], alias);
    assert.notEqual(code, 0, target);
    assert.match(errors, /is the source/, target);
    assert.deepEqual(contentOf(out), contentOf(before));
  }
});

test('SIGKILL at random moments: what is served is whole each time, and the next copy continues', async () => {
  const bucket = await bucketWithFirst();
  const draw = dice(20_261_121);
  const total = filesUnder(join(second, 'releases/r2')).length;
  let puts = 0;
  for (let kills = 0; kills < 3; kills++) {
    const child = startUpload(bucket, second, [], { RCLONE_TRANSFERS: '1' });
    const kill = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
    let left = draw(Math.floor(total / 8));
    bucket.fault = (req) => {
      if (req.method !== 'PUT') return false;
      puts++;
      // The last one is killed when release.json arrives.
      if (kills === 2 ? req.url?.endsWith('r2/release.json') : left-- === 0) kill();
      return false;
    };
    assert.equal((await once(child, 'exit'))[1], 'SIGKILL');
    bucket.fault = undefined;
    assert.equal(await assertWhole(bucket), 'r1');
  }
  // Apart from the request that each kill cut off, no file was copied twice.
  assert.ok(puts <= total + 3, `${puts} requests for ${total} files`);
  await upload(bucket, second);
  assert.equal(await assertWhole(bucket), 'r2');
});

test('a folder that lacks a release which is hosted there is refused, unless --drop says that it is meant', async () => {
  const bucket = await startS3({ folder: copyOf(second), prefix: PREFIX });
  // As a build in an empty folder leaves it.
  const empty = temporaryFolder();
  await buildRelease(writeCountries(), empty, { release: 'r3' });
  for (const args of [[], ['--delete']]) {
    bucket.asked = [];
    const { code, errors } = await run(bucket, empty, args);
    assert.deepEqual([code, changesOf(bucket, PREFIX)], [1, []]);
    assert.match(errors, /^s3:\S+ hosts r\d r\d, which \S+current\.json does not list: .*--drop/);
  }
  assert.equal(await assertWhole(bucket), 'r2');
  await upload(bucket, empty, ['--drop']);
  assert.equal(await assertWhole(bucket), 'r3');
  // A web server that answers everything with a page.
  writeFileSync(bucket.fileOf(PREFIX + CURRENT_PATH), '<html></html>');
  assert.match((await run(bucket, empty, ['--drop'])).errors, /lists no release: it is not one of the generator/);
  assert.match((await run(bucket, empty, ['--dorp'])).errors, /--dorp is no option of upload\.sh/);
});

test('changes are copied before current.json, and removed after it with --delete', async () => {
  const own = copyOf(second);
  await publishPair(own, 'r1', 'r2');
  const bucket = await startS3({ folder: temporaryFolder(), prefix: PREFIX });
  const copied = await upload(bucket, own);
  assert.deepEqual(copied.slice(-3, -1).sort(), ['PUT changes/gone.bin', 'PUT changes/r1..r2.csv.gz']);
  assert.equal(copied.at(-1), `PUT ${CURRENT_PATH}`);
  await activateRelease(own, 'r1');
  await pruneReleases(own, 1);
  const removed = await upload(bucket, own, ['--drop', '--delete']);
  assert.equal(removed[0], `PUT ${CURRENT_PATH}`);
  assert.deepEqual(removed.slice(1, 3).sort(), ['DELETE changes/gone.bin', 'DELETE changes/r1..r2.csv.gz']);
});

test('--delete removes releases that current.json does not list, after current.json was replaced, release.json first', async () => {
  const pruned = copyOf(second);
  await pruneReleases(pruned, 1);
  const [pointer, description, ...others] = await upload(s3, pruned, ['--drop', '--delete']);
  assert.deepEqual([pointer, description], [`PUT ${CURRENT_PATH}`, 'DELETE releases/r1/release.json']);
  const files = filesUnder(first).filter((path) => path.startsWith('releases/') && !path.endsWith('/release.json'));
  const removed = files.map((path) => `DELETE ${path}`);
  assert.deepEqual(others.toSorted(), removed);
  assert.equal(await assertWhole(s3), 'r2');
  assert.deepEqual(await upload(s3, pruned, ['--delete']), []);
});

/** The commands of the steps of the workflow by the names of these, as a runner types them: with `bash -e`. */
function stepsOf(workflow: string): (name: string) => string {
  const { steps } = parse(readFileSync(workflow, 'utf8')).jobs.release;
  return (name) => steps.find((step: { name?: string }) => step.name === name)?.run ?? assert.fail(name);
}

test('each month an empty runner restores, builds and uploads by the workflow: no hosted release is lost', async () => {
  const bucket = await startS3({ folder: copyOf(second), prefix: PREFIX });
  const there = temporaryFolder();
  for (const name of ['generator', 'format', 'proxy', 'node_modules', 'package.json', 'tsconfig.json'])
    symlinkSync(resolve(name), join(there, name));
  const source = writeDataset(join(temporaryFolder(), 'next.gpkg'), 'GPKG', [countryRow(61)]);
  const host = await startStaticHost(dirname(source));
  const address = `127.0.0.1:${await freePort()}`;
  const stepOf = stepsOf('generator/examples/upload/monthly.yml');
  const env = {
    ...withCompiledPrograms(),
    // Of a machine that has its own: rclone with the client of AWS takes none.
    AWS_CA_BUNDLE: undefined,
    ...rcloneEnv(bucket.endpoint),
    SOURCE: `${host.url.href}next.gpkg`,
    REMOTE: `s3:${BUCKET}/${PREFIX.slice(0, -1)}`,
  };
  const month = (): string => new Date().toISOString().slice(0, 7);
  const began = month();
  for (const name of ['Restore', 'Build', 'Upload']) {
    const commands = stepOf(name).replaceAll('127.0.0.1:8090', address);
    const { status, text } = await runProgram('bash', ['-ec', commands], { cwd: there, env });
    assert.equal(status, 0, `${name}: ${text}`);
  }
  const { release, hosted, changes } = JSON.parse(readFileSync(bucket.fileOf(PREFIX + CURRENT_PATH), 'utf8'));
  // A month may begin meanwhile.
  assert.ok([began, month()].includes(release), release);
  assert.deepEqual(hosted, ['r1', 'r2', release]);
  assert.deepEqual(
    changes.map(({ from, to }: { from: string; to: string }) => [from, to]),
    [['r2', release]],
  );
  assert.equal(await assertWhole(bucket), release);
  // What was restored here is not there any more: nobody could put it back.
  const page = filesUnder(second).find((path) => path.startsWith('releases/r2/') && path.endsWith('words.bin')) ?? '';
  rmSync(bucket.fileOf(PREFIX + page));
  const { code, errors } = await run(bucket, join(there, 'output'));
  assert.notEqual(code, 0);
  assert.match(errors, /releases\/r2 lacks \S+, which is not here either: copy the release from where it was built/);
});
