// Formats in which sources come: curves, GML, formats in which GDAL guesses the types of columns, what QGIS saves, and
// texts in any encoding.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { layerOf, square, squares, writeDataset } from '../../support/datasets/write-dataset.ts';
import { zipFolder } from '../../support/datasets/write-zip.ts';
import {
  pathsOf,
  published,
  type Source,
  testSource,
  textsOf,
  typedOptions,
  writeTexts,
} from '../../support/releases/source-cases.ts';

/** A GeoPackage of geometries that gdal-async cannot make, from their WKT. */
function fromWkt(...shapes: string[]): Source {
  return (folder) => {
    const rows = shapes.map((wkt, i) => `A${i},"${wkt}"\n`).join('');
    const [csv = ''] = writeTexts(folder, { 'shapes.csv': `GID_0,WKT\n${rows}` });
    const file = join(folder, 'shapes.gpkg');
    gdal.vectorTranslate(file, gdal.open(csv), ['-f', 'GPKG', '-a_srs', 'EPSG:4326', '-nln', 'a "layer"']).close();
    return file;
  };
}

testSource('straightens curves, as GDAL does', {
  source: fromWkt(
    'CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))',
    'POLYGON((5 5,6 5,6 6,5 5))',
    'MULTISURFACE(((0 0,1 0,1 1,0 0)))',
  ),
  besides: ({ unitsOf }) => {
    const [curved, straight, surface] = unitsOf(0);
    assert.equal(curved.bbox.map((corner: number) => corner.toFixed(2)).join(), '0.00,-1.00,2.00,1.00');
    assert.ok(curved.geometry.coordinates[0].length > 50);
    assert.equal(JSON.stringify(straight.geometry.coordinates), '[[[5,5],[6,5],[6,6],[5,5]]]');
    assert.equal(JSON.stringify(surface.geometry.coordinates), '[[[[0,0],[1,0],[1,1],[0,0]]]]');
  },
});

const CIRCLE = 'CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0)';

testSource('straightens curves with heights, and lines', {
  source: fromWkt(`CURVEPOLYGON Z(${CIRCLE.replaceAll(/\d(?=[,)])/g, '$& 9')})`, CIRCLE, `COMPOUNDCURVE(${CIRCLE})`),
  options: { accept: ['non-polygonal'] },
  besides: ({ unitsOf }) =>
    assert.deepEqual(
      unitsOf(0).map(({ geometry }) => geometry.type),
      ['Polygon', 'LineString', 'LineString'],
    ),
});

testSource('a layer with a curve keeps its columns and times, also columns fid and geom', {
  source: (folder) =>
    writeTexts(folder, {
      'units.csv': `WKT,GID_0,fid,geom,NAME_0,at\n"CURVEPOLYGON(${CIRCLE})",A,17,g1,One,03:04:05\n"${square(5, 0)}",B,3,g2,Two,\n`,
      'units.csvt': 'String,String,Integer,String,String,Time\n',
    }).slice(0, 1),
  'lv0 fid GID_0 geom NAME_0 at': ['3, B, g2, Two, null', '17, A, g1, One, 03:04:05'],
});

testSource('a layer with a curve keeps its lists, and a column fid of texts', {
  source: textsOf({
    'units.gml': `<c xmlns:gml="http://www.opengis.net/gml/3.2">${['0 0 1 1 0 2', '5 5 6 6 5 7']
      .map(
        (arc, i) => `<gml:featureMember><unit gml:id="u.${i + 1}"><fid>x${i}</fid><GID_0>A${i}</GID_0>
        <alt>a${i}</alt><alt>b${i}</alt><g><gml:Surface srsName="urn:ogc:def:crs:EPSG::4326"><gml:patches><gml:PolygonPatch>
        <gml:exterior><gml:Ring><gml:curveMember><gml:Curve><gml:segments><gml:Arc><gml:posList>${arc}</gml:posList></gml:Arc>
        <gml:LineStringSegment><gml:posList>${arc.slice(8)} ${arc.slice(0, 3)}</gml:posList></gml:LineStringSegment>
        </gml:segments></gml:Curve></gml:curveMember></gml:Ring></gml:exterior></gml:PolygonPatch></gml:patches></gml:Surface></g>
        </unit></gml:featureMember>`,
      )
      .join('')}</c>`,
  }),
  'lv0 fid source_fid GID_0 alt': ['1, x0, A0, ["a0","b0"]', '2, x1, A1, ["a1","b1"]'],
});

