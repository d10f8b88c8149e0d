// What a person reads who wants to know how a page is answered: the core has a ceiling, and CONTRIBUTING.md has its files
// in the order of a request.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import { coreFiles, linesOfCode, pageFiles, problemsOfSteps } from '../support/page-path.ts';

/** Lines of code of the core. A capability brings its own folder; nothing raises the ceiling. */
const CEILING = 3_000;

const guide = readFileSync('CONTRIBUTING.md', 'utf8');
const section = guide.slice(guide.indexOf('## How a request flows'), guide.indexOf('## How a build runs'));

/** The files that lines of a table link to. */
function linksIn(lines: readonly string[]): string[] {
  const links = lines.flatMap((line) => [...line.matchAll(/\]\(([\w./-]+)\)/g)].map(([, link = '']) => link));
  return [...new Set(links)].map(normalize);
}

test('what a page request can meet is no larger than its ceiling, which CONTRIBUTING.md says', () => {
  const code = coreFiles().reduce((sum, file) => sum + linesOfCode(file), 0);
  assert.ok(code > 1000 && code <= CEILING, `pages and the core: ${code} lines of code, at most ${CEILING}`);
  assert.ok(section.includes(`at most ${CEILING.toLocaleString('en')}`));
});

test('a page imports no guard, no cache and no key rotation: the assembly hands them in', () => {
  const others = pageFiles().filter((file) => /^proxy\/(guards|cache|keys|fetch)\//.test(file));
  assert.deepEqual(others, []);
});

test('the steps of a page have every file that a page meets, once, and no other', () => {
  assert.deepEqual(problemsOfSteps(), []);
});

test('CONTRIBUTING.md names every capability with what it keeps in memory', () => {
  const named = linksIn(section.split('\n').filter((line) => line.startsWith('| ')));
  const capabilities = readdirSync('proxy/features').filter((name) => name !== 'all-paths.ts');
  const missing = capabilities.filter((name) => !named.includes(join('proxy/features', name)));
  assert.deepEqual(missing, []);
});
