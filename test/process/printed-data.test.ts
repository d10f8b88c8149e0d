// What the generator prints of hostile data: nothing that a terminal obeys, and no line that a log of continuous
// integration takes for a command.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { layerOf, square, writeDataset } from '../support/datasets/write-dataset.ts';
import { type Typed, typed } from '../support/processes/typed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const HOSTILE = 'A\n::error::GID\r\u001b[31m\u009b2J\u2028';
const WRITTEN = String.raw`A\u000a::error::GID\u000d\u001b[31m\u009b2J\u2028`;

/** A GeoPackage, and a column and a file name as hostile as the GID. */
function writeHostile(name: string, gid: string, wkt: string | null): string {
  const layer = layerOf('ADM_0', ['GID_0', `${HOSTILE}-${name}`], [[[gid], wkt]]);
  return writeDataset(join(folder, `${HOSTILE}-${name}.gpkg`), 'GPKG', [layer]);
}

async function printed(...args: string[]): Promise<Typed> {
  const result = await typed('generator', [...args, '--quiet', '--out', join(folder, 'out')]);
  for (const text of [result.stdout, result.stderr]) {
    assert.doesNotMatch(text, /[^\P{Cc}\n]|\u2028/u, args.join(' '));
    assert.doesNotMatch(text, /^\s*::/m, args.join(' '));
  }
  return result;
}

function build(source: string, release: string): Promise<Typed> {
  return printed('build', '--source', source, '--release', release, '--workers', '0');
}

test('GIDs, columns and file names are printed with escapes in place of control characters and line breaks, in each command', async () => {
  const intact = writeHostile('intact', HOSTILE, square(0, 0));
  const other = writeHostile('other', `${HOSTILE}-2`, square(0, 0));
  const empty = writeHostile('empty', HOSTILE, null);
  const metres = writeHostile('metres', HOSTILE, square(500_000, 4_649_776, 100));

  const refused = await build(empty, 'r0');
  assert.deepEqual(refused.stderr.split('\n').slice(0, 2), [
    `${join(folder, WRITTEN)}-empty.gpkg: not published, because of the data:`,
    `  lv0: units without geometry: 1 (${WRITTEN}-empty.gpkg: layer ADM_0, fid 1, GID ${WRITTEN})`,
  ]);
  assert.ok((await build(metres, 'r0')).stderr.includes(`fid 1, GID ${WRITTEN}: [500000, 4649776]`));
  assert.deepEqual([(await build(intact, 'r1')).status, (await build(other, 'r2')).status], [0, 0]);
  const diff = await printed('diff', 'r1', 'r2', '--workers', '0');
  assert.ok(diff.stdout.includes(`lv0 recoded: ${WRITTEN} to ${WRITTEN}-2\n`), diff.stdout);
  writeFileSync(join(folder, 'out', 'releases', 'r2', HOSTILE), '');
  const { status, stdout } = await printed('verify', '--release', 'r2', '--workers', '0');
  assert.equal(status, 1);
  assert.ok(stdout.includes(`releases/r2/${WRITTEN}: is not part of this release`));
});

test('a message of several lines has them, from a child process too', async () => {
  const layers = [['GID_0'], ['GID_0', 'GID_1']].map((columns, level) => {
    const layer = layerOf(`L${level}`, columns, [[columns.map(() => HOSTILE), null]]);
    return writeDataset(join(folder, `${level}.gpkg`), 'GPKG', [layer]);
  });
  for (const workers of ['0', '1']) {
    const { stderr } = await printed('build', '--source', ...layers, '--release', 'r4', '--workers', workers);
    assert.equal(stderr.split('\n').filter((line) => line.includes(`fid 1, GID ${WRITTEN}`)).length, 2);
  }
});

test('an unknown option and an unknown file are printed with escapes too', async () => {
  assert.match((await printed('build', `--${HOSTILE}`)).stderr, /^Unknown argument: A/);
  assert.ok((await build(`${HOSTILE}.gpkg`, 'r3')).stderr.startsWith(`${WRITTEN}.gpkg: no such file`));
});
