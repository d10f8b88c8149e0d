// The names of all levels as the explorer asks for them, from a real proxy: parents, children, what is inside.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { BuildOptions } from '../../generator/build.ts';
import { contentOptionsFrom } from '../../generator/options/option-texts.ts';
import { createClient } from '../../proxy/explorer/api/client.ts';
import { Names } from '../../proxy/explorer/api/names.ts';
import type { NamedUnit } from '../../proxy/explorer/api/unit.ts';
import { squares } from '../support/datasets/write-dataset.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { listen } from '../support/http/listen.ts';
import { buildLayers } from '../support/releases/build-release.ts';
import { pointTo } from '../support/releases/point-to.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildNamedUnits } from './same-names.ts';

const HEADER = '["fid","gid","name","type","parent","children","view","inside"]';
const HOSTILE = `A'"\n<b>`;

const folder = temporaryFolder();
await buildNamedUnits(folder, 'España', HOSTILE);
const proxy = await startService(folder);
const names = namesOf(proxy.url);

function namesOf(url: string, token = (): string => TOKEN, lang = '', release?: string): Names {
  return new Names(
    createClient({ base: `${url}/`, token }),
    token,
    () => lang,
    () => release,
  );
}

/** The unit with a GID at a level. */
async function find(known: Names, level: number, gid: string): Promise<NamedUnit | undefined> {
  return (await known.load(level))[level]?.byGid.get(gid);
}

