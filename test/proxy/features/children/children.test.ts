// GET /api/v1/children: a unit, its parents and its children, against a model over the names files and the GIDs of the
// features; and what it may be asked.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentOf, encodeCursor } from '../../../../format/cursor.ts';
import { elementAt } from '../../../../format/element-at.ts';
import { RELEASE_FILE, releasePath } from '../../../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../../../format/levels.ts';
import { contentOptionsFrom } from '../../../../generator/options/option-texts.ts';
import { layerOf, square, squares } from '../../../support/datasets/write-dataset.ts';
import { dice } from '../../../support/dice.ts';
import { sha256Of } from '../../../support/files.ts';
import { answerOf, bodyOf, sourcesOf } from '../../../support/http/answers.ts';
import { pagesFrom, refusal, type Sent, send, type Target, textOf } from '../../../support/http/http-client.ts';
import { startService } from '../../../support/http/in-process-proxy.ts';
import { buildLayers } from '../../../support/releases/build-release.ts';
import { pointTo } from '../../../support/releases/point-to.ts';
import { worldOutput } from '../../../support/releases/world.ts';
import { seedsOf } from '../../../support/slice.ts';
import { notedReads } from '../../../support/watched-origin.ts';
import { familyOf, type ModelLevel, modelOf, type Row } from './children-model.ts';

const CHILDREN = '/api/v1/children';

/** Units of the world that are asked for, of each level. */
const ASKED = 12;

function pathOf(query: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? CHILDREN : `${CHILDREN}?${pairs.join('&')}`;
}

async function ask(at: Target, query: Readonly<Record<string, string | number>> = {}, headers: Sent = {}) {
  const answer = await send(at, pathOf(query), headers);
  assert.equal(answer.status, 200, textOf(answer));
  return JSON.parse(textOf(answer));
}

const RTL = 'القاهرة';
const LONG = '長'.repeat(10_000);
/** A country without regions, a GID of two levels, one of a level that is missing, units without GID, parent or name. */
const ODD_LAYERS = [
  squares(
    'ADM_0',
    ['GID_0', 'NAME_0', 'NAME_FR', 'ISO'],
    ['AAA', 'Aland', 'Alande', 'AX'],
    ['BBB', 'Beland', null, null],
    ['CCC', 'Empty', null, '-99'],
  ),
  squares(
    'ADM_1',
    ['GID_0', 'GID_1', 'NAME_1', 'TYPE_1'],
    ['AAA', 'A.1', 'North', 'Region'],
    ['AAA', 'A.1', 'North again', 'Region'],
    ['AAA', 'AAA', 'Called as its country', 'Region'],
    ['AAA', null, 'Without a GID', 'Region'],
  ),
  layerOf(
    'ADM_3',
    ['GID_0', 'GID_1', 'GID_2', 'GID_3', 'NAME_3', 'INE'],
    [
      [['AAA', 'A.1', 'A.1.x', '3.1', RTL, '01'], square(0, 0)],
      [['AAA', 'A.1', 'A.1.x', '3.2', null, '02'], null],
      [['AAA', 'AAA', null, '3.3', LONG, null], square(2, 0)],
      [['BBB', null, null, '3.4', '"quoted" \\ \u2028', '04'], square(3, 0)],
      [[null, null, null, '3.5', 'Orphan', '05'], square(4, 0)],
    ],
  ),
];
const ACCEPT = ['duplicate-gids', 'null-gids', 'orphans', 'empty-geometries', 'contradicting-parents'] as const;
const odd = await buildLayers(ODD_LAYERS, {
  ...contentOptionsFrom({ 'name-column': ['lv0:fr=NAME_FR'], 'code-column': ['lv0:iso2=ISO', 'lv3:ine=INE'] }),
  accept: ACCEPT,
});
const oddService = await startService(odd);

const out = await worldOutput();
const service = await startService(out);

/** Compares a unit with the model, asked for by its GID alone and with a level. */
async function assertFamily(at: Target, model: readonly ModelLevel[], gid: string, level: Level, lang = '') {
  for (const asked of [undefined, level]) {
    const query = { gid, ...(asked !== undefined && { level: levelName(asked) }), ...(lang && { lang }) };
    assert.deepEqual(await ask(at, query), familyOf(model, gid, asked), JSON.stringify(query));
  }
}

