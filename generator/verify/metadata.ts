// Verifies the metadata of a release: current.json, release.json, checksums.txt, and manifest and index of each level.
// Whatever follows from other arrays of an index is derived anew from them, and compared.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { elementAt } from '../../format/element-at.ts';
import { type GidColumn, gidColumn, ownersOf } from '../../format/gid-column.ts';
import {
  CHECKSUMS_FILE,
  CURRENT_PATH,
  indexPath,
  isReleaseId,
  manifestPath,
  RELEASE_FILE,
  releasePath,
} from '../../format/layout.ts';
import { firstPages, type LevelArrays, type LevelIndex, type PageTable } from '../../format/level-index.ts';
import { type Format, LEVELS, type Level } from '../../format/levels.ts';
import { encodeLevel, namedArrays } from '../../format/manifest.ts';
import {
  type CheckedFile,
  currentFromJson,
  currentToJson,
  type Release,
  releaseFromJson,
} from '../../format/release.ts';
import { countsOf } from '../levels/plan.ts';
import { problemOf } from '../reader/file-error.ts';
import { levelFrom } from '../reader/read-level.ts';
import { readChecksums, sha256Of } from '../release/checksums.ts';
import { BuildError } from '../report/errors.ts';
import { type Findings, firstDifferentLine } from './findings.ts';

/** A release that is verified: its metadata, of which a part is undefined if its file is damaged. */
export interface Metadata {
  out: string;
  id: string;
  /** Its folder. */
  root: string;
  /** The content of checksums.txt: SHA-256 in hex by path. */
  checksums: ReadonlyMap<string, string> | undefined;
  /** release.json. */
  description: Release | undefined;
  /** Whether release.json has the SHA-256 that checksums.txt has for it, or that has none. */
  isSealed: boolean;
  /** By level; undefined if its manifest or its index is damaged. */
  levels: readonly (LevelIndex | undefined)[];
  /** Adds a problem of a file of the release. */
  found(path: string, problem: string): void;
  /** What `read` returns; undefined if it finds that the file is damaged, which is added. */
  attempt<T>(path: string, read: () => T): T | undefined;
}

/** The current release; undefined if current.json is damaged or lists a release that does not exist as the current one. */
export function currentRelease(out: string, findings: Findings): string | undefined {
  try {
    const text = readFileSync(join(out, CURRENT_PATH), 'utf8');
    const current = currentFromJson(text, CURRENT_PATH);
    if (text !== currentToJson(current)) findings.add(CURRENT_PATH, 'is not in canonical form');
    const missing = current.hosted.filter((id) => !existsSync(join(out, releasePath(id))));
    for (const id of missing) findings.add(CURRENT_PATH, `lists ${id}, which does not exist`);
    return missing.includes(current.release) ? undefined : current.release;
  } catch (error) {
    findings.add(CURRENT_PATH, problemOf(error, CURRENT_PATH));
    return undefined;
  }
}

/**
 * Reads and verifies the metadata of a release.
 * @throws BuildError if the release does not exist
 */
export function readMetadata(out: string, id: string, findings: Findings): Metadata {
  const root = join(out, releasePath(id));
  if (!isReleaseId(id) || !existsSync(root))
    throw new BuildError(`${root}: no such release`, `run list --out ${out} to see the releases`);
  const found = (path: string, problem: string): void => findings.add(`${releasePath(id)}/${path}`, problem);
  const attempt = <T>(path: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      found(path, problemOf(error, path));
      return undefined;
    }
  };
  const checksums = attempt(CHECKSUMS_FILE, () => {
    const { sums, problems } = readChecksums(root);
    for (const problem of problems) found(CHECKSUMS_FILE, problem);
    return sums;
  });
  const json = attempt(RELEASE_FILE, () => readFileSync(join(root, RELEASE_FILE)));
  const description = json && attempt(RELEASE_FILE, () => releaseFromJson(json.toString(), RELEASE_FILE));
  const [got, expected] = [json && sha256Of(json), checksums?.get(RELEASE_FILE)];
  const isSealed = description !== undefined && (expected === undefined || got === expected);
  if (description !== undefined && description.release !== id)
    found(RELEASE_FILE, `is of release ${description.release}, expected ${id}`);
  if (description !== undefined && !isSealed) {
    found(RELEASE_FILE, `its SHA-256 is ${got}, ${CHECKSUMS_FILE} has ${expected}`);
    // Either of the two may have been changed.
    found(CHECKSUMS_FILE, `has ${expected} for ${RELEASE_FILE}, which is ${got}`);
  }
  const metadata = { out, id, root, checksums, description, isSealed, levels: [], found, attempt };
  const levels = LEVELS.map((level) => levelOf(level, metadata));
  if (description !== undefined) checkStoredPages(description, levels, found);
  return { ...metadata, levels };
}

