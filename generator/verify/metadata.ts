// Verifies the metadata of a release: current.json, release.json, checksums.txt, and manifest and index of each level.
// What follows from other arrays of an index is derived anew from them, and compared.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCells } from '../../format/cells.ts';
import { cutCrc, joinCrcs, swapSeparator } from '../../format/crc32.ts';
import { elementAt } from '../../format/element-at.ts';
import type { FeatureArrays } from '../../format/feature-table.ts';
import { type GidColumn, ownersOf } from '../../format/gid-column.ts';
import {
  CHECKSUMS_FILE,
  CURRENT_PATH,
  cellsPath,
  indexPath,
  isReleaseId,
  manifestPath,
  namesPath,
  neighboursPath,
  neighboursTablePath,
  RELEASE_FILE,
  releasePath,
  tileDigestsPath,
  tilesPath,
  wordsPath,
} from '../../format/layout.ts';
import { firstPages, type LevelArrays, type LevelIndex } from '../../format/level-index.ts';
import { type Format, LEVELS, type Level, levelName } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import {
  type CheckedFile,
  currentFromJson,
  FormatVersionError,
  type LevelSummary,
  type Release,
  releaseFromJson,
} from '../../format/release.ts';
import { decodingWords } from '../../format/words.ts';
import { gidColumn } from '../../format/write/gid-column.ts';
import { namedArrays, namedFeatureArrays } from '../../format/write/level.ts';
import { currentToJson } from '../../format/write/texts.ts';
import { readChecksums, sha256Of } from '../files/checksums.ts';
import { borderPaths, featureFilesOf, levelCounts, pathsOf, plannedFiles } from '../plan/plan.ts';
import { SIGNATURE_FILES } from '../release/sign.ts';
import { descriptionIn, otherVersionError } from '../release/staging.ts';
import { FileError, problemOf } from '../release-reader/file-error.ts';
import { readAt } from '../release-reader/inflate.ts';
import { readLevel, readTable } from '../release-reader/read-level.ts';
import { BuildError } from '../report/errors.ts';
import { partProblems } from './boxes.ts';
import { checkNeighboursTable, readNeighbours } from './check-neighbours.ts';
import { type FileFinding, FOREIGN } from './file-findings.ts';
import { checkDescribed, type Description, verifyFile } from './files.ts';
import { checkNames } from './names.ts';
import { specialFiles } from './special-files.ts';
import { checkTiles } from './tiles.ts';

/** A release that is verified: its metadata, of which a part is undefined if its file is damaged. */
export interface Metadata {
  out: string;
  id: string;
  /** The content of checksums.txt: SHA-256 in hex by path. */
  checksums: ReadonlyMap<string, string> | undefined;
  /** release.json. */
  description: Release | undefined;
  /** By level; undefined if its manifest or its index is damaged. */
  levels: readonly (LevelIndex | undefined)[];
  /** Adds a problem of a file of the release. */
  found(path: string, problem: string): void;
  /** Number of files in its folder. */
  files: number;
}

/**
 * The current release; undefined if current.json is damaged or lists a release that does not exist as the current one.
 * @throws BuildError if it is of another format version
 */
export function currentRelease(out: string, findings: FileFinding[]): string | undefined {
  const found = (problem: string): unknown => findings.push({ path: CURRENT_PATH, problem });
  try {
    const text = readFileSync(join(out, CURRENT_PATH), 'utf8');
    const current = currentFromJson(text, CURRENT_PATH);
    if (text !== currentToJson(current)) found('is not in canonical form');
    const missing = current.hosted.filter((id) => !existsSync(join(out, releasePath(id))));
    for (const id of missing) found(`lists ${id}, which does not exist`);
    for (const [id, digest] of current.digests) {
      const got = intactSum(join(out, releasePath(id)));
      if (got !== undefined && got !== digest)
        found(`has the SHA-256 ${digest} for ${releasePath(id)}/${RELEASE_FILE}, which is ${got}`);
    }
    return missing.includes(current.release) ? undefined : current.release;
  } catch (error) {
    if (error instanceof FormatVersionError) throw otherVersionError(out, join(out, CURRENT_PATH), error);
    found(problemOf(error, CURRENT_PATH));
    return undefined;
  }
}