for (const [type, wkt] of [
  ['TIN', 'TIN Z(((0 0 0,1 0 0,1 1 0,0 0 0)))'],
  ['POLYHEDRALSURFACE', 'POLYHEDRALSURFACE Z(((0 0 0,1 0 0,1 1 0,0 0 0)))'],
  ['TRIANGLE', 'TRIANGLE((0 0,1 0,1 1,0 0))'],
] as const)
  testSource(`a ${type}, which has no GeoJSON form, is refused with its fid`, {
    source: fromWkt('POINT(1 2)', wkt),
    refused: new RegExp(
      `shapes\\.gpkg: layer a "layer" .*fid 2, GID A1: geometries of type ${type} have no GeoJSON form`,
    ),
  });

/** A unit of INSPIRE's theme Administrative Units 4.0, with the names of its elements. */
function inspireUnit(id: string, order: string, code: string, upper: string, [south, west]: [number, number]): string {
  const ring = [0, 0, 0, 1, 1, 1, 1, 0, 0, 0].map((side, i) => side + (i % 2 === 0 ? south : west)).join(' ');
  return `<gml:featureMember><au:AdministrativeUnit gml:id="${id}">
    <au:geometry><gml:MultiSurface gml:id="s.${id}" srsName="urn:ogc:def:crs:EPSG::4258"><gml:surfaceMember>
      <gml:Polygon gml:id="p.${id}"><gml:exterior><gml:LinearRing><gml:posList>${ring}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>
    </gml:surfaceMember></gml:MultiSurface></au:geometry>
    <au:nationalCode>${code}</au:nationalCode>
    <au:nationalLevel xlink:href="http://inspire.ec.europa.eu/codelist/AdministrativeHierarchyLevel/${order}"/>
    <au:population>1200</au:population>
    <au:upperLevelUnit xlink:href="${upper}"/>
  </au:AdministrativeUnit></gml:featureMember>`;
}

const NAMESPACES = [
  'xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink"',
  'xmlns:au="http://inspire.ec.europa.eu/schemas/au/4.0"',
].join(' ');

const MEMBERS = [
  inspireUnit('AU.01', '2ndOrder', '01', '', [59, 10]),
  inspireUnit('AU.02', '2ndOrder', '02', '', [59, 12]),
  inspireUnit('AU.0138', '3rdOrder', '0138', '#AU.01', [59, 10]),
  inspireUnit('AU.0201', '3rdOrder', '0201', 'https://example.org/au.gml#AU.02', [59, 12]),
];
const GML = `<?xml version="1.0"?><gml:FeatureCollection ${NAMESPACES}>${MEMBERS.join('')}</gml:FeatureCollection>`;
const INSPIRE =
  '--layer lv1,lv2=AdministrativeUnit --gid-column lv1:lv0= lv2:lv0=' +
  ` --where "lv1=nationalLevel_href LIKE '%2ndOrder'" "lv2=nationalLevel_href LIKE '%3rdOrder'" --gid-column`;

test('a nationalCode keeps its zeros, and GDAL leaves no file in the folder of the source', async () => {
  const file = pathsOf(textsOf({ 'au.gml': GML }))[0] ?? '';
  const { valuesOf } = await published(file, typedOptions(`${INSPIRE} lv1=nationalCode lv2=nationalCode lv2:lv1=`));
  assert.deepEqual(valuesOf(2, 'nationalCode', 'population'), [
    ['0138', '1200'],
    ['0201', '1200'],
  ]);
  assert.deepEqual(readdirSync(dirname(file)), ['au.gml']);
});

testSource('the xlink:href of upperLevelUnit is a parent by its gml:id, also in a folder with the schema', {
  source: (folder) => {
    writeTexts(folder, { 'au.gml': GML, 'au.xsd': '<schema/>' });
    return folder;
  },
  [`${INSPIRE} lv1=gml_id lv2=gml_id lv2:lv1=upperLevelUnit_href`]: {
    'lv2 gml_id upperLevelUnit_href': ['AU.0138, AU.01', 'AU.0201, AU.02'],
    'release.levels.2.gidColumns': ['', 'upperLevelUnit_href', 'gml_id'],
  },
});

testSource('a .gfs with the numbers that GDAL guessed before is refused', {
  source: (folder) => {
    const [file = ''] = writeTexts(folder, { 'au.gml': GML });
    gdal.open(file).close();
    assert.deepEqual(readdirSync(folder), ['au.gfs', 'au.gml']);
    const gfs = join(folder, 'au.gfs');
    writeFileSync(gfs, readFileSync(gfs, 'utf8').replace('<Type>String</Type>', '<Type>Integer</Type>'));
    return file;
  },
  [`${INSPIRE} lv1=nationalCode lv2=nationalCode lv2:lv1=`]: {
    refused: /au\.gml: au\.gfs beside it says that columns are numbers/,
    remedy: /remove au\.gfs/,
  },
});

const CODES = '--layer lv0=units --gid-column lv0=code';

