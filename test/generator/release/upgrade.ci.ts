// The upgrade of a release of an older version of the format, from those that versions 1.0.0, 1.1.0 and a development
// version of 2.0.0 built and that are kept here (version-4.tar.gz, version-5.tar.gz and version-6.tar.gz: the folder
// output, and the file towns.geojson that it was built from): every command refuses it with the same remedy, whose two
// commands are typed word for word, and so are those of CHANGELOG.md.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { currentFromJson } from '../../../format/current-json.ts';
import { recordedBuildFrom } from '../../../format/recorded-build.ts';
import { FormatVersionError } from '../../../format/versioned-json.ts';
import { DEFAULTS } from '../../../generator/options/defaults.ts';
import { StartError } from '../../../proxy/config/start-error.ts';
import { releaseErrorToStartError } from '../../../proxy/config/start-remedies.ts';
import { Releases } from '../../../proxy/data/hosted-releases.ts';
import { directoryOrigin } from '../../../proxy/origin/directory.ts';
import { typed } from '../../support/processes/typed.ts';
import { assertDerived } from '../../support/releases/oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function unpacked(version: number): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', resolve(`test/generator/release/version-${version}.tar.gz`), '-C', folder]);
  return folder;
}

const cwd = unpacked(5);

function generatorIn(folder: string, ...args: string[]) {
  return typed('generator', args, { cwd: folder });
}

/** What it prints where the release of version 5 is. */
function generator(...args: string[]) {
  return generatorIn(cwd, ...args);
}

/** The start of the service on a folder: undefined if it loads the release. */
async function refusedStart(folder: string, origin: string): Promise<StartError | undefined> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    await new Releases(directoryOrigin(origin)).refresh();
    return undefined;
  } catch (error) {
    const refused = releaseErrorToStartError(error, origin);
    assert.ok(refused instanceof StartError, String(error));
    return refused;
  } finally {
    process.chdir(before);
  }
}

/**
 * The two commands of a remedy, as they are typed in a clone: of the compiled programs they are those of the package.
 */
function commandsIn(text: string): string[] {
  const [, first = '', second = ''] = / 1\. (.*) {2}2\. (.*)$/m.exec(text) ?? [];
  const inClone = (command: string): string => command.replace(/^boundaries-(\w+)/, 'npx tsx $1/main.ts');
  return [inClone(first), inClone(second)];
}

const COMMANDS = [
  'npx tsx generator/main.ts build --source towns.geojson --like output/releases/towns-1 --release towns-1 --out output-new',
  'npx tsx proxy/main.ts serve --origin output-new',
];

for (const version of [4, 5, 6]) {
  const folder = version === 5 ? cwd : unpacked(version);

  test(`list, verify, activate and the service say that a release is of version ${version}, all with the same remedy`, async () => {
    const listed = await generatorIn(folder, 'list');
    assert.match(listed.stdout, new RegExp(`^towns-1 .* format ${version} `, 'm'));
    assert.doesNotMatch(listed.stdout, /damaged/);
    assert.deepEqual(commandsIn(listed.stdout), COMMANDS);
    // release.json names files without their folders.
    assert.match(listed.stdout, /write the path of the source where it is elsewhere: 1\. /);
    for (const args of [['verify'], ['verify', '--release', 'towns-1'], ['activate', 'towns-1']]) {
      const { status, stderr } = await generatorIn(folder, ...args);
      assert.equal(status, 1, args.join(' '));
      assert.match(stderr, new RegExp(`json: format version is ${version}, expected 7: .*\n {2}what to do: `));
      assert.deepEqual(commandsIn(stderr), COMMANDS);
    }
    const { message = '', remedy = '' } = (await refusedStart(folder, 'output')) ?? {};
    assert.match(message, new RegExp(`^current\\.json: format version is ${version}, expected 7`));
    assert.deepEqual(commandsIn(remedy), COMMANDS);
    const pruned = await generatorIn(folder, 'prune', '--keep', '1');
    assert.match(pruned.stdout, /of another format, not removed: towns-1/);
  });

  test(`the two commands of the remedy, which CHANGELOG.md has word for word, make the same release of this version of one of version ${version}`, async () => {
    const changelog = readFileSync('CHANGELOG.md', 'utf8');
    assert.ok(changelog.includes(`\`\`\`sh\n${COMMANDS.join('\n')}`));
    const [build = '', serve = ''] = COMMANDS;
    const built = await generatorIn(folder, ...build.split(' ').slice(3), '--workers', '0');
    assert.equal(built.status, 0, built.stderr);
    const release = (out: string) =>
      recordedBuildFrom(readFileSync(join(folder, out, 'releases/towns-1/release.json'), 'utf8'), out);
    // What older versions had not is made as by default.
    const { tiles, neighbours, parquet } = DEFAULTS;
    assert.deepEqual(release('output-new'), { ...release('output'), tiles, neighbours, parquet });
    assertDerived(join(folder, 'output-new'), 'towns-1');
    assert.equal(await refusedStart(folder, serve.split(' ').at(-1) ?? ''), undefined);
    rmSync(join(folder, 'output-new'), { recursive: true });
  });
}