/** The index of a level; undefined if it cannot be used. */
function levelOf(level: Level, metadata: Metadata): LevelIndex | undefined {
  const { id, description, found } = metadata;
  const summary = description?.levels[level];
  const others = '; the other files of its level are verified by checksums.txt alone';
  const manifest = readTrusted(manifestPath(level), summary?.manifest, metadata, others);
  const index = readTrusted(indexPath(level), summary?.index, metadata, others);
  return metadata.attempt(manifestPath(level), () => {
    if (manifest === undefined || !index?.isTrusted) return undefined;
    const read = levelFrom(manifest.bytes, index.bytes, id, level);
    if (!manifest.isTrusted) return undefined;
    const problems = indexProblems(read);
    for (const problem of problems) found(indexPath(level), problem);
    if (problems.length > 0) return undefined;
    checkEncoding({ manifest: manifest.bytes, index: index.bytes }, id, read, found);
    if (description) checkSummary(description, read, found);
    return read;
  });
}

/**
 * Reads a manifest, an index or a file that is served whole. Its SHA-256 is in release.json and in checksums.txt: of the
 * three files, the one that differs from the other two is damaged.
 * @param expected what release.json says of it; undefined if that is damaged
 * @param others which files cannot be verified without it, for messages
 */
export function readTrusted(
  path: string,
  expected: CheckedFile | undefined,
  { root, checksums, found, attempt }: Metadata,
  others = '',
): { bytes: Buffer; isTrusted: boolean } | undefined {
  return attempt(path, () => {
    const bytes = readFileSync(join(root, path));
    const got = sha256Of(bytes);
    const sources = [
      { file: CHECKSUMS_FILE, has: checksums?.get(path) },
      { file: RELEASE_FILE, has: expected?.sha256 },
    ].filter(({ has }) => has !== undefined);
    const different = sources.filter(({ has }) => has !== got);
    const isTrusted = different.length < sources.length || sources.length === 0;
    if (isTrusted) for (const { file, has } of different) found(file, `has ${has} for ${path}, which is ${got}`);
    else found(path, `its SHA-256 is ${got}, expected ${sources[0]?.has}${others}`);
    if (isTrusted && expected !== undefined && expected.bytes !== bytes.length)
      found(RELEASE_FILE, `has ${expected.bytes} bytes for ${path}, which has ${bytes.length}`);
    return { bytes, isTrusted };
  });
}

/** Adds a problem of a file of the release. */
type OnProblem = (path: string, problem: string) => void;

/** The problems of an index by itself: reading it may fail if there are any. */
function indexProblems(index: LevelIndex): string[] {
  const { fid, start, textStart } = index.arrays;
  const disordered = Object.entries({ fid, start, textStart }).flatMap(([name, array]) => orderProblem(name, array));
  if (disordered.length > 0) return disordered;
  try {
    return differences(index.arrays, derivedForm(index));
  } catch (error) {
    if (error instanceof RangeError) return [`its arrays contradict each other: ${error.message}`];
    throw error;
  }
}

function orderProblem(name: string, array: Float64Array): string[] {
  const at = array.findIndex(
    (value, i) => !Number.isSafeInteger(value) || value <= (i === 0 ? -1 : elementAt(array, i - 1)),
  );
  if (at === -1) return [];
  const least = at === 0 ? 'a whole number' : `a whole number above ${array[at - 1]}`;
  return [`${name}[${at}] is ${array[at]}, expected ${least}`];
}

