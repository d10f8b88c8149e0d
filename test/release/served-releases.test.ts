// How the proxy follows the releases of its origin: which one it serves, which ones it refuses, what it remembers.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CURRENT_PATH, indexPath, manifestPath, RELEASE_FILE, releasePath } from '../../format/layout.ts';
import { currentToJson } from '../../format/release.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { Releases } from '../../proxy/origin/releases.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const source = writeCountries();
const built = temporaryFolder();
await buildRelease(source, built, { release: 'r2' });
await buildRelease(source, built, { release: 'r1' });

/** A folder with releases r1 and r2, r1 current, and the releases of it. */
async function twoReleases(): Promise<{ out: string; releases: Releases; point(release: string): void }> {
  const out = temporaryFolder();
  cpSync(built, out, { recursive: true });
  const releases = new Releases(directoryOrigin(out));
  assert.equal(await releases.refresh(), 'r1');
  const point = (release: string): void =>
    writeFileSync(join(out, CURRENT_PATH), currentToJson({ release, hosted: ['r1', 'r2'] }));
  return { out, releases, point };
}

test('serves the release that current.json names, and follows it forth and back', async () => {
  const { releases, point } = await twoReleases();
  for (const release of ['r2', 'r1', 'r2']) {
    point(release);
    assert.equal(await releases.refresh(), release);
    assert.equal(releases.current?.id, release);
    assert.equal(await releases.refresh(), undefined);
  }
});

test('finds every hosted release, and no other', async () => {
  const { releases } = await twoReleases();
  assert.equal((await releases.find('r2'))?.id, 'r2');
  assert.equal((await releases.find('r1'))?.id, 'r1');
  assert.equal(await releases.find('r3'), undefined);
});

test('refuses a release whose metadata does not hold, says why, and goes on with the one that it has', async () => {
  const file = (name: string) => `${releasePath('r2')}/${name}`;
  const json = file(RELEASE_FILE);
  const manifest = file(manifestPath(1));
  const index = file(indexPath(1));
  const damages: [string, (text: string) => string | undefined, RegExp][] = [
    [manifest, (text) => text.replace('AAA.1_1', 'AAA.9_1'), /lv1\/manifest\.json: SHA-256 is [0-9a-f]+, expected/],
    [manifest, (text) => text.slice(0, -10), /lv1\/manifest\.json: SHA-256/],
    [manifest, () => undefined, /lv1\/manifest\.json: missing/],
    [index, (text) => text.replace(/^./, 'x'), /lv1\/features\.idx: SHA-256 is [0-9a-f]+, expected/],
    [index, () => '', /lv1\/features\.idx: SHA-256/],
    [index, () => undefined, /lv1\/features\.idx: missing/],
    [json, () => undefined, /release\.json: missing/],
    [json, () => '{', /release\.json: is not JSON/],
    [json, (text) => text.replace('"r2"', '"r1"'), /release\.json: release is r1, expected r2/],
    [json, (text) => text.replace('"version": 2', '"version": 1'), /version is 1, expected 2/],
    [CURRENT_PATH, () => '{}', /current\.json: version/],
    [CURRENT_PATH, () => undefined, /current\.json: missing/],
  ];
  for (const [name, damage, reason] of damages) {
    const { out, releases, point } = await twoReleases();
    point('r2');
    const text = damage(readFileSync(join(out, name), 'utf8'));
    if (text === undefined) rmSync(join(out, name));
    else writeFileSync(join(out, name), text);
    await assert.rejects(releases.refresh(), reason);
    assert.equal(releases.current?.id, 'r1');
  }
});

test('notices a new release by itself, and tells once why one is refused', async () => {
  const { out, releases, point } = await twoReleases();
  const file = join(out, releasePath('r2'), RELEASE_FILE);
  const sound = readFileSync(file);
  rmSync(file);
  const lines: string[] = [];
  let next = (_line: string): void => {};
  const stopWatching = releases.watch((line) => {
    lines.push(line);
    next(line);
  });
  // The timer of `watch` does not keep a process alive; a server does.
  const awake = setInterval(() => {}, 1000);
  const line = (): Promise<string> =>
    new Promise((resolve) => {
      next = resolve;
    });
  const refused = line();
  point('r2');
  assert.equal(await refused, 'still serving release r1: releases/r2/release.json: missing');
  const served = line();
  writeFileSync(file, sound);
  assert.equal(await served, 'serving release r2');
  assert.equal(lines.length, 2);
  stopWatching();
  clearInterval(awake);
});
