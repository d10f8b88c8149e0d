// Response cache: a repeated request gets the stored headers and body; validation and authentication run first. Limited
// in bytes; the least recently used response is removed first. The only file that imports lru-cache.
import { LRUCache } from 'lru-cache';
import type { Coding } from '../http/accept-encoding.ts';
import type { Answer } from '../http/answer.ts';
import type { LoadedRelease } from '../releases/load-release.ts';
import type { Releases } from '../releases/releases.ts';

/** Maximum size of all entries. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum size of a body that is stored. */
const BODY_MAX_BYTES = 1024 * 1024;
/** Upper estimate of the size of key and headers. */
const ENTRY_BYTES = 4096;
/** Maximum number of remembered keys of responses that were requested once and are not stored. */
const ASKED_MAX = 4096;
/** Responses to longer targets are not stored, so that keys stay small. */
const TARGET_MAX_CHARS = 512;

/** Everything that a response depends on, except the current release. */
export interface ResponseKey {
  /** Path and query, not decoded. */
  target: string;
  /** Base URL in the Link header. */
  base: string;
  coding: Coding;
}

/** A response and how long it is valid. It only names its release, so that the cache keeps no manifest in memory. */
export interface CacheableResponse {
  answer: Answer;
  /** By its content too: an id may be used again for another release. */
  release: Pick<LoadedRelease, 'id' | 'digest'>;
  /** The response to a cursor is valid while the release is hosted, any other while the release is the current one. */
  isPinned: boolean;
}

/**
 * Responses by key. A response is stored when it is requested for the second time: requests that occur once displace
 * nothing and cause no garbage collection.
 */
export class ResponseCache {
  readonly #asked = new Set<string>();
  readonly #responses: LRUCache<string, CacheableResponse>;

  /** @param maxBytes size of all entries */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#responses = new LRUCache<string, CacheableResponse>({ maxSize: maxBytes });
  }

  /** The stored response if it is valid, otherwise the result of `respond`. */
  async find(
    { target, base, coding }: ResponseKey,
    releases: Releases,
    respond: () => Promise<CacheableResponse>,
  ): Promise<Answer> {
    if (target.length > TARGET_MAX_CHARS) return (await respond()).answer;
    const key = `${coding} ${base} ${target}`;
    const stored = this.#responses.get(key);
    if (stored !== undefined && isValid(stored, releases)) return stored.answer;
    const response = await respond();
    return this.#wasAsked(key) ? this.#storing(key, response) : response.answer;
  }

  /** Was this key requested recently? Remembers it. */
  #wasAsked(key: string): boolean {
    if (this.#asked.delete(key)) return true;
    if (this.#asked.size >= ASKED_MAX) this.#asked.clear();
    this.#asked.add(key);
    return false;
  }

  /** The answer; it is stored when its body has been read. */
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

function isValid({ release, isPinned }: CacheableResponse, releases: Releases): boolean {
  return isPinned ? releases.hosts(release) : release.digest === releases.current?.digest;
}
