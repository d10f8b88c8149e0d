// An output folder where it is published, read over HTTP: each file is held against what it must be.
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { piecesOf, withPatience } from '../../format/command-line/patient-fetch.ts';
import { BuildError } from '../report/errors.ts';

/** A file that is to be fetched. */
export interface HostedFile {
  /** Relative to the output folder. */
  path: string;
  /** Where to, on disk. */
  file: string;
  /** Its SHA-256 in hex; undefined if nothing says it. */
  sha256: string | undefined;
  /** Bytes that it may have. */
  most: number;
}

/** How long nothing may come. */
const IDLE_MS = 60_000;
/** What hosts answer where nothing is; buckets without the right to list say 403. */
const NOTHING_THERE: readonly number[] = [403, 404, 410];
const TRY_AGAIN = 'try again, or correct --from';

/** An output folder at a URL. */
export class HostedFolder {
  /** Without a slash at the end. */
  readonly url: string;
  readonly #idleMs: number;

  /** @throws BuildError if it is no URL that files can be read from */
  constructor(url: string, idleMs = IDLE_MS) {
    const { protocol, search, hash } = URL.canParse(url) ? new URL(url) : new URL('about:blank');
    if (!/^https?:$/.test(protocol) || search !== '' || hash !== '')
      throw new BuildError(
        `--from ${url}: not the address of an output folder`,
        'use the address that current.json is below, e.g. https://static.example.org/boundaries; for a private bucket see generator/examples/upload/README.md',
      );
    this.url = url.replace(/\/+$/, '');
    this.#idleMs = idleMs;
  }

  /**
   * The content of a small file; undefined where there is none.
   * @throws BuildError if nothing else can be had, or it is longer than `most` bytes
   */
  async read(path: string, most: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = [];
    const isThere = await this.#fetch(path, most, async (body) => {
      for await (const part of body) parts.push(part);
    });
    return isThere ? Buffer.concat(parts) : undefined;
  }

  /**
   * Fetches a file to disk.
   * @returns its length
   * @throws BuildError if there is none, another one, or a longer one
   */
  async save({ path, file, sha256, most }: HostedFile): Promise<number> {
    const digest = createHash('sha256');
    let bytes = 0;
    mkdirSync(dirname(file), { recursive: true });
    const isThere = await this.#fetch(path, most, async (body) => {
      async function* summed(): AsyncGenerator<Uint8Array> {
        for await (const part of body) {
          digest.update(part);
          bytes += part.length;
          yield part;
        }
      }
      await pipeline(summed, createWriteStream(file));
    });
    if (!isThere)
      throw new BuildError(
        `${this.url}/${path}: is not there, though its release is hosted`,
        'its upload is not complete, or the release has just been removed: upload it again, or try again',
      );
    const got = digest.digest('hex');
    if (sha256 === undefined || got === sha256) return bytes;
    throw new BuildError(
      `${this.url}/${path}: its SHA-256 is ${got}, expected ${sha256}`,
      'the host must send files as they are, without Content-Encoding; try again, or put the file right there',
    );
  }

  /**
   * Calls `take` with the body of a file.
   * @returns false where there is none
   * @throws BuildError if nothing can be had, or it is longer than `most` bytes
   */
  async #fetch(path: string, most: number, take: (body: AsyncIterable<Uint8Array>) => Promise<void>): Promise<boolean> {
    const url = `${this.url}/${path}`;
    const unreachable = (error: unknown): never => {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new BuildError(`${url}: no answer, or none to the end: ${why}`, TRY_AGAIN);
    };
    const tooLong = (): BuildError => new BuildError(`${url}: has more than ${most} bytes`, TRY_AGAIN);
    return withPatience(this.#idleMs, async ({ signal, onPiece }) => {
      const headers = { 'accept-encoding': 'identity', 'cache-control': 'no-cache' };
      const answer = await fetch(url, { headers, signal }).catch(unreachable);
      if (NOTHING_THERE.includes(answer.status)) return false;
      if (!answer.ok || answer.body === null) throw new BuildError(`${url}: ${answer.status}`, TRY_AGAIN);
      await take(piecesOf(answer, onPiece, most, { tooLong, unreachable }));
      return true;
    });
  }
}
