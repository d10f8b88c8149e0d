// A private bucket as the origin: what it is asked, how it is signed, what becomes of answers when the host fails, and
// what the operator reads when packages, credentials, region or bucket are missing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CURRENT_PATH } from '../../../format/layout.ts';
import { optionsToSettings } from '../../../proxy/config/settings.ts';
import type { HostLimits } from '../../../proxy/origin/host-response.ts';
import { parseS3Url, s3Origin } from '../../../proxy/origin/s3.ts';
import { openSignedBucket } from '../../../proxy/origin/s3-signer.ts';
import { send } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { BUCKET, S3_ENV, startS3 } from '../../support/http/s3-server.ts';
import { PROXY } from '../../support/processes/proxy-process.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { buildWorld, TestLimits, testFaults } from './failing-host.ts';
import { HOST_FAULTS } from './host-faults.ts';

/** Characters that a URL and a signature must encode. */
const PREFIX = 'all of/Ærø+1~/';
const folder = await buildWorld();
const bucket = await startS3({ folder, prefix: PREFIX });
const location = { bucket: BUCKET, prefix: PREFIX };
const retries = { count: 2, pauseMs: 5 };
const open = (limits: HostLimits = new TestLimits()) =>
  s3Origin(location, { endpoint: bucket.endpoint, limits, retries });

// It is a static host whose requests are signed: static-host.test.ts has what is said, and all faults.
testFaults({ folder, host: bucket, open }, sliceOf(HOST_FAULTS));

