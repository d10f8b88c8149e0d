// The lines of generator/examples/upload/README.md for the AWS CLI, as they are printed: what is copied in which order,
// with which headers, and what is removed. What is served of such a bucket is in upload.ci.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pruneReleases } from '../../../generator/release/manage.ts';
import { countryRow, writeCountries } from '../../support/datasets/small-datasets.ts';
import { writeDataset } from '../../support/datasets/write-dataset.ts';
import { filesUnder } from '../../support/files.ts';
import { changesOf, S3_ENV, startS3 } from '../../support/http/s3-server.ts';
import { without } from '../../support/processes/programs.ts';
import { buildRelease } from '../../support/releases/build-release.ts';
import { publishPair } from '../../support/releases/publish-pair.ts';
import { copyOf, temporaryFolder } from '../../support/temporary-folder.ts';

const PREFIX = 'eu/';
const lines = /```sh\n(FOREVER=.*?)```/s.exec(readFileSync('generator/examples/upload/README.md', 'utf8'))?.[1] ?? '';
const bucket = await startS3();
const env = {
  PATH: process.env['PATH'],
  ...S3_ENV,
  AWS_DEFAULT_REGION: S3_ENV['AWS_REGION'],
};

/** Types lines in a folder; resolves to what the bucket was asked to change, in order. */
async function type(script: string, cwd: string): Promise<string[]> {
  bucket.asked = [];
  const aws = `aws() { command aws --endpoint-url '${bucket.endpoint}' "$@"; }`;
  const shell = spawn('sh', ['-ec', `${aws}\n${script}`], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors] = await Promise.all([text(shell.stderr), once(shell, 'exit')]);
  assert.equal(shell.exitCode, 0, errors);
  return changesOf(bucket, PREFIX);
}

test('the lines for the AWS CLI copy a release before current.json, with headers, and remove another one', {
  skip: without('aws --version'),
}, async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'output');
  await buildRelease(writeCountries(), out, { release: 'gadm-4.0' });
  const older = copyOf(out, join(temporaryFolder(), 'output'));
  const copies = lines.trimEnd().split('\n').slice(0, -1).join('\n');
  await type(copies.replaceAll('gadm-4.2', 'gadm-4.0'), resolve(older, '..'));

  await buildRelease(writeDataset(join(temporaryFolder(), 'row.geojson'), 'GeoJSON', [countryRow(170)]), out, {
    release: 'gadm-4.2',
    accept: ['fewer-units'],
  });
  await publishPair(out, 'gadm-4.0', 'gadm-4.2');
  await pruneReleases(out, 1);
  const changes = await type(lines, folder);
  const puts = changes.filter((change) => change.startsWith('PUT '));
  assert.deepEqual(
    puts.toSorted(),
    filesUnder(out)
      .map((path) => `PUT ${path}`)
      .sort(),
  );
  // What is compared with the release before comes after it, and current.json, which names all, last.
  const ofPair = ['PUT changes/gadm-4.0..gadm-4.2.csv.gz', 'PUT changes/gone.bin'];
  assert.deepEqual(puts.slice(-4, -1).sort(), [...ofPair, 'PUT releases/gadm-4.2/release.json']);
  assert.equal(puts.indexOf('PUT releases/gadm-4.2/release.json'), puts.length - 4);
  assert.equal(puts.at(-1), 'PUT current.json');
  for (const { method, url, headers } of bucket.asked) {
    if (method !== 'PUT') continue;
    const caching = /current\.json|\/changes\//.test(url) ? 'no-cache' : 'public, max-age=31536000, immutable';
    assert.equal(headers['cache-control'], caching, url);
    assert.equal(headers['content-encoding'], undefined, url);
  }
  const removed = changes.slice(changes.indexOf('PUT current.json') + 1);
  const old = filesUnder(older).filter((path) => path.startsWith('releases/'));
  assert.deepEqual([...new Set(removed)].sort(), old.map((path) => `DELETE ${path}`).sort());
});
