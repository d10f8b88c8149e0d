// The answers with files: the overview and the names of a level, of the current release; and those that are saved,
// whole or a range: listings and cells. Used by rows.ts.
import type { Cells } from '../../format/cells.ts';
import { elementAt } from '../../format/element-at.ts';
import { FRAME_DATA } from '../../format/gzip.ts';
import { cellsPath, namesPath, OVERVIEW_FILE, releasePath } from '../../format/layout.ts';
import { levelName } from '../../format/levels.ts';
import type { Answer, Basis } from '../bodies/answer.ts';
import { rangeOf } from '../bodies/conditions.ts';
import { Slice } from '../bodies/slice.ts';
import { StoredCells, StoredFile } from '../bodies/stored-file.ts';
import type { RangedFile } from '../data/load-release.ts';
import { Problem } from '../http/problem.ts';
import { type DownloadEndpoint, type FileEndpoint, RELEASE, type SavedEndpoint } from './endpoints.ts';
import { codedAnswer, type FixedHeaders, MATCHED, releaseAnswer } from './headers.ts';
import type { FeaturesRequest } from './listing.ts';
import { resolve } from './resolve.ts';

/** 64 bits of SHA-256 in hex, as the index has them of pages. */
const TAG_CHARS = 16;
/** Upper estimate of the size of a listing that is kept, and of each of its runs: three numbers in arrays that grew. */
const ENTRY_BYTES = 1024;
const RUN_BYTES = 36;

/** The answer with a file. Reading its body throws OriginError if its bytes do not match release.json. */
export function answerFile({ path, level }: FileEndpoint, fixed: FixedHeaders, basis: Basis): Answer {
  const { id, summaries, overview } = basis.release;
  const summary = level === undefined ? undefined : elementAt(summaries, level);
  const text = summary?.names ?? overview;
  const name = summary === undefined ? OVERVIEW_FILE : namesPath(summary.level);
  const file = new StoredFile(`${releasePath(id)}/${name}`, text.bytes, text.sha256.slice(0, TAG_CHARS));
  const matched = summary === undefined ? [] : [MATCHED, String(summary.features)];
  return codedAnswer(fixed, basis, file, text, path, matched);
}

/**
 * The answer with a listing as a file, whole or a range: 206. Reading its body throws OriginError if stored bytes do
 * not match the index.
 * @throws Problem range-not-satisfiable
 */
export function answerDownload(asked: FeaturesRequest<DownloadEndpoint>): Answer {
  const { endpoint, params, places, level, source } = asked;
  const { format } = endpoint;
  const key = JSON.stringify([format, params.filters, params.bbox, params.contains]);
  const known = source.listings.get(key);
  if (known !== undefined) return answerSaved(asked, known, known.features);
  const { positions } = resolve(level.index, format, params, places, source.geometry);
  const slice = new Slice([source], FRAME_DATA[format], format, positions.slice(0, positions.count));
  source.listings.set(key, slice, { size: ENTRY_BYTES + 2 * key.length + RUN_BYTES * positions.runs });
  return answerSaved(asked, slice, positions.count);
}

/**
 * The answer with the cells of a level, whole or a range. Reading its body throws OriginError or FormatError likewise.
 * @throws Problem range-not-satisfiable; not-found if the release has none
 */
export function answerCells(asked: FeaturesRequest<SavedEndpoint>): Answer {
  const { level, basis } = asked;
  const { cells, features } = elementAt(basis.release.summaries, level.index.level);
  if (cells === undefined)
    throw new Problem('not-found', `Release ${basis.release.id} has no cells: it was built with --no-cells.`);
  const path = `${level.folder}/${cellsPath(level.index.level)}`;
  const load = (): Promise<Cells> => level.spatial.loadCells();
  return answerSaved(asked, new StoredCells(path, cells.bytes, cells.sha256.slice(0, TAG_CHARS), load), features);
}

/** @throws Problem range-not-satisfiable */
function answerSaved(
  { endpoint, request, basis, fixed }: Pick<FeaturesRequest<SavedEndpoint>, 'endpoint' | 'request' | 'basis' | 'fixed'>,
  file: RangedFile,
  matched: number,
): Answer {
  const { tag, bytes } = file;
  const range = rangeOf(request, `"${tag}"`, bytes);
  const part = range ?? { offset: 0, length: bytes };
  const disposition = `attachment; filename="${fileName(endpoint, basis.release.id, request.query)}"`;
  const more = ['Content-Disposition', disposition, MATCHED, String(matched)];
  if (range) more.push('Content-Range', `bytes ${part.offset}-${part.offset + part.length - 1}/${bytes}`);
  const headers = fixed[basis.isPinned ? 'pinned' : 'current'].identity;
  return releaseAnswer(headers, basis, tag, file.part(part), more, range);
}

/** Names of files are cut to this many characters before their extension: file systems allow 255 in all. */
const NAME_MAX_CHARS = 200;

/**
 * Release, level, and the values of the parameters in order of their names, in characters that are safe on every
 * system.
 */
function fileName({ level, extension }: SavedEndpoint, release: string, query: string): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => name !== RELEASE).sort();
  const parts = ['boundaries', release, levelName(level), ...pairs.map(([, value]) => value)];
  const name = parts.join('-').replaceAll(/[^A-Za-z0-9._-]+/g, '_');
  return name.slice(0, NAME_MAX_CHARS) + extension;
}
