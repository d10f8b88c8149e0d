// What became of the units between two releases: the pairs that are published, and the file of each.
import { changesName, changesPath } from '../../../format/changes.ts';
import { changesIn } from '../../../format/current-json.ts';
import { CURRENT_PATH } from '../../../format/layout.ts';
import type { JsonObject } from '../../../format/parse.ts';
import { type Answer, type Representation, tagOf } from '../../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, fixedHeaders } from '../../bodies/headers.ts';
import type { Row, Sources } from '../../bodies/row.ts';
import { FILE_TAG_CHARS, storedFile } from '../../bodies/stored-file.ts';
import { textAnswer } from '../../bodies/text-answer.ts';
import { Problem } from '../../http/problem.ts';
import { API_PATH } from '../../http/request.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';

/** The path that lists the pairs. */
export const CHANGES_ENDPOINT = { path: `${API_PATH}/changes`, mediaType: 'application/json' } as const;

/** The beginning of the path of each pair, which goes on with its name and the ending. */
export const CHANGES_FILES = { path: `${CHANGES_ENDPOINT.path}/`, mediaType: 'text/csv; charset=utf-8' } as const;
const ENDING = '.csv';

const HEADERS = fixedHeaders(CHANGES_FILES.mediaType);
const RULES = queryRules(0, []);

/** What current.json says of changes. @throws FormatError */
export function publishedIn(members: JsonObject): ReturnType<typeof changesIn> {
  return changesIn(members, CURRENT_PATH);
}

/** The answer with the list. The response cache does not keep it: pairs are published without a new release. */
export function answerChanges(
  _endpoint: typeof CHANGES_ENDPOINT,
  fixed: FixedHeaders,
  representation: Representation,
  { releases }: Sources,
): Answer {
  const changes = (publishedIn(releases.members).changes ?? []).map(({ from, to, counts }) => {
    return { from, to, counts, href: `${representation.base}${CHANGES_FILES.path}${changesName(from, to)}${ENDING}` };
  });
  const text = `${JSON.stringify({ changes })}\n`;
  return { ...textAnswer(fixed, representation, tagOf(text), text), representation: undefined };
}

/** The row of the files: the CSV of a pair. Reading its body throws OriginError if its bytes are not those listed. */
export const CHANGES_FILES_ROW: Row = {
  path: CHANGES_FILES.path,
  answer({ releases, audience }, request, { base, coding }) {
    const { path, query } = request;
    parseQuery(query, RULES);
    const release = releases.requireCurrent();
    const { members } = releases;
    const { id, digest } = release;
    request.source = { release: { id, digest }, isPinned: false, members };
    const name = path.slice(CHANGES_FILES.path.length);
    const pair = publishedIn(members).changes?.find(({ from, to }) => name === `${changesName(from, to)}${ENDING}`);
    if (pair === undefined)
      throw new Problem('not-found', `No such changes are published. ${CHANGES_ENDPOINT.path} lists those that are.`);
    const file = storedFile(changesPath(pair.from, pair.to), pair.bytes, pair.sha256.slice(0, FILE_TAG_CHARS));
    const representation = { release, base, coding, isPinned: false };
    return {
      ...codedAnswer(HEADERS[audience], representation, file, pair, CHANGES_FILES.path, []),
      representation: undefined,
    };
  },
};
