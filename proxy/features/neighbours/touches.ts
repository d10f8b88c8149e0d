// Units that share a border with a unit: the parameter `touches`, the filter of listings, and what it is answered from.
import { elementAt, i32At } from '../../../format/element-at.ts';
import { neighboursPath } from '../../../format/layout.ts';
import { decodingNeighbours, type Neighbours } from '../../../format/neighbours.ts';
import { NO_POSITIONS, type Positions, positionsOfBits, positionsOfEach } from '../../../format/positions.ts';
import { knownPositions } from '../../data/known.ts';
import type { LoadedLevel, Part } from '../../data/loaded-release.ts';
import { withLoaded } from '../../data/loads.ts';
import { Problem } from '../../http/problem.ts';
import { Parameter } from '../../query/parameter.ts';
import { inTurns } from '../../work/in-turns.ts';
import type { ListingFilter } from '../pages/listing.ts';

/** The GID of the unit that the features share a border with. */
export const TOUCHES: Parameter<string> = new Parameter({
  name: 'touches',
  rule: () => 'the GID of a unit of the same level',
  parse: ({ text }) => text,
  document: () => ({
    component: 'touches',
    description:
      'Only features that share a border with the unit of the same level that has this GID. A border is an edge of the published coordinates; a common point is none. If several units have this GID, all count. Where the source draws both sides of a border apart, nothing is shared. A release may have been built without this.',
    schema: { type: 'string', minLength: 1 },
    example: 'ESP',
  }),
});

/** Units and neighbours that are gone through in a step: some 100 microseconds. */
const STEP_UNITS = 16 * 1024;

/** The neighbours of a level, and those of GIDs that many units have. */
class LevelNeighbours {
  readonly neighbours: Neighbours;
  readonly found = knownPositions();

  constructor(neighbours: Neighbours) {
    this.neighbours = neighbours;
  }

  get bytes(): number {
    return this.neighbours.bytes + this.found.bytes;
  }

  /** Finds the neighbours of any of some units. */
  *finding(units: Positions): Generator<void, Positions> {
    const { start } = this.neighbours.arrays;
    const bits = new Int32Array((start.length >>> 5) + 1);
    let done = 0;
    for (let run = 0; run < units.runs; run++)
      for (let unit = units.firstOf(run); unit < units.endOf(run); unit++) {
        const others = this.neighbours.of(unit);
        for (const other of others) bits[other >>> 5] = i32At(bits, other >>> 5) | (1 << other);
        done += 1 + others.length;
        if (done < STEP_UNITS) continue;
        yield;
        done = 0;
      }
    return positionsOfBits(bits);
  }
}

/** They are brought into memory for the first request that asks for some. */
export const NEIGHBOURS: Part<LevelNeighbours> = {
  name: 'neighbours',
  type: LevelNeighbours,
  async load(level) {
    const { folder, index } = level;
    const path = neighboursPath(index.level);
    const bytes = await level.read(path, described(level));
    return new LevelNeighbours(await inTurns(decodingNeighbours(bytes, index.features, `${folder}/${path}`)));
  },
};

export const TOUCHES_FILTER: ListingFilter = {
  parameter: TOUCHES,
  positions(query, level, loads) {
    described(level);
    const gid = TOUCHES.of(query) ?? '';
    return withLoaded(loads.part(level, NEIGHBOURS), (known) => {
      const column = elementAt(level.index.columns, level.index.level);
      const number = column.find(gid);
      if (number === -1) return NO_POSITIONS;
      const units = column.positionsAt(number);
      if (units.count === 1) return positionsOfEach(known.neighbours.of(units.at(0)));
      return known.found.find(String(number), loads, () => known.finding(units));
    });
  },
};

/** What release.json says of the neighbours of a level. @throws Problem bad-parameter if the release has none */
function described({ summary }: LoadedLevel) {
  if (summary.neighbours !== undefined) return summary.neighbours;
  throw new Problem('bad-parameter', 'touches is not possible: this release was built with --no-neighbours.');
}
