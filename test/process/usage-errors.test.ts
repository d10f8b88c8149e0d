// Wrong command lines of both programs: each is one message with a remedy, on standard error alone, and the exit code
// 2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typed } from '../support/processes/typed.ts';

async function usageErrorOf(line: string): Promise<string> {
  const program = line.startsWith('serve') ? 'proxy' : 'generator';
  const { status, stdout, stderr } = await typed(program, line === '' ? [] : line.split(' '));
  assert.deepEqual([status, stdout], [2, ''], line);
  return stderr.trimEnd().replace('\n  what to do: ', ' | ');
}

const HELP = 'add --help to see commands and options';
const SAMPLE = 'build --sample';

for (const [title, cases] of Object.entries<[string, string][]>({
  'a name that does not exist is named; the nearest command or option is suggested': [
    ['bild', `Did you mean build? | ${HELP}`],
    ['nonsense', `Unknown argument: nonsense | ${HELP}`],
    ['build --sources x', `--sources: no such option | did you mean --source? ${HELP}`],
    ['build --dry', `--dry: no such option | did you mean --dry-run? ${HELP}`],
    [`${SAMPLE} --no-activat`, `--no-activat: no such option | did you mean --no-activate? ${HELP}`],
    ['list -out x', `Unknown arguments: o, u, t | ${HELP}`],
    ['list -x', `Unknown argument: x | ${HELP}`],
    ['serve --prot=80', `--prot: no such option | did you mean --port? ${HELP}`],
    ['prune --keep 1 --no-pages', `--no-pages: no such option | ${HELP}`],
    ['list extra', `Unknown argument: extra | ${HELP}`],
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
