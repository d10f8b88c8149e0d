// A file of a release that is not what manifest and index say is never answered as if it were: 502 before the first
// byte, a cut connection after it. Nothing else is disturbed, and it is read again once it is mended. What is damaged in
// any order, and at any host, is in simulations.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeCells } from '../../../format/cells.ts';
import { elementAt } from '../../../format/element-at.ts';
import {
  alonePath,
  cellsPath,
  featureFilePath,
  indexPath,
  namesPath,
  neighboursPath,
  neighboursTablePath,
  pagePath,
  releasePath,
  tableDigestsPath,
  tilesPath,
  unitsTablePath,
  wordsPath,
} from '../../../format/layout.ts';
import { OTHER_GEOMETRIES } from '../../../format/levels.ts';
import { decodeHeader } from '../../../format/pmtiles.ts';
import { MANY_SIZES } from '../../support/datasets/large-dataset.ts';
import { writeCountries } from '../../support/datasets/small-datasets.ts';
import { type Answer, refusal, send, textOf } from '../../support/http/http-client.ts';
import { type RunningService, startService } from '../../support/http/in-process-proxy.ts';
import { buildCountries, buildRelease, WHOLE } from '../../support/releases/build-release.ts';
import { replaceNames } from '../../support/releases/large-page.ts';
import { worldOutput } from '../../support/releases/world.ts';
import { sliceOf } from '../../support/slice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Subject {
  path: string;
  other: string;
  targets: readonly string[];
  /** Does each of the requests read all of it? Of others it is enough that they get nothing wrong. */
  isWhole: boolean;
}

/** Files of level 2 that are read when they are asked for. */
const ON_DEMAND: readonly Subject[] = [
  ...OTHER_GEOMETRIES.map((geometry) => {
    const targets = ['fc/lv2?page-size=3', 'geojsonl/lv2?gid-0=none', 'geojsonl/lv2?'];
    return subjectOf(
      (level) => indexPath(level, geometry),
      targets.map((target) => `${target}&geometry=${geometry}`),
    );
  }),
  subjectOf(cellsPath, [
    ...['fc/lv2?contains', 'fc/lv2?bbox=1.5,3.5,1.5,3.5&contains', 'at?point'].map((of) => `${of}=1.5,3.5`),
    'download/lv2.cells',
  ]),
  subjectOf(neighboursPath, ['fc/lv2?touches=AAA.1.1_1', 'geojsonl/lv2?touches=none']),
  subjectOf(tableDigestsPath, ['download/lv2.parquet']),
  subjectOf(wordsPath, ['search?q=n&geometry=full']),
  // A search tells the names of what it finds.
  subjectOf(namesPath, ['names/lv2', 'search?q=n&geometry=full']),
];

function subjectOf(pathOf: (level: 1 | 2) => string, targets: readonly string[]): Subject {
  return { path: pathOf(2), other: pathOf(1), targets, isWhole: true };
}

/** Features and pages, of which large ones are sent in pieces: level 0 has units of more than a MiB. */
const FEATURES: readonly Subject[] = [
  {
    path: alonePath(2, 0),
    other: alonePath(3, 0),
    // What begins with a feature that is chained.
    targets: [9, 20, 41, 60, 79, 100].map((start, i) => `fc/lv2?start-at=${start}&page-size=${1 + (i % 3)}`),
    isWhole: false,
  },
  {
    path: featureFilePath(2, 0, 'low'),
    other: featureFilePath(3, 0, 'low'),
    targets: ['fc/lv2?page-size=19', 'fc/lv2?start-at=300&page-size=40', 'download/lv2.geojsonl.gz?'].map(
      (target) => `${target}&geometry=low`,
    ),
    isWhole: false,
  },
  {
    path: featureFilePath(0, 0),
    other: featureFilePath(1, 0),
    targets: ['geojsonl/lv0?page-size=9', 'fc/lv0?start-at=8&page-size=4', 'fc/lv0?gid-0=U0.6_1'],
    isWhole: false,
  },
  ...([0, 2] as const).map((level) => ({
    path: pagePath(level, 'geojsonl', 'all', 0),
    other: pagePath(level, 'geojsonl', 'all', 1),
    targets: [`geojsonl/lv${level}`],
    isWhole: true,
  })),
];

