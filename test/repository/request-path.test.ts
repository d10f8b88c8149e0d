// The size of the request path, as proxy/README.md states it: counted in the files of its table of steps, with a
// ceiling.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const readme = readFileSync('proxy/README.md', 'utf8');
const section = readme.slice(readme.indexOf('## How a request flows'), readme.indexOf('## Files of a release'));

/** The files and folders that some lines of the README link to, relative to proxy/. */
function linksIn(lines: readonly string[]): string[] {
  const links = lines.flatMap((line) => [...line.matchAll(/\]\(([\w./-]+)\)/g)].map(([, link]) => link));
  return [...new Set(links)].filter((link) => link !== undefined);
}

/** The files of proxy/ that a file imports, itself and by way of others. */
function importsFrom(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file) || file.startsWith('..')) return found;
  found.add(file);
  for (const [, from = ''] of readFileSync(join('proxy', file), 'utf8').matchAll(/ from '(\.[^']+)'/g))
    importsFrom(normalize(join(dirname(file), from)), found);
  return found;
}

/** Rounded to hundreds. */
function hundreds(count: number): string {
  return (Math.round(count / 100) * 100).toLocaleString('en');
}

const table = section.slice(0, section.indexOf('The files of this table'));
const steps = linksIn(table.split('\n').filter((line) => line.startsWith('| ')));

/** The path may become smaller. A file or a line that is to be added takes the place of another one. */
const CEILING = { files: 40, code: 4_300, readers: 2_090 };

/** The lines that are neither empty nor only a comment. */
function codeIn(lines: readonly string[]): string[] {
  return lines.filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line));
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

test('the README states how many files and lines a request passes through, and they are below the ceiling', () => {
  const lines = steps.flatMap((file) => linesOf(join('proxy', file)));
  const code = codeIn(lines);
  const readers = readdirSync('format').filter((file) => file.endsWith('.ts'));
  const readersCode = codeIn(readers.flatMap((file) => linesOf(join('format', file))));
  const stated = `${steps.length} files with ${hundreds(lines.length)} lines, of which ${hundreds(code.length)} are code`;
  assert.ok(section.includes(stated), `expected in proxy/README.md: ${stated}`);
  assert.ok(section.includes(`have ${hundreds(readersCode.length)} lines of code`), `${readersCode.length} of readers`);
  assert.ok(readersCode.length <= CEILING.readers, `${readersCode.length} lines of code of readers`);
  assert.ok(steps.length <= CEILING.files, `${steps.length} files`);
  assert.ok(code.length <= CEILING.code, `${code.length} lines of code`);
});

test('the README names every file that the server imports, as a step or as not counted', () => {
  const named = linksIn(section.split('\n'));
  const files = ['server.ts', 'origin/directory.ts', 'origin/static-host.ts'].flatMap((file) => [...importsFrom(file)]);
  assert.ok(files.length > steps.length);
  const missing = files.filter((file) => !named.some((name) => file === name || file.startsWith(`${name}/`)));
  assert.deepEqual(missing, []);
});
