// Uploading releases to a bucket and to a folder: what is copied in which order, what is not copied again, what is served
// while uploads are killed, and what the operator reads when something is missing.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHECKSUMS_FILE, CURRENT_PATH, releasePath } from '../../format/layout.ts';
import { currentFromJson } from '../../format/release.ts';
import { pruneReleases } from '../../generator/release/manage.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { openTarget } from '../../generator/upload/open-target.ts';
import type { Uploaded, UploadOptions } from '../../generator/upload/upload.ts';
import { upload } from '../../generator/upload/upload.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';
import { s3Origin } from '../../proxy/origin/s3.ts';
import { Releases } from '../../proxy/releases/releases.ts';
import { countryRow, writeCountries } from '../support/datasets/small-datasets.ts';
import { writeDataset } from '../support/datasets/write-dataset.ts';
import { dice } from '../support/dice.ts';
import { contentOf, filesUnder, sha256 } from '../support/files.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import type { RunningS3 } from '../support/http/s3-server.ts';
import { BUCKET, S3_ENV, sendError, startS3 } from '../support/http/s3-server.ts';
import { compile } from '../support/processes/compile.ts';
import { withoutPackages } from '../support/processes/without-packages.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PREFIX = 'eu/';
const PLACE = `s3://${BUCKET}/${PREFIX}`;
const GENERATOR = compile('generator/main.ts');
const first = temporaryFolder();
await buildRelease(writeCountries(), first);
/** The same with a second release, which is the current one. */
const second = temporaryFolder();
cpSync(first, second, { recursive: true });
await buildRelease(writeDataset(join(temporaryFolder(), 'row.geojson'), 'GeoJSON', [countryRow(170)]), second, {
  release: 'r2',
  accept: ['fewer-units'],
});

/** Uploads as the command does. */
async function uploadTo(place: string, out: string, more: Partial<UploadOptions> & { endpoint?: string } = {}) {
  const { endpoint, ...options } = more;
  const target = await openTarget(place, out, { endpoint, concurrency: 4 });
  const defaults = { release: undefined, concurrency: 4, dryRun: false, removeOthers: false, graceMs: 0 };
  try {
    return await upload({ out, ...defaults, ...options }, target, SILENT);
  } finally {
    target.close();
  }
}

const originOf = ({ endpoint }: RunningS3): Promise<Origin> =>
  s3Origin({ bucket: BUCKET, prefix: PREFIX }, { endpoint });

/** What was written and removed since, in order: method and path in the bucket. */
function changesOf(s3: RunningS3): string[] {
  const changes = s3.asked.filter(({ method }) => method === 'PUT' || method === 'DELETE');
  return changes.map(({ method, url }) => `${method} ${url.split('?')[0]?.replace(`/${BUCKET}/${PREFIX}`, '')}`);
}

/** Arguments of node for a program that kills itself before a rename, and before that of current.json. */
function killedAtRename(after: number): string[] {
  const hook = `import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { rename } = fs;
    let left = ${after};
    fs.rename = (from, to) => {
      if (left-- === 0 || to.endsWith('/${CURRENT_PATH}')) process.kill(process.pid, 'SIGKILL');
      return rename(from, to);
    };
    syncBuiltinESMExports();`;
  return ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
}

/** Every release that current.json lists is there with all its files, and the current one can be served. */
async function assertWhole(origin: Origin): Promise<string> {
  const text = (await origin.read(CURRENT_PATH)).toString();
  const { release, hosted } = currentFromJson(text, CURRENT_PATH);
  for (const id of hosted) {
    const sums = (await origin.read(`${releasePath(id)}/${CHECKSUMS_FILE}`)).toString().trimEnd().split('\n');
    assert.ok(sums.length > 10);
    for (const line of sums) {
      const [expected, path] = line.split('  ');
      assert.equal(sha256(await origin.read(`${releasePath(id)}/${path}`)), expected, path);
    }
  }
  const releases = new Releases(origin);
  assert.equal(await releases.refresh(), release);
  return release;
}

