// A stored page or feature file that is not what manifest and index say is never answered as if it were: 502 before the
// first byte, a cut connection after it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { elementAt } from '../../format/element-at.ts';
import { MEMBER_HEADER } from '../../format/gzip.ts';
import { alonePath, featureFilePath, pagePath, releasePath } from '../../format/layout.ts';
import { type Geometry, type Level, OTHER_GEOMETRIES } from '../../format/levels.ts';
import { MANY_SIZES, readStored } from '../support/datasets/large-dataset.ts';
import { writeCountries } from '../support/datasets/small-datasets.ts';
import { send, textOf } from '../support/http/http-client.ts';
import type { RunningService } from '../support/http/in-process-proxy.ts';
import { startService } from '../support/http/in-process-proxy.ts';
import { buildRelease } from '../support/releases/build-release.ts';
import { replaceNames } from '../support/releases/large-page.ts';
import { readFeatureTable, readIndex } from '../support/releases/read-index.ts';
import { worldOutput } from '../support/releases/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Asked, outcomeOf } from './failing-host.ts';

const folder = await worldOutput({ size: MANY_SIZES, pages: 'unfiltered', isChanged: true });
const stored = readStored(folder, 'r1');

/** A file, and every request below that reads it; the first one reads all of it. */
interface Subject {
  what: string;
  level: Level;
  /** The full one if it is not said. */
  geometry?: Geometry;
  file: string;
  /** Another file of the same kind. */
  other: string;
  asked: readonly Asked[];
}

const inRelease = (path: string): string => join(folder, releasePath('r1'), path);

/** Requests that begin with a feature that is chained: the ones whose data, alone, has the bytes that are damaged. */
function askedAlone(geometry: Geometry): Asked[] {
  const table = readFeatureTable(join(folder, releasePath('r1')), 2, geometry);
  const { fid } = readIndex(join(folder, releasePath('r1')), 2).arrays;
  const bytes = table.alone.bytes(0, table.fileEnd(0));
  return Array.from({ length: 11 }, (_, i): Asked => {
    const start = table.alone.positionAt(Math.floor(((i + 1) * bytes) / 12), 0, table.fileEnd(0));
    const count = 1 + (i % 3);
    const query = `?start-at=${fid[start]}&page-size=${count}&geometry=${geometry}`;
    return { query, format: i % 2 === 0 ? 'fc' : 'geojsonl', level: 2, start, count, geometry };
  });
}

const SUBJECTS: readonly Subject[] = [
  ...(['full', 'low'] as const).map(
    (geometry): Subject => ({
      what: `a file with features alone, of geometry ${geometry}`,
      level: 2,
      geometry,
      file: inRelease(alonePath(2, 0, geometry)),
      other: inRelease(alonePath(3, 0, geometry)),
      asked: askedAlone(geometry),
    }),
  ),
  {
    what: 'a page',
    level: 2,
    file: inRelease(pagePath(2, 'geojsonl', 'all', 0)),
    other: inRelease(pagePath(2, 'geojsonl', 'all', 1)),
    asked: [{ query: '', format: 'geojsonl', level: 2, start: 0, count: 50 }],
  },
  {
    what: 'a large page',
    level: 0,
    file: inRelease(pagePath(0, 'geojsonl', 'all', 0)),
    other: inRelease(pagePath(0, 'geojsonl', 'all', 1)),
    asked: [{ query: '', format: 'geojsonl', level: 0, start: 0, count: 20 }],
  },
  {
    what: 'a feature file',
    level: 2,
    file: inRelease(featureFilePath(2, 0)),
    other: inRelease(featureFilePath(3, 0)),
    asked: [
      { query: '?page-size=49', format: 'geojsonl', level: 2, start: 0, count: 49 },
      { query: '?page-size=19', format: 'fc', level: 2, start: 0, count: 19 },
      { query: '?start-at=300&page-size=40', format: 'geojsonl', level: 2, start: 188, count: 40 },
    ],
  },
  {
    what: 'a feature file with large features',
    level: 0,
    file: inRelease(featureFilePath(0, 0)),
    other: inRelease(featureFilePath(1, 0)),
    asked: [
      { query: '?page-size=9', format: 'geojsonl', level: 0, start: 0, count: 9 },
      { query: '?start-at=8&page-size=4', format: 'fc', level: 0, start: 5, count: 4 },
      { query: '?gid-0=U0.6_1', format: 'fc', level: 0, start: 6, count: 1 },
    ],
  },
  ...OTHER_GEOMETRIES.map(
    (geometry): Subject => ({
      what: `a feature file of geometry ${geometry}`,
      level: 2,
      geometry,
      file: inRelease(featureFilePath(2, 0, geometry)),
      other: inRelease(featureFilePath(3, 0, geometry)),
      asked: [
        { query: `?page-size=49&geometry=${geometry}`, format: 'geojsonl', level: 2, start: 0, count: 49, geometry },
        { query: `?page-size=19&geometry=${geometry}`, format: 'fc', level: 2, start: 0, count: 19, geometry },
        {
          query: `?geometry=${geometry}&start-at=300&page-size=40`,
          format: 'geojsonl',
          level: 2,
          start: 188,
          count: 40,
          geometry,
        },
      ],
    }),
  ),
];

