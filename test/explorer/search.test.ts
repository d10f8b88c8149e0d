// The explorer's search, asked of a real proxy: by name, by GID, at some levels, in a unit.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { readAbout } from '../../proxy/explorer/api/about.ts';
import { createClient } from '../../proxy/explorer/api/client.ts';
import { searchUnits } from '../../proxy/explorer/api/search.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildNamedUnits } from './same-names.ts';

const ALL = [0, 1, 3];

const folder = temporaryFolder();
await buildNamedUnits(folder, 'España', 'ALA');
const requests: string[] = [];
const proxy = await startService(folder, {
  explorer: true,
  observe: ({ url = '' }: IncomingMessage) => requests.push(url),
});
const base = `${proxy.url}/`;
const client = createClient({ base, token: () => TOKEN });
const parts = { client, about: await readAbout(base) };

/** Searches; the requests that this took are in `requests`. */
async function search(
  text: string,
  { levels = ALL, within }: { levels?: number[]; within?: { level: number; gid: string } } = {},
): ReturnType<typeof searchUnits> {
  requests.length = 0;
  return searchUnits({ text, levels, within }, parts, new AbortController().signal);
}

test('a search names the units, of which level and type they are, and what they are in', async () => {
  const { found, results } = await search('MADRÍ');
  const municipio = { level: 3, type: 'Municipio', parentLevel: 1, children: 0 };
  assert.equal(found, 4);
  assert.deepEqual(results, [
    {
      level: 1,
      fid: 1,
      gid: 'ESP.1_1',
      name: 'Madrid',
      type: 'Autonomous Community',
      parent: 'ESP',
      parentLevel: 0,
      children: 0,
      path: 'España',
      match: 'start',
    },
    {
      ...municipio,
      match: 'start',
      fid: 10,
      gid: 'ESP.1.1_1',
      name: 'Madrid',
      parent: 'ESP.1_1',
      path: 'España › Madrid',
    },
    {
      ...municipio,
      match: 'start',
      fid: 20,
      gid: 'ESP.2.1_1',
      name: 'Madridejos',
      parent: 'ESP.2_1',
      path: 'España › Castilla-La Mancha',
    },
    {
      ...municipio,
      match: 'word',
      fid: 40,
      gid: null,
      name: 'Las Madrigueras',
      parent: 'ESP.1_1',
      path: 'España › Madrid',
    },
  ]);
});

test('one request brings what is called so, and what these are in', async () => {
  await search('la');
  assert.deepEqual(requests, ['/api/v1/search?q=la&limit=20&level=lv0,lv1,lv3']);
});

test('a search keeps to the levels and the unit that are asked for', async () => {
  const fids = async (...asked: Parameters<typeof search>): Promise<unknown> => {
    const { found, results } = await search(...asked);
    return [found, results.map(({ level, fid }) => `${level}/${fid}`)];
  };
  assert.deepEqual(await fids('mad', { levels: [3] }), [3, ['3/10', '3/20', '3/40']]);
  assert.deepEqual(await fids('mad', { within: { level: 1, gid: 'ESP.2_1' } }), [1, ['3/20']]);
  assert.deepEqual(await fids('mad', { levels: [1], within: { level: 1, gid: 'ESP.2_1' } }), [0, []]);
  assert.deepEqual(await fids('ESP', { within: { level: 0, gid: 'ALA' } }), [1, ['3/50']]);
  assert.deepEqual(await fids('mad', { levels: [] }), [0, []]);
  assert.deepEqual(requests, []);
});

test('the unit with a GID comes before those of this name, once', async () => {
  const gids = async (text: string): Promise<unknown> => {
    const { found, results } = await search(text);
    return [found, results.map(({ gid, path }) => [gid, path])];
  };
  const both = [
    ['ESP', ''],
    ['06037', 'Åland › Mariehamn'],
  ];
  // 'España' begins so, too.
  assert.deepEqual(await gids('ESP'), [2, both]);
  assert.deepEqual(await gids('06037'), [1, [['06037', 'Åland › Mariehamn']]]);
  assert.deepEqual(await gids('ALA.1.1'), [1, [['ALA.1.1', 'Åland › Mariehamn']]]);
  assert.deepEqual(await gids('none.1'), [0, []]);
});

test('what has no letter and no digit is not asked for; long texts are cut', async () => {
  assert.deepEqual(await search('-- !'), { found: 0, results: [] });
  assert.deepEqual(requests, []);
  assert.deepEqual(await search('ä'.repeat(300)), { found: 0, results: [] });
});

test('a search that is abandoned rejects with the reason; an error of the service with its status', async () => {
  const controller = new AbortController();
  const abandoned = searchUnits({ text: 'mad', levels: ALL, within: undefined }, parts, controller.signal);
  controller.abort();
  await assert.rejects(abandoned, { name: 'AbortError' });
  await search('mad');
  const denied = { ...parts, client: createClient({ base, token: () => 'bad' }) };
  const asked = { text: 'mad', levels: ALL, within: undefined };
  await assert.rejects(searchUnits(asked, denied, new AbortController().signal), { status: 401 });
  const { url, stop } = await startService(folder);
  await stop({ drainMs: 0, timeoutMs: 1_000 });
  const gone = { ...parts, client: createClient({ base: `${url}/`, token: () => TOKEN }) };
  await assert.rejects(searchUnits(asked, gone, new AbortController().signal), { status: 0 });
});