test('pages and feature files come first, then what names them, and current.json last; the bucket serves what the folder does', async () => {
  const s3 = await startS3();
  const { files, uploaded } = await uploadTo(PLACE, first, { endpoint: s3.endpoint });
  const paths = changesOf(s3).map((change) => change.replace(/^PUT /, ''));
  assert.deepEqual(paths.toSorted(), filesUnder(first));
  assert.deepEqual([files, uploaded.files], [paths.length, paths.length]);
  const order = [/\.gz$/, /(index\.bin|manifest\.json)$/, /\/checksums\.txt$/, /\/release\.json$/, /^current\.json$/];
  const steps = paths.map((path) => order.findIndex((step) => step.test(path)));
  assert.deepEqual(steps, steps.toSorted());
  assert.deepEqual(new Set(steps), new Set(order.keys()));
  for (const { method, url, headers } of s3.asked) {
    if (method !== 'PUT') continue;
    assert.equal(headers['content-encoding'], undefined, url);
    assert.match(String(headers['cache-control']), url.includes(CURRENT_PATH) ? /^no-cache$/ : /, immutable$/, url);
    const type = url.includes('.bin') ? /^application\/octet-stream$/ : /^(application\/(gzip|json)|text\/plain)$/;
    assert.match(String(headers['content-type']), type, url);
    assert.ok(headers['content-md5'] !== undefined && headers['x-amz-meta-sha256'] !== undefined, url);
  }
  const [fromBucket, fromFolder] = [
    await startService(first, { origin: await originOf(s3) }),
    await startService(first),
  ];
  for (const path of ['/api/v1/fc/lv2', '/api/v1/geojsonl/lv1?gid-0=AAA'])
    assert.equal(textOf(await send(fromBucket, path)), textOf(await send(fromFolder, path)));
});

test('only what the bucket lacks is uploaded: by name, size and checksum, also where ETags are not MD5', async () => {
  const s3 = await startS3();
  const { endpoint } = s3;
  const uploadedBy = async (options: object): Promise<[Uploaded['uploaded'], string[]]> => {
    s3.asked = [];
    const { uploaded } = await uploadTo(PLACE, second, { endpoint, ...options });
    return [uploaded, changesOf(s3)];
  };
  s3.pageSize = 11;
  await uploadTo(PLACE, first, { endpoint });
  const news = filesUnder(second).filter((path) => path.startsWith('releases/r2/')).length + 1;
  const [planned, nothing] = await uploadedBy({ dryRun: true });
  assert.deepEqual([planned.files, nothing], [news, []]);
  assert.equal(await assertWhole(await originOf(s3)), 'r1');
  const [done, puts] = await uploadedBy({});
  assert.deepEqual(done, planned);
  assert.ok(puts.every((put) => /^PUT (releases\/r2\/|current\.json$)/.test(put)));
  assert.deepEqual((await uploadedBy({}))[1], []);
  assert.ok(s3.asked.some(({ url }) => url.includes('continuation-token')));

  const pages = filesUnder(second).filter((path) => path.endsWith('.gz'));
  const [missing = '', longer = '', other = '', encrypted = ''] = pages;
  rmSync(s3.fileOf(PREFIX + missing));
  appendFileSync(s3.fileOf(PREFIX + longer), 'x');
  writeFileSync(s3.fileOf(PREFIX + other), Buffer.alloc(readFileSync(join(second, other)).length));
  writeFileSync(`${s3.fileOf(PREFIX + other)}.md5`, sha256('').slice(0, 32));
  rmSync(s3.fileOf(PREFIX + other).replace(/object$/, 'metadata.json'));
  writeFileSync(`${s3.fileOf(PREFIX + encrypted)}.md5`, 'no-md5-of-the-content');
  assert.deepEqual((await uploadedBy({}))[1].sort(), [missing, longer, other].map((path) => `PUT ${path}`).sort());
  assert.equal(await assertWhole(await originOf(s3)), 'r2');
});

