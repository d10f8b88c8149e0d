// The body of answers with units of all levels: one FeatureCollection that says the level, GID and name of each. Used
// by at.ts and by a search.
import { FRAME_DATA, storedBlock } from '../../../format/gzip.ts';
import type { Geometry, Level } from '../../../format/levels.ts';
import { GEOMETRIES, levelName } from '../../../format/levels.ts';
import type { Answer, HeaderList } from '../../bodies/answer.ts';
import { codedAnswer, type FixedHeaders } from '../../bodies/headers.ts';
import type { View } from '../../bodies/row.ts';
import { Slice } from '../../bodies/slice.ts';
import type { LoadedRelease, LoadedTable } from '../../data/release.ts';
import type { HttpRequest } from '../../http/request.ts';
import { GEOMETRY, type Parameter, type Query } from '../../query/parameter.ts';
import type { LevelNames } from './level-names.ts';

/** A request for units of all levels, by a point or by their names. */
export interface AskedUnits extends View {
  path: string;
  request: HttpRequest;
  query: Query;
  fixed: FixedHeaders;
}

/** A unit: a feature of a level, with the geometry that its table is of. */
export interface Unit {
  source: LoadedTable;
  names: LevelNames;
  position: number;
}

/** Their geometry, as of pages, but for that which they have if it is not asked for. */
export function unitsGeometry(component: string, description: string): Parameter<string> {
  const none: Geometry = 'none';
  const schema = { type: 'string', enum: GEOMETRIES, default: none };
  return GEOMETRY.as({ document: () => ({ component, description, schema, example: none }) });
}

/**
 * The answer with units.
 * @param units in the order of the body
 * @param more further headers
 */
export function answerUnits(
  { path, fixed, base, coding }: AskedUnits,
  release: LoadedRelease,
  units: readonly Unit[],
  more: HeaderList,
): Answer {
  const levels = JSON.stringify(units.map(({ source }) => levelName(source.table.level)));
  const gids = JSON.stringify(units.map(({ names, position }) => names.gidAt(position)));
  const own = units.map(({ names, position }) => names.nameAt(position)).join();
  const after = storedBlock(`],"levels":${levels},"gids":${gids},"names":[${own}]}\n`);
  const slice = new Slice(
    units.map(({ source }) => source),
    { ...FRAME_DATA.fc, after },
    `${after.crc.toString(36)}-units`,
    units.flatMap(({ position }) => [position, position + 1]),
  );
  return codedAnswer(fixed, { release, base, coding, isPinned: false }, slice, slice, path, more);
}

/** The levels of a release that have units. */
export function levelsWithUnits({ summaries }: LoadedRelease, levels: readonly Level[]): readonly Level[] {
  return levels.filter((level) => (summaries[level]?.features ?? 0) > 0);
}
