// How the metadata of a release is loaded: two files a level, their SHA-256, views; without stalling the event loop.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { elementAt } from '../../format/element-at.ts';
import {
  CURRENT_PATH,
  indexPath,
  manifestPath,
  RELEASE_FILE,
  RELEASES_PATH,
  releasePath,
} from '../../format/layout.ts';
import type { LevelArrays } from '../../format/level-index.ts';
import { FormatError } from '../../format/parse.ts';
import { loadRelease, readDescription } from '../../proxy/data/load-release.ts';
import { Releases } from '../../proxy/data/releases.ts';
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import { sha256Of } from '../support/files.ts';
import { buildSynthetic } from '../support/releases/build-synthetic.ts';
import { resealLevel } from '../support/releases/reseal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
await buildSynthetic(join(folder, 'source.gpkg'), 800, folder);
const origin = directoryOrigin(folder);

/** The digest of the release in an output folder, as its file is now. */
const digestIn = (out: string): string => sha256Of(join(out, releasePath('r1'), RELEASE_FILE));

test('files of any size are hashed in pieces: the event loop goes on', async () => {
  const description = await readDescription(origin, 'r1', digestIn(folder));
  // 64 MB of metadata, of which the SHA-256 is another one: hashing it takes some 50 ms.
  const bytes = Buffer.alloc(64 * 1024 * 1024);
  const levels = description.release.levels.map((level) => ({ ...level, index: { bytes: bytes.length, sha256: '' } }));
  const slow = {
    ...origin,
    read: async (...args: Parameters<typeof origin.read>) => (args[0].endsWith('.bin') ? bytes : origin.read(...args)),
  };
  const shares: number[] = [];
  for (let round = 0; round < 3; round++) {
    const stalls = monitorEventLoopDelay({ resolution: 1 });
    stalls.enable();
    const begun = performance.now();
    await assert.rejects(
      loadRelease(slow, { ...description, release: { ...description.release, levels } }),
      FormatError,
    );
    shares.push(stalls.max / 1e6 / (performance.now() - begun));
    stalls.disable();
  }
  // Other programs on a busy machine stall the event loop, too: the best of three.
  assert.ok(Math.min(...shares) < 0.5, `the longest stalls are ${shares} of the time of loading`);
});

type Damage = readonly [what: string, file: string, damage: (path: string) => void, message: RegExp];
const cut = (path: string): void => writeFileSync(path, readFileSync(path).subarray(0, -1));
const other = (path: string): void => cpSync(join(path, '../../lv2/manifest.json'), path);
const lengthen = (path: string): void => appendFileSync(path, ' ');
const DAMAGES: readonly Damage[] = [
  ['one bit different', indexPath(2), flip, /lv2\/index\.bin: SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}$/],
  ['cut', indexPath(2), cut, /lv2\/index\.bin: \d+ bytes, expected \d+$/],
  ['one bit different', manifestPath(3), flip, /lv3\/manifest\.json: SHA-256 is/],
  ['missing', manifestPath(3), (path) => rmSync(path), /lv3\/manifest\.json: missing/],
  ['of another level', manifestPath(3), other, /lv3\/manifest\.json: /],
  ['longer than recorded', indexPath(2), lengthen, /lv2\/index\.bin: damaged, more than \d+ bytes$/],
  ['longer than recorded', manifestPath(3), lengthen, /lv3\/manifest\.json: damaged, more than \d+ bytes$/],
  ['of version 2', RELEASE_FILE, (path) => writeFileSync(path, '{"version":2}'), /: format version is 2, expected 5/],
];

function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = elementAt(bytes, at) ^ 4;
  writeFileSync(path, bytes);
}

for (const [what, file, damage, message] of DAMAGES)
  test(`refuses a release whose ${file} is ${what}`, async () => {
    const copy = temporaryFolder();
    cpSync(join(folder, 'releases'), join(copy, 'releases'), { recursive: true });
    damage(join(copy, releasePath('r1'), file));
    const damaged = directoryOrigin(copy);
    const load = async () => loadRelease(damaged, await readDescription(damaged, 'r1', digestIn(copy)));
    await assert.rejects(load, (error: unknown) => error instanceof Error && message.test(error.message));
  });

test('refuses a current.json without the digest of a release that it hosts, and names what is missing', async () => {
  const out = temporaryFolder();
  cpSync(join(folder, RELEASES_PATH), join(out, RELEASES_PATH), { recursive: true });
  const pointer = JSON.parse(readFileSync(join(folder, CURRENT_PATH), 'utf8'));
  for (const [digests, message] of [
    [undefined, /current\.json digests: is not a JSON object$/],
    [{}, /current\.json digests: r1 is undefined, expected text$/],
    [{ r1: 'abc' }, /current\.json: digests\.r1 is "abc", expected a SHA-256 in hex$/],
  ] as const) {
    writeFileSync(join(out, CURRENT_PATH), JSON.stringify({ ...pointer, digests }));
    await assert.rejects(new Releases(directoryOrigin(out)).refresh(), message);
  }
});

/** Arrays that a faulty writer has sealed: SHA-256 and lengths are right. */
const CONTRADICTIONS: readonly [what: string, change: (arrays: LevelArrays) => void, message: RegExp][] = [
  ['a length that is no number', ({ start }) => (start[1] = Number.NaN), /index\.bin: start\[1\] is NaN, expected/],
  [
    'an infinite length',
    ({ textStart }) => (textStart[2] = Infinity),
    /index\.bin: textStart\[2\] is Infinity, expected/,
  ],
  ['a fraction of a byte', ({ start }) => (start[1] = elementAt(start, 1) - 0.5), /index\.bin: start\[1\] is [\d.]+, /],
  ['fids that do not ascend', ({ fid }) => (fid[1] = elementAt(fid, 0)), /index\.bin: fid\[1\] is \d+, expected/],
  [
    'GIDs that end before they begin',
    ({ columns }) => (elementAt(columns, 0).arrays.start[1] = 0xfffffff0),
    /index\.bin: gid0\.start\[2\] is \d+, expected/,
  ],
];

for (const [what, change, message] of CONTRADICTIONS)
  test(`refuses a release whose index has ${what}`, async () => {
    const copy = temporaryFolder();
    cpSync(join(folder, 'releases'), join(copy, 'releases'), { recursive: true });
    const root = join(copy, releasePath('r1'));
    resealLevel(root, 0, (index) => {
      change(index.arrays);
      return index;
    });
    const faulty = directoryOrigin(copy);
    await assert.rejects(async () => loadRelease(faulty, await readDescription(faulty, 'r1', digestIn(copy))), message);
  });
