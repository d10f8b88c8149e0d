// Files that are kept open between reads: at most a fixed number, the least recently used is closed first.
// A file is never closed while it is read.
import { close } from 'node:fs';

/** Kept open at most: all feature files of 250,000 units. */
const OPEN_MAX = 256;

interface OpenFile {
  descriptor: Promise<number>;
  /** Reads under way. */
  reads: number;
  /** Is it no longer kept, and closed when the last read has ended? */
  isDropped: boolean;
}

/** Files by path. */
export class OpenFiles {
  readonly #open: (path: string) => Promise<number>;
  readonly #max: number;
  /** In order of use, the least recent first. */
  readonly #files = new Map<string, OpenFile>();

  /** @param open gives a file descriptor, which this object closes */
  constructor(open: (path: string) => Promise<number>, max: number = OPEN_MAX) {
    this.#open = open;
    this.#max = max;
  }

  /** How many files are kept open. */
  get size(): number {
    return this.#files.size;
  }

  /** Calls `read` with the file's descriptor. A file that cannot be opened, or a read that fails, is not kept. */
  async use<Result>(path: string, read: (descriptor: number) => Promise<Result>): Promise<Result> {
    const file = this.#take(path);
    file.reads++;
    try {
      return await read(await file.descriptor);
    } catch (error) {
      this.#drop(path, file);
      throw error;
    } finally {
      file.reads--;
      closeUnused(file);
    }
  }

  /** Stops keeping open the file at `path`, or every file in the folder at `path`. */
  close(path: string): void {
    for (const [known, file] of this.#files)
      if (known === path || known.startsWith(`${path}/`)) this.#drop(known, file);
  }

  #take(path: string): OpenFile {
    const known = this.#files.get(path);
    const file = known ?? { descriptor: this.#open(path), reads: 0, isDropped: false };
    this.#files.delete(path);
    this.#files.set(path, file);
    const [leastUsed] = this.#files;
    if (this.#files.size > this.#max && leastUsed !== undefined) this.#drop(...leastUsed);
    return file;
  }

  #drop(path: string, file: OpenFile): void {
    if (this.#files.get(path) === file) this.#files.delete(path);
    file.isDropped = true;
    closeUnused(file);
  }
}

function closeUnused(file: OpenFile): void {
  if (!file.isDropped || file.reads > 0) return;
  file.reads = Number.POSITIVE_INFINITY;
  file.descriptor.then(
    (descriptor) => close(descriptor),
    () => {},
  );
}
