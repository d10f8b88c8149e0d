// Uploading to a bucket with the AWS command line, as the recipe has it: against a stand-in for S3 that keeps what it is
// given in a folder, and notes the order.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CURRENT_PATH } from '../../format/layout.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { filesUnder } from '../support/files.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = fileURLToPath(new URL('../../proxy/examples/bucket/upload.sh', import.meta.url));
const SKIP = spawnSync('aws', ['--version']).status !== 0 && 'the AWS command line is not installed here';

/** A file that the stand-in was given. */
interface Upload {
  path: string;
  headers: IncomingHttpHeaders;
  bytes: number;
}

/** Starts the stand-in; `uploads` grows, `folder` has the bucket's files. */
async function startBucket(): Promise<{ url: string; uploads: Upload[]; folder: string }> {
  const folder = temporaryFolder();
  const uploads: Upload[] = [];
  const server: Server = createServer((req, res) => void receive(req, res, folder, uploads));
  return { url: `http://127.0.0.1:${await listen(server)}`, uploads, folder };
}

async function receive(req: IncomingMessage, res: ServerResponse, folder: string, uploads: Upload[]): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const path = new URL(req.url ?? '', 'http://bucket').pathname.replace('/boundaries/', '');
  if (req.method === 'PUT') {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), body);
    uploads.push({ path, headers: req.headers, bytes: body.length });
    res.writeHead(200, { ETag: '"any"' }).end();
    return;
  }
  // S3 lists in order of key, and `sync` relies on it.
  const held = uploads
    .filter((one) => one.path.startsWith('releases/'))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(
      ({ path: key, bytes }) =>
        `<Contents><Key>${key}</Key><Size>${bytes}</Size><LastModified>2099-01-01T00:00:00.000Z</LastModified></Contents>`,
    );
  const list = `<ListBucketResult><IsTruncated>false</IsTruncated>${held.join('')}</ListBucketResult>`;
  res.writeHead(200, { 'Content-Type': 'application/xml' }).end(list);
}

async function upload(out: string, url: string): Promise<void> {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const child = spawn('sh', [SCRIPT, out, 's3://boundaries', '--endpoint-url', url], { env, stdio: 'pipe' });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      text += piece;
    });
  const code = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  assert.equal(code, 0, text);
}

test('a release goes into a bucket feature files and pages first and the pointer last, and is served from there', {
  skip: SKIP,
}, async () => {
  const out = temporaryFolder();
  const source = writeCountries();
  await buildRelease(source, out);
  const { url, uploads, folder } = await startBucket();
  await upload(out, url);
  const order = [/\.gz$/, /\.idx$/, /\/manifest\.json$/, /\/checksums\.txt$/, /\/release\.json$/, /^current\.json$/];
  const steps = uploads.map(({ path }) => order.findIndex((step) => step.test(path)));
  assert.deepEqual(
    steps,
    steps.toSorted((one, other) => one - other),
  );
  assert.deepEqual(new Set(steps), new Set(order.keys()));
  assert.equal(uploads.length, filesUnder(out).length);
  for (const { path, headers } of uploads) {
    assert.equal(headers['content-encoding'], undefined, path);
    assert.match(String(headers['cache-control']), path === CURRENT_PATH ? /^no-cache$/ : /immutable/);
    const type = path.endsWith('.idx') ? /^application\/octet-stream$/ : /^(application\/(gzip|json)|text\/plain)$/;
    assert.match(String(headers['content-type']), type, path);
  }

  const [fromBucket, fromFolder] = [await startService(folder), await startService(out)];
  for (const path of ['/api/v1/fc/lv2', '/api/v1/geojsonl/lv1?gid-0=AAA'])
    assert.equal(textOf(await send(fromBucket, path)), textOf(await send(fromFolder, path)));

  const before = uploads.length;
  await buildRelease(source, out, { release: 'r2' });
  await upload(out, url);
  const later = uploads.slice(before).map(({ path }) => path);
  assert.ok(later.length > 1);
  assert.ok(later.every((path) => path === CURRENT_PATH || path.startsWith('releases/r2/')));
});
