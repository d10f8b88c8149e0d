// Finds what is neither a file nor a folder below a path: a pipe is waited for, and a device is read, without end.
import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FileFinding, SPECIAL } from './file-findings.ts';

/** Pipes, devices and sockets, also where a link leads to one. @param path in the output folder, which may lack it */
export function specialFiles(out: string, path: string): FileFinding[] {
  const stats = statsOf(join(out, path));
  if (stats === undefined || stats.isFile()) return [];
  if (!stats.isDirectory()) return [{ path, problem: SPECIAL }];
  const entries = readdirSync(join(out, path), { withFileTypes: true, recursive: true });
  const others = entries.filter((entry) => !entry.isFile() && !entry.isDirectory());
  return others.flatMap((entry) => {
    const own = statsOf(join(entry.parentPath, entry.name));
    if (own === undefined || own.isFile() || own.isDirectory()) return [];
    return [{ path: join(entry.parentPath, entry.name).slice(out.length + 1), problem: SPECIAL }];
  });
}

/** Undefined for what is not there, such as the end of a link. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
