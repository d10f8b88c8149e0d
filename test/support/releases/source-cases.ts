// Cases of sources: a dataset, the options that are typed, and what becomes of it. Each release is compared with what
// GDAL reads of its source, and by the oracles of all releases. One file: what can be written in a case, and what does it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Finding } from '../../../format/findings.ts';
import { releasePath } from '../../../format/layout.ts';
import type { LevelSummary } from '../../../format/level-json.ts';
import { type Geometry, LEVELS, type Level, levelName } from '../../../format/levels.ts';
import { NAME_FIELDS } from '../../../format/names.ts';
import type { Release, SourceCrs } from '../../../format/release-json.ts';
import type { BuildOptions } from '../../../generator/build.ts';
import { type ContentOptions, contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { SILENT } from '../../../generator/report/progress.ts';
import { type FixtureLayer, writeDataset, writeFiles } from '../datasets/write-dataset.ts';
import { wordsOf } from '../readme-code.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { buildRelease } from './build-release.ts';
import { featuresIn, linesIn } from './features-in.ts';
import { readNames } from './read-index.ts';
import { assertAsSource } from './source-oracle.ts';

/** The layers of a GeoPackage, which has the name of the first one; or what writes files in a folder, and their paths. */
export type Source = FixtureLayer | readonly FixtureLayer[] | ((folder: string) => string | string[]);

/** All lines, or those that have a text. */
type Lines = (string | RegExp)[] | Readonly<Record<string, (string | RegExp)[]>>;

type Options = Partial<BuildOptions>;

/** Of a member of release.json, its levels and CRS, so that no case expects nothing of one that there is not. */
type ReleasePath =
  | `release.${keyof Release}`
  | `release.levels.${number}.${keyof LevelSummary}`
  | `release.crs.${number}.${keyof SourceCrs}`
  | `release.options.${string}`;

/** What stands in release.json at a path such as `release.levels.2.nameColumn`. */
type Described = { [path in ReleasePath]?: unknown };

/** What becomes of a source; what is not named may be anything. */
export interface Becomes extends Described {
  /** Units of each level; those that are left out have none. */
  counts?: readonly number[];
  /**
   * Values of the units of a level: `lv2 fid GID_2` has two of each, as `1, AAA.1_1`. `lv2 columns` has the names of all
   * columns, `lv2 names gid type` what the file of names says of each unit, and `lv2 names` its columns of languages and
   * codes: their names, and a line for each unit.
   */
  [values: `lv${number} ${string}`]: readonly string[];
  /** The findings, as `lv2 no-names 4 FILE: layer LAYER`. */
  quality?: Lines;
  /** What is said before the end. */
  says?: Lines;
  /** The build fails with this message and this remedy; besides, only what is said can be expected. */
  refused?: string | RegExp;
  remedy?: string | RegExp;
  /** Anything else. */
  besides?: (made: Published) => unknown;
}

/**
 * A source, what becomes of it, and what with options that are typed, of which a text is the message of a build that
 * fails. If only what becomes of it otherwise is named, it is not built without options.
 */
interface SourceCase extends Becomes {
  source: Source;
  /** Of all builds, besides what is typed. */
  options?: Options;
  [typed: `--${string}`]: Becomes | string | RegExp;
}

/** Tests that a source becomes what is expected. */
export function testSource(title: string, { source, options = {}, ...builds }: SourceCase): void {
  const place = { stack: '' };
  Error.captureStackTrace(place, testSource);
  test(title, async () => {
    try {
      await assertCase(pathsOf(source), builds, options);
    } catch (error) {
      // It has no frame of the case, which was read before.
      if (error instanceof Error) error.stack += place.stack.replace(/^.*/, '');
      throw error;
    }
  });
}

async function assertCase(paths: string | string[], builds: Omit<SourceCase, 'source'>, options: Options) {
  const typed = Object.keys(builds).filter(isTyped);
  if (typed.length === 0 || typed.length < Object.keys(builds).length) await assertBuilds(paths, '', builds, options);
  for (const line of typed) {
    const expected = builds[line] ?? {};
    const isMessage = typeof expected === 'string' || expected instanceof RegExp;
    await assertBuilds(paths, line, isMessage ? { refused: expected } : expected, options);
  }
}

function isTyped(name: string): name is `--${string}` {
  return name.startsWith('--');
}

/** Writes a source in a folder of its own; its paths. */
export function pathsOf(source: Source): string | string[] {
  const folder = temporaryFolder();
  if (typeof source === 'function') return source(folder);
  const layers = [source].flat();
  return writeDataset(join(folder, `${layers[0]?.name}.gpkg`), 'GPKG', layers);
}

async function assertBuilds(paths: string | string[], typed: string, expected: Becomes, options: Options) {
  const said: string[] = [];
  const { refused, remedy, says, ...becomes } = expected;
  const made = async () => published(paths, { ...typedOptions(typed), ...options }, said);
  if (refused !== undefined || remedy !== undefined) {
    const error = { name: /^(Build|Usage)Error$/, message: refused ?? /./, remedy: remedy ?? /./ };
    await assert.rejects(made, error, typed);
    assert.ok(Object.keys(becomes).every(isTyped), `${typed}: expects more of a build that fails`);
  } else await assertBecomes(await made(), becomes, typed);
  if (says !== undefined) assertLines(said, says, typed);
}

async function assertBecomes(made: Published, { counts, quality, besides, ...values }: Becomes, typed: string) {
  if (counts !== undefined)
    assert.deepEqual(
      made.counts,
      LEVELS.map((level) => counts[level] ?? 0),
      typed,
    );
  for (const [path, value] of Object.entries(values)) {
    if (isTyped(path)) continue;
    const found = path.startsWith('release.') ? valueAt(made, path) : linesAt(made, path);
    assert.deepEqual(found, value, `${typed}: ${path}`);
  }
  if (quality !== undefined) assertLines(made.quality, quality, typed);
  await besides?.(made);
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((outer: unknown, name) => Object(outer)[name], value);
}

function linesAt(made: Published, path: string): string[] {
  const [first = '', ...columns] = path.split(' ');
  const level = LEVELS.find((known) => levelName(known) === first) ?? assert.fail(path);
  const [what] = columns;
  if (what === 'columns') return made.columnsOf(level);
  const values = what === 'names' ? made.namesOf(level, ...columns.slice(1)) : made.valuesOf(level, ...columns);
  return values.map((own) =>
    own.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)).join(', '),
  );
}

