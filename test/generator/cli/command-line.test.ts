// The generator's command line as an operator meets it when something in it is wrong. What takes a process of its own
// is in ended-commands.ci.ts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BUILD_OPTIONS } from '../../../generator/commands/build-options.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { typed } from '../../support/processes/typed.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const source = writeCountries();
const out = join(folder, 'output');
await buildRelease(source, out);

/** Types a command that must fail: what is wrong in one line, and in one what to do. */
async function refusal(code: number, args: readonly string[]): Promise<[message: string, remedy: string]> {
  const { status, stdout, stderr } = await typed('generator', ['--quiet', ...args]);
  const [first = '', second = '', ...rest] = stderr.split('\n');
  assert.deepEqual([status, stdout, rest], [code, '', ['']], `${args.join(' ')}: ${stderr}`);
  assert.match(second, /^ {2}what to do: /);
  return [first, second];
}

test('an error is one line that says what is wrong and one that says what to do; the exit code is 2 for the command line, else 1', async () => {
  const kept = join(folder, 'kept.gpkg');
  writeFileSync(kept, '');
  const build = ['build', '--release', 'r1', '--workers', '0'];
  const cases: [number, string[], RegExp, RegExp][] = [
    [2, [], /^missing command$/, /--help/],
    [2, ['list', '--outt', folder], /^--outt: no such option$/, /did you mean --out\?/],
    [1, [...build, '--out', out, '--source', 'none.gpkg'], /^none\.gpkg: no such file or folder$/, /--source/],
    [1, ['activate', 'r2', '--out', out], /releases\/r2: no such release$/, /^ {2}what to do: use one of: r1$/],
    [1, ['diff', 'r1', 'r2', '--out', out], /releases\/r2: no such release$/, /use one of: r1$/],
    [1, ['sample', '--out', kept], /kept\.gpkg exists already$/, /remove it/],
    ...[
      [...build, '--source', source],
      ['activate', 'r1'],
      ['prune', '--keep', '1'],
    ].map((args): [number, string[], RegExp, RegExp] => {
      // A file in the place of the output folder.
      return [1, [...args, '--out', kept], /^(ENOTDIR|EEXIST): .*kept\.gpkg/, /another --out/];
    }),
  ];
  for (const [code, args, message, remedy] of cases) {
    const said = await refusal(code, args);
    assert.match(said[0], message);
    assert.match(said[1], remedy);
  }
});

test('the help of build has its options in groups, first the five that everybody needs', async () => {
  const { stdout } = await typed('generator', ['build', '--help']);
  const headings = Array.from(stdout.matchAll(/^(\S.*):$/gm), ([, heading = '']) => heading);
  assert.deepEqual(headings, [...Object.keys(BUILD_OPTIONS), 'Options', 'Examples']);
  const [first = ''] = stdout.split('\nSource:');
  const named = Array.from(first.matchAll(/^ +--([a-z-]+) /gm), ([, name = '']) => name);
  assert.deepEqual(named, ['source', 'release', 'gid-column', 'name-column', 'attribution']);
});

test('a config file is JSON in a regular file, whose options are named and typed as on the command line', async () => {
  const config = join(folder, 'config.json');
  const refused = async (file: string, expected: RegExp): Promise<void> => {
    const args = ['--config', file, '--sample', '--out', join(folder, 'none'), '--workers', '0'];
    const [message] = await refusal(2, ['build', ...args]);
    assert.ok(message.startsWith(`--config ${file}: `), message);
    assert.match(message, expected);
  };
  const cases: [string, RegExp][] = [
    ['{"release": 2026}', /: release is 2026, expected text$/],
    ['{"release": null}', /: release is null, expected text$/],
    ['{"release": {"id": "r1"}}', /: release is \{"id":"r1"\}, expected text$/],
    ['{"release": ["r1"]}', /: release is \["r1"\], expected text$/],
    ['{"precision": "7"}', /: precision is "7", expected a number$/],
    ['{"keep-fids": "yes"}', /: keep-fids is "yes", expected true or false$/],
    ['{"attribution": ["a", 1]}', /: attribution is \["a",1\], expected a list of texts$/],
    ['{"layer": []}', /: layer is \[\], expected a list of texts$/],
    ['{"layer": {"lv0": "a"}}', /: layer is \{"lv0":"a"\}, expected a list of texts$/],
    ['{"relase": "r1"}', /: relase: unknown option$/],
    ['{"config": "other.json"}', /: config: unknown option$/],
    ['{"__proto__": {"release": "r1"}}', /: __proto__: unknown option$/],
    ['{"": 1}', /: : unknown option$/],
    ['{"release.id": "r1"}', /: release\.id: unknown option/],
    ['{"_": ["list"]}', /: _: unknown option$/],
    ['null', /: is not a JSON object$/],
    ['[]', /: is not a JSON object$/],
    ['', /: is not JSON$/],
    ["{'release': 1}", /: is not JSON$/],
  ];
  for (const [text, expected] of cases) {
    writeFileSync(config, text);
    await refused(config, expected);
  }
  const [script, ran] = [join(folder, 'config.js'), join(folder, 'ran')];
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, ''); module.exports = {};`);
  await refused(script, /: is not JSON$/);
  assert.ok(!existsSync(ran));
  const pipe = join(folder, 'pipe.json');
  execFileSync('mkfifo', [pipe]);
  await refused(pipe, /: not a regular file$/);
  await refused(folder, /: not a regular file$/);
  await refused(join(folder, 'none.json'), /: cannot be read \(ENOENT\)$/);
});

test('paths in a config file are relative to its folder', async () => {
  const conf = join(folder, 'conf');
  mkdirSync(conf);
  for (const [name, value, path] of [
    ['like', '../r0', join(folder, 'r0')],
    ['like', 'r0', join(out, 'releases/r0')],
    ['sign-key', 'key.pem', join(conf, 'key.pem')],
    ['source', ['../none.gpkg'], join(folder, 'none.gpkg')],
  ] as const) {
    writeFileSync(join(conf, 'paths.json'), JSON.stringify({ release: 'r9', source, [name]: value }));
    const [message] = await refusal(1, ['build', '--config', join(conf, 'paths.json'), '--out', out]);
    assert.ok(message.includes(`${path}: `), message);
  }
});