test('--release uploads one release without current.json; --delete removes the others after current.json was replaced', async () => {
  const s3 = await startS3();
  const { endpoint } = s3;
  await uploadTo(PLACE, first, { endpoint });
  s3.asked = [];
  await uploadTo(PLACE, second, { endpoint, release: 'r2' });
  assert.ok(changesOf(s3).length > 10 && changesOf(s3).every((change) => change.startsWith('PUT releases/r2/')));
  assert.equal(await assertWhole(await originOf(s3)), 'r1');

  const pruned = join(temporaryFolder(), 'output');
  cpSync(second, pruned, { recursive: true });
  await pruneReleases(pruned, 1);
  s3.asked = [];
  const planned = await uploadTo(PLACE, pruned, { endpoint, removeOthers: true, dryRun: true });
  assert.deepEqual([planned.removed, changesOf(s3)], [['r1'], []]);
  const { removed } = await uploadTo(PLACE, pruned, { endpoint, removeOthers: true });
  const [pointer, description, ...files] = changesOf(s3);
  assert.deepEqual([removed, pointer], [['r1'], 'PUT current.json']);
  assert.equal(description, 'DELETE releases/r1/release.json');
  const others = filesUnder(first).filter((path) => path.startsWith('releases/') && !path.endsWith('/release.json'));
  // s3rver fails some of the requests that empty a folder at the same time; the client repeats them.
  assert.deepEqual(
    [...new Set(files)].sort(),
    others.map((path) => `DELETE ${path}`),
  );
  assert.equal(await assertWhole(await originOf(s3)), 'r2');
  assert.deepEqual((await uploadTo(PLACE, pruned, { endpoint, removeOthers: true })).removed, []);
});

test('SIGKILL at random moments: what is served is whole each time, and the next upload continues', async () => {
  const s3 = await startS3();
  const { endpoint } = s3;
  await uploadTo(PLACE, first, { endpoint });
  const draw = dice(20_261_121);
  const total = filesUnder(join(second, 'releases/r2')).length;
  const args = [
    GENERATOR,
    'upload',
    PLACE,
    '--out',
    second,
    '--s3-endpoint',
    endpoint,
    '--concurrency',
    '4',
    '--quiet',
  ];
  const env = { ...process.env, ...S3_ENV };
  let uploads = 0;
  for (let kills = 0; kills < 6; kills++) {
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    let left = draw(Math.floor(total / 8));
    s3.fault = (req) => {
      if (req.method !== 'PUT') return false;
      uploads++;
      // The last one is killed when current.json arrives.
      if (kills === 5 ? req.url?.includes(CURRENT_PATH) : left-- === 0) child.kill('SIGKILL');
      return false;
    };
    assert.equal((await once(child, 'exit'))[1], 'SIGKILL');
    s3.fault = undefined;
    const release = await assertWhole(await originOf(s3));
    if (kills < 5) assert.equal(release, 'r1');
  }
  // Apart from requests that a kill cut off, no file was uploaded twice.
  assert.ok(uploads <= total + 1 + 6 * 4, `${uploads} uploads of ${total} files`);
  await uploadTo(PLACE, second, { endpoint });
  assert.equal(await assertWhole(await originOf(s3)), 'r2');
});

test('a folder: the same files, also after SIGKILL, and --delete leaves no empty folders', async () => {
  const copy = join(temporaryFolder(), 'copy');
  await uploadTo(copy, first);
  assert.deepEqual(contentOf(copy), contentOf(first));
  const args = [GENERATOR, 'upload', copy, '--out', second, '--concurrency', '1', '--quiet'];
  const draw = dice(7);
  // The last one is killed when it replaces current.json.
  for (const after of [draw(15), draw(15), draw(15), Number.POSITIVE_INFINITY]) {
    const child = spawn(process.execPath, [...killedAtRename(after), ...args], { stdio: 'ignore' });
    assert.equal((await once(child, 'exit'))[1], 'SIGKILL');
    assert.equal(await assertWhole(directoryOrigin(copy)), 'r1');
  }
  writeFileSync(join(copy, 'releases/r2/.0c1d9a4e-65b7-4a0f-8a5e-6a4f0d7f3b11.partial'), 'half a fi');
  const pruned = join(temporaryFolder(), 'output');
  cpSync(second, pruned, { recursive: true });
  await pruneReleases(pruned, 1);
  assert.deepEqual((await uploadTo(copy, pruned, { removeOthers: true })).removed, ['r1']);
  assert.deepEqual(contentOf(copy), contentOf(pruned));
  assert.equal((await uploadTo(copy, pruned)).uploaded.files, 0);
});

