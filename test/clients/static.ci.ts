// The page 'Without a server': its lines as they are printed, with a static host of node:http, the map in Chromium, the
// configuration in nginx.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundleReader } from '../../.package/bundle-reader.js';
import { elementAt } from '../../format/element-at.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { squares } from '../support/datasets/write-dataset.ts';
import { listen } from '../support/http/listen.ts';
import { sendFile } from '../support/http/static-host.ts';
import { browserOf, WITHOUT_CHROMIUM } from '../support/processes/chromium.ts';
import { freePort } from '../support/processes/free-port.ts';
import { exampleWith, missing, startNginx } from '../support/processes/nginx-varnish.ts';
import { printedBy, without } from '../support/processes/programs.ts';
import { withCompiledPrograms } from '../support/processes/typed-commands.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildLayers } from '../support/releases/build-release.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { createPageServer } from './page-server.ts';

const PAGE = 'proxy/examples/static/README.md';
const ADDRESS = 'https://static.example.org/boundaries';
const folder = await sampleOutput();
const stored = readStored(folder, 'sample');
const regions = elementAt(stored, 1).lines;

/** A static host for pages of any origin. @returns its address */
async function startHost(root: string, hasRanges = true): Promise<string> {
  const server = createServer((req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Access-Control-Allow-Headers', 'Range');
    if (req.method === 'OPTIONS') return void res.writeHead(204).end();
    if (!hasRanges) delete req.headers.range;
    return sendFile(join(root, decodeURI(req.url ?? '')), req, res, {});
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

const base = await startHost(folder);
const at = (code: string, address = base): string => code.replaceAll(ADDRESS, address);

test('the commands of the page name a unit and write a whole level', {
  skip: without('curl --version', 'jq --version'),
}, async () => {
  const cwd = temporaryFolder();
  const text = await printedBy('sh', ['-ec', at(codeIn(PAGE, 'sh', 'regions.geojsonl'))], { cwd });
  assert.match(text, /"Comunidad de Madrid"/);
  const written = readFileSync(join(cwd, 'regions.geojsonl'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    written.map((line) => JSON.parse(line).id),
    regions.map((line) => JSON.parse(line).id),
  );
});

test('the program of the page reads every page of a level, as many as manifest.json says', async () => {
  // Three pages, of which the last is not full.
  const gids = Array.from({ length: 45 }, (_, i) => `AAA.${i}_1`);
  const countries = squares('ADM_0', ['GID_0'], ['AAA']);
  const units = squares('ADM_1', ['GID_0', 'GID_1'], ...gids.map((gid) => ['AAA', gid]));
  const small = await buildLayers([countries, units], { storedPages: 'all' });
  const program = at(codeIn(PAGE, 'js', 'DecompressionStream'), await startHost(small));
  const text = await printedBy(process.execPath, ['--input-type=module', '-e', program]);
  assert.deepEqual(text.trimEnd().split('\n'), gids);
});

test('points, its module and points.py take the address of the page, and find the same', async () => {
  const there = temporaryFolder();
  for (const name of ['proxy', 'format', 'node_modules', 'package.json']) symlinkSync(resolve(name), join(there, name));
  writeFileSync(join(there, 'places.csv'), 'lon,lat\n-3.7038,40.4168\n');
  const env = { ...withCompiledPrograms(), XDG_CACHE_HOME: there, TOKEN: undefined };
  const lines = at(codeIn(PAGE, 'sh', 'places.csv'))
    .trimEnd()
    .split('\n');
  const skipped = without('python3 --version') !== false;
  const commands = lines.filter((line) => !skipped || !line.startsWith('python3')).join('\n');
  await printedBy('sh', ['-ec', commands], { env, cwd: there });
  const found = readFileSync(join(there, 'places-with-units.csv'), 'utf8');
  assert.match(found, /^lon,lat,gid_0,.*\n-3\.7038,40\.4168,ESP,Spain,/);
  if (!skipped) assert.equal(readFileSync(join(there, 'with-python.csv'), 'utf8'), found);
  const reader = join(there, 'points.mjs');
  await bundleReader(resolve(), reader);
  const program = at(codeIn(PAGE, 'ts', 'loadLevel')).replace(
    'administrative-boundaries-service/points',
    pathToFileURL(reader).href,
  );
  // A host without ranges will do: cells and names are read whole.
  const whole = program.replace(base, await startHost(folder, false));
  assert.match(await printedBy(process.execPath, ['--input-type=module', '-e', whole]), /^\S+ Madrid\n$/);
});

test('the map of the page is drawn from the archive, with its credit; without ranges the page says why not', {
  skip: WITHOUT_CHROMIUM,
}, async () => {
  const html = readFileSync('proxy/examples/static/map.html', 'utf8');
  const pages = createPageServer();
  const port = await listen(pages.server);
  const browser = await browserOf('webgl');
  for (const hasRanges of [true, false]) {
    pages.serve(html.replaceAll(ADDRESS, hasRanges ? base : await startHost(folder, false)), port, '', '');
    const tab = await browser.newPage({ viewport: { width: 400, height: 300 } });
    const faults: string[] = [];
    tab.on('pageerror', (error) => faults.push(String(error)));
    tab.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await tab.goto(`http://127.0.0.1:${port}`);
    const credit = async (): Promise<string> => (await tab.locator('.maplibregl-ctrl-attrib').allInnerTexts()).join();
    await until(
      async () => faults.length > 0 || (await credit()).includes('Natural Earth'),
      () => `no map, ranges: ${hasRanges}`,
    );
    if (hasRanges) assert.deepEqual(faults, []);
    else assert.match(faults.join(), /Byte Serving|range/i);
    await tab.close();
  }
});

test('nginx-static.conf sends files as they are, with types, CORS, ranges and what caches may keep', {
  skip: missing('nginx'),
}, async () => {
  const port = await freePort();
  await startNginx(
    exampleWith('nginx-static.conf', { 'listen 8082': `listen 127.0.0.1:${port}`, '/srv/boundaries/output': folder }),
    port,
  );
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}/${path}`, init);
  const level = 'releases/sample/lv1';
  const forever = 'public, max-age=31536000, immutable';
  for (const [path, type, caching] of [
    ['current.json', 'application/json', 'no-cache'],
    [`${level}/names.jsonl.gz`, 'application/gzip', forever],
    [`${level}/tiles.pmtiles`, 'application/vnd.pmtiles', forever],
    [`${level}/cells.bin`, 'application/octet-stream', forever],
  ] as const) {
    const answer = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(folder, path))), path);
    const { headers } = answer;
    assert.deepEqual(
      ['content-type', 'cache-control', 'access-control-allow-origin', 'content-encoding'].map((name) =>
        headers.get(name),
      ),
      [type, caching, '*', null],
    );
  }
  const part = await ask(`${level}/tiles.pmtiles`, { headers: { range: 'bytes=0-6' } });
  assert.deepEqual([part.status, await part.text()], [206, 'PMTiles']);
  const preflight = await ask(`${level}/tiles.pmtiles`, { method: 'OPTIONS' });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*']);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Range/);
  const none = await ask('releases/.staging/x');
  assert.deepEqual([none.status, none.headers.get('access-control-allow-origin')], [404, '*']);
});
