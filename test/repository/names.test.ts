// Names of files and of what they export: none is one that git ignores, and in the generator each means one thing,
// whichever room it is read in.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const FILES = readdirSync('generator', { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => ({ path: join(entry.parentPath, entry.name), name: entry.name }));

/** The names that are there more than once, with their places. */
function repeated(places: readonly (readonly [name: string, path: string])[]): Record<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, path] of places) byName.set(name, [...(byName.get(name) ?? []), path]);
  return Object.fromEntries([...byName].filter(([, own]) => own.length > 1));
}

test('git ignores no name of its own files: a new one beside them would be left out, and the linter leaves them out', () => {
  const ignored = execFileSync('git', ['ls-files', '--cached', '--ignored', '--exclude-standard'], {
    encoding: 'utf8',
  });
  assert.equal(ignored, '');
});

test('files of the generator have different names, but for those of commands', () => {
  const others = FILES.filter(({ path }) => !path.startsWith('generator/commands/'));
  assert.ok(others.length > 100);
  assert.deepEqual(repeated(others.map(({ name, path }) => [name, path] as const)), {});
});

test('what files of the generator export has different names', () => {
  const exported = FILES.flatMap(({ path }) => {
    const names = readFileSync(path, 'utf8').matchAll(
      /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm,
    );
    return Array.from(names, ([, name = '']) => [name, path] as const);
  });
  assert.ok(exported.length > 300);
  assert.deepEqual(repeated(exported), {});
});
