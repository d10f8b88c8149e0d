// What the request path costs in one process and what it allocates, beside one SHA-256 of the same process. Run as `npm
// run bench:path`; without options it measures 20,000 synthetic units.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { elementAt } from '../../format/element-at.ts';
import { pageCap } from '../../format/levels.ts';
import { compile } from '../support/processes/compile.ts';
import { folderOfRun, outputOf } from './measure/measure.ts';
import type { PathCase, PathFigures, PathPlan } from './path/measured.ts';
import { type MeasuredRelease, RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import {
  boxesAround,
  hierarchiesAtPoints,
  hotPath,
  largestLevel,
  neighboursOfUnits,
  scatteredListing,
  searchesByName,
  singleUnits,
  slicesAtRandomFids,
  storedPages,
  tilesAtUnits,
  unitsAtPoints,
} from './requests/targets.ts';
import { chooseMachine, prepareService, type Service } from './servers/servers.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:path -- [options]')
  .options(RELEASE_OPTIONS)
  .strict()
  .parseSync();

const TARGETS = 20_000;
/** Those of boxes that are asked for again and again: their matches are remembered. */
const REPEATED = 100;
const PAGE_BYTES = 20_000;
/** Stored pages are at most so much smaller or larger. */
const PAGE_TOLERANCE = 0.25;

const folder = folderOfRun();

const release = await releaseToMeasure(values);
const service = await prepareService(folder, chooseMachine());
const cases = casesOf(release, service);
const { hashUs, measured } = await measure();
console.log(`one SHA-256 of 16 kB: ${hashUs.toFixed(1)} us`);
for (const [i, { what, target }] of cases.entries()) {
  const { us, heapBytes } = elementAt(measured, i);
  const heap = `${(heapBytes / 1000).toFixed(1)} kB`.padStart(9);
  const cost = `${us.toFixed(1)} us`.padStart(11);
  console.log(`${what.padEnd(62)}${cost}  ${(us / hashUs).toFixed(2)} x SHA-256  heap ${heap}  target ${target}`);
}

function casesOf(of: MeasuredRelease, { authorizations: { valid, forged, expired } }: Service) {
  const all = largestLevel(of);
  const slices = slicesAtRandomFids(all, 'geojsonl', 10, TARGETS);
  const near = storedPages(of, 1).targets.filter(
    ({ page }) => page !== undefined && Math.abs(statSync(page).size / PAGE_BYTES - 1) < PAGE_TOLERANCE,
  );
  // Pages of the full geometry have fewer on some levels.
  const hundred = pageCap('geojsonl', all.level, 'full') < 100 ? 'low' : 'full';
  const hot = { what: `hot page (${hotPath(of)})`, targets: [{ path: hotPath(of) }] };
  const { cells, geometries, neighbours } = of.about;
  const hasPlaces = cells && geometries.includes('none');
  if (!hasPlaces) console.error('the release has no cells, or no features without geometry: these rows are left out');
  if (near.length === 0) console.error('no stored page has about 20 kB: that row is left out');
  const halfDegree = boxesAround(all, 0.5);
  const places = [
    { ...halfDegree, what: `${halfDegree.what}, each for the first time`, target: '3 x a slice of 100' },
    {
      ...halfDegree,
      targets: halfDegree.targets.slice(0, REPEATED),
      what: `${halfDegree.what}, repeated`,
      target: 'as a page of one',
    },
    { ...boxesAround(all, 2), target: '70 us with 148,000 units' },
    { ...boxesAround(all, 360), target: '1,500 us with 148,000 units' },
    { ...unitsAtPoints(all), target: '35 us' },
    { ...hierarchiesAtPoints(all), target: '80 us' },
    { ...searchesByName(of), target: '60 us' },
  ];
  const [touching, byGid] = neighboursOfUnits(all);
  const borders = [
    { ...byGid, target: 'as a page of one' },
    { ...touching, target: '1.2 x the one before' },
  ];
  const deepest = of.about.levels[all.level]?.tiles?.maxzoom;
  const tiles = deepest === undefined ? [] : [{ ...tilesAtUnits(all, deepest), target: 'a page of ten units' }];
  type Row = Pick<PathCase, 'what' | 'target' | 'range'> & {
    targets: { path: string }[];
    status?: number;
    token?: string;
  };
  const listed: Row[] = [
    { ...hot, target: '4 us, stretch 3' },
    { ...singleUnits(of, TARGETS), target: '6 us, stretch 4' },
    { ...slices, target: '30 us (2.8 x), stretch 20' },
    { ...slicesAtRandomFids(all, 'geojsonl', 10, TARGETS, 'low'), target: 'as with the full geometry' },
    { ...slicesAtRandomFids(all, 'geojsonl', 50, TARGETS), target: '50 us (4.6 x), stretch 39' },
    { ...slicesAtRandomFids(all, 'geojsonl', 100, TARGETS, hundred), target: 'two pages of 50' },
    { ...slicesAtRandomFids(largestLevel(of, [2, 3]), 'fc', 20, TARGETS), target: '45 us (4.2 x), stretch 33' },
    { ...slicesAtRandomFids(all, 'geojsonl', 1000, TARGETS, 'none'), target: '150 us' },
    { ...slicesAtRandomFids(all, 'fc', 1000, TARGETS, 'none'), target: '150 us' },
    ...(hasPlaces ? places : []),
    ...(neighbours && geometries.includes('none') ? borders : []),
    ...tiles,
    { what: 'stored page of about 20 kB', targets: near, target: '45 us' },
    { ...hot, token: forged, status: 401, what: 'refusal: wrong signature', target: '80 us, stretch 60' },
    { ...hot, token: expired, status: 401, what: 'refusal: expired', target: '80 us, stretch 60' },
    { ...slices, status: 304, what: '304 of ten features', target: 'none' },
    { ...scatteredListing(all), status: 206, range: 'bytes=-99', target: 'as of few runs' },
    { ...scatteredListing(all), status: 304, what: '304 of it', target: '20 us' },
  ];
  return listed
    .filter(({ targets }) => targets.length > 0)
    .map(({ what, target, targets, range, status = 200, token = valid }) => {
      const paths = targets.slice(0, TARGETS).map(({ path }) => path);
      return { what, target, status, range, authorization: token, targets: paths };
    });
}

async function measure(): Promise<PathFigures> {
  const { rules, authorizations } = service;
  const proxy = { out: release.out, ...rules };
  const plan: PathPlan = { proxy, authorization: authorizations.valid, hot: hotPath(release), cases };
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  return JSON.parse(await outputOf(process.execPath, [compile('test/bench/path/measured.ts'), file]));
}
