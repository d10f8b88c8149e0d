// The output of `serve --dev`: a link to the explorer with a token, and three commands to paste into a POSIX shell.
import type { Level } from '../../format/levels.ts';
import { levelName } from '../../format/levels.ts';
import type { LoadedRelease } from '../data/loaded-release.ts';

/** Spain: part of the sample and of GADM, with units at lower levels. */
const EXAMPLE_GID = 'ESP';

/**
 * The banner.
 * @param url where the server listens, without a slash at the end
 */
export async function devBanner(
  url: string,
  token: string,
  release: LoadedRelease,
  hasExplorer: boolean,
): Promise<string> {
  const first = firstLevelWithFeatures(release, 0);
  const pageUrl = `${url}/api/v1/geojsonl/${levelName(first)}?page-size=3`;
  const get = 'curl -s --compressed -H "Authorization: Bearer $TOKEN"';
  const link = `sed -n 's/^[Ll]ink: <\\(.*\\)>.*/\\1/p'`;
  // A fragment is not sent to the server. The browser's history keeps it: this is a development token of this machine.
  const explorer = hasExplorer ? `\n\nOpen this link in a browser:\n${url}/#token=${token}` : '';
  return `
Boundaries API, release ${release.id}: ${url}${explorer}

DEVELOPMENT KEY: anyone who can read this folder can sign tokens. Use it on this machine only, never in a deployment.

For the shell, paste this line first (the token is valid for 24 hours):
TOKEN=${token}

First page:
${get} '${pageUrl}'

Filtered page:
${get} '${url}/api/v1/geojsonl/${await filteredQuery(release)}'

Next page:
NEXT=$(${get} -o /dev/null -D - '${pageUrl}' | ${link}); ${get} "$NEXT"
`;
}

/** Level and query of a filtered page; the page is not empty if the release has such a page. */
async function filteredQuery(release: LoadedRelease): Promise<string> {
  const level = firstLevelWithFeatures(release, 1);
  const [countries] = (release.get(level) ?? (await release.load(level))).index.columns;
  const hasExample = countries === undefined || countries.size === 0 || countries.find(EXAMPLE_GID) !== -1;
  const gid = hasExample ? EXAMPLE_GID : countries.gidAt(0);
  // encodeURIComponent does not encode the apostrophe, which would end the shell's quotes.
  return `${levelName(level)}?gid-0=${encodeURIComponent(gid).replaceAll("'", '%27')}`;
}

/** The first level with features, from `from` on; level 0 if there is none. */
function firstLevelWithFeatures({ summaries }: LoadedRelease, from: Level): Level {
  return summaries.find(({ level, features }) => level >= from && features > 0)?.level ?? 0;
}
