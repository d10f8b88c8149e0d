// The user's cache of files of services: each with its entity tag, replaced as a whole, and checked before it is used.
import { createHash, hash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../format/error-code.ts';
import { objectFrom, textIn } from '../../format/parse.ts';
import { StartError } from '../config/start-error.ts';

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;
const OTHERS_WRITE = 0o022;
const NAME_CHARS = 32;

/** A file that is there and undamaged. */
export interface CachedFile {
  file: string;
  /** With its quotes. */
  etag: string;
}

/** The folder for `points` and `match` in the user's folder for caches. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>, platform = process.platform): string {
  const own: Partial<Record<NodeJS.Platform, string | undefined>> = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: env['LOCALAPPDATA'],
  };
  const caches = env['XDG_CACHE_HOME'] || own[platform] || join(homedir(), '.cache');
  return join(caches, 'administrative-boundaries-service', 'points');
}

/** Files by their URL. Several processes may use the same folder. */
export class Cache {
  readonly #folder: string;

  /** @throws StartError if the folder cannot be made, or is not this user's alone */
  constructor(folder: string) {
    this.#folder = folder;
    this.#orRefuse(() => mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder }));
    const { uid, mode } = statSync(folder);
    // Windows has neither.
    if (process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS_WRITE) === 0)) return;
    const remedy = 'if it is yours, chmod 700; or name another folder: XDG_CACHE_HOME=...';
    throw new StartError('others may write to the cache', folder, remedy);
  }

  /** The file of a URL; undefined if there is none, or not as it was written. */
  async find(url: string): Promise<CachedFile | undefined> {
    const { file, about } = this.#placeOf(url);
    try {
      const said = objectFrom(readFileSync(about, 'utf8'), about);
      const digest = createHash('sha256');
      for await (const piece of createReadStream(file)) digest.update(piece);
      const isIntact = textIn(said, 'url', about) === url && textIn(said, 'sha256', about) === digest.digest('hex');
      return isIntact ? { file, etag: textIn(said, 'etag', about) } : undefined;
    } catch {
      // Whatever is wrong with it: it is fetched again.
      return undefined;
    }
  }

  /** Writes the file of a URL. @throws StartError if it cannot be written; what `body` throws */
  async keep(url: string, etag: string, body: AsyncIterable<Uint8Array>): Promise<CachedFile> {
    const { file, about } = this.#placeOf(url);
    const draft = `${file}.${randomUUID()}`;
    const digest = createHash('sha256');
    try {
      const handle = await open(draft, 'wx', OWNER_ONLY.file).catch((error: unknown) => this.#refuse(error));
      try {
        for await (const piece of body) {
          digest.update(piece);
          await handle.writeFile(piece).catch((error: unknown) => this.#refuse(error));
        }
      } finally {
        await handle.close();
      }
      const said = { url, etag, sha256: digest.digest('hex') };
      // Cut off between the two renames, the digest is that of another file, which is then fetched again.
      this.#orRefuse(() => {
        renameSync(draft, file);
        writeFileSync(draft, `${JSON.stringify(said)}\n`, { mode: OWNER_ONLY.file });
        renameSync(draft, about);
      });
    } finally {
      rmSync(draft, { force: true });
    }
    return { file, etag };
  }

  #placeOf(url: string): { file: string; about: string } {
    const name = join(this.#folder, hash('sha256', url, 'hex').slice(0, NAME_CHARS));
    return { file: `${name}.bin`, about: `${name}.json` };
  }

  #orRefuse(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): never {
    const remedy = 'make room there, or name another folder: XDG_CACHE_HOME=...';
    throw new StartError(`the cache cannot be written (${codeOf(error)})`, this.#folder, remedy);
  }
}
