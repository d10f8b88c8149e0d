// --accel-redirect with the real nginx and the example configuration: nginx sends the files of large pages, and a client sees
// the same responses as from the proxy. Skipped where nginx is not installed.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Answer } from '../support/http/http-client.ts';
import { refusal, send } from '../support/http/http-client.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { exampleWith, freePort, missing, startNginx } from '../support/processes/nginx-varnish.ts';
import { enlargePage } from '../support/releases/large-page.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LARGE = '/api/v1/fc/lv0';
const SMALL = '/api/v1/fc/lv1';
const PREFIX = '/internal/';
const GZIP = { 'accept-encoding': 'gzip' };
const SENDFILE = { ...GZIP, 'x-sendfile-type': 'X-Accel-Redirect' };
const noNginx = missing('nginx');

const folder = await worldOutput({ pages: 'unfiltered', isChanged: true });
const { page, file } = enlargePage(folder, 300 * 1024);

/** A proxy, and the paths that it reads from its origin. */
async function startCounted(): Promise<{ proxy: RunningService; read: string[] }> {
  const origin = directoryOrigin(folder);
  const read: string[] = [];
  const counted = {
    ...origin,
    read(...args: Parameters<typeof origin.read>) {
      read.push(args[0]);
      return origin.read(...args);
    },
  };
  return {
    proxy: await startService(folder, { origin: counted, accelRedirect: PREFIX, trustProxy: ['127.0.0.1'] }),
    read,
  };
}

/** nginx with the example in front of a proxy. */
async function startFront(proxy: RunningService): Promise<{ url: string }> {
  const port = await freePort();
  const changes = {
    'listen 8443': `listen 127.0.0.1:${port}`,
    '127.0.0.1:8080': new URL(proxy.url).host,
    '/srv/boundaries/output': folder,
  };
  await startNginx(exampleWith('nginx-accel.conf', changes), port);
  return { url: `http://127.0.0.1:${port}` };
}

/** The headers that do not belong to the connection. */
function headersOf({ headers }: Answer): Answer['headers'] {
  const { date: _date, server: _server, connection: _connection, 'keep-alive': _keepAlive, ...rest } = headers;
  return rest;
}

test('nginx sends the file of a large page; the response is that of the proxy, with every header', {
  skip: noNginx,
}, async () => {
  const { proxy, read } = await startCounted();
  const front = await startFront(proxy);
  const host = { host: 'maps.test' };
  const through = await send(front, LARGE, { ...GZIP, ...host });
  assert.equal(read.filter((path) => path.endsWith('.gz')).length, 0);
  assert.ok(through.body.equals(page));
  const direct = await send(proxy, LARGE, { ...GZIP, ...host });
  assert.deepEqual(read.filter((path) => path.endsWith('.gz')).length, 1);
  assert.deepEqual([through.status, headersOf(through)], [200, headersOf(direct)]);
  assert.ok(direct.body.equals(page));
  assert.match(String(direct.headers.link), /^<http:\/\/maps\.test\//);

  const { etag } = direct.headers;
  const held = { ...GZIP, ...host, 'if-none-match': etag };
  for (const [headers, method] of [[held, 'GET'] as const, [{ ...GZIP, ...host }, 'HEAD'] as const]) {
    const [there, here] = [await send(front, LARGE, headers, method), await send(proxy, LARGE, headers, method)];
    assert.deepEqual([there.status, headersOf(there)], [here.status, headersOf(here)]);
    assert.equal(there.body.length, 0);
  }
  const part = await send(front, LARGE, { ...GZIP, range: 'bytes=0-9', 'if-modified-since': new Date().toUTCString() });
  assert.deepEqual([part.status, part.body.length], [200, page.length]);
});

test('small pages, text and slices pass through the proxy, which verifies them', { skip: noNginx }, async () => {
  const { proxy } = await startCounted();
  for (const [path, headers] of [
    [SMALL, SENDFILE],
    [`${SMALL}?page-size=1`, SENDFILE],
    [SMALL, { ...SENDFILE, 'accept-encoding': 'identity' }],
  ] as const) {
    const answer = await send(proxy, path, headers);
    assert.deepEqual([answer.status, answer.headers['x-accel-redirect']], [200, undefined]);
    assert.ok(answer.body.length > 0);
  }
});

test('a client can neither reach the files nor have a page without a token', { skip: noNginx }, async () => {
  const { proxy } = await startCounted();
  const front = await startFront(proxy);
  const redirected = await send(proxy, LARGE, SENDFILE);
  const path = String(redirected.headers['x-accel-redirect']);
  assert.deepEqual([path, redirected.body.length], [`${PREFIX}releases/r1/lv0/fc/all/000001.json.gz`, 0]);
  for (const headers of [{}, SENDFILE]) assert.equal((await send(front, path, headers)).status, 404);
  refusal(await send(front, LARGE, { authorization: undefined }), 401, 'token-missing');
});

test('a file that has just been removed is answered by the proxy', { skip: noNginx }, async () => {
  const { proxy } = await startCounted();
  const front = await startFront(proxy);
  const aside = join(temporaryFolder(), 'page');
  renameSync(file, aside);
  try {
    refusal(await send(front, LARGE, GZIP), 502, 'origin-damaged');
  } finally {
    mkdirSync(dirname(file), { recursive: true });
    renameSync(aside, file);
  }
});
