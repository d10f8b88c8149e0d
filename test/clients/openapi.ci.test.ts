// The examples of the interface's document that show units: those of the sample, as it is served; and a Python client
// that is generated from the document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService, TOKEN } from '../support/http/in-process-proxy.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Document {
  paths: Record<string, { get: { responses: Record<string, { content?: Record<string, Content> }> } }>;
}
interface Content {
  examples?: Record<string, { value: unknown; 'x-request': string }>;
}

test('the example of every page is what the request gives: no unit, or one of the sample', async () => {
  const sample = await startService(await sampleOutput());
  const { paths }: Document = JSON.parse(JSON.stringify(openapiDocument({ audience: 'private' })));
  let units = 0;
  for (const [path, { get }] of Object.entries(paths))
    for (const content of Object.values(get.responses['200']?.content ?? {}))
      for (const { value, 'x-request': request } of Object.values(content.examples ?? {})) {
        const [, target = ''] = /^GET (\S+) HTTP\/1\.1\n/.exec(request) ?? [];
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
  const run = async (program: string, args: string[]): Promise<string> => {
    const { status, text } = await runProgram(program, args, { cwd });
    assert.equal(status, 0, text);
    return text;
  };
  const made = '--meta none --output-path client'.split(' ');
  // It warns of media types that it does not know, such as that of lines.
  const warnings = await run('openapi-python-client', ['generate', '--url', `${url}/openapi.json`, ...made]);
  assert.doesNotMatch(warnings, /Unable to process schema/);
  assert.deepEqual(JSON.parse(await run('python3', ['-c', ASKED_IN_PYTHON, url, TOKEN])), [
    [1, 2, 3, 4],
    ['MultiPolygon', 'MultiPolygon'],
    ['lv0', 'lv1', 'lv2', 'lv3'],
    ['Spain', 'Comunidad de Madrid', 'Madrid', 'Madrid'],
    ['ESP.8.5_1'],
    'NAME_2',
    'bad-parameter',
  ]);
});
