// The HTTP contract: the whole files of a release: its overview, and the names of the units of each level.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { namesPath, OVERVIEW_FILE, releasePath } from '../../format/layout.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import { refusal, send, textOf } from '../support/http/http-client.ts';
import type { World } from './world.ts';

const HEADER = '["fid","gid","name","type","parent","children"]';
/** The text of each level's names. */
const NAMES: readonly string[] = [
  [HEADER, '[1,"AAA","Aland",null,null,2]', '[2,"BBB","Beland",null,null,1]'],
  [
    HEADER,
    '[1,"AAA.1_1","North",null,"AAA",2]',
    '[2,"AAA.2_1","South",null,"AAA",1]',
    '[3,"BBB.1_1","All",null,"BBB",1]',
  ],
  [
    HEADER,
    '[1,"AAA.1.1_1","Næst",null,"AAA.1_1",0]',
    '[2,"AAA.2.1_1","Søst",null,"AAA.2_1",0]',
    '[3,"BBB.1.1_1","東",null,"BBB.1_1",0]',
    '[4,"AAA.1.2_1","Wüst \\"late\\"",null,"AAA.1_1",0]',
  ],
  ...[3, 4, 5].map(() => [HEADER]),
].map((lines) => `${lines.join('\n')}\n`);

/** Each file: where it is requested, and where it is stored. */
const FILES: readonly { path: string; file: string }[] = [
  { path: '/api/v1/overview', file: OVERVIEW_FILE },
  ...LEVELS.map((level) => ({ path: `/api/v1/names/${levelName(level)}`, file: namesPath(level) })),
];

const CODINGS = ['gzip', 'identity'];

/** Tests overview and names, of the release of countries. */
export function testFiles(world: World): void {
  const { folder, proxy, publish } = world;
  before(() => publish('c1'));

  test('names are lines: the names of the columns, then each unit of the level in order of fid', async () => {
    for (const [level, text] of NAMES.entries()) {
      const answer = await send(proxy, `/api/v1/names/lv${level}`);
      assert.equal(textOf(answer), text);
      assert.equal(answer.headers['content-type'], 'application/x-ndjson');
      assert.equal(answer.headers['boundaries-matched'], String(text.split('\n').length - 2));
    }
  });

  test('the overview is TopoJSON with the units of levels 0 and 1', async () => {
    const answer = await send(proxy, '/api/v1/overview');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['boundaries-matched'], undefined);
    const { type, objects } = JSON.parse(textOf(answer));
    assert.equal(type, 'Topology');
    assert.deepEqual(Object.keys(objects), ['lv0', 'lv1']);
    const units = (level: string) =>
      objects[level].geometries.map(({ id, properties: { gid, name } }: Unit) => [id, gid, name]);
    assert.deepEqual(units('lv0'), [
      [1, 'AAA', 'Aland'],
      [2, 'BBB', 'Beland'],
    ]);
    assert.deepEqual(units('lv1'), [
      [1, 'AAA.1_1', 'North'],
      [2, 'AAA.2_1', 'South'],
      [3, 'BBB.1_1', 'All'],
    ]);
  });

  test('a file is sent as it is stored to clients that accept gzip, and inflated to others', async () => {
    for (const { path, file } of FILES) {
      const gzip = await send(proxy, path, { 'accept-encoding': 'gzip' });
      const plain = await send(proxy, path);
      assert.deepEqual(gzip.body, readFileSync(join(folder, releasePath('c1'), file)));
      assert.deepEqual([gzip.headers['content-encoding'], plain.headers['content-encoding']], ['gzip', undefined]);
      assert.equal(plain.body.toString(), textOf(gzip));
      for (const { headers, body } of [gzip, plain]) assert.equal(headers['content-length'], String(body.length));
    }
  });

  test('a file has no parameters', async () => {
    for (const { path } of FILES) {
      for (const query of ['page-size=1', 'start-at=1', 'gid-0=AAA', 'release=r2', 'x'])
        assert.match(refusal(await send(proxy, `${path}?${query}`), 400, 'unknown-parameter'), /Allowed: none\.$/);
      refusal(await send(proxy, `${path}?access_token=abc`), 400, 'token-in-query');
      refusal(await send(proxy, `${path}?%zz=1`), 400, 'bad-encoding');
      assert.equal((await send(proxy, `${path}?`)).status, 200);
    }
  });

  test('what is not the path of a file gives 404, which names the paths', async () => {
    for (const path of ['overview/', 'overview/lv0', 'overview.json', 'names', 'names/', 'names/lv6', 'names/LV0'])
      assert.match(
        refusal(await send(proxy, `/api/v1/${path}`), 404, 'not-found'),
        /\/api\/v1\/names\/<LEVEL> and \/api\/v1\/overview/,
      );
  });

  test('files are those of the current release, and one whose bytes did not change keeps its ETag', async () => {
    const paths = FILES.flatMap(({ path }) =>
      CODINGS.map((coding) => ({ path, given: { 'accept-encoding': coding } })),
    );
    const requests = () => Promise.all(paths.map(({ path, given }) => send(proxy, path, given)));
    // Twice: the second time they may come from the response cache.
    await requests();
    const before = await requests();
    await publish('c2');
    for (const [i, answer] of (await requests()).entries()) {
      const isChanged = paths[i]?.path === '/api/v1/names/lv2';
      assert.equal(answer.headers['boundaries-release'], 'c2');
      assert.equal(answer.headers.etag !== before[i]?.headers.etag, isChanged);
      assert.equal(textOf(answer).includes('Renamed'), isChanged);
    }
  });

  test('a file that is damaged, cut short or missing gives 502', async () => {
    const damages: ((file: string, size: number) => void)[] = [
      (file) => {
        const bytes = readFileSync(file);
        bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
        writeFileSync(file, bytes);
      },
      (file) => truncateSync(file, 30),
      (file) => rmSync(file),
    ];
    const subjects = FILES.slice(0, 3);
    for (const [i, { file }] of subjects.entries()) damages[i]?.(join(folder, releasePath('c3'), file), 0);
    await publish('c3');
    for (const { path } of subjects)
      for (const coding of CODINGS)
        assert.doesNotMatch(
          refusal(await send(proxy, path, { 'accept-encoding': coding }), 502, 'origin-damaged'),
          /releases|names|overview|\.gz/,
        );
    assert.equal((await send(proxy, '/api/v1/names/lv2')).status, 200);
  });
}

/** As much of a geometry of the overview as these tests look at. */
interface Unit {
  id: number;
  properties: { gid: string; name: string };
}
