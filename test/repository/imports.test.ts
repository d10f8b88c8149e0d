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
  /** Is it loaded only when it is used? */
  isLazy: boolean;
}

/** Browser code, which has its own rules, and examples. */
const NOT_MODULES = /^proxy\/(explorer|examples)\//;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(folder: string): Import[] {
  return filesOf(folder)
    .filter((file) => !NOT_MODULES.test(file))
    .flatMap(importsIn);
}

function importsIn(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)\b(?! (?:const|function|async|interface|type \w+ =|class|declare))[^;]*?['"]([^'"]+)['"]/gm,
  );
  const lazy = text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g);
  return [...statements, ...lazy].map(([all, from = '']) => ({
    file,
    from,
    isType: /^import type\b/.test(all),
    isLazy: all.startsWith('import('),
  }));
}

/** The nodes of a cycle of imports, in order; empty where there is none. `nodeOf` may gather files into folders. */
function cycleOf(imports: readonly Import[], nodeOf: (file: string) => string): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const { file, from } of imports) {
    if (!from.startsWith('.')) continue;
    const [tail, head] = [nodeOf(file), nodeOf(join(dirname(file), from))];
    if (tail !== head) arrows.set(tail, (arrows.get(tail) ?? new Set()).add(head));
  }
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return [];
    done.add(node);
    return firstCycle(arrows.get(node) ?? [], [...path, node]);
  };
  const firstCycle = (nodes: Iterable<string>, path: readonly string[]): string[] => {
    for (const node of nodes) {
      const cycle = visit(node, path);
      if (cycle.length > 0) return cycle;
    }
    return [];
  };
  return firstCycle(arrows.keys(), []);
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

