// Where releases become visible: the staging folder beside its target, the rename, and the pointer, last of all.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURRENT_PATH, isReleaseId, RELEASE_ID_RULE, RELEASES_PATH, releasePath } from '../format/layout.ts';
import { type Current, currentFromJson, currentToJson } from '../format/release.ts';
import { BuildError } from './failure.ts';

/** The folders of a release that is being built. */
export interface Staging {
  /** The release as it will be. */
  release: string;
  /** What only the build needs. */
  work: string;
}

/**
 * Makes an empty staging folder for a release; what an earlier build left there is removed.
 * @throws BuildError where the id cannot be used or is taken
 */
export function openStaging(out: string, release: string): Staging {
  if (!isReleaseId(release)) throw new BuildError(`--release ${release}: not a release id`, `use ${RELEASE_ID_RULE}`);
  const target = join(out, releasePath(release));
  if (existsSync(target))
    throw new BuildError(`${target} exists already: a release never changes`, 'choose another --release');
  const root = stagingPath(out, release);
  rmSync(root, { recursive: true, force: true });
  const staging = { release: join(root, 'release'), work: join(root, 'work') };
  for (const folder of Object.values(staging)) mkdirSync(folder, { recursive: true });
  return staging;
}

/** Moves the finished release to its place, removes what is left of the staging folder, and switches to it. */
export function publish(out: string, release: string): void {
  const root = stagingPath(out, release);
  renameSync(join(root, 'release'), join(out, releasePath(release)));
  rmSync(root, { recursive: true, force: true });
  const hosted = readCurrent(out)?.hosted ?? [];
  writeCurrent(out, { release, hosted: [...new Set([...hosted, release])].sort() });
}

/** Removes the staging folder of a build that failed. */
export function dropStaging(out: string, release: string): void {
  rmSync(stagingPath(out, release), { recursive: true, force: true });
}

/** The pointer, or undefined before the first release. */
export function readCurrent(out: string): Current | undefined {
  const file = join(out, CURRENT_PATH);
  return existsSync(file) ? currentFromJson(readFileSync(file, 'utf8'), file) : undefined;
}

function writeCurrent(out: string, current: Current): void {
  const file = join(out, CURRENT_PATH);
  const temporary = `${file}.new`;
  writeFileSync(temporary, currentToJson(current));
  renameSync(temporary, file);
}

// Hidden, so that no release id (which begins with a letter or digit) can name it.
function stagingPath(out: string, release: string): string {
  return join(out, RELEASES_PATH, `.${release}.staging`);
}
