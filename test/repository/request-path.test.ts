// What a person reads who wants to know how a page is answered: the core has a ceiling, which CONTRIBUTING.md prints.
// Counted by imports.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** Lines of code of the core. A capability brings its own folder; nothing raises the ceiling. */
const CEILING = 3_200;

const guide = readFileSync('CONTRIBUTING.md', 'utf8');
const section = guide.slice(guide.indexOf('## How a request flows'), guide.indexOf('## How a build runs'));

/** The files that lines of a table link to. */
function linksIn(lines: readonly string[]): string[] {
  const links = lines.flatMap((line) => [...line.matchAll(/\]\(([\w./-]+)\)/g)].map(([, link = '']) => link));
  return [...new Set(links)].map(normalize);
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
const adapter = importsFrom(filesIn('proxy/node')).filter((file) => !page.includes(file));

test('what a page request can meet is no larger than its ceiling', () => {
  const code = codeIn(core);
  assert.ok(code > 0 && code <= CEILING, `pages and the core: ${code} lines of code, at most ${CEILING}`);
});

test('CONTRIBUTING.md names every file of a page request as a step, and every capability with what it keeps in memory', () => {
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  const named = linksIn(rows);
  const isNamed = (file: string): boolean => named.some((name) => file === name || file.startsWith(`${name}/`));
  const unnamed = [...core, ...adapter].filter((file) => !isNamed(file));
  assert.deepEqual(unnamed, []);
  const capabilities = readdirSync('proxy/features').filter((name) => name !== 'rows.ts');
  const missing = capabilities.filter((name) => !named.includes(join('proxy/features', name)));
  assert.deepEqual(missing, []);
  assert.ok(section.includes(`at most ${CEILING.toLocaleString('en')}`));
});
