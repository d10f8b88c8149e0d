// The answers with whole files of the current release: the overview, and the names of a level. Used by rows.ts.
import { elementAt } from '../../format/element-at.ts';
import { namesPath, OVERVIEW_FILE, releasePath } from '../../format/layout.ts';
import type { Answer, Basis } from '../bodies/answer.ts';
import { StoredFile } from '../bodies/stored-file.ts';
import type { FileEndpoint } from './endpoints.ts';
import { codedAnswer, type FixedHeaders, MATCHED } from './headers.ts';

/** 64 bits of SHA-256 in hex, as the index has them of pages. */
const TAG_CHARS = 16;

/** The answer with a file. Reading its body throws OriginError if its bytes do not match release.json. */
export function answerFile({ path, level }: FileEndpoint, fixed: FixedHeaders, basis: Basis): Answer {
  const { id, summaries, overview } = basis.release;
  const summary = level === undefined ? undefined : elementAt(summaries, level);
  const text = summary?.names ?? overview;
  const name = summary === undefined ? OVERVIEW_FILE : namesPath(summary.level);
  const file = new StoredFile(`${releasePath(id)}/${name}`, text.bytes, text.sha256.slice(0, TAG_CHARS));
  const matched = summary === undefined ? [] : [MATCHED, String(summary.features)];
  return codedAnswer(fixed, basis, file, text, path, matched);
}
