// Answers that are given again: whoever asks what was asked a moment ago gets the same headers and bytes without
// anything being looked up. Only tokens, and what must not be interpreted, are checked before.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CachedAnswer } from './cache.ts';
import { cacheOf } from './cache.ts';
import type { Catalogue } from './catalogue.ts';
import { codingFor } from './encoding.ts';
import type { Account, Service } from './handle.ts';

/** Longer targets are not remembered, so that names take little room. */
const TARGET_MAX_CHARS = 512;

/**
 * The name under which the answer to a request is kept: all that the answer depends on but the release. Undefined for
 * what is not kept: anything but a plain GET.
 */
export function answerName({ method, url = '', headers }: IncomingMessage, base: string): string | undefined {
  if (method !== 'GET' || headers['if-none-match'] !== undefined || url.length > TARGET_MAX_CHARS) return undefined;
  return `${codingFor(headers['accept-encoding'])} ${base} ${url}`;
}

/** Gives the answer of that name again, if it is kept and still right. Was it? */
export function answerAgain(
  { origin, catalogue }: Pick<Service, 'origin' | 'catalogue'>,
  name: string,
  res: ServerResponse,
  account: Account,
): boolean {
  const { answers } = cacheOf(origin);
  const kept = answers.find(name);
  if (kept === undefined) return false;
  if (!isRight(kept, catalogue)) {
    answers.drop(name);
    return false;
  }
  account.route = kept.route;
  res.writeHead(200, kept.headers).end(kept.bytes);
  return true;
}

function isRight({ release, isPinned }: CachedAnswer, catalogue: Catalogue): boolean {
  return isPinned ? catalogue.hosts(release) : release === catalogue.current;
}
