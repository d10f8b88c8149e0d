// The body of answers with units of all levels: one FeatureCollection that says the level, GID and name of each.
import { elementAt } from '../../../format/element-at.ts';
import { type DeflatedText, FRAME_DATA, storingBlocks } from '../../../format/gzip.ts';
import type { Geometry, Level } from '../../../format/levels.ts';
import { GEOMETRIES, levelName } from '../../../format/levels.ts';
import type { Steps } from '../../../format/steps.ts';
import type { Answer, HeaderList } from '../../bodies/answer.ts';
import { codedAnswer, type FixedHeaders, fixedHeaders } from '../../bodies/headers.ts';
import type { Row, Sources, View } from '../../bodies/row.ts';
import { Slice } from '../../bodies/slice.ts';
import { resultInTurns } from '../../data/known.ts';
import type { LoadedRelease, LoadedTable } from '../../data/loaded-release.ts';
import type { Loads } from '../../data/loads.ts';
import { Problem } from '../../http/problem.ts';
import type { HttpRequest } from '../../http/request.ts';
import { GEOMETRY, type Parameter, type Query } from '../../query/parameter.ts';
import { parseQuery, queryRules } from '../../query/parse.ts';
import { JoinedJson } from '../names/joined-json.ts';
import type { Languages } from '../names/languages.ts';
import type { UnitNames } from '../names/level-names.ts';

/** A request for units of all levels, by a point or by their names. */
export interface AskedUnits extends View {
  path: string;
  request: HttpRequest;
  query: Query;
  fixed: FixedHeaders;
  languages: Languages;
}

/** The row of a path with units of all levels. @param keepsOrder do links have parameters in the order of the request? */
export function unitsRow(
  { path, mediaType, parameters }: { path: string; mediaType: string; parameters: readonly Parameter<unknown>[] },
  languages: Languages,
  answer: (sources: Sources, asked: AskedUnits) => Promise<Answer>,
  keepsOrder = false,
): Row {
  const headers = fixedHeaders(mediaType);
  const rules = { ...queryRules(5, parameters), keepsOrder };
  return {
    path,
    answer(sources, request, view) {
      const query = parseQuery(request.query, rules);
      return answer(sources, { path, request, query, fixed: headers[sources.audience], languages, ...view });
    },
  };
}

/** A unit: a feature of a level, with the geometry that its table is of. */
export interface Unit {
  source: LoadedTable;
  names: UnitNames;
  position: number;
}

/** Their geometry, as of pages, but for that which they have if it is not asked for. */
export function unitsGeometry(component: string, description: string): Parameter<string> {
  const none: Geometry = 'none';
  const schema = { type: 'string', enum: GEOMETRIES, default: none };
  return GEOMETRY.as({ document: () => ({ component, description, schema, example: none }) });
}

/** Units of which a member is written in a step: some 100 microseconds. */
const STEP_UNITS = 64;
const MEGABYTE = 1e6;

/** A member behind the features: a list with what it says of each unit. */
export interface UnitsMember<Own extends Unit = Unit> {
  name: string;
  /** Adds what it says of a unit. */
  add(json: JoinedJson, unit: Own): void;
}

/** Those that every answer has. */
const MEMBERS: readonly UnitsMember[] = [
  { name: 'levels', add: (json, { source }) => json.ascii(`"${levelName(source.table.level)}"`) },
  { name: 'gids', add: (json, { names, position }) => names.gids.addGid(json, position) },
  { name: 'names', add: (json, { names, position }) => names.addName(json, position) },
];

/**
 * The answer with units.
 * @param units in the order of the body
 * @param more further headers
 * @param members further members of the body
 */
export async function answerUnits<Own extends Unit>(
  { path, fixed, base, coding }: AskedUnits,
  release: LoadedRelease,
  units: readonly Own[],
  loads: Loads,
  more: HeaderList,
  members: readonly UnitsMember<Own>[] = [],
): Promise<Answer> {
  // They may be many, or their names long.
  const after = await resultInTurns(endingOf(units, [...MEMBERS, ...members]), loads);
  const { before, format } = FRAME_DATA.fc;
  const ranges: number[] = [];
  for (const { position } of units) ranges.push(position, position + 1);
  const sources = units.map(({ source }) => source);
  const slice = new Slice(sources, { before, format, after }, `${after.crc.toString(36)}-units`, ranges);
  return codedAnswer(fixed, { release, base, coding, isPinned: false }, slice, slice, path, more);
}

/** What is behind the features. */
function* endingOf<Own extends Unit>(units: readonly Own[], members: readonly UnitsMember<Own>[]): Steps<DeflatedText> {
  const json = new JoinedJson();
  for (const { name, add } of members) {
    json.ascii(`],"${name}":[`);
    for (let i = 0; i < units.length; i++) {
      if (i > 0 && i % STEP_UNITS === 0) yield;
      if (i > 0) json.ascii(',');
      add(json, elementAt(units, i));
    }
  }
  json.ascii(']}\n');
  return yield* storingBlocks([json.bytes]);
}

/**
 * Refuses to read the tables of all levels where memory is little and a release has larger ones: each such answer would
 * read them again. By the release alone, so that no two answers take the place of each other's tables.
 * @throws Problem release-too-large
 */
export function refuseTooLarge({ room, summaries }: LoadedRelease, geometry: Geometry): void {
  if (room === undefined) return;
  const bytes = summaries.reduce((sum, { index, words, names, cells, geometries }) => {
    const table = geometry === 'full' ? undefined : geometries[geometry]?.index;
    return sum + index.bytes + words.bytes + names.bytes + (cells?.directory.bytes ?? 0) + (table?.bytes ?? 0);
  }, 0);
  if (bytes <= room) return;
  const [needed, most] = [Math.ceil(bytes / MEGABYTE), Math.floor(room / MEGABYTE)];
  throw new Problem(
    'release-too-large',
    `The tables of all levels take ${needed} MB, and this service has room for ${most} MB. Ask for pages of a level.`,
  );
}

/** The levels of a release that have units. */
export function levelsWithUnits({ summaries }: LoadedRelease, levels: readonly Level[]): readonly Level[] {
  return levels.filter((level) => (summaries[level]?.features ?? 0) > 0);
}