/** The outcomes of every request that reads a file; to a proxy that has read nothing yet, if none is given. */
async function outcomes({ asked }: Subject, proxy?: RunningService): Promise<string[]> {
  const asks = proxy ?? (await startService(folder));
  return Promise.all(
    asked.flatMap((one) => ['gzip', 'identity'].map((coding) => outcomeOf(asks, stored, one, coding))),
  );
}

/** Does the answer hold the byte at this offset of the file? */
function holdsByte({ level, file, geometry = 'full' }: Subject, { start, count }: Asked, at: number): boolean {
  // An answer from a page is all of the page.
  const isAlone = file.includes('/alone/');
  if (!isAlone && !file.includes('/features/')) return true;
  const index = readFeatureTable(join(folder, releasePath('r1')), level, geometry);
  const isChained = index.aloneAt(start) === index.alone;
  if (isAlone) return isChained && at >= index.alone.bytes(0, start) && at < index.alone.bytes(0, start + 1);
  const offsetOf = (position: number): number =>
    MEMBER_HEADER.length + index.chained.bytes(0, Math.min(position, index.fileEnd(0)));
  return at >= offsetOf(isChained ? start + 1 : start) && at < offsetOf(start + count);
}

test('intact files give the right answers', async () => {
  for (const subject of SUBJECTS) assert.deepEqual(new Set(await outcomes(subject)), new Set(['right']));
});

for (const subject of SUBJECTS) {
  const { what, file, other } = subject;
  const isLarge = subject.level === 0;
  // One of the geometries stands for all: their files differ in nothing that a test of whole files could see.
  const isSample = subject.geometry === undefined || subject.geometry === 'low';

  test(`a flipped byte of ${what} never gives an answer that is wrong and looks right`, async () => {
    const intact = readFileSync(file);
    let found = 0;
    for (let i = 1; i < 12; i++) {
      const damaged = Buffer.from(intact);
      const at = Math.floor((i * intact.length) / 12);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(file, damaged);
      const seen = await outcomes(subject);
      for (const [n, outcome] of seen.entries()) {
        const asked = elementAt(subject.asked, n >> 1);
        // It is found each time that an answer has the byte, and disturbs no other answer.
        assert.equal(outcome !== 'right', holdsByte(subject, asked, at), `byte ${at} for ${asked.query}: ${outcome}`);
        if (outcome === 'right') continue;
        found++;
        // What is read at once is refused before its first byte; what is streamed has begun by then.
        assert.ok(outcome === 'origin-damaged' || (isLarge && outcome === 'cut'), outcome);
      }
    }
    writeFileSync(file, intact);
    assert.ok(found > 0);
  });

  if (!isSample) continue;

  test(`${what} cut short never gives an answer that looks complete`, async () => {
    const intact = readFileSync(file);
    for (const share of [0.99, 0.5, 0.1, 0]) {
      truncateSync(file, Math.floor(intact.length * share));
      const seen = await outcomes(subject);
      writeFileSync(file, intact);
      const right = seen.filter((outcome) => outcome === 'right').length;
      // Of a feature file only what was cut off is missing.
      const expected = subject.asked.length === 1 || share === 0 ? 0 : share < 0.99 ? seen.length - 1 : seen.length;
      assert.ok(right <= expected, `${share}: ${seen}`);
    }
  });

  test(`another file in the place of ${what} is refused`, async () => {
    const intact = readFileSync(file);
    writeFileSync(file, readFileSync(other));
    const seen = new Set(await outcomes(subject));
    writeFileSync(file, intact);
    assert.ok(!seen.has('right'));
    if (!isLarge) assert.deepEqual(seen, new Set(['origin-damaged']));
  });

  test(`${what} that is missing gives 502 and a line in the log, and is found again when it is back`, async () => {
    renameSync(file, `${file}.gone`);
    const proxy = await startService(folder);
    assert.deepEqual(new Set(await outcomes(subject, proxy)), new Set(['origin-damaged']));
    assert.equal(proxy.log.at(-1), `${relative(folder, file)}: missing`);
    renameSync(`${file}.gone`, file);
    assert.deepEqual(new Set(await outcomes(subject, proxy)), new Set(['right']));
  });

  test(`${what} that is replaced by an intact copy is read again by the proxy that found it damaged or cut short`, async () => {
    const intact = readFileSync(file);
    for (const bytes of [intact.length, 99]) {
      writeFileSync(file, Buffer.alloc(bytes));
      const proxy = await startService(folder);
      assert.ok(!(await outcomes(subject, proxy)).includes('right'));
      writeFileSync(`${file}.copy`, intact);
      renameSync(`${file}.copy`, file);
      assert.deepEqual(new Set(await outcomes(subject, proxy)), new Set(['right']), `${bytes} bytes`);
    }
  });
}

test('a response that was sent before its file was damaged is answered from the cache, and right', async () => {
  const proxy = await startService(folder);
  for (const { file, asked } of SUBJECTS.filter(({ level }) => level === 2)) {
    const intact = readFileSync(file);
    const [first] = asked;
    assert.ok(first);
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
