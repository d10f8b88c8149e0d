// Answers with what is saved as a file, whole or a range: headers, name, range.
import { LEVELS, levelName } from '../../../format/levels.ts';
import { type Answer, type BodySource, COMMON_HEADERS } from '../../bodies/answer.ts';
import { decidedBy } from '../../bodies/conditions.ts';
import { type AudienceHeaders, CACHING, MATCHED, releaseAnswer } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import { Problem } from '../../http/problem.ts';
import { API_PATH, HEADER_MAX_CHARS, type HttpRequest } from '../../http/request.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import type { ApiPath, PathDescription } from '../../query/describe.ts';
import { GID_FILTERS } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { type Listing, type ListingFilter, listingRow } from '../pages/listing.ts';
import { savedDescription } from './description.ts';
import { RELEASE, type SavedEndpoint } from './download-paths.ts';

/** A range of a file, always a stream: what is read at once gets into the response cache, which knows no ranges. */
export interface StreamedPart extends BodySource {
  read(reads: QueuedReads, client: Recipient): Promise<AsyncIterable<Buffer>>;
}

/** A file of which ranges can be sent. */
export interface RangedFile {
  bytes: number;
  /** Entity tag without quotes. */
  tag: string;
  /** A range of it, or all. */
  part(range: ByteRange): StreamedPart;
}

/**
 * The headers of downloads, which are files: not coded, in ranges if that is asked for. One whose release is named is
 * kept no longer than others: an id may be used again.
 */
function savedHeaders(mediaType: string): AudienceHeaders {
  const of = ({ current }: { current: string }) => {
    const headers = [
      ...COMMON_HEADERS,
      ...['Cache-Control', current, 'Content-Type', mediaType, 'Accept-Ranges', 'bytes', 'Boundaries-Release'],
    ];
    const coded = { gzip: headers, identity: headers };
    return { pinned: coded, current: coded };
  };
  return { private: of(CACHING.private), public: of(CACHING.public) };
}

/** Answers with a file that is saved. @throws Problem range-not-satisfiable; not-found if the release has none */
type Respond<Endpoint extends SavedEndpoint> = (listing: Listing<Endpoint>) => Answer | Promise<Answer>;

/** The path of a stored file of each level. */
export function storedFilePath(
  extension: string,
  mediaType: string,
  about: Pick<PathDescription, 'operationId' | 'summary'>,
  schema: Parameters<typeof savedDescription>[3],
  respond: Respond<SavedEndpoint>,
): ApiPath {
  const rows = LEVELS.map((level) => {
    const path = `${API_PATH}/download/${levelName(level)}${extension}`;
    return savedRow({ path, level, mediaType, parameters: [RELEASE], extension }, [], respond);
  });
  return { description: savedDescription(extension, about, mediaType, schema), rows };
}

/** The row of a path with a file that is saved. @param filters those that capabilities bring */
export function savedRow<Endpoint extends SavedEndpoint>(
  endpoint: Endpoint,
  filters: readonly ListingFilter[],
  respond: Respond<Endpoint>,
): Row {
  // Filters of deeper levels are known, so that their message says what is wrong.
  const hasFilters = endpoint.parameters.some((parameter) => parameter === GID_FILTERS[0]);
  const rules = queryRules(endpoint.level, endpoint.parameters, hasFilters ? GID_FILTERS : []);
  return listingRow({
    endpoint,
    filters,
    headers: savedHeaders(endpoint.mediaType),
    parse: ({ query }) => parseQuery(query, rules),
    named: (query) => RELEASE.of(query),
    respond,
  });
}

/** @throws Problem range-not-satisfiable */
export function answerSaved(
  {
    endpoint,
    request,
    representation,
    fixed,
  }: Pick<Listing<SavedEndpoint>, 'endpoint' | 'request' | 'representation' | 'fixed'>,
  file: RangedFile,
  matched: number,
): Answer {
  const { tag, bytes } = file;
  const range = askedRange(request, `"${tag}"`, bytes);
  const part = range ?? { offset: 0, length: bytes };
  const disposition = `attachment; filename="${fileName(endpoint, representation.release.id, request.query)}"`;
  const more = ['Content-Disposition', disposition, MATCHED, String(matched)];
  if (range) more.push('Content-Range', `bytes ${part.offset}-${part.offset + part.length - 1}/${bytes}`);
  const headers = fixed[representation.isPinned ? 'pinned' : 'current'].identity;
  return releaseAnswer(headers, representation, tag, file.part(part), more, range);
}

/**
 * The range of a file that is asked for (RFC 9110 section 14); undefined for the whole file: without Range, with one that is not valid or too long, with
 * several ranges, if the client has the beginning of another file (If-Range), or if a condition decides otherwise.
 * @throws Problem range-not-satisfiable
 */
function askedRange({ method, headers }: HttpRequest, etag: string, bytes: number): ByteRange | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || range.length > HEADER_MAX_CHARS) return undefined;
  // 412 and 304 come before a range (section 13.2.2), which has no meaning but for GET.
  if (method !== 'GET' || decidedBy(headers, etag) !== undefined) return undefined;
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

/** Names of files are cut to this many characters before their extension: file systems allow 255 in all. */
const NAME_MAX_CHARS = 200;

/**
 * Release, level, and the values of the parameters in order of their names, in characters that are safe on every
 * system.
 */
function fileName({ level, extension }: SavedEndpoint, release: string, query: string): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => name !== RELEASE.name).sort();
  const parts = ['boundaries', release, levelName(level), ...pairs.map(([, value]) => value)];
  const name = parts.join('-').replaceAll(/[^A-Za-z0-9._-]+/g, '_');
  return name.slice(0, NAME_MAX_CHARS) + extension;
}
