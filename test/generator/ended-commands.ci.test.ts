// Commands that a signal ends in the middle, while a call of them does not return: they end, and leave no working
// files.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { after } from '../support/after.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { compile } from '../support/processes/compile.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const source = writeCountries();
const out = join(folder, 'out');
await buildRelease(source, out);

/** The first process that opens a file under BLOCKS says so, and goes no further. */
const BLOCK = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { openSync } = fs;
fs.openSync = (path, ...args) => {
  if (String(path).includes(process.env.BLOCKS)) {
    fs.writeFileSync(process.env.BLOCKED, '');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  return openSync(path, ...args);
};
syncBuiltinESMExports();
`;
writeFileSync(join(folder, 'block.mjs'), BLOCK);

for (const [name, args, blocks] of [
  ['build --dry-run', ['build', '--release', 'r2', '--dry-run', '--workers', '1'], 'estimate'],
  ['verify --source', ['verify', '--workers', '1'], 'features'],
] as const)
  test(`SIGTERM ends ${name} in the middle of a call, and its working files are removed`, {
    timeout: 60_000,
  }, async () => {
    const [working, blocked] = [join(folder, blocks), join(folder, `${blocks}-blocked`)];
    mkdirSync(working);
    const command = spawn(process.execPath, [compile('generator/main.ts'), ...args, '--source', source, '--out', out], {
      stdio: 'ignore',
      env: {
        ...process.env,
        TMPDIR: working,
        NODE_OPTIONS: `--import ${join(folder, 'block.mjs')}`,
        BLOCKS: blocks === 'estimate' ? working : '/lv0/features/',
        BLOCKED: blocked,
      },
    });
    after(() => command.kill('SIGKILL'));
    const exit = once(command, 'exit');
    await until(() => existsSync(blocked), `${name} does not come there`);
    assert.equal(readdirSync(working).length, 1);
    command.kill('SIGTERM');
    assert.deepEqual(await exit, [143, null]);
    assert.deepEqual(readdirSync(working), []);
  });