test('the first command has the date of the release', async () => {
  const folder = unpacked(6);
  const file = join(folder, 'output/releases/towns-1/release.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"release":', '"date": "2026-01-31",\n  "release":'));
  const [build = '', serve = ''] = COMMANDS;
  const dated = build.replace(' --out', ' --date 2026-01-31 --out');
  assert.deepEqual(commandsIn((await generatorIn(folder, 'list')).stdout), [dated, serve]);
});

test('where a release is signed, or only signed ones are served, the first command signs', async () => {
  const signed = join(cwd, 'output/releases/towns-1/release.json.sig');
  const [build = '', serve = ''] = COMMANDS;
  writeFileSync(signed, 'a signature');
  assert.deepEqual(commandsIn((await generator('list')).stdout), [`${build} --sign-key private.pem`, serve]);
  rmSync(signed);
  const error = new FormatVersionError('current.json', 5, 'towns-1');
  const remedy = (origin: string, mustBeSigned: boolean): string => {
    const refused = releaseErrorToStartError(error, origin, mustBeSigned);
    return refused instanceof StartError ? refused.remedy : assert.fail(String(refused));
  };
  for (const origin of ['output', 'https://static.example.org/boundaries', 's3://boundaries/eu']) {
    assert.match(remedy(origin, true), / --out output-new --sign-key private\.pem {2}2\. /);
    assert.doesNotMatch(remedy(origin, false), /--sign-key/);
  }
});

test('--like takes the options of a release of any version, by its id, too; in the same folder it needs another id', async () => {
  cpSync(join(cwd, 'output'), join(cwd, 'same'), { recursive: true });
  const args = ['build', '--out', 'same', '--source', 'towns.geojson', '--like', 'towns-1', '--workers', '0'];
  const again = await generator(...args, '--release', 'towns-1');
  assert.match(again.stderr, /exists already: .*format version is 5.*\n {2}what to do: choose another --release/);
  const built = await generator(...args, '--release', 'towns-2');
  assert.equal(built.status, 0);
  // The pointer to the old one, which no version reads now, is replaced; the release stays.
  assert.match(built.stderr, /not hosted, because of their format version: towns-1; build them again/);
  const pointer = currentFromJson(readFileSync(join(cwd, 'same/current.json'), 'utf8'), 'current.json');
  assert.deepEqual([pointer.release, pointer.hosted], ['towns-2', ['towns-2']]);
  const { stdout: listed } = await generator('list', '--out', 'same');
  for (const line of [/^towns-1 .* format 5 /m, /^towns-2 .* current /m]) assert.match(listed, line);
  const none = await generator(...args.with(6, 'same/none'), '--release', 'r');
  assert.match(none.stderr, /--like same\/none: it has no release\.json/);
});

test('a release of a later version is called so, with its own remedy, and a source of many files is not listed', async () => {
  const file = join(cwd, 'output/releases/towns-1/release.json');
  const json = JSON.parse(readFileSync(file, 'utf8'));
  const listed = async (changes: object): Promise<string> => {
    writeFileSync(file, JSON.stringify({ ...json, ...changes }));
    return (await generator('list')).stdout;
  };
  assert.match(await listed({ version: 9 }), /format 9: towns-1: .* built by a later version .* install that/);
  const named = (...names: string[]) => listed({ source: names.map((name) => ({ name })) });
  const many = Array.from({ length: 9 }, (_, i) => `${i}.gpkg`);
  assert.match(await named(...many), / --source FILE --like /);
  assert.match(await named('my towns/a.shp', 'my towns/a.dbf'), / --source 'my towns' --like /);
  assert.match(await named('sample.gpkg'), / build --sample --like /);
});
