// Fourteen layouts in which boundaries are published: each is cut from the sample, with the names of files, layers and
// columns of the public files, and built with the line that generator/README.md says.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LEVELS, type Level } from '../../format/levels.ts';
import type { Release } from '../../format/release.ts';
import { SILENT } from '../../generator/report/progress.ts';
import { type Area, areasOf, polygonsOf, readAtlas } from '../../generator/sample/atlas.ts';
import { gdal } from '../../generator/source/gdal.ts';
import { verify } from '../../generator/verify/verify.ts';
import { areaOf } from '../support/datasets/area-of.ts';
import { type FixtureLayer, writeDataset } from '../support/datasets/write-dataset.ts';
import { writeZip } from '../support/datasets/write-zip.ts';
import { filesUnder } from '../support/files.ts';
import { runGenerator } from '../support/processes/run-generator.ts';
import { codeIn } from '../support/readme-code.ts';
import { featuresIn } from '../support/releases/features-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const README = 'generator/README.md';

/** A unit of the sample's Spain. */
interface Unit {
  /**
   * Of the Instituto Nacional de Estadística: two digits, of a municipality five, of which the first two are its
   * province's.
   */
  code: string;
  name: string;
  /** From the region down, without itself. */
  parents: readonly Unit[];
  geometry: InstanceType<typeof gdal.Geometry>;
}

const atlas = readAtlas('es-atlas/es/municipalities.json');

/** Provinces of three regions: islands, islands far away, and a coast. */
const REGION_OF: Readonly<Record<string, string>> = {
  '07': '04',
  '35': '05',
  '38': '05',
  '15': '12',
  '27': '12',
  '32': '12',
  '36': '12',
};

function unitFrom(area: Area, parents: readonly Unit[]): Unit {
  const geometry = gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', ...polygonsOf(atlas, area) });
  return { code: area.code, name: area.name, parents, geometry };
}

function withCode(units: readonly Unit[], code: string | undefined): Unit {
  return units.find((unit) => unit.code === code) ?? assert.fail(code);
}

const regions = areasOf(atlas, 'autonomous_regions')
  .filter(({ code }) => Object.values(REGION_OF).includes(code))
  .map((area) => unitFrom(area, []));
const provinces = areasOf(atlas, 'provinces')
  .filter(({ code }) => code in REGION_OF)
  .map((area) => unitFrom(area, [withCode(regions, REGION_OF[area.code])]));
/** Of two provinces. */
const municipalities = areasOf(atlas, 'municipalities')
  .filter(({ code }) => ['07', '35'].includes(code.slice(0, 2)))
  .map((area) => {
    const province = withCode(provinces, area.code.slice(0, 2));
    return unitFrom(area, [...province.parents, province]);
  });

type Values = Readonly<Record<string, unknown>>;

/** A layer with a feature for each unit. */
function layer(
  name: string,
  units: readonly Unit[],
  valuesOf: (unit: Unit, i: number) => Values,
  epsg = 4326,
): FixtureLayer {
  const features = units.map((unit, i) => ({ values: Object.values(valuesOf(unit, i)), wkt: wktIn(unit, epsg) }));
  const [first] = units;
  const columns = Object.entries(valuesOf(first ?? assert.fail(), 0)).map(([column, value]) =>
    typeof value === 'number' ? { name: column, type: gdal.OFTInteger } : column,
  );
  return { name, columns, features, epsg };
}

/** The same with a feature for each polygon. */
function pieces(name: string, units: readonly Unit[], valuesOf: (unit: Unit) => Values, epsg?: number): FixtureLayer {
  const single = units.flatMap((unit) => {
    assert.ok(unit.geometry instanceof gdal.MultiPolygon);
    return unit.geometry.children.map((geometry) => ({ ...unit, geometry }));
  });
  assert.ok(single.length > units.length);
  return layer(name, single, valuesOf, epsg);
}

