// The answer with a unit, its parents and its children, a page at a time.
import { LEVELS, levelName } from '../../../format/levels.ts';
import type { Answer, HeaderList } from '../../bodies/answer.ts';
import { type FixedHeaders, fixedHeaders } from '../../bodies/headers.ts';
import type { Row, Sources, View } from '../../bodies/row.ts';
import { resultInTurns } from '../../data/known.ts';
import type { LoadedLevel, LoadedRelease } from '../../data/loaded-release.ts';
import { Loads, loadEach, together, withLoaded } from '../../data/loads.ts';
import { Problem, quote } from '../../http/problem.ts';
import type { Query } from '../../query/parameter.ts';
import { parseQuery, queryRules, urlOf } from '../../query/parse.ts';
import { type FindSuccessors, successorLink } from '../changes/successors.ts';
import { type Language, type Languages, loadNames } from '../names/languages.ts';
import { CODES, hasCodes } from '../names/level-codes.ts';
import { TREE } from '../names/level-tree.ts';
import { matchedAnd } from '../pages/next-link.ts';
import { firstRank } from '../pages/resolve.ts';
import { levelsWithUnits, refuseTooLarge } from '../places/units.ts';
import {
  CHILDREN_ENDPOINT,
  CHILDREN_MAX,
  CHILDREN_SIZE,
  CHILDREN_START,
  GID,
  refuseOtherStart,
  UNIT_LEVEL,
} from './children-path.ts';
import { deflatedAnswer } from './deflated-text.ts';
import { type Family, findFamily, type Place, parentsOf } from './find-children.ts';
import { joiningPage, type KnownLevel, PAGES, type PageRows, placeText } from './page-text.ts';

const HEADERS = fixedHeaders(CHILDREN_ENDPOINT.mediaType);
const RULES = queryRules(0, CHILDREN_ENDPOINT.parameters);

/** A request, and what it is answered from. */
interface Asked extends View {
  query: Query;
  fixed: FixedHeaders;
  release: LoadedRelease;
  /** Those that have units, ascending. */
  levels: readonly LoadedLevel[];
  language: Language | undefined;
  isPinned: boolean;
  loads: Loads;
}

/** The row of the path. */
export function childrenRow(languages: Languages, successors: FindSuccessors): Row {
  return {
    path: CHILDREN_ENDPOINT.path,
    async answer(sources, request, view) {
      const query = parseQuery(request.query, RULES);
      const cursor = CHILDREN_START.of(query)?.cursor;
      const loads = new Loads(sources, request);
      const release = await loads.release(sources.releases, cursor);
      const language = languages.asked(query, release);
      refuseTooLarge(release, 'full');
      const levels = await loadEach(levelsWithUnits(release, LEVELS), (level) => loads.level(release, level));
      const fixed = HEADERS[sources.audience];
      const asked = { ...view, query, fixed, release, levels, language, isPinned: cursor !== undefined, loads };
      const gid = GID.of(query);
      const family = findFamily(levels, gid, UNIT_LEVEL.of(query));
      if (family !== undefined) return answerFamily(asked, family);
      throw unknownGid(gid ?? '', await hintsOf(asked, gid ?? '', successors, sources));
    },
  };
}

/** @throws Problem bad-cursor, OriginError, FormatError */
async function answerFamily(asked: Asked, family: Family): Promise<Answer> {
  const { query, fixed, release, levels, language, isPinned, base, coding, loads } = asked;
  const { place, children } = family;
  const start = CHILDREN_START.of(query);
  refuseOtherStart(start, children?.of.index.level);
  const shown = levels.filter(
    ({ index }) => index.level === children?.of.index.level || index.level <= (place?.level ?? -1),
  );
  const [loaded, pages] = await together(
    loadEach(shown, (level) => loadKnown(level, language, level === children?.of, loads)),
    children && loads.part(children.of, PAGES),
  );
  const known = new Map(shown.map((level, i) => [level, loaded[i]]));
  const text = (one: Place): string => placeText(one, one.unit && known.get(one.unit.of));
  const parents = parentsOf(levels, family, (of, position, level) => known.get(of)?.names.gids.gidAt(position, level));
  const level = children === undefined ? 'null' : `"${levelName(children.of.index.level)}"`;
  const unit = place === undefined ? 'null' : text(place);
  const head = `{"unit":${unit},"parents":[${parents.map(text).join()}],"level":${level},"children":[\n`;
  const rows = rowsOf(asked, family, known);
  const joining = () => joiningPage(head, rows);
  const key = `${rows?.first} ${rows?.size} ${place?.level} ${language?.tag} ${place?.gid}`;
  const page = await (pages?.known.find(key, loads, joining) ?? resultInTurns(joining(), loads));
  const count = children?.positions.count ?? 0;
  let next: string | undefined;
  if (children !== undefined && page.end < count) {
    const cursor = children.of.cursors.write(children.positions.at(page.end));
    next = urlOf(base + CHILDREN_ENDPOINT.path, query, cursor);
  }
  const more = matchedAnd({ count }, next);
  return deflatedAnswer(fixed, { release, base, coding, isPinned }, page.tag, page.text, more);
}

/** What is asked of a level together is made in one pass over its names. */
function loadKnown(
  level: LoadedLevel,
  language: Language | undefined,
  isListed: boolean,
  loads: Loads,
): KnownLevel | Promise<KnownLevel> {
  const parts = together(
    loadNames(level, language, loads),
    loads.part(level, TREE),
    isListed && hasCodes(level.summary) ? loads.part(level, CODES) : undefined,
  );
  return withLoaded(parts, ([names, tree, codes]) => ({ names, tree, codes }));
}

function rowsOf({ query }: Asked, { children }: Family, levels: ReadonlyMap<LoadedLevel, KnownLevel | undefined>) {
  const known = children && levels.get(children.of);
  if (children === undefined || known === undefined) return undefined;
  const { of, positions } = children;
  const first = firstRank(of.index, positions, CHILDREN_START.of(query));
  const size = Math.min(CHILDREN_SIZE.of(query) ?? CHILDREN_MAX, CHILDREN_MAX, positions.count - first);
  const rows: PageRows = { of, known, positions, first, size };
  return rows;
}

/** Where a GID leads that no unit has: to the same in capital letters, and to what took the place of a unit. */
async function hintsOf(
  { query, levels, base, isPinned, loads }: Asked,
  gid: string,
  successors: FindSuccessors,
  { releases }: Sources,
): Promise<string[]> {
  const url = base + CHILDREN_ENDPOINT.path;
  const level = UNIT_LEVEL.of(query);
  const capitals = gid.toUpperCase();
  if (findFamily(levels, capitals, level) !== undefined) {
    const given = query.given.map((one) => (one.parameter === GID ? { ...one, text: capitals } : one));
    return [`<${urlOf(url, { given }, undefined)}>; rel="alternate"`];
  }
  // What began with a release goes on with it, whatever came after it.
  for (const of of isPinned ? [] : levels) {
    if (level !== undefined && of.index.level !== level) continue;
    const found = await successors(gid, of, loads, releases);
    if (found.length > 0) return found.map((one) => successorLink(`${url}?gid=`, one));
  }
  return [];
}

function unknownGid(gid: string, links: HeaderList): Problem {
  const detail = `No unit has the GID ${quote(gid)}${links.length > 0 ? ': see Link' : ''}. GIDs are compared exactly.`;
  return new Problem('unknown-gid', detail, links.length > 0 ? { Link: links.join(', ') } : {});
}
