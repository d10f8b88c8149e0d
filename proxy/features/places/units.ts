// The body of answers with units of all levels: one FeatureCollection that says the level, GID and name of each.
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

/** Units whose level, GID and name are written in a step: some 100 microseconds. */
const STEP_UNITS = 64;
const MEGABYTE = 1e6;
export const COMMA: Buffer = Buffer.from(',');
const [LIST_END, END] = [Buffer.from(']'), Buffer.from('}\n')];

/** A further member behind the features. */
export interface UnitsMember {
  name: string;
  /** Its list as JSON, in parts. */
  json: readonly Buffer[];
}

/**
 * The answer with units.
 * @param units in the order of the body
 * @param more further headers
 * @param members further members of the body
 */
export async function answerUnits(
  { path, fixed, base, coding }: AskedUnits,
  release: LoadedRelease,
  units: readonly Unit[],
  loads: Loads,
  more: HeaderList,
  members: readonly UnitsMember[] = [],
): Promise<Answer> {
  // They may be many, or their names long.
  const after = await resultInTurns(endingOf(units, members), loads);
  const slice = new Slice(
    units.map(({ source }) => source),
    { ...FRAME_DATA.fc, after },
    `${after.crc.toString(36)}-units`,
    units.flatMap(({ position }) => [position, position + 1]),
  );
  return codedAnswer(fixed, { release, base, coding, isPinned: false }, slice, slice, path, more);
}

/** What is behind the features. */
function* endingOf(units: readonly Unit[], members: readonly UnitsMember[]): Steps<DeflatedText> {
  const [levels, gids, names]: [string[], (string | null)[], Buffer[]] = [[], [], []];
  for (const { source, names: known, position } of units) {
    if (levels.length > 0 && levels.length % STEP_UNITS === 0) yield;
    levels.push(levelName(source.table.level));
    gids.push(known.gids.gidAt(position));
    if (names.length > 0) names.push(COMMA);
    names.push(known.nameAt(position));
  }
  const before = `],"levels":${JSON.stringify(levels)},"gids":${JSON.stringify(gids)},"names":[`;
  const further = members.flatMap(({ name, json }) => [Buffer.from(`,"${name}":`), ...json]);
  return yield* storingBlocks([Buffer.from(before), ...names, LIST_END, ...further, END]);
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