/** Files that stay open while pieces of them are read: of cells and tiles what is before these is loaded first. */
const PIECES: readonly Subject[] = [
  ...[['fc/lv2?contains=1.5,3.5', 'at?point=1.5,3.5'], ['download/lv2.cells']].map((targets) => {
    return { path: cellsPath(2), other: cellsPath(1), targets, isWhole: false };
  }),
  ...[['0/0/0', '1/1/0', '2/2/1'].map((tile) => `tiles/lv2/${tile}.mvt`), ['download/lv2.pmtiles']].map((targets) => {
    return { path: tilesPath(2), other: tilesPath(1), targets, isWhole: false };
  }),
  subjectOf(unitsTablePath, ['download/lv2.parquet']),
  subjectOf(neighboursTablePath, ['download/lv2.neighbours.csv.gz']),
  subjectOf(namesPath, ['names/lv2']),
];

/** What the bytes of a file become, given those of another one, too; undefined if it is missing. */
const DAMAGES: readonly (readonly [what: string, damaged: (bytes: Buffer, other: Buffer) => Buffer | undefined])[] = [
  ['missing', () => undefined],
  ...[0, 0.3, 0.6, 0.99].map((share) => [`flipped at ${share}`, flippedAt(share)] as const),
  ['cut short', (bytes) => bytes.subarray(0, -8)],
  ['longer', (bytes) => Buffer.concat([bytes, Buffer.alloc(8)])],
  ['of another level', (_, other) => other],
];

function flippedAt(share: number) {
  return (bytes: Buffer): Buffer => {
    const at = Math.floor(bytes.length * share);
    return Buffer.from(bytes.with(at, elementAt(bytes, at) ^ 4));
  };
}

/** Files of which a recorded part is read, whatever is behind it. */
const hasEnd = (path: string): boolean => /\.gz$|\.pmtiles$|\.parquet$|\/cells\.bin$|\/alone\//.test(path);

/** How much of a file is loaded when it is first asked for. */
function loadedBytes(path: string, bytes: Buffer): number {
  if (path.endsWith('/cells.bin')) return decodeCells(bytes, path).bytes;
  return path.endsWith('.pmtiles') ? decodeHeader(bytes, path).data.offset : 0;
}

/** The answers to some requests as gzip and as text; undefined for one that was cut. */
function answersTo(service: RunningService, targets: readonly string[]): Promise<(Answer | undefined)[]> {
  // At once: the proxy looks at the pointer before each 502, which it does four times a second.
  const asked = ['gzip', 'identity'].flatMap((coding) =>
    targets.map((target) => send(service, `/api/v1/${target}`, { 'accept-encoding': coding }).catch(() => undefined)),
  );
  return Promise.all(asked);
}

const countries = await buildCountries({ ...WHOLE, storedPages: 'none', tiles: 2 });
const manySizes = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered', isChanged: true });

/**
 * Tries the damages of some files, one after the other.
 * @param isReadAgain is it read again at once when it is mended? Then what is loaded of a file is left as it is.
 */
