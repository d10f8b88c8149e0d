// Fourteen layouts in which boundaries are published: each is built with the line that generator/README.md says.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../../format/levels.ts';
import type { Release } from '../../../format/release-json.ts';
import { areaOf } from '../../support/datasets/area-of.ts';
import { typed } from '../../support/processes/typed.ts';
import { codeIn, wordsOf } from '../../support/readme-code.ts';
import { featuresIn } from '../../support/releases/features-in.ts';
import { LEAST } from '../../support/releases/source-cases.ts';
import { assertAsSource } from '../../support/releases/source-oracle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { LAYOUTS, type Layout, NORWAY, type UnitsByLevel } from './national-layouts.ts';

const README = 'generator/README.md';

/** What a row of the table says to type. */
function lineOf(row: string): string {
  const rows = readFileSync(README, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`| ${row}`));
  assert.equal(rows.length, 1, row);
  return /`(build [^`]*)`/.exec(rows[0] ?? '')?.[1] ?? assert.fail(row);
}

/** The paths of the source that a command line or its config file names. */
function sourceOf(folder: string, words: readonly string[]): string[] {
  const valuesOf = (option: string): readonly string[] => {
    const from = words.indexOf(option) + 1;
    const length = words.slice(from).findIndex((word) => word.startsWith('--'));
    return from === 0 ? [] : words.slice(from, from + length);
  };
  const [config] = valuesOf('--config');
  const names: readonly string[] =
    config === undefined ? valuesOf('--source') : JSON.parse(readFileSync(join(folder, config), 'utf8')).source;
  return names.map((name) => join(folder, name));
}

/** Types a line in a folder, and checks the release against its source. */
async function built(folder: string, line: string): Promise<Release> {
  const words = wordsOf(line).map((word, i, all) => (all[i - 1] === '--release' ? 'r1' : word));
  if (!words.includes('--release')) words.push('--release', 'r1');
  const { status, stdout, stderr } = await typed('generator', [...words, ...LEAST], { cwd: folder });
  assert.equal(status, 0, `${line}\n${stderr}`);
  await assertAsSource(sourceOf(folder, words), join(folder, 'output'));
  return JSON.parse(stdout);
}

/** The areas of the units of a level, by their names and those of their parents; they are alike to a ten-thousandth. */
type Tree = Map<string, number>;

function treeIn(out: string, { levels }: Release, level: Level): Tree {
  const { gidColumns, nameColumn } = levels[level] ?? assert.fail();
  const above = LEVELS.findLast((n) => n < level && gidColumns[n] !== '' && levels[n]?.features);
  const names = new Map<unknown, string>();
  if (above !== undefined) {
    const { gidColumns: own, nameColumn: name } = levels[above] ?? assert.fail();
    for (const { properties } of featuresIn(out, above)) names.set(properties[own[above] ?? ''], properties[name]);
  }
  return new Map(
    featuresIn(out, level).map(({ properties, geometry }) => {
      const parent = above === undefined ? [] : [names.get(properties[gidColumns[above] ?? ''])];
      return [[properties[nameColumn], ...parent].join(' < '), areaOf({ geometry })];
    }),
  );
}

function expectedTree(units: UnitsByLevel, level: Level): Tree {
  const above = LEVELS.findLast((n) => n < level && units[n] !== undefined);
  return new Map(
    (units[level] ?? []).map(({ name, parents, geometry }) => {
      const parent = above === undefined ? [] : [parents[above]?.name];
      return [[name, ...parent].join(' < '), areaOf({ geometry: JSON.parse(geometry.toJSON()) })];
    }),
  );
}

async function testLayout({ units, write }: Layout, line: string): Promise<void> {
  const folder = temporaryFolder();
  cpSync('generator/examples', folder, { recursive: true });
  write(folder);
  const release = await built(folder, line);
  for (const level of LEVELS) {
    const expected = expectedTree(units, level);
    assert.equal(release.levels[level]?.features, expected.size, `level ${level}`);
    if (expected.size === 0) continue;
    const tree = treeIn(join(folder, 'output'), release, level);
    assert.deepEqual([...tree.keys()].sort(), [...expected.keys()].sort());
    for (const [unit, area] of tree) {
      const ratio = area / (expected.get(unit) ?? NaN);
      assert.ok(Math.abs(ratio - 1) < 1e-4, `${unit}: ${ratio} of its area`);
    }
  }
}

test('Kartverket, Norway: the example in generator/README.md', () => {
  const code = codeIn(README, 'sh', 'kommunenummer');
  return testLayout(NORWAY, code.replace(/^npx tsx \S+ /, ''));
});

for (const layout of LAYOUTS)
  test(`${layout.row}: the line in generator/README.md gives all units and their parents`, () =>
    testLayout(layout, lineOf(layout.row)));

test('the examples of --help have the line for the six layers of GADM', () => {
  const line = lineOf('GADM, world, six layers');
  assert.ok(readFileSync('generator/commands/build.ts', 'utf8').includes(`'$0 ${line}'`));
});
