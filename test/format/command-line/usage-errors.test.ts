// Wrong command lines of both programs: each is one message with a remedy, on standard error alone, and the exit code
// 2. What the generator prints of hostile data: nothing that a terminal obeys, and no line that a log of continuous
// integration takes for a command.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { layerOf, square, writeDataset } from '../../support/datasets/write-dataset.ts';
import { type Typed, typed } from '../../support/processes/typed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function usageErrorOf(line: string): Promise<string> {
  const program = /^(serve|match)/.test(line) ? 'proxy' : 'generator';
  const { status, stdout, stderr } = await typed(program, line === '' ? [] : line.split(' '));
  assert.deepEqual([status, stdout], [2, ''], line);
  return stderr.trimEnd().replace('\n  what to do: ', ' | ');
}

const HELP = 'add --help to see commands and options';
const SAMPLE = 'build --sample';

for (const [title, cases] of Object.entries<[string, string][]>({
  'a name that does not exist is named; the nearest command or option is suggested': [
    ['bild', `bild: no such command | did you mean build? ${HELP}`],
    ['nonsense', `nonsense: no such command | ${HELP}`],
    ['build --sources x', `--sources: no such option | did you mean --source? ${HELP}`],
    ['build --output x', `--output: no such option | did you mean --out? ${HELP}`],
    ['build --dry', `--dry: no such option | did you mean --dry-run? ${HELP}`],
    [`${SAMPLE} --no-activat`, `--no-activat: no such option | did you mean --no-activate? ${HELP}`],
    ['list -out x', `-out: no such option | did you mean --out? ${HELP}`],
    ['list -x', `-x: no such option | ${HELP}`],
    ['serve --prot=80', `--prot: no such option | did you mean --port? ${HELP}`],
    ['serve --out x', `--out: no such option | did you mean --origin? ${HELP}`],
    ['prune --keep 1 --no-pages', `--no-pages: no such option | ${HELP}`],
    ['list extra', `extra: nothing takes this word | ${HELP}`],
    [
      'match --column lv0=a lv1=b t.csv',
      `t.csv: nothing takes this word | write the option before each of its values, or ${HELP}`,
    ],
  ],
  'a missing command, argument or option is named': [
    ['', `missing command | ${HELP}`],
    ['activate', `0 of 1 names given | ${HELP}`],
    ['diff a', `1 of 2 names given | ${HELP}`],
    ['build --release r1', 'build needs either --source or --sample | add --source FILE, or --sample'],
    ['prune', `missing --keep | ${HELP}`],
  ],
  'an option without its value is an error': [
    ['list --out', '--out: missing value | write --out VALUE'],
    ['list --out=', '--out: missing value | write --out VALUE'],
    ['list --out --json', '--out: missing value | write --out VALUE'],
    [`${SAMPLE} --levels`, '--levels: missing value | write --levels VALUE'],
    [`${SAMPLE} --precision`, '--precision: missing value | write --precision VALUE'],
    ['serve --port', '--port: missing value | write --port VALUE'],
    ['serve --port=', '--port: missing value | write --port VALUE'],
    ['serve --port  --dev', '--port: missing value | write a value'],
  ],
  'an option that is given twice is an error, unless it takes several values': [
    ['list --out a --out b', '--out: given 2 times | give it once'],
    ['serve --port 1 --port 2 --port 3', '--port: given 3 times | give it once'],
    ['build --source a --source b', 'build --source needs a release id | add one, e.g. --release 2026-11'],
  ],
  'a wrong value is named with what is expected': [
    [`${SAMPLE} --precision abc`, '--precision: not a number | write --precision NUMBER'],
    [`${SAMPLE} --precision=7x`, '--precision: not a number | write --precision NUMBER'],
    [
      `${SAMPLE} --crs 3035`,
      '--crs 3035: not the code of a CRS | e.g. --crs EPSG:3035, or of one level: --crs lv1=EPSG:3035',
    ],
    [`${SAMPLE} --precision 13`, '--precision 13: not a whole number in range | use a whole number from 0 to 12'],
    [`${SAMPLE} --date 2026-11-31`, '--date 2026-11-31: not a date | use year, month and day, e.g. 2026-11-22'],
    ...['25d', '1y'].map((text): [string, string] => [
      `prune --keep 1 --grace ${text}`,
      `--grace ${text}: not a duration in range | use a number and a unit: 0s, 30s, 5m; at most 1d`,
    ]),
    [`${SAMPLE} --workers 1.5`, '--workers 1.5: not a whole number in range | use a whole number from 0 to 1024'],
    ['serve --workers many', '--workers: not a number | write --workers NUMBER'],
    [`${SAMPLE} --pages some`, '--pages some: not one of its values | use one of: all, unfiltered, none'],
    [`${SAMPLE} --dry-run=yes`, '--dry-run=yes: takes no value | write --dry-run or --no-dry-run'],
    [`${SAMPLE} --levels lv0,lv6`, '--levels lv6: not a level | use lv0, lv1, lv2, lv3, lv4, lv5'],
    [
      `${SAMPLE} --shard 4/4`,
      '--shard 4/4: not i/n with i from 0 to n - 1 | e.g. --shard 0/4 for the first of four shards',
    ],
  ],
  'what is not a release id is refused as such, by every command': [
    [
      'activate ../x',
      'activate ../x: not a release id | use 1 to 64 of A-Z a-z 0-9 . _ - and beginning with a letter or digit',
    ],
    [
      'diff r1 ../x',
      'diff ../x: not a release id | use 1 to 64 of A-Z a-z 0-9 . _ - and beginning with a letter or digit',
    ],
  ],
}))
  test(title, async () => {
    for (const [line, expected] of cases) assert.equal(await usageErrorOf(line), expected);
  });

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
    `  lv0: 1 unit has no geometry (${WRITTEN}-empty.gpkg: layer ADM_0, fid 1, GID ${WRITTEN}). Maps do not show it, no point is inside.`,
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
  assert.match((await printed('build', `--${HOSTILE}`)).stderr, /^A.*: nothing takes this word\n/);
  assert.ok((await build(`${HOSTILE}.gpkg`, 'r3')).stderr.startsWith(`${WRITTEN}.gpkg: no such file`));
});