test('any unit has the children and parents that the GIDs of the features say, as their names files have them', async () => {
  const model = modelOf(out);
  for (const seed of seedsOf(1)) {
    const random = dice(seed);
    for (const level of LEVELS)
      for (let i = 0; i < ASKED; i++) {
        const { gids } = elementAt(model, level);
        const gid = elementAt(elementAt(gids, random(gids.length)), level);
        await assertFamily(service, model, gid, level);
      }
  }
  const { unit, parents, level, children } = await ask(service);
  assert.deepEqual([unit, parents, level, children], [null, [], 'lv0', elementAt(model, 0).rows]);
});

test('so have odd units, in each language, also a GID that only a column of parents has', async () => {
  for (const lang of ['', 'fr']) {
    const model = modelOf(odd, lang);
    const known = model.flatMap(({ gids }) => gids.flatMap((own) => own.map((gid, level) => `${level} ${gid}`)));
    for (const [level = '', gid = ''] of [...new Set(known)].map((text) => text.split(' ')))
      if (gid !== '') await assertFamily(oddService, model, gid, Number(level) as Level, lang);
  }
  assert.deepEqual((await ask(oddService, { gid: 'A.1', lang: 'FR' })).parents[0].name, 'Alande');
  const unknown = refusal(await send(oddService, pathOf({ lang: 'de' })), 400, 'bad-parameter');
  assert.equal(unknown, 'lang is "de". Allowed: fr.');
});

/** The GID of the unit with the most children. */
function mostChildren(model: readonly ModelLevel[]): string {
  const rows = model.flatMap((level) => level.rows);
  return rows.toSorted((a, b) => Number(b['children']) - Number(a['children']))[0]?.gid ?? assert.fail();
}

test('a walk by pages has every child once, by fid, and what is behind its cursors may be kept for ever', async () => {
  const model = modelOf(out);
  const gid = mostChildren(model);
  const { children: expected } = (familyOf(model, gid) ?? {}) as { children?: Row[] };
  assert.ok(expected !== undefined && expected.length > 3);
  for (const coding of ['gzip', 'identity'])
    for (const size of [1, 3, expected.length, 5000]) {
      const got: Row[] = [];
      const path = pathOf({ gid, 'page-size': size });
      for await (const answer of pagesFrom(service, path, { 'accept-encoding': coding })) {
        assert.equal(answer.headers['boundaries-matched'], String(expected.length));
        const caching = got.length === 0 ? 'private, no-cache' : 'private, max-age=31536000, immutable';
        assert.equal(answer.headers['cache-control'], caching);
        got.push(...JSON.parse(textOf(answer)).children);
      }
      assert.deepEqual(got, expected);
    }
  const from = elementAt(expected, 2)['fid'] as number;
  assert.deepEqual((await ask(service, { gid, 'start-at': from })).children, expected.slice(2));
  assert.deepEqual((await ask(service, { gid, 'start-at': from + 1 })).children, expected.slice(3));
  assert.deepEqual((await ask(service, { gid, 'start-at': 10 ** 12 })).children, []);
});

test('rows are the same wherever a page begins and ends, in both codings, and a page has a tag of its own', async () => {
  // Many below one parent, some whose parents alternate, and one with a name that is longer than others together.
  const units = Array.from({ length: 130 }, (_, i) => [
    i < 110 || i % 2 === 0 ? 'AAA' : 'BBB',
    `A.${i}`,
    i === 60 ? LONG : `Name ${i}`,
  ]);
  const countries = squares('ADM_0', ['GID_0', 'NAME_0'], ['AAA', 'Aland'], ['BBB', 'Beland']);
  const at = await startService(
    await buildLayers([countries, squares('ADM_1', ['GID_0', 'GID_1', 'NAME_1'], ...units)]),
  );
  const { children: all } = await ask(at, { gid: 'AAA' });
  assert.deepEqual(
    all.map(({ gid, name }: Row) => ['AAA', gid, name]),
    units.filter(([parent]) => parent === 'AAA'),
  );
  const bodies = new Map<string, string>();
  const fids = [0, 1, 48, 49, 50, 51, 59, 60, 61, 62, 109, 112, 128].map((i) => 1 + i);
  for (const fid of fids)
    for (const size of [1, 2, 49, 50, 51, 1000])
      for (const coding of ['gzip', 'identity']) {
        const path = pathOf({ gid: 'AAA', 'start-at': fid, 'page-size': size });
        const answer = await send(at, path, { 'accept-encoding': coding });
        assert.equal(answer.headers['content-length'], String(answer.body.length));
        const expected = all.filter((row: Row) => Number(row['fid']) >= fid).slice(0, size);
        assert.deepEqual(JSON.parse(textOf(answer)).children, expected);
        const { etag = '' } = answer.headers;
        const body = answer.body.toString('base64');
        assert.equal(bodies.get(etag) ?? body, body);
        bodies.set(etag, body);
      }
  assert.equal(bodies.size, new Set(bodies.values()).size);
});

