// Verifies the feature files and pages of a level: child processes derive sums and digests anew, which are compared here with
// the index and with checksums.txt.
import { joinCrcs } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import { featureFilePath, indexPath } from '../../format/layout.ts';
import { DIGEST_BYTES, type LevelArrays, type LevelIndex } from '../../format/level-index.ts';
import type { FileReading } from '../reader/read-page.ts';
import type { Report } from '../report/progress.ts';
import type { Pool } from '../workers/pool.ts';
import { workIn } from '../workers/work.ts';
import type { Unit } from './feature.ts';
import { type DerivedSums, type FeatureFileReading, fileBytes, type RangeTask } from './features.ts';
import { differences } from './index-form.ts';
import { checksumWitness, judge, type Metadata } from './metadata.ts';
import { type ExpectedPage, pagesOf } from './pages.ts';

const VERIFY_FEATURES = workIn<typeof import('./features.ts'), 'verifyFeatures'>(
  import.meta.url,
  './features',
  'verifyFeatures',
);
const VERIFY_PAGES = workIn<typeof import('./pages.ts'), 'verifyPages'>(import.meta.url, './pages', 'verifyPages');

/** Tasks per child process, so that they end at about the same time. */
const TASKS_PER_WORKER = 4;

/** A verified level. */
export interface VerifiedLevel {
  pages: number;
  /** Of its feature files and pages. */
  bytes: number;
  /** What its features say, by position; undefined for damaged ones. */
  units: readonly (Unit | undefined)[];
}

/** The feature files first: pages are compared with their features. */
export async function verifyLevel(
  index: LevelIndex,
  metadata: Metadata,
  pool: Pool,
  report: Report,
): Promise<VerifiedLevel> {
  const { description, isSealed } = metadata;
  const columns = isSealed ? description?.levels[index.level] : undefined;
  const pages = [...pagesOf(index)];
  report.expect('features verified', index.features);
  report.expect('pages verified', pages.length);
  const derived = await Promise.all(
    rangesOf(index, index.files, metadata, pool).map(async (task) => {
      const result = await pool.run(VERIFY_FEATURES, { ...task, columns });
      report.advance('features verified', result.units.length);
      return result;
    }),
  );
  const files = derived.flatMap((result) => result.files);
  for (const [file, reading] of files.entries()) judgeFeatureFile(file, reading, index, metadata);
  for (const problem of differences(index.arrays, { ...index.arrays, ...prefixSums(index, derived) }))
    metadata.found(indexPath(index.level), problem);

  const intact = Buffer.concat(derived.map((result) => result.intact));
  const read = await Promise.all(
    rangesOf(index, pages.length, metadata, pool).map(async (task) => {
      const result = await pool.run(VERIFY_PAGES, { ...task, intact });
      report.advance('pages verified', result.length);
      return result;
    }),
  );
  const readings = read.flat();
  for (const [i, page] of pages.entries()) judgePage(page, elementAt(readings, i), index, metadata);
  return {
    pages: pages.length,
    bytes: [...files, ...readings].reduce((total, { bytes }) => total + bytes, 0),
    units: derived.flatMap((result) => result.units),
  };
}

/** Divides `count` files into tasks. */
function rangesOf({ level }: LevelIndex, count: number, { out, id }: Metadata, pool: Pool): RangeTask[] {
  const tasks = Math.min(Math.max(pool.size * TASKS_PER_WORKER, 1), count);
  const begin = (task: number): number => Math.floor((task * count) / tasks);
  return Array.from({ length: tasks }, (_, i) => ({ out, release: id, level, from: begin(i), to: begin(i + 1) }));
}

