// The example for AWS Lambda, with events as function URLs send them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { UrlEvent } from '../../../proxy/examples/lambda/lambda.ts';
import { bodyOf, ONE_LARGE, readStored } from '../../support/datasets/large-dataset.ts';
import { sha256 } from '../../support/files.ts';
import { AUDIENCE, AUTHORIZED, ISSUER, JWKS } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { installAwslambda, SEPARATOR } from '../../support/processes/awslambda.ts';
import { collectGarbage } from '../../support/processes/collect-garbage.ts';
import { enlargePage } from '../../support/releases/large-page.ts';
import { worldOutput } from '../../support/releases/world.ts';

type Handler = (event: UrlEvent, stream: Writable) => Promise<void>;

const LARGE_PAGE_BYTES = 60 * 1024 * 1024;
/** After so many bytes the memory is looked at again. */
const MEASURED_BYTES = 4 * 1024 * 1024;

const folder = await worldOutput({ size: ONE_LARGE, pages: 'unfiltered', isFullAlone: true, isChanged: true });
/** SHA-256 of the first page of fc/lv0, which is not kept in memory. */
const largePage = sha256(enlargePage(folder, LARGE_PAGE_BYTES).page);
const jwks = createServer((_req, res) => res.end(JWKS));
Object.assign(process.env, { ORIGIN: folder, JWKS_URL: `http://127.0.0.1:${await listen(jwks)}/`, ISSUER, AUDIENCE });
installAwslambda();
const { handler } = (await import('../../../proxy/examples/lambda/lambda.ts')) as { handler: Handler };

async function invoke(path: string, query = '', headers: Record<string, string> = AUTHORIZED, method = 'GET') {
  const stream = new PassThrough();
  const [all] = await Promise.all([buffer(stream), handler(eventOf(path, query, headers, method), stream)]);
  const end = all.indexOf(SEPARATOR);
  const { statusCode, headers: sent } = JSON.parse(all.subarray(0, end).toString());
  return { status: statusCode, headers: sent, body: all.subarray(end + SEPARATOR.length) };
}

function eventOf(path: string, query: string, headers: Record<string, string>, method: string): UrlEvent {
  const domainName = 'abcdefgh.lambda-url.eu-west-1.on.aws';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { host: domainName, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1', ...headers },
    requestContext: {
      accountId: 'anonymous',
      domainName,
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      stage: '$default',
    },
    isBase64Encoded: false,
  } as UrlEvent;
}

test('a function URL answers a page, whose Link has its own host', async () => {
  const answer = await invoke('/api/v1/fc/lv2', 'page-size=2', { ...AUTHORIZED, 'accept-encoding': 'gzip' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-length'], String(answer.body.length));
  assert.equal(JSON.parse(gunzipSync(answer.body).toString()).features.length, 2);
  assert.match(
    String(answer.headers['link']),
    /^<https:\/\/abcdefgh\.lambda-url\.eu-west-1\.on\.aws\/api\/v1\/fc\/lv2\?/,
  );
});

test('a page of many features is streamed whole', async () => {
  const [level] = readStored(folder, 'r1');
  const answer = await invoke('/api/v1/geojsonl/lv0');
  assert.ok(answer.body.length > 3_000_000);
  assert.ok(answer.body.toString() === bodyOf('geojsonl', level?.lines.slice(0, 20) ?? []));
});

test('a large page is streamed to a client that reads slowly, and memory does not grow while it is', async () => {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const received = createHash('sha256');
  const held: number[] = [];
  let bytes = 0;
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      received.update(bytes === 0 ? chunk.subarray(chunk.indexOf(SEPARATOR) + SEPARATOR.length) : chunk);
      bytes += chunk.length;
      if (bytes > MEASURED_BYTES * (held.length + 1)) {
        // What was taken counts until it is collected.
        collectGarbage();
        held.push(process.memoryUsage().arrayBuffers);
      }
      // What comes faster than it is taken would pile up.
      setImmediate(done);
    },
  });
  await handler(eventOf('/api/v1/fc/lv0', '', { ...AUTHORIZED, 'accept-encoding': 'gzip' }, 'GET'), stream);
  assert.ok(bytes > LARGE_PAGE_BYTES);
  assert.equal(received.digest('hex'), largePage);
  // Each round sends a third. What is garbage at one moment is not at the next.
  const round = Math.floor(held.length / 3);
  for (const from of [0, round, 2 * round]) {
    const least = Math.min(...held.slice(from, from + round)) - before;
    assert.ok(least < LARGE_PAGE_BYTES / 4, `after ${from * MEASURED_BYTES} bytes ${least} are held`);
  }
});

test('responses without a body have their status: 304, HEAD, 204', async () => {
  const { headers } = await invoke('/api/v1/fc/lv2');
  const held = await invoke('/api/v1/fc/lv2', '', { ...AUTHORIZED, 'if-none-match': String(headers['etag']) });
  assert.deepEqual([held.status, held.body.length], [304, 0]);
  const head = await invoke('/api/v1/fc/lv2', '', AUTHORIZED, 'HEAD');
  assert.deepEqual([head.status, head.body.length], [200, 0]);
  assert.equal(head.headers['content-length'], headers['content-length']);
  assert.equal((await invoke('/api/v1/fc/lv2', '', AUTHORIZED, 'OPTIONS')).status, 204);
});

test('a request without a token gets 401, and one that is not valid 400', async () => {
  assert.equal((await invoke('/api/v1/fc/lv2', '', {})).status, 401);
  const { status, body } = await invoke('/api/v1/fc/lv2', 'limit=2');
  assert.deepEqual([status, JSON.parse(body.toString()).code], [400, 'unknown-parameter']);
});
