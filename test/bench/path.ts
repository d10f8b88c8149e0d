// What the request path costs in one process and what it allocates, beside one SHA-256 of the same process. Run as `npm
// run bench:path`; without options it measures 20,000 synthetic units. With --before FOLDER, a checkout of another
// version that is set up, it measures both in turn, and prints ratios.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { pageCap } from '../../format/page-caps.ts';
import { type Figures, folderOfRun, spread } from './measure/measure.ts';
import type { PathCase, PathFigures, PathPlan, PathQuestion } from './path/measured.ts';
import { type MeasuredRelease, RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import {
  boxesAround,
  childrenOfUnits,
  hierarchiesAtPoints,
  hotPath,
  largestLevel,
  neighboursOfUnits,
  scatteredListing,
  searchesByName,
  searchesInParents,
  singleUnits,
  slicesAtRandomFids,
  storedPages,
  tilesAtUnits,
  unitsAtPoints,
} from './requests/targets.ts';
import { chooseMachine, compiledIn, prepareService, type Service } from './servers/servers.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:path -- [options]')
  .options({
    ...RELEASE_OPTIONS,
    before: { type: 'string', describe: 'a checkout of the version before: print what costs more or less than there' },
    rows: { type: 'string', array: true, describe: 'only rows with one of these texts' },
  })
  .strict()
  .parseSync();

const TARGETS = 20_000;
/** Those of boxes that are asked for again and again: their matches are remembered. */
const REPEATED = 100;
const PAGE_BYTES = 20_000;
/** Stored pages are at most so much smaller or larger. */
const PAGE_TOLERANCE = 0.25;
/** Batches whose minimum counts, alone and in each of the pairs of a comparison. */
const BATCHES = 200;
const [PAIRS, PAIR_BATCHES] = [15, 20];
/** The children of a country's regions, or of a region; and more than a page has. */
const [FEW_CHILDREN, MANY_CHILDREN] = [
  [10, 25],
  [1000, 1_000_000],
] as const;
/** The process that is measured, in the checkout of each version. */
const PROCESS = 'test/bench/path/measured.ts';

const folder = folderOfRun();

const release = await releaseToMeasure(values);
const service = await prepareService(folder, chooseMachine());
const { rows = [''] } = values;
const cases = casesOf(release, service).filter(({ what }) => rows.some((text) => what.includes(text)));
const plan = writePlan();
if (values.before === undefined) await measure();
else await compare(values.before);

async function measure(): Promise<void> {
  const proxy = await startMeasured('.', plan);
  const hash = await proxy.ask({ batches: BATCHES });
  console.log(`one SHA-256 of 16 kB: ${hash.us.toFixed(1)} us`);
  for (const [row, { what, target }] of cases.entries()) {
    const { us, heapBytes } = await proxy.ask({ row, batches: BATCHES, asksHeap: true });
    const heap = `${(heapBytes / 1000).toFixed(1)} kB`.padStart(9);
    const cost = `${us.toFixed(1)} us`.padStart(11);
    console.log(`${what.padEnd(62)}${cost}  ${(us / hash.us).toFixed(2)} x SHA-256  heap ${heap}  target ${target}`);
  }
  proxy.end();
}

/** Measures each row in both versions in turn, and the version before beside itself: that is the noise. */
async function compare(before: string): Promise<void> {
  const [now, then, again] = [
    await startMeasured('.', plan),
    await startMeasured(before, plan),
    await startMeasured(before, plan),
  ];
  for (const [row, { what }] of cases.entries()) {
    const figures: Figures = [];
    const noise: Figures = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const { us: subject } = await now.ask({ row, batches: PAIR_BATCHES });
      const { us: control } = await then.ask({ row, batches: PAIR_BATCHES });
      figures.push({ subject, control });
      noise.push({ subject: (await again.ask({ row, batches: PAIR_BATCHES })).us, control });
    }
    const cost = spread(figures.map(({ subject }) => subject))
      .median.toFixed(1)
      .padStart(9);
    const [ratio, same] = [figures, noise].map((pairs) => medianRatio(pairs).toFixed(3));
    console.log(`${what.padEnd(62)}${cost} us  ${ratio} x before  (before beside itself: ${same})`);
  }
  for (const proxy of [now, then, again]) proxy.end();
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
    ...searchesInParents(of).map((list) => ({ ...list, target: '20,000 us with 396,280 units' })),
  ];
  const [touching, byGid] = neighboursOfUnits(all);
  const borders = [
    { ...byGid, target: 'as a page of one' },
    { ...touching, target: '1.2 x the one before' },
  ];
  const deepest = of.about.levels[all.level]?.tiles?.maxzoom;
  const tiles = deepest === undefined ? [] : [{ ...tilesAtUnits(all, deepest), target: 'a page of ten units' }];
  const [few, many] = [childrenOfUnits(of, ...FEW_CHILDREN), childrenOfUnits(of, ...MANY_CHILDREN)];
  if (many.targets.length === 0)
    console.error(
      'no unit has 1,000 children: these rows are left out (Spain has 8,212 in levels 0 and 3 of the sample)',
    );
  type Row = Pick<PathCase, 'what' | 'target' | 'range'> &
    Partial<Pick<PathCase, 'method'>> & {
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
    { ...few, target: '2 x ten features' },
    { ...many, target: '60 x ten features' },
    { ...many, what: `HEAD of ${many.what}`, method: 'HEAD', target: '10 x ten features' },
    { what: 'stored page of about 20 kB', targets: near, target: '45 us' },
    { ...hot, token: forged, status: 401, what: 'refusal: wrong signature', target: '80 us, stretch 60' },
    { ...hot, token: expired, status: 401, what: 'refusal: expired', target: '80 us, stretch 60' },
    { ...slices, status: 304, what: '304 of ten features', target: 'none' },
    { ...scatteredListing(all), status: 206, range: 'bytes=-99', target: 'as of few runs' },
    { ...scatteredListing(all), status: 304, what: '304 of it', target: '20 us' },
  ];
  return listed
    .filter(({ targets }) => targets.length > 0)
    .map(({ what, target, targets, range, method = 'GET', status = 200, token = valid }) => {
      const paths = targets.slice(0, TARGETS).map(({ path }) => path);
      return { what, target, status, range, method, authorization: token, targets: paths };
    });
}

function medianRatio(figures: Figures): number {
  return spread(figures.map(({ subject, control }) => subject / control)).median;
}

/** Writes what the measured processes need. @returns its file */
function writePlan(): string {
  const { rules, authorizations } = service;
  const proxy = { out: release.out, ...rules };
  const content: PathPlan = { proxy, authorization: authorizations.valid, hot: hotPath(release), cases };
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** A process that measures. */
interface Measured {
  ask(question: PathQuestion): Promise<PathFigures>;
  end(): void;
}

/** Compiles a checkout, and starts the process that measures it. @throws Error if that ends before it is ready */
async function startMeasured(checkout: string, file: string): Promise<Measured> {
  const module = compiledIn(checkout, PROCESS);
  const child = fork(module, [file], { cwd: checkout, execArgv: [] });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${module} has ended`);
  });
  ended.catch(() => {});
  const next = async (): Promise<PathFigures> => (await Promise.race([once(child, 'message'), ended]))[0];
  await next();
  return {
    ask(question) {
      const answer = next();
      child.send(question);
      return answer;
    },
    end: () => child.kill(),
  };
}