test('a damaged file, a missing release and another release of that id are refused, and nothing that is served changes', async () => {
  const s3 = await startS3();
  const { endpoint } = s3;
  await uploadTo(PLACE, first, { endpoint });
  const out = join(temporaryFolder(), 'output');
  cpSync(second, out, { recursive: true });
  const page = filesUnder(out).find((path) => /^releases\/r2\/.*\.gz$/.test(path)) ?? '';
  appendFileSync(join(out, page), 'x');
  await assert.rejects(uploadTo(PLACE, out, { endpoint }), {
    message: /: has the SHA-256/,
    remedy: /verify --release r2/,
  });
  rmSync(join(out, page));
  await assert.rejects(uploadTo(PLACE, out, { endpoint }), { message: /: is missing/, remedy: /verify --release r2/ });
  await assert.rejects(uploadTo(PLACE, out, { endpoint, release: 'r9' }), { message: /r9: no such release/ });
  await assert.rejects(uploadTo(PLACE, temporaryFolder(), { endpoint }), { message: /no release to upload/ });
  const other = temporaryFolder();
  await buildRelease(writeDataset(join(temporaryFolder(), 'row.geojson'), 'GeoJSON', [countryRow(3)]), other);
  await assert.rejects(uploadTo(PLACE, other, { endpoint }), { message: /another release r1/, remedy: /--release/ });
  assert.equal(await assertWhole(await originOf(s3)), 'r1');
});

test('each error of a bucket says what to do', async () => {
  const s3 = await startS3();
  const { endpoint } = s3;
  const refused = async (message: RegExp, remedy: RegExp, place = PLACE): Promise<void> => {
    await assert.rejects(uploadTo(place, first, { endpoint }), { message, remedy });
  };
  await refused(
    /s3:\/\/no-such-bucket\/.*bucket does not exist.*NoSuchBucket/i,
    /create the bucket/,
    's3://no-such-bucket',
  );
  for (const [name, value, message] of [
    ['AWS_SECRET_ACCESS_KEY', 'guessed', /SignatureDoesNotMatch/],
    ['AWS_ACCESS_KEY_ID', 'OTHER', /InvalidAccessKeyId/],
  ] as const) {
    process.env[name] = value;
    await refused(message, /check AWS_ACCESS_KEY_ID/);
    Object.assign(process.env, S3_ENV);
  }
  for (const [status, code, remedy] of [
    [403, 'AccessDenied', /allow s3:ListBucket .*s3:PutObject.*s3:DeleteObject/],
    [403, 'ExpiredToken', /renew the credentials/],
    [403, 'RequestTimeTooSkewed', /clock/],
    [301, 'PermanentRedirect', /AWS_REGION/],
    [400, 'QuotaExceeded', /free space/],
  ] as const) {
    s3.fault = (req, res) => {
      if (req.method === 'PUT') sendError(res, status, code);
      return req.method === 'PUT';
    };
    await refused(new RegExp(`^s3://${BUCKET}/${PREFIX}: .*${code}`), remedy);
  }
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[name];
  await refused(/credentials/i, /AWS_PROFILE/);
  Object.assign(process.env, S3_ENV);
});

test('the command prints what it did, and an error as what is wrong and what to do', () => {
  const run = (args: string[], node: string[] = []) =>
    spawnSync(process.execPath, [...node, GENERATOR, 'upload', ...args, '--out', first, '--quiet'], {
      encoding: 'utf8',
      env: { ...process.env, ...S3_ENV },
    });
  const copy = join(temporaryFolder(), 'copy');
  const planned = run([copy, '--dry-run']);
  assert.match(planned.stdout, /: r1: (\d+) of \1 files to upload, \d+\.\d MB\n$/);
  const done: Uploaded = JSON.parse(run([copy, '--json']).stdout);
  assert.deepEqual([done.releases, done.uploaded.files], [['r1'], filesUnder(first).length]);
  for (const [args, expected] of [
    [['s3://a/../b'], /s3:\/\/a\/\.\.\/b: not a place in a bucket\n {2}what to do: use s3:/],
    [[first], /is the output folder itself\n/],
    [[copy, '--s3-endpoint', 'https://minio.test'], /--s3-endpoint: only for buckets\n/],
    [[copy, '--release', 'r1', '--delete'], /--delete with --release: /],
    [[copy, '--concurrency', '0'], /--concurrency 0: /],
  ] as const) {
    const { status, stderr } = run([...args]);
    assert.match(stderr, expected);
    assert.equal(status, 2, stderr);
  }
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  assert.match(run([file]).stderr, /(ENOTDIR|EEXIST).*\n {2}what to do: /);
  const { status, stderr } = run([PLACE], withoutPackages('@aws-sdk/'));
  assert.equal(status, 1);
  assert.match(stderr, /buckets need @aws-sdk\/client-s3.*\n {2}what to do: npm install "@aws-sdk\/client-s3@\^\d/);
});
