// Units that share a border with a unit: the parameter `touches`, the filter of listings, and what it is answered from.
// Used by rows.ts and the items of OGC API - Features.
import { elementAt } from '../../../format/element-at.ts';
import { neighboursPath } from '../../../format/layout.ts';
import { decodingNeighbours, Neighbours } from '../../../format/neighbours.ts';
import { NO_POSITIONS, positionsIn, positionsOfEach } from '../../../format/positions.ts';
import type { LoadedLevel, Part } from '../../data/release.ts';
import { Problem } from '../../http/problem.ts';
import { Parameter } from '../../query/parameter.ts';
import { inTurns } from '../../work/in-turns.ts';
import type { ListingFilter } from '../pages/listing.ts';

/** The GID of the unit that the features share a border with. */
export const TOUCHES: Parameter<string> = new Parameter({
  name: 'touches',
  order: 7.5,
  rule: () => 'the GID of a unit of the same level',
  parse: ({ text }) => text,
  document: ({ level }) => ({
    component: `touches-of-lv${level}`,
    description:
      'Only features that share a border with the unit of the same level that has this GID: an edge of the coordinates as published, a common point is none. Of several units with this GID all count. Where the source draws the two sides of a border apart, nothing is shared. A release may have been built without this.',
    schema: { type: 'string', minLength: 1 },
    example: EXAMPLE_GIDS[level],
  }),
});

/** Valid for any data: an unknown GID gives an empty page. */
const EXAMPLE_GIDS = ['ESP', 'ESP.1_1', 'ESP.1.2_1', 'ESP.1.2.3_1', 'ESP.1.2.3.4_1', 'ESP.1.2.3.4.5_1'] as const;

/** The neighbours of a level. They are brought into memory for the first request that asks for some. */
export const NEIGHBOURS: Part<Neighbours> = {
  name: 'neighbours',
  type: Neighbours,
  async load(level) {
    const { folder, index } = level;
    const path = neighboursPath(index.level);
    const bytes = await level.read(path, described(level));
    return inTurns(decodingNeighbours(bytes, index.features, `${folder}/${path}`));
  },
};

export const TOUCHES_FILTER: ListingFilter = {
  parameter: TOUCHES,
  positions(query, level, needs) {
    described(level);
    const gid = TOUCHES.of(query);
    const neighbours = needs.part(level, NEIGHBOURS);
    if (gid === undefined || neighbours === undefined) return undefined;
    const column = elementAt(level.index.columns, level.index.level);
    const number = column.find(gid);
    if (number === -1) return NO_POSITIONS;
    const units = column.positionsAt(number);
    if (units.count === 1) return positionsOfEach(neighbours.of(units.at(0)));
    const found = new Set<number>();
    for (const unit of positionsIn(units.slice(0, units.count)))
      for (const neighbour of neighbours.of(unit)) found.add(neighbour);
    return positionsOfEach([...found].sort((a, b) => a - b));
  },
};

/** What release.json says of the neighbours of a level. @throws Problem bad-parameter if the release has none */
function described({ summary }: LoadedLevel) {
  if (summary.neighbours !== undefined) return summary.neighbours;
  throw new Problem('bad-parameter', 'touches is not possible: this release was built with --no-neighbours.');
}
