// The arrows between the folders, and where each foreign package may be known.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

interface Import {
  file: string;
  from: string;
  isType: boolean;
}

/** Every import statement of the TypeScript files of a folder. */
function importsOf(folder: string): Import[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const statements = [
      ...text.matchAll(
        /^(?:import|export)\b(?! (?:const|function|async|interface|type \w+ =|class|declare))[^;]*?['"]([^'"]+)['"]/gm,
      ),
    ];
    const lazy = [...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g)];
    return [...statements, ...lazy].map((match) => ({
      file,
      from: match[1] ?? '',
      isType: /^import type\b/.test(match[0]),
    }));
  });
}

test('format imports nothing but node: and itself', () => {
  const imports = importsOf('format');
  assert.ok(imports.length > 10);
  for (const { file, from } of imports) assert.match(from, /^(node:|\.\/[\w-]+\.ts$)/, file);
});

test('generator and proxy do not import each other, and neither imports tests', () => {
  for (const [folder, others] of [
    ['generator', /\/(proxy|test)\//],
    ['proxy', /\/(generator|test)\//],
  ] as const) {
    const imports = importsOf(folder);
    assert.ok(imports.length > 50);
    for (const { file, from } of imports) assert.doesNotMatch(from, others, file);
  }
});

test('each foreign package is known to one file', () => {
  const homes: Record<string, string[]> = {
    'gdal-async': ['generator/source/gdal.ts'],
    jose: ['proxy/auth/authenticate.ts'],
    'http-proxy': ['proxy/origin/http-proxy.ts'],
    yargs: ['generator/main.ts', 'proxy/main.ts'],
  };
  const imports = ['format', 'generator', 'proxy'].flatMap(importsOf).filter(({ isType }) => !isType);
  for (const [name, files] of Object.entries(homes)) {
    const found = imports.filter(({ from }) => from === name || from.startsWith(`${name}/`)).map(({ file }) => file);
    assert.deepEqual([...new Set(found)].sort(), files, name);
  }
});