testSource('codes of CSV keep their zeros', {
  source: textsOf({ 'units.csv': `code,people,WKT\n0138,1200,"${square(10, 59)}"\n0201,7,"${square(12, 59)}"\n` }),
  [CODES]: { 'lv0 code people': ['0138, 1200', '0201, 7'] },
});

const KML = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>units</name>
  <Placemark><ExtendedData><Data name="code"><value>0138</value></Data></ExtendedData><Polygon><outerBoundaryIs>
  <LinearRing><coordinates>10,59 11,59 11,60 10,60 10,59</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>
  </Document></kml>`;

for (const [what, pathOf] of [
  ['a file', (folder: string) => join(folder, 'units.kml')],
  ['a folder', (folder: string) => folder],
] as const)
  testSource(`codes of KML keep their zeros, in ${what}`, {
    source: (folder) => {
      writeTexts(folder, { 'units.kml': KML });
      return pathOf(folder);
    },
    [CODES]: { 'lv0 code': ['0138'] },
  });

/** The vector formats of QGIS: GDAL's driver, the ending, the options that QGIS sets. */
const QGIS = [
  ['GeoJSON', 'geojson', ['-lco', 'RFC7946=NO', '-lco', 'WRITE_BBOX=NO']],
  ['ESRI Shapefile', 'shp', ['-lco', 'ENCODING=UTF-8']],
  ['LIBKML', 'kml', []],
  ['CSV', 'csv', ['-lco', 'GEOMETRY=AS_WKT']],
  ['FlatGeobuf', 'fgb', []],
] as const;

// In every format but GeoPackage its fids become a column `fid`, beside those that GDAL gives.
for (const [driver, ending, settings] of QGIS)
  testSource(`a GeoPackage that QGIS saved as ${driver} builds with the column of its GIDs alone`, {
    source: (folder) => {
      // QGIS hands GDAL the fids as a field, and features without one of their own.
      const columns = [{ name: 'fid', type: gdal.OFTInteger64 }, 'kommunenr', 'navn'];
      const rows = [
        [7, '0301', 'Oslo'],
        [9, '1103', 'Stavanger'],
        [8, '4601', 'Bergen'],
      ];
      const features = rows.map((values, i) => ({ values, wkt: square(i, 0) }));
      const saved = join(folder, 'saved.geojson');
      writeDataset(saved, 'GeoJSON', [{ name: 'saved', columns, features }]);
      const file = join(folder, `kommuner.${ending}`);
      const known = gdal.drivers.getNames().includes(driver) ? driver : 'KML';
      gdal.vectorTranslate(file, gdal.open(saved), ['-f', known, '-nln', 'kommuner', ...settings]).close();
      return file;
    },
    '--gid-column lv2=kommunenr': {
      'lv2 fid kommunenr': ['7, 0301', '8, 4601', '9, 1103'],
      quality: { fid: [] },
    },
  });

const NAMES = ['أدرار', 'الشلف', 'Alger'];

/**
 * A Shapefile of names in an encoding that it does not say, but perhaps another one in a .cpg.
 * @param driver the number of another one in the .dbf
 */
function shapefile(encoding: string, names: readonly string[], title = 'NAME_0', stated?: string, driver = 0) {
  return (folder: string): string => {
    const layer = squares('names', ['GID_0', title], ...names.map((text, i) => [`A${i}`, text]));
    const source = writeDataset(join(folder, 'names.shp'), 'ESRI Shapefile', [{ ...layer, encoding }]);
    rmSync(join(folder, 'names.cpg'), { force: true });
    if (stated !== undefined) writeFileSync(join(folder, 'names.cpg'), stated);
    const table = readFileSync(join(folder, 'names.dbf'));
    // The byte of the language driver, by which GDAL knows the encoding.
    table[29] = driver;
    writeFileSync(join(folder, 'names.dbf'), table);
    return source;
  };
}

/** A source in an archive with a name that is no name of XML. */
function zipped(source: (folder: string) => string): Source {
  return (folder) => {
    const files = join(folder, 'files');
    mkdirSync(files);
    source(files);
    return zipFolder(files, join(folder, 'a <b> & c.zip'));
  };
}

testSource('of a text in an encoding that is not said, the remedy has those that read all of it, each with two names', {
  source: shapefile('CP1256', NAMES),
  // Of EUC-KR they are parts of frames, in CP866 no text.
  refused: /lv0: 2 units have text that is not in the encoding of the file \(e\.g\. names\.shp: layer names, fid 0/,
  remedy:
    /^say its encoding, the one that reads names as they are: --encoding CP1252: ÃÏÑÇÑ, ÇáÔáÝ; (?!.*CP866|.*EUC-KR)(.*; )?--encoding CP1256: أدرار, الشلف; .*--accept unreadable-text$/,
  '--encoding CP1252': { says: { 'names such as': [/^lv0: .*ÃÏÑÇÑ/] } },
  '--encoding CP1256': {
    'lv0 NAME_0': NAMES,
    'release.options': { encoding: ['CP1256'] },
    says: { 'names such as': [/^lv0: .*أدرار/] },
  },
  '--encoding foo': /^--encoding foo: GDAL knows no such encoding/,
  // GDAL leaves out the bytes without a message.
  '--encoding EUC-KR': /lv0: (1 unit has|2 units have) text that is not in the encoding of the file /,
});

for (const [where, source] of [
  ['', shapefile('CP1256', NAMES, 'NAME_0', 'EUC-KR')],
  [', in an archive too', zipped(shapefile('CP1256', NAMES, 'NAME_0', 'EUC-KR'))],
] as const)
  testSource(`an encoding in which bytes are no text is refused also where a .cpg says it${where}`, {
    source,
    refused: /lv0: (1 unit has|2 units have) text that is not in the encoding of the file /,
    remedy: /--encoding CP1256: أدرار, الشلف/,
    '--encoding CP1256': { 'lv0 NAME_0': NAMES },
  });

for (const stated of [
  'windows-1253',
  'ANSI 1251',
  'Shift-JIS',
  'SJIS',
  '932',
  'MS932',
  'CP936',
  'gb2312',
  '949',
  '950',
  '1251\nof which GDAL reads the first line',
])
  testSource(`bytes that are no text in the encoding that a .cpg calls ${stated.split('\n').join(', ')} are refused`, {
    // The byte 152 is no letter of Greek or Cyrillic, and 233 at the end is half of one of the others.
    source: shapefile('CP1252', ['˜éé'], 'NAME_0', stated),
    refused: /lv0: 1 unit has text that is not in the encoding of the file /,
  });

testSource('bytes that are no text in the encoding whose number the .dbf has are refused too', {
  // Cyrillic, of which the byte 152 is no letter.
  source: shapefile('CP1252', ['˜éé'], 'NAME_0', undefined, 201),
  refused: /lv0: 1 unit has text that is not in the encoding of the file /,
});

testSource('--encoding is also that of the names of columns', {
  source: shapefile('CP1252', ['España'], 'Größe'),
  '--encoding CP1252': { 'lv0 columns': ['fid', 'GID_0', 'Größe'], 'lv0 Größe': ['España'] },
});

testSource('an encoding that is said of all files is refused for one that is in UTF-8 throughout', {
  source: (folder) => {
    const layer = squares('modern', ['GID_0', 'NAME_0'], ...NAMES.map((name, i) => [`A${i}`, name]));
    return writeDataset(join(folder, 'modern.shp'), 'ESRI Shapefile', [layer]);
  },
  '--encoding CP1256': {
    refused: /lv0: 2 units have text that is not in the encoding of the file /,
    remedy: /--encoding UTF-8: أدرار, الشلف/,
  },
  '--encoding UTF-8': { 'lv0 NAME_0': NAMES },
});

testSource('--encoding is refused where no file has a format of which one can be said', {
  source: squares('ADM_0', ['GID_0'], ['A']),
  '--encoding CP1252':
    '--encoding CP1252: no file of the source has a format of which an encoding can be said (ESRI Shapefile)',
});

const lacksParquet = gdal.drivers.getNames().includes('Parquet') ? 'this GDAL has the driver Parquet' : false;

test('a file in a format that this GDAL lacks is told apart from a damaged one', { skip: lacksParquet }, async () => {
  await assert.rejects(published(pathsOf(textsOf({ 'units.parquet': 'PAR1' }))), {
    message: /units\.parquet: this GDAL \(\d+\.\d+\.\d+\) has no driver Parquet$/,
    remedy: /^convert it where GDAL has it: ogr2ogr COPY\.gpkg /,
  });
});

testSource('points and lines in one layer with the areas are left out by the statement that the remedy has', {
  source: layerOf(
    'mixed',
    ['GID_0', 'NAME_0'],
    [
      [['A', 'Aa'], square(0, 0)],
      [['B', 'Bb'], 'POINT(5 5)'],
      [['C', 'Cc'], 'LINESTRING(1 1,2 2)'],
    ],
  ),
  remedy:
    /--sql "lv0=SELECT \* FROM \{layer\} WHERE OGR_GEOMETRY NOT IN \('POINT','MULTIPOINT','LINESTRING','MULTILINESTRING'\)"; or/,
  [`--sql "lv0=SELECT * FROM {layer} WHERE OGR_GEOMETRY NOT IN ('POINT','MULTIPOINT','LINESTRING','MULTILINESTRING')"`]:
    { 'lv0 GID_0': ['A'] },
});
