// Each parameter, header and path has its worst value in the table (worst-of-each.ts), is answered as expected, and
// reads little for it: by counts, on a small release. What they cost where there are many units is in the long run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { releasePath } from '../../../format/layout.ts';
import { send } from '../../support/http/http-client.ts';
import { startService } from '../../support/http/in-process-proxy.ts';
import { costOf } from '../../support/http/turns.ts';
import { buildCountries, WHOLE } from '../../support/releases/build-release.ts';
import { watchedFolder } from '../../support/watched-origin.ts';
import { factsOf, headOf, worstValues } from './worst-of-each.ts';

/** Reads of a request at most, once its release, level and their parts are known. */
const READS_MAX = 30;

const folder = await buildCountries({ ...WHOLE, storedPages: 'none', tiles: 2 });
let reads = 0;
const origin = watchedFolder(folder, () => reads++);
const service = await startService(folder, { origin, trustProxy: ['127.0.0.1'], explorer: true });
const rows = worstValues(factsOf(join(folder, releasePath('r1'))));

test('every parameter of the documents, every path and every header that is read has a row', async () => {
  const { paths, components } = JSON.parse((await send(service, '/openapi.json')).body.toString());
  const names = new Set<string>();
  const uncovered: string[] = [];
  for (const [path, { get }] of Object.entries<Record<string, { parameters?: { $ref?: string }[] }>>(paths)) {
    for (const parameter of get?.parameters ?? []) {
      const own =
        parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1) ?? ''];
      if (own.in === 'query') names.add(own.name);
    }
    // Of each kind of path one level is enough.
    const kind = RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+').replaceAll(/lv\d/g, 'lv\\d')}(\\?|$)`);
    if (!rows.some((row) => kind.test(row.path))) uncovered.push(path);
  }
  const [, listed = ''] =
    /RequestHeaders = Readonly<(.*?)\n>;/s.exec(readFileSync('proxy/http/request.ts', 'utf8')) ?? [];
  const headers = Array.from(listed.matchAll(/'([a-z-]+)'/g), ([, name = '']) => name);
  assert.ok(names.size > 15 && headers.length > 10, `${[...names, ...headers]}`);
  const named = rows.map(({ of }) => of);
  assert.deepEqual([...uncovered, ...[...names, ...headers].filter((name) => !named.includes(name))], []);
});

test('the worst values are answered as expected, and read little', async () => {
  for (const row of rows) {
    await costOf(service, headOf(row, 0));
    reads = 0;
    const { response } = await costOf(service, headOf(row, 1));
    assert.equal(response?.status, row.status ?? 200, `${row.of}: ${row.what}`);
    assert.ok(reads <= READS_MAX, `${row.of}, ${row.what}: ${reads} reads`);
  }
});
