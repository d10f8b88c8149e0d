// Small datasets in GADM's shape that many tests build from.
import { join } from 'node:path';
import type { Level } from '../../../format/levels.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type FixtureFeature, type FixtureLayer, layerOf, square, squares, writeDataset } from './write-dataset.ts';

/** Two countries, three regions, four districts: levels 0 to 2 in GADM's shape, under GADM's layer names or others. */
export function countryLayers(layerName: (level: Level) => string = (level) => `ADM_${level}`): FixtureLayer[] {
  return [
    {
      name: layerName(0),
      columns: ['GID_0', 'COUNTRY'],
      features: [
        { fid: 1, values: ['AAA', 'Aland'], wkt: square(0, 0, 4) },
        { fid: 2, values: ['BBB', 'Beland'], wkt: square(10, 0, 4) },
      ],
    },
    {
      name: layerName(1),
      columns: ['GID_1', 'GID_0', 'COUNTRY', 'NAME_1'],
      features: [
        { fid: 1, values: ['AAA.1_1', 'AAA', 'Aland', 'North'], wkt: square(0, 2, 2) },
        { fid: 2, values: ['AAA.2_1', 'AAA', 'Aland', 'South'], wkt: square(0, 0, 2) },
        { fid: 3, values: ['BBB.1_1', 'BBB', 'Beland', 'All'], wkt: square(10, 0, 4) },
      ],
    },
    {
      name: layerName(2),
      columns: ['GID_2', 'GID_0', 'COUNTRY', 'GID_1', 'NAME_1', 'NAME_2'],
      features: [
        { fid: 1, values: ['AAA.1.1_1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'Næst'], wkt: square(0, 3) },
        { fid: 2, values: ['AAA.2.1_1', 'AAA', 'Aland', 'AAA.2_1', 'South', 'Søst'], wkt: square(0, 0) },
        { fid: 3, values: ['BBB.1.1_1', 'BBB', 'Beland', 'BBB.1_1', 'All', '東'], wkt: square(10, 0) },
        { fid: 4, values: ['AAA.1.2_1', 'AAA', 'Aland', 'AAA.1_1', 'North', 'Wüst "late"'], wkt: square(1, 3) },
      ],
    },
  ];
}

/** `countryLayers` with more countries. */
export function withCountries(...more: readonly FixtureFeature[]): FixtureLayer[] {
  return countryLayers().map((layer, level) =>
    level === 0 ? { ...layer, features: [...layer.features, ...more] } : layer,
  );
}

/** Writes `countryLayers` as a GeoPackage, which is removed when the test file ends; its path. */
export function writeCountries(): string {
  return writeDataset(join(temporaryFolder(), 'countries.gpkg'), 'GPKG', countryLayers());
}

/** `countryLayers` with another text in the place of one. */
export function countriesWith(from: string, to: string): FixtureLayer[] {
  return countryLayers().map((layer) => ({
    ...layer,
    features: layer.features.map((unit) => ({
      ...unit,
      values: unit.values.map((value) => (value === from ? to : value)),
    })),
  }));
}

/** The countries in which a district is called something else. @returns the path of a GeoPackage, as above */
export function writeRenamedCountries(): string {
  return writeDataset(join(temporaryFolder(), 'renamed.gpkg'), 'GPKG', countriesWith('Søst', 'Renamed'));
}

/** Countries in a row, A0, A1 and so on, with fids from 1: a layer of level 0 alone. */
export function countryRow(count: number): FixtureLayer {
  return squares('ADM_0', ['GID_0'], ...Array.from({ length: count }, (_, i) => [`A${i}`]));
}

/** Units of level 0 as WKT, with fids from 1 and GIDs from A0, in a GeoPackage units.gpkg; its path. */
export function writeUnits(wkts: readonly (string | null)[]): string {
  const features = wkts.map((wkt, i) => [[`A${i}`], wkt] as const);
  return writeDataset(join(temporaryFolder(), 'units.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0'], features)]);
}

/** Squares of level 0 with these GIDs, of which names are made, in places that are always the same; its path. */
export function writeSquares(...gids: string[]): string {
  const units = gids.map((gid, i) => [[gid, `"${gid}", é`], square(2 * i, 0)] as const);
  return writeDataset(join(temporaryFolder(), 'squares.gpkg'), 'GPKG', [layerOf('ADM_0', ['GID_0', 'COUNTRY'], units)]);
}
