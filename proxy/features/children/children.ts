// The answer with a unit, its parents and its children, a page at a time.
import { LEVELS, type Level, levelName } from '../../../format/levels.ts';
import type { Answer, HeaderList } from '../../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, fixedHeaders } from '../../bodies/headers.ts';
import type { Row, Sources, View } from '../../bodies/row.ts';
import { resultInTurns } from '../../data/known.ts';
import type { LoadedLevel, LoadedRelease } from '../../data/loaded-release.ts';
import { Loads, loadEach, together, withLoaded } from '../../data/loads.ts';
import { Problem, quote } from '../../http/problem.ts';
import type { Query } from '../../query/parameter.ts';
import { parseQuery, queryRules, urlOf } from '../../query/parse.ts';
import { type FindSuccessors, successorLink } from '../changes/successors.ts';
import { type Language, type Languages, loadNames } from '../names/languages.ts';
import { GIDS, type UnitNames } from '../names/level-names.ts';
import { type LevelTypes, TYPES } from '../names/level-types.ts';
import { matchedAnd } from '../pages/next-link.ts';
import { firstRank } from '../pages/resolve.ts';
import { levelsWithUnits, refuseTooLarge } from '../places/units.ts';
import { makingPage } from './children-page.ts';
import {
  CHILDREN_ENDPOINT,
  CHILDREN_MAX,
  CHILDREN_SIZE,
  CHILDREN_START,
  GID,
  refuseOtherStart,
  UNIT_LEVEL,
} from './children-path.ts';
import { type Family, findFamily, type Place, parentsOf } from './find-children.ts';
import { type LevelRows, RowsParts } from './level-rows.ts';

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
  parts: RowsParts;
  isPinned: boolean;
  loads: Loads;
}

/** The row of the path. */
export function childrenRow(languages: Languages, successors: FindSuccessors): Row {
  const parts = new RowsParts();
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
      const isPinned = cursor !== undefined;
      const asked = { ...view, query, fixed, release, levels, language, parts, isPinned, loads };
      const gid = GID.of(query);
      const family = findFamily(levels, gid, UNIT_LEVEL.of(query));
      if (family !== undefined) return answerFamily(asked, family);
      throw unknownGid(gid ?? '', UNIT_LEVEL.of(query), await hintsOf(asked, gid ?? '', successors, sources));
    },
  };
}

/** @throws Problem bad-cursor, OriginError, FormatError */
async function answerFamily(asked: Asked, family: Family): Promise<Answer> {
  const { query, fixed, release, levels, language, parts, isPinned, base, coding, loads } = asked;
  const { place, children } = family;
  const start = CHILDREN_START.of(query);
  refuseOtherStart(start, children?.of.index.level);
  const above = levels.filter(({ index }) => index.level < (place?.level ?? 0));
  const own = place?.unit?.of ?? children?.of;
  const rowsOf = (of: LoadedLevel | undefined) => of && loads.part(of, parts.of(of, language));
  const [known, gids, ownRows, rows] = await together(
    loadEach(above, (level) => loadKnown(level, language, loads)),
    own && loads.part(own, GIDS),
    rowsOf(place?.unit?.of),
    rowsOf(children?.of),
  );
  const parents = parentsOf(levels, family, (position, level) => gids?.gidAt(position, level));
  const before = {
    unit: place === undefined ? null : unitIn(place, ownRows),
    parents: parents.map((one) => called(one, one.unit && known[above.indexOf(one.unit.of)])),
    level: children === undefined ? null : levelName(children.of.index.level),
  };
  const first = children === undefined ? 0 : firstRank(children.of.index, children.positions, start);
  const count = children?.positions.count ?? 0;
  const size = Math.min(CHILDREN_SIZE.of(query) ?? CHILDREN_MAX, CHILDREN_MAX, count - first);
  const found = rows && children && { rows, ranges: children.positions.slice(first, size) };
  const page = await resultInTurns(makingPage(`${JSON.stringify(before).slice(0, -1)},"children":[\n`, found), loads);
  let next: string | undefined;
  if (children !== undefined && first + page.count < count) {
    const cursor = children.of.cursors.write(children.positions.at(first + page.count));
    next = urlOf(base + CHILDREN_ENDPOINT.path, query, cursor);
  }
  const path = `${release.id}: ${CHILDREN_ENDPOINT.path}`;
  return codedAnswer(fixed, { release, base, coding, isPinned }, page, page, path, matchedAnd({ count }, next));
}

/** What the units of a level are called and what they are. */
interface KnownLevel {
  names: UnitNames;
  types: LevelTypes;
}

/** What is asked of a level together is made in one pass over its names. */
function loadKnown(level: LoadedLevel, language: Language | undefined, loads: Loads) {
  const parts = together(loadNames(level, language, loads), loads.part(level, TYPES));
  return withLoaded(parts, ([names, types]): KnownLevel => ({ names, types }));
}

/** What is known of a unit that only units below have as their parent. */
const NOTHING = { name: null, type: null, fid: null, children: null, inside: null, area: null, view: null };

/** The unit as the answer has it: as the list of its siblings does, with its level. @param rows of its level */
function unitIn({ gid, level, unit }: Place, rows: LevelRows | undefined) {
  const row: object = unit && rows ? JSON.parse(rows.textAt(unit.position)) : {};
  const { name, type, ...others } = { ...NOTHING, ...row };
  return { gid, name, type, level: levelName(level), ...others };
}

/** A parent as the answer has it. @param known its level; undefined if it is of no unit */
function called({ gid, level, unit }: Place, known: KnownLevel | undefined) {
  const isKnown = unit !== undefined && known !== undefined;
  const name: unknown = isKnown ? JSON.parse(known.names.nameAt(unit.position).toString()) : null;
  return { gid, name, type: isKnown ? known.types.typeAt(unit.position) : null, level: levelName(level) };
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
  const withGid = (text: string, given = query.given): string => {
    const other = given.map((one) => (one.parameter === GID ? { ...one, text } : one));
    return urlOf(url, { given: other }, undefined);
  };
  const capitals = gid.toUpperCase();
  if (findFamily(levels, capitals, level) !== undefined) return [`<${withGid(capitals)}>; rel="alternate"`];
  // Another level may have units with the same GIDs.
  const others = query.given.filter(({ parameter }) => parameter !== UNIT_LEVEL);
  // What began with a release goes on with it, whatever came after it.
  for (const of of isPinned ? [] : levels) {
    if (level !== undefined && of.index.level !== level) continue;
    const found = await successors(gid, of, loads, releases);
    const on = `&${UNIT_LEVEL.name}=${levelName(of.index.level)}`;
    if (found.length > 0) return found.map((one) => successorLink(withGid(one, others) + on));
  }
  return [];
}

/** @param level the only one on which it was looked for */
function unknownGid(gid: string, level: Level | undefined, links: HeaderList): Problem {
  const unit = level === undefined ? 'unit' : `unit of ${levelName(level)}`;
  const detail = `No ${unit} has the GID ${quote(gid)}${links.length > 0 ? ': see Link' : ''}. GIDs are compared exactly.`;
  return new Problem('unknown-gid', detail, links.length > 0 ? { Link: links.join(', ') } : {});
}
