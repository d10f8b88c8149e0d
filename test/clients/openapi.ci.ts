// The examples of the interface's document that show units: those of the sample, as it is served; and clients in Python
// and TypeScript that are generated from the document.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { type Document, resolved } from '../support/http/openapi-document.ts';
import { printedBy, without } from '../support/processes/programs.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the example of every page is what the request gives: no unit, or one of the sample', async () => {
  const sample = await startService(await sampleOutput());
  const { paths }: Document = JSON.parse(JSON.stringify(openapiDocument({ audience: 'private' })));
  let units = 0;
  for (const [path, { get }] of Object.entries(paths))
    for (const content of Object.values(resolved(get.responses['200'] ?? {}).content ?? {}))
      for (const { value, 'x-request': request } of Object.values(content.examples ?? {})) {
        const [, target = ''] = /^GET (\S+) HTTP\/1\.1\n/.exec(request ?? '') ?? [];
        assert.match(target, RegExp(`^${path.replace('{level}', 'lv\\d')}\\?`));
        const answer = await send(sample, target);
        assert.equal(answer.status, 200);
        const text = textOf(answer);
        assert.deepEqual(typeof value === 'string' ? text : JSON.parse(text), value, target);
        if (answer.headers['boundaries-matched'] === '1') units++;
      }
  assert.equal(units, 4, 'of three levels, and of one in the other format');
});

/**
 * Prints the fids of a page and of the next one, the levels and names at a point, the GIDs of a search, the column of
 * names of level 2, and a problem's code.
 */
const ASKED_IN_PYTHON = `
import json, re, sys
from client import AuthenticatedClient
from client.api.pages import fc
from client.api.service import service
from client.api.units import at, search
client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
page = fc.sync_detailed('lv2', client=client, gid_0='ESP', page_size=2)
cursor = re.search('start-at=([^&>]*)', page.headers['link'])[1]
following = fc.sync('lv2', client=client, gid_0='ESP', page_size=2, start_at=cursor)
shapes = [unit.geometry.type_ for unit in page.parsed.features]
fids = [unit.id for unit in [*page.parsed.features, *following.features]]
there = at.sync(client=client, point='-3.7038,40.4168')
found = search.sync(client=client, q='toledo', level='lv2').gids
column = service.sync(client=client).levels[2].columns.name
print(json.dumps([fids, shapes, there.levels, there.names, found, column, at.sync(client=client, point='here').code]))`;

test('a Python client that is generated from the document reads a page, its next one, /at, /search and problems', {
  skip: without('openapi-python-client --version', "python3 -c 'import httpx, attrs'"),
}, async () => {
  const { url } = await startService(await sampleOutput());
  const cwd = temporaryFolder();
  const made = '--meta none --output-path client'.split(' ');
  // It warns of media types that it does not know, such as that of lines.
  const warnings = await printedBy('openapi-python-client', ['generate', '--url', `${url}/openapi.json`, ...made], {
    cwd,
  });
  assert.doesNotMatch(warnings, /Unable to process schema/);
  assert.deepEqual(JSON.parse(await printedBy('python3', ['-c', ASKED_IN_PYTHON, url, TOKEN], { cwd })), [
    [1, 2, 3, 4],
    ['MultiPolygon', 'MultiPolygon'],
    ['lv0', 'lv1', 'lv2', 'lv3'],
    ['Spain', 'Comunidad de Madrid', 'Madrid', 'Madrid'],
    ['ESP.8.5_1'],
    'NAME_2',
    'bad-parameter',
  ]);
});

/** Prints as much as the client in Python. The compiler must know the names, the levels and the members. */
const ASKED_IN_TYPESCRIPT = `
import type { operations } from "./boundaries.d.ts";
type Query<Name extends keyof operations> = operations[Name]['parameters']['query'];
type Level = operations['fc']['parameters']['path']['level'];
type Page = operations['fc']['responses'][200]['content']['application/geo+json'];
type Units = operations['at']['responses'][200]['content']['application/geo+json'];
type Problem = operations['at']['responses'][400]['content']['application/problem+json'];
const [base = '', token = ''] = process.argv.slice(2);
async function ask<Body>(path: string, query: object = {}): Promise<{ link: string; body: Body }> {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const url = base + path + '?' + new URLSearchParams(texts);
  const response = await fetch(url, { headers: { authorization: 'Bearer ' + token } });
  return { link: response.headers.get('link') ?? '', body: (await response.json()) as Body };
}
const pageOf = (level: Level, query: Query<'fc'>) => ask<Page>('/api/v1/fc/' + level, query);
// @ts-expect-error there is no such level
const none: Level = 'lv6';
const page = await pageOf('lv2', { 'gid-0': 'ESP', 'page-size': 2 });
const cursor = /start-at=([^&>]*)/.exec(page.link)?.[1] ?? '';
const next = await pageOf('lv2', { 'gid-0': 'ESP', 'page-size': 2, 'start-at': cursor });
const point: Query<'at'> = { point: '-3.7038,40.4168' };
const there = (await ask<Units>('/api/v1/at', point)).body;
const search: Query<'search'> = { q: 'toledo', level: 'lv2' };
const found = (await ask<Units>('/api/v1/search', search)).body.gids;
const fids = [...page.body.features, ...next.body.features].map(({ id }) => id);
const problem = (await ask<Problem>('/api/v1/at', { point: 'here' })).body.code;
console.log(JSON.stringify([fids, there.levels, there.names, found, problem, none]));
`;

test('TypeScript types that are generated from the document describe a page, its next one, /at, /search and problems', {
  skip: without('openapi-typescript --version'),
}, async () => {
  const { url } = await startService(await sampleOutput());
  const cwd = temporaryFolder();
  await printedBy('openapi-typescript', [`${url}/openapi.json`, '-o', 'boundaries.d.ts'], { cwd });
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  writeFileSync(join(cwd, 'client.ts'), ASKED_IN_TYPESCRIPT);
  const compiled = '--noEmit --strict --module nodenext --target es2023 --lib es2023,dom --allowImportingTsExtensions';
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
  await printedBy(resolve('node_modules/.bin/tsc'), [...compiled.split(' '), ...types, 'client.ts'], { cwd });
  const program = ['--import', import.meta.resolve('tsx'), 'client.ts', url, TOKEN];
  const asked = await printedBy(process.execPath, program, { cwd });
  assert.deepEqual(JSON.parse(asked), [
    [1, 2, 3, 4],
    ['lv0', 'lv1', 'lv2', 'lv3'],
    ['Spain', 'Comunidad de Madrid', 'Madrid', 'Madrid'],
    ['ESP.8.5_1'],
    'bad-parameter',
    'lv6',
  ]);
});