async function tryDamages(folder: string, subjects: readonly Subject[], isReadAgain: boolean): Promise<void> {
  const root = join(folder, releasePath('r1'));
  /** What is damaged of a file, and what is before it. */
  const readIn = (path: string): { before: Buffer; bytes: Buffer } => {
    const all = readFileSync(join(root, path));
    const at = loadedBytes(path, all);
    if (isReadAgain) return { before: all.subarray(0, at), bytes: all.subarray(at) };
    return { before: Buffer.of(), bytes: at === 0 ? all : all.subarray(0, at) };
  };
  const sound = await startService(folder);
  const rightOf = new Map<Subject, (Answer | undefined)[]>();
  for (const subject of subjects) rightOf.set(subject, await answersTo(sound, subject.targets));
  const cases = subjects.flatMap((subject) => DAMAGES.map(([damage, change]) => ({ subject, damage, change })));
  const possible = cases.filter(({ subject: { path }, damage }) => {
    if (damage === 'longer') return !hasEnd(path);
    // What could not be loaded is tried again after some seconds.
    return damage !== 'missing' || !isReadAgain || readIn(path).before.length === 0;
  });
  const isPinned = ({ subject, damage }: (typeof cases)[number]): boolean =>
    damage === 'missing' || (!subject.isWhole && damage === 'flipped at 0.3');
  for (const { subject, damage, change } of sliceOf(possible, isPinned)) {
    const { path, other, targets, isWhole } = subject;
    const right = rightOf.get(subject) ?? [];
    const file = join(root, path);
    const intact = readFileSync(file);
    const { before, bytes } = readIn(path);
    const damaged = change(bytes, readIn(other).bytes);
    if (damaged === undefined) rmSync(file);
    else writeFileSync(file, Buffer.concat([before, damaged]));
    // One that has read nothing yet.
    const service = await startService(folder);
    let found = 0;
    for (const [i, answer] of (await answersTo(service, targets)).entries()) {
      const isRight = answer?.status === 200 && answer.body.equals(right[i]?.body ?? Buffer.alloc(0));
      if (isRight && !isWhole) continue;
      found++;
      // What is streamed has begun by then.
      if (answer === undefined) assert.match(`${path} ${targets[i % targets.length]}`, /^lv0\/|download/);
      else
        assert.doesNotMatch(
          refusal(answer, 502, 'origin-damaged'),
          /index|lv2|releases|\.(gz|bin)/,
          `${path} ${damage}`,
        );
    }
    if (damage === 'missing' || damage === 'of another level') assert.ok(found > 0, path);
    if (found > 0) assert.ok(service.log.join('\n').includes(path), `${path} ${damage}`);
    const elsewhere = subjects.filter((one) => one.path !== path);
    const others = elsewhere.flatMap((one) => one.targets.filter((target) => !targets.includes(target)).slice(0, 1));
    const above = targets.map((target) => target.replace('lv2', 'lv1')).filter((target) => !targets.includes(target));
    for (const target of [...others, ...above])
      assert.equal((await send(service, `/api/v1/${target}`)).status, 200, `${target} beside ${path} ${damage}`);
    assert.equal((await send(service, '/readyz', { authorization: undefined })).status, 200);
    writeFileSync(`${file}.copy`, intact);
    renameSync(`${file}.copy`, file);
    if (!isReadAgain) continue;
    // Who got a right answer may have kept the file open: it is closed when somebody finds the damage.
    await answersTo(service, targets);
    for (const [i, answer] of (await answersTo(service, targets)).entries()) {
      assert.equal(answer?.status, 200, `${targets[i % targets.length]} with ${path} ${damage}, ${answer?.body}`);
      assert.ok(answer.body.equals(right[i]?.body ?? Buffer.of()), `${path} ${damage}`);
    }
  }
}

test('a file that is loaded and damaged or missing gives 502, which names none, and disturbs nothing else', () =>
  // It is tried again after five seconds: on-demand.test.ts.
  tryDamages(countries, ON_DEMAND, false));

test('a damaged or missing page or file of features never gives an answer that is wrong and looks right, and is read again by the same service once it was mended', () =>
  tryDamages(manySizes, FEATURES, true));

test('so is a damaged tile, cell, archive, table or file of names', () => tryDamages(countries, PIECES, true));

test('what was asked for twice before its file was damaged is answered from the cache, and right', async () => {
  const service = await startService(manySizes);
  for (const { path, targets } of FEATURES) {
    // Large answers are not kept.
    if (path.startsWith('lv0/')) continue;
    const file = join(manySizes, releasePath('r1'), path);
    const intact = readFileSync(file);
    const ask = () => send(service, `/api/v1/${targets[0]}`, { 'accept-encoding': 'gzip' });
    const [, right] = [await ask(), await ask()];
    writeFileSync(file, Buffer.alloc(intact.length));
    const again = await ask();
    writeFileSync(file, intact);
    assert.deepEqual([again.status, again.body], [200, right.body], path);
  }
});

test('a large file of names that is damaged is never complete', async () => {
  const out = temporaryFolder();
  await buildRelease(writeCountries(), out);
  const text = randomBytes(2 * 1024 * 1024).toString('hex');
  const names = gzipSync(text);
  const file = replaceNames(out, names, text.length);
  const service = await startService(out);
  const ask = (coding: string) => send(service, '/api/v1/names/lv0', { 'accept-encoding': coding });
  for (const coding of ['gzip', 'identity']) assert.ok(textOf(await ask(coding)) === text);
  const damaged = Buffer.from(names);
  damaged.writeUInt8(damaged.readUInt8(names.length - 9) ^ 1, names.length - 9);
  writeFileSync(file, damaged);
  for (const coding of ['gzip', 'identity']) await assert.rejects(ask(coding), { code: 'ECONNRESET' });
  assert.match(String(service.log.at(-1)), /names\.jsonl\.gz: damaged, bytes from \d+$|names\/lv0: damaged$/);
});
