// A folder as the target of an upload: a mounted disk or share.
import { hash, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isReleaseId, RELEASES_PATH, releasePath } from '../../format/layout.ts';
import { syncTree } from '../release/fsync.ts';
import type { Content } from './content.ts';
import type { StoredFile, Target } from './target.ts';

/** A file that is being written: hidden, and removed by the next upload if this one is killed. */
const PARTIAL = /^\.[0-9a-f-]{36}\.partial$/;

/** Creates the target. */
export function folderTarget(folder: string): Target {
  return {
    name: folder,
    async list(path) {
      const files = new Map<string, StoredFile>();
      for (const entry of await entriesOf(join(folder, path), true)) {
        const file = join(entry.parentPath, entry.name);
        if (PARTIAL.test(entry.name)) await rm(file, { force: true });
        else if (entry.isFile()) {
          const name = relative(folder, file).replaceAll(sep, '/');
          files.set(name, { bytes: (await stat(file)).size, md5: undefined });
        }
      }
      return files;
    },
    async releases() {
      const entries = await entriesOf(join(folder, RELEASES_PATH), false);
      return entries.map(({ name }) => name).filter(isReleaseId);
    },
    async has({ path, sha256 }) {
      const bytes = await readFile(join(folder, path)).catch(ifMissing(undefined));
      return bytes !== undefined && hash('sha256', bytes, 'hex') === sha256;
    },
    async put({ path, bytes }: Content) {
      const file = join(folder, path);
      const partial = join(dirname(file), `.${randomUUID()}.partial`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(partial, bytes, { flag: 'wx' });
      await rename(partial, file);
    },
    async remove(path) {
      await rm(join(folder, path), { force: true });
      await removeEmptyFolders(folder, dirname(path));
    },
    async sync() {
      for (const { name } of await entriesOf(folder, false))
        if (PARTIAL.test(name)) await rm(join(folder, name), { force: true });
      await syncTree(folder);
    },
    close() {},
  };
}

async function entriesOf(folder: string, recursive: boolean): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true, recursive }).catch(ifMissing([]));
}

/** Removes the folders of a release that have become empty. */
async function removeEmptyFolders(root: string, path: string): Promise<void> {
  if (path === RELEASES_PATH || !path.startsWith(releasePath(''))) return;
  if ((await entriesOf(join(root, path), false)).length > 0) return;
  await rm(join(root, path), { recursive: true, force: true });
  await removeEmptyFolders(root, dirname(path));
}

/** Handles the error of a file that is not there. */
function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
