// What `serve --dev` shows: a token and three commands that can be pasted as they are.
import type { Level } from '../../format/levels.ts';
import { LEVELS, levelName } from '../../format/levels.ts';
import type { LoadedRelease } from '../origin/releases.ts';

/** Spain: the sample and GADM both have it, and units below it. */
const FAMILIAR_GID = 'ESP';

/**
 * The text, for a POSIX shell.
 * @param url where the server listens, without a slash at the end
 */
export function greetingOf(url: string, token: string, release: LoadedRelease, hasExplorer: boolean): string {
  const first = LEVELS.find((level) => release.levels[level].manifest.features > 0) ?? 0;
  const pageUrl = `${url}/api/v1/geojsonl/${levelName(first)}?page-size=3`;
  const get = 'curl -s --compressed -H "Authorization: Bearer $TOKEN"';
  const link = `sed -n 's/^[Ll]ink: <\\(.*\\)>.*/\\1/p'`;
  return `
Boundaries API, release ${release.id}: ${url}${hasExplorer ? `\n\nOn a map, with the token below: ${url}/` : ''}

DEVELOPMENT KEY: whoever can read this clone can sign tokens. For this machine only, never for a deployment.

A token, good for 24 hours; paste it first:
TOKEN=${token}

A first page:
${get} '${pageUrl}'

A filtered page:
${get} '${url}/api/v1/geojsonl/${filteredQuery(release)}'

Following next:
NEXT=$(${get} -o /dev/null -D - '${pageUrl}' | ${link}); ${get} "$NEXT"
`;
}

/** Level and filter of a page that is not empty, where the release has any. */
function filteredQuery(release: LoadedRelease): string {
  const level: Level = LEVELS.find((n) => n > 0 && release.levels[n].manifest.features > 0) ?? 0;
  const column = release.levels[level].manifest.columns[0];
  const gid = column?.find(FAMILIAR_GID) !== undefined ? FAMILIAR_GID : (column?.gids[0] ?? FAMILIAR_GID);
  // encodeURIComponent leaves the apostrophe, which would end the shell's quotes.
  return `${levelName(level)}?gid-0=${encodeURIComponent(gid).replaceAll("'", '%27')}`;
}
