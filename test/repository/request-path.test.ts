// What a person reads who wants to know how a page is answered, or one capability: each has a ceiling of its own, which
// proxy/README.md prints. Counted by imports.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** Lines of code. A capability brings its own folder; nothing raises a ceiling. */
const CEILINGS = { core: 3_200, readers: 2_000, adapter: 620, places: 600, capability: 450, reader: 250 };

const readme = readFileSync('proxy/README.md', 'utf8');
const section = readme.slice(readme.indexOf('## How a request flows'), readme.indexOf('## Files of a release'));

/** The files that lines of a table link to. */
function linksIn(lines: readonly string[]): string[] {
  const links = lines.flatMap((line) => [...line.matchAll(/\]\(([\w./-]+)\)/g)].map(([, link = '']) => link));
  return [...new Set(links)].map((link) => normalize(join('proxy', link)));
}

/** The files that some files import, themselves and by way of others, but not what the assembly puts together. */
function importsFrom(files: readonly string[]): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || file === 'proxy/features/rows.ts') return;
    found.add(file);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g))
      visit(normalize(join(dirname(file), from)));
  };
  files.forEach(visit);
  return [...found];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}

/** The lines that are neither empty nor only a comment. */
function codeIn(files: readonly string[]): number {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;
}

// The token check and the folder are interfaces to what imports them.
const roots = ['proxy/handler.ts', 'proxy/auth/authenticate.ts', 'proxy/origin/directory.ts'];
const page = importsFrom([...roots, ...filesIn('proxy/features/pages')]);
const core = page.filter((file) => file.startsWith('proxy/'));
const readers = page.filter((file) => file.startsWith('format/'));
const adapter = importsFrom(filesIn('proxy/node')).filter((file) => !page.includes(file));

function assertAtMost(ceiling: number, files: readonly string[], what: string): void {
  const code = codeIn(files);
  assert.ok(code > 0 && code <= ceiling, `${what}: ${code} lines of code, at most ${ceiling}`);
}

test('what a page request can meet is no larger than its ceiling, and each capability has one of its own', () => {
  assertAtMost(CEILINGS.core, core, 'pages and the core');
  assertAtMost(CEILINGS.readers, readers, 'readers');
  assertAtMost(CEILINGS.adapter, adapter, 'the adapter to node:http');
  for (const name of readdirSync('proxy/features')) {
    if (name === 'rows.ts') continue;
    const ceiling = name === 'places' ? CEILINGS.places : CEILINGS.capability;
    assertAtMost(ceiling, filesIn(join('proxy/features', name)), name);
  }
  for (const file of filesIn('format').filter((other) => !readers.includes(other)))
    assertAtMost(CEILINGS.reader, [file], file);
});

test('the README names every file of a page request as a step, and every capability with what it keeps in memory', () => {
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  const named = linksIn(rows);
  const isNamed = (file: string): boolean => named.some((name) => file === name || file.startsWith(`${name}/`));
  const unnamed = [...core, ...adapter].filter((file) => !isNamed(file));
  assert.deepEqual(unnamed, []);
  const capabilities = readdirSync('proxy/features').filter((name) => name !== 'rows.ts');
  const missing = capabilities.filter((name) => !named.includes(join('proxy/features', name)));
  assert.deepEqual(missing, []);
  for (const ceiling of [CEILINGS.core, CEILINGS.readers, CEILINGS.adapter, CEILINGS.places, CEILINGS.capability])
    assert.ok(section.includes(ceiling.toLocaleString('en')), `${ceiling} is in proxy/README.md`);
});
