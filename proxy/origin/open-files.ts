// Files that are kept open between reads: at most a fixed number, the least recently used is closed first.
// A file is never closed while it is read.
import { closeSync } from 'node:fs';

/** Kept open at most: the feature files of 500,000 units. */
const OPEN_MAX = 512;

/** A file that is kept open. */
export interface OpenFile {
  descriptor: number;
  /** Reads under way on other threads. */
  reads: number;
  /** Is it no longer kept? Then it is closed when the last read has ended. */
  isDropped: boolean;
}

/** Files by path. */
export class OpenFiles {
  readonly #open: (path: string) => number;
  readonly #max: number;
  /** In order of use, the least recent first. */
  readonly #files = new Map<string, OpenFile>();

  /** @param open gives a file descriptor, which this object closes */
  constructor(open: (path: string) => number, max: number = OPEN_MAX) {
    this.#open = open;
    this.#max = max;
  }

  /** How many files are kept open. */
  get size(): number {
    return this.#files.size;
  }

  /** The file at `path`, for a read that ends before this thread does anything else. */
  find(path: string): OpenFile {
    const known = this.#files.get(path);
    if (known !== undefined) this.#files.delete(path);
    const file = known ?? { descriptor: this.#open(path), reads: 0, isDropped: false };
    this.#files.set(path, file);
    const [leastUsed] = this.#files;
    if (this.#files.size > this.#max && leastUsed !== undefined) this.#drop(...leastUsed);
    return file;
  }

  /** Calls `read` with the file's descriptor, which stays open until the read has ended. */
  async use<Result>(path: string, read: (descriptor: number) => Promise<Result>): Promise<Result> {
    const file = this.find(path);
    file.reads++;
    try {
      return await read(file.descriptor);
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

  #drop(path: string, file: OpenFile): void {
    this.#files.delete(path);
    file.isDropped = true;
    closeUnused(file);
  }
}

/** Closing a file that was only read does not wait for a disk. */
function closeUnused({ isDropped, reads, descriptor }: OpenFile): void {
  if (isDropped && reads === 0) closeSync(descriptor);
}
