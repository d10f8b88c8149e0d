// Response cache: a repeated request gets the stored headers and body; validation and authentication run first.
// Bounded by bytes, the least recently used response leaves first. The only file that knows lru-cache.
import { LRUCache } from 'lru-cache';
import type { Coding } from '../http/accept-encoding.ts';
import type { Answer } from '../http/answer.ts';
import type { Catalogue } from '../origin/releases.ts';

/** Bytes of all responses. */
const MAX_BYTES = 32 * 1024 * 1024;
/** A larger body is not kept. */
const BODY_MAX_BYTES = 1024 * 1024;
/** What an entry takes beside its body, generously: key and headers. */
const ENTRY_BYTES = 4096;
/** Keys of responses that were asked for once and are not stored. */
const ASKED_MAX = 4096;
/** Longer targets are not kept, so that keys take little room. */
const TARGET_MAX_CHARS = 512;

/** All that a response depends on, but for the served release. */
export interface ResponseKey {
  /** Path and query, as they came. */
  target: string;
  /** What stands before the path in Link headers. */
  base: string;
  coding: Coding;
}

/** A response, and how long it stays right. It refers to its release by id, so no manifest is kept in memory. */
export interface CacheableResponse {
  answer: Answer;
  release: string;
  /** Does it answer a cursor, and so stay right as long as the release is hosted? Otherwise as long as it is served. */
  isPinned: boolean;
}

/**
 * Responses by their keys. One is stored when it is asked for again, so that requests made once displace nothing and
 * leave no garbage.
 */
export class ResponseCache {
  readonly #asked = new Set<string>();
  readonly #responses = new LRUCache<string, CacheableResponse>({ maxSize: MAX_BYTES });

  /** The stored response, while it is right, or the one that `respond` makes. */
  async find(
    { target, base, coding }: ResponseKey,
    catalogue: Catalogue,
    respond: () => Promise<CacheableResponse>,
  ): Promise<Answer> {
    if (target.length > TARGET_MAX_CHARS) return (await respond()).answer;
    const key = `${coding} ${base} ${target}`;
    const stored = this.#responses.get(key);
    if (stored !== undefined && isRight(stored, catalogue)) return stored.answer;
    const response = await respond();
    return this.#wasAsked(key) ? this.#storing(key, response) : response.answer;
  }

  /** Was this asked for before, a short while ago? From now on it was. */
  #wasAsked(key: string): boolean {
    if (this.#asked.delete(key)) return true;
    if (this.#asked.size >= ASKED_MAX) this.#asked.clear();
    this.#asked.add(key);
    return false;
  }

  /** The answer, which is stored once its body has been read. */
  #storing(key: string, response: CacheableResponse): Answer {
    const { answer } = response;
    const { content } = answer;
    if (content === undefined || typeof content.body !== 'function' || content.bytes > BODY_MAX_BYTES) return answer;
    const read = content.body;
    return {
      ...answer,
      content: {
        ...content,
        body: async (client) => {
          const body = await read(client);
          if (Buffer.isBuffer(body)) {
            const stored = { ...response, answer: { ...answer, content: { ...content, body } } };
            this.#responses.set(key, stored, { size: body.length + ENTRY_BYTES });
          }
          return body;
        },
      },
    };
  }
}

function isRight({ release, isPinned }: CacheableResponse, catalogue: Catalogue): boolean {
  return isPinned ? catalogue.hosts(release) : release === catalogue.current?.id;
}