/**
 * The SHA-256 of a release.json; undefined if it is damaged, by checksums.txt or without it: a finding of its release.
 */
function intactSum(root: string): string | undefined {
  if ([RELEASE_FILE, CHECKSUMS_FILE].some((file) => specialFiles(root, file).length > 0)) return undefined;
  try {
    const sum = sha256Of(readFileSync(join(root, RELEASE_FILE)));
    return readChecksums(root).sums.get(RELEASE_FILE) === sum ? sum : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads and verifies the metadata of a release, and the files that no index describes.
 * @throws BuildError if the release does not exist, or is of another format version
 */
export async function readMetadata(out: string, id: string, findings: FileFinding[]): Promise<Metadata> {
  const root = join(out, releasePath(id));
  if (!isReleaseId(id) || !existsSync(root))
    throw new BuildError(`${root}: no such release`, `run list --out ${out} to see the releases`);
  const isThere = statSync(join(root, RELEASE_FILE), { throwIfNoEntry: false })?.isFile() === true;
  const known = isThere ? descriptionIn(out, id) : undefined;
  if (known instanceof FormatVersionError) throw otherVersionError(out, join(root, RELEASE_FILE), known);
  const found = (path: string, problem: string): void => {
    findings.push({ path: `${releasePath(id)}/${path}`, problem });
  };
  const attempt = <T>(file: string, read: () => T, other = file): T | undefined => {
    try {
      return read();
    } catch (error) {
      const path = error instanceof FormatError && error.message.startsWith(`${other}: `) ? other : file;
      found(path, problemOf(error, path));
      return undefined;
    }
  };
  const { sums: checksums, problems = [] } = attempt(CHECKSUMS_FILE, () => readChecksums(root)) ?? {};
  for (const problem of problems) found(CHECKSUMS_FILE, problem);
  const json = attempt(RELEASE_FILE, () => readFileSync(join(root, RELEASE_FILE)));
  const description = json && attempt(RELEASE_FILE, () => releaseFromJson(json.toString(), RELEASE_FILE));
  const [got, wanted] = [json && sha256Of(json), checksums?.get(RELEASE_FILE)];
  if (description !== undefined && description.release !== id)
    found(RELEASE_FILE, `is of release ${description.release}, expected ${id}`);
  if (description !== undefined && wanted !== undefined && got !== wanted) {
    found(RELEASE_FILE, `its SHA-256 is ${got}, ${CHECKSUMS_FILE} has ${wanted}`);
    // Either of the two may have been changed.
    found(CHECKSUMS_FILE, `has ${wanted} for ${RELEASE_FILE}, which is ${got}`);
  }

  /** Verifies a file by what release.json says of it, or else by checksums.txt alone. @returns whether it is intact */
  async function isIntact(path: string, described?: Description): Promise<boolean> {
    const listed = checksums?.get(path);
    const read: FileFinding[] = [];
    const wanted = described ?? { sha256: listed ?? '' };
    await verifyFile(
      { root, path, by: RELEASE_FILE, listed },
      (file, bytes) => checkDescribed(file, bytes, wanted),
      read,
    );
    for (const finding of read) found(finding.path, finding.problem);
    return read.every((finding) => finding.path !== path);
  }

  const levels: (LevelIndex | undefined)[] = [];
  const named = new Set<Level>();
  for (const level of LEVELS) {
    const summary = description?.levels[level];
    if (await isIntact(namesPath(level), summary?.names)) named.add(level);
    const hasWords = await isIntact(wordsPath(level), summary?.words);
    const hasManifest = await isIntact(manifestPath(level), summary?.manifest);
    const hasIndex = await isIntact(indexPath(level), summary?.index);
    const index = hasIndex
      ? attempt(manifestPath(level), () => readLevel(root, id, level), indexPath(level))
      : undefined;
    const cells = cellsPath(level);
    const hasCells = (description?.cells ?? checksums?.has(cells)) && (await isIntact(cells, summary?.cells));
    if (hasCells && description !== undefined && summary?.cells !== undefined) {
      const expected = { ...summary.cells, features: index?.features ?? summary.features };
      attempt(cells, () => checkCells(root, level, { ...expected, precision: description.precision }));
    }
    await checkTilesOf(root, level, summary, index, isIntact, attempt);
    const [binary, table] = [neighboursPath(level), neighboursTablePath(level)];
    const hasNeighbours = description?.neighbours ?? checksums?.has(binary);
    const hasBinary = hasNeighbours && (await isIntact(binary, summary?.neighbours));
    const hasTable = hasNeighbours && (await isIntact(table, summary?.neighbours?.table));
    if (index === undefined || !hasManifest) continue;
    let isComplete = true;
    for (const geometry of index.geometries) {
      const path = indexPath(level, geometry);
      const table = (await isIntact(path, summary?.geometries[geometry]?.index))
        ? attempt(manifestPath(level), () => readTable(root, index, geometry), path)
        : undefined;
      isComplete &&= table !== undefined;
      if (table !== undefined)
        for (const problem of differences(
          namedFeatureArrays(table.arrays),
          namedFeatureArrays({ ...table.arrays, ...derivedSums(table.arrays) }),
        ))
          found(path, problem);
      if (description === undefined || table === undefined) continue;
      const expected = { featureFiles: featureFilesOf(table) };
      compareSummary(`level ${level}, ${geometry}`, summary?.geometries[geometry], expected, found);
    }
    if (!isComplete) continue;
    const contradictions = indexProblems(index);
    for (const problem of contradictions) found(indexPath(level), problem);
    if (contradictions.length > 0) continue;
    if (description !== undefined) checkSummary(description, index, found);
    const words = wordsPath(level);
    if (hasWords) attempt(words, () => [...decodingWords(readFileSync(join(root, words)), index.features, words)]);
    const neighbours = hasBinary ? attempt(binary, () => readNeighbours(root, index)) : undefined;
    if (neighbours !== undefined && hasTable) attempt(table, () => checkNeighboursTable(root, index, neighbours));
    levels[level] = index;
  }
  for (const index of levels)
    if (index !== undefined && named.has(index.level))
      attempt(namesPath(index.level), () => checkNames(root, index, levels));
  const files = await compareLists(root, description, levels, checksums, found, isIntact);
  return { out, id, checksums, description, levels, files, found };
}

/** Files of a release that checksums.txt does not list. */
const UNLISTED: readonly string[] = [CHECKSUMS_FILE, ...SIGNATURE_FILES];

/**
 * Compares the files in the folder of a release, those of its levels, and those in checksums.txt.
 * @returns number of files
 */
async function compareLists(
  root: string,
  description: Metadata['description'],
  levels: Metadata['levels'],
  checksums: Metadata['checksums'],
  found: Metadata['found'],
  isIntact: (path: string) => Promise<boolean>,
): Promise<number> {
  const expected = new Set([RELEASE_FILE]);
  for (const level of LEVELS) {
    for (const pathOf of [manifestPath, indexPath, namesPath, wordsPath]) expected.add(pathOf(level));
    const cells = description?.cells ?? checksums?.has(cellsPath(level)) ?? false;
    const neighbours = description?.neighbours ?? checksums?.has(neighboursPath(level)) ?? false;
    for (const path of borderPaths(level, { cells, neighbours })) expected.add(path);
    for (const path of [tilesPath(level), tileDigestsPath(level)])
      if (description === undefined ? checksums?.has(path) : description.levels[level]?.tiles) expected.add(path);
    const index = levels[level];
    if (index === undefined) continue;
    for (const geometry of index.geometries) expected.add(indexPath(level, geometry));
    for (const file of plannedFiles(index)) for (const path of pathsOf(file)) expected.add(path);
  }
  for (const path of checksums?.keys() ?? []) {
    if (expected.has(path)) continue;
    // Nothing else has the files of a level whose index is damaged.
    const isUnindexed = LEVELS.some((level) => !levels[level] && path.startsWith(`${levelName(level)}/`));
    if (!isUnindexed) found(CHECKSUMS_FILE, `lists ${path}, which is not part of this release`);
    else {
      expected.add(path);
      await isIntact(path);
    }
  }
  if (checksums !== undefined)
    for (const path of expected) if (!checksums.has(path)) found(CHECKSUMS_FILE, `has no line for ${path}`);
  const files = readdirSync(root, { withFileTypes: true, recursive: true }).filter((entry) => !entry.isDirectory());
  for (const entry of files) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (!expected.has(path) && !UNLISTED.includes(path)) found(path, FOREIGN);
    else if (!entry.isFile()) found(path, 'is no plain file');
  }
  return files.length;
}

/** What of an index contradicts the rest of it: nothing can be read by way of such an index. */
function indexProblems(index: LevelIndex): string[] {
  try {
    return [...differences(namedArrays(index.arrays), namedArrays(derivedArrays(index))), ...partProblems(index)];
  } catch (error) {
    if (error instanceof RangeError) return [`its arrays contradict each other: ${error.message}`];
    throw error;
  }
}

type NamedArrays = ReturnType<typeof namedArrays>;

/** Where arrays differ from what they should be, first. */
function differences(arrays: NamedArrays, derived: NamedArrays): string[] {
  const expected = new Map(derived);
  return arrays.flatMap(([name, array]) => {
    const wanted = expected.get(name) ?? [];
    let at = 0;
    while (at < array.length && array[at] === wanted[at]) at++;
    if (at === array.length && at === wanted.length) return [];
    return [`${name}[${at}] is ${array[at] ?? 'missing'}, expected ${wanted[at] ?? 'no more'}`];
  });
}

/** The arrays, with what follows from others derived anew: sums before the first feature, columns, and first pages. */
function derivedArrays({ level, features, columns, storedPages, arrays }: LevelIndex): LevelArrays {
  const { pages } = arrays;
  const listing = (format: Format): Uint32Array => firstPages(level, format, features, columns, storedPages);
  return {
    ...arrays,
    ...derivedSums(arrays),
    columns: columns.map((column) => derivedColumn(column, features)),
    pages: pages && {
      geojsonl: { ...pages.geojsonl, listing: listing('geojsonl') },
      fc: { ...pages.fc, listing: listing('fc') },
    },
  };
}

/**
 * The sums of features anew, as far as they follow: before the first feature, and with commas from those with line
 * feeds.
 */
function derivedSums(arrays: FeatureArrays): Omit<FeatureArrays, 'digest'> {
  const { start, dataCrc, aloneStart, aloneCrc, textStart, textCrc } = arrays;
  return {
    start: start.with(0, 0),
    dataCrc: dataCrc.with(0, 0),
    aloneStart: aloneStart.with(0, 0),
    aloneCrc: aloneCrc.with(0, 0),
    textStart: textStart.with(0, 0),
    textCrc: textCrc.with(0, 0),
    textCrcFc: commaCrcs(arrays),
  };
}

/** The CRC-32 of all text before each position with commas, from those with line feeds. */
function commaCrcs({ textStart, textCrc }: FeatureArrays): Uint32Array {
  const sums = new Uint32Array(textCrc.length);
  for (let p = 0; p + 1 < sums.length; p++) {
    const bytes = elementAt(textStart, p + 1) - elementAt(textStart, p);
    const own = cutCrc(elementAt(textCrc, p), elementAt(textCrc, p + 1), bytes);
    sums[p + 1] = joinCrcs(elementAt(sums, p), swapSeparator(own), bytes);
  }
  return sums;
}

/** A column anew from the GID of each position. That this is the GID of its feature is checked by files.ts. */
function derivedColumn(column: GidColumn, features: number): GidColumn {
  const gids = Array.from({ length: column.size }, (_, number) => column.gidAt(number));
  return gidColumn(
    column.name,
    [...new Set(gids)].filter((_, number) => column.countAt(number) > 0),
    ownersOf(column, features),
  );
}

/** Compares what release.json says of a level with its manifest and its index. */
function checkSummary({ levels, storedPages }: Release, index: LevelIndex, found: Metadata['found']): void {
  const { level, columns } = index;
  if (index.storedPages !== storedPages)
    found(manifestPath(level), `storedPages is ${index.storedPages}, ${RELEASE_FILE} has ${storedPages}`);
  const names = columns.map(({ name }) => name);
  // Without columns the dataset lacks the level.
  const expected = {
    gidColumns: names.every((name) => name === '') ? [] : names,
    extent: undefined,
    ...levelCounts(index),
  };
  compareSummary(`level ${level}`, elementAt(levels, level), expected, found);
}

/** Compares members of release.json with what an index has of them. */
function compareSummary<Expected extends object>(
  place: string,
  summary: { readonly [Member in keyof Expected]?: unknown } | undefined,
  expected: Expected,
  found: Metadata['found'],
): void {
  for (const member of Object.keys(expected) as (keyof Expected & string)[]) {
    const [has, wanted] = [JSON.stringify(summary?.[member]), JSON.stringify(expected[member])];
    if (has !== wanted) found(RELEASE_FILE, `${place}: ${member} is ${has}, its index has ${wanted}`);
  }
}

/** Compares a level's tiles with what release.json says of them, and with one another. */
async function checkTilesOf(
  root: string,
  level: Level,
  summary: LevelSummary | undefined,
  index: LevelIndex | undefined,
  isIntact: (path: string, file?: CheckedFile) => Promise<boolean>,
  attempt: (path: string, check: () => void) => unknown,
): Promise<void> {
  const { tiles } = summary ?? {};
  if (tiles === undefined) return;
  const [path, beside] = [tilesPath(level), tileDigestsPath(level)];
  const areIntact = [await isIntact(path, tiles), await isIntact(beside, tiles.digests)];
  if (index !== undefined && !areIntact.includes(false))
    attempt(path, () => checkTiles(join(root, path), join(root, beside), tiles, index.arrays));
}

/** What the file of a level's cells must be. */
type ExpectedCells = NonNullable<LevelSummary['cells']> & { features: number; precision: number };

/** Compares the bytes of each cell with the directory. @throws FileError, FormatError if they are not the same cells */
function checkCells(root: string, level: Level, { directory, ...expected }: ExpectedCells): void {
  const handle = openSync(join(root, cellsPath(level)), 'r');
  try {
    const first = readAt(handle, 0, directory.bytes);
    const sum = sha256Of(first);
    if (sum !== directory.sha256)
      throw new FileError(`the SHA-256 of its directory is ${sum}, ${RELEASE_FILE} has ${directory.sha256}`);
    const cells = decodeCells(first, cellsPath(level), expected);
    if (cells.bytes !== first.length)
      throw new FileError(`its directory has ${cells.bytes} bytes, ${RELEASE_FILE} has ${first.length}`);
    for (const cell of cells.arrays.key.keys()) {
      const { from, to } = cells.rangeOf(cell);
      if (!cells.hasBytes(cell, readAt(handle, from, to - from)))
        throw new FileError(`the CRC-32 of cell ${cell} is not that of bytes ${from} to ${to}`);
    }
  } finally {
    closeSync(handle);
  }
}
