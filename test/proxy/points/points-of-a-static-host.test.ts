// `points` and its module with the address of an output folder on a static host: one that knows nothing of ranges, and is
// never given the token.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Level } from '../../../format/levels.ts';
import { type OpenRelease, openAddress } from '../../../proxy/points/open-release.ts';
import { loadLevel } from '../../../proxy/points/reader.ts';
import { Cache } from '../../../proxy/tables/cache.ts';
import { TOKEN } from '../../support/http/in-process-proxy.ts';
import { listen } from '../../support/http/listen.ts';
import { ADDED, append, LATE, SOUTH } from '../../support/points-table.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildCountries } from '../../support/releases/build-release.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const out = await buildCountries({ cells: true });
const TABLE = `lon,lat\n${SOUTH.at}\n${LATE.at}\n`;
const EXPECTED = `${['lon', 'lat', ...ADDED]}\n${[...SOUTH.at, ...SOUTH.units]}\n${[...LATE.at, ...LATE.units]}\n`;

/** A host of whole files below /boundaries. @param answer instead of a file; undefined for the file */
async function hostOf(folder: string, answer: (path: string) => string | undefined = () => undefined) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const path = (req.url ?? '').replace('/boundaries/', '');
    asked.push(`${req.headers.authorization ?? ''}${path}`);
    const other = answer(path);
    try {
      res.end(other ?? readFileSync(join(folder, path)));
    } catch {
      res.writeHead(404).end();
    }
  });
  return { url: `http://127.0.0.1:${await listen(server)}/boundaries`, asked };
}

const opening =
  (url: string, levels?: Level[], cache = new Cache(temporaryFolder())) =>
  (): Promise<OpenRelease> =>
    openAddress({ url, token: TOKEN }, levels, cache);

test('of an output folder on a static host the files are fetched once; later current.json and release.json alone', async () => {
  const { url, asked } = await hostOf(out);
  const env = { TOKEN, XDG_CACHE_HOME: temporaryFolder() };
  for (const again of [false, true]) {
    asked.length = 0;
    const { status, stdout, stderr } = await typed('proxy', ['points', '--url', `${url}/`], { stdin: TABLE, env });
    assert.deepEqual([status, stdout], [0, EXPECTED], stderr);
    const files = ['lv0', 'lv1', 'lv2'].flatMap((level) => [`${level}/names.jsonl.gz`, `${level}/cells.bin`]);
    assert.deepEqual(asked, [
      'current.json',
      ...['release.json', ...(again ? [] : files)].map((at) => `releases/r1/${at}`),
    ]);
  }
});

test('its module takes that address, too, and files that the host has sent with Content-Encoding', async () => {
  const [longitude = '', latitude = ''] = SOUTH.at;
  const names = 'releases/r1/lv0/names.jsonl.gz';
  const text = gunzipSync(readFileSync(join(out, names))).toString();
  for (const { url } of [await hostOf(out), await hostOf(out, (path) => (path === names ? text : undefined))]) {
    const [unit] = (await loadLevel({ url, level: 'lv0', token: TOKEN })).at(longitude, latitude);
    assert.equal(unit?.gid, SOUTH.units[0]);
  }
});

test('a page for any address, another format, files of others, and no cells are errors, and nothing is kept', async () => {
  const pointer = readFileSync(join(out, 'current.json'), 'utf8');
  const damaged = copyOf(out);
  writeFileSync(join(damaged, 'releases/r1/lv1/cells.bin'), readFileSync(join(out, 'releases/r1/lv0/cells.bin')));
  const missing = copyOf(out);
  rmSync(join(missing, 'releases/r1/lv1/cells.bin'));
  for (const [host, message] of [
    [await hostOf(out, () => '<!doctype html>'), /neither this service nor an output folder/],
    [
      await hostOf(out, (path) =>
        path === 'current.json' ? pointer.replace(/"version": \d+/, '"version": 5') : undefined,
      ),
      /format version is 5/,
    ],
    [await hostOf(damaged), /lv1\/cells\.bin: .*as it is, without Content-Encoding|lv1\/cells\.bin.*expected/],
    [await hostOf(missing), /files of its release are missing/],
    [await hostOf(await buildCountries()), /no cells to look points up in/],
  ] as const) {
    const kept = temporaryFolder();
    await assert.rejects(append(TABLE, opening(host.url, undefined, new Cache(kept))), { message, remedy: /./ });
    assert.ok(readdirSync(kept).every((name) => /^[0-9a-f]{32}\.(bin|json)$/.test(name)));
    assert.ok(
      host.asked.every((path) => !path.startsWith('Bearer') || /^Bearer \S+?api/.test(path)),
      host.asked.join(),
    );
  }
  const old = await hostOf(out, (path) => (path === 'current.json' ? '{"version":5,"release":"r1"}' : undefined));
  await assert.rejects(loadLevel({ url: old.url, level: 'lv0' }), /current\.json: format version is 5/);
});

test('a release that is removed while its files are fetched is left for the next one', async () => {
  let count = 0;
  const pointer = readFileSync(join(out, 'current.json'), 'utf8');
  const { url } = await hostOf(out, (path) =>
    path === 'current.json' && count++ === 0 ? pointer.replaceAll('r1', 'r0') : undefined,
  );
  assert.equal((await append(TABLE, opening(url))).text, EXPECTED);
  count = 0;
  assert.equal((await loadLevel({ url, level: 'lv1' })).units.length > 0, true);
});