function wktIn({ geometry }: Unit, epsg: number): string {
  if (epsg === 4326) return geometry.toWKT();
  const copy = geometry.clone();
  const [from, to] = [4326, epsg].map((code) => gdal.SpatialReference.fromEPSG(code));
  copy.transform(new gdal.CoordinateTransformation(from ?? assert.fail(), to ?? assert.fail()));
  return copy.toWKT();
}

const parentOf = (unit: Unit): Unit => unit.parents.at(-1) ?? assert.fail(unit.name);
const regionOf = (unit: Unit): Unit => unit.parents[0] ?? unit;

/** A file for each layer, in a folder. */
function writeFiles(folder: string, ending: string, ...layers: readonly FixtureLayer[]): void {
  const driver = { shp: 'ESRI Shapefile', geojson: 'GeoJSON', gpkg: 'GPKG' }[ending] ?? assert.fail(ending);
  mkdirSync(folder, { recursive: true });
  for (const one of layers) writeDataset(join(folder, `${one.name}.${ending}`), driver, [one]);
}

/** An archive with the Shapefile of a layer. */
function writeArchive(folder: string, one: FixtureLayer): void {
  // GDAL writes a zip of Shapefiles under this ending only.
  const made = writeDataset(join(folder, `${one.name}.shp.zip`), 'ESRI Shapefile', [one]);
  renameSync(made, join(folder, `${one.name}.zip`));
}

/** A GML as Kartverket writes it: no schema beside it, and the borders as lines in a second layer. */
function writeGml(file: string, type: string, columns: (unit: Unit) => Values, units: readonly Unit[]): void {
  const element = (name: string, value: unknown): string => `<app:${name}>${value}</app:${name}>`;
  const members = units.map((unit) => {
    const polygons = gdal.Geometry.fromWKT(wktIn(unit, 25833));
    polygons.srs = gdal.SpatialReference.fromEPSG(25833);
    const values = Object.entries(columns(unit)).map(([name, value]) => element(name, value));
    return element(type, [...values, element('område', polygons.toGML())].join(''));
  });
  const line = '<gml:LineString srsName="EPSG:25833"><gml:coordinates>0,0 1,1</gml:coordinates></gml:LineString>';
  members.push(element('Grense', `${element('avgrensning', 'fylke')}${element('grense', line)}`));
  const spaces = 'xmlns:gml="http://www.opengis.net/gml" xmlns:app="https://skjema.geonorge.no/Adm"';
  const text = members.map((member) => `<gml:featureMember>${member}</gml:featureMember>`).join('');
  writeFileSync(file, `<?xml version="1.0"?><gml:FeatureCollection ${spaces}>${text}</gml:FeatureCollection>`);
}

interface Layout {
  /** The row of the table in generator/README.md. */
  row: string;
  /** Writes the files in a folder. */
  write(folder: string): void;
  /** The units of each level of the release. */
  units: Readonly<Partial<Record<Level, readonly Unit[]>>>;
}

const TWO = { 1: regions, 2: provinces };
const THREE = { ...TWO, 3: municipalities };
const COUNTRY: Unit = {
  code: 'ESP',
  name: 'Spain',
  parents: [],
  geometry: regions.reduce<Unit['geometry']>((sum, { geometry }) => sum.union(geometry), new gdal.MultiPolygon()),
};
const WHOLE = { 0: [COUNTRY], ...TWO };
const SOME = municipalities.slice(0, 20);