/** The arrays, with what follows from others derived anew: sums before the first feature, columns, and first pages. */
function derivedForm({ level, features, columns, storedPages, arrays }: LevelIndex): LevelArrays {
  const { start, textStart, textCrc, dataCrc, pages } = arrays;
  const tableOf = (format: Format, table: PageTable): PageTable => ({
    ...table,
    listing: firstPages(level, format, features, columns, storedPages),
  });
  return {
    ...arrays,
    start: start.with(0, 0),
    textStart: textStart.with(0, 0),
    textCrc: textCrc.with(0, 0),
    dataCrc: dataCrc.with(0, 0),
    columns: columns.map((column) => derivedColumn(column, features)),
    pages: pages && { geojsonl: tableOf('geojsonl', pages.geojsonl), fc: tableOf('fc', pages.fc) },
  };
}

/** A column anew from the GID of each position. That this is the GID of its feature is checked by features.ts. */
function derivedColumn(column: GidColumn, features: number): GidColumn {
  const numbers = new Map<string, number>();
  const owners = ownersOf(column, features).map((owner) => {
    if (owner === -1) return -1;
    const gid = column.gidAt(owner);
    const number = numbers.get(gid) ?? numbers.size;
    numbers.set(gid, number);
    return number;
  });
  return gidColumn(column.name, [...numbers.keys()], owners);
}

/** The first difference of each array. @param derived what the arrays should be */
function differences(stored: LevelArrays, derived: LevelArrays): string[] {
  const expected = new Map(namedArrays(derived));
  return namedArrays(stored).flatMap(([name, array]) => {
    const wanted = expected.get(name) ?? [];
    const length = Math.max(array.length, wanted.length);
    for (let at = 0; at < length; at++)
      if (array[at] !== wanted[at])
        return [`${name}[${at}] is ${array[at] ?? 'missing'}, expected ${wanted[at] ?? 'no more'}`];
    return [];
  });
}

/** Compares the files of a level with those that `encodeLevel` makes of its arrays. */
function checkEncoding(
  stored: { manifest: Buffer; index: Buffer },
  release: string,
  index: LevelIndex,
  found: OnProblem,
): void {
  const encoded = encodeLevel(release, index);
  const problem = firstDifferentLine(stored.manifest.toString(), encoded.manifest);
  if (problem !== undefined) found(manifestPath(index.level), problem);
  else if (!stored.index.equals(encoded.index)) found(indexPath(index.level), 'has bytes that belong to no array');
}

/** Compares what release.json says of a level with its index. */
function checkSummary({ levels }: Release, index: LevelIndex, found: OnProblem): void {
  const { level, columns } = index;
  const names = columns.map(({ name }) => name);
  // Without columns the dataset lacks the level.
  const expected = { gidColumns: names.every((name) => name === '') ? [] : names, ...countsOf(index) };
  const summary = elementAt(levels, level);
  for (const [member, value] of Object.entries(expected)) {
    const [has, wanted] = [JSON.stringify(summary[member as keyof typeof expected]), JSON.stringify(value)];
    if (has !== wanted) found(RELEASE_FILE, `level ${level}: ${member} is ${has}, its index has ${wanted}`);
  }
}

/** release.json and the manifests must have the same `storedPages`. If all manifests differ, release.json is damaged. */
function checkStoredPages(
  { storedPages }: Release,
  levels: readonly (LevelIndex | undefined)[],
  found: OnProblem,
): void {
  const read = levels.filter((index) => index !== undefined);
  const different = read.filter((index) => index.storedPages !== storedPages);
  const [first] = different;
  if (first !== undefined && different.length === read.length)
    found(RELEASE_FILE, `storedPages is ${storedPages}, the manifests have ${first.storedPages}`);
  else
    for (const index of different)
      found(manifestPath(index.level), `storedPages is ${index.storedPages}, ${RELEASE_FILE} has ${storedPages}`);
}
