// The answer with a short text that is made for it.
import { gzipSync } from 'node:zlib';
import type { Answer, HeaderList, Representation } from './answer.ts';
import { type FixedHeaders, releaseAnswer } from './headers.ts';

/**
 * The answer with a text, or with its gzip member if the client accepts that.
 * @param tag entity tag without quotes, of the member
 * @param more further headers
 */
export function textAnswer(
  fixed: FixedHeaders,
  representation: Representation,
  tag: string,
  text: string,
  more: HeaderList = [],
): Answer {
  const { coding } = representation;
  const [body, own] = coding === 'gzip' ? [gzipSync(text), tag] : [Buffer.from(text), `${tag}-i`];
  return releaseAnswer(fixed.current[coding], representation, own, body, more);
}
