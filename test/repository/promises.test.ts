// test/PROMISES.md: each promise has a test that exists, and that each landing runs.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** The files below test/ that landings run: test files that are not weekly, and what these import. */
function landedFiles(): Set<string> {
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file) || file.startsWith('..')) return;
    found.add(file);
    for (const [, from = ''] of readFileSync(join('test', file), 'utf8').matchAll(/ from '(\.[^']+)'/g))
      add(join(dirname(file), from));
  };
  for (const name of readdirSync('test', { encoding: 'utf8', recursive: true }))
    if (name.endsWith('.test.ts') || name.endsWith('.ci.ts')) add(name);
  return found;
}

test('each promise of PROMISES.md has a test with that title, in that file, which is not only weekly', () => {
  const text = readFileSync('test/PROMISES.md', 'utf8');
  const [promises = '', limits = ''] = text.split('\n## Not promised\n');
  const lines = promises.split('\n').filter((line) => line.startsWith('| ') && !/^\| (promise|---) /.test(line));
  assert.ok(lines.length > 50, `${lines.length} promises`);
  const landed = landedFiles();
  for (const line of lines) {
    const [, promise, title = '', file = ''] = /^\| (.+) \| (.+) \| \[([\w./-]+)\]\(\3\) \|$/.exec(line) ?? [];
    assert.ok(promise, `no promise with a test and a file: ${line}`);
    assert.ok(landed.has(file), `${file} is no test of a landing: ${line}`);
    const source = readFileSync(join('test', file), 'utf8');
    // The title is in quotation marks: a part of it, where some of it is not the same each time.
    const titles = [
      ...source.matchAll(/\b(?:test(?:Source)?|journey)\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g),
    ].map(([, single, double, template]) => single?.replaceAll("\\'", "'") ?? double ?? template ?? '');
    assert.ok(
      titles.some((known) => known.includes(title)),
      `${file} has no test '${title}'`,
    );
  }
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(limits.split('\n').filter((line) => line.startsWith('- **')).length > 4);
});
