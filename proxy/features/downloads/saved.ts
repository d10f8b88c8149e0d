// Answers with what is saved as a file, whole or a range: headers, name, range.
import { levelName } from '../../../format/levels.ts';
import type { Answer, BodySource } from '../../bodies/answer.ts';
import { rangeOf } from '../../bodies/conditions.ts';
import { downloadHeaders, MATCHED, releaseAnswer } from '../../bodies/headers.ts';
import type { Row } from '../../bodies/row.ts';
import type { ByteRange, QueuedReads, Recipient } from '../../origin/origin.ts';
import { GIDS } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { type Listing, type ListingFilter, listingRow } from '../pages/listing.ts';
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

/** The row of a path with a file that is saved. */
export function savedRow<Endpoint extends SavedEndpoint>(
  endpoint: Endpoint,
  filters: readonly ListingFilter[],
  respond: (listing: Listing<Endpoint>) => Answer | Promise<Answer>,
): Row {
  // Filters of deeper levels are known, so that their message says what is wrong.
  const hasFilters = endpoint.parameters.some((parameter) => parameter === GIDS[0]);
  const rules = queryRules(endpoint.level, endpoint.parameters, hasFilters ? GIDS : []);
  return listingRow({
    endpoint,
    filters,
    headers: downloadHeaders(endpoint.mediaType),
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
  const range = rangeOf(request, `"${tag}"`, bytes);
  const part = range ?? { offset: 0, length: bytes };
  const disposition = `attachment; filename="${fileName(endpoint, representation.release.id, request.query)}"`;
  const more = ['Content-Disposition', disposition, MATCHED, String(matched)];
  if (range) more.push('Content-Range', `bytes ${part.offset}-${part.offset + part.length - 1}/${bytes}`);
  const headers = fixed[representation.isPinned ? 'pinned' : 'current'].identity;
  return releaseAnswer(headers, representation, tag, file.part(part), more, range);
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
