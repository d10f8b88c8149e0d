// The origin of an output folder, of which a test is told what is read, or which fails as it says.
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';

type Read = (path: string, extent: Parameters<Origin['read']>[1]) => unknown;

/** @param before is called before each read, and waited for; what it throws becomes of the read */
export function watchedOrigin(folder: string, before: Read): Origin {
  const files = directoryOrigin(folder);
  return {
    async read(path, extent, ...reader) {
      await before(path, extent);
      return files.read(path, extent, ...reader);
    },
    close: (path) => files.close?.(path),
  };
}

/** The same, where some reads can be made at once. @param before is called for these, too */
export function watchedFolder(folder: string, before: (path: string) => unknown): Origin {
  const files = directoryOrigin(folder);
  return {
    ...watchedOrigin(folder, before),
    readNow(path, ...rest) {
      before(path);
      return files.readNow?.(path, ...rest) ?? false;
    },
  };
}

/** @returns the origin, and the path of each read */
export function notedReads(folder: string): { origin: Origin; reads: string[] } {
  const reads: string[] = [];
  return { origin: watchedOrigin(folder, (path) => reads.push(path)), reads };
}
