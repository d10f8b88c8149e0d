// Response cache: a repeated request gets the finished headers and body; validation and authentication run first.
// Limited in bytes; the least recently used response is removed first.
import { LRUCache } from 'lru-cache';
import type { Answer, Representation, ResponseCache, ResponseCaches } from '../bodies/answer.ts';
import type { Releases } from '../data/hosted-releases.ts';
import type { Coding } from '../http/request.ts';

/** Maximum size of all entries of each content coding: most clients accept gzip. */
const MAX_BYTES: Readonly<Record<Coding, number>> = { gzip: 24 * 1024 * 1024, identity: 8 * 1024 * 1024 };
/** Maximum size of a body that is stored. */
const BODY_MAX_BYTES = 1024 * 1024;
/** Upper estimate of the size of key and headers. */
const ENTRY_BYTES = 4096;
/** Responses to longer targets are not stored, so that keys stay small. */
const TARGET_MAX_CHARS = 512;
/** Slots for the targets that were requested recently. */
const ASKED = 4096;

/** An answer. It only names its release, so that the cache keeps no index in memory. */
interface Stored extends Pick<Representation, 'base' | 'isPinned'> {
  answer: Answer;
  /** By its content too: an id may be used again for another release. */
  release: Pick<Representation['release'], 'id' | 'digest'>;
}

/** Creates empty caches. @param maxBytes size of all entries of each */
export function responseCaches({ gzip, identity }: Readonly<Record<Coding, number>> = MAX_BYTES): ResponseCaches {
  return { gzip: new KeptResponses(gzip), identity: new KeptResponses(identity) };
}

/** Responses of one content coding by target: path and query, not decoded. */
class KeptResponses implements ResponseCache {
  readonly #responses: LRUCache<string, Stored>;
  /** Hashes of targets that were requested once: only what is requested again is stored. */
  readonly #asked = new Int32Array(ASKED);

  /** @param maxBytes size of all entries */
  constructor(maxBytes: number) {
    this.#responses = new LRUCache<string, Stored>({ maxSize: maxBytes });
  }

  /** The stored answer, if it is valid. */
  find(target: string, base: string, releases: Releases): Answer | undefined {
    const stored = this.#responses.get(target);
    if (stored === undefined || stored.base !== base) return undefined;
    const { release, isPinned } = stored;
    // The answer to a cursor is valid while its release is hosted, any other one while its release is the current one.
    const isValid = isPinned ? releases.hosts(release) : release.digest === releases.current?.digest;
    return isValid ? stored.answer : undefined;
  }

  /** Stores an answer whose body has been read, if the target was requested before. */
  offer(target: string, answer: Answer, body: Buffer): void {
    if (
      answer.representation === undefined ||
      target.length > TARGET_MAX_CHARS ||
      body.length > BODY_MAX_BYTES ||
      !this.#noteAsked(target)
    )
      return;
    const { base, release, isPinned } = answer.representation;
    const { id, digest } = release;
    // The memory of the body may be used again.
    const own = Buffer.allocUnsafeSlow(body.length);
    body.copy(own);
    const stored = {
      answer: { ...answer, body: own, representation: undefined },
      base,
      release: { id, digest },
      isPinned,
    };
    this.#responses.set(target, stored, { size: body.length + ENTRY_BYTES });
  }

  #noteAsked(target: string): boolean {
    let hash = 0;
    for (let i = 0; i < target.length; i++) hash = (Math.imul(hash, 31) + target.charCodeAt(i)) | 0;
    const slot = hash & (ASKED - 1);
    if (this.#asked[slot] === hash) return true;
    this.#asked[slot] = hash;
    return false;
  }
}
