// The answer with a whole listing as one file, or with a range of it (RFC 9110 section 14). Used by handler.ts.
import { FRAME_DATA } from '../../format/gzip.ts';
import { levelName } from '../../format/levels.ts';
import type { Answer } from '../answers/answer.ts';
import { COMMON_HEADERS, isMatch } from '../answers/answer.ts';
import { Problem } from '../http/problem.ts';
import type { HttpRequest } from '../http/request.ts';
import type { ByteRange } from '../origin/origin.ts';
import type { DownloadEndpoint } from './endpoints.ts';
import { RELEASE } from './endpoints.ts';
import { resolve } from './resolve.ts';
import type { ListingRequest } from './respond.ts';
import { MATCHED } from './respond.ts';
import { Slice } from './slice.ts';

/** Names of files are cut to this many characters before their extension: file systems allow 255 in all. */
const NAME_MAX_CHARS = 200;

/** All that is known at start, up to the name of the header with the release's id. */
const FIXED_HEADERS = [
  ...COMMON_HEADERS,
  ...['Access-Control-Expose-Headers', 'Accept-Ranges, Content-Disposition, Content-Range'],
  ...['Cache-Control', 'private, no-cache', 'Content-Type', 'application/gzip', 'Accept-Ranges', 'bytes'],
  'Boundaries-Release',
];

/**
 * The answer with a listing, whole or a range: 206. Reading its body throws OriginError if stored bytes do not match the index.
 * @throws Problem range-not-satisfiable
 */
export function respondWithDownload(asked: ListingRequest<DownloadEndpoint>, request: HttpRequest): Answer {
  const { endpoint, level, source, params, places, basis } = asked;
  const { positions } = resolve(level.index, endpoint.format, params, places, source.geometry);
  const slice = new Slice(source, FRAME_DATA[endpoint.format], endpoint.format, positions.slice(0, positions.count));
  const etag = `"${slice.tag}"`;
  const disposition = `attachment; filename="${fileName(endpoint, basis.release.id, request.query)}"`;
  const headers = [...FIXED_HEADERS, basis.release.id, 'ETag', etag, 'Content-Disposition', disposition];
  const range = rangeOf(request, etag, slice.bytes);
  const { offset, length } = range ?? { offset: 0, length: slice.bytes };
  if (range !== undefined) headers.push('Content-Range', `bytes ${offset}-${offset + length - 1}/${slice.bytes}`);
  headers.push('Content-Length', String(length), MATCHED, String(positions.count));
  return { status: range === undefined ? 200 : 206, headers, etag, body: slice.part({ offset, length }), basis };
}

/** Release, level, and the values of the parameters in order of their names, in characters that are safe on every system. */
function fileName({ level, extension }: DownloadEndpoint, release: string, query: string): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => name !== RELEASE).sort();
  const parts = ['boundaries', release, levelName(level), ...pairs.map(([, value]) => value)];
  return (
    parts
      .join('-')
      .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
      .slice(0, NAME_MAX_CHARS) + extension
  );
}

/**
 * The range that is asked for; undefined for the whole file: without Range, with one that is not valid, with several
 * ranges, or if the client has the beginning of another file (If-Range).
 * @throws Problem range-not-satisfiable
 */
function rangeOf({ method, headers }: HttpRequest, etag: string, bytes: number): ByteRange | undefined {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = headers;
  // The condition of a 304 comes before Range (RFC 9110 section 13.2.2), which has no meaning but for GET.
  if (range === undefined || method !== 'GET' || (ifNoneMatch !== undefined && isMatch(ifNoneMatch, etag)))
    return undefined;
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range) ?? [];
  const isValid = first === '' || last === '' ? first !== last : Number(first) <= Number(last);
  if (!isValid || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const offset = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  if (offset >= end)
    throw new Problem('range-not-satisfiable', 'The file has fewer bytes: Content-Range says how many.', {
      'Content-Range': `bytes */${bytes}`,
    });
  return { offset, length: end - offset };
}