/** Asserts that lines are the expected ones, in their order. */
function assertLines(lines: readonly string[], expected: Lines, typed: string): void {
  for (const [text, own] of Object.entries(Array.isArray(expected) ? { '': expected } : expected)) {
    const found = lines.filter((line) => line.includes(text));
    const asFound = own.map((line, i) => (line instanceof RegExp && line.test(found[i] ?? '') ? found[i] : line));
    assert.deepEqual(found, asFound, `${typed}: ${lines.join('\n')}`);
  }
}

/** The options of a command line: `--gid-column lv1=code lv2=key --where "lv1=code > 5" --columns=-code`. */
export function typedOptions(line: string): Partial<ContentOptions> {
  const texts: Record<string, string[]> = {};
  let values: string[] = [];
  for (const word of wordsOf(line)) {
    const [, name, value = word] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) values = texts[name] ??= [];
    if (value !== word || name === undefined) values.push(value);
  }
  for (const [name, own] of Object.entries(texts))
    assert.notDeepEqual(contentOptionsFrom({ [name]: own }), {}, `--${name}: no option of a source`);
  return contentOptionsFrom(texts);
}

/** A GeoPackage for each layer, with its name. */
export function filesOf(...layers: readonly FixtureLayer[]): Source {
  return (folder) => writeFiles(folder, 'GPKG', layers);
}

/** GeoPackages of these names. */
export function packagesOf(layers: Readonly<Record<string, readonly FixtureLayer[]>>): Source {
  return (folder) =>
    Object.entries(layers).map(([name, own]) => writeDataset(join(folder, `${name}.gpkg`), 'GPKG', own));
}

/** Files with these texts. */
export function textsOf(texts: Readonly<Record<string, string>>): Source {
  return (folder) => writeTexts(folder, texts);
}

/** Writes files with these texts below a folder; their paths. */
export function writeTexts(folder: string, texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).map(([name, text]) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
}

/** Options of a build that is typed, with as little to do besides as there can be; it prints the result as JSON. */
export const LEAST: readonly string[] =
  '--pages none --geometry full --no-cells --no-neighbours --no-tiles --workers 0 --json --quiet'.split(' ');

/** What a source has become. */
export interface Published {
  out: string;
  release: Release;
  /** Of the features of each level. */
  counts: number[];
  /** The findings, a line each. */
  quality: string[];
  linesOf(level: Level): string;
  unitsOf(level: Level, geometry?: Geometry): ReturnType<typeof featuresIn>;
  /** The properties of the units of a level with these names, an array for each unit. */
  valuesOf(level: Level, ...names: string[]): unknown[][];
  /** The GIDs of a level, or another of its columns. */
  gidsOf(level: Level, column?: string): unknown[];
  columnsOf(level: Level): string[];
  /** These fields of the names of a level; with none those that not all names have, their header first. */
  namesOf(level: Level, ...fields: string[]): unknown[][];
}

/** Builds a source in a folder of its own, and compares the release with it. @param said gets what is said meanwhile */
export async function published(
  source: string | string[],
  options: Options = {},
  said: string[] = [],
): Promise<Published> {
  const out = join(temporaryFolder(), 'out');
  const report = {
    ...SILENT,
    preview: (lines: readonly string[]) => void said.push(...lines),
    note: (text: string) => void said.push(text),
  };
  const release = await buildRelease(source, out, options, report);
  await assertAsSource(source, out);
  const unitsOf = (level: Level, geometry?: Geometry) => featuresIn(out, level, geometry);
  const valuesOf = (level: Level, ...names: string[]): unknown[][] => {
    const units = unitsOf(level).map(({ properties }) => properties);
    const isKnown = (name: string): boolean => units.length === 0 || units.some((unit) => name in unit);
    for (const name of names) assert.ok(isKnown(name), `${levelName(level)} has no ${name}`);
    return units.map((unit) => names.map((name) => unit[name]));
  };
  return {
    out,
    release,
    counts: release.levels.map(({ features }) => features),
    quality: release.quality.map(findingToText),
    linesOf: (level) => linesIn(out, level),
    unitsOf,
    valuesOf,
    gidsOf: (level, column = `GID_${level}`) => valuesOf(level, column).flat(),
    columnsOf: (level) => Object.keys(unitsOf(level)[0].properties),
    namesOf: (level, ...fields) => {
      const [header = [], ...lines] = readNames(join(out, releasePath('r1')), level);
      if (fields.length === 0) return [header, ...lines].map((line) => line.slice(NAME_FIELDS.length));
      const columns = fields.map((field) => header.indexOf(field));
      assert.ok(!columns.includes(-1), `${fields}: not all are in ${header}`);
      return lines.map((line) => columns.map((column) => line[column]));
    },
  };
}

export function findingToText({ level, kind, count, example }: Finding): string {
  return `lv${level} ${kind} ${count} ${example}`;
}
