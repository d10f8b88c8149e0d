// checksums.txt: no line names a file outside of the release, wherever the file is read.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readChecksums } from '../../../generator/files/checksums.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const SUM = '0'.repeat(64);

function read(path: string) {
  writeFileSync(join(folder, 'checksums.txt'), `${SUM}  ${path}\n`);
  return readChecksums(folder);
}

test('a path outside of the release, or with a segment that is empty or a dot, is a problem and no entry', () => {
  const paths = '../x a/../../x a/.. .. . ./x a/./b /etc/passwd //x a//b a/ / /x'.split(' ');
  for (const { problems, sums } of [...paths, ' '].map(read)) {
    assert.match(problems.join(), /^line 1 is .*, expected a SHA-256, two spaces and a path/);
    assert.equal(sums.size, 0);
  }
});

test('the paths of a release are entries', () => {
  const paths = 'release.json lv0/index.bin lv2/geojsonl/gid-1/ESP.7_1/000001.geojsonl.gz ..a/b.. ~2e~2e/x'.split(' ');
  for (const path of paths) assert.deepEqual([read(path).problems, read(path).sums.get(path)], [[], SUM]);
});
