// The list of what a version consists of, as CONTRIBUTING.md says how to make it.
import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('the command of CONTRIBUTING.md for the release notes lists every dependency with its version', () => {
  const [, command = ''] = /^(npm sbom .*) > \S+$/m.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const printed = execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const { components } = JSON.parse(printed) as { components: { purl: string; version: string }[] };
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dependencies?: Record<string, string>; version?: string; name?: string }>;
  };
  const names = Object.keys(packages['']?.dependencies ?? {});
  assert.ok(names.length > 5);
  for (const name of names) {
    const { version, name: alias = name } = packages[`node_modules/${name}`] ?? {};
    assert.ok(
      components.some(({ purl }) => [name, alias].some((known) => purl.startsWith(`pkg:npm/${known}@${version}`))),
      `${name} ${version}`,
    );
  }
});
