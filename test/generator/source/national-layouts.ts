// Fourteen layouts in which boundaries are published, cut from the sample, with the names of files, layers and columns
// of the public files: national-files.ci.ts builds them.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Level } from '../../../format/levels.ts';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { type Area, areaPolygons, areasOf, readAtlas } from '../../../generator/sample/atlas.ts';
import { type FixtureLayer, writeDataset, writeFiles } from '../../support/datasets/write-dataset.ts';
import { zipFolder } from '../../support/datasets/write-zip.ts';

interface Unit {
  /**
   * Of the Instituto Nacional de Estadística: two digits, of a municipality five, of which the first two are its
   * province's.
   */
  code: string;
  name: string;
  /** From the country down, without itself. */
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
const REGIONS = new Set(Object.values(REGION_OF));

function unitFrom(area: Area, parent: Unit): Unit {
  const geometry = gdal.Geometry.fromGeoJson({ type: 'MultiPolygon', coordinates: areaPolygons(atlas, area) ?? [] });
  return { code: area.code, name: area.name, parents: [...parent.parents, parent], geometry };
}

/** The units of a kind that are chosen, each in the unit above that has the code. */
function unitsIn(kind: string, above: readonly Unit[], codeAbove: (code: string) => string | undefined): Unit[] {
  return areasOf(atlas, kind).flatMap((area) => {
    const parent = above.find(({ code }) => code === codeAbove(area.code));
    return parent === undefined ? [] : [unitFrom(area, parent)];
  });
}

const COUNTRY: Unit = { code: 'ESP', name: 'Spain', parents: [], geometry: new gdal.MultiPolygon() };
const regions = unitsIn('autonomous_regions', [COUNTRY], (code) => (REGIONS.has(code) ? 'ESP' : undefined));
for (const { geometry } of regions) COUNTRY.geometry = COUNTRY.geometry.union(geometry);
const provinces = unitsIn('provinces', regions, (code) => REGION_OF[code]);
const ofTwo = provinces.filter(({ code }) => ['07', '35'].includes(code));
const municipalities = unitsIn('municipalities', ofTwo, (code) => code.slice(0, 2));
const SOME = municipalities.slice(0, 20);
const ALL = [[COUNTRY], regions, provinces, municipalities];

/** The letter of a unit among those of its level. */
function letterOf(unit: Unit): string {
  return String.fromCharCode(65 + Math.max(...ALL.map((units) => units.indexOf(unit))));
}

/**
 * What stands in a text for a property of a unit, e.g. `{code}`, or with a number for one of its parent at that level.
 */
function filled(template: string, unit: Unit): string {
  const lineage = [...unit.parents, unit];
  return template.replaceAll(/\{(code|name|letter|level)(\d?)\}/g, (_, property, level) => {
    const one = level === '' ? unit : lineage[level];
    if (one === undefined) return '';
    if (property === 'level') return String(one.parents.length);
    return property === 'letter' ? letterOf(one) : one[property as 'code' | 'name'];
  });
}

/** Columns with the value of a unit: `NAME=value`, or `NAME#=value` for whole numbers; nothing for null. */
function valuesOf(columns: string, unit: Unit): [column: string, value: string | number | null][] {
  return columns.split(/ +(?=[\w.]+#?=)/).map((one) => {
    const [, column = '', mark, template = ''] = /^([\w.]+)(#?)=(.*)$/.exec(one) ?? [];
    const value = filled(template, unit);
    return [column, value === '' ? null : mark === '#' ? Number(value) : value];
  });
}

/** A part of a layer: its name, a feature for each of these units, and what `valuesOf` reads. */
type LayerPart = [name: string, units: readonly Unit[], columns: string];

/** The layers; parts of the same name are one. */
function layersOf(epsg: number, parts: readonly LayerPart[]): FixtureLayer[] {
  return [...new Set(parts.map(([name]) => name))].map((name) => {
    const features = parts
      .filter((part) => part[0] === name)
      .flatMap(([, units, columns]) =>
        units.map((unit) => ({ values: valuesOf(columns, unit), wkt: wktIn(unit, epsg) })),
      );
    const columns = (features[0] ?? assert.fail(name)).values.map(([column, value]) =>
      typeof value === 'number' ? { name: column, type: gdal.OFTInteger } : column,
    );
    const plain = features.map(({ values, wkt }) => ({ values: values.map(([, value]) => value), wkt }));
    return { name, columns, features: plain, epsg };
  });
}

/** The units, each polygon by itself. */
function pieces(units: readonly Unit[]): Unit[] {
  const single = units.flatMap((unit) => {
    assert.ok(unit.geometry instanceof gdal.MultiPolygon);
    return unit.geometry.children.map((geometry) => ({ ...unit, geometry }));
  });
  assert.ok(single.length > units.length);
  return single;
}

function wktIn({ geometry }: Unit, epsg: number): string {
  if (epsg === 4326) return geometry.toWKT();
  const copy = geometry.clone();
  const [from, to] = [4326, epsg].map((code) => gdal.SpatialReference.fromEPSG(code));
  copy.transform(new gdal.CoordinateTransformation(from ?? assert.fail(), to ?? assert.fail()));
  return copy.toWKT();
}

type Write = (folder: string, layers: readonly FixtureLayer[]) => void;

/** A file for each layer. */
const files =
  (driver: 'ESRI Shapefile' | 'GPKG' | 'GeoJSON', under = ''): Write =>
  (folder, layers) =>
    void writeFiles(join(folder, under), driver, layers);

/** An archive for each layer, with its Shapefile. */
const archives: Write = (folder, layers) => {
  for (const one of layers) {
    // GDAL writes a zip of Shapefiles under this ending only.
    const made = writeDataset(join(folder, `${one.name}.shp.zip`), 'ESRI Shapefile', [one]);
    renameSync(made, join(folder, `${one.name}.zip`));
  }
};

/** One archive with all Shapefiles. */
const archive =
  (file: string): Write =>
  (folder, layers) => {
    const path = join(folder, 'archived');
    files('ESRI Shapefile')(path, layers);
    zipFolder(path, join(folder, file));
  };

const geopackage =
  (file: string): Write =>
  (folder, layers) =>
    void writeDataset(join(folder, file), 'GPKG', layers);

/** A GML as Kartverket writes it for each layer: no schema beside it, and the borders as lines in a second layer. */
const gml: Write = (folder, layers) => {
  const element = (name: string, value: unknown): string => `<app:${name}>${value}</app:${name}>`;
  for (const { name, columns, features } of layers) {
    const members = features.map(({ values, wkt }) => {
      const polygons = gdal.Geometry.fromWKT(wkt ?? '');
      polygons.srs = gdal.SpatialReference.fromEPSG(25833);
      const own = values.map((value, i) => element(String(columns[i]), value));
      return element(name, [...own, element('område', polygons.toGML())].join(''));
    });
    const line = '<gml:LineString srsName="EPSG:25833"><gml:coordinates>0,0 1,1</gml:coordinates></gml:LineString>';
    members.push(element('Grense', `${element('avgrensning', 'fylke')}${element('grense', line)}`));
    const spaces = 'xmlns:gml="http://www.opengis.net/gml" xmlns:app="https://skjema.geonorge.no/Adm"';
    const text = members.map((member) => `<gml:featureMember>${member}</gml:featureMember>`).join('');
    const collection = `<gml:FeatureCollection ${spaces}>${text}</gml:FeatureCollection>`;
    // Plural, as the public files.
    writeFileSync(join(folder, `${name.toLowerCase()}r.gml`), `<?xml version="1.0"?>${collection}`);
  }
};

/** The units of each level of a release. */
export type UnitsByLevel = Readonly<Partial<Record<Level, readonly Unit[]>>>;

const TWO: UnitsByLevel = { 1: regions, 2: provinces };
const THREE: UnitsByLevel = { ...TWO, 3: municipalities };
const WHOLE: UnitsByLevel = { 0: [COUNTRY], ...TWO };

/** A layer of borders has lines. */
const BORDER: Unit = { ...COUNTRY, geometry: gdal.Geometry.fromWKT('LINESTRING (0 0, 1 1)') };
const withoutCode = (name: string) => (unit: Unit) => (unit.name === name ? { ...unit, code: '' } : unit);

const VG250 = 'GEN={name} BEZ=Kreis SN_L={code1} SN_R=0';
/** All layers have the same columns; lakes and the sea are features of their own (GF 1 and 2). */
const VG250_LAYERS: LayerPart[] = [
  ['vg250_lan', regions, `ADE#=2 AGS={code1} SN_K=00 ${VG250}`],
  ['vg250_krs', provinces, `ADE#=4 AGS={code1}0{code2} SN_K={code2} ${VG250}`],
  ['vg250_gem', municipalities, `ADE#=6 AGS={code1}0{code3} SN_K={code2} ${VG250}`],
];
const IGN = 'ID=X{code} NOM_M={name} NOM={name} INSEE_REG={code1}';
const ons = (prefix: string): string =>
  `OBJECTID#={code} ${prefix}CD=E10{code} ${prefix}NM={name} ${prefix}NMW= BNG_E#=1 GlobalID=x`;
const GADM = [
  'GID_0=ESP COUNTRY=Spain',
  'GID_1=ESP.{code1}_1 NAME_1={name1}',
  'GID_2=ESP.{code1}.{code2}_1 NAME_2={name2}',
  'GID_3=ESP.{code1}.{code2}.{code3}_1 NAME_3={name3}',
];
const GEO_BOUNDARIES = 'shapeName={name} shapeISO= shapeID=B{level}-{code} shapeGroup=ESP shapeType=ADM{level}';
const NUTS = 'NUTS_ID=ES{letter1}{letter2}{letter3} LEVL_CODE#={level} CNTR_CODE=ES NAME_LATN={name}';
const COD = [
  'adm0_name={name0} adm0_pcode=CF',
  'adm1_name={name1} adm1_pcode=CF{code1}',
  'adm2_name={name2} adm2_pcode=CF{code1}{code2}',
];

export interface Layout {
  /** The row of the table in generator/README.md. */
  row: string;
  units: UnitsByLevel;
  write(folder: string): void;
}

function layout(row: string, units: UnitsByLevel, write: Write, epsg: number, parts: readonly LayerPart[]): Layout {
  return { row, units, write: (folder) => write(folder, layersOf(epsg, parts)) };
}

/** Layers of so many levels from the country down, each with the columns of those above. */
function nested(name: string, levels: number, columns: readonly string[]): LayerPart[] {
  return ALL.slice(0, levels).map((units, n) => [`${name}${n}`, units, columns.slice(0, n + 1).join(' ')]);
}

/** Kartverket's, which is the example of generator/README.md. */
export const NORWAY = layout('Kartverket, Norway', TWO, gml, 25833, [
  ['Fylke', regions, 'fylkesnummer={code} fylkesnavn={name}'],
  ['Kommune', provinces, 'kommunenummer=0{code} kommunenavn={name}'],
]);

/** Those of the table in generator/README.md. */
export const LAYOUTS: readonly Layout[] = [
  layout('IBGE, Brazil', TWO, archives, 4674, [
    ['BR_UF_2022', regions, 'CD_UF={code} NM_UF={name} SIGLA_UF=S{code} NM_REGIAO=Norte AREA_KM2#=1'],
    ['BR_Municipios_2022', provinces, 'CD_MUN={code1}{code}000 NM_MUN={name} SIGLA_UF=S{code1} AREA_KM2#=1'],
  ]),
  layout('INEGI, Mexico', TWO, files('ESRI Shapefile'), 4326, [
    ['00ent', regions, 'CVEGEO={code} CVE_ENT={code} NOMGEO={name}'],
    ['00mun', provinces, 'CVEGEO={code1}0{code} CVE_ENT={code1} CVE_MUN=0{code} NOMGEO={name}'],
  ]),
  layout('DAGI, Denmark', TWO, files('GPKG'), 25832, [
    ['regionsinddeling', pieces(regions), 'id.lokalId=1{code} navn={name} regionskode=10{code}'],
    [
      'kommuneinddeling',
      pieces(provinces),
      'id.lokalId=1{code} navn={name} kommunekode=0{code} regionskode=10{code1} udenforKommuneinddeling=false',
    ],
  ]),
  layout('N03, Japan', TWO, files('ESRI Shapefile'), 4326, [
    [
      'N03-20240101',
      pieces(provinces).map(withoutCode('Lugo')),
      'N03_001={name1} N03_002= N03_003= N03_004={name} N03_005= N03_007={code}',
    ],
  ]),
  layout('VG250, Germany', THREE, geopackage('DE_VG250.gpkg'), 25832, [
    ...VG250_LAYERS.map(([name, units, columns]): LayerPart => [name, units, `${columns} GF#=4`]),
    ...VG250_LAYERS.map(([name, units, columns]): LayerPart => [name, units.slice(0, 2), `${columns} GF#=2`]),
    ['vg250_li', [BORDER], 'AGZ=1'],
  ]),
  layout('ADMIN EXPRESS, France', THREE, files('ESRI Shapefile', 'ADE_3-2_SHP_LAMB93_FXX'), 2154, [
    ['REGION', regions, IGN],
    ['DEPARTEMENT', provinces, `${IGN} INSEE_DEP={code}`],
    ['ARRONDISSEMENT', provinces, `${IGN} INSEE_DEP={code} INSEE_ARR=1`],
    ['COMMUNE', municipalities, `${IGN} INSEE_COM={code} INSEE_ARR=1 INSEE_DEP={code2}`],
  ]),
  layout('ONS, United Kingdom', TWO, files('GPKG'), 27700, [
    ['CTYUA_DEC_2023_UK_BFC', regions, ons('CTYUA23')],
    ['LAD_DEC_2023_UK_BFC', provinces, ons('LAD23')],
  ]),
  layout('Census, United States', TWO, archives, 4269, [
    ['cb_2022_us_state_500k', regions, 'STATEFP={code} STATENS=0{code} GEOID={code} STUSPS=S{code} NAME={name}'],
    [
      'cb_2022_us_county_500k',
      provinces,
      'STATEFP={code1} COUNTYFP=0{code} GEOID={code1}0{code} NAME={name} NAMELSAD={name} County STATE_NAME={name1}',
    ],
  ]),
  layout(
    'GADM, world, six layers',
    { 0: [COUNTRY], ...THREE },
    geopackage('gadm_410-levels.gpkg'),
    4326,
    nested('ADM_', 4, GADM),
  ),
  layout('geoBoundaries', WHOLE, files('GeoJSON'), 4326, nested('geoBoundaries-FRA-ADM', 3, [GEO_BOUNDARIES])),
  layout('NUTS (Eurostat GISCO)', { ...WHOLE, 3: SOME }, files('GPKG'), 4326, [
    ['NUTS_RG_20M_2024_4326', [COUNTRY, ...regions, ...provinces, ...SOME], NUTS],
  ]),
  layout('OCHA COD', WHOLE, archive('caf_admin_boundaries.shp.zip'), 4326, [
    ...nested('caf_admin', 3, COD),
    ['caf_adminlines', [BORDER], 'right_pcod=CF'],
  ]),
  layout('Natural Earth', { 0: [COUNTRY], 1: regions }, files('ESRI Shapefile'), 4326, [
    ['ne_10m_admin_0_countries', [COUNTRY], 'ADM0_A3=ESP NAME={name} TYPE=Country'],
    [
      'ne_10m_admin_1_states_provinces',
      regions,
      'adm1_code=ESP-{code} iso_3166_2=ES-{code} adm0_a3=ESP name={name} type_en=Region',
    ],
  ]),
];
