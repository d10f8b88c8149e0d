// The version of the package, wherever it is written.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openapiDocument } from '../../proxy/site/openapi/document.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

test('the lock, the API, images and their tags have the version of package.json, which is a later one than was released', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version]);
  const { info } = JSON.parse(JSON.stringify(openapiDocument({ audience: 'public' })));
  assert.equal(info.version, version);
  const examples = execFileSync('git', ['ls-files', 'generator/examples', 'proxy/examples'], { encoding: 'utf8' });
  const written = examples
    .trim()
    .split('\n')
    .filter((file) => !file.endsWith('.webp'))
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/(?:image\.version=|boundaries-(?:proxy|generator):)(\S+)/g),
    ]);
  assert.ok(written.length > 5);
  for (const [text, found] of written) assert.equal(found, version, text);
  const [, released = ''] = /^## \[(\d+\.\d+\.\d+)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
  assert.ok(version.localeCompare(released, 'en', { numeric: true }) > 0, `${version} after ${released}`);
});