/** The arrays of sums, from those of each feature. */
function prefixSums(
  index: LevelIndex,
  derived: readonly DerivedSums[],
): Pick<LevelArrays, 'start' | 'textStart' | 'textCrc' | 'dataCrc'> {
  const [start, textStart] = [new Float64Array(index.features + 1), new Float64Array(index.features + 1)];
  const [textCrc, dataCrc] = [new Uint32Array(index.features + 1), new Uint32Array(index.features + 1)];
  let position = 0;
  for (const sums of derived)
    for (const [i, textBytes] of sums.textBytes.entries()) {
      const dataBytes = index.dataBytes(position, position + 1);
      start[position + 1] = elementAt(start, position) + dataBytes;
      textStart[position + 1] = elementAt(textStart, position) + textBytes;
      textCrc[position + 1] = joinCrcs(elementAt(textCrc, position), elementAt(sums.textCrc, i), textBytes);
      dataCrc[position + 1] = joinCrcs(elementAt(dataCrc, position), elementAt(sums.dataCrc, i), dataBytes);
      position++;
    }
  return { start, textStart, textCrc, dataCrc };
}

/** A difference between a file and the index, worded for either: which one is damaged is known at the end. */
interface Difference {
  ofFile: string;
  ofIndex: string;
}

function judgeFeatureFile(file: number, reading: FeatureFileReading, index: LevelIndex, metadata: Metadata): void {
  const path = featureFilePath(index.level, file);
  const found: Difference[] = (reading.differing ?? []).map((position) => {
    const offset = index.offsetAt(position);
    const bytes = `bytes ${offset} to ${offset + index.dataBytes(position, position + 1) - 1}`;
    return {
      ofFile: `fid ${index.fidAt(position)}: ${bytes} are not the data that the index describes`,
      ofIndex: `position ${position}, fid ${index.fidAt(position)}: start or digest does not describe its data, ${bytes} of ${path}`,
    };
  });
  const expected = fileBytes(index, file);
  if (reading.bytes !== expected)
    found.push({
      ofFile: `is ${reading.bytes} bytes long, expected ${expected}`,
      ofIndex: `has ${expected} bytes for ${path}, which is ${reading.bytes} bytes long`,
    });
  judgeReading(path, reading, found, index, metadata);
}

function judgePage(page: ExpectedPage, reading: FileReading, index: LevelIndex, metadata: Metadata): void {
  const { path, format, number } = page;
  const bytes = index.arrays.pages?.[format].bytes[number];
  const [digest, got] = [index.pageDigest(format, number), digestOf(reading.sha256)];
  const ofFile =
    reading.bytes === bytes
      ? `its SHA-256 is ${reading.sha256}, expected ${metadata.checksums?.get(path) ?? `one that begins with ${digest}`}`
      : `is ${reading.bytes} bytes long, expected ${bytes}`;
  const ofIndex = `has ${bytes} bytes and digest ${digest} for ${path}, which is ${reading.bytes} bytes and ${got}`;
  const isIndexed = reading.bytes === bytes && got === digest;
  judgeReading(path, reading, isIndexed ? [] : [{ ofFile, ofIndex }], index, metadata);
}

/** The digest in the index of a file with this SHA-256, as `pageDigest` has it. */
function digestOf(sha256: string): string {
  return Buffer.from(sha256, 'hex').subarray(0, DIGEST_BYTES).toString('base64url');
}

/** Of the file, the index and checksums.txt, the one that differs from the other two is damaged. */
function judgeReading(
  path: string,
  { sha256, problems }: FileReading,
  found: readonly Difference[],
  { level }: LevelIndex,
  metadata: Metadata,
): void {
  for (const problem of problems) metadata.found(path, problem);
  // A file that cannot be read, or one whose content is wrong and that the index describes.
  if (sha256 === '' || (problems.length > 0 && found.length === 0)) return;
  const ofIndex = { file: indexPath(level), differences: found.map((difference) => difference.ofIndex) };
  const ofFile = found.map((difference) => difference.ofFile);
  judge(path, [...checksumWitness(path, sha256, metadata), ofIndex], ofFile, metadata.found);
}
