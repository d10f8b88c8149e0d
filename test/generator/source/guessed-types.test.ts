// Formats in which GDAL guesses the types of columns: codes are published as they stand in the file. INSPIRE's GML,
// with the names of its elements.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gdal } from '../../../generator/gdal/gdal.ts';
import { contentOptionsFrom } from '../../../generator/options/option-texts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { published } from './published.ts';

const folder = temporaryFolder();

/** A unit of INSPIRE's theme Administrative Units 4.0. */
function unit(id: string, order: string, code: string, upper: string, [south, west]: [number, number]): string {
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

function writeGml(name: string): string {
  const members = [
    unit('AU.01', '2ndOrder', '01', '', [59, 10]),
    unit('AU.02', '2ndOrder', '02', '', [59, 12]),
    unit('AU.0138', '3rdOrder', '0138', '#AU.01', [59, 10]),
    unit('AU.0201', '3rdOrder', '0201', 'https://example.org/au.gml#AU.02', [59, 12]),
  ];
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(
    join(folder, name),
    `<?xml version="1.0"?><gml:FeatureCollection ${NAMESPACES}>${members.join('')}</gml:FeatureCollection>`,
  );
  return join(folder, name);
}

function typed(...gidColumns: string[]) {
  return contentOptionsFrom({
    layer: ['lv1,lv2=AdministrativeUnit'],
    where: ["lv1=nationalLevel_href LIKE '%2ndOrder'", "lv2=nationalLevel_href LIKE '%3rdOrder'"],
    'gid-column': [...gidColumns, 'lv1:lv0=', 'lv2:lv0='],
  });
}

test('a nationalCode keeps its zeros, and GDAL leaves no file in the folder of the source', async () => {
  const file = writeGml('codes/au.gml');
  const { valuesOf } = await published(file, typed('lv1=nationalCode', 'lv2=nationalCode', 'lv2:lv1='));
  assert.deepEqual(valuesOf(2, 'nationalCode', 'population'), [
    ['0138', '1200'],
    ['0201', '1200'],
  ]);
  assert.deepEqual(readdirSync(dirname(file)), ['au.gml']);
});

test('the xlink:href of upperLevelUnit is a parent by its gml:id, also in a folder with the schema', async () => {
  const file = writeGml('tree/au.gml');
  writeFileSync(join(dirname(file), 'au.xsd'), '<schema/>');
  const options = typed('lv1=gml_id', 'lv2=gml_id', 'lv2:lv1=upperLevelUnit_href');
  const { release, valuesOf } = await published(dirname(file), options);
  assert.deepEqual(valuesOf(2, 'gml_id', 'upperLevelUnit_href'), [
    ['AU.0138', 'AU.01'],
    ['AU.0201', 'AU.02'],
  ]);
  assert.deepEqual(release.levels[2]?.gidColumns, ['', 'upperLevelUnit_href', 'gml_id']);
});

test('a .gfs with the numbers that GDAL guessed before is refused', async () => {
  const file = writeGml('guessed/au.gml');
  gdal.open(file).close();
  assert.deepEqual(readdirSync(dirname(file)), ['au.gfs', 'au.gml']);
  const gfs = join(dirname(file), 'au.gfs');
  writeFileSync(gfs, readFileSync(gfs, 'utf8').replace('<Type>String</Type>', '<Type>Integer</Type>'));
  await assert.rejects(published(file, typed('lv1=nationalCode', 'lv2=nationalCode', 'lv2:lv1=')), {
    message: /au\.gml: au\.gfs beside it says that columns are numbers/,
    remedy: /remove au\.gfs/,
  });
});

test('codes of CSV and KML keep their zeros', async () => {
  const csv = join(folder, 'units.csv');
  const ring = '((10 59,11 59,11 60,10 60,10 59))';
  writeFileSync(
    csv,
    `code,people,WKT\n0138,1200,"POLYGON${ring}"\n0201,7,"POLYGON((12 59,13 59,13 60,12 60,12 59))"\n`,
  );
  const kml = join(folder, 'kml/units.kml');
  mkdirSync(dirname(kml));
  const placemark = `<Placemark><ExtendedData><Data name="code"><value>0138</value></Data></ExtendedData><Polygon><outerBoundaryIs>
    <LinearRing><coordinates>10,59 11,59 11,60 10,60 10,59</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`;
  writeFileSync(
    kml,
    `<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>units</name>${placemark}</Document></kml>`,
  );
  for (const [source, codes] of [
    [csv, ['0138', '0201']],
    [kml, ['0138']],
    [dirname(kml), ['0138']],
  ] as const) {
    const options = contentOptionsFrom({ layer: ['lv0=units'], 'gid-column': ['lv0=code'] });
    assert.deepEqual((await published(source, options)).gidsOf(0, 'code'), codes);
  }
});