const LAYOUTS: readonly Layout[] = [
  {
    row: 'IBGE, Brazil',
    write(folder) {
      const uf = (unit: Unit): Values => ({ CD_UF: unit.code, NM_UF: unit.name, SIGLA_UF: `S${unit.code}` });
      writeArchive(
        folder,
        layer('BR_UF_2022', regions, (unit) => ({ ...uf(unit), NM_REGIAO: 'Norte', AREA_KM2: 1 }), 4674),
      );
      const county = (unit: Unit): Values => ({
        CD_MUN: `${regionOf(unit).code}${unit.code}000`,
        NM_MUN: unit.name,
        SIGLA_UF: `S${regionOf(unit).code}`,
        AREA_KM2: 1,
      });
      writeArchive(folder, layer('BR_Municipios_2022', provinces, county, 4674));
    },
    units: TWO,
  },
  {
    row: 'INEGI, Mexico',
    write(folder) {
      const state = ({ code, name }: Unit): Values => ({ CVEGEO: code, CVE_ENT: code, NOMGEO: name });
      const county = (unit: Unit): Values => ({
        CVEGEO: `${regionOf(unit).code}0${unit.code}`,
        CVE_ENT: regionOf(unit).code,
        CVE_MUN: `0${unit.code}`,
        NOMGEO: unit.name,
      });
      writeFiles(folder, 'shp', layer('00ent', regions, state), layer('00mun', provinces, county));
    },
    units: TWO,
  },
  {
    row: 'DAGI, Denmark',
    write(folder) {
      const id = (unit: Unit): Values => ({ 'id.lokalId': `1${unit.code}`, navn: unit.name });
      const region = (unit: Unit): Values => ({ ...id(unit), regionskode: `10${unit.code}` });
      const county = (unit: Unit): Values => ({
        ...id(unit),
        kommunekode: `0${unit.code}`,
        regionskode: `10${regionOf(unit).code}`,
        udenforKommuneinddeling: 'false',
      });
      writeFiles(folder, 'gpkg', pieces('regionsinddeling', regions, region, 25832));
      writeFiles(folder, 'gpkg', pieces('kommuneinddeling', provinces, county, 25832));
    },
    units: TWO,
  },
  {
    row: 'N03, Japan',
    write(folder) {
      const county = (unit: Unit): Values => ({
        N03_001: regionOf(unit).name,
        N03_002: null,
        N03_003: null,
        N03_004: unit.name,
        N03_005: null,
        N03_007: unit.name === 'Lugo' ? null : `${unit.code}000`,
      });
      writeFiles(folder, 'shp', pieces('N03-20240101', provinces, county));
    },
    units: { 1: regions, 2: provinces },
  },
  {
    row: 'VG250, Germany',
    write(folder) {
      // All layers have the same columns; lakes and the sea are features of their own (GF 1 and 2).
      const values = (unit: Unit, isWater: boolean): Values => {
        const [region, province] = [regionOf(unit).code, unit.parents[1] ?? (unit.parents[0] && unit)];
        const county = province?.code ?? '00';
        const community = unit.parents.length === 2 ? unit.code.slice(2) : '000';
        const depth = unit.parents.length;
        const AGS = [region, `${region}0${county}`, `${region}0${county}${community}`][depth];
        return {
          ADE: 2 + 2 * depth,
          GF: isWater ? 2 : 4,
          AGS,
          GEN: unit.name,
          BEZ: 'Kreis',
          SN_L: region,
          SN_R: '0',
          SN_K: county,
        };
      };
      const layers = [regions, provinces, municipalities].map((units, i) => {
        const land = layer(
          ['vg250_lan', 'vg250_krs', 'vg250_gem'][i] ?? '',
          units,
          (unit) => values(unit, false),
          25832,
        );
        const water = layer('', units.slice(0, 2), (unit) => values(unit, true), 25832);
        return { ...land, features: [...land.features, ...water.features] };
      });
      const line = { values: ['1'], wkt: 'LINESTRING (0 0, 1 1)' };
      const borders = { name: 'vg250_li', columns: ['AGZ'], features: [line], epsg: 25832 };
      writeDataset(join(folder, 'DE_VG250.gpkg'), 'GPKG', [...layers, borders]);
    },
    units: THREE,
  },
  {
    row: 'ADMIN EXPRESS, France',
    write(folder) {
      const id = ({ code, name }: Unit): Values => ({ ID: `X${code}`, NOM_M: name.toUpperCase(), NOM: name });
      const department = (unit: Unit): Values => ({
        ...id(unit),
        INSEE_DEP: unit.code,
        INSEE_REG: regionOf(unit).code,
      });
      const community = (unit: Unit): Values => ({
        ...id(unit),
        INSEE_COM: unit.code,
        INSEE_ARR: '1',
        INSEE_DEP: parentOf(unit).code,
        INSEE_REG: regionOf(unit).code,
      });
      const files = [
        layer('REGION', regions, (unit) => ({ ...id(unit), INSEE_REG: unit.code }), 2154),
        layer('DEPARTEMENT', provinces, department, 2154),
        layer('ARRONDISSEMENT', provinces, (unit) => ({ ...department(unit), INSEE_ARR: '1' }), 2154),
        layer('COMMUNE', municipalities, community, 2154),
      ];
      writeFiles(join(folder, 'ADE_3-2_SHP_LAMB93_FXX'), 'shp', ...files);
    },
    units: THREE,
  },
  {
    row: 'ONS, United Kingdom',
    write(folder) {
      const id = (prefix: string, { code, name }: Unit, i: number): Values => ({
        OBJECTID: i + 1,
        [`${prefix}CD`]: `E10${code}`,
        [`${prefix}NM`]: name,
        [`${prefix}NMW`]: ' ',
        BNG_E: 1,
        BNG_N: 1,
        GlobalID: 'x',
      });
      const upper = layer('CTYUA_DEC_2023_UK_BFC', regions, (unit, i) => id('CTYUA23', unit, i), 27700);
      const lower = layer('LAD_DEC_2023_UK_BFC', provinces, (unit, i) => id('LAD23', unit, i), 27700);
      writeFiles(folder, 'gpkg', upper, lower);
    },
    units: TWO,
  },
  {
    row: 'Census, United States',
    write(folder) {
      const state = ({ code, name }: Unit): Values => ({
        STATEFP: code,
        STATENS: `0${code}`,
        GEOID: code,
        STUSPS: `S${code}`,
        NAME: name,
      });
      const county = (unit: Unit): Values => ({
        STATEFP: regionOf(unit).code,
        COUNTYFP: `0${unit.code}`,
        GEOID: `${regionOf(unit).code}0${unit.code}`,
        NAME: unit.name,
        NAMELSAD: `${unit.name} County`,
        STATE_NAME: regionOf(unit).name,
      });
      writeArchive(folder, layer('cb_2022_us_state_500k', regions, state, 4269));
      writeArchive(folder, layer('cb_2022_us_county_500k', provinces, county, 4269));
    },
    units: TWO,
  },
  {
    row: 'GADM, world, six layers',
    write(folder) {
      const lineageOf = (unit: Unit): Unit[] => [...unit.parents, unit];
      const gid = (unit: Unit): string =>
        `ESP.${lineageOf(unit)
          .map(({ code }) => Number(code))
          .join('.')}_1`;
      const values = (unit: Unit): Values => {
        const own = lineageOf(unit).flatMap((one, i) => [
          [`GID_${i + 1}`, gid(one)],
          [`NAME_${i + 1}`, one.name],
        ]);
        return Object.fromEntries([['GID_0', 'ESP'], ['COUNTRY', 'Spain'], ...own]);
      };
      const country = layer('ADM_0', [COUNTRY], () => ({ GID_0: 'ESP', COUNTRY: COUNTRY.name }));
      const others = [regions, provinces, municipalities].map((units, i) => layer(`ADM_${i + 1}`, units, values));
      writeDataset(join(folder, 'gadm_410-levels.gpkg'), 'GPKG', [country, ...others]);
    },
    units: { 0: [COUNTRY], ...THREE },
  },
  {
    row: 'geoBoundaries',
    write(folder) {
      const values =
        (level: number) =>
        (unit: Unit): Values => ({
          shapeName: unit.name,
          shapeISO: '',
          shapeID: `B${level}-${unit.code}`,
          shapeGroup: 'ESP',
          shapeType: `ADM${level}`,
        });
      const layers = [[COUNTRY], regions, provinces].map((units, n) =>
        layer(`geoBoundaries-FRA-ADM${n}`, units, values(n)),
      );
      writeFiles(folder, 'geojson', ...layers);
      cpSync('generator/examples/geoboundaries.json', join(folder, 'geoboundaries.json'));
    },
    units: WHOLE,
  },
  {
    row: 'NUTS (Eurostat GISCO)',
    write(folder) {
      const lists = [regions, provinces, municipalities];
      const letter = (unit: Unit): string =>
        String.fromCharCode(65 + Math.max(...lists.map((units) => units.indexOf(unit))));
      const values = (unit: Unit): Values => ({
        NUTS_ID: unit === COUNTRY ? 'ES' : `ES${[...unit.parents, unit].map(letter).join('')}`,
        LEVL_CODE: unit === COUNTRY ? 0 : unit.parents.length + 1,
        CNTR_CODE: 'ES',
        NAME_LATN: unit.name,
      });
      const all = [COUNTRY, ...regions, ...provinces, ...SOME];
      writeDataset(join(folder, 'NUTS_RG_20M_2024_4326.gpkg'), 'GPKG', [layer('NUTS_RG_20M_2024_4326', all, values)]);
      cpSync('generator/examples/nuts.json', join(folder, 'nuts.json'));
    },
    units: { ...WHOLE, 3: SOME },
  },
  {
    row: 'OCHA COD',
    write(folder) {
      const values = (unit: Unit): Values => {
        const lineage = unit === COUNTRY ? [COUNTRY] : [COUNTRY, ...unit.parents, unit];
        const pcode = (i: number): string =>
          `CF${lineage
            .slice(1, i + 1)
            .map(({ code }) => code)
            .join('')}`;
        return Object.fromEntries(
          lineage.flatMap(({ name }, i) => [
            [`adm${i}_name`, name],
            [`adm${i}_pcode`, pcode(i)],
          ]),
        );
      };
      const layers = [[COUNTRY], regions, provinces].map((units, n) => layer(`caf_admin${n}`, units, values));
      const line = { values: ['CF'], wkt: 'LINESTRING (0 0, 1 1)' };
      const shapefiles = join(folder, 'caf');
      writeFiles(shapefiles, 'shp', ...layers, { name: 'caf_adminlines', columns: ['right_pcod'], features: [line] });
      const files = filesUnder(shapefiles).map((name) => ({ name, content: readFileSync(join(shapefiles, name)) }));
      writeZip(join(folder, 'caf_admin_boundaries.shp.zip'), files);
    },
    units: WHOLE,
  },
  {
    row: 'Natural Earth',
    write(folder) {
      const country = layer('ne_10m_admin_0_countries', [COUNTRY], ({ name }) => ({
        ADM0_A3: 'ESP',
        NAME: name,
        TYPE: 'Country',
      }));
      const state = ({ code, name }: Unit): Values => ({
        adm1_code: `ESP-${code}`,
        iso_3166_2: `ES-${code}`,
        adm0_a3: 'ESP',
        name,
        type_en: 'Region',
      });
      writeFiles(folder, 'shp', country, layer('ne_10m_admin_1_states_provinces', regions, state));
      cpSync('generator/examples/natural-earth.json', join(folder, 'natural-earth.json'));
    },
    units: { 0: [COUNTRY], 1: regions },
  },
];

