// The HTTP contract, part one: what a request may say, and what it then asks for.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FORMATS, LEVELS, levelName, PAGE_CAPS } from '../../format/levels.ts';
import { ODD_GIDS, readStored, writeWorld } from '../support/datasets/large-dataset.ts';
import { fidsOf, nextOf, refusal, send, textOf } from '../support/http/http-client.ts';
import { AUTHORIZED, token } from '../support/http/in-process-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildEachChoice, inEverySetup } from './setups.ts';

const NO_TOKEN = { authorization: undefined };

const built = await buildEachChoice(writeWorld(join(temporaryFolder(), 'world.gpkg')));

await inEverySetup(
  async ({ pages, start }) => ({ proxy: await start(built[pages]), stored: readStored(built[pages], 'r1') }),
  ({ proxy, stored }) => {
    function allFids(level: number): number[] {
      return (stored[level]?.units ?? []).map(({ fid }) => fid);
    }

    test('answers at /api/v1/geojsonl/<LEVEL> and /api/v1/fc/<LEVEL> for each of the six levels', async () => {
      for (const format of FORMATS)
        for (const level of LEVELS)
          assert.equal((await send(proxy, `/api/v1/${format}/${levelName(level)}`)).status, 200);
    });

    test('answers any other path under /api/ with 404', async () => {
      const paths = [
        '/api/',
        '/api/v1',
        '/api/v1/fc',
        '/api/v1/fc/',
        '/api/v1/fc/lv6',
        '/api/v1/fc/lv0/',
        '/api/v1/fc/LV0',
      ];
      paths.push('/api/v1/fc/lv00', '/api/v2/fc/lv0', '/api/v1/FC/lv0', '/api/v1/geojson/lv0', '/api/v1/fc/%6cv0');
      paths.push(
        '/api//v1/fc/lv0',
        '/api/v1/../v1/fc/lv0',
        '/api/v1/fc%2flv0',
        '/api/v1/fc/lv0;a=b',
        '/api/../healthz',
      );
      for (const path of paths) refusal(await send(proxy, path), 404, 'not-found');
    });

    test('answers HEAD with the headers of GET and no body', async () => {
      for (const coding of ['gzip', 'identity'])
        for (const path of ['geojsonl/lv2', 'fc/lv3?page-size=7', 'fc/lv0?gid-0=none', 'geojsonl/lv9']) {
          const get = await send(proxy, `/api/v1/${path}`, { 'accept-encoding': coding });
          const head = await send(proxy, `/api/v1/${path}`, { 'accept-encoding': coding }, 'HEAD');
          assert.equal(head.status, get.status);
          assert.equal(head.body.length, 0);
          const { date: _, 'transfer-encoding': __, ...expected } = get.headers;
          const { date: ___, ...headers } = head.headers;
          assert.deepEqual(headers, expected);
        }
    });

    test('answers a CORS preflight without a token, whatever the path', async () => {
      const asked = { ...NO_TOKEN, origin: 'https://app.test', 'access-control-request-method': 'GET' };
      for (const path of ['/api/v1/fc/lv0', '/api/nothing']) {
        const answer = await send(proxy, path, asked, 'OPTIONS');
        assert.equal(answer.status, 204);
        assert.equal(answer.headers['access-control-allow-origin'], '*');
        assert.match(String(answer.headers['access-control-allow-methods']), /\bGET\b/);
        assert.match(String(answer.headers['access-control-allow-headers']), /\bAuthorization\b/);
        assert.ok(Number(answer.headers['access-control-max-age']) > 0);
      }
    });

    test('answers other methods with 405 and Allow', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        const answer = await send(proxy, '/api/v1/fc/lv0', {}, method);
        refusal(answer, 405, 'method-not-allowed');
        assert.equal(answer.headers.allow, 'GET, HEAD, OPTIONS');
      }
      const options = await send(proxy, '/api/v1/fc/lv0', {}, 'OPTIONS');
      assert.deepEqual([options.status, options.headers.allow], [204, 'GET, HEAD, OPTIONS']);
    });

    test('checks the token before anything else', async () => {
      const paths = [
        '/api/v1/fc/lv0',
        '/api/',
        '/api/nothing',
        '/api/v1/fc/lv0?page-size=0',
        '/api/v1/fc/lv0?access_token=x',
      ];
      for (const path of paths)
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
          refusal(await send(proxy, path, NO_TOKEN, method), 401, 'token-missing');
      assert.equal((await send(proxy, '/api/v1/fc/lv0', NO_TOKEN, 'HEAD')).status, 401);
    });

    test('takes the scheme of the token in any case', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
        assert.equal(
          (await send(proxy, '/api/v1/fc/lv0', { authorization: AUTHORIZED.authorization.replace('Bearer', scheme) }))
            .status,
          200,
        );
    });

    test('never accepts a token in the query', async () => {
      const path = `/api/v1/fc/lv0?access_token=${await token()}`;
      const detail = refusal(await send(proxy, path), 400, 'token-in-query');
      assert.doesNotMatch(detail, /eyJ/);
      refusal(await send(proxy, path, NO_TOKEN), 401, 'token-missing');
    });

    test('cuts pages at the cap of their format and level, where page-size is absent or larger', async () => {
      for (const format of FORMATS)
        for (const level of LEVELS)
          for (const query of [
            '',
            `?page-size=${PAGE_CAPS[format][level] + 1}`,
            '?page-size=99999999999999999999999',
          ]) {
            const answer = await send(proxy, `/api/v1/${format}/${levelName(level)}${query}`);
            const features = textOf(answer).match(/"type":"Feature"/g)?.length;
            assert.equal(features, PAGE_CAPS[format][level]);
          }
    });

    test('takes any page-size from 1', async () => {
      for (const size of [1, 2, 3, 19, 20])
        assert.deepEqual(
          fidsOf(await send(proxy, `/api/v1/geojsonl/lv1?page-size=${size}`)),
          allFids(1).slice(0, size),
        );
    });

    test('refuses a page-size that is no decimal integer of at least 1', async () => {
      for (const size of [
        '0',
        '000',
        '-1',
        '+1',
        '%2B1',
        '1.0',
        '1e1',
        '0x5',
        'ten',
        '',
        '%20',
        '1%20',
        '1,2',
        '%D9%A1',
        'NaN',
      ]) {
        const detail = refusal(await send(proxy, `/api/v1/fc/lv0?page-size=${size}`), 400, 'bad-parameter');
        assert.match(detail, /page-size .*at least 1/);
      }
    });

    test('starts at the first feature whose fid is at least start-at: at each fid, in gaps, before, past the end', async () => {
      const fids = allFids(0);
      for (let fid = 0; fid < (fids.at(-1) ?? 0) + 3; fid++) {
        const answer = await send(proxy, `/api/v1/geojsonl/lv0?page-size=2&start-at=${fid}`);
        assert.deepEqual(fidsOf(answer), fids.filter((known) => known >= fid).slice(0, 2));
      }
      assert.deepEqual(fidsOf(await send(proxy, '/api/v1/geojsonl/lv0?start-at=9007199254740991')), []);
    });

    test('starts behind start-after', async () => {
      const fids = allFids(0);
      for (let fid = 0; fid < (fids.at(-1) ?? 0) + 3; fid++) {
        const answer = await send(proxy, `/api/v1/geojsonl/lv0?page-size=2&start-after=${fid}`);
        assert.deepEqual(fidsOf(answer), fids.filter((known) => known > fid).slice(0, 2));
      }
      assert.deepEqual(fidsOf(await send(proxy, '/api/v1/geojsonl/lv0?start-after=9007199254740991')), []);
    });

    test('refuses a start that is neither a fid nor a cursor', async () => {
      for (const name of ['start-at', 'start-after']) {
        for (const value of ['', '9007199254740992', '99999999999999999999'])
          assert.match(refusal(await send(proxy, `/api/v1/fc/lv0?${name}=${value}`), 400, 'bad-parameter'), /cursor/);
        for (const value of ['-1', '1.5', '1e3', 'abc', '%20', '0x1', 'c_', 'c_AAAA'])
          refusal(await send(proxy, `/api/v1/fc/lv0?${name}=${value}`), 400, 'bad-cursor');
      }
    });

    test('refuses start-at and start-after together', async () => {
      const detail = refusal(await send(proxy, '/api/v1/fc/lv0?start-at=1&start-after=1'), 400, 'bad-parameter');
      assert.match(detail, /start-at.*start-after/);
    });

    test('takes a cursor in start-at and in start-after alike', async () => {
      const next = nextOf(await send(proxy, '/api/v1/geojsonl/lv2?page-size=3')) ?? '';
      const expected = allFids(2).slice(3, 6);
      assert.deepEqual(fidsOf(await send(proxy, next)), expected);
      assert.deepEqual(fidsOf(await send(proxy, next.replace('start-at', 'start-after'))), expected);
    });

    test('filters by the GIDs of ancestors and of the unit itself, all of them at once', async () => {
      const units = stored[2]?.units ?? [];
      const [top = '', middle = '', own = ''] = units[40]?.gids ?? [];
      const [otherTop = ''] = units[200]?.gids ?? [];
      const asked: Record<string, string>[] = [
        { 0: top },
        { 1: middle },
        { 2: own },
        { 0: top, 1: middle },
        { 0: top, 1: middle, 2: own },
        { 0: otherTop, 2: own },
      ];
      for (const filters of asked) {
        const wanted = Object.entries(filters);
        const expected = units.filter(({ gids }) => wanted.every(([n, gid]) => gids[Number(n)] === gid));
        const query = new URLSearchParams(wanted.map(([n, gid]): [string, string] => [`gid-${n}`, gid]));
        const answer = await send(proxy, `/api/v1/geojsonl/lv2?${query}`);
        assert.deepEqual(
          fidsOf(answer),
          expected.map(({ fid }) => fid),
        );
        assert.equal(answer.headers['boundaries-matched'], String(expected.length));
      }
    });

    test('matches GIDs exactly, on the percent-decoded value', async () => {
      for (const [i, gid] of ODD_GIDS.entries()) {
        const answer = await send(proxy, `/api/v1/geojsonl/lv1?gid-1=${encodeURIComponent(gid)}`);
        assert.deepEqual(fidsOf(answer), [allFids(1)[i]], gid);
        const below = await send(proxy, `/api/v1/fc/lv2?gid-1=${encodeURIComponent(gid)}`);
        const children = (stored[2]?.units ?? []).filter(({ gids }) => gids[1] === gid);
        assert.deepEqual(
          JSON.parse(textOf(below)).features.map((unit: { id: number }) => unit.id),
          children.map(({ fid }) => fid),
        );
      }
      for (const gid of ['u0.1_1', 'U0.1_1%20', '%20U0.1_1', 'Same', '%2e%2e%2f', 'U0.1_1%00'])
        assert.deepEqual(fidsOf(await send(proxy, `/api/v1/geojsonl/lv2?gid-0=${gid}`)), []);
    });

    test('answers a GID that is not in the data with 200 and an empty result', async () => {
      assert.deepEqual(fidsOf(await send(proxy, '/api/v1/geojsonl/lv3?gid-2=nowhere')), []);
      assert.deepEqual(JSON.parse(textOf(await send(proxy, '/api/v1/fc/lv3?gid-0=nowhere&gid-3=nobody'))).features, []);
    });

    test('refuses a filter below the level, and an empty one', async () => {
      for (const level of LEVELS) {
        for (const column of LEVELS.filter((n) => n > level)) {
          const answer = await send(proxy, `/api/v1/fc/${levelName(level)}?gid-${column}=x`);
          assert.match(refusal(answer, 400, 'bad-parameter'), new RegExp(`gid-${column} .*gid-0 to gid-${level}`));
        }
        assert.match(
          refusal(await send(proxy, `/api/v1/fc/${levelName(level)}?gid-0=`), 400, 'bad-parameter'),
          /gid-0/,
        );
        refusal(await send(proxy, `/api/v1/fc/${levelName(level)}?gid-0`), 400, 'bad-parameter');
      }
    });

    test('refuses an unknown parameter and names it and the allowed ones', async () => {
      for (const name of [
        'page_size',
        'Page-Size',
        'gid-6',
        'gid-',
        'limit',
        'start_at',
        'constructor',
        '__proto__',
        '%00',
      ]) {
        const detail = refusal(await send(proxy, `/api/v1/fc/lv1?${name}=1`), 400, 'unknown-parameter');
        assert.ok(detail.includes(JSON.stringify(decodeURIComponent(name))), detail);
        assert.match(detail, /Allowed: page-size, start-at, start-after, gid-0, gid-1\./);
      }
    });

    test('refuses a parameter that is given twice and names it', async () => {
      for (const query of ['page-size=2&page-size=2', 'gid-0=a&gid-0=b', 'start-at=1&page-size=1&start%2Dat=2']) {
        const detail = refusal(await send(proxy, `/api/v1/fc/lv1?${query}`), 400, 'duplicate-parameter');
        assert.match(detail, /(page-size|gid-0|start-at) occurs more than once/);
      }
    });

    test('refuses a query that is not percent-encoded UTF-8', async () => {
      for (const value of ['%', '%4', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%f8%88%80%80%80', 'a%e2%82'])
        refusal(await send(proxy, `/api/v1/fc/lv1?gid-0=${value}`), 400, 'bad-encoding');
    });

    test('skips empty pairs of the query, as forms do', async () => {
      for (const query of ['', '&', '&&page-size=1&', 'page-size=1&&'])
        assert.equal((await send(proxy, `/api/v1/fc/lv1?${query}`)).status, 200);
    });
  },
);
