// How the metadata of a release is loaded: large releases in a thread, one at a time; GIDs in a packed table.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import fc from 'fast-check';
import { RECORD_BYTES } from '../../format/feature-index.ts';
import { indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { FEATURES_PER_FILE, LEVELS } from '../../format/levels.ts';
import { type Column, columnFrom, type Manifest, manifestToJson } from '../../format/manifest.ts';
import { FormatError } from '../../format/parse.ts';
import { releaseToJson } from '../../format/release.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { GidTable, packGids } from '../../proxy/releases/gid-table.ts';
import { filesToTables, tablesToLevel } from '../../proxy/releases/level-tables.ts';
import { loadRelease, readDescription } from '../../proxy/releases/load-release.ts';
import { processTurns } from '../../proxy/releases/turns.ts';
import { sha256 } from '../support/files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A file that no request of these tests needs. */
const NOT_READ = { bytes: 0, textBytes: 0, sha256: '' };
const UNITS = 60_000;
const gidAt = (i: number): string => `ABC.${i % 700}.${i}_1`;

/** Writes the metadata of a release with 60,000 units at level 5, and none at the others; feature files are not read. */
function writeMetadata(folder: string, release: string, change = (manifest: string): string => manifest): void {
  const root = join(folder, releasePath(release));
  const write = (path: string, content: string | Buffer): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return sha256(content);
  };
  const levels = LEVELS.map((level) => {
    const features = level === 5 ? UNITS : 0;
    const columns = Array.from({ length: level + 1 }, (_, n): Column => {
      const share = 10 ** (5 - n);
      return columnFrom(
        `GID_${n}`,
        Array.from({ length: features }, (_, i) => gidAt(Math.floor(i / share))),
      );
    });
    const none = { bytes: [], digests: '' };
    const manifest: Manifest = {
      release,
      level,
      features,
      fids: features === 0 ? [] : [1, features],
      columns,
      featuresPerFile: FEATURES_PER_FILE[level],
      storedPages: 'none',
      pages: { geojsonl: none, fc: none },
    };
    const index = Buffer.alloc(features * RECORD_BYTES);
    for (let i = 0; i < features; i++) index.writeUInt32LE(100, i * RECORD_BYTES);
    return {
      level,
      layer: '',
      gidColumns: columns.map(({ name }) => name),
      nameColumn: '',
      typeColumn: '',
      isRenumbered: false,
      features,
      listings: 1,
      pages: { geojsonl: 0, fc: 0 },
      bytes: 0,
      featureFiles: { files: 0, bytes: 0 },
      manifest: write(manifestPath(level), change(manifestToJson(manifest))),
      index: write(indexPath(level), index),
      names: NOT_READ,
    };
  });
  const about = { source: [], gdal: '3', precision: 7, storedPages: 'none', attribution: [], quality: [] } as const;
  write(RELEASE_FILE, releaseToJson({ release, ...about, overview: NOT_READ, levels }));
}

const folder = temporaryFolder();
const origin = directoryOrigin(folder);
writeMetadata(folder, 'large');

test('loads a large release without stalling the event loop; look-ups need no preparation', async () => {
  const description = await readDescription(origin, 'large');
  const file = async (path: string, sha256: string) => {
    const inRelease = `${releasePath('large')}/${path}`;
    return { path: inRelease, bytes: new Uint8Array(await origin.read(inRelease)), sha256 };
  };
  const [, , , , , summary] = description.release.levels;
  assert.ok(summary);
  const manifest = await file(manifestPath(5), summary.manifest);
  const index = await file(indexPath(5), summary.index);
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  const shares: number[] = [];
  // Other programs on a busy machine stall the event loop, too: the best of three.
  for (let i = 0; i < 3; i++) {
    const begun = performance.now();
    tablesToLevel(filesToTables({ release: 'large', level: 5, manifest, index }));
    const inlineMs = performance.now() - begun;
    await new Promise((resolve) => setImmediate(resolve));
    stalls.enable();
    stalls.reset();
    const release = await loadRelease(origin, description, processTurns());
    const [column] = release.level(5).manifest.columns.slice(-1);
    assert.equal(column?.gids.find(gidAt(UNITS - 1)), UNITS - 1);
    assert.equal(column.gids.find('x'), undefined);
    await new Promise((resolve) => setTimeout(resolve, 5));
    stalls.disable();
    shares.push(stalls.max / 1e6 / inlineMs);
  }
  assert.ok(Math.min(...shares) < 0.4, `the longest stalls are ${shares} of the time of parsing`);
});

test('an error in a large release names the file, as in a small one', async () => {
  writeMetadata(folder, 'twice', (manifest) => manifest.replace(gidAt(1), gidAt(0)));
  const load = async () => loadRelease(origin, await readDescription(origin, 'twice'), processTurns());
  await assert.rejects(load, (error) => {
    assert.ok(error instanceof FormatError);
    assert.match(
      error.message,
      /^releases\/twice\/lv5\/manifest\.json columns\[1\]: a GID is listed twice: "ABC\.0\.0_1"$/,
    );
    return true;
  });
});

test('work in turns runs one at a time and in order, whether it succeeds or fails', async () => {
  const takeTurn = processTurns();
  const steps: string[] = [];
  const work = (name: string, fails: boolean) => async () => {
    steps.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`${name} ends`);
    if (fails) throw new Error(name);
  };
  const results = await Promise.allSettled([takeTurn(work('a', true)), takeTurn(work('b', false))]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
  assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a packed table finds every GID by its exact text, and no other', () => {
  const gid = fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.stringMatching(/^[AB]\.[12]$/));
  fc.assert(
    fc.property(fc.uniqueArray(gid), gid, (gids, other) => {
      const table = new GidTable(packGids(gids, 'test'));
      assert.equal(table.length, gids.length);
      for (const [i, gid] of gids.entries()) assert.deepEqual([table.find(gid), table.at(i)], [i, gid]);
      assert.equal(table.at(gids.length), undefined);
      assert.equal(table.find(other), gids.includes(other) ? gids.indexOf(other) : undefined);
    }),
  );
  // Half of a surrogate pair is not the replacement character.
  assert.equal(new GidTable(packGids(['\ud800'], 'test')).find('\ufffd'), undefined);
  assert.throws(() => packGids(['a', 'b', 'a'], 'x.json'), /^FormatError: x\.json: a GID is listed twice: "a"$/);
});
