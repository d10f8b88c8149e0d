// The arrows between the folders: which top folder may import which, no cycles between files or folders, and which
// files may know each package.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';

interface Import {
  file: string;
  /** As it is written. */
  from: string;
  isType: boolean;
}

/** Browser code, which has its own rules, and examples. */
const NOT_MODULES = /^proxy\/(explorer|examples)\//;

/** Every import of the TypeScript files of a folder. */
function importsOf(folder: string): Import[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !NOT_MODULES.test(file));
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const statements = [
      ...text.matchAll(
        /^(?:import|export)\b(?! (?:const|function|async|interface|type \w+ =|class|declare))[^;]*?['"]([^'"]+)['"]/gm,
      ),
    ];
    const lazy = [...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g)];
    return [...statements, ...lazy].map((match) => ({
      file,
      from: match[1] ?? '',
      isType: /^import type\b/.test(match[0]),
    }));
  });
}

/** What each node imports. */
type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

/** The arrows between files of the project; `nodeOf` may gather files into folders. */
function arrowsOf(imports: readonly Import[], nodeOf: (file: string) => string): Arrows {
  const arrows = new Map<string, Set<string>>();
  for (const { file, from } of imports) {
    if (!from.startsWith('.')) continue;
    const [tail, head] = [file, normalize(join(dirname(file), from))].map(nodeOf);
    if (tail === undefined || head === undefined || tail === head) continue;
    arrows.set(tail, (arrows.get(tail) ?? new Set()).add(head));
  }
  return arrows;
}

/** The nodes of a cycle, in order; empty where there is none. */
function cycleIn(arrows: Arrows): string[] {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of arrows.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle.length > 0) return cycle;
    }
    done.add(node);
    return [];
  };
  for (const node of arrows.keys()) {
    const cycle = visit(node, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

const PROGRAM = ['format', 'generator', 'proxy'].flatMap(importsOf);

test('format imports nothing but node: and itself; command-line also types of yargs', () => {
  const imports = importsOf('format');
  assert.ok(imports.length > 10);
  for (const { file, from, isType } of imports) {
    if (file.startsWith('format/command-line/') && isType && from === 'yargs') continue;
    if (from.startsWith('node:')) continue;
    assert.match(normalize(join(dirname(file), from)), /^format\//, file);
  }
});

test('the packages for buckets are loaded only when a bucket is named', () => {
  const packages = PROGRAM.filter(({ from }) => /^@(aws-sdk|smithy)\//.test(from));
  assert.ok(packages.length > 1);
  for (const { file } of packages)
    assert.doesNotMatch(readFileSync(file, 'utf8'), /^import (?!type )[^;]*['"]@(aws-sdk|smithy)\//m, file);
});

test('generator and proxy do not import each other, and neither imports tests', () => {
  for (const [folder, others] of [
    ['generator', /^(proxy|test)\//],
    ['proxy', /^(generator|test)\//],
  ] as const) {
    const imports = importsOf(folder);
    assert.ok(imports.length > 50);
    for (const { file, from } of imports) assert.doesNotMatch(relative('.', join(dirname(file), from)), others, file);
  }
});

test('no file imports itself by way of others', () => {
  assert.deepEqual(cycleIn(arrowsOf(PROGRAM, (file) => file)), []);
});

test('no folder imports itself by way of others; main.ts counts by itself, as no file imports it', () => {
  const isMain = (file: string): boolean => /^(generator|proxy)\/main\.ts$/.test(file);
  assert.deepEqual(cycleIn(arrowsOf(PROGRAM, (file) => (isMain(file) ? file : dirname(file)))), []);
  assert.ok(!PROGRAM.some(({ file, from }) => isMain(normalize(join(dirname(file), from)))));
});

test('each package is known to the files that are named here, and to no other', () => {
  const homes: Record<string, string[]> = {
    '@aws-sdk/credential-provider-node': ['proxy/origin/s3-signer.ts'],
    '@smithy/core': ['proxy/origin/s3-signer.ts'],
    '@smithy/signature-v4': ['proxy/origin/s3-signer.ts'],
    'csv-parse': ['proxy/points/table.ts'],
    'csv-stringify': ['proxy/points/points.ts'],
    esbuild: ['proxy/site/explorer-bundle.ts'],
    'gdal-async': ['generator/source/gdal.ts'],
    'http-proxy': ['proxy/origin/http-proxy.ts'],
    jose: [
      'proxy/auth/authenticate.ts',
      'proxy/auth/key-set.ts',
      'proxy/auth/sign-token.ts',
      'proxy/auth/token-fault.ts',
    ],
    'lru-cache': [
      'proxy/auth/authenticate.ts',
      'proxy/bodies/response-cache.ts',
      'proxy/data/load-release.ts',
      'proxy/data/spatial-index.ts',
      'proxy/origin/directory.ts',
      'proxy/work/admit-client.ts',
    ],
    'p-limit': ['generator/release/fsync.ts', 'generator/workers/pool.ts', 'proxy/bodies/slice.ts'],
    polylabel: ['generator/geometries/label-point.ts'],
    'prom-client': ['proxy/operations/metrics.ts'],
    'topojson-server': ['generator/overview/topology.ts'],
    yargs: ['generator/commands/program.ts', 'generator/main.ts', 'proxy/main.ts', 'proxy/program.ts'],
  };
  for (const [name, files] of Object.entries(homes)) {
    const found = PROGRAM.filter(({ isType, from }) => !isType && (from === name || from.startsWith(`${name}/`)));
    const known = [...new Set(found.map(({ file }) => file))].sort();
    assert.deepEqual(known, files, name);
  }
  const typed = PROGRAM.filter(({ from }) => from === 'yargs').map(({ file }) => file);
  assert.deepEqual(typed.sort(), [
    'format/command-line/run-program.ts',
    'generator/cli/command.ts',
    'generator/commands/program.ts',
    'generator/commands/source-options.ts',
    'proxy/program.ts',
  ]);
  const libraries = ['format', 'generator', 'proxy'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => /['"`](maplibre-gl|topojson-client)\/dist\//.test(readFileSync(file, 'utf8'))),
  );
  assert.deepEqual(libraries, ['proxy/site/explorer-bundle.ts']);
});
