// Conditions of a request on the entity tag of its answer (RFC 9110 section 13), and the range of a file that it asks
// for (section 14).
import { Problem } from '../http/problem.ts';
import { HEADER_MAX_CHARS, type HttpRequest } from '../http/request.ts';
import type { ByteRange } from '../origin/origin.ts';
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
function decidedBy(headers: HttpRequest['headers'], etag: string): 304 | 412 | undefined {
  const { 'if-match': wanted, 'if-none-match': known } = headers;
  if (wanted !== undefined && !hasTag(wanted, etag)) return 412;
  return known !== undefined && isKnown(known, etag) ? 304 : undefined;
}

/** The headers of a 304: those of the answer without those of its content. */
function withoutContent(headers: HeaderList): HeaderList {
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

/**
 * The range that is asked for; undefined for the whole file: without Range, with one that is not valid or too long, with
 * several ranges, if the client has the beginning of another file (If-Range), or if a condition decides otherwise.
 * @throws Problem range-not-satisfiable
 */
export function rangeOf({ method, headers }: HttpRequest, etag: string, bytes: number): ByteRange | undefined {
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
