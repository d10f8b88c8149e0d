// The headers of answers from a release, and the two codings of a body.

import type { Coding } from '../http/request.ts';
import type { Answer, BodySource, HeaderList, Representation } from './answer.ts';
import { COMMON_HEADERS } from './answer.ts';
import { InflatedBody } from './stored-file.ts';

/** The number of features that match. */
export const MATCHED = 'Boundaries-Matched';

/**
 * With tokens private: a shared cache may replay a public answer to a client without one (RFC 9111 section 3.5). The
 * response to a cursor never changes; without a cursor it depends on the current release.
 */
export const CACHING = {
  private: { pinned: 'private, max-age=31536000, immutable', current: 'private, no-cache' },
  public: { pinned: 'public, max-age=31536000, immutable', current: 'public, max-age=60, stale-while-revalidate=600' },
} as const;

/** Who may have the answers: those with a token, or everybody. */
export type Audience = keyof typeof CACHING;

/** The headers that are known at start, up to the name of the one with the release's id. */
export type FixedHeaders = Readonly<Record<'pinned' | 'current', Readonly<Record<Coding, HeaderList>>>>;

/** Those of a path, for each audience that a service may have. */
export type AudienceHeaders = Readonly<Record<Audience, FixedHeaders>>;

/** The headers of a media type. */
export function fixedHeaders(mediaType: string): AudienceHeaders {
  const headers = (caching: string, coding: HeaderList): HeaderList => [
    ...COMMON_HEADERS,
    ...['Vary', 'Accept-Encoding', 'Cache-Control', caching, 'Content-Type', mediaType],
    ...coding,
    'Boundaries-Release',
  ];
  const gzip = ['Content-Encoding', 'gzip'];
  const coded = (caching: string) => ({ gzip: headers(caching, gzip), identity: headers(caching, []) });
  const of = ({ pinned, current }: Record<'pinned' | 'current', string>) => {
    return { pinned: coded(pinned), current: coded(current) };
  };
  return { private: of(CACHING.private), public: of(CACHING.public) };
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
  representation: Representation,
  member: Member,
  text: { readonly textBytes: number },
  path: string,
  more: HeaderList,
): Answer {
  const { coding, isPinned } = representation;
  const headers = fixed[isPinned ? 'pinned' : 'current'][coding];
  if (coding === 'gzip') return releaseAnswer(headers, representation, member.tag, member, more);
  const body = new InflatedBody(member, text.textBytes, path);
  return releaseAnswer(headers, representation, `${member.tag}-i`, body, more);
}

/**
 * The answer with these headers.
 * @param tag entity tag without quotes
 * @param more further headers
 * @param part how many bytes of the body are sent, if it is a range of it
 */
export function releaseAnswer(
  fixed: HeaderList,
  representation: Representation,
  tag: string,
  body: BodySource | Buffer,
  more: HeaderList,
  part?: { length: number },
): Answer {
  const etag = `"${tag}"`;
  const length = part?.length ?? ('bytes' in body ? body.bytes : body.length);
  const headers = fixed.concat(representation.release.id, 'ETag', etag, 'Content-Length', String(length), more);
  return { status: part === undefined ? 200 : 206, headers, etag, body, representation };
}
