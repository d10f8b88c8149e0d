// test/PROMISES.md: each promise has a test that exists.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

test('each promise of PROMISES.md has a test with that title, in that file', () => {
  const text = readFileSync('test/PROMISES.md', 'utf8');
  const [promises = '', limits = ''] = text.split('\n## Not promised\n');
  const lines = promises.split('\n').filter((line) => line.startsWith('| ') && !/^\| (promise|---) /.test(line));
  assert.ok(lines.length > 50, `${lines.length} promises`);
  for (const line of lines) {
    const [, promise, title = '', file = ''] = /^\| (.+) \| (.+) \| \[([\w./-]+)\]\(\3\) \|$/.exec(line) ?? [];
    assert.ok(promise, `no promise with a test and a file: ${line}`);
    const source = readFileSync(join('test', file), 'utf8');
    // The title is in quotation marks: a part of it, where some of it is not the same each time.
    const titles = [...source.matchAll(/\btest\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g)].map(
      ([, single, double, template]) => single?.replaceAll("\\'", "'") ?? double ?? template ?? '',
    );
    assert.ok(
      titles.some((known) => known.includes(title)),
      `${file} has no test '${title}'`,
    );
  }
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(limits.split('\n').filter((line) => line.startsWith('- **')).length > 4);
});
