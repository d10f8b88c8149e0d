// What to do about a release of another version of the format: the same words, with commands to type, wherever one is
// met.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_FILE, releasePath, SIGNATURE_ENDING } from '../layout.ts';
import { type RecordedBuild, recordedBuildFrom } from '../recorded-build.ts';
import { FORMAT_VERSION } from '../version.ts';
import type { FormatVersionError } from '../versioned-json.ts';
import { GENERATOR, PROXY, shellWord } from './messages.ts';

/** What is added to the name of the output folder for the new one. */
const NEW_FOLDER = '-new';
/** The file that the documents sign with. */
const SIGNING_KEY = 'private.pem';
/** Names of files of a source that a command lists at most. */
const SOURCE_MAX = 8;
/** The file that `build --sample` builds from. */
const SAMPLE_FILE = 'sample.gpkg';

/**
 * The remedy: of an older release the two commands that build it again, with its options, and serve it.
 * @param error of its release.json, or of the current.json that names it
 * @param out the output folder; undefined if it is on another machine
 * @param mustBeSigned are only signed releases served? Where the folder is known, its signature decides, too
 */
export function upgradeRemedy(
  { version, release = 'ID' }: FormatVersionError,
  out?: string,
  mustBeSigned = false,
): string {
  if (version > FORMAT_VERSION) return 'it was built by a later version of this program: install that, or a newer one';
  const folder = out ?? 'output';
  const next = `${folder.replace(/[/\\]+$/, '')}${NEW_FOLDER}`;
  const like = join(folder, releasePath(release));
  const isSigned = mustBeSigned || existsSync(join(like, `${RELEASE_FILE}${SIGNATURE_ENDING}`));
  const signing = isSigned ? ['--sign-key', SIGNING_KEY] : [];
  const { source: files = [], date } = recordedIn(like) ?? {};
  const source = sourceArguments(files);
  const dated = date === undefined ? [] : ['--date', date];
  const options = ['--like', like, '--release', release, ...dated, '--out', next, ...signing];
  const [build, serve] = [
    [...GENERATOR, 'build', ...source, ...options],
    [...PROXY, 'serve', '--origin', next],
  ].map((words) => words.map(shellWord).join(' '));
  const where = out === undefined ? ' where it was built, upload that' : '';
  const isFile = source.some((word) => !/^(--|[A-Za-z]+:|FILE$)/.test(word));
  const path = isFile ? '; write the path of the source where it is elsewhere' : '';
  return `build it again into another folder${where}, and serve the new one with the options of the old one${path}: 1. ${build}  2. ${serve}`;
}

/** The arguments that name the source, as far as release.json does. */
function sourceArguments(files: RecordedBuild['source']): string[] {
  const names = [...new Set(files.map(({ name }) => (/^[A-Za-z]+:/.test(name) ? name : name.replace(/\/.*$/, ''))))];
  if (names.join() === SAMPLE_FILE) return ['--sample'];
  return ['--source', ...(names.length === 0 || names.length > SOURCE_MAX ? ['FILE'] : names)];
}

/** How a release of any version was built; undefined if it is not there, or does not say so. */
function recordedIn(folder: string): RecordedBuild | undefined {
  try {
    const file = join(folder, RELEASE_FILE);
    return recordedBuildFrom(readFileSync(file, 'utf8'), file);
  } catch {
    return undefined;
  }
}
