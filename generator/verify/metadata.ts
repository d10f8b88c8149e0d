// Verifies the metadata of a release: release.json, checksums.txt, manifest and index of each level, and the files that
// no index describes.
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCells } from '../../format/cells.ts';
import { type CheckedFile, TABLE_BLOCK_BYTES, type TableFile } from '../../format/checked-files.ts';
import { elementAt } from '../../format/element-at.ts';
import {
  CHECKSUMS_FILE,
  cellsPath,
  indexPath,
  isReleaseId,
  manifestPath,
  namesPath,
  neighboursPath,
  neighboursTablePath,
  RELEASE_FILE,
  releasePath,
  tableDigestsPath,
  tileDigestsPath,
  tilesPath,
  unitsTablePath,
  wordsPath,
} from '../../format/layout.ts';
import type { LevelIndex } from '../../format/level-index.ts';
import type { LevelSummary } from '../../format/level-json.ts';
import { LEVELS, type Level } from '../../format/levels.ts';
import { FormatError } from '../../format/parse.ts';
import { type Release, releaseFromJson } from '../../format/release-json.ts';
import { hasTileDigest, TILE_DIGEST_BYTES } from '../../format/tiles.ts';
import { FormatVersionError } from '../../format/versioned-json.ts';
import { decodingWords } from '../../format/words.ts';
import { readChecksums, sha256Of } from '../files/checksums.ts';
import { featureFilesOf, levelCounts } from '../plan/plan.ts';
import { descriptionIn, otherVersionError } from '../release/staging.ts';
import { FileError, problemOf } from '../release-reader/file-error.ts';
import { readAt } from '../release-reader/inflate.ts';
import { readLevel, readTable } from '../release-reader/read-level.ts';
import { BuildError } from '../report/errors.ts';
import { checkNeighboursTable, readNeighbours } from './check-neighbours.ts';
import { indexProblems, tableProblems } from './derived-index.ts';
import type { FileFinding } from './file-findings.ts';
import { compareLists, type ReleaseParts } from './file-lists.ts';
import { checkDescribed, type Description, verifyFile } from './files.ts';
import { checkNames } from './names.ts';
import { checkTiles } from './tiles.ts';

/** A release that is verified. */
export interface Metadata extends ReleaseParts {
  out: string;
  id: string;
  /** Number of files in its folder. */
  files: number;
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
    const [units, digests] = [unitsTablePath(level), tableDigestsPath(level)];
    const hasUnits = description === undefined ? checksums?.has(units) : summary?.parquet !== undefined;
    const isWhole = hasUnits && (await isIntact(units, summary?.parquet));
    const hasDigests = hasUnits && (await isIntact(digests, summary?.parquet?.digests));
    if (isWhole && hasDigests && summary?.parquet !== undefined) {
      const { parquet, features } = summary;
      attempt(units, () => checkTable(join(root, units), join(root, digests), parquet, index?.features ?? features));
    }
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
      if (table !== undefined) for (const problem of tableProblems(table.arrays)) found(path, problem);
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
      attempt(namesPath(index.level), () => checkNames(root, index, description?.levels[index.level] ?? {}, levels));
  const metadata = { checksums, description, levels, found };
  return { out, id, ...metadata, files: await compareLists(root, metadata, isIntact) };
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
    ...levelCounts(index, !levels.slice(0, level).some(({ features }) => features > 0)),
  };
  compareSummary(`level ${level}`, elementAt(levels, level), expected, found);
}

/** Compares members of release.json with what an index has of them. */
function compareSummary<Expected extends object>(
  subject: string,
  summary: { readonly [Member in keyof Expected]?: unknown } | undefined,
  expected: Expected,
  found: Metadata['found'],
): void {
  for (const member of Object.keys(expected) as (keyof Expected & string)[]) {
    const [has, wanted] = [JSON.stringify(summary?.[member]), JSON.stringify(expected[member])];
    if (has !== wanted) found(RELEASE_FILE, `${subject}: ${member} is ${has}, its index has ${wanted}`);
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

/** Compares a table with the digests of its blocks, and with its level. @throws FileError */
function checkTable(file: string, beside: string, { rows }: TableFile, features: number): void {
  if (rows !== features) throw new FileError(`has ${rows} rows by ${RELEASE_FILE}, the level has ${features} features`);
  const [handle, digests] = [openSync(file, 'r'), readFileSync(beside)];
  try {
    const { size } = statSync(file);
    const expected = TILE_DIGEST_BYTES * Math.ceil(size / TABLE_BLOCK_BYTES);
    if (digests.length !== expected)
      throw new FileError(`has ${digests.length} bytes of digests, expected ${expected}`);
    for (let at = 0; at < size; at += TABLE_BLOCK_BYTES) {
      const bytes = readAt(handle, at, Math.min(TABLE_BLOCK_BYTES, size - at));
      const block = at / TABLE_BLOCK_BYTES;
      if (!hasTileDigest(digests, block, bytes))
        throw new FileError(`the digest of block ${block} is not that of its bytes`);
    }
  } finally {
    closeSync(handle);
  }
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
      const { offset, length } = cells.rangeOf(cell);
      if (!cells.hasBytes(cell, readAt(handle, offset, length)))
        throw new FileError(`the CRC-32 of cell ${cell} is not that of bytes ${offset} to ${offset + length}`);
    }
  } finally {
    closeSync(handle);
  }
}