test('the command lines load without GDAL: nothing that they import at once imports it', () => {
  for (const main of ['generator/main.ts', 'proxy/main.ts']) {
    const reached = new Set([main]);
    for (const file of reached)
      for (const { from, isType, isLazy } of PROGRAM.filter((found) => found.file === file)) {
        if (isType || isLazy || !from.startsWith('.')) continue;
        const imported = normalize(join(dirname(file), from));
        assert.notEqual(imported, 'generator/gdal/gdal.ts', `${file} imports it`);
        reached.add(imported);
      }
    assert.ok(reached.size > 20);
  }
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

test('what the answers of the program are held against shares no code with it but format/', () => {
  const imports = importsOf('test/support');
  const oracles = ['oracle', 'table-oracle', 'neighbours-oracle', 'parts-oracle', 'view-oracle'];
  const names = [...oracles, 'compare-geometry', 'read-index', 'exact-json'];
  const models = names.map((name) => `test/support/releases/${name}.ts`);
  const reached = new Set([...models, 'test/support/even-odd.ts', 'test/support/places.ts']);
  for (const file of reached)
    for (const { from } of imports.filter((found) => found.file === file && found.from.startsWith('.'))) {
      const imported = normalize(join(dirname(file), from));
      assert.doesNotMatch(imported, /^(generator|proxy)\//, `${file} imports ${from}`);
      if (imported.startsWith('test/')) reached.add(imported);
    }
  assert.ok(reached.size > 10);
});

test("what writes a release is the generator's: the proxy reads, and imports nothing of format/write/", () => {
  const writing = PROGRAM.filter(({ file, from }) => join(dirname(file), from).startsWith('format/write/'));
  const outside = writing.filter(({ file }) => !/^(generator|format\/write)\//.test(file));
  assert.ok(writing.length > 10);
  assert.deepEqual(outside, []);
});

test('no file and no folder imports itself by way of others; main.ts counts by itself, as no file imports it', () => {
  const isMain = (file: string): boolean => /^(generator|proxy)\/main\.ts$/.test(file);
  for (const nodeOf of [(file: string) => file, (file: string) => (isMain(file) ? file : dirname(file))])
    assert.deepEqual(cycleOf(PROGRAM, nodeOf), []);
  assert.ok(!PROGRAM.some(({ file, from }) => isMain(normalize(join(dirname(file), from)))));
});

test('the reader of points, which is bundled for browsers, reaches nothing of Node but what its bundle replaces', () => {
  const reached = new Set(['proxy/points/reader.ts']);
  const outside = new Set<string>();
  for (const file of reached)
    for (const { from, isType } of PROGRAM.filter((found) => found.file === file)) {
      if (isType) continue;
      if (from.startsWith('.')) reached.add(normalize(join(dirname(file), from)));
      else outside.add(from);
    }
  assert.deepEqual([...outside], ['node:zlib']);
});

test('the rules of match, which browsers run, too, import nothing but each other and files of format/ without node:', () => {
  const isRule = (file: string): boolean => file.startsWith('proxy/match/rules/');
  const reached = new Set(PROGRAM.map(({ file }) => file).filter(isRule));
  assert.ok(reached.size > 5);
  for (const file of reached)
    for (const { from, isType } of PROGRAM.filter((found) => found.file === file)) {
      if (isType) continue;
      const imported = normalize(join(dirname(file), from));
      assert.ok(
        from.startsWith('.') && (isRule(imported) || imported.startsWith('format/')),
        `${file} imports ${from}`,
      );
      assert.doesNotMatch(readFileSync(imported, 'utf8'), /\bBuffer\b/, imported);
      reached.add(imported);
    }
});

/** What the explorer's tables share with `match`, without node: as the test above and the next one hold. */
const SHARED_WITH_TABLES = /^(proxy\/match\/rules\/|proxy\/tables\/csv-(head|rows)\.ts$|format\/)/;

test('what reads tables in browsers, too, imports nothing else', () => {
  const imports = PROGRAM.filter(({ file }) => /^proxy\/tables\/csv-/.test(file)).map(({ from }) => from);
  assert.deepEqual(imports, ['./csv-rows.ts']);
});

/** The capabilities, the lower ones first: each may import those before it. */
const CAPABILITIES = [
  'pages',
  'files',
  'names',
  'places',
  'downloads',
  'neighbours',
  'tiles',
  'search',
  'items',
  'ogc',
  'changes',
  'children',
  'service',
];

test('the core of the proxy imports no capability, and a capability only those below it', () => {
  assert.deepEqual(readdirSync('proxy/features').sort(), [...CAPABILITIES, 'all-paths.ts'].sort());
  const capabilityOf = (file: string): string | undefined => /^proxy\/features\/(.+?)(?:\/|$)/.exec(file)?.[1];
  /** Those that put the service together, and what describes it. */
  const isAssembly = /^proxy\/(features\/all-paths\.ts|assemble-server\.ts|fetch\/create-fetch-handler\.ts|site\/)/;
  for (const { file, from } of PROGRAM) {
    const imported = capabilityOf(join(dirname(file), from));
    if (!from.startsWith('.') || imported === undefined || isAssembly.test(file)) continue;
    const own = CAPABILITIES.indexOf(capabilityOf(file) ?? '');
    const other = CAPABILITIES.indexOf(imported);
    assert.ok(other !== -1 && other <= own, `${file} imports ${from}`);
  }
});

test('the explorer imports Preact, its signals and its own files, its tables also what reads and matches them; only components import others with JSX', () => {
  // The programs that it shows import others.
  const files = filesOf('proxy/explorer').filter((file) => file !== 'proxy/explorer/share/code-samples.ts');
  const imports = files.flatMap(importsIn);
  const packages = imports.filter(({ from, isType }) => !isType && !from.startsWith('.')).map(({ from }) => from);
  assert.deepEqual([...new Set(packages)].sort(), ['@preact/signals', 'preact', 'preact/hooks', 'preact/jsx-runtime']);
  for (const { file, from } of imports) {
    if (from.startsWith('.')) {
      const imported = normalize(join(dirname(file), from));
      const isOfTables = file.startsWith('proxy/explorer/table/') && SHARED_WITH_TABLES.test(imported);
      if (!isOfTables) assert.match(imported, /^proxy\/explorer\//, file);
    }
    const isEntry = file === 'proxy/explorer/page/page.ts';
    if (from.endsWith('.tsx') && !isEntry) assert.match(file, /\.tsx$/, `${file} imports ${from}`);
  }
});

test('each package is known to the files that are named here, and to no other', () => {
  const homes: Record<string, string[]> = {
    '@aws-sdk/credential-provider-node': ['proxy/origin/s3-signer.ts'],
    '@smithy/core': ['proxy/origin/s3-signer.ts'],
    '@smithy/signature-v4': ['proxy/origin/s3-signer.ts'],
    'csv-parse': ['generator/release/changes-files.ts'],
    'csv-stringify': ['generator/release/changes-files.ts'],
    esbuild: ['proxy/site/explorer-bundle.ts'],
    'gdal-async': ['generator/gdal/gdal.ts'],
    'http-proxy': ['proxy/origin/http-proxy.ts'],
    'hyparquet-writer': ['generator/parquet/geometry-from-text.ts', 'generator/parquet/write-table.ts'],
    jose: [
      'proxy/auth/authenticate.ts',
      'proxy/auth/claimed-names.ts',
      'proxy/auth/sign-token.ts',
      'proxy/auth/token-fault.ts',
      'proxy/keys/key-set.ts',
    ],
    'lru-cache': [
      'generator/changes/unit-shapes.ts',
      'generator/tiles/measure-overlaps.ts',
      'proxy/auth/authenticate.ts',
      'proxy/cache/response-cache.ts',
      'proxy/data/kept-pieces.ts',
      'proxy/data/known.ts',
      'proxy/features/tiles/level-tiles.ts',
      'proxy/guards/admit-client.ts',
      'proxy/origin/directory.ts',
    ],
    'p-limit': ['generator/files/fsync.ts', 'generator/release/restore.ts', 'proxy/bodies/slice.ts'],
    pbf: ['generator/tiles/mvt.ts'],
    polylabel: ['generator/simplify/label-point.ts'],
    'prom-client': ['proxy/operations/metrics.ts'],
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
    'generator/commands/build-options.ts',
    'generator/commands/program.ts',
    'proxy/program.ts',
  ]);
  const libraries = ['format', 'generator', 'proxy']
    .flatMap(filesOf)
    .filter((file) => /['"`](maplibre-gl|topojson-client)\/dist\//.test(readFileSync(file, 'utf8')));
  assert.deepEqual(libraries, ['proxy/site/explorer-bundle.ts']);
});