test('the body of an answer is made when it is sent; one that is not the first of its level reads no file', async () => {
  const { origin, reads } = notedReads(out);
  const sources = await sourcesOf(out, origin);
  const first = await answerOf(sources, `${CHILDREN}?gid=U0.3_1`);
  const { length } = reads.splice(0);
  assert.ok(length > 0);
  const again = await answerOf(sources, `${CHILDREN}?gid=U0.2_1`);
  for (const { body } of [first, again]) assert.ok(body !== undefined && !Buffer.isBuffer(body));
  await bodyOf(sources, first);
  await bodyOf(sources, again);
  assert.deepEqual(reads, []);
});

/** The level of the children of a unit, and their GIDs. */
async function childrenOf(query: Readonly<Record<string, string | number>>): Promise<unknown[]> {
  const { level, children } = await ask(oddService, query);
  return [level, ...children.map(({ gid }: Row) => gid)];
}

test('children are on the nearest deeper level that has some; a GID of several levels needs the level', async () => {
  for (const [query, ...expected] of [
    [{}, 'lv0', 'AAA', 'BBB', 'CCC'],
    // Of two units with a GID the children of both.
    [{ gid: 'A.1' }, 'lv3', '3.1', '3.2'],
    [{ gid: 'A.1.x' }, 'lv3', '3.1', '3.2'],
    [{ gid: 'BBB' }, 'lv3', '3.4'],
    [{ gid: 'AAA' }, 'lv1', 'A.1', 'A.1', 'AAA', null],
    [{ gid: 'AAA', level: 'lv1' }, 'lv3', '3.3'],
    [{ gid: 'CCC' }, null],
    [{ gid: '3.1' }, null],
  ] as const)
    assert.deepEqual(await childrenOf(query), expected, JSON.stringify(query));
  const { unit, parents } = await ask(oddService, { gid: '3.1' });
  const { children } = await ask(oddService, { gid: 'A.1' });
  assert.deepEqual(unit, { ...children[0], gid: '3.1', name: RTL, type: null, level: 'lv3' });
  const named = ['gid', 'name', 'type', 'level'];
  assert.deepEqual(Object.keys(unit), [...named, 'fid', 'children', 'inside', 'area', 'view', 'codes']);
  assert.deepEqual(parents, [
    { gid: 'AAA', name: 'Aland', type: null, level: 'lv0' },
    { gid: 'A.1', name: 'North', type: 'Region', level: 'lv1' },
    { gid: 'A.1.x', name: null, type: null, level: 'lv2' },
  ]);
});

test('each child says what the names file has of it, and its codes; `children` is what asking for it lists', async () => {
  const { children } = await ask(oddService, { gid: 'A.1' });
  const [first, second] = children;
  const members = ['gid', 'name', 'type', 'fid', 'children', 'inside', 'area', 'view', 'codes'];
  assert.deepEqual(Object.keys(first), members);
  assert.deepEqual([first.name, first.codes, first.view], [RTL, { ine: '01' }, [0, 0, 1, 1]]);
  assert.deepEqual([second.name, second.area, second.view], [null, null, null]);
  const countries = await ask(oddService, {});
  assert.deepEqual(
    countries.children.map(({ codes }: Row) => codes),
    [{ iso2: 'AX' }, undefined, undefined],
  );
  for (const { gid, children: count } of countries.children)
    assert.equal((await ask(oddService, { gid })).children.length, count, gid);
});

