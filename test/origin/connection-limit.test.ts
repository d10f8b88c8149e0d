// Many clients at once in front of a slow static host: connections to the host are bounded, and everybody is answered.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { staticHostOrigin } from '../../proxy/origin/static-host.ts';
import { MANY_SIZES } from '../support/datasets/large-dataset.ts';
import { send } from '../support/http/http-client.ts';
import { AUTHORIZED, startService, token } from '../support/http/in-process-proxy.ts';
import { startStaticHost } from '../support/http/static-host.ts';
import { worldOutput } from '../support/releases/world.ts';
import { until } from '../support/until.ts';
import { TestLimits } from './failing-host.ts';

const CLIENTS = 200;
/** As proxy/OPERATING.md says. */
const READS_MAX = 64;

test('200 requests for different pages of a host that does not answer: at most 64 connections to it, then all are answered', async () => {
  const folder = await worldOutput();
  const host = await startStaticHost(folder);
  const service = await startService(folder, {
    origin: staticHostOrigin({ url: host.url, headers: {} }, new TestLimits()),
  });
  const sockets = new Set<Socket>();
  host.server.on('connection', (socket: Socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  const held: (() => void)[] = [];
  host.fault = (req, res) => {
    const url = req.url ?? '';
    if (!url.includes('/features/')) return false;
    held.push(() => res.destroy());
    return true;
  };
  let received = 0;
  service.server.on('request', () => received++);
  const asked = Array.from({ length: CLIENTS }, (_, i) =>
    send(service, `/api/v1/geojsonl/lv2?page-size=2&start-at=${i}`),
  );
  await until(() => received === CLIENTS && held.length >= READS_MAX, 'the host is not asked');
  // What else was asked of the host has come by then.
  assert.equal((await fetch(new URL('current.json', host.url))).status, 200);
  assert.equal(held.length, READS_MAX);
  assert.ok(sockets.size <= READS_MAX + 1, `${sockets.size} connections`);
  // The requests that the host held fail; the others get their pages, each after a turn in which others may ask.
  let waiting = 0;
  let mostWaiting = 0;
  const waited = new Set<IncomingMessage>();
  host.fault = (req, res) => {
    if (waited.has(req)) return false;
    waited.add(req);
    mostWaiting = Math.max(mostWaiting, ++waiting);
    setImmediate(() => {
      waiting--;
      host.server.emit('request', req, res);
    });
    return true;
  };
  for (const release of held) release();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.ok(statuses.every((status) => status === 200 || status === 502));
  assert.ok(statuses.filter((status) => status === 200).length >= CLIENTS - READS_MAX);
  assert.ok(waited.size >= CLIENTS - READS_MAX);
  assert.ok(mostWaiting <= READS_MAX + 1, `${mostWaiting} requests at a time`);
});

test('32 scattered downloads of one token: at most 64 reads of the host, and a page of another token is next', async () => {
  const folder = await worldOutput({ size: MANY_SIZES, pages: 'none' });
  const host = await startStaticHost(folder);
  const service = await startService(folder, { origin: staticHostOrigin({ url: host.url, headers: {} }) });
  const held: (() => void)[] = [];
  const hold = ({ url = '' }: IncomingMessage, res: ServerResponse): boolean =>
    url.includes('/features/') && held.push(() => res.destroy()) > 0;
  host.fault = hold;
  const downloads = new AbortController();
  const path = '/api/v1/download/lv2.geojsonl.gz?gid-0=U0.3_1';
  const asked = Array.from({ length: 32 }, () =>
    fetch(service.url + path, { headers: { ...AUTHORIZED }, signal: downloads.signal }).catch(() => {}),
  );
  await until(() => held.length >= READS_MAX, 'the host is not asked');
  const other = { authorization: `Bearer ${await token({ sub: 'another' })}` };
  const page = send(service, '/api/v1/geojsonl/lv2?page-size=2', other);
  // What else was asked of the host has come by then.
  assert.equal((await fetch(new URL('current.json', host.url))).status, 200);
  assert.equal((await send(service, '/api/v1/geojsonl/lv2?page-size=2', other, 'HEAD')).status, 200);
  assert.equal(held.length, READS_MAX);
  // Clients take turns: of four further reads two can be the page's.
  let further = 0;
  host.fault = (req, res) => further++ >= 4 && hold(req, res);
  held.pop()?.();
  assert.equal((await page).status, 200);
  downloads.abort();
  await Promise.all(asked);
});
