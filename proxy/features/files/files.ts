// Whole files of the current release: the overview, and the names of a level. Used by rows.ts.
import { elementAt } from '../../../format/element-at.ts';
import { namesPath, OVERVIEW_FILE, releasePath } from '../../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import type { Answer, Representation } from '../../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, MATCHED } from '../../bodies/headers.ts';
import { StoredFile, TAG_CHARS } from '../../bodies/stored-file.ts';
import { API_PATH } from '../../http/request.ts';

/** A path that returns a whole file of the current release. It has no parameters. */
export interface FileEndpoint {
  path: string;
  mediaType: string;
  /** The level whose names the file has; undefined for the overview. */
  level: Level | undefined;
}

/** The endpoints that return files. */
export const FILE_ENDPOINTS: readonly FileEndpoint[] = [
  { path: `${API_PATH}/overview`, mediaType: 'application/json', level: undefined },
  ...LEVELS.map((level): FileEndpoint => {
    return { path: `${API_PATH}/names/${levelName(level)}`, mediaType: 'application/x-ndjson', level };
  }),
];

/** The answer with a file. Reading its body throws OriginError if its bytes do not match release.json. */
export function answerFile({ path, level }: FileEndpoint, fixed: FixedHeaders, representation: Representation): Answer {
  const { id, summaries, overview } = representation.release;
  const summary = level === undefined ? undefined : elementAt(summaries, level);
  const text = summary?.names ?? overview;
  const name = summary === undefined ? OVERVIEW_FILE : namesPath(summary.level);
  const file = new StoredFile(`${releasePath(id)}/${name}`, text.bytes, text.sha256.slice(0, TAG_CHARS));
  const matched = summary === undefined ? [] : [MATCHED, String(summary.features)];
  return codedAnswer(fixed, representation, file, text, path, matched);
}
