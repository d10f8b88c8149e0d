// Problems in the data of a release, as release.json has them.
import { LEVELS, type Level } from './levels.ts';
import { FormatError, type JsonObject, listIn, numberIn, objectFrom, textIn, textsIn } from './parse.ts';

/** A kind of problem in the data of a level, with the number of cases. */
export interface Finding {
  level: Level;
  /** A stable name, e.g. `empty-geometries`. */
  kind: string;
  count: number;
  /** Where the first one is, for people. */
  example: string;
  /** The GIDs of the units, where they have no shape or another one than in the source: the first 100. */
  units?: readonly string[] | undefined;
  /** The pairs of units that overlap, by their GIDs: the 100 with the most area in common, the largest first. */
  pairs?: readonly OverlappingPair[] | undefined;
}

/** Two units that have an area in common. */
export interface OverlappingPair {
  gids: readonly string[];
  km2: number;
}

/** The member as a list of findings. */
export function findingsIn(json: JsonObject, member: string, where: string): Finding[] {
  return listIn(json, member, where).map((entry, i) => findingFrom(entry, `${where} ${member}[${i}]`));
}

function findingFrom(entry: unknown, where: string): Finding {
  const json = objectFrom(entry, where);
  const level = LEVELS.find((n) => n === json['level']);
  if (level === undefined) throw new FormatError(where, `level is ${JSON.stringify(json['level'])}`);
  return {
    level,
    kind: textIn(json, 'kind', where),
    count: numberIn(json, 'count', where),
    example: textIn(json, 'example', where),
    ...(json['units'] !== undefined && { units: textsIn(json, 'units', where) }),
    ...(json['pairs'] !== undefined && {
      pairs: listIn(json, 'pairs', where).map((pair, i) => overlappingPairFrom(pair, `${where} pairs[${i}]`)),
    }),
  };
}

function overlappingPairFrom(entry: unknown, where: string): OverlappingPair {
  const json = objectFrom(entry, where);
  const gids = textsIn(json, 'gids', where);
  if (gids.length !== 2) throw new FormatError(where, `${gids.length} gids, expected 2`);
  const { km2 } = json;
  if (typeof km2 !== 'number' || km2 < 0)
    throw new FormatError(where, `km2 is ${JSON.stringify(km2)}, expected a number`);
  return { gids, km2 };
}
