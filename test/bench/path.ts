// What the request path costs in one process and what it allocates, beside one SHA-256 and a bare server of the same
// process; how soon the proxy starts, and how long it loads a release. Run as `npm run bench:path`; without options it
// measures 20,000 synthetic units.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { featureFilePath } from '../../format/layout.ts';
import { outputOf, spread } from './measure/measure.ts';
import type { PathFigures, PathPlan } from './path/measured.ts';
import { type MeasuredRelease, RELEASE_OPTIONS, releaseToMeasure } from './requests/measured-release.ts';
import {
  boxesAround,
  hierarchiesAtPoints,
  hotPath,
  largestLevel,
  searchesByName,
  singleUnits,
  slicesAtRandomFids,
  storedPages,
  unitsAtPoints,
} from './requests/targets.ts';
import { chooseMachine } from './servers/machine.ts';
import { answersTo, prepareService, type Service } from './servers/service.ts';

const values = yargs(hideBin(process.argv))
  .usage('npm run bench:path -- [options]')
  .options(RELEASE_OPTIONS)
  .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
  .strict()
  .parseSync();

/** One figure and what it is held against. */
interface Line {
  what: string;
  figure: number;
  unit: 'us' | 'kB' | 'ms';
  /** What it is compared with, in the same unit; undefined if nothing is. */
  control: number | undefined;
  target: string;
}

const STARTS = 5;
/** Different requests of each kind. */
const TARGETS = 20_000;
const PAGE_BYTES = 20_000;
/** Stored pages are at most so much smaller or larger. */
const PAGE_TOLERANCE = 0.25;

