// Wrong command lines of both programs: each is one message with a remedy. Commands are parsed here, and none is run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import yargs, { type Argv } from 'yargs';
import { UsageError } from '../../format/command-line/messages.ts';
import { nearestName, runCommand } from '../../format/command-line/run-program.ts';
import { buildCommand } from '../../generator/commands/build.ts';
import { activateCommand, diffCommand, listCommand, pruneCommand } from '../../generator/commands/releases.ts';
import { SERVE_OPTIONS } from '../../proxy/config/options.ts';

const COMMANDS = ['build', 'activate <release>', 'diff <a> <b>', 'list', 'prune', 'serve'];

/** The commands of the generator, and `serve`. */
function program(): Argv {
  return yargs()
    .scriptName('program')
    .option('quiet', { type: 'boolean' })
    .option('json', { type: 'boolean' })
    .command(buildCommand)
    .command(activateCommand)
    .command(diffCommand)
    .command(listCommand)
    .command(pruneCommand)
    .command(
      'serve',
      'serve',
      (args) => args.options(SERVE_OPTIONS).config({ workers: 'many' }),
      () => assert.fail('the command runs'),
    );
}

async function usageErrorOf(line: string): Promise<string> {
  try {
    await runCommand(program(), COMMANDS, line === '' ? [] : line.split(' '));
  } catch (error) {
    assert.ok(error instanceof UsageError, `${line}: ${error}`);
    return `${error.message} | ${error.remedy}`;
  }
  return assert.fail(`${line}: no error`);
}

const HELP = 'add --help to see commands and options';
const SAMPLE = 'build --sample';

for (const [title, cases] of Object.entries<[string, string][]>({
  'a mistyped name is quoted, with the nearest one': [
    ['bild', `bild: unknown command; did you mean build? | ${HELP}`],
    ['nonsense', `nonsense: unknown command | ${HELP}`],
    ['build --sources x', `--sources: unknown option; did you mean --source? | ${HELP}`],
    ['build --dry', `--dry: unknown option; did you mean --dry-run? | ${HELP}`],
    ['build --dry-rum', `--dry-rum: unknown option; did you mean --dry-run? | ${HELP}`],
    [`${SAMPLE} --no-activat`, `--no-activat: unknown option; did you mean --no-activate? | ${HELP}`],
    ['list -out x', `-out: unknown option; did you mean --out? | ${HELP}`],
    ['list -x', `-x: unknown option | ${HELP}`],
    ['serve --prot=80', `--prot: unknown option; did you mean --port? | ${HELP}`],
    ['list extra', 'extra: unexpected argument | see list --help for its options'],
  ],
  'a missing command, argument or option is named': [
    ['', 'missing command | add one: build, activate, diff, list, prune, serve; --help describes them'],
    ['activate', 'activate: missing argument | write activate <release>'],
    ['diff a', 'diff: missing argument | write diff <a> <b>'],
    ['build --release r1', 'build needs either --source or --sample | add --source FILE, or --sample'],
    ['prune', `missing --keep | add it; ${HELP}`],
  ],
  'an option without its value is an error': [
    ['list --out', '--out: missing value | write --out VALUE'],
    ['list --out=', '--out: missing value | write --out VALUE'],
    ['list --out --json', '--out: missing value | write --out VALUE'],
    [`${SAMPLE} --levels`, '--levels: missing value | write --levels VALUE'],
    [`${SAMPLE} --precision`, '--precision: missing value | write --precision VALUE'],
    ['serve --workers 1 --port=', '--port: missing value | write --port VALUE'],
  ],
  'an option that is given twice is an error, unless it takes several values': [
    ['list --out a --out b', '--out: given 2 times | give it once'],
    ['serve --workers 1 --port 1 --port 2 --port 3', '--port: given 3 times | give it once'],
    ['build --source a --source b', 'build --source needs a release id | add one, e.g. --release 2026-11'],
  ],
  'a wrong value is quoted as it was typed': [
    [`${SAMPLE} --precision abc`, '--precision abc: not a number | write a number, e.g. --precision 1'],
    [`${SAMPLE} --precision=7x`, '--precision 7x: not a number | write a number, e.g. --precision 1'],
    [`${SAMPLE} --precision 13`, '--precision 13: not a whole number in range | use a whole number from 0 to 12'],
    [`${SAMPLE} --date 2026-11-31`, '--date 2026-11-31: not a date | use year, month and day, e.g. 2026-11-22'],
    ...['25d', '1y'].map((text): [string, string] => [
      `prune --keep 1 --grace ${text}`,
      `--grace ${text}: not a duration in range | use a number and a unit: 0s, 30s, 5m; at most 1d`,
    ]),
    [`${SAMPLE} --workers 1.5`, '--workers 1.5: not a whole number in range | use a whole number from 0 to 1024'],
    ['serve', '--workers: not a number | write a number, e.g. --workers 1'],
    [`${SAMPLE} --pages some`, '--pages some: not a choice | use all, unfiltered, none'],
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

test('a name is suggested if two edits or fewer lead to it, or if it begins with what was typed', () => {
  const names = ['source', 'out', 'release'];
  assert.deepEqual(
    ['source', 'surce', 'sorces', 'relaese', 'rele', 'outs', 'xyz', 'o'].map((typed) => nearestName(typed, names)),
    ['source', 'source', 'source', 'release', 'release', 'out', undefined, 'out'],
  );
});