test('the service says how many units are in no list below a unit', async () => {
  const { levels } = JSON.parse(textOf(await send(oddService, '/api/v1/')));
  assert.deepEqual(
    levels.map(({ level, orphans }: Record<string, unknown>) => [level, orphans]),
    [
      ['lv0', 0],
      ['lv1', 0],
      ['lv3', 1],
    ],
  );
});

test('a page ends behind 2 MiB of text, with at least one child, and next leads on', async () => {
  const long = Array.from({ length: 100 }, (_, i) => [`L${i}`, LONG]);
  const at = await startService(await buildLayers([squares('ADM_0', ['GID_0', 'NAME_0'], ...long)]));
  const found: unknown[] = [];
  let pages = 0;
  for await (const answer of pagesFrom(at, CHILDREN)) {
    const text = textOf(answer);
    const { children } = JSON.parse(text);
    assert.ok(Buffer.byteLength(text) - Buffer.byteLength(JSON.stringify(children.at(-1))) < 2 ** 21);
    found.push(...children.map(({ gid }: Row) => gid));
    pages++;
  }
  assert.deepEqual([found, pages], [long.map(([gid]) => gid), 2]);
});

test('a GID that no column has, or not that of its level, is 404, with a link to the same in capital letters', async () => {
  for (const [query, detail] of [
    [{ gid: 'none' }, /^No unit has the GID "none"\. GIDs are compared exactly\./],
    [{ gid: 'A.1', level: 'lv3' }, /^No unit of lv3 has the GID "A\.1"\. GIDs are compared exactly\./],
    [{ gid: 'x'.repeat(1000) }, /^No unit has the GID "x{40}\.\.\."\./],
    [{ gid: '東' }, /^No unit has the GID "東"\./],
  ] as const) {
    const answer = await send(oddService, pathOf(query));
    assert.match(refusal(answer, 404, 'unknown-gid'), detail);
    assert.equal(answer.headers.link, undefined);
  }
  const small = await send(oddService, pathOf({ gid: 'aaa', 'page-size': 1 }), { host: 'a.test' });
  refusal(small, 404, 'unknown-gid');
  assert.equal(small.headers.link, `<http://a.test${CHILDREN}?gid=AAA&page-size=1>; rel="alternate"`);
});

/** A cursor of the beginning of a level. */
function cursorOf(level: Level): string {
  const content = contentOf(sha256Of(join(odd, releasePath('r1'), RELEASE_FILE)));
  return encodeCursor({ release: 'r1', content, level, position: 0 });
}

test('a cursor of another level than the children have is refused', async () => {
  for (const [query, level, allowed] of [
    [{ gid: 'A.1' }, 1, 'a cursor of lv3'],
    [{ gid: 'CCC' }, 1, 'none'],
    [{}, 3, 'a cursor of lv0'],
  ] as const) {
    const answer = await send(oddService, pathOf({ ...query, 'start-at': cursorOf(level) }));
    const detail = refusal(answer, 400, 'bad-cursor');
    assert.equal(detail, `start-at is a cursor of lv${level}. Allowed: ${allowed}.`);
  }
  assert.equal((await send(oddService, pathOf({ gid: 'A.1', 'start-at': cursorOf(3) }))).status, 200);
});

test('a walk ends on the release that it began with, also where the next one has a level between', async () => {
  const between = squares('ADM_2', ['GID_0', 'GID_1', 'GID_2'], ['AAA', 'A.1', 'A.1.x']);
  await buildLayers([...ODD_LAYERS, between], { release: 'r2', accept: [...ACCEPT, 'fewer-units'] }, odd);
  pointTo(odd, 'r2', ['r1', 'r2']);
  await oddService.releases.refresh();
  assert.deepEqual(await childrenOf({ gid: 'A.1' }), ['lv2', 'A.1.x']);
  assert.deepEqual(await childrenOf({ gid: 'A.1', 'start-at': cursorOf(3) }), ['lv3', '3.1', '3.2']);
  pointTo(odd, 'r1', ['r1']);
  await oddService.releases.refresh();
});
