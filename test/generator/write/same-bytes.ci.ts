// The same source and options give the same bytes, whoever builds and however.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeTwoLevels } from '../../support/datasets/large-dataset.ts';
import { contentOf } from '../../support/files.ts';
import { GENERATOR } from '../../support/processes/run-generator.ts';
import { buildRelease, ONE_OTHER } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('builds of one source are byte-identical, under another time zone, language, umask and number of workers', async () => {
  const folder = temporaryFolder();
  const source = writeTwoLevels(join(folder, 'source.gpkg'));
  await buildRelease(source, join(folder, 'here'), { ...ONE_OTHER, tiles: 3 });
  const expected = contentOf(join(folder, 'here'));
  for (const [umask, workers, env] of [
    ['022', '1', { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' }],
    ['027', '8', {}],
    [
      '077',
      '2',
      // Where new memory has other content.
      { TZ: 'Asia/Kathmandu', LANG: 'de_DE.UTF-8', LC_ALL: 'tr_TR.UTF-8', NODE_OPTIONS: '--zero-fill-buffers' },
    ],
  ] as const) {
    const out = join(folder, umask);
    const options = `--release r1 --geometry full,low --tiles 3 --workers ${workers}`;
    const command = `umask ${umask}; exec "$0" "$1" build --source "$2" --out "$3" ${options}`;
    const args = ['-c', command, process.execPath, GENERATOR, source, out];
    const run = spawnSync('sh', args, { env: { ...process.env, ...env }, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.deepEqual(contentOf(out), expected, `${workers} workers`);
  }
});
