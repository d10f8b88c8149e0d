// Names in the generator: a file or an exported name means one thing, whichever room it is read in.
import assert from 'node:assert/strict';
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
