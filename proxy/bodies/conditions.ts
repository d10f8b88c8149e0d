// Conditions of a request on the entity tag of its answer (RFC 9110 section 13).
import { Problem } from '../http/problem.ts';
import { HEADER_MAX_CHARS, type HttpRequest } from '../http/request.ts';
import { type Answer, type HeaderList, problemToAnswer } from './answer.ts';

const REPLACED = 'If-Match names no entity tag of what is there now: it has been replaced. Begin again.';

/**
 * The answer after the conditions of the request: 412 where If-Match does not name its entity tag, otherwise 304 where
 * If-None-Match does (section 13.2.2), otherwise itself.
 */
export function afterConditions({ headers }: HttpRequest, answer: Answer): Answer {
  const decided = answer.etag === undefined ? undefined : decidedBy(headers, answer.etag);
  if (decided === undefined) return answer;
  if (decided === 412) return problemToAnswer(new Problem('precondition-failed', REPLACED));
  return { ...answer, status: 304, headers: withoutContent(answer.headers), body: undefined };
}

/** The status that the conditions of a request decide on; undefined where they change nothing. */
export function decidedBy(headers: HttpRequest['headers'], etag: string): 304 | 412 | undefined {
  const { 'if-match': wanted, 'if-none-match': known } = headers;
  if (wanted !== undefined && !hasTag(wanted, etag)) return 412;
  return known !== undefined && isKnown(known, etag) ? 304 : undefined;
}

/** The headers of an answer without those of its content: of a 304, or a 204. */
export function withoutContent(headers: HeaderList): HeaderList {
  return headers.filter((_, i) => headers[i - (i % 2)]?.startsWith('Content-') !== true);
}

/** Does If-Match list this entity tag? Strong comparison (section 13.1.1). */
function hasTag(list: string, etag: string): boolean {
  return tagsIn(list).some((tag) => tag === '*' || tag === etag);
}

/** Does If-None-Match list it? Weak comparison (section 13.1.2). */
function isKnown(list: string, etag: string): boolean {
  return tagsIn(list).some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`);
}

/** The entity tags of a list. Those of this service contain no comma. */
function tagsIn(list: string): readonly string[] {
  return list.length > HEADER_MAX_CHARS ? [] : list.split(',').map((item) => item.trim());
}
