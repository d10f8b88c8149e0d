// The size of the request path: the files of the table of steps in proxy/README.md, which names them all, have a ceiling.
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

const table = section.slice(0, section.indexOf('The files of this table'));
const steps = linksIn(table.split('\n').filter((line) => line.startsWith('| ')));

/** The path may become smaller. A file or a line that is to be added takes the place of another one. */
const CEILING = { files: 43, code: 4_629, readers: 2_116 };

/** The lines that are neither empty nor only a comment. */
function codeIn(files: readonly string[]): number {
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;
}

test('a request passes through no more files and lines than the ceiling', () => {
  const readers = readdirSync('format').filter((file) => file.endsWith('.ts'));
  assert.ok(steps.length > 20 && readers.length > 10);
  const counted = {
    files: steps.length,
    code: codeIn(steps.map((file) => join('proxy', file))),
    readers: codeIn(readers.map((file) => join('format', file))),
  };
  for (const [what, ceiling] of Object.entries(CEILING))
    assert.ok(counted[what as keyof typeof CEILING] <= ceiling, `${what}: ${JSON.stringify(counted)}`);
});

test('the README names every file that the server imports, as a step or as not counted', () => {
  const named = linksIn(section.split('\n'));
  const files = ['server.ts', 'origin/directory.ts', 'origin/static-host.ts'].flatMap((file) => [...importsFrom(file)]);
  assert.ok(files.length > steps.length);
  const missing = files.filter((file) => !named.some((name) => file === name || file.startsWith(`${name}/`)));
  assert.deepEqual(missing, []);
});
