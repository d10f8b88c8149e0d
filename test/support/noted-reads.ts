// An output folder as an origin that notes which files are read.
import { directoryOrigin } from '../../proxy/origin/directory.ts';
import type { Origin } from '../../proxy/origin/origin.ts';

/** Opens an output folder. @returns the origin, and the path of each read, also of those that could be made at once */
export function notedReads(folder: string): { origin: Origin; reads: string[] } {
  const files = directoryOrigin(folder);
  const reads: string[] = [];
  const read: Origin['read'] = (path, ...rest) => {
    reads.push(path);
    return files.read(path, ...rest);
  };
  return { origin: { read }, reads };
}
