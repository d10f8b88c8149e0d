// A page that was written against the sample works with other data: the recipe of clients/README.md shows names on the
// sample and, unchanged, on a release in Kartverket's layout, whose columns are called otherwise.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NORWAY } from '../generator/source/national-layouts.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { recipesFor } from '../support/processes/recipes.ts';
import { typed } from '../support/processes/typed.ts';
import { codeIn, wordsOf } from '../support/readme-code.ts';
import { sampleOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PAGE = codeIn('proxy/examples/clients/README.md', 'ts', 'at?point=');

test("a page written against the sample's /at shows names on a release in Kartverket's layout unchanged", async () => {
  const sample = await startService(await sampleOutput());
  const names = 'lv0 Spain\nlv1 Comunidad de Madrid\nlv2 Madrid\nlv3 Madrid\n';
  assert.equal(await recipesFor(sample).node(PAGE), names);
  const folder = temporaryFolder();
  cpSync('generator/examples', folder, { recursive: true });
  NORWAY.write(folder);
  const line = codeIn('generator/README.md', 'sh', 'kommunenummer').replace(/^npx tsx \S+ /, '');
  const { status, stderr } = await typed('generator', [...wordsOf(line), '--workers', '0', '--quiet'], { cwd: folder });
  assert.equal(status, 0, stderr);
  const norway = await startService(join(folder, 'output'));
  const path = '/api/v1/fc/lv2?geometry=point&page-size=1&start-at=';
  for (const fid of [0, 3]) {
    const [unit] = JSON.parse(textOf(await send(norway, path + fid))).features;
    const page = PAGE.replace('-3.7038,40.4168', unit.geometry.coordinates.join());
    const printed = await recipesFor(norway).node(page);
    assert.match(printed, /^lv1 \S.*\nlv2 \S.*\n$/);
    assert.ok(printed.endsWith(`\nlv2 ${unit.properties.kommunenavn}\n`), printed);
  }
  const { levels } = JSON.parse(textOf(await send(norway, '/api/v1/')));
  assert.deepEqual(
    levels.map(({ columns }: { columns: object }) => columns),
    [
      { gid: 'fylkesnummer', name: 'fylkesnavn', type: null, parents: [null], names: {}, codes: {} },
      { gid: 'kommunenummer', name: 'kommunenavn', type: null, parents: [null, 'GID_1'], names: {}, codes: {} },
    ],
  );
});
