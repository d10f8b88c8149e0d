// A stored page or feature file that is not what manifest and index say is never answered as if it were: 502 before the
// first byte, a cut connection after it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import type { FeatureTable } from '../../format/feature-table.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { alonePath, featureFilePath, pagePath, releasePath } from '../../format/layout.ts';
import type { Geometry, Level } from '../../format/levels.ts';
import { MANY_SIZES, readStored } from '../support/datasets/large-dataset.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { send, textOf } from '../support/http/http-client.ts';
import { type RunningService, startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { replaceNames } from '../support/releases/large-page.ts';
import { readFeatureTable, readIndex } from '../support/releases/read-index.ts';
import { worldOutput } from '../support/releases/world.ts';
import { SLICES, sliceOf } from '../support/slice.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Asked, outcomeOf } from './failing-host.ts';

const folder = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered', isChanged: true });
const stored = readStored(folder, 'r1');

/** A file, and requests that read it. */
interface Subject {
  what: string;
  /** Its path in the release. */
  file: string;
  /** That of another file of the same kind. */
  other: string;
  asked: readonly Asked[];
}

const root = join(folder, releasePath('r1'));

const tables = new Map<string, FeatureTable>();

function tableOf(level: Level, geometry: Geometry): FeatureTable {
  const key = `${level} ${geometry}`;
  const table = tables.get(key) ?? readFeatureTable(root, level, geometry);
  tables.set(key, table);
  return table;
}

/** Requests that begin with a feature that is chained: the ones whose data, alone, has the bytes that are damaged. */
function askedAlone(geometry: Geometry): Asked[] {
  const table = tableOf(2, geometry);
  const { fid } = readIndex(root, 2).arrays;
  const bytes = table.alone.bytes(0, table.fileEnd(0));
  return Array.from({ length: 11 }, (_, i): Asked => {
    const start = table.alone.positionAt(Math.floor(((i + 1) * bytes) / 12), 0, table.fileEnd(0));
    const count = 1 + (i % 3);
    const query = `?start-at=${fid[start]}&page-size=${count}&geometry=${geometry}`;
    return { query, format: i % 2 === 0 ? 'fc' : 'geojsonl', level: 2, start, count, geometry };
  });
}

/** Requests for features that follow one another. */
function askedChained(geometry: Geometry): Asked[] {
  const asked = { format: 'geojsonl', level: 2, start: 0, geometry } as const;
  return [
    { ...asked, query: `?page-size=49&geometry=${geometry}`, count: 49 },
    { ...asked, query: `?page-size=19&geometry=${geometry}`, format: 'fc', count: 19 },
    { ...asked, query: `?start-at=300&page-size=40&geometry=${geometry}`, start: 188, count: 40 },
  ];
}

const LARGE = { format: 'fc', level: 0 } as const;
const askedLarge: readonly Asked[] = [
  { ...LARGE, query: '?page-size=9', format: 'geojsonl', start: 0, count: 9 },
  { ...LARGE, query: '?start-at=8&page-size=4', start: 5, count: 4 },
  { ...LARGE, query: '?gid-0=U0.6_1', start: 6, count: 1 },
];

/** Files of every geometry are read alike: each has one. */
const SUBJECTS: readonly Subject[] = [
  {
    what: 'a file with features alone',
    file: alonePath(2, 0),
    other: alonePath(3, 0),
    asked: askedAlone('full'),
  },
  {
    what: 'a feature file',
    file: featureFilePath(2, 0, 'low'),
    other: featureFilePath(3, 0, 'low'),
    asked: askedChained('low'),
  },
  {
    what: 'a feature file with large features',
    file: featureFilePath(0, 0),
    other: featureFilePath(1, 0),
    asked: askedLarge,
  },
  {
    what: 'a page',
    file: pagePath(2, 'geojsonl', 'all', 0),
    other: pagePath(2, 'geojsonl', 'all', 1),
    asked: [{ query: '', format: 'geojsonl', level: 2, start: 0, count: 50 }],
  },
  {
    what: 'a large page',
    file: pagePath(0, 'geojsonl', 'all', 0),
    other: pagePath(0, 'geojsonl', 'all', 1),
    asked: [{ query: '', format: 'geojsonl', level: 0, start: 0, count: 20 }],
  },
];

/** The outcomes of every request that reads a file. */
function outcomes(proxy: RunningService, { asked }: Subject): Promise<string[]> {
  return Promise.all(
    asked.flatMap((one) => ['gzip', 'identity'].map((coding) => outcomeOf(proxy, stored, one, coding))),
  );
}

/** The bytes of its file that an answer holds, from the first one up to the last, which is not included. */
function bytesIn({ file }: Subject, { level, start, count, geometry = 'full' }: Asked): [from: number, to: number] {
  const isAlone = file.includes('/alone/');
  // An answer from a page is all of the page.
  if (!isAlone && !file.includes('/features/')) return [0, Number.POSITIVE_INFINITY];
  const index = tableOf(level, geometry);
  const isChained = index.aloneAt(start) === index.alone;
  if (isAlone) return isChained ? [index.alone.bytes(0, start), index.alone.bytes(0, start + 1)] : [0, 0];
  const offsetOf = (position: number): number =>
    MEMBER_HEADER.length + index.chained.bytes(0, Math.min(position, index.fileEnd(0)));
  return [offsetOf(isChained ? start + 1 : start), offsetOf(start + count)];
}

/** One way in which a file is no longer what it was. */
interface Damage {
  what: string;
  /** Its bytes; undefined if it is gone. */
  bytes: Buffer | undefined;
  /** Does it lie between these bytes? */
  isBetween(from: number, to: number): boolean;
}

/** A bit is flipped all over the file and in the first, middle and last byte of each answer; less of it, another one. */
function damagesOf(subject: Subject, intact: Buffer): Damage[] {
  const answers = subject.asked.map((asked) => bytesIn(subject, asked));
  const lastOf = (to: number): number => Math.min(to, intact.length) - 1;
  const evenly = Array.from({ length: SLICES }, (_, i) => Math.floor(((i + 1) * intact.length) / (SLICES + 1)));
  const places = [...evenly, ...answers.flatMap(([from, to]) => [from, (from + lastOf(to)) >> 1, lastOf(to)])];
  const flips = places.map((at): Damage => {
    const bytes = Buffer.from(intact);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
    return { what: `byte ${at}`, bytes, isBetween: (from, to) => at >= from && at < to };
  });
  const lengths = [0, Math.floor(intact.length / 10), ...answers.map(([, to]) => lastOf(to))];
  const cuts = lengths.map((length): Damage => {
    return { what: `cut at ${length}`, bytes: intact.subarray(0, length), isBetween: (_, to) => to > length };
  });
  const all = { isBetween: () => true };
  return [
    { what: 'nothing', bytes: undefined, ...all },
    { what: 'another file', bytes: readFileSync(join(root, subject.other)), ...all },
    { what: 'zeros', bytes: Buffer.alloc(intact.length), ...all },
    ...cuts,
    ...flips,
  ];
}

/**
 * Asks a proxy: it finds the damage each time that an answer holds some, and no other time.
 * @returns how often it was found
 */
async function findDamage(proxy: RunningService, subject: Subject, { what, isBetween }: Damage): Promise<number> {
  let found = 0;
  for (const [n, outcome] of (await outcomes(proxy, subject)).entries()) {
    const asked = elementAt(subject.asked, n >> 1);
    const isHit = isBetween(...bytesIn(subject, asked));
    assert.equal(outcome !== 'right', isHit, `${what} for ${asked.query}: ${outcome}`);
    if (!isHit) continue;
    found++;
    // What is read at once is refused before its first byte; what is streamed has begun by then.
    assert.ok(outcome === 'origin-damaged' || (asked.level === 0 && outcome === 'cut'), `${what}: ${outcome}`);
  }
  return found;
}

for (const subject of SUBJECTS) {
  const file = join(root, subject.file);

  test(`${subject.what} that is damaged, cut short, another one or missing never gives an answer that is wrong and looks right, and is read again by the same proxy when it was mended`, async () => {
    const intact = readFileSync(file);
    let foundInAll = 0;
    for (const damage of sliceOf(damagesOf(subject, intact), ({ what }) => what === 'nothing')) {
      if (damage.bytes === undefined) rmSync(file);
      else writeFileSync(file, damage.bytes);
      // One that has read nothing yet.
      const proxy = await startService(folder);
      const found = await findDamage(proxy, subject, damage);
      foundInAll += found;
      if (damage.bytes === undefined) assert.equal(proxy.log.at(-1), `${relative(folder, file)}: missing`);
      writeFileSync(`${file}.copy`, intact);
      renameSync(`${file}.copy`, file);
      // Who got a right answer may have kept the file open: it is closed when somebody finds the damage.
      if (found < 2 * subject.asked.length) await outcomes(proxy, subject);
      assert.deepEqual(new Set(await outcomes(proxy, subject)), new Set(['right']), damage.what);
    }
    assert.ok(foundInAll > 0);
  });
}

test('a response that was sent before its file was damaged is answered from the cache, and right', async () => {
  const proxy = await startService(folder);
  for (const subject of SUBJECTS) {
    const file = join(root, subject.file);
    const intact = readFileSync(file);
    const [first] = subject.asked;
    assert.ok(first);
    // Large ones are not kept.
    if (first.level === 0) continue;
    // What is asked for twice is cached.
    for (let i = 0; i < 2; i++) assert.equal(await outcomeOf(proxy, stored, first, 'gzip'), 'right');
    writeFileSync(file, Buffer.alloc(intact.length));
    const again = await outcomeOf(proxy, stored, first, 'gzip');
    writeFileSync(file, intact);
    assert.equal(again, 'right');
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
  assert.match(String(service.log.at(-1)), /names\.jsonl\.gz: damaged$|names\/lv0: damaged$/);
});
