// Whole files of the current release: the names of each level.
import { elementAt } from '../../../format/element-at.ts';
import { namesPath, releasePath } from '../../../format/layout.ts';
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import type { Answer, Representation } from '../../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, MATCHED } from '../../bodies/headers.ts';
import { FILE_TAG_CHARS, storedFile } from '../../bodies/stored-file.ts';
import { API_PATH } from '../../http/request.ts';

/** A path that returns a whole file of the current release. It has no parameters. */
export interface FileEndpoint {
  path: string;
  mediaType: string;
  /** The level whose names the file has. */
  level: Level;
  /** What a request with parameters is told instead. */
  allowed: string;
}

/** The endpoints that return files. */
export const FILE_ENDPOINTS: readonly FileEndpoint[] = LEVELS.map((level) => ({
  path: `${API_PATH}/names/${levelName(level)}`,
  mediaType: 'application/x-ndjson',
  level,
  allowed: `none: this is all of ${levelName(level)}. Some of its units: ${API_PATH}/geojsonl/${levelName(level)}?gid-0=<GID>&geometry=none`,
}));

/** The answer with a file. Reading its body throws OriginError if its bytes do not match release.json. */
export function answerFile({ path, level }: FileEndpoint, fixed: FixedHeaders, representation: Representation): Answer {
  const { id, summaries } = representation.release;
  const { names, features } = elementAt(summaries, level);
  const file = storedFile(`${releasePath(id)}/${namesPath(level)}`, names.bytes, names.sha256.slice(0, FILE_TAG_CHARS));
  return codedAnswer(fixed, representation, file, names, path, [MATCHED, String(features)]);
}
