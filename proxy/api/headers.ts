// The headers of answers from a release, and the two codings of a body. Used by listing.ts, files.ts and ogc-documents.ts.
import type { Answer, Basis, BodySource, HeaderList } from '../bodies/answer.ts';
import { COMMON_HEADERS } from '../bodies/answer.ts';
import { TextOf } from '../bodies/stored-file.ts';
import type { Coding } from '../http/request.ts';

/** The number of features that match. */
export const MATCHED = 'Boundaries-Matched';

// With tokens private: a shared cache may replay a public answer to a client without one (RFC 9111 section 3.5). The response
// to a cursor never changes; without a cursor it depends on the current release.
const CACHING = {
  private: { pinned: 'private, max-age=31536000, immutable', current: 'private, no-cache' },
  public: { pinned: 'public, max-age=31536000, immutable', current: 'public, max-age=60, stale-while-revalidate=600' },
} as const;

/** Who may have the answers: those with a token, or everybody. */
export type Audience = keyof typeof CACHING;

/** The headers that are known at start, up to the name of the one with the release's id. */
export type FixedHeaders = Readonly<Record<'pinned' | 'current', Readonly<Record<Coding, HeaderList>>>>;

/** The headers of a media type. */
export function fixedHeaders(mediaType: string, audience: Audience): FixedHeaders {
  const headers = (caching: string, coding: HeaderList): HeaderList => [
    ...COMMON_HEADERS,
    ...['Vary', 'Accept-Encoding', 'Cache-Control', caching, 'Content-Type', mediaType],
    ...coding,
    'Boundaries-Release',
  ];
  const ofEach = (caching: string): Record<Coding, HeaderList> => ({
    gzip: headers(caching, ['Content-Encoding', 'gzip']),
    identity: headers(caching, []),
  });
  const { pinned, current } = CACHING[audience];
  return { pinned: ofEach(pinned), current: ofEach(current) };
}

/** The headers of downloads, which are files: not coded, in ranges if that is asked for. */
export function downloadHeaders(audience: Audience): FixedHeaders {
  const { pinned, current } = CACHING[audience];
  const ofEach = (caching: string): Record<Coding, HeaderList> => {
    const headers = [
      ...COMMON_HEADERS,
      ...['Access-Control-Expose-Headers', 'Accept-Ranges, Content-Disposition, Content-Range'],
      ...['Cache-Control', caching, 'Content-Type', 'application/gzip', 'Accept-Ranges', 'bytes'],
      'Boundaries-Release',
    ];
    return { gzip: headers, identity: headers };
  };
  // A release is named by its id, which may be used again: with tokens its file is always asked for.
  return { pinned: ofEach(audience === 'public' ? pinned : current), current: ofEach(current) };
}

/** A body that is one gzip member. */
export interface Member extends BodySource {
  /** Entity tag without quotes: the same in every release with the same bytes. */
  readonly tag: string;
}

/**
 * The answer with a gzip member, or with its text if that is what the client accepts.
 * @param text its length is asked for only then
 * @param path for the log
 * @param more further headers
 */
export function codedAnswer(
  fixed: FixedHeaders,
  basis: Basis,
  member: Member,
  text: { readonly textBytes: number },
  path: string,
  more: HeaderList,
): Answer {
  const headers = fixed[basis.isPinned ? 'pinned' : 'current'][basis.coding];
  if (basis.coding === 'gzip') return releaseAnswer(headers, basis, member.tag, member, more);
  return releaseAnswer(headers, basis, `${member.tag}-i`, new TextOf(member, text.textBytes, path), more);
}

/**
 * The answer with these headers.
 * @param tag entity tag without quotes
 * @param more further headers
 * @param part how many bytes of the body are sent, if it is a range of it
 */
export function releaseAnswer(
  fixed: HeaderList,
  basis: Basis,
  tag: string,
  body: BodySource | Buffer,
  more: HeaderList,
  part?: { length: number },
): Answer {
  const etag = `"${tag}"`;
  const length = part?.length ?? ('bytes' in body ? body.bytes : body.length);
  const headers = fixed.concat(basis.release.id, 'ETag', etag, 'Content-Length', String(length), more);
  return { status: part === undefined ? 200 : 206, headers, etag, body, basis };
}
