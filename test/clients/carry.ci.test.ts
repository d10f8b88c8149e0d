// The recipe that carries a table of figures from one release to another, as it is printed.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { publishChanges } from '../../generator/check/publish-changes.ts';
import { withLock } from '../../generator/release/output-lock.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { openPool } from '../../generator/workers/pool.ts';
import { layerOf, square } from '../support/datasets/write-dataset.ts';
import { AUTHORIZED, startService } from '../support/http/in-process-proxy.ts';
import { runProgram, without } from '../support/processes/programs.ts';
import { codeIn } from '../support/readme-code.ts';
import { buildLayers } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CLIENTS = 'proxy/examples/clients/README.md';

test('a table of figures is carried to the units of another release by shares, and its sums stay', {
  skip: without('python3 --version', 'curl --version'),
}, async () => {
  const [folder, home] = [temporaryFolder(), temporaryFolder()];
  const build = async (release: string, gids: readonly (readonly [gid: string, x: number, size?: number])[]) => {
    const districts = gids.map(([gid, x, size]) => [['ESP', 'ESP.1_1', gid], square(x, 0, size)] as const);
    const layers = [
      layerOf('ADM_0', ['GID_0'], [[['ESP'], square(0, 0, 20)]]),
      layerOf('ADM_1', ['GID_0', 'GID_1'], [[['ESP', 'ESP.1_1'], square(0, 0, 20)]]),
      layerOf('ADM_2', ['GID_0', 'GID_1', 'GID_2'], districts),
    ];
    await buildLayers(layers, { release, accept: ['fewer-units'] }, folder);
  };
  await build('2025-11', [
    ['ESP.1.1_1', 0, 1],
    ['two', 1, 1],
    ['stays', 5],
    ['big', 8, 2],
    ['sinks', 15],
  ]);
  await build('2026-11', [
    ['joined', 0, 2],
    ['stays', 5],
    ['b1', 8, 1],
    ['b2', 9, 1],
  ]);
  await publishChanges({ out: folder, from: '2025-11', to: '2026-11' }, undefined, openPool(0), SILENT, (write) =>
    withLock(folder, write),
  );
  const { url } = await startService(folder);
  symlinkSync(resolve('proxy'), join(home, 'proxy'));
  writeFileSync(
    join(home, 'inhabitants.csv'),
    'gid,people,cows\nESP.1.1_1,100,1\ntwo,20,2\nstays,7,\nbig,1000,10\nsinks,3,1\n',
  );
  const env = { ...process.env, BASE: `${url}/api/v1`, AUTH: `Authorization: ${AUTHORIZED.authorization}` };
  const type = async (word: string) => {
    const { status, text } = await runProgram('sh', ['-ec', codeIn(CLIENTS, 'sh', word)], { cwd: home, env });
    assert.equal(status, 0, text);
    return text;
  };
  assert.match(await type('carry.py'), /no successor: sinks/);
  assert.equal(
    readFileSync(join(home, 'carried.csv'), 'utf8'),
    'gid,people,cows\nb1,500,5\nb2,500,5\njoined,120,3\nstays,7,0\n',
  );
  assert.match(await type('successor-version'), /gid-2=joined>; rel="successor-version"/);
});