/** A server that says how many units there are, and sends anything; its address. */
async function startSender(matched: number, sendNames: (res: ServerResponse) => void): Promise<string> {
  const server = createServer((_, res) => {
    res.setHeader('Boundaries-Matched', matched);
    res.setHeader('Boundaries-Release', 'r1');
    sendNames(res);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

test('children are the units below at any level, across a level without units, in order of fid', async () => {
  const fids = async (level: number, of: number, gid: string | undefined): Promise<unknown> => {
    const { total, units = [] } = (await names.children({ level, of, gid })) ?? {};
    return [total, units.map(({ fid }) => fid)];
  };
  assert.deepEqual(await fids(1, 0, 'ESP'), [2, [1, 2]]);
  assert.deepEqual(await fids(3, 1, 'ESP.1_1'), [2, [10, 40]]);
  assert.deepEqual(await fids(3, 0, 'ESP'), [3, [10, 20, 40]]);
  assert.deepEqual(await fids(3, 0, HOSTILE), [2, [30, 50]]);
  assert.deepEqual(await fids(3, 0, 'FRA'), [0, []]);
  assert.deepEqual(await fids(3, 0, 'none'), [0, []]);
  assert.deepEqual(await fids(3, 0, undefined), [5, [10, 20, 30, 40, 50]]);
  assert.deepEqual(await fids(2, 0, undefined), [0, []]);
  // The parent goes without saying where it is what was asked for.
  const titles = async (of: number, gid: string): Promise<unknown> =>
    (await names.children({ level: 3, of, gid }))?.units.map(({ parentTitle }) => parentTitle);
  assert.deepEqual(await titles(0, 'ESP'), ['Madrid', 'Castilla-La Mancha', 'Madrid']);
  assert.deepEqual(await titles(1, 'ESP.1_1'), [undefined, undefined]);
});

test('where units have no parent at the level between, the names count what is inside, and do not tell which', async () => {
  const gidColumns: BuildOptions['gidColumns'] = [{ level: 2, of: 1, columns: [] }];
  const layers = [
    squares('ADM_0', ['GID_0'], ['HTI']),
    squares('ADM_1', ['GID_1', 'GID_0'], ['HTI.1', 'HTI']),
    squares('ADM_2', ['GID_2', 'GID_0'], ['HTI.x', 'HTI']),
  ];
  const loose = namesOf((await startService(await buildLayers(layers, { gidColumns }))).url);
  const inside = { of: 0, gid: 'HTI' };
  assert.equal((await loose.children({ level: 1, ...inside }))?.total, 1);
  assert.equal(await loose.children({ level: 2, ...inside }), undefined);
  assert.deepEqual((await find(loose, 0, 'HTI'))?.inside, [
    [1, 1, null],
    [2, 1, null],
  ]);
});

test('names are in a language where a unit has one in it; a language that the release does not have changes none', async () => {
  const layers = [
    squares('ADM_0', ['GID_0', 'NAME_0', 'NAME_FR'], ['ESP', 'Spain', 'Espagne'], ['FRA', 'France', null]),
  ];
  const { url } = await startService(
    await buildLayers(layers, contentOptionsFrom({ 'name-column': ['lv0:fr=NAME_FR'] })),
  );
  for (const [lang, ...expected] of [
    ['', 'Spain', 'France'],
    ['fr', 'Espagne', 'France'],
    ['de', 'Spain', 'France'],
  ] as const) {
    const [level] = await namesOf(url, undefined, lang).load(0);
    assert.deepEqual(
      level?.units.map(({ name }) => name),
      expected,
    );
  }
});

test('of more than 10,000 units the first are given, and how many there are', async () => {
  const rows = Array.from({ length: 10_050 }, (_, i) => `[${i + 1},"A${i}",null,null,null,0,null,[]]\n`);
  const many = namesOf(await startSender(10_050, (res) => void res.end(`${HEADER}\n${rows.join('')}`)));
  const { total, units = [] } = (await many.children({ level: 0, of: 0, gid: undefined })) ?? {};
  assert.deepEqual([total, units.length], [10_050, 10_000]);
  assert.deepEqual([units[0]?.fid, units.at(-1)?.fid, units.at(-1)?.gid], [1, 10_000, 'A9999']);
  assert.equal((await find(many, 0, 'A10049'))?.fid, 10_050);
});

test('a unit is found by its GID at its level', async () => {
  assert.equal((await find(names, 1, 'ESP.2_1'))?.name, 'Castilla-La Mancha');
  assert.equal(await find(names, 1, 'none'), undefined);
  assert.equal(await find(names, 0, 'esp'), undefined);
  // One municipality has no GID: it is not found by none.
  assert.equal(await find(names, 3, ''), undefined);
});

test('each level is requested once, when it is first needed', async () => {
  const requested: unknown[] = [];
  const observe = (req: IncomingMessage): number => requested.push(req.url);
  const service = await startService(folder, { observe });
  const fresh = namesOf(service.url);
  await Promise.all([fresh.load(1), find(fresh, 1, 'x')]);
  assert.deepEqual(requested, ['/api/v1/names/lv0', '/api/v1/names/lv1']);
  await find(fresh, 3, 'x');
  assert.deepEqual(requested.slice(2), ['/api/v1/names/lv2', '/api/v1/names/lv3']);
});

test('an error of the service is passed on with its status and code, and the next attempt loads again', async () => {
  let token = 'bad';
  const fresh = namesOf(proxy.url, () => token);
  await assert.rejects(find(fresh, 1, 'ESP.1_1'), { status: 401, code: 'token-invalid' });
  token = '';
  await assert.rejects(find(fresh, 1, 'ESP.1_1'), { status: 401, code: 'token-missing' });
  token = 'bad';
  const denied = assert.rejects(find(fresh, 1, 'ESP.1_1'), { status: 401 });
  token = TOKEN;
  // What the other token does not permit does not fail this one, which is asked for before that is known.
  assert.equal((await find(fresh, 1, 'ESP.1_1'))?.name, 'Madrid');
  await denied;
  const early = await startService(folder, { early: true });
  const waiting = namesOf(early.url);
  await assert.rejects(find(waiting, 1, 'ESP.1_1'), { status: 503 });
  await early.releases.refresh();
  assert.equal((await find(waiting, 1, 'ESP.1_1'))?.name, 'Madrid');
  const gone = await startService(folder);
  await gone.stop({ drainMs: 0, timeoutMs: 1_000 });
  await assert.rejects(find(namesOf(gone.url), 0, 'ESP'), { status: 0 });
});

test('closing abandons what waits, and the next call loads again', async () => {
  const closed = namesOf(proxy.url);
  const waiting = assert.rejects(find(closed, 1, 'ESP.1_1'), { name: 'AbortError' });
  closed.close();
  await waiting;
  assert.equal((await find(closed, 1, 'ESP.1_1'))?.name, 'Madrid');
});

test('names that are cut, or are no names, are refused; bytes may arrive in any pieces', async () => {
  const text = `${HEADER}\n[1,"A","Łódź 東京都 \u{1f3f4}",null,null,0,null,[]]\n[2,"A",null,"adm1",null,3,[1,2,3,4],[[1,3,"b"]]]\n`;
  let pieces = [''];
  let isCutOff = false;
  const url = await startSender(2, (res) => {
    if (isCutOff) res.setHeader('Content-Length', '1000000');
    for (const piece of pieces) res.write(Buffer.from(piece, 'latin1'));
    if (isCutOff) res.socket?.end();
    else res.end();
  });
  const unitsOf = async (sent: string, length = 1000): Promise<unknown> => {
    const bytes = Buffer.from(sent).toString('latin1');
    pieces = bytes.match(new RegExp(`.{1,${length}}`, 'gs')) ?? [''];
    const sentNames = namesOf(url);
    const [level] = await sentNames.load(0);
    // Of two units with a GID the first.
    assert.equal((await find(sentNames, 0, 'A'))?.fid, 1);
    return level?.units;
  };
  const both = { level: 0, gid: 'A', type: null, parent: null };
  const units = [
    { ...both, fid: 1, name: 'Łódź 東京都 \u{1f3f4}', children: 0, view: undefined, inside: [] },
    { ...both, fid: 2, name: null, children: 3, view: [1, 2, 3, 4], inside: [[1, 3, 'b']] },
  ];
  for (const length of [1, 2, 7, 64, 1000]) assert.deepEqual(await unitsOf(text, length), units);
  const fails = (sent: string, message: RegExp): Promise<void> =>
    assert.rejects(unitsOf(sent), { name: 'Error', status: isCutOff ? 0 : 200, message });
  await fails('', /names of lv0 could not be read: they begin with "", expected fid,gid,name,type,parent,children/);
  await fails('<!doctype html>\n', /they begin with "<!doctype html>", expected/);
  await fails(text.slice(0, -1), /they are of 1 units, expected 2/);
  await fails(`${text}[3,"C",null,null,null,0,null,[]]\n`, /they are of 3 units, expected 2/);
  await fails(text.replace('[]]', '[]'), /JSON/);
  for (const row of [
    '[2,3,"b",null,null,0,null,[]]',
    '["2","B","b",null,null,0,null,[]]',
    '{}',
    'null',
    '[2,"B","b",null,null,"0",null,[]]',
    '[2,"B","b",null,null,0,[1,2],[]]',
    '[2,"B","b",null,null,0,null,null]',
  ])
    await fails(text.replace(/\[2.*\]/, row), /names of lv0 could not be read: line 3 is not a unit/);
  await fails(
    text.replace('"parent"', '"above"'),
    /they begin with "\["fid",.*", expected fid,gid,name,type,parent,children/,
  );
  // Further columns, and another order: readers take those that they know by their names.
  const others = `["name","more","fid","children","gid","type","parent","inside","view"]
["Łódź",[1,2],1,0,"A",null,null,[],null]\n["",{},2,3,"A","adm1",null,[[1,3,"b"]],[1,2,3,4]]\n`;
  assert.deepEqual(await unitsOf(others), [
    { ...units[0], name: 'Łódź' },
    { ...units[1], name: '' },
  ]);
  isCutOff = true;
  await fails(text, /broke off/);
});

test('names of another release than those loaded before replace them', async () => {
  const service = await startService(folder);
  const levels = namesOf(service.url);
  assert.equal((await levels.load(0))[0]?.release, 'r1');
  await buildNamedUnits(folder, 'Hispania', HOSTILE, { release: 'r2' });
  pointTo(folder, 'r2');
  await service.releases.refresh();
  assert.equal((await find(levels, 0, 'ESP'))?.name, 'España');
  assert.equal((await find(levels, 1, 'ESP.1_1'))?.name, 'Madrid');
  assert.equal((await find(levels, 0, 'ESP'))?.name, 'Hispania');
  for (const { release } of await levels.load(3)) assert.equal(release, 'r2');
});

test('names that a cache keeps of a release before are asked for again, and never taken for those of this one', async () => {
  let newest = 'r2';
  const asked: unknown[] = [];
  // In place of a cache: only who asks it to, it asks whether there is something newer.
  const server = createServer(({ url, headers }, res) => {
    const isFresh = headers['cache-control'] === 'max-age=0';
    asked.push([url?.at(-1), isFresh]);
    res.setHeader('Boundaries-Matched', 1);
    const release = isFresh || url?.endsWith('lv1') ? newest : 'r1';
    res.setHeader('Boundaries-Release', release);
    res.end(`${HEADER}\n[1,"A","${release}",null,null,0,null,[]]\n`);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const kept = namesOf(url, undefined, undefined, 'r2');
  assert.equal((await find(kept, 0, 'A'))?.name, 'r2');
  assert.deepEqual(asked, [
    ['0', false],
    ['0', true],
  ]);
  assert.equal((await namesOf(url).load(1))[0]?.release, 'r2');
  newest = 'r1';
  await assert.rejects(find(namesOf(url, undefined, undefined, 'r2'), 0, 'A'), { status: 0, code: 'release-changed' });
});
