// Real boundaries and names: points of the sample are in the units in which GDAL finds them, on every level; its units
// are found by their names.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import { releasePath } from '../../format/layout.ts';
import type { Level } from '../../format/levels.ts';
import { QUESTIONS, SHOWN_CHARS, SHOWN_CURSOR, SHOWN_HEADERS } from '../../proxy/site/questions.ts';
import { readStored } from '../support/datasets/large-dataset.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { gdalLookUp, pointsOf, proxyLookUp } from '../support/releases/points-beside-gdal.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { seedsOf } from '../support/slice.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { assertSearches } from './search-scan.ts';

const HOST = 'boundaries.example.org';
const SAMPLE: readonly Level[] = [0, 1, 2, 3];

const folder = await sampleOutput();
const stored = readStored(folder, 'sample');
const at = await proxyLookUp(folder);

test('GDAL finds points of the sample in the same units, half of them by a border', () => {
  for (const level of SAMPLE) {
    const { lines } = elementAt(stored, level);
    const ofGdal = gdalLookUp(lines);
    const points = pointsOf(lines, elementAt(seedsOf(1), 0));
    for (let i = 0; i < 1250; i++) {
      const [x, y] = points.next().value;
      const expected = ofGdal(x, y);
      if (expected !== undefined) assert.deepEqual(at(level, x, y), expected, `lv${level} ${x},${y}`);
    }
  }
});

test('a search finds the units that a scan of all names finds, of all levels, some, or in Spain', async () => {
  const sample = { release: join(folder, releasePath('sample')), stored };
  await assertSearches(await startService(folder), sample, 60, 'ESP');
});

test('words behind a name are of its parents, as in santa cruz spain; a GID finds its unit', async () => {
  const service = await startService(folder);
  const found = async (q: string): Promise<{ names: string[]; gids: string[] }> =>
    JSON.parse(textOf(await send(service, `/api/v1/search?limit=100&q=${encodeURIComponent(q)}`)));
  const countries = async (q: string): Promise<string[]> =>
    [...new Set((await found(q)).gids.map((gid) => gid.slice(0, 3)))].sort();
  assert.deepEqual(await countries('santa cruz'), ['ESP', 'USA']);
  assert.deepEqual([await countries('santa cruz spain'), await countries('Santa Cruz, U.S.A')], [['ESP'], ['USA']]);
  assert.deepEqual(
    [await countries('santa cruz united america'), (await found('santa cruz ariz')).names.length],
    [['USA'], 1],
  );
  assert.ok((await found('toledo spain')).names.every((name) => name.includes('Toledo')));
  assert.deepEqual((await found('Illescas, Toledo, SPA')).names, ['Illescas']);
  assert.deepEqual((await found('ESP.13.1.78_1')).names, ['Madrid']);
  assert.deepEqual((await found('spain toledo')).names, []);
});

test('the commands of the README files and the lines of Python say what is at a point, in a box and where', {
  skip: without('curl --version', 'jq --version', 'python3 --version', 'ogr2ogr --version'),
}, async () => {
  const { url } = await startService(folder);
  const env = { ...process.env, BASE: `${url}/api/v1`, AUTH: `Authorization: ${AUTHORIZED.authorization}` };
  const token = { TOKEN: AUTHORIZED.authorization.slice('Bearer '.length) };
  const run = async (program: string, option: string, code: string): Promise<string[]> => {
    const here = code.replaceAll('http://127.0.0.1:8080', url);
    const { status, text } = await runProgram(program, [option, here], { env: { ...env, ...token } });
    assert.equal(status, 0, text);
    return text.trimEnd().split('\n');
  };
  const lines = await run('sh', '-c', codeIn('README.md', 'sh', 'at?point='));
  const [country, , , place, province, town] = lines;
  const found = [province, town].map((line): [string, string, number[]] => JSON.parse(line ?? ''));
  assert.deepEqual(
    found.map(([level, name]) => [level, name]),
    [
      ['lv2', 'Toledo'],
      ['lv3', 'Toledo'],
    ],
  );
  const [outer, inner] = found.map(([, , box]) => box);
  for (const [west = NaN, south = NaN, east = NaN, north = NaN] of [outer ?? [], inner ?? []])
    assert.ok(west < -4.02 && -4.02 < east && south < 39.86 && 39.86 < north, lines.join('\n'));
  assert.deepEqual([country, place], ['lv0 Spain', 'lv3 Madrid']);
  const typed = temporaryFolder();
  const provinces = await run('sh', '-ec', `cd ${typed}\n${codeIn('README.md', 'sh', 'bbox=')}`);
  const inBox = provinces.slice(52);
  assert.ok(inBox.length < 20, inBox.join());
  assert.ok(
    ['Madrid', 'Toledo', 'Segovia'].every((name) => inBox.includes(name)),
    inBox.join(),
  );
  const clients = 'proxy/examples/clients/README.md';
  assert.deepEqual(await run('python3', '-c', codeIn(clients, 'python', 'contains=')), ['Madrid']);
  const [name, where = ''] = await run('sh', '-c', codeIn(clients, 'sh', 'names/lv3'));
  assert.equal(name, '"Toledo"');
  const [longitude = 0, latitude = 0] = JSON.parse(where);
  assert.ok(Math.abs(longitude + 4.02) < 0.2 && Math.abs(latitude - 39.87) < 0.2, where);
});

test('the answers that /docs shows are those of the sample', async () => {
  const service = await startService(folder);
  for (const { question, target, answer } of QUESTIONS) {
    const isDownload = target.startsWith('/api/v1/download/');
    const { headers, ...response } = await send(service, target, { host: HOST, 'accept-encoding': 'identity' });
    const body = isDownload ? '' : textOf({ headers, ...response }).trimEnd();
    const lines = SHOWN_HEADERS.filter((name) => headers[name.toLowerCase()] !== undefined).map((name) =>
      `${name}: ${headers[name.toLowerCase()]}`.replace(/c_[\w-]+/, SHOWN_CURSOR),
    );
    const shown = body.length > SHOWN_CHARS ? `${body.slice(0, SHOWN_CHARS)}…` : body;
    const expected = [`HTTP/1.1 ${response.status} OK`, ...lines, ...(shown === '' ? [] : ['', shown])];
    assert.deepEqual(answer.split('\n'), expected.join('\n').split('\n'), question);
  }
});
