// Files that stay open between reads: a limited number, of which the least recently used is closed first. A file is
// never closed during a read.
import { closeSync } from 'node:fs';

/** Maximum number of open files: the feature files of 500,000 units. */
const OPEN_MAX = 512;

/** An open file. */
export interface OpenFile {
  descriptor: number;
  /** Reads in progress in the thread pool. */
  reads: number;
  /** Removed from the open files, and closed when the last read has ended. */
  isDropped: boolean;
}

/** The open files by path. */
export class OpenFiles {
  readonly #open: (path: string) => number;
  readonly #max: number;
  /** The least recently used first. */
  readonly #files = new Map<string, OpenFile>();

  /** @param open returns a file descriptor, which this object closes */
  constructor(open: (path: string) => number, max: number = OPEN_MAX) {
    this.#open = open;
    this.#max = max;
  }

  /** Number of open files. */
  get size(): number {
    return this.#files.size;
  }

  /** The file at `path`, for a synchronous read. */
  find(path: string): OpenFile {
    const known = this.#files.get(path);
    if (known !== undefined) this.#files.delete(path);
    const file = known ?? { descriptor: this.#open(path), reads: 0, isDropped: false };
    this.#files.set(path, file);
    const [leastUsed] = this.#files;
    if (this.#files.size > this.#max && leastUsed !== undefined) this.#drop(...leastUsed);
    return file;
  }

  /**
   * Calls `read` with the descriptor of a file, which stays open until the read has ended.
   * @returns undefined if the file is not open
   */
  use<Result>(path: string, read: (descriptor: number) => Promise<Result>): Promise<Result> | undefined {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    file.reads++;
    return read(file.descriptor).finally(() => {
      file.reads--;
      closeUnused(file);
    });
  }

  /** Closes the file at `path`, or every file in the folder at `path`. */
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

/** Synchronous: closing a file that was only read does not wait for a disk. */
function closeUnused({ isDropped, reads, descriptor }: OpenFile): void {
  if (isDropped && reads === 0) closeSync(descriptor);
}