/** The words of a command line, as a shell divides them. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|[^\s"\\]+/g), ([word, quoted]) => quoted ?? word);
}

/** What a row of the table says to type. */
function lineOf(row: string): string {
  const rows = readFileSync(README, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`| ${row}`));
  assert.equal(rows.length, 1, row);
  return /`(build [^`]*)`/.exec(rows[0] ?? '')?.[1] ?? assert.fail(row);
}

/** The paths of the source that a command line or its config file names. */
function sourceOf(folder: string, words: readonly string[]): string[] {
  const valuesOf = (option: string): readonly string[] => {
    const from = words.indexOf(option) + 1;
    const length = words.slice(from).findIndex((word) => word.startsWith('--'));
    return from === 0 ? [] : words.slice(from, from + length);
  };
  const [config] = valuesOf('--config');
  const names: readonly string[] =
    config === undefined ? valuesOf('--source') : JSON.parse(readFileSync(join(folder, config), 'utf8')).source;
  return names.map((name) => join(folder, name));
}

/** Types a line in a folder, and checks the release against its source. */
async function typed(folder: string, line: string): Promise<Release> {
  const out = join(folder, 'output');
  const [command = '', ...words] = wordsOf(line);
  const given = words.map((word, i) => (words[i - 1] === '--release' ? 'r1' : word));
  if (!given.includes('--release')) given.push('--release', 'r1');
  const others = ['--pages', 'none', '--geometry', 'full', '--no-cells', '--workers', '0', '--json', '--quiet'];
  const { status, stdout, stderr } = runGenerator([command, ...given, ...others], folder);
  assert.equal(status, 0, `${line}\n${stderr}`);
  const release: Release = JSON.parse(stdout);
  const { findings } = await verify({ out, source: { source: sourceOf(folder, given) }, workers: 0 }, SILENT);
  assert.deepEqual(findings, []);
  return release;
}

/** The areas of the units of a level, by their names and those of their parents; they are alike to a ten-thousandth. */
type Tree = Map<string, number>;

function treeIn(out: string, { levels }: Release, level: Level): Tree {
  const { gidColumns, nameColumn } = levels[level] ?? assert.fail();
  const above = LEVELS.findLast((n) => n < level && gidColumns[n] !== '' && levels[n]?.features);
  const names = new Map<unknown, string>();
  if (above !== undefined) {
    const { gidColumns: own, nameColumn: name } = levels[above] ?? assert.fail();
    for (const { properties } of featuresIn(out, above)) names.set(properties[own[above] ?? ''], properties[name]);
  }
  return new Map(
    featuresIn(out, level).map(({ properties, geometry }) => {
      const parent = above === undefined ? [] : [names.get(properties[gidColumns[above] ?? ''])];
      return [[properties[nameColumn], ...parent].join(' < '), areaOf({ geometry })];
    }),
  );
}

function expectedTree({ units }: Layout, level: Level): Tree {
  const above = LEVELS.findLast((n) => n < level && units[n] !== undefined);
  return new Map(
    (units[level] ?? []).map((unit) => {
      const parent = above === undefined ? [] : [above === 0 ? COUNTRY.name : parentOf(unit).name];
      return [[unit.name, ...parent].join(' < '), areaOf({ geometry: JSON.parse(unit.geometry.toJSON()) })];
    }),
  );
}

async function testLayout(layout: Layout, line: string): Promise<void> {
  const folder = temporaryFolder();
  layout.write(folder);
  const release = await typed(folder, line);
  for (const level of LEVELS) {
    const expected = expectedTree(layout, level);
    assert.equal(release.levels[level]?.features, expected.size, `level ${level}`);
    if (expected.size === 0) continue;
    const tree = treeIn(join(folder, 'output'), release, level);
    assert.deepEqual([...tree.keys()].sort(), [...expected.keys()].sort());
    for (const [unit, area] of tree) assert.ok(Math.abs(area / (expected.get(unit) ?? NaN) - 1) < 1e-4, unit);
  }
}

test('Kartverket, Norway: the example in generator/README.md', async () => {
  const kommune = (unit: Unit): Values => ({ kommunenummer: `0${unit.code}`, kommunenavn: unit.name });
  const layout: Layout = {
    row: '',
    units: TWO,
    write(folder) {
      writeGml(
        join(folder, 'fylker.gml'),
        'Fylke',
        ({ code, name }) => ({ fylkesnummer: code, fylkesnavn: name }),
        regions,
      );
      writeGml(join(folder, 'kommuner.gml'), 'Kommune', kommune, provinces);
    },
  };
  const code = codeIn(README, 'sh', 'kommunenummer');
  await testLayout(layout, code.replace(/^npx tsx \S+ /, ''));
});

for (const layout of LAYOUTS)
  test(`${layout.row}: the line in generator/README.md gives all units and their parents`, () =>
    testLayout(layout, lineOf(layout.row)));

test('the README begins with the line for the six layers of GADM, and so do the examples of --help', () => {
  const line = lineOf('GADM, world, six layers');
  assert.ok(readFileSync('README.md', 'utf8').includes(`npx tsx generator/main.ts ${line}\n`));
  assert.ok(readFileSync('generator/commands/build.ts', 'utf8').includes(`'$0 ${line}'`));
});