test('the bucket is asked with signed GETs, and nothing of the client', async () => {
  const proxy = await startService(folder, { origin: await open() });
  bucket.asked = [];
  const said = { cookie: 'a=b', range: 'bytes=0-9', 'x-amz-date': 'client', te: 'trailers' };
  await send(proxy, '/api/v1/geojsonl/lv2', said);
  await send(proxy, '/api/v1/geojsonl/lv2?page-size=2');
  assert.equal(bucket.asked.length, 2);
  for (const [i, { method, url, headers }] of bucket.asked.entries()) {
    assert.equal(method, 'GET');
    assert.ok(url.startsWith(`/${BUCKET}/all%20of/%C3%86r%C3%B8%2B1~/releases/r1/lv2/`), url);
    const names = ['accept-encoding', 'authorization', 'connection', 'host', 'user-agent', 'x-amz-content-sha256'];
    assert.deepEqual(Object.keys(headers).sort(), [...names, 'x-amz-date', ...(i === 1 ? ['range'] : [])].sort());
    assert.match(String(headers.authorization), /^AWS4-HMAC-SHA256 Credential=TESTER\/\d{8}\/eu-central-1\/s3\//);
  }
});

test('a request without the right signature is refused by the bucket, and so is another account', async () => {
  assert.equal((await fetch(new URL(CURRENT_PATH, bucket.url))).status, 403);
  for (const wrong of [{ AWS_SECRET_ACCESS_KEY: 'guessed' }, { AWS_ACCESS_KEY_ID: 'OTHER' }]) {
    Object.assign(process.env, wrong);
    const origin = await open();
    Object.assign(process.env, S3_ENV);
    await assert.rejects(origin.read(CURRENT_PATH, 1e9), { name: 'OriginError', reason: 'unreadable' });
  }
  assert.match((await (await open()).read(CURRENT_PATH, 1e9)).toString(), /"r1"/);
});

/** How often a bucket is asked that answers so, and what that means. */
const STATUSES = {
  503: [3, 'unreachable'],
  500: [3, 'unreachable'],
  429: [3, 'unreachable'],
  403: [1, 'unreadable'],
  301: [1, 'unreadable'],
} as const;

test('a bucket that is busy is asked again, a wrong answer is not', async () => {
  const origin = await open();
  for (const [status, [attempts, reason]] of Object.entries(STATUSES)) {
    bucket.asked = [];
    bucket.fault = (_req, res) => Boolean(res.writeHead(Number(status)).end());
    await assert.rejects(origin.read(CURRENT_PATH, 1e9), { reason });
    assert.equal(bucket.asked.length, attempts, status);
  }
  bucket.asked = [];
  bucket.fault = (_req, res) => bucket.asked.length < 3 && Boolean(res.writeHead(503).end());
  assert.match((await origin.read(CURRENT_PATH, 1e9)).toString(), /"r1"/);
});

test('a missing object is missing, and a server that is gone is unreachable', async () => {
  await assert.rejects((await open()).read('releases/r1/none.gz', 1e9), { reason: 'missing' });
  // Nobody listens at port 1, which only the system may do.
  const gone = await s3Origin(location, { endpoint: 'http://127.0.0.1:1', retries });
  await assert.rejects(gone.read(CURRENT_PATH, 1e9), { reason: 'unreachable' });
});

test('buckets of AWS have host names, those of other servers and of names without a certificate a path', async () => {
  const urlOf = async (text: string, endpoint?: string): Promise<string> => {
    const place = parseS3Url(text);
    assert.ok(place);
    return (await openSignedBucket(place, endpoint)).url.href;
  };
  const withEnv = async (env: Readonly<Record<string, string>>, text: string): Promise<string> => {
    Object.assign(process.env, env);
    const url = await urlOf(text);
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, S3_ENV);
    return url;
  };
  assert.equal(await urlOf('s3://boundaries/eu'), 'https://boundaries.s3.eu-central-1.amazonaws.com/eu/');
  assert.equal(await urlOf('s3://maps.eu/a b!'), 'https://s3.eu-central-1.amazonaws.com/maps.eu/a%20b%21/');
  assert.equal(await urlOf('s3://boundaries', 'https://minio.test:9000'), 'https://minio.test:9000/boundaries/');
  const china = 'https://boundaries.s3.cn-north-1.amazonaws.com.cn/';
  assert.equal(await withEnv({ AWS_REGION: 'cn-north-1' }, 's3://boundaries'), china);
  const r2 = { AWS_ENDPOINT_URL: 'https://all.test', AWS_ENDPOINT_URL_S3: 'https://r2.test/' };
  assert.equal(await withEnv(r2, 'S3://boundaries/a/'), 'https://r2.test/boundaries/a/');
  const file = join(temporaryFolder(), 'config');
  const keys = 'aws_access_key_id = a\naws_secret_access_key = b';
  const service = '[services minio]\ns3 =\n  endpoint_url = https://profile.test';
  writeFileSync(file, `[profile maps]\nregion = eu-west-1\nservices = minio\n${keys}\n${service}\n`);
  const profile = { AWS_CONFIG_FILE: file, AWS_PROFILE: 'maps' };
  assert.equal(await withEnv(profile, 's3://boundaries'), 'https://profile.test/boundaries/');
  const ignored = { ...profile, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' };
  assert.equal(await withEnv(ignored, 's3://boundaries'), 'https://boundaries.s3.eu-central-1.amazonaws.com/');
});

test('without a region: named for AWS, not needed with an endpoint', async () => {
  delete process.env['AWS_REGION'];
  await assert.rejects(openSignedBucket(location, undefined), { name: 'S3Error', remedy: /AWS_REGION=/ });
  assert.match((await (await open()).read(CURRENT_PATH, 1e9)).toString(), /"r1"/);
  Object.assign(process.env, S3_ENV);
});

test('a place that is none, an endpoint that is none or without a bucket, and a missing account prevent the start', async () => {
  const issuer = { secret: 'a secret of at least thirty-two bytes', issuer: ['https://issuer.test'], audience: 'a' };
  const refused = async (options: object, where: RegExp, remedy: RegExp): Promise<void> => {
    const settings = optionsToSettings({ ...issuer, ...options }, () => {});
    await assert.rejects(settings, { name: 'StartError', where, remedy });
  };
  for (const origin of ['s3://', 's3:boundaries', 's3://b', 's3://boundaries/../x', 's3://boundaries//x', 's3://a b/c'])
    await refused({ origin }, /^--origin s3:/, /s3:\/\/bucket\/prefix/);
  await refused({ origin: 's3://boundaries', s3Endpoint: 'minio:9000' }, /--s3-endpoint/, /scheme and host/);
  await refused({ origin: folder, s3Endpoint: 'https://minio.test' }, /--s3-endpoint/, /--origin s3:/);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[name];
  await refused({ origin: 's3://boundaries' }, /^--origin s3:/, /AWS_ACCESS_KEY_ID.*AWS_PROFILE/);
  Object.assign(process.env, S3_ENV);
});

/** Arguments of node for a program that is run as if packages whose names begin so were not installed. */
function withoutPackages(prefix: string): string[] {
  const resolver = `export async function resolve(name, context, next) {
    if (!name.startsWith(${JSON.stringify(prefix)})) return next(name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(moduleUrl(resolver))});`;
  return ['--import', moduleUrl(register)];
}

function moduleUrl(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

test('without the packages the error names the command that installs them', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [...withoutPackages('@aws-sdk/'), PROXY, 'serve', '--dev', '--origin', 's3://boundaries'],
    { encoding: 'utf8', env: { ...process.env, ...S3_ENV } },
  );
  assert.equal(status, 1);
  assert.match(
    stderr,
    /buckets need @aws-sdk\/credential.*Cannot find package.*\n {2}what to do: npm install "@aws-sdk\/credential-provider-node@\^\d.*globally: with --global and the same --prefix/,
  );
  assert.equal(stderr.trim().split('\n').length, 2);
});