const folder = mkdtempSync(join(tmpdir(), 'bench-path-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const release = await releaseToMeasure(values).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const service = await prepareService(folder, chooseMachine(undefined));
const cases = casesOf(release, service);
const startMs = await startToFirstAnswer();
const figures = await measure();
const lines = [...pathLines(), ...heapLines(), ...startLines()];
if (values.json) console.log(JSON.stringify({ hashUs: figures.path.hashUs, lines }, null, 2));
else print(lines);

function casesOf(measured: MeasuredRelease, { authorizations }: Service) {
  const all = largestLevel(measured);
  const middle = largestLevel(measured, [2, 3]);
  const slices = slicesAtRandomFids(all, 'geojsonl', 10, TARGETS);
  const many = slicesAtRandomFids(all, 'geojsonl', 50, TARGETS);
  const low = slicesAtRandomFids(all, 'geojsonl', 10, TARGETS, 'low');
  const attributes = slicesAtRandomFids(all, 'geojsonl', 1000, TARGETS, 'none');
  const collectionsOfAttributes = slicesAtRandomFids(all, 'fc', 1000, TARGETS, 'none');
  const collections = slicesAtRandomFids(middle, 'fc', 20, TARGETS);
  const units = singleUnits(measured, TARGETS);
  const pages = storedPages(measured, 1).targets.filter(
    ({ page }) => Math.abs((page?.bytes ?? 0) - PAGE_BYTES) < PAGE_BYTES * PAGE_TOLERANCE,
  );
  const hot = [{ path: hotPath(measured) }];
  const { valid, forged, expired } = authorizations;
  const ok = { authorization: valid, status: 200 };
  const places = [
    { ...ok, ...boxesAround(all, 2), target: '70 us with 148,000 units' },
    { ...ok, ...boxesAround(all, 360), target: '1,500 us with 148,000 units' },
    { ...ok, ...unitsAtPoints(all), target: '35 us' },
    { ...ok, ...hierarchiesAtPoints(all), target: '80 us' },
    { ...ok, ...searchesByName(measured), target: '60 us' },
  ];
  const { cells, geometries } = measured.about;
  const hasPlaces = cells && geometries.includes('none');
  if (!hasPlaces) console.error('the release has no cells, or no features without geometry: these rows are left out');
  const listed = [
    { ...ok, what: `hot page (${hot[0]?.path})`, targets: hot, target: '4 us, stretch 3' },
    { ...ok, ...units, target: '6 us, stretch 4' },
    { ...ok, ...slices, target: '30 us (2.8 x), stretch 20' },
    { ...ok, ...low, target: 'as with the full geometry' },
    { ...ok, ...many, target: '50 us (4.6 x), stretch 39' },
    { ...ok, ...collections, target: '45 us (4.2 x), stretch 33' },
    { ...ok, ...attributes, target: '150 us' },
    { ...ok, ...collectionsOfAttributes, target: '150 us' },
    ...(hasPlaces ? places : []),
    { ...ok, what: 'stored page of about 20 kB', targets: pages, target: '45 us' },
    { authorization: forged, status: 401, what: 'refusal: wrong signature', targets: hot, target: '80 us, stretch 60' },
    { authorization: expired, status: 401, what: 'refusal: expired', targets: hot, target: '80 us, stretch 60' },
    { ...ok, status: 304, what: '304 of ten features', targets: slices.targets, target: 'none' },
  ];
  if (pages.length === 0) console.error('no stored page has about 20 kB: that row is left out');
  return listed
    .filter(({ targets }) => targets.length > 0)
    .map(({ what, target, status, authorization, targets }) => {
      const paths = targets.slice(0, TARGETS).map(({ path }) => path);
      return { what, target, status, targets: paths, authorizations: [authorization] };
    });
}

/** The median of several starts, in milliseconds. */
async function startToFirstAnswer(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const begun = performance.now();
    const proxy = await service.start(release.out);
    await answersTo(proxy.url, [hotPath(release)], service.headers('gzip'));
    times.push(performance.now() - begun);
    await proxy.stop();
  }
  return spread(times).median;
}

async function measure(): Promise<PathFigures> {
  const { jwks, issuer, audience, authorizations } = service;
  const plan: PathPlan = {
    proxy: { out: release.out, jwks, issuer, audience },
    release: release.about.release,
    authorization: authorizations.valid,
    hot: hotPath(release),
    cases,
    slices: slicesAtRandomFids(largestLevel(release), 'geojsonl', 10, 2 * TARGETS).targets.map(({ path }) => path),
    file: join(release.out, release.path, featureFilePath(largestLevel(release).level, 0)),
    load: service.program('test/bench/load/paced.ts'),
    folder,
  };
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  const program = service.program('test/bench/path/measured.ts');
  const part = async (name: keyof PathFigures) => JSON.parse(await outputOf(process.execPath, [program, file, name]));
  return {
    path: await part('path'),
    'heap-hot': await part('heap-hot'),
    'heap-slice': await part('heap-slice'),
    loading: await part('loading'),
  };
}

function pathLines(): Line[] {
  const { us, hashUs } = figures.path;
  return cases.map(({ what, target }, i) => ({
    what,
    figure: us[i] ?? Number.NaN,
    unit: 'us',
    control: hashUs,
    target,
  }));
}

function heapLines(): Line[] {
  const line = (what: string, { proxy, control }: PathFigures['heap-hot'], target: string): Line => ({
    what: `heap allocated by a request: ${what}`,
    figure: proxy / 1000,
    unit: 'kB',
    control: control / 1000,
    target,
  });
  return [
    line('hot page', figures['heap-hot'], '11.5 kB, stretch 10.5'),
    line('ten features at a random fid', figures['heap-slice'], '15 kB, stretch 12'),
  ];
}

function startLines(): Line[] {
  const line = (what: string, figure: number, target: string): Line => ({
    what,
    figure,
    unit: 'ms',
    control: undefined,
    target,
  });
  return [
    line('start to first answer', startMs, '500 ms, stretch 350, with 400,000 units'),
    line('loading the slowest level', figures.loading.largestLevelMs, '15 ms with 148,000 units'),
    line('loading all levels', figures.loading.allLevelsMs, '50 ms with 400,000 units'),
  ];
}

function print(all: readonly Line[]): void {
  console.log(`one SHA-256 of 16 kB: ${figures.path.hashUs.toFixed(1)} us`);
  for (const { what, figure, unit, control, target } of all) {
    const beside = control === undefined ? '' : `${(figure / control).toFixed(2)} x ${control.toFixed(1)} ${unit}`;
    console.log(`${what.padEnd(62)}${figure.toFixed(1).padStart(8)} ${unit}  ${beside.padEnd(16)}  target ${target}`);
  }
}
