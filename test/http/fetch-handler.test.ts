// The handler for platforms with the Fetch standard: links, bodies that nobody reads, and downloads that are given up.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { openOrigin } from '../../proxy/create-server.ts';
import { createFetchHandler } from '../../proxy/fetch/create-fetch-handler.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { openFiles } from '../support/files.ts';
import { AUDIENCE, ISSUER } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { enlargePage } from '../support/releases/large-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
await buildRelease(writeCountries(), folder);
const { page, file } = enlargePage(folder, 8 * 1024 * 1024);
const secret = randomBytes(32).toString('hex');
const token = await new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 3600 })
  .setProtectedHeader({ alg: 'HS256' })
  .sign(Buffer.from(secret));
const log: string[] = [];
const handler = await createFetchHandler({
  origin: await openOrigin(folder),
  secret,
  issuer: [ISSUER],
  audience: AUDIENCE,
  log: (line) => log.push(line),
});
const get = (): Promise<Response> =>
  handler.fetch(
    new Request('https://a.test/api/v1/fc/lv0', {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
    }),
  );

test('20 bodies that nobody reads, and 20 that are given up after a chunk, keep no file open and are no fault of the service', {
  skip: !existsSync('/proc/self/fd'),
}, async () => {
  const unread = await Promise.all(Array.from({ length: 20 }, get));
  for (const { status } of unread) assert.equal(status, 200);
  for (const { body } of await Promise.all(Array.from({ length: 20 }, get))) {
    const reader = body?.getReader();
    assert.ok(((await reader?.read())?.value?.length ?? 0) > 0);
    await reader?.cancel();
  }
  // The first chunks of the bodies that nobody reads may still be on their way.
  await until(() => openFiles(file).length === 0, 'a file stays open');
  assert.ok(Buffer.from(await (await get()).arrayBuffer()).equals(page));
  assert.deepEqual(
    log.filter((line) => !line.startsWith('serving release ')),
    [],
  );
});

test('links have the scheme of their own request, whatever scheme the request before had', async () => {
  const headers = { authorization: `Bearer ${token}` };
  const schemeOf = async (url: string): Promise<string | undefined> => {
    const response = await handler.fetch(new Request(url, { headers }));
    const challenge = await handler.fetch(new Request(url));
    const named = [response.headers.get('link'), challenge.headers.get('www-authenticate')].join();
    return named.match(/[a-z]+(?=:\/\/b\.test)/g)?.join();
  };
  for (const scheme of ['http', 'https', 'http', 'https'])
    assert.equal(await schemeOf(`${scheme}://b.test/api/v1/geojsonl/lv0?page-size=1`), `${scheme},${scheme}`);
});
