// The generator's command line as an operator meets it when something in it is wrong.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
after(() => rmSync(folder, { recursive: true }));

test('an error in the command line is one line that says what is wrong and one that says what to do', () => {
  const kept = join(folder, 'kept.gpkg');
  writeFileSync(kept, '');
  const build = ['build', '--source', 'none.gpkg', '--release', 'r1', '--out', join(folder, 'out')];
  const cases: [string[], RegExp, RegExp][] = [
    [[], /^Missing command$/, /--help/],
    [['bild'], /^Did you mean build\?$/, /--help/],
    [['list', '--outt', folder], /^Unknown argument.*: outt$/, /--help/],
    [['sample'], /^Missing required argument: out$/, /--help/],
    [
      ['build', '--sample', '--pages', 'some'],
      /^Invalid values: Argument: pages, Given: "some", Choices: "all"/,
      /--help/,
    ],
    [['build', '--release', 'r1'], /^build needs either --source or --sample$/, /--source FILE/],
    [['build', '--source', 'none.gpkg'], /^build --source needs a release id$/, /--release/],
    [[...build, '--precision', '13'], /^--precision 13: /, /0 to 12$/],
    [[...build, '--levels', 'lv6'], /^--levels lv6: not a level$/, /lv0, lv1, lv2, lv3, lv4, lv5$/],
    [[...build, '--shard', '4/4'], /^--shard 4\/4: /, /--shard 0\/4/],
    [build, /^none\.gpkg: no such file or folder$/, /--source/],
    [['activate', 'r1', '--out', folder], /releases\/r1: no such release$/, /build a release/],
    [['sample', '--out', kept, '--synthetic', '60'], /kept\.gpkg exists already$/, /remove it/],
  ];
  for (const [args, message, remedy] of cases) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...process.execArgv, 'generator/main.ts', '--quiet', ...args],
      { encoding: 'utf8' },
    );
    const [first = '', second = '', ...rest] = stderr.split('\n');
    assert.deepEqual([status, stdout, rest], [1, '', ['']], `${args.join(' ')}: ${stderr}`);
    assert.match(first, message);
    assert.match(second, /^ {2}what to do: /);
    assert.match(second, remedy);
  }
});
